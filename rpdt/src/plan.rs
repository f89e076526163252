//! Compiled queries.

use std::fs::File;
use std::io::Read;

use crate::automaton::compile::{Compiled, NONE};
use crate::matcher::{Matcher, Outcome};
use crate::parallel::{self, Document, READS_FILES, Threads};
use crate::pattern::Axis;
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

    /// Where [`run_slice_on`](Self::run_slice_on) can divide a document for a query, in a sentence.
    #[must_use]
    pub fn threads_explained(&self, query: usize) -> String {
        let node = self.compiled.outermost_kept(query);
        let name = self.compiled.tests[node.test as usize].shown();
        let is_root = node.parent == NONE && node.axis == Axis::Child;
        match (is_root, self.compiled.only_has_conditions(node)) {
            (true, true) => format!(
                "one thread matches a document until the conditions of the document element \
                 `{name}` are met; from then on several do"
            ),
            (true, false) => format!(
                "one thread matches a document: what it remembers of the document element `{name}` \
                 depends on all of it"
            ),
            (false, true) => format!(
                "several threads match a document: it is divided wherever the conditions of each \
                 open element that the step `{name}` matches are met"
            ),
            (false, false) => format!(
                "several threads match a document: it is divided wherever no element that the step \
                 `{name}` matches is open, so one such element is never divided"
            ),
        }
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

    /// Runs over a whole document in memory, on several threads. Answers, their order and errors are
    /// those of [`run_slice`](Self::run_slice).
    ///
    /// A document is divided where nothing need be remembered of the elements that are open, see
    /// [`threads_explained`](Self::threads_explained); while there is no such place, and in other
    /// encodings than UTF-8, one thread works alone. [`Stats::segments`](crate::Stats::segments)
    /// says how often it did not. Answers of up to 64 MiB a thread may wait for
    /// those before them.
    ///
    /// # Errors
    /// As for [`run_slice`](Self::run_slice), and threads that cannot be started.
    pub fn run_slice_on<S: Sink + Send>(
        &self,
        threads: Threads,
        document: &[u8],
        mut sink: S,
    ) -> Result<Outcome<S>, Error> {
        if threads.count() == 1 {
            return self.run_slice(document, sink);
        }
        let (stats, stopped) = parallel::run(self, Document::Slice(document), threads, &mut sink)?;
        Ok(Outcome { sink, stats, stopped })
    }

    /// Runs over a file from its beginning, on several threads, as [`run_slice_on`](Self::run_slice_on)
    /// does. Each thread reads through a buffer of its own; the file is neither read as a whole nor
    /// mapped. What is not a regular file is read by one thread.
    ///
    /// # Errors
    /// As for [`run_slice_on`](Self::run_slice_on), and errors of the file.
    pub fn run_file_on<S: Sink + Send>(
        &self,
        threads: Threads,
        file: &File,
        mut sink: S,
    ) -> Result<Outcome<S>, Error> {
        let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file);
        let Some(metadata) = metadata.filter(|_| READS_FILES && threads.count() > 1) else {
            return self.run_reader(file, sink);
        };
        let document = Document::File(file, metadata.len());
        let (stats, stopped) = parallel::run(self, document, threads, &mut sink)?;
        Ok(Outcome { sink, stats, stopped })
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
