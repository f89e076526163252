//! What experiments on streams of events have in common: generated data and their hashes, and the
//! comparison of answers.

use std::fmt::{Debug, Display};
use std::io;

use data_gen::format::Format;
use data_gen::stream::StreamKind;

use crate::error::{Error, Result};
use crate::sha256::Hasher;

/// The seeds of several data sets under one seed of the user's. Those of another seed are others, which
/// they would not be if they followed one another from it on.
pub fn seeds(seed: u64, sets: u64) -> impl Iterator<Item = u64> + Clone {
    let first = seed.wrapping_sub(1).wrapping_mul(1000).wrapping_add(1);
    (0..sets).map(move |at| first.wrapping_add(at))
}

/// What goes wrong in a generator.
pub fn generating(error: &io::Error) -> Error {
    Error::io("cannot generate data", error)
}

/// What goes wrong in an engine of ours.
pub fn fail<E: Display>(engine: &str) -> impl Fn(E) -> Error {
    move |error| Error::failed(format!("{engine}: {error}"))
}

/// The SHA-256 of a stream as CSV, as data-gen would write it.
pub fn hash(kind: &StreamKind, seed: u64) -> Result<String> {
    let mut hasher = Hasher::default();
    kind.write(seed, Format::Csv, &mut hasher).map_err(|error| generating(&error))?;
    Ok(hasher.finish())
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
