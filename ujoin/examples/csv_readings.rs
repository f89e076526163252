//! The program's own readers as a library: travel times and sightings from CSV, rows that are wrong set
//! aside with their place, plates in one spelling.
//!
//! ```text
//! cargo run -p ujoin --features cli --example csv_readings
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;
use std::io::Cursor;

use ujoin::input::{Fields, Format, Next, Reader, pack, read_travel_times};
use ujoin::{Collect, Config, Tuple};

const TIMES: &str = "from,to,seconds\nAirport,Bridge,900\nBridge,Airport,840\n";

const SIGHTINGS: &str = "stream,time,key,probability
Airport,2024-05-01T12:00:00Z,B-AB 123,0.9
Bridge,2024-05-01T12:01:00Z,M-XY 9,0.8
Bridge,2024-05-01T12:05:00Z,bab123,0.95
Bridge,2024-05-01T12:06:00Z,M-XY 9,1.8
Harbour,2024-05-01T12:07:00Z,M-XY 9,0.7
";

pub fn main() -> Result<(), Box<dyn Error>> {
    let (streams, times) = read_travel_times(TIMES.as_bytes())?;
    let fields = Fields { normalize_plates: true, ..Fields::default() };
    let input = Cursor::new(SIGHTINGS);
    let mut reader = Reader::new(input, Some(Format::Csv), streams, fields)?;

    let mut join = Config::new(times).build()?;
    let (mut found, mut aside) = (Collect::default(), Vec::new());
    let mut seq = 0;
    loop {
        match reader.next() {
            Next::Sighting => {
                let row = reader.sighting();
                let tuple = Tuple {
                    seq,
                    observation: seq,
                    // A short key is packed into the number; a long one would want a table.
                    key: pack(row.key),
                    time: row.time,
                    stream: row.stream,
                    probability: row.probability,
                };
                seq += 1;
                join.push(&[tuple], &mut found)?;
            }
            Next::Bad(fault) => aside.push(fault.to_string()),
            Next::More => reader.fill()?,
            Next::Pause => join.pause(&mut found)?,
            Next::End => break,
        }
    }
    join.finish(&mut found)?;

    for pair in &found.pairs {
        let names = [pair.first, pair.second].map(|tuple| reader.streams().name(tuple.stream));
        println!("one plate at {} and at {}: {}", names[0], names[1], pair.probability);
    }
    println!("set aside:\n{}", aside.join("\n"));
    assert_eq!(found.pairs.len(), 1);
    assert_eq!(found.pairs[0].probability.to_string(), "0.855");
    assert!(aside[0].starts_with("line 5, column 4"), "{}", aside[0]);
    assert_eq!(aside.len(), 2);
    Ok(())
}
