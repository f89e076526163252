//! The minimal acyclic automaton of words that come and go (Carrasco and Forcada 2002).
//!
//! [`share`](crate::share) builds the same automaton once and for all; this one says at any time
//! how many states and edges it has. Equal states are merged as soon as a word is in: a word takes
//! the states on its way out of the register, copies those that other ways lead to, and enters them
//! again, the last one first. Time: the number of labels of the word and of the edges of the states
//! that are copied.

use super::hash::{Map, mix};

/// The start.
const START: u32 = 0;

#[derive(Default)]
struct State {
    accept: bool,
    /// By label.
    edges: Vec<(u32, u32)>,
    /// How many edges lead here.
    incoming: u32,
    /// The sum of the hashes of the edges.
    sum: u64,
}

/// See the module.
pub(super) struct Automaton {
    states: Vec<State>,
    free: Vec<u32>,
    edges: usize,
    /// States by their hash; the start is not in it.
    register: Map<u64, u32>,
    /// The states on the way of a word, kept for its memory.
    way: Vec<u32>,
}

impl Automaton {
    pub fn new() -> Self {
        Self {
            states: vec![State::default()],
            free: Vec::new(),
            edges: 0,
            register: Map::default(),
            way: Vec::new(),
        }
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.states.len() - self.free.len()
    }

    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.edges
    }

    /// Adds a word that is not in.
    pub fn add(&mut self, word: &[u32]) {
        let mut way = self.open(word);
        for &label in &word[way.len() - 1..] {
            let next = self.create(State::default());
            self.link(way[way.len() - 1], label, next);
            way.push(next);
        }
        self.states[way[way.len() - 1] as usize].accept = true;
        self.close(word, way);
    }

    /// Takes out a word that is in.
    pub fn remove(&mut self, word: &[u32]) {
        let way = self.open(word);
        if way.len() == word.len() + 1 {
            self.states[way[way.len() - 1] as usize].accept = false;
        }
        self.close(word, way);
    }

    /// The states on the way of a word as far as there are any, made its own and taken out of the
    /// register.
    fn open(&mut self, word: &[u32]) -> Vec<u32> {
        let mut way = std::mem::take(&mut self.way);
        way.clear();
        way.push(START);
        let mut at = START;
        for &label in word {
            let edges = &self.states[at as usize].edges;
            let Ok(place) = edges.binary_search_by_key(&label, |edge| edge.0) else { break };
            let mut next = edges[place].1;
            if self.states[next as usize].incoming > 1 {
                let copy = self.copy(next);
                self.redirect(at, place, copy);
                next = copy;
            } else {
                let hash = self.hash(next);
                if self.register.get(&hash) == Some(&next) {
                    self.register.remove(&hash);
                }
            }
            way.push(next);
            at = next;
        }
        way
    }

    /// Merges the states on a way with equal ones, and leaves out those from which nothing is
    /// accepted.
    fn close(&mut self, word: &[u32], mut way: Vec<u32>) {
        while let [.., parent, state] = way[..] {
            let label = word[way.len() - 2];
            way.pop();
            let edges = &self.states[parent as usize].edges;
            let Ok(place) = edges.binary_search_by_key(&label, |edge| edge.0) else { continue };
            let this = &self.states[state as usize];
            if this.edges.is_empty() && !this.accept {
                self.unlink(parent, place);
                continue;
            }
            let hash = self.hash(state);
            match self.register.get(&hash) {
                Some(&known) if self.equal(known, state) => self.redirect(parent, place, known),
                Some(_) => {}
                None => {
                    self.register.insert(hash, state);
                }
            }
        }
        self.way = way;
    }

    fn hash(&self, state: u32) -> u64 {
        let state = &self.states[state as usize];
        mix(state.sum, u32::from(state.accept))
    }

    fn equal(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.states[a as usize], &self.states[b as usize]);
        a.accept == b.accept && a.edges == b.edges
    }

    fn create(&mut self, state: State) -> u32 {
        self.edges += state.edges.len();
        match self.free.pop() {
            Some(at) => {
                self.states[at as usize] = state;
                at
            }
            None => {
                self.states.push(state);
                self.states.len() as u32 - 1
            }
        }
    }

    fn copy(&mut self, of: u32) -> u32 {
        let State { accept, ref edges, sum, .. } = self.states[of as usize];
        let edges = edges.clone();
        for &(_, target) in &edges {
            self.states[target as usize].incoming += 1;
        }
        self.create(State { accept, edges, incoming: 0, sum })
    }

    fn link(&mut self, from: u32, label: u32, to: u32) {
        let state = &mut self.states[from as usize];
        let place = state.edges.partition_point(|edge| edge.0 < label);
        state.edges.insert(place, (label, to));
        state.sum = state.sum.wrapping_add(edge_hash(label, to));
        self.states[to as usize].incoming += 1;
        self.edges += 1;
    }

    fn unlink(&mut self, from: u32, place: usize) {
        let state = &mut self.states[from as usize];
        let (label, to) = state.edges.remove(place);
        state.sum = state.sum.wrapping_sub(edge_hash(label, to));
        self.edges -= 1;
        self.leave(to);
    }

    fn redirect(&mut self, from: u32, place: usize, to: u32) {
        let state = &mut self.states[from as usize];
        let (label, before) = state.edges[place];
        state.edges[place].1 = to;
        state.sum = state.sum.wrapping_sub(edge_hash(label, before));
        state.sum = state.sum.wrapping_add(edge_hash(label, to));
        self.states[to as usize].incoming += 1;
        self.leave(before);
    }

    /// One edge fewer leads to a state; without any it goes.
    fn leave(&mut self, state: u32) {
        let this = &mut self.states[state as usize];
        this.incoming -= 1;
        if this.incoming == 0 {
            // Only states that are not registered lose their last edge: their copies stay.
            let edges = std::mem::take(&mut this.edges);
            *this = State::default();
            self.edges -= edges.len();
            self.free.push(state);
            for (_, target) in edges {
                self.leave(target);
            }
        }
    }
}

fn edge_hash(label: u32, target: u32) -> u64 {
    mix(u64::from(label), target)
}
