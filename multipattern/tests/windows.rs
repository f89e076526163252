//! Windows of up to 200 events and of time, short and long ones in one set, while patterns come and go
//! and detectors are kept and gone on from: every method, with the ring and without, in pieces of any
//! size, against the oracle. `PROPTEST_CASES=10000` tries more.

mod common;
mod oracle;

use common::{Expand, SEMANTICS, UNUSED, collect, count, detector, set_of, ways};
use multipattern::Event as _;
use multipattern::{
    Collect, Config, Detector, Method, Operand, Pattern, PatternId, Record, Ring, Semantics,
    TimeUnit, Window,
};
use proptest::prelude::*;

const NAMES: [&str; 6] = ["A", "B", "C", "D", "E", "F"];
/// The window of patterns that state none.
const DEFAULT: u64 = 40;

#[derive(Clone, Debug)]
enum Change {
    Add(Pattern),
    Remove(prop::sample::Index),
    /// The detector is kept, and another one goes on.
    Restore,
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let types = prop::sample::select(NAMES.to_vec());
    let window = prop_oneof![
        2 => Just(None),
        3 => prop::sample::select(vec![1, 2, 30, 63, 64, 65, 66, 128, 129, 200])
            .prop_map(|events| Some(Window::Events(events))),
        2 => (0..200_u64).prop_map(|time| Some(Window::Time(time, TimeUnit::Millisecond))),
    ];
    let operands = prop_oneof![
        6 => prop::collection::vec(types.clone(), 1..4),
        1 => prop::collection::vec(types, 4..6),
    ];
    (operands, window).prop_map(|(names, window)| {
        let pattern = Pattern::new("p", names.into_iter().map(Operand::new)).expect("a pattern");
        match window {
            Some(window) => pattern.within(window).expect("a window"),
            None => pattern,
        }
    })
}

fn changes(events: usize) -> impl Strategy<Value = Vec<(usize, Change)>> {
    let change = prop_oneof![
        4 => pattern().prop_map(Change::Add),
        2 => any::<prop::sample::Index>().prop_map(Change::Remove),
        1 => Just(Change::Restore),
    ];
    prop::collection::vec((0..=events, change), 0..8).prop_map(|mut changes| {
        changes.sort_by_key(|change| change.0);
        changes
    })
}

/// Mostly of a few types, so that there are rare ones too; steps of time are uneven.
fn records() -> impl Strategy<Value = Vec<Record>> {
    let set = set_of(&[], Semantics::Any, 1);
    let kinds = NAMES.map(|name| set.schema().type_id(name).expect("a type"));
    let unused = set.schema().type_id(UNUSED).expect("a type");
    let event = (0..24_usize, 0..4_i64);
    prop::collection::vec(event, 0..260).prop_map(move |all| {
        let mut time = 0;
        let one = |(kind, step): (usize, i64)| {
            time += (step - 1).max(0);
            let kind = match kind {
                0..6 => kinds[kind],
                6..10 => kinds[kind % 2],
                _ => unused,
            };
            Record::new(kind, time)
        };
        all.into_iter().map(one).collect()
    })
}

/// Now many events in a short time, now few, so that windows of time hold more and fewer than a word.
fn bursts() -> impl Strategy<Value = Vec<Record>> {
    let part = (records(), 0..12_i64, 20..100_usize);
    prop::collection::vec(part, 2..6).prop_map(|parts| {
        let mut time = 0;
        let mut all = Vec::new();
        for (events, step, most) in parts {
            for (at, event) in events.iter().take(most).enumerate() {
                time += if step < 3 { i64::from(at % 4 == 0) } else { step };
                all.push(Record::new(event.event_type(), time));
            }
        }
        all
    })
}

/// A window of time, or one of events that fits a word.
fn in_bursts() -> impl Strategy<Value = Window> {
    prop_oneof![
        3 => (5..60_u64).prop_map(|time| Window::Time(time, TimeUnit::Millisecond)),
        1 => (2..65_u64).prop_map(Window::Events),
    ]
}

#[cfg(feature = "serde")]
fn restored(detector: &mut Detector, config: Config) -> Detector {
    let text = serde_json::to_string(&detector.snapshot()).expect("written");
    Detector::restore(serde_json::from_str(&text).expect("read"), config).expect("restored")
}

#[cfg(not(feature = "serde"))]
fn restored(detector: &mut Detector, _: Config) -> Detector {
    detector.clone()
}

fn named(pattern: &Pattern, id: &str) -> Pattern {
    let text = pattern.to_string();
    let text = format!("{id}{}", &text[text.find(':').expect("an id")..]);
    Pattern::parse(&text).expect("a pattern")
}

fn compare(
    semantics: Semantics,
    first: &[Pattern],
    events: &[Record],
    changes: &[(usize, Change)],
    pieces: &[usize],
) -> Result<(), TestCaseError> {
    let first: Vec<Pattern> =
        first.iter().enumerate().map(|(at, one)| named(one, &format!("p{at}"))).collect();
    // A pattern, from which event on it sees, and until which one it is there.
    let mut lives: Vec<(Pattern, usize, usize)> =
        first.iter().map(|one| (one.clone(), 0, usize::MAX)).collect();
    let mut plan: Vec<(usize, Result<Pattern, Option<u32>>)> = Vec::new();
    let mut alive: Vec<u32> = (0..first.len() as u32).collect();
    for (before, change) in changes {
        let at = (*before).min(events.len());
        let step = match change {
            Change::Add(pattern) => {
                let pattern = named(pattern, &format!("p{}", lives.len()));
                alive.push(lives.len() as u32);
                lives.push((pattern.clone(), at, usize::MAX));
                Ok(pattern)
            }
            Change::Remove(index) if !alive.is_empty() => {
                let number = alive.remove(index.index(alive.len()));
                lives[number as usize].2 = at;
                Err(Some(number))
            }
            Change::Remove(_) | Change::Restore => Err(None),
        };
        plan.push((at, step));
    }
    let patterns: Vec<Pattern> = lives.iter().map(|life| life.0.clone()).collect();
    let all = set_of(&patterns, semantics, DEFAULT);
    let expected = oracle::all(&all, events, &[], |number| (lives[number].1, lives[number].2));
    let set = set_of(&first, semantics, DEFAULT);
    for (method, ring) in ways() {
        let config = || Config::new().method(method).ring(ring);
        let mut own = detector(&set, config());
        let mut found = Collect::default();
        let mut pieces = pieces.iter().cycle();
        let mut at = 0;
        let mut go = |own: &mut Detector, to: usize| {
            while at < to {
                let end = to.min(at + pieces.next().expect("a size"));
                own.push_all(&events[at..end], &mut found).expect("events");
                at = end;
            }
        };
        for (before, step) in &plan {
            go(&mut own, *before);
            match step {
                Ok(pattern) => drop(own.add(pattern.clone()).expect("a new pattern")),
                Err(Some(number)) => {
                    prop_assert!(own.remove(PatternId(*number)).is_some());
                }
                Err(None) => own = restored(&mut own, config()),
            }
        }
        go(&mut own, events.len());
        let found: Vec<_> = found.0.into_iter().map(|(id, events)| (id.0, events)).collect();
        prop_assert_eq!(found, expected.clone(), "{} {:?}", method, ring);
    }
    Ok(())
}

fn cases() -> ProptestConfig {
    let mut config = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 60;
    }
    config
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn of_all_lengths_while_patterns_come_and_go(
        semantics in prop::sample::select(SEMANTICS.to_vec()),
        first in prop::collection::vec(pattern(), 0..6),
        events in records(),
        changes in changes(260),
        pieces in prop::collection::vec(1..90_usize, 3),
    ) {
        compare(semantics, &first, &events, &changes, &pieces)?;
    }

    #[test]
    fn of_time_in_bursts(
        patterns in prop::collection::vec((pattern(), in_bursts()), 1..6),
        events in bursts(),
        changes in changes(300),
        pieces in prop::collection::vec(1..90_usize, 3),
    ) {
        let within = |(one, window): (Pattern, Window)| one.within(window).expect("a window");
        let patterns: Vec<Pattern> = patterns.into_iter().map(within).collect();
        compare(Semantics::Any, &patterns, &events, &changes, &pieces)?;
    }

    /// Matches, counts and blocks.
    #[test]
    fn at_all_levels(
        patterns in prop::collection::vec((pattern(), in_bursts()), 1..6),
        longer in prop::option::of(65..200_u64),
        events in bursts(),
    ) {
        let mut all = Vec::new();
        for (number, (one, window)) in patterns.iter().enumerate() {
            let window = longer.filter(|_| number == 0).map_or(*window, Window::Events);
            all.push(named(one, &format!("p{number}")).within(window).expect("a window"));
        }
        let set = set_of(&all, Semantics::Any, DEFAULT);
        let expected = oracle::all(&set, &events, &[], |_| (0, usize::MAX));
        let mut counts = vec![0; set.len()];
        for (pattern, _) in &expected {
            counts[*pattern as usize] += 1;
        }
        for (method, ring) in ways() {
            let config = || Config::new().method(method).ring(ring);
            let found = collect(&mut detector(&set, config()), &events);
            prop_assert_eq!(&found, &expected, "{} {:?}", method, ring);
            let mut counted = count(&mut detector(&set, config()), &events);
            counted.resize(set.len(), 0);
            prop_assert_eq!(&counted, &counts, "{} {:?}", method, ring);
            let mut expand = Expand::default();
            detector(&set, config()).push_all(&events, &mut expand).expect("events");
            prop_assert_eq!(&expand.found, &expected, "{} {:?}", method, ring);
        }
    }

    /// So many patterns that pairs are written down, over so few types that many share them.
    #[test]
    fn with_pairs_that_many_have(
        ends in prop::collection::vec((0..3_usize, 0..2_usize, 0..2_usize, 0..3_usize), 70),
        window in prop_oneof![
            (60..75_u64).prop_map(Window::Events),
            (20..60_u64).prop_map(|time| Window::Time(time, TimeUnit::Millisecond)),
        ],
        events in records(),
        changes in changes(260),
    ) {
        let pattern = |(first, second, third, last): (usize, usize, usize, usize)| {
            let names = [NAMES[2 + first], NAMES[second], NAMES[third], NAMES[last]];
            let names = names[usize::from(first == 0)..].iter().copied().map(Operand::new);
            Pattern::new("p", names).and_then(|one| one.within(window)).expect("a pattern")
        };
        let first: Vec<Pattern> = ends.into_iter().map(pattern).collect();
        let events = &events[..events.len().min(120)];
        compare(Semantics::Any, &first, events, &changes, &[1000])?;
    }
}

/// More events at one time than any ring looks back; patterns and snapshots come before, in between and
/// behind.
#[test]
fn more_events_than_a_ring_looks_back() {
    let patterns = ["a: SEQ(A, B, C) WITHIN 5 MS", "b: SEQ(C, A) WITHIN 90 EVENTS"];
    let parse = |text: &str| Pattern::parse(text).expect("a pattern");
    let set = set_of(&patterns.map(parse), Semantics::Any, DEFAULT);
    let kinds = NAMES.map(|name| set.schema().type_id(name).expect("a type"));
    let unused = set.schema().type_id(UNUSED).expect("a type");
    let event = |at: i64| {
        let kind = match at % 10_007 {
            0 => kinds[0],
            1 => kinds[1],
            2 | 600 => kinds[2],
            _ => unused,
        };
        // All of one time but for the first and last ones.
        Record::new(kind, if at < 120_000 { at.min(30_000) } else { at - 90_000 })
    };
    let events: Vec<Record> = (0..150_000).map(event).collect();
    let run = |ring| {
        let config = || Config::new().method(Method::Proposed).ring(ring);
        let mut own = detector(&set, config());
        let mut found = collect(&mut own, &events[..110_000]);
        own.add(parse("c: SEQ(B, C, A) WITHIN 1 MS")).expect("a new pattern");
        found.extend(collect(&mut own, &events[110_000..119_000]));
        own = restored(&mut own, config());
        found.extend(collect(&mut own, &events[119_000..130_000]));
        own = restored(&mut own, config());
        found.extend(collect(&mut own, &events[130_000..]));
        found
    };
    let found = run(Ring::ByMethod);
    assert!(found.len() > 200, "{}", found.len());
    assert_eq!(found, run(Ring::Never));
}

/// Times are not looked at while no window is of time, and may descend. A pattern with such a window comes
/// later, and sees none of those events.
#[test]
fn times_that_descended_before_there_was_a_window_of_time() {
    let parse = |text: &str| Pattern::parse(text).expect("a pattern");
    let set = set_of(&[parse("a: SEQ(A, B, C)")], Semantics::Any, DEFAULT);
    let [a, b] = ["A", "B"].map(|name| set.schema().type_id(name).expect("a type"));
    for semantics in [Semantics::Any, Semantics::Next] {
        let mut set = set.clone();
        set.set_semantics(semantics);
        for (method, ring) in ways() {
            let mut own = detector(&set, Config::new().method(method).ring(ring));
            let before = [Record::new(a, 1_000_000), Record::new(b, 7), Record::new(a, 1)];
            assert_eq!(collect(&mut own, &before), []);
            let number = own.add(parse("t: SEQ(A, B) WITHIN 5 MS")).expect("a new pattern");
            let behind =
                [(a, 2), (a, 90), (b, 95), (b, 96)].map(|(of, time)| Record::new(of, time));
            let found = collect(&mut own, &behind);
            assert_eq!(found, [(number.0, vec![4, 5])], "{semantics:?} {method} {ring:?}");
        }
    }
}
