//! Reading no more of a row than a row may have.

use std::fmt;
use std::io::{self, BufReader, Read};

use super::MOST_ROW;

/// What may have been read ahead of a row, together with the one before it.
const AHEAD: u64 = 1 << 16;

/// A source that ends with an error if a row does not.
pub(super) struct Bounded {
    source: BufReader<Box<dyn Read>>,
    left: u64,
}

impl Bounded {
    pub(super) fn new(source: BufReader<Box<dyn Read>>) -> Self {
        let mut bounded = Bounded { source, left: 0 };
        bounded.begin_row();
        bounded
    }

    /// A row begins.
    pub(super) fn begin_row(&mut self) {
        self.left = MOST_ROW + AHEAD;
    }
}

impl Read for Bounded {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::other(TooLong));
        }
        let most = into.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = self.source.read(&mut into[..most])?;
        self.left -= read as u64;
        Ok(read)
    }
}

/// A row is too long.
#[derive(Debug)]
struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a row of more than {} megabytes", MOST_ROW >> 20)
    }
}

impl std::error::Error for TooLong {}

/// Whether an error of reading says that a row is too long.
pub(super) fn is_too_long(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<TooLong>())
}
