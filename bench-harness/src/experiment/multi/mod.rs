//! The experiments of the multi-pattern paper, and our own checks.
//!
//! | Module | What it holds |
//! | --- | --- |
//! | [`models`] | the merged models of Figs. 6 to 8 |
//! | [`parameters`] | Table 1, by which everything else runs |
//! | [`sizes`] | states and edges of the models, Figs. 12 and 13 |
//! | [`detection`] | time and throughput, Figs. 14 and 16 |
//! | [`memory`] | memory, Fig. 15 |
//! | [`speed`], [`growth`], [`windows`] | our own checks |
//! | [`ring`] | what the step from `sharing` to `proposed` is made of |
//! | [`engines`], [`race`] | one way to run the engine; runs of several ways with several seeds |
//! | [`oracle`], [`strict`], [`plots`] | brute force; the peer for `strict`; series and summaries |

mod detection;
mod engines;
mod growth;
mod memory;
mod models;
mod oracle;
mod parameters;
mod plots;
mod race;
mod ring;
mod sizes;
mod speed;
mod strict;
mod windows;

use super::{Experiment, Paper};

/// The paper.
pub const PAPER: Paper = Paper {
    short: "Many patterns",
    title: "A multiple pattern complex event detection scheme based on decomposition and merge \
            sharing for massive event streams",
    authors: "We had the text without its authors' names",
    original: "",
    subject: "Many sequence patterns are sought in one stream of events. Their expressions are \
              decomposed at sub-sequences that they have in common, and the models of what results \
              are merged where prefixes, suffixes or sub-patterns are the same, so that one model \
              with fewer states and edges detects them all.",
    source: "We worked from the text, whose pictures we did not have: what the curves show is known \
             by what the text says of them. Where the text slips (a sub-pattern written with a wrong \
             operand) we read what its own examples mean.",
};

/// All experiments in their order, our own checks last.
pub fn experiments() -> Vec<Box<dyn Experiment>> {
    vec![
        Box::new(models::FIG6),
        Box::new(models::FIG7),
        Box::new(models::FIG8),
        Box::new(parameters::Parameters),
        Box::new(sizes::STATES),
        Box::new(sizes::EDGES),
        Box::new(detection::Time),
        Box::new(memory::Memory),
        Box::new(detection::Throughput),
        Box::new(speed::Speed),
        Box::new(growth::PATTERNS),
        Box::new(growth::ROUTES),
        Box::new(windows::Windows),
        Box::new(ring::Apart),
    ]
}
