//! The output buffer of both writers, and numbers as text.

use std::io::{self, Write};

const CAPACITY: usize = 256 * 1024;

/// Collects rows and hands them on in large pieces.
#[derive(Debug)]
pub(super) struct Output<W> {
    out: W,
    bytes: Vec<u8>,
    written: u64,
}

impl<W: Write> Output<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, bytes: Vec::with_capacity(CAPACITY + CAPACITY / 4), written: 0 }
    }

    /// The row so far is appended to this.
    #[inline]
    pub(super) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Ends a row.
    #[inline]
    pub(super) fn end_row(&mut self) -> io::Result<()> {
        if self.bytes.len() >= CAPACITY { self.spill() } else { Ok(()) }
    }

    #[cold]
    fn spill(&mut self) -> io::Result<()> {
        let written = self.out.write_all(&self.bytes);
        self.written += self.bytes.len() as u64;
        // Even after a failure, so that memory stays bounded when the caller goes on.
        self.bytes.clear();
        written
    }

    /// Writes out what is left; returns the bytes written in all.
    pub(super) fn finish(mut self) -> io::Result<u64> {
        self.spill()?;
        self.out.flush()?;
        Ok(self.written)
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

/// Appends a whole number.
#[inline]
pub(super) fn push_int(bytes: &mut Vec<u8>, i: i64) {
    if i < 0 {
        bytes.push(b'-');
    }
    push_digits(bytes, i.unsigned_abs());
}

#[inline]
fn push_digits(bytes: &mut Vec<u8>, mut n: u64) {
    let mut digits = [0; 20];
    let mut from = digits.len();
    while n >= 100 {
        from -= 2;
        digits[from..from + 2].copy_from_slice(&PAIRS[(n % 100) as usize]);
        n /= 100;
    }
    if n >= 10 {
        from -= 2;
        digits[from..from + 2].copy_from_slice(&PAIRS[n as usize]);
    } else {
        from -= 1;
        digits[from] = b'0' + n as u8;
    }
    bytes.extend_from_slice(&digits[from..]);
}

/// Appends a finite number: the shortest digits that read back as the same number, always with a
/// fraction or an exponent, so that it stays apart from a whole number.
pub(super) fn push_float(bytes: &mut Vec<u8>, x: f64) -> io::Result<()> {
    if !x.is_finite() {
        return Err(invalid(format!("{x} cannot be written: it is not a finite number")));
    }
    // Numbers of hundredths, as prices are, are quick. Below 15 digits a decimal number that
    // reads back as x is the only one of so few digits, hence the shortest.
    let hundredths = (x * 100.0).round();
    if hundredths.abs() < 1e13 && hundredths / 100.0 == x && (x != 0.0 || x.is_sign_positive()) {
        if x < 0.0 {
            bytes.push(b'-');
        }
        let n = hundredths.abs() as u64;
        push_digits(bytes, n / 100);
        bytes.push(b'.');
        let cents = PAIRS[(n % 100) as usize];
        bytes.extend_from_slice(if cents[1] == b'0' { &cents[..1] } else { &cents });
        return Ok(());
    }
    write!(bytes, "{x:?}")
}

/// Checks and keeps the names of columns besides type and time.
pub(super) fn columns(names: &[&str]) -> io::Result<Vec<String>> {
    for (i, name) in names.iter().enumerate() {
        if ["type", "time"].contains(name) || names[..i].contains(name) {
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
