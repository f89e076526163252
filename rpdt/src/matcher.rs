//! The push interface: chunks of any size in, answers out.

use std::io::Read;

use crate::engine::{Assumed, Engine};
use crate::input::{Flow, Source, SourceCounts, Start, TagSource};
use crate::{Error, ErrorKind, Plan, Sink, Stats};

/// Size of the buffer through which files are read; larger ones gained nothing.
const READ_BUFFER: usize = 256 << 10;

/// A running match. Feed it chunks of any size, then [`finish`](Matcher::finish).
#[derive(Debug)]
pub struct Matcher<'p, S> {
    pub(crate) engine: Engine<'p, S>,
    pub(crate) source: Source,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    Stopped,
    Failed,
}

/// The end of a run.
#[derive(Clone, Debug)]
pub struct Outcome<S> {
    /// The sink with what it gathered.
    pub sink: S,
    /// What the run did.
    pub stats: Stats,
    /// Whether the sink stopped the run before the end of the input.
    pub stopped: bool,
}

impl<'p, S: Sink> Matcher<'p, S> {
    pub(crate) fn new(plan: &'p Plan, sink: S) -> Self {
        Matcher {
            engine: Engine::new(&plan.compiled, &plan.config, sink),
            source: Source::of(plan.config.front_end, plan.config.source.clone()),
            state: State::Running,
        }
    }

    /// Inside how many of the open elements, the outermost first, another matcher could go on at a
    /// place that is yet to come.
    pub(crate) fn settled_depth(&self) -> usize {
        match self.source.cannot_fork() {
            Some(_) => 0,
            None => self.engine.settled_depth().min(self.source.open()),
        }
    }

    /// A matcher that goes on at a place inside the outermost `depth` open elements, and what it
    /// assumes. Memory is taken over from a third one, which is done.
    pub(crate) fn fork<T: Sink>(
        &self,
        plan: &'p Plan,
        depth: usize,
        offset: u64,
        sink: T,
        spare: Option<Matcher<'p, T>>,
    ) -> (Start, Assumed, Matcher<'p, T>) {
        let open = (0..depth).filter_map(|d| self.source.open_at(d)).map(|open| open.0);
        let start = Start { offset, open: open.collect() };
        let config = &plan.config;
        let matcher = Matcher {
            engine: self.engine.fork(depth, config, sink),
            source: self.source.fork(&config.source, &start, spare.map(|spare| spare.source)),
            state: State::Running,
        };
        (start, self.engine.assumed(depth), matcher)
    }

    pub(crate) fn source_counts(&self) -> SourceCounts {
        self.source.counts()
    }

    /// Takes the next chunk. Returns [`Flow::Stopped`] when the sink wants nothing more.
    ///
    /// # Errors
    /// A malformed document or an exceeded limit. Answers given so far stay valid; the matcher
    /// cannot be used further.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<Flow, Error> {
        match self.state {
            State::Stopped => return Ok(Flow::Stopped),
            State::Failed => return Err(used_after_failure()),
            State::Running => {}
        }
        match self.source.feed(chunk, &mut self.engine) {
            Ok(Flow::Stopped) => {
                self.state = State::Stopped;
                Ok(Flow::Stopped)
            }
            Ok(Flow::Continue) => Ok(Flow::Continue),
            Err(e) => {
                self.state = State::Failed;
                Err(e)
            }
        }
    }

    /// Feeds a whole stream through one reused buffer.
    ///
    /// # Errors
    /// As for [`feed`](Self::feed), and errors of the reader.
    pub fn read_from(&mut self, mut reader: impl Read) -> Result<Flow, Error> {
        let mut buffer = vec![0; READ_BUFFER];
        loop {
            let n = match reader.read(&mut buffer) {
                Ok(0) => return Ok(Flow::Continue),
                Ok(n) => n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(Error::from(e).at(self.source.position())),
            };
            if self.feed(&buffer[..n])? == Flow::Stopped {
                return Ok(Flow::Stopped);
            }
        }
    }

    /// The input is complete: last checks, last answers.
    ///
    /// # Errors
    /// An incomplete document, or an earlier failure.
    pub fn finish(mut self) -> Result<Outcome<S>, Error> {
        match self.state {
            State::Failed => return Err(used_after_failure()),
            State::Running => self.source.finish(&mut self.engine)?,
            State::Stopped => {}
        }
        let stats = self.stats();
        let stopped = self.state == State::Stopped;
        Ok(Outcome { sink: self.engine.into_sink(), stats, stopped })
    }

    /// The sink, for instance to look at what it has gathered so far.
    pub fn sink_mut(&mut self) -> &mut S {
        self.engine.sink_mut()
    }

    /// Counts so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let counts = self.source.counts();
        Stats {
            bytes: counts.bytes,
            tags: counts.tags,
            max_depth: counts.max_depth,
            ..self.engine.stats()
        }
    }
}

fn used_after_failure() -> Error {
    Error::new(ErrorKind::Usage, "this matcher has failed before and cannot go on")
}
