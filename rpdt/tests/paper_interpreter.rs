//! The automaton of the paper, interpreted, finds what the engine finds.

#[allow(dead_code, reason = "each test program uses a part of it")]
#[path = "common/doc_gen.rs"]
mod doc_gen;
#[allow(dead_code, reason = "each test program uses a part of it")]
#[path = "common/dom.rs"]
mod dom;
#[path = "common/paper_interp.rs"]
mod paper_interp;
#[allow(dead_code, reason = "each test program uses a part of it")]
#[path = "common/query_gen.rs"]
mod query_gen;
#[path = "common/witness.rs"]
mod witness;

use std::ops::ControlFlow;

use dom::Document;
use paper_interp::{Found, interpret};
use proptest::collection::vec;
use proptest::prelude::*;
use query_gen::Alphabet;
use rpdt::paper::PaperAutomaton;
use rpdt::{Answer, Config, Needs, Pattern, Plan, Shape, Visit};

const FIG_1: &str = "//a[b!]//c/{e!, d[f][.//g]*}";

/// rpdt-fig5.
const FIG_5: &str = concat!(
    r#"<a id="a1"><b id="b1"/><x><c><e id="e1"/><d><f/><g/></d><d><f/><h><g/></h></d></c></x>"#,
    r#"<a id="a2"><c><e id="e2"/><d><f/></d><e id="e3"/></c><b id="b3"/></a>"#,
    r#"<a id="a3"><c><e id="e4"/><d><g/></d></c></a><b id="b2"/><c><d><f/><g/></d></c></a>"#,
);

#[test]
fn figure_5() {
    let found = interpreted(FIG_1, FIG_5);
    let expected = ["b@11", "b@139", "b@200", "e@100", "e@123", "e@169", "e@29"];
    assert_eq!(found, expected);
    let found = interpreted("/a[b!]//c/{e!, d[f][.//g]*}", FIG_5);
    assert_eq!(found, ["b@11", "b@200", "e@100", "e@123", "e@169", "e@29"]);
}

/// Small cases in which every part of the automaton matters, with the answers by hand.
#[test]
fn by_hand() {
    let cases: &[(&str, &str, &[&str])] = &[
        // `<*>` reads also what it waits for.
        ("//a//c!", "<a><c><c/></c></a>", &["c@3", "c@6"]),
        // Below `<*>` only descendants count.
        ("//a[b]//c", "<a><x><b/></x><c/></a>", &[]),
        ("//a[b]//c", "<a><x><c/></x><b/></a>", &["c@6"]),
        // Peak runs: the earlier start wins, runs overlap.
        ("/r/{a!, b!, a!}", "<r><a/><b/><a/><b/><a/></r>", &["a@11", "a@19", "a@3", "b@15", "b@7"]),
        ("/r/{a, b!*}", "<r><a/><b/><c/><b/></r>", &["b@7"]),
        // A nullable branch holds without run, and its upload brings nothing.
        ("/r/{b!*}", "<r/>", &[]),
        ("/r![{b*}]", "<r/>", &["r@0"]),
        ("/r!/{b!*}", "<r><b/></r>", &["b@3", "r@0"]),
        // All readings of a run count.
        ("/r/{b!*, b*}", "<r><b/><b/></r>", &["b@3", "b@7"]),
        ("/r/{b!{2}, b{0,1}}", "<r><b/><b/><b/></r>", &["b@3", "b@7"]),
        // A symbol with conditions, used by several transitions.
        ("/r/{b[x!]{2,3}}", "<r><b><x/></b><b/><b><x/></b><b><x/></b></r>", &["x@21", "x@32"]),
        // Guards at start tags and at end tags.
        (
            "/r/{b[@n>1]!, c[.='t']!}",
            "<r><b n='2'/><c>t</c><b n='1'/><c>t</c></r>",
            &["b@3", "c@13"],
        ),
    ];
    for (query, document, expected) in cases {
        assert_eq!(interpreted(query, document), *expected, "{query} on {document}");
        let pattern = Pattern::parse(query).unwrap();
        assert_eq!(engine(pattern, &Document::parse(document)), *expected, "{query} on {document}");
    }
}

/// A thousand cases, or as many as `PROPTEST_CASES` says.
fn cases() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|v| v.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(1000),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn equals_the_engine_on_any_document(
        model in Alphabet::SMALL.queries(), style in any::<u64>(), doc in doc_gen::document(40),
    ) {
        equal(&model.text(style), &doc)?;
    }

    /// Most of these pairs have answers.
    #[test]
    fn equals_the_engine_on_documents_made_for_the_query(
        model in Alphabet::SMALL.queries(), style in any::<u64>(), choices in vec(any::<u8>(), 0..200),
    ) {
        let query = model.text(style);
        let doc = witness::document_for(&Pattern::parse(&query).unwrap(), &choices);
        equal(&query, &doc)?;
    }
}

fn equal(query: &str, doc: &Document) -> Result<(), TestCaseError> {
    let pattern = Pattern::parse(query).unwrap();
    let found = interpret(&PaperAutomaton::new(&pattern), doc);
    prop_assert_eq!(show(&found, doc), engine(pattern, doc), "{} on {}", query, doc.text);
    Ok(())
}

fn interpreted(query: &str, document: &str) -> Vec<String> {
    let doc = Document::parse(document);
    let pattern = Pattern::parse(query).unwrap();
    show(&interpret(&PaperAutomaton::new(&pattern), &doc), &doc)
}

/// `label@start`, sorted.
fn show(found: &Found, doc: &Document) -> Vec<String> {
    let mut all: Vec<String> = found
        .iter()
        .map(|(label, element)| format!("{label}@{}", doc.elements[*element].start))
        .collect();
    all.sort();
    all
}

fn engine(pattern: Pattern, doc: &Document) -> Vec<String> {
    let plan = Plan::new(vec![pattern], Config::new().shape(Shape::Nodes)).unwrap();
    let mut all = vec![];
    let visit = Visit::new(Needs::range(), |_, answer: &Answer<'_>| {
        if let Answer::Node(node) = answer {
            all.push(format!("{}@{}", node.label, node.start));
        }
        ControlFlow::Continue(())
    });
    plan.run_slice(doc.text.as_bytes(), visit).unwrap();
    all.sort();
    all
}
