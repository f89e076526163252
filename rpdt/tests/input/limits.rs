//! Sizes: what is bounded is refused in time, what is streamed stays small, nothing is quadratic.

use std::io::Write;

use rpdt::input::{
    Checks, EndTag, Interest, Markup, QuickXmlSource, SourceConfig, StartTag, Symbol, TagHandler,
    TagSource, Text,
};
use rpdt::{Error, ErrorKind, Limits};

use super::log::{Failure, failure, feed, scan, with};

/// Counts, and remembers the longest piece.
#[derive(Debug, Default)]
struct Counter {
    tags: u64,
    names: u64,
    attributes: u64,
    text: u64,
    markup: u64,
    longest: usize,
}

impl TagHandler for Counter {
    fn symbol(&mut self, _: &[u8]) -> Symbol {
        self.names += 1;
        Symbol(0)
    }

    fn start_tag(&mut self, tag: &StartTag<'_>) -> Result<Interest, Error> {
        self.tags += 1;
        self.attributes += tag.attributes().count() as u64;
        Ok(if tag.name == b"tags" { Interest::TAGS } else { Interest::CONTENT })
    }

    fn end_tag(&mut self, _: &EndTag<'_>) -> Result<Interest, Error> {
        self.tags += 1;
        Ok(Interest::CONTENT)
    }

    fn text(&mut self, text: &Text<'_>) -> Result<(), Error> {
        self.text += text.value()?.len() as u64;
        self.longest = self.longest.max(text.raw.len());
        Ok(())
    }

    fn markup(&mut self, _: &Markup<'_>) -> Result<(), Error> {
        self.markup += 1;
        Ok(())
    }
}

fn limits(change: impl Fn(&mut Limits)) -> SourceConfig {
    let mut limits = Limits::default();
    change(&mut limits);
    SourceConfig { limits, ..SourceConfig::default() }
}

fn refused(config: &SourceConfig, document: &[u8], message: &str) {
    let failure = failure(config, document);
    assert_eq!((failure.kind, failure.message.as_str()), (ErrorKind::Limit, message));
}

#[test]
fn tags_are_bounded() {
    let config = limits(|l| l.attribute_bytes = 100);
    let message = "a tag is longer than the limit of 100 bytes (attribute_bytes)";
    for document in [
        format!("<a><b c='{}'/></a>", "x".repeat(100)),
        format!("<a><b c='{}", "x".repeat(1000)),
        format!("<a><{}></a>", "x".repeat(100)),
        format!("<a></a{}></a>", " ".repeat(100)),
    ] {
        refused(&config, document.as_bytes(), message);
    }
    let fine = format!("<a b='{}'/>", "x".repeat(91));
    feed(&config, [fine.as_bytes()], &mut Counter::default()).unwrap();
}

/// Tags that are passed over are neither gathered nor limited, however a document is cut; where one is
/// too deep or not closed is told as in one chunk.
#[test]
fn tags_in_skipped_elements_have_any_length() {
    let long = "x".repeat(150);
    let config = limits(|l| (l.attribute_bytes, l.depth) = (60, 4));
    let documents = [
        (format!("<a><skip>\n<b c='{long}'>1</b>\n<b/></skip></a>"), Ok(())),
        (format!("<a><skip><{long}/><c>\n<d\n{long}='>'\n/></c></skip></a>"), Ok(())),
        (format!("<a><skip><b></b{}></skip></a>", " ".repeat(150)), Ok(())),
        (format!("<a><skip><b {long} <c></c></b></skip></a>"), Ok(())),
        (format!("<a><skip></skip{}></a>", " ".repeat(150)), Err(ErrorKind::Limit)),
        (
            format!("<a><skip><b>\n<c>\n <d e='\n{long}'/></c></b></skip></a>"),
            Err(ErrorKind::Limit),
        ),
        (format!("<a><skip>\n<b>\n <c d='{long}\n{long}"), Err(ErrorKind::Incomplete)),
        (format!("<a><skip>\n<b>\n </b {long}\n"), Err(ErrorKind::Incomplete)),
    ];
    for (document, expected) in documents {
        let bytes = document.as_bytes();
        for portable in [false, true] {
            let whole = scan(&config, portable, [bytes]);
            assert_eq!(whole.1.as_ref().map(drop).map_err(|e| e.kind), expected, "{document}");
            for size in 1..=bytes.len() {
                assert_eq!(
                    scan(&config, portable, bytes.chunks(size)),
                    whole,
                    "{size}: {document}"
                );
                let (begin, end) = bytes.split_at(size);
                assert_eq!(scan(&config, portable, [begin, end]), whole, "{size} {document}");
            }
        }
    }
}

#[test]
fn markup_that_straddles_chunks_is_bounded() {
    let config = limits(|l| l.markup_bytes = 100);
    let long = "x".repeat(200);
    for (document, what) in [
        (format!("<a><!--{long}--></a>"), "a comment"),
        (format!("<a><?p {long}?></a>"), "a processing instruction"),
        (format!("<!DOCTYPE a [<!--{long}-->]><a/>"), "a DOCTYPE"),
    ] {
        // In one chunk nothing has to be kept.
        feed(&config, [document.as_bytes()], &mut Counter::default()).unwrap();
        let failure = feed(&config, document.as_bytes().chunks(50), &mut Counter::default());
        let failure = Failure::from(failure.unwrap_err());
        assert_eq!(failure.kind, ErrorKind::Limit);
        assert_eq!(
            failure.message,
            format!("{what} is longer than the limit of 100 bytes (markup_bytes)")
        );
    }
    // A comment that nobody looks at is passed over.
    let document = format!("<tags><!--{long}--></tags>");
    feed(&config, document.as_bytes().chunks(50), &mut Counter::default()).unwrap();
    let declaration = format!("<?xml version='1.0'{}?><a/>", " ".repeat(5000));
    refused(
        &config,
        declaration.as_bytes(),
        "the XML declaration is longer than the limit of 4096 bytes",
    );
}

#[test]
fn depth() {
    let config = limits(|l| l.depth = 3);
    refused(
        &config,
        b"<a><b><c><d/></c></b></a>",
        "elements nest deeper than the limit of 3 (depth)",
    );
    feed(&config, [&b"<a><b><c/></b></a>"[..]], &mut Counter::default()).unwrap();
}

#[test]
fn a_hundred_thousand_levels() {
    const DEPTH: usize = 100_000;
    let mut document = "<a>".repeat(DEPTH);
    document += &"</a>".repeat(DEPTH);
    for size in [1, 1000, usize::MAX] {
        let mut counter = Counter::default();
        let source =
            feed(&with(Checks::Strict), document.as_bytes().chunks(size), &mut counter).unwrap();
        assert_eq!(counter.tags, 2 * DEPTH as u64);
        assert_eq!(source.counts().max_depth, DEPTH);
    }
}

#[test]
fn a_hundred_thousand_attributes() {
    let mut tag = b"<a".to_vec();
    for i in 0..100_000 {
        write!(tag, " a{i}='{i}'").unwrap();
    }
    let mut counter = Counter::default();
    feed(&with(Checks::Strict), [&tag[..], b"/>"], &mut counter).unwrap();
    assert_eq!(counter.attributes, 100_000);
    let failure = feed(&with(Checks::Fast), [&tag[..], b" a77777=''/>"], &mut counter);
    assert_eq!(failure.map(drop).unwrap_err().message(), "the attribute `a77777` is given twice");
}

#[test]
fn text_is_never_gathered() {
    const MIB: usize = 1 << 20;
    // A character of three bytes, so that chunks of a MiB cut characters.
    let text: Vec<u8> = "€".bytes().cycle().take(3 * MIB).collect();
    for (start, end) in [("<a>", "</a>"), ("<a><![CDATA[", "]]></a>")] {
        let mut source = QuickXmlSource::new(with(Checks::Strict));
        let mut counter = Counter::default();
        source.feed(start.as_bytes(), &mut counter).unwrap();
        for _ in 0..22 {
            for chunk in text.chunks(MIB) {
                source.feed(chunk, &mut counter).unwrap();
            }
        }
        source.feed(end.as_bytes(), &mut counter).unwrap();
        source.finish(&mut counter).unwrap();
        assert_eq!(counter.text, 66 * MIB as u64);
        assert!(counter.longest <= MIB + 20, "{}", counter.longest);
    }
}

#[test]
fn single_bytes_take_linear_time() {
    // Quadratic behaviour would take hours.
    let million = vec![b'>'; 1 << 20];
    let quotes = "'>\"".repeat(300_000);
    for (start, middle, end) in [
        ("<a><!--", &million[..], "--></a>"),
        ("<tags><!--", &million[..], "--></tags>"),
        ("<a><?p ", &million[..], "?></a>"),
        ("<a><![CDATA[", &million[..], "]]></a>"),
        ("<a><![CDATA[", &[b']'; 1 << 20], "]]></a>"),
        ("<a>", &[b']'; 1 << 20], "</a>"),
        ("<a>", &[b'\r'; 1 << 20], "</a>"),
        ("<!DOCTYPE a [<!--", &million[..], "-->]><a/>"),
        ("<a b=\"", &million[..], "\"/>"),
        ("<!DOCTYPE a [<?p ", quotes.as_bytes(), "?>]><a/>"),
    ] {
        for checks in [Checks::Fast, Checks::Strict] {
            let mut counter = Counter::default();
            let document = [start.as_bytes(), middle, end.as_bytes()].concat();
            feed(&with(checks), document.chunks(1), &mut counter).unwrap();
        }
    }
}

#[test]
fn many_names() {
    // More than the table takes: handled, only asked for again.
    let config = limits(|l| l.names = 100);
    let mut document = b"<root>".to_vec();
    for round in 0..2 {
        for i in 0..1000 {
            write!(document, "<a-long-name-{i}><x{round}/></a-long-name-{i}>").unwrap();
        }
    }
    document.extend(b"</root>");
    let mut counter = Counter::default();
    feed(&config, document.chunks(999), &mut counter).unwrap();
    assert_eq!(counter.tags, 8002);
    assert!(counter.names > 1900, "{}", counter.names);
    let mut counter = Counter::default();
    feed(&with(Checks::Fast), document.chunks(999), &mut counter).unwrap();
    assert_eq!(counter.names, 1003);
    let wrong = String::from_utf8(document).unwrap().replacen(
        "</a-long-name-998>",
        "</a-long-name-997>",
        2,
    );
    let failure = failure_of(&config, wrong.as_bytes());
    assert!(
        failure.message.starts_with(
            "end tag `</a-long-name-997>` does not match start tag `<a-long-name-998>`"
        )
    );
}

fn failure_of(config: &SourceConfig, document: &[u8]) -> Failure {
    feed(config, [document], &mut Counter::default()).map(drop).map_err(Failure::from).unwrap_err()
}

#[test]
fn very_long_names() {
    let name = "n".repeat(100_000);
    let document = format!("<{name}><{name}x/></{name}>");
    let mut counter = Counter::default();
    feed(&with(Checks::Strict), document.as_bytes().chunks(4096), &mut counter).unwrap();
    assert_eq!(counter.tags, 4);
}
