//! Negations that are judged when a match is complete: those that begin it, and those whose
//! conditions look at events that come after them.

use super::conditions::{Conditions, Place};
use super::tree::{Body, Tree};
use super::waits::Builder;
use crate::error::{Error, ErrorKind};
use crate::language::GroupKind;
use crate::nfa::Formula;
use crate::nfa::program::Filter;

/// All filters of a query.
pub(super) fn filters(builder: &mut Builder<'_, '_>) -> Result<Vec<Filter>, Error> {
    let mut out = Vec::new();
    for (variable, before) in leading(builder)? {
        let looks_ahead = builder.conditions.tree.variable(variable).looks_ahead;
        // Nothing comes before a negation that begins a match.
        let fresh = if looks_ahead { None } else { Some(0) };
        out.push(filter(builder.conditions, variable, fresh, None, before)?);
    }
    let tree = builder.conditions.tree;
    for (number, variable) in tree.variables.iter().enumerate() {
        if variable.item.negated && variable.looks_ahead {
            let number = number as u32;
            let (after, before) = neighbours(tree, number)?;
            if !after.is_empty() && !before.is_empty() {
                let mut filter = filter(builder.conditions, number, None, Some(after), before)?;
                filter.adjacent = (builder.conditions.guards.iter())
                    .any(|guard| guard.variable == number && guard.adjacent);
                out.push(filter);
            }
        }
    }
    Ok(out)
}

/// The negations before what may begin a match, each with the stages that it stands before. What can
/// also begin a match without the negation, in another way, does so (S11).
fn leading(builder: &Builder<'_, '_>) -> Result<Vec<(u32, Vec<u32>)>, Error> {
    let tree = builder.conditions.tree;
    let begin = |choice: u32| {
        let position = builder.choices.all[choice as usize].position;
        (tree.variable(builder.variable(position)).stage, position)
    };
    let negations = |guards: &[u32]| -> Vec<u32> {
        guards.iter().map(|&guard| builder.conditions.guards[guard as usize].variable).collect()
    };
    let starts: Vec<_> = (builder.start.iter())
        .map(|(choice, guards)| (begin(*choice), negations(guards)))
        .collect();
    let mut all: Vec<(u32, Vec<u32>)> = Vec::new();
    for ((stage, position), negated) in &starts {
        for variable in negated {
            let mut free = starts
                .iter()
                .filter(|(begin, other)| begin.0 == *stage && !other.contains(variable));
            if let Some(((_, elsewhere), _)) = free.next() {
                if elsewhere == position && free.all(|((_, at), _)| at == position) {
                    continue;
                }
                let of = tree.variable(*variable);
                let message = format!("`{}` may begin the match in several ways", of.name());
                return Err(Error::new(ErrorKind::Pattern, message)
                    .with_span(of.item.span.range())
                    .with_hint("put a required item before it, or write the alternatives out"));
            }
            match all.iter_mut().find(|(known, _)| known == variable) {
                Some((_, stages)) if stages.contains(stage) => {}
                Some((_, stages)) => stages.push(*stage),
                None => all.push((*variable, vec![*stage])),
            }
        }
    }
    Ok(all)
}

fn filter(
    conditions: &mut Conditions<'_>,
    variable: u32,
    fresh: Option<u32>,
    after: Option<Vec<u32>>,
    before: Vec<u32>,
) -> Result<Filter, Error> {
    let place = Place { frames: &[], fresh, leaving: None, without_round: false };
    let holds = conditions.negation(variable, place)?;
    let (unary, correlated): (Vec<u32>, Vec<u32>) =
        holds.into_iter().partition(|&c| conditions.all[c as usize].unary);
    Ok(Filter {
        candidate: conditions.formula(&unary),
        refutes: match correlated.is_empty() {
            true => Formula::True,
            false => conditions.formula(&correlated),
        },
        after: after.map(Vec::into_boxed_slice),
        before: before.into_boxed_slice(),
        adjacent: false,
    })
}

/// The stages that may come right before a negation that looks ahead, and right after it.
fn neighbours(tree: &Tree<'_>, variable: u32) -> Result<(Vec<u32>, Vec<u32>), Error> {
    let of = tree.variable(variable);
    let refused = |what: &str, hint: &str| {
        let message = format!("`{}` looks at later events {what}", of.name());
        Err(Error::new(ErrorKind::Pattern, message).with_span(of.item.span.range()).with_hint(hint))
    };
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let (mut bounded_before, mut bounded_after) = (false, false);
    for &(group, index) in of.path.iter().rev() {
        let node = tree.node(group);
        let (kind, items, _) = tree.items(group);
        let index = index as usize;
        if kind == GroupKind::Seq {
            for &item in items[..index].iter().rev() {
                if !bounded_before {
                    stages(tree, item, &mut before);
                    bounded_before = !tree.node(item).nullable;
                }
            }
            for &item in &items[index + 1..] {
                if !bounded_after {
                    stages(tree, item, &mut after);
                    bounded_after = !tree.node(item).nullable;
                }
            }
        }
        if node.repeats {
            return refused(
                "from inside a repeated group",
                "compare it with what comes before it, or write the rounds out",
            );
        }
        let bounded = bounded_before && bounded_after;
        if (kind != GroupKind::Seq || node.min == 0) && !bounded {
            return refused(
                "from an end of a group that is not always there",
                "put a required item before and behind it in its group",
            );
        }
    }
    before.sort_unstable();
    after.sort_unstable();
    Ok((before, after))
}

/// Refuses an `AND` at an end of the pattern with an item that may be absent and holds a negation:
/// where such an item stands is open, and so whether its negation is in the middle or at the end.
pub(super) fn check_absent(tree: &Tree<'_>, group: u32, ends: (bool, bool)) -> Result<(), Error> {
    let (kind, items, _) = tree.items(group);
    let absent = |item: &u32| tree.node(*item).nullable;
    for (place, &item) in items.iter().enumerate() {
        if matches!(tree.node(item).body, Body::Event(_)) {
            continue;
        }
        let sequence = kind == GroupKind::Seq;
        let first = ends.0 && (!sequence || items[..place].iter().all(absent));
        let last = ends.1 && (!sequence || items[place + 1..].iter().all(absent));
        if let (true, Some(variable)) = ((first || last) && absent(&item), negation(tree, item))
            && kind == GroupKind::And
        {
            let of = tree.variable(variable).item;
            let message = format!(
                "`{}` stands in an item of `AND` that may be absent, at an end of the pattern",
                of.variable.text
            );
            return Err(Error::new(ErrorKind::Pattern, message)
                .with_span(of.span.range())
                .with_hint("make an item beside it required, or put it behind the `AND`"));
        }
        check_absent(tree, item, (first, last))?;
    }
    Ok(())
}

/// A negated event of an item.
fn negation(tree: &Tree<'_>, node: u32) -> Option<u32> {
    match &tree.node(node).body {
        Body::Event(variable) => tree.variable(*variable).item.negated.then_some(*variable),
        Body::Group { items, .. } => items.iter().find_map(|&item| negation(tree, item)),
    }
}

/// The stages of an item.
fn stages(tree: &Tree<'_>, node: u32, into: &mut Vec<u32>) {
    match &tree.node(node).body {
        Body::Event(variable) => {
            let of = tree.variable(*variable);
            if !of.item.negated {
                into.push(of.stage);
            }
        }
        Body::Group { items, .. } => items.iter().for_each(|&item| stages(tree, item, into)),
    }
}
