//! Which engine, how many threads, what comes of the threshold? All engines give the same results, so a
//! sample of one's own data tells: the counters show what each of them had to do.
//!
//! ```text
//! cargo run --release -p ujoin --example engines_agree
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;
use std::time::Instant;

use ujoin::{Collect, Config, Engine, Expiry, Probability, TravelTimes, Tuple};

/// 20,000 sightings of 2,000 keys at ten places, with random probabilities.
fn sample() -> Vec<Tuple> {
    let mut state = 42_u64;
    let mut below = move |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % most
    };
    let mut tuples = Vec::new();
    for seq in 0..20_000 {
        let nanos = 1 + below(1_000_000_000) as u32;
        let Ok(probability) = Probability::from_nanos(nanos) else { continue };
        let (key, stream) = (below(2_000), below(10) as u32);
        tuples.push(Tuple { seq, observation: seq, key, time: seq as i64, stream, probability });
    }
    tuples
}

pub fn main() -> Result<(), Box<dyn Error>> {
    let tuples = sample();
    let mut expected = None;
    println!("engine  threads  kept  pairs  messages  microseconds");
    for (name, engine, threads) in [
        ("log", Engine::Log, 1),
        ("log", Engine::Log, 2),
        ("keyed", Engine::Keyed, 1),
        ("batched", Engine::PaperBatched(Expiry::Batch { interval: 1_000 }), 2),
        ("paper", Engine::Paper(Expiry::Inline), 2),
    ] {
        let config = Config::new(TravelTimes::constant(10, 2_000)?)
            .threshold(Probability::from_nanos(600_000_000)?)
            .engine(engine)
            .threads(threads);
        let mut join = config.build()?;
        let mut found = Collect::default();
        let start = Instant::now();
        join.push(&tuples, &mut found)?;
        join.finish(&mut found)?;
        let (took, stats) = (start.elapsed(), join.stats());
        println!(
            "{name:<7} {threads:>7} {:>5} {:>6} {:>9} {:>13}",
            stats.survivors,
            found.pairs.len(),
            stats.enqueues,
            took.as_micros()
        );
        let mut pairs: Vec<_> = found.pairs.iter().map(|p| (p.first.seq, p.second.seq)).collect();
        pairs.sort_unstable();
        assert_eq!(*expected.get_or_insert_with(|| pairs.clone()), pairs);
        // Who is less likely than the threshold has no partner: 0.6 * 1 is the most it could get.
        assert_eq!(stats.survivors + stats.pruned, tuples.len() as u64);
        assert!(stats.pruned > 0 && !pairs.is_empty());
    }
    Ok(())
}
