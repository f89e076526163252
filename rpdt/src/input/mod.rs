//! The boundary between a document and its consumers.
//!
//! A [`TagSource`] turns chunks of bytes into calls of a [`TagHandler`]: start tags, end tags and,
//! only where the handler asked for them, text and other markup. The source answers for
//! well-formedness; the handler may rely on balanced tags under one root. The engine is one
//! handler; baselines and other consumers are others, on the very same source.

use std::borrow::Cow;

use crate::{Error, Position};

mod attributes;
mod body;
mod content;
mod doctype;
mod document;
mod encoding;
mod entity;
mod faults;
mod fork;
mod lines;
mod markup;
mod measure;
mod names;
mod quick;
mod scan;
mod scanner;
mod source;
mod stack;
mod wellformed;

pub use attributes::{Attribute, Attributes};
pub use encoding::Encoding;
pub use entity::{EntityPolicy, EntityTable};
pub(crate) use fork::Start;
pub use quick::QuickXmlSource;
pub use scanner::ScannerSource;
pub(crate) use source::Source;

/// What a handler calls a name: any number it likes. Sources ask once per distinct name and
/// remember the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symbol(pub u32);

/// What a handler wants to see until the next start or end tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interest(u8);

impl Interest {
    /// Tags only.
    pub const TAGS: Interest = Interest(0);
    /// Text, CDATA, comments and processing instructions too.
    pub const CONTENT: Interest = Interest(1);
    /// Nothing below the element that was just opened: the source calls the handler again with
    /// that element's end tag. Only meaningful as the answer to a start tag.
    pub const SKIP: Interest = Interest(2);
    /// Nothing more at all; the source stops.
    pub const STOP: Interest = Interest(4);

    /// Whether all bits of `other` are set.
    #[must_use]
    pub fn contains(self, other: Interest) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::ops::BitOr for Interest {
    type Output = Interest;

    fn bitor(self, other: Interest) -> Interest {
        Interest(self.0 | other.0)
    }
}

/// A start tag, also of an empty element `<a/>`, whose end tag follows at once.
#[derive(Debug)]
pub struct StartTag<'a> {
    /// The name as written, prefix included, in UTF-8.
    pub name: &'a [u8],
    /// The handler's own symbol for the name.
    pub symbol: Symbol,
    /// Byte offset of the `<` in the original input.
    pub start: u64,
    /// Byte offset one past the `>`.
    pub end: u64,
    /// Depth of the element; 1 for the root.
    pub depth: usize,
    /// The tag as written, from `<` to `>`.
    pub raw: &'a [u8],
    pub(crate) attributes: attributes::RawAttributes<'a>,
}

impl<'a> StartTag<'a> {
    /// The attributes, parsed on demand: references resolved, white space normalised, defaults of
    /// the internal DTD subset included.
    #[must_use]
    pub fn attributes(&self) -> Attributes<'a> {
        self.attributes.iter()
    }
}

/// An end tag, or the second half of `<a/>`.
#[derive(Debug)]
pub struct EndTag<'a> {
    /// Byte offset of the `<`; for `<a/>` the same as `end`.
    pub start: u64,
    /// Byte offset one past the `>` of the element.
    pub end: u64,
    /// The tag as written; empty for `<a/>`.
    pub raw: &'a [u8],
}

/// A piece of character data: text, one reference, or a CDATA section. Consecutive pieces without
/// a tag or [`Markup`] between them belong to one text node.
#[derive(Debug)]
pub struct Text<'a> {
    /// The piece as written.
    pub raw: &'a [u8],
    pub(crate) value: TextValue<'a>,
}

#[derive(Debug)]
pub(crate) enum TextValue<'a> {
    /// Already decoded, references resolved.
    Decoded(Cow<'a, str>),
    /// A reference that could not be resolved: an error if anyone looks at it.
    Unresolved(Error),
}

impl Text<'_> {
    /// The characters: decoded, line ends normalised, references resolved.
    ///
    /// # Errors
    /// A reference to an entity that cannot be resolved.
    pub fn value(&self) -> Result<&str, Error> {
        match &self.value {
            TextValue::Decoded(s) => Ok(s),
            TextValue::Unresolved(e) => Err(e.clone()),
        }
    }
}

/// A comment or processing instruction: it ends a text node, nothing more.
#[derive(Debug)]
pub struct Markup<'a> {
    /// The markup as written.
    pub raw: &'a [u8],
}

/// A consumer of tags.
pub trait TagHandler {
    /// The symbol for a name (as written, prefix included). Called again for a name only when the
    /// source's table of names overflowed.
    fn symbol(&mut self, name: &[u8]) -> Symbol;

    /// A start tag. The answer says what to report until the next tag.
    ///
    /// # Errors
    /// Whatever the handler cannot live with; the source passes it on with a position.
    fn start_tag(&mut self, tag: &StartTag<'_>) -> Result<Interest, Error>;

    /// A start tag of which the handler, in the state that it is in, needs its symbol alone. `None`:
    /// it needs more; then nothing has happened, and [`start_tag`](Self::start_tag) is called.
    /// Sources need not ask. The answer is neither [`Interest::CONTENT`] nor [`Interest::STOP`].
    #[inline]
    fn enter(&mut self, symbol: Symbol) -> Option<Interest> {
        let _ = symbol;
        None
    }

    /// An element without elements inside of which the handler, in the state that it is in, needs
    /// its symbol alone: its start and its end tag. `false`: it needs more, or has failed; then
    /// [`enter`](Self::enter) is called.
    #[inline]
    fn leaf(&mut self, symbol: Symbol) -> bool {
        let _ = symbol;
        false
    }

    /// An end tag of which the handler needs nothing, and which leads back to an element inside
    /// which it wants [`Interest::TAGS`]. `false`: it needs more; then nothing has happened, and
    /// [`end_tag`](Self::end_tag) is called.
    #[inline]
    fn leave(&mut self) -> bool {
        false
    }

    /// An end tag. The answer says what to report inside the parent.
    ///
    /// # Errors
    /// As for [`start_tag`](Self::start_tag).
    fn end_tag(&mut self, tag: &EndTag<'_>) -> Result<Interest, Error>;

    /// Character data inside the root element, only under [`Interest::CONTENT`].
    ///
    /// # Errors
    /// As for [`start_tag`](Self::start_tag).
    fn text(&mut self, text: &Text<'_>) -> Result<(), Error>;

    /// A comment or processing instruction inside the root, only under [`Interest::CONTENT`].
    ///
    /// # Errors
    /// As for [`start_tag`](Self::start_tag).
    fn markup(&mut self, markup: &Markup<'_>) -> Result<(), Error>;
}

/// Whether a source wants more input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on feeding.
    Continue,
    /// The handler asked to stop; further input is ignored.
    Stopped,
}

/// Something that turns bytes into tags.
pub trait TagSource {
    /// Takes the next chunk, of any size. Calls the handler for everything that is complete.
    ///
    /// # Errors
    /// The document is malformed, a limit was exceeded, or the handler failed. The source cannot
    /// be used afterwards.
    fn feed<H: TagHandler>(&mut self, chunk: &[u8], handler: &mut H) -> Result<Flow, Error>;

    /// The input is complete.
    ///
    /// # Errors
    /// As for [`feed`](Self::feed), and an unclosed root or no root at all.
    fn finish<H: TagHandler>(&mut self, handler: &mut H) -> Result<(), Error>;

    /// How far the source has come: one past the last complete piece of markup or text.
    fn position(&self) -> Position;

    /// Deepest nesting so far, tags seen (an empty element counts as two).
    fn counts(&self) -> SourceCounts;
}

/// Counts that a source keeps for [`Stats`](crate::Stats).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceCounts {
    /// Start tags plus end tags; `<a/>` counts as two.
    pub tags: u64,
    /// Bytes consumed.
    pub bytes: u64,
    /// Deepest nesting.
    pub max_depth: usize,
}

/// How much of the document is checked beyond what the query looks into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Checks {
    /// One root, balanced tags, nothing outside the root, attribute syntax and duplicate
    /// attributes; see the documentation of the front end for the list.
    #[default]
    Fast,
    /// Full well-formedness, as far as the front end can.
    Strict,
}

/// Settings of a front end.
#[derive(Clone, Debug, Default)]
pub struct SourceConfig {
    /// What is checked.
    pub checks: Checks,
    /// The encoding, whatever the document declares; a byte order mark must agree.
    pub encoding: Option<Encoding>,
    /// What happens to references that cannot be resolved.
    pub entities: EntityPolicy,
    /// Entities given by the user; they win over the document's.
    pub entity_table: EntityTable,
    /// Bounds.
    pub limits: crate::Limits,
}
