//! Writing a data set to a file together with its manifest.

use crate::hash::HashingWriter;
use crate::manifest::{DataSet, ManifestError, ManifestOf};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes data to `path` and its manifest beside it.
///
/// A regular file appears under its name only when it is complete: until then its name
/// ends in the process's number and `.part`, and it is removed on failure. A device or pipe is written to directly and gets no
/// manifest file. `progress` is called with the bytes of every chunk written.
///
/// # Errors
/// `InvalidInput` for options out of range; else the cause, with the file's name in the message.
///
/// ```no_run
/// use data_gen::{file, xml::{XmarkOptions, XmlKind}};
/// let kind = XmlKind::Xmark(XmarkOptions::new(0.1));
/// let manifest = file::generate("auctions.xml".as_ref(), &kind, 1, &mut |_| {})?;
/// println!("{}", manifest.sha256);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn generate<D: DataSet>(
    path: &Path,
    kind: &D,
    seed: u64,
    progress: &mut dyn FnMut(u64),
) -> io::Result<ManifestOf<D::Facts>> {
    let in_place = fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir());
    if in_place {
        return write(path, path, kind, seed, progress);
    }
    // Other processes may be writing the same file.
    let part = appended(path, &format!(".{}.part", std::process::id()));
    let manifest = write(&part, path, kind, seed, progress).and_then(|manifest| {
        // A stale manifest must never stand beside the new file.
        match fs::remove_file(ManifestOf::<D::Facts>::path_for(path)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(named(&ManifestOf::<D::Facts>::path_for(path), error));
            }
            _ => {}
        }
        fs::rename(&part, path).map_err(|error| named(path, error))?;
        manifest.write(path).map_err(io::Error::other)?;
        Ok(manifest)
    });
    if manifest.is_err() {
        // The first error is the one to report; the part may not even exist.
        let _ = fs::remove_file(&part);
    }
    manifest
}

/// Returns the manifest of `path` when the file is what these options give, and
/// writes it first when it is not.
///
/// # Errors
/// As [`generate`].
pub fn ensure<D: DataSet>(
    path: &Path,
    kind: &D,
    seed: u64,
    progress: &mut dyn FnMut(u64),
) -> io::Result<ManifestOf<D::Facts>> {
    match current(path, kind, seed) {
        Ok(Some(manifest)) => Ok(manifest),
        Ok(None) | Err(_) => generate(path, kind, seed, progress),
    }
}

fn current<D: DataSet>(
    path: &Path,
    kind: &D,
    seed: u64,
) -> Result<Option<ManifestOf<D::Facts>>, ManifestError> {
    let manifest = ManifestOf::read(path)?;
    if !manifest.describes(kind, seed) {
        return Ok(None);
    }
    manifest.verify(path)?;
    Ok(Some(manifest))
}

/// Writes to `target`; errors name `shown`.
fn write<D: DataSet>(
    target: &Path,
    shown: &Path,
    kind: &D,
    seed: u64,
    progress: &mut dyn FnMut(u64),
) -> io::Result<ManifestOf<D::Facts>> {
    let file = File::create(target).map_err(|error| named(shown, error))?;
    let mut out = HashingWriter::new(Watched { file, shown, progress })?;
    let facts = kind.generate(seed, &mut out)?;
    let (_, sha256) = out.finish()?;
    Ok(ManifestOf::new(kind, seed, facts, sha256))
}

/// A file that reports its progress and whose errors name it.
struct Watched<'a> {
    file: File,
    shown: &'a Path,
    progress: &'a mut dyn FnMut(u64),
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.file.write(bytes) {
            Ok(n) => {
                (self.progress)(n as u64);
                Ok(n)
            }
            // `write_all` tries again on its own.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => Err(named(self.shown, error)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(|error| named(self.shown, error))
    }
}

fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display()))
}

fn appended(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    PathBuf::from(path)
}
