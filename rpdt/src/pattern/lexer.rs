//! Tokens of the query language. Which of its roles a `*`, a `:` or a `{` plays is for the parser
//! to say; it also decides by the spans whether two tokens touch.

use std::ops::Range;

use super::Op;

/// One token. A fault is a token too, so that the first fault in the text is the one reported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'q> {
    Name(&'q str),
    Number(f64),
    Quoted(&'q str),
    Compare(Op),
    Slash,
    SlashSlash,
    Star,
    Plus,
    Question,
    Pipe,
    Comma,
    Colon,
    Bang,
    At,
    Dot,
    DotDot,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    OpenParen,
    CloseParen,
    UnclosedString,
    HugeNumber,
    Unknown(char),
    End,
}

impl Token<'_> {
    /// The token as a message names it.
    pub(super) fn describe(self) -> String {
        match self {
            Token::Name(n) => format!("name `{n}`"),
            Token::Number(n) => format!("number `{n}`"),
            Token::Quoted(s) => format!("string {}", quote(s)),
            Token::Unknown(c) => format!("character `{}`", c.escape_debug()),
            Token::UnclosedString => "a string without closing quote".into(),
            Token::HugeNumber => "a number that is too large".into(),
            Token::End => "end of the query".into(),
            other => format!("`{}`", other.sign()),
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Token::Compare(op) => op.sign(),
            Token::Slash => "/",
            Token::SlashSlash => "//",
            Token::Star => "*",
            Token::Plus => "+",
            Token::Question => "?",
            Token::Pipe => "|",
            Token::Comma => ",",
            Token::Colon => ":",
            Token::Bang => "!",
            Token::At => "@",
            Token::Dot => ".",
            Token::DotDot => "..",
            Token::OpenBracket => "[",
            Token::CloseBracket => "]",
            Token::OpenBrace => "{",
            Token::CloseBrace => "}",
            Token::OpenParen => "(",
            Token::CloseParen => ")",
            _ => "",
        }
    }
}

/// A string literal as a query writes it; the caller makes sure that it does not hold both quotes.
pub(super) fn quote(s: &str) -> String {
    if s.contains('"') { format!("'{s}'") } else { format!("\"{s}\"") }
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
        if matches!(c, ' ' | '\t' | '\r' | '\n') {
            at += 1;
            continue;
        }
        let (token, length) = token(&text[at..], c);
        out.push(Spanned { token, span: at..at + length });
        at += length;
    }
    out.push(Spanned { token: Token::End, span: at..at });
    out
}

fn token(rest: &str, c: char) -> (Token<'_>, usize) {
    let follows = |s: &str| rest[c.len_utf8()..].starts_with(s);
    match c {
        '/' if follows("/") => (Token::SlashSlash, 2),
        '/' => (Token::Slash, 1),
        '*' => (Token::Star, 1),
        '+' => (Token::Plus, 1),
        '?' => (Token::Question, 1),
        '|' => (Token::Pipe, 1),
        ',' => (Token::Comma, 1),
        ':' => (Token::Colon, 1),
        '!' if follows("=") => (Token::Compare(Op::Ne), 2),
        '!' => (Token::Bang, 1),
        '=' => (Token::Compare(Op::Eq), 1),
        '<' if follows("=") => (Token::Compare(Op::Le), 2),
        '<' => (Token::Compare(Op::Lt), 1),
        '>' if follows("=") => (Token::Compare(Op::Ge), 2),
        '>' => (Token::Compare(Op::Gt), 1),
        '@' => (Token::At, 1),
        '[' => (Token::OpenBracket, 1),
        ']' => (Token::CloseBracket, 1),
        '{' => (Token::OpenBrace, 1),
        '}' => (Token::CloseBrace, 1),
        '(' => (Token::OpenParen, 1),
        ')' => (Token::CloseParen, 1),
        '"' | '\'' => match rest[1..].find(c) {
            Some(end) => (Token::Quoted(&rest[1..=end]), end + 2),
            None => (Token::UnclosedString, rest.len()),
        },
        '.' if follows(".") => (Token::DotDot, 2),
        _ if is_name_start(c) => {
            let end = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
            (Token::Name(&rest[..end]), end)
        }
        _ => number(rest).unwrap_or(match c {
            '.' => (Token::Dot, 1),
            _ => (Token::Unknown(c), c.len_utf8()),
        }),
    }
}

/// A number as in XPath 1.0 with an optional sign: `-?(digits[.digits?] | .digits)`.
fn number(rest: &str) -> Option<(Token<'_>, usize)> {
    let digits = |from: usize| rest[from..].bytes().take_while(u8::is_ascii_digit).count();
    let sign = usize::from(rest.starts_with('-'));
    let whole = digits(sign);
    let mut end = sign + whole;
    let mut fraction = 0;
    if rest[end..].starts_with('.') {
        fraction = digits(end + 1);
        if whole > 0 || fraction > 0 {
            end += 1 + fraction;
        }
    }
    if whole + fraction == 0 {
        return None;
    }
    let value: f64 = rest[..end].parse().ok()?;
    Some((if value.is_finite() { Token::Number(value) } else { Token::HugeNumber }, end))
}

/// `NameStartChar` of XML 1.0 (fifth edition) without the colon.
pub(super) fn is_name_start(c: char) -> bool {
    matches!(c,
        'A'..='Z' | 'a'..='z' | '_'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}'
        | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

/// `NameChar` of XML 1.0 (fifth edition) without the colon.
pub(super) fn is_name_char(c: char) -> bool {
    is_name_start(c)
        || matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}'
            | '\u{203F}'..='\u{2040}')
}

/// Whether the text is a name without colon.
pub(super) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(is_name_start) && chars.all(is_name_char)
}
