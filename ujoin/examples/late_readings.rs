//! Readings out of order: gates deliver up to a minute late, and what is later still is kept aside
//! instead of being lost. A program's own sink takes both.
//!
//! ```text
//! cargo run -p ujoin --example late_readings
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use ujoin::{Config, Order, Pair, Probability, Sink, SinkError, TravelTimes, Tuple};

/// Two outputs: alarms, and readings for somebody to look at.
#[derive(Default)]
struct Desk {
    alarms: Vec<String>,
    aside: Vec<String>,
}

impl Sink for Desk {
    fn pairs(&mut self, pairs: &[Pair]) -> Result<(), SinkError> {
        for Pair { first, second, probability, .. } in pairs {
            let (tag, from, to) = (first.key, first.stream, second.stream);
            let dt = second.time - first.time;
            self.alarms.push(format!("tag {tag}: gate {from} to {to} in {dt} s ({probability})"));
        }
        Ok(())
    }

    fn late(&mut self, tuple: &Tuple) -> Result<(), SinkError> {
        self.aside.push(format!("tag {} at {} s", tuple.key, tuple.time));
        Ok(())
    }
}

pub fn main() -> Result<(), Box<dyn Error>> {
    let times = TravelTimes::constant(3, 120)?;
    let config = Config::new(times)
        .threshold(Probability::from_nanos(500_000_000)?)
        .lateness(60)
        // Always the same order of results, whatever the threads do.
        .order(Order::Deterministic);
    let mut join = config.build()?;
    let mut desk = Desk::default();
    // Gate, second, tag, in the order of arrival.
    let arrivals = [
        (0, 100, 41),
        (1, 160, 42),
        (2, 130, 41), // half a minute late: in time
        (0, 300, 43),
        (1, 90, 42), // 210 s late
        (1, 310, 43),
        (2, 250, 43), // before both others
    ];
    for (seq, (stream, time, key)) in (0..).zip(arrivals) {
        let probability = Probability::from_nanos(900_000_000)?;
        let tuple = Tuple { seq, observation: seq, key, time, stream, probability };
        join.push(&[tuple], &mut desk)?;
    }
    // No reading comes for a while, but a clock says that time has passed.
    join.advance(400, &mut desk)?;
    let straggler = Tuple {
        seq: arrivals.len() as u64,
        observation: 99,
        key: 43,
        time: 399,
        stream: 0,
        probability: Probability::ONE,
    };
    join.push(&[straggler], &mut desk)?;
    join.finish(&mut desk)?;

    println!("{}\nset aside: {}", desk.alarms.join("\n"), desk.aside.join(", "));
    assert_eq!(desk.aside, ["tag 42 at 90 s", "tag 43 at 399 s"]);
    assert_eq!(
        desk.alarms,
        [
            "tag 41: gate 0 to 2 in 30 s (0.81)",
            "tag 43: gate 0 to 1 in 10 s (0.81)",
            "tag 43: gate 2 to 0 in 50 s (0.81)",
            "tag 43: gate 2 to 1 in 60 s (0.81)",
        ]
    );
    assert_eq!(join.stats().late, 2);
    Ok(())
}
