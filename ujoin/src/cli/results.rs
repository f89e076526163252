//! Results, printed.

use std::cmp::Reverse;
use std::io::Write;

use serde::{Deserialize, Serialize};
use ujoin::input::{RowReader, RowWriter, Seconds, is_long, string};
use ujoin::mode::{Expected, Slices, TopK, sameness};
use ujoin::storage::{PayloadLog, StorageError};
use ujoin::{Pair, Probability, Product, Sink, SinkError};

use super::arguments::Mode;
use super::output::Outputs;

/// In the numbers of observations: of one whose name is longer than seven bytes. Such numbers are
/// the rows' own; names are compared when a pair is found.
pub(crate) const NAMED: u64 = 1 << 62;

/// Slices that are not over.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Open {
    top: Option<TopK<Rank, String>>,
    expected: Option<Expected<Box<str>>>,
}

/// The likeliest pair is the greatest; of equal ones the first to be complete.
type Rank = (Product, Reverse<(u64, u64)>);

/// Prints what a join finds.
pub(crate) struct Printer {
    pub(crate) outputs: Outputs,
    /// The rows that pairs can need.
    pub(crate) rows: PayloadLog,
    pub(crate) open: Open,
    reader: RowReader,
    writer: RowWriter,
    mode: Mode,
    threshold: Product,
    top_k: Option<usize>,
    /// Pairs of tuples that are all before this one were printed by an earlier run.
    pub(crate) passed: u64,
    pub(crate) results: u64,
    /// Pairs of keys that differ and have one number.
    pub(crate) collisions: u64,
    first: Vec<u8>,
    second: Vec<u8>,
    key: String,
    units: [Vec<(String, Probability)>; 2],
}

/// What is printed, and how.
pub(crate) struct Wanted {
    pub(crate) mode: Mode,
    pub(crate) threshold: Product,
    pub(crate) top_k: Option<usize>,
    pub(crate) slices: Option<Slices>,
}

impl Printer {
    pub(crate) fn new(
        outputs: Outputs,
        rows: PayloadLog,
        (reader, writer): (RowReader, RowWriter),
        wanted: Wanted,
    ) -> Printer {
        let Wanted { mode, threshold, top_k, slices } = wanted;
        let open = Open {
            top: top_k
                .zip(slices)
                .filter(|_| mode != Mode::Expected)
                .map(|(k, slices)| TopK::new(k, slices)),
            expected: slices.filter(|_| mode == Mode::Expected).map(Expected::new),
        };
        Printer {
            outputs,
            rows,
            open,
            reader,
            writer,
            mode,
            threshold,
            top_k,
            passed: 0,
            results: 0,
            collisions: 0,
            first: vec![],
            second: vec![],
            key: String::new(),
            units: [vec![], vec![]],
        }
    }

    fn pair(&mut self, pair: &Pair) -> Result<(), SinkError> {
        load(&mut self.rows, pair.first.seq, &mut self.first)?;
        load(&mut self.rows, pair.second.seq, &mut self.second)?;
        let header = if self.mode == Mode::Observation { UNIT } else { 0 };
        let first = text(&self.first, header)?;
        let second = text(&self.second, header)?;
        let name = |tuple: u64| tuple & (1 << 63 | NAMED) == 1 << 63 | NAMED;
        let named = name(pair.first.observation) && name(pair.second.observation);
        self.key.clear();
        let sighting = self.reader.read(first).ok_or_else(lost)?;
        self.key.push_str(sighting.key);
        if named || is_long(pair.first.key) {
            let observation = sighting.observation.filter(|_| named).map(str::to_owned);
            let other = self.reader.read(second).ok_or_else(lost)?;
            if other.key != self.key {
                self.collisions += 1;
                return Ok(());
            }
            if observation.is_some() && observation.as_deref() == other.observation {
                return Ok(());
            }
        }
        if let Some(expected) = &mut self.open.expected {
            expected.add(pair.second.time, self.key.as_str().into(), pair.probability);
            return Ok(());
        }
        let mut shared = None;
        let mut probability = pair.probability;
        if self.mode == Mode::Observation {
            let [a, b] = &mut self.units;
            alternatives(&mut self.rows, &mut self.reader, pair.first.seq, a)?;
            alternatives(&mut self.rows, &mut self.reader, pair.second.seq, b)?;
            let Some(same) = sameness(a, b) else { return Ok(()) };
            // Each key that both share is a candidate; one of them stands for the pair.
            if same.probability < self.threshold || a[same.shared[same.best].0].0 != self.key {
                return Ok(());
            }
            load(&mut self.rows, pair.first.seq, &mut self.first)?;
            load(&mut self.rows, pair.second.seq, &mut self.second)?;
            probability = same.probability;
            shared = Some(same.shared);
        }
        let (first, second) = (text(&self.first, header)?, text(&self.second, header)?);
        let (writer, key) = (&mut self.writer, &self.key);
        let [a, b] = &self.units;
        let mut body = |out: &mut Vec<u8>| {
            out.extend_from_slice(b"\"key\":");
            string(out, key);
            // Writing to a vector does not fail.
            let _ = write!(out, ",\"probability\":{probability}");
            for (i, &(x, y)) in shared.iter().flatten().enumerate() {
                out.extend_from_slice(if i == 0 {
                    b",\"shared\":[{\"key\":"
                } else {
                    b",{\"key\":"
                });
                string(out, &a[x].0);
                let _ = write!(out, ",\"probability\":{}}}", a[x].1.times(b[y].1));
            }
            if shared.is_some() {
                out.push(b']');
            }
            out.extend_from_slice(b",\"first\":");
            writer.write(out, first, pair.first.time, pair.first.probability);
            out.extend_from_slice(b",\"second\":");
            writer.write(out, second, pair.second.time, pair.second.probability);
            let dt = Seconds(pair.second.time.saturating_sub(pair.first.time));
            let _ = write!(out, ",\"dt\":{dt},\"limit\":{}}}", Seconds(pair.limit));
        };
        if let Some(top) = &mut self.open.top {
            let (a, b) = (pair.first.seq, pair.second.seq);
            let rank = (probability, Reverse((a.max(b), a.min(b))));
            top.offer(pair.second.time, rank, || {
                let mut out = vec![];
                body(&mut out);
                String::from_utf8(out).unwrap_or_default()
            });
            return Ok(());
        }
        let out = &mut self.outputs.main.buffer;
        out.push(b'{');
        body(out);
        out.push(b'\n');
        self.results += 1;
        self.outputs.main.flush_if_large();
        if self.outputs.main.error.is_some() { Err(SinkError::Stop) } else { Ok(()) }
    }

    /// Whether a time slice ends at or before the watermark.
    pub(crate) fn is_due(&self, watermark: i64) -> bool {
        self.open.top.as_ref().is_some_and(|top| top.is_due(watermark))
            || self.open.expected.as_ref().is_some_and(|expected| expected.is_due(watermark))
    }

    /// Prints the slices that end at or before the watermark, or all; all pairs are there.
    pub(crate) fn close(&mut self, watermark: Option<i64>) {
        let (out, results) = (&mut self.outputs.main, &mut self.results);
        if let Some(top) = &mut self.open.top {
            let show = |start: i64, best: Vec<(Rank, String)>| {
                for (i, (_, body)) in best.iter().enumerate() {
                    let (start, rank) = (Seconds(start), i + 1);
                    let _ = writeln!(out.buffer, "{{\"slice\":{start},\"rank\":{rank},{body}");
                    *results += 1;
                }
                out.flush_if_large();
            };
            match watermark {
                Some(watermark) => top.close(watermark, show),
                None => top.finish(show),
            }
        } else if let Some(expected) = &mut self.open.expected {
            let (threshold, most) = (self.threshold, self.top_k.unwrap_or(usize::MAX));
            let show = |start: i64, counts: Vec<(Box<str>, ujoin::mode::Expectation)>| {
                let least = u128::from(threshold.units());
                let counts = counts.iter().take_while(|(_, count)| count.units >= least);
                for (i, (key, count)) in counts.take(most).enumerate() {
                    let _ = write!(out.buffer, "{{\"slice\":{}", Seconds(start));
                    if most < usize::MAX {
                        let _ = write!(out.buffer, ",\"rank\":{}", i + 1);
                    }
                    out.buffer.extend_from_slice(b",\"key\":");
                    string(&mut out.buffer, key);
                    let pairs = count.pairs;
                    let _ = writeln!(out.buffer, ",\"expected\":{count},\"pairs\":{pairs}}}");
                    *results += 1;
                    out.flush_if_large();
                }
            };
            match watermark {
                Some(watermark) => expected.close(watermark, show),
                None => expected.finish(show),
            }
        }
    }
}

impl Sink for Printer {
    fn pairs(&mut self, pairs: &[Pair]) -> Result<(), SinkError> {
        for pair in pairs {
            if pair.first.seq.max(pair.second.seq) >= self.passed {
                self.pair(pair)?;
            }
        }
        Ok(())
    }
}

/// What stands before the row of an alternative with --mode observation: its number and theirs.
pub(crate) const UNIT: usize = 4;

fn load(rows: &mut PayloadLog, seq: u64, row: &mut Vec<u8>) -> Result<(), SinkError> {
    match rows.get(seq, row) {
        Ok(true) => Ok(()),
        Ok(false) => Err(lost()),
        Err(e) => Err(failed(e)),
    }
}

fn failed(e: StorageError) -> SinkError {
    SinkError::Failed(Box::new(e))
}

/// Rows are kept as long as pairs can need them.
fn lost() -> SinkError {
    SinkError::Failed("a row that a result needs is gone".into())
}

fn text(row: &[u8], header: usize) -> Result<&str, SinkError> {
    row.get(header..).and_then(|row| std::str::from_utf8(row).ok()).ok_or_else(lost)
}

/// The alternatives of the observation that a row is of, by their keys.
fn alternatives(
    rows: &mut PayloadLog,
    reader: &mut RowReader,
    seq: u64,
    found: &mut Vec<(String, Probability)>,
) -> Result<(), SinkError> {
    let mut row = vec![];
    load(rows, seq, &mut row)?;
    let number = |at: usize| u64::from(u16::from_le_bytes([row[at], row[at + 1]]));
    if row.len() < UNIT {
        return Err(lost());
    }
    let (place, count) = (number(0), number(2));
    found.clear();
    let first = seq.saturating_sub(place);
    for seq in first..first + count {
        load(rows, seq, &mut row)?;
        let sighting = reader.read(text(&row, UNIT)?).ok_or_else(lost)?;
        found.push((sighting.key.to_owned(), sighting.probability));
    }
    found.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    Ok(())
}
