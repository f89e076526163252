//! What becomes of runs with an event.

use super::part::Open;
use super::reads::Held;
use crate::event::Event;
use crate::nfa::kinds::Kind;
use crate::nfa::program::{Finish, Move, NOWHERE};
use crate::predicate::evaluate::Range;
use crate::runtime::context::Context;
use crate::runtime::evaluator::Arrival;
use crate::runtime::runs::tree::Tree;

/// What becomes of a run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fate {
    /// It waits on.
    Stays,
    /// It takes the event for a stage and waits for something else.
    Goes {
        target: u32,
        stage: u32,
    },
    Ends,
    /// That depends on more: the decisions go on there.
    Open(u32),
}

impl Fate {
    /// Of a run that takes the event for a stage and goes to a wait.
    pub(super) fn of(target: u32, stage: u32) -> Fate {
        if target == NOWHERE { Fate::Ends } else { Fate::Goes { target, stage } }
    }
}

/// What the event at hand alone says of the runs in a wait.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) wait: u32,
    /// Where the decisions go on that depend on the run.
    pub(super) node: u32,
    /// The integers for which the first of these holds, if one decides it; and what becomes of a run
    /// for which it does not, and does, once that has been asked for.
    pub(super) range: Option<Range>,
    pub(super) fates: [Option<Fate>; 2],
    /// Which of these are known to be that the run waits on.
    pub(super) stays: [bool; 2],
}

impl Shared {
    /// The runs of a node wait on, which an integer decides.
    #[inline]
    pub(super) fn stays(&self, open: &Open) -> bool {
        match (&self.range, &open.held) {
            (Some(range), Held::Integer(integer)) if open.wait == self.wait => {
                self.stays[usize::from(range.holds(*integer))]
            }
            _ => false,
        }
    }
}

/// Walks down as far as conditions on the event alone lead.
#[inline]
pub(super) fn walk_event<E: Event>(
    tree: &mut Tree,
    kind: Kind,
    arrival: &Arrival<'_, E>,
    cx: &mut Context<'_, E>,
) -> u32 {
    if let Some(known) = tree.known(kind) {
        return known;
    }
    let conditions = &cx.automaton.conditions;
    tree.walk_event(conditions, kind, |number| cx.holds(number, arrival))
}

/// What becomes of a run that makes a move which asks what it holds then.
pub(super) fn held<E: Event>(m: &Move, arrival: &Arrival<'_, E>, cx: &mut Context<'_, E>) -> Fate {
    let open = match &m.finish {
        Finish::Hold { formula, otherwise } => {
            (!formula.open(&mut |number| cx.holds(number, arrival))).then_some(*otherwise)
        }
        _ => None,
    };
    Fate::of(open.unwrap_or(m.target), m.stage)
}
