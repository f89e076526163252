//! Ignore edges: for each way in which an event may close options, one that leads to the rest.
//!
//! The formulas of one wait exclude each other, so a run that ignores an event stays one run.

use super::waits::{Builder, End, Key};
use crate::error::Error;
use crate::language::Strategy;
use crate::nfa::program::{Ignore, NOWHERE};
use crate::nfa::{Formula, KleeneOutput};

/// What is left if an event is ignored, as far as only the options that fire matter.
#[derive(Clone, PartialEq)]
struct Left {
    choices: Vec<u32>,
    end: Option<End>,
}

/// When that is so: `formula` holds and none of these moves fires.
struct Case {
    left: Left,
    unless: Box<[u32]>,
    formula: Formula,
}

impl Builder<'_, '_> {
    /// The ignore edges of a wait; `fires`: for each of its options the first move, and when it
    /// fires.
    pub(super) fn ignores(
        &mut self,
        key: &Key,
        fires: &[(u32, Formula)],
    ) -> Result<Vec<Ignore>, Error> {
        let mut out = Vec::new();
        for case in self.cases(key, fires) {
            if !case.left.choices.is_empty() || case.left.end.is_some() {
                let Case { left, unless, formula } = case;
                self.closing(left, formula, &unless, &mut Closing::default(), &mut out)?;
            }
        }
        Ok(out)
    }

    fn cases(&self, key: &Key, fires: &[(u32, Formula)]) -> Vec<Case> {
        let strategy = |choice: &u32| self.choices.all[*choice as usize].strategy;
        let is_any = |choice: &u32| strategy(choice) == Strategy::SkipTillAnyMatch;
        let stays =
            |choice: &u32| is_any(choice) || strategy(choice) == Strategy::SkipTillNextMatch;
        let chosen = |fits: &dyn Fn(&u32) -> bool| -> Vec<u32> {
            key.choices.iter().copied().filter(|choice| fits(choice)).collect()
        };
        let firing = |fits: &dyn Fn(&u32) -> bool| -> (Box<[u32]>, Formula) {
            let all = key.choices.iter().zip(fires).filter(|(choice, _)| fits(choice));
            let places = all.clone().map(|(_, fires)| fires.0).collect();
            (places, Formula::any(all.map(|(_, fires)| fires.1.clone())))
        };
        // Only a longest match is no longer one when an event extends it.
        let extended = match self.output {
            KleeneOutput::Each => key.end.clone(),
            KleeneOutput::Maximal => None,
        };
        let nothing_fires = Left { choices: chosen(&stays), end: key.end.clone() };
        let any_fires = Left { choices: chosen(&stays), end: extended.clone() };
        let other_fires = Left { choices: chosen(&is_any), end: extended };
        let case = |left: &Left, unless: &[u32], formula: &Formula| Case {
            left: left.clone(),
            unless: unless.into(),
            formula: formula.clone(),
        };
        let (all, some) = firing(&|_| true);
        let (others, some_other) = firing(&|choice| !is_any(choice));
        let (anys, some_any) = firing(&is_any);
        if anys.is_empty() || any_fires == nothing_fires {
            if others.is_empty() || other_fires == nothing_fires {
                return vec![case(&nothing_fires, &[], &Formula::True)];
            }
            return vec![
                case(&nothing_fires, &others, &Formula::True),
                case(&other_fires, &[], &some_other),
            ];
        }
        let mut cases = vec![case(&nothing_fires, &all, &Formula::True)];
        if others.is_empty() || any_fires == other_fires {
            cases.push(case(&any_fires, &[], &some));
        } else {
            cases.push(case(&any_fires, &others, &some_any));
            cases.push(case(&other_fires, &[], &some_other));
        }
        cases
    }

    /// Splits by the negations that an event may satisfy.
    fn closing(
        &mut self,
        left: Left,
        formula: Formula,
        unless: &[u32],
        known: &mut Closing,
        out: &mut Vec<Ignore>,
    ) -> Result<(), Error> {
        let Some(guard) = self.undecided(&left, known) else {
            let target = self.ignored(left.choices, left.end)?;
            if target != NOWHERE {
                self.count(1 + known.decided.len())?;
                out.push(Ignore { formula, unless: unless.into(), target });
            }
            return Ok(());
        };
        let test = self.conditions.guards[guard as usize].test;
        let occurs = self.conditions.formula(&self.conditions.tests[test as usize]);
        let closed = self.without(&left, test);
        if !closed.choices.is_empty() || closed.end.is_some() {
            let event_type = self.type_of(guard).to_owned();
            let before = known.event_type.replace(event_type);
            known.decided.push(test);
            self.closing(closed, formula.clone().and(occurs.clone()), unless, known, out)?;
            known.decided.pop();
            known.event_type = before;
        }
        known.decided.push(test);
        self.closing(left, formula.and(occurs.negated()), unless, known, out)?;
        known.decided.pop();
        Ok(())
    }

    fn type_of(&self, guard: u32) -> &str {
        let variable = self.conditions.guards[guard as usize].variable;
        &self.conditions.tree.variable(variable).event_type().text
    }

    /// A negation of which it is not known whether the event satisfies it.
    fn undecided(&self, left: &Left, known: &Closing) -> Option<u32> {
        let of_choices =
            left.choices.iter().flat_map(|choice| &self.choices.all[*choice as usize].guards);
        let of_end = left.end.iter().flat_map(|end| &end.guards);
        of_choices.chain(of_end).copied().find(|&guard| {
            let test = self.conditions.guards[guard as usize].test;
            // An event has one type.
            let possible = known.event_type.as_deref().is_none_or(|of| of == self.type_of(guard));
            possible && !known.decided.contains(&test)
        })
    }

    /// What is left once a negation is satisfied.
    fn without(&self, left: &Left, test: u32) -> Left {
        let guarded = |guards: &[u32]| {
            guards.iter().any(|&guard| self.conditions.guards[guard as usize].test == test)
        };
        let open = |choice: &u32| !guarded(&self.choices.all[*choice as usize].guards);
        Left {
            choices: left.choices.iter().copied().filter(open).collect(),
            end: left.end.clone().filter(|end| !guarded(&end.guards)),
        }
    }
}

/// What is known of the event while its ignore edges are made.
#[derive(Default)]
struct Closing {
    decided: Vec<u32>,
    event_type: Option<String>,
}
