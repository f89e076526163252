//! What all front ends share: the encoding is found out, chunks are decoded, stops are remembered.

use super::body::Body;
use super::encoding::{self, Coding, Decoded, Encoding};
use super::fork::{self, Start};
use super::measure::Measure;
use super::names::Names;
use super::scanner::Map;
use super::{Flow, SourceConfig, SourceCounts, TagHandler, TagSource};
use crate::{Error, ErrorKind, FrontEnd, Position};

/// See the module.
#[derive(Debug)]
pub(crate) struct Source {
    /// The first bytes, until the encoding is known.
    head: Vec<u8>,
    started: bool,
    stopped: bool,
    coding: Coding,
    /// What the user says about the encoding.
    asked: Option<Encoding>,
    /// In encodings of several bytes a character: bytes of one that is not whole yet.
    held: u64,
    /// Decoded bytes; unused when the input is UTF-8.
    decoded: Vec<u8>,
    bytes: u64,
    body: Body,
}

impl Source {
    /// The front end that somebody chose.
    pub(crate) fn of(front_end: FrontEnd, config: SourceConfig) -> Self {
        let map = match front_end {
            FrontEnd::QuickXml => None,
            FrontEnd::Auto | FrontEnd::Scanner => Some(Map::best()),
            FrontEnd::PortableScanner => Some(Map::portable()),
        };
        Source::new(config, map)
    }

    /// A source for one document; with a scanner if there is a map.
    pub(super) fn new(config: SourceConfig, map: Option<Map>) -> Self {
        let names = Names::new(config.limits.names);
        Source::with_names(config, map, names)
    }

    fn with_names(config: SourceConfig, map: Option<Map>, names: Names) -> Self {
        Source {
            head: Vec::new(),
            started: false,
            stopped: false,
            coding: Coding::Utf8,
            asked: config.encoding,
            held: 0,
            decoded: Vec::new(),
            bytes: 0,
            body: Body::new(config, map, names),
        }
    }

    /// Lines are not counted: somebody else knows them.
    pub(crate) fn give_up_lines(&mut self) {
        self.body.lines.give_up();
    }

    /// Why a second source cannot start somewhere in the document, as far as is known.
    pub(crate) fn cannot_fork(&self) -> Option<&'static str> {
        match self.coding {
            _ if !self.started => Some("its encoding is not known yet"),
            Coding::Utf8 | Coding::Ascii => None,
            Coding::Latin1 | Coding::Decoded(_) => Some("it is not written in UTF-8"),
        }
    }

    /// A second source, for the document from a place on.
    /// Memory is taken over from a third one, which is done.
    pub(crate) fn fork(&self, config: &SourceConfig, start: &Start, spare: Option<Self>) -> Self {
        let (mut names, mut map) = match spare {
            Some(spare) => (spare.body.document.names, spare.body.map),
            None => (Names::default(), None),
        };
        names.copy(&self.body.document.names);
        match (&self.body.map, &mut map) {
            (Some(from), Some(map)) => map.copy(from),
            (from, map) => *map = from.as_ref().map(Map::fork),
        }
        let mut new = Source::with_names(fork::without_table(config), map, names);
        new.started = true;
        if let Coding::Ascii = self.coding {
            new.coding = Coding::Ascii;
        }
        new.give_up_lines();
        new.body.document.fork(&self.body.document, start);
        new
    }

    /// Whether the next byte is at a place, between two tags, and just these elements are open, of
    /// which the beginnings are given.
    pub(crate) fn is_at(&self, offset: u64, open: &[u64]) -> bool {
        self.body.is_between() && self.body.document.is_at(offset, open)
    }

    /// Takes over the counts of the source that came before.
    pub(crate) fn join(&mut self, before: SourceCounts) {
        self.bytes += before.bytes;
        let counts = &mut self.body.document.counts;
        counts.tags += before.tags;
        counts.max_depth = counts.max_depth.max(before.max_depth);
    }

    /// How many elements are open that are not inside a skipped one, nor skipped themselves.
    pub(crate) fn open(&self) -> usize {
        let document = &self.body.document;
        if document.skipped == 0 { document.stack.len() } else { document.skipped - 1 }
    }

    /// The element open at a depth from 0: where it begins, and its name if that is remembered.
    pub(crate) fn open_at(&self, depth: usize) -> Option<(u64, &[u8])> {
        self.body.document.open_at(depth)
    }

    /// Finds out the encoding from the first bytes. Returns how many bytes of the chunk are done.
    #[cold]
    fn start(&mut self, chunk: &[u8], last: bool) -> Result<usize, Error> {
        let mut taken = 0;
        let mut head = std::mem::take(&mut self.head);
        let found = if head.is_empty() {
            let found = encoding::start(chunk, last, self.asked);
            if matches!(found, Ok(None)) {
                head.extend_from_slice(chunk);
                taken = chunk.len();
            }
            found
        } else {
            // Byte by byte: it is short.
            loop {
                let found = encoding::start(&head, last && taken == chunk.len(), self.asked);
                if !matches!(found, Ok(None)) || taken == chunk.len() {
                    break found;
                }
                head.push(chunk[taken]);
                taken += 1;
            }
        };
        let bytes = if head.is_empty() { chunk } else { &head };
        let lines = &mut self.body.lines;
        let start = match found {
            Ok(Some(start)) => start,
            Ok(None) => {
                self.head = head;
                return Ok(taken);
            }
            Err(e) => return Err(lines.complete(e, bytes, Measure::Same)),
        };
        lines.skip(start.mark as u64);
        lines.advance(&start.declaration, start.measure);
        self.started = true;
        self.coding = start.coding;
        let document = &mut self.body.document;
        document.measure = start.measure;
        document.standalone = start.standalone;
        document.offset = start.consumed as u64;
        if head.is_empty() {
            return Ok(start.consumed);
        }
        // Bytes behind the declaration that were needed to see it are seen again.
        self.head = head.split_off(start.consumed);
        Ok(taken)
    }

    /// Hands bytes in the original encoding on, in UTF-8.
    fn pass<H: TagHandler>(
        &mut self,
        chunk: &[u8],
        last: bool,
        handler: &mut H,
    ) -> Result<(), Error> {
        match self.coding {
            Coding::Utf8 => self.body.consume(chunk, handler),
            Coding::Ascii => {
                let fine = encoding::ascii_prefix(chunk);
                self.body.consume(&chunk[..fine], handler)?;
                if fine < chunk.len() && !self.body.stopped {
                    let offset = self.body.end_offset();
                    return Err(self.undecodable(offset, "US-ASCII"));
                }
                Ok(())
            }
            Coding::Latin1 | Coding::Decoded(_) => {
                if let Measure::TwoBytes | Measure::Several(_) = self.body.document.measure {
                    return self.pass_decoded(chunk, last, handler);
                }
                chunk.chunks(encoding::BLOCK).try_for_each(|block| self.pass_block(block, handler))
            }
        }
    }

    /// A block in an encoding of single bytes: ASCII, by far the most frequent, needs no decoding.
    fn pass_block<H: TagHandler>(&mut self, block: &[u8], handler: &mut H) -> Result<(), Error> {
        if self.body.stopped {
            return Ok(());
        }
        let plain = block.is_ascii();
        // Offsets in what is pending are measured as in the block that it is completed from.
        let measure = &mut self.body.document.measure;
        if !plain {
            *measure = Measure::OneByte;
        } else if self.body.pending.is_empty() {
            *measure = Measure::Same;
        }
        if plain {
            self.body.consume(block, handler)
        } else {
            self.pass_decoded(block, false, handler)
        }
    }

    fn pass_decoded<H: TagHandler>(
        &mut self,
        mut chunk: &[u8],
        last: bool,
        handler: &mut H,
    ) -> Result<(), Error> {
        loop {
            let ends = last && chunk.is_empty();
            let (taken, fine) = match self.body.document.measure {
                Measure::Several(_) => encoding::decode_several(
                    &mut self.coding,
                    self.body.document.measure,
                    (chunk, last),
                    &mut self.held,
                    &mut self.decoded,
                ),
                _ => encoding::decode(&mut self.coding, chunk, last, &mut self.decoded),
            };
            chunk = &chunk[taken..];
            self.body.consume(&self.decoded, handler)?;
            if self.body.stopped {
                return Ok(());
            }
            if fine != Decoded::Fine {
                let offset = self.body.end_offset();
                let name = format!("{:?}", self.coding);
                return Err(match fine {
                    Decoded::Unmeasured => self.unmeasured(offset, &name),
                    // What is at fault are bytes from before that something should follow.
                    _ if ends => self.cut(offset),
                    _ => self.undecodable(offset, &name),
                });
            }
            if chunk.is_empty() {
                return Ok(());
            }
        }
    }

    /// A character in a form that [`Measure`] does not take it to have.
    fn unmeasured(&self, offset: u64, name: &str) -> Error {
        let place = self.body.lines.locate(offset, &self.body.pending, self.body.document.measure);
        let message =
            format!("a character is written in a form of {name} in which offsets cannot be told");
        Error::new(ErrorKind::Encoding, message)
            .at(place)
            .with_hint("convert the document to UTF-8 first, for instance with `iconv`")
    }

    fn cut(&self, offset: u64) -> Error {
        let place = self.body.lines.locate(offset, &self.body.pending, self.body.document.measure);
        Error::new(ErrorKind::Incomplete, "the document ends in the middle of a character")
            .at(place)
    }

    fn undecodable(&self, offset: u64, name: &str) -> Error {
        let place = self.body.lines.locate(offset, &self.body.pending, self.body.document.measure);
        Error::new(ErrorKind::Encoding, format!("bytes that the encoding {name} does not allow"))
            .at(place)
    }
}

impl TagSource for Source {
    fn feed<H: TagHandler>(&mut self, mut chunk: &[u8], handler: &mut H) -> Result<Flow, Error> {
        if self.stopped {
            return Ok(Flow::Stopped);
        }
        self.bytes += chunk.len() as u64;
        if !self.started {
            let taken = self.start(chunk, false)?;
            chunk = &chunk[taken..];
            if !self.started {
                return Ok(Flow::Continue);
            }
            let head = std::mem::take(&mut self.head);
            self.pass(&head, false, handler)?;
        }
        if !self.body.stopped {
            self.pass(chunk, false, handler)?;
        }
        self.stopped = self.body.stopped;
        Ok(if self.stopped { Flow::Stopped } else { Flow::Continue })
    }

    fn finish<H: TagHandler>(&mut self, handler: &mut H) -> Result<(), Error> {
        if !self.started && !self.stopped {
            let head = std::mem::take(&mut self.head);
            let taken = self.start(&head, true)?;
            self.pass(&head[taken..], true, handler)?;
        } else if !self.stopped {
            self.pass(&[], true, handler)?;
        }
        if self.stopped || self.body.stopped {
            return Ok(());
        }
        self.body.finish()
    }

    fn position(&self) -> Position {
        self.body.position()
    }

    fn counts(&self) -> SourceCounts {
        SourceCounts { bytes: self.bytes, ..self.body.document.counts }
    }
}
