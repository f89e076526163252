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
        sequence.iter().fold(ROOT, |node, &class| self.add_behind(node, class))
    }

    /// The node of a sequence that has a node and one more class.
    pub(crate) fn add_behind(&mut self, node: u32, class: u32) -> u32 {
        *self.children.entry((node, class)).or_insert_with(|| {
            let new = self.nodes;
            self.nodes += 1;
            self.of_class[class as usize].push((new, node));
            self.children_of[node as usize].push(new);
            self.children_of.push(Vec::new());
            self.first.push(node == ROOT);
            new
        })
    }

    /// The nodes of a class.
    pub(crate) fn nodes_of(&self, class: u32) -> impl Iterator<Item = u32> {
        self.of_class[class as usize].iter().map(|&(node, _)| node)
    }

    /// The node behind a node by a class.
    fn child(&self, node: u32, class: u32) -> Option<u32> {
        self.children.get(&(node, class)).copied()
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

/// So many nodes that were found are kept as a list. There may be very many partitions, most of them with
/// few events, and as many nodes as patterns have operands.
const FEW: usize = 64;

/// The latest starts of one stream or partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latest {
    /// By node, one more than the serial of the event; 0 if there is none. Empty while few were found.
    starts: Vec<u64>,
    /// While few were found: the same of these, by node.
    few: Vec<(u32, u64)>,
}

impl Latest {
    /// Makes room for the nodes of a trie, if more than a few were found.
    #[inline]
    pub(crate) fn fit(&mut self, trie: &Trie) {
        if !self.starts.is_empty() && self.starts.len() < trie.nodes() {
            self.starts.resize(trie.nodes(), 0);
        }
    }

    /// One more than the serial of the latest start of a node; 0 if it was never found. The empty
    /// prefix begins anywhere.
    #[inline]
    pub(crate) fn start(&self, node: u32) -> u64 {
        match self.starts.get(node as usize) {
            Some(&start) => start,
            None => self.start_of_few(node),
        }
    }

    fn start_of_few(&self, node: u32) -> u64 {
        if node == ROOT {
            return u64::MAX;
        }
        let place = self.few.binary_search_by_key(&node, |one| one.0);
        place.map_or(0, |at| self.few[at].1)
    }

    /// The same as [`advance`](Self::advance) while few were found: only these lead anywhere.
    fn advance_few(
        &mut self,
        trie: &Trie,
        classes: &[u32],
        (serial, oldest): (u64, u64),
        scratch: &mut Vec<(u32, u64)>,
    ) {
        scratch.clear();
        for &class in classes {
            let found = self.few.iter().copied().chain([(ROOT, serial + 1)]);
            let moved = |(node, start)| trie.child(node, class).map(|child| (child, start));
            scratch.extend(found.filter_map(moved));
        }
        for &(node, start) in scratch.iter() {
            match self.few.binary_search_by_key(&node, |one| one.0) {
                Ok(at) => self.few[at].1 = start,
                Err(at) => self.few.insert(at, (node, start)),
            }
        }
        if self.few.len() > FEW {
            self.few.retain(|one| one.1 > oldest);
        }
        if self.few.len() > FEW {
            self.starts.resize(trie.nodes(), 0);
            self.starts[ROOT as usize] = u64::MAX;
            for (node, start) in std::mem::take(&mut self.few) {
                self.starts[node as usize] = start;
            }
        }
    }

    /// Moves the starts over the edges of the classes of an event with a serial; gives how many edges
    /// there were. Events before the oldest one are out of every window.
    pub(crate) fn advance(
        &mut self,
        trie: &Trie,
        classes: &[u32],
        (serial, oldest): (u64, u64),
        scratch: &mut Vec<(u32, u64)>,
    ) -> usize {
        if self.starts.is_empty() {
            self.advance_few(trie, classes, (serial, oldest), scratch);
            return classes.iter().map(|&class| trie.of_class[class as usize].len()).sum();
        }
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
    Latest { starts, few }
}
