//! The query language: parsing, showing, building.

#[allow(dead_code, reason = "each test program uses a part of it")]
#[path = "common/query_gen.rs"]
mod query_gen;

use proptest::prelude::*;
use query_gen::Alphabet;
use rpdt::pattern::builder::{Query, alt, child, descendant, seq, sym};
use rpdt::pattern::{Axis, Branch, Literal, NameTest, NodeId, Op, Operand, Regex};
use rpdt::{Error, ErrorKind, Pattern};

/// The queries of rpdt-table2, Fig. 1, the tsunami query of section 1, and the examples of the
/// language's description, with their canonical text where it differs.
const QUERIES: &[&str] = &[
    "//a[b!]//c/{e!, d[f][.//g]*}",
    "//station[temp!]/{quake[@mag>=6.5]!, wave[@h>1]!*}",
    "/site/closed_auctions/closed_auction/annotation/description/text/keyword",
    "//closed_auction//keyword",
    "/site/closed_auctions/closed_auction[annotation/description/text/keyword]/date",
    "/site/people/person[profile[gender][age]]/name",
    "//item[.//keyword][mailbox/mail//emph]/name",
    "//listitem[.//keyword]//emph",
    "//open_auction[seller!][.//keyword!]/bidder/personref!",
    "//open_auction[.//keyword]/{initial, reserve?, bidder[personref]!, bidder*}",
    "//open_auction/{bidder!, bidder!*}",
    "/site/people/person/{name!, emailaddress, phone, address[province], homepage?, creditcard!}",
    "//item[mailbox/mail]/{incategory!, incategory, incategory, incategory!*}",
    "//parlist/{listitem[text/keyword]!, listitem[.//emph]!*}",
    "//text/{keyword!, (bold | emph)+, keyword!?}",
    "//closed_auction/{seller!, buyer!, itemref, price!, date, quantity, type, \
     annotation[.//bold]}",
    "/dblp/inproceedings/title",
    "//article[ee][number]/title",
    "/dblp/inproceedings[cite]/booktitle",
    "//article[cite]//author",
    "/dblp/*[title//sup]/year",
    "/dblp/inproceedings/{author!, author!, author!*}",
    "/dblp/article/{author+, title!, pages, year!}",
    "//article/{volume!, journal!, number}",
    "//inproceedings[ee]/{cite!, cite!*}",
    "/dblp/{article!, inproceedings[ee]!*}",
    "//S/VP/PP/NP",
    "//S[.//SBAR]//NP/NN",
    "//NP[JJ][NN]/PP",
    "//VP//VP//NP",
    "//S[NP/DT]/VP//PP[IN]/NP",
    "//S/{NP!, VP!}",
    "//NP/{DT, JJ!*, NN!}",
    "//VP/{VBD!, NP?, PP!*}",
    "//S/{NP[.//PRP]!, VP[.//PP]!}",
    "//NP/{NP!, (CC | _COMMA_), NP!}",
];

#[test]
fn published_queries_are_canonical() {
    for query in QUERIES {
        let pattern = Pattern::parse(query).unwrap_or_else(|e| panic!("{query}: {e}"));
        assert_eq!(pattern.to_string(), *query);
    }
}

#[test]
fn canonical_text() {
    let pairs = [
        ("//a[b!]//c/{ e! , d[f][.//g]* }", "//a[b!]//c/{e!, d[f][.//g]*}"),
        ("//c/{e! : d*}", "//c/{e!, d*}"),
        (
            "//text/{keyword!, (bold|emph)+, keyword!?}",
            "//text/{keyword!, (bold | emph)+, keyword!?}",
        ),
        ("//a[b[c]]", "//a[b/c]"),
        ("//a[b[c]/d]", "//a[b[c][d]]"),
        ("//a[b[c][d[@x]]]", "//a[b[c]/d[@x]]"),
        ("//a[b[{c}]]", "//a[b/{c}]"),
        ("//a[{c}]", "//a/{c}"),
        ("//a![b]", "//a[b]!"),
        ("//a!x[b]", "//a[b]!x"),
        ("//a[b][@x]", "//a[@x][b]"),
        ("//a/{((a, b), (c))}", "//a/{a, b, c}"),
        ("//a/{(a | b) | c}", "//a/{a | b | c}"),
        ("//a/{(a, b) | c}", "//a/{a, b | c}"),
        ("//a/{a{1,1}, b{1}, c{2,2}, d{0,}, e{1,}, f{0,1}}", "//a/{a, b, c{2}, d*, e+, f?}"),
        ("//a/{a**, (b+)?, (c?)?, (d+)+}", "//a/{a*, b*, c?, d+}"),
        ("//a/{(a{2}){3}, (b{2})*}", "//a/{a{2}{3}, b{2}*}"),
        ("//a/{**, *!*, *:b*}", "//a/{**, *!*, *:b*}"),
        ("//a[@x=.50][@y='z'][. != -1.]", "//a[@x=0.5][@y=\"z\"][.!=-1]"),
        ("//a[text ( ) = 'say \"x\"' ]", "//a[text()='say \"x\"']"),
        ("//text[text][text()=1]/{text}", "//text[text()=1][text]/{text}"),
    ];
    for (written, canonical) in pairs {
        assert_eq!(parse(written).to_string(), canonical, "{written}");
        assert_eq!(parse(canonical), parse(written), "{written}");
    }
}

#[test]
fn figure_1_as_a_tree() {
    let p = parse("//a[b!]//c/{ e!quake , d[f][.//g]* }");
    let names: Vec<String> = p.nodes().iter().map(|n| n.test.to_string()).collect();
    assert_eq!(names, ["a", "b", "c", "e", "d", "f", "g"]);
    assert_eq!(p.trunk(), [NodeId(0), NodeId(2)]);
    assert_eq!(p.node(NodeId::ROOT).axis, Axis::Descendant);
    assert_eq!(p.node(NodeId::ROOT).branches, [Branch::Node(NodeId(1)), Branch::Node(NodeId(2))]);
    assert_eq!(p.node(NodeId(6)).axis, Axis::Descendant);
    let [Branch::Regular(Regex::Concat(parts))] = &p.node(NodeId(2)).branches[..] else {
        panic!("one regular branch, a concatenation")
    };
    assert_eq!(parts[0], Regex::Symbol(NodeId(3)));
    let Regex::Repeat { inner, min: 0, max: None } = &parts[1] else { panic!("a star") };
    assert_eq!(**inner, Regex::Symbol(NodeId(4)));
    assert_eq!(p.return_nodes(), [NodeId(1), NodeId(3)]);
    assert_eq!(p.return_mark(NodeId(3)).unwrap().label.as_deref(), Some("quake"));
    let parents: Vec<_> = p.parents().iter().map(|p| p.map(|id| id.0)).collect();
    assert_eq!(parents, [None, Some(0), Some(0), Some(2), Some(2), Some(4), Some(4)]);
    let symbols: Vec<usize> =
        p.symbols().iter().enumerate().filter_map(|(i, &s)| s.then_some(i)).collect();
    assert_eq!(symbols, [3, 4]);
    assert_eq!(p.span(NodeId(4)), Some(23..24));
}

#[test]
fn default_mark_is_on_the_last_trunk_step() {
    assert_eq!(parse("//a[b]/c[d]").return_nodes(), [NodeId(2)]);
    assert_eq!(parse("//a/{b}").return_nodes(), [NodeId(0)]);
    assert_eq!(parse("//a/b[c!]").return_nodes(), [NodeId(2)]);
}

#[test]
fn value_tests() {
    let p = parse("//a[@p:x>=-6.5][@y][text()!='b'][.<.5]");
    let tests = &p.node(NodeId::ROOT).value_tests;
    let attribute = |name: &str| Operand::Attribute(name.into());
    assert_eq!(tests[0].operand, attribute("p:x"));
    assert_eq!(tests[0].comparison, Some((Op::Ge, Literal::Number(-6.5))));
    assert_eq!((&tests[1].operand, &tests[1].comparison), (&attribute("y"), &None));
    assert_eq!(tests[2].operand, Operand::Text);
    assert_eq!(tests[2].comparison, Some((Op::Ne, Literal::String("b".into()))));
    assert_eq!(tests[3].operand, Operand::StringValue);
    assert_eq!(tests[3].comparison, Some((Op::Lt, Literal::Number(0.5))));
}

#[test]
fn names() {
    let test = |query| parse(query).node(NodeId::ROOT).test.clone();
    assert_eq!(test("//*"), NameTest::Any);
    assert_eq!(test("//ab-1.2"), NameTest::Name("ab-1.2".into()));
    assert_eq!(test("//p:a"), NameTest::Prefixed { prefix: "p".into(), local: "a".into() });
    assert_eq!(test("//*:a"), NameTest::AnyNamespace("a".into()));
    // The paper's spelling without white space is a prefixed name with a star.
    let p = parse("//c/{E:D*}");
    assert_eq!(p.node(NodeId(1)).test, "E:D".into());
    assert_eq!(parse("//c/{E : D*}"), parse("//c/{E, D*}"));
}

#[test]
fn builder_by_example() {
    let built = [
        Query::descendant("a")
            .branch(child("b").returned())
            .then_descendant("c")
            .regular(seq([
                sym("e").labelled("quake"),
                sym("d").branch(child("f")).branch(descendant("g")).star(),
            ]))
            .build(),
        Query::root("site")
            .then(child("x").attr("n", Op::Lt, 1.5).has_attr("m"))
            .then_child("*:y")
            .text(Op::Eq, "t")
            .value(Op::Ne, String::from("u"))
            .regular(alt([sym("p:a"), seq([sym("*").optional(), sym("b").repeat(2, None)])]))
            .branch(child("z").regular(sym("w").plus()))
            .returned()
            .build(),
    ];
    let texts = [
        "//a[b!]//c/{e!quake, d[f][.//g]*}",
        "/site/x[@n<1.5][@m]/*:y[text()=\"t\"][.!=\"u\"][{p:a | *?, b{2,}}][z/{w+}]!",
    ];
    for (built, text) in built.into_iter().zip(texts) {
        let built = built.unwrap();
        assert_eq!(built, parse(text));
        assert_eq!(built.to_string(), text);
    }
}

#[test]
fn builder_refuses_what_the_parser_refuses() {
    let many = |n: usize| (0..n).fold(Query::root("a"), |q, _| q.branch(child("b")));
    assert!(many(64).build().is_ok());
    let deep = |n: usize| {
        // Two conditions on each level, so that brackets are needed.
        (0..n).fold(child("a").has_attr("x"), |s, _| {
            child("a").branch(s).branch(child("b").has_attr("y"))
        })
    };
    assert!(Query::root("r").branch(deep(200)).build().is_ok());
    let groups = (0..300).fold(sym("a"), |e, _| alt([seq([e, sym("b")]), sym("c")]).star());
    let cases = [
        (Query::root("a b"), "`a b` is not a name"),
        (Query::root(""), "`` is not a name"),
        (Query::root("a:b:c"), "`b:c` is not a name"),
        (Query::root("a").labelled("x]"), "`x]` is not a name"),
        (Query::root("a").has_attr("1"), "`1` is not a name"),
        (Query::root("a").returned().returned(), "a step takes one mark"),
        (Query::root("a").attr("x", Op::Eq, f64::NAN), "the number NaN in a comparison"),
        (
            Query::root("a").attr("x", Op::Eq, "it's \"x\""),
            "a string with both kinds of quotes: it's \"x\"",
        ),
        (
            Query::root("a").regular(seq([sym("b"), sym("c")]).returned()),
            "a mark or a condition on a group or a repetition",
        ),
        (
            Query::root("a").regular(sym("b").star().has_attr("x")),
            "a mark or a condition on a group or a repetition",
        ),
        (
            Query::root("a").regular(descendant("b")),
            "a symbol of an expression on the descendant axis",
        ),
        (
            Query::root("a").regular(seq(std::iter::empty::<rpdt::pattern::builder::Expr>())),
            "an expression without symbol",
        ),
        (
            Query::root("a").regular(sym("b").repeat(0, Some(0))),
            "a repetition of at most 0 times matches nothing",
        ),
        (
            Query::root("a").regular(sym("b").repeat(3, Some(2))),
            "a repetition of at least 3 and at most 2 times",
        ),
        (many(65), "more than 64 conditions on one step"),
        (Query::root("r").branch(deep(300)), "more than 256 nested brackets"),
        (Query::root("r").regular(groups), "more than 256 nested brackets"),
        (
            Query::root("r").regular(sym("a").repeat(0, Some(4097))),
            "more than 4096 symbol positions in one expression, repetitions written out",
        ),
        ((0..4096).fold(Query::root("a"), |q, _| q.then_child("a")), "more than 4096 steps"),
        (
            Query::root("a").branch((0..100_000).fold(child("a"), |s, _| child("a").branch(s))),
            "more than 4096 steps",
        ),
    ];
    for (query, message) in cases {
        let error = query.build().unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Query, message));
    }
    // Texts that nest in the model only.
    let flat = (0..4000).fold(sym("a"), |e, _| seq([e, sym("b")]));
    assert!(Query::root("r").regular(flat).build().is_ok());
    let stars = (0..4000).fold(sym("a"), |e, _| e.star().plus());
    assert_eq!(Query::root("r").regular(stars).build().unwrap(), parse("/r/{a*}"));
}

#[test]
fn hostile_texts() {
    let deep = "more than 256 nested brackets";
    let positions = "more than 4096 symbol positions in one expression, repetitions written out";
    let nested = |n: usize| format!("//a{}{}", "[a".repeat(n), "]".repeat(n));
    let refused = [
        (format!("//a{}", "[a".repeat(100_000)), deep),
        (format!("//a/{{{}", "(".repeat(100_000)), deep),
        (format!("//a/{{{}", "a[{".repeat(100_000)), deep),
        (nested(257), deep),
        (format!("//a/{{a{}}}", "{2}*".repeat(100_000)), positions),
        ("//a/{a{4097}}".into(), positions),
        ("//a/{a{9999999999999999}}".into(), positions),
        ("//a/{((a{999}){999}){999}}".into(), positions),
        ("/a".repeat(4097), "more than 4096 steps"),
        (format!("//a{}", "[b]".repeat(65)), "more than 64 conditions on one step"),
        (format!("//a{}/c", "[b]".repeat(64)), "more than 64 conditions on one step"),
        (format!("//a{}", "[@b]".repeat(65)), "more than 64 conditions on one step"),
    ];
    for (query, message) in refused {
        assert_eq!(fault(&query).message(), message);
    }
    let accepted = [
        nested(256),
        "/a".repeat(4096),
        format!("//a[{}]", ["a"; 4000].join("//")),
        format!("//a{}/b", "[b]".repeat(63)),
        format!("//a/{{{}}}", ["a"; 4095].join(",")),
        format!("//a/{{a{}}}", "*+?".repeat(100_000)),
        format!("//a/{{{}a{}}}", "(".repeat(255), ")".repeat(255)),
        "//a/{a{4096}}".into(),
    ];
    for query in accepted {
        let pattern = parse(&query);
        assert_eq!(parse(&pattern.to_string()), pattern);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_spelling_shown_and_built(model in Alphabet::RICH.queries(), style in any::<u64>()) {
        let text = model.text(style);
        let parsed = match Pattern::parse(&text) {
            Ok(parsed) => parsed,
            Err(e) => return Err(TestCaseError::fail(format!("{text}: {e}"))),
        };
        let shown = parsed.to_string();
        prop_assert_eq!(&Pattern::parse(&shown).unwrap(), &parsed, "{} shown as {}", text, shown);
        prop_assert_eq!(&model.build().unwrap(), &parsed, "{}", text);
        // Showing is stable, and parents come before their descendants.
        prop_assert_eq!(Pattern::parse(&shown).unwrap().to_string(), shown);
        for (i, parent) in parsed.parents().iter().enumerate() {
            prop_assert!(parent.map_or(i == 0, |p| p.index() < i));
            let span = parsed.span(NodeId(i as u32)).unwrap();
            let name = parsed.nodes()[i].test.to_string();
            prop_assert_eq!(&text[span], name);
        }
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in "\\PC{0,60}") {
        accepts_or_points(&text)?;
    }

    #[test]
    fn any_tokens_are_parsed_or_refused(tokens in proptest::collection::vec(
        proptest::sample::select(TOKENS), 0..30,
    )) {
        accepts_or_points(&tokens.concat())?;
        accepts_or_points(&format!("//a/{{{}}}", tokens.concat()))?;
        accepts_or_points(&format!("//a[{}]", tokens.concat()))?;
    }

    #[test]
    fn damaged_queries_are_parsed_or_refused(
        model in Alphabet::RICH.queries(), style in any::<u64>(), at in any::<prop::sample::Index>(),
        token in proptest::sample::select(TOKENS),
    ) {
        let text = model.text(style);
        let cuts: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
        let cut = cuts[at.index(cuts.len())];
        accepts_or_points(&text[..cut])?;
        accepts_or_points(&format!("{}{token}{}", &text[..cut], &text[cut..]))?;
    }
}

const TOKENS: &[&str] = &[
    "/", "//", "*", "+", "?", "|", ",", ":", " : ", "!", "@", ".", "..", "[", "]", "{", "}", "(",
    ")", "a", "b ", "text", "text()", "and", "1", "2", "-", "3.5", "'x'", "\"", "=", "!=", "<",
    ">=", " ", "é", "\u{0}", "$",
];

/// No panic; an accepted text can be shown and read back; an error points into the text.
fn accepts_or_points(text: &str) -> Result<(), TestCaseError> {
    match Pattern::parse(text) {
        Ok(pattern) => prop_assert_eq!(Pattern::parse(&pattern.to_string()).unwrap(), pattern),
        Err(e) => {
            let span = e.span().expect("errors of the parser have a place");
            prop_assert!(text.get(span).is_some());
            prop_assert!(!e.message().is_empty());
        }
    }
    Ok(())
}

fn parse(query: &str) -> Pattern {
    Pattern::parse(query).unwrap_or_else(|e| panic!("{query}: {e}"))
}

fn fault(query: &str) -> Error {
    let error = Pattern::parse(query).expect_err("a malformed query");
    assert_eq!(error.kind(), ErrorKind::Query);
    error
}
