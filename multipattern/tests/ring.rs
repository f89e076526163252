//! Sets of types alone, with windows of at most 64 events: what a detector keeps of the stream is then
//! a ring of its last events. Against the oracle, at all levels, with the early stop and limits; and in
//! and out of it while patterns come and go. Every method, with the ring and without.

mod common;
mod oracle;

use std::ops::ControlFlow;

use common::{Expand, Shape, collect, count, detector, events, pattern, set_of, ways};
use multipattern::{
    Config, Limit, Limits, Match, Operand, Pattern, PatternSet, Policy, Record, Semantics, Visit,
    Window,
};
use proptest::prelude::*;

const SHAPE: Shape =
    Shape { types: 3, patterns: 7, length: 5, conditions: false, events: 90, window: 12 };

/// Windows of time become windows of events.
fn of_events(pattern: Pattern, longest: u64) -> Pattern {
    match pattern.window() {
        Some(Window::Time(time, _)) => {
            pattern.within(Window::Events(time % longest + 1)).expect("a window")
        }
        _ => pattern,
    }
}

fn sets(shape: Shape) -> impl Strategy<Value = PatternSet> {
    let semantics = prop::sample::select(vec![Semantics::Any, Semantics::Next]);
    let patterns = (1..=shape.patterns).prop_flat_map(move |number| {
        (0..number).map(|at| pattern(shape, at).boxed()).collect::<Vec<_>>()
    });
    (semantics, patterns).prop_map(move |(semantics, patterns)| {
        let patterns: Vec<Pattern> =
            patterns.into_iter().map(|one| of_events(one, shape.window)).collect();
        set_of(&patterns, semantics, shape.window)
    })
}

fn cases(shape: Shape) -> impl Strategy<Value = (PatternSet, Vec<Record>)> {
    (sets(shape), events(shape))
}

fn compare(set: &PatternSet, events: &[Record]) -> Result<(), TestCaseError> {
    let expected = oracle::all(set, events, &[], |_| (0, usize::MAX));
    let mut counts = vec![0; set.len()];
    for (pattern, _) in &expected {
        counts[*pattern as usize] += 1;
    }
    for (method, ring) in ways() {
        let config = || Config::new().method(method).ring(ring);
        prop_assert_eq!(
            &collect(&mut detector(set, config()), events),
            &expected,
            "{} {:?}",
            method,
            ring
        );
        let mut counted = count(&mut detector(set, config()), events);
        counted.resize(set.len(), 0);
        prop_assert_eq!(&counted, &counts, "{} {:?}", method, ring);
        let mut expand = Expand::default();
        detector(set, config()).push_all(events, &mut expand).expect("events");
        prop_assert_eq!(&expand.found, &expected, "{} {:?}", method, ring);
    }
    Ok(())
}

/// The first matches of each event, so many at most.
fn first_of_each(all: &[(u32, Vec<u64>)], most: usize) -> Vec<(u32, Vec<u64>)> {
    let of_event = all.chunk_by(|a, b| a.1.last() == b.1.last());
    of_event.flat_map(|own| own.iter().take(most).cloned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn finds_what_the_oracle_finds((set, events) in cases(SHAPE)) {
        compare(&set, &events)?;
    }

    #[test]
    fn one_type((set, events) in cases(Shape { types: 1, length: 4, events: 14, ..SHAPE })) {
        compare(&set, &events)?;
    }

    /// A sink that stops gets no more of the event, and all of the next one.
    #[test]
    fn stops_and_goes_on((set, events) in cases(SHAPE), most in 1..5_usize) {
        let all = oracle::all(&set, &events, &[], |_| (0, usize::MAX));
        let expected = first_of_each(&all, most);
        for (method, ring) in ways() {
            let mut detector = detector(&set, Config::new().method(method).ring(ring));
            let mut found = Vec::new();
            for event in &events {
                let mut left = most;
                let mut sink = Visit(|one: Match<'_>| {
                    found.push((one.pattern.0, one.events.to_vec()));
                    left -= 1;
                    if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                let _ = detector.push(event, &mut sink).expect("an event");
            }
            prop_assert_eq!(&found, &expected, "{} {:?}", method, ring);
        }
    }

    #[test]
    fn cuts_off_at_a_limit((set, events) in cases(SHAPE), most in 1..5_usize) {
        let all = oracle::all(&set, &events, &[], |_| (0, usize::MAX));
        let expected = first_of_each(&all, most);
        for (method, ring) in ways() {
            let mut limits = Limits::default();
            limits.matches_per_event = Limit::new(most, Policy::DropNewest);
            let mut detector = detector(&set, Config::new().method(method).ring(ring).limits(limits));
            let mut found = Vec::new();
            let mut sink = Visit(|one: Match<'_>| {
                found.push((one.pattern.0, one.events.to_vec()));
                ControlFlow::Continue(())
            });
            detector.push_all(&events, &mut sink).expect("events");
            prop_assert_eq!(&found, &expected, "{} {:?}", method, ring);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn windows_of_a_word(
        (set, events) in prop::sample::select(vec![1, 2, 62, 63, 64]).prop_flat_map(|window| {
            cases(Shape { types: 6, length: 4, events: 300, patterns: 4, window, ..SHAPE })
        })
    ) {
        compare(&set, &events)?;
    }

    #[test]
    fn long_patterns(
        (set, events) in cases(Shape { types: 2, length: 13, events: 60, window: 14, ..SHAPE })
    ) {
        compare(&set, &events)?;
    }

    /// So many that have the same two operands before their last one, that these are written down.
    #[test]
    fn many_that_share_a_pair(
        mut patterns in prop::collection::vec(pattern(Shape { length: 2, ..SHAPE }, 0), 40),
        events in events(SHAPE)
    ) {
        for (number, pattern) in patterns.iter_mut().enumerate() {
            let ends = ["A", "B", ["A", "B", "C"][number % 3]].map(Operand::new);
            let mut operands = pattern.operands().to_vec();
            operands.truncate(number % 3);
            operands.extend(ends);
            let window = Window::Events(number as u64 % 9 + 4);
            let whole = Pattern::new(&format!("p{number}"), operands).expect("a pattern");
            *pattern = whole.within(window).expect("a window");
        }
        let set = set_of(&patterns, Semantics::Any, SHAPE.window);
        compare(&set, &events)?;
        let mut proposed = detector(&set, Config::new());
        collect(&mut proposed, &events);
        let stats = proposed.stats();
        prop_assert!(stats.matches == 0 || stats.block_misses > 0);
    }

    #[test]
    fn long_streams((set, events) in cases(Shape { types: 4, events: 1500, ..SHAPE })) {
        compare(&set, &events)?;
    }

    /// A pattern that needs more than a ring comes, and goes again; both times the others go on.
    #[test]
    fn in_and_out(
        (set, events) in cases(SHAPE),
        [comes, goes] in any::<[prop::sample::Index; 2]>(),
        other in prop::sample::select(vec![
            "other: SEQ(A, B) WITHIN 5 MS",
            "other: SEQ(A, B) WITHIN 70 EVENTS",
            "other: SEQ(A, B[v = A.v])",
            "other: SEQ(A[v = 1], B)",
            "other: SEQ(A, B)",
        ])
    ) {
        let other = Pattern::parse(other).expect("a pattern");
        let mut at = [comes, goes].map(|index| index.index(events.len() + 1));
        at.sort_unstable();
        let [comes, goes] = at;
        let mut all: Vec<Pattern> = set.patterns().to_vec();
        all.push(other.clone());
        let all = set_of(&all, set.semantics(), SHAPE.window);
        let last = set.len();
        let expected = oracle::all(&all, &events, &[], |number| {
            if number == last { (comes, goes) } else { (0, usize::MAX) }
        });
        for (method, ring) in ways() {
            let mut detector = detector(&set, Config::new().method(method).ring(ring));
            let mut found = collect(&mut detector, &events[..comes]);
            let number = detector.add(other.clone()).expect("a new pattern");
            found.extend(collect(&mut detector, &events[comes..goes]));
            detector.remove(number).expect("it is alive");
            found.extend(collect(&mut detector, &events[goes..]));
            prop_assert_eq!(&found, &expected, "{} {:?}", method, ring);
        }
    }
}
