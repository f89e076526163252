//! A stream with a distribution of one's own: types with weights, and numbers drawn from the crate's
//! generator, which gives the same ones on every machine.
//!
//! ```text
//! cargo run -p data-gen --example own_distribution
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use data_gen::format::csv;
use data_gen::seed::{Discrete, Rng};
use data_gen::stream::letters::LETTERS;
use data_gen::stream::{Field, LetterOptions, Row};

pub fn main() -> Result<(), Box<dyn Error>> {
    // Half of all events are A, the others share the rest as Zipf's law says.
    let mut options = LetterOptions::uniform(40_000, 5, 1_000);
    options.weights = vec![25.0 / 12.0, 1.0, 1.0 / 2.0, 1.0 / 3.0, 1.0 / 4.0];
    let mut counts = [0; 5];
    for event in options.stream(3)? {
        counts[event.letter as usize] += 1;
    }
    for (letter, count) in LETTERS.iter().zip(counts) {
        println!("{letter} {count}");
    }
    // Within five standard deviations of the mean.
    let total: f64 = options.weights.iter().sum();
    for (weight, count) in options.weights.iter().zip(counts) {
        let (n, p) = (options.events as f64, weight / total);
        let deviation = (n * p * (1.0 - p)).sqrt();
        assert!((f64::from(count) - n * p).abs() < 5.0 * deviation);
    }

    // Events of a shape that no generator here has: calls with a duration, written as CSV.
    let mut rng = Rng::new(3, "calls");
    let outcome = Discrete::new(&[0.7, 0.2, 0.1]);
    let mut table = Vec::new();
    let mut writer = csv::Writer::new(&mut table, &["caller", "seconds", "noise"])?;
    let mut time = 0.0;
    for _ in 0..1_000 {
        time += rng.exponential(20.0);
        let kind = ["answered", "busy", "missed"][outcome.sample(&mut rng)];
        let mut call = Row::new(kind, time as i64);
        call.push("caller", Field::Int(rng.between(1, 50) as i64));
        let seconds = if kind == "answered" { rng.exponential(180.0).ceil() } else { 0.0 };
        call.push("seconds", Field::Float(seconds));
        call.push("noise", Field::Float(rng.normal(0.0, 1.0)));
        writer.write(&call)?;
    }
    writer.finish()?;
    let text = String::from_utf8(table)?;
    for line in text.lines().take(4) {
        println!("{line}");
    }
    let answered = text.lines().filter(|line| line.starts_with("answered,")).count();
    assert!((600..800).contains(&answered), "{answered}");
    Ok(())
}
