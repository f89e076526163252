//! The top-down part of the machine, determinised on demand: a state is the set of pattern nodes
//! that an element may match together with the descendant-axis nodes that some open ancestor has
//! enabled.
//!
//! Only names decide here; attribute tests are checked when the engine opens an instance, so the
//! set is an upper bound. At most `limit` states are remembered. Beyond that, states are computed
//! by set operations for each element and dropped when it closes.

use hashbrown::HashMap;

use super::compile::Compiled;
use super::symbols::Classes;
use crate::Mechanisms;
use crate::pattern::Axis;

/// Index of a state, with what the engine's hot path must know of it in the upper bits, so that it
/// need not look the state up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StateId(u32);

impl StateId {
    /// The element may match some node.
    const MATCHED: u32 = 1 << 31;
    /// Nothing can match at or below the element, and it may be skipped.
    const SKIP: u32 = 1 << 30;
    /// Some node that the element may match has regular branches.
    const REGULAR: u32 = 1 << 29;
    /// The engine looked at the element's start tag, so it has to look at its end tag. Not in the
    /// table: the engine sets it.
    const LOOKED: u32 = 1 << 28;
    /// The state lives on the transient stack. As part of the index it leads beyond all rows.
    const TRANSIENT: u32 = 1 << 27;
    const INDEX: u32 = Self::LOOKED - 1;
    /// Not yet computed; counts as watched, so that the hot path need not test for it.
    const UNKNOWN: StateId = StateId(u32::MAX);

    fn index(self) -> usize {
        (self.0 & Self::INDEX) as usize
    }

    fn is_transient(self) -> bool {
        self.0 & Self::TRANSIENT != 0
    }

    /// Whether the subtree of an element in this state may be skipped.
    #[inline]
    pub(crate) fn is_skipped(self) -> bool {
        self.0 & Self::SKIP != 0
    }

    /// Whether the engine must look at an element in this state, whose parent is in state `parent`,
    /// some run of which is `live`.
    #[inline]
    pub(crate) fn is_watched(self, parent: StateId, live: LiveRuns) -> bool {
        (self.0 & (Self::MATCHED | Self::TRANSIENT)) | (parent.0 & live.0) != 0
    }

    /// The same state, the element being looked at.
    pub(crate) fn looked(self) -> StateId {
        StateId(self.0 | Self::LOOKED)
    }

    #[inline]
    pub(crate) fn is_looked(self) -> bool {
        self.0 & Self::LOOKED != 0
    }
}

/// Whether children of the innermost element matter to its regular branches even if they match
/// nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LiveRuns(u32);

impl LiveRuns {
    pub(crate) fn new(live: bool) -> Self {
        LiveRuns(if live { StateId::REGULAR } else { 0 })
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

/// What makes a state: its two sets.
type StateKey = (Box<[u32]>, Box<[u32]>);

/// The table.
#[derive(Clone, Debug)]
pub(crate) struct LazyTable {
    states: Vec<State>,
    /// `rows[state * stride + class]`, an identifier or [`StateId::UNKNOWN`].
    rows: Vec<StateId>,
    stride: usize,
    index: HashMap<StateKey, StateId>,
    transient: Vec<State>,
    limit: usize,
    skipping: bool,
    roots: Vec<u32>,
    built: usize,
}

impl LazyTable {
    /// The start state: the document, whose children and descendants the roots may match.
    pub(crate) const START: StateId = StateId(0);

    pub(crate) fn new(compiled: &Compiled, limit: usize, mechanisms: Mechanisms) -> Self {
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
            limit: if mechanisms.lazy_automaton {
                limit.clamp(1, StateId::TRANSIENT as usize)
            } else {
                1
            },
            skipping: mechanisms.skipping,
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
        let id = self.id(self.states.len() as u32, &state, compiled);
        self.states.push(state);
        self.rows.resize(self.states.len() * self.stride, StateId::UNKNOWN);
        self.built += 1;
        id
    }

    /// The identifier of a state that is stored at `index`.
    fn id(&self, index: u32, state: &State, compiled: &Compiled) -> StateId {
        let mut id = index;
        if !state.matched.is_empty() {
            id |= StateId::MATCHED;
        } else if state.enabled.is_empty() && self.skipping {
            id |= StateId::SKIP;
        }
        if state.matched.iter().any(|&n| !compiled.nodes[n as usize].regulars.is_empty()) {
            id |= StateId::REGULAR;
        }
        StateId(id)
    }

    fn state(&self, id: StateId) -> &State {
        if id.is_transient() {
            &self.transient[(id.index() as u32 & !StateId::TRANSIENT) as usize]
        } else {
            &self.states[id.index()]
        }
    }

    /// The nodes that an element in this state may match, descending.
    pub(crate) fn matched(&self, id: StateId) -> &[u32] {
        &self.state(id).matched
    }

    /// The state of a child of the given class, if it is remembered.
    #[inline]
    pub(crate) fn known(&self, state: StateId, class: u32) -> StateId {
        if class as usize >= self.stride {
            return StateId::UNKNOWN;
        }
        let at = state.index() * self.stride + class as usize;
        self.rows.get(at).copied().unwrap_or(StateId::UNKNOWN)
    }

    /// The state of a child of the given class.
    pub(crate) fn next(
        &mut self,
        state: StateId,
        class: u32,
        compiled: &Compiled,
        classes: &Classes,
    ) -> StateId {
        match self.known(state, class) {
            StateId::UNKNOWN => self.compute(state, class, compiled, classes),
            known => known,
        }
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
                    let index = self.transient.len() as u32 | StateId::TRANSIENT;
                    let id = self.id(index, &new, compiled);
                    self.transient.push(new);
                    self.built += 1;
                    return id;
                }
                let id = self.remember(new, compiled);
                self.index.insert(key, id);
                id
            }
        };
        if !state.is_transient() {
            self.rows[state.index() * self.stride + class as usize] = id;
        }
        id
    }

    /// The element in this state is closed; states that were not remembered go with it.
    pub(crate) fn leave(&mut self, state: StateId) {
        if state.is_transient() {
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
