//! A document that is read in segments, by several sources at a time: a second source can start
//! between two tags, inside elements that the first one knows to be open, and it can be checked
//! afterwards that the first one arrives there.

use std::sync::Arc;

use super::document::Document;
use super::names::NONE;
use super::stack::{Open, Stack};
use super::{Interest, SourceConfig};

/// What is assumed of the place where a segment begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    /// The place itself.
    pub offset: u64,
    /// Where the open elements begin, the outermost first.
    pub open: Vec<u64>,
}

impl Stack {
    fn open(&self) -> &[Open] {
        &self.frames[..self.depth]
    }
}

impl Document {
    /// Goes on at a place inside the outermost open elements of another one, whose names are known.
    pub(super) fn fork(&mut self, from: &Document, start: &Start) {
        let depth = start.open.len();
        self.stack = Stack { frames: from.stack.frames[..depth].to_vec(), depth };
        let loose = |open: &&Open| open.id == NONE;
        let bytes = self.stack.open().iter().filter(loose).map(Open::len).sum();
        self.loose = from.loose[..bytes].to_vec();
        self.interest = Interest::TAGS;
        self.always_watch = from.always_watch;
        self.watch = from.always_watch;
        self.root_seen = true;
        self.doctype_seen = from.doctype_seen;
        self.standalone = from.standalone;
        self.offset = start.offset;
        self.entities = Arc::clone(&from.entities);
        self.counts.max_depth = from.counts.max_depth;
    }

    /// Whether this is a place inside elements that begin at certain places.
    pub(super) fn is_at(&self, offset: u64, open: &[u64]) -> bool {
        self.offset == offset
            && self.skipped == 0
            && self.below == 0
            && !self.in_cdata
            && self.stack.open().iter().map(|open| open.start).eq(open.iter().copied())
    }

    /// The element open at a depth from 0: where it begins, and its name if that is remembered.
    pub(super) fn open_at(&self, depth: usize) -> Option<(u64, &[u8])> {
        let open = self.stack.open().get(depth)?;
        Some((open.start, if open.id == NONE { &[] } else { self.names.name(open.id) }))
    }
}

/// Settings of a source whose place in its document is found out by somebody else.
pub(super) fn without_table(config: &SourceConfig) -> SourceConfig {
    SourceConfig {
        checks: config.checks,
        encoding: None,
        entities: config.entities,
        entity_table: super::EntityTable::new(),
        limits: config.limits.clone(),
    }
}
