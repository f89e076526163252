//! What a pattern must not ask for.

use super::{AfterMatch, Body, Connector, Element, Inner, Occurs, Pattern};
use crate::error::{Error, ErrorKind};
use crate::predicate::typecheck::list;

/// Deepest nesting of groups.
const DEEPEST: usize = 64;

fn refuse(message: impl Into<String>, hint: &str) -> Error {
    Error::new(ErrorKind::Pattern, message).with_hint(hint)
}

pub(super) fn pattern(pattern: &Pattern) -> Result<(), Error> {
    if pattern.elements.is_empty() {
        return Err(refuse("the pattern is empty", "give it a stage"));
    }
    let mut names = Vec::new();
    sequence(&pattern.elements, 0, &mut names)?;
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        let message = format!("two stages are called `{}`", twice[0]);
        return Err(refuse(message, "give each stage a name of its own"));
    }
    positive(pattern.within)?;
    if let Some(last) = pattern.elements.last() {
        let windowless = pattern.within.is_none() && last.gap.is_none();
        if last.connector == Connector::NotFollowedBy && windowless {
            let error = refuse(
                "a pattern ends in not_followed_by without a window: its absence is never certain",
                "add within",
            );
            return Err(in_stage(error, last));
        }
    }
    match &pattern.after_match {
        AfterMatch::SkipToFirst(target) | AfterMatch::SkipToLast(target) => {
            let stages: Vec<&str> = (pattern.elements.iter())
                .filter(|e| !e.connector.is_negation())
                .filter_map(Element::name)
                .collect();
            if !stages.contains(&target.stage.as_str()) {
                let message =
                    format!("the stage `{}` to skip to is not in the pattern", target.stage);
                let hint = format!("outside of groups the pattern has {}", list(&stages));
                return Err(refuse(message, &hint));
            }
        }
        AfterMatch::NoSkip | AfterMatch::SkipToNext | AfterMatch::SkipPastLast => {}
    }
    Ok(())
}

fn positive(window: Option<i64>) -> Result<(), Error> {
    match window {
        Some(window) if window <= 0 => {
            let message = format!("a window of {window} admits no match");
            Err(refuse(message, "a window is a positive time"))
        }
        _ => Ok(()),
    }
}

fn in_stage(error: Error, element: &Element) -> Error {
    match element.name() {
        Some(name) => error.in_stage(name),
        None => error,
    }
}

fn sequence<'p>(
    elements: &'p [Element],
    depth: usize,
    names: &mut Vec<&'p str>,
) -> Result<(), Error> {
    if depth > DEEPEST {
        let message = format!("groups nest deeper than {DEEPEST} levels");
        return Err(Error::new(ErrorKind::Limit, message));
    }
    for (i, element) in elements.iter().enumerate() {
        if (i == 0) != (element.connector == Connector::Begin) {
            return Err(in_stage(
                refuse(
                    "exactly the first element of a sequence begins it",
                    "use next, followed_by or followed_by_any for the others",
                ),
                element,
            ));
        }
        let before = i.checked_sub(1).map(|before| &elements[before]);
        quantifier(element).map_err(|e| in_stage(e, element))?;
        positive(element.gap).map_err(|e| in_stage(e, element))?;
        if element.gap.is_some() && matches!(element.body, Body::Group(_)) {
            let hint = "set it on its stages";
            return Err(refuse("a group has no window to the event before", hint));
        }
        if element.connector.is_negation() {
            negation(element, before).map_err(|e| in_stage(e, element))?;
        }
        match &element.body {
            Body::Stage { name, .. } if name.is_empty() => {
                return Err(refuse("a stage has no name", "give it one"));
            }
            Body::Stage { name, .. } => names.push(name),
            Body::Group(inner) if inner.is_empty() => {
                return Err(refuse("a group is empty", "give it a stage"));
            }
            Body::Group(inner) => sequence(inner, depth + 1, names)?,
        }
    }
    Ok(())
}

fn quantifier(element: &Element) -> Result<(), Error> {
    let q = &element.quantifier;
    match q.occurs {
        Occurs::Times(from, to) if from == 0 || to < from => {
            let message = format!("a stage cannot occur {from} to {to} times");
            return Err(refuse(message, "the numbers are at least 1 and in order"));
        }
        Occurs::AtLeast(0) => {
            let hint = "use one_or_more and optional";
            return Err(refuse("a loop of 0 times or more is an optional one", hint));
        }
        _ => {}
    }
    let group = match &element.body {
        Body::Group(inner) => Some(inner),
        Body::Stage { .. } => None,
    };
    if q.greedy && group.is_some() {
        return Err(refuse("a group cannot be greedy", "make its stages greedy"));
    }
    if q.until.is_some() && group.is_some() {
        return Err(refuse("a group has no until", "put it on the stages of the group that loop"));
    }
    if q.occurs == Occurs::Once {
        if q.greedy {
            return Err(refuse("a stage that occurs once cannot be greedy", "drop greedy"));
        }
        if q.inner != Inner::Relaxed {
            let message = "an element that occurs once has no contiguity inside a loop";
            return Err(refuse(message, "drop consecutive or allow_combinations"));
        }
    }
    if q.until.is_some() && !matches!(q.occurs, Occurs::AtLeast(_)) {
        let hint = "use it with one_or_more or times_or_more";
        return Err(refuse("until ends a loop, and this stage does not loop", hint));
    }
    Ok(())
}

fn negation(element: &Element, before: Option<&Element>) -> Result<(), Error> {
    if element.quantifier != super::Quantifier::default() {
        return Err(refuse("what must not occur has no quantifier", "drop the quantifier"));
    }
    if matches!(element.body, Body::Group(_)) {
        return Err(refuse("a group cannot be negated", "negate a stage"));
    }
    if before.is_some_and(|e| e.quantifier.optional) {
        return Err(refuse(
            "a negated stage follows an optional one",
            "write two patterns, one with the optional stage and one without",
        ));
    }
    Ok(())
}

/// Negations that no event is ever held against: one that closes a group before further elements
/// or in a loop, and all but the last of several that close the pattern.
pub(crate) fn silent_negation(pattern: &Pattern) -> Option<&str> {
    fn in_group(elements: &[Element]) -> Option<&str> {
        elements.iter().find_map(|element| match &element.body {
            Body::Stage { .. } => None,
            Body::Group(inner) => match inner.last() {
                Some(last) if last.connector == Connector::NotFollowedBy => last.name(),
                _ => in_group(inner),
            },
        })
    }
    let trailing = match pattern.elements.as_slice() {
        [.., a, b] if a.connector.is_negation() && b.connector.is_negation() => a.name(),
        _ => None,
    };
    trailing.or_else(|| in_group(&pattern.elements))
}

/// A group that loops though it may pass without an event: going round it would never end.
pub(crate) fn endless_loop(elements: &[Element]) -> bool {
    elements.iter().any(|element| match &element.body {
        Body::Stage { .. } => false,
        Body::Group(inner) => {
            let loops = matches!(element.quantifier.occurs, Occurs::AtLeast(_));
            (loops && inner.iter().all(Element::is_empty_possible)) || endless_loop(inner)
        }
    })
}
