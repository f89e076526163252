//! Chunks against the whole. The first two bytes say where a document is cut.
#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
mod shared;

use libfuzzer_sys::fuzz_target;
use shared::{alike, same};

fuzz_target!(|bytes: &[u8]| {
    if let [first, second, bytes @ ..] = bytes {
        let places = [usize::from(*first), usize::from(*first) + usize::from(*second)];
        same(alike::alike(bytes, &places));
    }
});
