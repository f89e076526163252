//! Semantics `strict` where types say everything: long streams, which are taken in blocks, against the
//! obvious way, in pieces of any size, at all levels, with patterns that come later, and with tables of
//! narrow and of wide entries.

mod common;

use std::ops::ControlFlow;

use common::{Expand, METHODS, UNUSED, count, detector, set_of};
use multipattern::{
    Collect, Config, Limit, Limits, Match, Method, Operand, Pattern, PatternSet, Policy, Record,
    Semantics, TypeId, Visit,
};
use proptest::prelude::*;

const NAMES: [&str; 3] = ["A", "B", "C"];

fn pattern(id: &str, types: &[usize]) -> Pattern {
    Pattern::new(id, types.iter().map(|&at| Operand::new(NAMES[at]))).expect("a pattern")
}

fn strict(patterns: &[Vec<usize>]) -> PatternSet {
    let patterns: Vec<Pattern> =
        (0..).zip(patterns).map(|(at, types)| pattern(&format!("p{at}"), types)).collect();
    set_of(&patterns, Semantics::Strict, 1000)
}

/// Types as numbers; the last one is in no pattern.
fn records(set: &PatternSet, stream: &[usize]) -> Vec<Record> {
    let names = [NAMES[0], NAMES[1], NAMES[2], UNUSED];
    let types = names.map(|name| set.schema().type_id(name).expect("a type"));
    (0..).zip(stream).map(|(time, &at)| Record::new(types[at], time)).collect()
}

type Found = Vec<(u32, Vec<u64>)>;

/// What ends at each event, looked for backwards; a pattern sees the events from one on.
fn expected(patterns: &[(Vec<usize>, usize)], stream: &[usize]) -> Found {
    let mut found = Vec::new();
    for end in 1..=stream.len() {
        for (number, (types, since)) in (0..).zip(patterns) {
            let first = end.checked_sub(types.len()).filter(|first| first >= since);
            if let Some(first) = first.filter(|&first| stream[first..end] == types[..]) {
                found.push((number, (first as u64..end as u64).collect()));
            }
        }
    }
    found
}

fn plain(found: Collect) -> Found {
    found.0.into_iter().map(|(number, events)| (number.0, events)).collect()
}

/// A stream that is mostly patterns, so that long ones are found too.
fn streams(most: usize) -> impl Strategy<Value = (Vec<Vec<usize>>, Vec<usize>)> {
    let length = prop_oneof![4 => 1..6_usize, 2 => 6..18_usize, 1 => 30..45_usize];
    let pattern = length.prop_flat_map(|length| prop::collection::vec(0..3_usize, length));
    let patterns = prop::collection::vec(pattern, 1..9);
    let piece = (any::<prop::sample::Index>(), prop::collection::vec(0..4_usize, 0..4));
    (patterns, prop::collection::vec(piece, 0..400)).prop_map(move |(patterns, pieces)| {
        let mut stream = Vec::new();
        for (at, noise) in pieces {
            stream.extend(at.get(&patterns));
            stream.extend(noise);
        }
        stream.truncate(most);
        (patterns, stream)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn long_streams_in_pieces(
        (patterns, stream) in streams(3000),
        pieces in prop::collection::vec(1..1300_usize, 6),
    ) {
        let set = strict(&patterns);
        let events = records(&set, &stream);
        let seeing: Vec<_> = patterns.iter().map(|types| (types.clone(), 0)).collect();
        let expected = expected(&seeing, &stream);
        let mut counts = vec![0; patterns.len()];
        for (number, _) in &expected {
            counts[*number as usize] += 1;
        }
        for method in METHODS {
            let config = || Config::new().method(method);
            let mut own = detector(&set, config());
            let (mut found, mut rest) = (Collect::default(), &events[..]);
            for &piece in pieces.iter().cycle() {
                let (now, later) = rest.split_at(piece.min(rest.len()));
                own.push_all(now, &mut found).expect("events");
                rest = later;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(&plain(found), &expected, "{}", method);
            prop_assert_eq!(own.stats().events, events.len() as u64);
            prop_assert_eq!(own.stats().matches, expected.len() as u64);
            if matches!(method, Method::Sharing | Method::Proposed) {
                prop_assert_eq!(own.stats().transitions, events.len() as u64);
            }
            let mut counted = count(&mut detector(&set, config()), &events);
            counted.resize(patterns.len(), 0);
            prop_assert_eq!(&counted, &counts);
            let mut expand = Expand::default();
            detector(&set, config()).push_all(&events, &mut expand).expect("events");
            prop_assert_eq!(&expand.found, &expected, "{}", method);
        }
    }

    /// A sink that stops gets no more of the event, and all of the next one; and so with a limit.
    #[test]
    fn stops_and_goes_on((patterns, stream) in streams(1500), most in 1..3_usize) {
        let set = strict(&patterns);
        let events = records(&set, &stream);
        let seeing: Vec<_> = patterns.iter().map(|types| (types.clone(), 0)).collect();
        let all = expected(&seeing, &stream);
        let of_event = all.chunk_by(|a, b| a.1.last() == b.1.last());
        let expected: Found = of_event.flat_map(|own| own.iter().take(most).cloned()).collect();
        let mut found: Found = Vec::new();
        let mut sink = Visit(|one: Match<'_>| {
            found.push((one.pattern.0, one.events.to_vec()));
            let own = found.iter().rev().take_while(|other| other.1.last() == one.events.last());
            if own.count() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        detector(&set, Config::new()).push_all(&events, &mut sink).expect("events");
        prop_assert_eq!(&found, &expected);
        let mut limits = Limits::default();
        limits.matches_per_event = Limit::new(most, Policy::DropNewest);
        let mut found = Collect::default();
        let mut limited = detector(&set, Config::new().limits(limits));
        limited.push_all(&events, &mut found).expect("events");
        prop_assert_eq!(&plain(found), &expected);
        prop_assert_eq!(limited.stats().matches, expected.len() as u64);
    }

    /// A pattern that comes later sees later events only, and clones go on by themselves.
    #[test]
    fn patterns_that_come_later((patterns, stream) in streams(2000), at in 0..2000_usize) {
        let (late, first) = patterns.split_last().expect("a pattern");
        let set = strict(first);
        let events = records(&set, &stream);
        let at = at.min(events.len());
        let mut seeing: Vec<_> = first.iter().map(|types| (types.clone(), 0)).collect();
        let mut own = detector(&set, Config::new());
        let mut found = Collect::default();
        own.push_all(&events[..at], &mut found).expect("events");
        let (mut clone, mut alone) = (own.clone(), found.clone());
        own.add(pattern("late", late)).expect("a pattern");
        own.push_all(&events[at..], &mut found).expect("events");
        clone.push_all(&events[at..], &mut alone).expect("events");
        prop_assert_eq!(&plain(alone), &expected(&seeing, &stream));
        seeing.push((late.clone(), at));
        prop_assert_eq!(&plain(found), &expected(&seeing, &stream));
    }
}

/// Patterns whose table has so many entries that 16 bits do not number them, and some that need few.
#[test]
fn narrow_and_wide_tables() {
    let mut seed = 3_u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((seed >> 33) % below) as u8
    };
    for number in [20, 400, 3000] {
        let patterns: Vec<Vec<u8>> =
            (0..number).map(|_| (0..3 + random(8)).map(|_| random(10)).collect()).collect();
        let stream: Vec<u8> = (0..40_000).map(|_| random(11)).collect();
        let mut builder = PatternSet::builder().semantics(Semantics::Strict);
        let mut schema = multipattern::Schema::new();
        for at in 0..11 {
            schema.add_type(&format!("T{at}"));
        }
        builder = builder.schema(schema);
        for (at, pattern) in patterns.iter().enumerate() {
            let operands: Vec<String> = pattern.iter().map(|at| format!("T{at}")).collect();
            builder = builder.seq(&at.to_string(), operands.iter().map(String::as_str));
        }
        let set = builder.build().expect("a set");
        let events: Vec<Record> = (0..)
            .zip(&stream)
            .map(|(time, &at)| Record::new(TypeId(u32::from(at)), time))
            .collect();
        let mut found = Collect::default();
        detector(&set, Config::new()).push_all(&events, &mut found).expect("events");
        let automaton = aho_corasick::AhoCorasick::new(&patterns).expect("an automaton");
        let mut expected: Vec<(u64, u32, u64)> = automaton
            .find_overlapping_iter(&stream)
            .map(|one| (one.end() as u64 - 1, one.pattern().as_u32(), one.start() as u64))
            .collect();
        expected.sort_unstable();
        let found: Vec<(u64, u32, u64)> = plain(found)
            .into_iter()
            .map(|(number, events)| (events[events.len() - 1], number, events[0]))
            .collect();
        assert!(!expected.is_empty());
        assert_eq!(found, expected, "{number} patterns");
    }
}
