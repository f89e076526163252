//! The output buffer of both writers, and numbers as text.

use std::io::{self, Write};

/// Rows are handed on when there are so many bytes of them.
const CAPACITY: usize = 256 * 1024;

/// What the last row may take beyond that before the buffer grows.
const ROOM: usize = 64 * 1024;

/// How much of a buffer that had to grow is kept.
const MOST_KEPT: usize = 4 * CAPACITY;

/// Up to this length bytes are copied one by one.
const SHORT: usize = 16;

/// Collects rows and hands them on in large pieces.
#[derive(Debug)]
pub(super) struct Output<W> {
    out: W,
    buffer: Buffer,
    written: u64,
}

impl<W: Write> Output<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, buffer: Buffer { bytes: vec![0; CAPACITY + ROOM], at: 0 }, written: 0 }
    }

    /// The row so far is appended to this.
    #[inline]
    pub(super) fn buffer(&mut self) -> &mut Buffer {
        &mut self.buffer
    }

    /// Ends a row.
    #[inline]
    pub(super) fn end_row(&mut self) -> io::Result<()> {
        if self.buffer.at >= CAPACITY { self.spill() } else { Ok(()) }
    }

    #[cold]
    fn spill(&mut self) -> io::Result<()> {
        let bytes = self.buffer.filled();
        let written = self.out.write_all(bytes);
        self.written += bytes.len() as u64;
        // Even after a failure, so that memory stays bounded when the caller goes on.
        self.buffer.at = 0;
        self.buffer.bytes.truncate(MOST_KEPT);
        written
    }

    /// Writes out what is left; returns the bytes written in all.
    pub(super) fn finish(mut self) -> io::Result<u64> {
        self.spill()?;
        self.out.flush()?;
        Ok(self.written)
    }
}

/// Bytes that are filled from the front. Writing into them costs less than growing a vector.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    at: usize,
}

impl Buffer {
    pub(super) fn filled(&self) -> &[u8] {
        &self.bytes[..self.at]
    }

    /// Where the next byte goes; [`cut`](Self::cut) takes it.
    #[inline]
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Forgets what was appended since.
    pub(super) fn cut(&mut self, at: usize) {
        self.at = at;
    }

    /// At least `n` bytes to fill.
    #[inline]
    fn room(&mut self, n: usize) -> &mut [u8] {
        if self.bytes.len() - self.at < n {
            self.grow(n);
        }
        &mut self.bytes[self.at..]
    }

    #[cold]
    fn grow(&mut self, n: usize) {
        self.bytes.resize((self.at + n).next_power_of_two(), 0);
    }

    #[inline]
    pub(super) fn byte(&mut self, byte: u8) {
        self.room(1)[0] = byte;
        self.at += 1;
    }

    #[inline]
    pub(super) fn raw(&mut self, bytes: &[u8]) {
        let room = self.room(bytes.len().max(SHORT));
        if bytes.len() <= SHORT {
            // Names and types are short: a loop costs less than a call.
            for (to, from) in room[..SHORT].iter_mut().zip(bytes) {
                *to = *from;
            }
        } else {
            room[..bytes.len()].copy_from_slice(bytes);
        }
        self.at += bytes.len();
    }

    /// Appends a whole number.
    #[inline]
    pub(super) fn int(&mut self, i: i64) {
        if i < 0 {
            self.byte(b'-');
        }
        self.digits(i.unsigned_abs());
    }

    #[inline]
    fn digits(&mut self, mut n: u64) {
        let length = 1 + n.checked_ilog10().unwrap_or(0) as usize;
        let digits = &mut self.room(length)[..length];
        let mut end = length;
        while n >= 100 {
            end -= 2;
            digits[end..end + 2].copy_from_slice(&PAIRS[(n % 100) as usize]);
            n /= 100;
        }
        if n >= 10 {
            digits[..2].copy_from_slice(&PAIRS[n as usize]);
        } else {
            digits[0] = b'0' + n as u8;
        }
        self.at += length;
    }

    /// Appends a finite number: the shortest digits that read back as the same number, always with
    /// a fraction or an exponent, so that it stays apart from a whole number.
    pub(super) fn float(&mut self, x: f64) -> io::Result<()> {
        if !x.is_finite() {
            return Err(invalid(format!("{x} cannot be written: it is not a finite number")));
        }
        // Numbers of hundredths, as prices are, are quick. Below 15 digits a decimal number that
        // reads back as x is the only one of so few digits, hence the shortest.
        let scaled = x * 100.0;
        if scaled.abs() < 1e13 {
            // Rounded to the nearest, which a conversion does faster than a call.
            let hundredths = (scaled + if x < 0.0 { -0.5 } else { 0.5 }) as i64;
            if hundredths as f64 / 100.0 == x && (x != 0.0 || x.is_sign_positive()) {
                if x < 0.0 {
                    self.byte(b'-');
                }
                let n = hundredths.unsigned_abs();
                self.digits(n / 100);
                let [tenths, rest] = PAIRS[(n % 100) as usize];
                let room = self.room(3);
                room[..3].copy_from_slice(&[b'.', tenths, rest]);
                self.at += if rest == b'0' { 2 } else { 3 };
                return Ok(());
            }
        }
        // Millionths, as probabilities are; smaller numbers than these are written with an exponent.
        let scaled = x * 1e6;
        if (10.0..1e12).contains(&scaled) {
            let millionths = (scaled + 0.5) as u64;
            if millionths as f64 / 1e6 == x {
                self.digits(millionths / 1_000_000);
                let (high, low) = (millionths / 10_000 % 100, millionths % 10_000);
                let [pairs @ .., end] = [high, low / 100, low % 100].map(|n| PAIRS[n as usize]);
                let room = self.room(7);
                room[0] = b'.';
                room[1..3].copy_from_slice(&pairs[0]);
                room[3..5].copy_from_slice(&pairs[1]);
                room[5..7].copy_from_slice(&end);
                let zeros = room[2..7].iter().rev().take_while(|&&digit| digit == b'0').count();
                self.at += 7 - zeros;
                return Ok(());
            }
        }
        let text = format!("{x:?}");
        self.raw(text.as_bytes());
        Ok(())
    }
}

/// The digits of 00 to 99.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut n = 0;
    while n < 100 {
        pairs[n] = [b'0' + (n / 10) as u8, b'0' + (n % 10) as u8];
        n += 1;
    }
    pairs
};

/// Checks and keeps the names of columns besides type and time.
pub(super) fn columns(kind: &str, names: &[&str]) -> io::Result<Vec<String>> {
    if kind == "time" {
        return Err(invalid("two columns are called \"time\"".to_owned()));
    }
    for (i, name) in names.iter().enumerate() {
        if [kind, "time"].contains(name) || names[..i].contains(name) {
            return Err(invalid(format!("two columns are called {name:?}")));
        }
    }
    Ok(names.iter().map(|&name| name.to_owned()).collect())
}

/// An event's column that is not the one expected at its place.
#[cold]
pub(super) fn misplaced(expected: Option<&str>, found: &str) -> io::Error {
    invalid(match expected {
        Some(expected) => format!("the event has column {found:?} where {expected:?} belongs"),
        None => format!("the event has a column {found:?} too many"),
    })
}

/// An event that lacks columns.
#[cold]
pub(super) fn lacking(expected: &str) -> io::Error {
    invalid(format!("the event lacks column {expected:?}"))
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
