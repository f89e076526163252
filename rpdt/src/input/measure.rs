//! How offsets in the original bytes follow from the UTF-8 that a document was turned into.

use encoding_rs::{EncoderResult, Encoding};

/// How many bytes of the original input a piece of UTF-8 stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// As many: the input is UTF-8.
    Same,
    /// One for each character.
    OneByte,
    /// Two for each UTF-16 unit.
    TwoBytes,
    /// As many as the character has in an encoding of several bytes.
    Several(Several),
}

/// An encoding of one to four bytes a character, ASCII being single bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Several {
    Big5,
    EucJp,
    EucKr,
    Gb18030,
    /// The same but for the euro sign, which is the single byte 80.
    Gbk,
    ShiftJis,
}

impl Several {
    pub(super) fn of(encoding: &'static Encoding) -> Option<Self> {
        let all = [
            (encoding_rs::BIG5, Several::Big5),
            (encoding_rs::EUC_JP, Several::EucJp),
            (encoding_rs::EUC_KR, Several::EucKr),
            (encoding_rs::GB18030, Several::Gb18030),
            (encoding_rs::GBK, Several::Gbk),
            (encoding_rs::SHIFT_JIS, Several::ShiftJis),
        ];
        all.into_iter().find(|(known, _)| *known == encoding).map(|(_, several)| several)
    }

    /// Bytes of a character. Where there are several ways to write it, of the one that is used; the
    /// caller finds out whether it was ([`Measure::Several`]).
    fn bytes(self, character: char) -> u64 {
        match (self, character) {
            (_, '\0'..='\x7F') => 1,
            (Several::ShiftJis, '\u{80}' | '\u{FF61}'..='\u{FF9F}') => 1,
            // The second half of what two bytes stand for.
            (Several::Big5, '\u{304}' | '\u{30C}') => 0,
            (Several::Big5 | Several::EucKr | Several::ShiftJis, _) => 2,
            (Several::EucJp, '\u{FF61}'..='\u{FF9F}') => 2,
            (Several::EucJp, _) => encoded(encoding_rs::EUC_JP, character).unwrap_or(3),
            (Several::Gbk, '\u{20AC}') => 1,
            (Several::Gb18030 | Several::Gbk, _) => {
                encoded(encoding_rs::GB18030, character).unwrap_or(2)
            }
        }
    }
}

/// How many bytes an encoding has for a character, if it has it.
fn encoded(encoding: &'static Encoding, character: char) -> Option<u64> {
    let (mut text, mut bytes) = ([0; 4], [0; 16]);
    let text = character.encode_utf8(&mut text);
    let mut encoder = encoding.new_encoder();
    let (result, _, written) = encoder.encode_from_utf8_without_replacement(text, &mut bytes, true);
    matches!(result, EncoderResult::InputEmpty).then_some(written as u64)
}

impl Measure {
    #[inline(always)]
    pub(super) fn of(self, bytes: &[u8]) -> u64 {
        if self == Measure::Same { bytes.len() as u64 } else { self.count(bytes) }
    }

    #[cold]
    #[inline(never)]
    fn count(self, bytes: &[u8]) -> u64 {
        if let Measure::Several(several) = self {
            let valid = bytes.utf8_chunks().flat_map(|chunk| chunk.valid().chars());
            return valid.map(|c| several.bytes(c)).sum();
        }
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
        if let Measure::Several(several) = self {
            let text = String::from_utf8_lossy(bytes);
            let place = text.char_indices().find(|(_, c)| {
                let here = passed >= distance;
                passed += several.bytes(*c);
                here
            });
            return place.map_or(bytes.len(), |(i, _)| i);
        }
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
