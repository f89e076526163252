//! Merge sharing: the minimal acyclic automaton of a set of words.
//!
//! The paper walks the models of single patterns depth first and merges equal prefixes, suffixes
//! and sub-patterns. Words added in lexicographic order do the same in one pass (Daciuk et al.
//! 2000): when the next word leaves the path of the last one, what is left behind cannot change any
//! more and is replaced by a state that was registered with the same edges, if there is one. Time
//! and memory: linear in the sum of the lengths of the words, apart from sorting them.

use hashbrown::HashMap;

use crate::model::{Draft, Label, Model, Output, Rule, Sequences};

/// What may be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// Nothing: every word is a chain of its own.
    Nothing,
    /// Equal prefixes.
    Prefixes,
    /// Prefixes, suffixes and sub-patterns.
    All,
}

/// The words of patterns that are not decomposed.
pub fn plain(set: &Sequences) -> Vec<Vec<Label>> {
    set.iter().map(|sequence| sequence.iter().copied().map(Label::Symbol).collect()).collect()
}

/// Builds the model of the patterns' words and the words of the rules.
pub fn build(words: Vec<Vec<Label>>, rules: Vec<Rule>, merge: Merge) -> Model {
    if merge == Merge::Nothing {
        return chains(words, rules);
    }
    let mut order: Vec<(&[Label], Option<u32>, Option<u32>)> = Vec::new();
    for (pattern, word) in words.iter().enumerate() {
        order.push((word, Some(pattern as u32), None));
    }
    for (rule, body) in rules.iter().enumerate() {
        order.push((&body.word, None, Some(rule as u32)));
    }
    order.sort_unstable();
    let mut merger = Merger { merge, states: Vec::new(), register: HashMap::new() };
    // The states on the path of the last word; the edge that leads to the next one is kept there.
    let mut path = vec![Open::default()];
    let mut outputs: Vec<Output> = Vec::new();
    let mut last: Option<&[Label]> = None;
    for (word, pattern, rule) in order {
        if last != Some(word) {
            let before = last.unwrap_or(&[]);
            let common = before.iter().zip(word).take_while(|(a, b)| a == b).count();
            merger.close(&mut path, common);
            path.extend(
                word[common..].iter().map(|&label| Open { via: Some(label), ..Open::default() }),
            );
            if let Some(end) = path.last_mut() {
                end.accept = true;
            }
            outputs.push(Output::default());
            last = Some(word);
        }
        if let Some(output) = outputs.last_mut() {
            output.patterns.extend(pattern);
            output.rule = output.rule.or(rule);
        }
    }
    merger.close(&mut path, 0);
    let Open { accept, edges, .. } = path.swap_remove(0);
    let start = merger.states.len() as u32;
    let mut states = merger.states;
    states.push((accept, edges));
    Model::finish(Draft { states, starts: vec![start], outputs, rules, words, chains: false })
}

fn chains(words: Vec<Vec<Label>>, rules: Vec<Rule>) -> Model {
    let mut draft = Draft::default();
    let mut chain = |word: &[Label], output| {
        draft.starts.push(draft.states.len() as u32);
        for &label in word {
            let next = draft.states.len() as u32 + 1;
            draft.states.push((false, vec![(label, next)]));
        }
        draft.states.push((true, Vec::new()));
        draft.outputs.push(output);
    };
    for (pattern, word) in words.iter().enumerate() {
        chain(word, Output { patterns: vec![pattern as u32], rule: None });
    }
    for (rule, Rule { word, .. }) in rules.iter().enumerate() {
        chain(word, Output { patterns: Vec::new(), rule: Some(rule as u32) });
    }
    Model::finish(Draft { rules, words, chains: true, ..draft })
}

/// A state whose edges may still become more.
#[derive(Default)]
struct Open {
    /// The label of the edge that leads here.
    via: Option<Label>,
    accept: bool,
    edges: Vec<(Label, u32)>,
}

struct Merger {
    merge: Merge,
    states: Vec<(bool, Vec<(Label, u32)>)>,
    register: HashMap<(bool, Vec<(Label, u32)>), u32>,
}

impl Merger {
    /// Closes the states deeper than `depth`, the deepest first.
    fn close(&mut self, path: &mut Vec<Open>, depth: usize) {
        while path.len() > depth + 1 {
            let Some(Open { via: Some(via), accept, edges }) = path.pop() else { return };
            let number = self.number(accept, edges);
            if let Some(parent) = path.last_mut() {
                parent.edges.push((via, number));
            }
        }
    }

    fn number(&mut self, accept: bool, edges: Vec<(Label, u32)>) -> u32 {
        let fresh = self.states.len() as u32;
        if self.merge == Merge::Prefixes {
            self.states.push((accept, edges));
            return fresh;
        }
        let state = (accept, edges);
        if let Some(&known) = self.register.get(&state) {
            return known;
        }
        self.states.push(state.clone());
        self.register.insert(state, fresh);
        fresh
    }
}
