//! The scanner against quick-xml, on well-formed documents.
#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
mod shared;

use libfuzzer_sys::fuzz_target;
use rpdt::input::Checks;
use shared::{alike, log, same};

fuzz_target!(|numbers: &[u8]| {
    let document = alike::well_formed(numbers);
    for checks in [Checks::Fast, Checks::Strict] {
        let whole = log::run(&log::with(checks), [&*document]);
        assert_eq!(whole.1, Ok(()), "{}", document.escape_ascii());
        same(log::scanned_alike(&log::with(checks), &document, &[]));
    }
    same(alike::seen_alike(&document, &[]));
    same(alike::answers_alike(&document));
});
