//! Encodings: found out from the first bytes and the XML declaration, turned into UTF-8 on the fly,
//! with offsets counted in the original bytes.

use encoding_rs::{Decoder, DecoderResult};

use super::attributes::malformed;
pub(super) use super::measure::Measure;
use super::measure::Several;
use super::wellformed::{self, is_space, show};
use crate::{Error, ErrorKind, Position};

/// Longest XML declaration, in bytes.
const LONGEST_DECLARATION: usize = 4096;
/// Bytes that are decoded at a time.
pub(super) const BLOCK: usize = 64 << 10;

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

/// An encoding by its name, to read a document in whatever its declaration says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding(Named);

/// What names of encodings stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Utf8,
    /// `UTF-16`, or with the order of bytes.
    Utf16(Option<&'static encoding_rs::Encoding>),
    Ascii,
    Latin1,
    Other(&'static encoding_rs::Encoding, Measure),
}

impl Encoding {
    /// The encoding of a name as it may stand in an XML declaration, in upper or lower case:
    /// `UTF-8`, `UTF-16`, `US-ASCII`, `ISO-8859-1` and every label of the WHATWG's Encoding Standard
    /// but those of `ISO-2022-JP` (in which offsets cannot be told) and of encodings that the
    /// standard itself refuses. `None`: it is not known.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let named = match name.to_ascii_uppercase().as_str() {
            "UTF-8" | "UTF8" => Named::Utf8,
            "UTF-16" => Named::Utf16(None),
            // The standard would read these two as Windows-1252.
            "US-ASCII" | "ASCII" | "ISO646-US" | "ISO_646.IRV:1991" | "ANSI_X3.4-1968" => {
                Named::Ascii
            }
            "ISO-8859-1" | "ISO_8859-1" | "LATIN1" | "L1" | "ISO8859-1" | "ISO-LATIN-1" => {
                Named::Latin1
            }
            "CP-1252" => Named::Other(encoding_rs::WINDOWS_1252, Measure::OneByte),
            _ => {
                let encoding = encoding_rs::Encoding::for_label(name.as_bytes())?;
                if encoding == encoding_rs::UTF_8 {
                    Named::Utf8
                } else if [encoding_rs::UTF_16BE, encoding_rs::UTF_16LE].contains(&encoding) {
                    Named::Utf16(Some(encoding))
                } else if encoding.is_single_byte() {
                    Named::Other(encoding, Measure::OneByte)
                } else {
                    Named::Other(encoding, Measure::Several(Several::of(encoding)?))
                }
            }
        };
        Some(Encoding(named))
    }

    fn coding(self) -> (Coding, Measure) {
        match self.0 {
            Named::Utf8 => (Coding::Utf8, Measure::Same),
            Named::Ascii => (Coding::Ascii, Measure::Same),
            Named::Latin1 => (Coding::Latin1, Measure::OneByte),
            Named::Utf16(order) => {
                (decoded(order.unwrap_or(encoding_rs::UTF_16BE)), Measure::TwoBytes)
            }
            Named::Other(encoding, measure) => (decoded(encoding), measure),
        }
    }
}

fn decoded(encoding: &'static encoding_rs::Encoding) -> Coding {
    Coding::Decoded(Box::new(encoding.new_decoder_without_bom_handling()))
}

/// Looks at the first bytes of a document. `None`: more are needed. With `last` there are no more.
/// `asked`: what the user says about the encoding.
pub(super) fn start(
    head: &[u8],
    last: bool,
    asked: Option<Encoding>,
) -> Result<Option<Start>, Error> {
    if head.len() < 4 && !last {
        return Ok(None);
    }
    if matches!(head, [0xEF] | [0xEF, 0xBB]) {
        let message = "the document ends inside its byte order mark";
        return Err(Error::new(ErrorKind::Incomplete, message).at(Position::default()));
    }
    let (mut family, mark) = match head {
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
        [0x4C, 0x6F, 0xA7, 0x94, ..] if asked.is_none() => return Err(unsupported("EBCDIC", 0)),
        _ => ("", 0),
    };
    if let Some(asked) = asked {
        family = agreed(asked, family, mark)?;
    }
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
    if let Some(asked) = asked {
        (start.coding, start.measure) = asked.coding();
    }
    if wide {
        let big = family == "UTF-16BE";
        start.coding = decoded(if big { encoding_rs::UTF_16BE } else { encoding_rs::UTF_16LE });
    }
    if declaration.is_empty() {
        return Ok(Some(start));
    }
    let parsed = wellformed::declaration(declaration).map_err(|(i, m)| malformed(offset(i), m))?;
    start.standalone = parsed.standalone;
    if let Some(range) = parsed.encoding
        && asked.is_none()
    {
        let at = offset(range.start);
        let name = String::from_utf8_lossy(&declaration[range]).into_owned();
        declared(&mut start, family, &name, at)?;
    }
    Ok(Some(start))
}

/// The family of the encoding that the user asked for, given what the bytes look like; a byte order
/// mark must not contradict it.
fn agreed(asked: Encoding, family: &'static str, mark: usize) -> Result<&'static str, Error> {
    let named = match asked.0 {
        Named::Utf8 => "UTF-8",
        Named::Utf16(Some(order)) => order.name(),
        Named::Utf16(None) if family.starts_with("UTF-16") => return Ok(family),
        Named::Utf16(None) => "UTF-16BE",
        Named::Ascii | Named::Latin1 | Named::Other(..) => "",
    };
    if mark > 0 && named != family {
        let message = format!(
            "the encoding that was asked for contradicts the byte order mark, which is that of {family}"
        );
        return Err(Error::new(ErrorKind::Encoding, message).at(Position::default()));
    }
    Ok(named)
}

/// Takes the declared encoding into account.
fn declared(start: &mut Start, family: &str, name: &str, at: u64) -> Result<(), Error> {
    let place = Position { offset: at, line: 0, column: 0 };
    let contradiction = |bytes: &str| {
        let shown = show(name.as_bytes());
        let message =
            format!("the declared encoding `{shown}` contradicts the bytes, which are {bytes}");
        let error = Error::new(ErrorKind::Encoding, message).at(place);
        Err(match Encoding::named(bytes) {
            Some(_) => error.with_hint(format!("`--encoding {bytes}` reads it nevertheless")),
            None => error,
        })
    };
    let Some(encoding) = Encoding::named(name) else { return Err(unsupported(name, at)) };
    let same = match encoding.0 {
        Named::Utf8 => family == "UTF-8",
        Named::Utf16(None) => family.starts_with("UTF-16"),
        Named::Utf16(Some(order)) => family == order.name(),
        Named::Ascii | Named::Latin1 | Named::Other(..) => false,
    };
    if family.is_empty() {
        if let Named::Utf16(_) = encoding.0 {
            return contradiction("not UTF-16");
        }
        (start.coding, start.measure) = encoding.coding();
        return Ok(());
    }
    if same { Ok(()) } else { contradiction(family) }
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

/// Whether bytes follow their encoding; if not, the fault lies behind what they were decoded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decoded {
    Fine,
    Malformed,
    /// They do, but their number does not follow from the character.
    Unmeasured,
}

/// Decodes the next bytes, at most a block of them, into `out`. Returns how many were taken.
/// `last`: there are no more bytes.
pub(super) fn decode(
    coding: &mut Coding,
    bytes: &[u8],
    last: bool,
    out: &mut Vec<u8>,
) -> (usize, Decoded) {
    out.clear();
    match coding {
        Coding::Utf8 | Coding::Ascii => {
            out.extend_from_slice(bytes);
            (bytes.len(), Decoded::Fine)
        }
        Coding::Latin1 => {
            let taken = bytes.len().min(BLOCK / 2);
            out.resize(2 * taken, 0);
            let written = encoding_rs::mem::convert_latin1_to_utf8(&bytes[..taken], out);
            out.truncate(written);
            (taken, Decoded::Fine)
        }
        Coding::Decoded(decoder) => {
            out.resize(BLOCK, 0);
            let (result, taken, written) =
                decoder.decode_to_utf8_without_replacement(bytes, out, last);
            out.truncate(written);
            let malformed = matches!(result, DecoderResult::Malformed(..));
            (taken, if malformed { Decoded::Malformed } else { Decoded::Fine })
        }
    }
}

/// The same for encodings of several bytes a character, character by character, so that it is known
/// how many bytes each has: some have two forms of different length. `held`: bytes of a character
/// that were taken before.
pub(super) fn decode_several(
    coding: &mut Coding,
    measure: Measure,
    (bytes, last): (&[u8], bool),
    held: &mut u64,
    out: &mut Vec<u8>,
) -> (usize, Decoded) {
    out.clear();
    let Coding::Decoded(decoder) = coding else { return decode(coding, bytes, last, out) };
    let mut character = [0; 16];
    let mut at = 0;
    while at < bytes.len() && out.len() < BLOCK {
        if *held == 0 {
            let ascii = ascii_prefix(&bytes[at..bytes.len().min(at + BLOCK)]);
            if ascii > 0 {
                out.extend_from_slice(&bytes[at..at + ascii]);
                at += ascii;
                continue;
            }
        }
        let (result, taken, written) =
            decoder.decode_to_utf8_without_replacement(&bytes[at..at + 1], &mut character, false);
        at += taken;
        *held += taken as u64;
        if let DecoderResult::Malformed(..) = result {
            return (at, Decoded::Malformed);
        }
        if written > 0 {
            if measure.of(&character[..written]) != *held {
                return (at, Decoded::Unmeasured);
            }
            out.extend_from_slice(&character[..written]);
            *held = 0;
        }
    }
    let cut = last && at == bytes.len() && *held > 0;
    (at, if cut { Decoded::Malformed } else { Decoded::Fine })
}
