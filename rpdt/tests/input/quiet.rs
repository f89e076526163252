//! Elements of which a handler needs its symbols alone: what it sees of the others is the same.

use std::collections::HashSet;

use proptest::prelude::*;
use rpdt::input::{Checks, ScannerSource};

use super::alike::{seen, seen_alike};
use super::log::with;

/// Elements with quiet ones among them; `</>` ends the innermost.
const PIECES: &[&str] = &[
    "<q>",
    "<q>",
    "<a>",
    "<quiet x='1'>",
    "<q-name-of-twenty-six-bytes>",
    "<q-name-of-quite-thirty-1-bytes>",
    "<q-name-of-quite-thirty-two-bytes>",
    "<q-name-of-quite-thirty-three-byte>",
    "<s>",
    "</>",
    "</>",
    "</>",
    "</>",
    "</>",
    "<q/>",
    "<a/>",
    "<q x=\"/>\"/>",
    "<q></q>",
    "<q>text</q>",
    "<q x='>'>text</q>",
    "<qé>x</qé>",
    "<q>é</q>",
    "<q x='é'>中文，文&lt;é&amp;]</q>",
    "<q x='é&lt;]'>\u{FFFD}&quot;&apos;&gt;]]</q>",
    "<q>&ltx;",
    "<q>\u{FFFE}</q>",
    "<q>]]</q >",
    "<q\n>&amp;</q>",
    "<!--<q>-->",
    "<![CDATA[</q>]]>",
    "text",
    "text that is longer than the sixty-four bytes of a block, so that there is one without a tag",
];

fn document(pieces: &[&str]) -> String {
    let mut text = "<a>".to_owned();
    let mut open = vec!["a"];
    for piece in pieces {
        let name = piece.strip_prefix('<').unwrap_or_default();
        if *piece == "</>" {
            if open.len() > 1 {
                text.extend(["</", open.pop().unwrap_or_default(), ">"]);
            }
            continue;
        }
        text.push_str(piece);
        if piece.ends_with('>') && piece.matches('<').count() == 1 && !piece.ends_with("/>") {
            open.push(name.split([' ', '\n', '>']).next().unwrap_or_default());
        }
    }
    while let Some(name) = open.pop() {
        text.extend(["</", name, ">"]);
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn what_is_shown_is_the_same(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..120),
        places in prop::collection::vec(any::<usize>(), 0..3),
        damage in prop::option::of((any::<usize>(), prop::sample::select(&b"<>/&;]\"'x \xFF\xEF\xBF\xC3"[..]))),
    ) {
        let mut bytes = document(&pieces).into_bytes();
        if let Some((place, byte)) = damage {
            let at = place % bytes.len();
            bytes[at] = byte;
        }
        let mut places: Vec<usize> = places.iter().map(|p| p % (bytes.len() + 1)).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let cut = places.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
        let same = seen_alike(&bytes, &[cut]);
        prop_assert!(same.is_ok(), "{}", same.unwrap_err());
    }
}

/// The scanner looks at text in stretches of up to 8 KiB, whose first and last characters may be cut
/// through; faults are found wherever they are.
#[test]
fn faults_at_the_borders_of_stretches() {
    for filler in ["я", "文", "𝄞", "x"] {
        let text = filler.repeat(6_000 / filler.len());
        let mut document = "<a>".to_owned();
        for _ in 0..3 {
            document.extend(["<q>", &text, "</q>"]);
        }
        document.push_str("</a>");
        let whole = document.as_bytes();
        assert_eq!(seen_alike(whole, &[]), Ok(()));
        for border in [1024, 7168, 15_360] {
            for at in border - 4..border + 2 {
                for fault in [&b"\xFF"[..], b"\xEF\xBF\xBE", b"]]>", b"\x80", b"&lt", b"\x01"] {
                    let bytes = [&whole[..at], fault, &whole[at + fault.len()..]].concat();
                    let same = seen_alike(&bytes, &[vec![&bytes[..border], &bytes[border..]]]);
                    assert!(same.is_ok(), "{filler} {at} {fault:?}: {}", same.unwrap_err());
                }
            }
        }
    }
}

/// More names than the hot path remembers, and such as agree in all but their last bytes.
#[test]
fn many_names() {
    let mut text = "<a>".to_owned();
    let mut names = HashSet::new();
    for round in 0..2 {
        for n in 0..3000 {
            let name = format!("q-with-a-prefix-of-its-own-{n}");
            text.push_str(&match (n + round) % 3 {
                0 => format!("<{name}/>"),
                1 => format!("<{name}>t</{name}>"),
                _ => format!("<{name} x='y'><q/></{name}>"),
            });
            names.insert(name);
        }
    }
    text.push_str("</a>");
    assert_eq!(names.len(), 3000);
    let document = text.as_bytes();
    for portable in [false, true] {
        let source = if portable { ScannerSource::portable } else { ScannerSource::new };
        let (events, result) = seen(source(with(Checks::Fast)), &[document], false);
        assert_eq!(events.len(), 2);
        assert_eq!(result.map(|counts| (counts.1, counts.2)), Ok((3, 6000 + 2000)));
    }
}
