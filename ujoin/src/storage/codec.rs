//! Numbers and tuples as bytes, little-endian.

use crate::{Probability, Tuple};

/// Bytes of one [`Tuple`].
pub const RECORD_BYTES: usize = 40;

pub(crate) fn encode(tuple: &Tuple, bytes: &mut Vec<u8>) {
    for n in [tuple.seq, tuple.observation, tuple.key, tuple.time as u64] {
        bytes.extend_from_slice(&n.to_le_bytes());
    }
    bytes.extend_from_slice(&tuple.stream.to_le_bytes());
    bytes.extend_from_slice(&tuple.probability.nanos().to_le_bytes());
}

/// `None` if the bytes are no tuple.
pub(crate) fn decode(bytes: &[u8; RECORD_BYTES]) -> Option<Tuple> {
    Some(Tuple {
        seq: u64_at(bytes, 0),
        observation: u64_at(bytes, 8),
        key: u64_at(bytes, 16),
        time: u64_at(bytes, 24) as i64,
        stream: u32_at(bytes, 32),
        probability: Probability::from_nanos(u32_at(bytes, 36)).ok()?,
    })
}

/// # Panics
/// Fewer than 8 bytes from there.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut b = [0; 8];
    b.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(b)
}

/// # Panics
/// Fewer than 4 bytes from there.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut b = [0; 4];
    b.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(b)
}

/// Bytes that are read from the front; `None` when there are too few.
pub(crate) struct Cursor<'a>(pub(crate) &'a [u8]);

impl<'a> Cursor<'a> {
    pub(crate) fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.take(8).map(|b| u64_at(b, 0))
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let length = u32_at(self.take(4)?, 0) as usize;
        std::str::from_utf8(self.take(length)?).ok()
    }
}
