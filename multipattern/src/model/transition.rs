//! The state transition function: where a path goes on with a label.

use super::{Label, Model, Start};

/// A way from a start, told by where it leads and the integers it has summed up.
///
/// Two different ways never have both in common: what follows would otherwise be accepted with the
/// same rank for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    /// The state it leads to.
    pub state: u32,
    /// The sum of the integers on its edges and of that of its start.
    pub rank: u32,
}

impl Path {
    /// The way that has read nothing.
    pub fn at(start: Start) -> Self {
        Self { state: start.state, rank: start.rank }
    }
}

impl Model {
    /// The state transition function: `None` where no edge has the label. Time: the logarithm of
    /// the number of edges of the state.
    pub fn transition(&self, path: Path, label: Label) -> Option<Path> {
        let edges = self.edges_of(path.state);
        let at = edges.binary_search_by_key(&label, |edge| edge.label).ok()?;
        Some(Path { state: edges[at].target, rank: path.rank + edges[at].integer })
    }

    /// Every path with its labels' last one and the index of the path it prolongs, the ways that
    /// have read nothing first and every path behind the one it prolongs. There are as many as the
    /// trie of all words has nodes.
    pub fn paths(&self) -> Vec<(Path, Option<(usize, Label)>)> {
        let mut paths: Vec<_> =
            self.starts().iter().map(|&start| (Path::at(start), None)).collect();
        let mut next = 0;
        while let Some(&(path, _)) = paths.get(next) {
            for edge in self.edges_of(path.state) {
                let to = Path { state: edge.target, rank: path.rank + edge.integer };
                paths.push((to, Some((next, edge.label))));
            }
            next += 1;
        }
        paths
    }
}
