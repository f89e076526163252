//! What is known of a formula before all of its conditions are: by the type of an event, or by the
//! event alone.

use crate::event::TypeId;
use crate::nfa::program::{Ignore, Program, Wait};
use crate::nfa::{Condition, Formula};
use crate::predicate::evaluate::Test;

/// Whether a formula holds, if that follows from the conditions that are known.
pub(super) fn value(
    formula: &Formula,
    known: &mut impl FnMut(u32) -> Option<bool>,
) -> Option<bool> {
    match formula {
        Formula::True => Some(true),
        Formula::Holds(number) => known(*number),
        Formula::Not(inner) => value(inner, known).map(|holds| !holds),
        Formula::And(a, b) => match value(a, known) {
            Some(false) => Some(false),
            a => match (a, value(b, known)) {
                (_, Some(false)) => Some(false),
                (Some(true), b) => b,
                _ => None,
            },
        },
    }
}

/// Whether the runs in a wait, which is number `own`, surely stay as they are. `value` gives what is
/// known of its formulas.
pub(super) fn stays(
    wait: &Wait,
    own: u32,
    mut value: impl FnMut(&Formula) -> Option<bool>,
) -> bool {
    let stays = |ignore: &Ignore| ignore.target == own;
    wait.moves.iter().all(|m| value(&m.formula) == Some(false))
        && wait.stops.iter().all(|formula| value(formula) == Some(false))
        && (wait.ignores.iter()).all(|i| stays(i) || value(&i.formula) == Some(false))
        && wait.ignores.iter().any(|i| stays(i) && value(&i.formula) == Some(true))
}

/// So many waits have a bit of their own.
const BITS: usize = u64::BITS as usize;

/// The bit of a wait.
pub(super) fn bit(wait: u32) -> u64 {
    1 << (wait as usize % BITS)
}

/// What the types of events decide. All types that no condition asks for are one.
#[derive(Debug)]
pub(super) struct Kinds {
    /// For each type its class; types beyond the end are of the first one.
    classes: Box<[u32]>,
    /// For each class the bits of the waits in which such an event changes nothing, unless it may
    /// begin a match.
    idle: Box<[Option<u64>]>,
}

impl Kinds {
    pub(super) fn new(program: &Program, conditions: &[Condition]) -> Self {
        let types = conditions.iter().filter_map(|condition| match condition.test {
            Test::TypeIs(of) => Some(of),
            _ => None,
        });
        let mut types: Vec<TypeId> = types.collect();
        types.sort_unstable();
        types.dedup();
        let mut classes = vec![0; types.last().map_or(0, |last| last.0 as usize + 1)];
        for (class, of) in (1..).zip(&types) {
            classes[of.0 as usize] = class;
        }
        let idle = |of: Option<TypeId>| {
            let mut value = |formula: &Formula| {
                value(formula, &mut |number| match conditions[number as usize].test {
                    Test::TypeIs(wanted) => Some(Some(wanted) == of),
                    _ => None,
                })
            };
            let start = &program.waits[program.start as usize];
            if start.moves.iter().any(|m| value(&m.formula) != Some(false)) {
                return None;
            }
            // With more waits no bit tells enough.
            let waits = (0..).zip(&program.waits).filter(|_| program.waits.len() <= BITS);
            Some(waits.fold(0, |idle, (own, wait)| {
                idle | if stays(wait, own, &mut value) { bit(own) } else { 0 }
            }))
        };
        let idle = std::iter::once(None).chain(types.iter().copied().map(Some)).map(idle);
        Kinds { idle: idle.collect(), classes: classes.into() }
    }

    /// The class of a type.
    #[inline]
    pub(super) fn class(&self, of: TypeId) -> usize {
        self.classes.get(of.0 as usize).map_or(0, |&class| class as usize)
    }

    /// A type of each class; `None` for those that no condition asks for.
    pub(super) fn types(&self) -> Vec<Option<TypeId>> {
        let mut types = vec![None; self.idle.len()];
        for (of, &class) in (0..).zip(&self.classes) {
            if class > 0 {
                types[class as usize] = Some(TypeId(of));
            }
        }
        types
    }

    /// Whether an event of a type changes nothing where runs are in some waits only.
    #[inline]
    pub(super) fn changes_nothing(&self, of: TypeId, waits: u64) -> bool {
        self.idle[self.class(of)].is_some_and(|idle| waits & !idle == 0)
    }
}
