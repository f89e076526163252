//! How an engine begins, and what it says of itself: counts, and what it holds.

use hashbrown::HashSet;

use crate::automaton::compile::{Compiled, NONE};
use crate::automaton::lazy::{Children, LazyTable};
use crate::automaton::symbols::Classes;
use crate::{Config, Error, ErrorKind, Needs, Order, Shape, Sink, Stats};

use super::buffer::Buffers;
use super::content::Content;
use super::namespace::Namespaces;
use super::order::DocumentOrder;
use super::path::PathTracker;
use super::runs::RunTracker;
use super::tally::Tally;
use super::{Engine, Mode, light};

impl<'p, S: Sink> Engine<'p, S> {
    pub(crate) fn new(compiled: &'p Compiled, config: &Config, sink: S) -> Self {
        let needs = sink.needs();
        // Text and XML are complete only at the end tag; document order waits for it anyway.
        let end = needs.end || needs.text || needs.xml || config.order == Order::Document;
        let needs = Needs { end, ..needs };
        let modes: Vec<Mode> = compiled
            .queries
            .iter()
            .map(|q| Mode {
                shape: q.shape,
                collect: !(needs.count_only && q.shape == Shape::Instances),
                elements: !needs.count_only || (q.shape == Shape::Nodes && q.shared_labels),
                wait_for_end: needs.end && !needs.count_only,
            })
            .collect();
        let ambiguous = compiled.queries.iter().any(|q| q.ambiguous);
        let ordered = config.order == Order::Document && !needs.count_only;
        let nodes = compiled.nodes.len();
        let queries = compiled.queries.len();
        let mut buffers = Buffers::default();
        buffers.watch_drops = ambiguous || ordered;
        let paths = (needs.path && !needs.count_only).then(PathTracker::default);
        let tally = Tally::new(compiled, needs, config.runs);
        let light_nodes = match tally.is_plan() {
            true => vec![true; nodes],
            false => light::light_nodes(compiled, needs),
        };
        Engine {
            tally,
            table: LazyTable::new(
                compiled,
                config.source.limits.automaton_states,
                config.mechanisms,
                light_nodes,
            ),
            classes: Classes::default(),
            namespaces: compiled.needs_namespaces.then(Namespaces::new),
            children: Children::new(paths.is_some() || compiled.needs_namespaces, false),
            // The end tag of the document would have to be looked at.
            states: vec![LazyTable::START.looked()],
            depth: 0,
            marks: Vec::new(),
            open: Vec::new(),
            top: vec![NONE; nodes],
            lowest_confirmed: vec![NONE; nodes],
            extras: Vec::new(),
            trackers: RunTracker::default(),
            buffers,
            content: Content::default(),
            slow: paths.is_some(),
            live: false,
            paths,
            order: ordered.then(DocumentOrder::default),
            waiting: Vec::new(),
            slots: Vec::new(),
            given: vec![HashSet::new(); queries],
            given_bytes: vec![0; queries],
            pending_keys: vec![0; queries],
            answers: 0,
            stopped: false,
            failure: None,
            runs: config.runs,
            limits: config.source.limits.clone(),
            sharing: config.mechanisms.sharing,
            compiled,
            sink,
            needs,
            modes,
        }
    }

    pub(crate) fn into_sink(self) -> S {
        self.sink
    }

    pub(crate) fn sink(&self) -> &S {
        &self.sink
    }

    pub(crate) fn sink_mut(&mut self) -> &mut S {
        &mut self.sink
    }

    /// The engine's share of the statistics.
    pub(crate) fn stats(&self) -> Stats {
        Stats {
            answers: self.answers,
            peak_buffered_bytes: self.buffers.peak() + self.content.peak(),
            automaton_states: self.table.built(),
            ..Stats::default()
        }
    }

    /// An error if what is held exceeds the limit.
    pub(super) fn check_buffers(&self) -> Result<(), Error> {
        let given: usize = self.given_bytes.iter().sum();
        let held = self.buffers.held() + self.content.held() + given;
        if held > self.limits.buffered_bytes {
            return Err(Error::new(
                ErrorKind::Limit,
                format!(
                    "undecided candidates, results and tuples to compare take more than the limit of {} bytes \
                     (buffered_bytes)",
                    self.limits.buffered_bytes
                ),
            )
            .with_hint(
                "raise the limit, ask for less per answer, or make the query decide earlier",
            ));
        }
        Ok(())
    }
}
