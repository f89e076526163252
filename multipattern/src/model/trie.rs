//! The prefix trie: only equal beginnings are merged.

use super::{Model, Sequences};
use crate::share::{self, Merge};

/// Merges the patterns' prefixes.
pub fn trie(set: &Sequences) -> Model {
    share::build(share::plain(set), Vec::new(), Merge::Prefixes)
}
