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

/// Index of a state.
pub(crate) type StateId = u32;

/// States from here on live on the transient stack.
const TRANSIENT: u32 = 1 << 31;

/// A state of the table.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Nodes that the element may match, descending: children before their parents.
    pub matched: Box<[u32]>,
    /// Descendant-axis nodes that its descendants may match, ascending.
    enabled: Box<[u32]>,
}

impl State {
    /// Nothing can match below.
    fn dead(&self) -> bool {
        self.matched.is_empty() && self.enabled.is_empty()
    }
}

/// What makes a state: its two sets.
type StateKey = (Box<[u32]>, Box<[u32]>);

/// The table.
#[derive(Clone, Debug)]
pub(crate) struct LazyTable {
    states: Vec<State>,
    dead: Vec<bool>,
    /// `rows[state * stride + class]`, [`NONE`] = not yet computed.
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
    pub(crate) const START: StateId = 0;

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
            dead: Vec::new(),
            rows: Vec::new(),
            stride: 8,
            index: HashMap::new(),
            transient: Vec::new(),
            limit: if remember { limit.max(1) } else { 1 },
            roots,
            built: 0,
        };
        table.remember(start);
        table
    }

    /// States that were built.
    pub(crate) fn built(&self) -> usize {
        self.built
    }

    fn remember(&mut self, state: State) -> StateId {
        let id = self.states.len() as u32;
        self.dead.push(state.dead());
        self.states.push(state);
        self.rows.resize(self.states.len() * self.stride, NONE);
        self.built += 1;
        id
    }

    /// The nodes that an element in this state may match, descending.
    #[inline]
    pub(crate) fn matched(&self, state: StateId) -> &[u32] {
        if state < TRANSIENT {
            &self.states[state as usize].matched
        } else {
            &self.transient[(state - TRANSIENT) as usize].matched
        }
    }

    /// Whether nothing can match at or below an element in this state.
    #[inline]
    pub(crate) fn is_dead(&self, state: StateId) -> bool {
        if state < TRANSIENT {
            self.dead[state as usize]
        } else {
            self.transient[(state - TRANSIENT) as usize].dead()
        }
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
        if state < TRANSIENT && (class as usize) < self.stride {
            let next = self.rows[state as usize * self.stride + class as usize];
            if next != NONE {
                return next;
            }
        }
        self.compute(state, class, compiled, classes)
    }

    #[cold]
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
        let from = if state < TRANSIENT {
            &self.states[state as usize]
        } else {
            &self.transient[(state - TRANSIENT) as usize]
        };
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
                    self.transient.push(new);
                    self.built += 1;
                    return TRANSIENT + (self.transient.len() - 1) as u32;
                }
                let id = self.remember(new);
                self.index.insert(key, id);
                id
            }
        };
        if state < TRANSIENT {
            self.rows[state as usize * self.stride + class as usize] = id;
        }
        id
    }

    /// The element in this state is closed; states that were not remembered go with it.
    #[inline]
    pub(crate) fn leave(&mut self, state: StateId) {
        if state >= TRANSIENT {
            self.transient.pop();
        }
    }

    fn widen(&mut self) {
        let old = self.stride;
        self.stride *= 2;
        let mut rows = vec![NONE; self.states.len() * self.stride];
        for (s, row) in self.rows.chunks_exact(old).enumerate() {
            rows[s * self.stride..][..old].copy_from_slice(row);
        }
        self.rows = rows;
    }
}
