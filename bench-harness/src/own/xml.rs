//! Whether a document is what it is given as.

use std::io::Read;

use rpdt::input::{EndTag, Interest, Markup, QuickXmlSource, SourceConfig};
use rpdt::input::{StartTag, Symbol, TagHandler, TagSource, Text};

use super::Kind;
use crate::error::{Error, Result};

/// What a kind is known by: its root, if that is fixed, and elements of which one must occur.
fn known_by(kind: Kind) -> (Option<&'static str>, &'static [&'static str]) {
    match kind {
        Kind::Dblp => (Some("dblp"), &["article", "inproceedings"]),
        Kind::Xmark => (Some("site"), &["item", "person", "open_auction", "closed_auction"]),
        Kind::Cldr => (None, &["ldml"]),
        Kind::Scap => (None, &["ds:data-stream-collection", "data-stream-collection"]),
        _ => (None, &["S"]),
    }
}

/// Reads the document to its end; the number of its elements.
pub fn check(kind: Kind, input: &mut dyn Read) -> Result<u64> {
    let (root, names) = known_by(kind);
    let mut look = Look { root, names, seen: false, elements: 0, wrong: None };
    // The engines' own checks of well-formedness, on the whole of the document.
    let mut source = QuickXmlSource::new(SourceConfig::default());
    let fail = |error: rpdt::Error| Error::input(error.to_string());
    let mut buffer = vec![0; 256 << 10];
    loop {
        let length = input
            .read(&mut buffer)
            .map_err(|error| Error::input(format!("cannot be read: {error}")))?;
        if length == 0 {
            break;
        }
        source.feed(&buffer[..length], &mut look).map_err(fail)?;
        if let Some(wrong) = look.wrong.take() {
            return Err(Error::input(wrong));
        }
    }
    source.finish(&mut look).map_err(fail)?;
    if !look.seen {
        let (kind, names) = (kind.name(), names.join(", "));
        return Err(Error::input(format!(
            "is no {kind} document: it has no element of the name {names}"
        )));
    }
    Ok(look.elements)
}

struct Look {
    root: Option<&'static str>,
    names: &'static [&'static str],
    seen: bool,
    elements: u64,
    wrong: Option<String>,
}

impl TagHandler for Look {
    fn symbol(&mut self, name: &[u8]) -> Symbol {
        self.seen |= self.names.iter().any(|known| known.as_bytes() == name);
        Symbol(0)
    }

    fn start_tag(&mut self, tag: &StartTag<'_>) -> Result<Interest, rpdt::Error> {
        self.elements += 1;
        let root = self.root.filter(|root| tag.depth == 1 && root.as_bytes() != tag.name);
        if let Some(root) = root {
            let name = String::from_utf8_lossy(tag.name);
            let start = tag.start;
            self.wrong =
                Some(format!("at byte {start}: the root element is {name}, and should be {root}"));
            return Ok(Interest::STOP);
        }
        Ok(Interest::TAGS)
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
