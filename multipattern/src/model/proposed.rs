//! The proposed model: decomposition, then merge sharing.

use super::{Model, Sequences};
use crate::decompose::Decomposition;
use crate::share::{self, Merge};

/// The minimal acyclic automaton of decomposed patterns and of the words of the rules.
pub fn proposed(set: &Sequences, decomposition: Decomposition) -> Model {
    debug_assert_eq!(set.len(), decomposition.words.len());
    share::build(decomposition.words, decomposition.rules, Merge::All)
}
