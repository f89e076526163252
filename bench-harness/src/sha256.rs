//! SHA-256 in lower-case hexadecimal, of bytes and of what is written.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

/// Hashes what is written to it.
#[derive(Clone, Debug, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// The hash of all bytes so far.
    pub fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The hash of some bytes.
///
/// ```
/// use bench_harness::sha256;
/// assert!(sha256::of(b"abc").starts_with("ba7816bf8f01cfea414140de5dae2223"));
/// ```
pub fn of(bytes: &[u8]) -> String {
    let mut hasher = Hasher::default();
    hasher.0.update(bytes);
    hasher.finish()
}
