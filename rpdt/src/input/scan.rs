//! Finding the end of a piece of markup that arrives in parts, in linear time.

use quick_xml::parser::{ElementParser, Parser};

/// What is being waited for the end of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// `<`, `<!`, `<!-`...: too short to say.
    Undecided,
    /// A start or an end tag.
    Tag(ElementParser),
    /// A tag inside a skipped element: it ends before the next `<` at the latest.
    SkimmedTag(Skimmed),
    Comment(Terminator),
    Instruction(Terminator),
    Doctype(Ending),
    /// A CDATA section. Only the few bytes that might belong to its `]]>` wait.
    Cdata,
    /// Character data: a part of a character, of a line end or of a reference.
    Text,
}

impl Kind {
    /// How an error message calls it.
    pub(super) fn describe(self, bytes: &[u8]) -> &'static str {
        match self {
            Kind::Undecided => "markup",
            Kind::Tag(_) if bytes.get(1) == Some(&b'/') => "an end tag",
            Kind::SkimmedTag(Skimmed { closes: true, .. }) => "an end tag",
            Kind::Tag(ElementParser::Outside)
            | Kind::SkimmedTag(Skimmed { quote: Quote(None), .. }) => "a start tag",
            Kind::Tag(_) | Kind::SkimmedTag(_) => "a quoted value in a start tag",
            Kind::Comment(_) => "a comment",
            Kind::Instruction(_) => "a processing instruction",
            Kind::Doctype(_) => "a DOCTYPE",
            Kind::Cdata => "a CDATA section",
            Kind::Text => "text",
        }
    }

    /// What starts with these bytes, the first of which is `<`, and how many bytes say so. `None`:
    /// more bytes are needed. The error is a message. `skims`: inside a skipped element.
    pub(super) fn of(bytes: &[u8], skims: bool) -> Result<Option<(Kind, usize)>, &'static str> {
        match bytes {
            [] | [_] => Ok(None),
            [_, b'?', ..] => Ok(Some((Kind::Instruction(Terminator::new(b'?', 1)), 2))),
            [_, b'!', ..] => {
                for (opening, kind) in [
                    (&b"<!--"[..], Kind::Comment(Terminator::new(b'-', 2))),
                    (&b"<![CDATA["[..], Kind::Cdata),
                    (&b"<!DOCTYPE"[..], Kind::Doctype(Ending::default())),
                ] {
                    if bytes.starts_with(opening) {
                        return Ok(Some((kind, opening.len())));
                    } else if opening.starts_with(bytes) {
                        return Ok(None);
                    }
                }
                Err("`<!` is not followed by `--`, `[CDATA[` or `DOCTYPE`")
            }
            [_, second, ..] if skims => Ok(Some((Kind::SkimmedTag(Skimmed::new(*second)), 1))),
            _ => Ok(Some((Kind::Tag(ElementParser::Outside), 1))),
        }
    }

    /// How many of the next bytes are up to its end, if that is there.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        match self {
            Kind::Tag(parser) => parser.feed(bytes).map(|at| at + 1),
            Kind::SkimmedTag(tag) => tag.feed(bytes),
            Kind::Comment(end) | Kind::Instruction(end) => end.feed(bytes).map(|at| at + 1),
            Kind::Doctype(end) => end.feed(bytes).map(|at| at + 1),
            Kind::Undecided | Kind::Cdata | Kind::Text => None,
        }
    }
}

/// What matters of a tag inside a skipped element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skimmed {
    quote: Quote,
    /// It is an end tag.
    pub closes: bool,
    /// Its last bytes so far.
    last: [u8; 2],
}

impl Skimmed {
    /// By its second byte.
    fn new(second: u8) -> Self {
        Skimmed { quote: Quote(None), closes: second == b'/', last: *b"  " }
    }

    /// Whether it ends with `/>`.
    pub fn is_empty(self) -> bool {
        self.last == *b"/>"
    }

    fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        let end = self.quote.feed(bytes);
        match bytes[..end.unwrap_or(bytes.len())] {
            [.., before, last] => self.last = [before, last],
            [last] => self.last = [self.last[1], last],
            [] => {}
        }
        end
    }
}

/// The quote that is open in a tag, if one is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quote(pub Option<u8>);

impl Quote {
    /// How many bytes come up to the first `>` outside of quotes, or before the next `<`.
    #[inline]
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        loop {
            let rest = &bytes[at..];
            if let Some(quote) = self.0 {
                at += memchr::memchr2(quote, b'<', rest)?;
                if bytes[at] == b'<' {
                    return Some(at);
                }
                self.0 = None;
            } else {
                let ends = |b: &u8| matches!(*b, b'>' | b'<' | b'"' | b'\'');
                at += rest.iter().position(ends)?;
                match bytes[at] {
                    b'>' => return Some(at + 1),
                    b'<' => return Some(at),
                    quote => self.0 = Some(quote),
                }
            }
            at += 1;
        }
    }
}

/// Searches a `>` behind so many marks: `-->` or `?>`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terminator {
    mark: u8,
    need: usize,
    /// Marks at the end of the bytes so far, at most `need`.
    run: usize,
}

impl Terminator {
    const fn new(mark: u8, need: usize) -> Self {
        Terminator { mark, need, run: 0 }
    }

    fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        for i in memchr::memchr_iter(b'>', bytes) {
            if self.run_before(&bytes[..i]) == self.need {
                return Some(i);
            }
        }
        self.run = self.run_before(bytes);
        None
    }

    fn run_before(&self, bytes: &[u8]) -> usize {
        let run = bytes.iter().rev().take(self.need).take_while(|b| **b == self.mark).count();
        if run == bytes.len() { (run + self.run).min(self.need) } else { run }
    }
}

/// Finds the `>` that ends a DOCTYPE, fed with its bytes behind `<!DOCTYPE` piece by piece.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Ending {
    /// Before `[`.
    #[default]
    Head,
    HeadQuoted(u8),
    /// Between `[` and `]`.
    Subset,
    /// Behind `<` in the subset.
    Open,
    /// Behind `<!`.
    Bang,
    /// Behind `<!-`.
    Dash,
    Declaration,
    DeclarationQuoted(u8),
    /// In a comment that so far ends with so many dashes, at most two.
    Comment(u8),
    /// In a processing instruction; whether it so far ends with `?`.
    Instruction(bool),
    /// Behind `]`.
    Tail,
}

impl Ending {
    /// The index of the final `>` in `bytes`, if it is there.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        for (i, b) in bytes.iter().enumerate() {
            if *b == b'>' && matches!(*self, Ending::Head | Ending::Tail) {
                return Some(i);
            }
            *self = self.step(*b);
        }
        None
    }

    fn step(self, b: u8) -> Ending {
        match (self, b) {
            (Ending::Head, b'"' | b'\'') => Ending::HeadQuoted(b),
            (Ending::Head, b'[') => Ending::Subset,
            (Ending::HeadQuoted(quote), _) if quote == b => Ending::Head,
            (Ending::Subset, b'<') => Ending::Open,
            (Ending::Subset, b']') => Ending::Tail,
            (Ending::Open, b'!') => Ending::Bang,
            (Ending::Open, b'?') => Ending::Instruction(false),
            (Ending::Bang, b'-') => Ending::Dash,
            (Ending::Dash, b'-') => Ending::Comment(0),
            (Ending::Open | Ending::Bang | Ending::Dash | Ending::Declaration, _) => match b {
                b'>' => Ending::Subset,
                b'"' | b'\'' => Ending::DeclarationQuoted(b),
                _ => Ending::Declaration,
            },
            (Ending::DeclarationQuoted(quote), _) if quote == b => Ending::Declaration,
            (Ending::Comment(2), b'>') | (Ending::Instruction(true), b'>') => Ending::Subset,
            (Ending::Comment(dashes), b'-') => Ending::Comment((dashes + 1).min(2)),
            (Ending::Comment(_), _) => Ending::Comment(0),
            (Ending::Instruction(_), _) => Ending::Instruction(b == b'?'),
            (state, _) => state,
        }
    }
}
