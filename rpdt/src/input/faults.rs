//! What is wrong with a document, in words.

use super::attributes::malformed;
use super::document::Document;
use super::stack::Open;
use super::wellformed::{forbidden_char, is_space, show, show_char};
use crate::{Error, ErrorKind, Position};

impl Document {
    /// Strict: no characters that XML forbids. The bytes are valid UTF-8.
    pub(super) fn check_chars(&self, raw: &[u8]) -> Result<(), Error> {
        match forbidden_char(raw) {
            None => Ok(()),
            Some(i) => {
                let message =
                    format!("the character {} is not allowed in XML", show_char(&raw[i..]));
                Err(malformed(self.offset_in(raw, i), message))
            }
        }
    }

    /// An end tag that is not just `</name>`.
    #[cold]
    #[inline(never)]
    pub(super) fn check_end(&self, raw: &[u8], open: Open) -> Result<(), Error> {
        if raw.len() > self.limits.attribute_bytes {
            return Err(self.tag_limit());
        }
        let written = &raw[2..raw.len() - 1];
        let name = written.trim_ascii_end();
        let expected = self.open_name(&open);
        // `trim_ascii_end` also trims form feeds, which are no white space in XML.
        if name == expected && written[name.len()..].iter().all(|b| is_space(*b)) {
            return Ok(());
        }
        if written
            .strip_prefix(expected)
            .is_some_and(|rest| rest.first().is_some_and(|b| is_space(*b)))
        {
            let message =
                format!("an end tag may hold nothing but its name: `</{}>`", show(written));
            return Err(malformed(self.offset, message));
        }
        self.utf8(raw)?;
        let message = format!(
            "end tag `</{}>` does not match start tag `<{}>` opened at byte {}",
            show(written),
            show(expected),
            open.start
        );
        Err(malformed(self.offset, message))
    }

    #[cold]
    pub(super) fn unmatched_end(&self, raw: &[u8]) -> Error {
        let name = show(&raw[2..raw.len() - 1]);
        malformed(self.offset, format!("end tag `</{name}>` without a start tag"))
    }

    #[cold]
    pub(super) fn too_much(&self, depth: usize, len: usize) -> Error {
        if depth > self.limits.depth {
            return self.limit(format!(
                "elements nest deeper than the limit of {} (depth)",
                self.limits.depth
            ));
        }
        debug_assert!(len > self.limits.attribute_bytes);
        self.tag_limit()
    }

    pub(super) fn tag_limit(&self) -> Error {
        self.limit(format!(
            "a tag is longer than the limit of {} bytes (attribute_bytes)",
            self.limits.attribute_bytes
        ))
    }

    /// An error about a limit at the current offset.
    pub(super) fn limit(&self, message: String) -> Error {
        Error::new(ErrorKind::Limit, message).at(Position {
            offset: self.offset,
            line: 0,
            column: 0,
        })
    }

    /// Strict: valid UTF-8 and no forbidden characters.
    pub(super) fn check_text(&self, raw: &[u8]) -> Result<(), Error> {
        self.utf8(raw)?;
        self.check_chars(raw)
    }

    /// The bytes as text.
    pub(super) fn utf8<'b>(&self, raw: &'b [u8]) -> Result<&'b str, Error> {
        std::str::from_utf8(raw).map_err(|e| {
            let position =
                Position { offset: self.offset_in(raw, e.valid_up_to()), line: 0, column: 0 };
            Error::new(ErrorKind::Encoding, "not valid UTF-8").at(position).with_hint(
                "if the document is in another encoding, its XML declaration must say so",
            )
        })
    }

    /// The error for a document that ends here. `pending`: in the middle of what; `offset`: where
    /// that starts, or the end.
    pub(super) fn incomplete(&self, pending: Option<&'static str>, offset: u64) -> Error {
        let open = self.stack.last().map(|open| {
            format!(
                "the element `<{}>` opened at byte {} is not closed",
                show(self.open_name(open)),
                open.start
            )
        });
        let message = match (pending, open) {
            (Some(what), Some(open)) => format!("the document ends inside {what}, and {open}"),
            (Some(what), None) => format!("the document ends inside {what}"),
            (None, Some(open)) => format!("the document ends, but {open}"),
            (None, None) if offset == 0 => "the document is empty".to_owned(),
            (None, None) => "the document has no root element".to_owned(),
        };
        Error::new(ErrorKind::Incomplete, message).at(Position { offset, line: 0, column: 0 })
    }
}

/// A handler's error with the place of the tag, if it has none of its own.
#[cold]
pub(super) fn placed(error: Error, offset: u64) -> Error {
    if error.position().is_some() {
        error
    } else {
        error.at(Position { offset, line: 0, column: 0 })
    }
}
