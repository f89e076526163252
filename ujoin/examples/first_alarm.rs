//! One alarm is enough: a sink that stops the join at the first pair that is nearly certain, and says
//! how much of the input had to be read.
//!
//! ```text
//! cargo run -p ujoin --example first_alarm
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use ujoin::{Config, ErrorKind, Pair, Probability, SinkError, TravelTimes, Tuple, Visit};

/// A card every second; card 77 is used in two countries.
fn payments() -> impl Iterator<Item = Tuple> {
    (0..100_000_u64).map(|seq| {
        let copied = seq % 1_000 == 777;
        let key = if copied { 77 } else { 1_000 + seq };
        let percent = if seq < 5_000 { 70 } else { 99 };
        Tuple {
            seq,
            observation: seq,
            key,
            time: seq as i64,
            stream: (seq / 1_000 % 3) as u32,
            probability: Probability::from_nanos(percent * 10_000_000).unwrap_or(Probability::ONE),
        }
    })
}

pub fn main() -> Result<(), Box<dyn Error>> {
    // Nobody gets from one of the three countries to another within an hour.
    let config = Config::new(TravelTimes::constant(3, 3_600)?)
        .threshold(Probability::from_nanos(950_000_000)?);
    let mut join = config.build()?;
    let mut alarm = None;
    let mut read = 0;
    for payment in payments() {
        read += 1;
        let mut stop = Visit(|pair: &Pair| {
            alarm = Some(*pair);
            Err(SinkError::Stop)
        });
        match join.push(&[payment], &mut stop) {
            Ok(()) => {}
            Err(error) if matches!(error.kind(), ErrorKind::Sink(SinkError::Stop)) => break,
            Err(error) => return Err(error.into()),
        }
    }
    let pair = alarm.ok_or("no card was copied")?;
    println!(
        "card {} in countries {} and {}, {} s apart, after {read} payments",
        pair.first.key,
        pair.first.stream,
        pair.second.stream,
        pair.second.time - pair.first.time
    );
    assert_eq!((pair.first.seq, pair.second.seq, read), (5_777, 6_777, 6_778));
    Ok(())
}
