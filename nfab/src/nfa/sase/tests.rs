//! The automata of queries: what people see, and what runs execute.

use super::super::program::{COMPLETE, Finish, NOWHERE, Window};
use crate::error::{Error, ErrorKind};
use crate::event::{Schema, Slot};
use crate::language::Query;
use crate::nfa::{Automaton, CompileOptions, EdgeKind, KleeneOutput, Skip, TimeUnit};
use crate::value::ValueType;

fn schema() -> Schema {
    let mut schema = Schema::new();
    for name in ["Stock", "A", "B", "C", "D", "N"] {
        schema.add_type(name);
    }
    for name in ["symbol", "price", "volume", "x", "k"] {
        schema.add_attribute(name, None);
    }
    schema.add_attribute("name", Some(ValueType::Text));
    schema
}

fn with(text: &str, options: CompileOptions) -> Result<Automaton, Error> {
    Automaton::from_query(&Query::parse(text)?, &schema(), options)
}

fn compiled(text: &str) -> Automaton {
    with(text, CompileOptions::new()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn seq(items: &str, clauses: &str) -> Automaton {
    compiled(&format!("PATTERN SEQ({items}) {clauses}"))
}

fn refused(items: &str, clauses: &str) -> Error {
    let text = format!("PATTERN SEQ({items}) {clauses}");
    with(&text, CompileOptions::new()).expect_err(&text)
}

/// What runs execute, a line a wait: `0: +A>1 +B>1! -(guards)>2 ~3`. Moves `+stage>target`, with `!` if
/// they complete and `?` if they hold a match; ignores with what must not fire; foreign events.
fn program(automaton: &Automaton) -> Vec<String> {
    let target = |target: u32| match target {
        NOWHERE => "-".to_owned(),
        COMPLETE => "F".to_owned(),
        target => target.to_string(),
    };
    let text = |c: u32| automaton.conditions[c as usize].expr.to_string();
    let waits = automaton.program.waits.iter().enumerate().map(|(i, wait)| {
        let mut line = format!("{i}{}:", if wait.holds_match { "*" } else { "" });
        for m in &wait.moves {
            let stage = &automaton.stages[m.stage as usize];
            let mark = match &m.finish {
                Finish::No => String::new(),
                Finish::Emit { .. } => "!".to_owned(),
                Finish::Hold { otherwise: NOWHERE, .. } => "?".to_owned(),
                Finish::Hold { otherwise, .. } => format!("?{otherwise}"),
            };
            let sign = if m.kind == EdgeKind::Take { "^" } else { "+" };
            line += &format!(" {sign}{stage}>{}{mark}", target(m.target));
        }
        for ignore in &wait.ignores {
            let formula = ignore.formula.text(&text);
            line += &format!(" [{formula} {:?}]>{}", ignore.unless, target(ignore.target));
        }
        if wait.foreign != i as u32 {
            line += &format!(" foreign>{}", target(wait.foreign));
        }
        line
    });
    waits.collect()
}

const Q3: &str = "PATTERN SEQ(Stock+ a[], Stock b) WHERE skip_till_next_match { [symbol] AND \
    a[1].volume > 1000 AND a[i].price > avg(a[..i-1].price) AND b.volume < 0.8 * a[a.LEN].volume } \
    WITHIN 1 hour";

#[test]
fn q3_of_the_paper() {
    let automaton = compiled(Q3);
    insta::assert_snapshot!(automaton.explain(), @r"
    query: PATTERN SEQ(Stock+ a[], Stock b) WHERE skip_till_next_match { [symbol] AND a[1].volume > 1000 AND a[i].price > avg(a[..i-1].price) AND b.volume < 0.8 * a[a.LEN].volume } WITHIN 1 hour
    semantics: sase
    evaluation: runs (`price > avg(a.price)` looks at an aggregate of earlier events, so each partial match is a run)
    state a[1] (start)
      begin -> a[i]: type = Stock and a[1].volume > 1000
    state a[i]
      take -> a[i]: type = Stock and [symbol] and a[i].price > avg(a[..i-1].price) and within 1 hour
      ignore -> a[i]: not (a[i]_take or b_begin)
      proceed -> b: b_begin and within 1 hour
    state b
      begin -> F: type = Stock and [symbol] and b.volume < 0.8 * a[a.LEN].volume and within 1 hour
      ignore -> b: not b_begin
    final state F
    register sum of a.price
    register last of a.volume
    window: last - first <= 3600000
    ");
    insta::assert_snapshot!(automaton.to_dot(), @r#"
    digraph nfab {
      rankdir=LR;
      node [shape=circle];
      s0 [label="a[1]", shape=circle, penwidth=2];
      s1 [label="a[i]", shape=circle];
      s2 [label="b", shape=circle];
      s3 [label="F", shape=doublecircle];
      s0 -> s1 [label="begin: type = Stock and a[1].volume > 1000", style=solid];
      s1 -> s1 [label="take: type = Stock and [symbol] and a[i].price > avg(a[..i-1].price) and within 1 hour", style=solid];
      s1 -> s1 [label="ignore: not (a[i]_take or b_begin)", style=dashed];
      s1 -> s2 [label="proceed: b_begin and within 1 hour", style=dashed];
      s2 -> s3 [label="begin: type = Stock and [symbol] and b.volume < 0.8 * a[a.LEN].volume and within 1 hour", style=solid];
      s2 -> s2 [label="ignore: not b_begin", style=dashed];
    }
    "#);
    let program_of = &automaton.program;
    assert_eq!(program(&automaton), ["0: +a>1", "1: ^a>1 +b>-! [true [0, 1]]>1"]);
    assert_eq!(program_of.window, Window::Time { length: 3_600_000, inclusive: true });
    assert_eq!(program_of.key, [Slot(0)]);
    assert_eq!(automaton.conditions.iter().filter(|c| c.unary).count(), 2);
    assert_eq!(automaton.states()[program_of.waits[1].state as usize].label(), "a[i]");
}

#[test]
fn views_and_a_buy() {
    let any = seq("A+ v[], B b", "WHERE skip_till_any_match");
    assert_eq!(program(&any), ["0: +v>1", "1: ^v>1 +b>-! [true []]>1"]);
    let strict = seq("A+ v[], B b", "WHERE strict_contiguity");
    assert_eq!(program(&strict), ["0: +v>1", "1: ^v>1 +b>-!"]);
    let strict = seq("A+ v[], B b", "WHERE strict_contiguity { [k] }");
    assert_eq!(program(&strict), ["0: +v>1", "1: ^v>1 +b>-! foreign>-"]);
    let partition = seq("A+ v[], B b", "WHERE partition_contiguity { [k] }");
    assert_eq!(program(&partition), ["0: +v>1", "1: ^v>1 +b>-!"]);
}

#[test]
fn explanations() {
    let text = |items: &str, clauses: &str| seq(items, clauses).explain();
    insta::assert_snapshot!(
        text("A a, ~N n, B? b, C c", "WHERE { n.x = a.x AND c.x > b.x } WITHIN 3 EVENTS"),
        @r"
        query: PATTERN SEQ(A a, ~N n, B? b, C c) WHERE { n.x = a.x AND c.x > b.x } WITHIN 3 EVENTS
        semantics: sase
        evaluation: runs (`x = last(a.x)` looks back at earlier events, and no event is both taken and ignored, so runs stay few)
        state a (start)
          begin -> b: type = A
        state b
          begin -> c: type = B and within 3 EVENTS
          ignore -> b: not (b_begin or c_begin)
          proceed -> ~n: type = N and n.x = a.x
          proceed -> c: c_begin and within 3 EVENTS
        state c
          begin -> F: type = C and c.x > b.x and within 3 EVENTS
          ignore -> c: not c_begin
          proceed -> ~n: type = N and n.x = a.x
        final state F
        stop state ~n
        register last of a.x
        register last of b.x
        window: 3 events
        "
    );
    insta::assert_snapshot!(
        text(
            "SEQ(A a, B+ b[])+, C c",
            "WHERE partition_contiguity { [k] AND sum(b[].x) > a.x AND a.x > a[i-1].x \
             AND c.x > sum(a[].x) }"
        ),
        @r"
        query: PATTERN SEQ(SEQ(A a, B+ b[])+, C c) WHERE partition_contiguity { [k] AND sum(b[].x) > a.x AND a.x > a[i-1].x AND c.x > sum(a[].x) }
        semantics: sase
        evaluation: runs (`sum(b.x of this round) > last(a.x of this round)` looks at an aggregate of earlier events, so each partial match is a run)
        state a (start)
          begin -> b[1]: type = A
        state b[1]
          begin -> b[i]: type = B and [k]
          ignore -> b[1]: not same partition
        state b[i]
          take -> b[i]: type = B and [k]
          ignore -> b[i]: not same partition
          proceed -> a:1: sum(b.x of this round) > last(a.x of this round) and a:1_begin
        state a:1
          begin -> b[1]:1: type = A and [k] and a.x > a[i-1].x
          ignore -> a:1: not same partition
          proceed -> c: c_begin
        state c
          begin -> F: type = C and [k] and c.x > sum(a[].x)
          ignore -> c: not same partition
        state b[1]:1
          begin -> b[i]:1: type = B and [k]
          ignore -> b[1]:1: not same partition
        state b[i]:1
          take -> b[i]:1: type = B and [k]
          ignore -> b[i]:1: not same partition
          proceed -> a:1: sum(b.x of this round) > last(a.x of this round) and a:1_begin
        final state F
        `a:1` is `a` in another round or order
        register sum of b.x, anew each round
        register last of a.x, anew each round
        register last of a.x
        register sum of a.x
        "
    );
    insta::assert_snapshot!(
        text("AND(A a, B b), C{2,3} c[], ~N n", "WHERE { a.x = b.x } WITHIN 1 min"),
        @r"
        query: PATTERN SEQ(AND(A a, B b), C{2,3} c[], ~N n) WHERE { a.x = b.x } WITHIN 1 min
        semantics: sase
        evaluation: runs (`last(a.x) = x` looks back at earlier events, and no event is both taken and ignored, so runs stay few)
        state a (start)
          begin -> b:1: type = A
          proceed -> b: b_begin
        state b
          begin -> a:1: type = B
        state b:1
          begin -> c[1]: type = B and a.x = b.x and within 1 min
          ignore -> b:1: not b:1_begin
        state a:1
          begin -> c[1]: type = A and a.x = b.x and within 1 min
          ignore -> a:1: not a:1_begin
        state c[1]
          begin -> c[2]: type = C and within 1 min
          ignore -> c[1]: not c[1]_begin
        state c[2]
          begin -> c[3]: type = C and within 1 min
          ignore -> c[2]: not c[2]_begin
        state c[3]
          begin -> end: type = C and within 1 min
          ignore -> c[3]: not c[3]_begin
          proceed -> end: no later event extends the match and within 1 min
        final state F
        pending state end
          proceed -> F: the window has passed
          ignore -> end: true
          proceed -> ~n: type = N
        stop state ~n
        output: only matches that no later event extends
        `b:1` is `b` in another round or order
        register last of a.x
        register last of b.x
        window: last - first <= 60000
        "
    );
    insta::assert_snapshot!(
        text(
            "~N n, A a ->> OR(B b, C c) ->>> D* d[]",
            "WHERE { n.x = a.x } WITHIN 1 min AFTER MATCH SKIP TO LAST d"
        ),
        @r"
        query: PATTERN SEQ(~N n, A a ->> OR(B b, C c) ->>> D* d[]) WHERE { n.x = a.x } WITHIN 1 min AFTER MATCH SKIP TO LAST d
        semantics: sase
        evaluation: runs (an after-match skip prunes single partial matches, so each partial match is a run)
        state a (start)
          begin -> b: type = A
        state b
          begin -> d[1]: type = B and within 1 min
          ignore -> b: not (b_begin or c_begin)
          proceed -> c: c_begin and within 1 min
        state c
          begin -> d[1]: type = C and within 1 min
          ignore -> c: not c_begin
        state d[1]
          begin -> d[i]: type = D and within 1 min
          ignore -> d[1]: true
          proceed -> F: no later event extends the match and within 1 min
        state d[i]
          take -> d[i]: type = D and within 1 min
          ignore -> d[i]: not d[i]_take
          proceed -> F: no later event extends the match and within 1 min
        final state F
        output: only matches that no later event extends
        negation n, judged on the complete match: type = N and n.x = a.x
        register last of a.x
        window: last - first <= 60000
        after a match: none from before the last d
        "
    );
    insta::assert_snapshot!(text("A+ a[]", "WHERE skip_till_any_match"), @r"
        query: PATTERN SEQ(A+ a[]) WHERE skip_till_any_match
        semantics: sase
        evaluation: compact (every condition looks at a single event, so all partial matches are kept at once)
        state a[1] (start)
          begin -> a[i]: type = A
        state a[i]
          take -> a[i]: type = A
          ignore -> a[i]: true
          proceed -> F: true
        final state F
        output: each prefix that is a match
        ");
}

#[test]
fn twins() {
    // What is of strategy any stays when another option fires; the others go.
    let mixed = seq("A a ->> B? b ->>> C c", "");
    let expected =
        ["0: +a>1", "1: +b>2 +c>-! [true [0]]>1 [type = B []]>2", "2: +c>-! [true []]>2"];
    assert_eq!(program(&mixed), expected);
    // A strict option is there for the next event only.
    let strict = seq("A a -> B? b, C c", "");
    let expected = ["0: +a>1", "1: +b>2 +c>-! [true [0, 1]]>2", "2: +c>-! [true [0]]>2"];
    assert_eq!(program(&strict), expected);
    // Also for one of another partition.
    let keyed = seq("A a -> B? b, C c", "WHERE { [k] }");
    assert_eq!(program(&keyed)[1], "1: +b>2 +c>-! [true [0, 1]]>2 foreign>2");
}

#[test]
fn negations() {
    let middle = seq("A a, ~N n, B b", "");
    assert_eq!(program(&middle), ["0: +a>1", "1: +b>-! [not(type = N) [0]]>1"]);
    // The guard is spent with the next event.
    let adjacent = seq("A a -> ~N n, B b", "WHERE { [k] }");
    let expected = ["0: +a>1", "1: +b>-! [not(type = N) [0]]>2 foreign>2", "2: +b>-! [true [0]]>2"];
    assert_eq!(program(&adjacent), expected);
    // Only what stands behind it is closed, and types exclude each other.
    let list = seq("A a, B* b[], ~N n, ~D d, C c", "");
    assert_eq!(
        program(&list)[1],
        "1: +b>2 +c>-! [type = N [0, 1]]>3 [not(type = N) and type = D [0, 1]]>3 \
         [not(type = N) and not(type = D) [0, 1]]>1"
    );
    let automaton = seq("~N n, A a, ~N m, B b", "WHERE { n.x = a.x AND m.x > b.x } WITHIN 1 s");
    assert_eq!(program(&automaton), ["0: +a>1", "1: +b>-! [true [0]]>1"]);
    let filters = &automaton.program.filters;
    assert_eq!(filters.len(), 2);
    assert_eq!((filters[0].after.as_deref(), &*filters[0].before), (None, &[0][..]));
    assert_eq!((filters[1].after.as_deref(), &*filters[1].before), (Some(&[0][..]), &[1][..]));
    // At the end the match waits; in the middle of nothing it is at the end.
    let end = seq("A a, ~N n", "WITHIN 1 s");
    assert_eq!(program(&end), ["0: +a>1?", "1*: [not(type = N) []]>1"]);
}

#[test]
fn ends() {
    let each = |items: &str, clauses: &str| {
        let options = CompileOptions::new().kleene_output(KleeneOutput::Each);
        with(&format!("PATTERN SEQ({items}) {clauses}"), options).expect("a query")
    };
    assert_eq!(program(&each("A+ a[]", "")), ["0: +a>1!", "1: ^a>1! [true [0]]>1"]);
    let maximal = seq("A+ a[]", "");
    assert_eq!(program(&maximal), ["0: +a>1?", "1*: ^a>1? [true [0]]>1"]);
    assert!(maximal.program.waits[1].is_match);
    // What can no longer be extended is complete.
    let strict = seq("A+ a[]", "WHERE strict_contiguity { [k] }");
    assert_eq!(program(&strict), ["0: +a>1?", "1*: ^a>1? [true [0]]>F foreign>F"]);
    // Having passed over what it could have taken, a run is no match itself.
    let any = CompileOptions::new().kleene_output(KleeneOutput::Maximal);
    let any = with("PATTERN SEQ(A+ a[]) WHERE skip_till_any_match", any).expect("a query");
    let expected = ["0: +a>1?", "1*: ^a>1? [true [0]]>1 [type = A []]>2", "2: ^a>1? [true []]>2"];
    assert_eq!(program(&any), expected);
    // The prefix stays on its own beside what extends it.
    let pending = each("A a, B? b, ~N n", "WITHIN 1 s");
    let expected = [
        "0: +a>1?",
        "1*: +b>2? [type = N [0]]>3 [not(type = N) [0]]>1 [type = B and not(type = N) []]>2",
        "2*: [not(type = N) []]>2",
        "3: +b>2? [true [0]]>3",
    ];
    assert_eq!(program(&pending), expected);
    // The end has a condition of its own.
    let sum = seq("A a, B* b[]", "WHERE { sum(b[].x) > 2 }");
    assert_eq!(program(&sum)[..2], ["0: +a>1?2", "1*: +b>3?4 [true [0]]>1"]);
}

#[test]
fn rounds() {
    let automaton = seq("SEQ(A a, B b){2}, C c", "WHERE { b.x > a.x AND c.x > sum(a[].x) }");
    let expected =
        ["0: +a>1", "1: +b>2 [true [0]]>1", "2: +a>3 [true [0]]>2", "3: +b>4 [true [0]]>3"];
    assert_eq!(program(&automaton)[..4], expected);
    let per_round: Vec<bool> = automaton.registers.iter().map(|r| r.per_round).collect();
    assert_eq!(per_round, [true, false]);
    let resets = |wait: usize| automaton.program.waits[wait].moves[0].resets.to_vec();
    assert_eq!((resets(0), resets(1), resets(2)), (vec![], vec![], vec![0]));
    // In a new round, what was optional and is left out is absent again.
    let absent = seq("SEQ(A? a, B b)+", "WHERE { b.x > a.x }");
    let exprs: Vec<String> = absent.conditions.iter().map(|c| c.expr.to_string()).collect();
    assert!(exprs.contains(&"x > null".to_owned()), "{exprs:?}");
}

#[test]
fn options_and_clauses() {
    let window = |unit| {
        let options = CompileOptions::new().time_unit(unit);
        with("PATTERN SEQ(A a, B b) WITHIN 90 s", options).expect("a query").program.window
    };
    let time = |length| Window::Time { length, inclusive: true };
    assert_eq!(window(TimeUnit::Nanosecond), time(90_000_000_000));
    assert_eq!(window(TimeUnit::Minute), time(1));
    assert_eq!(window(TimeUnit::Day), time(0));
    let long = CompileOptions::new().time_unit(TimeUnit::Nanosecond);
    let long = with("PATTERN SEQ(A a, B b) WITHIN 1000000 day", long).expect("a query");
    assert_eq!(long.program.window, Window::None);
    assert_eq!(seq("A a, B b", "WITHIN 7 EVENTS").program.window, Window::Events(7));
    let skip = |clause: &str| seq("A a, ~N n, B b", &format!("AFTER MATCH {clause}")).skip;
    assert_eq!(skip("SKIP TO FIRST b"), Skip::ToFirst(1, false));
    assert_eq!(skip("SKIP PAST LAST"), Skip::PastLast);
    assert_eq!(seq("A a, ~N n, B b", "").stages(), ["a", "b"]);
}

#[test]
fn refusals() {
    let name = |items: &str, clauses: &str| {
        let error = refused(items, clauses);
        assert_eq!(error.kind(), ErrorKind::Name, "{error}");
        error
    };
    let error = name("A a, Tick t", "");
    assert_eq!(error.span(), Some(17..21));
    assert!(error.hint().is_some_and(|hint| hint.contains("`Stock`, `A`")), "{error}");
    assert_eq!(name("A a", "WHERE { a.prize > 3 }").span(), Some(27..32));
    name("A a", "WHERE { [prize] }");
    name("A a", "RETURN a.prize");
    name("A? a, B b", "WHERE { b.x = a.prize }");
    assert_eq!(refused("A a", "WHERE { a.name > 3 }").kind(), ErrorKind::Type);
    for (items, clauses) in [
        ("SEQ(A a, ~N n, B b)+", "WHERE { n.x = b.x }"),
        ("OR(SEQ(A? a, ~N n, B b), C c)", "WHERE { n.x = b.x } WITHIN 1 s"),
        ("AND(SEQ(~N n, A? a), B b)", "WITHIN 1 s"),
    ] {
        let error = refused(items, clauses);
        assert_eq!(error.kind(), ErrorKind::Pattern, "{error}");
        assert!(error.hint().is_some() && error.span().is_some(), "{error}");
    }
}

/// Nothing that the language admits takes long or much memory.
#[test]
fn large_queries() {
    let many = |count: usize, item: &dyn Fn(usize) -> String| {
        (0..count).map(item).collect::<Vec<_>>().join(", ")
    };
    let clauses = |count: usize, one: &dyn Fn(usize) -> String| {
        let all: Vec<String> = (0..count).map(one).collect();
        format!("WHERE {{ {} }}", all.join(" AND "))
    };
    let too_large = |items: &str, clauses: &str| {
        let error = refused(items, clauses);
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    };
    too_large("A{400} a[], SEQ(B{400} b[]){400}", "");
    let negations = many(500, &|i| format!("~N n{i}, A? a{i}"));
    too_large(&format!("A a, {negations}, B b"), &clauses(500, &|i| format!("n{i}.x > {i}")));
    let lists = many(1000, &|i| format!("A* a{i}[]"));
    too_large(&format!("{lists}, B b"), &clauses(1000, &|i| format!("sum(a{i}[].x) > {i}")));
    let choices = many(13, &|i| format!("OR(A? a{i}, SEQ(B? b{i}, ~N n{i}))"));
    too_large(&format!("A a, {choices}, B b"), &clauses(13, &|i| format!("n{i}.x > {i}")));
    assert_eq!(seq("A{60000} a[], B b", "").program.waits.len(), 60_001);
    seq(&many(300, &|i| format!("A? a{i}")).replacen('?', "", 1), "");
    seq("A a, B b", &clauses(3000, &|i| format!("b.x != a.x + {i}")));
    seq(&many(1, &|_| format!("AND({})", many(6, &|i| format!("A+ a{i}[]")))), "");
    let deep = format!("{}A a{}, B b", "SEQ(".repeat(100), ")+".repeat(100));
    seq(&deep, "WHERE { sum(a[].x) > 3 }");
}
