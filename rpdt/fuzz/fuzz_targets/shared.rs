//! The comparisons of the tests.

#[path = "../../tests/input/alike.rs"]
pub mod alike;
#[path = "../../tests/input/log.rs"]
pub mod log;

/// Tells what differs.
pub fn same(result: Result<(), String>) {
    if let Err(difference) = result {
        panic!("{difference}");
    }
}
