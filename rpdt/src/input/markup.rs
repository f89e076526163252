//! Comments, processing instructions and the DOCTYPE.

use std::sync::Arc;

use super::attributes::malformed;
use super::document::Document;
use super::faults::placed;
use super::wellformed::{is_name, is_space, show, starts_name};
use super::{Interest, Markup, TagHandler, doctype};
use crate::{Error, Position};

impl Document {
    /// A whole comment.
    pub(super) fn comment<H: TagHandler>(
        &mut self,
        raw: &[u8],
        handler: &mut H,
    ) -> Result<(), Error> {
        if self.strict {
            self.check_text(raw)?;
            // The first `--` must be that of `-->`.
            let dashes = memchr::memmem::find(&raw[4..raw.len() - 1], b"--").map(|i| i + 4);
            if let Some(i) = dashes.filter(|i| *i != raw.len() - 3) {
                return Err(malformed(self.offset_in(raw, i), "`--` inside a comment"));
            }
        }
        self.markup(raw, handler)
    }

    /// A whole processing instruction.
    pub(super) fn instruction<H: TagHandler>(
        &mut self,
        raw: &[u8],
        handler: &mut H,
    ) -> Result<(), Error> {
        let body = &raw[2..raw.len() - 2];
        let target = &body[..body.iter().position(|b| is_space(*b)).unwrap_or(body.len())];
        if target == b"xml" {
            return Err(malformed(
                self.offset,
                "the XML declaration may only stand at the very start of the document",
            ));
        }
        if target.is_empty() || !starts_name(target[0]) {
            return Err(malformed(
                self.offset,
                "`<?` is not followed by the target of a processing instruction",
            ));
        }
        if self.strict {
            self.check_text(raw)?;
            if !is_name(target) {
                let message = format!("`{}` is not a name that XML allows", show(target));
                return Err(malformed(self.offset_in(raw, 2), message));
            }
            if target.eq_ignore_ascii_case(b"xml") {
                let message = format!(
                    "the target `{}` of a processing instruction is reserved",
                    show(target)
                );
                return Err(malformed(self.offset_in(raw, 2), message));
            }
        }
        self.markup(raw, handler)
    }

    fn markup<H: TagHandler>(&mut self, raw: &[u8], handler: &mut H) -> Result<(), Error> {
        let start = self.offset;
        let wanted = self.in_root() && self.interest.contains(Interest::CONTENT);
        if wanted {
            self.utf8(raw)?;
        }
        self.offset += self.measure.of(raw);
        if wanted {
            handler.markup(&Markup { raw }).map_err(|e| placed(e, start))?;
        }
        Ok(())
    }

    /// A whole document type declaration.
    pub(super) fn doctype(&mut self, raw: &[u8]) -> Result<(), Error> {
        if self.doctype_seen {
            return Err(malformed(self.offset, "a second DOCTYPE"));
        }
        if self.root_seen {
            return Err(malformed(self.offset, "a DOCTYPE may only stand before the root element"));
        }
        self.doctype_seen = true;
        let text = self.utf8(raw)?;
        let entities = Arc::make_mut(&mut self.entities);
        if let Err((at, kind, message)) = doctype::read(text, entities, self.standalone) {
            let offset = self.offset_in(raw, at);
            return Err(Error::new(kind, message).at(Position { offset, line: 0, column: 0 }));
        }
        self.offset += self.measure.of(raw);
        Ok(())
    }
}
