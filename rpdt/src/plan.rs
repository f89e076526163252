//! Compiled queries.

use std::io::Read;

use crate::automaton::compile::Compiled;
use crate::matcher::{Matcher, Outcome};
use crate::{Config, Error, Pattern, Shape, Sink};

/// One or more patterns compiled for one pass over a document.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) config: Config,
    pub(crate) compiled: Compiled,
}

impl Plan {
    /// Compiles patterns to run in one pass; answers name them by their index.
    ///
    /// # Errors
    /// An undeclared prefix, or a pattern beyond the engine's stated bounds.
    pub fn new(patterns: Vec<Pattern>, config: Config) -> Result<Self, Error> {
        let compiled = Compiled::new(&patterns, &config)?;
        Ok(Plan { patterns, config, compiled })
    }

    /// Parses and compiles one query with default options.
    ///
    /// # Errors
    /// A fault in the query.
    pub fn parse(query: &str) -> Result<Self, Error> {
        Plan::new(vec![Pattern::parse(query)?], Config::default())
    }

    /// The patterns, in the order of their indices.
    #[must_use]
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The shape that answers of one query will have.
    #[must_use]
    pub fn shape(&self, query: usize) -> Shape {
        self.compiled.shape(query)
    }

    /// A matcher to which a document is fed chunk by chunk.
    pub fn matcher<S: Sink>(&self, sink: S) -> Matcher<'_, S> {
        Matcher::new(self, sink)
    }

    /// Runs over a whole document in memory.
    ///
    /// # Errors
    /// A malformed or incomplete document, or an exceeded limit. Answers that the sink has
    /// received stay valid; pass `&mut sink` to keep them.
    pub fn run_slice<S: Sink>(&self, document: &[u8], sink: S) -> Result<Outcome<S>, Error> {
        let mut matcher = self.matcher(sink);
        matcher.feed(document)?;
        matcher.finish()
    }

    /// Runs over a stream through one reused buffer.
    ///
    /// # Errors
    /// As for [`run_slice`](Self::run_slice), and errors of the reader.
    pub fn run_reader<S: Sink>(&self, reader: impl Read, sink: S) -> Result<Outcome<S>, Error> {
        let mut matcher = self.matcher(sink);
        matcher.read_from(reader)?;
        matcher.finish()
    }
}
