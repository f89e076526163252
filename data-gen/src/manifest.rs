//! What a file of data was made from, and how to check that it is still that file.

use crate::hash;
use crate::{patterns, stream, xml};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Data that can be generated: a kind and its options.
pub trait DataSet {
    /// What is counted while the data is written.
    type Facts: Facts;

    /// The kind's name, as the command line and manifests spell it.
    fn name(&self) -> &'static str;

    /// The options as a JSON object, as manifests keep them.
    fn parameters(&self) -> serde_json::Value;

    /// About how many bytes there will be; good enough for a progress bar.
    fn expected_bytes(&self) -> u64;

    /// Writes the data. Equal options and seeds give equal bytes.
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range; else what `out` reports.
    fn generate(&self, seed: u64, out: &mut dyn Write) -> io::Result<Self::Facts>;
}

/// What a manifest says about a file besides how to make it.
pub trait Facts: Serialize + DeserializeOwned {
    /// The file's length.
    fn bytes(&self) -> u64;

    /// The other figures, for people.
    fn summary(&self) -> String;
}

/// The record that stands beside a generated file, as `FILE.manifest.json`.
///
/// The file can be made again from `kind`, `parameters` and `seed` with the same version of the
/// generator. [`Manifest`], [`StreamManifest`], [`TravelManifest`] and [`PatternManifest`] are those that there are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ManifestOf<F> {
    /// Name and version of the generator.
    pub generator: String,
    /// The kind of data, such as `xmark`.
    pub kind: String,
    /// The options of that kind.
    pub parameters: serde_json::Value,
    /// The seed.
    pub seed: u64,
    /// The file's length, and what else was counted.
    #[serde(flatten)]
    pub facts: F,
    /// The SHA-256 of the file in hexadecimal.
    pub sha256: String,
}

/// The manifest of an XML document.
pub type Manifest = ManifestOf<xml::Facts>;

/// The manifest of a file of events.
pub type StreamManifest = ManifestOf<stream::Counts>;

/// The manifest of a file of travel times.
pub type TravelManifest = ManifestOf<stream::TravelCounts>;

/// The manifest of a file of patterns.
pub type PatternManifest = ManifestOf<patterns::PatternCounts>;

/// Why a manifest could not be read, or why a file is not the one it describes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The manifest is not JSON of the expected form.
    #[error("{}: not a manifest: {source}", path.display())]
    Format {
        /// The manifest's file.
        path: PathBuf,
        /// The cause.
        source: serde_json::Error,
    },
    /// The file's length differs.
    #[error("{}: {found} bytes, but its manifest says {expected}", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// The manifest's figure.
        expected: u64,
        /// The file's.
        found: u64,
    },
    /// The file's hash differs.
    #[error("{}: SHA-256 {found}, but its manifest says {expected}", path.display())]
    Hash {
        /// The file.
        path: PathBuf,
        /// The manifest's figure.
        expected: String,
        /// The file's.
        found: String,
    },
}

impl<F: Facts> ManifestOf<F> {
    /// A manifest of a file that was just written.
    #[must_use]
    pub fn new(kind: &impl DataSet<Facts = F>, seed: u64, facts: F, sha256: String) -> Self {
        Self {
            generator: Self::generator().to_owned(),
            kind: kind.name().to_owned(),
            parameters: kind.parameters(),
            seed,
            facts,
            sha256,
        }
    }

    /// Name and version of this generator.
    #[must_use]
    pub fn generator() -> &'static str {
        concat!("data-gen ", env!("CARGO_PKG_VERSION"))
    }

    /// Where the manifest of a file stands: its path with `.manifest.json` appended.
    #[must_use]
    pub fn path_for(data: &Path) -> PathBuf {
        let mut path = data.as_os_str().to_owned();
        path.push(".manifest.json");
        PathBuf::from(path)
    }

    /// Whether this version of the generator would write the described bytes for these options.
    #[must_use]
    pub fn describes(&self, kind: &impl DataSet<Facts = F>, seed: u64) -> bool {
        self.generator == Self::generator()
            && self.kind == kind.name()
            && self.seed == seed
            && self.parameters == kind.parameters()
    }

    /// Reads the manifest of the file `data`.
    ///
    /// # Errors
    /// When there is none, or when it is malformed.
    pub fn read(data: &Path) -> Result<Self, ManifestError> {
        let path = Self::path_for(data);
        let text =
            fs::read(&path).map_err(|source| ManifestError::Io { path: path.clone(), source })?;
        serde_json::from_slice(&text).map_err(|source| ManifestError::Format { path, source })
    }

    /// Writes the manifest beside the file `data`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, data: &Path) -> Result<(), ManifestError> {
        let path = Self::path_for(data);
        let mut text = serde_json::to_string_pretty(self).expect("a manifest is plain data");
        text.push('\n');
        fs::write(&path, text).map_err(|source| ManifestError::Io { path, source })
    }

    /// Checks length and hash of the file `data`.
    ///
    /// # Errors
    /// When the file cannot be read, or is not the described one.
    pub fn verify(&self, data: &Path) -> Result<(), ManifestError> {
        let path = || data.to_path_buf();
        let io = |source| ManifestError::Io { path: path(), source };
        let file = File::open(data).map_err(io)?;
        let found = file.metadata().map_err(io)?.len();
        let length =
            |found| ManifestError::Length { path: path(), expected: self.facts.bytes(), found };
        if found != self.facts.bytes() {
            return Err(length(found));
        }
        let (bytes, sha256) = hash::measure(file).map_err(io)?;
        if bytes != self.facts.bytes() {
            return Err(length(bytes));
        }
        if sha256 != self.sha256 {
            return Err(ManifestError::Hash {
                path: path(),
                expected: self.sha256.clone(),
                found: sha256,
            });
        }
        Ok(())
    }
}
