//! Events told apart by their types: what a type alone decides is decided before any event comes.

use super::program::{Ignore, Program, Wait};
use super::{Condition, Formula};
use crate::event::TypeId;
use crate::predicate::evaluate::Test;

/// The type of an event, and its class: all types that no condition asks for are one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub(crate) of: TypeId,
    pub(crate) class: usize,
}

/// So many waits have a bit of their own.
const BITS: usize = u64::BITS as usize;

/// The bit of a wait.
#[inline]
pub(crate) fn bit(wait: u32) -> u64 {
    1 << (wait as usize % BITS)
}

/// What the type of an event says of conditions.
pub(crate) fn by_type(
    conditions: &[Condition],
    of: TypeId,
) -> impl FnMut(u32) -> Option<bool> + use<'_> {
    move |number| match conditions[number as usize].test {
        Test::TypeIs(wanted) => Some(wanted == of),
        _ => None,
    }
}

/// Whether the runs in a wait, which is number `own`, surely stay as they are. `value` gives what is
/// known of its formulas.
pub(crate) fn stays(
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

/// What the types of events decide.
#[derive(Debug)]
pub(crate) struct Kinds {
    /// For each type its class; types beyond the end are of class 0.
    classes: Box<[u32]>,
    /// A type of each class.
    types: Box<[TypeId]>,
    /// For each class the waits in which such an event may change something, in bits, and whether a
    /// run may begin with it.
    concerned: Box<[(u64, bool)]>,
}

impl Kinds {
    pub(crate) fn new(program: &Program, conditions: &[Condition]) -> Kinds {
        let types = conditions.iter().filter_map(|condition| match condition.test {
            Test::TypeIs(id) => Some(id),
            _ => None,
        });
        let mut types: Vec<TypeId> = types.collect();
        types.sort_unstable();
        types.dedup();
        let mut classes = vec![0; types.last().map_or(0, |last| last.0 as usize + 1)];
        for (class, id) in (1..).zip(&types) {
            classes[id.0 as usize] = class;
        }
        let other = (0..).map(TypeId).find(|id| !types.contains(id)).unwrap_or(TypeId(u32::MAX));
        types.insert(0, other);
        let concerned = types.iter().map(|&of| {
            let mut known = by_type(conditions, of);
            let mut value = |formula: &Formula| formula.value(&mut known);
            let start = program.waits.get(program.start as usize);
            let begins = start
                .is_some_and(|start| start.moves.iter().any(|m| value(&m.formula) != Some(false)));
            if program.waits.len() > BITS {
                // No bit tells enough.
                return (u64::MAX, begins);
            }
            let waits = (0..).zip(&program.waits).fold(0, |concerned, (own, wait)| {
                concerned | if stays(wait, own, &mut value) { 0 } else { bit(own) }
            });
            (waits, begins)
        });
        Kinds { concerned: concerned.collect(), classes: classes.into(), types: types.into() }
    }

    /// The class of a type.
    #[inline]
    pub(crate) fn class(&self, of: TypeId) -> usize {
        self.classes.get(of.0 as usize).map_or(0, |&class| class as usize)
    }

    #[inline]
    pub(crate) fn kind(&self, of: TypeId) -> Kind {
        Kind { of, class: self.class(of) }
    }

    /// A type of each class; the first stands for those that no condition asks for.
    pub(crate) fn types(&self) -> &[TypeId] {
        &self.types
    }

    /// The waits in which an event of a kind may change something: of some, in bits.
    #[inline]
    pub(crate) fn among(&self, kind: Kind, waits: u64) -> u64 {
        self.concerned[kind.class].0 & waits
    }

    /// Whether an event of a kind may change something in a wait.
    #[inline]
    pub(crate) fn concerns(&self, kind: Kind, wait: u32) -> bool {
        self.concerned[kind.class].0 & bit(wait) != 0
    }

    /// Whether an event of a kind may change anything.
    #[inline]
    pub(crate) fn matters(&self, kind: Kind) -> bool {
        self.concerned[kind.class] != (0, false)
    }

    /// Whether a run may begin with an event of a kind.
    #[inline]
    pub(crate) fn begins(&self, kind: Kind) -> bool {
        self.concerned[kind.class].1
    }

    /// Whether an event of a type changes nothing where runs are in some waits only, in bits.
    #[inline]
    pub(crate) fn changes_nothing(&self, of: TypeId, waits: u64) -> bool {
        let (concerned, begins) = self.concerned[self.class(of)];
        !begins && concerned & waits == 0
    }
}
