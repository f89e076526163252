//! The paper's examples by their experiment ids, through the public interface only: the pattern of
//! Fig. 1, the current longest runs of Table 1, and a concrete document for Fig. 5 (the drawing is
//! lost; this one has B before and after C, a run E D D, runs of E alone, a D that lacks F or G,
//! and A nested in A).

#[allow(dead_code, reason = "each test program uses a part of it")]
#[path = "common/dom.rs"]
mod dom;
#[allow(dead_code, reason = "each test program uses a part of it")]
mod oracle;

use dom::Document;
use oracle::observe::{Keep, Seen, feed, same_answers};
use oracle::{Oracle, Prefixes};
use rpdt::pattern::{Axis, Branch, NameTest, NodeId, Regex};
use rpdt::{Config, Mechanisms, Needs, Order, Pattern, Plan, Runs, Shape};

const FIG1: &str = "//a[b!]//c/{ e! , d[f][.//g]* }";

const FIG5: &str = concat!(
    r#"<a id="a1"><b id="b1"/><x><c><e id="e1"/><d><f/><g/></d><d><f/><h><g/></h></d></c></x>"#,
    r#"<a id="a2"><c><e id="e2"/><d><f/></d><e id="e3"/></c><b id="b3"/></a>"#,
    r#"<a id="a3"><c><e id="e4"/><d><g/></d></c></a><b id="b2"/><c><d><f/><g/></d></c></a>"#,
);

fn plan(query: &str, config: Config) -> Plan {
    let pattern = Pattern::parse(query).expect("the query is right");
    Plan::new(vec![pattern], config).expect("the query compiles")
}

/// The answers in document order, each as its labels with the elements' ids (or `@start`).
fn shown(query: &str, config: Config, document: &str) -> Vec<String> {
    let needs = Needs { attributes: true, ..Needs::range() };
    let plan = plan(query, config.order(Order::Document));
    let mut keep = Keep::new(needs);
    feed(&plan, document.as_bytes(), &[], &mut keep).expect("the document is well-formed");
    keep.seen.iter().map(show).collect()
}

fn show(answer: &Seen) -> String {
    let mut fields: Vec<_> =
        answer.fields.iter().filter(|(_, _, nodes)| !nodes.is_empty()).collect();
    fields.sort_by_key(|(label, ..)| label);
    let field = |(label, is_list, nodes): &&(String, bool, Vec<oracle::observe::SeenNode>)| {
        let id = |n: &oracle::observe::SeenNode| match n.attributes.iter().find(|(k, _)| k == "id")
        {
            Some((_, id)) => id.clone(),
            None => format!("@{}", n.start),
        };
        let ids = nodes.iter().map(id).collect::<Vec<_>>().join(" ");
        if *is_list { format!("{label}: [{ids}]") } else { format!("{label}: {ids}") }
    };
    fields.iter().map(field).collect::<Vec<_>>().join(" ")
}

/// Fig. 1: A with child B (returned) and descendant C; below C the expression E D*, E returned,
/// D with F and G. Two return nodes, so the answers are tuples.
#[test]
fn rpdt_fig1() {
    let plan = plan(FIG1, Config::new());
    assert_eq!(plan.shape(0), Shape::Tuples);
    let pattern = &plan.patterns()[0];
    assert_eq!(*pattern, Pattern::parse(&pattern.to_string()).expect("what is shown can be read"));

    let named = |id: NodeId| match &pattern.node(id).test {
        NameTest::Name(name) => name.to_string(),
        other => panic!("{other:?} is not a name"),
    };
    let children = |id: NodeId| -> Vec<(Axis, String, NodeId)> {
        let node = |b: &Branch| match b {
            Branch::Node(m) => Some((pattern.node(*m).axis, named(*m), *m)),
            Branch::Regular(_) => None,
        };
        pattern.node(id).branches.iter().filter_map(node).collect()
    };
    assert_eq!(
        (named(NodeId::ROOT), pattern.node(NodeId::ROOT).axis),
        ("a".into(), Axis::Descendant)
    );
    let below_a = children(NodeId::ROOT);
    let [(Axis::Child, b, _), (Axis::Descendant, c, c_id)] = below_a.as_slice() else {
        panic!("below A: {below_a:?}")
    };
    assert_eq!((b.as_str(), c.as_str()), ("b", "c"));
    let [Branch::Regular(Regex::Concat(parts))] = pattern.node(*c_id).branches.as_slice() else {
        panic!("below C: {:?}", pattern.node(*c_id).branches)
    };
    let [Regex::Symbol(e), Regex::Repeat { inner, min: 0, max: None }] = parts.as_slice() else {
        panic!("the expression: {parts:?}")
    };
    let Regex::Symbol(d) = **inner else { panic!("what is repeated: {inner:?}") };
    assert_eq!((named(*e), named(d)), ("e".into(), "d".into()));
    let below_d: Vec<_> = children(d).into_iter().map(|(axis, name, _)| (axis, name)).collect();
    assert_eq!(below_d, [(Axis::Child, "f".into()), (Axis::Descendant, "g".into())]);
    let returned: Vec<String> = pattern.return_nodes().into_iter().map(named).collect();
    assert_eq!(returned, ["b", "e"]);
}

/// Table 1: the current longest run after each symbol of `a e d c e d d a b d`.
#[test]
fn rpdt_table1() {
    let plan = plan("/r/{e!, d!*}", Config::new().shape(Shape::Tuples).runs(Runs::Live));
    let mut keep = Keep::new(Needs { name: true, ..Needs::default() });
    let mut matcher = plan.matcher(&mut keep);
    matcher.feed(b"<r>").expect("a start tag");
    let mut after_each = Vec::new();
    for name in "aedceddabd".chars() {
        let before = matcher.sink_mut().seen.len();
        matcher.feed(format!("<{name}></{name}>").as_bytes()).expect("an element");
        let new = &matcher.sink_mut().seen[before..];
        after_each.push(match new {
            [] => "none".to_owned(),
            [answer] => {
                let mut nodes: Vec<_> = answer.fields.iter().flat_map(|(_, _, n)| n).collect();
                nodes.sort_by_key(|n| n.start);
                nodes.into_iter().map(|n| n.name.as_str()).collect()
            }
            more => panic!("{} answers at one child", more.len()),
        });
    }
    matcher.feed(b"</r>").expect("an end tag");
    let outcome = matcher.finish().expect("a document");
    let expected = ["none", "e", "ed", "none", "e", "ed", "edd", "none", "none", "none"];
    assert_eq!(after_each, expected);
    assert_eq!(outcome.sink.seen.len(), 5, "nothing more at the end");
}

/// Fig. 5: two instance trees, as in the paper; and the same facts in the other shapes.
#[test]
fn rpdt_fig5() {
    let instances = |q| shown(q, Config::new().shape(Shape::Instances), FIG5);
    assert_eq!(instances(FIG1), ["b: [b1 b2] e: [e1 e2 e3 e4]", "b: [b3] e: [e2 e3]"]);
    let from_root = FIG1.replacen("//a", "/a", 1);
    assert_eq!(instances(&from_root), ["b: [b1 b2] e: [e1 e2 e3 e4]"]);

    let tuples = |q| shown(q, Config::new(), FIG5);
    let expected = [
        "b: b1 e: [e1]",
        "b: b1 e: [e2]",
        "b: b1 e: [e3]",
        "b: b1 e: [e4]",
        "b: b2 e: [e1]",
        "b: b3 e: [e2]",
        "b: b2 e: [e2]",
        "b: b3 e: [e3]",
        "b: b2 e: [e3]",
        "b: b2 e: [e4]",
    ];
    assert_eq!(tuples(FIG1), expected);
    let without_b3: Vec<_> = expected.iter().filter(|t| !t.contains("b3")).collect();
    assert_eq!(tuples(&from_root).iter().collect::<Vec<_>>(), without_b3);
    assert_eq!(without_b3.len(), 8);

    let plan = plan(FIG1, Config::new().shape(Shape::Nodes).order(Order::Document));
    let mut keep = Keep::new(Needs::default());
    feed(&plan, FIG5.as_bytes(), &[], &mut keep).expect("the document is well-formed");
    let nodes: Vec<String> =
        keep.keys(0).iter().flatten().map(|(start, label)| format!("{label}@{start}")).collect();
    assert_eq!(nodes, ["b@11", "e@29", "e@100", "e@123", "b@139", "e@169", "b@200"]);
}

/// The peak runs of Fig. 5 with D returned too.
#[test]
fn rpdt_fig5_peak_runs() {
    let query = "//c/{e!, d[f][.//g]!*}";
    let runs = shown(query, Config::new().shape(Shape::Tuples), FIG5);
    assert_eq!(runs, ["d: [@41 @56] e: [e1]", "e: [e2]", "e: [e3]", "e: [e4]"]);
}

/// The oracle agrees on all of Fig. 5, and so does the engine under every configuration.
#[test]
fn rpdt_fig5_everywhere() {
    let doc = Document::parse(FIG5);
    let pattern = Pattern::parse(FIG1).expect("the query is right");
    let prefixes = Prefixes::default();
    for runs in [Runs::Live, Runs::Peak, Runs::NonOverlap] {
        let oracle = Oracle::new(&doc, &pattern, &prefixes, runs);
        for shape in [Shape::Nodes, Shape::Tuples, Shape::Instances] {
            let expected = oracle.answers(shape, 100).expect("few answers");
            for bits in 0..8 {
                let mechanisms = Mechanisms {
                    lazy_automaton: bits & 1 != 0,
                    skipping: bits & 2 != 0,
                    sharing: bits & 4 != 0,
                };
                let config = Config::new().shape(shape).runs(runs).mechanisms(mechanisms);
                let plan = plan(FIG1, config);
                for sizes in [&[][..], &[1], &[7, 2]] {
                    let mut keep = Keep::new(Needs::range());
                    feed(&plan, FIG5.as_bytes(), sizes, &mut keep).expect("well-formed");
                    same_answers(&doc, shape, &expected, &keep.seen)
                        .unwrap_or_else(|e| panic!("{shape:?} {runs:?} {mechanisms:?}: {e}"));
                }
            }
        }
    }
}
