//! The automaton as the paper draws it: Figs. 1 to 4, and what holds for every pattern.

#[allow(dead_code, reason = "each test program uses a part of it")]
#[path = "common/query_gen.rs"]
mod query_gen;

use std::collections::HashSet;

use proptest::prelude::*;
use query_gen::Alphabet;
use rpdt::Pattern;
use rpdt::paper::{Action, BufferId, EdgeKind, Input, PaperAutomaton, Q0, StateId, StateKind};
use rpdt::pattern::NodeId;

fn automaton(query: &str) -> PaperAutomaton {
    PaperAutomaton::new(&Pattern::parse(query).unwrap_or_else(|e| panic!("{query}: {e}")))
}

fn edges(query: &str) -> Vec<String> {
    automaton(query).edges().iter().map(ToString::to_string).collect()
}

/// rpdt-fig1: the pattern compiles to the automaton of Figs. 2 to 4.
#[test]
fn figure_4() {
    let expected = [
        "1 -<a>-> 2",
        "1 -<*>-> 1",
        "2 -</a> / check, upload-> 1",
        "2 -<*>-> 2",
        "2 -<b> / add-> 3",
        "2 -<c>-> 4",
        "3 -</b> / upload-> 2",
        "4 -</c> / check, upload-> 2",
        "4 -ε-> 5",
        "5 -<e> / add-> 6",
        "6 -ε-> 7",
        "7 -ε-> 8",
        "7 -<d>-> 9",
        "8 -ε / check, upload-> 4",
        "9 -</d> / check-> 7",
        "9 -<*>-> 9",
        "9 -<f>-> 10",
        "9 -<g>-> 11",
        "10 -</f>-> 9",
        "11 -</g>-> 9",
    ];
    let query = "//a[b!]//c/{ e! , d[f][.//g]* }";
    assert_eq!(edges(query), expected);

    let a = automaton(query);
    // h: one buffer for each state on the way to a return node, one for the run; none for D, F, G.
    let buffers: Vec<Option<u32>> = a.states().iter().map(|s| s.buffer.map(|b| b.0)).collect();
    let [run, none] = [Some(4), None];
    assert_eq!(buffers, [Some(0), Some(1), Some(2), Some(3), run, run, run, run, none, none, none]);
    assert_eq!(a.h(Q0), Some(BufferId(0)));
    assert_eq!(a.buffers().len(), 5);
    // The check at </a> wants b and c, the one at </c> the NFA, the one at </d> f and g.
    let check = |from: u32| -> Vec<String> {
        let leaves = |(_, e): &(usize, &rpdt::paper::Edge)| matches!(e.kind, EdgeKind::Leave(_));
        let (_, edge) = a.delta(StateId(from)).find(leaves).unwrap();
        edge.check().unwrap().iter().map(|&i| a.edges()[i].to_string()).collect()
    };
    assert_eq!(check(2), ["2 -<b> / add-> 3", "2 -<c>-> 4"]);
    assert_eq!(check(4), ["8 -ε / check, upload-> 4"]);
    assert_eq!(check(9), ["9 -<f>-> 10", "9 -<g>-> 11"]);
    let sigma: Vec<String> = a.sigma().iter().map(ToString::to_string).collect();
    assert_eq!(
        sigma,
        [
            "<a>", "<*>", "</a>", "<b>", "<c>", "</b>", "</c>", "<e>", "<d>", "</d>", "<f>", "<g>",
            "</f>", "</g>"
        ]
    );
    assert_eq!(
        a.states()[7].kind,
        StateKind::Sequence { owner: NodeId(2), branch: 0, accepting: true }
    );
}

/// Fig. 2: the twig alone.
#[test]
fn figure_2() {
    let expected = [
        "1 -<a>-> 2",
        "2 -</a> / check, upload-> 1",
        "2 -<*>-> 2",
        "2 -<b> / add-> 3",
        "2 -<c> / add-> 4",
        "3 -</b> / upload-> 2",
        "4 -</c> / upload-> 2",
    ];
    assert_eq!(edges("/a[b!]//c!"), expected);
}

/// Fig. 3 and the other operators: only the edges between NFA states.
#[test]
fn figure_3_and_the_other_operators() {
    let cases: [(&str, &[&str]); 9] = [
        ("e, d*", &["3 -<e>-> 4", "4 -ε-> 5", "5 -<d>-> 5", "5 -ε-> 6"]),
        ("e", &["3 -<e>-> 4"]),
        ("e | d", &["3 -<e>-> 4", "3 -<d>-> 4"]),
        ("e?", &["3 -ε-> 4", "3 -<e>-> 4"]),
        ("e+", &["3 -ε-> 4", "4 -<e>-> 5", "5 -ε-> 4", "5 -ε-> 6"]),
        ("e{2}", &["3 -<e>-> 4", "4 -<e>-> 5"]),
        ("e{1,3}", &["3 -<e>-> 4", "4 -ε-> 6", "4 -<e>-> 5", "5 -ε-> 6", "5 -<e>-> 6"]),
        ("e{2,}", &["3 -<e>-> 4", "4 -ε-> 5", "5 -<e>-> 6", "6 -ε-> 5", "6 -ε-> 7"]),
        ("(e, d)*", &["3 -ε-> 4", "4 -<e>-> 5", "4 -ε-> 6", "5 -<d>-> 4"]),
    ];
    for (expression, expected) in cases {
        let a = automaton(&format!("/c[{{{expression}}}]"));
        let inner =
            a.edges().iter().filter(|e| matches!(e.kind, EdgeKind::Inner | EdgeKind::Symbol));
        let inner: Vec<String> = inner.map(ToString::to_string).collect();
        assert_eq!(inner, expected, "{expression}");
    }
}

/// A symbol with conditions that several transitions use has one sub-PDT, entered and left by a pair
/// of edges for each of them (section 3.4, rule 2).
#[test]
fn spliced_twice() {
    let expected = [
        "1 -<r>-> 2",
        "2 -</r> / check, upload-> 1",
        "2 -ε-> 3",
        "3 -<b>[@n]-> 6",
        "4 -ε-> 5",
        "4 -<b>[@n]-> 6",
        "5 -ε / check, upload-> 2",
        "6 -</b>[.!=\"\"] / check, upload-> 4",
        "6 -</b>[.!=\"\"] / check, upload-> 5",
        "6 -<x> / add-> 7",
        "7 -</x> / upload-> 6",
    ];
    assert_eq!(edges("/r/{b[@n][.!=\"\"][x!]{1,2}}"), expected);
}

#[test]
fn labels_and_default_mark() {
    let label = |query: &str| {
        let a = automaton(query);
        a.edges().iter().flat_map(|e| e.actions.clone()).find_map(|action| match action {
            Action::Add { label } => Some(label),
            _ => None,
        })
    };
    assert_eq!(label("//a[b!x]"), Some(Some("x".into())));
    assert_eq!(label("//a[b]"), Some(None));
    assert_eq!(edges("/a")[0], "1 -<a> / add-> 2");
}

#[test]
fn dot() {
    let expected = r#"digraph rpdt {
  "1" [shape=circle];
  "2" [shape=circle];
  "3" [shape=circle];
  "4" [shape=doublecircle];
  "1" -> "2" [label="<a> / add"];
  "2" -> "1" [label="</a>[.=\"x\"] / check, upload"];
  "2" -> "3" [label="ε"];
  "3" -> "4" [label="<b>"];
  "4" -> "2" [label="ε / check"];
}
"#;
    assert_eq!(automaton("/a[.='x'][{b}]!").to_dot(), expected);
}

#[test]
fn explanation() {
    let expected = "\
pattern
  //a[@n>1][b!]//c/{e!quake, d[f]*}

nodes
  a: any element; spine: on the way to a return node
  b: child of a; returned, labelled with the element's name
  c: descendant of a; spine: on the way to a return node
  e: child of c, symbol of its regular branch; returned, labelled quake
  d: child of c, symbol of its regular branch; condition only
  f: child of d; condition only

conditions (all must hold; the order of ordinary branches is free)
  a: [@n>1] holds; some child b; some descendant c
  c: a run, contiguous element children that spell {e!quake, d[f]*}
  d: some child f

answers
  return nodes: b, e
  shape unless chosen: tuples (several return nodes)
  runs reported, by policy:
    peak: the longest run at a child, when the next child does not prolong it
    live: the longest run at every child that ends one
    nonoverlap: leftmost-longest runs, each after the end of the one before

states Q, with the buffer h that each is mapped to
  1: q0, before the document element; B0
  2: PDT: inside a; B1
  3: PDT: inside b; B2
  4: PDT: inside c; B3
  5: NFA: between children of c; B4
  6: NFA: between children of c; B4
  7: NFA: between children of c; B4
  8: NFA: between children of c, accepting; B4
  9: PDT: inside d
  10: PDT: inside f

transitions δ: from -input / actions-> to
  1 -<a>[@n>1]-> 2
  1 -<*>-> 1  (one level down)
  2 -</a> / check, upload-> 1  (check: through 3, through 4)
  2 -<*>-> 2  (one level down)
  2 -<b> / add-> 3  (children only)
  2 -<c>-> 4
  3 -</b> / upload-> 2
  4 -</c> / check, upload-> 2  (check: back from 8)
  4 -ε-> 5  (into the NFA)
  5 -<e> / add-> 6
  6 -ε-> 7
  7 -ε-> 8
  7 -<d>-> 9
  8 -ε / check, upload-> 4  (out of the NFA; check: a run ends here)
  9 -</d> / check-> 7  (check: through 10)
  9 -<f>-> 10
  10 -</f>-> 9
";
    assert_eq!(automaton("//a[b!][@n>1]//c/{e!quake, d[f]*}").explain(), expected);
}

/// The bounds on patterns are bounds on what is built here too.
#[test]
fn large_patterns() {
    let chain = automaton(&"//a".repeat(4096));
    assert_eq!(chain.states().len(), 4097);
    assert!(chain.explain().len() > chain.to_dot().len() / 10);
    let copies = automaton("//a/{(b[c], d?){0,2048}}");
    assert!(copies.edges().len() < 6 * 4096);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn well_formed(model in Alphabet::RICH.queries(), style in any::<u64>()) {
        let pattern = Pattern::parse(&model.text(style)).unwrap();
        let a = PaperAutomaton::new(&pattern);
        for (i, state) in a.states().iter().enumerate() {
            prop_assert_eq!(state.id.index(), i);
            prop_assert!(state.buffer.is_none_or(|b| (b.0 as usize) < a.buffers().len()));
        }
        let mut closed = HashSet::new();
        for (i, edge) in a.edges().iter().enumerate() {
            prop_assert!(edge.from.index() < a.states().len() && edge.to.index() < a.states().len());
            prop_assert!(a.delta(edge.from).any(|(j, e)| i == j && e == edge));
            if let EdgeKind::Leave(start) = edge.kind {
                // Every sub-PDT is left from where it was entered, and once for each entrance.
                prop_assert_eq!(a.edges()[start].kind, EdgeKind::Enter);
                prop_assert_eq!(a.edges()[start].to, edge.from);
                prop_assert_eq!(a.edges()[start].node, edge.node);
                prop_assert!(closed.insert(start));
            }
            // What is put into a buffer has one, and so has what is handed on.
            if edge.adds() || edge.uploads() {
                prop_assert!(a.h(edge.to).is_some());
            }
            if edge.uploads() {
                prop_assert!(a.h(edge.from).is_some() && edge.from != edge.to);
            }
            prop_assert_eq!(edge.input == Input::Any, edge.kind == EdgeKind::Loop);
        }
        let entrances = a.edges().iter().filter(|e| e.kind == EdgeKind::Enter).count();
        prop_assert_eq!(entrances, closed.len());
        // Every node has its second state or its transitions, every state can be reached.
        let nodes: HashSet<NodeId> = a.edges().iter().filter_map(|e| e.node).collect();
        prop_assert_eq!(nodes.len(), pattern.nodes().len());
        let mut seen = HashSet::from([Q0]);
        let mut open = vec![Q0];
        while let Some(state) = open.pop() {
            for (_, edge) in a.delta(state) {
                if seen.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        prop_assert_eq!(seen.len(), a.states().len());
        prop_assert!(a.to_dot().starts_with("digraph"));
        prop_assert!(!a.explain().is_empty());
    }
}
