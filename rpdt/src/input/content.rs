//! Character data: forwarded in pieces, never gathered. Characters, line ends and references are
//! not cut.

use std::borrow::Cow;

use super::attributes::malformed;
use super::document::Document;
use super::entity::{LONGEST_REFERENCE, Place, in_reference, predefined};
use super::faults::placed;
use super::wellformed::is_space;
use super::{Interest, TagHandler, Text, TextValue};
use crate::Error;

impl Document {
    /// Text up to the next `<`, or as much of it as has come. Returns how many bytes were dealt
    /// with; unless a `<` follows them, the others must be seen again together with what comes.
    #[inline]
    pub(super) fn text<H: TagHandler>(
        &mut self,
        bytes: &[u8],
        handler: &mut H,
    ) -> Result<usize, Error> {
        if !self.in_root() {
            return self.outside(bytes);
        }
        let mut at = 0;
        loop {
            let rest = &bytes[at..];
            let found = memchr::memchr3(b'<', b'&', b'\r', rest);
            let len = found.unwrap_or_else(|| whole(rest, self.strict));
            if len > 0 {
                self.plain(&rest[..len], handler)?;
                at += len;
            }
            match found.map(|i| rest[i]) {
                None => return Ok(at),
                Some(b'<') => return Ok(at),
                Some(special) => match self.special(special, &rest[len..], handler)? {
                    0 => return Ok(at),
                    len => at += len,
                },
            }
        }
    }

    /// A reference or a line end; 0 if more bytes are needed to see it whole.
    fn special<H: TagHandler>(
        &mut self,
        special: u8,
        rest: &[u8],
        handler: &mut H,
    ) -> Result<usize, Error> {
        if special == b'&' {
            return if may_go_on(rest) { Ok(0) } else { self.reference(rest, handler) };
        }
        let len = match rest {
            [_] => return Ok(0),
            [_, b'\n', ..] => 2,
            _ => 1,
        };
        self.report(&rest[..len], TextValue::Decoded(Cow::Borrowed("\n")), handler)?;
        Ok(len)
    }

    #[inline]
    fn reports_text(&self) -> bool {
        self.interest.contains(Interest::CONTENT)
    }

    /// Text outside the root: white space.
    fn outside(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        let len = bytes.iter().position(|b| !is_space(*b)).unwrap_or(bytes.len());
        let rest = &bytes[len..];
        if rest.first().is_none_or(|b| *b == b'<') {
            self.offset += self.measure.of(&bytes[..len]);
            return Ok(len);
        }
        let what = if rest[0] == b'&' { "a reference" } else { "text" };
        Err(malformed(self.offset_in(bytes, len), format!("{what} outside the root element")))
    }

    #[inline]
    fn plain<H: TagHandler>(&mut self, raw: &[u8], handler: &mut H) -> Result<(), Error> {
        if !self.strict && !self.reports_text() {
            self.offset += self.measure.of(raw);
            return Ok(());
        }
        let text = if self.strict { self.strict_text(raw, true)? } else { self.utf8(raw)? };
        self.report(raw, TextValue::Decoded(Cow::Borrowed(text)), handler)
    }

    /// Strict: characters, and no `]]>` in text; what might be its start is never cut off, see
    /// [`whole`]. Of several faults the first is reported, so that chunks make no difference.
    fn strict_text<'b>(&self, raw: &'b [u8], text: bool) -> Result<&'b str, Error> {
        let (fine, valid) = match std::str::from_utf8(raw) {
            Ok(fine) => (fine, raw),
            Err(e) => ("", &raw[..e.valid_up_to()]),
        };
        let brackets = if text && memchr::memchr(b']', valid).is_some() {
            memchr::memmem::find(valid, b"]]>")
        } else {
            None
        };
        self.check_chars(&valid[..brackets.unwrap_or(valid.len())])?;
        if let Some(i) = brackets {
            return Err(malformed(self.offset_in(raw, i), "`]]>` in text; write `]]&gt;`"));
        }
        if valid.len() < raw.len() { self.utf8(raw) } else { Ok(fine) }
    }

    fn reference<H: TagHandler>(&mut self, rest: &[u8], handler: &mut H) -> Result<usize, Error> {
        let len = self.entities.reference(rest).map_err(|e| e.at_offset(self.offset))?;
        let raw = &rest[..len];
        let name = &self.utf8(raw)?[1..len - 1];
        if let Some(text) = predefined(name) {
            self.report(raw, TextValue::Decoded(Cow::Borrowed(text)), handler)?;
            return Ok(len);
        }
        let value = match self.entities.resolve(name, Place::Content) {
            Ok(value) => TextValue::Decoded(Cow::Owned(value.into_owned())),
            Err(failure) if failure.fatal => return Err(failure.at_offset(self.offset)),
            Err(failure) => TextValue::Unresolved(failure.at_offset(self.offset)),
        };
        self.report(raw, value, handler)?;
        Ok(len)
    }

    fn report<H: TagHandler>(
        &mut self,
        raw: &[u8],
        value: TextValue<'_>,
        handler: &mut H,
    ) -> Result<(), Error> {
        let start = self.offset;
        self.offset += self.measure.of(raw);
        if self.reports_text() {
            handler.text(&Text { raw, value }).map_err(|e| placed(e, start))?;
        }
        Ok(())
    }

    /// The start of a CDATA section (`<![CDATA[` included) or more of one that is open. Returns
    /// how many bytes were dealt with.
    pub(super) fn cdata<H: TagHandler>(
        &mut self,
        bytes: &[u8],
        handler: &mut H,
    ) -> Result<usize, Error> {
        let from = if self.in_cdata { 0 } else { b"<![CDATA[".len() };
        if !self.in_root() {
            return Err(malformed(self.offset, "a CDATA section outside the root element"));
        }
        let (value, len) = match memchr::memmem::find(&bytes[from..], b"]]>") {
            Some(i) => (&bytes[from..from + i], from + i + 3),
            None => {
                let body = &bytes[from..];
                let len = whole(body, true);
                (&body[..len], from + len)
            }
        };
        self.in_cdata = len == from + value.len();
        if len == 0 {
            return Ok(0);
        }
        let raw = &bytes[..len];
        if !self.strict && !self.reports_text() {
            self.offset += self.measure.of(raw);
            return Ok(len);
        }
        if self.strict {
            self.strict_text(raw, false)?;
        } else {
            self.utf8(raw)?;
        }
        let text = std::str::from_utf8(value).unwrap_or_default();
        self.report(raw, TextValue::Decoded(line_ends(text)), handler)?;
        Ok(len)
    }
}

/// How much of text whose continuation is not known may be handed on: no part of a character, no
/// `\r` that a `\n` may follow, and with `brackets` no `]` that may belong to `]]>`.
fn whole(bytes: &[u8], brackets: bool) -> usize {
    let len = bytes.len();
    match bytes.last() {
        None => 0,
        Some(b'\r') => len - 1,
        Some(b']') if brackets => {
            len - bytes.iter().rev().take(2).take_while(|b| **b == b']').count()
        }
        Some(b) if b.is_ascii() => len,
        Some(_) => {
            let Some(back) = bytes.iter().rev().take(4).position(|b| *b >= 0xC0) else {
                return len;
            };
            let need = match bytes[len - 1 - back] {
                0xF0.. => 4,
                0xE0.. => 3,
                _ => 2,
            };
            if back + 1 < need { len - 1 - back } else { len }
        }
    }
}

/// Whether these bytes, the first of which is `&`, may be the start of a longer reference.
pub(super) fn may_go_on(bytes: &[u8]) -> bool {
    bytes.len() <= LONGEST_REFERENCE && bytes[1..].iter().all(|b| in_reference(*b))
}

/// Line ends as XML delivers them: `\n`.
fn line_ends(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
}
