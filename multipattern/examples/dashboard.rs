//! Counters on a wall: 676 rules over one stream, of which a program wants to know how often each was
//! met, and nothing else. Matches are counted without being written out, however many there are.
//!
//! ```text
//! cargo run -p multipattern --example dashboard
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use multipattern::{Config, Count, Detector, Error, Method, PatternSet, Record, Window};

/// A stream of 26 types, by a linear congruential generator: the same in each run.
fn letters(events: usize) -> impl Iterator<Item = u8> {
    let mut state = 7_u64;
    (0..events).map(move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // Letters at the front of the alphabet are more frequent.
        b'A' + ((state >> 33) % 26).min((state >> 40) % 26) as u8
    })
}

fn count(set: &PatternSet, method: Method, events: usize) -> Result<Count, Error> {
    let mut detector = Detector::with_config(set, Config::new().method(method))?;
    let mut counts = Count::default();
    for (time, letter) in letters(events).enumerate() {
        let name = (letter as char).to_string();
        let event_type = detector.schema().type_id(&name).expect("all letters are types");
        let _ = detector.push(&Record::new(event_type, time as i64), &mut counts)?;
    }
    Ok(counts)
}

pub fn main() -> Result<(), Error> {
    // SEQ(x, A, y, B) for all letters x and y.
    let mut builder = PatternSet::builder().window(Window::Events(60));
    for x in 'A'..='Z' {
        for y in 'A'..='Z' {
            let operands = [x, 'A', y, 'B'].map(String::from);
            builder = builder.seq(&format!("{x}A{y}B"), operands);
        }
    }
    let set = builder.build()?;

    let counts = count(&set, Method::Proposed, 20_000)?;
    let mut ranking: Vec<(u64, &str)> =
        counts.by_pattern.iter().zip(set.patterns()).map(|(&n, p)| (n, p.id())).collect();
    ranking.sort_by(|a, b| b.cmp(a));
    for (matches, id) in &ranking[..5] {
        println!("{id} {matches:>10}");
    }
    println!("{} matches of {} rules", counts.total, set.len());
    assert!(counts.total > 1_000_000);

    // One detector for each rule counts the same, on a shorter stream.
    assert_eq!(count(&set, Method::Proposed, 400)?, count(&set, Method::Single, 400)?);
    Ok(())
}
