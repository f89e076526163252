//! Tokens of the query language. Which of its roles a `*`, a `-` or a word plays is for the parser
//! to say.

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
    /// A whole number without sign; at most 2^63.
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
const SIGNS: &[&str] = &[
    "->>>", "->>", "->", "..", "<=", ">=", "!=", "<>", "==", "(", ")", "[", "]", "{", "}", ",",
    ".", "+", "-", "*", "/", "%", "?", "~", "!", "=", "<", ">",
];

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
            Token::End => "the end of the query".into(),
        }
    }
}

/// A token with the bytes it takes in the query.
#[derive(Clone, Debug)]
pub(super) struct Spanned<'q> {
    pub(super) token: Token<'q>,
    pub(super) span: Range<usize>,
}

/// All tokens of the text; the last one is [`Token::End`].
pub(super) fn tokens(text: &str) -> Vec<Spanned<'_>> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() || c == '\u{FEFF}' {
            at += c.len_utf8();
        } else if rest.starts_with("--") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else {
            let (token, length) = token(rest, c);
            out.push(Spanned { token, span: at..at + length });
            at += length;
        }
    }
    out.push(Spanned { token: Token::End, span: at..at });
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
fn quoted(rest: &str, quote: char) -> Option<&str> {
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
            Ok(n) if n <= 1 << 63 => Token::Int(n),
            _ => Token::HugeNumber,
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

/// The text between quotes, those inside doubled.
pub(super) fn quote(text: &str, quote: char) -> String {
    format!("{quote}{}{quote}", text.replace(quote, &format!("{quote}{quote}")))
}

fn is_name_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn is_name_char(c: char) -> bool {
    c == '_' || c.is_alphanumeric() || is_mark(c)
}

/// Accents, vowel killers and joiners that are part of words without being letters.
fn is_mark(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36F}' | '\u{483}'..='\u{487}' | '\u{591}'..='\u{5C7}'
        | '\u{93C}' | '\u{94D}' | '\u{9BC}' | '\u{9CD}' | '\u{A3C}' | '\u{A4D}' | '\u{ABC}'
        | '\u{ACD}' | '\u{B3C}' | '\u{B4D}' | '\u{BCD}' | '\u{C4D}' | '\u{CBC}' | '\u{CCD}'
        | '\u{D4D}' | '\u{DCA}' | '\u{E3A}' | '\u{E47}'..='\u{E4E}' | '\u{EC8}'..='\u{ECD}'
        | '\u{F84}' | '\u{1039}' | '\u{103A}' | '\u{17D2}' | '\u{1AB0}'..='\u{1AFF}'
        | '\u{1DC0}'..='\u{1DFF}' | '\u{200C}' | '\u{200D}' | '\u{20D0}'..='\u{20FF}'
        | '\u{3099}' | '\u{309A}' | '\u{FE00}'..='\u{FE0F}' | '\u{FE20}'..='\u{FE2F}')
}

/// Words that name neither a type nor a variable unless they stand in backquotes.
const RESERVED: &[&str] = &[
    "after", "and", "between", "false", "from", "in", "is", "not", "null", "or", "pattern",
    "return", "seq", "true", "where", "within",
];

pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(word))
}

/// Whether the text lexes as one word.
pub(super) fn is_word(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(is_name_start) && chars.all(is_name_char)
}
