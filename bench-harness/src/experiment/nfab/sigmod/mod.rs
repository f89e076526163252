//! The figures over the stock workload.

mod buffer;
mod held;
mod relational;
mod selectivity;
mod throughput;
mod window;

use super::workload;
use crate::experiment::Experiment;

/// All of them in their order.
pub fn experiments() -> Vec<Box<dyn Experiment>> {
    vec![
        Box::new(buffer::Buffer),
        Box::new(window::Window),
        Box::new(throughput::Throughput),
        Box::new(selectivity::Selectivity),
        Box::new(relational::Relational),
    ]
}

/// The contenders of figures about buffers.
mod names {
    pub const VERSIONED: &str = "shared versioned buffer";
    pub const CHAIN: &str = "chain buffer";
    pub const PRIVATE: &str = "one buffer a run";
}
