//! Decomposition: sub-sequences that repeat become composites.
//!
//! The paper's two rules split a pattern in two, `subexpression -> rest`:
//!
//! - *left decomposition* takes its prefix as the subexpression: SEQ1(A, B, D) becomes
//!   SEQ(A, B) -> SEQ1({A, B}, D);
//! - *right decomposition* takes its suffix: SEQ2(G, A, B) becomes SEQ(A, B) -> SEQ2(G, {A, B}).
//!
//! Each rule takes two operands. Applied again to what they leave, the rest or the subexpression,
//! with composites as operands, they split a pattern at arbitrary places, so that any run of two or
//! more symbols can be made a composite, at any subset of the places where it stands. What is left
//! to decide is which; that is done here.
//!
//! # What is minimised
//!
//! A set of *words* over symbols and composites, one for each pattern and one for each rule, is
//! merged to a minimal acyclic automaton ([`share`]). A word never begins with a
//! composite: one at the front continues from its accept state, that is, it is written out. So a
//! prefix of any word is a composite that costs no state and no edge, merely an accept state, and
//! a composite anywhere else is one edge instead of several.
//!
//! `automaton` keeps that minimal automaton while words come and go, and `lexicon` says what the
//! words cost: states, edges, and paths, for each of which detection stores instances. `parse`
//! finds for one sequence the word that adds least, by dynamic programming over the composites
//! there are and those that could be had. `improve` applies it in rounds: every word again, then
//! composites that are not there yet, then without each of those that are. A step is kept only if
//! it does not cost more and leaves neither more states nor more edges than merging alone has.
//! `pairs` is where it begins, and the well-known baseline: the most frequent pair first (Re-Pair,
//! Larsson and Moffat 2000). It may also begin with the patterns as they are, which is better where
//! there are few different symbols.
//!
//! # Cost
//!
//! A word of n symbols is parsed in O(n m) look-ups, where m, the longest composite looked for, is
//! at most 256 and less for large sets. The number of look-ups is bounded by a multiple of the
//! number of symbols, so that planning is linear in it.

mod automaton;
mod hash;
mod improve;
mod lexicon;
mod pairs;
mod parse;

use hashbrown::HashMap;

use crate::model::{Label, Rule, Sequences};
use crate::share::{self, Merge};
use lexicon::Lexicon;

/// While rules are looked for, composites are numbered behind the symbols.
const MOST_SYMBOLS: u32 = 1 << 31;

/// Words for the patterns, and the rules whose composites occur in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decomposition {
    /// One for each pattern, in their order.
    pub words: Vec<Vec<Label>>,
    /// One for each composite, by its number.
    pub rules: Vec<Rule>,
    /// Steps taken to find the rules: parts of sequences that were looked up.
    pub steps: u64,
}

/// Improves a decomposition with the aim of few states, edges and paths, see the [module](self).
///
/// A set whose symbols leave no room for numbers of composites is not decomposed.
pub fn improve(set: &Sequences, start: &Decomposition) -> Decomposition {
    if set.symbols() > MOST_SYMBOLS {
        return start.clone();
    }
    let mut lexicon = Lexicon::new(set);
    let mut known: HashMap<&[u32], u32> = HashMap::with_capacity(set.len());
    let mut slots = Vec::with_capacity(set.len());
    for sequence in set.iter() {
        let slot = *known.entry(sequence).or_insert_with(|| {
            let slot = lexicon.slot(sequence.into(), true);
            lexicon.set(slot, Some(sequence.to_vec()));
            slot
        });
        slots.push(slot);
    }
    lexicon.limit();
    enter(&mut lexicon, &mut known, &slots, start);
    let steps = improve::improve(&mut lexicon, set);
    let decomposition = collect(&lexicon, &slots, start.steps + steps);
    debug_assert_eq!(lexicon.size(), merged_size(&decomposition));
    decomposition
}

/// Gives the words of a decomposition to the patterns, and adds its rules.
fn enter<'d>(
    lexicon: &mut Lexicon<'_>,
    known: &mut HashMap<&'d [u32], u32>,
    slots: &[u32],
    Decomposition { words, rules, .. }: &'d Decomposition,
) {
    let mut slot_of = vec![0; rules.len()];
    let translate = |lexicon: &Lexicon<'_>, slot_of: &[u32], word: &[Label]| {
        let label = |&label: &Label| match label {
            Label::Symbol(symbol) => symbol,
            Label::Composite(rule) => lexicon.label(slot_of[rule as usize]),
        };
        word.iter().map(label).collect()
    };
    let mut order: Vec<usize> = (0..rules.len()).collect();
    // A rule is known before those that use it.
    order.sort_by_key(|&rule| rules[rule].expansion.len());
    for rule in order {
        let Rule { word, expansion } = &rules[rule];
        // A pattern, or another rule, may stand for the same.
        let slot = *known
            .entry(&expansion[..])
            .or_insert_with(|| lexicon.slot(expansion[..].into(), false));
        let labels = translate(lexicon, &slot_of, word);
        lexicon.set(slot, Some(labels));
        slot_of[rule] = slot;
    }
    for (word, &slot) in words.iter().zip(slots) {
        let labels = translate(lexicon, &slot_of, word);
        lexicon.set(slot, Some(labels));
    }
    lexicon.sweep(lexicon.slots().collect());
    lexicon.commit();
}

/// No rules: every pattern is its own word.
pub fn undivided(set: &Sequences) -> Decomposition {
    Decomposition { words: share::plain(set), ..Decomposition::default() }
}

/// Decomposes by replacing the most frequent pair of neighbours by a composite, again and again,
/// until no pair occurs twice: the baseline.
pub fn most_frequent_pairs(set: &Sequences) -> Decomposition {
    if set.symbols() > MOST_SYMBOLS {
        return undivided(set);
    }
    pairs::decompose(set)
}

/// States and edges of the automaton that is built in the end.
fn merged_size(Decomposition { words, rules, .. }: &Decomposition) -> (usize, usize) {
    let model = share::build(words.clone(), rules.clone(), Merge::All);
    (model.states(), model.edges().len())
}

/// The rules in use, numbered in the order in which the patterns lead to them, and the words.
fn collect(lexicon: &Lexicon<'_>, slots: &[u32], steps: u64) -> Decomposition {
    let mut number: HashMap<u32, u32> = HashMap::new();
    let mut order = Vec::new();
    let mut translate = |labels: &[u32], order: &mut Vec<u32>| -> Vec<Label> {
        let label = |&label: &u32| match lexicon.composite(label) {
            None => Label::Symbol(label),
            Some(slot) => Label::Composite(*number.entry(slot).or_insert_with(|| {
                order.push(slot);
                order.len() as u32 - 1
            })),
        };
        labels.iter().map(label).collect()
    };
    let words = slots.iter().map(|&slot| translate(lexicon.labels(slot), &mut order)).collect();
    let mut rules = Vec::new();
    while let Some(&slot) = order.get(rules.len()) {
        let word = translate(lexicon.labels(slot), &mut order);
        rules.push(Rule { word, expansion: lexicon.expansion(slot).to_vec() });
    }
    Decomposition { words, rules, steps }
}
