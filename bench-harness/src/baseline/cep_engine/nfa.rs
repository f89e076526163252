//! The automaton of a regular branch: Glushkov positions, run over a stored sequence.

use rpdt::pattern::{NodeId, Regex};

use super::super::shared::NONE;
use super::store::{Link, Run};

/// One position for every symbol occurrence, repetitions written out; no empty transitions.
#[derive(Clone, Debug)]
pub(super) struct Nfa {
    pub nullable: bool,
    first: Vec<bool>,
    last: Vec<bool>,
    /// `follow[p * positions + q]`.
    follow: Vec<bool>,
    positions: usize,
    /// The pattern node of every symbol, from left to right, with its positions.
    symbols: Vec<(u32, Vec<u32>)>,
}

/// What a part of an expression is made of.
struct Part {
    nullable: bool,
    first: Vec<u32>,
    last: Vec<u32>,
}

impl Part {
    fn empty_word() -> Part {
        Part { nullable: true, first: Vec::new(), last: Vec::new() }
    }
}

/// The construction: positions so far and which of them follow one another.
#[derive(Default)]
struct Glushkov {
    nodes: Vec<NodeId>,
    follow: Vec<(u32, u32)>,
}

impl Glushkov {
    fn part(&mut self, regex: &Regex) -> Part {
        match regex {
            Regex::Symbol(node) => {
                let position = self.nodes.len() as u32;
                self.nodes.push(*node);
                Part { nullable: false, first: vec![position], last: vec![position] }
            }
            Regex::Concat(parts) => parts.iter().fold(Part::empty_word(), |whole, part| {
                let part = self.part(part);
                self.then(whole, part)
            }),
            Regex::Alt(parts) => {
                let mut whole = Part { nullable: false, first: Vec::new(), last: Vec::new() };
                for part in parts {
                    let part = self.part(part);
                    whole.nullable |= part.nullable;
                    whole.first.extend(part.first);
                    whole.last.extend(part.last);
                }
                whole
            }
            Regex::Repeat { inner, min, max } => {
                let copies = max.unwrap_or((*min).max(1));
                let mut whole = Part::empty_word();
                for copy in 0..copies {
                    let mut part = self.part(inner);
                    if max.is_none() && copy + 1 == copies {
                        self.link(&part.last, &part.first);
                    }
                    part.nullable |= copy >= *min;
                    whole = self.then(whole, part);
                }
                whole
            }
        }
    }

    fn then(&mut self, a: Part, b: Part) -> Part {
        self.link(&a.last, &b.first);
        let mut first = a.first;
        if a.nullable {
            first.extend(&b.first);
        }
        let mut last = b.last;
        if b.nullable {
            last.extend(&a.last);
        }
        Part { nullable: a.nullable && b.nullable, first, last }
    }

    fn link(&mut self, from: &[u32], to: &[u32]) {
        for &p in from {
            self.follow.extend(to.iter().map(|&q| (p, q)));
        }
    }
}

/// The positions that the run may be in after a child, each with the first child of the longest run
/// that ends there. Reused from run to run.
#[derive(Debug, Default)]
pub(super) struct Simulation {
    now: Vec<(u32, u32)>,
    next: Vec<(u32, u32)>,
}

impl Nfa {
    pub(super) fn new(regex: &Regex) -> Self {
        let mut glushkov = Glushkov::default();
        let whole = glushkov.part(regex);
        let n = glushkov.nodes.len();
        let mut follow = vec![false; n * n];
        for (p, q) in glushkov.follow {
            follow[p as usize * n + q as usize] = true;
        }
        let mut symbols: Vec<(u32, Vec<u32>)> = Vec::new();
        for (p, node) in glushkov.nodes.iter().enumerate() {
            match symbols.iter_mut().find(|s| s.0 == node.0) {
                Some(known) => known.1.push(p as u32),
                None => symbols.push((node.0, vec![p as u32])),
            }
        }
        let set = |of: &[u32]| {
            let mut set = vec![false; n];
            of.iter().for_each(|&p| set[p as usize] = true);
            set
        };
        Nfa {
            nullable: whole.nullable,
            first: set(&whole.first),
            last: set(&whole.last),
            follow,
            positions: n,
            symbols,
        }
    }

    /// The pattern nodes of the symbols, in the order of their numbers.
    pub(super) fn nodes(&self) -> impl Iterator<Item = u32> {
        self.symbols.iter().map(|s| s.0)
    }

    /// The pattern node of a symbol.
    pub(super) fn node(&self, symbol: u32) -> u32 {
        self.symbols[symbol as usize].0
    }

    fn positions_of(&self, symbol: u32) -> &[u32] {
        &self.symbols[symbol as usize].1
    }

    fn follows(&self, p: u32, q: u32) -> bool {
        self.follow[p as usize * self.positions + q as usize]
    }

    /// Runs over a stored sequence and appends the runs of the policy `peak`: the longest run that
    /// ends with a child, unless the next child prolongs it. Returns the number of children read.
    /// With `first_only` it stops once there is a run.
    pub(super) fn longest_runs(
        &self,
        links: &[Link],
        head: u32,
        first_only: bool,
        simulation: &mut Simulation,
        runs: &mut Vec<Run>,
    ) -> u64 {
        let mut read = 0;
        let mut best: Option<Run> = None;
        let mut end = 0;
        simulation.now.clear();
        let mut at = head;
        while at != NONE {
            let begin = at;
            let link = &links[at as usize];
            let (start, child_end) = (link.start, link.end);
            if start != end + 1 {
                // A child in between matched no symbol.
                simulation.now.clear();
                runs.extend(best.take());
            }
            end = child_end;
            read += 1;
            let mut current = NONE;
            simulation.next.clear();
            let mut final_link = at;
            while at != NONE && links[at as usize].start == start {
                let link = &links[at as usize];
                for &q in self.positions_of(link.symbol) {
                    let earlier = simulation.now.iter().filter(|(p, _)| self.follows(*p, q));
                    let from = earlier.map(|&(_, from)| from).min();
                    let from = match from {
                        Some(from) => from,
                        None if self.first[q as usize] => begin,
                        None => continue,
                    };
                    simulation.next.push((q, from));
                    if self.last[q as usize] {
                        current = current.min(from);
                    }
                }
                final_link = at;
                at = link.next;
            }
            std::mem::swap(&mut simulation.now, &mut simulation.next);
            if let Some(before) = best
                && before.first != current
            {
                runs.push(before);
            }
            best = (current != NONE).then_some(Run { first: current, last: final_link });
            if first_only && best.is_some() {
                break;
            }
        }
        runs.extend(best);
        read
    }

    /// The links of a run that some accepting reading uses.
    pub(super) fn readings(&self, links: &[Link], run: Run, mut see: impl FnMut(&Link)) {
        // Forward: (position, link) that are reached, child after child.
        let mut reached: Vec<(u32, u32)> = Vec::new();
        let mut children: Vec<usize> = vec![0];
        let mut at = run.first;
        loop {
            let start = links[at as usize].start;
            let before = children.len().checked_sub(2).map(|k| children[k]..reached.len());
            while at != NONE && links[at as usize].start == start {
                for &q in self.positions_of(links[at as usize].symbol) {
                    let reachable = match &before {
                        None => self.first[q as usize],
                        Some(range) => {
                            reached[range.clone()].iter().any(|&(p, _)| self.follows(p, q))
                        }
                    };
                    if reachable {
                        reached.push((q, at));
                    }
                }
                if at == run.last {
                    at = NONE;
                } else {
                    at = links[at as usize].next;
                }
            }
            children.push(reached.len());
            if at == NONE {
                break;
            }
        }
        // Backward: keep what leads to the end.
        let mut kept: Vec<u32> = Vec::new();
        for (k, bounds) in children.windows(2).enumerate().rev() {
            let is_last = k + 2 == children.len();
            let leads = |p: u32| match is_last {
                true => self.last[p as usize],
                false => kept.iter().any(|&q| self.follows(p, q)),
            };
            let stay: Vec<(u32, u32)> =
                reached[bounds[0]..bounds[1]].iter().copied().filter(|r| leads(r.0)).collect();
            stay.iter().for_each(|&(_, link)| see(&links[link as usize]));
            kept = stay.into_iter().map(|(p, _)| p).collect();
        }
    }
}
