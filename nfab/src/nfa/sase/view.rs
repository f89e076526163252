//! The states and edges as the paper draws them: `a[1]`, `a[i]`, `b`, F.
//!
//! A state stands for waiting at a position. Its begin or take edge leads to the first option that
//! may follow; proceed edges lead from each option to the next one.

use hashbrown::{HashMap, HashSet};

use super::super::compile::NO_STAGE;
use super::tree::UNBOUNDED;
use super::waits::{Builder, EndWay};
use crate::error::Error;
use crate::language::Strategy;
use crate::nfa::program::{COMPLETE, NOWHERE};
use crate::nfa::{Edge, EdgeKind, Formula, KleeneOutput, State, StateKind};

/// How many states an ignore edge lists by name.
const MOST_NAMES: usize = 8;

pub(super) struct View {
    pub(super) states: Vec<State>,
    pub(super) start: u32,
    /// What the states do not show.
    pub(super) notes: Vec<String>,
}

/// Options in the order in which they are tried, and the ways to the end behind them.
struct Chain<'c> {
    choices: &'c [u32],
    ends: &'c [EndWay],
    /// They begin the pattern.
    start: bool,
}

struct Draw<'b, 'w, 'a> {
    builder: &'b mut Builder<'w, 'a>,
    states: Vec<State>,
    /// The negations by name.
    stops: HashMap<u32, u32>,
    pending: Option<u32>,
    last: u32,
    drawn: HashSet<(u32, u32)>,
    /// How many states have a label.
    labels: HashMap<String, u32>,
    /// A state whose label is that of another one with a number.
    copy: Option<u32>,
}

/// Draws the automaton, and links each wait to the state that it stands for.
pub(super) fn draw(builder: &mut Builder<'_, '_>) -> Result<View, Error> {
    let mut draw = Draw {
        builder,
        states: Vec::new(),
        stops: HashMap::new(),
        pending: None,
        last: 0,
        drawn: HashSet::new(),
        labels: HashMap::new(),
        copy: None,
    };
    draw.all()?;
    draw.link();
    let notes = draw.notes();
    let start = draw.builder.waits[0].state;
    Ok(View { states: draw.states, start, notes })
}

impl Draw<'_, '_, '_> {
    fn all(&mut self) -> Result<(), Error> {
        for position in 0..self.builder.positions.all.len() as u32 {
            let variable = self.builder.variable(position);
            let stage = self.builder.conditions.tree.variable(variable).stage;
            self.state(self.label(position), StateKind::Normal, stage);
        }
        self.last = self.state("F".to_owned(), StateKind::Final, NO_STAGE);
        let start: Vec<u32> = self.builder.start.iter().map(|(choice, _)| *choice).collect();
        self.begins(&start)?;
        self.chain(&Chain { choices: &start, ends: &[], start: true });
        for position in 0..self.builder.positions.all.len() as u32 {
            let followers = self.builder.followers(position)?;
            self.begins(&followers.choices)?;
            let (choices, ends) = (&followers.choices, &followers.ends);
            self.chain(&Chain { choices, ends, start: false });
        }
        Ok(())
    }

    fn state(&mut self, mut label: String, kind: StateKind, stage: u32) -> u32 {
        let count = self.labels.entry(label.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            label = format!("{label}:{}", *count - 1);
            if kind == StateKind::Normal {
                self.copy.get_or_insert(self.states.len() as u32);
            }
        }
        self.states.push(State { label, kind, stage, edges: Vec::new(), gap: None });
        self.states.len() as u32 - 1
    }

    fn label(&self, position: u32) -> String {
        let variable = self.builder.variable(position);
        let tree = self.builder.conditions.tree;
        let of = tree.variable(variable);
        let Some(frame) = self.builder.positions.all[position as usize].last() else {
            return of.name().to_owned();
        };
        let node = tree.node(frame.node);
        match frame.count {
            _ if !of.is_list() => of.name().to_owned(),
            count if node.max == UNBOUNDED && count > 1 && count >= node.min => {
                format!("{}[i]", of.name())
            }
            count => format!("{}[{count}]", of.name()),
        }
    }

    fn edge(&mut self, from: u32, kind: EdgeKind, target: u32, formula: Formula, text: String) {
        let text = Some(text.into_boxed_str());
        self.states[from as usize].edges.push(Edge { kind, formula, target, text });
    }

    fn position(&self, choice: u32) -> u32 {
        self.builder.choices.all[choice as usize].position
    }

    fn condition(&self, condition: u32) -> String {
        self.builder.conditions.all[condition as usize].expr.to_string()
    }

    /// The text of conditions that hold together, without those known already.
    fn holds(&self, conditions: &[u32], known: &[u32]) -> Vec<String> {
        let new = conditions.iter().filter(|c| !known.contains(c));
        new.map(|&c| self.condition(c)).collect()
    }

    /// What holds for each event but the first one of a match.
    fn around(&self, parts: &mut Vec<String>, start: bool) {
        if start {
            return;
        }
        let query = self.builder.conditions.tree.query;
        if let Some(within) = &query.within {
            parts.push(format!("within {}", within.window));
        }
    }

    /// The edges that take the events of these options; each once.
    fn begins(&mut self, choices: &[u32]) -> Result<(), Error> {
        for &choice in choices {
            let from = self.position(choice);
            if !self.states[from as usize].edges.is_empty() {
                continue;
            }
            let start = self.builder.choices.all[choice as usize].fresh == Some(0);
            let formula = self.builder.formula(choice)?;
            let followers = self.builder.followers(from)?;
            let mut parts = self.event(from, start);
            let target = match followers.choices.first() {
                Some(&next) => self.position(next),
                None => {
                    if let [end] = &followers.ends[..] {
                        parts.extend(self.holds(&end.holds, &[]));
                    }
                    self.end(&followers.ends)
                }
            };
            self.around(&mut parts, start);
            let kind = if target == from { EdgeKind::Take } else { EdgeKind::Begin };
            self.edge(from, kind, target, formula, parts.join(" and "));
        }
        Ok(())
    }

    /// What the event of a position satisfies, in the words of the query.
    fn event(&self, position: u32, start: bool) -> Vec<String> {
        let variable = self.builder.variable(position);
        let frames = &self.builder.positions.all[position as usize];
        let conditions = &self.builder.conditions;
        let tree = conditions.tree;
        let mut parts = vec![format!("type = {}", tree.variable(variable).event_type())];
        let key: Vec<String> = tree.query.partition().map(ToString::to_string).collect();
        if !key.is_empty() && !start {
            parts.push(format!("[{}]", key.join(", ")));
        }
        for anchored in conditions.tested_here(variable, frames) {
            parts.push(words(tree.condition(anchored.predicate)));
        }
        parts
    }

    /// The state in which the pattern has ended.
    fn end(&mut self, ends: &[EndWay]) -> u32 {
        let guards: Vec<u32> = ends.iter().flat_map(|end| end.guards.clone()).collect();
        if guards.is_empty() {
            return self.last;
        }
        let pending = match self.pending {
            Some(known) => known,
            None => {
                let pending = self.state("end".to_owned(), StateKind::Pending, NO_STAGE);
                self.edge(
                    pending,
                    EdgeKind::Proceed,
                    self.last,
                    Formula::True,
                    "the window has passed".to_owned(),
                );
                self.edge(pending, EdgeKind::Ignore, pending, Formula::True, "true".to_owned());
                self.pending = Some(pending);
                pending
            }
        };
        self.stop_edges(pending, &guards);
        pending
    }

    /// Edges into the states of negations.
    fn stop_edges(&mut self, from: u32, guards: &[u32]) {
        for &guard in guards {
            let variable = self.builder.conditions.guards[guard as usize].variable;
            let stop = match self.stops.get(&variable) {
                Some(&known) => known,
                None => {
                    let name = self.builder.conditions.tree.variable(variable).name();
                    let label = format!("~{name}");
                    let stop = self.state(label, StateKind::Stop, NO_STAGE);
                    self.stops.insert(variable, stop);
                    stop
                }
            };
            if self.drawn.insert((from, stop)) {
                let text = self.negation(guard);
                self.edge(from, EdgeKind::Proceed, stop, Formula::True, text);
            }
        }
    }

    /// What a negated event satisfies, in the words of the query.
    fn negation(&self, guard: u32) -> String {
        let guard = self.builder.conditions.guards[guard as usize];
        let mut parts = self.negated(guard.variable);
        if guard.adjacent {
            parts.push("it is the very next event".to_owned());
        }
        parts.join(" and ")
    }

    fn negated(&self, variable: u32) -> Vec<String> {
        let tree = self.builder.conditions.tree;
        let of = tree.variable(variable);
        let mut parts = vec![format!("type = {}", of.event_type())];
        parts.extend(of.conditions.iter().map(|c| words(tree.condition(c.predicate))));
        parts
    }

    /// The ignore edges of options, and the proceed edges from each to the next one.
    fn chain(&mut self, chain: &Chain<'_>) {
        for (place, &choice) in chain.choices.iter().enumerate() {
            let from = self.position(choice);
            if !chain.start && self.drawn.insert((from, from)) {
                self.ignore(from, &chain.choices[place..]);
            }
            let of = self.builder.choices.all[choice as usize].clone();
            if !chain.start {
                self.stop_edges(from, &of.guards);
            }
            let (target, mut parts) = match chain.choices.get(place + 1) {
                Some(&next) => {
                    let target = self.position(next);
                    let leaving = &self.builder.choices.all[next as usize].leaving;
                    let mut parts = self.holds(leaving, &of.leaving);
                    parts.push(format!("{}_begin", self.states[target as usize].label));
                    (target, parts)
                }
                None if chain.ends.is_empty() => continue,
                None => {
                    let mut parts = match chain.ends {
                        [end] => self.holds(&end.holds, &of.leaving),
                        _ => Vec::new(),
                    };
                    if self.builder.output == KleeneOutput::Maximal {
                        parts.push("no later event extends the match".to_owned());
                    }
                    (self.end(chain.ends), parts)
                }
            };
            if target != from && self.drawn.insert((from, target)) {
                self.around(&mut parts, chain.start);
                let text = if parts.is_empty() { "true".to_owned() } else { parts.join(" and ") };
                self.edge(from, EdgeKind::Proceed, target, Formula::True, text);
            }
        }
    }

    /// The ignore edge of the first of these options.
    fn ignore(&mut self, from: u32, choices: &[u32]) {
        let of = &self.builder.choices.all[choices[0] as usize];
        let text = match of.strategy {
            Strategy::StrictContiguity => return,
            Strategy::PartitionContiguity => "not same partition".to_owned(),
            Strategy::SkipTillAnyMatch => "true".to_owned(),
            Strategy::SkipTillNextMatch => {
                let blocks = choices.iter().filter(|&&other| {
                    let other = &self.builder.choices.all[other as usize];
                    other.strategy != Strategy::SkipTillAnyMatch
                });
                let mut names: Vec<String> = (blocks.clone().take(MOST_NAMES))
                    .map(|&choice| self.firing(self.position(choice)))
                    .collect();
                if blocks.count() > MOST_NAMES {
                    names.push("a later one".to_owned());
                }
                match &names[..] {
                    [one] => format!("not {one}"),
                    names => format!("not ({})", names.join(" or ")),
                }
            }
        };
        self.edge(from, EdgeKind::Ignore, from, Formula::True, text);
    }

    /// The name of the formula with which a state takes an event.
    fn firing(&self, state: u32) -> String {
        let state = &self.states[state as usize];
        let kind = state.edges.first().map_or(EdgeKind::Begin, |edge| edge.kind);
        format!("{}_{}", state.label, kind.name())
    }

    /// Says of each wait which state it stands for.
    fn link(&mut self) {
        for (wait, key) in self.builder.waits.iter_mut().zip(&self.builder.keys.all) {
            wait.state = match key.choices.first() {
                Some(&choice) => self.builder.choices.all[choice as usize].position,
                None => self.pending.unwrap_or(self.last),
            };
        }
    }

    fn notes(&self) -> Vec<String> {
        let tree = self.builder.conditions.tree;
        let mut notes = Vec::new();
        let ends_open = self.builder.waits.iter().any(|wait| {
            let ignores = wait.ignores.iter().map(|ignore| ignore.target);
            wait.holds_match || ignores.chain([wait.foreign]).any(|target| target == COMPLETE)
        }) || self
            .builder
            .waits
            .iter()
            .flat_map(|wait| &wait.moves)
            .any(|m| m.target != NOWHERE && m.finish != crate::nfa::program::Finish::No);
        if ends_open {
            notes.push(match self.builder.output {
                KleeneOutput::Each => "output: each prefix that is a match".to_owned(),
                KleeneOutput::Maximal => {
                    "output: only matches that no later event extends".to_owned()
                }
            });
        }
        let leading = |number: u32| {
            let mut guards = self.builder.start.iter().flat_map(|(_, guards)| guards);
            guards.any(|&g| self.builder.conditions.guards[g as usize].variable == number)
        };
        for (number, variable) in tree.variables.iter().enumerate() {
            let number = number as u32;
            if variable.item.negated && (variable.looks_ahead || leading(number)) {
                let negated = self.negated(number).join(" and ");
                let name = variable.name();
                notes.push(format!("negation {name}, judged on the complete match: {negated}"));
            }
        }
        if let Some(copy) = self.copy {
            let label = &self.states[copy as usize].label;
            let of = label.split(':').next().unwrap_or_default();
            notes.push(format!("`{label}` is `{of}` in another round or order"));
        }
        notes
    }
}

/// A condition of the query as text that can stand beside others.
fn words(expr: &crate::language::Expr) -> String {
    match expr.kind {
        crate::language::ExprKind::Any(_) => format!("({expr})"),
        _ => expr.to_string(),
    }
}
