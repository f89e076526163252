//! Encodings: detection, decoding, offsets in the original bytes, contradictions.

use rpdt::ErrorKind;
use rpdt::input::{Checks, Encoding};

use super::log::{Event, failure, outcome, values, with};

fn utf16(text: &str, big: bool, mark: bool) -> Vec<u8> {
    let mark = if mark { "\u{feff}" } else { "" };
    let units = mark.encode_utf16().chain(text.encode_utf16());
    units.flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() }).collect()
}

fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1")).collect()
}

/// Events with their offsets mapped from those of the UTF-8 text.
fn mapped(text: &str, map: impl Fn(&str) -> u64) -> Vec<Event> {
    let (mut events, result) = outcome(&with(Checks::Strict), text.as_bytes());
    assert_eq!(result, Ok(()));
    let at = |offset: &mut u64| *offset = map(&text[..*offset as usize]);
    for event in &mut events {
        match event {
            Event::Start { start, end, .. } | Event::End { start, end, .. } => {
                at(start);
                at(end);
            }
            _ => {}
        }
    }
    events
}

const BODY: &str = "<élan a='ü'>\r\nGrüße &amp; mehr<b/><!-- é --><![CDATA[é]]><ß></ß></élan>\n";

#[test]
fn utf8_with_and_without_mark() {
    for declaration in ["", "<?xml version='1.0'?>", "<?xml version='1.0' encoding='utf-8'?>"] {
        for mark in ["", "\u{feff}"] {
            let text = format!("{mark}{declaration}{BODY}");
            assert_eq!(
                values(&with(Checks::Strict), text.as_bytes()),
                ["a=ü", "\nGrüße & mehr", "é"]
            );
        }
    }
}

#[test]
fn single_byte_encodings() {
    for name in ["ISO-8859-1", "iso-8859-1", "latin1", "windows-1252", "CP1252"] {
        let text = format!("<?xml version='1.0' encoding='{name}'?>{BODY}");
        let padding = " ".repeat(name.len() - 5);
        let plain = format!("<?xml version='1.0' encoding='UTF-8'{padding}?>{BODY}");
        for checks in [Checks::Fast, Checks::Strict] {
            let (events, result) = outcome(&with(checks), &latin1(&text));
            assert_eq!(result, Ok(()));
            assert_eq!(events, mapped(&plain, |t| t.chars().count() as u64), "{name}");
        }
    }
    let text = b"<?xml version='1.0' encoding='windows-1252'?><a>\x80\x93</a>";
    assert_eq!(values(&with(Checks::Fast), text), ["€“"]);
    let text = b"<?xml version='1.0' encoding='iso-8859-1'?><a>\xA4</a>";
    assert_eq!(values(&with(Checks::Fast), text), ["¤"]);
}

/// The bytes of a text in an encoding that can write all of it.
fn written(encoding: &'static encoding_rs::Encoding, text: &str) -> Vec<u8> {
    let (bytes, used, lossy) = encoding.encode(text);
    assert!(!lossy && used == encoding, "{} in {}", text, encoding.name());
    bytes.into_owned()
}

/// Every encoding that is known by name, with offsets in the original bytes, cut anywhere.
#[test]
fn encodings_by_their_declaration() {
    let bodies = [
        ("windows-1250", "żółć"),
        ("ISO-8859-2", "żółć"),
        ("windows-1251", "Привет"),
        ("KOI8-R", "Привет"),
        ("IBM866", "Привет"),
        ("ISO-8859-7", "αβγ"),
        ("windows-1254", "ığş"),
        ("ISO-8859-15", "œ€"),
        ("macintosh", "é∞"),
        ("TIS-620", "ไทย"),
        ("Shift_JIS", "日本ｱｲ語～"),
        ("EUC-JP", "日本ｱｲ語"),
        ("EUC-KR", "한국어"),
        ("Big5", "中文繁體"),
        ("GBK", "中文€简体"),
        ("gb2312", "中文"),
        ("GB18030", "中文€𠀀é🦀"),
    ];
    for (label, word) in bodies {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).expect(label);
        let body = format!("<a x='{word}'>{word} &amp; {word}<b/><!-- {word} --></a>\n");
        let declared = |name: &str| {
            let declaration = format!("<?xml version='1.0' encoding='{name}'");
            format!("{declaration:60}?>{body}")
        };
        let (text, plain) = (declared(label), declared("UTF-8"));
        let bytes = written(encoding, &text);
        let expected = mapped(&plain, |t| written(encoding, t).len() as u64);
        for checks in [Checks::Fast, Checks::Strict] {
            let (events, result) = outcome(&with(checks), &bytes);
            assert_eq!(result, Ok(()), "{label}");
            assert_eq!(events, expected, "{label}");
        }
        // What was asked for wins over what is declared.
        let lying = declared("US-ASCII");
        let mut asked = with(Checks::Strict);
        asked.encoding = Encoding::named(label);
        let (events, result) = outcome(&asked, &written(encoding, &lying));
        assert_eq!(result, Ok(()), "{label}");
        assert_eq!(events, expected, "{label}");
        let failure = failure(&with(Checks::Fast), &written(encoding, &lying));
        assert_eq!((failure.kind, failure.offset), (ErrorKind::Encoding, 68), "{label}");
        // A character that is cut off.
        let first = written(encoding, &word.chars().take(1).collect::<String>());
        if first.len() > 1 {
            let cut = [&bytes[..], &first[..1]].concat();
            let failure = super::log::failure(&with(Checks::Fast), &cut);
            assert_eq!((failure.kind, failure.offset), (ErrorKind::Incomplete, bytes.len() as u64));
            assert_eq!(failure.message, "the document ends in the middle of a character");
        }
    }
}

/// Characters with two forms: offsets behind them cannot be told, so there is an error.
#[test]
fn forms_in_which_offsets_cannot_be_told() {
    // The euro sign as two bytes, which GBK reads as well as the single byte 80.
    let euro = b"<?xml version='1.0' encoding='GBK'?><a>x\xA2\xE3</a>";
    // A kanji of JIS X 0212 that JIS X 0208 has with its extensions, too.
    let twice = (0xA1..=0xFE)
        .flat_map(|row| (0xA1..=0xFE).map(move |cell| [0x8F, row, cell]))
        .find(|bytes| {
            let text =
                encoding_rs::EUC_JP.decode_without_bom_handling_and_without_replacement(bytes);
            text.is_some_and(|text| !encoding_rs::EUC_JP.encode(&text).2)
        })
        .expect("there are some");
    let kanji = [b"<?xml version='1.0' encoding='EUC-JP'?><a>", &twice[..], b"</a>"].concat();
    for (document, name, place) in [(&euro[..], "GBK", 40), (&kanji, "EUC-JP", 42)] {
        let failure = failure(&with(Checks::Fast), document);
        let message =
            format!("a character is written in a form of {name} in which offsets cannot be told");
        assert_eq!(failure.message, message);
        assert_eq!((failure.kind, failure.offset), (ErrorKind::Encoding, place), "{failure:?}");
    }
    // Big5 has four pairs of bytes that are two characters each.
    let text = b"<?xml version='1.0' encoding='Big5'?><a>\x88\x62\x88\xA5</a>";
    assert_eq!(values(&with(Checks::Strict), text), ["\u{CA}\u{304}\u{EA}\u{30C}"]);
    let (events, _) = outcome(&with(Checks::Strict), text);
    assert!(matches!(events.last(), Some(Event::End { end, .. }) if *end == text.len() as u64));
}

/// The encoding that the user names, against marks and first bytes.
#[test]
fn encodings_that_were_asked_for() {
    let asked = |name: &str| {
        let mut config = with(Checks::Strict);
        config.encoding = Encoding::named(name);
        assert!(config.encoding.is_some(), "{name}");
        config
    };
    for (name, big, mark) in
        [("UTF-16", true, true), ("utf-16", false, true), ("UTF-16LE", false, false)]
    {
        let text = utf16(&format!("<?xml version='1.0' encoding='UTF-8'?>{BODY}"), big, mark);
        let (events, result) = outcome(&asked(name), &text);
        assert_eq!((result, events.is_empty()), (Ok(()), false), "{name}");
    }
    // White space comes first, so the bytes alone do not say that it is UTF-16.
    let (_, result) = outcome(&asked("UTF-16BE"), &utf16(" <a/>", true, false));
    assert_eq!(result, Ok(()));
    assert_eq!(values(&asked("iso-8859-1"), b"<a>\xE9</a>"), ["é"]);
    assert_eq!(values(&asked("utf-8"), "\u{feff}<a>é</a>".as_bytes()), ["é"]);
    for (name, document) in [
        ("iso-8859-1", "\u{feff}<a/>".as_bytes()),
        ("UTF-16LE", b"\xFE\xFF\0<\0a\0/\0>"),
        ("UTF-8", b"\xFF\xFE<\0a\0/\0>\0"),
    ] {
        let failure = failure(&asked(name), document);
        assert_eq!((failure.kind, failure.offset), (ErrorKind::Encoding, 0), "{name}");
        assert!(failure.message.contains("contradicts the byte order mark"), "{failure:?}");
    }
    for name in ["", "utf-32", "EBCDIC-CP-US", "ISO-2022-JP", "iso-2022-kr", "no such thing"] {
        assert_eq!(Encoding::named(name), None, "{name}");
    }
}

#[test]
fn utf16_both_ways() {
    let declared = "<?xml version='1.0' encoding='UTF-16'?>\n";
    for declaration in ["", declared] {
        for big in [false, true] {
            for mark in [false, true] {
                let text = format!("{declaration}{}", BODY.replace("mehr", "🦀 mehr"));
                let (events, result) = outcome(&with(Checks::Strict), &utf16(&text, big, mark));
                assert_eq!(result, Ok(()));
                let skipped = if mark { 2 } else { 0 };
                let expected = mapped(&text.replace("UTF-16'", "UTF-8' "), |t| {
                    2 * t.encode_utf16().count() as u64 + skipped
                });
                assert_eq!(events, expected, "big {big}, mark {mark}");
            }
        }
    }
}

#[test]
fn errors_carry_places_in_the_original() {
    let text = "<?xml version='1.0' encoding='ISO-8859-1'?>\n<é>\n ü</e>";
    let one = failure(&with(Checks::Fast), &latin1(text));
    assert_eq!((one.offset, one.line, one.column), (50, 3, 3), "{one:?}");
    let text = "<é>\n ü</e>";
    let two = failure(&with(Checks::Fast), &utf16(text, true, true));
    assert_eq!((two.offset, two.line, two.column), (14, 2, 5), "{two:?}");
    assert_eq!(two.message, "end tag `</e>` does not match start tag `<é>` opened at byte 2");
}

#[test]
fn refused() {
    for (document, offset, message) in [
        (
            &b"<?xml version='1.0' encoding='ISO-2022-JP'?><a/>"[..],
            30,
            "the encoding `ISO-2022-JP` is not supported",
        ),
        (
            b"<?xml version='1.0' encoding='UTF-16'?><a/>",
            30,
            "the declared encoding `UTF-16` contradicts the bytes, which are not UTF-16",
        ),
        (
            b"\xEF\xBB\xBF<?xml version='1.0' encoding='ISO-8859-1'?><a/>",
            33,
            "the declared encoding `ISO-8859-1` contradicts the bytes, which are UTF-8",
        ),
        (b"\xFF\xFE\0\0<\0\0\0", 0, "the encoding `UTF-32` is not supported"),
        (b"\0\0\0<\0\0\0a", 0, "the encoding `UTF-32` is not supported"),
        (b"\x4C\x6F\xA7\x94", 0, "the encoding `EBCDIC` is not supported"),
        (
            b"<?xml version='1.0' encoding='US-ASCII'?><a>x\xE9</a>",
            45,
            "bytes that the encoding US-ASCII does not allow",
        ),
        (b"\xFE\xFF\0<\0a\0>\xD8\0\0x", 8, "bytes that the encoding UTF-16BE does not allow"),
        (b"<a>\xE9</a>", 3, "not valid UTF-8"),
        (b"<a b='\xE9'/>", 6, "not valid UTF-8"),
        (b"<a>x\xC0\x80</a>", 4, "not valid UTF-8"),
        (b"<a><![CDATA[\xFF]]></a>", 12, "not valid UTF-8"),
        (b"<a>\xED\xA0\x80</a>", 3, "not valid UTF-8"),
    ] {
        let shown = document.escape_ascii();
        let failure = failure(&with(Checks::Fast), document);
        assert_eq!(failure.kind, ErrorKind::Encoding, "{shown}");
        assert_eq!((failure.offset, failure.message.as_str()), (offset, message), "{shown}");
    }
    for cut in [&b"\xFE\xFF\0<\0a\0/\0>\0"[..], b"\xFE\xFF\0<\0a\0/\0>\xD8\x34"] {
        let failure = failure(&with(Checks::Fast), cut);
        assert_eq!((failure.kind, failure.offset), (ErrorKind::Incomplete, 10));
        assert_eq!(failure.message, "the document ends in the middle of a character");
    }
    let declared = "<?xml version='1.0' encoding='UTF-8'?><a/>";
    let failure = failure(&with(Checks::Fast), &utf16(declared, false, true));
    assert_eq!(
        failure.message,
        "the declared encoding `UTF-8` contradicts the bytes, which are UTF-16LE"
    );
    assert_eq!((failure.kind, failure.offset), (ErrorKind::Encoding, 62));
}

/// Larger than the decoder's blocks, so that tags and characters straddle them.
#[test]
fn long_documents_are_decoded_in_blocks() {
    let mut text = "<?xml version='1.0' encoding='ISO-8859-1'?><a>".to_owned();
    for i in 0..20_000 {
        text += &format!("<é i='{i}'>ü&amp;</é>");
    }
    text += "</a>";
    let plain = text.replace("ISO-8859-1", "UTF-8     ").replace("UTF-8     '", "UTF-8'     ");
    let (events, result) = super::log::run(&with(Checks::Strict), [&latin1(&text)[..]]);
    assert_eq!(result, Ok(()));
    let last = events.last();
    let expected = text.chars().count() as u64;
    assert_eq!(
        last,
        Some(&Event::End { start: expected - 4, end: expected, raw: "</a>".to_owned() })
    );
    assert_eq!(events.len(), super::log::run(&with(Checks::Strict), [plain.as_bytes()]).0.len());
}
