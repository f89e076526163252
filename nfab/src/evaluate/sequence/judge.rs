//! Which programs are sequences of single events, and which stages an event enters.

use crate::event::{Event, Slot, TypeId};
use crate::nfa::kinds::{Kinds, by_type};
use crate::nfa::program::{Finish, NOWHERE, Wait};
use crate::nfa::{Automaton, Condition, Formula};
use crate::predicate::evaluate::{Range, Test};
use crate::value::ValueRef;

/// So many stages have a bit each.
const MOST_STAGES: usize = u64::BITS as usize - 1;

/// What happens between two stages to an event that is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::evaluate) struct Gap {
    /// It is ignored; else partial matches end.
    pub(in crate::evaluate) skips: bool,
    /// An event of another partition is.
    pub(in crate::evaluate) foreign_skips: bool,
}

/// A stage, with the gap behind it.
#[derive(Debug)]
pub(in crate::evaluate) struct Stage {
    pub(in crate::evaluate) number: u32,
    pub(in crate::evaluate) formula: Formula,
    pub(in crate::evaluate) gap: Gap,
}

/// The stages of a program that is a sequence.
pub(super) fn stages(automaton: &Automaton) -> Option<Vec<Stage>> {
    let program = &automaton.program;
    let mut stages = Vec::new();
    let mut wait: &Wait = program.waits.get(program.start as usize)?;
    loop {
        let [m] = wait.moves.as_slice() else { return None };
        let plain = wait.stops.is_empty() && wait.gap.is_none() && !wait.holds_match;
        if !plain || stages.len() == MOST_STAGES {
            return None;
        }
        let mut gap = Gap { skips: true, foreign_skips: true };
        match &m.finish {
            Finish::Emit { formula: Formula::True, .. } if m.target == NOWHERE => {
                stages.push(Stage { number: m.stage, formula: m.formula.clone(), gap });
                return Some(stages);
            }
            Finish::No if m.target != NOWHERE => {}
            _ => return None,
        }
        let next = program.waits.get(m.target as usize)?;
        let mut ignores = next.ignores.iter().filter(|ignore| ignore.target != NOWHERE);
        gap.skips = match (ignores.next(), ignores.next()) {
            (None, _) => false,
            (Some(ignore), None) => {
                // What is not taken, and nothing else, is ignored.
                let [taken] = next.moves.as_slice() else { return None };
                let others = match ignore.formula {
                    Formula::True => *ignore.unless == [0],
                    _ => ignore.formula == taken.formula.clone().negated(),
                };
                if !others || ignore.target != m.target {
                    return None;
                }
                true
            }
            _ => return None,
        };
        gap.foreign_skips = next.foreign == m.target;
        if !gap.foreign_skips && next.foreign != NOWHERE {
            return None;
        }
        stages.push(Stage { number: m.stage, formula: m.formula.clone(), gap });
        wait = next;
    }
}

/// Splits a formula: what is said of the event alone, and the conditions that look back, all of which
/// are to hold, too.
pub(super) fn split(formula: &Formula, conditions: &[Condition]) -> Option<(Formula, Vec<u32>)> {
    fn is_unary(formula: &Formula, conditions: &[Condition]) -> bool {
        match formula {
            Formula::True => true,
            Formula::Holds(number) => conditions[*number as usize].unary,
            Formula::Not(inner) => is_unary(inner, conditions),
            Formula::And(a, b) => is_unary(a, conditions) && is_unary(b, conditions),
        }
    }
    match formula {
        _ if is_unary(formula, conditions) => Some((formula.clone(), Vec::new())),
        Formula::Holds(number) => Some((Formula::True, vec![*number])),
        Formula::And(a, b) => {
            let ((one, mut back), (other, more)) = (split(a, conditions)?, split(b, conditions)?);
            back.extend(more);
            Some((one.and(other), back))
        }
        Formula::True | Formula::Not(_) => None,
    }
}

/// What decides a condition beside the type of the event: attributes that are to be in ranges.
#[derive(Debug)]
struct Ranges {
    slot: Slot,
    range: Range,
    more: Vec<(Slot, Range)>,
}

/// Whether an attribute is in a range, and whether it is an integer.
#[inline]
fn inside<E: Event>(event: &E, slot: Slot, range: Range) -> (bool, bool) {
    match event.attribute(slot) {
        ValueRef::Int(value) => (range.holds(value), true),
        _ => (false, false),
    }
}

/// Ranges of integers that decide a formula beside the type, if that is all.
fn ranges(formula: &Formula, conditions: &[Condition]) -> Option<Vec<(Slot, Range)>> {
    fn gather(
        formula: &Formula,
        conditions: &[Condition],
        into: &mut Vec<(Slot, Range)>,
    ) -> Option<()> {
        match formula {
            Formula::True => Some(()),
            Formula::Not(_) => None,
            Formula::And(a, b) => {
                gather(a, conditions, into)?;
                gather(b, conditions, into)
            }
            Formula::Holds(number) => match &conditions[*number as usize].test {
                Test::TypeIs(_) => Some(()),
                test => {
                    into.push(test.attribute_range()?);
                    Some(())
                }
            },
        }
    }
    let mut all = Vec::new();
    gather(formula, conditions, &mut all)?;
    (!all.is_empty()).then_some(all)
}

/// What an event says of the stages, in bits.
#[derive(Clone, Copy, Debug)]
pub(in crate::evaluate) struct Verdict {
    /// The stages that it surely enters.
    pub(in crate::evaluate) holds: u64,
    /// The stages of which only the formula tells.
    pub(in crate::evaluate) open: u64,
}

/// Decides which stages an event enters.
#[derive(Debug)]
pub(in crate::evaluate) struct Judge {
    kinds: Kinds,
    /// For each class of events the stages, in bits, whose condition may hold, and those of which it
    /// surely does.
    masks: Box<[(u64, u64)]>,
    formulas: Box<[Formula]>,
    /// For each stage of `ranged` what decides its condition if the attributes are integers.
    ranges: Box<[Ranges]>,
    /// The stages whose conditions are ranges, in bits.
    ranged: u64,
}

impl Judge {
    pub(in crate::evaluate) fn new(automaton: &Automaton, stages: Vec<Stage>) -> Judge {
        let conditions = &automaton.conditions;
        let kinds = Kinds::new(&automaton.program, conditions);
        let masks = kinds.types().iter().map(|&of| {
            let mut known = by_type(conditions, of);
            let mut of = |wanted: &dyn Fn(Option<bool>) -> bool| {
                let values = (0..).zip(&stages).map(|(bit, s)| (bit, s.formula.value(&mut known)));
                values
                    .filter(|(_, value)| wanted(*value))
                    .fold(0, |mask, (bit, _)| mask | 1u64 << bit)
            };
            (of(&|value| value != Some(false)), of(&|value| value == Some(true)))
        });
        let masks = masks.collect();
        let mut ranged = 0;
        let ranges = stages.iter().enumerate().map(|(at, stage)| {
            let mut all = ranges(&stage.formula, conditions).unwrap_or_default();
            ranged |= u64::from(!all.is_empty()) << at;
            let (slot, range) = all.pop().unwrap_or((Slot(0), Range::ALL));
            Ranges { slot, range, more: all }
        });
        let ranges = ranges.collect();
        let formulas = stages.into_iter().map(|stage| stage.formula).collect();
        Judge { kinds, masks, formulas, ranges, ranged }
    }

    /// The formula of a stage.
    pub(in crate::evaluate) fn formula(&self, stage: u32) -> &Formula {
        &self.formulas[stage as usize]
    }

    /// Of some stages those, in bits, that an event may enter by its type.
    #[inline(always)]
    pub(in crate::evaluate) fn possible(&self, asked: u64, of: TypeId) -> u64 {
        self.masks[self.kinds.class(of)].0 & asked
    }

    /// What an event says of some stages.
    #[inline]
    pub(in crate::evaluate) fn judge<E: Event>(&self, asked: u64, event: &E) -> Verdict {
        let (possible, sure) = self.masks[self.kinds.class(event.event_type())];
        let holds = asked & sure;
        let open = asked & possible & !sure;
        if self.ranged == 0 {
            return Verdict { holds, open };
        }
        self.judge_ranges(asked, possible, Verdict { holds, open: open & !self.ranged }, event)
    }

    /// Decides the stages whose conditions are ranges, of some. Without branches that depend on
    /// values: nobody can predict them.
    fn judge_ranges<E: Event>(
        &self,
        asked: u64,
        possible: u64,
        Verdict { mut holds, mut open }: Verdict,
        event: &E,
    ) -> Verdict {
        let mut ask = asked & self.ranged;
        while ask != 0 {
            let bit = ask.trailing_zeros();
            ask &= ask - 1;
            let Ranges { slot, range, more } = &self.ranges[bit as usize];
            let (mut inside, mut known) = inside(event, *slot, *range);
            for &(slot, range) in more {
                let other = self::inside(event, slot, range);
                (inside, known) = (inside & other.0, known & other.1);
            }
            holds |= u64::from(inside & known) << bit & possible;
            open |= u64::from(!known) << bit & possible;
        }
        Verdict { holds, open }
    }
}
