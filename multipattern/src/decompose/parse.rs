//! The word that stands for a sequence and adds the fewest states, edges and paths.

use std::rc::Rc;

use super::hash;
use super::lexicon::{self, Lexicon};

/// The costs of [`Lexicon::cost`], times [`SCALE`]: a state with an edge, an edge, a path.
const STEP: i64 = (lexicon::STATE + lexicon::EDGE) * SCALE;
const EDGE: i64 = lexicon::EDGE * SCALE;
const PATH: i64 = lexicon::PATH * SCALE;
/// Room for chance to decide between words that cost the same.
const SCALE: i64 = 16;
/// Ways through the prefixes that are looked at for one sequence.
const WAYS: usize = 4096;
/// Prefixes that stand for the same which are looked at.
const ALIKE: usize = 8;

/// What the part of a sequence can be read as.
#[derive(Clone, Copy)]
enum Part {
    Nothing,
    Symbol,
    /// A composite that there is.
    Word(u32),
    /// A prefix of a word, which can be made a composite.
    Prefix(u32),
}

/// Where a way through the prefixes has come to.
#[derive(Clone, Copy)]
struct Way {
    node: u32,
    position: usize,
    cost: i64,
    before: Option<usize>,
}

/// The parts of one sequence: row `from` holds those that begin there, by their length.
struct Parts {
    width: usize,
    parts: Vec<(Part, i64)>,
}

impl Parts {
    /// All readings of `from..` as one label: where it ends, what it is and what that costs.
    fn from(&self, from: usize) -> impl Iterator<Item = (usize, Part, i64)> + '_ {
        let row = &self.parts[from * self.width..(from + 1) * self.width];
        row.iter()
            .enumerate()
            .filter(|(_, (part, _))| !matches!(part, Part::Nothing))
            .map(move |(length, &(part, price))| (from + length + 1, part, price))
    }
}

/// Parses sequences.
pub(super) struct Parser {
    chance: u64,
    /// Whether chance decides between words that cost the same.
    pub wavering: bool,
    /// The hash of what must not be a composite.
    pub banned: Option<u64>,
    /// Look-ups so far.
    pub steps: u64,
}

impl Parser {
    pub fn new() -> Self {
        Self { chance: 0x2545_F491_4F6C_DD1D, wavering: false, banned: None, steps: 0 }
    }

    /// xorshift64: plans have to be the same every time.
    fn draw(&mut self, below: u64) -> u64 {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        (self.chance >> 11) % below
    }

    fn waver(&mut self) -> i64 {
        if self.wavering { self.draw(4) as i64 } else { 0 }
    }

    /// The labels of the cheapest word found. Prefixes that it uses become composites. `None` if
    /// hashes misled.
    pub fn parse(&mut self, lexicon: &mut Lexicon<'_>, sequence: &[u32]) -> Option<Vec<u32>> {
        let end = sequence.len();
        let hashes = hash::beginnings(sequence);
        let parts = self.parts(lexicon, sequence, &hashes);
        let (costs, steps) = self.backward(lexicon, &hashes, &parts);
        let (ways, last, leave) = self.forward(lexicon, sequence, &parts, &costs)?;

        let mut cuts = Vec::new();
        let mut way = Some(last);
        while let Some(at) = way {
            cuts.push(ways[at].position);
            way = ways[at].before;
        }
        cuts.reverse();
        let mut tail = Vec::new();
        let mut next = leave;
        while let Some(at) = next {
            cuts.push(at);
            next = steps[at];
            if next.is_none() && at < end {
                let (_, key) = lexicon.shortest_tail(lexicon.powers.part(&hashes, at, end))?;
                tail = lexicon.tail(key);
            }
        }
        let mut labels = Vec::with_capacity(cuts.len() + tail.len());
        for cut in cuts.windows(2) {
            let (from, to) = (cut[0], cut[1]);
            labels.push(match parts.parts[from * parts.width + to - from - 1].0 {
                Part::Nothing => return None,
                Part::Symbol => sequence[from],
                Part::Word(slot) => lexicon.label(slot),
                Part::Prefix(node) => {
                    let hash = lexicon.powers.part(&hashes, from, to);
                    let slot = match lexicon.word_of(hash) {
                        Some(slot) => slot,
                        None => {
                            let labels = lexicon.prefix(node);
                            if !lexicon.stands_for(&labels, &sequence[from..to]) {
                                return None;
                            }
                            let slot = lexicon.slot(sequence[from..to].into(), false);
                            lexicon.set(slot, Some(labels));
                            slot
                        }
                    };
                    lexicon.label(slot)
                }
            });
        }
        labels.extend(tail);
        lexicon.stands_for(&labels, sequence).then_some(labels)
    }

    /// What each part of the sequence can be read as. A composite may not hold a symbol whose
    /// predicates look back to before it.
    fn parts(&mut self, lexicon: &Lexicon<'_>, sequence: &[u32], hashes: &[u64]) -> Parts {
        let end = sequence.len();
        let width = lexicon.longest.clamp(1, end.max(1));
        let mut parts = vec![(Part::Nothing, 0); end * width];
        for from in 0..end {
            self.steps += 1;
            parts[from * width] = (Part::Symbol, 0);
            if from == 0 || lexicon.set.reach_of(sequence[from]) > 0 {
                continue;
            }
            for to in from + 2..=end.min(from + width) {
                if lexicon.set.reach_of(sequence[to - 1]) as usize > to - 1 - from {
                    break;
                }
                self.steps += 1;
                let hash = lexicon.powers.part(hashes, from, to);
                if self.banned == Some(hash) {
                    continue;
                }
                parts[from * width + to - from - 1] = match lexicon.word_of(hash) {
                    Some(slot) => (Part::Word(slot), 0),
                    None => {
                        let nodes = lexicon.nodes_of(hash).iter().take(ALIKE);
                        match nodes.map(|&node| (price(lexicon, node), node)).min() {
                            Some((price, node)) => (Part::Prefix(node), price),
                            None => continue,
                        }
                    }
                };
            }
        }
        Parts { width, parts }
    }

    /// What it costs to read the sequence from each position on behind all common prefixes, and
    /// where the first label of it ends; `None` where there is a tail already.
    fn backward(
        &mut self,
        lexicon: &Lexicon<'_>,
        hashes: &[u64],
        parts: &Parts,
    ) -> (Vec<i64>, Vec<Option<usize>>) {
        let end = hashes.len() - 1;
        let mut costs = vec![i64::MAX; end + 1];
        let mut steps = vec![None; end + 1];
        costs[end] = 0;
        for from in (1..end).rev() {
            if let Some((labels, _)) = lexicon.shortest_tail(lexicon.powers.part(hashes, from, end))
            {
                costs[from] = i64::from(labels) * PATH;
            }
            for (to, _, price) in parts.from(from) {
                let cost = STEP + PATH + price + costs[to] + self.waver();
                if cost < costs[from] {
                    costs[from] = cost;
                    steps[from] = Some(to);
                }
            }
        }
        (costs, steps)
    }

    /// Goes along the prefixes there are and leaves them where that is cheapest: the ways, the one
    /// to leave and the end of the label with which to leave it, if it is not the end already.
    fn forward(
        &mut self,
        lexicon: &Lexicon<'_>,
        sequence: &[u32],
        parts: &Parts,
        costs: &[i64],
    ) -> Option<(Vec<Way>, usize, Option<usize>)> {
        let mut ways = vec![Way { node: 0, position: 0, cost: 0, before: None }];
        let mut best = None;
        let mut least = i64::MAX;
        let mut at = 0;
        while at < ways.len() {
            let Way { node, position, cost, .. } = ways[at];
            if position == sequence.len() {
                if cost < least {
                    (least, best) = (cost, Some((at, None)));
                }
                at += 1;
                continue;
            }
            for (to, part, price) in parts.from(position) {
                self.steps += 1;
                let label = match part {
                    Part::Symbol => Some(sequence[position]),
                    Part::Word(slot) => Some(lexicon.label(slot)),
                    _ => None,
                };
                let child = label.and_then(|label| lexicon.child(node, label));
                if let Some(child) = child {
                    if ways.len() < WAYS {
                        let own = if lexicon.is_shared_tail(child) { STEP } else { 0 };
                        let way =
                            Way { node: child, position: to, cost: cost + own, before: Some(at) };
                        ways.push(way);
                    }
                } else {
                    let cost = cost + EDGE + PATH + price + costs[to] + self.waver();
                    if cost < least {
                        (least, best) = (cost, Some((at, Some(to))));
                    }
                }
            }
            at += 1;
        }
        best.map(|(last, leave)| (ways, last, leave))
    }

    /// The composite for a sequence, made if there is none.
    pub fn composite(&mut self, lexicon: &mut Lexicon<'_>, sequence: Rc<[u32]>) -> Option<u32> {
        let hash = hash::beginnings(&sequence).pop().unwrap_or(0);
        if let Some(slot) = lexicon.word_of(hash) {
            return (*lexicon.expansion(slot) == sequence).then_some(slot);
        }
        let labels = self.parse(lexicon, &sequence)?;
        let slot = lexicon.slot(sequence, false);
        lexicon.set(slot, Some(labels));
        Some(slot)
    }

    /// Parses the sequence of a word again and keeps what costs less, or, being no worse, may make
    /// way for something better.
    pub fn again(&mut self, lexicon: &mut Lexicon<'_>, slot: u32) {
        let before = lexicon.cost();
        let mark = lexicon.mark();
        let Some(old) = self.replace(lexicon, slot) else {
            lexicon.rollback(mark);
            return;
        };
        lexicon.sweep(old.iter().filter_map(|&label| lexicon.composite(label)).collect());
        if lexicon.cost() > before {
            lexicon.rollback(mark);
        }
    }

    /// Parses the sequence of a word again; the labels that it had.
    pub fn replace(&mut self, lexicon: &mut Lexicon<'_>, slot: u32) -> Option<Vec<u32>> {
        let sequence = lexicon.expansion(slot).clone();
        let old = lexicon.set(slot, None);
        let labels = self.parse(lexicon, &sequence)?;
        lexicon.set(slot, Some(labels));
        Some(old)
    }
}

/// What it costs that a prefix becomes a word.
fn price(lexicon: &Lexicon<'_>, mut node: u32) -> i64 {
    let mut price = 0;
    while lexicon.nodes[node as usize].count == 1 {
        if lexicon.is_shared_tail(node) {
            price += STEP;
        }
        node = lexicon.nodes[node as usize].parent;
    }
    price
}
