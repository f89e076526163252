//! The shared evaluations: all partial matches at once, instead of one run for each.
//!
//! Runs are exact for every pattern, but under skip-till-any their number grows with a power of the
//! window, or exponentially. Two evaluations share what runs have in common:
//!
//! | evaluation | for | what is one |
//! |---|---|---|
//! | `Compact` | conditions over single events | all runs in one wait |
//! | `Grouped` | conditions that look back at first and last events | all runs in one wait that remember the same |
//!
//! [`choose`] says which of them a pattern allows, and why; [`with_config`] which options need runs
//! all the same.

mod choose;

#[allow(unused_imports, reason = "called by the front ends and the engine")]
pub(crate) use choose::{choose, with_config};
