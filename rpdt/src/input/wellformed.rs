//! What XML 1.0 (fifth edition) says about characters, names and the XML declaration.

use std::ops::Range;

const SPACE: u8 = 1;
const NAME_START: u8 = 2;
const NAME: u8 = 4;

/// Classes of bytes. Every byte above 0x7F counts as part of a name here: which characters outside
/// ASCII may stand in names is looked at by [`is_name`] alone.
static CLASS: [u8; 256] = {
    let mut table = [0u8; 256];
    let mut b = 0;
    while b < 256 {
        let c = b as u8;
        table[b] = match c {
            b' ' | b'\t' | b'\r' | b'\n' => SPACE,
            b':' | b'_' | b'A'..=b'Z' | b'a'..=b'z' | 0x80..=0xFF => NAME_START | NAME,
            b'-' | b'.' | b'0'..=b'9' => NAME,
            _ => 0,
        };
        b += 1;
    }
    table
};

#[inline(always)]
pub(super) fn is_space(b: u8) -> bool {
    CLASS[b as usize] & SPACE != 0
}

#[inline(always)]
pub(super) fn starts_name(b: u8) -> bool {
    CLASS[b as usize] & NAME_START != 0
}

#[inline(always)]
pub(super) fn in_name(b: u8) -> bool {
    CLASS[b as usize] & NAME != 0
}

fn is_name_start_char(c: char) -> bool {
    matches!(c,
        ':' | '_' | 'A'..='Z' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}'
        | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}'
        | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}'
        | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}'
        | '\u{10000}'..='\u{EFFFF}')
}

fn is_name_char(c: char) -> bool {
    is_name_start_char(c)
        || matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

/// Whether the bytes are a Name of XML 1.0, fifth edition.
pub(super) fn is_name(bytes: &[u8]) -> bool {
    if bytes.is_ascii() {
        return bytes.first().is_some_and(|b| starts_name(*b)) && bytes.iter().all(|b| in_name(*b));
    }
    let Ok(name) = std::str::from_utf8(bytes) else { return false };
    name.starts_with(is_name_start_char) && name.chars().all(is_name_char)
}

/// Whether the bytes are a Nmtoken.
pub(super) fn is_nmtoken(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_name_char)
}

/// Whether XML allows the character at all.
pub(super) fn is_char(c: char) -> bool {
    !matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

/// The index of the first character that XML forbids. The bytes are valid UTF-8.
#[inline]
pub(super) fn forbidden_char(bytes: &[u8]) -> Option<usize> {
    // Sixteen at a time, so that the compiler makes vector code of it.
    let (blocks, rest) = bytes.as_chunks::<16>();
    let mut seen = 0;
    for block in blocks {
        seen |= block.iter().fold(0, |seen, b| seen | is_suspicious(*b));
    }
    seen |= rest.iter().fold(0, |seen, b| seen | is_suspicious(*b));
    if seen == 0 { None } else { find_forbidden_char(bytes) }
}

/// 1 for control characters but tab and line ends, and for the byte that U+FFFE starts with.
#[inline(always)]
fn is_suspicious(b: u8) -> u8 {
    (u8::from(b < b' ') & u8::from(b != b'\t') & u8::from(b != b'\n') & u8::from(b != b'\r'))
        | u8::from(b == 0xEF)
}

#[cold]
fn find_forbidden_char(bytes: &[u8]) -> Option<usize> {
    (0..bytes.len()).find(|i| match bytes[*i] {
        // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
        0xEF => matches!(bytes[*i..], [_, 0xBF, 0xBE | 0xBF, ..]),
        b => is_suspicious(b) != 0,
    })
}

/// How an error message shows a character.
pub(super) fn show_char(bytes: &[u8]) -> String {
    let c = std::str::from_utf8(bytes)
        .ok()
        .or_else(|| bytes.get(..3).and_then(|b| std::str::from_utf8(b).ok()))
        .and_then(|s| s.chars().next())
        .map_or_else(|| u32::from(bytes[0]), u32::from);
    format!("U+{c:04X}")
}

/// How an error message shows a name or another piece of the document: cut when it is long.
pub(super) fn show(bytes: &[u8]) -> String {
    const MOST: usize = 60;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST + 4)]);
    let mut shown: String = text
        .chars()
        .take(MOST)
        .flat_map(|c| {
            let control = c.is_control();
            c.escape_default()
                .take(if control { usize::MAX } else { 0 })
                .chain((!control).then_some(c))
        })
        .collect();
    if text.chars().nth(MOST).is_some() || bytes.len() > MOST + 4 {
        shown.push('…');
    }
    shown
}

/// The XML declaration.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Declaration {
    /// Where the encoding's name is, in the bytes that were parsed.
    pub encoding: Option<Range<usize>>,
    pub standalone: bool,
}

/// Parses `<?xml ... ?>`, the whole of `raw`. The error is a place in `raw` and a message.
pub(super) fn declaration(raw: &[u8]) -> Result<Declaration, (usize, String)> {
    let end = raw.len() - 2;
    let mut at = 5;
    let mut found = Declaration::default();
    // How far we are: 0 wants `version`, 1 `encoding` or later, 2 `standalone`, 3 the end.
    let mut stage = 0;
    loop {
        let gap = at;
        while at < end && is_space(raw[at]) {
            at += 1;
        }
        if at == end {
            break;
        }
        let name_at = at;
        while at < end && in_name(raw[at]) {
            at += 1;
        }
        let name = &raw[name_at..at];
        let rank =
            match name {
                b"version" => 0,
                b"encoding" => 1,
                b"standalone" => 2,
                _ => return Err((
                    name_at,
                    "only `version`, `encoding` and `standalone` may stand in the XML declaration"
                        .into(),
                )),
            };
        if gap == name_at {
            return Err((
                name_at,
                format!("white space is missing before `{}` in the XML declaration", show(name)),
            ));
        }
        if stage == 0 && rank != 0 {
            return Err((name_at, "the XML declaration must start with `version`".into()));
        }
        if rank < stage {
            return Err((
                name_at,
                format!("`{}` is out of place in the XML declaration", show(name)),
            ));
        }
        stage = rank + 1;
        let value = quoted(raw, &mut at, end).ok_or_else(|| {
            (at, format!("`{}` of the XML declaration needs a quoted value", show(name)))
        })?;
        let text = &raw[value.clone()];
        let fine = match rank {
            0 => {
                text.len() > 2
                    && text.starts_with(b"1.")
                    && text[2..].iter().all(u8::is_ascii_digit)
            }
            1 => {
                text.first().is_some_and(u8::is_ascii_alphabetic)
                    && text.iter().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(b))
            }
            _ => text == b"yes" || text == b"no",
        };
        if !fine {
            return Err((
                value.start,
                format!(
                    "`{}` is not a possible value of `{}` in the XML declaration",
                    show(text),
                    show(name)
                ),
            ));
        }
        match rank {
            1 => found.encoding = Some(value),
            2 => found.standalone = text == b"yes",
            _ => {}
        }
    }
    if stage == 0 {
        return Err((at, "the XML declaration has no `version`".into()));
    }
    Ok(found)
}

/// `= "..."`: the range between the quotes.
fn quoted(raw: &[u8], at: &mut usize, end: usize) -> Option<Range<usize>> {
    let skip = |at: &mut usize| {
        while *at < end && is_space(raw[*at]) {
            *at += 1;
        }
    };
    skip(at);
    if raw[*at] != b'=' {
        return None;
    }
    *at += 1;
    skip(at);
    let quote = raw[*at];
    if *at >= end || !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let from = *at + 1;
    let len = memchr::memchr(quote, raw.get(from..end)?)?;
    *at = from + len + 1;
    Some(from..from + len)
}
