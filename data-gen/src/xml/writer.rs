//! The output buffer of every XML generator: it counts what passes and keeps the first error.

use super::Facts;
use std::io::{self, Write};

const CAPACITY: usize = 256 * 1024;

/// Appends bytes to one reusable buffer and hands full buffers to the output.
///
/// Writing methods return nothing. After the first failed write everything is dropped;
/// generators call [`check`](Self::check) once a record and stop on the error.
pub(crate) struct XmlWriter<'a> {
    out: &'a mut dyn Write,
    buffer: Box<[u8]>,
    at: usize,
    /// Elements that are open.
    depth: u64,
    facts: Facts,
    error: Option<io::Error>,
}

impl<'a> XmlWriter<'a> {
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        let buffer = vec![0; CAPACITY].into_boxed_slice();
        Self { out, buffer, at: 0, depth: 0, facts: Facts::default(), error: None }
    }

    #[cold]
    fn flush(&mut self) {
        if self.error.is_none() {
            self.facts.bytes += self.at as u64;
            self.error = self.out.write_all(&self.buffer[..self.at]).err();
        }
        self.at = 0;
    }

    /// The first error so far.
    pub(crate) fn check(&mut self) -> io::Result<()> {
        self.error.take().map_or(Ok(()), Err)
    }

    /// Writes out what is left and returns the counts.
    pub(crate) fn finish(mut self) -> io::Result<Facts> {
        debug_assert_eq!(self.depth, 0, "an element is still open");
        self.flush();
        self.check()?;
        self.out.flush()?;
        Ok(self.facts)
    }

    /// At least `n` bytes to fill, `n` at most the buffer's size; [`advance`](Self::advance) says
    /// how many of them count.
    #[inline]
    pub(crate) fn room(&mut self, n: usize) -> &mut [u8] {
        if CAPACITY - self.at < n {
            self.flush();
        }
        &mut self.buffer[self.at..]
    }

    #[inline]
    pub(crate) fn advance(&mut self, n: usize) {
        self.at += n;
    }

    #[inline]
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        if bytes.len() > CAPACITY - self.at {
            return self.raw_slow(bytes);
        }
        self.buffer[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    #[cold]
    fn raw_slow(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(CAPACITY) {
            self.room(part.len())[..part.len()].copy_from_slice(part);
            self.at += part.len();
        }
    }

    #[inline]
    pub(crate) fn byte(&mut self, byte: u8) {
        self.room(1)[0] = byte;
        self.at += 1;
    }

    pub(crate) fn number(&mut self, mut n: u64) {
        let mut digits = [0; 20];
        let mut from = digits.len();
        loop {
            from -= 1;
            digits[from] = b'0' + (n % 10) as u8;
            n /= 10;
            if n == 0 {
                break;
            }
        }
        self.raw(&digits[from..]);
    }

    /// A number below 100 as two digits.
    pub(crate) fn two_digits(&mut self, n: u64) {
        self.raw(&[b'0' + (n / 10 % 10) as u8, b'0' + (n % 10) as u8]);
    }

    /// A number of hundredths with two decimal places.
    pub(crate) fn hundredths(&mut self, n: u64) {
        self.number(n / 100);
        self.byte(b'.');
        self.two_digits(n % 100);
    }

    #[inline]
    fn count_element(&mut self, depth: u64, attributes: u64) {
        self.facts.elements += 1;
        self.facts.attributes += attributes;
        self.facts.depth_sum += depth;
        self.facts.max_depth = self.facts.max_depth.max(depth);
    }

    /// A start tag, or the beginning of one, that carries `attributes` attributes.
    #[inline]
    pub(crate) fn open(&mut self, tag: &[u8], attributes: u64) {
        self.depth += 1;
        self.count_element(self.depth, attributes);
        self.raw(tag);
    }

    /// An end tag, with whatever white space follows it.
    #[inline]
    pub(crate) fn close(&mut self, tag: &[u8]) {
        self.depth -= 1;
        self.raw(tag);
    }

    /// An element without content: `before` + number + `"/>` and a newline.
    pub(crate) fn reference(&mut self, before: &[u8], n: u64) {
        self.count_element(self.depth + 1, 1);
        self.raw(before);
        self.number(n);
        self.raw(b"\"/>\n");
    }

    /// The beginning of a tag of an element without content.
    pub(crate) fn empty(&mut self, tag: &[u8], attributes: u64) {
        self.count_element(self.depth + 1, attributes);
        self.raw(tag);
    }

    /// An element that holds nothing but the given text: `open` + text + `close`.
    pub(crate) fn leaf(&mut self, open: &[u8], text: &[u8], close: &[u8]) {
        self.count_element(self.depth + 1, 0);
        self.raw(open);
        self.raw(text);
        self.raw(close);
    }

    /// An element that holds nothing but a number.
    pub(crate) fn number_leaf(&mut self, open: &[u8], n: u64, close: &[u8]) {
        self.count_element(self.depth + 1, 0);
        self.raw(open);
        self.number(n);
        self.raw(close);
    }
}
