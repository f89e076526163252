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

use super::{Automaton, Condition, Edge, EdgeKind, Formula, State, StateKind};
use crate::error::{Error, ErrorKind};
use crate::event::Schema;
use crate::pattern::{Body, Connector, Element, Inner, Occurs, Pattern};
use crate::predicate::Expr;
use crate::predicate::typecheck::Compiler as Conditions;

/// More states than any sensible pattern has.
const MOST_STATES: usize = 100_000;

/// No stage: final states.
pub(crate) const NO_STAGE: u32 = u32::MAX;

/// How events between are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Contiguity {
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
struct Scope<'p> {
    elements: &'p [Element],
    /// For a group: how its head is entered.
    head: Option<Head>,
    /// What follows the sequence.
    after: Option<&'p Element>,
}

/// How the first element of a group is entered.
#[derive(Clone, Copy)]
struct Head {
    /// In this copy of the group.
    entry: Contiguity,
    /// In the next iteration.
    between: Contiguity,
    /// A proceed edge leads past the whole group.
    skippable: bool,
}

/// An element in its sequence.
#[derive(Clone, Copy)]
struct Place<'p> {
    scope: Scope<'p>,
    index: usize,
}

impl<'p> Place<'p> {
    fn element(&self) -> &'p Element {
        &self.scope.elements[self.index]
    }

    fn following(&self) -> Option<&'p Element> {
        self.scope.elements.get(self.index + 1).or(self.scope.after)
    }

    /// The `not_followed_by` stages that still apply when the element is entered.
    fn negations(&self) -> Vec<&'p Element> {
        (self.scope.elements[..self.index].iter().rev())
            .take_while(|e| e.quantifier.optional || e.connector == Connector::NotFollowedBy)
            .filter(|e| e.connector == Connector::NotFollowedBy)
            .collect()
    }

    fn entry(&self) -> Contiguity {
        match self.scope.head {
            Some(head) if self.index == 0 => head.entry,
            _ => self.element().connector.into(),
        }
    }

    /// It heads a group that may be left out at this point.
    fn heads_skippable(&self) -> bool {
        self.index == 0 && self.scope.head.is_some_and(|head| head.skippable)
    }

    fn between(&self) -> Contiguity {
        match self.scope.head {
            Some(head) if self.index == 0 => head.between,
            _ => self.element().quantifier.inner.into(),
        }
    }
}

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

struct Compiler<'p> {
    pattern: &'p Pattern,
    /// Twins and copies of states have no window to the event before, as in Flink.
    twins_wait: bool,
    states: Vec<State>,
    labels: HashMap<String, u32>,
    stop_states: HashMap<&'p str, u32>,
    /// Copies of sinks, from before greedy closed their edges.
    open_copies: HashMap<u32, u32>,
    stages: Vec<String>,
    conditions: Vec<Condition>,
    /// The number of the condition of an expression, by the address of the expression.
    numbers: HashMap<*const Expr, u32>,
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
    for state in &mut c.states {
        state.edges.retain(|edge| !edge.formula.is_never());
    }
    Ok(Automaton {
        skip: Automaton::resolve_skip(&pattern.after_match, &c.stages),
        cyclic: crate::pattern::endless_loop(&pattern.elements),
        pattern: pattern.clone(),
        states: c.states,
        start,
        conditions: c.conditions,
        registers,
        stage_registers,
        stages: c.stages,
        within: pattern.within,
    })
}

impl<'p> Compiler<'p> {
    fn compile_conditions(
        &mut self,
        schema: &Schema,
    ) -> Result<Vec<crate::predicate::register::RegisterSpec>, Error> {
        let stages = self.stages.clone();
        let mut compiler = Conditions { schema, stages: &stages, registers: Vec::new() };
        self.conditions_of(&self.pattern.elements, &mut compiler)?;
        Ok(compiler.registers)
    }

    fn conditions_of(
        &mut self,
        elements: &'p [Element],
        compiler: &mut Conditions<'_>,
    ) -> Result<(), Error> {
        for element in elements {
            let own = match &element.body {
                Body::Stage { condition, .. } => condition.as_ref(),
                Body::Group(inner) => {
                    self.conditions_of(inner, compiler)?;
                    None
                }
            };
            for e in own.into_iter().chain(&element.quantifier.until) {
                let test = compiler.test(e).map_err(|error| match element.name() {
                    Some(name) => error.in_stage(name),
                    None => error,
                })?;
                // Equal conditions are evaluated once.
                let number = self.conditions.iter().position(|c| c.expr == *e);
                let number = number.unwrap_or_else(|| {
                    let unary = !test.reads_registers();
                    self.conditions.push(Condition { expr: e.clone(), test, unary });
                    self.conditions.len() - 1
                });
                self.numbers.insert(std::ptr::from_ref(e), number as u32);
            }
        }
        Ok(())
    }

    fn holds(&self, e: Option<&Expr>) -> Formula {
        match e {
            None => Formula::True,
            Some(e) => Formula::Holds(self.numbers[&std::ptr::from_ref(e)]),
        }
    }

    fn condition(&self, element: &Element) -> Formula {
        match &element.body {
            Body::Stage { condition, .. } => self.holds(condition.as_ref()),
            Body::Group(_) => Formula::True,
        }
    }

    fn until(&self, element: &Element) -> Option<Formula> {
        element.quantifier.until.as_ref().map(|e| self.holds(Some(e)))
    }

    fn state(&mut self, name: &str, kind: StateKind, element: Option<&Element>) -> u32 {
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

    fn waiting_state(&mut self, element: &'p Element, kind: StateKind) -> Result<u32, Error> {
        if self.states.len() >= MOST_STATES {
            let message = format!("the pattern needs more than {MOST_STATES} states");
            return Err(Error::new(ErrorKind::Limit, message)
                .with_hint("use smaller numbers of repetitions"));
        }
        let name = element.name().unwrap_or("group");
        let state = self.state(name, kind, Some(element));
        self.states[state as usize].gap = element.gap;
        Ok(state)
    }

    fn edge(&mut self, from: u32, kind: EdgeKind, target: u32, formula: Formula) {
        self.states[from as usize].edges.push(Edge { kind, formula, target });
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
        if let Some(next) = place.following() {
            if next.connector == Connector::NotFollowedBy {
                self.stop(state, next);
            }
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
                let after_loop = self.without_negations(place, sink);
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
                self.keep_open_copy(sink);
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
        let sink = self.without_negations(place, single.sink);
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
                    let open = self.keep_open_copy(sink);
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

    /// Greedy: the edges of a state no longer open for events that the loop takes.
    fn close_to(&mut self, state: u32, take: &Formula) {
        for edge in &mut self.states[state as usize].edges {
            let formula = std::mem::replace(&mut edge.formula, Formula::True);
            edge.formula = formula.and(take.clone().negated());
        }
    }

    fn twin(&mut self, state: u32) -> u32 {
        let original = self.states[state as usize].clone();
        let name = original.label.split(':').next().unwrap_or_default();
        let copy = self.state(name, original.kind, None);
        self.states[copy as usize].stage = original.stage;
        self.states[copy as usize].gap = original.gap.filter(|_| !self.twins_wait);
        copy
    }

    fn keep_open_copy(&mut self, state: u32) -> u32 {
        let copy = self.twin(state);
        for edge in self.states[state as usize].edges.clone() {
            let target = if edge.target == state { copy } else { edge.target };
            self.edge(copy, edge.kind, target, edge.formula);
        }
        self.open_copies.insert(state, copy);
        copy
    }

    /// For an optional element after a `not_followed_by`: its sink as it is once the element has
    /// taken an event, without the stops that only apply while it has not.
    fn without_negations(&mut self, place: Place<'p>, sink: u32) -> u32 {
        let negations = place.negations();
        if negations.is_empty() || !place.element().quantifier.optional {
            return sink;
        }
        let stops: Vec<u32> = (negations.iter())
            .filter_map(|n| n.name())
            .filter_map(|n| self.stop_states.get(n).copied())
            .collect();
        self.copy_without(sink, &stops, 0)
    }

    fn copy_without(&mut self, state: u32, stops: &[u32], depth: usize) -> u32 {
        // A chain of proceed edges is never longer than the states there are.
        if depth > self.states.len() {
            return state;
        }
        let copy = self.twin(state);
        for edge in self.states[state as usize].edges.clone() {
            if edge.kind == EdgeKind::Proceed {
                if stops.contains(&edge.target) {
                    continue;
                }
                let target = if self.states[edge.target as usize].kind == StateKind::Stop {
                    edge.target
                } else {
                    self.copy_without(edge.target, stops, depth + 1)
                };
                self.edge(copy, edge.kind, target, edge.formula);
            } else {
                let target = if edge.target == state { copy } else { edge.target };
                self.edge(copy, edge.kind, target, edge.formula);
            }
        }
        copy
    }
}
