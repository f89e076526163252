//! The oracle of SASE+ queries, and the engine, against cases that were worked out by hand: rounds
//! of groups, and what is left, seen from inside and from outside.

mod sase_oracle;

use nfab::EndOfInput;
use sase_oracle::Kleene;
use sase_oracle::text::{matches, query};

/// Under strict contiguity, each prefix.
#[track_caller]
fn strict(items: &str, predicates: &str, stream: &str, expected: &[&str]) {
    let query = query(items, &format!("WHERE strict_contiguity {{ {predicates} }}"));
    let found = matches(&query, stream, Kleene::Each, EndOfInput::Silent);
    assert_eq!(found, expected, "{query} over {stream}");
}

#[test]
fn outside_of_a_group_all_its_rounds_are_seen() {
    let pattern = "SEQ(A a, B+ b[])+, C c";
    let both = ["a0 b1 a2 b3 b4 c5 #5"];
    strict(pattern, "c.x = sum(b[].x)", "A B:1 A B:2 B:3 C:6", &both);
    strict(pattern, "c.x = b[1].x", "A B:1 A B:2 B:3 C:1", &both);
    strict(pattern, "c.x = b[b.LEN].x", "A B:1 A B:2 B:4 C:4", &[both[0], "a2 b3 b4 c5 #5"]);
    strict(pattern, "c.x = count(a[])", "A B A B B C:2", &both);
    strict(pattern, "c.x = min(a[].x)", "A:1 B A:2 B B C:1", &both);
    // Only those of its own round of a group around both.
    let nested = "SEQ(SEQ(A a, B+ b[])+, C c){2}";
    let expected = ["a0 b1 a2 b3 c4 a5 b6 c7 #7"];
    strict(nested, "c.x = sum(b[].x)", "A B:1 A B:2 C:3 A B:5 C:5", &expected);
    strict(nested, "c.x = sum(a[].x)", "A:1 B A:2 B C:3 A:5 B C:5", &expected);
}

#[test]
fn inside_of_a_group_the_round_is_seen() {
    let pattern = "SEQ(A a, B b){2}, C c";
    let expected = ["a0 b1 a2 b3 c4 #4"];
    strict(pattern, "b.x = a.x", "A:1 B:1 A:2 B:2 C", &expected);
    // The first round is the first for later rounds too.
    strict(pattern, "b.x = a[1].x", "A:1 B:1 A:2 B:1 C", &expected);
    strict(pattern, "a[1].x = 1 AND b[1].x = 2", "A:1 B:2 A:5 B:5 C", &expected);
    // From the second round on.
    strict(pattern, "a.x = a[i-1].x + 2", "A:1 B:2 A:3 B:4 C", &expected);
    strict(pattern, "a.x = count(a[..i-1].x) + 2", "A:1 B:2 A:3 B:4 C", &expected);
    // Lists and rounds start anew.
    let nested = "SEQ(SEQ(A a)+, B b){2}";
    let rising = "A:1 A:2 B A:1 A:2 B";
    strict(nested, "a.x > a[i-1].x", rising, &["a0 a1 b2 a3 a4 b5 #5", "a1 b2 a3 a4 b5 #5"]);
    strict(nested, "b.x = sum(a[].x)", "A:1 A:2 B:3 A:1 B:1", &["a0 a1 b2 a3 b4 #4"]);
    let lists = "SEQ(A a, B* b[]){2}, C c";
    strict(lists, "b[i].x > b[i-1].x", "A B:1 B:2 A B:1 C", &["a0 b1 b2 a3 b4 c5 #5"]);
    strict(lists, "b[1].x = a.x", "A:1 B:1 A:2 B:2 C", &expected);
}

#[test]
fn leaving() {
    // A list without events is left as well; one that is not come to is not.
    strict("A a, B* b[], C c", "count(b[]) > 0", "A C A B C", &["a2 b3 c4 #4"]);
    let stream = "A N A C N A B C N";
    let expected = ["a0 n1 #1", "a5 b6 c7 n8 #8"];
    strict("A a, SEQ(B* b[], C c)?, N n", "count(b[]) > 0", stream, &expected);
    strict("A a, OR(B* b[], C c), N n", "count(b[]) > 0", "A C N A N", &["a0 c1 n2 #2"]);
    // So is a group without rounds.
    strict("A a, SEQ(B b)*, C c", "count(b[]) > 0", "A C A B C", &["a2 b3 c4 #4"]);
    // What is left is complete: of all that repeats with the group, all rounds are seen.
    let pattern = "SEQ(B+ b[], A a)+";
    let expected = ["b0 a1 #1", "b0 a1 b2 a3 #3", "b2 a3 #3"];
    strict(pattern, "sum(a[].x) = sum(b[].x)", "B:1 A:1 B:2 A:2", &expected);
    let pattern = "SEQ(OR(A a, B b))+, C c";
    let expected = ["a0 b1 c2 #2"];
    strict(pattern, "count(a[]) = count(b[])", "A B C", &expected);
    let stream = "A:3 B:1 A:2 C";
    strict(pattern, "a[1].x > a[a.LEN].x", stream, &["a0 b1 a2 c3 #3"]);
}

#[test]
fn orders_in_rounds() {
    let pattern = "SEQ(AND(A a, B b)){2}, C c";
    let expected = ["a0 b1 b2 a3 c4 #4"];
    strict(pattern, "a.x = b.x", "A:1 B:1 B:2 A:2 C", &expected);
    strict(pattern, "c.x = sum(a[].x) + b[1].x", "A:1 B:1 B:2 A:2 C:4", &expected);
    let pattern = "SEQ(AND(A+ a[], B b)){2}, C c";
    let expected = ["a0 a1 b2 b3 a4 c5 #5"];
    strict(pattern, "sum(a[].x) = b.x", "A:1 A:2 B:3 B:4 A:4 C", &expected);
    // The condition waits for the list, and the list for its end.
    strict("AND(A+ a[], B b), C c", "sum(a[].x) = b.x", "B:3 A:1 A:2 C", &["b0 a1 a2 c3 #3"]);
    strict("AND(A? a, B b), C c", "a.x = b.x", "B:1 C A:1 B:2 C", &["b0 c1 #1", "b3 c4 #4"]);
}

#[test]
fn numbers() {
    let a = |predicate: &str, stream: &str, expected: &[&str]| {
        strict("A a", predicate, stream, expected);
    };
    a("a.x / 2 > 3", "A:7 A:6", &["a0 #0"]);
    a("a.x / 3 * 3 = a.x", "A:7 A:-7 A:0", &["a0 #0", "a1 #1", "a2 #2"]);
    a("a.x % 3 = -1", "A:-4 A:4 A:-4.0", &["a0 #0", "a2 #2"]);
    a("1 / a.x > 0 or a.x > 9", "A:0 A:0.0 A:-1 A:10", &["a1 #1", "a3 #3"]);
    a("a.x = 9007199254740993", "A:9007199254740993 A:9007199254740992.0", &["a0 #0"]);
    a("a.x in (1, 't') and a.x not between 2 and 3", "A:1 A:t A:2", &["a0 #0"]);
    a("-a.x < -2", "A:3 A:t A:2.5", &["a0 #0", "a2 #2"]);
    let list = |predicate: &str, stream: &str, expected: &[&str]| {
        strict("A{3} a[]", predicate, stream, expected);
    };
    let all = ["a0 a1 a2 #2"];
    list("avg(a[].x) * 3 = 4", "A:1 A:1 A:2", &all);
    list("avg(a[].x) = 1.5 and count(a[].x) = 2 and count(a[]) = 3", "A:1 A:- A:2", &all);
    list("sum(a[].x) = 3.5 and min(a[].x) = 1 and max(a[].x) = 2.5", "A:1 A:t A:2.5", &all);
    list("max(a[].x) = 2 and first(a[].x) is null and last(a[].x) = 1", "A:- A:2 A:1", &all);
    list("avg(a[].x) is null and sum(a[].x) = 0 and min(a[].x) is null", "A:- A:- A:-", &all);
    list("min(a[].x) = 1 and not sum(a[].x) = 2", "A:1 A:nan A:1", &all);
}
