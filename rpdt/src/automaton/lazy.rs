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
    /// The engine has to look at the element's end tag. Not in the table: the engine sets it.
    const LOOKED: u32 = 1 << 28;
    /// Set in every state.
    const EVERY: u32 = 1 << 27;
    /// All nodes that the element may match are light, or there are none.
    const LIGHT: u32 = 1 << 26;
    /// The state lives on the transient stack. As part of the index it leads beyond all rows.
    const TRANSIENT: u32 = 1 << 25;
    const INDEX: u32 = Self::LIGHT - 1;
    /// Not yet computed; counts as watched, so that the hot path need not test for it.
    const UNKNOWN: StateId = StateId(u32::MAX);

    /// The number of a state of the table.
    #[inline(always)]
    pub(crate) fn number(self) -> usize {
        self.index()
    }

    #[inline(always)]
    fn index(self) -> usize {
        (self.0 & Self::INDEX) as usize
    }

    /// The state lives on the transient stack.
    pub(crate) fn is_transient(self) -> bool {
        self.0 & Self::TRANSIENT != 0
    }

    /// Whether the subtree of an element in this state may be skipped.
    #[inline]
    pub(crate) fn is_skipped(self) -> bool {
        self.0 & Self::SKIP != 0
    }

    /// Whether the engine must look at an element in this state, whose parent is in state `parent`.
    #[inline(always)]
    pub(crate) fn is_watched(self, parent: StateId, children: Children) -> bool {
        (self.0 & (Self::MATCHED | Self::TRANSIENT)) | (parent.0 & children.0) != 0
    }

    /// Whether all nodes that the element may match are light.
    #[inline(always)]
    pub(crate) fn is_light(self) -> bool {
        self.0 & (Self::LIGHT | Self::TRANSIENT) == Self::LIGHT
    }

    /// Whether the element may match some node.
    pub(crate) fn is_matched(self) -> bool {
        self.0 & Self::MATCHED != 0
    }

    /// Whether some node that the element may match has regular branches.
    pub(crate) fn is_regular(self) -> bool {
        self.0 & Self::REGULAR != 0
    }

    /// The same state, the end tag of the element to be looked at.
    pub(crate) fn looked(self) -> StateId {
        StateId(self.0 | Self::LOOKED)
    }

    #[inline]
    pub(crate) fn is_looked(self) -> bool {
        self.0 & Self::LOOKED != 0
    }
}

/// Which children of the innermost element matter even if they match nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Children(u32);

impl Children {
    /// All of them, or, when runs are `live`, those of elements with regular branches.
    pub(crate) fn new(all: bool, live: bool) -> Self {
        Children(match (all, live) {
            (true, _) => StateId::EVERY,
            (false, true) => StateId::REGULAR,
            (false, false) => 0,
        })
    }

    #[inline(always)]
    pub(crate) fn are_all(self) -> bool {
        self.0 & StateId::EVERY != 0
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
    /// `rows[(state << log) + class]`, an identifier or [`StateId::UNKNOWN`].
    rows: Vec<StateId>,
    /// There is room for `1 << log` classes.
    log: u32,
    index: HashMap<StateKey, StateId>,
    transient: Vec<State>,
    limit: usize,
    skipping: bool,
    /// For each node, whether the engine deals with its elements at their start tags alone.
    light: Vec<bool>,
    roots: Vec<u32>,
    built: usize,
}

impl LazyTable {
    /// The start state: the document, whose children and descendants the roots may match.
    pub(crate) const START: StateId = StateId(StateId::EVERY);

    pub(crate) fn new(
        compiled: &Compiled,
        limit: usize,
        mechanisms: Mechanisms,
        light: Vec<bool>,
    ) -> Self {
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
            log: 3,
            index: HashMap::new(),
            transient: Vec::new(),
            limit: if mechanisms.lazy_automaton {
                limit.clamp(1, StateId::TRANSIENT as usize)
            } else {
                1
            },
            skipping: mechanisms.skipping,
            light,
            roots,
            built: 0,
        };
        table.remember(start, compiled);
        table
    }

    /// The same table for another engine; states of single open elements are left behind.
    pub(crate) fn without_transient(&self) -> Self {
        let mut table = self.clone();
        table.transient.clear();
        table
    }

    /// States that were built.
    pub(crate) fn built(&self) -> usize {
        self.built
    }

    fn remember(&mut self, state: State, compiled: &Compiled) -> StateId {
        let id = self.id(self.states.len() as u32, &state, compiled);
        self.states.push(state);
        self.rows.resize(self.states.len() << self.log, StateId::UNKNOWN);
        self.built += 1;
        id
    }

    /// The identifier of a state that is stored at `index`.
    fn id(&self, index: u32, state: &State, compiled: &Compiled) -> StateId {
        let mut id = index | StateId::EVERY;
        if !state.matched.is_empty() {
            id |= StateId::MATCHED;
        } else if state.enabled.is_empty() && self.skipping {
            id |= StateId::SKIP;
        }
        if state.matched.iter().any(|&n| !compiled.nodes[n as usize].regulars.is_empty()) {
            id |= StateId::REGULAR;
        }
        if state.matched.iter().all(|&n| self.light[n as usize]) {
            id |= StateId::LIGHT;
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

    /// The state of a child of the given class, for which there is [room](Self::make_room), if it is
    /// remembered.
    #[inline(always)]
    pub(crate) fn known(&self, state: StateId, class: u32) -> StateId {
        let at = (state.index() << self.log) + class as usize;
        self.rows.get(at).copied().unwrap_or(StateId::UNKNOWN)
    }

    /// Makes room for a class.
    pub(crate) fn make_room(&mut self, class: u32) {
        while class as usize >= 1 << self.log {
            self.widen();
        }
    }

    /// The state of a child of the given class.
    pub(crate) fn next(
        &mut self,
        state: StateId,
        class: u32,
        compiled: &Compiled,
        classes: &Classes,
    ) -> StateId {
        self.make_room(class);
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
        let from = self.state(state);
        let hold = |n: u32| classes.holds(class, compiled.nodes[n as usize].test);
        let mut matched: Vec<u32> = Vec::new();
        if state.index() == Self::START.index() {
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
            self.rows[(state.index() << self.log) + class as usize] = id;
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
        let old = 1 << self.log;
        self.log += 1;
        let mut rows = vec![StateId::UNKNOWN; self.states.len() << self.log];
        for (row, old) in rows.chunks_exact_mut(2 * old).zip(self.rows.chunks_exact(old)) {
            row[..old.len()].copy_from_slice(old);
        }
        self.rows = rows;
    }
}
