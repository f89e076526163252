//! From a pattern to the automaton, for the `flink` semantics.
//!
//! A pattern is compiled from its end to its beginning: each element is given the state that comes
//! after it, its *sink*, and yields the state in which it is entered. What an element becomes:
//!
//! - A stage that occurs once is a state with a begin edge to the sink and, unless its contiguity
//!   is strict, an ignore edge. If it is optional, a proceed edge leads past it, and ignoring moves
//!   to a twin without that edge: once an event was ignored while waiting for the stage, a stricter
//!   successor must not be entered any more.
//! - Repetitions are copies. Those beyond the minimum have a proceed edge to the sink.
//! - An endless loop ends in a state with a take edge to itself and a proceed edge to the sink;
//!   ignoring moves to a twin from which only a further repetition leads back.
//! - A negated stage has no state of its own inside a pattern: `not_followed_by` puts proceed edges
//!   into a stop state on all states up to the stage after it, `not_next` is a state passed by a
//!   proceed edge. At the end of a pattern they are states that wait, for the window to pass and for
//!   one event.
//! - Greedy closes the edges of the sink to events that the loop takes. An `until` reopens them
//!   through a copy of the sink made before they were closed.

use hashbrown::HashMap;

use super::place::{Contiguity, Head, Place, Scope};
use super::program::Program;
use super::{Automaton, Condition, Edge, EdgeKind, Evaluation, Formula, State, StateKind};
use crate::error::{Error, ErrorKind};
use crate::event::{Schema, Slot};
use crate::pattern::{Body, Connector, Element, Occurs, Pattern};
use crate::predicate::Expr;

/// More states than any sensible pattern has.
const MOST_STATES: usize = 100_000;

/// No stage: final states.
pub(super) const NO_STAGE: u32 = u32::MAX;

/// One copy of an element.
struct Single {
    sink: u32,
    /// Where a proceed edge past the element leads.
    past: Option<u32>,
    take: Formula,
    ignore: Option<Formula>,
    /// For a group: whether this is its first iteration.
    first: bool,
}

pub(super) struct Compiler<'p> {
    pub(super) pattern: &'p Pattern,
    /// Twins and copies of states have no window to the event before, as in Flink.
    pub(super) twins_wait: bool,
    pub(super) states: Vec<State>,
    labels: HashMap<String, u32>,
    pub(super) stop_states: HashMap<&'p str, u32>,
    /// Copies of sinks, from before greedy closed their edges.
    pub(super) open_copies: HashMap<u32, u32>,
    pub(super) stages: Vec<String>,
    pub(super) conditions: Vec<Condition>,
    /// The number of the condition of an expression, by the address of the expression.
    pub(super) numbers: HashMap<*const Expr, u32>,
}

pub(super) fn compile(
    pattern: &Pattern,
    schema: &Schema,
    twins_wait: bool,
) -> Result<Automaton, Error> {
    let stages: Vec<String> = pattern.stages().into_iter().map(str::to_owned).collect();
    let mut c = Compiler {
        pattern,
        twins_wait,
        states: Vec::new(),
        labels: HashMap::new(),
        stop_states: HashMap::new(),
        open_copies: HashMap::new(),
        stages,
        conditions: Vec::new(),
        numbers: HashMap::new(),
    };
    let registers = c.compile_conditions(schema)?;
    let end = c.state("end", StateKind::Final, None);
    let scope = Scope { elements: &pattern.elements, head: None, after: None };
    let start = c.sequence(scope, end)?;
    let mut stage_registers = vec![Vec::new(); c.stages.len()];
    for (i, register) in registers.iter().enumerate() {
        stage_registers[register.stage as usize].push(i as u32);
    }
    let attribute = |slot: Slot| schema.attributes().nth(slot.0 as usize).map(str::to_owned);
    let register_attributes = registers.iter().map(|r| r.slot.and_then(attribute)).collect();
    for state in &mut c.states {
        state.edges.retain(|edge| !edge.formula.is_never());
    }
    let mut key = Vec::with_capacity(pattern.partition_by.len());
    for name in &pattern.partition_by {
        key.push(super::flatten::key(schema, name)?);
    }
    let cyclic = crate::pattern::endless_loop(&pattern.elements);
    let mut program = super::flatten::flatten(&c.states, start, pattern.within);
    if cyclic {
        program.waits.clear();
    }
    Ok(Automaton {
        skip: Automaton::resolve_skip(&pattern.after_match, &c.stages),
        cyclic,
        text: pattern.to_string(),
        pattern: Some(pattern.clone()),
        program: Program { key, ..program },
        evaluation: Evaluation::Runs,
        evaluation_reason: String::new(),
        states: c.states,
        start,
        conditions: c.conditions,
        registers,
        register_attributes,
        stage_registers,
        stages: c.stages,
        within: pattern.within,
        notes: Vec::new(),
    })
}

impl<'p> Compiler<'p> {
    pub(super) fn state(&mut self, name: &str, kind: StateKind, element: Option<&Element>) -> u32 {
        let count = self.labels.entry(name.to_owned()).or_insert(0);
        let label = if *count == 0 { name.to_owned() } else { format!("{name}:{count}") };
        *count += 1;
        let stage = element
            .filter(|e| !e.connector.is_negation())
            .and_then(Element::name)
            .and_then(|name| self.stages.iter().position(|s| s == name));
        self.states.push(State {
            label,
            kind,
            stage: stage.map_or(NO_STAGE, |s| s as u32),
            edges: Vec::new(),
            gap: None,
        });
        (self.states.len() - 1) as u32
    }

    pub(super) fn check_size(&self) -> Result<(), Error> {
        if self.states.len() >= MOST_STATES {
            let message = format!("the pattern needs more than {MOST_STATES} states");
            return Err(Error::new(ErrorKind::Limit, message)
                .with_hint("use smaller numbers of repetitions"));
        }
        Ok(())
    }

    fn waiting_state(&mut self, element: &'p Element, kind: StateKind) -> Result<u32, Error> {
        self.check_size()?;
        let name = element.name().unwrap_or("group");
        let state = self.state(name, kind, Some(element));
        self.states[state as usize].gap = element.gap;
        Ok(state)
    }

    pub(super) fn edge(&mut self, from: u32, kind: EdgeKind, target: u32, formula: Formula) {
        self.states[from as usize].edges.push(Edge { kind, formula, target, text: None });
    }

    fn stop(&mut self, from: u32, negation: &'p Element) {
        let name = negation.name().unwrap_or("group");
        let stop = match self.stop_states.get(name) {
            Some(&stop) => stop,
            None => {
                let stop = self.state(name, StateKind::Stop, None);
                self.stop_states.insert(name, stop);
                stop
            }
        };
        let formula = self.condition(negation);
        self.edge(from, EdgeKind::Proceed, stop, formula);
    }

    fn add_stops(&mut self, state: u32, place: Place<'p>) {
        for negation in place.negations() {
            self.stop(state, negation);
        }
    }

    /// A loop that a `not_followed_by` comes after is ended by it, too.
    fn add_stop_of_following(&mut self, state: u32, place: Place<'p>) {
        if let Some(next) = place.following()
            && next.connector == Connector::NotFollowedBy
        {
            self.stop(state, next);
        }
    }

    fn is_final(&self, state: u32) -> bool {
        self.states[state as usize].kind == StateKind::Final
    }

    fn sequence(&mut self, scope: Scope<'p>, sink: u32) -> Result<u32, Error> {
        let mut sink = sink;
        for index in (1..scope.elements.len()).rev() {
            let place = Place { scope, index };
            let element = place.element();
            match element.connector {
                Connector::NotFollowedBy => {
                    let windowed = self.pattern.within.is_some() || element.gap.is_some();
                    if windowed && self.is_final(sink) {
                        let pending = self.waiting_state(element, StateKind::Pending)?;
                        let condition = self.condition(element);
                        self.stop(pending, element);
                        self.edge(pending, EdgeKind::Ignore, pending, condition.negated());
                        sink = pending;
                    }
                }
                Connector::NotNext => {
                    let state = self.waiting_state(element, StateKind::Normal)?;
                    let otherwise = self.condition(element).negated();
                    // An event must come before the end is reached: ignore it, not proceed.
                    let kind =
                        if self.is_final(sink) { EdgeKind::Ignore } else { EdgeKind::Proceed };
                    self.edge(state, kind, sink, otherwise);
                    self.stop(state, element);
                    sink = state;
                }
                _ => sink = self.element(place, sink)?,
            }
        }
        self.element(Place { scope, index: 0 }, sink)
    }

    fn element(&mut self, place: Place<'p>, sink: u32) -> Result<u32, Error> {
        let element = place.element();
        let state = match element.quantifier.occurs {
            Occurs::AtLeast(least) => {
                let after_loop = self.without_negations(place, sink)?;
                let looping = self.looping(place, after_loop)?;
                self.repetitions(place, looping, sink, (least, least))?
            }
            Occurs::Times(from, to) => self.repetitions(place, sink, sink, (from, to))?,
            Occurs::Once => {
                let single = Single {
                    sink,
                    past: element.quantifier.optional.then_some(sink),
                    take: self.condition(element),
                    ignore: self.ignore(element, place.entry()),
                    first: true,
                };
                self.single(place, single)?
            }
        };
        self.add_stops(state, place);
        Ok(state)
    }

    fn ignore(&self, element: &Element, contiguity: Contiguity) -> Option<Formula> {
        match contiguity {
            Contiguity::Strict => None,
            Contiguity::Relaxed => Some(self.condition(element).negated()),
            Contiguity::Any => Some(Formula::True),
        }
    }

    /// Take and ignore of a further repetition.
    fn repetition(&self, place: Place<'p>) -> (Formula, Option<Formula>) {
        let element = place.element();
        let take = self.condition(element);
        let ignore = self.ignore(element, place.between());
        match self.until(element) {
            None => (take, ignore),
            Some(until) => {
                let go_on = until.negated();
                (go_on.clone().and(take), ignore.map(|ignore| go_on.and(ignore)))
            }
        }
    }

    /// The copies of an element; the optional ones lead past the rest to `past`.
    fn repetitions(
        &mut self,
        place: Place<'p>,
        sink: u32,
        past: u32,
        (from, to): (u32, u32),
    ) -> Result<u32, Error> {
        let element = place.element();
        let (take, ignore) = self.repetition(place);
        if element.quantifier.greedy && from != to {
            if element.quantifier.until.is_some() {
                self.keep_open_copy(sink)?;
            }
            self.close_to(sink, &take);
        }
        let mut sink = sink;
        for number in 1..to {
            let single = Single {
                sink,
                past: (number <= to - from).then_some(past),
                take: take.clone(),
                ignore: ignore.clone(),
                first: false,
            };
            sink = self.single(place, single)?;
            self.add_stop_of_following(sink, place);
        }
        let single = Single {
            sink,
            past: element.quantifier.optional.then_some(past),
            take,
            ignore: self.ignore(element, place.entry()),
            first: true,
        };
        self.single(place, single)
    }

    fn single(&mut self, place: Place<'p>, single: Single) -> Result<u32, Error> {
        let element = place.element();
        if let Body::Group(inner) = &element.body {
            return self.group(place, inner, &single);
        }
        let state = self.waiting_state(element, StateKind::Normal)?;
        // What was taken lies beyond the negations before it.
        let sink = self.without_negations(place, single.sink)?;
        self.edge(state, EdgeKind::Begin, sink, single.take.clone());
        if let Some(past) = single.past {
            match self.until(element).filter(|_| element.quantifier.greedy) {
                Some(until) => {
                    let open = self.open_copies.get(&past).copied().unwrap_or(past);
                    self.edge(state, EdgeKind::Proceed, open, until.clone());
                    self.edge(state, EdgeKind::Proceed, past, until.negated());
                }
                None => self.edge(state, EdgeKind::Proceed, past, Formula::True),
            }
        }
        if let Some(ignore) = single.ignore {
            let mut waiting = state;
            if single.past.is_some() || (single.first && place.heads_skippable()) {
                waiting = self.waiting_state(element, StateKind::Normal)?;
                if self.twins_wait {
                    self.states[waiting as usize].gap = None;
                }
                self.edge(waiting, EdgeKind::Begin, sink, single.take);
                self.edge(waiting, EdgeKind::Ignore, waiting, ignore.clone());
                self.add_stops(waiting, place);
            }
            self.edge(state, EdgeKind::Ignore, waiting, ignore);
        }
        Ok(state)
    }

    fn inside(
        &self,
        place: Place<'p>,
        inner: &'p [Element],
        first: bool,
        skippable: bool,
    ) -> Scope<'p> {
        let element = place.element();
        let between = element.quantifier.inner.into();
        let entry = if first { element.connector.into() } else { between };
        let head = Head { entry, between, skippable };
        Scope { elements: inner, head: Some(head), after: place.following() }
    }

    fn group(
        &mut self,
        place: Place<'p>,
        inner: &'p [Element],
        single: &Single,
    ) -> Result<u32, Error> {
        let scope = self.inside(place, inner, single.first, single.first && single.past.is_some());
        let state = self.sequence(scope, single.sink)?;
        if let Some(past) = single.past {
            self.edge(state, EdgeKind::Proceed, past, Formula::True);
        }
        Ok(state)
    }

    /// The state in which an endless loop goes round.
    fn looping(&mut self, place: Place<'p>, sink: u32) -> Result<u32, Error> {
        let element = place.element();
        if let Body::Group(inner) = &element.body {
            let back = self.waiting_state(element, StateKind::Normal)?;
            let scope = self.inside(place, inner, false, false);
            let head = self.sequence(scope, back)?;
            self.edge(head, EdgeKind::Proceed, sink, Formula::True);
            self.edge(back, EdgeKind::Proceed, head, Formula::True);
            return Ok(head);
        }
        let (take, ignore) = self.repetition(place);
        let state = self.waiting_state(element, StateKind::Normal)?;
        if element.quantifier.greedy {
            match self.until(element) {
                Some(until) => {
                    let open = self.keep_open_copy(sink)?;
                    self.edge(state, EdgeKind::Proceed, open, until.clone());
                    self.edge(state, EdgeKind::Proceed, sink, until.negated());
                }
                None => self.edge(state, EdgeKind::Proceed, sink, Formula::True),
            }
            let condition = self.condition(element);
            self.close_to(sink, &condition);
        } else {
            self.edge(state, EdgeKind::Proceed, sink, Formula::True);
        }
        self.edge(state, EdgeKind::Take, state, take.clone());
        self.add_stop_of_following(state, place);
        if let Some(ignore) = ignore {
            let waiting = self.waiting_state(element, StateKind::Normal)?;
            self.edge(waiting, EdgeKind::Begin, state, take);
            self.edge(waiting, EdgeKind::Ignore, waiting, ignore.clone());
            self.edge(state, EdgeKind::Ignore, waiting, ignore);
            self.add_stop_of_following(waiting, place);
        }
        Ok(state)
    }
}
