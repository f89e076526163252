//! Encodings: found out from the first bytes and the XML declaration, turned into UTF-8 on the fly,
//! with offsets counted in the original bytes.

use encoding_rs::{Decoder, DecoderResult};

use super::attributes::malformed;
use super::wellformed::{self, is_space, show};
use crate::{Error, ErrorKind, Position};

/// Longest XML declaration, in bytes.
const LONGEST_DECLARATION: usize = 4096;
/// Bytes that are decoded at a time.
pub(super) const BLOCK: usize = 64 << 10;

/// How many bytes of the original input a piece of UTF-8 stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// As many: the input is UTF-8.
    Same,
    /// One for each character.
    OneByte,
    /// Two for each UTF-16 unit.
    TwoBytes,
}

impl Measure {
    #[inline(always)]
    pub(super) fn of(self, bytes: &[u8]) -> u64 {
        if self == Measure::Same { bytes.len() as u64 } else { self.count(bytes) }
    }

    #[cold]
    #[inline(never)]
    fn count(self, bytes: &[u8]) -> u64 {
        let characters = bytes.iter().filter(|b| **b & 0xC0 != 0x80).count() as u64;
        match self {
            Measure::TwoBytes => {
                2 * (characters + bytes.iter().filter(|b| **b >= 0xF0).count() as u64)
            }
            _ => characters,
        }
    }

    /// The index in `bytes` that lies `distance` bytes of the original input behind its start.
    pub(super) fn index(self, bytes: &[u8], distance: u64) -> usize {
        if self == Measure::Same {
            return usize::try_from(distance).map_or(bytes.len(), |d| d.min(bytes.len()));
        }
        let mut passed = 0;
        for (i, b) in bytes.iter().enumerate() {
            if *b & 0xC0 == 0x80 {
                continue;
            }
            if passed >= distance {
                return i;
            }
            passed += match self {
                Measure::TwoBytes if *b >= 0xF0 => 4,
                Measure::TwoBytes => 2,
                _ => 1,
            };
        }
        bytes.len()
    }
}

/// How the bytes behind the declaration become UTF-8.
pub(super) enum Coding {
    /// They are UTF-8.
    Utf8,
    /// They must be ASCII.
    Ascii,
    /// Each byte is the character of that number.
    Latin1,
    /// A table or UTF-16, by `encoding_rs`.
    Decoded(Box<Decoder>),
}

impl std::fmt::Debug for Coding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Coding::Utf8 => "Utf8",
            Coding::Ascii => "Ascii",
            Coding::Latin1 => "Latin1",
            Coding::Decoded(decoder) => decoder.encoding().name(),
        })
    }
}

/// What the start of a document says.
pub(super) struct Start {
    pub coding: Coding,
    pub measure: Measure,
    /// Bytes of the byte order mark.
    pub mark: usize,
    /// The XML declaration in UTF-8, empty when there is none, and its length in the input.
    pub declaration: Vec<u8>,
    pub consumed: usize,
    pub standalone: bool,
}

/// Looks at the first bytes of a document. `None`: more are needed. With `last` there are no more.
pub(super) fn start(head: &[u8], last: bool) -> Result<Option<Start>, Error> {
    if head.len() < 4 && !last {
        return Ok(None);
    }
    if matches!(head, [0xEF] | [0xEF, 0xBB]) {
        let message = "the document ends inside its byte order mark";
        return Err(Error::new(ErrorKind::Incomplete, message).at(Position::default()));
    }
    let (family, mark) = match head {
        [0xEF, 0xBB, 0xBF, ..] => ("UTF-8", 3),
        [0xFF, 0xFE, 0, 0, ..]
        | [0, 0, 0xFE, 0xFF, ..]
        | [0, 0, 0, b'<', ..]
        | [b'<', 0, 0, 0, ..] => {
            return Err(unsupported("UTF-32", 0));
        }
        [0xFE, 0xFF, ..] => ("UTF-16BE", 2),
        [0xFF, 0xFE, ..] => ("UTF-16LE", 2),
        [0, b'<', 0, _, ..] => ("UTF-16BE", 0),
        [b'<', 0, _, 0, ..] => ("UTF-16LE", 0),
        [0x4C, 0x6F, 0xA7, 0x94, ..] => return Err(unsupported("EBCDIC", 0)),
        _ => ("", 0),
    };
    let body = &head[mark..];
    let wide = family.starts_with("UTF-16");
    let text = if wide {
        ascii_of_wide(body, family == "UTF-16BE")
    } else {
        body[..body.len().min(LONGEST_DECLARATION + 1)].to_vec()
    };
    let Some(declaration) = find_declaration(&text, last, mark)? else { return Ok(None) };
    let width = if wide { 2 } else { 1 };
    let offset = |i: usize| (mark + width * i) as u64;
    let mut start = Start {
        coding: Coding::Utf8,
        measure: if wide { Measure::TwoBytes } else { Measure::Same },
        mark,
        declaration: declaration.to_vec(),
        consumed: mark + width * declaration.len(),
        standalone: false,
    };
    if wide {
        let encoding =
            if family == "UTF-16BE" { encoding_rs::UTF_16BE } else { encoding_rs::UTF_16LE };
        start.coding = Coding::Decoded(Box::new(encoding.new_decoder_without_bom_handling()));
    }
    if declaration.is_empty() {
        return Ok(Some(start));
    }
    let parsed = wellformed::declaration(declaration).map_err(|(i, m)| malformed(offset(i), m))?;
    start.standalone = parsed.standalone;
    if let Some(range) = parsed.encoding {
        let at = offset(range.start);
        let name = String::from_utf8_lossy(&declaration[range]).into_owned();
        declared(&mut start, family, &name, at)?;
    }
    Ok(Some(start))
}

/// Takes the declared encoding into account.
fn declared(start: &mut Start, family: &str, name: &str, at: u64) -> Result<(), Error> {
    let upper = name.to_ascii_uppercase();
    let contradiction = || {
        let message = format!(
            "the declared encoding `{}` contradicts the bytes, which are {family}",
            show(name.as_bytes())
        );
        Err(Error::new(ErrorKind::Encoding, message).at(Position {
            offset: at,
            line: 0,
            column: 0,
        }))
    };
    if !family.is_empty() {
        let generic = family.starts_with("UTF-16") && upper == "UTF-16";
        return if upper == family || generic || (family == "UTF-8" && upper == "UTF8") {
            Ok(())
        } else {
            contradiction()
        };
    }
    match upper.as_str() {
        "UTF-8" | "UTF8" => {}
        "US-ASCII" | "ASCII" | "ISO646-US" | "ISO_646.IRV:1991" | "ANSI_X3.4-1968" => {
            start.coding = Coding::Ascii;
        }
        "ISO-8859-1" | "ISO_8859-1" | "LATIN1" | "L1" | "ISO8859-1" | "ISO-LATIN-1" => {
            start.coding = Coding::Latin1;
            start.measure = Measure::OneByte;
        }
        "WINDOWS-1252" | "CP1252" | "CP-1252" => {
            let decoder = encoding_rs::WINDOWS_1252.new_decoder_without_bom_handling();
            start.coding = Coding::Decoded(Box::new(decoder));
            start.measure = Measure::OneByte;
        }
        "UTF-16" | "UTF-16LE" | "UTF-16BE" => {
            let message = format!(
                "the declared encoding `{name}` contradicts the bytes, which are not UTF-16"
            );
            return Err(Error::new(ErrorKind::Encoding, message).at(Position {
                offset: at,
                line: 0,
                column: 0,
            }));
        }
        _ => return Err(unsupported(name, at)),
    }
    Ok(())
}

fn unsupported(name: &str, offset: u64) -> Error {
    let message = format!("the encoding `{}` is not supported", show(name.as_bytes()));
    Error::new(ErrorKind::Encoding, message)
        .at(Position { offset, line: 0, column: 0 })
        .with_hint("convert the document to UTF-8 first, for instance with `iconv`")
}

/// The start of UTF-16 text, as much as a declaration may take; characters outside ASCII become
/// zero bytes, which no declaration holds.
fn ascii_of_wide(body: &[u8], big: bool) -> Vec<u8> {
    body.chunks_exact(2)
        .take(LONGEST_DECLARATION + 1)
        .map(|pair| {
            let unit = if big {
                u16::from_be_bytes([pair[0], pair[1]])
            } else {
                u16::from_le_bytes([pair[0], pair[1]])
            };
            u8::try_from(unit).ok().filter(u8::is_ascii).unwrap_or(0)
        })
        .collect()
}

/// The XML declaration at the start of `text`, empty if there is none, `None` if more is needed.
fn find_declaration(text: &[u8], last: bool, mark: usize) -> Result<Option<&[u8]>, Error> {
    const OPEN: &[u8] = b"<?xml";
    let prefix = text.len().min(OPEN.len());
    if text[..prefix] != OPEN[..prefix] || (last && text.len() < 6) {
        return Ok(Some(&[]));
    }
    match text.get(5) {
        None => return Ok(None),
        // A processing instruction whose target only starts like that, or `<?xml?>`.
        Some(b) if !is_space(*b) && *b != b'?' => return Ok(Some(&[])),
        Some(_) => {}
    }
    if let Some(end) = memchr::memmem::find(&text[5..], b"?>") {
        return Ok(Some(&text[..end + 7]));
    }
    if text.len() > LONGEST_DECLARATION {
        let message =
            format!("the XML declaration is longer than the limit of {LONGEST_DECLARATION} bytes");
        return Err(Error::new(ErrorKind::Limit, message).at(Position {
            offset: mark as u64,
            line: 0,
            column: 0,
        }));
    }
    if last {
        return Err(Error::new(
            ErrorKind::Incomplete,
            "the document ends inside the XML declaration",
        )
        .at(Position { offset: mark as u64, line: 0, column: 0 }));
    }
    Ok(None)
}

/// How many bytes are ASCII before one that is not.
pub(super) fn ascii_prefix(bytes: &[u8]) -> usize {
    encoding_rs::Encoding::ascii_valid_up_to(bytes)
}

/// Decodes the next bytes, at most a block of them, into `out`. Returns how many were taken, and
/// whether they follow the encoding: if not, the fault lies behind what is in `out`. `last`: there
/// are no more bytes.
pub(super) fn decode(
    coding: &mut Coding,
    bytes: &[u8],
    last: bool,
    out: &mut Vec<u8>,
) -> (usize, bool) {
    out.clear();
    match coding {
        Coding::Utf8 | Coding::Ascii => {
            out.extend_from_slice(bytes);
            (bytes.len(), true)
        }
        Coding::Latin1 => {
            let taken = bytes.len().min(BLOCK / 2);
            out.resize(2 * taken, 0);
            let written = encoding_rs::mem::convert_latin1_to_utf8(&bytes[..taken], out);
            out.truncate(written);
            (taken, true)
        }
        Coding::Decoded(decoder) => {
            out.resize(BLOCK, 0);
            let (result, taken, written) =
                decoder.decode_to_utf8_without_replacement(bytes, out, last);
            out.truncate(written);
            (taken, !matches!(result, DecoderResult::Malformed(..)))
        }
    }
}
