//! One document on several threads: answers, their order and errors are those of one thread, for
//! every number of threads and wherever the document is divided.

#[path = "common/case_gen.rs"]
mod case_gen;
#[allow(dead_code, reason = "each test program uses a part of it")]
#[path = "common/doc_gen.rs"]
mod doc_gen;
#[allow(dead_code, reason = "each test program uses a part of it")]
#[path = "common/dom.rs"]
mod dom;
#[allow(dead_code, reason = "each test program uses a part of it")]
mod oracle;
#[allow(dead_code, reason = "each test program uses a part of it")]
#[path = "common/query_gen.rs"]
mod query_gen;
#[path = "common/threads_gen.rs"]
mod threads_gen;
#[path = "common/witness.rs"]
mod witness;

use std::io::Write as _;
use std::ops::ControlFlow;

use case_gen::{pattern, prefixed_case};
use oracle::answers::Expected;
use oracle::observe::{Keep, Seen, right_details, same_answers};
use oracle::{Oracle, Prefixes};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config as Proptest, TestRunner};
use rpdt::input::{Checks, EntityPolicy};
use rpdt::{
    Answer, Config, ErrorKind, FrontEnd, Limits, Namespaces, Needs, Order, Pattern, Plan, Position,
    Runs, Shape, Sink, Stats, Threads,
};
use threads_gen::{any_case, config, needs, sections, threads};

fn cases(default: u32) -> Proptest {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|v| v.parse().ok());
    Proptest { cases: asked.unwrap_or(default), failure_persistence: None, ..Proptest::default() }
}

/// What a run gave: answers, counts, and its end.
#[derive(Debug, PartialEq)]
struct Given {
    seen: Vec<Seen>,
    counted: Vec<(usize, u64)>,
    /// Whether the sink stopped it, or the error.
    end: Result<bool, (ErrorKind, String, Option<Position>)>,
    /// Bytes, tags, answers and depth; not of a run that was stopped.
    counts: Option<(u64, u64, u64, usize)>,
}

fn given(keep: Keep, end: Result<(Stats, bool), rpdt::Error>) -> Given {
    let counts = end.as_ref().ok().filter(|(_, stopped)| !stopped);
    let counts = counts.map(|(s, _)| (s.bytes, s.tags, s.answers, s.max_depth));
    let end = end
        .map(|(_, stopped)| stopped)
        .map_err(|e| (e.kind(), e.message().to_owned(), e.position()));
    Given { seen: keep.seen, counted: keep.counted.into_iter().collect(), end, counts }
}

/// Keeps answers, up to a number: several branches with many matches each have as many tuples as the
/// product of these, which may be billions.
fn keep(needs: Needs) -> Keep {
    Keep::new(needs).stop_after(5_000)
}

/// On one thread.
fn alone(plan: &Plan, document: &[u8], mut keep: Keep) -> Given {
    let end = plan.run_slice(document, &mut keep).map(|o| (o.stats, o.stopped));
    given(keep, end)
}

/// On several, with the number of segments that a second thread matched.
fn divided(plan: &Plan, document: &[u8], mut keep: Keep, threads: Threads) -> (Given, u64) {
    let end = plan.run_slice_on(threads, document, &mut keep).map(|o| (o.stats, o.stopped));
    let segments = end.as_ref().map_or(0, |(stats, _)| stats.segments);
    (given(keep, end), segments)
}

proptest! {
    #![proptest_config(cases(2_000))]

    /// Nothing depends on threads and segments.
    #[test]
    fn several_threads_do_what_one_does(
        case in any_case(),
        config in config(),
        needs in needs(),
        several in vec(threads(), 3),
    ) {
        let plan = case.plan(config);
        let document = case.doc.text.as_bytes();
        let expected = alone(&plan, document, keep(needs));
        for threads in several {
            let (got, _) = divided(&plan, document, keep(needs), threads);
            prop_assert_eq!(&got, &expected, "{:?} on {:?}", case, threads);
        }
    }

    /// Several queries and early stops.
    #[test]
    fn several_queries_and_early_stops(
        case in any_case(),
        others in vec(pattern(), 1..4),
        config in config(),
        threads in threads(),
        at in any::<Index>(),
    ) {
        let mut patterns = others;
        patterns.push(case.pattern.clone());
        let plan = Plan::new(patterns, config).expect("a plan");
        let document = case.doc.text.as_bytes();
        let expected = alone(&plan, document, keep(Needs::description()));
        let (got, _) = divided(&plan, document, keep(Needs::description()), threads);
        prop_assert_eq!(&got, &expected, "{:?} on {:?}", case, threads);
        if !expected.seen.is_empty() {
            let k = at.index(expected.seen.len()) + 1;
            let keep = keep(Needs::description()).stop_after(k);
            let (got, _) = divided(&plan, document, keep, threads);
            prop_assert_eq!(got.end, Ok(true));
            prop_assert_eq!(&got.seen, &expected.seen[..k], "first {} of {:?}", k, case);
        }
    }

    /// Damaged documents: the same answers before the same error at the same place.
    #[test]
    fn damaged_documents(
        case in any_case(),
        config in config(),
        damage in vec((any::<Index>(), 0..3u8, select(&b"<>/'\"&;!-[]? a=\n\xFF\x01"[..])), 1..4),
        threads in threads(),
    ) {
        let mut document = case.doc.text.clone().into_bytes();
        for (at, what, byte) in damage {
            let at = at.index(document.len());
            match what {
                0 => document[at] = byte,
                1 => document.insert(at, byte),
                _ => drop(document.drain(at..(at + 3).min(document.len()))),
            }
            document.push(b'\n');
        }
        let plan = case.plan(config);
        let expected = alone(&plan, &document, keep(Needs::range()));
        let (got, _) = divided(&plan, &document, keep(Needs::range()), threads);
        prop_assert_eq!(&got, &expected, "{:?} on {:?}", document.escape_ascii().to_string(), threads);
    }

    /// With namespaces.
    #[test]
    fn namespaces(
        case in prefixed_case(),
        config in config(),
        threads in threads(),
        p in 0..2usize,
    ) {
        let uris = doc_gen::URIS;
        let namespaces = Namespaces::new().with("p", uris[p]).with("r", uris[1 - p]);
        let plan = case.plan(config.namespaces(namespaces));
        let document = case.doc.text.as_bytes();
        let expected = alone(&plan, document, Keep::new(Needs::description()));
        let (got, _) = divided(&plan, document, Keep::new(Needs::description()), threads);
        prop_assert_eq!(&got, &expected, "{:?} on {:?}", case, threads);
    }
}

/// The small documents of the properties above are divided often enough to mean something, and
/// guesses fail often enough.
#[test]
fn small_documents_are_divided() {
    let mut runner = TestRunner::deterministic();
    let strategy = (any_case(), config(), threads());
    let (mut some, mut all) = (0, 0);
    for _ in 0..1_000 {
        let (case, config, threads) =
            strategy.new_tree(&mut runner).expect("no rejection").current();
        let document = case.doc.text.as_bytes();
        let plan = case.plan(config);
        let (got, segments) = divided(&plan, document, Keep::new(Needs::range()), threads);
        some += u32::from(segments > 0);
        all += u32::from(segments > 0 && !got.seen.is_empty());
    }
    assert!(some > 100 && all > 50, "{some} of 1000 divided, {all} with answers");
}

const QUERIES: [&str; 9] = [
    "//item",
    "//item[@kind='plain']/name",
    "//item/{b!, b!*, c!?}",
    "/site/items/item[b]!//b!",
    "/site/people/item/name",
    "//items//b",
    "//*",
    "//item[name[.='n5 text']]!/b",
    "/site/items/{item!, item!*}",
];

/// Documents of records are divided, and not only into what fails.
#[test]
fn records_are_divided() {
    let text = sections(4_000);
    for (front_end, checks) in [
        (FrontEnd::Scanner, Checks::Fast),
        (FrontEnd::PortableScanner, Checks::Strict),
        (FrontEnd::QuickXml, Checks::Fast),
    ] {
        for (q, query) in QUERIES.into_iter().enumerate() {
            for order in [Order::Certain, Order::Document] {
                let config = Config::new().front_end(front_end).checks(checks).order(order);
                let plan = Plan::new(vec![Pattern::parse(query).expect(query)], config);
                let plan = plan.expect(query);
                for needs in [Needs::description(), Needs::count()] {
                    let expected = alone(&plan, text.as_bytes(), Keep::new(needs));
                    assert_eq!(expected.end, Ok(false), "{query}");
                    let threads = Threads::new(2 + q % 3).segment(10_000);
                    let (got, segments) =
                        divided(&plan, text.as_bytes(), Keep::new(needs), threads);
                    assert!(got == expected, "{query} with {needs:?} on {threads:?}");
                    // A returned element is remembered to its end, a row of siblings, too.
                    let divisible = query != "//*" && q != 8;
                    assert!(
                        !divisible || segments > text.len() as u64 / 10_000 / 10,
                        "{query} {needs:?} {order:?} {front_end:?}: {segments} segments"
                    );
                }
            }
        }
    }
}

/// Which segments there are depends on the document and the number of threads, not on which thread is
/// how fast; more than one a thread may be ahead.
#[test]
fn segments_do_not_depend_on_speed() {
    let text = sections(4_000);
    for (query, needs) in
        [("//item", Needs::description()), ("//item/{b!, b!*, c!?}", Needs::count())]
    {
        let plan = Plan::parse(query).expect(query);
        let expected = alone(&plan, text.as_bytes(), Keep::new(needs));
        for count in [2, 3, 8] {
            for bytes in [500, 5_000, 50_000] {
                let threads = Threads::new(count).segment(bytes);
                let runs =
                    [(); 4].map(|()| divided(&plan, text.as_bytes(), Keep::new(needs), threads));
                let segments = runs[0].1;
                assert!(segments > 0, "{query} on {threads:?}");
                for (got, again) in runs {
                    assert!(got == expected, "{query} on {threads:?}");
                    assert_eq!(again, segments, "{query} on {threads:?}");
                }
            }
        }
    }
}

/// A sink that panics is no reason to wait for ever.
#[test]
fn a_panic_of_the_sink_goes_through() {
    struct Panics(u32);
    impl Sink for Panics {
        fn needs(&self) -> Needs {
            Needs::range()
        }

        fn answer(&mut self, _: usize, _: u64, _: &Answer<'_>) -> ControlFlow<()> {
            self.0 += 1;
            assert!(self.0 < 500, "as it should");
            ControlFlow::Continue(())
        }
    }
    let text = sections(4_000);
    let plan = Plan::parse("//item").expect("a query");
    for bytes in [1_000, 20_000] {
        let run = || {
            plan.run_slice_on(Threads::new(3).segment(bytes), text.as_bytes(), Panics(0)).is_ok()
        };
        let end = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        let message = end.expect_err("a panic").downcast::<&str>().expect("a message");
        assert_eq!(*message, "as it should");
    }
}

/// Found by the properties above: counted runs, of which the hot path reads most, beside a segment.
#[test]
fn counted_runs_are_counted_once() {
    let text = "<?xml version='1.0'?>\n<top><a><a><a/><?p <b/> ??></a></a><d x='&lt;a>'/><a></a>\
                <d x='&lt;a>'/><a></a><a></a><a></a><a x='1'>\n<a><b><b></b></b></a><d x='&lt;a>'/>\
                <c><c><e></e></c><b y=\"1\"><c id=\" 2 \"></c></b></c><b><c><a></a></c></b><a></a></a>\
                </top>\n";
    for query in ["//a//b/{a! | *!}", "//b/{a! | c!}", "//a//b/{c!*}", "//a/{b!, c!?}"] {
        for runs in [Runs::Live, Runs::Peak, Runs::NonOverlap] {
            let pattern = Pattern::parse(query).expect(query);
            let plan = Plan::new(vec![pattern], Config::new().runs(runs)).expect(query);
            let expected = alone(&plan, text.as_bytes(), Keep::new(Needs::count()));
            for segment in 1..text.len() {
                let threads = Threads::new(2 + segment % 3).segment(segment);
                let (got, _) = divided(&plan, text.as_bytes(), Keep::new(Needs::count()), threads);
                assert_eq!(got, expected, "{query} {runs:?} on {threads:?}");
            }
        }
    }
}

/// An element that is passed over is large: its end is looked for, and found or not.
#[test]
fn what_is_passed_over_may_be_large() {
    let dead = "<x><y>text</y></x>".repeat(1 << 20);
    let records = "<person><name>n</name></person>".repeat(40_000);
    let plan = Plan::parse("/site/people/person/name").expect("a query");
    for text in [
        format!("<site><dead>{dead}</dead><people>{records}</people></site>"),
        format!("<site><dead>{dead}<!-- </dead> --></dead><people>{records}</people></site>"),
        format!("<site><people>{records}</people><dead>{dead}{dead}</dead></site>"),
    ] {
        let expected = alone(&plan, text.as_bytes(), Keep::new(Needs::range()));
        let (got, segments) =
            divided(&plan, text.as_bytes(), Keep::new(Needs::range()), Threads::new(2));
        assert!(got == expected, "{:?}", got.end);
        assert!(segments > 0, "{segments} segments");
    }
}

/// A file is read in parts by all threads, with the same result.
#[test]
fn files_are_divided() {
    let text = sections(4_000);
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(text.as_bytes()).expect("written");
    for query in QUERIES {
        let plan = Plan::parse(query).expect(query);
        let expected = alone(&plan, text.as_bytes(), Keep::new(Needs::description()));
        for segment in [3_000, 1 << 20] {
            let mut keep = Keep::new(Needs::description());
            let threads = Threads::new(3).segment(segment);
            let end = plan.run_file_on(threads, &file, &mut keep).map(|o| (o.stats, o.stopped));
            assert!(given(keep, end) == expected, "{query}");
        }
    }
}

/// An element of which nothing is remembered once its conditions are met is divided behind that place.
#[test]
fn elements_whose_conditions_are_met_are_divided() {
    let text = sections(4_000);
    for query in
        ["/site[items]//item[b]/name", "/site[items/item]/people//b", "/*[items]//item[b]//b"]
    {
        let plan = Plan::parse(query).expect(query);
        for needs in [Needs::count(), Needs::range()] {
            let expected = alone(&plan, text.as_bytes(), Keep::new(needs));
            let threads = Threads::new(2).segment(10_000);
            let (got, segments) = divided(&plan, text.as_bytes(), Keep::new(needs), threads);
            assert!(got == expected, "{query}: {:?}", got.end);
            assert!(segments > 3, "{query}: {segments} segments");
        }
        assert!(plan.threads_explained(0).contains("are met"), "{}", plan.threads_explained(0));
    }
}

/// What cannot be divided is matched by one thread: other encodings, and elements of which something
/// is remembered to the end of the document.
#[test]
fn some_documents_are_not_divided() {
    let text = sections(1_000);
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let plan = Plan::parse("//item/name").expect("a query");
    let expected = alone(&plan, &wide, Keep::new(Needs::description()));
    assert_eq!(expected.end, Ok(false));
    let threads = Threads::new(2).segment(1_000);
    let (got, segments) = divided(&plan, &wide, Keep::new(Needs::description()), threads);
    assert_eq!((got, segments), (expected, 0));

    let plan = Plan::parse("/site[last]//item").expect("a query");
    // Of the larger one the other threads are started before anything is known of it.
    for text in [text, sections(30_000)] {
        let expected = alone(&plan, text.as_bytes(), Keep::new(Needs::range()));
        let (got, segments) = divided(&plan, text.as_bytes(), Keep::new(Needs::range()), threads);
        assert_eq!((got, segments), (expected, 0), "of {} bytes", text.len());
    }
    assert!(plan.threads_explained(0).starts_with("one thread"), "{}", plan.threads_explained(0));
    let plan = Plan::parse("/site[{last, last}]//item").expect("a query");
    assert!(plan.threads_explained(0).ends_with("all of it"), "{}", plan.threads_explained(0));
    let plan = Plan::parse("/site/items/item/{b!, c!}").expect("a query");
    assert!(plan.threads_explained(0).ends_with("never divided"), "{}", plan.threads_explained(0));
    let plan = Plan::parse("/site/items/item[b]/name").expect("a query");
    assert!(plan.threads_explained(0).contains("`item`"), "{}", plan.threads_explained(0));
}

/// Entities and limits are the same in every segment.
#[test]
fn segments_know_the_doctype_and_the_limits() {
    let text = sections(2_000).replace("&e;", "&unknown;");
    let threads = Threads::new(3).segment(2_000);
    for policy in [EntityPolicy::Error, EntityPolicy::Keep] {
        let config = Config::new().entities(policy);
        let pattern =
            Pattern::parse("/site/items/item[name[.='n1996 &unknown;']]").expect("a query");
        let plan = Plan::new(vec![pattern], config).expect("a plan");
        let expected = alone(&plan, text.as_bytes(), Keep::new(Needs::range()));
        let (got, _) = divided(&plan, text.as_bytes(), Keep::new(Needs::range()), threads);
        assert_eq!(got, expected);
    }
    let mut limits = Limits::default();
    limits.depth = 5;
    let plan = vec![Pattern::parse("//item").expect("a query")];
    let plan = Plan::new(plan, Config::new().limits(limits)).expect("a plan");
    let deep = text.replace("n1993 ", "<x><y><z/></y></x>");
    let expected = alone(&plan, deep.as_bytes(), Keep::new(Needs::range()));
    assert!(matches!(expected.end, Err((ErrorKind::Limit, ..))), "{:?}", expected.end);
    let (got, _) = divided(&plan, deep.as_bytes(), Keep::new(Needs::range()), threads);
    assert_eq!(got, expected);
}

/// Several threads give what the oracle expects, not only what one thread gives.
#[test]
fn several_threads_give_the_oracles_answers() {
    proptest!(cases(300), |(case in any_case(), threads in threads(),
        shape in select(&[Shape::Nodes, Shape::Tuples, Shape::Instances][..]))| {
        let none = Prefixes::default();
        let oracle = Oracle::new(&case.doc, &case.pattern, &none, Runs::Peak);
        let expected: Option<Vec<Expected>> = oracle.answers(shape, 3_000);
        prop_assume!(expected.is_some());
        let plan = case.plan(Config::new().shape(shape));
        let needs = Needs { path: true, end: true, ..Needs::default() };
        let (got, _) = divided(&plan, case.doc.text.as_bytes(), Keep::new(needs), threads);
        prop_assert_eq!(&got.end, &Ok(false));
        same_answers(&case.doc, shape, &expected.unwrap_or_default(), &got.seen)
            .and_then(|()| right_details(&case.doc, needs, &got.seen))
            .map_err(TestCaseError::fail)?;
    });
}
