//! What experiments on streams of events have in common: generated data and their hashes, and the
//! comparison of answers.

use std::fmt::Debug;
use std::io::{self, Write};

use data_gen::format::Format;
use data_gen::stream::StreamKind;
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// What goes wrong in a generator.
pub fn generating(error: &io::Error) -> Error {
    Error::io("cannot generate data", error)
}

/// The SHA-256 of a stream as CSV, as data-gen would write it.
pub fn hash(kind: &StreamKind, seed: u64) -> Result<String> {
    struct Hasher(Sha256);
    impl Write for Hasher {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.update(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut hasher = Hasher(Sha256::new());
    kind.write(seed, Format::Csv, &mut hasher).map_err(|error| generating(&error))?;
    Ok(hasher.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Contenders that answer differently have no times.
pub fn agree<A: PartialEq + Debug>(answers: &[(&str, A)]) -> Result<()> {
    let Some(((first, expected), others)) = answers.split_first() else { return Ok(()) };
    for (name, answer) in others {
        if answer != expected {
            return Err(Error::disagreement(format!(
                "{first} answers {expected:?}, but {name} answers {answer:?}"
            )));
        }
    }
    Ok(())
}
