//! A process that is killed and goes on where it was, with each result exactly once in its file.
//!
//! Every 500 sightings a checkpoint is made. The process dies between two of them: what it wrote after
//! the last one is cut off and written again.
//!
//! ```text
//! cargo run -p ujoin --example stop_and_resume
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;
use std::sync::Arc;

use ujoin::checkpoint::{Checkpoint, InputPosition, ResultsFile};
use ujoin::storage::{Files, Storage};
use ujoin::{
    Budget, Collect, Config, Join, Pair, Policy, Probability, SinkError, Spill, TravelTimes, Tuple,
    Visit,
};

/// The input, which can be read again from any row on.
fn sightings(rows: std::ops::Range<u64>) -> impl Iterator<Item = Tuple> {
    rows.map(|seq| Tuple {
        seq,
        observation: seq,
        key: seq * seq % 997,
        time: 3 * seq as i64,
        stream: (seq % 4) as u32,
        probability: Probability::ONE,
    })
}

/// A run in a directory: reads on from its last checkpoint to a row, and dies there or finishes.
fn run(directory: &std::path::Path, rows: u64, dies: bool) -> Result<u64, Box<dyn Error>> {
    let place: Arc<dyn Storage> = Arc::new(Files::open(directory)?);
    let spilled = Arc::new(Files::open(directory.join("spilled"))?);
    let spill = Spill::new(Budget::Entries(100), Policy::Quantile, spilled);
    let config = Config::new(TravelTimes::constant(4, 900)?).spill(spill);
    let settings = config.settings();

    let mut live = Vec::new();
    let found = Checkpoint::load(&*place, "run", &settings, |some| live.extend_from_slice(some))?;
    let (mut join, mut results, start): (Box<dyn Join>, _, _) = match found {
        Some(checkpoint) => (
            config.resume(&checkpoint, &live)?,
            ResultsFile::resume(place.clone(), "pairs", checkpoint.sink)?,
            checkpoint.inputs[0].rows,
        ),
        None => (config.build()?, ResultsFile::create(place.clone(), "pairs")?, 0),
    };
    let write = |results: &mut ResultsFile, pair: &Pair| -> Result<(), SinkError> {
        let line = format!("{} {}\n", pair.first.seq, pair.second.seq);
        results.write_result(line.as_bytes()).map_err(|error| SinkError::Failed(Box::new(error)))
    };
    for tuple in sightings(start..rows) {
        join.push(&[tuple], &mut Visit(|pair: &Pair| write(&mut results, pair)))?;
        if (tuple.seq + 1) % 500 == 0 {
            let rows = tuple.seq + 1;
            let mut checkpoint = Checkpoint {
                inputs: vec![InputPosition { offset: 0, rows }],
                ..Checkpoint::default()
            };
            let mut sink = Visit(|pair: &Pair| write(&mut results, pair));
            let live = join.checkpoint(&mut checkpoint, &mut sink)?;
            checkpoint.sink = results.commit()?;
            let store = join.store().ok_or("there is a budget")?;
            store.prepare(&checkpoint.segment_ids());
            checkpoint.save(&*place, "run", &settings, live)?;
            store.pin(&checkpoint.segment_ids())?;
        }
    }
    if !dies {
        join.finish(&mut Visit(|pair: &Pair| write(&mut results, pair)))?;
        results.commit()?;
    }
    Ok(start)
}

pub fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::temp_dir().join(format!("ujoin-example-{}", std::process::id()));
    std::fs::create_dir_all(directory.join("spilled"))?;
    run(&directory, 1_234, true)?;
    let start = run(&directory, 2_000, false)?;
    let text = std::fs::read_to_string(directory.join("pairs"))?;
    std::fs::remove_dir_all(&directory)?;
    let mut pairs: Vec<&str> = text.lines().collect();
    println!("went on from row {start}; {} pairs", pairs.len());
    assert_eq!(start, 1_000);

    // Each once, and all of them.
    let mut all = Collect::default();
    let mut join = Config::new(TravelTimes::constant(4, 900)?).build()?;
    join.push(&sightings(0..2_000).collect::<Vec<_>>(), &mut all)?;
    join.finish(&mut all)?;
    let mut expected: Vec<String> =
        all.pairs.iter().map(|pair| format!("{} {}", pair.first.seq, pair.second.seq)).collect();
    pairs.sort_unstable();
    expected.sort_unstable();
    assert_eq!(pairs, expected);
    Ok(())
}
