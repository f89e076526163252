//! What reading costs without any matching: the engine's own reader, and quick-xml's event loop as an
//! outside reference.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, Read};
use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::Event;
use rpdt::input::{
    Checks, EndTag, Interest, Markup, QuickXmlSource, ScannerSource, SourceConfig, StartTag,
    Symbol, TagHandler, TagSource, Text,
};

use super::engines::fail;
use crate::error::{Error, Result};

/// The series of the engine's reader with nothing behind it.
pub const READER: &str = "RPDT's reader, no query";

/// The buffer of the engine's own reading of files, for the references too.
const BUFFER: usize = 256 << 10;

/// Looks at nothing: every tag is reported to it, and it asks for tags only.
struct NoQuery;

impl TagHandler for NoQuery {
    fn symbol(&mut self, _: &[u8]) -> Symbol {
        Symbol(0)
    }

    fn start_tag(&mut self, tag: &StartTag<'_>) -> Result<Interest, rpdt::Error> {
        black_box(tag.symbol);
        Ok(Interest::TAGS)
    }

    fn end_tag(&mut self, tag: &EndTag<'_>) -> Result<Interest, rpdt::Error> {
        black_box(tag.start);
        Ok(Interest::TAGS)
    }

    fn text(&mut self, _: &Text<'_>) -> Result<(), rpdt::Error> {
        Ok(())
    }

    fn markup(&mut self, _: &Markup<'_>) -> Result<(), rpdt::Error> {
        Ok(())
    }
}

/// Reads a document in memory with the engine's reader; the number of its tags.
pub fn read(document: &[u8]) -> Result<u64> {
    let mut source = QuickXmlSource::new(SourceConfig::default());
    source.feed(document, &mut NoQuery).map_err(fail)?;
    source.finish(&mut NoQuery).map_err(fail)?;
    Ok(source.counts().tags)
}

/// Looks for a byte that no document has: what it costs to have each byte once.
pub fn bytes(document: &[u8]) -> u64 {
    // Few enough at a time to be counted in bytes, so that vectors do it.
    let zeros = |few: &[u8]| few.iter().fold(0u8, |count, byte| count + u8::from(*byte == 0));
    document.chunks(128).map(|few| u64::from(zeros(few))).sum()
}

/// Wants all tags, and of none more than that it is there.
struct AllTags;

impl TagHandler for AllTags {
    fn symbol(&mut self, _: &[u8]) -> Symbol {
        Symbol(0)
    }

    fn start_tag(&mut self, _: &StartTag<'_>) -> Result<Interest, rpdt::Error> {
        Ok(Interest::TAGS)
    }

    fn enter(&mut self, symbol: Symbol) -> Option<Interest> {
        black_box(symbol);
        Some(Interest::TAGS)
    }

    fn leaf(&mut self, symbol: Symbol) -> bool {
        black_box(symbol);
        true
    }

    fn leave(&mut self) -> bool {
        true
    }

    fn end_tag(&mut self, _: &EndTag<'_>) -> Result<Interest, rpdt::Error> {
        Ok(Interest::TAGS)
    }

    fn text(&mut self, _: &Text<'_>) -> Result<(), rpdt::Error> {
        Ok(())
    }

    fn markup(&mut self, _: &Markup<'_>) -> Result<(), rpdt::Error> {
        Ok(())
    }
}

/// Finds the tags of a document in memory with the scanner and matches end tags; their number.
pub fn tokenise(document: &[u8], checks: Checks) -> Result<u64> {
    let mut source = ScannerSource::new(SourceConfig { checks, ..SourceConfig::default() });
    source.feed(document, &mut AllTags).map_err(fail)?;
    source.finish(&mut AllTags).map_err(fail)?;
    Ok(source.counts().tags)
}

/// Reads a file with the engine's reader; the number of its tags.
pub fn read_file(path: &Path) -> Result<u64> {
    let mut input = open(path)?;
    let mut source = QuickXmlSource::new(SourceConfig::default());
    let mut buffer = vec![0; BUFFER];
    loop {
        let length = input
            .read(&mut buffer)
            .map_err(|error| Error::io(format!("cannot read {}", path.display()), &error))?;
        if length == 0 {
            break;
        }
        source.feed(&buffer[..length], &mut NoQuery).map_err(fail)?;
    }
    source.finish(&mut NoQuery).map_err(fail)?;
    Ok(source.counts().tags)
}

/// quick-xml's own event loop over a document in memory; the number of its events.
pub fn events(document: &[u8]) -> Result<u64> {
    let mut reader = Reader::from_reader(document);
    let mut count = 0;
    loop {
        match reader.read_event().map_err(fail_reading)? {
            Event::Eof => return Ok(count),
            event => {
                black_box(&event);
                count += 1;
            }
        }
    }
}

/// quick-xml's own event loop over a file; the number of its events.
pub fn events_of_file(path: &Path) -> Result<u64> {
    let mut reader = Reader::from_reader(BufReader::with_capacity(BUFFER, open(path)?));
    let (mut count, mut buffer) = (0, Vec::new());
    loop {
        match reader.read_event_into(&mut buffer).map_err(fail_reading)? {
            Event::Eof => return Ok(count),
            event => {
                black_box(&event);
                count += 1;
            }
        }
        buffer.clear();
    }
}

fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(|error| Error::io(format!("cannot open {}", path.display()), &error))
}

fn fail_reading(error: quick_xml::Error) -> Error {
    Error::failed(format!("quick-xml: {error}"))
}
