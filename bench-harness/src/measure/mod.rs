//! How the harness measures: interleaved runs, medians with intervals, memory in a process of its own.

pub mod interleave;
pub mod machine;
pub mod memory;
pub mod process;
pub mod summary;

pub use interleave::{Contender, Plan, Samples, interleave};
pub use summary::Summary;
