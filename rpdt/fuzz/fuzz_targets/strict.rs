//! The strict scanner against quick-xml with our checks, on any bytes.
#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
mod shared;

use libfuzzer_sys::fuzz_target;
use rpdt::input::Checks;
use shared::{alike, log, same};

fuzz_target!(|bytes: &[u8]| {
    same(log::scanned_alike(&log::with(Checks::Strict), bytes, &[]));
    same(alike::seen_alike(bytes, &[]));
    same(alike::answers_alike(bytes));
});
