//! Files of travel times: a square table whose first row and column are the names of the streams.

use super::sighting::Label;
use crate::manifest::{DataSet, Facts};
use serde::{Deserialize, Serialize};
use std::io::{self, BufWriter, Write};

/// A file of the fastest travel times between streams, in seconds. It is CSV: the header is `stream`
/// and the names; a row is a name and the times from there, 0 to itself.
#[derive(Clone, Debug, PartialEq)]
pub struct TravelFile {
    kind: &'static str,
    parameters: serde_json::Value,
    names: Vec<Label>,
    times: Times,
}

/// Travel times in seconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Times {
    /// The same between any two.
    Constant(u32),
    /// Row by row.
    Matrix(Vec<u32>),
}

impl TravelFile {
    pub(super) fn new(
        kind: &'static str,
        parameters: serde_json::Value,
        names: Vec<Label>,
        times: Times,
    ) -> Self {
        Self { kind, parameters, names, times }
    }

    /// The number of streams.
    #[must_use]
    pub fn streams(&self) -> usize {
        self.names.len()
    }

    /// The fastest travel from one stream to another in seconds, and 0 to itself.
    ///
    /// # Panics
    /// When there is no such stream.
    #[must_use]
    pub fn seconds(&self, from: usize, to: usize) -> u32 {
        assert!(from < self.names.len() && to < self.names.len(), "no such stream");
        match &self.times {
            _ if from == to => 0,
            Times::Constant(seconds) => *seconds,
            Times::Matrix(times) => times[from * self.names.len() + to],
        }
    }
}

/// What a file of travel times contains.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TravelCounts {
    /// The file's length.
    pub bytes: u64,
    /// Streams, which are rows and columns.
    pub streams: u64,
}

impl Facts for TravelCounts {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn summary(&self) -> String {
        format!("travel times of {} streams", self.streams)
    }
}

/// Counts bytes on their way.
struct Counting<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl DataSet for TravelFile {
    type Facts = TravelCounts;

    fn name(&self) -> &'static str {
        self.kind
    }

    fn parameters(&self) -> serde_json::Value {
        self.parameters.clone()
    }

    fn expected_bytes(&self) -> u64 {
        let streams = self.names.len() as u64;
        streams * (streams * 5 + 10)
    }

    /// The seed is that of the streams; the times are fixed already.
    fn generate(&self, _seed: u64, out: &mut dyn Write) -> io::Result<TravelCounts> {
        let mut out = BufWriter::new(Counting { out, bytes: 0 });
        out.write_all(b"stream")?;
        for name in &self.names {
            write!(out, ",{name}")?;
        }
        out.write_all(b"\n")?;
        for (from, name) in self.names.iter().enumerate() {
            write!(out, "{name}")?;
            for to in 0..self.names.len() {
                write!(out, ",{}", self.seconds(from, to))?;
            }
            out.write_all(b"\n")?;
        }
        out.flush()?;
        Ok(TravelCounts { bytes: out.get_ref().bytes, streams: self.names.len() as u64 })
    }
}
