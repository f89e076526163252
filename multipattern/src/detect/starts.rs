//! Sets of starts under `next`, for method `sharing`: each node of the trie has the starts of the
//! chains that wait for it, and an event of its class moves them on to its children.

use super::latest::Trie;
use crate::heap::heap;

/// The sets of one stream or partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Starts {
    /// By node, the serials of the first events of chains that have come to its parent.
    waiting: Vec<Vec<u64>>,
    /// Nodes that were reached by the current event, and the chains that reached them.
    moved: Vec<(u32, Vec<u64>)>,
    /// Lists that can be used again.
    spare: Vec<Vec<u64>>,
    alive: usize,
}

impl Starts {
    /// Moves chains on by an event; gives how many there were. Those that began before `oldest` end.
    pub(crate) fn advance(
        &mut self,
        trie: &Trie,
        classes: &[u32],
        serial: u64,
        oldest: u64,
    ) -> u64 {
        self.waiting.resize_with(trie.nodes(), Vec::new);
        while let Some((_, mut list)) = self.moved.pop() {
            list.clear();
            self.spare.push(list);
        }
        let mut steps = 0;
        // All sets as they were before the event come first.
        for &class in classes {
            for node in trie.nodes_of(class) {
                let mut list = self.spare.pop().unwrap_or_default();
                if trie.is_first(node) {
                    list.push(serial);
                } else {
                    std::mem::swap(&mut list, &mut self.waiting[node as usize]);
                    self.alive -= list.len();
                    let gone = list.partition_point(|&start| start < oldest);
                    list.drain(..gone);
                }
                if list.is_empty() {
                    self.spare.push(list);
                } else {
                    self.moved.push((node, list));
                }
            }
        }
        self.moved.sort_unstable_by_key(|moved| moved.0);
        for (node, list) in &self.moved {
            for &child in trie.children_of(*node) {
                self.waiting[child as usize].extend_from_slice(list);
                self.alive += list.len();
                steps += list.len() as u64;
            }
        }
        steps
    }

    /// The first events of the chains that reached a node with the current event, the oldest one
    /// first.
    pub(crate) fn reached(&self, node: u32) -> &[u64] {
        match self.moved.binary_search_by_key(&node, |moved| moved.0) {
            Ok(at) => &self.moved[at].1,
            Err(_) => &[],
        }
    }

    /// How many starts wait, each as often as it does.
    pub(crate) fn len(&self) -> usize {
        self.alive
    }
}

heap! {
    Starts { waiting, moved, spare }
}
