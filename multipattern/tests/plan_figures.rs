//! The models of Figs. 6, 7 and 8 of the paper: their counts, their composites, their pictures.

use multipattern::model::{self, Label, Sequences};
use multipattern::{Method, PatternId, PatternSet, Plan, decompose};

const PATTERNS: [(&str, &str); 4] =
    [("SEQ1", "ABD"), ("SEQ2", "GAB"), ("SEQ3", "ABCD"), ("SEQ4", "BCDE")];

fn set(patterns: &[(&str, &str)]) -> PatternSet {
    let mut builder = PatternSet::builder();
    for (id, types) in patterns {
        builder = builder.seq(id, types.split("").filter(|name| !name.is_empty()));
    }
    builder.build().unwrap()
}

/// States and edges of single, trie, sharing, proposed.
fn counts(set: &PatternSet) -> [(usize, usize); 4] {
    [Method::Single, Method::Trie, Method::Sharing, Method::Proposed].map(|method| {
        let plan = Plan::new(method, set);
        (plan.states(), plan.edges())
    })
}

#[test]
fn fig_6() {
    let set = set(&PATTERNS[..2]);
    assert_eq!(counts(&set), [(8, 6), (7, 6), (6, 6), (5, 5)]);
}

#[test]
fn fig_7() {
    let set = set(&PATTERNS[2..]);
    assert_eq!(counts(&set), [(10, 8), (9, 8), (8, 8), (6, 6)]);
}

#[test]
fn fig_8() {
    let set = set(&PATTERNS);
    assert_eq!(counts(&set), [(18, 14), (13, 12), (10, 12), (8, 10)]);
}

#[test]
fn optimized_has_the_counts_of_single() {
    let set = set(&PATTERNS);
    let (single, optimized) = (Plan::single(&set), Plan::optimized(&set));
    assert_eq!((optimized.states(), optimized.edges()), (single.states(), single.edges()));
    assert!(optimized.cost().total() < single.cost().total());
}

#[test]
fn the_most_frequent_pair_first_misses_fig_8() {
    let set = Sequences::from(&set(&PATTERNS));
    let pairs = decompose::most_frequent_pairs(&set);
    let model = model::proposed::proposed(&set, pairs);
    assert_eq!((model.states(), model.edges().len()), (8, 11));
}

#[test]
fn the_papers_decompositions() {
    let plan = Plan::proposed(&set(&PATTERNS));
    let explained: Vec<String> =
        (0..4).map(|pattern| plan.explain(PatternId(pattern)).unwrap().to_string()).collect();
    assert_eq!(
        explained,
        [
            "SEQ1(A, B, D): SEQ(A, B) -> SEQ1({A,B}, D)",
            "SEQ2(G, A, B): SEQ(A, B) -> SEQ2(G, {A,B})",
            "SEQ3(A, B, C, D): SEQ(B, C, D) -> SEQ3(A, {B,C,D})",
            "SEQ4(B, C, D, E): SEQ(B, C, D) -> SEQ4({B,C,D}, E)",
        ]
    );
    assert!(plan.explain(PatternId(4)).is_none());
    assert_eq!(plan.rules(), 2);
    // All but the start and what is behind G: three patterns go through A, two use {A, B}, two
    // {B, C, D}, and all end in the same state.
    assert_eq!(plan.shared_nodes(), 6);
}

#[test]
fn without_rules_a_pattern_explains_itself() {
    let plan = Plan::sharing(&set(&PATTERNS));
    assert_eq!(plan.explain(PatternId(1)).unwrap().to_string(), "SEQ2(G, A, B)");
}

#[test]
fn the_three_functions_of_fig_6() {
    let set = set(&PATTERNS[..2]);
    let plan = Plan::proposed(&set);
    let (model, symbols) = (plan.model(), plan.sequences());
    let symbol = |name: &str| (0..symbols.symbols()).find(|&s| symbols.name(s) == name).unwrap();
    let [a, b, d, g] = ["A", "B", "D", "G"].map(|name| Label::Symbol(symbol(name)));
    let pair = Label::Composite(0);
    let start = model::Path::at(model.starts()[0]);
    let go = |path, label| model.transition(path, label).unwrap();

    // State transition.
    let (after_a, after_g) = (go(start, a), go(start, g));
    let after_ab = go(after_a, b);
    let (first, second) = (go(after_ab, d), go(after_g, pair));
    assert_eq!(first.state, second.state, "equal suffixes end in one state");
    assert_ne!(first.rank, second.rank, "which pattern it was, is told by the rank");
    assert_eq!(model.transition(start, b), None);

    // Conditional output.
    let output = |path| model.output(path).unwrap();
    assert_eq!((&output(after_ab).patterns[..], output(after_ab).rule), (&[][..], Some(0)));
    assert_eq!((&output(first).patterns[..], output(first).rule), (&[0][..], None));
    assert_eq!((&output(second).patterns[..], output(second).rule), (&[1][..], None));
    assert_eq!(model.output(after_g), None);
    assert!(!model::output::in_order(Some(1), 0), "A G B is no SEQ2");

    // Failure transition: G A B is given up for A B.
    let failure = model::Failure::new(model, |symbol| symbol);
    assert_eq!(failure.failure(second), Some(after_ab));
    assert_eq!(failure.failure(after_ab), None);
    assert_eq!(failure.length(second), Some(3));
}

#[test]
fn the_three_functions_as_text() {
    let text = "\
state transition
  0 A -> 1
  0 G -> 2
  1 B -> 3
  2 {A,B} -> 4
  3 D -> 4
failure transition
  G {A,B} -> A B
conditional output
  A B: {A,B}
  G {A,B}: SEQ2
  A B D: SEQ1
";
    assert_eq!(Plan::proposed(&set(&PATTERNS[..2])).functions(), text);
}

#[test]
fn fig_6_as_a_picture() {
    let dot = r#"digraph model {
  rankdir=LR;
  node [shape=circle];
  0 [label="0"];
  1 [label="1"];
  2 [label="2"];
  3 [label="3", shape=doublecircle, xlabel="{A,B}"];
  4 [label="4", shape=doublecircle, xlabel="SEQ1\nSEQ2"];
  start0 [shape=point];
  start0 -> 0;
  0 -> 1 [label="A"];
  0 -> 2 [label="G /2"];
  1 -> 3 [label="B"];
  2 -> 4 [label="{A,B}", style=bold];
  3 -> 4 [label="D /1"];
}
"#;
    assert_eq!(Plan::proposed(&set(&PATTERNS[..2])).to_dot(), dot);
}

#[test]
fn names_in_pictures_are_escaped() {
    let set = PatternSet::builder().seq("\"\\", ["a\nb", "\"c"]).build().unwrap();
    let dot = Plan::sharing(&set).to_dot();
    assert!(dot.contains(r#"[label="a\nb"]"#), "{dot}");
    assert!(dot.contains(r#"[label="\"c"]"#), "{dot}");
    assert!(dot.contains(r#"xlabel="\"\\""#), "{dot}");
}
