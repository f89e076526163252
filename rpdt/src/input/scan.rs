//! Finding the end of a piece of markup that arrives in parts, in linear time.

use quick_xml::parser::{ElementParser, Parser};

/// What is being waited for the end of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// `<`, `<!`, `<!-`...: too short to say.
    Undecided,
    /// A start or an end tag.
    Tag(ElementParser),
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
            Kind::Tag(ElementParser::Outside) => "a start tag",
            Kind::Tag(_) => "a quoted value in a start tag",
            Kind::Comment(_) => "a comment",
            Kind::Instruction(_) => "a processing instruction",
            Kind::Doctype(_) => "a DOCTYPE",
            Kind::Cdata => "a CDATA section",
            Kind::Text => "text",
        }
    }

    /// What starts with these bytes, the first of which is `<`, and how many bytes say so. `None`:
    /// more bytes are needed. The error is a message.
    pub(super) fn of(bytes: &[u8]) -> Result<Option<(Kind, usize)>, &'static str> {
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
            _ => Ok(Some((Kind::Tag(ElementParser::Outside), 1))),
        }
    }

    /// The index of the final `>` in the next bytes, if it is there.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        match self {
            Kind::Tag(parser) => parser.feed(bytes),
            Kind::Comment(end) | Kind::Instruction(end) => end.feed(bytes),
            Kind::Doctype(end) => end.feed(bytes),
            Kind::Undecided | Kind::Cdata | Kind::Text => None,
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
