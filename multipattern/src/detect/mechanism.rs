//! The mechanism that a method uses under a semantics, and what it remembers of a stream.

use super::arrival::Arrival;
use super::catalog::Catalog;
use super::config::{self, Config};
use super::history::History;
use super::lazy::{Chains, LazyState, Plan};
use super::output::{Out, Sink};
use super::ring::Ring;
use super::single::{Dispatch, SingleState};
use super::strict::{self, Automaton, Backwards, Source};
use crate::event::TypeId;
use crate::heap::{Heap, heap};
use crate::limits::Limit;
use crate::pattern::Semantics;
use crate::plan::Method;
use crate::stats::Counters;

/// A plan for each pattern by itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Apart {
    plans: Vec<Plan>,
    /// By class: the plans that use it, and its number there.
    of_class: Vec<Vec<(u32, u32)>>,
    merged: Vec<(u32, u32)>,
    own: Vec<u32>,
}

/// What all streams and partitions share.
#[derive(Clone, Debug)]
pub(crate) enum Mechanism {
    Single(Dispatch),
    Apart(Apart),
    Together(Box<Plan>),
    Backwards(Backwards),
    Automaton(Box<Automaton>),
    /// It has the state of the one stream with it.
    Ring(Box<Ring>),
}

/// What is remembered of one stream or partition.
#[derive(Clone, Debug)]
pub(crate) enum State {
    Single(SingleState),
    Apart(Vec<LazyState>),
    Together(Box<LazyState>),
    Backwards,
    Automaton(strict::State),
    Ring,
}

impl Mechanism {
    /// For streams that look back so many events.
    pub(crate) fn new(config: &Config, semantics: Semantics, catalog: &Catalog, back: u64) -> Self {
        let method = config.method;
        let alone = config.partition_by.is_empty() && config.hold_events == 0;
        let asked = match config.ring {
            config::Ring::ByMethod => method == Method::Proposed,
            config::Ring::Never => false,
            config::Ring::Always => matches!(method, Method::Sharing | Method::Proposed),
        };
        let most = config.limits.held_events.most as u64;
        if alone && asked && Ring::can(catalog, semantics, most, back) {
            let ring = Ring::new(catalog, semantics, method == Method::Proposed, most);
            return Mechanism::Ring(Box::new(ring));
        }
        Self::without_ring(method, semantics, catalog)
    }

    /// What remembers events in histories, or states.
    pub(crate) fn without_ring(method: Method, semantics: Semantics, catalog: &Catalog) -> Self {
        match (method, semantics) {
            (Method::Single, _) => Mechanism::Single(Dispatch::new(catalog)),
            (Method::Optimized, Semantics::Strict) => Mechanism::Backwards(Backwards::new(catalog)),
            (Method::Optimized, _) => Mechanism::Apart(Apart::new(semantics, catalog)),
            (_, Semantics::Strict) => {
                Mechanism::Automaton(Box::new(Automaton::new(catalog, method == Method::Proposed)))
            }
            _ => {
                let decompose = method == Method::Proposed;
                let lives = catalog.lives().into_iter();
                let classes = catalog.class_count();
                let chains = if decompose { Chains::Latest } else { Chains::Sets };
                let how = (decompose, chains, catalog.is_short());
                let plan = Plan::new(lives, classes, |class| class, semantics, how);
                Mechanism::Together(Box::new(plan))
            }
        }
    }

    /// The state at the beginning of a stream.
    pub(crate) fn state(&self) -> State {
        match self {
            Mechanism::Single(_) => State::Single(SingleState::default()),
            Mechanism::Apart(apart) => State::Apart(vec![LazyState::default(); apart.plans.len()]),
            Mechanism::Together(_) => State::Together(Box::default()),
            Mechanism::Backwards(_) => State::Backwards,
            Mechanism::Automaton(_) => State::Automaton(strict::State::default()),
            Mechanism::Ring(_) => State::Ring,
        }
    }

    /// Shows the newest event of a history. Without `out` it is only remembered.
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "what one event is shown with")]
    pub(crate) fn arrive<S: Sink>(
        &mut self,
        state: &mut State,
        semantics: Semantics,
        catalog: &Catalog,
        history: &mut History,
        arrival: &Arrival<'_>,
        limit: Limit,
        counters: &mut Counters,
        out: Option<&mut Out<'_, S>>,
    ) {
        match (self, state) {
            (Mechanism::Together(plan), State::Together(state)) => {
                plan.arrive(state, catalog, history, arrival, counters, out);
            }
            (Mechanism::Single(dispatch), State::Single(state)) => {
                state.arrive(dispatch, semantics, catalog, history, arrival, limit, counters, out);
            }
            (Mechanism::Apart(apart), State::Apart(states)) => {
                apart.arrive(states, catalog, history, arrival, counters, out);
            }
            (Mechanism::Backwards(backwards), State::Backwards) => {
                if let Some(out) = out {
                    backwards.arrive(catalog, history, arrival, counters, out);
                }
            }
            (Mechanism::Automaton(automaton), State::Automaton(state)) => {
                let event_type = history.entry(arrival.serial).event_type;
                if let Some(out) = out {
                    let source = Source::History(history, arrival);
                    automaton.arrive(state, event_type, catalog, source, counters, out);
                } else {
                    *state = automaton.after(*state, event_type);
                }
            }
            _ => unreachable!("states are made by their mechanism"),
        }
    }

    /// Whether nothing has to be remembered of events but the state.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self, Mechanism::Automaton(automaton) if automaton.is_plain())
    }

    /// The types of events that lead to a state, where the state is all that is remembered.
    pub(crate) fn word(&self, state: &State) -> Vec<TypeId> {
        match (self, state) {
            (Mechanism::Automaton(automaton), State::Automaton(state)) => automaton.word(*state),
            _ => Vec::new(),
        }
    }

    /// The state that types of events lead to.
    pub(crate) fn read(&self, word: &[TypeId]) -> State {
        match self {
            Mechanism::Automaton(automaton) => State::Automaton(automaton.read(word)),
            _ => self.state(),
        }
    }

    pub(crate) fn nodes(&self) -> usize {
        match self {
            Mechanism::Single(_) | Mechanism::Backwards(_) => 0,
            Mechanism::Apart(apart) => apart.plans.iter().map(Plan::nodes).sum(),
            Mechanism::Together(plan) => plan.nodes(),
            Mechanism::Automaton(automaton) => automaton.nodes(),
            Mechanism::Ring(ring) => ring.nodes(),
        }
    }

    pub(crate) fn shared_rows(&self) -> usize {
        match self {
            Mechanism::Apart(apart) => apart.plans.iter().map(Plan::shared_rows).sum(),
            Mechanism::Together(plan) => plan.shared_rows(),
            Mechanism::Ring(ring) => ring.shared_rows(),
            _ => 0,
        }
    }
}

impl State {
    pub(crate) fn instances(&self) -> usize {
        match self {
            State::Single(state) => state.instances(),
            State::Apart(states) => states.iter().map(LazyState::instances).sum(),
            State::Together(state) => state.instances(),
            State::Backwards | State::Automaton(_) | State::Ring => 0,
        }
    }
}

impl Apart {
    fn new(semantics: Semantics, catalog: &Catalog) -> Self {
        let mut this =
            Apart { of_class: vec![Vec::new(); catalog.class_count()], ..Apart::default() };
        for (place, live) in catalog.lives() {
            let mut classes: Vec<u32> = live.classes.to_vec();
            classes.sort_unstable();
            classes.dedup();
            let rename = |class: u32| classes.binary_search(&class).unwrap_or(0) as u32;
            let number = this.plans.len() as u32;
            for &class in &classes {
                this.of_class[class as usize].push((number, rename(class)));
            }
            let lives = std::iter::once((place, live));
            let how = (false, Chains::Latest, catalog.is_short());
            this.plans.push(Plan::new(lives, classes.len(), rename, semantics, how));
        }
        this
    }

    fn arrive<S: Sink>(
        &mut self,
        states: &mut [LazyState],
        catalog: &Catalog,
        history: &mut History,
        arrival: &Arrival<'_>,
        counters: &mut Counters,
        mut out: Option<&mut Out<'_, S>>,
    ) {
        let mut merged = std::mem::take(&mut self.merged);
        merged.clear();
        for &class in arrival.classes {
            merged.extend_from_slice(&self.of_class[class as usize]);
        }
        if arrival.classes.len() > 1 {
            merged.sort_unstable();
        }
        let mut rest = &merged[..];
        while let Some(&(number, _)) = rest.first() {
            let length = rest.iter().take_while(|entry| entry.0 == number).count();
            self.own.clear();
            self.own.extend(rest[..length].iter().map(|entry| entry.1));
            rest = &rest[length..];
            let own = Arrival { classes: &self.own, ..*arrival };
            let out = out.as_deref_mut().filter(|out| !out.stopped);
            let state = &mut states[number as usize];
            self.plans[number as usize].arrive(state, catalog, history, &own, counters, out);
        }
        self.merged = merged;
    }
}

heap! {
    Apart { plans, of_class, merged, own }
}

impl Heap for Mechanism {
    fn heap(&self) -> usize {
        match self {
            Mechanism::Single(dispatch) => dispatch.heap(),
            Mechanism::Apart(apart) => apart.heap(),
            Mechanism::Together(plan) => plan.heap(),
            Mechanism::Backwards(backwards) => backwards.heap(),
            Mechanism::Automaton(automaton) => automaton.heap(),
            Mechanism::Ring(ring) => ring.heap(),
        }
    }
}

impl Heap for State {
    fn heap(&self) -> usize {
        match self {
            State::Single(state) => state.heap(),
            State::Apart(states) => states.heap(),
            State::Together(state) => state.heap(),
            State::Backwards | State::Automaton(_) | State::Ring => 0,
        }
    }
}
