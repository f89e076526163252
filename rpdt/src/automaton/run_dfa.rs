//! The automaton of one regular branch, determinised on demand, where the runs are only counted: a
//! state is what is alive at a child, with the starts of runs replaced by their order. (Section 3.3
//! of the paper keeps the starts; how many runs there are does not depend on them.)

use hashbrown::HashMap;

use super::sibling_nfa::{RunState, Scratch, SiblingNfa};
use crate::Runs;

/// What is alive: the sets of positions of the runs by ascending start; the run to report unless it
/// is prolonged (policy peak).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Alive {
    sets: Vec<u64>,
    best: Option<usize>,
}

/// A state by number; 0 is that in which nothing is alive.
pub(crate) type RunNumber = u32;

/// A step: the next state, and how many runs are reported, in the upper two bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step(u32);

impl Step {
    const UNKNOWN: Step = Step(u32::MAX);
    const SHIFT: u32 = 30;

    #[inline(always)]
    pub(crate) fn state(self) -> RunNumber {
        self.0 & ((1 << Self::SHIFT) - 1)
    }

    #[inline(always)]
    pub(crate) fn reports(self) -> u32 {
        self.0 >> Self::SHIFT
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct RunDfa {
    /// Policy peak; else live.
    peak: bool,
    states: Vec<Alive>,
    index: HashMap<Alive, RunNumber>,
    /// The sets of symbols that children were seen to satisfy; number 0 is the empty one.
    symbols: Vec<u64>,
    /// `steps[(state << log) + number of the set]`.
    steps: Vec<Step>,
    log: u32,
    scratch: Scratch,
}

impl RunDfa {
    /// So many states are remembered at most.
    pub(crate) const LIMIT: usize = 1 << 12;

    /// `None` if the branch has more positions or symbols than a machine word has bits, or if the
    /// policy needs to look back.
    pub(crate) fn new(nfa: &SiblingNfa, runs: Runs) -> Option<Self> {
        if nfa.words > 1 || nfa.symbol_words > 1 || runs == Runs::NonOverlap {
            return None;
        }
        let mut dfa = RunDfa {
            peak: runs == Runs::Peak,
            states: Vec::new(),
            index: HashMap::new(),
            symbols: vec![0],
            steps: Vec::new(),
            log: 2,
            scratch: Scratch::default(),
        };
        dfa.number(Alive::default());
        Some(dfa)
    }

    /// The number of a set of symbols.
    pub(crate) fn set(&mut self, symbols: u64) -> u32 {
        let at = self.symbols.iter().position(|s| *s == symbols).unwrap_or_else(|| {
            self.symbols.push(symbols);
            self.symbols.len() - 1
        });
        if at >> self.log != 0 {
            self.log += 1;
            self.forget_steps();
        }
        at as u32
    }

    fn forget_steps(&mut self) {
        self.steps.clear();
        self.steps.resize(self.states.len() << self.log, Step::UNKNOWN);
    }

    /// Whether so many states are remembered that they should be forgotten.
    pub(crate) fn is_full(&self) -> bool {
        self.states.len() >= Self::LIMIT
    }

    /// Forgets all states but those in use, which get new numbers.
    #[cold]
    pub(crate) fn forget<'a>(&mut self, used: impl Iterator<Item = &'a mut RunNumber>) {
        let old = std::mem::take(&mut self.states);
        self.index.clear();
        self.number(Alive::default());
        for number in used {
            *number = self.number(old[*number as usize].clone());
        }
        self.forget_steps();
    }

    fn number(&mut self, alive: Alive) -> RunNumber {
        if let Some(known) = self.index.get(&alive) {
            return *known;
        }
        let number = self.states.len() as RunNumber;
        self.states.push(alive.clone());
        self.index.insert(alive, number);
        self.steps.resize(self.states.len() << self.log, Step::UNKNOWN);
        number
    }

    /// The step at a child that satisfies a numbered set of symbols, if it has been taken before.
    #[inline(always)]
    pub(crate) fn known(&self, state: RunNumber, set: u32) -> Option<Step> {
        let step = *self.steps.get(((state as usize) << self.log) + set as usize)?;
        (step != Step::UNKNOWN).then_some(step)
    }

    /// Reads a child that satisfies a numbered set of symbols.
    #[inline(always)]
    pub(crate) fn step(&mut self, nfa: &SiblingNfa, state: RunNumber, set: u32) -> Step {
        match self.known(state, set) {
            Some(step) => step,
            None => self.compute(nfa, state, set),
        }
    }

    #[cold]
    #[inline(never)]
    fn compute(&mut self, nfa: &SiblingNfa, state: RunNumber, set: u32) -> Step {
        let alive = &self.states[state as usize];
        let child = alive.sets.len() as u64;
        let before = alive.best.map(|best| best as u64);
        let mut run = RunState::ordered(&alive.sets);
        nfa.step(&mut run, &[self.symbols[set as usize]], child, &mut self.scratch);
        let mut best = nfa.current(&run);
        let mut reports = 0;
        if self.peak {
            reports += u32::from(before.is_some() && before != best);
            if best.is_some_and(|first| !nfa.can_prolong(&run, first, None)) {
                reports += 1;
                best = None;
            }
        } else {
            reports += u32::from(best.is_some());
            best = None;
        }
        let best = best.and_then(|first| run.order_of(first));
        let next = self.number(Alive { sets: run.into_sets(), best });
        let step = Step(next | reports << Step::SHIFT);
        self.steps[((state as usize) << self.log) + set as usize] = step;
        step
    }

    /// How many runs are reported when the parent closes.
    #[inline]
    pub(crate) fn finish(&self, state: RunNumber) -> u32 {
        u32::from(self.states[state as usize].best.is_some())
    }
}
