//! Patterns as sequences: what planning knows of conditions.

use multipattern::model::Sequences;
use multipattern::{Method, PatternSet, Plan};

#[test]
fn symbols_have_names_and_a_reach() {
    let set = PatternSet::parse(
        "first: SEQ(A, B[x > 1 AND y = A.y], C[z < 5 AND z >= A.z])\n\
         second: SEQ(D, A, B[x > 1 AND y = A.y])\n\
         third: SEQ(B, B)\n",
    )
    .unwrap();
    let sequences = Sequences::from(&set);
    let named = |pattern: usize| -> Vec<(String, u32)> {
        let symbols = sequences.sequence(pattern).unwrap().iter();
        symbols.map(|&symbol| (sequences.name(symbol), sequences.reach_of(symbol))).collect()
    };
    let symbol = |name: &str, reach| (name.to_owned(), reach);
    let bound = symbol("B[x > 1 AND y = prev.y]", 1);
    let far = symbol("C[z < 5 AND z >= prev2.z]", 2);
    assert_eq!(named(0), [symbol("A", 0), bound.clone(), far]);
    assert_eq!(named(1), [symbol("D", 0), symbol("A", 0), bound]);
    assert_eq!(named(2), [symbol("B", 0), symbol("B", 0)]);
    assert_eq!((sequences.len(), sequences.symbols()), (3, set.symbols() as u32));
    assert_eq!((0..3).map(|at| sequences.id(at)).collect::<Vec<_>>(), ["first", "second", "third"]);
}

#[test]
fn numbers_stand_in_for_names() {
    let sequences = Sequences::new([vec![0, 1]]).names(["A"]);
    assert_eq!([sequences.name(0), sequences.name(1), sequences.id(0)], ["A", "s1", "SEQ1"]);
    assert_eq!(sequences.sequence(1), None);
    assert!(Sequences::default().is_empty());
}

#[test]
fn only_equal_conditions_are_shared() {
    let text = |other: &str| {
        format!(
            "a: SEQ(A, B[x = A.x], C)\nb: SEQ(D, A, B[x = A.x])\nc: SEQ(E, A, B[x {other} A.x])\n"
        )
    };
    let rules = |other: &str| {
        let plan = Plan::proposed(&PatternSet::parse(&text(other)).unwrap());
        let uses = (0..3).filter_map(|pattern| plan.model().word(pattern)).flatten();
        let composite = |label: &&_| matches!(label, multipattern::model::Label::Composite(_));
        uses.filter(composite).count()
    };
    assert_eq!(rules("="), 2, "in b and in c");
    assert_eq!(rules("<"), 1, "in b alone");
}

#[test]
fn methods_have_names() {
    for method in Method::ALL {
        assert_eq!(Method::from_name(&method.to_string()), Some(method));
    }
    assert_eq!(Method::from_name("best"), None);
}

#[test]
fn a_summary_has_all_counts() {
    let set = PatternSet::parse("a: SEQ(A, B, D)\nb: SEQ(G, A, B)\n").unwrap();
    let plan = Plan::proposed(&set);
    let summary = plan.summary();
    assert_eq!(summary.method, Method::Proposed);
    assert_eq!((summary.states, summary.edges), (5, 5));
    // Behind A, behind A B, and the end.
    assert_eq!((summary.rules, summary.shared_nodes), (1, 3));
    assert_eq!(summary.cost, plan.cost().total());
}
