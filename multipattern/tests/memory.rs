//! `stats().bytes` is what an allocator counts.

mod common;

use common::{METHODS, SEMANTICS};
use multipattern::{
    Collect, Config, Count, Detector, Pattern, PatternSet, Record, Semantics, Value,
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// Sets, each with other structures: of types alone, with conditions, with windows of time and of many
/// events, with a key.
fn sets() -> [(String, &'static [&'static str]); 4] {
    let many: Vec<String> =
        (0..50).map(|n| format!("m{n}: SEQ(T{}, T{}, T{})", n % 7, n % 5, n % 3)).collect();
    [
        ("a: SEQ(A, B, A)\nb: SEQ(B, C) WITHIN 6 EVENTS\nc: SEQ(D)".into(), &[]),
        (many.join("\n"), &[]),
        (
            "a: SEQ(A, B[v = A.v], C[w > 1])\nb: SEQ(A[v != \"a text\"], C[v = A.v])
            c: SEQ(A, B, C, D) WITHIN 100 EVENTS\nd: SEQ(B, B) WITHIN 50 MS"
                .into(),
            &[],
        ),
        ("a: SEQ(A, B, C)\nb: SEQ(B, A[v >= B.v]) WITHIN 9 EVENTS".into(), &["k"]),
    ]
}

fn events(set: &PatternSet, length: i64) -> Vec<Record> {
    let schema = set.schema();
    let types: Vec<_> = schema.types().filter_map(|name| schema.type_id(name)).collect();
    let mut seed = 5_u64;
    let mut random = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most
    };
    (0..length)
        .map(|time| {
            let mut event = Record::new(types[random(types.len())], time);
            for name in ["v", "w", "k"] {
                if let Some(slot) = schema.slot(name) {
                    let text = "x".repeat(random(30));
                    let number = random(5) as i64;
                    let value = if random(4) == 0 { text.as_str().into() } else { number.into() };
                    event.set(slot, value);
                }
            }
            event
        })
        .collect()
}

/// A detector, and the bytes of the heap that it holds.
fn counted(make: impl FnOnce() -> Detector) -> (Detector, impl Fn() -> usize) {
    let before = HEAP.current_usage();
    let detector = make();
    (detector, move || HEAP.current_usage() - before)
}

/// What a key costs goes by what it has used, and not by how many patterns there are.
fn a_key_of_one_event_is_small() {
    let lines: Vec<String> = (0..500)
        .map(|n| format!("m{n}: SEQ(T{}, T{}, T{}, T{})", n % 7, n % 11, n % 13, n % 17))
        .collect();
    for semantics in [Semantics::Any, Semantics::Next] {
        let mut set = PatternSet::parse(&lines.join("\n")).expect("a set of patterns");
        set.set_semantics(semantics);
        let k = set.schema_mut().add_attribute("k");
        let first = set.schema().type_id("T0").expect("a type");
        let config = || Config::new().partition_by(["k"]);
        let (mut detector, bytes) =
            counted(|| Detector::with_config(&set, config()).expect("a detector"));
        let keys = |from: i64, to: i64| {
            (from..to).map(|key| Record::new(first, 0).with(k, Value::Int(key))).collect::<Vec<_>>()
        };
        detector.push_all(&keys(0, 100), &mut Count::default()).expect("events");
        let before = bytes();
        detector.push_all(&keys(100, 1_100), &mut Count::default()).expect("events");
        let of_one = (bytes() - before) / 1_000;
        assert!(of_one < 4_000, "{semantics:?}: {of_one} bytes a key");
    }
}

/// A program of its own: the allocator counts for all threads, and a test harness has one beside the
/// test's, which allocates when it likes.
fn main() {
    a_key_of_one_event_is_small();
    for semantics in SEMANTICS {
        for method in METHODS {
            for hold in [0, 20] {
                for (text, key) in sets() {
                    let mut set = PatternSet::parse(&text).expect("patterns");
                    set.set_semantics(semantics);
                    for name in ["v", "w", "k"] {
                        set.schema_mut().add_attribute(name);
                    }
                    let events = events(&set, 600);
                    let what = format!("{semantics:?} {method} {hold} {text}");
                    // Names in patterns are shared with the set: it goes before they are counted.
                    let (mut detector, heap) = counted(|| {
                        let mut set = PatternSet::parse(&text).expect("patterns");
                        set.set_semantics(semantics);
                        for name in ["v", "w", "k"] {
                            set.schema_mut().add_attribute(name);
                        }
                        let config = Config::new().method(method).hold_events(hold);
                        let config = config.partition_by(key.iter().copied());
                        Detector::with_config(&set, config).expect("a detector")
                    });
                    let own = size_of::<Detector>();
                    for (at, event) in events.iter().enumerate() {
                        if at % 50 == 0 {
                            assert_eq!(detector.stats().bytes, own + heap(), "{at} of {what}");
                        }
                        if at % 2 == 0 {
                            let _ = detector.push(event, &mut Count::default()).expect("an event");
                        } else {
                            let _ =
                                detector.push(event, &mut Collect::default()).expect("an event");
                        }
                        if at == 300 {
                            let added = Pattern::parse("z: SEQ(A, C, B, A, B)").expect("a pattern");
                            let number = detector.add(added).expect("a new pattern");
                            assert_eq!(detector.stats().bytes, own + heap(), "added to {what}");
                            let _ = detector.push(event, &mut Count::default()).expect("an event");
                            assert_eq!(detector.stats().bytes, own + heap(), "seen by {what}");
                            drop(detector.remove(number));
                        }
                    }
                }
            }
        }
    }
}
