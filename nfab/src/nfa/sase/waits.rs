//! From positions to what runs wait for: the subset construction over what ignoring removes.
//!
//! After an event, a run waits for all options that may follow its position. An ignored event may
//! close some of them: strict ones always, those of strategy next if another one fires, those behind
//! a negation if the event satisfies it. Which remain is the wait after that, made on demand.

use std::hash::Hash;
use std::rc::Rc;

use hashbrown::HashMap;

use super::conditions::{Conditions, Frame, Place};
use super::walk::{self, Follow, Way};
use crate::error::{Error, ErrorKind};
use crate::language::{Gap, Strategy};
use crate::nfa::Formula;
use crate::nfa::program::{COMPLETE, Finish, Move, NOWHERE, Sees, Wait};
use crate::nfa::{EdgeKind, KleeneOutput};

/// More waits, and positions, than any sensible query has.
const MOST_STATES: usize = 100_000;
/// More edges than any sensible query has.
const MOST_EDGES: usize = 2_000_000;

/// What may come next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Choice {
    pub(super) position: u32,
    pub(super) strategy: Strategy,
    pub(super) guards: Vec<u32>,
    /// What holds of the lists and groups that are left.
    pub(super) leaving: Vec<u32>,
    pub(super) fresh: Option<u32>,
}

/// The end of the pattern, which a run has reached.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct End {
    pub(super) guards: Vec<u32>,
    /// A negation ends the pattern: the match waits for its window to pass, whatever happens.
    pub(super) held: bool,
}

/// What a run waits for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) choices: Vec<u32>,
    pub(super) end: Option<End>,
}

/// A way to the end: what holds then, and the negations behind the last event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EndWay {
    pub(super) holds: Vec<u32>,
    pub(super) guards: Vec<u32>,
}

/// What may follow a position.
#[derive(Debug)]
pub(super) struct Followers {
    pub(super) choices: Vec<u32>,
    pub(super) ends: Vec<EndWay>,
}

/// Numbers for values.
pub(super) struct Numbered<T> {
    pub(super) all: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    fn new() -> Self {
        Numbered { all: Vec::new(), numbers: HashMap::new() }
    }

    fn number(&mut self, one: T, what: &str) -> Result<u32, Error> {
        if let Some(&known) = self.numbers.get(&one) {
            return Ok(known);
        }
        if self.all.len() >= MOST_STATES {
            return Err(too_large(&format!("{MOST_STATES} {what}")));
        }
        self.numbers.insert(one.clone(), self.all.len() as u32);
        self.all.push(one);
        Ok(self.all.len() as u32 - 1)
    }
}

fn too_large(what: &str) -> Error {
    Error::new(ErrorKind::Limit, format!("the query needs more than {what}"))
        .with_hint("use smaller numbers of repetitions, fewer optional items or fewer negations")
}

pub(super) struct Builder<'w, 'a> {
    pub(super) conditions: &'w mut Conditions<'a>,
    pub(super) strategy: Strategy,
    pub(super) output: KleeneOutput,
    pub(super) has_key: bool,
    pub(super) positions: Numbered<Vec<Frame>>,
    pub(super) choices: Numbered<Choice>,
    pub(super) keys: Numbered<Key>,
    followers: HashMap<u32, Rc<Followers>>,
    outcomes: HashMap<u32, Rc<Vec<(u32, Finish)>>>,
    formulas: HashMap<u32, Formula>,
    /// What a match may begin with, with the negations before it.
    pub(super) start: Vec<(u32, Vec<u32>)>,
    pub(super) waits: Vec<Wait>,
    edges: usize,
}

impl<'w, 'a> Builder<'w, 'a> {
    pub(super) fn new(
        conditions: &'w mut Conditions<'a>,
        strategy: Strategy,
        output: KleeneOutput,
        has_key: bool,
    ) -> Self {
        Builder {
            conditions,
            strategy,
            output,
            has_key,
            positions: Numbered::new(),
            choices: Numbered::new(),
            keys: Numbered::new(),
            followers: HashMap::new(),
            outcomes: HashMap::new(),
            formulas: HashMap::new(),
            start: Vec::new(),
            waits: Vec::new(),
            edges: 0,
        }
    }

    /// All waits; the first one is the start.
    pub(super) fn build(&mut self) -> Result<(), Error> {
        let Follow { options, .. } = walk::start(self.conditions)?;
        let constants = self.conditions.constants()?;
        for mut way in options {
            way.conditions.extend(&constants);
            let guards = std::mem::take(&mut way.guards);
            let choice = self.choice(way)?;
            self.start.push((choice, guards));
        }
        let mut choices: Vec<u32> = self.start.iter().map(|(choice, _)| *choice).collect();
        choices.dedup();
        // The start differs from a wait for the same: what was not begun is not ignored.
        self.keys.all.push(Key { choices, end: None });
        while self.waits.len() < self.keys.all.len() {
            let number = self.waits.len() as u32;
            let key = self.keys.all[number as usize].clone();
            let wait = self.wait(number, &key)?;
            self.count(wait.moves.len())?;
            self.waits.push(wait);
        }
        Ok(())
    }

    fn choice(&mut self, way: Way) -> Result<u32, Error> {
        let strategy = match way.gap {
            Gap::Strategy => self.strategy,
            Gap::Next => Strategy::StrictContiguity,
            Gap::FollowedBy => Strategy::SkipTillNextMatch,
            Gap::FollowedByAny => Strategy::SkipTillAnyMatch,
        };
        // What looks ahead is judged when the match is complete.
        let guards = way.guards.into_iter().filter(|&guard| !self.looks_ahead(guard)).collect();
        let position = self.positions.number(way.frames, "positions")?;
        let (leaving, fresh) = (way.conditions, way.fresh);
        self.count(leaving.len())?;
        self.choices.number(Choice { position, strategy, guards, leaving, fresh }, "options")
    }

    fn looks_ahead(&self, guard: u32) -> bool {
        let guard = self.conditions.guards[guard as usize];
        self.conditions.tree.variable(guard.variable).looks_ahead
    }

    /// The variable that a position takes an event for.
    pub(super) fn variable(&self, position: u32) -> u32 {
        let node = self.positions.all[position as usize].last().map_or(0, |frame| frame.node);
        match self.conditions.tree.node(node).body {
            super::tree::Body::Event(variable) => variable,
            super::tree::Body::Group { .. } => unreachable!("a position ends with a variable"),
        }
    }

    /// When an event fires a choice.
    pub(super) fn formula(&mut self, choice: u32) -> Result<Formula, Error> {
        if let Some(known) = self.formulas.get(&choice) {
            return Ok(known.clone());
        }
        let Choice { position, leaving, fresh, .. } = self.choices.all[choice as usize].clone();
        let variable = self.variable(position);
        let frames = &self.positions.all[position as usize];
        let place = Place { frames, fresh, leaving: None, without_round: false };
        let mut holds = self.conditions.event(variable, place)?;
        holds.extend(leaving);
        let formula = self.conditions.formula(&holds);
        self.formulas.insert(choice, formula.clone());
        Ok(formula)
    }

    pub(super) fn followers(&mut self, position: u32) -> Result<Rc<Followers>, Error> {
        if let Some(known) = self.followers.get(&position) {
            return Ok(known.clone());
        }
        let frames = self.positions.all[position as usize].clone();
        let Follow { options, ends } = walk::follow(self.conditions, &frames)?;
        let mut choices = Vec::new();
        for way in options {
            let choice = self.choice(way)?;
            if !choices.contains(&choice) {
                choices.push(choice);
            }
        }
        let ends = ends.into_iter().map(|way| EndWay { holds: way.conditions, guards: way.guards });
        let followers = Rc::new(Followers { choices, ends: weakest(ends.collect()) });
        self.followers.insert(position, followers.clone());
        Ok(followers)
    }

    fn number_of(&mut self, choices: Vec<u32>, end: Option<End>) -> Result<u32, Error> {
        if choices.is_empty() && end.is_none() {
            return Ok(NOWHERE);
        }
        self.keys.number(Key { choices, end }, "states")
    }

    /// Where a run is after it took the event of a position: usually one wait.
    fn outcomes(&mut self, position: u32) -> Result<Rc<Vec<(u32, Finish)>>, Error> {
        if let Some(known) = self.outcomes.get(&position) {
            return Ok(known.clone());
        }
        let followers = self.followers(position)?;
        let open = followers.choices.clone();
        let mut all = Vec::new();
        let (held, free): (Vec<&EndWay>, Vec<&EndWay>) =
            followers.ends.iter().partition(|end| !end.guards.is_empty());
        let free: Vec<Formula> =
            free.into_iter().map(|end| self.conditions.formula(&end.holds)).collect();
        let maximal = self.output == KleeneOutput::Maximal && !open.is_empty();
        if !free.is_empty() {
            let formula = Formula::any(free);
            if maximal {
                let end = End { guards: Vec::new(), held: false };
                all.push(self.hold(&open, end, formula, true)?);
            } else {
                let target = self.number_of(open.clone(), None)?;
                all.push((target, Finish::Emit { formula, sees: Sees::After }));
            }
        }
        // The ways that end behind the same negations are one.
        let mut groups: Vec<(Vec<u32>, Vec<Formula>)> = Vec::new();
        for end in held {
            let formula = self.conditions.formula(&end.holds);
            match groups.iter_mut().find(|(guards, _)| *guards == end.guards) {
                Some((_, formulas)) => formulas.push(formula),
                None => groups.push((end.guards.clone(), vec![formula])),
            }
        }
        for (guards, formulas) in groups {
            let first = all.is_empty();
            // Only one of several waits goes on with what is open, unless that ends the match.
            let open: &[u32] = if first || maximal { &open } else { &[] };
            let end = End { guards, held: true };
            all.push(self.hold(open, end, Formula::any(formulas), first)?);
        }
        if all.is_empty() {
            all.push((self.number_of(open, None)?, Finish::No));
        }
        let all = Rc::new(all);
        self.outcomes.insert(position, all.clone());
        Ok(all)
    }

    /// How many moves a choice of a position makes.
    pub(super) fn outcome_count(&self, position: u32) -> usize {
        self.outcomes.get(&position).map_or(0, |all| all.len())
    }

    /// A match that is held if the formula holds.
    fn hold(
        &mut self,
        open: &[u32],
        end: End,
        formula: Formula,
        first: bool,
    ) -> Result<(u32, Finish), Error> {
        let target = self.number_of(open.to_vec(), Some(end))?;
        let otherwise = match first && formula != Formula::True {
            true => self.number_of(open.to_vec(), None)?,
            false => NOWHERE,
        };
        Ok((target, Finish::Hold { formula, otherwise }))
    }

    fn wait(&mut self, number: u32, key: &Key) -> Result<Wait, Error> {
        let mut moves = Vec::new();
        let mut fires = Vec::new();
        for &choice in &key.choices {
            let formula = self.formula(choice)?;
            fires.push((moves.len() as u32, formula.clone()));
            let position = self.choices.all[choice as usize].position;
            let variable = self.variable(position);
            let again = self.positions.all[position as usize].last().is_some_and(|f| f.count > 1);
            for (target, finish) in self.outcomes(position)?.iter() {
                moves.push(Move {
                    kind: if again { EdgeKind::Take } else { EdgeKind::Begin },
                    formula: formula.clone(),
                    stage: self.conditions.tree.variable(variable).stage,
                    target: *target,
                    // Known when all conditions are.
                    resets: Box::default(),
                    finish: finish.clone(),
                });
            }
        }
        let mut wait = Wait { moves, foreign: number, ..Wait::default() };
        wait.holds_match = key.end.is_some();
        wait.is_match = key.end.as_ref().is_some_and(|end| !end.held);
        wait.is_match = key.end.as_ref().is_some_and(|end| !end.held);
        if number > 0 {
            wait.ignores = self.ignores(key, &fires)?;
            if self.has_key {
                let not_strict = |choice: &u32| {
                    self.choices.all[*choice as usize].strategy != Strategy::StrictContiguity
                };
                let left = key.choices.iter().copied().filter(not_strict).collect();
                wait.foreign = self.ignored(left, key.end.clone())?;
            }
        }
        Ok(wait)
    }

    /// Where a run waits that ignored an event towards these choices.
    pub(super) fn ignored(
        &mut self,
        mut choices: Vec<u32>,
        mut end: Option<End>,
    ) -> Result<u32, Error> {
        let guards = &self.conditions.guards;
        let spent = |guard: &u32| guards[*guard as usize].adjacent;
        for choice in &mut choices {
            let mut left = self.choices.all[*choice as usize].clone();
            if left.guards.iter().any(spent) {
                left.guards.retain(|guard| !spent(guard));
                *choice = self.choices.number(left, "options")?;
            }
        }
        if let Some(end) = &mut end {
            end.guards.retain(|guard| !spent(guard));
            if choices.is_empty() && !end.held {
                return Ok(COMPLETE);
            }
        }
        self.number_of(choices, end)
    }

    /// So many edges, or parts of their formulas, were made.
    pub(super) fn count(&mut self, edges: usize) -> Result<(), Error> {
        self.edges += edges;
        match self.edges > MOST_EDGES {
            true => Err(too_large(&format!("{MOST_EDGES} edges and conditions on them"))),
            false => Ok(()),
        }
    }
}

/// The ways to the end without those that another one makes superfluous.
fn weakest(ends: Vec<EndWay>) -> Vec<EndWay> {
    let within = |a: &[u32], b: &[u32]| a.iter().all(|one| b.contains(one));
    let implied =
        |a: &EndWay, b: &EndWay| within(&a.holds, &b.holds) && within(&a.guards, &b.guards);
    let mut out: Vec<EndWay> = Vec::new();
    for end in ends {
        if !out.iter().any(|other| implied(other, &end)) {
            out.retain(|other| !implied(&end, other));
            out.push(end);
        }
    }
    out
}
