//! What the grammar cannot say. The parser checks limits as it goes; here they are checked again,
//! since a query may be put together by hand.

use std::collections::HashSet;
use std::ops::Range;

use super::ast::{
    Aggregate, ExprKind, Gap, Group, GroupKind, Item, Literal, Name, Predicate, Quantifier, Query,
    ReturnItem, ReturnValue, Skip, Span, Strategy, Window,
};
use super::place::{Form, Scope, for_each_reference, parts};
use super::types;
use super::variables::{Variable, body_may_be_absent};
use crate::{Error, ErrorKind};

pub(super) fn check(query: &Query) -> Result<(), Error> {
    limits(query)?;
    outermost(&query.pattern)?;
    group(&query.pattern)?;
    let scope = Scope::new(query);
    names(query, &scope)?;
    if body_may_be_absent(&query.pattern) {
        let message = "a pattern that matches without any event";
        return Err(pattern_fault(query.pattern.span, message)
            .with_hint("make one item required, for example with `+` in place of `*`"));
    }
    negations(query, &scope)?;
    predicates(query, &scope)?;
    within(query)?;
    skip(query, &scope)?;
    returns(query, &scope)
}

// Wording that the parser shares.

pub(super) fn too_many_items(span: Range<usize>) -> Error {
    limit(span, format!("more than {} items in a pattern", Query::MAX_ITEMS))
}

pub(super) fn too_many_terms(span: Range<usize>) -> Error {
    limit(span, format!("more than {} terms and operators in a query", Query::MAX_TERMS))
}

pub(super) fn too_many_repetitions(span: Range<usize>) -> Error {
    limit(span, format!("more than {} repetitions", Query::MAX_REPETITIONS))
        .with_hint("leave the upper bound out, as in `{3,}`")
}

pub(super) fn bounds(quantifier: Quantifier, span: Span) -> Result<(), Error> {
    let Quantifier::Repeat { min, max } = quantifier else { return Ok(()) };
    if min.max(max.unwrap_or(0)) > Query::MAX_REPETITIONS {
        return Err(too_many_repetitions(span.range()));
    }
    match max {
        Some(0) => Err(pattern_fault(span, "a repetition of at most 0 times")
            .with_hint("leave the item out, or negate it: `~A a`")),
        Some(max) if max < min => {
            let message = format!("a repetition of at least {min} and at most {max} times");
            Err(pattern_fault(span, message).with_hint(format!("write `{{{max},{min}}}`")))
        }
        _ => Ok(()),
    }
}

fn limit(span: Range<usize>, message: String) -> Error {
    Error::new(ErrorKind::Limit, message).with_span(span)
}

fn pattern_fault(span: Span, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Pattern, message).with_span(span.range())
}

/// A reference that makes no sense.
pub(super) fn reference_fault(span: Span, message: impl Into<String>) -> Error {
    pattern_fault(span, message)
}

fn name_fault(name: &Name, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Name, message).with_span(name.span.range())
}

pub(super) fn unknown_variable(name: &Name) -> Error {
    name_fault(name, format!("no variable `{}` in the pattern", name.text))
}

// Limits of a tree.

fn limits(query: &Query) -> Result<(), Error> {
    let mut items = 0;
    let mut groups = vec![(&query.pattern, 1)];
    while let Some((group, depth)) = groups.pop() {
        items += group.items.len();
        if items > Query::MAX_ITEMS {
            return Err(too_many_items(group.span.range()));
        }
        if depth > Query::MAX_NESTING {
            let message = format!("more than {} levels of nesting", Query::MAX_NESTING);
            return Err(limit(group.span.range(), message));
        }
        groups.extend(group.items.iter().filter_map(|item| match item {
            Item::Group(group) => Some((group, depth + 1)),
            Item::Event(_) => None,
        }));
    }
    let conditions = query.predicates.iter().filter_map(|predicate| match predicate {
        Predicate::Condition(expr) => Some((expr, 1)),
        Predicate::Equivalence { .. } => None,
    });
    let values = query.returns.iter().filter_map(|item| match &item.value {
        ReturnValue::Value(expr) => Some((expr, 1)),
        ReturnValue::Events(_) => None,
    });
    let mut exprs: Vec<_> = conditions.chain(values).collect();
    let mut terms = 0;
    while let Some((expr, depth)) = exprs.pop() {
        terms += 1;
        if terms > Query::MAX_TERMS {
            return Err(too_many_terms(expr.span.range()));
        }
        if depth > Query::MAX_NESTING {
            let message = format!("more than {} levels of nesting", Query::MAX_NESTING);
            return Err(limit(expr.span.range(), message));
        }
        exprs.extend(parts(expr).into_iter().map(|part| (part, depth + 1)));
    }
    Ok(())
}

// The pattern.

fn outermost(pattern: &Group) -> Result<(), Error> {
    if pattern.kind == GroupKind::Seq && pattern.quantifier == Quantifier::One {
        return Ok(());
    }
    Err(pattern_fault(pattern.span, "a pattern that is not one `SEQ`"))
}

fn group(group: &Group) -> Result<(), Error> {
    let sequence = group.kind == GroupKind::Seq;
    let least = if sequence { 1 } else { 2 };
    if group.items.len() < least {
        let keyword = match group.kind {
            GroupKind::Seq => "SEQ",
            GroupKind::Or => "OR",
            GroupKind::And => "AND",
        };
        let message = format!("`{keyword}` of fewer than {least} items");
        return Err(pattern_fault(group.span, message));
    }
    if group.kind == GroupKind::And && group.items.len() > Query::MAX_AND_ITEMS {
        let message = format!("`AND` of more than {} items", Query::MAX_AND_ITEMS);
        return Err(limit(group.span.range(), message)
            .with_hint("its items come in any order, and the orders are too many"));
    }
    let plain = group.gaps.iter().all(|&gap| gap == Gap::Strategy);
    if group.gaps.len() + 1 != group.items.len() || !(sequence || plain) {
        return Err(pattern_fault(group.span, "gaps that do not fit the items of a group"));
    }
    if !sequence && group.quantifier != Quantifier::One {
        return Err(pattern_fault(group.span, "a quantifier on a choice"));
    }
    bounds(group.quantifier, group.span)?;
    for (i, item) in group.items.iter().enumerate() {
        match item {
            Item::Group(nested) => self::group(nested)?,
            Item::Event(event) if event.negated => {
                if !sequence {
                    let message = "a negated event as an item of `OR` or `AND`";
                    return Err(pattern_fault(event.span, message)
                        .with_hint("put it into a sequence of its own: `SEQ(A a, ~B b)`"));
                }
                if event.quantifier != Quantifier::One {
                    let message = "a quantifier on a negated event";
                    return Err(pattern_fault(event.span, message));
                }
                if i > 0 && group.gaps[i - 1] == Gap::FollowedByAny {
                    return Err(pattern_fault(event.span, "`->>>` before a negated event")
                        .with_hint("write `->` for the next event, `,` or `->>` for any between"));
                }
            }
            Item::Event(event) => bounds(event.quantifier, event.span)?,
        }
    }
    let negated = |item: &Item| matches!(item, Item::Event(event) if event.negated);
    if group.items.iter().all(negated) {
        return Err(pattern_fault(group.span, "a sequence of negated events only")
            .with_hint("a match consists of events that do occur"));
    }
    if group.quantifier.repeats() && body_may_be_absent(group) {
        return Err(pattern_fault(group.span, "a repeated group that may be without any event")
            .with_hint("make one of its items required"));
    }
    Ok(())
}

/// Names are there, and bound once.
fn names(query: &Query, scope: &Scope<'_>) -> Result<(), Error> {
    let mut seen = HashSet::new();
    for variable in &scope.variables {
        let name = &variable.item.variable;
        not_empty(name)?;
        not_empty(&variable.item.event_type)?;
        if !seen.insert(&name.text) {
            let message = format!("the variable `{}` is bound twice", name.text);
            return Err(name_fault(name, message).with_hint("give each item a name of its own"));
        }
    }
    query.from.iter().try_for_each(not_empty)
}

fn not_empty(name: &Name) -> Result<(), Error> {
    if !name.text.is_empty() {
        return Ok(());
    }
    Err(name_fault(name, "a name without a character"))
}

/// A negation at an end of the pattern needs a window to be concluded.
fn negations(query: &Query, scope: &Scope<'_>) -> Result<(), Error> {
    let edge = scope.variables.iter().find(|variable| variable.at_edge);
    match edge {
        Some(variable) if query.within.is_none() => {
            let message = "a negated event at an end of the pattern, and no window";
            Err(pattern_fault(variable.item.span, message).with_hint(
                "add `WITHIN`, which says for how long it must not occur, or make an item beside \
                 it required",
            ))
        }
        _ => Ok(()),
    }
}

// The clauses.

fn predicates(query: &Query, scope: &Scope<'_>) -> Result<(), Error> {
    let mut keys = HashSet::new();
    for predicate in &query.predicates {
        match predicate {
            Predicate::Equivalence { attributes, span } => {
                if attributes.is_empty() {
                    return Err(pattern_fault(*span, "an equivalence of no attribute"));
                }
                for attribute in attributes {
                    not_empty(attribute)?;
                    if !keys.insert(&attribute.text) {
                        let message = format!("a second equivalence of `{}`", attribute.text);
                        return Err(name_fault(attribute, message).with_hint("leave it out"));
                    }
                }
            }
            Predicate::Condition(expr) => {
                if matches!(expr.kind, ExprKind::All(_)) {
                    return Err(pattern_fault(expr.span, "a conjunction as one predicate")
                        .with_hint("make each of its parts a predicate"));
                }
                shape(expr)?;
                scope.place(expr)?;
                types::condition(expr)?;
            }
        }
    }
    if query.strategy == Some(Strategy::PartitionContiguity) && keys.is_empty() {
        let message = "partition_contiguity without a partition";
        return Err(pattern_fault(query.pattern.span, message)
            .with_hint("add the attributes of the partition, as in `{ [symbol] }`"));
    }
    Ok(())
}

/// The normal form of trees, which a parsed expression has anyway.
fn shape(expr: &super::ast::Expr) -> Result<(), Error> {
    let fits = match &expr.kind {
        ExprKind::All(inner) => {
            inner.len() > 1 && !inner.iter().any(|e| matches!(e.kind, ExprKind::All(_)))
        }
        ExprKind::Any(inner) => {
            inner.len() > 1 && !inner.iter().any(|e| matches!(e.kind, ExprKind::Any(_)))
        }
        ExprKind::Negate(inner) => {
            !matches!(inner.kind, ExprKind::Literal(Literal::Int(_) | Literal::Float(_)))
        }
        ExprKind::In { list, .. } => !list.is_empty(),
        ExprKind::Reference(reference) => return not_empty(&reference.attribute),
        ExprKind::Aggregate(Aggregate { attribute, function, .. }) => match attribute {
            Some(attribute) => return not_empty(attribute),
            None => *function == super::ast::Function::Count,
        },
        _ => true,
    };
    if !fits {
        return Err(pattern_fault(expr.span, "an expression that has no text of its own")
            .with_hint("parse its text to get the normal form"));
    }
    parts(expr).into_iter().try_for_each(shape)
}

fn within(query: &Query) -> Result<(), Error> {
    let Some(within) = query.within else { return Ok(()) };
    match within.window {
        Window::Events(0) => Err(pattern_fault(within.span, "a window of no event")),
        Window::Time { .. } if within.window.milliseconds().is_none() => {
            Err(limit(within.span.range(), "a window that is too long".into())
                .with_hint("leave `WITHIN` out for no bound"))
        }
        _ => Ok(()),
    }
}

/// A variable that has events in a match.
fn bound<'s, 'q>(scope: &'s Scope<'q>, name: &Name) -> Result<&'s Variable<'q>, Error> {
    let variable = match scope.find(name) {
        Some(variable) => &scope.variables[variable],
        None => return Err(scope.unknown(name)),
    };
    if variable.item.negated {
        let message = format!("`{}` is negated: a match has no such event", name.text);
        return Err(name_fault(name, message));
    }
    Ok(variable)
}

fn skip(query: &Query, scope: &Scope<'_>) -> Result<(), Error> {
    match &query.skip {
        Some(Skip::ToFirst(name) | Skip::ToLast(name)) => bound(scope, name).map(|_| ()),
        _ => Ok(()),
    }
}

fn returns(query: &Query, scope: &Scope<'_>) -> Result<(), Error> {
    let mut seen = HashSet::new();
    for item in &query.returns {
        returned(item, scope)?;
        let name = item.name();
        if let Some(label) = &item.label {
            not_empty(label)?;
        }
        if seen.contains(&name) {
            let message = format!("two results named `{name}`");
            return Err(Error::new(ErrorKind::Name, message)
                .with_span(item.span.range())
                .with_hint("give one of them a label with `AS`"));
        }
        seen.insert(name);
    }
    Ok(())
}

fn returned(item: &ReturnItem, scope: &Scope<'_>) -> Result<(), Error> {
    let expr = match &item.value {
        ReturnValue::Events(name) => return bound(scope, name).map(|_| ()),
        ReturnValue::Value(expr) => expr,
    };
    shape(expr)?;
    for_each_reference(expr, &mut |name, form, attribute, span| {
        let variable = bound(scope, name)?;
        form_fault(variable, form, attribute, span)?;
        let repeats = variable.is_list() || variable.repeated_group;
        let fits = match form {
            Form::Single => !repeats,
            Form::First | Form::Complete => repeats,
            Form::Current | Form::Earlier => false,
        };
        if fits {
            return Ok(());
        }
        let name = variable.name();
        let message = format!("a result looks at complete lists, not at one event of `{name}`");
        Err(reference_fault(span, message).with_hint(format!(
            "write `{name}[1]`, `{name}[{name}.LEN]` or an aggregate over `{name}[]`"
        )))
    })?;
    types::kind(expr).map(|_| ())
}

/// Whether a variable can be referred to in a form.
pub(super) fn form_fault(
    variable: &Variable<'_>,
    form: Form,
    attribute: Option<&Name>,
    span: Span,
) -> Result<(), Error> {
    let name = variable.name();
    if variable.is_list() {
        if form != Form::Single {
            return Ok(());
        }
        let message = format!("`{name}` is a list: which of its events?");
        let length = attribute.is_some_and(|a| a.text.eq_ignore_ascii_case("len"));
        let hint = match length {
            true => format!("its length is `count({name}[])`"),
            false => {
                format!("write `{name}[1]`, `{name}[i]`, `{name}[{name}.LEN]` or an aggregate")
            }
        };
        return Err(reference_fault(span, message).with_hint(hint));
    }
    let single = format!("`{name}` is a single event, not a list");
    if variable.repeated_group && !variable.item.negated {
        if form != Form::Current {
            return Ok(());
        }
        return Err(reference_fault(span, single)
            .with_hint(format!("the event of this round of the group is `{name}`")));
    }
    if form == Form::Single {
        return Ok(());
    }
    let hint = match attribute {
        Some(attribute) => format!("write `{name}.{}`", attribute.text),
        None => "its count is 1".into(),
    };
    Err(reference_fault(span, single).with_hint(hint))
}
