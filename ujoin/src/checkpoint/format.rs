//! The format of a checkpoint's file.
//!
//! ```text
//! magic, version
//! frame*  tag (1), length (4), bytes, crc32 over the frame's number and all of these
//! ```
//!
//! Frames come in the order of their tags; the last is `END` and ends the file. Each is short enough
//! to be read into memory whatever the file says.

use std::io;

use super::{Checkpoint, InputPosition, SegmentState, Settings, SinkPosition};
use crate::Tuple;
use crate::storage::codec::{Cursor, RECORD_BYTES, decode, encode, u32_at};
use crate::storage::{
    PayloadFile, ReadFile, SegmentId, Storage, StorageError, StorageErrorKind, WriteFile,
    read_exact_at,
};

const MAGIC: &[u8; 8] = b"ujoinCKP";
const VERSION: u32 = 1;
const FRAME_HEADER: usize = 5;
/// The longest frame that is written.
const FRAME_BYTES: usize = 60 * 1024;
/// The longest that is read: room for a setting or a name that is longer than anyone has.
const MAX_FRAME: usize = 1 << 20;

const SETTING: u8 = 1;
const POSITION: u8 = 2;
const INPUTS: u8 = 3;
const SEGMENTS: u8 = 4;
const PAYLOAD: u8 = 5;
const SECTION: u8 = 6;
const LIVE: u8 = 7;
const END: u8 = 8;

struct Writer<'a> {
    file: Box<dyn WriteFile>,
    name: &'a str,
    frames: u64,
}

impl Writer<'_> {
    fn frame(&mut self, tag: u8, bytes: &[u8]) -> Result<(), StorageError> {
        let mut frame = Vec::with_capacity(FRAME_HEADER + bytes.len() + 4);
        frame.push(tag);
        frame.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        frame.extend_from_slice(bytes);
        let crc = crc(self.frames, &frame);
        frame.extend_from_slice(&crc.to_le_bytes());
        self.frames += 1;
        self.file.write_all(&frame).map_err(|e| StorageError::io(self.name, "write", e))
    }

    /// Records of a fixed size, as many to a frame as there is room for.
    fn records<T>(
        &mut self,
        tag: u8,
        records: impl IntoIterator<Item = T>,
        mut put: impl FnMut(T, &mut Vec<u8>),
    ) -> Result<(), StorageError> {
        let mut bytes = Vec::new();
        for record in records {
            put(record, &mut bytes);
            if bytes.len() >= FRAME_BYTES {
                self.frame(tag, &bytes)?;
                bytes.clear();
            }
        }
        if bytes.is_empty() { Ok(()) } else { self.frame(tag, &bytes) }
    }
}

fn crc(number: u64, frame: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&number.to_le_bytes());
    crc.update(frame);
    crc.finalize()
}

fn put_text(text: &str, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

/// Writes and syncs a file.
pub(super) fn write(
    checkpoint: &Checkpoint,
    storage: &dyn Storage,
    name: &str,
    settings: &Settings,
    live: &mut dyn Iterator<Item = Tuple>,
) -> Result<(), StorageError> {
    let file = storage.create(name).map_err(|e| StorageError::io(name, "create the file", e))?;
    let mut w = Writer { file, name, frames: 0 };
    let mut start = MAGIC.to_vec();
    start.extend_from_slice(&VERSION.to_le_bytes());
    w.file.write_all(&start).map_err(|e| StorageError::io(name, "write", e))?;
    for (n, v) in settings.iter() {
        let mut bytes = Vec::new();
        put_text(n, &mut bytes);
        put_text(v, &mut bytes);
        w.frame(SETTING, &bytes)?;
    }
    let mut bytes = Vec::new();
    let c = checkpoint;
    let watermark = c.watermark.unwrap_or_default() as u64;
    let sink = [c.sink.bytes, c.sink.results];
    for n in [c.next_seq, u64::from(c.watermark.is_some()), watermark].into_iter().chain(sink) {
        bytes.extend_from_slice(&n.to_le_bytes());
    }
    w.frame(POSITION, &bytes)?;
    let put = |numbers: &[u64], bytes: &mut Vec<u8>| {
        numbers.iter().for_each(|n| bytes.extend_from_slice(&n.to_le_bytes()));
    };
    w.records(INPUTS, &c.inputs, |i, b| put(&[i.offset, i.rows], b))?;
    w.records(SEGMENTS, &c.segments, |s, b| put(&[s.id.0, s.out], b))?;
    w.records(PAYLOAD, &c.payload.files, |f, b| put(&[f.id, f.last, f.bytes], b))?;
    for (n, contents) in &c.sections {
        // One that is empty has a frame, too.
        let mut rest = contents.as_slice();
        loop {
            let (part, after) = rest.split_at(rest.len().min(FRAME_BYTES));
            let mut bytes = Vec::with_capacity(part.len() + n.len() + 4);
            put_text(n, &mut bytes);
            bytes.extend_from_slice(part);
            w.frame(SECTION, &bytes)?;
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    w.records(LIVE, live, |t, b| encode(&t, b))?;
    w.frame(END, &[])?;
    w.file.flush().map_err(|e| StorageError::io(name, "write", e))?;
    w.file.sync().map_err(|e| StorageError::io(name, "sync", e))
}

struct Reader<'a> {
    file: Box<dyn ReadFile>,
    name: &'a str,
    size: u64,
    offset: u64,
    frames: u64,
    buffer: Vec<u8>,
}

impl Reader<'_> {
    /// The next frame's tag; its bytes are in the buffer.
    fn frame(&mut self) -> Result<u8, StorageError> {
        let mut header = [0; FRAME_HEADER];
        self.fill(self.offset, &mut header)?;
        let length = u32_at(&header, 1) as usize;
        if length > MAX_FRAME {
            return Err(self.corrupt("is too long"));
        }
        let mut frame = vec![0; FRAME_HEADER + length + 4];
        self.fill(self.offset, &mut frame)?;
        let (body, sum) = frame.split_at(FRAME_HEADER + length);
        if crc(self.frames, body) != u32_at(sum, 0) {
            return Err(self.corrupt("does not fit its checksum"));
        }
        self.buffer.clear();
        self.buffer.extend_from_slice(&body[FRAME_HEADER..]);
        self.offset += frame.len() as u64;
        self.frames += 1;
        Ok(header[0])
    }

    fn fill(&self, offset: u64, bytes: &mut [u8]) -> Result<(), StorageError> {
        read_exact_at(&*self.file, offset, bytes).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => self.corrupt("is cut off"),
            _ => StorageError::io(self.name, "read", e),
        })
    }

    fn corrupt(&self, what: &str) -> StorageError {
        StorageError::corrupt(self.name, format!("the frame at byte {} {what}", self.offset))
            .at_block(self.frames)
    }
}

/// Reads a file.
pub(super) fn read(
    storage: &dyn Storage,
    name: &str,
    settings: &Settings,
    mut live: impl FnMut(&[Tuple]),
) -> Result<Option<Checkpoint>, StorageError> {
    let file = match storage.open(name) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(StorageError::io(name, "open", e)),
    };
    let size = file.size().map_err(|e| StorageError::io(name, "get the size", e))?;
    let mut r = Reader { file, name, size, offset: 0, frames: 0, buffer: Vec::new() };
    let mut start = [0; 12];
    if r.fill(0, &mut start).is_err() || &start[..8] != MAGIC {
        return Err(StorageError::corrupt(name, "not a checkpoint: the magic number is missing"));
    }
    let version = u32_at(&start, 8);
    if version != VERSION {
        let reason = format!("checkpoint format {version}; this version reads format {VERSION}");
        return Err(StorageError::new(StorageErrorKind::Version, name, reason));
    }
    r.offset = start.len() as u64;

    let mut stored = Settings::new();
    let mut c = Checkpoint::default();
    let mut tuples = Vec::new();
    let mut last = SETTING;
    loop {
        let tag = r.frame()?;
        if tag < last {
            return Err(r.corrupt("stands in the wrong place"));
        }
        if last == SETTING && tag > SETTING {
            settings.check(name, &stored)?;
        }
        last = tag;
        let bytes = std::mem::take(&mut r.buffer);
        let parsed = match tag {
            SETTING => parse_setting(&bytes, &mut stored),
            POSITION => parse_position(&bytes, &mut c),
            SECTION => parse_section(&bytes, &mut c),
            LIVE => {
                tuples.clear();
                let (records, rest) = bytes.as_chunks::<RECORD_BYTES>();
                tuples.extend(records.iter().map_while(decode));
                let sound = rest.is_empty() && tuples.len() == records.len();
                sound.then(|| live(&tuples))
            }
            INPUTS | SEGMENTS | PAYLOAD => parse_records(tag, &bytes, &mut c),
            END => bytes.is_empty().then_some(()),
            _ => None,
        };
        if parsed.is_none() {
            return Err(r.corrupt("makes no sense"));
        }
        r.buffer = bytes;
        if tag == END {
            break;
        }
    }
    if r.offset != r.size {
        return Err(StorageError::corrupt(name, "there is something after the end"));
    }
    Ok(Some(c))
}

fn parse_setting(bytes: &[u8], settings: &mut Settings) -> Option<()> {
    let mut cursor = Cursor(bytes);
    let (name, value) = (cursor.text()?, cursor.text()?);
    *settings = std::mem::take(settings).with(name, value);
    cursor.0.is_empty().then_some(())
}

fn parse_position(bytes: &[u8], c: &mut Checkpoint) -> Option<()> {
    let mut cursor = Cursor(bytes);
    c.next_seq = cursor.u64()?;
    let has_watermark = cursor.u64()? != 0;
    let watermark = cursor.u64()? as i64;
    c.watermark = has_watermark.then_some(watermark);
    c.sink = SinkPosition { bytes: cursor.u64()?, results: cursor.u64()? };
    cursor.0.is_empty().then_some(())
}

fn parse_section(bytes: &[u8], c: &mut Checkpoint) -> Option<()> {
    let mut cursor = Cursor(bytes);
    let name = cursor.text()?;
    c.sections.entry(name.to_owned()).or_default().extend_from_slice(cursor.0);
    Some(())
}

fn parse_records(tag: u8, bytes: &[u8], c: &mut Checkpoint) -> Option<()> {
    let mut cursor = Cursor(bytes);
    while !cursor.0.is_empty() {
        match tag {
            INPUTS => {
                c.inputs.push(InputPosition { offset: cursor.u64()?, rows: cursor.u64()? });
            }
            SEGMENTS => {
                let id = SegmentId(cursor.u64()?);
                c.segments.push(SegmentState { id, out: cursor.u64()? });
            }
            _ => {
                let (id, last, bytes) = (cursor.u64()?, cursor.u64()?, cursor.u64()?);
                c.payload.files.push(PayloadFile { id, last, bytes });
            }
        }
    }
    Some(())
}
