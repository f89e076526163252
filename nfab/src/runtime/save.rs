//! Engines in snapshots.

use std::sync::Arc;

use super::evaluator::Evaluator;
use super::{Condition, Core, Engine, each};
use crate::config::Config;
use crate::error::Error;
use crate::event::Event;
use crate::history::EventIndex;
use crate::nfa::Automaton;
use crate::reorder::Reorder;
use crate::snapshot::{Loading, Snapshot, Stretch, corrupt, options, state};

/// An evaluation that can be saved and loaded. Events have numbers from 0 in a snapshot; the place
/// of the first one is `first`.
pub(crate) trait Save<E: Event>: Evaluator<E> {
    /// The match buffer, right after garbage was looked for.
    fn save(&self, _first: EventIndex) -> state::History {
        state::History::None
    }

    /// A partition.
    fn save_part(&self, part: &Self::Part, first: EventIndex) -> state::Part;

    /// Takes in the match buffer, while there is none; gives its places.
    fn load(
        &mut self,
        saved: state::History,
        _loading: &Loading<'_>,
    ) -> Result<Vec<Stretch>, Error> {
        match saved {
            state::History::None => Ok(Vec::new()),
            _ => Err(corrupt("there should be no match buffer")),
        }
    }

    /// Makes a partition.
    fn load_part(&mut self, saved: state::Part, loading: &Loading<'_>)
    -> Result<Self::Part, Error>;
}

impl<E: Event> Engine<E> {
    /// The state of the engine between two calls, for [`restore`](Self::restore). It borrows the
    /// events; [`Snapshot::cloned`] does not. Garbage is looked for before, which changes nothing but
    /// the counters that include garbage.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) after an error or after
    /// [`finish`](Self::finish): there is nothing to go on with.
    pub fn snapshot(&mut self) -> Result<Snapshot<&E>, Error> {
        if self.condition != Condition::Open {
            return Err(self.unusable());
        }
        let kind = self.core.kind();
        let reorder = self.reorder.as_ref().map(Reorder::save);
        let state = each!(&mut self.core, driver => driver.save(kind));
        Ok(Snapshot::new(state::State { reorder, ..state }))
    }

    /// An engine that goes on where the snapshot was taken: what it gives from then on, it would
    /// have given without stopping, in content, order and causes. Counters go on as well, but for
    /// those that include garbage (`cells`, `entries`, `cell_bytes`, `stored_events`) and the peaks.
    /// Options must be as they were; only limits may change.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Snapshot`](crate::ErrorKind::Snapshot) if the snapshot is of another query,
    /// of other options, of another version of its format, or damaged.
    pub fn restore(
        automaton: impl Into<Arc<Automaton>>,
        config: Config,
        snapshot: Snapshot<E>,
    ) -> Result<Self, Error> {
        let mut engine = Engine::with_config(automaton, config);
        let options = options(&config, engine.core.kind());
        let mut state = snapshot.open(engine.automaton(), &options)?;
        match (&mut engine.reorder, state.reorder.take()) {
            (Some(reorder), Some(saved)) => reorder.load(saved)?,
            (None, None) => {}
            _ => return Err(corrupt("events wait though none may, or none can")),
        }
        each!(&mut engine.core, driver => driver.load(state))?;
        Ok(engine)
    }
}

impl<E: Event> Core<E> {
    fn kind(&self) -> &'static str {
        match self {
            Core::Runs(_) => "runs",
            Core::Versioned(_) => "versioned",
            Core::Interpreter(_) => "interpreter",
            Core::Grouped(_) | Core::Forest(_) => "grouped",
            Core::Compact(_) => "compact",
            Core::Sequence(_) => "compact",
            Core::Choices(_) => "choices",
            Core::Row(_) => "row",
            Core::Pair(_) => "pair",
        }
    }
}
