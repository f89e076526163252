//! The top-down part of the machine, determinised on demand (section 6 of the specification of the
//! engine): a state is the set of pattern nodes that an element may match together with the
//! descendant-axis nodes that some open ancestor has enabled.
//!
//! Only names decide here; attribute tests are checked when the engine opens an instance, so the
//! set is an upper bound. At most `limit` states are remembered. Beyond that, states are computed
//! by set operations for each element and dropped when it closes.

use hashbrown::HashMap;

use super::compile::{Compiled, NONE};
use super::symbols::Classes;
use crate::pattern::Axis;

/// Index of a state, with what the engine's hot path must know of it in the upper bits, so that it
/// need not look the state up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StateId(u32);

impl StateId {
    /// The state lives on the transient stack.
    const TRANSIENT: u32 = 1 << 31;
    /// The element may match some node.
    const MATCHED: u32 = 1 << 30;
    /// Nothing can match at or below the element.
    const DEAD: u32 = 1 << 29;
    /// Some node that the element may match has regular branches.
    const REGULAR: u32 = 1 << 28;
    const INDEX: u32 = Self::REGULAR - 1;
    /// Not yet computed.
    const UNKNOWN: u32 = NONE;

    fn index(self) -> usize {
        (self.0 & Self::INDEX) as usize
    }

    /// Whether nothing can match at or below an element in this state.
    #[inline]
    pub(crate) fn is_dead(self) -> bool {
        self.0 & Self::DEAD != 0
    }

    /// Whether the engine must look at an element in this state, whose parent is in state `parent`.
    #[inline]
    pub(crate) fn is_watched(self, parent: StateId) -> bool {
        (self.0 & (Self::MATCHED | Self::TRANSIENT)) | (parent.0 & Self::REGULAR) != 0
    }
}

/// A state of the table.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Nodes that the element may match, descending: children before their parents.
    pub matched: Box<[u32]>,
    /// Descendant-axis nodes that its descendants may match, ascending.
    enabled: Box<[u32]>,
}

impl State {
    /// The identifier of this state when it is stored at `index`.
    fn id(&self, index: usize, compiled: &Compiled) -> StateId {
        debug_assert!(index < StateId::INDEX as usize);
        let mut id = index as u32;
        if !self.matched.is_empty() {
            id |= StateId::MATCHED;
        } else if self.enabled.is_empty() {
            id |= StateId::DEAD;
        }
        if self.matched.iter().any(|&n| !compiled.nodes[n as usize].regulars.is_empty()) {
            id |= StateId::REGULAR;
        }
        StateId(id)
    }
}

/// What makes a state: its two sets.
type StateKey = (Box<[u32]>, Box<[u32]>);

/// The table.
#[derive(Clone, Debug)]
pub(crate) struct LazyTable {
    states: Vec<State>,
    /// `rows[state * stride + class]`, an identifier or [`StateId::UNKNOWN`].
    rows: Vec<u32>,
    stride: usize,
    index: HashMap<StateKey, StateId>,
    transient: Vec<State>,
    limit: usize,
    roots: Vec<u32>,
    built: usize,
}

impl LazyTable {
    /// The start state: the document, whose children and descendants the roots may match.
    pub(crate) const START: StateId = StateId(0);

    pub(crate) fn new(compiled: &Compiled, limit: usize, remember: bool) -> Self {
        let roots: Vec<u32> = compiled.queries.iter().map(|q| q.root).collect();
        let enabled = roots
            .iter()
            .copied()
            .filter(|&r| compiled.nodes[r as usize].axis == Axis::Descendant)
            .collect();
        let start = State { matched: Box::default(), enabled };
        let mut table = LazyTable {
            states: Vec::new(),
            rows: Vec::new(),
            stride: 8,
            index: HashMap::new(),
            transient: Vec::new(),
            limit: if remember { limit.max(1) } else { 1 },
            roots,
            built: 0,
        };
        table.remember(start, compiled);
        table
    }

    /// States that were built.
    pub(crate) fn built(&self) -> usize {
        self.built
    }

    fn remember(&mut self, state: State, compiled: &Compiled) -> StateId {
        let id = state.id(self.states.len(), compiled);
        self.states.push(state);
        self.rows.resize(self.states.len() * self.stride, StateId::UNKNOWN);
        self.built += 1;
        id
    }

    fn state(&self, id: StateId) -> &State {
        if id.0 & StateId::TRANSIENT == 0 {
            &self.states[id.index()]
        } else {
            &self.transient[id.index()]
        }
    }

    /// The nodes that an element in this state may match, descending.
    pub(crate) fn matched(&self, id: StateId) -> &[u32] {
        &self.state(id).matched
    }

    /// The state of a child of the given class.
    #[inline]
    pub(crate) fn next(
        &mut self,
        state: StateId,
        class: u32,
        compiled: &Compiled,
        classes: &Classes,
    ) -> StateId {
        if state.0 & StateId::TRANSIENT == 0 && (class as usize) < self.stride {
            let next = self.rows[state.index() * self.stride + class as usize];
            if next != StateId::UNKNOWN {
                return StateId(next);
            }
        }
        self.compute(state, class, compiled, classes)
    }

    #[cold]
    #[inline(never)]
    fn compute(
        &mut self,
        state: StateId,
        class: u32,
        compiled: &Compiled,
        classes: &Classes,
    ) -> StateId {
        while class as usize >= self.stride {
            self.widen();
        }
        let from = self.state(state);
        let hold = |n: u32| classes.holds(class, compiled.nodes[n as usize].test);
        let mut matched: Vec<u32> = Vec::new();
        if state == Self::START {
            let child = |r: &&u32| compiled.nodes[**r as usize].axis == Axis::Child;
            matched.extend(self.roots.iter().filter(child).copied().filter(|&n| hold(n)));
        }
        for &m in &from.matched {
            let kids = &compiled.nodes[m as usize].child_kids;
            matched.extend(kids.iter().copied().filter(|&n| hold(n)));
        }
        matched.extend(from.enabled.iter().copied().filter(|&n| hold(n)));
        matched.sort_unstable_by(|a, b| b.cmp(a));
        matched.dedup();
        let mut enabled = from.enabled.to_vec();
        for &m in &matched {
            enabled.extend(&compiled.nodes[m as usize].descendant_kids);
        }
        enabled.sort_unstable();
        enabled.dedup();
        let key = (matched.into_boxed_slice(), enabled.into_boxed_slice());
        let known = self.index.get(&key).copied();
        let id = match known {
            Some(id) => id,
            None => {
                let new = State { matched: key.0.clone(), enabled: key.1.clone() };
                if self.states.len() >= self.limit {
                    let id = new.id(self.transient.len(), compiled);
                    self.transient.push(new);
                    self.built += 1;
                    return StateId(id.0 | StateId::TRANSIENT);
                }
                let id = self.remember(new, compiled);
                self.index.insert(key, id);
                id
            }
        };
        if state.0 & StateId::TRANSIENT == 0 {
            self.rows[state.index() * self.stride + class as usize] = id.0;
        }
        id
    }

    /// The element in this state is closed; states that were not remembered go with it.
    pub(crate) fn leave(&mut self, state: StateId) {
        if state.0 & StateId::TRANSIENT != 0 {
            self.transient.pop();
        }
    }

    fn widen(&mut self) {
        let old = self.stride;
        self.stride *= 2;
        let mut rows = vec![StateId::UNKNOWN; self.states.len() * self.stride];
        for (s, row) in self.rows.chunks_exact(old).enumerate() {
            rows[s * self.stride..][..old].copy_from_slice(row);
        }
        self.rows = rows;
    }
}
