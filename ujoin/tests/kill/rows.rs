//! Sightings of a small town, and what must come out.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const STREAMS: usize = 7;

struct Row {
    stream: usize,
    /// In seconds, nearly ascending.
    time: i64,
    key: u32,
    /// In hundredths.
    probability: u64,
}

pub struct Input {
    rows: Vec<Row>,
    times: Vec<[i64; STREAMS]>,
}

impl Input {
    pub fn new(rows: usize, seed: u64) -> Input {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut newest = 1000;
        let rows = (0..rows as i64)
            .map(|n| {
                // At most 20 s older than the newest: never late.
                let time = 1000 + n / 3 - random.random_range(0..10);
                newest = newest.max(time);
                Row {
                    stream: random.random_range(0..STREAMS),
                    time: time.max(newest - 20),
                    key: random.random_range(0..400),
                    probability: random.random_range(50..100),
                }
            })
            .collect();
        let times =
            (0..STREAMS).map(|_| std::array::from_fn(|_| random.random_range(100..600))).collect();
        Input { rows, times }
    }

    pub fn times(&self) -> String {
        let mut text = "from,to,seconds\n".to_owned();
        for (from, row) in self.times.iter().enumerate() {
            for (to, seconds) in row.iter().enumerate().filter(|(to, _)| *to != from) {
                writeln!(text, "s{from},s{to},{seconds}").unwrap();
            }
        }
        text
    }

    pub fn rows(&self) -> String {
        let mut text = "number,stream,time,key,probability\n".to_owned();
        for (n, row) in self.rows.iter().enumerate() {
            let Row { stream, time, key, probability } = row;
            writeln!(text, "{n},s{stream},{time},K{key},0.{probability}").unwrap();
        }
        text
    }

    /// The numbers of the rows of each pair, sorted.
    pub fn oracle(&self) -> Vec<(usize, usize)> {
        let mut keys: HashMap<u32, Vec<usize>> = HashMap::new();
        let mut pairs = Vec::new();
        for (b, row) in self.rows.iter().enumerate() {
            let others = keys.entry(row.key).or_default();
            for &a in others.iter() {
                let other = &self.rows[a];
                let limit = if other.time <= row.time {
                    self.times[other.stream][row.stream]
                } else {
                    self.times[row.stream][other.stream]
                };
                let first = if other.time <= row.time { (a, b) } else { (b, a) };
                if other.stream != row.stream
                    && other.time.abs_diff(row.time) < limit as u64
                    && other.probability * row.probability >= 7000
                {
                    pairs.push(first);
                }
            }
            others.push(b);
        }
        pairs.sort_unstable();
        pairs
    }
}

/// The numbers of the rows of each pair in a file of results, sorted.
pub fn pairs_in(path: &Path) -> Vec<(usize, usize)> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'));
    let mut pairs: Vec<(usize, usize)> = text
        .lines()
        .map(|line| {
            let pair: serde_json::Value = serde_json::from_str(line).unwrap();
            let number = |which: &str| pair[which]["number"].as_str().unwrap().parse().unwrap();
            (number("first"), number("second"))
        })
        .collect();
    pairs.sort_unstable();
    pairs
}
