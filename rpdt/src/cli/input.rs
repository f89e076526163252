//! Where the document comes from.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

/// An open document.
#[derive(Debug)]
pub(super) struct Input {
    source: Source,
    /// What messages call it.
    pub(super) name: String,
    /// Its size, when it is a file.
    pub(super) size: Option<u64>,
}

#[derive(Debug)]
enum Source {
    File(File),
    Standard(io::Stdin),
}

impl Input {
    /// Opens a file, or the standard input.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, String> {
        let Some(path) = path else {
            return Ok(Input {
                source: Source::Standard(io::stdin()),
                name: "standard input".to_owned(),
                size: None,
            });
        };
        let name = path.display().to_string();
        let file = File::open(path).map_err(|e| format!("cannot open {name}: {}", plain(&e)))?;
        let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file);
        let size = metadata.map(|m| m.len());
        Ok(Input { source: Source::File(file), name, size })
    }

    /// Whether somebody may be waiting for answers while the document is still being written.
    pub(super) fn is_live(&self) -> bool {
        self.size.is_none() || io::stdout().is_terminal()
    }

    /// The next bytes; 0 at the end.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = match &mut self.source {
                Source::File(file) => file.read(buffer),
                Source::Standard(stdin) => stdin.read(buffer),
            };
            match read {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

/// The message of the operating system without its number.
pub(super) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}
