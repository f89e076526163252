//! The reconstructed baselines give the answers of rpdt: on the queries and look-alikes of the
//! figures, and on random documents and queries.

use std::cell::Cell;

use bench_harness::baseline::expdt::Bounds;
use bench_harness::baseline::{Answer, CepEngine, ExPdt, rpdt_answers};
use data_gen::xml::{self, DblpOptions, TreebankOptions};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;
use rpdt::{Config, Count, ErrorKind, Pattern, Plan, Shape};

const XMARK_PLAIN: [&str; 6] = [
    "/site/closed_auctions/closed_auction/annotation/description/text/keyword",
    "//closed_auction//keyword",
    "/site/closed_auctions/closed_auction[annotation/description/text/keyword]/date",
    "/site/people/person[profile[gender][age]]/name",
    "//item[.//keyword][mailbox/mail//emph]/name",
    "//listitem[.//keyword]//emph",
];

const XMARK_REGULAR: [&str; 7] = [
    "//open_auction[.//keyword]/{initial, reserve?, bidder[personref]!, bidder*}",
    "//open_auction/{bidder!, bidder!*}",
    "/site/people/person/{name!, emailaddress, phone, address[province], homepage?, creditcard!}",
    "//item[mailbox/mail]/{incategory!, incategory, incategory, incategory!*}",
    "//parlist/{listitem[text/keyword]!, listitem[.//emph]!*}",
    "//text/{keyword!, (bold|emph)+, keyword!?}",
    "//closed_auction/{seller!, buyer!, itemref, price!, date, quantity, type, annotation[.//bold]}",
];

const DBLP_PLAIN: [&str; 5] = [
    "/dblp/inproceedings/title",
    "//article[ee][number]/title",
    "/dblp/inproceedings[cite]/booktitle",
    "//article[cite]//author",
    "/dblp/*[title//sup]/year",
];

const DBLP_REGULAR: [&str; 5] = [
    "/dblp/inproceedings/{author!, author!, author!*}",
    "/dblp/article/{author+, title!, pages, year!}",
    "//article/{volume!, journal!, number}",
    "//inproceedings[ee]/{cite!, cite!*}",
    "/dblp/{article!, inproceedings[ee]!*}",
];

const TREEBANK_PLAIN: [&str; 5] = [
    "//S/VP/PP/NP",
    "//S[.//SBAR]//NP/NN",
    "//NP[JJ][NN]/PP",
    "//VP//VP//NP",
    "//S[NP/DT]/VP//PP[IN]/NP",
];

const TREEBANK_REGULAR: [&str; 5] = [
    "//S/{NP!, VP!}",
    "//NP/{DT, JJ!*, NN!}",
    "//VP/{VBD!, NP?, PP!*}",
    "//S/{NP[.//PRP]!, VP[.//PP]!}",
    "//NP/{NP!, (CC|_COMMA_), NP!}",
];

fn pattern(query: &str) -> Pattern {
    Pattern::parse(query).unwrap_or_else(|e| panic!("{query}: {e}"))
}

/// rpdt's number of answers when it only counts.
fn rpdt_count(pattern: &Pattern, shape: Shape, document: &[u8]) -> u64 {
    let plan = Plan::new(vec![pattern.clone()], Config::new().shape(shape)).expect("a plan");
    plan.run_slice(document, Count::new()).expect("a document").sink.total()
}

fn check_expdt(query: &str, document: &[u8]) -> usize {
    let pattern = pattern(query);
    let engine = ExPdt::compile(&pattern).expect(query);
    let expected = rpdt_answers(&pattern, Shape::Nodes, document).expect(query);
    assert_eq!(engine.answers(document).expect(query), expected, "{query}");
    assert_eq!(engine.count(document).expect(query), expected.len() as u64, "{query}");
    expected.len()
}

fn check_cep(query: &str, shape: Shape, document: &[u8]) -> usize {
    let pattern = pattern(query);
    let engine = CepEngine::compile_shape(&pattern, shape).expect(query);
    let expected = rpdt_answers(&pattern, shape, document).expect(query);
    assert_eq!(engine.answers(document).expect(query), expected, "{query} {shape:?}");
    assert_eq!(engine.count(document).expect(query), expected.len() as u64, "{query} {shape:?}");
    assert_eq!(rpdt_count(&pattern, shape, document), expected.len() as u64, "{query} {shape:?}");
    expected.len()
}

fn check_all(plain: &[&str], regular: &[&str], document: &[u8]) {
    for query in plain {
        assert!(check_expdt(query, document) > 0, "{query} has answers");
        assert!(check_cep(query, Shape::Nodes, document) > 0, "{query} has answers");
        check_cep(query, Shape::Tuples, document);
    }
    for query in regular {
        assert!(check_cep(query, Shape::Tuples, document) > 0, "{query} has answers");
        check_cep(query, Shape::Nodes, document);
    }
}

#[test]
fn rpdt_table2_on_xmark() {
    let mut document = Vec::new();
    xml::xmark(0.02, 1, &mut document).expect("memory");
    check_all(&XMARK_PLAIN, &XMARK_REGULAR, &document);
    let three = "//open_auction[seller!][.//keyword!]/bidder/personref!";
    assert!(check_cep(three, Shape::Tuples, &document) > 0);
    assert!(check_cep(three, Shape::Nodes, &document) > 0);
}

#[test]
fn rpdt_table2_on_dblp() {
    let mut document = Vec::new();
    xml::dblp(&DblpOptions::new(3000), 1, &mut document).expect("memory");
    check_all(&DBLP_PLAIN, &DBLP_REGULAR, &document);
}

#[test]
fn rpdt_table2_on_treebank() {
    let mut document = Vec::new();
    xml::treebank(&TreebankOptions::new(400), 1, &mut document).expect("memory");
    check_all(&TREEBANK_PLAIN, &TREEBANK_REGULAR, &document);
}

#[test]
fn rpdt_fig5_document() {
    let document = concat!(
        r#"<a id="a1"><b id="b1"/><x><c><e id="e1"/><d><f/><g/></d><d><f/><h><g/></h></d></c></x>"#,
        r#"<a id="a2"><c><e id="e2"/><d><f/></d><e id="e3"/></c><b id="b3"/></a>"#,
        r#"<a id="a3"><c><e id="e4"/><d><g/></d></c></a><b id="b2"/><c><d><f/><g/></d></c></a>"#
    );
    let query = "//a[b!]//c/{e!, d[f][.//g]*}";
    assert_eq!(check_cep(query, Shape::Tuples, document.as_bytes()), 10);
    assert_eq!(check_cep(query, Shape::Nodes, document.as_bytes()), 7);
    assert_eq!(check_cep(&query.replace("//a", "/a"), Shape::Tuples, document.as_bytes()), 8);
}

#[test]
fn what_is_not_expressible_is_refused() {
    let refusal = |error: rpdt::Error| {
        assert_eq!(error.kind(), ErrorKind::Query);
        error.to_string()
    };
    let expdt = |query: &str| refusal(ExPdt::compile(&pattern(query)).expect_err(query));
    assert_eq!(
        expdt("//a[b!]/c!"),
        "unsupported: ExPDT knows no second return node at position 8 of the query"
    );
    assert!(expdt("//a/{b, c}").contains("regular branches"));
    assert!(expdt("//a[{b?}]/c").contains("regular branches"));
    assert!(expdt("//a[@x]").contains("tests on attributes and text"));
    let cep = |query: &str| refusal(CepEngine::compile(&pattern(query)).expect_err(query));
    assert!(cep("//a/{b[text()='x'], c}").contains("tests on attributes and text"));
    assert!(cep("//p:a/b").contains("namespace prefixes"));
    let instances = CepEngine::compile_shape(&pattern("//a"), Shape::Instances);
    assert!(instances.expect_err("instances").to_string().contains("shape instances"));
}

#[test]
fn too_many_embeddings_are_an_error() {
    let depth = 200;
    let document = ["<a>".repeat(depth), "</a>".repeat(depth)].concat();
    let engine = ExPdt::compile(&pattern("//a//a//a//a//a")).expect("a plain query");
    let error = engine.count(document.as_bytes()).expect_err("2.5e9 embeddings");
    assert_eq!(error.kind(), ErrorKind::Limit);
    // The same bound over a long document that never has many alive at a time.
    let hedge = ["<a>".repeat(40), "<b/>".repeat(4000), "</a>".repeat(40)].concat();
    let document = format!("<r>{hedge}</r>");
    let engine = ExPdt::compile(&pattern("//a//a//a//b")).expect("a plain query");
    let outcome = engine.clone().run_slice(document.as_bytes(), false);
    assert_eq!(outcome.expect_err("10,000 for every b").kind(), ErrorKind::Limit);
    let roomy = engine.bounds(Bounds { live: 1 << 20, per_element: 20_000 });
    let outcome = roomy.run_slice(document.as_bytes(), false).expect("within the bounds");
    assert_eq!(outcome.count, 4000);
    // 40 over 1, 2 and 3 above every b, and 40 over 3 for each.
    let above = 40 + 780 + 9880;
    assert_eq!(outcome.stats.configurations, above + 9880 * 4000);
    assert_eq!(outcome.stats.peak_configurations as u64, 1 + above + 9880);
    assert_eq!(outcome.stats.peak_buffered, 9880 * 4000);
}

#[test]
fn statistics_and_readers() {
    let document = "<r><a><b/><b/><c/><b/></a><a><b/></a></r>";
    let engine = CepEngine::compile(&pattern("//a/{b!, b*}")).expect("a query");
    let outcome = engine.count_reader(document.as_bytes()).expect("a document");
    // The runs are bb, b and b; the mark is on the first b of each.
    assert_eq!(outcome.count, 3);
    assert!(outcome.answers.is_empty());
    assert_eq!(outcome.stats.nfa_steps, 4);
    assert_eq!(outcome, engine.run_slice(document.as_bytes(), false).expect("a document"));
    let engine = ExPdt::compile(&pattern("//a[c]/b")).expect("a query");
    let outcome = engine.count_reader(document.as_bytes()).expect("a document");
    assert_eq!((outcome.count, outcome.stats.peak_buffered), (3, 3));
    // The first a with b, b, c and b; the second with its b.
    assert_eq!(outcome.stats.configurations, 7);
    for broken in ["<r><a></r>", "<r><a>", ""] {
        assert!(engine.count(broken.as_bytes()).is_err(), "{broken}");
    }
}

#[test]
fn labels_of_wildcards_are_names() {
    let document = "<r><a><x/></a><a><y/><x/></a></r>";
    let found = ExPdt::compile(&pattern("//a/*")).and_then(|e| e.answers(document.as_bytes()));
    let label = |answer: &Answer| answer.0[0].label.to_string();
    assert_eq!(found.expect("answers").iter().map(label).collect::<Vec<_>>(), ["x", "y", "x"]);
    check_cep("//a/*", Shape::Nodes, document.as_bytes());
    check_cep("//a[*!]/{*!, x!?}", Shape::Nodes, document.as_bytes());
    check_cep("//a[*!]/{*!, x!?}", Shape::Tuples, document.as_bytes());
}

/// Documents of few names, with content between siblings that is no element.
fn document() -> impl Strategy<Value = String> {
    let name = select(["a", "a", "a", "b", "b", "c", "d"].as_slice());
    let leaf = name.clone().prop_map(|n| format!("<{n}/>"));
    let element = leaf.prop_recursive(5, 60, 6, move |inner| {
        let filler = select(["", "", "", "text", "<!-- <a/> -->", "<?p a?>"].as_slice());
        (name.clone(), vec((filler, inner), 1..7)).prop_map(|(name, children)| {
            let content: String = children.iter().map(|(f, c)| format!("{f}{c}")).collect();
            format!("<{name}>{content}</{name}>")
        })
    });
    vec(element, 2..8).prop_map(|children| format!("<a>{}</a>", children.concat()))
}

/// Steps with a `~` behind every name, where a mark may go.
fn step(regular: bool) -> BoxedStrategy<String> {
    let name = || select(["a~", "a~", "a~", "b~", "b~", "c~", "*~", "*~"].as_slice());
    name()
        .prop_map(str::to_owned)
        .prop_recursive(2, 6, 2, move |inner| {
            let axis = select(["", ".//"].as_slice());
            let node = (axis, inner.clone()).prop_map(|(axis, step)| format!("[{axis}{step}]"));
            let branch = if regular {
                let branch = expression(inner).prop_map(|e| format!("[{{{e}}}]"));
                prop_oneof![2 => node, 1 => branch].boxed()
            } else {
                node.boxed()
            };
            (name(), vec(branch, 0..3))
                .prop_map(|(n, branches)| format!("{n}{}", branches.concat()))
        })
        .boxed()
}

fn expression(step: BoxedStrategy<String>) -> BoxedStrategy<String> {
    step.prop_recursive(3, 8, 3, |inner| {
        let bounds = select(["*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}"].as_slice());
        prop_oneof![
            3 => vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join(", "))),
            1 => vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join(" | "))),
            2 => (inner, bounds).prop_map(|(part, bounds)| format!("({part}){bounds}")),
        ]
    })
    .boxed()
}

/// A query with at most `marks` marks. Without one, the last step of the trunk is returned.
fn query(regular: bool, marks: usize) -> impl Strategy<Value = String> {
    let step = step(regular);
    let axis = select(["/", "//", "//", "//"].as_slice());
    let last = match regular {
        true => prop_oneof![1 => Just(String::new()),
            2 => expression(step.clone()).prop_map(|e| format!("/{{{e}}}"))]
        .boxed(),
        false => Just(String::new()).boxed(),
    };
    let marked =
        vec((any::<prop::sample::Index>(), select(["!", "!", "!x"].as_slice())), 0..=marks);
    (vec((axis, step), 1..4), last, marked).prop_map(|(trunk, last, marked)| {
        let steps: String = trunk.iter().map(|(axis, step)| format!("{axis}{step}")).collect();
        let text = format!("{steps}{last}");
        let places = text.matches('~').count();
        let marked: Vec<_> = marked.iter().map(|(i, mark)| (i.index(places), *mark)).collect();
        let mut parts = text.split('~');
        let mut out = parts.next().unwrap_or_default().to_owned();
        for (i, part) in parts.enumerate() {
            out.push_str(marked.iter().find(|m| m.0 == i).map_or("", |m| m.1));
            out.push_str(part);
        }
        out
    })
}

/// Runs a check on random pairs; enough of them must have answers to compare.
fn check_random(regular: bool, marks: usize, check: impl Fn(&str, &[u8]) -> usize) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) };
    let answered = Cell::new(0);
    let outcome = TestRunner::new(config).run(&(document(), query(regular, marks)), |(d, q)| {
        answered.set(answered.get() + u32::from(check(&q, d.as_bytes()) > 0));
        Ok(())
    });
    outcome.unwrap_or_else(|e| panic!("{e}"));
    assert!(answered.get() > 750, "only {} of 3000 had answers", answered.get());
}

#[test]
fn expdt_on_random_documents() {
    check_random(false, 1, check_expdt);
}

#[test]
fn cep_engine_on_random_documents() {
    check_random(true, 3, |query, document| {
        check_cep(query, Shape::Nodes, document);
        check_cep(query, Shape::Tuples, document)
    });
}
