//! Where answers are only counted the engine takes short cuts. The counts are those of a sink that
//! looks at every answer, and for which it takes none.

use std::ops::ControlFlow;

use proptest::prelude::*;
use proptest::sample::select;
use rpdt::input::Checks;
use rpdt::{Answer, Config, Count, FrontEnd, Limits, Needs, Pattern, Plan, Runs, Shape, Sink};

/// Counts by looking at each answer.
#[derive(Debug, Default)]
struct Look(Vec<u64>);

impl Sink for Look {
    fn needs(&self) -> Needs {
        Needs::range()
    }

    fn answer(&mut self, query: usize, _: u64, _: &Answer<'_>) -> ControlFlow<()> {
        self.0[query] += 1;
        ControlFlow::Continue(())
    }
}

/// Stops after so many answers.
#[derive(Debug)]
struct First(u64);

impl Sink for First {
    fn needs(&self) -> Needs {
        Needs::count()
    }

    fn answer(&mut self, _: usize, _: u64, _: &Answer<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn count(&mut self, _: usize, n: u64) -> ControlFlow<()> {
        self.0 = self.0.saturating_sub(n);
        if self.0 == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

const QUERIES: [&str; 59] = [
    "//a/{b!, c!}",
    "//a/{b!, b!*}",
    "/a/{b!, (a|c!)*}",
    "//a/{a!, (b|c), a!}",
    "//a/{b!{2,3}, c?}",
    "//*/{a!, *, b!}",
    "//b/{*!, *!}",
    "//a/{(b!|c!)*, a!}",
    "//a/{b!*, c!*}",
    "//a[c]/{b!, b!*}",
    "//a[.//c]/{a!, b[c]!*}",
    "//a[{b, c}]/{a!, b!}",
    "//a[{b, c*}]/b",
    "//c/a/{b!, c!+}",
    // Steps with conditions, and what hangs below them.
    "//a",
    "//a//b",
    "/a/a/b",
    "/a/b[c]/a",
    "//a[b]/c",
    "//a[.//b]/c",
    "//a[b][.//c]/d",
    "//a[b[c]]/d",
    "//a[b[.//c][d]]/b",
    "//a[.//b[.//c]]/d",
    "//a[b]//c",
    "//a[.//b]//c",
    "//a[b]//a",
    "//a[b[c][d]]//*",
    "//*[a]/*",
    "//a/b[c]//d",
    // A step between that has no conditions.
    "//a[.//b]//c/d",
    "//a[b]//a/a",
    "//a[.//a]//a/a",
    "//*[b]//*/*",
    "//a[b[c]][.//d]//*/a",
    "//c/a[b]//b/*",
    "//a[b]//c//d",
    "//a[b]//c/d/a",
    "//a//b[c]/d[a]/b",
    "//a[b]/c[d]/a[b]/*",
    // Several steps with conditions, on both axes.
    "//a[b]//c[d]/a",
    "//a[b]//c[d]//b",
    "//a[b]/c//d[a]/b",
    "//a[.//b]/a//a[c]/a",
    "//*[a]/*//*[b]/*",
    "//a[b]//a/a[c]//a",
    "//a[.//b]//c//d[a]//*",
    "//*[.//a]//*[.//b]//*[c]/*",
    "//*[d]/*/*//*[c]/*/*",
    "//*[d]/*[a]//*/*[c]//*[b]",
    "//a//b[a]//c//d/a",
    "//*[b]//*[c]//*/d",
    "//*[d]/*/b[d]//c",
    // Owners with conditions, symbols with conditions.
    "//a[.//b]/{b!, c!*}",
    "//a[b][c[d]]/{b!, (c!|d!)*}",
    "//a/{b[c]!, b!*}",
    "//a[.//d]/{a, b?, c[b]!, c*}",
    "/a/b/{a[b[c]]!, (a[.//d]!|b!)*}",
    "//a/{*[a]!, *[b], *[c][d]!}",
];

/// Runs of children, some with children of their own; in many ways of writing.
fn element(depth: u32) -> BoxedStrategy<String> {
    let name = select(&["a", "b", "c", "d"][..]);
    let around = select(&["", " ", "text", "<!--x-->", "<?p?>", "&amp;", "é", "]"][..]);
    let tail = select(&["", "", "", " x='1'", " y=\"a>b\" z='/>'", "\n"][..]);
    let children = match depth {
        0 => Just(Vec::new()).boxed(),
        _ => prop::collection::vec(element(depth - 1), 0..7).boxed(),
    };
    (name, around, tail, children)
        .prop_map(|(name, around, tail, children)| {
            if children.is_empty() && around.is_empty() {
                return format!("<{name}{tail}/>");
            }
            format!("<{name}{tail}>{around}{}</{name}>{around}", children.concat())
        })
        .boxed()
}

fn document() -> impl Strategy<Value = String> {
    // With bytes behind, so that the hot path goes to the end.
    prop::collection::vec(element(4), 0..4)
        .prop_map(|children| format!("<a>{}</a>{}", children.concat(), " ".repeat(100)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn counts_are_those_of_a_sink_that_looks(
        document in document(),
        queries in prop::collection::vec(select(&QUERIES[..]), 1..3),
        runs in select(&[Runs::Peak, Runs::Live, Runs::NonOverlap][..]),
        shape in select(&[Shape::Tuples, Shape::Tuples, Shape::Nodes, Shape::Instances][..]),
        few_states in any::<bool>(),
    ) {
        let patterns = || queries.iter().map(|q| Pattern::parse(q).expect("it is right")).collect();
        let mut config = Config::new().runs(runs).shape(shape);
        if few_states {
            let mut limits = Limits::default();
            limits.automaton_states = 3;
            config = config.limits(limits);
        }
        let slow = config.clone().front_end(FrontEnd::QuickXml);
        let plan: Vec<Pattern> = patterns();
        let look = Look(vec![0; queries.len()]);
        let slow = Plan::new(plan, slow).and_then(|plan| plan.run_slice(document.as_bytes(), look));
        let expected = slow.expect("the document is well-formed").sink.0;
        for front_end in [FrontEnd::QuickXml, FrontEnd::Scanner, FrontEnd::PortableScanner] {
            for checks in [Checks::Fast, Checks::Strict] {
                let config = config.clone().front_end(front_end).checks(checks);
                let plan = Plan::new(patterns(), config).expect("it compiles");
                let counted = plan.run_slice(document.as_bytes(), Count::new());
                let sink = counted.expect("the document is well-formed").sink;
                let counts: Vec<u64> = (0..queries.len()).map(|q| sink.of(q)).collect();
                prop_assert_eq!(&counts, &expected, "{:?} {:?}", front_end, checks);
                let all: u64 = expected.iter().sum();
                for stop in [1, 2, all.max(1)] {
                    let outcome = plan.run_slice(document.as_bytes(), First(stop));
                    let outcome = outcome.expect("the document is well-formed");
                    prop_assert_eq!(outcome.stopped, all >= stop, "{:?}", front_end);
                    if outcome.stopped {
                        prop_assert!((stop..stop + 2).contains(&outcome.stats.answers));
                    }
                }
            }
        }
    }
}

/// A step of the spine: its axis, its name, and at times a condition.
fn step() -> impl Strategy<Value = String> {
    let axis = select(&["/", "//", "//"][..]);
    let name = select(&["a", "b", "c", "*"][..]);
    let condition = select(&["", "", "[c]", "[d]", "[.//d]", "[b[c]]", "[.//a[b]][d]"][..]);
    (axis, name, condition).prop_map(|(axis, name, condition)| format!("{axis}{name}{condition}"))
}

/// The number of answers after each piece of a document.
fn counts<S: Sink>(plan: &Plan, document: &str, size: usize, sink: S) -> Vec<u64> {
    let mut matcher = plan.matcher(sink);
    let pieces = document.as_bytes().chunks(size).map(|piece| {
        matcher.feed(piece).expect("the document is well-formed");
        matcher.stats().answers
    });
    let counts = pieces.collect();
    matcher.finish().expect("the document is well-formed");
    counts
}

/// Looks at each answer as soon as it is certain, as offsets of ends are not asked for.
#[derive(Debug)]
struct Early;

impl Sink for Early {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn answer(&mut self, _: usize, _: u64, _: &Answer<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]
    /// Steps with conditions on any axes: an answer is counted no later than one could look at it.
    #[test]
    fn answers_are_counted_as_soon_as_they_are_certain(
        document in document(),
        steps in prop::collection::vec(step(), 2..6),
        size in select(&[1, 7, 1 << 20][..]),
    ) {
        let plan = Plan::parse(&steps.concat()).expect("the query is right");
        let counted = counts(&plan, &document, size, Count::new());
        let looked = counts(&plan, &document, size, Early);
        prop_assert_eq!(counted.last(), looked.last());
        for (at, (counted, looked)) in counted.iter().zip(&looked).enumerate() {
            prop_assert!(counted >= looked, "{} < {} after {} bytes", counted, looked, (at + 1) * size);
        }
    }
}

/// The outer of two elements that match a step ends inside what the inner one hangs below.
#[test]
fn an_outer_element_counts_that_ends_early() {
    let document = "<a><d><b><b><c/><d/></b><d/></b></d><d/></a>";
    for (query, expected) in
        [("//*[d]/*/b[d]//c", 1), ("//*[d]/b[d]//c", 1), ("//a[d]/*/b[d]/c", 0)]
    {
        let plan = Plan::parse(query).expect("the query is right");
        let outcome = plan.run_slice(document.as_bytes(), Count::new());
        assert_eq!(outcome.expect("it is well-formed").sink.total(), expected, "{query}");
    }
}

/// A run stays alive beside an element in which other runs end.
#[test]
fn nested_owners_leave_the_outer_run_alone() {
    for query in ["//a/{b!, c!}", "//a[.//d]/{b!, c!}"] {
        for (document, expected) in [
            ("<a><b><a/></b><d/><c/></a>", 0),
            ("<a><b><a><b/></a></b><d/><c/></a>", 0),
            ("<a><b><a><b/></a></b><c/><d/></a>", 1),
            ("<a><b><a><b/><c/></a></b><c/><d/></a>", if query.contains('d') { 1 } else { 2 }),
        ] {
            let document = format!("{document}{}", " ".repeat(100));
            let plan = Plan::parse(query).expect("the query is right");
            let outcome = plan.run_slice(document.as_bytes(), Count::new());
            let count = outcome.expect("the document is well-formed").sink.total();
            assert_eq!(count, expected, "{query} {document}");
        }
    }
}

/// More states of runs than are remembered at a time.
#[test]
fn the_memory_of_the_automaton_is_bounded() {
    // Which of the last ten children were `b` is what has to be known.
    let query = "//a/{b!, (b|c), (b|c), (b|c), (b|c), (b|c), (b|c), (b|c), (b|c), (b|c), (b|c), (b|c), (b|c), d!}";
    let mut document = String::from("<a>");
    let mut state = 1u32;
    for _ in 0..60_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        document.push_str(match state >> 24 {
            0..=9 => "<d/>",
            10..=130 => "<b/>",
            _ => "<c/>",
        });
    }
    document.push_str("</a>");
    let plan = Plan::parse(query).expect("the query is right");
    let count = plan.run_slice(document.as_bytes(), Count::new()).expect("it is well-formed");
    let look = plan.run_slice(document.as_bytes(), Look(vec![0])).expect("it is well-formed");
    assert_eq!(count.sink.total(), look.sink.0[0]);
    assert!(look.sink.0[0] > 100);
}
