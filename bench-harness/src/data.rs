//! The cache of generated input files, and what stands in their place.
//!
//! A file is named after what it is made from: kind, parameters, seed. `data-gen` writes it under a
//! temporary name first, so a killed run leaves nothing that looks whole, and checks an existing file
//! against its manifest, so the hash in a result is that of the very bytes that were measured.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use data_gen::Manifest;
use data_gen::xml::XmlKind;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::own::Own;
use crate::progress::Progress;
use crate::record::OwnFile;

/// The directory that the command line uses unless told otherwise.
pub const DEFAULT_DIRECTORY: &str = ".bench-data";

/// A document: a file of the cache, or one of the user's own.
#[derive(Clone, Debug)]
pub struct DataFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its SHA-256.
    pub sha256: String,
    /// The number of its elements.
    pub elements: u64,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a document comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// What it was made from, and its counts.
    Generated(Manifest),
    /// The user gave it.
    Own(OwnFile),
}

impl DataFile {
    /// Its length.
    pub fn bytes(&self) -> u64 {
        match &self.origin {
            Origin::Generated(manifest) => manifest.facts.bytes,
            Origin::Own(file) => file.bytes,
        }
    }

    /// The whole content.
    pub fn read(&self) -> Result<Vec<u8>> {
        fs::read(&self.path)
            .map_err(|error| Error::io(format!("cannot read {}", self.path.display()), &error))
    }
}

/// A directory of generated files, and the files that take the place of some.
#[derive(Clone, Debug)]
pub struct Cache {
    directory: PathBuf,
    own: Own,
    known: Arc<Mutex<HashMap<PathBuf, Arc<Mutex<Known>>>>>,
}

/// What is known of a file that was checked or written in this call, and the length and time by which
/// a later change shows.
type Known = Option<(Manifest, u64, SystemTime)>;

impl Cache {
    /// A cache in this directory, which is created with the first file.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), own: Own::default(), known: Arc::default() }
    }

    /// The same with files of the user's own.
    #[must_use]
    pub fn with_own(self, own: Own) -> Self {
        Self { own, ..self }
    }

    /// The files of the user's own.
    pub fn own(&self) -> &Own {
        &self.own
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns an XML document, generating it when it is not there or is not what its manifest says.
    /// A file is read for that once a call, unless it changes; one that another thread writes is waited
    /// for.
    pub fn xml(&self, kind: &XmlKind, seed: u64, progress: &Progress) -> Result<DataFile> {
        let name = format!("{}.xml", stem(kind.name(), &kind.parameters(), seed));
        let path = self.directory.join(&name);
        fs::create_dir_all(&self.directory).map_err(|error| {
            Error::io(format!("cannot create {}", self.directory.display()), &error)
        })?;
        let place = {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry(path.clone()).or_default())
        };
        let mut known = place.lock().unwrap_or_else(PoisonError::into_inner);
        let looks = |metadata: Metadata| Ok((metadata.len(), metadata.modified()?));
        let fail = |error| Error::io(format!("cannot prepare {name}"), &error);
        let now = fs::metadata(&path).and_then(looks).ok();
        let manifest = match &*known {
            Some((manifest, length, time)) if now == Some((*length, *time)) => manifest.clone(),
            _ => {
                let label = format!("preparing {}", kind.name());
                let bar = progress.bytes(&label, kind.expected_bytes());
                let manifest =
                    data_gen::file::ensure(&path, kind, seed, &mut |bytes| bar.advance(bytes))
                        .map_err(fail)?;
                let (length, time) = fs::metadata(&path).and_then(looks).map_err(fail)?;
                *known = Some((manifest.clone(), length, time));
                manifest
            }
        };
        let (sha256, elements) = (manifest.sha256.clone(), manifest.facts.elements);
        Ok(DataFile { path, sha256, elements, origin: Origin::Generated(manifest) })
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
