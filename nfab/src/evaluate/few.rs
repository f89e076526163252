//! Reading a handful of matches.
//!
//! Where an event completes few matches, turning the graph round costs more than it saves: matches
//! are read backwards, one after the other, and put in order afterwards. That is given up as soon as
//! there are more than [`MOST`]; what was read until then is a part of what there is to read anyway.

use super::graph::{Graph, JOIN, NONE, Starts};
use super::marked::{End, PASSED};
use crate::history::EventIndex;
use crate::runtime::evaluator::Taken;

/// The most matches that are read so; fewer in tests, so that the other way is gone as well.
const MOST: usize = if cfg!(test) { 2 } else { 12 };
/// The most dead elements, joins and shared ends that are passed on the way.
const DETOUR: usize = 1 << 10;

/// Working space, used again for each event.
#[derive(Debug, Default)]
pub(super) struct Few {
    /// The events of all matches, the last one of each first; after `finish` in their order.
    taken: Vec<Taken>,
    spans: Vec<(usize, usize)>,
    /// The events from the last one to where the reading is.
    path: Vec<Taken>,
    /// Lists that are still to be read, and how much of the path leads to them.
    stack: Vec<(u32, usize)>,
}

impl Few {
    /// Reads all matches; `false` if there are too many.
    pub(super) fn read(
        &mut self,
        graph: &Graph,
        ends: &[End],
        event: EventIndex,
        starts: Starts,
    ) -> bool {
        self.taken.clear();
        self.spans.clear();
        let mut detour = 0;
        for end in ends {
            self.path.clear();
            self.path.extend((end.stage != PASSED).then_some((end.stage, event)));
            if end.source == NONE {
                self.record();
                continue;
            }
            self.stack.clear();
            self.stack.push((end.source, self.path.len()));
            while let Some((at, depth)) = self.stack.pop() {
                if !graph.may_have(at, starts) {
                    continue;
                }
                self.path.truncate(depth);
                let element = graph.get(at);
                if element.older != NONE {
                    self.stack.push((element.older, depth));
                }
                if element.newest < starts.from || element.stage == JOIN {
                    detour += 1;
                    if element.newest >= starts.from {
                        self.stack.push((element.source, depth));
                    }
                } else {
                    self.path.push((element.stage, element.event));
                    if element.source != NONE {
                        self.stack.push((element.source, self.path.len()));
                    } else if element.newest <= starts.to {
                        self.record();
                    } else {
                        detour += 1;
                    }
                }
                if self.spans.len() > MOST || detour > DETOUR {
                    return false;
                }
            }
        }
        self.finish();
        true
    }

    /// The path is a match.
    fn record(&mut self) {
        let from = self.taken.len();
        self.taken.extend(self.path.iter().rev());
        self.spans.push((from, self.taken.len()));
    }

    /// Puts the matches in order, each once.
    fn finish(&mut self) {
        let Few { taken, spans, .. } = self;
        let of = |span: &(usize, usize)| &taken[span.0..span.1];
        let events = |span: &(usize, usize)| of(span).iter().map(|taken| taken.1);
        let stages = |span: &(usize, usize)| of(span).iter().map(|taken| taken.0);
        spans.sort_unstable_by(|a, b| {
            events(a).cmp(events(b)).then_with(|| stages(a).cmp(stages(b)))
        });
        spans.dedup_by(|a, b| of(a) == of(b));
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    /// The matches, in order.
    pub(super) fn matches(&self) -> impl Iterator<Item = &[Taken]> {
        self.spans.iter().map(|&(from, to)| &self.taken[from..to])
    }
}
