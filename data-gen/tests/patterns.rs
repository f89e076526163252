//! Sets of patterns: what they look like, their files, and the streams that they are for.

use data_gen::patterns::{PatternOptions, Shape};
use data_gen::stream::{RfidOptions, RouteOptions};
use data_gen::{DataSet, PatternManifest, file};
use std::collections::{BTreeMap, HashSet};
use std::io::ErrorKind;

fn patterns(options: &PatternOptions, seed: u64) -> Vec<Vec<u8>> {
    options.patterns(seed).unwrap().collect()
}

fn is_part(part: &[u8], of: &[u8]) -> bool {
    let mut rest = of.iter();
    part.iter().all(|letter| rest.any(|other| other == letter))
}

/// The counts of equally likely values are within five standard deviations.
fn even(counts: &BTreeMap<usize, u64>, values: usize) {
    let all: u64 = counts.values().sum();
    let mean = all as f64 / values as f64;
    assert_eq!(counts.len(), values);
    for (value, &count) in counts {
        assert!((count as f64 - mean).abs() < 5.0 * mean.sqrt(), "{value}: {count}, not {mean}");
    }
}

#[test]
fn lengths_and_types_are_uniform() {
    for shape in Shape::ALL {
        let mut options = PatternOptions::new(shape, 4000);
        (options.types, options.stops) = (11, 15);
        let (mut lengths, mut letters) = (BTreeMap::new(), BTreeMap::new());
        for pattern in patterns(&options, 3) {
            *lengths.entry(pattern.len()).or_insert(0) += 1;
            for letter in pattern {
                *letters.entry(usize::from(letter)).or_insert(0) += 1;
            }
        }
        even(&lengths, 8);
        assert_eq!(lengths.keys().copied().collect::<Vec<_>>(), (3..=10).collect::<Vec<_>>());
        // Routes have what types they have.
        if shape != Shape::Routes {
            even(&letters, 11);
        }
    }
}

#[test]
fn distinct_patterns_are_permutations() {
    let mut options = PatternOptions::new(Shape::Distinct, 300);
    (options.types, options.shortest, options.longest) = (3, 3, 3);
    let found = patterns(&options, 1);
    assert!(found.iter().all(|one| one.iter().collect::<HashSet<_>>().len() == 3));
    // Each of the six orders comes.
    assert_eq!(found.iter().collect::<HashSet<_>>().len(), 6);
}

#[test]
fn patterns_like_routes_are_parts_of_the_routes_of_their_seed() {
    let options = PatternOptions::new(Shape::Routes, 500);
    let plan = RouteOptions::default().plan(9).unwrap();
    let of = |plan: &[Vec<u8>], pattern: &[u8]| plan.iter().any(|route| is_part(pattern, route));
    let found = patterns(&options, 9);
    assert!(found.iter().all(|pattern| of(&plan, pattern)));
    let other = RouteOptions::default().plan(10).unwrap();
    assert!(!found.iter().all(|pattern| of(&other, pattern)));
}

#[test]
fn larger_sets_begin_as_smaller_ones_and_seeds_differ() {
    for shape in Shape::ALL {
        let small = patterns(&PatternOptions::new(shape, 20), 5);
        let large = PatternOptions::new(shape, 60);
        assert_eq!(patterns(&large, 5)[..20], small);
        assert_ne!(patterns(&large, 6)[..20], small);
    }
}

/// Made on x86-64 Linux. A change here changes the data of everybody: raise the crate's version.
const GOLDEN: [&str; 3] = [
    "random b05c2bad61f05d08f526572d1e8ead13cf9ce507b60e79c535356178bcfbd31a",
    "distinct 9d75537f017c60ddf27bd06b779f9e092cb7eeed438647c4e715448c9609dd90",
    "routes d6f20affbea0b1e4cd67a137a1d58f92c94aaee934530fde0d51528bd9e718aa",
];

#[test]
fn files_are_the_same_everywhere_and_have_manifests() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("patterns.txt");
    let mut found = Vec::new();
    for shape in Shape::ALL {
        let options = PatternOptions::new(shape, 40);
        let written = file::generate(&path, &options, 1, &mut |_| {}).unwrap();
        let read = PatternManifest::read(&path).unwrap();
        assert_eq!(read, written);
        read.verify(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.len() as u64, read.facts.bytes);
        assert_eq!(text.lines().count(), 40);
        assert_eq!(text.matches(", ").count() as u64 + 40, read.facts.operands);
        assert!(text.lines().all(|line| line.ends_with(") WITHIN 40 EVENTS")));
        let about = options.expected_bytes() as f64 / read.facts.bytes as f64;
        assert!((0.7..1.4).contains(&about), "{about}");
        assert!(read.describes(&options, 1) && !read.describes(&options, 2));
        found.push(format!("{} {}", shape.name(), read.sha256));
    }
    assert_eq!(found, GOLDEN);
}

#[test]
fn options_out_of_range_are_errors() {
    let of = |shape, change: fn(&mut PatternOptions)| {
        let mut options = PatternOptions::new(shape, 5);
        change(&mut options);
        options
    };
    for (options, told) in [
        (of(Shape::Random, |o| o.types = 0), "types must be from 1 to 26: 0"),
        (of(Shape::Random, |o| o.types = 27), "types must be"),
        (of(Shape::Random, |o| o.shortest = 0), "lengths must be from 1 on"),
        (of(Shape::Random, |o| o.shortest = 11), "the shortest first: 11 to 10"),
        (of(Shape::Random, |o| o.longest = 1001), "must be at most 1000: 1001"),
        (of(Shape::Distinct, |o| o.types = 9), "must be at most 9, the types: 10"),
        (of(Shape::Routes, |o| o.stops = 9), "must be at most 9, a route's stops: 10"),
        (of(Shape::Routes, |o| o.routes = 0), "routes must be from 1"),
    ] {
        let error = options.generate(1, &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains(told), "{options:?}: {error}");
    }
}

#[test]
fn tags_are_uniform() {
    let mut options = RfidOptions::new(50_000);
    (options.tags, options.readers) = (50, 7);
    let mut counts = [BTreeMap::new(), BTreeMap::new(), BTreeMap::new()];
    for (number, event) in options.stream(1).unwrap().enumerate() {
        assert_eq!(event.time, number as i64);
        let values = [i64::from(event.letter), event.tag, event.reader];
        for (counts, value) in counts.iter_mut().zip(values) {
            *counts.entry(value as usize).or_insert(0) += 1;
        }
    }
    for (counts, values) in counts.iter().zip([10, 50, 7]) {
        even(counts, values);
    }
}

#[test]
fn pieces_move_along_their_routes() {
    let mut options = RouteOptions::new(20_000);
    (options.noise, options.duplicates, options.pieces) = (0.0, 0.0, 6);
    let plan = options.plan(4).unwrap();
    let mut stream = options.stream(4).unwrap();
    let mut seen: BTreeMap<i64, Vec<u8>> = BTreeMap::new();
    for event in stream.by_ref() {
        assert!(event.reader / 2 == i64::from(event.letter));
        seen.entry(event.tag).or_default().push(event.letter);
    }
    let whole = seen.values().filter(|stops| plan.contains(stops)).count();
    for (&tag, stops) in &seen {
        // Those that were under way when the stream began or ended have a part of one.
        let cut = |route: &Vec<u8>| {
            if tag < 6 { route.ends_with(stops) } else { route.starts_with(stops) }
        };
        assert!(plan.iter().any(cut), "{tag}: {stops:?}");
    }
    assert!(whole > 20_000 / 12 - 20 && whole <= seen.len());
}

#[test]
fn noise_and_duplicates_are_counted() {
    use data_gen::format::Format;
    use data_gen::stream::StreamKind;
    let mut options = RouteOptions::new(50_000);
    (options.noise, options.duplicates) = (0.2, 0.25);
    let kind = StreamKind::Routes(options.clone());
    let truth = kind.write(2, Format::Csv, &mut std::io::sink()).unwrap().truth;
    let near = |name: &str, expected: f64| {
        let off = (truth[name] as f64 - expected).abs();
        assert!(off < 5.0 * expected.sqrt(), "{name}: {} and not {expected}", truth[name]);
    };
    near("noise", 10_000.0);
    near("duplicates", 10_000.0);
    near("completed", 30_000.0 / 12.0);
    assert_eq!(truth["pieces"], truth["completed"] + 4);
    for change in [
        (|o| o.noise = 1.5) as fn(&mut RouteOptions),
        |o| o.duplicates = -0.1,
        |o| o.pieces = 0,
        |o| o.stops = 1001,
    ] {
        let mut wrong = options.clone();
        change(&mut wrong);
        assert_eq!(wrong.stream(1).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}
