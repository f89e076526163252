//! Limits on remembered events: what is found is what an obvious model finds.

mod common;
mod oracle;

use common::{METHODS, Shape, UNUSED, collect, detector, events, set, ways};
use multipattern::{
    Config, Event as _, Limit, Limits, Operand, Pattern, PatternSet, Policy, Record, Semantics,
    Term, Window,
};
use proptest::prelude::*;

const SHAPE: Shape =
    Shape { types: 3, patterns: 6, length: 4, conditions: true, events: 60, window: 9 };

fn config(most: usize, policy: Policy) -> Config {
    let mut limits = Limits::default();
    limits.held_events = Limit::new(most, policy);
    Config::new().limits(limits)
}

/// Whether some operand of some pattern can be an event, as far as the event alone says.
fn used(set: &PatternSet, events: &[Record]) -> Vec<bool> {
    let mut alone = PatternSet::new();
    *alone.schema_mut() = set.schema().clone();
    alone.set_window(Window::Events(1)).expect("a window");
    for pattern in set.patterns() {
        for operand in pattern.operands() {
            let own = operand.conditions().iter().filter(|condition| {
                [&condition.left, &condition.right].iter().all(|term| !matches!(term, Term::Of(..)))
            });
            let of = Operand::new(operand.event_type());
            let operand = own.cloned().fold(of, Operand::with);
            let id = format!("p{}", alone.len());
            alone.push(Pattern::new(&id, [operand]).expect("a pattern")).expect("a new id");
        }
    }
    let found = oracle::all(&alone, events, &[], |_| (0, usize::MAX));
    let mut used = vec![false; events.len()];
    found.iter().for_each(|(_, events)| used[events[0] as usize] = true);
    used
}

/// The events that find no room.
fn dropped(set: &PatternSet, events: &[Record], used: &[bool], most: usize) -> Vec<bool> {
    let (mut longest, mut longest_time) = (0, None);
    for pattern in set.patterns() {
        match set.window_of(pattern) {
            Window::Events(events) => longest = longest.max(events),
            Window::Time(time, unit) => {
                let time = time * unit.nanoseconds() / set.time_unit().nanoseconds();
                longest_time = longest_time.max(Some(time as i64));
            }
        }
    }
    let mut held: Vec<usize> = Vec::new();
    (0..events.len())
        .map(|at| {
            if !used[at] {
                return false;
            }
            held.retain(|&one| {
                ((at - one) as u64) < longest
                    || longest_time
                        .is_some_and(|time| events[at].time() - events[one].time() <= time)
            });
            let is_full = held.len() >= most;
            if !is_full {
                held.push(at);
            }
            is_full
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn events_are_dropped_as_the_policy_says(
        (set, events) in prop::sample::select(vec![Semantics::Any, Semantics::Next])
            .prop_flat_map(|semantics| (set(SHAPE, semantics), events(SHAPE))),
        most in 1..9_usize,
    ) {
        let used = used(&set, &events);
        let mut all = oracle::all(&set, &events, &[], |_| (0, usize::MAX));
        // The event that completes is one of those that are remembered.
        let ranks: Vec<usize> =
            (0..events.len()).map(|at| used[..at].iter().filter(|used| **used).count()).collect();
        all.retain(|(_, events)| {
            let [first, last] = [events[0], events[events.len() - 1]].map(|row| ranks[row as usize]);
            last - first < most
        });
        let dropped = dropped(&set, &events, &used, most);
        let unused = set.schema().type_id(UNUSED).expect("a type");
        let left: Vec<Record> = events
            .iter()
            .zip(&dropped)
            .map(|(event, &dropped)| {
                if dropped { Record::new(unused, event.time()) } else { event.clone() }
            })
            .collect();
        let of_left = oracle::all(&set, &left, &[], |_| (0, usize::MAX));
        let number = dropped.iter().filter(|dropped| **dropped).count() as u64;
        for (method, ring) in ways() {
            let config = |policy| config(most, policy).method(method).ring(ring);
            let mut oldest = detector(&set, config(Policy::DropOldest));
            prop_assert_eq!(&collect(&mut oldest, &events), &all, "{}", method);
            prop_assert!(oldest.stats().held_events <= most);
            let mut newest = detector(&set, config(Policy::DropNewest));
            prop_assert_eq!(&collect(&mut newest, &events), &of_left, "{}", method);
            prop_assert_eq!(newest.stats().dropped_events, number);
        }
    }
}

/// Events that find no room are no reason to see events as neighbours that are none.
#[test]
fn what_is_dropped_still_parts_events() {
    let texts = ["x: SEQ(A, B[v >= A.v])", "y: SEQ(C, C[v > C.v]) WITHIN 4 EVENTS"];
    let texts = texts.map(|text| Pattern::parse(text).expect(text));
    let set = common::set_of(&texts, Semantics::Strict, 4);
    let slot = set.schema().slot("v").expect("an attribute");
    let of = |name| Record::new(set.schema().type_id(name).expect("a type"), 0).with(slot, 1);
    let events = ["C", "C", "A", "C", "B"].map(of);
    for method in METHODS {
        let mut newest = detector(&set, config(3, Policy::DropNewest).method(method));
        assert!(collect(&mut newest, &events).is_empty(), "{method}");
        assert_eq!(newest.stats().dropped_events, 1, "{method}");
    }
}
