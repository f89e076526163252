//! Our own checks of the engine, not of any paper.

mod bar;
mod count;
mod history;
mod memory;
mod speed;

use crate::experiment::Experiment;

/// What stands in place of a paper's words.
const NO_PAPER: &str = "Nothing: this is a check of our own.";

/// All of them in their order.
pub fn experiments() -> Vec<Box<dyn Experiment>> {
    vec![
        Box::new(memory::Memory),
        Box::new(speed::Speed),
        Box::new(count::Counting),
        Box::new(history::History),
    ]
}
