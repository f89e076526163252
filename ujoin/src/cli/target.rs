//! A file or the standard output, and how much of the output it has.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use ujoin::storage::{Files, Storage as _};

/// Bytes that are gathered before they are written.
const BUFFER: usize = 64 << 10;

/// Output that was written, by this run and those that it goes on with.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Delivered {
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
}

/// What is written to, with what was not written yet.
pub(super) struct Target {
    out: Out,
    /// The file, if it is not the standard output.
    pub(super) path: Option<PathBuf>,
    pub(super) buffer: Vec<u8>,
    pub(super) error: Option<io::Error>,
    delivered: Delivered,
    /// Whether the name of a new file may not outlive a failure of the machine yet.
    is_new: bool,
}

enum Out {
    Standard(io::Stdout),
    File(File),
}

impl Target {
    /// A new file, or one that is gone on with behind what was delivered.
    pub(super) fn new(
        path: Option<&Path>,
        before: Option<Delivered>,
    ) -> Result<Self, (PathBuf, io::Error)> {
        let out = match (path, before) {
            (None, _) => Ok(Out::Standard(io::stdout())),
            (Some(path), None) => File::create(path).map(Out::File),
            (Some(path), Some(before)) => reopen(path, before).map(Out::File),
        };
        let is_new = path.is_some() && before.is_none_or(|before| before.bytes == 0);
        let path = path.map(Path::to_owned);
        match out {
            Ok(out) => Ok(Target {
                out,
                path,
                buffer: Vec::new(),
                error: None,
                delivered: before.unwrap_or_default(),
                is_new,
            }),
            Err(e) => Err((path.unwrap_or_default(), e)),
        }
    }

    /// Whether what was written can be taken back.
    pub(crate) fn is_file(&self) -> bool {
        match &self.out {
            Out::Standard(_) => false,
            Out::File(file) => is_regular(file),
        }
    }

    pub(super) fn delivered(&self) -> Delivered {
        self.delivered
    }

    pub(super) fn flush(&mut self) {
        if !self.buffer.is_empty() && self.error.is_none() {
            let out: &mut dyn Write = match &mut self.out {
                Out::Standard(out) => out,
                Out::File(file) => file,
            };
            let written = out.write_all(&self.buffer).and_then(|()| out.flush());
            self.error = written.err();
            self.delivered.bytes += self.buffer.len() as u64;
            self.delivered.lines += memchr::memchr_iter(b'\n', &self.buffer).count() as u64;
        }
        self.buffer.clear();
    }

    pub(super) fn flush_if_large(&mut self) {
        if self.buffer.len() >= BUFFER {
            self.flush();
        }
    }

    /// Makes what was written survive a failure of the machine.
    pub(super) fn sync(&mut self) {
        self.flush();
        if let Out::File(file) = &self.out
            && self.error.is_none()
            && is_regular(file)
        {
            self.error = file.sync_data().and_then(|()| self.sync_name()).err();
        }
    }

    /// Makes the name of a new file survive, once.
    fn sync_name(&mut self) -> io::Result<()> {
        if let Some(path) = self.path.as_deref().filter(|_| self.is_new) {
            // A link is followed: the file lies where it leads.
            let path = path.canonicalize()?;
            match Files::at(path.parent().unwrap_or(Path::new("/"))).sync_dir() {
                // One may write to a file in a directory that one may not read.
                Err(e) if e.kind() != io::ErrorKind::PermissionDenied => return Err(e),
                _ => self.is_new = false,
            }
        }
        Ok(())
    }
}

fn is_regular(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.is_file())
}

/// A file, shortened to what was delivered.
fn reopen(path: &Path, before: Delivered) -> io::Result<File> {
    let mut options = OpenOptions::new();
    // What has to be there is not made up.
    let mut file = options.write(true).create(before.bytes == 0).truncate(false).open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() {
        let (length, bytes) = (metadata.len(), before.bytes);
        if length < bytes {
            let message = format!("it has {length} bytes, the checkpoint was taken after {bytes}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        file.set_len(bytes)?;
        file.seek(SeekFrom::End(0))?;
    }
    Ok(file)
}
