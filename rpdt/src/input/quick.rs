//! The front end on top of quick-xml.

use super::source::Source;
use super::{Flow, SourceConfig, SourceCounts, TagHandler, TagSource};
use crate::{Error, Position};

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
/// With [`Checks::Fast`](super::Checks::Fast) not checked unless the handler looks at it: UTF-8 in
/// text, CDATA sections and comments; references in text and in attribute values. Not checked at
/// all: characters that XML forbids (such as U+0001), names of attributes beyond ASCII, `]]>` in
/// text, `--` in comments, targets of processing instructions beyond their first byte, entities in
/// default values of attributes.
///
/// [`Checks::Strict`](super::Checks::Strict) checks all of these everywhere, and that entities are
/// declared wherever XML demands it. What is left are the rules for files that are not read:
/// external subsets and external entities.
///
/// # Encodings
///
/// UTF-8 with or without byte order mark, UTF-16 with one (or recognisable by its first
/// characters), and by declaration whatever [`Encoding::named`](super::Encoding::named) knows. A
/// declaration that contradicts the byte order mark or the first bytes is an error, and so are bytes
/// that the encoding does not allow. Offsets are always those of the original bytes; `raw` pieces and
/// names are UTF-8. In EUC-JP, GBK and GB 18030 some characters have two forms of different length: the
/// one that encoders do not write is an error, since offsets behind it could not be told.
#[derive(Debug)]
pub struct QuickXmlSource(Source);

impl QuickXmlSource {
    /// A source for one document.
    #[must_use]
    pub fn new(config: SourceConfig) -> Self {
        QuickXmlSource(Source::new(config, None))
    }
}

impl TagSource for QuickXmlSource {
    #[inline]
    fn feed<H: TagHandler>(&mut self, chunk: &[u8], handler: &mut H) -> Result<Flow, Error> {
        self.0.feed(chunk, handler)
    }

    fn finish<H: TagHandler>(&mut self, handler: &mut H) -> Result<(), Error> {
        self.0.finish(handler)
    }

    fn position(&self) -> Position {
        self.0.position()
    }

    fn counts(&self) -> SourceCounts {
        self.0.counts()
    }
}
