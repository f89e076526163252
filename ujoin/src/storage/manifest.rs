//! The list of segments that count.
//!
//! A text file, one record a line, each with the crc32 of what stands before it:
//!
//! ```text
//! ujoin-manifest 1 <config> <crc>
//! add <segment> <crc>
//! drop <segment> <crc>
//! ```
//!
//! A line is appended and synced. What remains of a crash in the middle of that is a line without its
//! checksum; it and all after it count for nothing. (The first line is never torn, since a new file is
//! synced before it gets its name.) After an append that failed nobody knows what
//! stands in the file, so the next change writes the whole list into a new one.

use std::collections::BTreeSet;
use std::io::Write;

use super::{
    ReadFile, SegmentId, Storage, StorageError, StorageErrorKind, WriteFile, read_exact_at,
};

pub(super) const NAME: &str = "MANIFEST";
const TEMPORARY: &str = "MANIFEST.tmp";
const TITLE: &str = "ujoin-manifest";
const VERSION: u32 = 1;
/// Lines that say nothing any more, beyond which the list is written anew.
const IDLE_LINES: usize = 4096;

/// The manifest of an open directory.
pub(super) struct Manifest {
    config: u64,
    listed: BTreeSet<SegmentId>,
    /// Lines in the file.
    lines: usize,
    /// The file at its end; `None` if it must be written anew first.
    file: Option<Box<dyn WriteFile>>,
}

fn line(text: &str) -> String {
    format!("{text} {:08x}\n", crc32fast::hash(text.as_bytes()))
}

/// The text of a line whose checksum is right.
fn checked(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line).ok()?;
    let (text, crc) = line.rsplit_once(' ')?;
    let sound =
        crc.len() == 8 && u32::from_str_radix(crc, 16).ok()? == crc32fast::hash(text.as_bytes());
    sound.then_some(text)
}

impl Manifest {
    /// Reads what counts; an empty list if there is no manifest.
    pub(super) fn read(storage: &dyn Storage, config: u64) -> Result<Manifest, StorageError> {
        let mut manifest = Manifest { config, listed: BTreeSet::new(), lines: 0, file: None };
        let file = match storage.open(NAME) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(manifest),
            Err(e) => return Err(StorageError::io(NAME, "open", e)),
        };
        for_each_line(&*file, |line| {
            let Some(text) = checked(line) else { return Ok(false) };
            manifest.replay(text)?;
            Ok(true)
        })?;
        if manifest.lines == 0 {
            // It was synced before it got its name, so no crash has done this.
            return Err(StorageError::corrupt(NAME, "the first line does not fit its checksum"));
        }
        Ok(manifest)
    }

    fn replay(&mut self, text: &str) -> Result<(), StorageError> {
        let corrupt = || {
            let reason = format!("line {}: `{text}` cannot stand here", self.lines + 1);
            StorageError::corrupt(NAME, reason)
        };
        let mut words = text.split(' ');
        match (self.lines, words.next(), words.next(), words.next()) {
            (0, Some(TITLE), Some(version), config) => {
                if version.parse() != Ok(VERSION) {
                    let reason = format!("format {version}; this version reads format {VERSION}");
                    return Err(StorageError::new(StorageErrorKind::Version, NAME, reason));
                }
                let config = config.and_then(|c| u64::from_str_radix(c, 16).ok());
                if config.ok_or_else(corrupt)? != self.config {
                    let reason = "the directory holds segments of a run with other settings";
                    return Err(StorageError::new(StorageErrorKind::Config, NAME, reason));
                }
            }
            (1.., Some(verb), Some(id), None) => {
                let id = SegmentId(u64::from_str_radix(id, 16).map_err(|_| corrupt())?);
                let fits = match verb {
                    "add" => self.listed.insert(id),
                    "drop" => self.listed.remove(&id),
                    _ => false,
                };
                if !fits {
                    return Err(corrupt());
                }
            }
            _ => return Err(corrupt()),
        }
        self.lines += 1;
        Ok(())
    }

    pub(super) fn listed(&self) -> &BTreeSet<SegmentId> {
        &self.listed
    }

    /// Changes the list, durably when this returns `Ok`. After an error the list is as it was here,
    /// but on disk it may be either.
    pub(super) fn change(
        &mut self,
        storage: &dyn Storage,
        add: &[SegmentId],
        drop: &[SegmentId],
    ) -> Result<(), StorageError> {
        let mut listed = self.listed.clone();
        listed.extend(add);
        for id in drop {
            listed.remove(id);
        }
        if storage.is_temporary() {
            self.listed = listed;
            return Ok(());
        }
        let changes = add.len() + drop.len();
        let idle = (self.lines + changes).saturating_sub(listed.len());
        match self.file.take() {
            Some(file) if idle <= IDLE_LINES.max(listed.len()) => {
                let mut text = String::new();
                for id in add {
                    text += &line(&format!("add {:x}", id.0));
                }
                for id in drop {
                    text += &line(&format!("drop {:x}", id.0));
                }
                self.file = Some(append(file, &text)?);
                self.lines += changes;
            }
            _ => {
                self.file = Some(self.rewrite(storage, &listed)?);
                self.lines = listed.len() + 1;
            }
        }
        self.listed = listed;
        Ok(())
    }

    /// Writes the list into a new file and puts that in place of the old one.
    fn rewrite(
        &self,
        storage: &dyn Storage,
        listed: &BTreeSet<SegmentId>,
    ) -> Result<Box<dyn WriteFile>, StorageError> {
        let mut text = line(&format!("{TITLE} {VERSION} {:x}", self.config));
        for id in listed {
            text += &line(&format!("add {:x}", id.0));
        }
        let file = storage
            .create(TEMPORARY)
            .map_err(|e| StorageError::io(TEMPORARY, "create the file", e))?;
        let file = append(file, &text)?;
        storage.rename(TEMPORARY, NAME).map_err(|e| StorageError::io(NAME, "rename to", e))?;
        storage.sync_dir().map_err(|e| StorageError::io(NAME, "sync the directory of", e))?;
        Ok(file)
    }

    /// Whether what is on disk, if anything, holds exactly this list for certain.
    pub(super) fn is_settled(&self, storage: &dyn Storage) -> bool {
        self.file.is_some() || storage.is_temporary()
    }
}

fn append(mut file: Box<dyn WriteFile>, text: &str) -> Result<Box<dyn WriteFile>, StorageError> {
    file.write_all(text.as_bytes()).map_err(|e| StorageError::io(NAME, "write", e))?;
    file.flush().map_err(|e| StorageError::io(NAME, "write", e))?;
    file.sync().map_err(|e| StorageError::io(NAME, "sync", e))?;
    Ok(file)
}

/// Calls `f` with each line that has an end, while it returns `true`; a small buffer.
fn for_each_line(
    file: &dyn ReadFile,
    mut f: impl FnMut(&[u8]) -> Result<bool, StorageError>,
) -> Result<(), StorageError> {
    const CHUNK: usize = 64 * 1024;
    let fail = |e| StorageError::io(NAME, "read", e);
    let size = file.size().map_err(fail)?;
    let mut pending = Vec::new();
    let mut offset = 0;
    while offset < size {
        let n = CHUNK.min((size - offset) as usize);
        let start = pending.len();
        pending.resize(start + n, 0);
        read_exact_at(file, offset, &mut pending[start..]).map_err(fail)?;
        offset += n as u64;
        let mut done = 0;
        while let Some(end) = pending[done..].iter().position(|&b| b == b'\n') {
            if !f(&pending[done..done + end])? {
                return Ok(());
            }
            done += end + 1;
        }
        pending.drain(..done);
        // No line of ours is so long: this is the torn end.
        if pending.len() > CHUNK {
            return Ok(());
        }
    }
    Ok(())
}
