//! The document behind the XML declaration, in UTF-8: cuts chunks into pieces.

use quick_xml::parser::{ElementParser, Parser};

use super::attributes::malformed;
use super::document::{Document, Shape};
use super::entity::{LONGEST_REFERENCE, in_reference};
use super::lines::Lines;
use super::names::Names;
use super::scan::Kind;
use super::scanner::{Map, skimmed_end};
use super::wellformed::is_space;
use super::{SourceConfig, TagHandler};
use crate::{Error, Position};

/// A finished slice of at least this size is not searched for line ends.
const LARGE: usize = 1 << 20;
/// A buffer that grew beyond this is given back after use.
const KEPT: usize = 64 << 10;

/// See the module.
#[derive(Debug)]
pub(super) struct Body {
    pub document: Document,
    pub lines: Lines,
    /// What straddles the end of a chunk.
    pub pending: Vec<u8>,
    /// What `pending` is; `None`: nothing is pending.
    kind: Option<Kind>,
    /// Where the tag begins that is passed over and straddles chunks.
    begin: Position,
    pub stopped: bool,
    /// The scanner's, if it is the front end.
    pub map: Option<Map>,
}

impl Body {
    pub(super) fn new(config: SourceConfig, mut map: Option<Map>, names: Names) -> Self {
        let mut document = Document::new(config, names);
        if let Some(map) = map.as_mut().filter(|_| document.strict) {
            map.suspects();
        }
        document.skims = map.is_some() && !document.strict;
        Body {
            document,
            lines: Lines::new(),
            pending: Vec::new(),
            kind: None,
            begin: Position::default(),
            stopped: false,
            map,
        }
    }

    /// Deals with the next bytes.
    pub(super) fn consume<H: TagHandler>(
        &mut self,
        mut bytes: &[u8],
        handler: &mut H,
    ) -> Result<(), Error> {
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

    /// Nothing is pending: the next byte is the first of a tag, or of text.
    pub(super) fn is_between(&self) -> bool {
        self.kind.is_none()
    }

    #[cold]
    fn complete(&self, error: Error, bytes: &[u8]) -> Error {
        self.lines.complete(error, bytes, self.document.measure)
    }

    /// Deals with bytes that start outside of any markup. Returns how many are done; the others
    /// are pending (or not wanted any more).
    fn run<H: TagHandler>(&mut self, bytes: &[u8], handler: &mut H) -> Result<usize, Error> {
        let mut at = 0;
        if let Some(map) = &mut self.map {
            map.forget();
        }
        while at < bytes.len() {
            if self.map.is_some() {
                at = self.scan(bytes, at, handler)?;
                if self.stopped || at == bytes.len() {
                    break;
                }
            }
            if bytes[at] != b'<' {
                let rest = &bytes[at..];
                let len = if self.document.watch {
                    self.document.text(rest, handler)?
                } else {
                    let len = memchr::memchr(b'<', rest).unwrap_or(rest.len());
                    self.document.offset += self.document.measure.of(&rest[..len]);
                    len
                };
                at += len;
                if at == bytes.len() {
                    break;
                }
                if bytes[at] != b'<' {
                    self.wait(Kind::Text, &bytes[at..]);
                    break;
                }
            }
            let window = &bytes[at..];
            // Comments and the like may be huge and are not gathered; tags are.
            let second = window.get(1).copied().unwrap_or(b'!');
            let end = match second {
                b'!' | b'?' => None,
                _ if self.document.is_skimming() => skimmed_end(window, 0),
                _ => ElementParser::Outside.feed(&window[1..]).map(|at| at + 2),
            };
            let Some(len) = end else {
                at += self.other(window, handler)?;
                if self.kind.is_some() || self.stopped {
                    break;
                }
                continue;
            };
            let stop = self.tag(window, len, handler)?;
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
        if let Some(n) = kind.feed(&window[opening..]) {
            let len = opening + n;
            self.piece(kind, &window[..len], handler)?;
            return Ok(len);
        }
        match kind {
            // The next chunk shows where it begins, if it does not end there.
            Kind::SkimmedTag(_) => {}
            _ if self.discards(kind) => {
                self.document.offset += self.document.measure.of(window);
                self.wait(kind, &[]);
                return Ok(window.len());
            }
            _ => self.check_size(kind, window.len())?,
        }
        self.wait(kind, window);
        Ok(0)
    }

    fn kind_of(&self, bytes: &[u8]) -> Result<Option<(Kind, usize)>, Error> {
        let skims = self.document.is_skimming();
        Kind::of(bytes, skims).map_err(|message| malformed(self.document.offset, message))
    }

    /// Whether the kind of markup is passed over without being gathered: a comment that nobody
    /// looks at, or a tag inside a skipped element, of any length.
    fn discards(&self, kind: Kind) -> bool {
        match kind {
            Kind::Comment(_) => !self.document.wants_comments(),
            // The element's own end tag is like any other.
            Kind::SkimmedTag(tag) => !tag.closes || self.document.below > 0,
            _ => false,
        }
    }

    /// Passes over what is pending, the beginning of such markup.
    fn discard(&mut self) -> Result<(), Error> {
        self.begin = self.position();
        self.flush(|document, bytes| {
            document.offset += document.measure.of(bytes);
            Ok(bytes.len())
        })
    }

    fn wait(&mut self, kind: Kind, bytes: &[u8]) {
        debug_assert!(self.pending.is_empty());
        self.pending.extend_from_slice(bytes);
        self.kind = Some(kind);
    }

    fn check_size(&self, kind: Kind, size: usize) -> Result<(), Error> {
        let limits = &self.document.limits;
        match kind {
            Kind::Tag(_) | Kind::SkimmedTag(_) if size > limits.attribute_bytes => {
                Err(self.document.tag_limit())
            }
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
            } else if let Some(n) = kind.feed(&self.pending[opening..]) {
                let behind = self.pending.split_off(opening + n);
                self.close(kind, handler)?;
                if !behind.is_empty() {
                    self.wait(Kind::Undecided, &behind);
                }
            } else {
                self.kind = Some(kind);
                if self.discards(kind) {
                    self.discard()?;
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
        let part = &bytes[..found.unwrap_or(bytes.len())];
        if found.is_none() && !self.pending.is_empty() && self.discards(kind) {
            self.discard()?;
        }
        if self.pending.is_empty() {
            self.document.offset += self.document.measure.of(part);
            self.lines.advance(part, self.document.measure);
            if found.is_some() {
                self.kind = None;
                if let Kind::SkimmedTag(tag) = kind {
                    let done = self.document.skimmed(tag.closes, tag.is_empty());
                    done.map_err(|error| error.at(self.begin))?;
                }
            }
        } else {
            if !self.discards(kind) {
                self.check_size(kind, self.pending.len() + part.len())?;
            }
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
            self.pending.push(*b);
            if self.pending[0] == b'&'
                && in_reference(*b)
                && self.pending.len() <= LONGEST_REFERENCE
            {
                continue;
            }
            self.flush(|document, bytes| document.text(bytes, handler))?;
            if self.pending == b"<" {
                self.pending.clear();
                self.kind = None;
                return Ok(i);
            }
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
            Kind::Tag(_) | Kind::SkimmedTag(_) => {
                self.stopped = self.tag(raw, raw.len(), handler)?;
            }
            Kind::Comment(_) => self.document.comment(raw, handler)?,
            Kind::Instruction(_) => self.document.instruction(raw, handler)?,
            Kind::Doctype(_) => self.document.doctype(raw)?,
            Kind::Undecided | Kind::Cdata | Kind::Text => {}
        }
        Ok(())
    }

    /// A whole tag: the first `len` bytes of `window`.
    #[inline(always)]
    fn tag<H: TagHandler>(
        &mut self,
        window: &[u8],
        len: usize,
        handler: &mut H,
    ) -> Result<bool, Error> {
        let raw = &window[..len];
        if self.document.is_skimming() && !self.skim_whole(raw)? {
            return Ok(false);
        }
        if raw[1] == b'/' {
            return self.document.end_tag(window, len, handler);
        }
        self.document.utf8(raw)?;
        let empty = len > 2 && raw[len - 2] == b'/';
        let content = &raw[1..len - 1 - usize::from(empty)];
        let name = content.iter().position(|b| is_space(*b)).unwrap_or(content.len());
        self.document.start_tag(window, Shape { len, name, empty }, handler)
    }

    /// A whole tag inside a skipped element. Gives whether it is that element's own end tag, to be
    /// dealt with like any other.
    fn skim_whole(&mut self, raw: &[u8]) -> Result<bool, Error> {
        let document = &mut self.document;
        if raw.starts_with(b"</") && document.below == 0 {
            if raw.ends_with(b">") {
                return Ok(true);
            }
            let message = "`<` inside a tag; is a `>` missing?";
            return Err(malformed(document.offset_in(raw, raw.len()), message));
        }
        document.skim(raw)?;
        document.offset += document.measure.of(raw);
        Ok(false)
    }

    /// How far the document was dealt with.
    pub(super) fn position(&self) -> Position {
        self.lines.locate(self.document.offset, &self.pending, self.document.measure)
    }

    /// Offset behind all bytes so far.
    pub(super) fn end_offset(&self) -> u64 {
        self.document.offset + self.document.measure.of(&self.pending)
    }

    /// The input ends here.
    pub(super) fn finish(&self) -> Result<(), Error> {
        if self.kind.is_none() && self.document.is_complete() {
            return Ok(());
        }
        let (what, offset) = match self.kind {
            None | Some(Kind::Text) => (None, self.end_offset()),
            Some(kind @ (Kind::Cdata | Kind::Comment(_))) => {
                (Some(kind.describe(&[])), self.end_offset())
            }
            Some(kind @ Kind::SkimmedTag(_)) if self.pending.is_empty() => {
                let what = Some(kind.describe(&[]));
                let error = self.document.incomplete(what, self.begin.offset);
                return Err(error.at(self.begin));
            }
            Some(kind) => (Some(kind.describe(&self.pending)), self.document.offset),
        };
        Err(self.complete(self.document.incomplete(what, offset), &self.pending))
    }
}
