//! Reading a handful of matches, or long ones.
//!
//! Turning the graph round pays if many matches share their beginnings. Few matches, and long ones
//! that differ from the first event on, are read backwards, one after the other, and put in order
//! afterwards. That is given up as soon as it does not pay; what was read until then is bounded, and
//! a part of what there is to read anyway.

use super::graph::{Graph, JOIN, NONE, Starts};
use super::marked::{End, PASSED};
use crate::history::EventIndex;
use crate::runtime::evaluator::Taken;

/// So many matches are read whatever their length.
const FEW: usize = 2;
/// Matches that have so many events on average are long: sorting them costs less than copying.
const LONG: usize = if cfg!(test) { 4 } else { 8 };
/// The most events that are read.
const MOST: usize = 1 << 16;
/// The most events that are read only to count matches.
const MOST_TO_COUNT: usize = 1024;
/// The most joins that are passed on the way.
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
    /// Reads all matches, in order to visit them; `false` if there are too many.
    pub(super) fn read(
        &mut self,
        graph: &Graph,
        ends: &[End],
        event: EventIndex,
        starts: Starts,
    ) -> bool {
        self.read_while(graph, ends, (event, starts), |matches, events| {
            matches <= FEW || (events <= MOST && events >= LONG * matches)
        })
    }

    /// The same in order to count them.
    pub(super) fn count(&mut self, graph: &Graph, ends: &[End], starts: Starts) -> Option<u64> {
        let pays = |matches, events| matches <= FEW && events <= MOST_TO_COUNT;
        let done = self.read_while(graph, ends, (EventIndex::MAX, starts), pays);
        done.then_some(self.spans.len() as u64)
    }

    /// Reads all matches, as long as it pays to read so many matches with so many events.
    fn read_while(
        &mut self,
        graph: &Graph,
        ends: &[End],
        (event, starts): (EventIndex, Starts),
        pays: impl Fn(usize, usize) -> bool,
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
                let at = graph.seek(at, starts);
                if at == NONE {
                    continue;
                }
                self.path.truncate(depth);
                let element = graph.get(at);
                if element.older != NONE {
                    self.stack.push((element.older, depth));
                }
                if element.stage == JOIN {
                    detour += 1;
                } else {
                    self.path.push((element.stage, element.event));
                }
                if element.source != NONE {
                    self.stack.push((element.source, self.path.len()));
                } else {
                    self.record();
                }
                let events = self.taken.len() + self.path.len();
                if detour > DETOUR || !pays(self.spans.len(), events) {
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

    /// The matches, in order.
    pub(super) fn matches(&self) -> impl Iterator<Item = &[Taken]> {
        self.spans.iter().map(|&(from, to)| &self.taken[from..to])
    }
}
