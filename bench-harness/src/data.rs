//! The cache of generated input files.
//!
//! A file is named after what it is made from: kind, parameters, seed. It is written under a temporary
//! name, then its manifest, and only then does it get its name; a killed run leaves nothing that
//! looks whole. On every later use the file is hashed again, so the hash in a result is that of the
//! very bytes that were measured.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::progress::{Bar, Progress};

/// The directory that the command line uses unless told otherwise.
pub const DEFAULT_DIRECTORY: &str = ".bench-data";

/// What a file is made from.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The generator, such as `xmark`.
    pub kind: String,
    /// Its parameters, in a fixed order; they become part of the file's name.
    pub parameters: Vec<(String, String)>,
    /// The seed.
    pub seed: u64,
    /// The extension of the file, such as `xml`.
    pub extension: String,
    /// The expected size in bytes for the progress bar; 0 when unknown.
    pub expected_bytes: u64,
}

impl Recipe {
    /// A recipe without parameters.
    pub fn new(kind: &str, seed: u64, extension: &str) -> Self {
        let (kind, extension) = (kind.to_owned(), extension.to_owned());
        Self { kind, parameters: Vec::new(), seed, extension, expected_bytes: 0 }
    }

    /// Adds a parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.parameters.push((name.to_owned(), value.to_string()));
        self
    }

    /// Says how large the file will be, about.
    #[must_use]
    pub fn expecting(mut self, bytes: u64) -> Self {
        self.expected_bytes = bytes;
        self
    }

    /// The name of the file: readable, and different for different recipes.
    pub fn file_name(&self) -> String {
        let mut name = plain(&self.kind);
        for (parameter, value) in &self.parameters {
            let _ = write!(name, "-{}-{}", plain(parameter), plain(value));
        }
        let _ = write!(name, "-seed-{}.{}", self.seed, plain(&self.extension));
        name
    }
}

/// Keeps a name to characters that every file system takes and no shell minds. Different characters
/// stay different.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' => plain.push(character),
            _ => {
                let _ = write!(plain, "_{:x}_", u32::from(character));
            }
        }
    }
    plain
}

/// A file of the cache.
#[derive(Clone, Debug)]
pub struct DataFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256 in lower-case hexadecimal.
    pub sha256: String,
    /// What the generator said about it.
    pub facts: Map<String, Value>,
}

impl DataFile {
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

    /// Returns the file of a recipe, generating it when it is not there or is not what its manifest
    /// says. `generate` writes the bytes and returns what it knows about them; the cache adds kind,
    /// parameters, seed, bytes and SHA-256.
    pub fn get(
        &self,
        recipe: &Recipe,
        progress: &Progress,
        generate: impl FnOnce(&mut dyn Write) -> Result<Map<String, Value>>,
    ) -> Result<DataFile> {
        let path = self.directory.join(recipe.file_name());
        if let Some(file) = existing(&path, progress) {
            return Ok(file);
        }
        fs::create_dir_all(&self.directory).map_err(|error| {
            Error::io(format!("cannot create {}", self.directory.display()), &error)
        })?;
        // The process number keeps two harnesses that share a cache apart.
        let partial = with_suffix(&path, &format!(".{}.partial", std::process::id()));
        let made = write(&partial, recipe, progress, generate).and_then(|mut file| {
            let manifest = Value::Object(manifest(recipe, &file));
            let text = serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n";
            let fail = |error| Error::io(format!("cannot write {}", path.display()), &error);
            let manifest_partial = with_suffix(&partial, ".manifest");
            fs::write(&manifest_partial, text).map_err(fail)?;
            fs::rename(&manifest_partial, manifest_path(&path)).map_err(fail)?;
            fs::rename(&partial, &path).map_err(fail)?;
            file.path = path.clone();
            Ok(file)
        });
        if made.is_err() {
            // Whatever could not be finished is of no use; that it cannot be removed either is
            // not the error to report.
            let _ = fs::remove_file(&partial);
        }
        made.map_err(|error| error.within(recipe.file_name()))
    }
}

/// The file, when its bytes are those its manifest describes.
fn existing(path: &Path, progress: &Progress) -> Option<DataFile> {
    let manifest: Value = serde_json::from_slice(&fs::read(manifest_path(path)).ok()?).ok()?;
    let Value::Object(facts) = manifest else { return None };
    let bytes = facts.get("bytes")?.as_u64()?;
    let sha256 = facts.get("sha256")?.as_str()?.to_owned();
    if fs::metadata(path).ok()?.len() != bytes {
        return None;
    }
    let bar = progress.bytes("checking data", bytes);
    let mut file = File::open(path).ok()?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        let read = file.read(&mut buffer).ok()?;
        if read == 0 {
            break;
        }
        hash.update(&buffer[..read]);
        bar.advance(read as u64);
    }
    (hex(&hash.finalize()) == sha256).then(|| DataFile {
        path: path.to_owned(),
        bytes,
        sha256,
        facts,
    })
}

fn write(
    partial: &Path,
    recipe: &Recipe,
    progress: &Progress,
    generate: impl FnOnce(&mut dyn Write) -> Result<Map<String, Value>>,
) -> Result<DataFile> {
    let fail = |error| Error::io(format!("cannot write {}", partial.display()), &error);
    let file = File::create(partial).map_err(fail)?;
    let bar = progress.bytes(&format!("generating {}", recipe.kind), recipe.expected_bytes);
    let hashing = Hashing { inner: file, hash: Sha256::new(), bytes: 0, bar };
    let mut out = BufWriter::with_capacity(1 << 18, hashing);
    let facts = generate(&mut out)?;
    let Hashing { hash, bytes, inner, .. } =
        out.into_inner().map_err(|error| fail(error.into_error()))?;
    inner.sync_all().map_err(fail)?;
    Ok(DataFile { path: partial.to_owned(), bytes, sha256: hex(&hash.finalize()), facts })
}

fn manifest(recipe: &Recipe, file: &DataFile) -> Map<String, Value> {
    let mut manifest = file.facts.clone();
    let parameters: Map<String, Value> = recipe
        .parameters
        .iter()
        .map(|(name, value)| (name.clone(), value.clone().into()))
        .collect();
    manifest.insert("kind".to_owned(), recipe.kind.clone().into());
    manifest.insert("parameters".to_owned(), parameters.into());
    manifest.insert("seed".to_owned(), recipe.seed.into());
    manifest.insert("bytes".to_owned(), file.bytes.into());
    manifest.insert("sha256".to_owned(), file.sha256.clone().into());
    manifest
}

fn manifest_path(path: &Path) -> PathBuf {
    with_suffix(path, ".manifest.json")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Hashes and counts what passes through.
struct Hashing {
    inner: File,
    hash: Sha256,
    bytes: u64,
    bar: Bar,
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        self.bar.advance(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Bytes in lower-case hexadecimal.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
