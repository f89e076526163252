//! Match buffers in snapshots.

use super::{EventIndex, History, Tail};
use crate::error::Error;
use crate::snapshot::state;
use crate::snapshot::{Loading, Stretch};

/// A match buffer that can be saved, right after it was compacted, and loaded, while it is empty.
pub(crate) trait Saved: History {
    /// What the buffer holds; the first event that is stored has this place.
    fn save(&self, first: EventIndex) -> state::History;

    /// The number of a run's last place in what was saved.
    fn number(&self, tail: Tail) -> u32;

    /// Takes in what was saved; gives the places in turn.
    fn load(&mut self, saved: state::History, loading: &Loading<'_>)
    -> Result<Vec<Stretch>, Error>;
}
