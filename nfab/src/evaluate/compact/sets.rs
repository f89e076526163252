//! The waits that hold runs, and how an event changes them: a deterministic automaton, made as it
//! is needed.
//!
//! Its states are the sets of waits in which some run is; the wait of the run that has not started
//! is in all of them and left out. What an event does depends on the set and on the *class* of the
//! event, that is on which conditions hold for it. Both are small numbers, so after the first time a
//! step is two look-ups. The tables are bounded: when they are full they are emptied, and parts find
//! their sets again.

use hashbrown::HashMap;

use crate::evaluate::action::Action;
use crate::evaluate::counting::Actions;
use crate::evaluate::graph::NONE;
use crate::evaluate::marked::PASSED;
use crate::nfa::program::{NOWHERE, Program};

/// Steps kept before the tables are emptied; few in tests, so that it happens.
const MOST_STEPS: usize = if cfg!(test) { 24 } else { 1 << 16 };
/// The bits of an event that is not of the partition: no condition has this one.
pub(super) const FOREIGN: u64 = 1 << 63;
/// The most conditions that have a bit.
pub(in crate::evaluate) const MOST_CONDITIONS: usize = 63;
/// Instead of the place of a wait in its set: the run that has not started.
pub(super) const START: u32 = NONE;

/// What a wait of the next set is made of. Places are those in the set before.
#[derive(Clone, Debug, Default)]
pub(super) struct Target {
    /// The wait whose list goes on here, or [`NONE`].
    pub(super) from: u32,
    /// The waits whose runs join.
    pub(super) joins: Vec<u32>,
    /// The stages that take the event, with the wait from which, or [`START`].
    pub(super) takes: Vec<(u32, u32)>,
}

/// What an event of a class does to a set.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) next: u32,
    /// Nothing changes.
    pub(super) idle: bool,
    /// Some run takes the event.
    pub(super) keep: bool,
    /// The matches that it completes: where from, and the stage or [`PASSED`].
    pub(super) ends: Vec<(u32, u32)>,
    /// For each wait of the next set.
    pub(super) targets: Vec<Target>,
}

#[derive(Debug, Default)]
struct Set {
    waits: Box<[u32]>,
    /// By class.
    steps: Vec<u32>,
}

/// The tables.
#[derive(Debug)]
pub(super) struct Sets {
    program: Program,
    /// The bit of each condition.
    bits: Vec<u32>,
    classes: HashMap<u64, u32>,
    /// The classes of small bit sets.
    small: Vec<u32>,
    sets: Vec<Set>,
    ids: HashMap<Box<[u32]>, u32>,
    steps: Vec<Step>,
    /// How often the tables were emptied.
    epoch: u32,
}

impl Sets {
    /// `tested` are the conditions, of which there are at most [`MOST_CONDITIONS`].
    pub(super) fn new(program: Program, tested: &[u32]) -> Self {
        let mut bits = vec![0; tested.iter().max().map_or(0, |&most| most as usize + 1)];
        for (bit, &condition) in (0..).zip(tested) {
            bits[condition as usize] = bit;
        }
        let small = vec![NONE; 1 << tested.len().min(10)];
        Sets {
            program,
            bits,
            classes: HashMap::new(),
            small,
            sets: Vec::new(),
            ids: HashMap::new(),
            steps: Vec::new(),
            epoch: 0,
        }
    }

    pub(super) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The class of an event for which the conditions of these bits hold.
    pub(super) fn class(&mut self, bits: u64) -> u32 {
        let small = self.small.get(bits as usize).copied().filter(|&class| class != NONE);
        small.unwrap_or_else(|| {
            let next = self.classes.len() as u32;
            let class = *self.classes.entry(bits).or_insert(next);
            if let Some(small) = self.small.get_mut(bits as usize) {
                *small = class;
            }
            class
        })
    }

    /// The number of a set of waits, which are in order.
    pub(super) fn id(&mut self, waits: &[u32]) -> u32 {
        if let Some(&id) = self.ids.get(waits) {
            return id;
        }
        let id = self.sets.len() as u32;
        self.sets.push(Set { waits: waits.into(), steps: Vec::new() });
        self.ids.insert(waits.into(), id);
        id
    }

    pub(super) fn waits(&self, set: u32) -> &[u32] {
        &self.sets[set as usize].waits
    }

    /// The number of the step that an event of some bits makes from a set.
    pub(super) fn step(&mut self, set: u32, bits: u64) -> u32 {
        let class = self.class(bits) as usize;
        let known = self.sets[set as usize].steps.get(class).copied();
        if let Some(step) = known.filter(|&step| step != NONE) {
            return step;
        }
        let step = self.make(set, bits);
        let number = self.steps.len() as u32;
        self.steps.push(step);
        let steps = &mut self.sets[set as usize].steps;
        if steps.len() <= class {
            steps.resize(class + 1, NONE);
        }
        steps[class] = number;
        number
    }

    pub(super) fn get(&self, step: u32) -> &Step {
        &self.steps[step as usize]
    }

    /// Makes room. All numbers given out before are void if the epoch changes.
    pub(super) fn bound(&mut self) {
        if self.steps.len().max(self.classes.len()).max(self.sets.len()) >= MOST_STEPS {
            self.classes.clear();
            self.small.fill(NONE);
            self.sets.clear();
            self.ids.clear();
            self.steps.clear();
            self.epoch += 1;
        }
    }

    fn make(&mut self, set: u32, bits: u64) -> Step {
        let waits = self.sets[set as usize].waits.clone();
        let mut ends = Vec::new();
        let mut next: Vec<(u32, Target)> = Vec::new();
        let mut keep = false;
        let target = |next: &mut Vec<(u32, Target)>, wait: u32| {
            next.iter().position(|(other, _)| *other == wait).unwrap_or_else(|| {
                next.push((wait, Target { from: NONE, ..Target::default() }));
                next.len() - 1
            })
        };
        let places = (0..waits.len() as u32).map(Some).chain([None]);
        for place in places {
            let action = match place {
                Some(place) => self.action(waits[place as usize], bits),
                None => self.begin(bits),
            };
            let source = place.unwrap_or(START);
            if action.completes {
                ends.push((source, PASSED));
            }
            let mut goes_on = false;
            let own = place.map(|place| waits[place as usize]);
            // Staying comes first, so that a wait that stays keeps its list.
            let stays = action.passes.iter().filter(|&&wait| Some(wait) == own);
            let leaves = action.passes.iter().filter(|&&wait| Some(wait) != own);
            for &wait in stays.chain(leaves) {
                let stays = Some(wait) == own;
                let at = target(&mut next, wait);
                let target = &mut next[at].1;
                if stays && target.from != NONE {
                    // Another list goes on here already; that one joins instead.
                    let other = std::mem::replace(&mut target.from, source);
                    target.joins.push(other);
                    goes_on = true;
                } else if !goes_on && target.from == NONE {
                    target.from = source;
                    goes_on = true;
                } else {
                    target.joins.push(source);
                }
            }
            for take in action.takes {
                keep = true;
                if take.emits {
                    ends.push((source, take.stage));
                }
                if take.target != NOWHERE {
                    let at = target(&mut next, take.target);
                    next[at].1.takes.push((take.stage, source));
                }
            }
        }
        ends.sort_unstable();
        ends.dedup();
        next.sort_unstable_by_key(|(wait, _)| *wait);
        let idle = next.len() == waits.len()
            && next.iter().zip(&waits).enumerate().all(|(place, ((wait, target), old))| {
                wait == old
                    && target.from == place as u32
                    && target.joins.is_empty()
                    && target.takes.is_empty()
            });
        let (waits, targets): (Vec<u32>, Vec<Target>) = next.into_iter().unzip();
        Step { next: self.id(&waits), idle, keep, ends, targets }
    }
}

/// The bits are those of conditions.
impl Actions for Sets {
    fn action(&self, wait: u32, bits: u64) -> Action {
        if bits & FOREIGN != 0 {
            return Action::foreign(&self.program, wait);
        }
        Action::of(&self.program, wait, |condition| bits >> self.bits[condition as usize] & 1 == 1)
    }

    fn begin(&self, bits: u64) -> Action {
        if bits & FOREIGN != 0 {
            return Action::default();
        }
        self.action(self.program.start, bits)
    }
}
