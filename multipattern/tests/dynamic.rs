//! Patterns that come and go while events flow.

mod common;
mod oracle;

use common::{METHODS, SEMANTICS, Shape, collect, detector, events, pattern, set_of};
#[cfg(feature = "serde")]
use multipattern::Detector;
use multipattern::{
    Collect, Config, ErrorKind, Pattern, PatternId, PatternSet, Record, Semantics, Window,
};
use proptest::prelude::*;

const SHAPE: Shape =
    Shape { types: 3, patterns: 8, length: 4, conditions: false, events: 60, window: 9 };
const CONDITIONS: Shape = Shape { conditions: true, ..SHAPE };
/// Windows of more events than a word has bits, and streams that leave them.
const LONG: Shape =
    Shape { types: 5, patterns: 8, length: 3, conditions: true, events: 170, window: 100 };

/// What happens before an event.
#[derive(Clone, Debug)]
enum Change {
    Add(Pattern),
    Backfill(Pattern),
    /// One of those that are alive.
    Remove(prop::sample::Index),
    /// The detector goes on from a snapshot of itself.
    Restart,
}

fn changes(shape: Shape, backfill: bool) -> impl Strategy<Value = Vec<(usize, Change)>> {
    let one = (0..=shape.events, pattern(shape, 0), any::<prop::sample::Index>(), 0..6_u8);
    prop::collection::vec(one, 1..14).prop_map(move |changes| {
        let mut changes: Vec<_> = changes
            .into_iter()
            .map(|(before, pattern, index, kind)| match kind {
                0 | 1 => (before, Change::Remove(index)),
                2 if backfill => (before, Change::Backfill(pattern)),
                5 => (before, Change::Restart),
                _ => (before, Change::Add(pattern)),
            })
            .collect();
        changes.sort_by_key(|change| change.0);
        changes
    })
}

/// A pattern that was alive: from which event on it sees, from which one on it is there, and until
/// which one.
struct Life {
    pattern: Pattern,
    since: usize,
    from: usize,
    until: usize,
}

/// Runs a detector with changes, and compares with the oracle.
fn compare(
    semantics: Semantics,
    events: &[Record],
    changes: &[(usize, Change)],
    (partition_by, hold): (&[&str], u64),
    window: u64,
) -> Result<(), TestCaseError> {
    for method in METHODS {
        let config = || {
            let config = Config::new().method(method).hold_events(hold);
            config.partition_by(partition_by.iter().copied())
        };
        let mut detector = detector(&set_of(&[], semantics, window), config());
        let mut lives: Vec<Life> = Vec::new();
        let mut alive: Vec<PatternId> = Vec::new();
        let mut found = Collect::default();
        let mut rest = changes;
        for at in 0..=events.len() {
            while let Some((before, change)) = rest.first().filter(|change| change.0 <= at) {
                rest = &rest[1..];
                let _ = before;
                let mut add = |pattern: &Pattern, since| {
                    let id = format!("p{}", lives.len());
                    let own = pattern.to_string();
                    let named = format!("{id}{}", &own[own.find(':').expect("an id")..]);
                    let pattern = Pattern::parse(&named).expect("a pattern");
                    lives.push(Life {
                        pattern: pattern.clone(),
                        since,
                        from: at,
                        until: usize::MAX,
                    });
                    pattern
                };
                match change {
                    Change::Add(pattern) => {
                        let pattern = add(pattern, at);
                        alive.push(detector.add(pattern).expect("a new pattern"));
                    }
                    Change::Backfill(pattern) => {
                        let pattern = add(pattern, 0);
                        alive.push(detector.add_backfilled(pattern).expect("a new pattern"));
                    }
                    Change::Remove(index) if !alive.is_empty() => {
                        let number = alive.remove(index.index(alive.len()));
                        let removed = detector.remove(number).expect("it was alive");
                        let life = &mut lives[number.index()];
                        prop_assert_eq!(&removed, &life.pattern);
                        life.until = at;
                        prop_assert!(detector.remove(number).is_none());
                    }
                    Change::Remove(_) => {}
                    Change::Restart => {
                        #[cfg(feature = "serde")]
                        {
                            let snapshot = detector.snapshot();
                            detector = Detector::restore(snapshot, config()).expect("restored");
                        }
                    }
                }
            }
            if let Some(event) = events.get(at) {
                prop_assert!(detector.push(event, &mut found).expect("an event").is_continue());
            }
        }
        let patterns: Vec<Pattern> = lives.iter().map(|life| life.pattern.clone()).collect();
        let all = set_of(&patterns, semantics, window);
        let mut expected = oracle::all(&all, events, partition_by, |number| {
            (lives[number].since, lives[number].until)
        });
        expected.retain(|(number, events)| {
            *events.last().expect("an event") as usize >= lives[*number as usize].from
        });
        let found: Vec<_> = found.0.into_iter().map(|(id, events)| (id.0, events)).collect();
        prop_assert_eq!(found, expected, "{}", method);
        prop_assert_eq!(detector.stats().patterns, alive.len());
    }
    Ok(())
}

fn semantics() -> impl Strategy<Value = Semantics> {
    prop::sample::select(SEMANTICS.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn patterns_come_and_go(
        semantics in semantics(), events in events(SHAPE), changes in changes(SHAPE, false)
    ) {
        compare(semantics, &events, &changes, (&[], 0), SHAPE.window)?;
    }

    #[test]
    fn patterns_with_conditions_come_and_go(
        semantics in semantics(), events in events(CONDITIONS), changes in changes(CONDITIONS, false)
    ) {
        compare(semantics, &events, &changes, (&[], 0), SHAPE.window)?;
    }

    #[test]
    fn patterns_come_and_go_in_partitions(
        semantics in semantics(), events in events(SHAPE), changes in changes(SHAPE, false)
    ) {
        compare(semantics, &events, &changes, (&["k"], 0), SHAPE.window)?;
    }

    #[test]
    fn patterns_come_with_what_was_held(
        semantics in semantics(), events in events(CONDITIONS), changes in changes(CONDITIONS, true)
    ) {
        compare(semantics, &events, &changes, (&[], 1000), SHAPE.window)?;
    }

    #[test]
    fn patterns_come_with_what_was_held_of_partitions(
        semantics in semantics(), events in events(CONDITIONS), changes in changes(CONDITIONS, true)
    ) {
        compare(semantics, &events, &changes, (&["k"], 1000), SHAPE.window)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn long_patterns_come_and_go(
        semantics in semantics(),
        conditions: bool,
        partitioned: bool,
        (events, changes, simple) in (
            events(LONG),
            changes(LONG, false),
            changes(Shape { conditions: false, ..LONG }, false),
        )
    ) {
        let changes = if conditions { changes } else { simple };
        let key: &[&str] = if partitioned { &["k"] } else { &[] };
        compare(semantics, &events, &changes, (key, 0), LONG.window)?;
    }
}

fn stream(length: usize, set: &PatternSet, mut seed: u64) -> Vec<Record> {
    (0..length)
        .map(|time| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let name = ["A", "B", "C", "D"][(seed >> 40) as usize % 4];
            Record::new(set.schema().type_id(name).expect("a type"), time as i64)
        })
        .collect()
}

/// 100,000 patterns are added and removed while events flow: what is found is what the oracle finds
/// for each of them, and in the end no more is remembered than in the beginning.
#[test]
fn a_hundred_thousand_changes() {
    let all = SEMANTICS.into_iter().flat_map(|semantics| METHODS.map(|method| (semantics, method)));
    for (semantics, method) in all {
        let set = set_of(
            &["keep: SEQ(A, B, A)", "other: SEQ(B, C)"]
                .map(|text| Pattern::parse(text).expect(text)),
            semantics,
            6,
        );
        let shapes = ["SEQ(A, B)", "SEQ(A, B, C)", "SEQ(B, C, D)", "SEQ(D)", "SEQ(A, B, A, C)"];
        let events = stream(2_000, &set, 7);
        let mut detector = detector(&set, Config::new().method(method));
        let mut found = Collect::default();
        for event in &events[..500] {
            let _ = detector.push(event, &mut found).expect("an event");
        }
        let (mut lives, mut alive): (Vec<(String, usize, usize)>, Vec<PatternId>) =
            Default::default();
        lives.extend([("keep".into(), 0, usize::MAX), ("other".into(), 0, usize::MAX)]);
        let mut changes = 0;
        for (at, event) in events.iter().enumerate().skip(500) {
            while changes < (at - 499) * 100_000 / 1_500 {
                if alive.len() == 30 || at == 1_999 {
                    let Some(number) = alive.pop() else { break };
                    detector.remove(number).expect("alive");
                    lives[number.index()].2 = at;
                } else if changes % 3 == 2 {
                    let number = alive.remove(changes % alive.len());
                    detector.remove(number).expect("alive");
                    lives[number.index()].2 = at;
                } else {
                    let text = format!("n{changes}: {}", shapes[changes % shapes.len()]);
                    alive.push(detector.add(Pattern::parse(&text).expect("text")).expect("new"));
                    lives.push((text, at, usize::MAX));
                }
                changes += 1;
            }
            let _ = detector.push(event, &mut found).expect("an event");
        }
        for number in alive.drain(..) {
            detector.remove(number).expect("alive");
            changes += 1;
        }
        assert!(changes > 99_000, "{changes}");
        for event in &events[..200] {
            let _ = detector.push(event, &mut Collect::default()).expect("an event");
        }
        let after = detector.stats();
        let mut fresh = common::detector(&set, Config::new().method(method));
        collect(&mut fresh, &events);
        collect(&mut fresh, &events[..200]);
        let before = fresh.stats();
        assert_eq!(after.patterns, 2);
        assert_eq!(after.instances, before.instances);
        assert_eq!(after.nodes, before.nodes);
        assert_eq!(after.held_events, before.held_events);
        assert!(
            after.bytes <= before.bytes,
            "{semantics:?} {method}: {} {}",
            after.bytes,
            before.bytes
        );

        // All patterns of one shape find the same; so the oracle is asked once for each.
        let mut expected = Vec::new();
        let oracle: Vec<_> = ["keep: SEQ(A, B, A)", "other: SEQ(B, C)"]
            .iter()
            .map(|text| (*text).to_owned())
            .chain(shapes.iter().map(|shape| format!("x: {shape}")))
            .map(|text| {
                let pattern = Pattern::parse(&text).expect("a pattern");
                let pattern = pattern.within(Window::Events(6)).expect("a window");
                (text, oracle::matches(&set, &pattern, &events, &[], 0))
            })
            .collect();
        for (number, (text, since, until)) in lives.iter().enumerate() {
            let own = &text[text.find(':').map_or(0, |at| at + 1)..];
            let (_, matches) = oracle
                .iter()
                .find(|(of, _)| of.starts_with(text.as_str()) || of.ends_with(own))
                .expect("a shape");
            // Most live for less than an event; matches are sorted by their first events.
            let begin = matches.partition_point(|events| (events[0] as usize) < *since);
            for events in &matches[begin..] {
                if events[0] as usize >= *until {
                    break;
                }
                if (events[events.len() - 1] as usize) < *until {
                    expected.push((number as u32, events.clone()));
                }
            }
        }
        expected.sort_by(|a, b| (a.1.last(), a.0, &a.1).cmp(&(b.1.last(), b.0, &b.1)));
        let found: Vec<_> = found.0.into_iter().map(|(id, events)| (id.0, events)).collect();
        assert_eq!(found.len(), expected.len(), "{method}");
        assert!(found == expected, "{method}");
    }
}

#[test]
fn one_of_two_that_share_goes_in_the_middle_of_a_match() {
    let texts = ["a: SEQ(A, B, C)", "b: SEQ(A, B, D)"];
    let set = set_of(&texts.map(|text| Pattern::parse(text).expect(text)), Semantics::Any, 40);
    let event = |name: &str, time| Record::new(set.schema().type_id(name).expect(name), time);
    for method in METHODS {
        let mut detector = detector(&set, Config::new().method(method));
        assert!(collect(&mut detector, &[event("A", 0), event("B", 1)]).is_empty());
        let id = detector.find("a").expect("alive");
        assert!(detector.remove(id).is_some() && detector.find("a").is_none());
        let rest = [event("C", 2), event("D", 3)];
        assert_eq!(collect(&mut detector, &rest), [(1, vec![0, 1, 3])], "{method}");
    }
}

#[test]
fn what_cannot_be_added_is_refused() {
    let set = set_of(&[Pattern::parse("a: SEQ(A)").expect("a pattern")], Semantics::Any, 40);
    let event = |name: &str, time| Record::new(set.schema().type_id(name).expect("a type"), time);
    let mut plain = detector(&set, Config::new());
    let again = plain.add(Pattern::parse("a: SEQ(B)").expect("a pattern"));
    assert_eq!(again.expect_err("twice").kind(), ErrorKind::Name);
    let held = plain.add_backfilled(Pattern::parse("b: SEQ(B)").expect("a pattern"));
    assert_eq!(held.expect_err("nothing held").kind(), ErrorKind::Usage);
    let mut holding = detector(&set, Config::new().hold_events(10));
    let _ = collect(&mut holding, &[event("A", 0)]);
    let unknown = holding.add_backfilled(Pattern::parse("b: SEQ(B[new = 1])").expect("a pattern"));
    assert_eq!(unknown.expect_err("not held").kind(), ErrorKind::Usage);
    let timed = || Pattern::parse("t: SEQ(A, A) WITHIN 10 ms").expect("a pattern");
    let mut back = detector(&set, Config::new().hold_events(10));
    let _ = collect(&mut back, &[event("A", 100), event("A", 5)]);
    assert_eq!(back.add_backfilled(timed()).expect_err("descending").kind(), ErrorKind::Order);
    let mut forth = detector(&set, Config::new().hold_events(10));
    let _ = collect(&mut forth, &[event("A", 5), event("A", 5)]);
    assert!(forth.add_backfilled(timed()).is_ok());
    let mut limits = multipattern::Limits::default();
    limits.patterns = 1;
    let mut full = detector(&set, Config::new().limits(limits));
    let more = full.add(Pattern::parse("b: SEQ(B)").expect("a pattern"));
    assert_eq!(more.expect_err("one too many").kind(), ErrorKind::Limit);
}

/// Names of removed patterns stay, for their numbers may be in events; how many there are is bounded.
#[test]
fn names_stay_and_are_bounded() {
    let set = PatternSet::parse("a: SEQ(A, B[v = A.v])").expect("a set");
    let mut limits = multipattern::Limits::default();
    limits.names = 5;
    let mut own = detector(&set, Config::new().limits(limits));
    let pattern = |text: &str| multipattern::Pattern::parse(text).expect("a pattern");
    let first = own.add(pattern("b: SEQ(C, A, C[w = C.w])")).expect("five names");
    let number = own.schema().type_id("C");
    assert!(number.is_some() && own.remove(first).is_some());
    assert_eq!(own.schema().type_id("C"), number);
    // Names that are there cost nothing, however often they stand in a pattern.
    let text = "c: SEQ(C, C x, A y, B[v = y.v], C[w = x.w])";
    assert!(own.add(pattern(text)).is_ok());
    for one_more in ["d: SEQ(A, D)", "d: SEQ(A, B[u > 3])"] {
        let error = own.add(pattern(one_more)).expect_err("a sixth name");
        assert_eq!(error.kind(), multipattern::ErrorKind::Limit);
    }
    assert_eq!(own.schema().types().len() + own.schema().attributes().len(), 5);
    limits.names = 2;
    assert!(multipattern::Detector::with_config(&set, Config::new().limits(limits)).is_err());
}
