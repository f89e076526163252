//! The experiments of the article on NFA^b and of the paper that it explains, and our own checks of
//! the engine.
//!
//! | Module | What it holds |
//! | --- | --- |
//! | [`numbers`], [`strategies`], [`buffer`] | the worked examples |
//! | [`sharing`] | the shared buffer against one buffer a run, as runs split more often |
//! | [`workload`] | the stock stream and the six queries of the SIGMOD paper |
//! | [`sigmod`] | its figures over that workload |
//! | [`sequence`] | sequences of letters: length, window, domain size |
//! | [`own`] | our own checks: memory, speed, counting, buffers |
//! | [`engines`], [`sweep`], [`example`] | one way to run the engine; times over a range of x; small streams |

mod buffer;
mod engines;
mod example;
mod numbers;
mod own;
mod sequence;
mod sharing;
mod sigmod;
mod strategies;
mod sweep;
mod workload;

use super::{Experiment, Paper};

/// The article, and the paper that it explains.
pub const PAPER: Paper = Paper {
    short: "NFA^b",
    title: "Efficient pattern matching over event streams",
    authors: "Jagrati Agrawal, Yanlei Diao, Daniel Gyllstrom, Neil Immerman; University of \
              Massachusetts Amherst; SIGMOD 2008. We had it as an article for users of Flink CEP \
              explains it",
    original: "flink cep … Shared Versioned Match Buffer, 参考《基于复杂事件处理的模型和算法研究》魏仕杰",
    subject: "NFA^b is an automaton for patterns over a stream of events: a state for each \
              component, two for a Kleene closure, and edges that begin, take, ignore or proceed. \
              Several edges may apply to one event; then a run forks, and a buffer with versions on \
              its edges holds the events of all runs without repeating what they share.",
    source: "We worked from the text of the article, whose pictures we did not have. The figures of \
             the paper of 2008 are reproduced from its authors' published queries and generator; what they \
             show was recalled and not read, and every such claim is marked as our reading.",
};

/// All experiments in their order, our own checks last.
pub fn experiments() -> Vec<Box<dyn Experiment>> {
    let mut all: Vec<Box<dyn Experiment>> = vec![
        Box::new(numbers::DEMAND1),
        Box::new(numbers::DEMAND2),
        Box::new(strategies::Strategies),
        Box::new(buffer::Buffer),
        Box::new(sharing::Sharing),
    ];
    all.extend(sigmod::experiments());
    all.push(Box::new(sequence::Sequence));
    all.extend(own::experiments());
    all
}
