//! Every operation of the disk fails once, in every way, and nothing is lost, doubled or hung.
//!
//! The suite tries each operation in one way; `cargo test --release -p ujoin --test fault -- --ignored
//! --nocapture` tries it in many.

#![allow(clippy::print_stdout, reason = "how many failures were injected is worth seeing")]

mod engines;
mod layer;
mod model;
