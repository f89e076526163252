//! The front end on top of quick-xml.

use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::events::Event;

use super::attributes::malformed;
use super::document::Document;
use super::encoding::{self, Coding, Measure};
use super::entity::{LONGEST_REFERENCE, in_reference};
use super::lines::Lines;
use super::scan::Kind;
use super::wellformed::is_space;
use super::{Flow, SourceConfig, SourceCounts, TagHandler, TagSource};
use crate::{Error, ErrorKind, Position};

/// A finished slice of at least this size is not searched for line ends.
const LARGE: usize = 1 << 20;
/// A buffer that grew beyond this is given back after use.
const KEPT: usize = 64 << 10;

/// Reads tags with quick-xml's slice reader, straight from the caller's chunks.
///
/// Only what straddles the end of a chunk is copied. Text, CDATA sections and comments are passed
/// on or over in pieces, so that memory stays bounded whatever their size; tags, processing
/// instructions and the DOCTYPE are gathered up to the limits of [`Limits`](crate::Limits).
///
/// # What is checked
///
/// Always, also inside skipped elements:
/// - exactly one root element; outside it only white space, comments, processing instructions and,
///   before it, one DOCTYPE; every element is closed;
/// - end tags carry the name of their start tag;
/// - names of elements; syntax of attributes, no attribute twice on one tag, no `<` in values;
/// - tags are valid UTF-8 (or follow the declared encoding);
/// - syntax of the XML declaration, and that it stands only at the start;
/// - the DOCTYPE with its internal subset;
/// - comments, processing instructions and CDATA sections are closed;
/// - depth and all sizes against [`Limits`](crate::Limits);
/// - in documents whose DOCTYPE declares entities that hold markup: that none of them is used.
///
/// With [`Checks::Fast`](super::Checks::Fast) not checked, unless the handler looks at it: UTF-8
/// and references in text and in attribute values. Not checked at all: characters that XML forbids
/// (such as U+0001), names of attributes beyond ASCII, `]]>` in text, `--` in comments, targets of
/// processing instructions beyond their first byte.
///
/// [`Checks::Strict`](super::Checks::Strict) checks all of these everywhere, and that entities are
/// declared wherever XML demands it. What is left are the rules for files that are not read:
/// external subsets and external entities.
///
/// # Encodings
///
/// UTF-8 with or without byte order mark, UTF-16 with one (or recognisable by its first
/// characters), and by declaration US-ASCII, ISO-8859-1 and windows-1252. Offsets are always those
/// of the original bytes; `raw` pieces and names are UTF-8.
#[derive(Debug)]
pub struct QuickXmlSource {
    /// The first bytes, until the encoding is known.
    head: Vec<u8>,
    started: bool,
    stopped: bool,
    coding: Coding,
    /// Decoded bytes; unused when the input is UTF-8.
    decoded: Vec<u8>,
    bytes: u64,
    body: Body,
}

/// The document behind the XML declaration, in UTF-8.
#[derive(Debug)]
struct Body {
    document: Document,
    lines: Lines,
    /// What straddles the end of a chunk.
    pending: Vec<u8>,
    /// What `pending` is; `None`: nothing is pending.
    kind: Option<Kind>,
    stopped: bool,
}

impl QuickXmlSource {
    /// A source for one document.
    #[must_use]
    pub fn new(config: SourceConfig) -> Self {
        QuickXmlSource {
            head: Vec::new(),
            started: false,
            stopped: false,
            coding: Coding::Utf8,
            decoded: Vec::new(),
            bytes: 0,
            body: Body {
                document: Document::new(config),
                lines: Lines::new(),
                pending: Vec::new(),
                kind: None,
                stopped: false,
            },
        }
    }

    /// Finds out the encoding from the first bytes. Returns how many bytes of the chunk are done.
    #[cold]
    fn start(&mut self, chunk: &[u8], last: bool) -> Result<usize, Error> {
        let mut taken = 0;
        let mut head = std::mem::take(&mut self.head);
        let found = if head.is_empty() {
            let found = encoding::start(chunk, last);
            if matches!(found, Ok(None)) {
                head.extend_from_slice(chunk);
                taken = chunk.len();
            }
            found
        } else {
            // Byte by byte: it is short.
            loop {
                let found = encoding::start(&head, last && taken == chunk.len());
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
                let fine = chunk.iter().position(|b| !b.is_ascii()).unwrap_or(chunk.len());
                self.body.consume(&chunk[..fine], handler)?;
                if fine < chunk.len() && !self.body.stopped {
                    let offset = self.body.end_offset();
                    return Err(self.undecodable(offset, "US-ASCII"));
                }
                Ok(())
            }
            Coding::Latin1 | Coding::Decoded(_) => self.pass_decoded(chunk, last, handler),
        }
    }

    fn pass_decoded<H: TagHandler>(
        &mut self,
        mut chunk: &[u8],
        last: bool,
        handler: &mut H,
    ) -> Result<(), Error> {
        loop {
            let (taken, fine) = encoding::decode(&mut self.coding, chunk, last, &mut self.decoded);
            chunk = &chunk[taken..];
            self.body.consume(&self.decoded, handler)?;
            if self.body.stopped {
                return Ok(());
            }
            if !fine {
                let offset = self.body.end_offset();
                let name = format!("{:?}", self.coding);
                return Err(self.undecodable(offset, &name));
            }
            if chunk.is_empty() {
                return Ok(());
            }
        }
    }

    fn undecodable(&self, offset: u64, name: &str) -> Error {
        let place = self.body.lines.locate(offset, &self.body.pending, self.body.document.measure);
        Error::new(ErrorKind::Encoding, format!("bytes that the encoding {name} does not allow"))
            .at(place)
    }
}

impl TagSource for QuickXmlSource {
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
        let body = &self.body;
        body.lines.locate(body.document.offset, &body.pending, body.document.measure)
    }

    fn counts(&self) -> SourceCounts {
        SourceCounts { bytes: self.bytes, ..self.body.document.counts }
    }
}

impl Body {
    /// Deals with the next bytes.
    fn consume<H: TagHandler>(&mut self, mut bytes: &[u8], handler: &mut H) -> Result<(), Error> {
        if self.kind.is_some() {
            let taken = self.resume(bytes, handler).map_err(|e| self.complete(e, &self.pending))?;
            bytes = &bytes[taken..];
        }
        if bytes.is_empty() || self.stopped {
            return Ok(());
        }
        let done = self.run(bytes, handler).map_err(|e| self.complete(e, bytes))?;
        if bytes.len() >= LARGE && self.document.is_complete() {
            self.lines.give_up();
        }
        self.lines.advance(&bytes[..done], self.document.measure);
        Ok(())
    }

    #[cold]
    fn complete(&self, error: Error, bytes: &[u8]) -> Error {
        self.lines.complete(error, bytes, self.document.measure)
    }

    /// Deals with bytes that start outside of any markup. Returns how many are done; the others
    /// are pending (or not wanted any more).
    fn run<H: TagHandler>(&mut self, bytes: &[u8], handler: &mut H) -> Result<usize, Error> {
        let mut reader = reader(bytes);
        // Where the reader started, and where we are.
        let mut origin = 0;
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at] != b'<' {
                let rest = &bytes[at..];
                let next = memchr::memchr(b'<', rest);
                let len = next.unwrap_or(rest.len());
                if self.document.watch {
                    let done = self.document.text(&rest[..len], next.is_some(), handler)?;
                    if done < len {
                        self.wait(Kind::Text, &rest[done..]);
                        return Ok(at + done);
                    }
                } else {
                    self.document.offset += self.document.measure.of(&rest[..len]);
                }
                at += len;
                if next.is_none() {
                    break;
                }
                reader.stream().consume(len);
            }
            let window = &bytes[at..];
            // Comments and the like may be huge, so quick-xml, which wants them whole, is not
            // asked for them.
            let event = match window.get(1) {
                Some(b'!' | b'?') => None,
                _ => reader.read_event().ok(),
            };
            let len = origin + reader.buffer_position() as usize - at;
            let stop = match event {
                Some(Event::Start(e)) => {
                    let name = e.name().as_ref().len();
                    self.document.start_tag(window, len, name, false, handler)?
                }
                Some(Event::End(_)) => self.document.end_tag(window, len, handler)?,
                Some(Event::Empty(e)) => {
                    let name = e.name().as_ref().len();
                    self.document.start_tag(window, len, name, true, handler)?
                }
                _ => {
                    at += self.other(window, handler)?;
                    if self.kind.is_some() || self.stopped {
                        break;
                    }
                    origin = at;
                    reader = self::reader(&bytes[at..]);
                    continue;
                }
            };
            at += len;
            if stop {
                self.stopped = true;
                break;
            }
        }
        Ok(at)
    }

    /// Markup that quick-xml is not asked for or did not like. Returns how many bytes of it are
    /// done; when its end has not come yet, the others wait.
    #[cold]
    #[inline(never)]
    fn other<H: TagHandler>(&mut self, window: &[u8], handler: &mut H) -> Result<usize, Error> {
        let Some((mut kind, opening)) = self.kind_of(window)? else {
            self.wait(Kind::Undecided, window);
            return Ok(0);
        };
        if let Kind::Cdata = kind {
            let done = self.document.cdata(window, handler)?;
            if self.document.in_cdata {
                self.wait(kind, &window[done..]);
            }
            return Ok(done);
        }
        if let Some(i) = kind.feed(&window[opening..]) {
            let len = opening + i + 1;
            self.piece(kind, &window[..len], handler)?;
            return Ok(len);
        }
        if self.discards(kind) {
            self.document.offset += self.document.measure.of(window);
            self.wait(kind, &[]);
            return Ok(window.len());
        }
        self.check_size(kind, window.len())?;
        self.wait(kind, window);
        Ok(0)
    }

    fn kind_of(&self, bytes: &[u8]) -> Result<Option<(Kind, usize)>, Error> {
        Kind::of(bytes).map_err(|message| malformed(self.document.offset, message))
    }

    /// Whether the kind of markup is passed over without being gathered: a comment that nobody
    /// looks at. Nothing of it is pending then.
    fn discards(&self, kind: Kind) -> bool {
        matches!(kind, Kind::Comment(_)) && !self.document.wants_comments()
    }

    fn wait(&mut self, kind: Kind, bytes: &[u8]) {
        debug_assert!(self.pending.is_empty());
        self.pending.extend_from_slice(bytes);
        self.kind = Some(kind);
    }

    fn check_size(&self, kind: Kind, size: usize) -> Result<(), Error> {
        let limits = &self.document.limits;
        match kind {
            Kind::Tag(_) if size > limits.attribute_bytes => Err(self.document.tag_limit()),
            Kind::Comment(_) | Kind::Instruction(_) | Kind::Doctype(_)
                if size > limits.markup_bytes =>
            {
                Err(self.document.limit(format!(
                    "{} is longer than the limit of {} bytes (markup_bytes)",
                    kind.describe(&[]),
                    limits.markup_bytes
                )))
            }
            _ => Ok(()),
        }
    }

    /// Goes on with what is pending. Returns how many bytes are done or pending now. When it
    /// fails, the error lies in the pending bytes, or it knows its line.
    #[cold]
    #[inline(never)]
    fn resume<H: TagHandler>(&mut self, bytes: &[u8], handler: &mut H) -> Result<usize, Error> {
        let mut taken = 0;
        while let Some(kind) = self.kind {
            if taken == bytes.len() {
                break;
            }
            let rest = &bytes[taken..];
            taken += match kind {
                Kind::Undecided => self.decide(rest[0], handler)?,
                Kind::Text => self.resume_text(rest, handler)?,
                Kind::Cdata => self.resume_cdata(rest, handler)?,
                _ => self.resume_markup(kind, rest, handler)?,
            };
        }
        Ok(taken)
    }

    fn decide<H: TagHandler>(&mut self, byte: u8, handler: &mut H) -> Result<usize, Error> {
        self.pending.push(byte);
        if let Some((mut kind, opening)) = self.kind_of(&self.pending)? {
            self.kind = Some(kind);
            if let Kind::Cdata = kind {
                self.flush(|document, bytes| document.cdata(bytes, handler))?;
            } else if kind.feed(&self.pending[opening..]).is_some() {
                self.close(kind, handler)?;
            } else {
                self.kind = Some(kind);
                if self.discards(kind) {
                    self.flush(|document, bytes| {
                        document.offset += document.measure.of(bytes);
                        Ok(bytes.len())
                    })?;
                }
            }
        }
        Ok(1)
    }

    fn resume_markup<H: TagHandler>(
        &mut self,
        mut kind: Kind,
        bytes: &[u8],
        handler: &mut H,
    ) -> Result<usize, Error> {
        let found = kind.feed(bytes);
        self.kind = Some(kind);
        let part = &bytes[..found.map_or(bytes.len(), |i| i + 1)];
        if self.pending.is_empty() {
            // A comment that is passed over.
            self.document.offset += self.document.measure.of(part);
            self.lines.advance(part, self.document.measure);
            if found.is_some() {
                self.kind = None;
            }
        } else {
            self.check_size(kind, self.pending.len() + part.len())?;
            self.pending.extend_from_slice(part);
            if found.is_some() {
                self.close(kind, handler)?;
            }
        }
        Ok(part.len())
    }

    /// The pending markup is whole.
    fn close<H: TagHandler>(&mut self, kind: Kind, handler: &mut H) -> Result<(), Error> {
        let bytes = std::mem::take(&mut self.pending);
        let result = self.piece(kind, &bytes, handler);
        self.pending = bytes;
        result?;
        self.lines.advance(&self.pending, self.document.measure);
        self.kind = None;
        self.pending.clear();
        self.pending.shrink_to(KEPT);
        Ok(())
    }

    /// Lets `act` deal with the pending bytes; what it leaves stays pending.
    fn flush(
        &mut self,
        act: impl FnOnce(&mut Document, &[u8]) -> Result<usize, Error>,
    ) -> Result<(), Error> {
        let done = act(&mut self.document, &self.pending)?;
        self.lines.advance(&self.pending[..done], self.document.measure);
        self.pending.drain(..done);
        Ok(())
    }

    fn resume_text<H: TagHandler>(
        &mut self,
        bytes: &[u8],
        handler: &mut H,
    ) -> Result<usize, Error> {
        for (i, b) in bytes.iter().enumerate() {
            if *b == b'<' {
                self.flush(|document, bytes| document.text(bytes, true, handler))?;
                self.kind = None;
                return Ok(i);
            }
            self.pending.push(*b);
            if self.pending[0] == b'&'
                && in_reference(*b)
                && self.pending.len() <= LONGEST_REFERENCE
            {
                continue;
            }
            self.flush(|document, bytes| document.text(bytes, false, handler))?;
            if self.pending.is_empty() {
                self.kind = None;
                return Ok(i + 1);
            }
        }
        Ok(bytes.len())
    }

    fn resume_cdata<H: TagHandler>(
        &mut self,
        bytes: &[u8],
        handler: &mut H,
    ) -> Result<usize, Error> {
        if self.pending.is_empty() {
            let done = match self.document.cdata(bytes, handler) {
                Ok(done) => done,
                Err(e) => return Err(self.complete(e, bytes)),
            };
            self.lines.advance(&bytes[..done], self.document.measure);
            if self.document.in_cdata {
                self.pending.extend_from_slice(&bytes[done..]);
                return Ok(bytes.len());
            }
            self.kind = None;
            return Ok(done);
        }
        self.pending.push(bytes[0]);
        self.flush(|document, bytes| document.cdata(bytes, handler))?;
        if !self.document.in_cdata {
            self.kind = None;
        }
        Ok(1)
    }

    /// A whole piece of markup.
    fn piece<H: TagHandler>(
        &mut self,
        kind: Kind,
        raw: &[u8],
        handler: &mut H,
    ) -> Result<(), Error> {
        match kind {
            Kind::Tag(_) => self.stopped = self.tag(raw, handler)?,
            Kind::Comment(_) => self.document.comment(raw, handler)?,
            Kind::Instruction(_) => self.document.instruction(raw, handler)?,
            Kind::Doctype(_) => self.document.doctype(raw)?,
            Kind::Undecided | Kind::Cdata | Kind::Text => {}
        }
        Ok(())
    }

    fn tag<H: TagHandler>(&mut self, raw: &[u8], handler: &mut H) -> Result<bool, Error> {
        self.document.utf8(raw)?;
        if raw[1] == b'/' {
            return self.document.end_tag(raw, raw.len(), handler);
        }
        let empty = raw.len() > 2 && raw.ends_with(b"/>");
        let content = &raw[1..raw.len() - 1 - usize::from(empty)];
        let name = content.iter().position(|b| is_space(*b)).unwrap_or(content.len());
        self.document.start_tag(raw, raw.len(), name, empty, handler)
    }

    /// Offset behind all bytes so far.
    fn end_offset(&self) -> u64 {
        self.document.offset + self.document.measure.of(&self.pending)
    }

    fn finish(&self) -> Result<(), Error> {
        if self.kind.is_none() && self.document.is_complete() {
            return Ok(());
        }
        let what = match self.kind {
            None | Some(Kind::Text) => None,
            Some(kind) => Some(kind.describe(&self.pending)),
        };
        Err(self.complete(self.document.incomplete(what), &self.pending))
    }
}

fn reader(bytes: &[u8]) -> Reader<&[u8]> {
    let mut reader = Reader::from_reader(bytes);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.trim_markup_names_in_closing_tags = false;
    reader
}
