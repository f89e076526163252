//! The examples do what they say: each asserts what it finds.

#[path = "../examples/convert.rs"]
mod convert;

#[test]
fn convert() {
    convert::main().unwrap();
}

#[path = "../examples/known_answers.rs"]
mod known_answers;

#[test]
fn known_answers() {
    known_answers::main().unwrap();
}

#[path = "../examples/manifest_check.rs"]
mod manifest_check;

#[test]
fn manifest_check() {
    manifest_check::main().unwrap();
}

#[path = "../examples/no_memory.rs"]
mod no_memory;

#[test]
fn no_memory() {
    no_memory::main().unwrap();
}

#[path = "../examples/own_distribution.rs"]
mod own_distribution;

#[test]
fn own_distribution() {
    own_distribution::main().unwrap();
}

#[path = "../examples/to_a_reader.rs"]
mod to_a_reader;

#[test]
fn to_a_reader() {
    to_a_reader::main().unwrap();
}
