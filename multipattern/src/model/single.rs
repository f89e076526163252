//! The single-pattern model: one chain a pattern, nothing merged.

use super::{Model, Sequences};
use crate::share::{self, Merge};

/// One chain a pattern: n + 1 states and n edges for n symbols.
///
/// The method *optimized* runs on the same chains; it differs in when it builds matches, at the
/// last event.
pub fn single(set: &Sequences) -> Model {
    share::build(share::plain(set), Vec::new(), Merge::Nothing)
}
