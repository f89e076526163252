//! What runs execute: the automaton with its proceed edges resolved.
//!
//! A run waits in a [`Wait`]. An event makes it follow every [`Move`] whose formula holds (begin and
//! take edges, the proceed edges on the way included) and every open [`Ignore`]; without any it ends.
//! The paper's states and edges, for people, are in [`Automaton::states`](super::Automaton::states).

use super::{Condition, EdgeKind, Formula};
use crate::event::{Slot, TypeId};
use crate::predicate::evaluate::Test;

/// A target: there is nothing to wait for any more.
pub(crate) const NOWHERE: u32 = u32::MAX;
/// A target of ignoring: the run is complete.
pub(crate) const COMPLETE: u32 = u32::MAX - 1;

/// The automaton as it runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) waits: Vec<Wait>,
    /// The wait of the run that has not started; it never ignores, it just stays.
    pub(crate) start: u32,
    pub(crate) window: Window,
    /// The partition key; empty without one.
    pub(crate) key: Vec<Slot>,
    /// Negations that are judged on complete matches (S5).
    pub(crate) filters: Vec<Filter>,
    /// A run that was a match does not time out (S13).
    pub(crate) matched_is_no_timeout: bool,
}

impl Program {
    /// The types of the events with which a match may begin, if the formulas of the start tell.
    pub(crate) fn begins(&self, conditions: &[Condition]) -> Option<Box<[TypeId]>> {
        fn of(formula: &Formula, conditions: &[Condition]) -> Option<TypeId> {
            match formula {
                Formula::Holds(number) => match conditions[*number as usize].test {
                    Test::TypeIs(id) => Some(id),
                    _ => None,
                },
                Formula::And(a, b) => of(a, conditions).or_else(|| of(b, conditions)),
                Formula::True | Formula::Not(_) => None,
            }
        }
        let start = self.waits.get(self.start as usize)?;
        start.moves.iter().map(|begin| of(&begin.formula, conditions)).collect()
    }
}

/// How far a match may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Window {
    #[default]
    None,
    /// `last - first < length`, or `<=` if inclusive.
    Time { length: i64, inclusive: bool },
    /// The numbers of the first and the last event differ by less.
    Events(u64),
}

/// What a run waits for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wait {
    /// The state of [`Automaton::states`](super::Automaton::states) that it stands for.
    pub(crate) state: u32,
    pub(crate) moves: Vec<Move>,
    pub(crate) ignores: Vec<Ignore>,
    /// The run ends with all that it became if one of them holds; matches are not taken back.
    pub(crate) stops: Vec<Formula>,
    /// The time to the run's last event is less than this.
    pub(crate) gap: Option<i64>,
    /// When the window passes, the run is a match.
    pub(crate) holds_match: bool,
    /// A run that comes to wait here by taking an event is a match already, but for the negations
    /// that are judged on complete ones: it does not time out (S13).
    pub(crate) is_match: bool,
    /// Where an event of the stream that is not of the run's partition leads: usually here;
    /// [`COMPLETE`] or [`NOWHERE`] as for ignoring.
    pub(crate) foreign: u32,
}

/// Keeping the event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Move {
    /// Begin or take.
    pub(crate) kind: EdgeKind,
    pub(crate) formula: Formula,
    pub(crate) stage: u32,
    /// Where the run waits then, or [`NOWHERE`].
    pub(crate) target: u32,
    /// Registers that a new round of a group empties, before the event is entered.
    pub(crate) resets: Box<[u32]>,
    pub(crate) finish: Finish,
}

/// Whether a move may end the pattern.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Finish {
    No,
    /// The run is a match if the formula holds; it waits in the target all the same.
    Emit {
        formula: Formula,
        sees: Sees,
    },
    /// If the formula holds with the event entered, the run goes to the target of the move, which
    /// holds the match until the window passes; else it goes to the other one.
    Hold {
        formula: Formula,
        otherwise: u32,
    },
}

/// The registers that the formula of an end sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sees {
    /// What the run held before the event (Flink).
    Before,
    /// With the event.
    After,
}

/// Passing over the event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ignore {
    pub(crate) formula: Formula,
    /// Open only if none of these moves, by their places, fires.
    pub(crate) unless: Box<[u32]>,
    /// Another wait, [`COMPLETE`], or [`NOWHERE`] (where the ignore edge is left out as well).
    pub(crate) target: u32,
}

/// A negation that is judged when the match is complete.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    /// The events to remember: conditions on the event alone.
    pub(crate) candidate: Formula,
    /// Whether a remembered event, as the event under test, refutes a match; registers are those of
    /// the complete run.
    pub(crate) refutes: Formula,
    /// The candidates lie after the last event of these stages. `None`: the negation begins the
    /// match; it is judged only if the match begins with one of the stages of `before`, and they
    /// lie in the window that ends with the last event of the match.
    pub(crate) after: Option<Box<[u32]>>,
    /// And before the first event of these stages. A match without any event of these, or of those
    /// of `after`, has nothing to judge.
    pub(crate) before: Box<[u32]>,
    /// Only the very next event of the stream after that event counts (`-> ~B b`).
    pub(crate) adjacent: bool,
}
