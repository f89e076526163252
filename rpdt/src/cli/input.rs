//! Where the document comes from.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek};
use std::path::Path;

/// An open document.
#[derive(Debug)]
pub(super) struct Input {
    source: Source,
    /// What messages call it.
    pub(super) name: String,
    /// Its size, when it is a file.
    pub(super) size: Option<u64>,
    /// The first bytes.
    head: Vec<u8>,
}

/// How many of the first bytes are kept.
const HEAD: usize = 256;

/// How compressed files begin, and what to do with them.
const COMPRESSED: [(&[u8], &str); 4] = [
    (b"\x1f\x8b", "the document is compressed with gzip: `zcat FILE | rpdt ...`"),
    (b"\xfd7zXZ\0", "the document is compressed with xz: `xzcat FILE | rpdt ...`"),
    (b"BZh", "the document is compressed with bzip2: `bzcat FILE | rpdt ...`"),
    (b"\x28\xb5\x2f\xfd", "the document is compressed with zstd: `zstdcat FILE | rpdt ...`"),
];

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
                head: Vec::new(),
            });
        };
        let name = path.display().to_string();
        let file = File::open(path).map_err(|e| format!("cannot open {name}: {}", plain(&e)))?;
        let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file);
        let size = metadata.map(|m| m.len());
        Ok(Input { source: Source::File(file), name, size, head: Vec::new() })
    }

    /// The file, if it is a regular one, of which nothing was read yet.
    pub(super) fn file(&self) -> Option<&File> {
        match &self.source {
            Source::File(file) if self.size.is_some() => Some(file),
            _ => None,
        }
    }

    /// Looks at the first bytes of a file that somebody else reads, for [`advice`](Self::advice).
    pub(super) fn look(&mut self) {
        let mut buffer = [0; HEAD];
        if let Source::File(file) = &mut self.source
            && file.rewind().is_ok()
        {
            // Without them there is no advice, that is all.
            let _ = self.read(&mut buffer);
        }
    }

    /// Goes back to the first byte; only files can.
    pub(super) fn rewind(&mut self) -> io::Result<()> {
        match &mut self.source {
            Source::File(file) => file.rewind(),
            Source::Standard(_) => Err(io::ErrorKind::NotSeekable.into()),
        }
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
                Ok(n) => {
                    let missing = HEAD - self.head.len();
                    self.head.extend_from_slice(&buffer[..n.min(missing)]);
                    return Ok(n);
                }
                error => return error,
            }
        }
    }

    /// The encoding that the first bytes show or declare.
    pub(super) fn encoding(&self) -> String {
        match *self.head {
            [0xFE, 0xFF, ..] | [0, b'<', 0, ..] => return "UTF-16BE".to_owned(),
            [0xFF, 0xFE, ..] | [b'<', 0, _, 0, ..] => return "UTF-16LE".to_owned(),
            _ => {}
        }
        let head = String::from_utf8_lossy(&self.head);
        let declared = head.strip_prefix("<?xml").and_then(|rest| {
            let (_, rest) = rest.split_once("?>").map_or(rest, |d| d.0).split_once("encoding")?;
            let value = rest.trim_start().strip_prefix('=')?.trim_start();
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            value[1..].split_once(quote).map(|(name, _)| name.to_owned())
        });
        declared.unwrap_or_else(|| "UTF-8".to_owned())
    }

    /// What to do when the document proves to be none, judged by its first bytes.
    pub(super) fn advice(&self) -> Option<&'static str> {
        if let Some((_, advice)) = COMPRESSED.iter().find(|(start, _)| self.head.starts_with(start))
        {
            return Some(advice);
        }
        // Zero bytes and byte order marks are for the decoder to judge.
        let text = self.head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.head);
        let first = text.iter().find(|byte| !byte.is_ascii_whitespace())?;
        let decided = *first == b'<' || matches!(*first, 0 | 0xfe | 0xff);
        (!decided).then_some("this does not look like XML: a document begins with `<`")
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
