//! Every operation of the disk fails once, in every way, and nothing is lost, doubled or hung.

#![allow(clippy::print_stdout, reason = "how many failures were injected is worth seeing")]

mod engines;
mod layer;
mod model;
