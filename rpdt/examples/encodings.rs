//! Old and foreign documents: encodings that are declared, marked by the first bytes, or known only to
//! the reader. Offsets are always those of the original bytes.
//!
//! ```text
//! cargo run -p rpdt --example encodings
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::ops::ControlFlow;

use rpdt::input::Encoding;
use rpdt::{Answer, Config, Error, ErrorKind, Needs, Pattern, Plan, Visit};

/// The text of the first city, and where it begins.
fn city(document: &[u8], config: Config) -> Result<Option<(String, u64)>, Error> {
    let plan = Plan::new(vec![Pattern::parse("//stadt")?], config)?;
    let mut found = None;
    let needs = Needs { end: true, text: true, ..Needs::default() };
    let take = Visit::new(needs, |_, answer| {
        if let Answer::Node(node) = answer {
            found = Some((node.text.to_owned(), node.start));
        }
        ControlFlow::Break(())
    });
    plan.run_slice(document, take)?;
    Ok(found)
}

pub fn main() -> Result<(), Error> {
    let text = "<liste><stadt>M\u{fc}nchen</stadt></liste>";
    let expected = |offset| Some(("M\u{fc}nchen".to_owned(), offset));

    let mut latin = b"<?xml version='1.0' encoding='ISO-8859-1'?>".to_vec();
    let declaration = latin.len() as u64;
    latin.extend(text.chars().map(|c| c as u8));
    let found = city(&latin, Config::new())?;
    println!("declared: {found:?}");
    assert_eq!(found, expected(declaration + 7));

    // UTF-16 with the mark in front; each character takes two bytes.
    let utf16: Vec<u8> =
        std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let found = city(&utf16, Config::new())?;
    println!("UTF-16: {found:?}");
    assert_eq!(found, expected(2 + 2 * 7));

    // Nothing is declared, so it would have to be UTF-8. Whoever knows better says so.
    let bare: Vec<u8> = text.chars().map(|c| c as u8).collect();
    let error = city(&bare, Config::new()).unwrap_err();
    println!("undeclared: {error}");
    assert_eq!(error.kind(), ErrorKind::Encoding);
    let windows = Encoding::named("windows-1252").expect("a label of the Encoding Standard");
    let found = city(&bare, Config::new().encoding(windows))?;
    println!("told: {found:?}");
    assert_eq!(found, expected(7));
    Ok(())
}
