//! Property tests: the engine against the oracle, and the engine against itself under every
//! configuration that must not matter.
//!
//! A case is a random query with a document that is made for it, or with any random document. Set
//! `PROPTEST_CASES` to run more cases than the default. Failures are printed in their smallest
//! form, which belongs into `data/cases.txt` once it is understood.

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
#[path = "common/witness.rs"]
mod witness;

use case_gen::{Case, case, pattern, prefixed_case, siblings};
use dom::Document;
use oracle::answers::Expected;
use oracle::observe::{Keep, feed, right_details, same_answers};
use oracle::{Oracle, Prefixes};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config as Proptest, TestCaseError, TestRunner};
use rpdt::pattern::{Branch, Operand};
use rpdt::{
    Config, Count, Error, ErrorKind, Exists, Limits, Mechanisms, Namespaces, Needs, Order, Pattern,
    Plan, Runs, Shape,
};

const SHAPES: [Shape; 3] = [Shape::Nodes, Shape::Tuples, Shape::Instances];
const RUNS: [Runs; 3] = [Runs::Live, Runs::Peak, Runs::NonOverlap];

/// Cases with more answers than this are left out: products of three return nodes can be huge.
const MOST_ANSWERS: usize = 3_000;

fn cases(default: u32) -> Proptest {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|v| v.parse().ok());
    Proptest { cases: asked.unwrap_or(default), failure_persistence: None, ..Proptest::default() }
}

/// Runs one plan with a fresh sink; the document is well-formed, so errors are failures.
fn run(plan: &Plan, doc: &Document, sizes: &[usize], needs: Needs) -> Result<Keep, TestCaseError> {
    let mut keep = Keep::new(needs);
    feed(plan, doc.text.as_bytes(), sizes, &mut keep).map_err(|e| fail(doc, &e))?;
    Ok(keep)
}

fn fail(doc: &Document, error: &Error) -> TestCaseError {
    TestCaseError::fail(format!("{error} in {}", doc.text))
}

const WHOLE: &[usize] = &[usize::MAX];

fn shape() -> impl Strategy<Value = Shape> {
    select(SHAPES.as_slice())
}

fn runs() -> impl Strategy<Value = Runs> {
    select(RUNS.as_slice())
}

fn needs() -> impl Strategy<Value = Needs> {
    any::<[bool; 6]>().prop_map(|[end, name, path, attributes, text, xml]| Needs {
        count_only: false,
        end,
        name,
        path,
        attributes,
        text,
        xml,
    })
}

fn mechanisms() -> impl Strategy<Value = Mechanisms> {
    any::<[bool; 3]>().prop_map(|[lazy_automaton, skipping, sharing]| Mechanisms {
        lazy_automaton,
        skipping,
        sharing,
    })
}

fn check(
    case: &Case,
    prefixes: &Prefixes,
    config: &Config,
    (shape, runs): (Shape, Runs),
    needs: Needs,
) -> Result<(), TestCaseError> {
    let doc = &case.doc;
    let oracle = Oracle::new(doc, &case.pattern, prefixes, runs);
    let Some(expected) = oracle.answers(shape, MOST_ANSWERS) else { return Ok(()) };
    let plan = case.plan(config.clone().shape(shape).runs(runs));
    let keep = run(&plan, doc, WHOLE, needs)?;
    same_answers(doc, shape, &expected, &keep.seen)
        .and_then(|()| right_details(doc, needs, &keep.seen))
        .map_err(|e| TestCaseError::fail(format!("{case:?} {shape:?} {runs:?}\n{e}")))
}

proptest! {
    #![proptest_config(cases(2_000))]

    /// Every shape and every policy of runs gives exactly the oracle's answers.
    #[test]
    fn answers_are_the_oracles(case in case(), needs in needs()) {
        for shape in SHAPES {
            for runs in RUNS {
                check(&case, &Prefixes::default(), &Config::new(), (shape, runs), needs)?;
            }
        }
    }

    /// The same for long rows of siblings.
    #[test]
    fn runs_are_the_oracles(case in siblings(), needs in needs()) {
        for shape in SHAPES {
            for runs in RUNS {
                check(&case, &Prefixes::default(), &Config::new(), (shape, runs), needs)?;
            }
        }
    }

    /// The same with namespaces: prefixes rebound and undeclared, a default namespace or none.
    #[test]
    fn namespaced_answers_are_the_oracles(
        case in prefixed_case(),
        (shape, runs) in (shape(), runs()),
        p in 0..2usize,
        default in proptest::option::weighted(0.3, 0..2usize),
    ) {
        let uris = doc_gen::URIS;
        let mut namespaces = Namespaces::new().with("p", uris[p]).with("r", uris[1 - p]);
        let mut prefixes = Prefixes {
            declared: vec![("p".into(), uris[p].into()), ("r".into(), uris[1 - p].into())],
            default: None,
        };
        if let Some(d) = default {
            namespaces = namespaces.with_default(uris[d]);
            prefixes.default = Some(uris[d].into());
        }
        let config = Config::new().namespaces(namespaces);
        check(&case, &prefixes, &config, (shape, runs), Needs::range())?;
    }

    /// Chunks, order, mechanisms and a tiny automaton never change the answers; chunks do not even
    /// change their order, and the order of the document is the order of the oracle.
    #[test]
    fn answers_do_not_depend_on_the_configuration(
        case in prop_oneof![case(), siblings()],
        (shape, runs) in (shape(), runs()),
        needs in needs(),
        mechanisms in mechanisms(),
        sizes in doc_gen::chunk_sizes(),
    ) {
        let doc = &case.doc;
        let config = Config::new().shape(shape).runs(runs);
        let usual = case.plan(config.clone());
        let reference = run(&usual, doc, WHOLE, needs)?;
        prop_assume!(reference.seen.len() <= MOST_ANSWERS);
        let mut sorted = reference.keys(0);
        sorted.sort();

        let chunked = run(&usual, doc, &sizes, needs)?;
        prop_assert_eq!(&chunked.seen, &reference.seen, "{:?} by {:?}", case, sizes);
        let in_order = case.plan(config.clone().order(Order::Document));
        let in_order = run(&in_order, doc, &sizes, needs)?;
        // Answers without any node have no place of their own in the document.
        let mut in_order_keys = in_order.keys(0);
        in_order_keys.sort_by_key(|key| !key.is_empty());
        prop_assert_eq!(&in_order_keys, &sorted, "{:?} in document order", case);
        right_details(doc, needs, &in_order.seen).map_err(TestCaseError::fail)?;

        let mut tiny = Limits::default();
        tiny.automaton_states = 2;
        tiny.names = 2;
        for config in [config.clone().mechanisms(mechanisms), config.clone().limits(tiny)] {
            let other = run(&case.plan(config.clone()), doc, &sizes, needs)?;
            let mut keys = other.keys(0);
            keys.sort();
            prop_assert_eq!(&keys, &sorted, "{:?} under {:?}", case, config);
            right_details(doc, needs, &other.seen).map_err(TestCaseError::fail)?;
        }

        let n = reference.seen.len() as u64;
        for order in [Order::Certain, Order::Document] {
            let plan = case.plan(config.clone().order(order));
            let count = plan.run_slice(doc.text.as_bytes(), Count::new());
            let count = count.map_err(|e| fail(doc, &e))?.sink;
            prop_assert_eq!((count.of(0), count.total()), (n, n), "count of {:?}", case);
        }
        let found = usual.run_slice(doc.text.as_bytes(), Exists::new());
        let found = found.map_err(|e| fail(doc, &e))?;
        prop_assert_eq!((found.sink.found(), found.stopped), (n > 0, n > 0), "{:?}", case);
    }

    /// Several queries in one pass give what each gives alone; sequence numbers count through.
    #[test]
    fn queries_do_not_disturb_each_other(
        case in case(),
        others in vec(pattern(), 1..4),
        shape in proptest::option::of(shape()),
        runs in runs(),
        sizes in doc_gen::chunk_sizes(),
    ) {
        let doc = &case.doc;
        let config = Config::new().runs(runs);
        let config = shape.map_or(config.clone(), |s| config.shape(s));
        let mut patterns = others;
        patterns.push(case.pattern.clone());
        let all = Plan::new(patterns.clone(), config.clone()).map_err(|e| fail(doc, &e))?;
        let together = run(&all, doc, &sizes, Needs::range())?;
        for (index, pattern) in patterns.into_iter().enumerate() {
            let case = Case { pattern, doc: doc.clone() };
            let alone = case.plan(config.clone());
            prop_assert_eq!(alone.shape(0), all.shape(index));
            let alone = run(&alone, doc, WHOLE, Needs::range())?;
            prop_assert_eq!(together.keys(index), alone.keys(0), "{:?}", case);
        }
        let sequence = together.seen.iter().map(|s| s.sequence);
        prop_assert!(sequence.eq(0..together.seen.len() as u64), "sequence in {}", doc.text);
    }

    /// A sink that stops after k answers has seen the first k answers of the whole run.
    #[test]
    fn early_stop_gives_a_prefix(
        case in prop_oneof![case(), siblings()],
        (shape, runs) in (shape(), runs()),
        order in select([Order::Certain, Order::Document].as_slice()),
        sizes in doc_gen::chunk_sizes(),
        at in any::<proptest::sample::Index>(),
    ) {
        let doc = &case.doc;
        let plan = case.plan(Config::new().shape(shape).runs(runs).order(order));
        let whole = run(&plan, doc, WHOLE, Needs::range())?;
        if !whole.seen.is_empty() {
            let k = at.index(whole.seen.len()) + 1;
            let mut some = Keep::new(Needs::range()).stop_after(k);
            let outcome = feed(&plan, doc.text.as_bytes(), &sizes, &mut some);
            let stopped = outcome.map_err(|e| fail(doc, &e))?.stopped;
            prop_assert!(stopped, "stopped in {:?}", case);
            prop_assert_eq!(&some.seen, &whole.seen[..k], "first {} of {:?}", k, case);
        }
    }

    /// A document that is cut off gives a prefix of the answers and an error.
    #[test]
    fn truncation_gives_a_prefix_and_an_error(
        case in prop_oneof![case(), siblings()],
        (shape, runs) in (shape(), runs()),
        needs in needs(),
        sizes in doc_gen::chunk_sizes(),
        cuts in vec(any::<proptest::sample::Index>(), 6),
    ) {
        let plan = case.plan(Config::new().shape(shape).runs(runs));
        let whole = run(&plan, &case.doc, WHOLE, needs)?;
        for cut in cuts {
            cut_at(&plan, &case, cut.index(case.doc.text.len() + 1), &whole, needs, &sizes)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(300))]

    /// The same at every byte of smaller documents.
    #[test]
    fn truncation_at_every_byte(
        pattern in pattern(), doc in doc_gen::document(15), shape in shape(),
    ) {
        let case = Case { pattern, doc };
        let plan = case.plan(Config::new().shape(shape));
        let whole = run(&plan, &case.doc, WHOLE, Needs::range())?;
        for cut in 0..=case.doc.text.len() {
            cut_at(&plan, &case, cut, &whole, Needs::range(), &[1])?;
        }
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    /// An answer is given by the very tag that makes it certain: after each tag the answers so far
    /// are those of the document that would end right there. (No answer of that document can be
    /// lost later, as long as nothing depends on texts and no run is returned.)
    #[test]
    fn answers_come_when_they_are_certain(
        case in case().prop_filter("decided by tags", |case| decided_by_tags(&case.pattern)),
        shape in select([Shape::Nodes, Shape::Tuples].as_slice()),
    ) {
        let plan = case.plan(Config::new().shape(shape));
        let mut keep = Keep::new(Needs::default());
        let mut matcher = plan.matcher(&mut keep);
        let none = Prefixes::default();
        let mut fed = 0;
        for (cut, open) in case.doc.tags() {
            let text = &case.doc.text;
            matcher.feed(&text.as_bytes()[fed..cut]).map_err(|e| fail(&case.doc, &e))?;
            fed = cut;
            if cut < 4 {
                continue; // not yet enough to tell the encoding
            }
            let mut so_far = matcher.sink_mut().keys(0);
            so_far.sort();
            let end_tags = open.iter().rev().map(|&e| format!("</{}>", case.doc.elements[e].name));
            let ended = Document::parse(&(text[..cut].to_owned() + &end_tags.collect::<String>()));
            let oracle = Oracle::new(&ended, &case.pattern, &none, Runs::Peak);
            let certain = oracle.answers(shape, MOST_ANSWERS);
            let certain = certain.map(|all| {
                let key = |a: &Expected| a.order_key(|e| ended.elements[e].start);
                all.iter().map(key).collect::<Vec<_>>()
            });
            prop_assert_eq!(Some(so_far), certain, "{:?} after {}", case, &text[..cut]);
        }
    }
}

/// Whether no condition waits for a text, and no regular branch is on the spine.
fn decided_by_tags(pattern: &Pattern) -> bool {
    let returned = pattern.return_nodes();
    pattern.nodes().iter().all(|node| {
        node.value_tests.iter().all(|t| matches!(t.operand, Operand::Attribute(_)))
            && node.branches.iter().all(|branch| match branch {
                Branch::Node(_) => true,
                Branch::Regular(regex) => {
                    let mut inside = Vec::new();
                    regex.for_each_symbol(&mut |s| inside.push(s));
                    while let Some(id) = inside.pop() {
                        if returned.contains(&id) {
                            return false;
                        }
                        for branch in &pattern.node(id).branches {
                            match branch {
                                Branch::Node(m) => inside.push(*m),
                                Branch::Regular(r) => r.for_each_symbol(&mut |s| inside.push(s)),
                            }
                        }
                    }
                    true
                }
            })
    })
}

fn cut_at(
    plan: &Plan,
    case: &Case,
    cut: usize,
    whole: &Keep,
    needs: Needs,
    sizes: &[usize],
) -> Result<(), TestCaseError> {
    let doc = &case.doc;
    let mut keep = Keep::new(needs);
    let part = &doc.text.as_bytes()[..cut];
    let kind = feed(plan, part, sizes, &mut keep).map_err(|e| e.kind()).err();
    let wanted = match doc.complete_at(cut) {
        true => [None, None],
        // Outside the root only markup can be cut, or the byte order mark; front ends may call that
        // either.
        false if cut < doc.elements[0].start || cut > doc.elements[0].end => {
            [Some(ErrorKind::Incomplete), Some(ErrorKind::Malformed)]
        }
        false => [Some(ErrorKind::Incomplete); 2],
    };
    prop_assert!(wanted.contains(&kind), "{:?} for {}", kind, String::from_utf8_lossy(part));
    let given = keep.seen.len();
    prop_assert!(
        given <= whole.seen.len() && keep.seen == whole.seen[..given],
        "{:?} is no prefix of {:?} in {:?} cut at {}",
        keep.seen,
        whole.seen,
        case,
        cut
    );
    Ok(())
}

/// The random cases are worth something: a good part has answers, and policies differ.
#[test]
fn random_cases_have_answers() {
    let mut runner = TestRunner::deterministic();
    let none = Prefixes::default();
    let tuples = |case: &Case, runs| {
        Oracle::new(&case.doc, &case.pattern, &none, runs).answers(Shape::Tuples, 100_000)
    };
    let mut answered = [0; 2];
    let mut policies = [0; 2];
    for _ in 0..500 {
        for (kind, strategy) in [case().boxed(), siblings().boxed()].into_iter().enumerate() {
            let case = strategy.new_tree(&mut runner).expect("no rejection").current();
            let [live, peak, apart] = RUNS.map(|runs| tuples(&case, runs));
            answered[kind] += u32::from(peak.as_ref().is_some_and(|a| !a.is_empty()));
            policies[kind] += u32::from(live != peak || peak != apart);
        }
    }
    let (mut prefixed, strategy) = (0, prefixed_case());
    let bound = |p: &str, uri: &str| (p.to_owned(), uri.to_owned());
    let declared = vec![bound("p", doc_gen::URIS[0]), bound("r", doc_gen::URIS[1])];
    let prefixes = Prefixes { declared, default: None };
    for _ in 0..500 {
        let case = strategy.new_tree(&mut runner).expect("no rejection").current();
        let oracle = Oracle::new(&case.doc, &case.pattern, &prefixes, Runs::Peak);
        prefixed += u32::from(oracle.answers(Shape::Nodes, 1_000).is_some_and(|a| !a.is_empty()));
    }
    assert!(prefixed > 100, "answers in {prefixed} of 500 cases with namespaces");
    assert!(answered.iter().all(|&n| n > 250), "answers in {answered:?} of 500 cases");
    assert!(policies[1] > 60, "policies differ in {policies:?} of 500 cases");
}

/// Both ways to make a document agree, so neither offsets nor values of the oracle are wrong by
/// a slip in one of them.
#[test]
fn written_documents_read_back() {
    proptest!(cases(500), |(doc in doc_gen::document(25), ns in doc_gen::namespace_document(15))| {
        for doc in [doc, ns] {
            let read = Document::parse(&doc.text);
            prop_assert_eq!(&read.elements, &doc.elements, "{}", doc.text);
            prop_assert_eq!(&read.complete, &doc.complete, "{}", doc.text);
        }
    });
}
