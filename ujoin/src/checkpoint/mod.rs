//! Stopping at any moment and going on later, with each result delivered exactly once.
//!
//! A [`Checkpoint`] says how far the input was read, what was in memory then, which segments hold
//! the rest, and how many bytes of results were out. It is written to a temporary file, synced,
//! renamed over the last one, and the directory synced, so that a process that is killed at any
//! moment leaves this checkpoint or the one before.
//!
//! The order of a commit is
//!
//! 1. let the engine come to rest: all results of what was read so far are with the sink;
//! 2. [`ResultsFile::commit`]; [`PayloadLog::persist`](crate::storage::PayloadLog::persist);
//! 3. [`SegmentStore::prepare`](crate::storage::SegmentStore::prepare) and
//!    [`PayloadLog::prepare`](crate::storage::PayloadLog::prepare), for if the next step fails
//!    halfway, either checkpoint may be the one that is found;
//! 4. [`Checkpoint::save`];
//! 5. [`SegmentStore::pin`](crate::storage::SegmentStore::pin) and
//!    [`PayloadLog::pin`](crate::storage::PayloadLog::pin): what only the last one named goes.
//!
//! To resume, [`Checkpoint::load`],
//! [`SegmentStore::open`](crate::storage::SegmentStore::open) and
//! [`keep`](crate::storage::SegmentStore::keep),
//! [`PayloadLog::recover`](crate::storage::PayloadLog::recover), then [`ResultsFile::resume`], which
//! cuts off what was written after the checkpoint and will be written again. A sink that cannot be
//! cut off uses [`Delivered`] instead.
//!
//! ```
//! use std::sync::Arc;
//! use ujoin::checkpoint::{Checkpoint, InputPosition};
//! use ujoin::storage::{Memory, Storage};
//! use ujoin::{Budget, Collect, Config, Policy, Probability, Spill, TravelTimes, Tuple};
//!
//! // On disk these would be `Files::open(directory)?`, and results would go to a `ResultsFile`.
//! let spilled: Arc<dyn Storage> = Arc::new(Memory::new());
//! let place = Memory::new();
//! let input: Vec<Tuple> = (0..100)
//!     .map(|seq| Tuple {
//!         seq,
//!         observation: seq,
//!         key: seq % 5,
//!         time: seq as i64,
//!         stream: (seq % 3) as u32,
//!         probability: Probability::ONE,
//!     })
//!     .collect();
//! let spill = Spill::new(Budget::Entries(10), Policy::Quantile, spilled);
//! let config = Config::new(TravelTimes::constant(3, 30)?).spill(spill);
//! let mut found = Collect::default();
//!
//! let mut join = config.clone().build()?;
//! join.push(&input[..60], &mut found)?;
//! let mut checkpoint = Checkpoint {
//!     inputs: vec![InputPosition { offset: 0, rows: 60 }],
//!     ..Checkpoint::default()
//! };
//! let live = join.checkpoint(&mut checkpoint, &mut found)?;
//! let store = join.store().expect("there is a budget");
//! store.prepare(&checkpoint.segment_ids());
//! checkpoint.save(&place, "run", &config.settings(), live)?;
//! store.pin(&checkpoint.segment_ids())?;
//! drop(join); // The process ends here, and another goes on.
//!
//! let mut live = Vec::new();
//! let checkpoint = Checkpoint::load(&place, "run", &config.settings(), |t| live.extend(t))?
//!     .expect("it was saved");
//! let mut join = config.resume(&checkpoint, &live)?;
//! join.push(&input[checkpoint.inputs[0].rows as usize..], &mut found)?;
//! join.finish(&mut found)?;
//! # let mut all = Collect::default();
//! # let mut join = Config::new(TravelTimes::constant(3, 30)?).build()?;
//! # join.push(&input, &mut all)?;
//! # join.finish(&mut all)?;
//! # assert_eq!(found.pairs.len(), all.pairs.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod format;
mod settings;
mod sink;

use std::collections::BTreeMap;

use crate::Tuple;
use crate::storage::{PayloadState, SegmentId, Storage, StorageError};

pub use settings::Settings;
pub use sink::{Delivered, ResultsFile, SinkPosition};

/// The state of a run at rest, but for the entries in memory, which are streamed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    /// How far each input was read.
    pub inputs: Vec<InputPosition>,
    /// The seq that the next accepted tuple gets.
    pub next_seq: u64,
    /// The watermark, in ticks; `None` before the first tuple.
    pub watermark: Option<i64>,
    /// The segments in use and how far their debts are paid.
    pub segments: Vec<SegmentState>,
    /// What was out.
    pub sink: SinkPosition,
    /// The files of rows.
    pub payload: PayloadState,
    /// What the program and the engine keep besides, by name: opaque here.
    pub sections: BTreeMap<String, Vec<u8>>,
}

/// How far an input was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputPosition {
    /// In bytes.
    pub offset: u64,
    /// In rows.
    pub rows: u64,
}

/// A segment, and which partners its tuples have met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentState {
    /// Its number.
    pub id: SegmentId,
    /// Its tuples have met all partners before this seq, and none from it on. Starts as
    /// [`SegmentSpec::out`](crate::storage::SegmentSpec::out) and grows while draining.
    pub out: u64,
}

impl Checkpoint {
    /// The numbers of its segments.
    #[must_use]
    pub fn segment_ids(&self) -> Vec<SegmentId> {
        self.segments.iter().map(|s| s.id).collect()
    }

    /// Writes the checkpoint in place of the one that has this name. `live` are the entries in
    /// memory; they are streamed through a small buffer.
    ///
    /// # Errors
    /// The system's. Unless the very last step failed, the former checkpoint is still the one that
    /// will be found.
    pub fn save(
        &self,
        storage: &dyn Storage,
        name: &str,
        settings: &Settings,
        live: impl IntoIterator<Item = Tuple>,
    ) -> Result<(), StorageError> {
        let temporary = format!("{name}.tmp");
        let result = format::write(self, storage, &temporary, settings, &mut live.into_iter());
        let result = result.and_then(|()| {
            storage
                .rename(&temporary, name)
                .map_err(|e| StorageError::io(name, "put the new checkpoint in place of", e))
        });
        if let Err(e) = result {
            let _ = storage.remove(&temporary);
            return Err(e);
        }
        storage.sync_dir().map_err(|e| StorageError::io(name, "sync the directory of", e))
    }

    /// Reads a checkpoint and calls `live` with stretches of the entries that were in memory, in the
    /// order in which they were written. `None` if there is none.
    ///
    /// # Errors
    /// It was made with other settings: [`Config`](crate::storage::StorageErrorKind::Config), and the
    /// message says which. It is damaged; the system's errors. `live` may have been called by then.
    pub fn load(
        storage: &dyn Storage,
        name: &str,
        settings: &Settings,
        live: impl FnMut(&[Tuple]),
    ) -> Result<Option<Checkpoint>, StorageError> {
        format::read(storage, name, settings, live)
    }
}
