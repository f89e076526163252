//! Where sightings come from.

use std::fs::File;
use std::io::{self, Cursor, IsTerminal, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use ujoin::input::Format;

/// How files compressed with gzip begin.
const GZIP: &[u8] = b"\x1f\x8b";
/// Bytes that a thread reads ahead at once, and how often.
const CHUNK: usize = 128 << 10;
const CHUNKS: usize = 4;

/// An open input.
#[derive(Debug)]
pub(crate) struct Source {
    from: From,
    /// What messages call it.
    pub(crate) name: String,
    /// Its size, when it is a file.
    pub(crate) size: Option<u64>,
    format: Option<Format>,
    is_live: bool,
}

#[derive(Debug)]
enum From {
    File(File),
    /// What a thread reads, so that one can do something else while nothing comes.
    Pipe(Pipe),
}

#[derive(Debug)]
struct Pipe {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    used: usize,
    ended: bool,
    /// What the next read fails with.
    error: Option<io::Error>,
}

impl Source {
    /// Opens a file, or the standard input. What is compressed with gzip is decompressed.
    pub(crate) fn open(path: Option<&Path>) -> io::Result<Source> {
        let pipe = |name, input: Box<dyn Read + Send>| Source {
            from: From::Pipe(Pipe::new(input)),
            name,
            size: None,
            format: None,
            is_live: true,
        };
        let Some(path) = path else {
            return Ok(pipe("standard input".to_owned(), Box::new(io::stdin())));
        };
        let name = path.display().to_string();
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !metadata.is_file() {
            return Ok(pipe(name, Box::new(file)));
        }
        let head = head(&mut file)?;
        file.rewind()?;
        let format = format_of(path);
        if head.starts_with(GZIP) {
            // A thread of its own decompresses it.
            return Ok(Source { format, is_live: false, ..pipe(name, Box::new(file)) });
        }
        let size = Some(metadata.len());
        Ok(Source { from: From::File(file), name, size, format, is_live: false })
    }

    /// The format that the name of the file tells.
    pub(crate) fn format(&self) -> Option<Format> {
        self.format
    }

    /// Whether somebody may be waiting for output while the input is still being written.
    pub(crate) fn is_live(&self) -> bool {
        self.is_live || io::stdout().is_terminal()
    }

    /// Waits until there is something to read, or the end; false if there is nothing yet.
    pub(crate) fn wait(&mut self, time: Duration) -> bool {
        match &mut self.from {
            From::File(_) => true,
            From::Pipe(pipe) => pipe.wait(time),
        }
    }

    /// Goes to a place of a file; false if that cannot be done.
    pub(crate) fn seek(&mut self, bytes: u64) -> io::Result<bool> {
        match &mut self.from {
            From::File(file) => file.seek(SeekFrom::Start(bytes)).map(|_| true),
            From::Pipe(_) => Ok(false),
        }
    }
}

impl Pipe {
    fn new(input: Box<dyn Read + Send>) -> Pipe {
        let (sender, chunks) = sync_channel(CHUNKS);
        // It ends with the input, or with us; until then it may hang in a read for ever.
        std::thread::spawn(move || {
            let mut input = match unpacked(input) {
                Ok(input) => input,
                Err(e) => return drop(sender.send(Err(e))),
            };
            loop {
                let mut chunk = vec![0; CHUNK];
                let read = match input.read(&mut chunk) {
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                    Err(e) => Err(e),
                    Ok(n) => {
                        chunk.truncate(n);
                        Ok(chunk)
                    }
                };
                let is_last = !matches!(&read, Ok(chunk) if !chunk.is_empty());
                if sender.send(read).is_err() || is_last {
                    break;
                }
            }
        });
        Pipe { chunks, chunk: vec![], used: 0, ended: false, error: None }
    }

    fn wait(&mut self, time: Duration) -> bool {
        if self.used < self.chunk.len() || self.ended {
            return true;
        }
        match self.chunks.recv_timeout(time) {
            Ok(Ok(chunk)) => self.take(chunk),
            Ok(Err(e)) => {
                self.ended = true;
                self.error = Some(e);
            }
            Err(RecvTimeoutError::Disconnected) => self.ended = true,
            Err(RecvTimeoutError::Timeout) => return false,
        }
        true
    }

    fn take(&mut self, chunk: Vec<u8>) {
        self.ended = chunk.is_empty();
        (self.chunk, self.used) = (chunk, 0);
    }
}

/// The input, decompressed if it is compressed.
fn unpacked(mut input: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    let head = head(&mut input)?;
    let packed = head.starts_with(GZIP);
    let whole = Cursor::new(head).chain(input);
    Ok(if packed { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) })
}

/// The first bytes, as many as tell whether the input is compressed.
fn head(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(GZIP.len());
    input.take(GZIP.len() as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// The format that the name of a file tells.
fn format_of(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match Path::new(name).extension()?.to_str()? {
        "csv" => Some(Format::Csv),
        "jsonl" | "ndjson" | "json" => Some(Format::JsonLines),
        _ => None,
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let pipe = match &mut self.from {
            From::File(file) => return file.read(buffer),
            From::Pipe(pipe) => pipe,
        };
        // Years, since a wait that does not end has no other form here.
        while !pipe.wait(Duration::from_secs(u64::from(u32::MAX))) {}
        if let Some(error) = pipe.error.take() {
            return Err(error);
        }
        let n = (&pipe.chunk[pipe.used..]).read(buffer)?;
        pipe.used += n;
        Ok(n)
    }
}
