//! The engines, behind one trait.

mod crew;
mod distributor;
mod give;
mod keyed;
mod layout;
mod live;
mod log;
mod out;
mod paper;
mod shard;
mod shares;
mod spilling;
mod sweep;
mod worker;

pub(crate) use give::Give;
pub(crate) use out::Out;
pub(crate) use shard::{Predicate, Shard, Stored};
pub(crate) use worker::{MESSAGE_BYTES, REPORTS};

use crate::checkpoint::Checkpoint;
use crate::storage::SegmentStore;
use crate::{Config, Error, ErrorKind, Expiry, Policy, Sink, Spill, Stats, Tuple};

/// Whether anything is still owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drained {
    /// No: every pair of the tuples taken so far has been given out.
    All,
    /// Yes: there is more to drain.
    More,
}

/// What the memory budget makes a join do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// All that can still have partners is in memory.
    Memory,
    /// Some of it is on disk.
    Spilling,
    /// Some of it is on disk, and is about to meet what came since.
    Draining,
}

/// A join under way. Made by [`Config::build`].
///
/// Every call may give results to the sink, also of tuples from earlier calls: threads hand theirs
/// over when they have some. After [`pause`](Join::pause) none are outstanding.
pub trait Join: Send {
    /// Takes tuples in the order of arrival: `seq` ascends, over all calls. A tuple whose `time` is
    /// before the [`watermark`](Join::watermark) goes to [`Sink::late`] instead.
    ///
    /// # Errors
    /// A tuple of a stream that does not exist or out of order, a sink that fails, a disk that is
    /// full. [`Error::taken`] says how many tuples were taken before.
    fn push(&mut self, tuples: &[Tuple], sink: &mut dyn Sink) -> Result<(), Error>;

    /// Promises that nothing older than `watermark` is to come (what does come is late). A
    /// watermark below the present one changes nothing.
    ///
    /// # Errors
    /// The sink failed.
    fn advance(&mut self, watermark: i64, sink: &mut dyn Sink) -> Result<(), Error>;

    /// Works off one portion of what is owed by tuples on disk. For callers who see that input is
    /// slow: repeat while nothing arrives.
    ///
    /// # Errors
    /// The sink or the disk failed.
    fn drain(&mut self, sink: &mut dyn Sink) -> Result<Drained, Error>;

    /// Works off all that is owed, and waits for all threads: every result of the tuples so far has
    /// then been given out.
    ///
    /// # Errors
    /// The sink or the disk failed.
    fn pause(&mut self, sink: &mut dyn Sink) -> Result<(), Error> {
        while self.drain(sink)? == Drained::More {}
        Ok(())
    }

    /// As [`pause`](Join::pause), then ends threads and removes files. No further call works.
    ///
    /// # Errors
    /// The sink or the disk failed.
    fn finish(&mut self, sink: &mut dyn Sink) -> Result<(), Error>;

    /// The time before which tuples are late: the newest time less the lateness.
    /// `i64::MIN` in the beginning.
    fn watermark(&self) -> i64;

    /// The tuples in memory now. Waits for the threads.
    ///
    /// # Errors
    /// The sink failed.
    fn resident(&mut self, sink: &mut dyn Sink) -> Result<usize, Error>;

    /// What has been counted so far.
    fn stats(&self) -> Stats;

    /// What the memory budget makes it do now.
    fn state(&self) -> State;

    /// Comes to rest and says what is needed to go on later with [`Config::resume`]: the fields
    /// `next_seq`, `watermark`, `segments` and `sections` of the checkpoint are set, and the tuples in
    /// memory are given back in the order of arrival. What is owed stays owed.
    ///
    /// # Errors
    /// The sink or the disk failed.
    fn checkpoint(
        &mut self,
        checkpoint: &mut Checkpoint,
        sink: &mut dyn Sink,
    ) -> Result<Vec<Tuple>, Error>;

    /// The segments on disk, to be told what a checkpoint names.
    fn store(&self) -> Option<&SegmentStore>;
}

/// Checks the configuration and makes the engine.
pub(crate) fn build(
    config: Config,
    earlier: Option<(&Checkpoint, &[Tuple])>,
) -> Result<Box<dyn Join>, Error> {
    let wrong = |text: &str| Err(ErrorKind::Config(text.to_owned()).into());
    if config.lateness < 0 {
        return wrong("the lateness must not be negative");
    }
    if config.slots == 0 || u32::try_from(config.slots).is_err() {
        return wrong("there must be at least one slot, and fewer than 2^32");
    }
    use crate::Engine::{Paper, PaperBatched};
    if let Paper(Expiry::Batch { interval }) | PaperBatched(Expiry::Batch { interval }) =
        config.engine
        && interval <= 0
    {
        return wrong("the interval of expiry must be positive");
    }
    if let Some(Spill { policy: Policy::LessThanProbability { share: 0, .. }, .. }) = config.spill {
        return wrong("a flush of less than a share of zero makes no sense");
    }
    Ok(Box::new(distributor::Distributor::new(config, earlier)?))
}
