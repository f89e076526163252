//! Tokens of the pattern language.

use std::borrow::Cow;
use std::ops::Range;

/// One token. A fault is a token too, so that the first fault in the text is the one reported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'q> {
    /// A keyword or a name.
    Word(&'q str),
    /// The inside of a name in backquotes, with the doubled ones still doubled.
    Ticked(&'q str),
    /// The inside of a string, with doubled quotes still doubled, and its quote.
    Text(&'q str, char),
    /// A whole number without sign.
    Int(u64),
    /// A number with a point or an exponent; finite.
    Float(f64),
    /// An operator or a bracket.
    Sign(&'static str),
    UnclosedText,
    UnclosedName,
    HugeNumber,
    Unknown(char),
    End,
}

/// A sign comes before every sign that is its prefix.
const SIGNS: &[&str] =
    &["<=", ">=", "!=", "<>", "==", "(", ")", "[", "]", ",", ".", "-", "#", ":", "=", "<", ">"];

impl Token<'_> {
    /// The token as a message names it.
    pub(super) fn describe(self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Ticked(raw) => format!("name `{raw}`"),
            Token::Text(raw, quote) => format!("string {quote}{raw}{quote}"),
            Token::Int(n) => format!("number {n}"),
            Token::Float(x) => format!("number {x:?}"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::UnclosedText => "a string without closing quote".into(),
            Token::UnclosedName => "a name without closing backquote".into(),
            Token::HugeNumber => "a number that is too large".into(),
            Token::Unknown(c) => format!("character `{}`", c.escape_debug()),
            Token::End => "the end of the pattern".into(),
        }
    }
}

/// A token with the bytes it takes in the text.
#[derive(Clone, Debug)]
pub(super) struct Spanned<'q> {
    pub(super) token: Token<'q>,
    pub(super) span: Range<usize>,
}

/// All tokens of the text from a byte on; the last one is [`Token::End`].
pub(super) fn tokens(text: &str, from: usize) -> Vec<Spanned<'_>> {
    let mut out = Vec::new();
    let mut at = from;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
        } else {
            let (token, length) = token(rest, c);
            out.push(Spanned { token, span: at..at + length });
            at += length;
        }
    }
    // The end stands behind the last token, where something was expected.
    let end = out.last().map_or(from.min(text.len()), |last| last.span.end);
    out.push(Spanned { token: Token::End, span: end..end });
    out
}

fn token(rest: &str, c: char) -> (Token<'_>, usize) {
    match c {
        '\'' | '"' => match quoted(rest, c) {
            Some(inside) => (Token::Text(inside, c), inside.len() + 2),
            None => (Token::UnclosedText, rest.len()),
        },
        '`' => match quoted(rest, c) {
            Some(inside) => (Token::Ticked(inside), inside.len() + 2),
            None => (Token::UnclosedName, rest.len()),
        },
        '0'..='9' => number(rest),
        _ if is_name_start(c) => {
            let end = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
            (Token::Word(&rest[..end]), end)
        }
        _ => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            Some(sign) => (Token::Sign(sign), sign.len()),
            None => (Token::Unknown(c), c.len_utf8()),
        },
    }
}

/// What stands between the quote at the start of the text and the next one that is not doubled.
pub(super) fn quoted(rest: &str, quote: char) -> Option<&str> {
    let mut at = 1;
    loop {
        let end = at + rest[at..].find(quote)?;
        if !rest[end + 1..].starts_with(quote) {
            return Some(&rest[1..end]);
        }
        at = end + 2;
    }
}

/// `digits [. digits] [e [+-] digits]`
fn number(rest: &str) -> (Token<'_>, usize) {
    let digits = |from: usize| {
        from + rest.as_bytes()[from..].iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let whole = digits(0);
    let mut end = whole;
    if rest[end..].starts_with('.') && digits(end + 1) > end + 1 {
        end = digits(end + 1);
    }
    if rest[end..].starts_with(['e', 'E']) {
        let sign = end + 1 + usize::from(rest[end + 1..].starts_with(['+', '-']));
        if digits(sign) > sign {
            end = digits(sign);
        }
    }
    let token = if end == whole {
        match rest[..end].parse::<u64>() {
            Ok(n) => Token::Int(n),
            Err(_) => Token::HugeNumber,
        }
    } else {
        match rest[..end].parse::<f64>() {
            Ok(x) if x.is_finite() => Token::Float(x),
            _ => Token::HugeNumber,
        }
    };
    (token, end)
}

/// The text that a quoted token stands for.
pub(super) fn unquote(raw: &str, quote: char) -> Cow<'_, str> {
    if !raw.contains(quote) {
        return Cow::Borrowed(raw);
    }
    Cow::Owned(raw.replace(&format!("{quote}{quote}"), &quote.to_string()))
}

/// A name in backquotes, those inside doubled.
pub(crate) fn quote_name(text: &str) -> String {
    format!("`{}`", text.replace('`', "``"))
}

fn is_name_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn is_name_char(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Words that are no names unless they stand in backquotes.
const RESERVED: &[&str] = &["and", "false", "null", "seq", "true", "within"];

pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(word))
}

/// Whether a name can be written without backquotes.
pub(crate) fn is_plain_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(is_name_start) && chars.all(is_name_char) && !is_reserved(text)
}

/// Whether a character can be part of an id without backquotes.
pub(super) fn is_id_char(c: char) -> bool {
    !c.is_whitespace() && !c.is_control() && !":,()[]`'\"#".contains(c)
}
