//! The settings that a checkpoint and its segments belong to.

use std::fmt::Display;

use crate::storage::{StorageError, StorageErrorKind};

/// Settings by name: all that changes which results there are. A checkpoint holds them, so that a
/// run with others is refused with the name of the one that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(Vec<(String, String)>);

impl Settings {
    /// None yet.
    #[must_use]
    pub fn new() -> Settings {
        Settings::default()
    }

    /// With another one. Order counts.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Display) -> Settings {
        self.0.push((name.to_owned(), value.to_string()));
        self
    }

    /// With one whose value is too long for a message, such as a matrix; only its hash is kept.
    #[must_use]
    pub fn with_bytes(self, name: &str, bytes: impl IntoIterator<Item = u8>) -> Settings {
        let hash = fnv1a(bytes);
        self.with(name, format_args!("hash {hash:016x}"))
    }

    /// Name and value of each.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(n, v)| (n.as_str(), v.as_str()))
    }

    /// A hash that is the same on every platform and in every version.
    #[must_use]
    pub fn hash(&self) -> u64 {
        fnv1a(self.0.iter().flat_map(|(n, v)| {
            let length = |s: &str| (s.len() as u64).to_le_bytes();
            let bytes = |s: &str| length(s).into_iter().chain(s.bytes()).collect::<Vec<u8>>();
            bytes(n).into_iter().chain(bytes(v))
        }))
    }

    /// Compares with those of a file.
    pub(super) fn check(&self, file: &str, stored: &Settings) -> Result<(), StorageError> {
        let error = |reason: String| Err(StorageError::new(StorageErrorKind::Config, file, reason));
        for (name, value) in self.iter() {
            match stored.iter().find(|(n, _)| *n == name) {
                Some((_, v)) if v == value => {}
                Some((_, v)) => {
                    return error(format!(
                        "the checkpoint was made with {name} {v}; this run has {name} {value}"
                    ));
                }
                None => {
                    return error(format!(
                        "the checkpoint was made without {name}; this run has {name} {value}"
                    ));
                }
            }
        }
        if let Some((n, v)) = stored.iter().find(|(n, _)| self.iter().all(|(name, _)| name != *n)) {
            return error(format!("the checkpoint was made with {n} {v}; this run is without"));
        }
        Ok(())
    }
}

/// The 64-bit FNV-1a hash.
fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
