//! A set of words, and what they cost.
//!
//! States and edges are those of the minimal automaton (`automaton`). Beside it stands the trie of
//! the words, which tells what a word would add: a prefix that two or more words have in common is
//! a state that belongs to nothing else, as a rule, and can become a composite at no cost; what
//! follows the longest such prefix of a word is a *tail*, and a word that ends like it needs no new
//! states.

use std::rc::Rc;

use super::automaton::Automaton;
use super::hash::{self, Map, Powers};
use crate::model::Sequences;

const NONE: u32 = u32::MAX;
/// What a state, an edge and a path cost. Detection walks edges and stores an instance for each
/// path that events take, and merging alone leaves far more to save in states than in edges.
pub(super) const STATE: i64 = 1;
pub(super) const EDGE: i64 = 2;
pub(super) const PATH: i64 = 1;
/// What a state or an edge costs that is over the limit.
const OVER: i64 = 1 << 20;
/// Tails that stand for the same which are looked at.
const ALIKE: usize = 64;
/// The key of the empty tail.
const EMPTY: u64 = 1;

/// A prefix of words.
pub(super) struct Node {
    pub parent: u32,
    /// The last label.
    pub label: u32,
    /// Words through here, those that end here included.
    pub count: u32,
    /// The sum of their numbers: the number of the only one if there is one.
    pub ids: u64,
    /// Hash and length of what the prefix stands for.
    pub hash: u64,
    pub length: u32,
    /// Number of labels.
    pub depth: u32,
}

/// What follows the prefix that a word shares with others.
struct Tail {
    refs: u32,
    hash: u64,
    label: u32,
    /// The key of the tail behind the label.
    next: u64,
    /// Number of labels.
    labels: u32,
}

struct Word {
    labels: Vec<u32>,
    /// Key and hash of what follows each prefix.
    tails: Vec<(u64, u64)>,
    expansion: Rc<[u32]>,
    hash: u64,
    pattern: bool,
    live: bool,
    /// How often it is a composite in other words.
    uses: u32,
}

/// See the module. Labels below `symbols` are symbols, others composites: the words with the number
/// `label - symbols`.
pub(super) struct Lexicon<'s> {
    pub set: &'s Sequences,
    symbols: u32,
    /// The longest composite to look for.
    pub longest: usize,
    pub nodes: Vec<Node>,
    free: Vec<u32>,
    children: Map<(u32, u32), u32>,
    tails: Map<u64, Tail>,
    /// Tails and prefixes by the hash of what they stand for.
    tails_of: Map<u64, Vec<u64>>,
    nodes_of: Map<u64, Vec<u32>>,
    words: Vec<Word>,
    /// Words by the hash of what they stand for.
    words_of: Map<u64, u32>,
    automaton: Automaton,
    /// States and edges that must not become more: those without any composite.
    most: (usize, usize),
    /// What [`Lexicon::set`] replaced, to be undone.
    journal: Vec<(u32, Option<Vec<u32>>)>,
    pub powers: Powers,
}

impl<'s> Lexicon<'s> {
    pub fn new(set: &'s Sequences) -> Self {
        let total: usize = set.iter().map(<[u32]>::len).sum();
        let longest_pattern = set.iter().map(<[u32]>::len).max().unwrap_or(0);
        let longest = (2_000_000 / total.max(1)).clamp(16, 256).min(longest_pattern);
        let root = Node {
            parent: NONE,
            label: NONE,
            // The start is always a state of its own.
            count: 2,
            ids: 0,
            hash: 0,
            length: 0,
            depth: 0,
        };
        let mut tails = Map::default();
        tails.insert(EMPTY, Tail { refs: 1, hash: 0, label: NONE, next: EMPTY, labels: 0 });
        Self {
            set,
            symbols: set.symbols(),
            longest,
            nodes: vec![root],
            free: Vec::new(),
            children: Map::default(),
            tails,
            tails_of: Map::default(),
            nodes_of: Map::default(),
            words: Vec::new(),
            words_of: Map::default(),
            automaton: Automaton::new(),
            most: (usize::MAX, usize::MAX),
            journal: Vec::new(),
            powers: Powers::new(longest_pattern),
        }
    }

    /// States and edges.
    pub fn size(&self) -> (usize, usize) {
        (self.automaton.states(), self.automaton.edges())
    }

    /// What the words cost.
    pub fn cost(&self) -> i64 {
        let (states, edges) = self.size();
        let paths = self.nodes.len() - self.free.len();
        let over = states.saturating_sub(self.most.0) + edges.saturating_sub(self.most.1);
        STATE * states as i64 + EDGE * edges as i64 + PATH * paths as i64 + OVER * over as i64
    }

    /// From now on, neither states nor edges may become more than they are.
    pub fn limit(&mut self) {
        self.most = self.size();
    }

    /// The number of labels and the key of the shortest tail that stands for what has this hash.
    pub fn shortest_tail(&self, hash: u64) -> Option<(u32, u64)> {
        let keys = self.tails_of.get(&hash)?;
        keys.iter().take(ALIKE).map(|key| (self.tails[key].labels, *key)).min()
    }

    pub fn composite(&self, label: u32) -> Option<u32> {
        label.checked_sub(self.symbols)
    }

    pub fn label(&self, slot: u32) -> u32 {
        self.symbols + slot
    }

    pub fn labels(&self, slot: u32) -> &[u32] {
        &self.words[slot as usize].labels
    }

    pub fn expansion(&self, slot: u32) -> &Rc<[u32]> {
        &self.words[slot as usize].expansion
    }

    pub fn hash(&self, slot: u32) -> u64 {
        self.words[slot as usize].hash
    }

    pub fn live(&self, slot: u32) -> bool {
        self.words[slot as usize].live
    }

    pub fn is_pattern(&self, slot: u32) -> bool {
        self.words[slot as usize].pattern
    }

    pub fn uses(&self, slot: u32) -> u32 {
        self.words[slot as usize].uses
    }

    /// The numbers of all words that there are or were.
    pub fn slots(&self) -> std::ops::Range<u32> {
        0..self.words.len() as u32
    }

    /// The word that stands for what has this hash.
    pub fn word_of(&self, hash: u64) -> Option<u32> {
        self.words_of.get(&hash).copied()
    }

    /// The prefixes that stand for what has this hash.
    pub fn nodes_of(&self, hash: u64) -> &[u32] {
        self.nodes_of.get(&hash).map_or(&[], Vec::as_slice)
    }

    pub fn child(&self, node: u32, label: u32) -> Option<u32> {
        self.children.get(&(node, label)).copied()
    }

    /// The labels of a tail.
    pub fn tail(&self, mut key: u64) -> Vec<u32> {
        let mut labels = Vec::new();
        while key != EMPTY && labels.len() < self.powers.longest() {
            let Some(tail) = self.tails.get(&key) else { break };
            labels.push(tail.label);
            key = tail.next;
        }
        labels
    }

    /// The labels of a prefix.
    pub fn prefix(&self, mut node: u32) -> Vec<u32> {
        let mut labels = Vec::new();
        while node != 0 {
            labels.push(self.nodes[node as usize].label);
            node = self.nodes[node as usize].parent;
        }
        labels.reverse();
        labels
    }

    /// Whether the labels stand for exactly this sequence. Look-ups go by hashes; this does not.
    pub fn stands_for(&self, labels: &[u32], sequence: &[u32]) -> bool {
        let mut rest = sequence;
        for label in labels {
            let one = [*label];
            let part = match self.composite(*label) {
                None => &one[..],
                Some(slot) if self.live(slot) => &self.words[slot as usize].expansion,
                Some(_) => return false,
            };
            match rest.strip_prefix(part) {
                Some(left) => rest = left,
                None => return false,
            }
        }
        rest.is_empty()
    }

    /// Whether only one word has a prefix, while others have what follows it: making it a state of
    /// its own costs one state and one edge.
    pub fn is_shared_tail(&self, node: u32) -> bool {
        let node = &self.nodes[node as usize];
        node.count == 1 && {
            let (key, _) = self.words[node.ids as usize].tails[node.depth as usize];
            self.tails[&key].refs >= 2
        }
    }

    /// A number for a word that is not there yet.
    pub fn slot(&mut self, expansion: Rc<[u32]>, pattern: bool) -> u32 {
        let hash = expansion.iter().fold(0, |hash, &symbol| hash::push(hash, symbol));
        self.words.push(Word {
            labels: Vec::new(),
            tails: Vec::new(),
            expansion,
            hash,
            pattern,
            live: false,
            uses: 0,
        });
        self.words.len() as u32 - 1
    }

    /// Gives a word its labels, or takes it out; tells the labels it had.
    pub fn set(&mut self, slot: u32, labels: Option<Vec<u32>>) -> Vec<u32> {
        let old = self.live(slot).then(|| self.detach(slot));
        self.journal.push((slot, old.clone()));
        if let Some(labels) = labels {
            self.attach(slot, labels);
        }
        old.unwrap_or_default()
    }

    /// A moment to which [`Lexicon::rollback`] can return.
    pub fn mark(&self) -> usize {
        self.journal.len()
    }

    pub fn rollback(&mut self, mark: usize) {
        while self.journal.len() > mark {
            let Some((slot, old)) = self.journal.pop() else { return };
            if self.live(slot) {
                self.detach(slot);
            }
            if let Some(labels) = old {
                self.attach(slot, labels);
            }
        }
    }

    /// Forgets how to undo.
    pub fn commit(&mut self) {
        self.journal.clear();
    }

    /// Keeps a word although nothing uses it, until it is let go.
    pub fn hold(&mut self, slot: u32) {
        self.words[slot as usize].uses += 1;
    }

    pub fn let_go(&mut self, slot: u32) {
        self.words[slot as usize].uses -= 1;
        self.sweep(vec![slot]);
    }

    /// Takes out those of the words that are neither pattern nor used, and what only they used.
    pub fn sweep(&mut self, mut todo: Vec<u32>) {
        while let Some(slot) = todo.pop() {
            let word = &self.words[slot as usize];
            if word.live && !word.pattern && word.uses == 0 {
                let labels = self.set(slot, None);
                todo.extend(labels.iter().filter_map(|&label| self.composite(label)));
            }
        }
    }

    fn hash_of(&self, label: u32) -> (u64, usize) {
        match self.composite(label) {
            None => (hash::push(0, label), 1),
            Some(slot) => {
                let word = &self.words[slot as usize];
                (word.hash, word.expansion.len())
            }
        }
    }

    fn tails_behind(&self, labels: &[u32]) -> Vec<(u64, u64)> {
        let mut tails = vec![(EMPTY, 0); labels.len() + 1];
        let mut length = 0;
        for (depth, &label) in labels.iter().enumerate().rev() {
            let (key, behind) = tails[depth + 1];
            let (hash, more) = self.hash_of(label);
            tails[depth] = (hash::mix(key, label), self.powers.join(hash, behind, length));
            length += more;
        }
        tails
    }

    fn attach(&mut self, slot: u32, labels: Vec<u32>) {
        self.automaton.add(&labels);
        let tails = self.tails_behind(&labels);
        let mut at = 0;
        for (depth, &label) in labels.iter().enumerate() {
            at = self.child(at, label).unwrap_or_else(|| self.grow(at, label));
            let node = &mut self.nodes[at as usize];
            let only = node.ids as usize;
            node.count += 1;
            node.ids += u64::from(slot);
            if node.count == 1 {
                self.refer(&tails[depth + 1..], labels.get(depth + 1).copied());
            } else if node.count == 2 {
                let tail = self.words[only].tails[depth + 1];
                self.release(tail);
            }
        }
        for label in &labels {
            if let Some(used) = self.composite(*label) {
                self.words[used as usize].uses += 1;
            }
        }
        let word = &mut self.words[slot as usize];
        word.labels = labels;
        word.tails = tails;
        word.live = true;
        self.words_of.insert(word.hash, slot);
    }

    fn detach(&mut self, slot: u32) -> Vec<u32> {
        let word = &mut self.words[slot as usize];
        word.live = false;
        let labels = std::mem::take(&mut word.labels);
        let tails = std::mem::take(&mut word.tails);
        self.automaton.remove(&labels);
        self.words_of.remove(&word.hash);
        let mut at = 0;
        for &label in &labels {
            at = self.child(at, label).unwrap_or(0);
        }
        for depth in (0..labels.len()).rev() {
            let node = &mut self.nodes[at as usize];
            let parent = node.parent;
            node.count -= 1;
            node.ids -= u64::from(slot);
            if node.count == 0 {
                self.release(tails[depth + 1]);
                self.wither(at);
            } else if node.count == 1 {
                let only = node.ids as usize;
                // Taken out for a moment, as `refer` wants the whole lexicon.
                let of = std::mem::take(&mut self.words[only].tails);
                let next = self.words[only].labels.get(depth + 1).copied();
                self.refer(&of[depth + 1..], next);
                self.words[only].tails = of;
            }
            at = parent;
        }
        for label in &labels {
            if let Some(used) = self.composite(*label) {
                self.words[used as usize].uses -= 1;
            }
        }
        labels
    }

    fn grow(&mut self, parent: u32, label: u32) -> u32 {
        let (hash, length) = self.hash_of(label);
        let up = &self.nodes[parent as usize];
        let node = Node {
            parent,
            label,
            count: 0,
            ids: 0,
            hash: self.powers.join(up.hash, hash, length),
            length: up.length + length as u32,
            depth: up.depth + 1,
        };
        let (hash, findable) = (node.hash, node.length as usize <= self.longest);
        let at = match self.free.pop() {
            Some(at) => {
                self.nodes[at as usize] = node;
                at
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
        self.children.insert((parent, label), at);
        if findable {
            self.nodes_of.entry(hash).or_default().push(at);
        }
        at
    }

    fn wither(&mut self, at: u32) {
        let node = &self.nodes[at as usize];
        let (parent, label, hash) = (node.parent, node.label, node.hash);
        self.children.remove(&(parent, label));
        remove(&mut self.nodes_of, hash, at);
        self.free.push(at);
    }

    /// One more word has the first of these tails; `label` is what it begins with.
    fn refer(&mut self, tails: &[(u64, u64)], label: Option<u32>) {
        let (key, hash) = tails[0];
        if let Some(tail) = self.tails.get_mut(&key) {
            tail.refs += 1;
        } else if let (Some(label), Some(&(next, _))) = (label, tails.get(1)) {
            let labels = tails.len() as u32 - 1;
            self.tails.insert(key, Tail { refs: 1, hash, label, next, labels });
            self.tails_of.entry(hash).or_default().push(key);
        }
    }

    fn release(&mut self, (key, _): (u64, u64)) {
        let Some(tail) = self.tails.get_mut(&key) else { return };
        tail.refs -= 1;
        if tail.refs == 0 {
            let hash = tail.hash;
            self.tails.remove(&key);
            remove(&mut self.tails_of, hash, key);
        }
    }
}

fn remove<T: PartialEq>(lists: &mut Map<u64, Vec<T>>, hash: u64, item: T) {
    if let Some(list) = lists.get_mut(&hash) {
        if let Some(at) = list.iter().position(|other| *other == item) {
            list.swap_remove(at);
        }
        if list.is_empty() {
            lists.remove(&hash);
        }
    }
}
