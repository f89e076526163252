//! Several threads against one. The first byte says how many and how large segments are.
#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
mod shared;

use libfuzzer_sys::fuzz_target;
use rpdt::Threads;
use shared::{alike, same};

fuzz_target!(|bytes: &[u8]| {
    if let [how, bytes @ ..] = bytes {
        let how = usize::from(*how);
        same(alike::threads_alike(bytes, Threads::new(2 + how % 3).segment(1 + how)));
    }
});
