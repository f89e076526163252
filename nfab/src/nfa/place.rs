//! Where an element stands while it is compiled, and what that makes of its contiguity.

use crate::pattern::{Connector, Element, Inner};

/// How events between are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Contiguity {
    Strict,
    Relaxed,
    Any,
}

impl From<Connector> for Contiguity {
    fn from(connector: Connector) -> Self {
        match connector {
            Connector::FollowedBy => Contiguity::Relaxed,
            Connector::FollowedByAny => Contiguity::Any,
            _ => Contiguity::Strict,
        }
    }
}

impl From<Inner> for Contiguity {
    fn from(inner: Inner) -> Self {
        match inner {
            Inner::Consecutive => Contiguity::Strict,
            Inner::Relaxed => Contiguity::Relaxed,
            Inner::Combinations => Contiguity::Any,
        }
    }
}

/// The sequence in which an element stands.
#[derive(Clone, Copy)]
pub(super) struct Scope<'p> {
    pub(super) elements: &'p [Element],
    /// For a group: how its head is entered.
    pub(super) head: Option<Head>,
    /// What follows the sequence.
    pub(super) after: Option<&'p Element>,
}

/// How the first element of a group is entered.
#[derive(Clone, Copy)]
pub(super) struct Head {
    /// In this copy of the group.
    pub(super) entry: Contiguity,
    /// In the next iteration.
    pub(super) between: Contiguity,
    /// A proceed edge leads past the whole group.
    pub(super) skippable: bool,
}

/// An element in its sequence.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) scope: Scope<'p>,
    pub(super) index: usize,
}

impl<'p> Place<'p> {
    pub(super) fn element(&self) -> &'p Element {
        &self.scope.elements[self.index]
    }

    pub(super) fn following(&self) -> Option<&'p Element> {
        self.scope.elements.get(self.index + 1).or(self.scope.after)
    }

    /// The `not_followed_by` stages that still apply when the element is entered.
    pub(super) fn negations(&self) -> Vec<&'p Element> {
        (self.scope.elements[..self.index].iter().rev())
            .take_while(|e| e.quantifier.optional || e.connector == Connector::NotFollowedBy)
            .filter(|e| e.connector == Connector::NotFollowedBy)
            .collect()
    }

    pub(super) fn entry(&self) -> Contiguity {
        match self.scope.head {
            Some(head) if self.index == 0 => head.entry,
            _ => self.element().connector.into(),
        }
    }

    /// It heads a group that may be left out at this point.
    pub(super) fn heads_skippable(&self) -> bool {
        self.index == 0 && self.scope.head.is_some_and(|head| head.skippable)
    }

    pub(super) fn between(&self) -> Contiguity {
        match self.scope.head {
            Some(head) if self.index == 0 => head.between,
            _ => self.element().quantifier.inner.into(),
        }
    }
}
