//! Random documents in random chunks: the events are those of a model, and always the same.

use proptest::prelude::*;
use rpdt::ErrorKind;
use rpdt::input::{Checks, Interest, TagSource};

use super::alike::{alike, cut};
use super::log::{Event, Log, feed, outcome, run, scanned_alike, with};

/// A document as the model knows it.
#[derive(Clone, Debug)]
enum Node {
    Element {
        name: &'static str,
        attributes: Vec<(&'static str, Piece)>,
        space: &'static str,
        children: Vec<Node>,
    },
    Text(Piece),
    Cdata(&'static str),
    Markup(&'static str),
}

/// Something as it is written, and what it means.
type Piece = (&'static str, &'static str);

const TEXTS: &[Piece] = &[
    ("plain text", "plain text"),
    ("\n  ", "\n  "),
    ("a\r\nb\rc\r", "a\nb\nc\n"),
    ("&lt;&amp;&#x20AC;&#65;", "<&€A"),
    ("Grüße, 日本語, 🦀", "Grüße, 日本語, 🦀"),
    ("> ]] ]> ] > '\"", "> ]] ]> ] > '\""),
    ("\r&#13;", "\n\r"),
];
const VALUES: &[Piece] = &[
    ("", ""),
    ("x", "x"),
    ("a > b / '", "a > b / '"),
    ("/>", "/>"),
    ("&quot;&#x3c;&apos;", "\"<'"),
    ("l1\r\nl2\tl3\n", "l1 l2 l3 "),
    ("é🦀&#10;", "é🦀\n"),
];
const CDATA: &[&str] = &["", "x", "<a>&amp;</a>", "]]", "]] >]", "]>", "é🦀]]]"];
const MARKUP: &[&str] =
    &["<!---->", "<!-- > -> <a> - -->", "<?p?>", "<?p ?x>> ?>", "<!--é🦀-->", "<!--\r\n-->"];
const NAMES: &[&str] =
    &["a", "skip", "tags", "b:c", "élément", "exactly8", "longer-than-eight", "longer-than-seven"];

fn node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        prop::sample::select(TEXTS).prop_map(Node::Text),
        prop::sample::select(CDATA).prop_map(Node::Cdata),
        prop::sample::select(MARKUP).prop_map(Node::Markup),
        element(Just(Vec::new()).boxed()),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| element(prop::collection::vec(inner, 0..6).boxed()))
}

fn element(children: BoxedStrategy<Vec<Node>>) -> impl Strategy<Value = Node> {
    let attributes = prop::collection::btree_map(
        prop::sample::select(&["x", "y", "xml:lang", "é"][..]),
        prop::sample::select(VALUES),
        0..3,
    );
    let space = prop::sample::select(&["", " ", "\n\t"][..]);
    (prop::sample::select(NAMES), attributes, space, children).prop_map(
        |(name, attributes, space, children)| Node::Element {
            name,
            attributes: attributes.into_iter().collect(),
            space,
            children,
        },
    )
}

fn document() -> impl Strategy<Value = (String, Vec<Event>)> {
    let prolog = prop::sample::select(
        &[
            "",
            "\u{feff}",
            "<?xml version='1.0'?>",
            "\u{feff}<?xml version=\"1.0\" encoding='utf-8' ?>\r\n<!-- x -->\n",
        ][..],
    );
    let epilog = prop::sample::select(&["", "\n", " <!-- é --> <?x y?>\r\n"][..]);
    (prolog, element(prop::collection::vec(node(), 0..8).boxed()), epilog).prop_map(
        |(prolog, root, epilog)| {
            let mut text = prolog.to_owned();
            let mut events = Vec::new();
            write(&root, 1, Interest::TAGS, &mut text, &mut events);
            text.push_str(epilog);
            (text, events)
        },
    )
}

/// Renders a node and what a [`Log`] must say about it. `seen`: what its parent shows.
fn write(node: &Node, depth: usize, seen: Interest, text: &mut String, events: &mut Vec<Event>) {
    let at = text.len();
    let shown = seen == Interest::CONTENT;
    match node {
        Node::Text((raw, value)) => {
            text.push_str(raw);
            if shown {
                push_text(events, raw, value);
            }
        }
        Node::Cdata(value) => {
            text.extend(["<![CDATA[", value, "]]>"]);
            if shown {
                push_text(events, &text[at..], value);
            }
        }
        Node::Markup(raw) => {
            text.push_str(raw);
            if shown {
                events.push(Event::Markup((*raw).to_owned()));
            }
        }
        Node::Element { name, attributes, space, children } => {
            text.extend(["<", name]);
            for (name, (raw, _)) in attributes {
                let quote = if raw.contains('\'') { "\"" } else { "'" };
                text.extend([" ", name, space, "=", space, quote, raw, quote]);
            }
            let empty = children.is_empty() && name.len() % 2 == 0;
            text.extend([*space, if empty { "/>" } else { ">" }]);
            if seen != Interest::SKIP {
                events.push(Event::Start {
                    name: (*name).to_owned(),
                    start: at as u64,
                    end: text.len() as u64,
                    depth,
                    raw: text[at..].to_owned(),
                    attributes: attributes.iter().map(|(n, (_, v))| format!("{n}={v}")).collect(),
                });
            }
            let inside = match *name {
                _ if seen == Interest::SKIP => Interest::SKIP,
                "skip" => Interest::SKIP,
                "tags" => Interest::TAGS,
                _ => Interest::CONTENT,
            };
            for child in children {
                write(child, depth + 1, inside, text, events);
            }
            let end = text.len();
            if !empty {
                text.extend(["</", name, space, ">"]);
            }
            if seen != Interest::SKIP {
                events.push(Event::End {
                    start: end as u64,
                    end: text.len() as u64,
                    raw: text[end..].to_owned(),
                });
            }
        }
    }
}

fn push_text(events: &mut Vec<Event>, raw: &str, value: &str) {
    // `\r` and `\n` that meet across two pieces of the model are one line end.
    if let Some(Event::Text { raw: before, value: so_far }) = events.last_mut() {
        if before.ends_with('\r') && raw.starts_with('\n') {
            so_far.pop();
        }
        before.push_str(raw);
        so_far.push_str(value);
    } else {
        events.push(Event::Text { raw: raw.to_owned(), value: value.to_owned() });
    }
}

const DECLARATIONS: &str = "<?xml version='1.0' encoding=\"NAME\" standalone='no' ?>
<!DOCTYPE a PUBLIC 'p' \"s\" [ <!-- > --> <?p ]> ?> %p;
<!ENTITY e 'é &#38;lt; &f;'> <!ENTITY f \"<x>\"> <!ENTITY % p SYSTEM 'q'> <!ENTITY u SYSTEM 'v' NDATA w>
<!ELEMENT a ((b|c)*, d?)+> <!ELEMENT b (#PCDATA|c)*> <!NOTATION n PUBLIC 'x'>
<!ATTLIST a x CDATA 'y' z (r | s) #REQUIRED i ID #IMPLIED n NOTATION (n) #FIXED 'n'> ]>
<a z='&e;'>é&e;<![CDATA[ é ]]><tags>&f;</tags>\r\n</a> <!-- é -->
";

/// Where, with which byte, and whether it replaces one, is inserted, or one is removed.
type Damage = (usize, u8, u8);

fn damage() -> impl Strategy<Value = Damage> {
    let byte = prop::sample::select(&b"<>&;'\"/!?[]-= \r\n%#\xC3\xFF\x00a"[..]);
    (any::<usize>(), byte, 0..3u8)
}

fn damaged(mut bytes: Vec<u8>, damage: &[Damage]) -> Vec<u8> {
    for (place, byte, how) in damage {
        let at = place % bytes.len();
        match how {
            0 => bytes[at] = *byte,
            1 => bytes.insert(at, *byte),
            _ => {
                bytes.remove(at);
            }
        }
    }
    bytes
}

/// What may stand in an element; `</>` stands for the end tag of the innermost one.
const PIECES: &[&str] = &[
    "<a>",
    "<b>",
    "<a>",
    "</>",
    "</>",
    "</>",
    "</>",
    "<a/>",
    "<b />",
    "text",
    " ",
    "/>",
    ">",
    "a/>b",
    "it's",
    "\"",
    "!?",
    "<a x=\"1\">",
    "<b x='/>'>",
    "<b x=\"/>\" />",
    "<c x='\"' y=\">\"/>",
    "<c x=\"it's\">",
    "<!-- <a> '\" -->",
    "<![CDATA[</a>]]>",
    "<?p <a/> ?>",
    "<skip>",
    "<skip/>",
    "<a-name-that-is-longer-than-sixteen-bytes>",
    "<a\n>",
    "<a x=\"?\">",
    "<a x=\"<\"/>",
    "text that is long enough for a block to have no tag in it, whichever way it is cut, or nearly so",
];

/// A document with a skipped element that holds the pieces.
fn skipped(pieces: &[&str]) -> Vec<u8> {
    let mut text = "<r><x/><skip y='>'>".to_owned();
    let mut open: Vec<&str> = Vec::new();
    for piece in pieces {
        if *piece == "</>" {
            if let Some(name) = open.pop() {
                text.extend(["</", name, ">"]);
            }
            continue;
        }
        text.push_str(piece);
        let tag = piece.strip_prefix('<').filter(|rest| !rest.starts_with(['!', '?']));
        if let Some(tag) = tag.filter(|tag| !tag.ends_with("/>")) {
            open.push(tag.split([' ', '\n', '>']).next().unwrap_or_default());
        }
    }
    while let Some(name) = open.pop() {
        text.extend(["</", name, ">"]);
    }
    text.push_str("</skip><y z='1'>seen</y></r>");
    text.into_bytes()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn events_are_those_of_the_model((text, events) in document(), places in prop::collection::vec(any::<usize>(), 0..12)) {
        for checks in [Checks::Fast, Checks::Strict] {
            let config = with(checks);
            let whole = run(&config, [text.as_bytes()]);
            prop_assert_eq!(&whole, &(events.clone(), Ok(())), "{}", text);
            prop_assert_eq!(&whole, &run(&config, text.as_bytes().chunks(1)));
            prop_assert_eq!(&whole, &run(&config, cut(text.as_bytes(), &places)));
            let scanned = scanned_alike(&config, text.as_bytes(), &[cut(text.as_bytes(), &places)]);
            prop_assert_eq!(scanned, Ok(()));
        }
    }

    #[test]
    fn counts_and_places_do_not_depend_on_chunks((text, events) in document()) {
        let tags = events.iter().filter(|e| matches!(e, Event::Start { .. } | Event::End { .. })).count();
        let mut last = None;
        for size in [1, 5, usize::MAX] {
            let source = feed(&with(Checks::Fast), text.as_bytes().chunks(size), &mut Log::default()).unwrap();
            let counts = source.counts();
            prop_assert_eq!(counts.bytes, text.len() as u64);
            prop_assert!(counts.tags >= tags as u64);
            let position = source.position();
            prop_assert_eq!(position.offset, text.len() as u64);
            prop_assert_eq!(position.line, 1 + text.matches('\n').count() as u64);
            prop_assert_eq!(*last.get_or_insert((counts, position)), (counts, position));
        }
    }

    /// Long skipped elements, over which the scanner passes in blocks.
    #[test]
    fn skipped_elements_end_where_they_end(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..300),
        damage in prop::collection::vec(damage(), 0..2),
        places in prop::collection::vec(any::<usize>(), 0..3),
        limit in prop::sample::select(&[20, 40, 80]),
    ) {
        let document = damaged(skipped(&pieces), &damage);
        let chunks = cut(&document, &places);
        let mut limited = with(Checks::Fast);
        (limited.limits.attribute_bytes, limited.limits.depth) = (limit, 8);
        for config in [with(Checks::Fast), limited] {
            let same = scanned_alike(&config, &document, std::slice::from_ref(&chunks));
            prop_assert!(same.is_ok(), "{config:?} {}", same.unwrap_err());
        }
    }

    /// Damaged documents: the verdict, the error and what was seen before it are the same in all
    /// chunks, and nothing panics.
    #[test]
    fn damage_is_seen_alike_in_all_chunks(
        (text, _) in document(),
        damage in prop::collection::vec(damage(), 1..4),
        places in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        let bytes = damaged(text.into_bytes(), &damage);
        prop_assert_eq!(alike(&bytes, &places), Ok(()));
    }

    /// The same where the DOCTYPE, the declaration and other encodings are what breaks.
    #[test]
    fn damage_of_declarations(
        which in 0..4usize,
        damage in prop::collection::vec(damage(), 1..4),
        places in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        let text = DECLARATIONS.replace("NAME", ["UTF-8", "ISO-8859-1", "windows-1252", "UTF-16"][which]);
        let bytes = match which {
            0 => text.into_bytes(),
            3 => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            _ => text.chars().map(|c| c as u8).collect(),
        };
        prop_assert_eq!(alike(&damaged(bytes, &damage), &places), Ok(()));
    }

    #[test]
    fn a_truncated_document_is_never_complete((text, _) in document()) {
        let root_end = text.trim_end().rfind("</").or_else(|| text.rfind("/>")).unwrap();
        for end in 0..root_end.min(400) {
            let failure = run(&with(Checks::Fast), [&text.as_bytes()[..end]]).1.unwrap_err();
            prop_assert!(
                matches!(failure.kind, ErrorKind::Incomplete | ErrorKind::Malformed),
                "{:?} of {}", failure, &text.as_bytes()[..end].escape_ascii()
            );
        }
    }
}

#[test]
fn truncated_everywhere() {
    let text = "\u{feff}<?xml version='1.0' encoding='UTF-8'?>\n<!DOCTYPE a [<!ENTITY e 'x'>\n<!ATTLIST a b CDATA 'c'>]>\
                <!-- c --><a b='ü'>&e;<b/>ü\r\n<![CDATA[ ]] ü]]><?p q?><!-- - --></a>";
    assert_eq!(run(&with(Checks::Strict), [text.as_bytes()]).1, Ok(()));
    for end in 0..text.len() {
        let failure = outcome(&with(Checks::Strict), &text.as_bytes()[..end]).1.unwrap_err();
        assert_eq!(failure.kind, ErrorKind::Incomplete, "{end}: {failure:?}");
    }
}

#[test]
fn stop_ends_at_once() {
    let document = b"<a><b/><stop>text</a></broken>";
    let (events, result) = outcome(&with(Checks::Strict), document);
    assert_eq!(result, Ok(()));
    assert_eq!(events.len(), 4);
    assert!(matches!(&events[3], Event::Start { name, .. } if name == "stop"));
}

#[test]
fn a_skipped_element_is_still_checked() {
    let (events, result) =
        outcome(&with(Checks::Fast), b"<a><skip><b x='1'>t</b><c></d></skip></a>");
    assert_eq!(events.len(), 2);
    assert_eq!(
        result.unwrap_err().message,
        "end tag `</d>` does not match start tag `<c>` opened at byte 23"
    );
}

#[test]
fn symbols_are_asked_once() {
    let mut log = Log::default();
    let text = b"<a><b/><skip><c/></skip><c/><b><a/></b></a>";
    feed(&with(Checks::Fast), text.chunks(4), &mut log).unwrap();
    assert_eq!(log.asked, ["a", "b", "skip", "c"]);
}
