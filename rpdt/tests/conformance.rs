//! The front end alone against documents of the W3C XML conformance suite: accepted or rejected,
//! with both kinds of checks, while nobody looks at values and while a handler looks at all.
//!
//! Wherever the verdict is not the suite's, the document is listed below with the reason. A new
//! deviation fails the test, and so does a listed one that has gone.

#![cfg(feature = "cli")] // for serde_json

use std::collections::BTreeSet;

use rpdt::Error;
use rpdt::input::{
    Checks, EndTag, Interest, Markup, QuickXmlSource, ScannerSource, SourceConfig, StartTag,
    Symbol, TagHandler, TagSource, Text,
};
use serde_json::Value;

/// Rejected though it is well-formed: an entity holds markup. Always refused.
const MARKUP_IN_ENTITIES: &[&str] = &["valid-sa-053"];

/// Rejected though well-formed, when a handler looks: the value comes from an entity whose
/// declaration is not read.
const UNREAD: &[&str] = &["rmt-e2e-18", "rmt-e3e-13"];

/// Accepted always: only the rules of namespaces are broken, which the source does not know.
const NAMESPACES: &[&str] = &[
    "rmt-ns10-013",
    "rmt-ns10-014",
    "rmt-ns10-015",
    "rmt-ns10-016",
    "rmt-ns10-023",
    "rmt-ns10-025",
    "rmt-ns10-026",
    "rmt-ns10-029",
    "rmt-ns10-030",
    "rmt-ns10-031",
    "rmt-ns10-032",
    "rmt-ns10-036",
    "rmt-ns10-043",
    "rmt-ns10-044",
    "rmt-ns-e1.0-13a",
    "rmt-ns-e1.0-13b",
    "rmt-ns-e1.0-13c",
];

/// Accepted by the fast checks, whoever looks: characters that XML forbids, names that it
/// forbids, `]]>` in text, `--` in comments, and entities that are declared wrongly and not used.
const FAST: &[&str] = &[
    "not-wf-sa-006",
    "not-wf-sa-025",
    "not-wf-sa-026",
    "not-wf-sa-029",
    "not-wf-sa-030",
    "not-wf-sa-031",
    "not-wf-sa-032",
    "not-wf-sa-033",
    "not-wf-sa-070",
    "sgml03",
    "o-p15fail1",
    "ibm-not-wf-P14-ibm14n01.xml",
    "rmt-e3e-12",
];

/// Accepted by the fast checks when nobody looks: references and encoding of values.
const FAST_UNSEEN: &[&str] = &[
    "not-wf-sa-007",
    "not-wf-sa-008",
    "not-wf-sa-009",
    "not-wf-sa-010",
    "not-wf-sa-022",
    "not-wf-sa-071",
    "not-wf-sa-077",
    "not-wf-sa-081",
    "not-wf-sa-142",
    "rmt-e2e-27",
];

struct Looking(bool);

impl TagHandler for Looking {
    fn symbol(&mut self, _: &[u8]) -> Symbol {
        Symbol(0)
    }

    fn start_tag(&mut self, tag: &StartTag<'_>) -> Result<Interest, Error> {
        if !self.0 {
            return Ok(Interest::TAGS);
        }
        tag.attributes().try_for_each(|a| a.map(drop))?;
        Ok(Interest::CONTENT)
    }

    fn end_tag(&mut self, _: &EndTag<'_>) -> Result<Interest, Error> {
        Ok(if self.0 { Interest::CONTENT } else { Interest::TAGS })
    }

    fn text(&mut self, text: &Text<'_>) -> Result<(), Error> {
        text.value().map(drop)
    }

    fn markup(&mut self, _: &Markup<'_>) -> Result<(), Error> {
        Ok(())
    }
}

fn accepts(document: &[u8], checks: Checks, looking: bool, chunk: usize) -> bool {
    let config = SourceConfig { checks, ..SourceConfig::default() };
    let verdict = accepted_by(QuickXmlSource::new(config.clone()), document, looking, chunk);
    for scanner in [ScannerSource::new(config.clone()), ScannerSource::portable(config)] {
        assert_eq!(accepted_by(scanner, document, looking, chunk), verdict, "the scanner");
    }
    verdict
}

fn accepted_by(mut source: impl TagSource, document: &[u8], looking: bool, chunk: usize) -> bool {
    let mut handler = Looking(looking);
    let fed = document.chunks(chunk).try_for_each(|c| source.feed(c, &mut handler).map(drop));
    fed.and_then(|()| source.finish(&mut handler)).is_ok()
}

/// The documents with their names and the verdict wanted.
fn documents() -> Vec<(String, Vec<u8>, bool)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/real/conformance.json");
    let text = std::fs::read(path).expect("the excerpt of the suite");
    let records: Vec<Value> = serde_json::from_slice(&text).expect("an array");
    let text = |record: &Value, key: &str| record[key].as_str().map(str::to_owned);
    records
        .iter()
        .map(|record| {
            let document = match text(record, "text") {
                Some(text) => text.into_bytes(),
                None => base64(&text(record, "base64").expect("text or base64")),
            };
            let wanted = record["wellformed"].as_bool().expect("a verdict");
            (text(record, "id").expect("an identifier"), document, wanted)
        })
        .collect()
}

fn base64(text: &str) -> Vec<u8> {
    let digit = |b: u8| match b {
        b'A'..=b'Z' => b - b'A',
        b'a'..=b'z' => b - b'a' + 26,
        b'0'..=b'9' => b - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<_> = text.bytes().filter(|b| *b != b'=').map(digit).collect();
    let mut bytes = Vec::new();
    for group in digits.chunks(4) {
        let bits = group.iter().fold(0u32, |bits, d| bits << 6 | u32::from(*d));
        let bits = bits << (6 * (4 - group.len()));
        bytes.extend(&bits.to_be_bytes()[1..group.len()]);
    }
    bytes
}

fn check(checks: Checks, looking: bool, exceptions: &[&[&str]]) {
    let expected: BTreeSet<_> = exceptions.concat().into_iter().map(str::to_owned).collect();
    let mut found = BTreeSet::new();
    let documents = documents();
    assert!(documents.len() > 100, "the table is there");
    for (id, document, wanted) in documents {
        let verdict = accepts(&document, checks, looking, usize::MAX);
        assert_eq!(verdict, accepts(&document, checks, looking, 1), "{id} in single bytes");
        if verdict != wanted {
            found.insert(id);
        }
    }
    let new: Vec<_> = found.difference(&expected).collect();
    let gone: Vec<_> = expected.difference(&found).collect();
    assert!(new.is_empty() && gone.is_empty(), "not listed: {new:#?}\nlisted, but gone: {gone:#?}");
}

#[test]
fn strict_unseen() {
    check(Checks::Strict, false, &[MARKUP_IN_ENTITIES, NAMESPACES]);
}

#[test]
fn strict_seen() {
    check(Checks::Strict, true, &[MARKUP_IN_ENTITIES, NAMESPACES, UNREAD]);
}

#[test]
fn fast_unseen() {
    check(Checks::Fast, false, &[MARKUP_IN_ENTITIES, NAMESPACES, FAST, FAST_UNSEEN]);
}

#[test]
fn fast_seen() {
    check(Checks::Fast, true, &[MARKUP_IN_ENTITIES, NAMESPACES, UNREAD, FAST]);
}
