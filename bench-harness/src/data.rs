//! The cache of generated input files.
//!
//! A file is named after what it is made from: kind, parameters, seed. `data-gen` writes it under a
//! temporary name first, so a killed run leaves nothing that looks whole, and checks an existing file
//! against its manifest, so the hash in a result is that of the very bytes that were measured.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use data_gen::Manifest;
use data_gen::xml::XmlKind;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::progress::Progress;

/// The directory that the command line uses unless told otherwise.
pub const DEFAULT_DIRECTORY: &str = ".bench-data";

/// A file of the cache.
#[derive(Clone, Debug)]
pub struct DataFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it was made from, its counts and its SHA-256.
    pub manifest: Manifest,
}

impl DataFile {
    /// Its length.
    pub fn bytes(&self) -> u64 {
        self.manifest.facts.bytes
    }

    /// The whole content.
    pub fn read(&self) -> Result<Vec<u8>> {
        fs::read(&self.path)
            .map_err(|error| Error::io(format!("cannot read {}", self.path.display()), &error))
    }
}

/// A directory of generated files.
#[derive(Clone, Debug)]
pub struct Cache {
    directory: PathBuf,
}

impl Cache {
    /// A cache in this directory, which is created with the first file.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns an XML document, generating it when it is not there or is not what its manifest says.
    pub fn xml(&self, kind: &XmlKind, seed: u64, progress: &Progress) -> Result<DataFile> {
        let name = format!("{}.xml", stem(kind.name(), &kind.parameters(), seed));
        let path = self.directory.join(&name);
        fs::create_dir_all(&self.directory).map_err(|error| {
            Error::io(format!("cannot create {}", self.directory.display()), &error)
        })?;
        let bar = progress.bytes(&format!("preparing {}", kind.name()), kind.expected_bytes());
        let manifest = data_gen::file::ensure(&path, kind, seed, &mut |bytes| bar.advance(bytes))
            .map_err(|error| Error::io(format!("cannot prepare {name}"), &error))?;
        Ok(DataFile { path, manifest })
    }
}

/// A file name without its extension: readable, and different for different parameters.
fn stem(kind: &str, parameters: &Value, seed: u64) -> String {
    let mut stem = plain(kind);
    for (name, value) in parameters.as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let _ = write!(stem, "-{}-{}", plain(name), plain(&value));
    }
    let _ = write!(stem, "-seed-{seed}");
    stem
}

/// Keeps a name to characters that every file system takes and no shell minds. Different texts stay
/// different.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' => plain.push(character),
            '_' => plain.push_str("__"),
            _ => {
                let _ = write!(plain, "_{:x}_", u32::from(character));
            }
        }
    }
    plain
}
