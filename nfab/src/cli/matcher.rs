//! The engine in this thread, or in threads of its own.

use nfab::{Automaton, Config, Engine, Error, ErrorKind, ShardedEngine, Snapshot, Stats};

use super::output::Printer;
use super::row::Row;

/// Matches rows.
pub(super) enum Matcher {
    Here(Box<Engine<Row>>),
    /// The partitions are dealt out among threads; without any, one thread matches what this one
    /// reads.
    Elsewhere(Box<ShardedEngine<Row>>),
}

impl Matcher {
    pub(super) fn new(automaton: Automaton, config: Config, threads: usize) -> Result<Self, Error> {
        Ok(match threads {
            1 => Matcher::Here(Box::new(Engine::with_config(automaton, config))),
            _ => Matcher::Elsewhere(Box::new(ShardedEngine::new(automaton, config, threads)?)),
        })
    }

    /// Goes on from a checkpoint, in this thread.
    pub(super) fn restore(
        automaton: Automaton,
        config: Config,
        snapshot: Snapshot<Row>,
    ) -> Result<Self, Error> {
        Ok(Matcher::Here(Box::new(Engine::restore(automaton, config, snapshot)?)))
    }

    /// The state, for a checkpoint.
    pub(super) fn snapshot(&mut self) -> Result<Snapshot<&Row>, Error> {
        match self {
            Matcher::Here(engine) => engine.snapshot(),
            Matcher::Elsewhere(_) => {
                Err(Error::new(ErrorKind::Usage, "there are no checkpoints of several threads"))
            }
        }
    }

    /// Whether an error is about the last row.
    pub(super) fn is_prompt(&self) -> bool {
        matches!(self, Matcher::Here(_))
    }

    pub(super) fn push(&mut self, row: Row, printer: &mut Printer<'_>) -> Result<(), Error> {
        match self {
            Matcher::Here(engine) => engine.push(row, printer),
            Matcher::Elsewhere(engine) => engine.push(row, printer),
        }
    }

    /// Prints all that was found so far.
    pub(super) fn flush(&mut self, printer: &mut Printer<'_>) -> Result<(), Error> {
        match self {
            Matcher::Here(_) => Ok(()),
            Matcher::Elsewhere(engine) => engine.flush(printer),
        }
    }

    pub(super) fn finish(&mut self, printer: &mut Printer<'_>) -> Result<(), Error> {
        match self {
            Matcher::Here(engine) => engine.finish(printer),
            Matcher::Elsewhere(engine) => engine.finish(printer),
        }
    }

    pub(super) fn stats(&self) -> Stats {
        match self {
            Matcher::Here(engine) => engine.stats(),
            Matcher::Elsewhere(engine) => engine.stats(),
        }
    }
}
