//! SASE+ queries: the engine against the brute-force oracle.

mod sase_oracle;

use std::collections::HashSet;

use nfab::language::{Group, Item, Quantifier, Query, place};
use nfab::{CompileOptions, Config, EndOfInput, Evaluation, HistoryKind, HoldBack, KleeneOutput};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use sase_oracle::cases::{query, query_with_skip, stream};
use sase_oracle::engine::report;
use sase_oracle::patterns::absent_negation_at_end;
use sase_oracle::text;
use sase_oracle::{Found, Kleene, Options, Outcome, Step, outcome};

fn config(cases: u32) -> ProptestConfig {
    let seeds = FileFailurePersistence::Direct("proptest-regressions/sase_differential.txt");
    ProptestConfig {
        failure_persistence: Some(Box::new(seeds)),
        // What the engine refuses is rare, but in long runs it adds up.
        max_global_rejects: u32::MAX,
        ..ProptestConfig::with_cases(cases)
    }
}

fn compile_options(kleene: Kleene) -> CompileOptions {
    CompileOptions::new().kleene_output(match kleene {
        Kleene::Each => KleeneOutput::Each,
        Kleene::Maximal => KleeneOutput::Maximal,
    })
}

fn run_options(options: Options) -> Config {
    Config::new().end_of_input(options.end).hold_back(options.hold_back).timeouts(true)
}

fn options() -> impl Strategy<Value = Options> {
    let kleene = prop_oneof![Just(Kleene::Each), Just(Kleene::Maximal)];
    let end = prop_oneof![Just(EndOfInput::Silent), Just(EndOfInput::Max)];
    let hold_back = prop_oneof![3 => Just(HoldBack::Wait), 1 => Just(HoldBack::EmitNow)];
    (kleene, end, hold_back).prop_map(|(kleene, end, hold_back)| Options { kleene, end, hold_back })
}

/// Where a negation looks at later events, the engine may refuse the place of the negation.
fn looks_ahead(query: &Query) -> bool {
    place(query).predicates.iter().any(|placed| placed.looks_ahead)
}

/// What the engine reports, however it evaluates; what it refuses is left out.
fn reports(query: &Query, steps: &[Step], options: Options) -> Vec<(String, Outcome)> {
    let compile = compile_options(options.kleene);
    let config = run_options(options);
    let mut all = vec![];
    for history in [HistoryKind::Chain, HistoryKind::Versioned] {
        let forced = [Evaluation::Runs, Evaluation::Grouped, Evaluation::Compact].map(Some);
        for evaluation in forced.into_iter().chain([None]) {
            let compile = evaluation.map_or(compile, |e| compile.evaluation(e));
            match report(query, steps, compile, config.history(history)) {
                Ok(found) => all.push((format!("{history:?} {evaluation:?}"), found)),
                Err(error) => {
                    let may_refuse = [Some(Evaluation::Grouped), Some(Evaluation::Compact)];
                    assert!(may_refuse.contains(&evaluation), "{evaluation:?}: {error}");
                }
            }
        }
    }
    all
}

/// Whether a repeated group may be read in several ways: what repeats or may be absent inside can
/// be taken for another round.
fn is_ambiguous(group: &Group) -> bool {
    let varies = |item: &Item| match item {
        Item::Event(event) => event.quantifier != Quantifier::One,
        Item::Group(nested) => nested.quantifier != Quantifier::One || nested.items.len() > 1,
    };
    let nested = |item: &Item| matches!(item, Item::Group(nested) if is_ambiguous(nested));
    group.quantifier.repeats() && group.items.iter().any(varies) || group.items.iter().any(nested)
}

/// Leaves out matches that were there before: a match that is complete in one way is reported again
/// when it is complete in another way, which may be later.
fn each_once(found: &mut Vec<Found>) {
    let mut seen = HashSet::new();
    found.retain(|found| seen.insert(found.events.clone()));
}

fn compare(query: &Query, steps: &[Step], options: Options) -> Result<(), TestCaseError> {
    let refused = report(query, &[], compile_options(options.kleene), Config::new()).err();
    let is_open = absent_negation_at_end(&query.pattern, true, true);
    prop_assert!(refused.is_some() || !is_open, "it is not refused");
    if let Some(error) = refused {
        let ahead = looks_ahead(query) && error.message().contains("looks at later events");
        let several = error.message().contains("may begin the match in several ways");
        prop_assert!(is_open || ahead || several, "{}", error);
        return Err(TestCaseError::reject("the engine refuses it"));
    }
    let Some(expected) = outcome(query, steps, options) else {
        return Err(TestCaseError::reject("too many runs"));
    };
    for (how, mut found) in reports(query, steps, options) {
        if is_ambiguous(&query.pattern) {
            each_once(&mut found.matches);
        }
        prop_assert_eq!(&found, &expected, "{}", how);
    }
    Ok(())
}

/// Compares a shared evaluation, without timeouts, as these need runs.
fn compare_shared(
    evaluation: Evaluation,
    query: &Query,
    steps: &[Step],
    options: Options,
) -> Result<(), TestCaseError> {
    let compile = compile_options(options.kleene).evaluation(evaluation);
    let Ok(mut found) = report(query, steps, compile, run_options(options).timeouts(false)) else {
        return Err(TestCaseError::reject("the query does not allow the evaluation"));
    };
    let Some(expected) = outcome(query, steps, options) else {
        return Err(TestCaseError::reject("too many runs"));
    };
    if is_ambiguous(&query.pattern) {
        each_once(&mut found.matches);
    }
    prop_assert_eq!(&found.matches, &expected.matches);
    prop_assert_eq!(found.timed_out, vec![]);
    Ok(())
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn compact_finds_what_the_oracle_finds(
        query in query(),
        stream in stream(12),
        options in options(),
    ) {
        compare_shared(Evaluation::Compact, &query.0, &stream.0, options)?;
    }

    #[test]
    fn grouped_finds_what_the_oracle_finds(
        query in query(),
        stream in stream(12),
        options in options(),
    ) {
        compare_shared(Evaluation::Grouped, &query.0, &stream.0, options)?;
    }

    #[test]
    fn the_engine_finds_what_the_oracle_finds(
        query in query(),
        stream in stream(10),
        options in options(),
    ) {
        compare(&query.0, &stream.0, options)?;
    }

    #[test]
    fn matches_are_skipped_alike(
        query in query_with_skip(),
        stream in stream(10),
        options in options(),
    ) {
        compare(&query.0, &stream.0, options)?;
    }
}

/// What engine and oracle once disagreed on.
#[test]
fn former_disagreements() {
    let cases = [
        // What may begin the match stands in the middle if something comes before it.
        ("C? a, ~C b, A c", "WITHIN 6 ms", "C A A"),
        // A negation that looks ahead is absent with its group.
        ("SEQ(A a, ~B b, A c)?, C d, A e", "WHERE { d.x > b.x }", "C:0 B:0 A:0 C:1 A:0"),
        // Items of an `AND` that are absent may still come.
        ("A a, AND(SEQ(A b)?, A c)", "", "A A A A"),
        ("SEQ(AND(C a, SEQ(A b)+), A c)", "WITHIN 7 ms AFTER MATCH SKIP TO NEXT", "A A@7 B A A"),
        // Numbers come before variables.
        ("A? a, A b, ~N c", "WITHIN 6 ms", "A A A"),
        // Matches that are held back, beside timeouts.
        ("B+ a[], A b", "WITHIN 2 EVENTS AFTER MATCH SKIP TO NEXT", "B B A A A"),
        ("A a, B? b, ~N n", "WITHIN 3 ms AFTER MATCH SKIP TO NEXT", "A A B A C C C C"),
        // It was a match before it passed over an event.
        ("~N a, A+ b[]", "WHERE skip_till_any_match WITHIN 6 ms", "A A A"),
        // Conditions on several edges, one of them on leaving a group.
        ("SEQ(OR(A+ b[], A c))+, B e", "WHERE { b[b.LEN].x = c[c.LEN].x }", "A:1 A:1 A:2 B"),
        // What may begin a match with and without a negation before it does so without.
        ("OR(SEQ(A? a, ~N b), A? c, A d), A e", "WHERE { b.x = b.x } WITHIN 6 ms", "N A A A"),
        // A way to the end that waits for the window is no other run.
        (
            "A a, SEQ(~N b -> OR(A c, A? d, A e))?",
            "WITHIN 6 ms AFTER MATCH SKIP TO FIRST a",
            "A A A A A",
        ),
        ("SEQ(AND(B? a, B b, A c))+", "WHERE { avg(a[].k) != c[1].x }", "B:0:1 A:-:1 A:2 B:0:1"),
    ];
    for (items, clauses, stream) in cases {
        let (query, steps) = (text::query(items, clauses), text::steps(stream));
        for kleene in [Kleene::Each, Kleene::Maximal] {
            for end in [EndOfInput::Silent, EndOfInput::Max] {
                for hold_back in [HoldBack::Wait, HoldBack::EmitNow] {
                    let options = Options { kleene, end, hold_back };
                    compare(&query, &steps, options).unwrap_or_else(|e| panic!("{query}: {e}"));
                }
            }
        }
    }
}

/// The rules of the paper's buffer read 163 of these 255 runs back wrongly.
#[test]
fn versioned_buffer_is_exact_under_skip_till_any() {
    let text = "PATTERN SEQ(A+ a[]) WHERE skip_till_any_match { a[i].x >= a[i-1].x }";
    let query = Query::parse(text).expect("a query");
    let steps = text::steps("A:1 A:1 A:1 A:1 A:1 A:1 A:1 A:1");
    let options = Options::default_of(&query);
    let expected = outcome(&query, &steps, options).expect("few runs");
    assert_eq!(expected.matches.len(), 255);
    let compile = CompileOptions::new().evaluation(Evaluation::Runs);
    let config = Config::new().history(HistoryKind::Versioned);
    let found = report(&query, &steps, compile, config).expect("it compiles");
    assert_eq!(found, expected);
}
