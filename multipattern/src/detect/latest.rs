//! The prefixes of all patterns as one trie, and for each the latest event from which it was found.
//!
//! This is the state transition: when an event of a node's class comes, the node takes over the
//! latest start of its parent. No occurrence of a prefix begins later than the one that is noted, so
//! a pattern can end with an event exactly if the latest start of all but its last operand is within
//! the window: one comparison a pattern, one copy a node, and nothing to expire.

use crate::heap::heap;
use hashbrown::HashMap;

/// The node of the empty prefix.
pub(crate) const ROOT: u32 = 0;

/// The trie of prefixes, by classes.
#[derive(Clone, Debug)]
pub(crate) struct Trie {
    children: HashMap<(u32, u32), u32>,
    nodes: u32,
    /// By class, its nodes and their parents; a parent comes before its children.
    of_class: Vec<Vec<(u32, u32)>>,
    /// By node.
    children_of: Vec<Vec<u32>>,
    /// By node, whether its parent is that of the empty prefix.
    first: Vec<bool>,
}

impl Trie {
    pub(crate) fn new(classes: usize) -> Self {
        Trie {
            children: HashMap::new(),
            nodes: 1,
            of_class: vec![Vec::new(); classes],
            children_of: vec![Vec::new()],
            first: vec![false],
        }
    }

    /// The node of a sequence.
    pub(crate) fn add(&mut self, sequence: &[u32]) -> u32 {
        let mut node = ROOT;
        for &class in sequence {
            let next = *self.children.entry((node, class)).or_insert_with(|| {
                let new = self.nodes;
                self.nodes += 1;
                self.of_class[class as usize].push((new, node));
                self.children_of[node as usize].push(new);
                self.children_of.push(Vec::new());
                self.first.push(node == ROOT);
                new
            });
            node = next;
        }
        node
    }

    /// The nodes of a class with their parents; a parent comes before its children.
    pub(crate) fn edges_of(&self, class: u32) -> impl Iterator<Item = (u32, u32)> {
        self.of_class[class as usize].iter().copied()
    }

    /// The nodes of a class.
    pub(crate) fn nodes_of(&self, class: u32) -> impl Iterator<Item = u32> {
        self.of_class[class as usize].iter().map(|&(node, _)| node)
    }

    /// The nodes behind a node.
    pub(crate) fn children_of(&self, node: u32) -> &[u32] {
        &self.children_of[node as usize]
    }

    /// Whether a node is that of one operand.
    pub(crate) fn is_first(&self, node: u32) -> bool {
        self.first[node as usize]
    }

    /// How many nodes there are, that of the empty prefix included.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes as usize
    }
}

/// The latest starts of one stream or partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latest {
    /// By node, one more than the serial of the event; 0 if there is none.
    starts: Vec<u64>,
}

impl Latest {
    /// Makes room for the nodes of a trie.
    #[inline]
    pub(crate) fn fit(&mut self, trie: &Trie) {
        if self.starts.len() < trie.nodes() {
            self.starts.resize(trie.nodes(), 0);
            self.starts[ROOT as usize] = u64::MAX;
        }
    }

    /// One more than the serial of the latest start of a node; 0 if it was never found. The empty
    /// prefix begins anywhere.
    #[inline]
    pub(crate) fn start(&self, node: u32) -> u64 {
        self.starts[node as usize]
    }

    /// Moves the starts over the edges of an event's classes; gives how many edges there were.
    pub(crate) fn advance(
        &mut self,
        trie: &Trie,
        classes: &[u32],
        serial: u64,
        scratch: &mut Vec<(u32, u64)>,
    ) -> usize {
        self.fit(trie);
        let starts = &mut self.starts[..];
        starts[ROOT as usize] = serial + 1;
        if let [class] = classes {
            let nodes = &trie.of_class[*class as usize];
            // Children before their parents, which still say what held before this event.
            for &(node, parent) in nodes.iter().rev() {
                starts[node as usize] = starts[parent as usize];
            }
            starts[ROOT as usize] = u64::MAX;
            return nodes.len();
        }
        scratch.clear();
        for &class in classes {
            let nodes = trie.of_class[class as usize].iter();
            scratch.extend(nodes.map(|&(node, parent)| (node, starts[parent as usize])));
        }
        for &(node, start) in scratch.iter() {
            starts[node as usize] = start;
        }
        starts[ROOT as usize] = u64::MAX;
        scratch.len()
    }
}

heap! {
    Trie { children, of_class, children_of, first }
    Latest { starts }
}
