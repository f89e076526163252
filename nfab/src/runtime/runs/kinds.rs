//! Events told apart by their types: what a type alone decides is decided before any event comes.

use super::tree::Tree;
use crate::event::TypeId;
use crate::nfa::Automaton;
use crate::nfa::classes::Classes;

/// The type of an event, and its class: all types that no condition asks for are one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub(super) of: TypeId,
    pub(super) class: usize,
}

/// The kinds of events, and which waits each may concern.
#[derive(Debug)]
pub(super) struct Kinds {
    classes: Classes,
    /// For each class the waits in which it may change something, in bits, and whether a run may
    /// begin with it.
    concerned: Box<[(u64, bool)]>,
}

/// So many waits have a bit of their own; more are told apart by nothing.
const BITS: usize = u64::BITS as usize;

impl Kinds {
    pub(super) fn new(automaton: &Automaton) -> Kinds {
        let (program, conditions) = (&automaton.program, &automaton.conditions);
        let classes = Classes::new(conditions);
        // Of more waits it would take long to find out.
        let few = if program.waits.len() > BITS { &[] } else { program.waits.as_slice() };
        let tree = |(at, wait)| Tree::new(wait, at, false, conditions.len());
        let mut trees: Vec<Tree> = (0..).zip(few).map(tree).collect();
        let start = &program.waits[program.start as usize];
        let mut begin = Tree::new(start, program.start, true, conditions.len());
        let concerned = classes.types().iter().map(|&of| {
            let mut waits = if trees.is_empty() { u64::MAX } else { 0 };
            for (at, tree) in trees.iter_mut().enumerate() {
                waits |= u64::from(!tree.ignores(conditions, of)) << at;
            }
            (waits, !begin.ignores(conditions, of))
        });
        Kinds { concerned: concerned.collect(), classes }
    }

    #[inline]
    pub(super) fn kind(&self, of: TypeId) -> Kind {
        Kind { of, class: self.classes.class(of) }
    }

    /// The waits in which an event of a kind may change something: of some, in bits.
    #[inline]
    pub(super) fn among(&self, kind: Kind, waits: u64) -> u64 {
        self.concerned[kind.class].0 & waits
    }

    /// Whether an event of a kind may change something in a wait.
    #[inline]
    pub(super) fn concerns(&self, kind: Kind, wait: u32) -> bool {
        wait as usize >= BITS || self.concerned[kind.class].0 >> wait & 1 == 1
    }

    /// Whether a run may begin with an event of a kind.
    #[inline]
    pub(super) fn begins(&self, kind: Kind) -> bool {
        self.concerned[kind.class].1
    }

    /// Whether an event of a kind may change something in one of these waits, or begin a run.
    #[inline]
    pub(super) fn matters(&self, kind: Kind, waits: u64) -> bool {
        let (concerned, begins) = self.concerned[kind.class];
        begins || concerned & waits != 0
    }
}
