//! Counts beyond 64 bits stay at the greatest number.

use multipattern::{Config, Count, Detector, Method, PatternSet, Record};

/// Of 100 events more than 2^64 lists of 40 are matches: C(70, 40) is 5.5e19 already.
#[test]
fn counts_saturate() {
    let sequence = vec!["A"; 40].join(", ");
    let set = PatternSet::parse(&format!("all: SEQ({sequence}) WITHIN 1000 EVENTS")).expect("one");
    let event = Record::new(set.schema().type_id("A").expect("used"), 0);
    for method in [Method::Optimized, Method::Sharing, Method::Proposed] {
        let config = Config::new().method(method);
        let mut detector = Detector::with_config(&set, config).expect("a detector");
        let mut counts = Count::default();
        for _ in 0..100 {
            let _ = detector.push(&event, &mut counts).expect("taken");
        }
        let method = method.name();
        assert_eq!((counts.total, &counts.by_pattern[..]), (u64::MAX, &[u64::MAX][..]), "{method}");
        assert_eq!(detector.stats().matches, u64::MAX, "{method}");
        // And the detector goes on.
        let _ = detector.push(&event, &mut counts).expect("taken");
        assert_eq!((counts.total, detector.stats().events), (u64::MAX, 101), "{method}");
    }
}
