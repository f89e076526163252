//! The multi-pattern sharing model: prefixes, suffixes and sub-patterns merged, nothing decomposed.

use super::{Model, Sequences};
use crate::share::{self, Merge};

/// The minimal acyclic automaton of the patterns.
pub fn sharing(set: &Sequences) -> Model {
    share::build(share::plain(set), Vec::new(), Merge::All)
}
