//! The detection model: one object for all four methods.
//!
//! A [`Model`] is a deterministic acyclic automaton. Its edges are labelled with a symbol or with a
//! *composite*, the paper's subexpression such as `{A,B}`; its rules say what each composite stands
//! for. What Figs. 12 and 13 of the paper count, states and edges, is read from this very object,
//! and [`interpret()`] runs it, so that no count describes a model that could not detect.
//!
//! | file | what |
//! |---|---|
//! | [`single`], [`trie`], [`sharing`], [`proposed`] | the methods' models |
//! | [`transition`], [`failure`], [`output`] | the three functions of the paper's Fig. 5 |
//! | [`interpret()`] | the reference interpreter under `any`, `next` and `strict` |
//! | `sequences` | the patterns as sequences of symbol numbers |
//! | `export` | DOT |
//!
//! # Ranks
//!
//! Merging suffixes lets patterns share their last states, so a state alone does not say which
//! pattern was matched. Every edge therefore carries an integer, and the sum of the integers on the
//! way from the start is the *rank* of what was read: a minimal perfect hash of the accepted words
//! (Lucchesi and Kowaltowski 1993). A rank leads to its [`Output`]: the patterns, and the rule
//! whose composite is complete. State and sum together tell one way from every other, which is why
//! they make up a [`Path`].

mod export;
pub mod failure;
mod interpret;
pub mod output;
pub mod proposed;
mod sequences;
pub mod sharing;
pub mod single;
mod strict;
pub mod transition;
pub mod trie;

pub use failure::Failure;
pub use interpret::{Found, Stream, interpret};
pub use output::Output;
pub use sequences::Sequences;
pub use transition::Path;

/// What an edge reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Label {
    /// An event that fits the symbol.
    Symbol(u32),
    /// An instance of the rule with this number, as a whole.
    Composite(u32),
}

/// An edge of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// What it reads.
    pub label: Label,
    /// The state it leads to.
    pub target: u32,
    /// What it adds to the rank.
    pub integer: u32,
}

/// A place where matches may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The state.
    pub state: u32,
    /// What the ranks of everything accepted from here begin with.
    pub rank: u32,
}

/// A rule: a composite and what it stands for.
///
/// The word never begins with a composite: one at the front continues from its accept state, so
/// that it needs no edge of its own. Whether an instance may be appended is decided by the *order
/// check* ([`output::in_order`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The way from the start that recognises the composite.
    pub word: Vec<Label>,
    /// The same as symbols alone; at least two.
    pub expansion: Vec<u32>,
}

/// States, edges, accept states, rules and ranks of one method for one set of patterns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    starts: Vec<Start>,
    /// Edges of state `s`: `edges[first[s]..first[s + 1]]`, in the order of their labels.
    first: Vec<u32>,
    accepts: Vec<bool>,
    edges: Vec<Edge>,
    /// By rank.
    outputs: Vec<Output>,
    rules: Vec<Rule>,
    /// The word of each pattern.
    words: Vec<Vec<Label>>,
    /// Whether every word has a start of its own: first the patterns, then the rules.
    chains: bool,
}

/// A model whose states are not yet numbered and whose edges carry no integers.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// Whether a state accepts, and its edges in the order of their labels.
    pub states: Vec<(bool, Vec<(Label, u32)>)>,
    /// The starts; what is accepted from one is ranked behind all that is from those before it.
    pub starts: Vec<u32>,
    /// By rank.
    pub outputs: Vec<Output>,
    pub rules: Vec<Rule>,
    pub words: Vec<Vec<Label>>,
    pub chains: bool,
}

impl Model {
    /// Numbers the states from the starts on, breadth first, and puts integers on the edges. States
    /// that no start reaches are left out. Linear.
    pub(crate) fn finish(draft: Draft) -> Self {
        const UNSEEN: u32 = u32::MAX;
        let count = draft.states.len();
        let mut number = vec![UNSEEN; count];
        let mut order: Vec<u32> = Vec::with_capacity(count);
        for &start in &draft.starts {
            if number[start as usize] == UNSEEN {
                number[start as usize] = order.len() as u32;
                order.push(start);
            }
        }
        let mut next = 0;
        while let Some(&state) = order.get(next) {
            next += 1;
            for &(_, target) in &draft.states[state as usize].1 {
                if number[target as usize] == UNSEEN {
                    number[target as usize] = order.len() as u32;
                    order.push(target);
                }
            }
        }
        let accepted = accepted(&draft);
        let mut first = Vec::with_capacity(order.len() + 1);
        let mut accepts = Vec::with_capacity(order.len());
        let mut edges = Vec::new();
        for &state in &order {
            let (accept, out) = &draft.states[state as usize];
            first.push(edges.len() as u32);
            accepts.push(*accept);
            let mut integer = u32::from(*accept);
            for &(label, target) in out {
                edges.push(Edge { label, target: number[target as usize], integer });
                integer += accepted[target as usize];
            }
        }
        first.push(edges.len() as u32);
        let mut rank = 0;
        let mut starts = Vec::with_capacity(draft.starts.len());
        for &start in &draft.starts {
            starts.push(Start { state: number[start as usize], rank });
            rank += accepted[start as usize];
        }
        debug_assert_eq!(rank as usize, draft.outputs.len());
        let Draft { outputs, rules, words, chains, .. } = draft;
        Self { starts, first, accepts, edges, outputs, rules, words, chains }
    }

    /// Number of states, the starts included.
    pub fn states(&self) -> usize {
        self.accepts.len()
    }

    /// The edges of all states.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edges that leave a state, in the order of their labels; none for a state that there is
    /// not.
    pub fn edges_of(&self, state: u32) -> &[Edge] {
        match self.first.get(state as usize..).and_then(|rest| rest.get(..2)) {
            Some(&[from, to]) => &self.edges[from as usize..to as usize],
            _ => &[],
        }
    }

    /// Where matches begin: one state for all patterns, or one a pattern where nothing is merged.
    pub fn starts(&self) -> &[Start] {
        &self.starts
    }

    /// Whether a state accepts: a pattern or a composite may be complete there.
    pub fn accepts(&self, state: u32) -> bool {
        self.accepts.get(state as usize).copied().unwrap_or(false)
    }

    /// The rules, by the number of their composite.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// What each rank stands for.
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// Number of patterns.
    pub fn patterns(&self) -> usize {
        self.words.len()
    }

    /// The labels on the way from the start to where a pattern is complete.
    pub fn word(&self, pattern: u32) -> Option<&[Label]> {
        self.words.get(pattern as usize).map(Vec::as_slice)
    }

    /// A word with every composite replaced by what it stands for.
    pub fn expand(&self, word: &[Label]) -> Vec<u32> {
        let mut symbols = Vec::new();
        for &label in word {
            match label {
                Label::Symbol(symbol) => symbols.push(symbol),
                Label::Composite(rule) => {
                    if let Some(rule) = self.rules.get(rule as usize) {
                        symbols.extend_from_slice(&rule.expansion);
                    }
                }
            }
        }
        symbols
    }

    /// How many symbols a label stands for.
    pub fn length(&self, label: Label) -> usize {
        match label {
            Label::Symbol(_) => 1,
            Label::Composite(rule) => {
                self.rules.get(rule as usize).map_or(0, |rule| rule.expansion.len())
            }
        }
    }

    /// The states on the way of a pattern, its start first.
    pub fn states_of(&self, pattern: u32) -> Vec<u32> {
        self.word(pattern).map_or_else(Vec::new, |word| self.walk(pattern as usize, word))
    }

    /// The states on the way of a composite, its start first.
    pub fn states_of_rule(&self, rule: u32) -> Vec<u32> {
        let body = self.rules.get(rule as usize);
        body.map_or_else(Vec::new, |body| self.walk(self.words.len() + rule as usize, &body.word))
    }

    fn walk(&self, chain: usize, word: &[Label]) -> Vec<u32> {
        let mut path = Path::at(self.starts[if self.chains { chain } else { 0 }]);
        let mut states = vec![path.state];
        for &label in word {
            match self.transition(path, label) {
                Some(next) => path = next,
                None => break,
            }
            states.push(path.state);
        }
        states
    }

    /// Number of states that belong to two or more patterns, starts left out. The states of a
    /// composite belong to all patterns that use it, also through other composites. Time: the sum
    /// of the lengths of all derivations.
    pub fn shared_nodes(&self) -> usize {
        const NOBODY: u32 = u32::MAX;
        let mut owner = vec![NOBODY; self.states()];
        let mut shared = vec![false; self.states()];
        let mut seen = vec![NOBODY; self.rules.len()];
        let mut todo = Vec::new();
        for pattern in 0..self.patterns() as u32 {
            let mut mark = |states: &[u32]| {
                for &state in &states[1..] {
                    let owner = &mut owner[state as usize];
                    if *owner == NOBODY {
                        *owner = pattern;
                    } else if *owner != pattern {
                        shared[state as usize] = true;
                    }
                }
            };
            mark(&self.states_of(pattern));
            todo.extend(composites(&self.words[pattern as usize]));
            while let Some(rule) = todo.pop() {
                if std::mem::replace(&mut seen[rule as usize], pattern) != pattern {
                    mark(&self.states_of_rule(rule));
                    todo.extend(composites(&self.rules[rule as usize].word));
                }
            }
        }
        shared.into_iter().filter(|&shared| shared).count()
    }
}

/// The composites in a word.
pub(crate) fn composites(word: &[Label]) -> impl Iterator<Item = u32> + '_ {
    word.iter().filter_map(|&label| match label {
        Label::Composite(rule) => Some(rule),
        Label::Symbol(_) => None,
    })
}

/// The number of words accepted from each state; zero for states that no start reaches.
fn accepted(draft: &Draft) -> Vec<u32> {
    let mut accepted = vec![0u32; draft.states.len()];
    let mut done = vec![false; draft.states.len()];
    // Depth first without recursion: a pattern may be longer than the stack is deep.
    let mut todo: Vec<(u32, usize)> = Vec::new();
    for &start in &draft.starts {
        todo.push((start, 0));
        while let Some((state, edge)) = todo.pop() {
            let (accept, out) = &draft.states[state as usize];
            if done[state as usize] {
                continue;
            }
            match out.get(edge) {
                Some(&(_, target)) => {
                    todo.push((state, edge + 1));
                    if !done[target as usize] {
                        todo.push((target, 0));
                    }
                }
                None => {
                    accepted[state as usize] = u32::from(*accept)
                        + out.iter().map(|&(_, target)| accepted[target as usize]).sum::<u32>();
                    done[state as usize] = true;
                }
            }
        }
    }
    accepted
}
