//! Opening the input.

use std::fs::File;
use std::io::{self, Cursor, IsTerminal, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::Format;

/// How files compressed with gzip begin.
const GZIP: &[u8] = b"\x1f\x8b";

/// An open input.
pub(crate) struct Input {
    source: Box<dyn Read>,
    /// What messages call it.
    pub(crate) name: String,
    /// Its size, when it is a file that is read as it is.
    pub(crate) size: Option<u64>,
    is_file: bool,
    /// Bytes read so far.
    pub(crate) bytes: u64,
}

impl Input {
    /// Opens a file, or the standard input. What is compressed with gzip is decompressed.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, String> {
        let (name, mut source, size) = match path {
            None => {
                let stdin: Box<dyn Read> = Box::new(io::stdin());
                ("standard input".to_owned(), stdin, None)
            }
            Some(path) => {
                let name = path.display().to_string();
                let failed = |e: &io::Error| format!("cannot open {name}: {}", plain(e));
                let file = File::open(path).map_err(|e| failed(&e))?;
                let metadata = file.metadata().map_err(|e| failed(&e))?;
                let size = metadata.is_file().then_some(metadata.len());
                let source: Box<dyn Read> = Box::new(file);
                (name, source, size)
            }
        };
        let head = head(&mut *source).map_err(|e| format!("cannot read {name}: {}", plain(&e)))?;
        let packed = head.starts_with(GZIP);
        let whole = Cursor::new(head).chain(source);
        Ok(Input {
            source: if packed { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) },
            name,
            size: size.filter(|_| !packed),
            is_file: size.is_some(),
            bytes: 0,
        })
    }

    /// The format that the name of the file tells.
    pub(crate) fn format(&self) -> Option<Format> {
        if !self.is_file {
            return None;
        }
        let name = self.name.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match Path::new(name).extension()?.to_str()? {
            "csv" => Some(Format::Csv),
            "jsonl" | "ndjson" | "json" => Some(Format::JsonLines),
            _ => None,
        }
    }

    /// Whether somebody may be waiting for output while the input is still being written.
    pub(crate) fn is_live(&self) -> bool {
        !self.is_file || io::stdout().is_terminal()
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(buffer)?;
        self.bytes += n as u64;
        Ok(n)
    }
}

/// The first bytes, as many as tell whether the input is compressed.
fn head(source: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut head = vec![0; GZIP.len()];
    let mut length = 0;
    while length < head.len() {
        match source.read(&mut head[length..]) {
            Ok(0) => break,
            Ok(n) => length += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    head.truncate(length);
    Ok(head)
}

/// The message of the operating system without its number.
pub(crate) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}
