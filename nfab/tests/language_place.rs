//! "Each predicate on the edge of its last-bound variable."

use nfab::language::{EdgeKind, Query, place};

/// The placement of a query's conditions as text: `a:Take`, `a:Begin|b:Begin`, `n:Negation..`.
fn placed(pattern: &str, predicates: &str) -> Vec<String> {
    let text = format!("PATTERN SEQ({pattern}) {{ {predicates} }} WITHIN 1 hour");
    let query = Query::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let placement = place(&query);
    let shown = placement.predicates.iter().map(|placed| {
        let edges = placed.edges.iter().map(|edge| format!("{}:{:?}", edge.variable, edge.kind));
        let edges: Vec<String> = edges.collect();
        format!("{}{}", edges.join("|"), if placed.looks_ahead { ".." } else { "" })
    });
    shown.collect()
}

#[test]
fn q3_of_the_paper() {
    let query = Query::parse(
        "PATTERN SEQ(Stock+ a[], Stock b) WHERE skip_till_next_match { [symbol] \
         AND a[1].volume > 1000 AND a[i].price > avg(a[..i-1].price) \
         AND b.volume < 0.8 * a[a.LEN].volume } WITHIN 1 hour",
    )
    .unwrap();
    let placement = place(&query);
    let edges: Vec<(usize, &str, EdgeKind)> = placement
        .predicates
        .iter()
        .map(|p| (p.predicate, &*p.edges[0].variable, p.edges[0].kind))
        .collect();
    assert_eq!(
        edges,
        [(1, "a", EdgeKind::Begin), (2, "a", EdgeKind::Take), (3, "b", EdgeKind::Begin)]
    );
    assert!(placement.predicates.iter().all(|p| p.edges.len() == 1 && !p.looks_ahead));
}

#[test]
fn sequences() {
    let pattern = "A a, B+ b[], C? c, D d";
    for (predicate, edge) in [
        ("a.x = 1", "a:Begin"),
        ("a.x = b[1].x", "b:Begin"),
        ("b[i].x = a.x", "b:Take"),
        ("b[i-1].x = 3", "b:Take"),
        ("b[i].x > b[1].x", "b:Take"),
        ("count(b[..i-1]) < 5", "b:Take"),
        ("sum(b[].x) > a.x", "b:Proceed"),
        ("b[1].x < b[b.LEN].x", "b:Proceed"),
        ("c.x = b[1].x or c.x = a.x", "c:Begin"),
        ("d.x > avg(b[].x)", "d:Begin"),
        ("d.x = a.x and d.y between c.x and 7", "d:Begin,d:Begin"),
        ("true", ""),
    ] {
        assert_eq!(placed(pattern, predicate).join(","), edge, "{predicate}");
    }
    assert_eq!(placed("A a, B* b[]", "count(b[]) > 2"), ["b:Proceed"]);
}

#[test]
fn negations() {
    assert_eq!(placed("A a, ~N n, B b", "n.x = a.x"), ["n:Negation"]);
    assert_eq!(placed("A a, ~N n, B b", "n.x = b.x"), ["n:Negation.."]);
    assert_eq!(placed("A a, ~N n, B+ b[]", "n.x < max(b[].x)"), ["n:Negation.."]);
    assert_eq!(placed("A+ a[], ~N n, B b", "n.x > avg(a[].x)"), ["n:Negation"]);
    assert_eq!(placed("~N n, A a", "n.x = a.x"), ["n:Window.."]);
    assert_eq!(placed("A a, ~N n", "n.x = a.x AND n.y > 0"), ["n:Window", "n:Window"]);
    assert_eq!(placed("A? a, ~N n, B b", "n.x = 1"), ["n:Window"]);
}

#[test]
fn choices_and_orders() {
    assert_eq!(placed("OR(A a, B b), C c", "a.x = c.x AND b.x = 2"), ["c:Begin", "b:Begin"]);
    assert_eq!(placed("AND(A a, B b), C c", "a.x = b.x"), ["a:Begin|b:Begin"]);
    assert_eq!(placed("AND(A a, B b), C c", "a.x = b.x + c.x"), ["c:Begin"]);
    assert_eq!(placed("AND(A+ a[], B b)", "sum(a[].x) = b.x"), ["a:Proceed|b:Begin"]);
    assert_eq!(placed("AND(SEQ(A a, B b), C c)", "a.x + b.x = c.x"), ["b:Begin|c:Begin"]);
    assert_eq!(placed("AND(A+ a[], B b)", "a[i].x > a[i-1].x"), ["a:Take"]);
}

#[test]
fn repeated_groups() {
    let pattern = "Z z, SEQ(A a, B+ b[])+, C c";
    for (predicate, edge) in [
        ("a.x > z.x", "a:Begin"),
        ("a.x > a[i-1].x", "a:Take"),
        ("a.x > sum(a[..i-1].x)", "a:Take"),
        ("a[1].x = 4", "a:Begin"),
        ("b[i].x > a.x", "b:Take"),
        ("sum(b[].x) > a.x", "b:Proceed"),
        ("sum(a[].x) > z.x", "a:Proceed"),
        ("c.x > sum(a[].x) + count(b[]) + a[a.LEN].x", "c:Begin"),
    ] {
        assert_eq!(placed(pattern, predicate), [edge], "{predicate}");
    }
    assert_eq!(placed("SEQ(A a, B b)+, C c", "sum(a[].x) < sum(b[].x)"), ["b:Proceed"]);
    // Another round may take the other alternative.
    assert_eq!(
        placed("SEQ(OR(A a, B b))+, C c", "count(a[]) = count(b[])"),
        ["a:Proceed|b:Proceed"]
    );
}
