//! Documents from strangers: full well-formedness, and bounds on all that a document can claim. Each of
//! these is refused with its place and its cause, in bounded time and memory.
//!
//! ```text
//! cargo run -p rpdt --example untrusted
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use rpdt::input::Checks;
use rpdt::{Config, Count, Error, ErrorKind, Limits, Pattern, Plan};

/// What was sent, and how it is refused.
fn letters() -> Vec<(&'static str, Vec<u8>, Option<ErrorKind>)> {
    let entities = "<!DOCTYPE o [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>\
        <!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;'>]>\
        <o><order to='&d;&d;&d;&d;&d;&d;&d;&d;'/></o>";
    let deep = format!("{}{}", "<a>".repeat(5_000), "</a>".repeat(5_000));
    let file = "<!DOCTYPE o [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><o><order>&f;</order></o>";
    vec![
        ("sound", b"<o><note>5 &lt; 6</note><order/></o>".to_vec(), None),
        (
            "a tag that ends another",
            b"<o><note></nota><order/></o>".into(),
            Some(ErrorKind::Malformed),
        ),
        ("a bare ampersand", b"<o><note>R & D</note></o>".into(), Some(ErrorKind::Malformed)),
        (
            "bytes that are no text",
            b"<o><note>\xff\xfe</note></o>".into(),
            Some(ErrorKind::Encoding),
        ),
        ("cut off", b"<o><order>".into(), Some(ErrorKind::Incomplete)),
        ("laughing", entities.into(), Some(ErrorKind::Limit)),
        ("5,000 levels", deep.into_bytes(), Some(ErrorKind::Limit)),
        ("a file of ours", file.into(), Some(ErrorKind::Entity)),
    ]
}

pub fn main() -> Result<(), Error> {
    let mut limits = Limits::default();
    limits.depth = 1_000;
    limits.text_bytes = 1 << 20;
    limits.attribute_bytes = 64 << 10;
    limits.markup_bytes = 1 << 20;
    limits.buffered_bytes = 16 << 20;
    limits.entity_expansion_bytes = 1_000;
    let config = Config::new().checks(Checks::Strict).limits(limits);
    let plan = Plan::new(vec![Pattern::parse("//order[. != 'test']")?], config)?;

    for (what, letter, expected) in letters() {
        let outcome = plan.run_slice(&letter, Count::new());
        match &outcome {
            Ok(outcome) => println!("{what}: {} orders", outcome.sink.total()),
            Err(error) => println!("{what}: {error}"),
        }
        assert_eq!(outcome.err().map(|error| error.kind()), expected, "{what}");
    }
    Ok(())
}
