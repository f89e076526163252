//! The state of a document between two pieces of markup, and what each complete piece does to it.
//! How the pieces are found is not known here.

use std::sync::Arc;

use super::attributes::{self, RawAttributes, malformed};
use super::entity::Entities;
use super::faults::placed;
use super::measure::Measure;
use super::names::{Key, NONE, Names};
use super::stack::{Open, Stack};
use super::wellformed::{is_name, show, starts_name};
use super::{Checks, EndTag, Interest, SourceConfig, SourceCounts, StartTag, Symbol, TagHandler};
use crate::{Error, Limits};

/// The lengths of a start tag, of its name, and whether it ends with `/>`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub len: usize,
    pub name: usize,
    pub empty: bool,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Document {
    pub names: Names,
    pub stack: Stack,
    /// Names of open elements that the table could not take.
    pub loose: Vec<u8>,
    /// Depth of the element whose content is skipped, 0 if none is.
    pub skipped: usize,
    /// Nobody looks at tags inside skipped elements, but for where they end.
    pub skims: bool,
    /// Open elements inside the skipped one that are not on the stack.
    pub below: usize,
    /// What the handler asked for.
    pub interest: Interest,
    /// Whether character data and comments have to be looked at.
    pub watch: bool,
    /// Whether they have to, even when the handler does not ask for them.
    pub always_watch: bool,
    pub root_seen: bool,
    pub doctype_seen: bool,
    pub standalone: bool,
    pub strict: bool,
    /// Inside a CDATA section.
    pub in_cdata: bool,
    /// Offset of the next byte in the original input.
    pub offset: u64,
    pub measure: Measure,
    pub entities: Arc<Entities>,
    pub limits: Limits,
    pub counts: SourceCounts,
}

impl Document {
    pub(super) fn new(config: SourceConfig, names: Names) -> Self {
        let SourceConfig { checks, encoding: _, entities, entity_table, limits } = config;
        let strict = checks == Checks::Strict;
        Document {
            names,
            stack: Stack::default(),
            loose: Vec::new(),
            skipped: 0,
            skims: false,
            below: 0,
            interest: Interest::TAGS,
            watch: true,
            always_watch: strict,
            root_seen: false,
            doctype_seen: false,
            standalone: false,
            strict,
            in_cdata: false,
            offset: 0,
            measure: Measure::Same,
            entities: Arc::new(Entities::new(
                entities,
                entity_table,
                limits.entity_expansion_bytes,
                strict,
            )),
            limits,
            counts: SourceCounts::default(),
        }
    }

    /// Whether we are between the root's tags.
    #[inline]
    pub(super) fn in_root(&self) -> bool {
        !self.stack.is_empty()
    }

    /// Whether anyone looks at comments.
    pub(super) fn wants_comments(&self) -> bool {
        self.strict || (self.in_root() && self.interest.contains(Interest::CONTENT))
    }

    /// Whether the root element is closed.
    pub(super) fn is_complete(&self) -> bool {
        self.root_seen && self.stack.is_empty()
    }

    /// Offset of a place in a piece of markup that starts at the current offset.
    pub(super) fn offset_in(&self, raw: &[u8], at: usize) -> u64 {
        self.offset + self.measure.of(&raw[..at])
    }

    /// A start tag: the first bytes of `window`. Returns whether the handler wants to stop.
    #[inline(always)]
    pub(super) fn start_tag<H: TagHandler>(
        &mut self,
        window: &[u8],
        shape: Shape,
        handler: &mut H,
    ) -> Result<bool, Error> {
        let Shape { len, name: name_len, empty } = shape;
        let raw = &window[..len];
        let depth = self.stack.len() + 1;
        if depth == 1 {
            self.enter_root()?;
        }
        if depth > self.limits.depth || len > self.limits.attribute_bytes {
            return Err(self.too_much(depth, len));
        }
        let name = &raw[1..1 + name_len];
        let key = Key::new(&window[1..], name_len);
        let id = match self.names.find(key, name) {
            Some(id) => id,
            None => self.learn(key, raw, name_len)?,
        };
        let tail = &raw[1 + name_len..len - 1 - usize::from(empty)];
        if !tail.is_empty() {
            self.check_attributes(raw, tail)?;
        }
        if depth > self.counts.max_depth {
            self.counts.max_depth = depth;
        }
        if self.skipped == 0
            && !empty
            && let Some(symbol) = self.known_symbol(id)
            && let Some(answer) = handler.enter(symbol)
        {
            self.stack.push(Open::new(&window[1..], name_len, id, self.offset));
            self.offset += self.measure.of(raw);
            self.counts.tags += 1;
            if answer.contains(Interest::SKIP) {
                self.skip();
            } else {
                self.interest = answer;
                self.watch = self.always_watch;
            }
            return Ok(false);
        }
        self.opened(window, shape, id, handler)
    }

    /// A start tag that has been found to be right, and that the handler has to see if it is not in
    /// a skipped element. Returns whether the handler wants to stop.
    #[inline(always)]
    pub(super) fn opened<H: TagHandler>(
        &mut self,
        window: &[u8],
        shape: Shape,
        id: u32,
        handler: &mut H,
    ) -> Result<bool, Error> {
        let Shape { len, name: name_len, empty } = shape;
        let raw = &window[..len];
        let name = &raw[1..1 + name_len];
        let start = self.offset;
        let end = start + self.measure.of(raw);
        self.offset = end;
        self.counts.tags += 1 + u64::from(empty);
        let mut answer = Interest::TAGS;
        if self.skipped == 0 {
            let tag = StartTag {
                name,
                symbol: self.symbol(id, name, handler),
                start,
                end,
                depth: self.stack.len() + 1,
                raw,
                attributes: RawAttributes {
                    tail: &raw[1 + name_len..len - 1 - usize::from(empty)],
                    element: name,
                    offset: start + self.measure.of(&raw[..1 + name_len]),
                    entities: &self.entities,
                    measure: self.measure,
                },
            };
            answer = handler.start_tag(&tag).map_err(|e| placed(e, start))?;
            if answer.contains(Interest::STOP) {
                return Ok(true);
            }
            if empty {
                return self.report_end(&EndTag { start: end, end, raw: &[] }, handler);
            }
            self.watch = self.always_watch || answer.contains(Interest::CONTENT);
        }
        if !empty {
            if id == NONE {
                self.loose.extend_from_slice(name);
            }
            self.stack.push(Open::new(&window[1..], name_len, id, start));
            if answer.contains(Interest::SKIP) {
                self.skip();
            } else if self.skipped == 0 {
                self.interest = answer;
            }
        }
        Ok(false)
    }

    /// An end tag: the first `len` bytes of `window`. Returns whether the handler wants to stop.
    #[inline(always)]
    pub(super) fn end_tag<H: TagHandler>(
        &mut self,
        window: &[u8],
        len: usize,
        handler: &mut H,
    ) -> Result<bool, Error> {
        let raw = &window[..len];
        let Some(open) = self.stack.last() else {
            return Err(self.unmatched_end(raw));
        };
        let key = open.key();
        let name_len = key.len();
        let same = len == name_len + 3
            && Key::new(&window[2..], name_len) == key
            && (key.is_whole() || self.open_name(open) == &raw[2..2 + name_len]);
        if !same {
            self.check_end(raw, *open)?;
        }
        if self.skipped == 0 && self.stack.len() > 1 && open.id != NONE && handler.leave() {
            self.stack.pop();
            self.offset += self.measure.of(raw);
            self.counts.tags += 1;
            self.interest = Interest::TAGS;
            self.watch = self.always_watch;
            return Ok(false);
        }
        self.closed(raw, handler)
    }

    /// The end tag of the innermost element, which the handler has to see if it is not in a skipped
    /// element. Returns whether the handler wants to stop.
    #[inline(always)]
    pub(super) fn closed<H: TagHandler>(
        &mut self,
        raw: &[u8],
        handler: &mut H,
    ) -> Result<bool, Error> {
        if let Some(open) = self.stack.last()
            && open.id == NONE
        {
            self.loose.truncate(self.loose.len() - open.len());
        }
        let start = self.offset;
        self.stack.pop();
        self.offset = start + self.measure.of(raw);
        self.counts.tags += 1;
        if self.skipped != 0 {
            if self.stack.len() + 1 != self.skipped {
                return Ok(false);
            }
            self.skipped = 0;
        }
        self.report_end(&EndTag { start, end: self.offset, raw }, handler)
    }

    #[inline(always)]
    pub(super) fn report_end<H: TagHandler>(
        &mut self,
        tag: &EndTag<'_>,
        handler: &mut H,
    ) -> Result<bool, Error> {
        let answer = handler.end_tag(tag).map_err(|e| placed(e, tag.start))?;
        self.interest = answer;
        self.watch = self.always_watch || answer.contains(Interest::CONTENT);
        if self.stack.is_empty() {
            self.watch = true;
        }
        Ok(answer.contains(Interest::STOP))
    }

    #[inline]
    pub(super) fn skip(&mut self) {
        self.skipped = self.stack.len();
        self.interest = Interest::TAGS;
        self.watch = self.always_watch;
    }

    /// A tag is inside a skipped element at whose tags nobody looks.
    #[inline(always)]
    pub(super) fn is_skimming(&self) -> bool {
        self.skims && self.skipped != 0
    }

    /// A whole tag inside a skipped element, but that element's own end tag.
    #[inline(always)]
    pub(super) fn skim(&mut self, raw: &[u8]) -> Result<(), Error> {
        self.skimmed(raw.get(1) == Some(&b'/'), raw.ends_with(b"/>"))
    }

    /// The same, of which is known whether it is an end tag, and whether it ends with `/>`.
    #[inline(always)]
    pub(super) fn skimmed(&mut self, closes: bool, empty: bool) -> Result<(), Error> {
        self.counts.tags += 1;
        if closes {
            self.below -= 1;
            return Ok(());
        }
        let depth = self.stack.len() + self.below + 1;
        if depth > self.counts.max_depth {
            if depth > self.limits.depth {
                return Err(self.too_much(depth, 0));
            }
            self.counts.max_depth = depth;
        }
        if empty {
            self.counts.tags += 1;
        } else {
            self.below += 1;
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn symbol<H: TagHandler>(
        &mut self,
        id: u32,
        name: &[u8],
        handler: &mut H,
    ) -> Symbol {
        match self.known_symbol(id) {
            Some(symbol) => symbol,
            None => self.ask_symbol(id, name, handler),
        }
    }

    #[inline(always)]
    fn known_symbol(&self, id: u32) -> Option<Symbol> {
        if id == NONE { None } else { self.names.symbol(id) }
    }

    #[cold]
    #[inline(never)]
    fn ask_symbol<H: TagHandler>(&mut self, id: u32, name: &[u8], handler: &mut H) -> Symbol {
        let symbol = handler.symbol(name);
        if id != NONE {
            self.names.set_symbol(id, symbol);
        }
        symbol
    }

    #[cold]
    #[inline(never)]
    fn enter_root(&mut self) -> Result<(), Error> {
        if self.root_seen {
            return Err(malformed(
                self.offset,
                "a second root element; a document has exactly one",
            ));
        }
        self.root_seen = true;
        self.always_watch = self.strict || self.entities.may_hide_markup();
        Ok(())
    }

    /// A name that is not in the table: checks it and tries to add it.
    #[cold]
    #[inline(never)]
    fn learn(&mut self, key: Key, raw: &[u8], name_len: usize) -> Result<u32, Error> {
        let name = &raw[1..1 + name_len];
        let at = self.offset + 1;
        match name.first() {
            None => {
                return Err(malformed(
                    self.offset,
                    "`<` is not followed by a name; write `&lt;` for the character `<`",
                ));
            }
            Some(b) if !starts_name(*b) => {
                let message = format!(
                    "`<` is followed by `{}`, which cannot start a name; write `&lt;` for the character `<`",
                    show(&raw[1..2])
                );
                return Err(malformed(self.offset, message));
            }
            _ if name.contains(&b'<') => {
                return Err(malformed(at, "`<` inside a tag; is a `>` missing?"));
            }
            _ if !is_name(name) => {
                let message = format!("`{}` is not a name that XML allows", show(name));
                return Err(malformed(at, message));
            }
            _ => {}
        }
        if name_len > Open::LONGEST {
            let message = format!("a name is longer than the limit of {} bytes", Open::LONGEST);
            return Err(self.limit(message));
        }
        Ok(self.names.add(key, name).unwrap_or(NONE))
    }

    #[inline]
    fn check_attributes(&mut self, raw: &[u8], tail: &[u8]) -> Result<(), Error> {
        let from = tail.as_ptr() as usize - raw.as_ptr() as usize;
        if let Err((at, message)) = attributes::check(tail) {
            return Err(malformed(self.offset_in(raw, from + at), message));
        }
        if self.strict { self.check_attributes_strict(raw, tail, from) } else { Ok(()) }
    }

    fn check_attributes_strict(&self, raw: &[u8], tail: &[u8], from: usize) -> Result<(), Error> {
        self.check_chars(raw)?;
        attributes::check_strict(tail, &self.entities, |at| self.offset_in(raw, from + at))
    }

    pub(super) fn open_name(&self, open: &Open) -> &[u8] {
        if open.id == NONE {
            &self.loose[self.loose.len() - open.len()..]
        } else {
            self.names.name(open.id)
        }
    }
}
