//! How a detector works.

use crate::limits::Limits;
use crate::plan::Method;

/// Which methods keep the stream as a ring: of its last 64 events, a word of 64 bits for each class of
/// events says which they are, and nothing else is remembered. That can be done under `any` and `next` if
/// types say everything, there is no key, and events are neither held for patterns to come nor limited to
/// fewer than 64; elsewhere all options are the same. Under `next` no window may be of time or longer than
/// 64 events. Under `any` they may: where a window holds more than 64 events the ring lists those of each
/// class, and where one reaches back further than 65,536 events, or than
/// [`Limits::held_events`](crate::Limits::held_events), it is given up, until patterns change.
///
/// It is for measurements: answers never depend on it. The ring has nothing to do with what patterns
/// share, yet by default only `proposed` has it; where matches are read, its lead over `sharing` is the
/// ring's. To compare what the two share, give both the ring, or neither. (Under `next` that is nothing:
/// in a ring they are the same, and without it they differ in how they keep the starts of chains.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ring {
    /// `proposed`.
    #[default]
    ByMethod,
    /// None.
    Never,
    /// `sharing` and `proposed`. What patterns share stays that of the method: in a ring `sharing` has
    /// prefixes and the words in common, but no blocks and no sums of pairs. The others take each
    /// pattern by itself, so that they have no stream in common that could be a ring.
    Always,
}

/// How a detector works.
#[derive(Clone, Debug)]
pub struct Config {
    pub(crate) method: Method,
    pub(crate) partition_by: Vec<String>,
    pub(crate) hold_events: u64,
    pub(crate) ring: Ring,
    pub(crate) limits: Limits,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            method: Method::Proposed,
            partition_by: Vec::new(),
            hold_events: 0,
            ring: Ring::default(),
            limits: Limits::default(),
        }
    }
}

impl Config {
    /// Method `proposed`, one partition, default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How matches are found. All methods give the same output in the same order.
    ///
    /// - `single`: each pattern by itself and eagerly; every partial match is an instance.
    /// - `optimized`: each pattern by itself, evaluated when an event comes that can be the last one
    ///   of a match. Under `next` that saves nothing: chains are few, and its latest starts move as
    ///   often as those would; `single` is quicker there.
    /// - `sharing`: patterns share windows and prefixes; under `strict`, an automaton with failure
    ///   links.
    /// - `proposed`: as `sharing`, and they share what lies inside of them: blocks of two operands,
    ///   vectors of counts, bitmaps of conditions. If types say everything and there is no key, then
    ///   under `any`, and with windows of at most 64 events under `next`, the stream is a ring of its
    ///   last events, which has nothing to do with sharing and is most of its lead over `sharing`
    ///   ([`Ring`]); under `strict`, the automaton is a dense table.
    ///
    /// The trie is a model to compare with, not a method of detection.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// All events of a match have equal values of these attributes; windows of events and directness
    /// are counted among the events with equal values. Numbers are equal whatever their type; events
    /// that lack a value, or have NaN, are in no partition.
    ///
    /// Every key takes memory; [`Limits::partitions`] says when it is freed, and bounds it.
    #[must_use]
    pub fn partition_by(mut self, attributes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.partition_by = attributes.into_iter().map(Into::into).collect();
        self
    }

    /// Remembers so many of the last events (of each partition), those that no pattern uses included,
    /// with all attributes of the schema, so that patterns can be added that see them
    /// ([`Detector::add_backfilled`](crate::Detector::add_backfilled)). Default: none.
    #[must_use]
    pub fn hold_events(mut self, events: u64) -> Self {
        self.hold_events = events;
        self
    }

    /// Which methods keep the stream as a ring; answers never depend on it.
    #[must_use]
    pub fn ring(mut self, ring: Ring) -> Self {
        self.ring = ring;
        self
    }

    /// Bounds.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}
