//! What must hold of the oracle of SASE+ queries itself, whatever the query.

mod sase_oracle;

use nfab::language::{Gap, Group, Item, Query, Strategy as Selection};
use nfab::{EndOfInput, HoldBack};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use sase_oracle::cases::{Shown, query, stream};
use sase_oracle::{Found, Kleene, Options, Outcome, Step, outcome};

fn config() -> ProptestConfig {
    let seeds = FileFailurePersistence::Direct("proptest-regressions/sase_laws.txt");
    ProptestConfig { failure_persistence: Some(Box::new(seeds)), ..ProptestConfig::with_cases(500) }
}

fn run(query: &Query, steps: &[Step], kleene: Kleene) -> Result<Outcome, TestCaseError> {
    let options = Options { kleene, end: EndOfInput::Max, hold_back: HoldBack::Wait };
    outcome(query, steps, options).ok_or_else(|| TestCaseError::reject("too many runs"))
}

fn with_strategy(query: &Query, strategy: Selection) -> Query {
    let mut query = query.clone();
    plain_gaps(&mut query.pattern);
    query.strategy = Some(strategy);
    query
}

fn plain_gaps(group: &mut Group) {
    group.gaps.fill(Gap::Strategy);
    for item in &mut group.items {
        if let Item::Group(nested) = item {
            plain_gaps(nested);
        }
    }
}

/// The matches among the first that are not among the second.
fn beyond<'a>(some: &'a [Found], all: &[Found]) -> Vec<&'a Found> {
    some.iter().filter(|found| all.iter().all(|other| other.events != found.events)).collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn queries_are_what_their_text_says(Shown(query) in query()) {
        prop_assert_eq!(Query::parse(&query.to_string()).unwrap(), query);
    }

    #[test]
    fn any_finds_what_the_others_find(query in query(), stream in stream(8)) {
        let any = with_strategy(&query.0, Selection::SkipTillAnyMatch);
        let any = run(&any, &stream.0, Kleene::Each)?;
        for strategy in [Selection::SkipTillNextMatch, Selection::StrictContiguity] {
            let other = run(&with_strategy(&query.0, strategy), &stream.0, Kleene::Each)?;
            prop_assert_eq!(beyond(&other.matches, &any.matches), Vec::<&Found>::new());
        }
    }

    #[test]
    fn maximal_matches_are_matches(query in query(), stream in stream(10)) {
        let each = run(&query.0, &stream.0, Kleene::Each)?;
        let maximal = run(&query.0, &stream.0, Kleene::Maximal)?;
        prop_assert_eq!(beyond(&maximal.matches, &each.matches), Vec::<&Found>::new());
    }

    #[test]
    fn telling_the_time_of_the_next_event_changes_nothing(query in query(), stream in stream(10)) {
        let tell = |step: &Step| match step {
            Step::Event(event) => vec![Step::Watermark(event.time), step.clone()],
            Step::Watermark(_) => vec![step.clone()],
        };
        let told: Vec<Step> = stream.0.iter().flat_map(tell).collect();
        let expected = run(&query.0, &stream.0, Kleene::Maximal)?;
        prop_assert_eq!(run(&query.0, &told, Kleene::Maximal)?, expected);
    }
}
