//! Elements of which a handler needs its symbols alone: what it sees of the others is the same.

use std::collections::HashSet;

use proptest::prelude::*;
use rpdt::Error;
use rpdt::input::{
    Checks, EndTag, Interest, Markup, QuickXmlSource, ScannerSource, StartTag, Symbol, TagHandler,
    TagSource, Text,
};

use super::log::{Event, Failure, with};

/// Writes tags down, but those of elements whose names begin with `q`, which it says it needs not
/// see. Elements whose names begin with `s` are skipped.
#[derive(Debug, Default)]
pub struct Quiet {
    /// Asks to see everything; then tags of such elements are left out by itself.
    sees_all: bool,
    names: Vec<Vec<u8>>,
    events: Vec<Event>,
    /// Whether the open elements are quiet.
    open: Vec<bool>,
    /// Quiet elements, whether without elements inside or not.
    passed: usize,
}

impl Quiet {
    fn is_quiet(&self, symbol: Symbol) -> bool {
        self.names[symbol.0 as usize].starts_with(b"q")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("handlers see UTF-8")
}

impl TagHandler for Quiet {
    fn symbol(&mut self, name: &[u8]) -> Symbol {
        self.names.push(name.to_vec());
        Symbol(self.names.len() as u32 - 1)
    }

    fn start_tag(&mut self, tag: &StartTag<'_>) -> Result<Interest, Error> {
        let quiet = self.is_quiet(tag.symbol);
        self.open.push(quiet);
        self.passed += usize::from(quiet);
        if !quiet {
            self.events.push(Event::Start {
                name: text(tag.name),
                start: tag.start,
                end: tag.end,
                depth: tag.depth,
                raw: text(tag.raw),
                attributes: Vec::new(),
            });
        }
        Ok(if tag.name.starts_with(b"s") { Interest::SKIP } else { Interest::TAGS })
    }

    fn enter(&mut self, symbol: Symbol) -> Option<Interest> {
        if self.sees_all || !self.is_quiet(symbol) {
            return None;
        }
        self.open.push(true);
        self.passed += 1;
        Some(Interest::TAGS)
    }

    fn leaf(&mut self, symbol: Symbol) -> bool {
        let quiet = !self.sees_all && self.is_quiet(symbol);
        self.passed += usize::from(quiet);
        quiet
    }

    fn leave(&mut self) -> bool {
        !self.sees_all && self.open.last() == Some(&true) && self.open.pop().is_some()
    }

    fn end_tag(&mut self, tag: &EndTag<'_>) -> Result<Interest, Error> {
        if !self.open.pop().expect("tags are balanced") {
            self.events.push(Event::End { start: tag.start, end: tag.end, raw: text(tag.raw) });
        }
        Ok(Interest::TAGS)
    }

    fn text(&mut self, _: &Text<'_>) -> Result<(), Error> {
        panic!("nobody asked for text");
    }

    fn markup(&mut self, _: &Markup<'_>) -> Result<(), Error> {
        panic!("nobody asked for markup");
    }
}

/// What a handler has seen of a document, the number of tags and of quiet elements, and the outcome.
type Seen = (Vec<Event>, Result<(u64, usize, usize), Failure>);

fn seen<S: TagSource>(mut source: S, chunks: &[&[u8]], sees_all: bool) -> Seen {
    let mut handler = Quiet { sees_all, ..Quiet::default() };
    let fed = chunks.iter().try_for_each(|chunk| source.feed(chunk, &mut handler).map(drop));
    let result = fed.and_then(|()| source.finish(&mut handler)).map_err(Failure::from);
    let counts = source.counts();
    let result = result.map(|()| (counts.tags, counts.max_depth, handler.passed));
    (handler.events, result)
}

/// Whether all front ends show the same of a document to a handler that does not want to see all of
/// it. With [`Checks::Fast`] scanners pass over what is skipped, so that they may miss faults.
pub fn seen_alike(document: &[u8], cuts: &[Vec<&[u8]>]) -> Result<(), String> {
    let padded = [document, &[b' '; 200]].concat();
    let skips = document.windows(2).any(|pair| pair == b"<s");
    for checks in [Checks::Fast, Checks::Strict] {
        for (document, cuts) in [(document, cuts), (&padded, &[])] {
            let all = seen(QuickXmlSource::new(with(checks)), &[document], true);
            let mut others = Vec::new();
            let bytes: Vec<&[u8]> = document.chunks(1).collect();
            let whole = vec![document];
            for chunks in [&whole, &bytes].into_iter().chain(cuts) {
                others.push(seen(QuickXmlSource::new(with(checks)), chunks, false));
                let lenient = checks == Checks::Fast && skips && all.1.is_err();
                if !lenient {
                    others.push(seen(ScannerSource::new(with(checks)), chunks, false));
                    others.push(seen(ScannerSource::portable(with(checks)), chunks, false));
                }
            }
            if let Some(other) = others.iter().find(|other| **other != all) {
                return Err(format!("{}\n{all:#?}\n{other:#?}", document.escape_ascii()));
            }
        }
    }
    Ok(())
}

/// Elements with quiet ones among them; `</>` ends the innermost.
const PIECES: &[&str] = &[
    "<q>",
    "<q>",
    "<a>",
    "<quiet x='1'>",
    "<q-name-of-twenty-six-bytes>",
    "<q-name-of-quite-thirty-1-bytes>",
    "<q-name-of-quite-thirty-two-bytes>",
    "<q-name-of-quite-thirty-three-byte>",
    "<s>",
    "</>",
    "</>",
    "</>",
    "</>",
    "</>",
    "<q/>",
    "<a/>",
    "<q x=\"/>\"/>",
    "<q></q>",
    "<q>text</q>",
    "<q x='>'>text</q>",
    "<qé>x</qé>",
    "<q>é</q>",
    "<q>]]</q >",
    "<q\n>&amp;</q>",
    "<!--<q>-->",
    "<![CDATA[</q>]]>",
    "text",
    "text that is longer than the sixty-four bytes of a block, so that there is one without a tag",
];

fn document(pieces: &[&str]) -> String {
    let mut text = "<a>".to_owned();
    let mut open = vec!["a"];
    for piece in pieces {
        let name = piece.strip_prefix('<').unwrap_or_default();
        if *piece == "</>" {
            if open.len() > 1 {
                text.extend(["</", open.pop().unwrap_or_default(), ">"]);
            }
            continue;
        }
        text.push_str(piece);
        if piece.ends_with('>') && piece.matches('<').count() == 1 && !piece.ends_with("/>") {
            open.push(name.split([' ', '\n', '>']).next().unwrap_or_default());
        }
    }
    while let Some(name) = open.pop() {
        text.extend(["</", name, ">"]);
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn what_is_shown_is_the_same(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..120),
        places in prop::collection::vec(any::<usize>(), 0..3),
        damage in prop::option::of((any::<usize>(), prop::sample::select(&b"<>/&\"'x \xFF"[..]))),
    ) {
        let mut bytes = document(&pieces).into_bytes();
        if let Some((place, byte)) = damage {
            let at = place % bytes.len();
            bytes[at] = byte;
        }
        let mut places: Vec<usize> = places.iter().map(|p| p % (bytes.len() + 1)).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let cut = places.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
        let same = seen_alike(&bytes, &[cut]);
        prop_assert!(same.is_ok(), "{}", same.unwrap_err());
    }
}

/// More names than the hot path remembers, and such as agree in all but their last bytes.
#[test]
fn many_names() {
    let mut text = "<a>".to_owned();
    let mut names = HashSet::new();
    for round in 0..2 {
        for n in 0..3000 {
            let name = format!("q-with-a-prefix-of-its-own-{n}");
            text.push_str(&match (n + round) % 3 {
                0 => format!("<{name}/>"),
                1 => format!("<{name}>t</{name}>"),
                _ => format!("<{name} x='y'><q/></{name}>"),
            });
            names.insert(name);
        }
    }
    text.push_str("</a>");
    assert_eq!(names.len(), 3000);
    let document = text.as_bytes();
    for portable in [false, true] {
        let source = if portable { ScannerSource::portable } else { ScannerSource::new };
        let (events, result) = seen(source(with(Checks::Fast)), &[document], false);
        assert_eq!(events.len(), 2);
        assert_eq!(result.map(|counts| (counts.1, counts.2)), Ok((3, 6000 + 2000)));
    }
}
