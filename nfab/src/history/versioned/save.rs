//! The versioned buffer in snapshots.

use super::super::save::Saved;
use super::{Edge, MASK, NONE, PASSED_ON, VersionedBuffer};
use crate::error::Error;
use crate::history::version::Version;
use crate::history::{EventIndex, History, Tail};
use crate::snapshot::{Loading, Stretch, corrupt, state};

/// Numbers in versions are less.
const MOST: u64 = 1 << 62;

impl Saved for VersionedBuffer {
    fn save(&self, first: EventIndex) -> state::History {
        let real = self.nodes.iter().filter(|node| node.first_edge != NONE);
        let entries = real.map(|node| (node.stack, (self.event(node) - first) as u32));
        let real = self.edges.iter().filter(|edge| edge.entry != NONE);
        let entry = |place: u32| self.nodes.dense(u64::from(place), MASK);
        let edges = real.map(|edge| state::Edge {
            from: entry(edge.entry),
            to: (edge.to != NONE).then(|| entry(edge.to)),
            version: edge.version.numbers().collect(),
            forks: edge.forks,
        });
        state::History::Versioned {
            started: self.started,
            once: self.once,
            entries: entries.collect(),
            edges: edges.collect(),
        }
    }

    fn number(&self, tail: Tail) -> u32 {
        self.edges.dense(u64::from(tail.0), MASK)
    }

    fn load(
        &mut self,
        saved: state::History,
        loading: &Loading<'_>,
    ) -> Result<Vec<Stretch>, Error> {
        let state::History::Versioned { started, once, entries, edges } = saved else {
            return Err(corrupt("its match buffer is another one"));
        };
        let most = entries.len().max(edges.len()).max(loading.events());
        if most >= self.capacity() || started.max(once) >= MOST || once < u64::from(PASSED_ON) {
            return Err(corrupt("its match buffer is larger than any"));
        }
        (self.started, self.once) = (started, once);
        for &(stack, event) in &entries {
            let place = loading.event(event)?;
            if stack as usize >= self.stacks.len() || place < self.newest {
                return Err(corrupt("its match buffer is not in order"));
            }
            self.newest = place;
            self.push_node(loading.key(event), event, stack);
        }
        let mut all: Vec<Stretch> = Vec::with_capacity(edges.len());
        for state::Edge { from, to, version, forks } in edges {
            let leads_back = to.is_none_or(|to| to < from);
            if from as usize >= entries.len() || !leads_back {
                return Err(corrupt("its match buffer leads forward"));
            }
            if version.is_empty() || version.iter().any(|&number| number >= MOST) {
                return Err(corrupt("a version of its match buffer is none"));
            }
            let event = entries[from as usize].1;
            let edge = Edge {
                version: Version::new(version),
                entry: from,
                to: to.unwrap_or(NONE),
                sibling: NONE,
                forks,
            };
            let (mut first, mut length) = (event, 1);
            if to.is_some() {
                let before = self.best(&edge).map(|place| all[place as usize]);
                let before = before.filter(|before| before.last < event);
                let before = before.ok_or_else(|| corrupt("its match buffer leads nowhere"))?;
                (first, length) = (before.first, before.length + 1);
            }
            let place = self.push_edge(loading.key(event), edge);
            all.push(Stretch { tail: Tail(place), first, last: event, length });
        }
        Ok(all)
    }
}
