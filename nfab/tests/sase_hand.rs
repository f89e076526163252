//! The oracle of SASE+ queries, and the engine, against cases that were worked out by hand.

mod sase_oracle;

use nfab::EndOfInput::{Max, Silent};
use nfab::{EndOfInput, Value};
use sase_oracle::Kleene::{self, Each, Maximal};
use sase_oracle::text::{both, matches, query, show, steps};
use sase_oracle::{Ev, Options, Step};

#[track_caller]
fn check(
    items: &str,
    clauses: &str,
    stream: &str,
    kleene: Kleene,
    end: EndOfInput,
    expected: &[&str],
) {
    let found = matches(&query(items, clauses), stream, kleene, end);
    assert_eq!(found, expected, "SEQ({items}) {clauses} over {stream}");
}

/// Each prefix, nothing concluded from the end of the stream.
#[track_caller]
fn each(items: &str, clauses: &str, stream: &str, expected: &[&str]) {
    check(items, clauses, stream, Each, Silent, expected);
}

/// Longest matches, with the end of the stream.
#[track_caller]
fn maximal(items: &str, clauses: &str, stream: &str, expected: &[&str]) {
    check(items, clauses, stream, Maximal, Max, expected);
}

const STRICT: &str = "WHERE strict_contiguity";
const ANY: &str = "WHERE skip_till_any_match";

fn values(values: &[i64]) -> String {
    values.iter().map(|v| format!("V:{v} ")).collect()
}

#[test]
fn demands_of_the_article() {
    let pattern = "V a -> V b -> V c";
    let clauses = "WHERE { a.x = 10 AND b.x = 20 AND c.x = 10 }";
    let stream = values(&[10, 20, 10, 20, 10, 5, 10, 20, 30, 10]);
    each(pattern, clauses, &stream, &["a0 b1 c2 #2", "a2 b3 c4 #4"]);

    let clauses = "WHERE strict_contiguity { a.x = 10 AND b[1].x between 10 and 50 \
                   AND b[i].x between 10 and 50 AND c.x = 0 }";
    let stream = values(&[10, 10, 20, 0, 10, 60, 0, 10, 0, 10, 50, 0, 10, 20, 51, 0]);
    let expected = ["a0 b1 b2 c3 #3", "a1 b2 c3 #3", "a9 b10 c11 #11"];
    each("V a, V+ b[], V c", clauses, &stream, &expected);
}

#[test]
fn strategies() {
    let clauses = "{ a[1].x = 20 AND a[i].x > a[i-1].x }";
    let stream = values(&[20, 30, 100, 40, 50]);
    maximal("V+ a[]", &format!("WHERE {clauses}"), &stream, &["a0 a1 a2 end"]);
    let expected = [
        "a0 #0",
        "a0 a1 #1",
        "a0 a1 a2 #2",
        "a0 a2 #2",
        "a0 a1 a3 #3",
        "a0 a3 #3",
        "a0 a1 a3 a4 #4",
        "a0 a1 a4 #4",
        "a0 a3 a4 #4",
        "a0 a4 #4",
    ];
    each("V+ a[]", &format!("{ANY} {clauses}"), &stream, &expected);
}

#[test]
fn three_views_and_a_buy() {
    let three = ["v0 v1 v2 b3 #3", "v1 v2 b3 #3", "v2 b3 #3"];
    each("A+ v[], B b", STRICT, "A A A B", &three);
    each("A+ v[], B b", "", "A A A B", &three);
    let seven = [
        "v0 v1 v2 b3 #3",
        "v0 v1 b3 #3",
        "v0 v2 b3 #3",
        "v0 b3 #3",
        "v1 v2 b3 #3",
        "v1 b3 #3",
        "v2 b3 #3",
    ];
    each("A+ v[], B b", ANY, "A A A B", &seven);
}

#[test]
fn q3_of_the_paper() {
    let query = nfab::language::Query::parse(
        "PATTERN SEQ(Stock+ a[], Stock b) WHERE skip_till_next_match { [symbol] AND \
         a[1].volume > 1000 AND a[i].price > avg(a[..i-1].price) AND \
         b.volume < 0.8 * a[a.LEN].volume } WITHIN 1 hour",
    )
    .unwrap();
    let stock = [
        (100, 1010),
        (120, 990),
        (120, 1005),
        (121, 999),
        (120, 999),
        (125, 750),
        (120, 950),
        (120, 700),
    ];
    let event = |(time, (price, volume)): (i64, (i64, i64))| {
        let attributes = vec![
            ("symbol", Value::from("x")),
            ("price", Value::Int(price)),
            ("volume", Value::Int(volume)),
        ];
        Step::Event(Ev { kind: "Stock", time, attributes })
    };
    let steps: Vec<Step> = (0..).zip(stock).map(event).collect();
    let found = both(&query, &steps, Options::default_of(&query));
    let found: Vec<String> = found.matches.iter().map(show).collect();
    let expected = ["a0 a1 a2 a3 a4 b5 #5", "a2 a3 b5 #5", "a0 a1 a2 a3 a4 a5 a6 b7 #7"];
    assert_eq!(found, expected);
}

#[test]
fn gaps() {
    // Strict counts events of every type and partition, also those without a key.
    each("A a, B b", STRICT, "A B A C B", &["a0 b1 #1"]);
    each("A a -> B b", "WHERE { [k] }", "A:1:1 B:1:2 A:1:1 B:1:1 A:1:1 N B:1:1", &["a2 b3 #3"]);
    let partition = "WHERE partition_contiguity { [k] }";
    each("A a, B b", partition, "A:1:1 B:1:2 B:1:1 A:1:1 N:1:1 B:1:1", &["a0 b2 #2"]);
    each("A a, B b", "", "A A C B B", &["a0 b3 #3", "a1 b3 #3"]);
    each("A a, B b", ANY, "A B C B", &["a0 b1 #1", "a0 b3 #3"]);
    // A gap of its own.
    each("A a ->> B b", STRICT, "A C B B", &["a0 b2 #2"]);
    each("A a ->>> B b", STRICT, "A C B B", &["a0 b2 #2", "a0 b3 #3"]);
    each("A a, B b -> C c", ANY, "A B B C", &["a0 b2 c3 #3"]);
    // The gap belongs to the option: `c` may be waited for while `b` may not.
    each("A a -> B? b, C c", "", "A N B C", &["a0 c3 #3"]);
    // An option of strategy any does not make the others wait, and is not made to wait.
    each("A a, B? b ->>> C c", "", "A C B C", &["a0 c1 #1", "a0 b2 c3 #3", "a0 c3 #3"]);
    // The loop follows the query, also behind a gap of its own.
    each("A a -> B+ b[], C c", "", "A B N B C", &["a0 b1 b3 c4 #4"]);
    each("A a ->>> B+ b[], C c", STRICT, "A N B B C", &["a0 b2 b3 c4 #4", "a0 b3 c4 #4"]);
}

#[test]
fn counts() {
    let stream = "A A A A B";
    let expected = ["a0 a1 a2 b4 #4", "a1 a2 a3 b4 #4", "a2 a3 b4 #4"];
    each("A{2,3} a[], B b", "", stream, &expected);
    each("A{2,3} a[], B b", STRICT, "A A A B", &["a0 a1 a2 b3 #3", "a1 a2 b3 #3"]);
    let any = ["a0 a1 b3 #3", "a0 a2 b3 #3", "a1 a2 b3 #3"];
    each("A{2} a[], B b", ANY, "A A A B", &any);
    each("A* a[], B b", "", "A B", &["a0 b1 #1", "b1 #1"]);
    each("A a, B? b, C c", "", "A C A B C", &["a0 c1 #1", "a2 b3 c4 #4"]);
    each("A{0,1} a[], C c", STRICT, "A A C", &["a1 c2 #2", "c2 #2"]);
}

#[test]
fn ends() {
    each("A a, B* b[]", "", "A B C B", &["a0 #0", "a0 b1 #1", "a0 b1 b3 #3"]);
    maximal("A a, B* b[]", "", "A B C B", &["a0 b1 b3 end"]);
    check("A a, B* b[]", "", "A B C B", Maximal, Silent, &[]);
    // What can no longer be extended is reported at once.
    maximal("A a, B* b[]", STRICT, "A B C B", &["a0 b1 #2"]);
    maximal("A a, B{1,2} b[]", "", "A B C B", &["a0 b1 b3 #3"]);
    maximal("A a, B? b", "", "A A B", &["a0 b2 #2", "a1 b2 #2"]);
    // The window passes.
    maximal("A a, B* b[]", "WITHIN 3 ms", "A@0 B@2 C@3 C@7", &["a0 b1 @7"]);
    maximal("A a, B* b[]", "WITHIN 3 ms", "A@0 B@2 @3 @4 C@7", &["a0 b1 @4"]);
    maximal("A a, B* b[]", "WITHIN 3 EVENTS", "A B C B", &["a0 b1 #3"]);
    // Having passed over what it could have taken, a run is no match itself.
    maximal("A+ a[]", ANY, "A A", &["a0 a1 end", "a1 end"]);
    maximal(
        "A+ a[]",
        &format!("{ANY} {{ a[i].x = 1 }}"),
        "A:1 A:2 A:1 C",
        &["a0 a2 end", "a1 a2 end", "a2 end"],
    );
    // It ends where the way to its extension ends.
    maximal("A a, SEQ(B b -> C c)?", "", "A B N C", &[]);
    maximal("A a, SEQ(B b -> C c)?", "", "A N B C", &["a0 b2 c3 #3"]);
}

#[test]
fn negation_in_the_middle() {
    each("A a, ~N n, B b", "", "A B A N B A C B", &["a0 b1 #1", "a5 b7 #7"]);
    each("A a, ~N n, B b", ANY, "A B N B", &["a0 b1 #1"]);
    // Correlated, and looking ahead.
    let clauses = "WHERE { n.x > a.x }";
    each("A a, ~N n, B b", clauses, "A:5 N:4 B A:5 N:6 B", &["a0 b2 #2"]);
    let clauses = "WHERE { n.x > b.x }";
    each("A a, ~N n, B b", clauses, "A N:4 B:5 A N:6 B:5 B:7", &["a0 b2 #2"]);
    each("A a, ~N n, B b", &format!("{ANY} {{ n.x > b.x }}"), "A N:6 B:5 B:7", &["a0 b3 #3"]);
    // An event that is taken is not between; one that is passed over is.
    each("A a, ~B n, B b", "", "A B", &["a0 b1 #1"]);
    each("A a, ~B n, B b", ANY, "A B B", &["a0 b1 #1"]);
    each("A a, ~B n, B b", "WHERE { b.x = 1 }", "A B:2 B:1", &[]);
    // It guards all options behind it, and no others.
    each("A a, B* b[], ~N n, C c", "", "A N B C A B N C A N C", &["a0 b2 c3 #3"]);
    each("A a, ~N n, B? b, C c", "", "A N C A B N C", &["a3 b4 c6 #6"]);
    // The very next event.
    each("A a -> ~N n, B b", "", "A N B A C N B", &["a3 b6 #6"]);
    // Of the same partition.
    each("A a, ~N n, B b", "WHERE { [k] }", "A:0:1 N:0:2 N B:0:1 A:0:1 N:0:1 B:0:1", &["a0 b3 #3"]);
}

#[test]
fn negation_at_an_end() {
    let within = "WITHIN 3 ms";
    // Before: within the window that ends with the last event, its start included.
    each("~N n, A a, B b", within, "N@0 A@2 B@3 N@10 A@12 B@14", &["a4 b5 #5"]);
    each("~N n, A a", "WHERE { n.x = a.x } WITHIN 3 ms", "N:1@0 A:1@1 A:2@1", &["a2 #2"]);
    each("~N n, A a", "WITHIN 2 EVENTS", "N A A", &["a2 #2"]);
    each("~N n, A+ a[]", within, "N@0 A@2 A@4", &["a1 a2 #2", "a2 #2"]);
    // After: until the window of the first event has passed, its end included.
    each("A a, ~N n", within, "A@0 N@3 A@4 N@8 C@9", &["a2 @8"]);
    each("A a, ~N n", within, "A@0 @3 @4", &["a0 @4"]);
    each("A a, ~N n", within, "A@0", &[]);
    check("A a, ~N n", within, "A@0", Each, Max, &["a0 end"]);
    each("A a, ~N n", "WITHIN 2 EVENTS", "A N A C N", &["a2 #4"]);
    each("A a, ~N n", "WHERE { n.x > a.x } WITHIN 2 ms", "A:5@0 N:5@1 A:5@5 N:6@6 C@9", &["a0 @5"]);
    each("A a -> ~N n", within, "A@0 C@1 N@2 A@5 N@6 C@20", &["a0 @5"]);
    // Strict contiguity does not end the waiting for the window.
    each("A a, ~N n", &format!("{STRICT} {within}"), "A@0 C@1 C@9", &["a0 @9"]);
    // In the middle if something follows, at the end if not.
    let expected = ["a0 b1 #1", "a0 @5", "a2 @5", "a4 b6 #6", "a4 @20"];
    each("A a, ~N n, B? b", within, "A@0 B@1 A@1 C@5 A@10 C@11 B@12 A@20 N@21 C@24", &expected);
    maximal("A+ a[], ~N n", within, "A@0 A@1 A@2 N@3 C@9", &[]);
    maximal("A+ a[], ~N n", within, "A@0 A@1 N@2 A@3 C@9", &["a0 a1 a3 @9", "a1 a3 @9", "a3 @9"]);
}

#[test]
fn absent_variables() {
    let clauses = "WHERE { b.x > 3 AND c.x > b.x }";
    each("A a, B? b, C c", clauses, "A B:5 C:9 A C:9", &["a0 b1 c2 #2"]);
    each("A a, B? b, C c", "WHERE { b.x > 3 or b.x is null }", "A C", &["a0 c1 #1"]);
    each("A a, B? b, C c", "WHERE { c.x > b.x or b.x is null }", "A C:1", &["a0 c1 #1"]);
    each("A a, B* b[], C c", "WHERE { count(b[]) = 0 }", "A B C A C", &["a3 c4 #4"]);
    each("A a, B* b[]", "WHERE { sum(b[].x) > 2 }", "A B:1 B:2", &["a0 b1 b2 #2"]);
    // A missing value, NaN, numbers of two kinds, text.
    let stream = "A:1 A:1.0 A:nan A:- A:one A:2";
    each("A a", "WHERE { a.x = 1 }", stream, &["a0 #0", "a1 #1"]);
    each("A a", "WHERE { a.x != 1 }", stream, &["a2 #2", "a5 #5"]);
    each("A a", "WHERE { not a.x = 1 }", stream, &["a2 #2", "a5 #5"]);
    each("A a", "WHERE { a.x is null }", stream, &["a3 #3"]);
    each("A a", "WHERE { a.x / 2 * 2 = 1 and a.x % 2 = 1 }", stream, &["a0 #0", "a1 #1"]);
}

#[test]
fn choices_and_orders() {
    let both = ["a0 b1 c2 #2", "b0 a1 c2 #2"];
    each("AND(A a, B b), C c", "", "A B C", &both[..1]);
    each("AND(A a, B b), C c", "", "B A C", &both[1..]);
    let expected = ["b0 c1 a2 #2", "a4 b6 c7 #7"];
    each("AND(A a, SEQ(B b -> C c))", "", "B C A B A C B C", &expected);
    each("OR(A a, SEQ(B b, C c)), N n", "", "A B C N", &["a0 n3 #3", "b1 c2 n3 #3"]);
    each("AND(A a, B b)", "WHERE { a.x = b.x }", "A:1 B:2 B:1 C", &["a0 b2 #2"]);
    each("AND(A a, B b, C c)", "WHERE { c.x = a.x + b.x }", "C:3 A:1 B:2", &["c0 a1 b2 #2"]);
    each("AND(A+ a[], B b)", "WHERE { sum(a[].x) = b.x }", "A:1 A:2 B:3", &["a0 a1 b2 #2"]);
    each("AND(A+ a[], B b)", "WHERE { sum(a[].x) = b.x }", "B:3 A:1 A:2", &["b0 a1 a2 #2"]);
    // An absent item is at no place of its own.
    each("A a -> AND(B? b, C c)", "", "A C B", &["a0 c1 #1", "a0 c1 b2 #2"]);
}

#[test]
fn repeated_groups() {
    each("SEQ(A a, B b)+, C c", "", "A B A B C", &["a0 b1 a2 b3 c4 #4", "a2 b3 c4 #4"]);
    each("SEQ(A a, B b){2}", "", "A B A B", &["a0 b1 a2 b3 #3"]);
    each("SEQ(A a, B b)*, C c", STRICT, "A B C", &["a0 b1 c2 #2", "c2 #2"]);
    // This round, the round before, the rounds before, all rounds.
    let pattern = "SEQ(A a, B b)+, C c";
    // (The second round begins and cannot go on.)
    each(pattern, "WHERE { b.x = a.x }", "A:1 B:1 A:2 B:1 C", &[]);
    each(pattern, "WHERE { b.x = a.x }", "A:1 B:1 C A:2 B:1 C", &["a0 b1 c2 #2"]);
    each(
        pattern,
        "WHERE { a.x > a[i-1].x }",
        "A:1 B A:2 B C",
        &["a0 b1 a2 b3 c4 #4", "a2 b3 c4 #4"],
    );
    let sums = "WHERE strict_contiguity { a.x = sum(a[..i-1].x) }";
    each("SEQ(A a, B b){3}", sums, "A:1 B A:1 B A:2 B A:3 B", &["a0 b1 a2 b3 a4 b5 #5"]);
    let total = "WHERE { c.x = sum(a[].x) + count(b[]) }";
    each(pattern, total, "A:1 B A:2 B C:5", &["a0 b1 a2 b3 c4 #4"]);
    // A list inside starts anew.
    let lists = "WHERE strict_contiguity { sum(b[].x) = a.x }";
    each("SEQ(A a, B+ b[]){2}", lists, "A:3 B:1 B:2 A:1 B:1", &["a0 b1 b2 a3 b4 #4"]);
    // Two ways to read it are one match.
    each("SEQ(A+ a[])+, B b", STRICT, "A A B", &["a0 a1 b2 #2", "a1 b2 #2"]);
    // A negation inside guards each round.
    each("SEQ(A a, ~N n, B b){2}", "", "A B N A B A N B", &["a0 b1 a3 b4 #4"]);
    each("SEQ(A a, ~N n, B b){2}", "WHERE { n.x = b.x }", "A N:1 B:2 A N:2 B:2 A B", &[]);
}

#[test]
fn windows() {
    each("A a, B b", "WITHIN 3 ms", "A@0 B@3 A@10 B@14", &["a0 b1 #1"]);
    each("A a, B b", "WITHIN 3 EVENTS", "A C B A C C B", &["a0 b2 #2"]);
    each(
        "A a, B b",
        "WHERE { [k] } WITHIN 2 EVENTS",
        "A:0:1 C:0:2 B:0:1 A:0:1 B:0:1",
        &["a3 b4 #4"],
    );
    // Late events are not seen and have no number.
    each("A a -> B b", "", "A@5 C@4 B@5 @9 A@8 B@9", &["a0 b1 #1"]);
}

#[test]
fn timeouts() {
    let timed_out = |items: &str, clauses: &str, stream: &str| {
        let query = query(items, clauses);
        let options = Options { kleene: Maximal, end: Max, ..Options::default_of(&query) };
        let found = both(&query, &steps(stream), options);
        found.timed_out.iter().map(show).collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(timed_out("A a, B b", "WITHIN 3 ms", "A@0 B@2 A@5 C@9"), ["a2 @9"]);
    assert_eq!(timed_out("A a, B b", "WITHIN 3 ms", "A@0"), ["a0 end"]);
    assert_eq!(timed_out("A a, B b", "WITHIN 2 EVENTS", "A C N"), ["a0 #2"]);
    assert_eq!(timed_out("A a, B b", "WHERE strict_contiguity WITHIN 3 ms", "A@0 C@1 C@9"), none);
    assert_eq!(timed_out("A+ a[]", "WITHIN 3 ms", "A@0 C@9"), none);
    assert_eq!(timed_out("A a, SEQ(B b, C c)?", "WITHIN 3 ms", "A@0 B@1 N@9"), none);
}

#[test]
fn partitions() {
    let stream = "A:0:1 A:0:1.0 A:0:- A:0:nan A:0:one B:0:1 B:0:one B:0:- B:0:nan";
    let expected = ["a0 b5 #5", "a1 b5 #5", "a4 b6 #6"];
    each("A a, B b", "WHERE { [k] }", stream, &expected);
    let stream = "A:1:1 B:2:1 B:1:1";
    each("A a, B b", "WHERE strict_contiguity { [k, x] }", stream, &[]);
    each("A a, B b", "WHERE partition_contiguity { [k] AND [x] }", stream, &["a0 b2 #2"]);
}

#[test]
fn after_match_skip() {
    each("A a, B b", "AFTER MATCH NO SKIP", "A A B", &["a0 b2 #2", "a1 b2 #2"]);
    each("A a, B b", "AFTER MATCH SKIP PAST LAST", "A A B A B", &["a0 b2 #2", "a3 b4 #4"]);
    each("A+ a[], B b", "AFTER MATCH SKIP TO FIRST b", "A A B", &["a0 a1 b2 #2"]);
    each("A+ a[]", "AFTER MATCH SKIP TO NEXT", "A A", &["a0 #0", "a1 #1"]);
    let expected = ["a0 a1 b2 #2", "a1 b2 #2"];
    each("A+ a[], B b", "AFTER MATCH SKIP TO LAST a", "A A B", &expected);
    each("A+ a[], B b", "AFTER MATCH SKIP TO LAST a", "A A A B", &["a0 a1 a2 b3 #3", "a2 b3 #3"]);
    // The match of the later start waits for the earlier one, which then takes it away.
    let past = "WHERE { c.x = a.x } WITHIN 5 ms AFTER MATCH SKIP PAST LAST";
    each("A a, C c", past, "A:1@0 A:2@1 C:2@2 C:1@3", &["a0 c3 #3"]);
    each("A a, C c", past, "A:1@0 A:2@1 C:2@2 C:3@3 @6", &["a1 c2 @6"]);
    // Other partitions are not touched and not waited for.
    let past = "WHERE { [k] } AFTER MATCH SKIP PAST LAST";
    each("A a, C c", past, "A:0:1 A:0:2 C:0:2 C:0:1", &["a1 c2 #2", "a0 c3 #3"]);
}
