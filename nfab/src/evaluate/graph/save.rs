//! Graphs in snapshots. The starts of runs follow from their events.

use super::{Graph, JOIN, NONE};
use crate::error::Error;
use crate::history::EventIndex;
use crate::runtime::evaluator::Key;
use crate::snapshot::{Loading, corrupt, state};

impl Graph {
    /// All elements, right after garbage was looked for.
    pub(in crate::evaluate) fn save(&self, first: EventIndex) -> Vec<state::Element> {
        let some = |at: u32| (at != NONE).then_some(at);
        let element = |element: &super::Element| state::Element {
            taken: (element.stage != JOIN).then(|| (element.stage, (element.event - first) as u32)),
            older: some(element.older),
            source: some(element.source),
        };
        self.elements.iter().map(element).collect()
    }

    /// Takes in what was saved; see [`Graph::new`].
    pub(in crate::evaluate) fn load(
        saved: Vec<state::Element>,
        ordered: bool,
        loading: &Loading<'_>,
    ) -> Result<Graph, Error> {
        let mut graph = Graph::new(ordered);
        // Lists are linear, and events are in order.
        let mut followed = vec![false; saved.len()];
        let mut newest = 0;
        for (at, state::Element { taken, older, source }) in saved.into_iter().enumerate() {
            let before = |place: Option<u32>| place.is_none_or(|place| (place as usize) < at);
            if !before(older) || !before(source) {
                return Err(corrupt("a graph of partial matches leads forward"));
            }
            if let Some(older) = older
                && std::mem::replace(&mut followed[older as usize], true)
            {
                return Err(corrupt("a list of partial matches forks"));
            }
            let list = older.unwrap_or(NONE);
            match (taken, source) {
                (Some((stage, event)), _) => {
                    let (stage, place) = (loading.stage(stage)?, loading.event(event)?);
                    let start = source.map_or(loading.key(event), |source| graph.reach(source));
                    if event < newest {
                        return Err(corrupt("a graph of partial matches is not in order"));
                    }
                    newest = event;
                    graph.take(list, (place, stage), source.unwrap_or(NONE), start);
                }
                (None, Some(source)) => {
                    graph.join(list, source, graph.reach(source));
                }
                (None, None) => return Err(corrupt("nothing joins a list of partial matches")),
            }
        }
        graph.kept = graph.len();
        Ok(graph)
    }

    /// The head of a list that was saved.
    pub(in crate::evaluate) fn head(&self, saved: u32) -> Result<u32, Error> {
        let known = (saved as usize) < self.elements.len();
        known.then_some(saved).ok_or_else(|| corrupt("a partial match leads to nothing"))
    }

    /// The key of the newest start of the runs of a list.
    pub(in crate::evaluate) fn reach(&self, list: u32) -> Key {
        self.get(list).reach
    }

    /// A key before which none of them started.
    pub(in crate::evaluate) fn oldest(&self, list: u32) -> Key {
        self.get(list).since
    }
}
