//! The pattern language: what is read, that showing and reading are inverse, and messages.

use multipattern::{
    Condition, ErrorKind, Operand, Pattern, PatternId, PatternSet, Relation, Semantics, Term,
    TimeUnit, Value, Window,
};
use proptest::prelude::*;

fn parse(text: &str) -> Pattern {
    Pattern::parse(text).expect(text)
}

#[test]
fn a_pattern_is_read() {
    let pattern =
        parse("q1: SEQ(A, B b[tag = A.tag AND temp > -3], C[b.temp < temp]) WITHIN 5 min");
    assert_eq!(pattern.id(), "q1");
    assert_eq!(pattern.window(), Some(Window::Time(5, TimeUnit::Minute)));
    let [a, b, c] = pattern.operands() else { panic!("three operands") };
    assert_eq!((a.event_type(), a.label()), ("A", None));
    assert_eq!((b.event_type(), b.label()), ("B", Some("b")));
    let tag = Condition::new(Term::own("tag"), Relation::Equal, Term::of(0, "tag"));
    let temp = Condition::new(Term::own("temp"), Relation::Greater, Term::value(-3));
    assert_eq!(b.conditions(), [tag, temp]);
    let less = Condition::new(Term::of(1, "temp"), Relation::Less, Term::own("temp"));
    assert_eq!(c.conditions(), [less]);
}

#[test]
fn names_of_operands_are_labels_types_and_numbers() {
    let own = parse("x: SEQ(A, B[B.v = A.v])");
    assert_eq!(own, parse("x: SEQ(A, B[v = #1.v])"));
    let repeated = parse("x: SEQ(A a, A b, B[v = b.v])");
    assert_eq!(repeated.operands()[2].conditions()[0].right, Term::of(1, "v"));
    let before = parse("x: SEQ(A, A[v = A.v])");
    assert_eq!(before.operands()[1].conditions()[0].right, Term::of(0, "v"));
}

#[test]
fn a_file_has_lines_comments_and_ids() {
    let text =
        "\u{FEFF}# routes\n\np-1/x: SEQ(A)\r\n  17 : seq(`a b`, B) within 1 EVENTS\n`: `: SEQ(A)";
    let set = PatternSet::parse(text).expect("a set");
    let ids: Vec<_> = set.patterns().iter().map(Pattern::id).collect();
    assert_eq!(ids, ["p-1/x", "17", ": "]);
    assert_eq!(set.find("17"), Some(PatternId(1)));
    for pattern in set.patterns() {
        assert_eq!(parse(&pattern.to_string()), *pattern);
    }
}

#[test]
fn equal_operands_are_one_symbol() {
    let set = PatternSet::parse(
        "a: SEQ(A, B[v = A.v], C)\nb: SEQ(C, A, B[A.v = v])\nc: SEQ(A, C, B[v = A.v])\n\
         d: SEQ(A[v > 1 AND w = 2], A[w = 2 AND v > 1], A[v > 1.0 AND w = 2])",
    )
    .expect("a set");
    let [a, b, c, d] = [0, 1, 2, 3].map(|at| set.sequence(PatternId(at)));
    assert_eq!(a[..2], b[1..], "the same distance");
    assert_ne!(a[1], c[2], "another distance");
    assert_eq!(a[0], c[0]);
    assert_eq!(d[0], d[1], "in any order");
    assert_ne!(d[0], d[2], "written otherwise");
    assert_eq!(set.symbols(), 6);
}

#[test]
fn the_builder_makes_what_the_text_says() {
    let set = PatternSet::builder()
        .window(Window::Events(7))
        .semantics(Semantics::Next)
        .seq("a", ["A", "B"])
        .where_("B.v = A.v")
        .where_((0, Condition::new(Term::own("v"), Relation::Less, Term::value(2.5))))
        .within(Window::Time(3, TimeUnit::Second))
        .seq("b", [Operand::new("A").labelled("first"), Operand::new("A")])
        .where_("#2.v > first.v")
        .build()
        .expect("a set");
    let [a, b] = set.patterns() else { panic!("two") };
    assert_eq!(*a, parse("a: SEQ(A[v < 2.5], B[v = A.v]) WITHIN 3 s"));
    assert_eq!(*b, parse("b: SEQ(A first, A[v > first.v])"));
    assert_eq!((set.window_of(a), set.window_of(b)), (a.window().unwrap(), Window::Events(7)));
}

#[test]
fn builder_errors_come_from_build() {
    let kind = |builder: multipattern::PatternSetBuilder| {
        let error = builder.build().expect_err("an error");
        (error.kind(), error.message().to_owned())
    };
    let none: [&str; 0] = [];
    assert_eq!(kind(PatternSet::builder().seq("a", none)).0, ErrorKind::Pattern);
    assert_eq!(kind(PatternSet::builder().where_("A.v = 1")).0, ErrorKind::Usage);
    assert_eq!(kind(PatternSet::builder().window(Window::Events(0))).0, ErrorKind::Pattern);
    assert_eq!(kind(PatternSet::builder().seq("a", ["A"]).seq("a", ["B"])).0, ErrorKind::Name);
    assert_eq!(kind(PatternSet::builder().seq("a", ["A"]).where_("v = 1")).0, ErrorKind::Name);
    assert_eq!(kind(PatternSet::builder().seq("a", ["A"]).where_("B.v = 1")).0, ErrorKind::Name);
    let of_itself = (0, Condition::new(Term::own("v"), Relation::Less, Term::of(0, "v")));
    assert_eq!(kind(PatternSet::builder().seq("a", ["A"]).where_(of_itself)).0, ErrorKind::Pattern);
    let none = (3, Condition::new(Term::own("v"), Relation::Less, Term::value(1)));
    assert_eq!(kind(PatternSet::builder().seq("a", ["A"]).where_(none)).0, ErrorKind::Pattern);
}

#[test]
fn faults_have_a_place_and_a_message() {
    for (text, place, message) in [
        ("", 0..0, "expected the id of a pattern"),
        ("a SEQ(A)", 2..3, "expected `:` behind the id"),
        ("a: SEQ()", 6..8, "a sequence needs at least one operand"),
        ("a: SEQ(A", 8..8, "expected `,` or `)`, found the end of the pattern"),
        ("a: SEQ(A B C)", 11..12, "expected `,` or `)`, found `C`"),
        ("a: SEQ(A, and)", 10..13, "expected a type of events, found `and`"),
        ("a: SEQ(A[v = ])", 13..14, "expected an attribute or a value, found `]`"),
        ("a: SEQ(A[v ~ 1])", 11..12, "character `~`"),
        ("a: SEQ(A[v = 'x)", 13..16, "a string without closing quote"),
        ("a: SEQ(A[v = 99999999999999999999])", 13..33, "a number that is too large"),
        ("a: SEQ(A[v = B.v], B)", 13..14, "no operand before this one is `B`"),
        ("a: SEQ(A, A, B[v = A.v])", 19..20, "2 operands before have the type `A`"),
        ("a: SEQ(A x, B x)", 12..15, "`x` means two operands"),
        ("a: SEQ(A[1 = 2])", 9..14, "a condition without an attribute of its own operand"),
        ("a: SEQ(A, B[v = #3.v])", 16..18, "there is no operand 3 before this"),
        ("a: SEQ(A) WITHIN 0 EVENTS", 17..25, "a window of no events"),
        ("a: SEQ(A) WITHIN 5 weeks", 19..24, "expected `EVENTS` or a unit of time, found `weeks`"),
        ("a: SEQ(A) WITHIN 5 EVENTS x", 26..27, "expected the end of the pattern, found `x`"),
    ] {
        let error = Pattern::parse(text).expect_err(text);
        assert_eq!((error.span(), error.message()), (Some(place), message), "{text}");
    }
    let error = PatternSet::parse("a: SEQ(A)\n\n  b: SEQ(A,)").expect_err("a fault");
    assert_eq!((error.line(), error.span()), (Some(3), Some(22..23)));
    let error = PatternSet::parse("a: SEQ(A)\na: SEQ(B)").expect_err("twice");
    assert_eq!((error.line(), error.kind()), (Some(2), ErrorKind::Name));
    let long = format!("a: SEQ(A{})", ", A".repeat(Pattern::MAX_OPERANDS));
    assert_eq!(Pattern::parse(&long).expect_err("long").kind(), ErrorKind::Limit);
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec!["A", "B", "tag", "Événement", "seq", "and", "true"])
            .prop_map(str::to_owned),
        "[a-c`. '#:]{1,4}",
    ]
}

fn constant() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::Int),
        any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(Value::Float),
        any::<bool>().prop_map(Value::Bool),
        ".{0,6}".prop_filter("one line", |t| !t.contains('\n')).prop_map(Value::from),
    ]
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let relation = prop::sample::select(vec![
        Relation::Equal,
        Relation::NotEqual,
        Relation::Less,
        Relation::LessOrEqual,
        Relation::Greater,
        Relation::GreaterOrEqual,
    ]);
    let term = prop_oneof![
        name().prop_map(|name| (0, Term::own(&name))),
        (any::<prop::sample::Index>(), name())
            .prop_map(|(at, name)| (at.index(100), Term::of(0, &name))),
        constant().prop_map(|value| (0, Term::Value(value))),
    ];
    let condition = (name(), relation, term, any::<bool>());
    let operand = (name(), prop::option::of("[xyz]"), prop::collection::vec(condition, 0..3));
    let window = prop::option::of(prop_oneof![
        (1..u64::MAX).prop_map(Window::Events),
        (any::<u64>(), prop::sample::select(vec![TimeUnit::Nanosecond, TimeUnit::Day]))
            .prop_map(|(amount, unit)| Window::Time(amount, unit)),
    ]);
    (name(), prop::collection::vec(operand, 1..5), window).prop_filter_map(
        "a pattern",
        |(id, operands, window)| {
            let operands =
                operands.into_iter().enumerate().map(|(at, (name, label, conditions))| {
                    let operand = Operand::new(&name);
                    let operand = match label {
                        Some(label) => operand.labelled(&label),
                        None => operand,
                    };
                    conditions.into_iter().fold(
                        operand,
                        |operand, (own, relation, (place, term), swap)| {
                            let own = Term::own(&own);
                            let other = match term {
                                Term::Of(_, name) if at > 0 => Term::of(place % at, &name),
                                Term::Of(_, name) => Term::own(&name),
                                other => other,
                            };
                            let (left, right) = if swap { (other, own) } else { (own, other) };
                            operand.with(Condition::new(left, relation, right))
                        },
                    )
                });
            let pattern = Pattern::new(&id, operands).ok()?;
            match window {
                Some(window) => pattern.within(window).ok(),
                None => Some(pattern),
            }
        },
    )
}

proptest! {
    #[test]
    fn showing_and_reading_are_inverse(pattern in pattern()) {
        let text = pattern.to_string();
        prop_assert_eq!(Pattern::parse(&text).map_err(|e| e.to_string()), Ok(pattern), "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[a-c:SEQ(),\\[\\]=<.#`' 0-9WITHINVS-]{0,60}") {
        if let Ok(pattern) = Pattern::parse(&text) {
            prop_assert_eq!(Pattern::parse(&pattern.to_string()).ok(), Some(pattern));
        }
        if let Err(error) = Pattern::parse(&format!("a: SEQ(A{text}")) {
            let span = error.span().expect("a place");
            prop_assert!(span.end <= text.len() + 8 && span.start <= span.end);
        }
    }
}
