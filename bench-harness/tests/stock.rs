//! The baselines for NFA^b give the answers of the engine, and brute force on small streams.

use bench_harness::baseline::hand;
use bench_harness::baseline::stock::{
    Answer, Predicate, Query, Stock, Strategy, forks, join, private,
};
use proptest::prelude::*;
use proptest::strategy::Strategy as Generate;

fn stream(length: usize) -> impl Generate<Value = Vec<Stock>> {
    let event = (1_u32..3, prop::sample::select(vec![499_i64, 500, 501, 502]), 1_i64..=1000);
    prop::collection::vec(event, 0..length).prop_map(|events| {
        let number = |(id, (symbol, price, volume))| Stock { id, symbol, price, volume };
        (0..).zip(events).map(number).collect()
    })
}

fn queries() -> impl Iterator<Item = Query> {
    let predicates = [Predicate::Any, Predicate::Rising, Predicate::AboveMinimum];
    [Strategy::Partition, Strategy::Next].into_iter().flat_map(move |strategy| {
        predicates.map(|predicate| Query { strategy, predicate, volume_below: 400, window: 7 })
    })
}

/// Chains of events by the definition of the query: each start goes its one way.
fn brute(query: &Query, events: &[Stock]) -> Answer {
    let mut answer = Answer::default();
    for (at, first) in events.iter().enumerate().filter(|(_, event)| query.begins(event)) {
        let (mut chain, mut last, mut minimum) = (vec![first.id as u64], first.price, first.price);
        for event in &events[at + 1..] {
            if event.symbol != first.symbol {
                continue;
            }
            if event.id - first.id > query.window {
                break;
            }
            let (takes, ends) = (query.takes(event, last, minimum), query.ends(event));
            if ends {
                answer.add(chain.iter().copied().chain([event.id as u64]));
            }
            if takes {
                chain.push(event.id as u64);
                (last, minimum) = (event.price, minimum.min(event.price));
            } else if ends || query.strategy == Strategy::Partition {
                break;
            }
        }
    }
    answer
}

proptest! {
    #[test]
    fn private_buffers_and_the_join_agree_with_brute_force(events in stream(40)) {
        for query in queries() {
            let expected = brute(&query, &events);
            prop_assert_eq!(private::evaluate(&query, &events).answer, expected);
            prop_assert_eq!(join::evaluate(&query, &events).answer, expected);
        }
    }

    #[test]
    fn operators_and_scans_by_hand_find_the_same(events in stream(60)) {
        for query in hand::Query::ALL {
            let mut scanned = Matches::default();
            query.scan(&events, &mut |ids| scanned.0.push(ids.to_vec()));
            let mut pushed = Matches::default();
            query.push_all(&events, &mut pushed);
            scanned.0.sort();
            pushed.0.sort();
            prop_assert_eq!(&pushed.0, &scanned.0);
            prop_assert_eq!(query.count_all(&events), pushed.0.len() as u64);
            prop_assert_eq!(query.count_scan(&events), pushed.0.len() as u64);
        }
    }
}

/// The matches as the numbers of their events.
#[derive(Default)]
struct Matches(Vec<Vec<u64>>);

impl hand::operator::Sink for Matches {
    fn matched<'a>(&mut self, events: impl Iterator<Item = &'a Stock>) {
        self.0.push(events.map(|event| event.id as u64).collect());
    }
}

#[test]
fn one_fork_waits_with_all_that_was_taken() {
    let event = |id, volume| Stock { id, symbol: 1, price: 0, volume };
    let events = [event(0, 900), event(1, 100), event(2, 900), event(3, 100), event(4, 995)];
    let outcome = forks::evaluate(&forks::Query::new(0.25), &events);
    let mut expected = Answer::default();
    expected.add([0, 1, 4]);
    expected.add([0, 1, 2, 3, 4]);
    assert_eq!(outcome.answer, expected);
    // The closure with e0 to e3, and clones of two and of four.
    assert_eq!((outcome.peak_entries, outcome.peak_runs), (10, 3));
}
