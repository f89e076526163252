//! The automaton that counting uses: deterministic in the event *and* in what is done with it.
//!
//! Two matches are different if their events are, or their stages. So a match is a word over the
//! events since its start, with a letter for each: passed over, or taken by some stage. A set of
//! waits that runs of one word can be in, followed letter by letter, makes a deterministic
//! automaton, in which each word has one path: the number of paths is the number of matches, also
//! where the pattern allows one match in several ways.
//!
//! For an event of a class the automaton is a matrix: how many letters lead from a state to a state.
//! The product of the matrices of some events counts the words over them. State 0 stands for "not
//! started yet": every event leads from it to itself, and to where a match may begin.

use hashbrown::HashMap;

use super::Actions;
use crate::evaluate::action::Action;
use crate::evaluate::graph::NONE;
use crate::nfa::program::NOWHERE;

/// More states than this are not worth their matrices; few in tests, so that both ways are gone.
const MOST_STATES: usize = if cfg!(test) { 8 } else { 32 };
/// Bit sets below this are looked up without hashing.
const SMALL: usize = 256;
/// More classes than this are not kept.
const MOST_CLASSES: usize = 4096;

/// Letters to a state: which, and how many.
type Letters = Vec<(u32, u64)>;

/// The matrix of a class of events.
#[derive(Debug, Default)]
pub(super) struct Matrix {
    /// For each state the letters that lead from it.
    all: Vec<Letters>,
    /// The rows that are not those of the unit matrix.
    pub(super) rows: Vec<(u32, Letters)>,
    /// The columns that are not, with the states from which the letters lead.
    pub(super) columns: Vec<(u32, Letters)>,
    /// From which states how many letters complete a match.
    pub(super) ends: Letters,
}

/// The states and matrices found so far.
#[derive(Debug)]
pub(super) struct Labelled {
    /// Sets of waits; state 0 is not one.
    states: Vec<Box<[u32]>>,
    ids: HashMap<Box<[u32]>, u32>,
    matrices: HashMap<u64, u32>,
    /// The numbers of the matrices of small bit sets.
    small: Vec<u32>,
    all: Vec<Matrix>,
}

impl Labelled {
    pub(super) fn new() -> Self {
        let states = vec![Box::default()];
        Labelled {
            states,
            ids: HashMap::new(),
            matrices: HashMap::new(),
            small: vec![NONE; SMALL],
            all: Vec::new(),
        }
    }

    /// How many states there are so far.
    pub(super) fn states(&self) -> usize {
        self.states.len()
    }

    /// The matrix of the events for which some conditions hold; may find further states. `None` if
    /// there are too many of them.
    pub(super) fn matrix(&mut self, actions: &impl Actions, bits: u64) -> Option<u32> {
        let known = self.small.get(bits as usize).copied().filter(|&number| number != NONE);
        let number = known.unwrap_or_else(|| {
            let next = self.all.len() as u32;
            let number = *self.matrices.entry(bits).or_insert(next);
            if number == next {
                self.all.push(Matrix::default());
            }
            if let Some(small) = self.small.get_mut(bits as usize) {
                *small = number;
            }
            number
        });
        if self.all[number as usize].all.len() < self.states.len() {
            self.fill(actions, bits, number);
        }
        let fits = self.states.len() <= MOST_STATES && self.all.len() <= MOST_CLASSES;
        fits.then_some(number)
    }

    /// The number of a matrix that has been made.
    pub(super) fn known(&self, bits: u64) -> u32 {
        let small = self.small.get(bits as usize).copied().filter(|&number| number != NONE);
        small.unwrap_or_else(|| self.matrices[&bits])
    }

    pub(super) fn get(&self, matrix: u32) -> &Matrix {
        &self.all[matrix as usize]
    }

    /// Adds the rows of the states that the matrix does not know.
    fn fill(&mut self, actions: &impl Actions, bits: u64, number: u32) {
        let mut matrix = std::mem::take(&mut self.all[number as usize]);
        while matrix.all.len() < self.states.len() && self.states.len() <= MOST_STATES {
            let state = matrix.all.len() as u32;
            let waits = self.states[state as usize].clone();
            let done: Vec<Action> = if state == 0 {
                vec![actions.begin(bits)]
            } else {
                waits.iter().map(|&wait| actions.action(wait, bits)).collect()
            };
            let mut letters: Letters = Vec::new();
            let mut ends = 0;
            let mut passed: Vec<u32> = done.iter().flat_map(|a| a.passes.clone()).collect();
            if state == 0 {
                letters.push((0, 1));
            } else {
                self.letter(&mut passed, &mut letters);
                ends += u64::from(done.iter().any(|action| action.completes));
            }
            let takes = || done.iter().flat_map(|action| &action.takes);
            let mut stages: Vec<u32> = takes().map(|take| take.stage).collect();
            stages.sort_unstable();
            stages.dedup();
            for stage in stages {
                let of_stage = || takes().filter(|take| take.stage == stage);
                ends += u64::from(of_stage().any(|take| take.emits));
                let targets = of_stage().map(|take| take.target);
                let mut targets = targets.filter(|&target| target != NOWHERE).collect();
                self.letter(&mut targets, &mut letters);
            }
            if ends > 0 {
                matrix.ends.push((state, ends));
            }
            matrix.all.push(letters);
        }
        matrix.outline();
        self.all[number as usize] = matrix;
    }

    /// A letter that leads to a set of waits.
    fn letter(&mut self, waits: &mut Vec<u32>, letters: &mut Letters) {
        waits.sort_unstable();
        waits.dedup();
        if waits.is_empty() {
            return;
        }
        let next = self.states.len() as u32;
        let state = *self.ids.entry(waits.as_slice().into()).or_insert(next);
        if state == next {
            self.states.push(waits.as_slice().into());
        }
        match letters.iter_mut().find(|letter| letter.0 == state) {
            Some(letter) => letter.1 += 1,
            None => letters.push((state, 1)),
        }
    }
}

impl Matrix {
    /// Finds the rows and columns that differ from the unit matrix.
    fn outline(&mut self) {
        let unit = |state: u32, letters: &Letters| *letters == [(state, 1)];
        let mut columns = HashMap::<u32, Letters>::new();
        self.rows.clear();
        for (state, letters) in (0..).zip(&self.all) {
            for &(target, times) in letters {
                columns.entry(target).or_default().push((state, times));
            }
            if !unit(state, letters) {
                self.rows.push((state, letters.clone()));
            }
        }
        // A state that nothing leads to has a column of zeros.
        self.columns = (0..self.all.len() as u32)
            .map(|state| (state, columns.remove(&state).unwrap_or_default()))
            .filter(|(state, letters)| !unit(*state, letters))
            .collect();
    }
}
