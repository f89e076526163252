//! The most frequent pair first: Re-Pair (Larsson and Moffat 2000).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

use super::Decomposition;
use crate::model::{Label, Rule, Sequences};

const NONE: usize = usize::MAX;

/// One composite: its two operands, the symbols it stands for.
struct Pair {
    operands: [u32; 2],
    expansion: Vec<u32>,
}

/// All sequences in one list; the ends of sequences are not linked.
struct Text {
    labels: Vec<u32>,
    before: Vec<usize>,
    behind: Vec<usize>,
    /// Where each pair began when it was entered; checked when it is used.
    places: HashMap<[u32; 2], Vec<usize>>,
    /// By count. An entry whose count is not that of `queued` is an old one.
    queued: HashMap<[u32; 2], usize>,
    queue: BinaryHeap<(usize, Reverse<[u32; 2]>)>,
}

impl Text {
    fn new(set: &Sequences) -> Self {
        let labels: Vec<u32> = set.iter().flatten().copied().collect();
        let (mut before, mut behind) = (vec![NONE; labels.len()], vec![NONE; labels.len()]);
        let mut begin = 0;
        for sequence in set.iter() {
            let end = begin + sequence.len();
            for at in begin + 1..end {
                before[at] = at - 1;
                behind[at - 1] = at;
            }
            begin = end;
        }
        let mut text = Self {
            labels,
            before,
            behind,
            places: HashMap::new(),
            queued: HashMap::new(),
            queue: BinaryHeap::new(),
        };
        for at in 0..text.labels.len() {
            if let Some(pair) = text.pair(at) {
                text.places.entry(pair).or_default().push(at);
            }
        }
        let counts: Vec<_> = text.places.iter().map(|(&pair, at)| (pair, at.len())).collect();
        for (pair, count) in counts {
            text.enqueue(pair, count);
        }
        text
    }

    fn enqueue(&mut self, pair: [u32; 2], count: usize) {
        self.queued.insert(pair, count);
        self.queue.push((count, Reverse(pair)));
    }

    fn pair(&self, at: usize) -> Option<[u32; 2]> {
        let behind = *self.behind.get(at)?;
        (behind != NONE).then(|| [self.labels[at], self.labels[behind]])
    }

    /// The pair that occurs most often without overlapping, and where.
    fn most_frequent(&mut self) -> Option<([u32; 2], Vec<usize>)> {
        while let Some((count, Reverse(pair))) = self.queue.pop() {
            if self.queued.get(&pair) != Some(&count) {
                continue;
            }
            self.queued.remove(&pair);
            let Some(mut places) = self.places.remove(&pair) else { continue };
            let mut valid: Vec<usize> = Vec::with_capacity(places.len());
            places.sort_unstable();
            places.dedup();
            for at in places {
                let overlaps = valid.last().is_some_and(|&last| self.behind[last] == at);
                if self.pair(at) == Some(pair) && !overlaps {
                    valid.push(at);
                }
            }
            if valid.len() >= 2 && valid.len() == count {
                return Some((pair, valid));
            }
            if valid.len() >= 2 {
                self.enqueue(pair, valid.len());
                self.places.insert(pair, valid);
            }
        }
        None
    }

    fn replace(&mut self, at: usize, label: u32) {
        let gone = self.behind[at];
        let behind = self.behind[gone];
        self.labels[at] = label;
        self.behind[at] = behind;
        self.behind[gone] = NONE;
        self.before[gone] = NONE;
        if behind != NONE {
            self.before[behind] = at;
        }
        for at in [self.before[at], at] {
            if let Some(pair) = (at != NONE).then(|| self.pair(at)).flatten() {
                let places = self.places.entry(pair).or_default();
                places.push(at);
                let count = places.len();
                self.enqueue(pair, count);
            }
        }
    }
}

pub(super) fn decompose(set: &Sequences) -> Decomposition {
    let symbols = set.symbols();
    let mut text = Text::new(set);
    let mut pairs: Vec<Pair> = Vec::new();
    while let Some((operands, places)) = text.most_frequent() {
        let expansion: Vec<u32> =
            operands.iter().flat_map(|&l| expand(&pairs, symbols, l)).collect();
        let looks_out = |(at, &symbol): (usize, &u32)| set.reach_of(symbol) as usize > at;
        if expansion.iter().enumerate().any(looks_out) {
            continue;
        }
        let label = symbols + pairs.len() as u32;
        pairs.push(Pair { operands, expansion });
        for at in places {
            // A place may have gone with the one before it.
            if text.pair(at) == Some(operands) {
                text.replace(at, label);
            }
        }
    }
    let steps = text.labels.len() as u64;
    let mut numbers = Numbers { symbols, pairs: &pairs, number: HashMap::new(), order: Vec::new() };
    let mut words = Vec::with_capacity(set.len());
    let mut begin = 0;
    for sequence in set.iter() {
        let mut labels = Vec::new();
        let mut at = if sequence.is_empty() { NONE } else { begin };
        while at != NONE {
            labels.push(text.labels[at]);
            at = text.behind[at];
        }
        words.push(numbers.word(&labels));
        begin += sequence.len();
    }
    let mut rules = Vec::new();
    while let Some(&pair) = numbers.order.get(rules.len()) {
        let Pair { operands, expansion } = &pairs[pair];
        rules.push(Rule { word: numbers.word(operands), expansion: expansion.clone() });
    }
    Decomposition { words, rules, steps }
}

fn expand(pairs: &[Pair], symbols: u32, label: u32) -> Vec<u32> {
    match label.checked_sub(symbols) {
        None => vec![label],
        Some(pair) => pairs[pair as usize].expansion.clone(),
    }
}

/// Numbers the composites in the order in which words lead to them.
struct Numbers<'p> {
    symbols: u32,
    pairs: &'p [Pair],
    number: HashMap<u32, u32>,
    order: Vec<usize>,
}

impl Numbers<'_> {
    /// The word of labels; a composite at the front is written out.
    fn word(&mut self, labels: &[u32]) -> Vec<Label> {
        let mut front = Vec::new();
        let mut rest: Vec<u32> = labels.iter().rev().copied().collect();
        while let Some(pair) = rest.last().and_then(|label| label.checked_sub(self.symbols)) {
            rest.pop();
            let [left, right] = self.pairs[pair as usize].operands;
            rest.extend([right, left]);
        }
        while let Some(label) = rest.pop() {
            front.push(match label.checked_sub(self.symbols) {
                None => Label::Symbol(label),
                Some(pair) => Label::Composite(*self.number.entry(pair).or_insert_with(|| {
                    self.order.push(pair as usize);
                    self.order.len() as u32 - 1
                })),
            });
        }
        front
    }
}
