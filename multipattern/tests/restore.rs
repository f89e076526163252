//! A detector that was restored goes on as if it had never stopped.
#![cfg(feature = "serde")]

mod common;

use common::{METHODS, SEMANTICS, Shape, collect, detector, events, pattern, set, ways};
use multipattern::{Collect, Config, Detector, ErrorKind, PatternSet, Record, Snapshot};
use proptest::prelude::*;

const SHAPE: Shape =
    Shape { types: 3, patterns: 6, length: 4, conditions: true, events: 60, window: 9 };

/// Through a text format and back.
fn transport(snapshot: &Snapshot) -> Snapshot {
    serde_json::from_str(&serde_json::to_string(snapshot).expect("written")).expect("read")
}

fn compare(
    set: &PatternSet,
    events: &[Record],
    more: &multipattern::Pattern,
    stop: usize,
    config: impl Fn() -> Config,
) -> Result<(), TestCaseError> {
    let (before, behind) = events.split_at(stop.min(events.len()));
    let mut whole = detector(set, config());
    collect(&mut whole, before);
    whole.add(more.clone()).expect("a new pattern");
    let mut again = Detector::restore(transport(&whole.snapshot()), config()).expect("restored");
    prop_assert_eq!(again.stats().events, before.len() as u64);
    prop_assert_eq!(again.stats().held_events, whole.stats().held_events);
    let expected = collect(&mut whole, behind);
    prop_assert_eq!(collect(&mut again, behind), expected);
    prop_assert_eq!(again.stats().matches, whole.stats().matches);
    prop_assert_eq!(again.snapshot().fingerprint(), whole.snapshot().fingerprint());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn it_goes_on(
        (set, events, more) in prop::sample::select(SEMANTICS.to_vec()).prop_flat_map(|semantics| {
            (set(SHAPE, semantics), events(SHAPE), pattern(SHAPE, 99))
        }),
        stop in 0..60_usize,
        partitioned: bool,
        hold in prop::sample::select(vec![0, 0, 5, 100]),
    ) {
        for method in METHODS {
            let config = || {
                let config = Config::new().method(method).hold_events(hold);
                if partitioned { config.partition_by(["k"]) } else { config }
            };
            compare(&set, &events, &more, stop, config)?;
        }
    }

    #[test]
    fn it_goes_on_with_types_alone(
        (set, events, more) in prop::sample::select(SEMANTICS.to_vec()).prop_flat_map(|semantics| {
            let shape = Shape { conditions: false, ..SHAPE };
            (set(shape, semantics), events(shape), pattern(shape, 99))
        }),
        stop in 0..60_usize,
    ) {
        for method in METHODS {
            compare(&set, &events, &more, stop, || Config::new().method(method))?;
        }
    }

    /// What was kept as a ring can be gone on with without, and the other way round.
    #[test]
    fn whether_it_was_a_ring_does_not_matter(
        (set, events) in prop::sample::select(SEMANTICS.to_vec()).prop_flat_map(|semantics| {
            let shape = Shape { conditions: false, ..SHAPE };
            (set(shape, semantics), events(shape))
        }),
        stop in 0..60_usize,
    ) {
        let (before, behind) = events.split_at(stop.min(events.len()));
        for (method, from) in ways() {
            let config = Config::new().method(method);
            let mut whole = detector(&set, config.clone().ring(from));
            collect(&mut whole, before);
            let snapshot = whole.snapshot();
            let expected = collect(&mut whole, behind);
            for (_, to) in ways().filter(|way| way.0 == method) {
                let config = config.clone().ring(to);
                let mut again =
                    Detector::restore(transport(&snapshot), config).expect("restored");
                prop_assert_eq!(&collect(&mut again, behind), &expected);
                prop_assert_eq!(again.stats().matches, whole.stats().matches);
                prop_assert_eq!(again.snapshot().fingerprint(), snapshot.fingerprint());
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let set = PatternSet::parse("a: SEQ(A, B[v = A.v])").expect("a set");
    let event = Record::new(set.schema().type_id("A").expect("A"), 0);
    let mut detector = detector(&set, Config::new());
    let _ = detector.push(&event, &mut Collect::default()).expect("an event");
    let snapshot = detector.snapshot();
    let other = Config::new().partition_by(["v"]);
    let error = Detector::restore(snapshot.clone(), other).expect_err("another key");
    assert_eq!(error.kind(), ErrorKind::Snapshot);
    let text = serde_json::to_string(&snapshot).expect("written");
    for (from, to) in [
        ("\"format\":1", "\"format\":2"),
        ("SEQ(A,", "SEQ(B,"),
        ("\"tick\":0", "\"tick\":7"),
        ("\"hold_events\":0", "\"hold_events\":3"),
        ("\"next_number\":1", "\"next_number\":0"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        let damaged: Snapshot = serde_json::from_str(&text.replace(from, to)).expect("read");
        let error = Detector::restore(damaged, Config::new()).expect_err(from);
        assert_eq!(error.kind(), ErrorKind::Snapshot, "{from}");
    }
}
