//! Documents and queries that want to break the engine: very deep, very wide, very long, full of
//! embeddings, beyond the limits, damaged, or made of noise.
//!
//! Every document is chosen so that the right answer can be counted by hand. A time limit would be
//! flaky; instead the sizes are such that anything quadratic (or 2^k) where it must not be does not
//! come back.

use std::io::{Read, repeat};
use std::ops::ControlFlow;

use proptest::prelude::*;
use proptest::test_runner::Config as Proptest;
use rpdt::input::Flow;
use rpdt::{
    Answer, Config, Count, Error, ErrorKind, Limits, Mechanisms, Needs, Order, Pattern, Plan, Runs,
    Shape, Sink, Stats, Value, Visit,
};

fn plan(query: &str, config: Config) -> Plan {
    let pattern = Pattern::parse(query).unwrap_or_else(|e| panic!("{query}: {e}"));
    Plan::new(vec![pattern], config).unwrap_or_else(|e| panic!("{query}: {e}"))
}

/// The number of answers, read through the engine's own buffer.
fn counted(query: &str, config: Config, document: impl Read) -> (u64, Stats) {
    let outcome = plan(query, config).run_reader(document, Count::new());
    let outcome = outcome.unwrap_or_else(|e| panic!("{query}: {e}"));
    (outcome.sink.total(), outcome.stats)
}

fn count(query: &str, document: &str) -> u64 {
    counted(query, Config::new(), document.as_bytes()).0
}

fn tuples() -> Config {
    Config::new().shape(Shape::Tuples)
}

/// The kind of the error, after checking that its message names the limit.
fn refused(query: &str, limits: Limits, document: impl Read, named: &str) {
    let outcome = plan(query, Config::new().limits(limits)).run_reader(document, Count::new());
    let error = outcome.err().unwrap_or_else(|| panic!("{query}: no error for {named}"));
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    assert!(error.to_string().contains(named), "{error} does not name {named}");
}

fn limits(set: impl FnOnce(&mut Limits)) -> Limits {
    let mut limits = Limits::default();
    set(&mut limits);
    limits
}

const DEEP: usize = 100_000;

fn nested(depth: usize, inner: &str) -> String {
    format!("{}{inner}{}", "<a>".repeat(depth), "</a>".repeat(depth))
}

#[test]
fn a_hundred_thousand_levels() {
    let document = nested(DEEP, "<b/>");
    let (n, stats) = counted("//a//a[b]", Config::new(), document.as_bytes());
    assert_eq!((n, stats.max_depth), (1, DEEP + 1));
    assert_eq!(count("//a//a", &document), DEEP as u64 - 1);
    assert_eq!(count("//a[.//b]", &document), DEEP as u64);
    assert_eq!(count("//a[.//b!]", &document), 1);
    assert_eq!(count("//a[.//a[.//a[b]]]", &document), DEEP as u64 - 2);
    assert_eq!(count("//a/{a!}", &document), DEEP as u64 - 1);
    assert_eq!(count("//a[c]//b", &document), 0);
    assert_eq!(count("/a/a/a/b", &document), 0);
}

#[test]
fn a_hundred_thousand_levels_without_any_mechanism() {
    let document = nested(DEEP, "<b/>");
    let mechanisms = Mechanisms { lazy_automaton: false, skipping: false, sharing: true };
    let config = Config::new().mechanisms(mechanisms);
    assert_eq!(counted("//a//a[b]", config, document.as_bytes()).0, 1);
}

#[test]
fn a_hundred_thousand_levels_stopped_early() {
    let document = nested(DEEP, "<b/>");
    // There are about 5,000,000,000 pairs; nobody makes them before they are asked for.
    let plan = plan("//a!//a!", Config::new());
    let mut left = 10;
    let sink = Visit::new(Needs::range(), |_, _: &Answer<'_>| {
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let outcome = plan.run_slice(document.as_bytes(), sink).expect("well-formed so far");
    assert!(outcome.stopped);
    assert_eq!(left, 0);
}

#[test]
fn recursion_makes_no_embeddings() {
    let document = nested(2_000, "<b/><b/><b/><c/><c/>");
    assert_eq!(count("//a[.//b!][.//c!]", &document), 6);
    assert_eq!(count("//a//a//a//a//a//a//a//b", &document), 3);
    assert_eq!(count("//a[.//a[.//a[.//a[.//b]]]]", &document), 1_997);
    let instances = Config::new().shape(Shape::Instances);
    assert_eq!(counted("//a[.//b!][.//c!]", instances, document.as_bytes()).0, 2_000);
    // What stands between two return nodes does not multiply the work without bound either.
    let document = nested(200, "<b/><b/><b/>");
    assert_eq!(count("//a!//a//a//b!", &document), 3 * 198);
}

#[test]
fn recursion_with_candidates_at_every_level() {
    let depth = 100;
    let document = format!("{}{}", "<a><b/>".repeat(depth), "<c/></a>".repeat(depth));
    // Every b meets every c below the outermost element, and each pair is one answer.
    assert_eq!(count("//a[.//b!][.//c!]", &document), 10_000);
    assert_eq!(count("//a[b!][c!]", &document), 100);
    assert_eq!(count("//a[b!]//c!", &document), 100 * 101 / 2);
    let document = format!("{}{}", "<a><b/>".repeat(3_000), "<c/></a>".repeat(3_000));
    let nodes = Config::new().shape(Shape::Nodes);
    assert_eq!(counted("//a[.//b!][.//c!]", nodes, document.as_bytes()).0, 6_000);
}

#[test]
fn undecided_candidates_of_deep_recursion_are_shared() {
    // Every a is undecided until the z of the outermost one, which decides for all of them.
    let depth = 3_000;
    let document = format!("<a>{}<z/></a>", nested(depth, "<b/>"));
    assert_eq!(count("//a[z]//b", &document), 1);
    assert_eq!(count("//a[z]//a", &document), depth as u64);
    let (n, stats) = counted("//a[z]//a//a", Config::new(), document.as_bytes());
    assert_eq!(n, depth as u64 - 1);
    assert!(stats.peak_buffered_bytes < 4 << 20, "{} bytes", stats.peak_buffered_bytes);
}

#[test]
fn instances_of_deep_recursion_share_their_lists() {
    let depth = 10_000;
    let document = nested(depth, "<b/><b/>");
    let mut nodes = 0;
    let sink = Visit::new(Needs::range(), |_, answer: &Answer<'_>| {
        if let Answer::Instance(fields) = answer
            && let Value::List(list) = &fields[0].value
        {
            nodes += list.len();
        }
        ControlFlow::Continue(())
    });
    let plan = plan("//a[.//b!]", Config::new().shape(Shape::Instances));
    plan.run_slice(document.as_bytes(), sink).expect("well-formed");
    assert_eq!(nodes, 2 * depth);
}

const ROWS: usize = 1_000_000;

fn rows(row: &str, n: usize) -> String {
    format!("<t>{}</t>", row.repeat(n))
}

#[test]
fn a_million_siblings() {
    let document = rows("<row><x/></row>", ROWS);
    let (n, stats) = counted("//row[x]!", Config::new(), document.as_bytes());
    assert_eq!((n, stats.answers), (ROWS as u64, ROWS as u64));
    assert!(stats.peak_buffered_bytes < 1 << 20, "{} bytes", stats.peak_buffered_bytes);
    let (n, stats) = counted("/t/{row!, row[x]!}", tuples(), document.as_bytes());
    assert_eq!(n, ROWS as u64 - 1);
    assert!(stats.peak_buffered_bytes < 1 << 20, "{} bytes", stats.peak_buffered_bytes);
}

#[test]
fn a_run_of_a_quarter_of_a_million() {
    let n = 250_000;
    let document = rows("<a/>", n);
    for runs in [Runs::Peak, Runs::NonOverlap] {
        let mut longest = 0;
        let mut answers = 0;
        let sink = Visit::new(Needs::default(), |_, answer: &Answer<'_>| {
            answers += 1;
            if let Answer::Tuple(fields) = answer
                && let Value::List(nodes) = &fields[0].value
            {
                longest = longest.max(nodes.len());
            }
            ControlFlow::Continue(())
        });
        let plan = plan("/t/{a!, a!*}", tuples().runs(runs));
        plan.run_slice(document.as_bytes(), sink).expect("well-formed");
        assert_eq!((answers, longest), (1, n), "{runs:?}");
    }
    let (live, _) = counted("/t/{a!, a*}", tuples().runs(Runs::Live), document.as_bytes());
    assert_eq!(live, n as u64);
    let nodes = Config::new().shape(Shape::Nodes);
    assert_eq!(counted("/t/{a!, a!*}", nodes, document.as_bytes()).0, n as u64);
    assert_eq!(count("/t/{a!, a*, b}", &document), 0);
}

#[test]
fn a_growing_run_is_not_read_again_and_again() {
    // Live reports a run at every child; of each only the last element is new.
    let n = 3_000;
    let document = rows("<a/>", n);
    let config = |shape| Config::new().shape(shape).runs(Runs::Live);
    let nodes = counted("/t/{a!, a!*}", config(Shape::Nodes), document.as_bytes()).0;
    assert_eq!(nodes, n as u64);
    let mut shown = 0;
    let sink = Visit::new(Needs::default(), |_, answer: &Answer<'_>| {
        if let Answer::Tuple(fields) = answer
            && let Value::List(nodes) = &fields[0].value
        {
            shown += nodes.len();
        }
        ControlFlow::Continue(())
    });
    let plan = plan("/t/{a!, a*}", config(Shape::Tuples));
    plan.run_slice(document.as_bytes(), sink).expect("well-formed");
    assert_eq!(shown, n);
}

#[test]
fn ambiguous_expressions_are_linear() {
    let document = rows("<a/>", 20_000);
    let twenty = vec!["a?"; 20].join(", ");
    for expression in ["(a|a)*, (a|a)*, b".to_owned(), "((a*)*)*, b".into(), format!("{twenty}, b")]
    {
        assert_eq!(count(&format!("/t/{{{expression}}}"), &document), 0, "{expression}");
    }
    let nodes = || Config::new().shape(Shape::Nodes);
    let n = counted("/t/{(a!|a!)*, (a!|a!)*}", nodes(), document.as_bytes()).0;
    assert_eq!(n, 20_000);
    // One answer, and each of its elements has 20 places to stand at.
    let all = vec!["a!?"; 20].join(", ");
    let query = format!("/t/{{{all}, a*}}");
    assert_eq!(counted(&query, nodes(), rows("<a/>", 2_000).as_bytes()).0, 20);
}

#[test]
fn rescanning_is_at_most_quadratic() {
    // Each start runs to the end in vain and falls back to one element.
    let document = rows("<a/>", 2_000);
    let config = tuples().runs(Runs::NonOverlap);
    assert_eq!(counted("/t/{a! | a, a*, b}", config, document.as_bytes()).0, 2_000);
}

const LONG: u64 = 64 << 20;

fn long_text() -> impl Read {
    (&b"<r><a>"[..]).chain(repeat(b'x').take(LONG)).chain(&b"<b/></a></r>"[..])
}

#[test]
fn a_text_node_of_64_mb() {
    let (n, stats) = counted("//a[b]", Config::new(), long_text());
    assert_eq!((n, stats.bytes), (1, LONG + 18));
    assert!(stats.peak_buffered_bytes < 1 << 20, "{} bytes", stats.peak_buffered_bytes);
    assert_eq!(counted("//a[.!='x'][text()!='']", Config::new(), long_text()).0, 1);
}

#[test]
fn texts_beyond_the_limit() {
    let small = || limits(|l| l.text_bytes = 1 << 20);
    let untouched = Config::new().limits(small());
    assert_eq!(counted("//a[b]", untouched, long_text()).0, 1, "nobody looks at the text");
    refused("//a[.='x']", small(), long_text(), "text");
    refused("//a[text()='x']", small(), long_text(), "text");
    let document = format!("<r><a>{}</a></r>", "<b>x</b>".repeat(1 << 18));
    let smaller = limits(|l| l.text_bytes = 1 << 16);
    refused("//a[.='x']", smaller, document.as_bytes(), "text");
    let output = |needs, named| {
        let plan = plan("//a", Config::new().limits(small()));
        let error =
            plan.run_reader(long_text(), Visit::new(needs, |_, _| ControlFlow::Continue(())));
        let error = error.err().unwrap_or_else(|| panic!("{named} of 64 MB under a limit of 1 MB"));
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    };
    output(Needs { text: true, ..Needs::default() }, "text");
    output(Needs { xml: true, ..Needs::default() }, "XML");
}

#[test]
fn the_other_limits() {
    let deep = nested(11, "");
    refused("//b", limits(|l| l.depth = 10), deep.as_bytes(), "depth");
    assert_eq!(
        counted("//a", Config::new().limits(limits(|l| l.depth = 11)), deep.as_bytes()).0,
        11
    );

    let tag = format!("<r><a x=\"{}\"/></r>", "x".repeat(100_000));
    refused("//a[@x]", limits(|l| l.attribute_bytes = 50_000), tag.as_bytes(), "attribute");

    // The a is undecided until its end.
    let undecided = format!("<a>{}</a>", "<b x='1'/>".repeat(100_000));
    let few = limits(|l| l.buffered_bytes = 10_000);
    let held = plan("/a[z]/b", Config::new().limits(few.clone()));
    let look = Visit::new(Needs::range(), |_, _: &Answer<'_>| ControlFlow::Continue(()));
    let error = held.run_slice(undecided.as_bytes(), look).err().expect("candidates are held");
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    assert!(error.to_string().contains("buffer"), "{error}");
    refused("/a[z]/b[@x]", few.clone(), undecided.as_bytes(), "buffer");
    // Where a number is all that has to be known of them, none is held.
    assert_eq!(counted("/a[z]/b", Config::new().limits(few), undecided.as_bytes()).0, 0);

    let markup = |open: &'static str, close: &'static str| {
        open.as_bytes().chain(repeat(b'x').take(4 << 20)).chain(close.as_bytes())
    };
    let small = || limits(|l| l.markup_bytes = 1 << 20);
    refused("//a", small(), markup("<a><?p ", "?></a>"), "markup");
    refused("//a", small(), markup("<!DOCTYPE a [<!-- ", " -->]><a/>"), "markup");
    // A comment that nobody looks at need not be held.
    let comment = markup("<a><!--", "--></a>");
    assert_eq!(counted("//a", Config::new().limits(small()), comment).0, 1);
}

#[test]
fn a_billion_laughs() {
    let mut document = "<!DOCTYPE r [<!ENTITY e0 \"ha\">".to_owned();
    for i in 1..30 {
        let before = i - 1;
        let twice = format!("<!ENTITY e{i} \"&e{before};&e{before};\">");
        document.push_str(&twice);
    }
    document.push_str("]><r><a>&e29;</a></r>");
    refused("//a[.='x']", Limits::default(), document.as_bytes(), "entity");
    let circle = "<!DOCTYPE r [<!ENTITY a \"&b;\"><!ENTITY b \"&a;\">]><r><a>&a;</a></r>";
    let outcome = plan("//a[.='x']", Config::new()).run_slice(circle.as_bytes(), Count::new());
    let kind = outcome.expect_err("an entity in itself").kind();
    assert!(
        matches!(kind, ErrorKind::Entity | ErrorKind::Malformed | ErrorKind::Limit),
        "{kind:?}"
    );
}

#[test]
fn many_attributes() {
    let n = 50_000;
    let attributes: String = (0..n).map(|i| format!(" a{i}=\"{i}\"")).collect();
    let document = format!("<r><a{attributes}/><a{attributes} a0=\"twice\"/></r>");
    let plan = plan("//a[@a49999=49999][@a0]", Config::new());
    let mut answers = Count::new();
    let error = plan.run_slice(document.as_bytes(), &mut answers).expect_err("an attribute twice");
    assert_eq!((error.kind(), answers.total()), (ErrorKind::Malformed, 1), "{error}");
}

#[test]
fn many_names() {
    let n = 100_000;
    let elements: String = (0..n).map(|i| format!("<e{i}><x/></e{i}><a/>")).collect();
    let document = format!("<r>{elements}</r>");
    assert_eq!(count("//a", &document), n);
    assert_eq!(count("/r/*[x]", &document), n);
    assert_eq!(count("//e99999/x", &document), 1);
    let few = Config::new().limits(limits(|l| l.names = 10));
    assert_eq!(counted("//e99999/x", few, document.as_bytes()).0, 1);
}

#[test]
fn a_name_of_a_megabyte() {
    let name = "n".repeat(1 << 20);
    let document = format!("<r><{name}><a/></{name}></r>");
    assert_eq!(count("/r/*/a", &document), 1);
    assert_eq!(count(&format!("//{name}"), &document), 1);
    let other = format!("<r><{name}></{name}x></r>");
    let error = plan("//a", Config::new()).run_slice(other.as_bytes(), Count::new());
    assert_eq!(error.expect_err("tags that do not match").kind(), ErrorKind::Malformed);
}

#[test]
fn many_queries_in_one_pass() {
    let queries = (0..500).map(|i| Pattern::parse(&format!("//a{}[x]/b{}!", i % 50, i % 7)));
    let queries: Result<Vec<_>, _> = queries.collect();
    let plan = Plan::new(queries.expect("right queries"), Config::new()).expect("compiles");
    let parts: String =
        (0..50).map(|i| format!("<a{i}><x/>{}</a{i}>", "<b3/><b6/>".repeat(3))).collect();
    let outcome = plan.run_slice(format!("<r>{parts}</r>").as_bytes(), Count::new());
    let counts = outcome.expect("well-formed").sink;
    for i in 0..500 {
        let wanted = if matches!(i % 7, 3 | 6) { 3 } else { 0 };
        assert_eq!(counts.of(i), wanted, "query {i}");
    }
}

#[test]
fn queries_without_end() {
    // Either it compiles or it is refused; nothing is unrolled without a bound.
    let deep = format!("//a{}{}", "[a".repeat(100_000), "]".repeat(100_000));
    let groups = format!("/a/{{{}a{}}}", "(".repeat(100_000), ")".repeat(100_000));
    let counted = "/a/{(((((a{1000}){1000}){1000}){1000}){1000})}".to_owned();
    let long = format!("//a{}", "/a".repeat(100_000));
    for query in [deep, groups, counted, long] {
        let start: String = query.chars().take(20).collect();
        if let Err(e) = Pattern::parse(&query).and_then(|p| Plan::new(vec![p], Config::new())) {
            assert!(matches!(e.kind(), ErrorKind::Query | ErrorKind::Limit), "{start}: {e}");
        }
    }
    let wide = format!("//a{}", "[b]".repeat(Pattern::MAX_CONDITIONS));
    assert_eq!(count(&wide, "<a><b/></a>"), 1);
    let bits = (0..Pattern::MAX_CONDITIONS).map(|i| format!("[b{i}]")).collect::<String>();
    let all = (0..200).map(|i| format!("<b{i}/>")).collect::<String>();
    assert_eq!(count(&format!("//a{bits}"), &format!("<a>{all}</a>")), 1);
    let but_one = all.replace("<b63/>", "");
    assert_eq!(count(&format!("//a{bits}"), &format!("<a>{but_one}</a>")), 0);
    let word = (0..150).map(|i| format!("b{i}")).collect::<Vec<_>>().join(", ");
    assert_eq!(count(&format!("//a/{{{word}}}"), &format!("<a>{all}</a>")), 1);
    assert_eq!(count(&format!("//a/{{{word}}}"), &format!("<a>{but_one}</a>")), 0);
}

#[test]
fn after_a_failure_nothing_goes_on() {
    let plan = plan("//a", Config::new());
    let mut matcher = plan.matcher(Count::new());
    assert_eq!(matcher.feed(b"<r><a/>").expect("well-formed"), Flow::Continue);
    assert_eq!(matcher.feed(b"</x>").expect_err("another name").kind(), ErrorKind::Malformed);
    assert_eq!(matcher.sink_mut().total(), 1, "what was given stays");
    assert_eq!(matcher.feed(b"<b/>").expect_err("failed before").kind(), ErrorKind::Usage);
    assert_eq!(matcher.finish().expect_err("failed before").kind(), ErrorKind::Usage);
}

#[test]
fn errors_of_the_reader_are_passed_on() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the cable is out"))
        }
    }
    let plan = plan("//a", Config::new());
    let mut answers = Count::new();
    let reader = (&b"<r><a></a>"[..]).chain(Broken);
    let error = plan.run_reader(reader, &mut answers).expect_err("a broken reader");
    assert_eq!((error.kind(), answers.total()), (ErrorKind::Io, 1), "{error}");
    assert!(error.to_string().contains("the cable is out"), "{error}");
}

/// What came of a run: answers as (start, label), and the error's kind and offset.
fn outcome(plan: &Plan, document: &[u8], size: usize) -> (Vec<String>, Option<(ErrorKind, u64)>) {
    let mut answers = Vec::new();
    let mut sink = Visit::new(Needs::description(), |_, answer: &Answer<'_>| {
        answers.push(format!("{answer:?}"));
        ControlFlow::Continue(())
    });
    let error = fed(plan, document, size, &mut sink).err();
    let place = error.map(|e| (e.kind(), e.position().map_or(u64::MAX, |p| p.offset)));
    (answers, place)
}

fn fed(plan: &Plan, document: &[u8], size: usize, sink: impl Sink) -> Result<(), Error> {
    let mut matcher = plan.matcher(sink);
    for chunk in document.chunks(size) {
        matcher.feed(chunk)?;
    }
    matcher.finish().map(drop)
}

proptest! {
    #![proptest_config(Proptest {
        cases: 3_000, failure_persistence: None, ..Proptest::default()
    })]

    /// Noise and damaged documents never panic, and fail the same way in chunks of any size.
    #[test]
    fn damage_is_found_whatever_the_chunks(
        pieces in proptest::collection::vec(proptest::sample::select(&[
            "<a>", "</a>", "<a", "<b x='1'>", "</b>", "<b/>", " ", ">", "<", "/>", "x", "&amp;",
            "&", ";", "&#65;", "&#0;", "&e;", "<!--", "-->", "--", "<![CDATA[", "]]>", "<?p", "?>",
            "<!DOCTYPE a [", "<!ENTITY e 'x'>", "]>", "=", "\"", "'", " x=\"1\"", "\u{feff}", "\0",
            "é", "<?xml version='1.0'?>", "<a xmlns='u'>", "<p:a>", "\r\n", "]]",
        ][..]), 0..12),
        bytes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..2),
        whole in any::<bool>(),
        order in proptest::sample::select(&[Order::Certain, Order::Document][..]),
    ) {
        let inner = pieces.concat();
        let text = if whole { format!("<a><b x='2'>{inner}</b><b/></a>") } else { inner };
        let mut document = text.into_bytes();
        for (at, byte) in bytes {
            if !document.is_empty() {
                let at = at.index(document.len());
                document[at] = byte;
            }
        }
        for query in ["//b", "//a[.!='x']/b![@x]", "/a/{b!*}"] {
            let plan = plan(query, Config::new().order(order));
            let reference = outcome(&plan, &document, usize::MAX);
            for size in [1, 2, 5] {
                let chunked = outcome(&plan, &document, size);
                prop_assert_eq!(
                    &chunked, &reference, "{} on {:?} by {}",
                    query, String::from_utf8_lossy(&document), size
                );
            }
        }
    }
}
