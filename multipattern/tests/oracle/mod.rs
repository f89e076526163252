//! The slow and obvious way: every way to choose events, tested one by one.
#![allow(dead_code, reason = "no test file uses all of it")]

use multipattern::{
    Event, Pattern, PatternSet, Record, Semantics, Slot, Term, TypeId, ValueRef, Window,
};

/// A pattern's number and the indices of the events of a match.
pub type Found = (u32, Vec<u64>);

/// An event that knows what to ask.
struct Names<'a> {
    set: &'a PatternSet,
    events: &'a [Record],
}

impl Names<'_> {
    fn value(&self, event: usize, attribute: &str) -> ValueRef<'_> {
        match self.set.schema().slot(attribute) {
            Some(slot) => self.events[event].attribute(slot),
            None => ValueRef::Missing,
        }
    }

    /// Whether an event fits a position behind events that were chosen.
    fn fits(&self, pattern: &Pattern, chosen: &[usize], event: usize) -> bool {
        let operand = &pattern.operands()[chosen.len()];
        let own: TypeId = self.events[event].event_type();
        if self.set.schema().type_name(own) != Some(operand.event_type()) {
            return false;
        }
        operand.conditions().iter().all(|condition| {
            let side = |term: &'_ Term| -> multipattern::Value {
                match term {
                    Term::Own(name) => self.value(event, name).to_value(),
                    Term::Of(at, name) => self.value(chosen[*at], name).to_value(),
                    Term::Value(value) => value.clone(),
                }
            };
            let (left, right) = (side(&condition.left), side(&condition.right));
            left.as_ref()
                .compare(right.as_ref())
                .is_some_and(|order| condition.relation.accepts(order))
        })
    }
}

/// The key of an event; none if a value is missing.
fn key(event: &Record, slots: &[Slot]) -> Option<Vec<String>> {
    slots
        .iter()
        .map(|&slot| match event.attribute(slot) {
            ValueRef::Missing => None,
            ValueRef::Float(x) if x.is_nan() => None,
            ValueRef::Float(x) if x == x.trunc() && x.abs() < 1e15 => {
                Some(format!("number {}", x as i64))
            }
            ValueRef::Int(i) => Some(format!("number {i}")),
            other => Some(format!("{other:?}")),
        })
        .collect()
}

/// All matches of one pattern, sorted: what a detector has to find, for events from `since` on.
pub fn matches(
    set: &PatternSet,
    pattern: &Pattern,
    events: &[Record],
    partition_by: &[&str],
    since: usize,
) -> Vec<Vec<u64>> {
    let names = Names { set, events };
    let slots: Vec<Slot> =
        partition_by.iter().map(|name| set.schema().slot(name).expect("an attribute")).collect();
    let mut groups: Vec<(Vec<String>, Vec<usize>)> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let Some(key) = key(event, &slots) else { continue };
        match groups.iter_mut().find(|group| group.0 == key) {
            Some(group) => group.1.push(at),
            None => groups.push((key, vec![at])),
        }
    }
    let mut found = Vec::new();
    for (_, group) in &groups {
        one_group(&names, pattern, group, since, &mut found);
    }
    found.sort();
    found
}

fn one_group(
    names: &Names<'_>,
    pattern: &Pattern,
    group: &[usize],
    since: usize,
    found: &mut Vec<Vec<u64>>,
) {
    let window = names.set.window_of(pattern);
    let unit = names.set.time_unit();
    let within = |first: usize, last: usize| match window {
        Window::Events(events) => ((last - first) as u64) < events,
        Window::Time(amount, of) => {
            let time = |at: usize| i128::from(names.events[group[at]].time());
            let apart = (time(last) - time(first)) * i128::from(unit.nanoseconds());
            apart <= i128::from(amount) * i128::from(of.nanoseconds())
        }
    };
    let length = pattern.operands().len();
    for first in 0..group.len() {
        if group[first] < since || !names.fits(pattern, &[], group[first]) {
            continue;
        }
        let mut chosen = vec![first];
        let rows = |chosen: &[usize]| chosen.iter().map(|&at| group[at]).collect::<Vec<_>>();
        match names.set.semantics() {
            Semantics::Any => {
                any(names, pattern, group, &mut chosen, &within, found);
                continue;
            }
            Semantics::Next => {
                for (at, &event) in group.iter().enumerate().skip(first + 1) {
                    if chosen.len() < length && names.fits(pattern, &rows(&chosen), event) {
                        chosen.push(at);
                    }
                }
            }
            Semantics::Strict => {
                for (at, &event) in group.iter().enumerate().skip(first + 1).take(length - 1) {
                    if !names.fits(pattern, &rows(&chosen), event) {
                        break;
                    }
                    chosen.push(at);
                }
            }
        }
        if chosen.len() == length && within(first, chosen[length - 1]) {
            found.push(rows(&chosen).iter().map(|&at| at as u64).collect());
        }
    }
}

fn any(
    names: &Names<'_>,
    pattern: &Pattern,
    group: &[usize],
    chosen: &mut Vec<usize>,
    within: &impl Fn(usize, usize) -> bool,
    found: &mut Vec<Vec<u64>>,
) {
    let last = chosen[chosen.len() - 1];
    if chosen.len() == pattern.operands().len() {
        found.push(chosen.iter().map(|&at| group[at] as u64).collect());
        return;
    }
    for at in last + 1..group.len() {
        if !within(chosen[0], at) {
            return;
        }
        let rows: Vec<usize> = chosen.iter().map(|&at| group[at]).collect();
        if names.fits(pattern, &rows, group[at]) {
            chosen.push(at);
            any(names, pattern, group, chosen, within, found);
            chosen.pop();
        }
    }
}

/// All matches of all patterns in the order of a detector: by what completes them, then by pattern,
/// then by indices. `alive` says from which event on and before which event a pattern is there.
pub fn all(
    set: &PatternSet,
    events: &[Record],
    partition_by: &[&str],
    alive: impl Fn(usize) -> (usize, usize),
) -> Vec<Found> {
    let mut found = Vec::new();
    for (number, pattern) in set.patterns().iter().enumerate() {
        let (since, until) = alive(number);
        for events in matches(set, pattern, events, partition_by, since) {
            if (events[events.len() - 1] as usize) < until {
                found.push((number as u32, events));
            }
        }
    }
    found.sort_by(|a, b| (a.1.last(), a.0, &a.1).cmp(&(b.1.last(), b.0, &b.1)));
    found
}
