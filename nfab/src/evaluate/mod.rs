//! The shared evaluations: all partial matches at once, instead of one run for each.
//!
//! Runs are exact for every pattern, but under skip-till-any their number grows with a power of the
//! window, or exponentially. Two evaluations share what runs have in common:
//!
//! | evaluation | for | what is one |
//! |---|---|---|
//! | [`Compact`](compact) | conditions over single events | all runs in one wait |
//! | [`Grouped`](grouped) | conditions that look back at first and last events | all runs in one wait that remember the same |
//!
//! The compact evaluation of a [sequence] of single events is simpler than that of the others: a queue
//! a stage, or, where no event is passed over, a bit a stage. Where any event may be passed over,
//! matches are [choices] among the events of queues. Two single events of which the second is
//! compared with the first have a list of first events instead of groups. Where the last event decides
//! what becomes of a run, the grouped one is a [forest] of events.
//!
//! Otherwise both keep the runs in a [`graph`] of events. A [`reader`] reads the matches that an event
//! completes off it: [few](few) of them one by one. Otherwise the part of the graph that leads to them is
//! [marked](marked), and a [`walk`] enumerates them in their order, or they are counted. The
//! [`stages`] are for patterns that bind the same events in several ways; which ones they are, is
//! found by [`ambiguity`].
//!
//! [`choose`] says which evaluation a pattern allows, and why; [`with_config`] which options need runs
//! all the same.

mod action;
mod ambiguity;
mod choices;
mod choose;
mod compact;
mod counting;
mod few;
mod forest;
mod graph;
mod grouped;
mod held;
mod marked;
mod reader;
mod sequence;
mod stages;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use choices::Choices;
pub(crate) use choose::{choose, with_config};
pub(crate) use compact::Compact;
pub(crate) use forest::{Forest, fits as fits_forest};
pub(crate) use grouped::Grouped;
pub(crate) use sequence::{Pair, Row, Sequence};
