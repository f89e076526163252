//! Parsed sentences in the manner of the Penn Treebank's XML edition: deep, recursive, and with
//! text that has been made unreadable.
//!
//! A grammar with probabilities expands every sentence; the deeper a node, the less often it takes
//! a rule that recurs. The default options give about 86 MB and 2.44 million elements of 250
//! different names, at most 36 deep and 7.9 on average.

use super::writer::XmlWriter;
use super::{Facts, invalid};
use crate::seed::{Discrete, Rng};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// Sentences of the default document.
pub const DEFAULT_SENTENCES: u64 = 62_265;

pub(super) const BYTES_PER_SENTENCE: u64 = 1386;

/// The greatest depth; the first sentence reaches it, and so does every 5,000th.
pub const MAX_DEPTH: usize = 36;

const DEEP_EVERY: u64 = 5000;

/// What to choose about a tree bank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TreebankOptions {
    /// Sentences, at least one.
    pub sentences: u64,
}

impl TreebankOptions {
    /// The given number of sentences.
    #[must_use]
    pub fn new(sentences: u64) -> Self {
        Self { sentences }
    }

    /// The default number of sentences times `factor`, at least one.
    #[must_use]
    pub fn scaled(factor: f64) -> Self {
        Self::new(((DEFAULT_SENTENCES as f64 * factor) as u64).max(1))
    }
}

impl Default for TreebankOptions {
    fn default() -> Self {
        Self::new(DEFAULT_SENTENCES)
    }
}

/// Writes parsed sentences.
///
/// # Errors
/// `InvalidInput` when there are no sentences; else what `out` reports.
pub fn generate(options: &TreebankOptions, seed: u64, out: &mut dyn Write) -> io::Result<Facts> {
    if options.sentences == 0 {
        return Err(invalid("a tree bank has at least one sentence".to_owned()));
    }
    let grammar = Grammar::new();
    let mut out = XmlWriter::new(out);
    out.raw(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.open(b"<FILE version=\"1.0\">\n", 1);
    let mut writer =
        Sentences { grammar: &grammar, rng: Rng::new(seed, "treebank"), out: &mut out };
    for number in 0..options.sentences {
        writer.out.open(b"<EMPTY>\n", 0);
        if number % DEEP_EVERY == 0 {
            writer.chain(3);
        } else {
            writer.expand(S, 3);
        }
        writer.leaf(grammar.period);
        writer.out.close(b"</EMPTY>\n");
        writer.out.check()?;
    }
    out.close(b"</FILE>\n");
    out.finish()
}

/// A rule: its weight and what stands on its right side; names without rules are leaves.
type Rule = (f64, &'static [&'static str]);

/// A nonterminal and its rules.
struct Nonterminal {
    name: &'static str,
    rules: &'static [Rule],
}

const S: usize = 0;

const NONTERMINALS: [Nonterminal; 14] = [
    Nonterminal {
        name: "S",
        rules: &[
            (50.0, &["NP", "VP"]),
            (6.0, &["PP", "_COMMA_", "NP", "VP"]),
            (5.0, &["ADVP", "NP", "VP"]),
            (5.0, &["CC", "NP", "VP"]),
            (5.0, &["S", "_COMMA_", "NP", "VP"]),
            (4.0, &["SBAR", "_COMMA_", "NP", "VP"]),
            (3.0, &["S", "CC", "S"]),
            (3.0, &["NP", "ADVP", "VP"]),
        ],
    },
    Nonterminal {
        name: "NP",
        rules: &[
            (13.0, &["DT", "NN"]),
            (7.0, &["DT", "JJ", "NN"]),
            (2.0, &["DT", "JJ", "JJ", "NN"]),
            (9.0, &["NNP"]),
            (7.0, &["NNP", "NNP"]),
            (9.0, &["PRP"]),
            (5.0, &["NNS"]),
            (6.0, &["JJ", "NNS"]),
            (3.0, &["NN", "NNS"]),
            (4.0, &["CD", "NNS"]),
            (2.0, &["_DOLLAR_", "CD", "CD"]),
            (10.0, &["_NONE_"]),
            (3.0, &["DT", "NN", "NN"]),
            (14.0, &["NP", "PP"]),
            (2.0, &["DT", "JJ", "NN", "PP"]),
            (3.0, &["NP", "SBAR"]),
            (2.5, &["NP", "CC", "NP"]),
            (2.0, &["NP", "_COMMA_", "NP"]),
            (1.5, &["NP", "VP"]),
            (1.5, &["NPPOS", "NN"]),
            (0.8, &["DT", "ADJP", "NN"]),
            (0.7, &["QP", "NNS"]),
            (0.5, &["NX", "PRN"]),
        ],
    },
    Nonterminal {
        name: "VP",
        rules: &[
            (16.0, &["VBD", "NP"]),
            (10.0, &["VBD", "NP", "PP"]),
            (2.0, &["VBD", "NP", "PP", "PP"]),
            (5.0, &["VBD", "PP"]),
            (9.0, &["VBZ", "NP"]),
            (5.0, &["VBZ", "ADJP"]),
            (9.0, &["VB", "NP"]),
            (4.0, &["VB", "NP", "PP"]),
            (4.0, &["VBP", "NP"]),
            (3.0, &["VBG", "NP"]),
            (6.0, &["VBN", "NP", "PP"]),
            (2.0, &["VBD", "PRT", "NP"]),
            (2.0, &["VBD", "ADVP"]),
            (9.0, &["MD", "VP"]),
            (9.0, &["TO", "VP"]),
            (8.0, &["VBZ", "VP"]),
            (6.0, &["VBD", "VP"]),
            (6.0, &["VBD", "SBAR"]),
            (7.0, &["VBD", "S"]),
            (3.0, &["VP", "CC", "VP"]),
            (1.0, &["VB", "NP", "SBAR"]),
        ],
    },
    Nonterminal {
        name: "PP",
        rules: &[(50.0, &["IN", "NP"]), (5.0, &["TO", "NP"]), (3.0, &["IN", "S"])],
    },
    Nonterminal {
        name: "SBAR",
        rules: &[
            (20.0, &["IN", "S"]),
            (10.0, &["_NONE_", "S"]),
            (10.0, &["WHNP", "S"]),
            (3.0, &["WHADVP", "S"]),
        ],
    },
    Nonterminal {
        name: "ADJP",
        rules: &[
            (8.0, &["JJ"]),
            (6.0, &["RB", "JJ"]),
            (2.0, &["JJR"]),
            (2.0, &["JJ", "PP"]),
            (1.0, &["JJ", "SBAR"]),
        ],
    },
    Nonterminal {
        name: "ADVP",
        rules: &[(12.0, &["RB"]), (2.0, &["RB", "RB"]), (1.0, &["RBR"]), (1.0, &["RB", "PP"])],
    },
    Nonterminal { name: "WHNP", rules: &[(8.0, &["WDT"]), (4.0, &["WP"]), (1.0, &["WDT", "NNS"])] },
    Nonterminal { name: "WHADVP", rules: &[(1.0, &["WRB"])] },
    Nonterminal { name: "QP", rules: &[(1.0, &["IN", "CD"]), (1.0, &["CD", "TO", "CD"])] },
    Nonterminal { name: "PRT", rules: &[(1.0, &["RP"])] },
    Nonterminal {
        name: "PRN",
        rules: &[(1.0, &["_LRB_", "NP", "_RRB_"]), (1.0, &["_COMMA_", "S", "_COMMA_"])],
    },
    Nonterminal { name: "NX", rules: &[(1.0, &["NN"]), (1.0, &["JJ", "NNS"])] },
    Nonterminal { name: "NPPOS", rules: &[(2.0, &["NNP", "POS"]), (1.0, &["DT", "NN", "POS"])] },
];

/// Second halves of the rare names of leaves whose part of speech is in doubt.
const DOUBTS: [&str; 7] = ["NN", "JJ", "VBN", "VBG", "RB", "NNS", "CD"];
const DOUBT: f64 = 0.004;

#[derive(Clone, Copy)]
enum Symbol {
    Node(usize),
    Leaf(usize),
}

/// A name's start and end tags; a newline follows every tag but a leaf's start tag.
struct Tags {
    open: Vec<u8>,
    close: Vec<u8>,
}

impl Tags {
    fn new(name: &str, leaf: bool) -> Self {
        let after = if leaf { "" } else { "\n" };
        Self {
            open: format!("<{name}>{after}").into_bytes(),
            close: format!("</{name}>\n").into_bytes(),
        }
    }
}

/// The grammar, ready to run.
struct Grammar {
    nodes: Vec<Tags>,
    /// For each leaf its own tags, then those with a doubt.
    leaves: Vec<Vec<Tags>>,
    period: usize,
    /// Nonterminals that may stand in each other for ever, and a leaf to go before each next one.
    chain: [(usize, usize); 3],
    /// The right sides of each nonterminal's rules.
    rules: Vec<Vec<Vec<Symbol>>>,
    /// For each nonterminal and depth, which rule to take.
    choice: Vec<Vec<Discrete>>,
    /// Quarters of a leaf's text: its length over four.
    quarters: Discrete,
}

impl Grammar {
    fn new() -> Self {
        let mut leaf_names = vec!["_PERIOD_"];
        let mut symbol =
            |name: &&'static str| match NONTERMINALS.iter().position(|n| n.name == *name) {
                Some(node) => Symbol::Node(node),
                None => Symbol::Leaf(
                    leaf_names.iter().position(|leaf| leaf == name).unwrap_or_else(|| {
                        leaf_names.push(name);
                        leaf_names.len() - 1
                    }),
                ),
            };
        let rules: Vec<Vec<Vec<Symbol>>> = NONTERMINALS
            .iter()
            .map(|n| {
                n.rules.iter().map(|(_, right)| right.iter().map(&mut symbol).collect()).collect()
            })
            .collect();
        let chain = [("S", "CC"), ("VP", "VBD"), ("SBAR", "IN")].map(|(node, leaf)| {
            match (symbol(&node), symbol(&leaf)) {
                (Symbol::Node(node), Symbol::Leaf(leaf)) => (node, leaf),
                _ => unreachable!("{node} has rules and {leaf} has none"),
            }
        });
        let heights = heights(&rules);
        let choice = rules
            .iter()
            .zip(&NONTERMINALS)
            .zip(&heights)
            .map(|((rules, nonterminal), &least)| {
                (0..=MAX_DEPTH)
                    .map(|depth| choice(rules, nonterminal, &heights, least, depth))
                    .collect()
            })
            .collect();
        let leaves = leaf_names
            .iter()
            .map(|name| {
                let doubts = DOUBTS.iter().map(|doubt| format!("{name}_{doubt}"));
                std::iter::once((*name).to_owned())
                    .chain(doubts)
                    .map(|name| Tags::new(&name, true))
                    .collect()
            })
            .collect();
        Self {
            nodes: NONTERMINALS.iter().map(|n| Tags::new(n.name, false)).collect(),
            leaves,
            period: 0,
            chain,
            rules,
            choice,
            quarters: Discrete::new(&TEXT_QUARTERS),
        }
    }
}

/// How many levels each nonterminal takes at least, its own included.
fn heights(rules: &[Vec<Vec<Symbol>>]) -> Vec<usize> {
    let mut heights = vec![MAX_DEPTH; rules.len()];
    // No least height is greater than the number of nonterminals plus one.
    for _ in 0..=rules.len() {
        for node in 0..rules.len() {
            let least = rules[node].iter().map(|right| height(right, &heights)).min();
            heights[node] = least.unwrap_or(MAX_DEPTH);
        }
    }
    heights
}

/// The levels of a node that is expanded by a rule, when what is below takes as few as it can.
fn height(right: &[Symbol], heights: &[usize]) -> usize {
    let below = right.iter().map(|symbol| match *symbol {
        Symbol::Leaf(_) => 1,
        Symbol::Node(node) => heights[node],
    });
    1 + below.max().unwrap_or(0)
}

/// Rules that go deeper than need be lose weight with depth; rules that do not fit have none.
fn choice(
    rules: &[Vec<Symbol>],
    nonterminal: &Nonterminal,
    heights: &[usize],
    least: usize,
    depth: usize,
) -> Discrete {
    let damped = (1.0 - depth.saturating_sub(DAMPED_FROM) as f64 * DAMPING).max(0.02);
    let mut weights: Vec<f64> = rules
        .iter()
        .zip(nonterminal.rules)
        .map(|(right, &(weight, _))| {
            let height = height(right, heights);
            if depth + height - 1 > MAX_DEPTH {
                0.0
            } else if height > least {
                weight * RECURSION * damped
            } else {
                weight
            }
        })
        .collect();
    if weights.iter().all(|&weight| weight == 0.0) {
        // Too deep for this nonterminal: the grammar never asks for it here.
        weights[0] = 1.0;
    }
    Discrete::new(&weights)
}

const RECURSION: f64 = 1.42;
const DAMPED_FROM: usize = 5;
const DAMPING: f64 = 0.08;

/// Weights of the lengths 0, 4, 8, ... of a leaf's text.
const TEXT_QUARTERS: [f64; 19] = [
    0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 12.0, 12.0, 11.0, 10.0, 7.0, 5.0, 3.0,
    1.0,
];

struct Sentences<'g, 'w, 'd> {
    grammar: &'g Grammar,
    rng: Rng,
    out: &'w mut XmlWriter<'d>,
}

impl Sentences<'_, '_, '_> {
    /// Writes a node at the given depth; the recursion is at most [`MAX_DEPTH`] deep.
    fn expand(&mut self, node: usize, depth: usize) {
        let grammar = self.grammar;
        let rule = grammar.choice[node][depth].sample(&mut self.rng);
        self.out.open(&grammar.nodes[node].open, 0);
        for symbol in &grammar.rules[node][rule] {
            match *symbol {
                Symbol::Node(child) => self.expand(child, depth + 1),
                Symbol::Leaf(leaf) => self.leaf(leaf),
            }
        }
        self.out.close(&grammar.nodes[node].close);
    }

    /// Clauses within clauses, a word in each before the next, down to a leaf at [`MAX_DEPTH`].
    fn chain(&mut self, depth: usize) {
        let grammar = self.grammar;
        let levels = MAX_DEPTH - depth;
        for &(node, leaf) in grammar.chain.iter().cycle().take(levels) {
            self.out.open(&grammar.nodes[node].open, 0);
            self.leaf(leaf);
        }
        for level in (0..levels).rev() {
            let (node, _) = grammar.chain[level % grammar.chain.len()];
            self.out.close(&grammar.nodes[node].close);
        }
    }

    fn leaf(&mut self, leaf: usize) {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let grammar = self.grammar;
        let names = &grammar.leaves[leaf];
        let doubt = if self.rng.chance(DOUBT) { self.rng.below(names.len() as u64) } else { 0 };
        let tags = &names[doubt as usize];
        self.out.open(&tags.open, 0);
        let length = 4 * grammar.quarters.sample(&mut self.rng);
        let to = self.out.room(length);
        for chunk in to[..length].chunks_mut(8) {
            let mut bits = self.rng.next_u64();
            for byte in chunk {
                *byte = DIGITS[(bits & 63) as usize];
                bits >>= 6;
            }
        }
        // Two of three texts do not fill their last group.
        let padding = self.rng.below(3) as usize;
        to[length - padding..length].fill(b'=');
        self.out.advance(length);
        self.out.close(&tags.close);
    }
}
