//! What the builder and the compiler refuse, and how they say so; what they show.

mod common;

use common::{refusal, world};
use nfab::pattern::{AfterMatch, SkipTarget};
use nfab::{Automaton, CompileOptions, ErrorKind, Expr, Pattern, Record, Schema, ValueType};

fn is(kind: &str) -> Expr {
    Expr::type_is(kind)
}

fn a() -> nfab::PatternBuilder {
    Pattern::begin("a").where_(is("A"))
}

#[test]
fn contradictions_are_refused() {
    let optional = || Pattern::begin("x").optional();
    let cases = [
        (a().times(0), "0 to 0"),
        (a().times_between(3, 2), "3 to 2"),
        (a().times_or_more(0), "0 times or more"),
        (a().times(2).one_or_more(), "already has a quantifier"),
        (a().optional().optional(), "optional already"),
        (a().times_between(0, 2).optional(), "optional already"),
        (a().greedy(), "cannot be greedy"),
        (a().consecutive(), "no contiguity inside"),
        (a().one_or_more().consecutive().allow_combinations(), "set already"),
        (a().until(is("B")), "does not loop"),
        (a().times(2).until(is("B")), "does not loop"),
        (a().one_or_more().until(is("B")).until(is("C")), "until already"),
        (a().one_or_more().greedy().next("b").optional(), "follows a greedy one"),
        (a().next("a"), "called `a`"),
        (Pattern::begin(""), "no name"),
        (a().not_followed_by("n"), "without a window"),
        (a().next("b").optional().not_next("n").next("c"), "follows an optional one"),
        (a().not_next("n").one_or_more().next("c"), "no quantifier"),
        (a().within(0), "admits no match"),
        (a().next("b").within_gap(-1), "admits no match"),
        (a().skip_to_first("z"), "`z`"),
        (Pattern::begin_group(a()).next("b").skip_to_last("a"), "`a`"),
        (Pattern::begin_group(a()).where_(is("B")), "no condition of its own"),
        (Pattern::begin_group(a()).one_or_more().greedy(), "cannot be greedy"),
        (Pattern::begin_group(a()).one_or_more().until(is("B")), "no until"),
        (Pattern::begin_group(a()).within_gap(3), "no window to the event before"),
        (Pattern::begin_group(a().within(3)), "no window of its own"),
        (Pattern::begin_group(a().skip_to_next()), "no after-match skip"),
        (Pattern::begin_group(a().greedy()), "cannot be greedy"),
        (Pattern::begin_group(optional()).one_or_more(), "never ends"),
        (Pattern::begin_group(optional()).times_or_more(2), "never ends"),
        (Pattern::begin_group(Pattern::begin_group(optional())).one_or_more(), "never ends"),
        (Pattern::begin_group(a().not_followed_by("n")).next("b").within(5), "no effect"),
        (a().not_followed_by("n").not_followed_by("m").within(5), "no effect"),
    ];
    let world = world();
    for (builder, words) in cases {
        let error = refusal(&world, builder.build());
        assert_eq!(error.kind(), ErrorKind::Pattern, "{error}");
        assert!(error.message().contains(words), "{error} does not say {words}");
        assert!(error.hint().is_some(), "{error} gives no hint");
    }
}

#[test]
fn names_and_types_are_checked() {
    let mut schema = Schema::new();
    schema.add_type("A");
    schema.add_attribute("n", Some(ValueType::Int));
    schema.add_attribute("x", Some(ValueType::Float));
    schema.add_attribute("t", Some(ValueType::Text));
    schema.add_attribute("b", Some(ValueType::Bool));
    schema.add_attribute("any", None);
    let at = Expr::attribute;
    let refused = [
        (is("Z"), ErrorKind::Name),
        (at("m").gt(1), ErrorKind::Name),
        (at("n").gt(Expr::last("zz", "n")), ErrorKind::Name),
        (at("n").gt(Expr::last("a", "m")), ErrorKind::Name),
        (at("n").gt("text"), ErrorKind::Type),
        (at("t").eq(5), ErrorKind::Type),
        (at("b").lt(true), ErrorKind::Type),
        (at("b").add(1).eq(2), ErrorKind::Type),
        (at("n").add(1), ErrorKind::Type),
        (at("n"), ErrorKind::Type),
        (Expr::sum("a", "t").gt(1), ErrorKind::Type),
        (Expr::avg("a", "b").gt(1), ErrorKind::Type),
        (Expr::min("a", "b").eq(true), ErrorKind::Type),
        (at("t").neg().eq(1), ErrorKind::Type),
        (at("n").is_in([Expr::constant("x")]), ErrorKind::Type),
        (at("n").between(1, "z"), ErrorKind::Type),
    ];
    for (condition, kind) in refused {
        let pattern = Pattern::begin("a").where_(condition.clone()).build().expect("a pattern");
        let error = Automaton::compile(&pattern, &schema).expect_err("it is refused");
        assert_eq!(error.kind(), kind, "{condition}: {error}");
        assert_eq!(error.stage(), Some("a"));
    }
    let accepted = [
        at("n").gt(1.5).and(at("x").le(at("n"))),
        at("b").and(at("any")),
        at("any").gt("text").or(at("any").lt(3)),
        Expr::max("a", "t").lt(at("t")),
        at("n").rem(3).eq(0).not(),
    ];
    for condition in accepted {
        let pattern = Pattern::begin("a").where_(condition.clone()).build().expect("a pattern");
        assert!(Automaton::compile(&pattern, &schema).is_ok(), "{condition}");
    }
}

#[test]
fn following_flink_accepts_what_does_not_mean_what_it_says() {
    let world = world();
    let endless =
        Pattern::begin_group(a().optional()).one_or_more().followed_by("b").where_(is("B"));
    let silent = a().not_followed_by("n").where_(is("B")).not_followed_by("m").within(5);
    for builder in [endless, silent] {
        let pattern = builder.build().expect("a pattern");
        let options = CompileOptions::new().follow_flink(true);
        let automaton =
            Automaton::compile_with(&pattern, &world.schema, options).expect("it compiles");
        let mut engine = nfab::Engine::<Record>::new(automaton);
        for event in world.letters("A A B") {
            engine.push(event, &mut nfab::Count::default()).expect("it returns");
        }
    }
}

#[test]
fn a_pattern_reads_as_it_was_built() {
    let target = SkipTarget { stage: "a".to_owned(), must_exist: true };
    let pattern = a()
        .one_or_more()
        .greedy()
        .until(Expr::attribute("val").gt(Expr::avg("a", "val").mul(2)))
        .not_next("n")
        .where_(is("C").or(is("D")).and(Expr::attribute("vol").is_missing().not()))
        .followed_by_any_group(Pattern::begin("b").next("c").times_between(0, 2))
        .times(2)
        .within(10)
        .after_match(AfterMatch::SkipToFirst(target))
        .build()
        .expect("a pattern");
    insta::assert_snapshot!(pattern, @"begin a where(type = A) one_or_more greedy until(val > avg(a.val) * 2) not_next n where((type = C or type = D) and not vol is null) followed_by_any (begin b next c times(1, 2) optional) times(2) within(10) skip_to_first(a!)");
}

#[test]
fn the_automaton_explains_itself() {
    let world = world();
    let pattern = a()
        .one_or_more()
        .followed_by("b")
        .where_(Expr::attribute("val").gt(Expr::max("a", "val")))
        .within(10)
        .build()
        .expect("a pattern");
    let automaton = Automaton::compile(&pattern, &world.schema).expect("it compiles");
    insta::assert_snapshot!(automaton.explain(), @r"
    pattern: begin a where(type = A) one_or_more followed_by b where(val > max(a.val)) within(10)
    semantics: flink
    evaluation: runs (`val > max(a.val)` looks at an aggregate of earlier events, so each partial match is a run)
    state a:2 (start)
      begin -> a: type = A
    state a:1
      begin -> a: type = A
      ignore -> a:1: not(type = A)
    state a
      proceed -> b: true
      take -> a: type = A
      ignore -> a:1: not(type = A)
    state b
      begin -> end: val > max(a.val)
      ignore -> b: not(val > max(a.val))
    final state end
    register max of a.val
    window: last - first < 10
    ");
    let dot = automaton.to_dot();
    assert!(dot.starts_with("digraph nfab {") && dot.contains("take: type = A"), "{dot}");
}
