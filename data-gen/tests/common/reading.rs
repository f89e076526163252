//! Reading whole texts, as if they came over a slow line.

use data_gen::format::{ReadError, csv, jsonl};
use data_gen::stream::Row;
use std::io::{self, ErrorKind, Read};

/// Gives a few bytes at a time, and is interrupted between.
struct Trickle<'a>(&'a [u8], bool);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(ErrorKind::Interrupted.into());
        }
        let n = self.0.len().min(3);
        buffer[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

pub fn read_csv(text: &[u8]) -> Result<Vec<Row>, ReadError> {
    csv::Reader::new(Trickle(text, false))?.collect()
}

pub fn read_jsonl(text: &[u8]) -> Result<Vec<Row>, ReadError> {
    jsonl::Reader::new(Trickle(text, false)).collect()
}
