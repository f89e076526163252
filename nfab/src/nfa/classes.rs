//! Types of events in classes: those that no condition asks for are one.

use super::Condition;
use crate::event::TypeId;
use crate::predicate::evaluate::Test;

/// The class of each type.
#[derive(Debug)]
pub(crate) struct Classes {
    /// Types beyond the end are of class 0.
    of: Box<[u32]>,
    /// For each class one of its types.
    types: Box<[TypeId]>,
}

impl Classes {
    /// Those that some conditions tell apart.
    pub(crate) fn new(conditions: &[Condition]) -> Classes {
        let types = conditions.iter().filter_map(|condition| match condition.test {
            Test::TypeIs(id) => Some(id),
            _ => None,
        });
        let mut types: Vec<TypeId> = types.collect();
        types.sort_unstable();
        types.dedup();
        let beyond = types.last().map_or(0, |last| last.0 as usize + 1);
        let mut of = vec![0; beyond];
        for (class, id) in (1..).zip(&types) {
            of[id.0 as usize] = class;
        }
        let other = (0..).map(TypeId).find(|id| !types.contains(id)).unwrap_or(TypeId(u32::MAX));
        types.insert(0, other);
        Classes { of: of.into(), types: types.into() }
    }

    #[inline]
    pub(crate) fn class(&self, of: TypeId) -> usize {
        self.of.get(of.0 as usize).map_or(0, |&class| class as usize)
    }

    /// One type of each class in turn.
    pub(crate) fn types(&self) -> &[TypeId] {
        &self.types
    }
}

/// For each condition what the type of an event says of it.
pub(crate) fn known_of(of: TypeId, conditions: &[Condition], known: &mut [Option<bool>]) {
    for (known, condition) in known.iter_mut().zip(conditions) {
        *known = match condition.test {
            Test::TypeIs(id) => Some(id == of),
            _ => None,
        };
    }
}
