//! The conditions of a query, relative to the edges on which they are tested.
//!
//! On an edge that takes an event, an attribute of its variable is one of the event under test;
//! everything else is what the run holds. One condition of the query may become several: the first
//! event of a list sees itself as `a[1]`, a further one sees a register.

use hashbrown::HashMap;

use super::convert::{Role, Sight, constant_count, empty, first_only};
use super::tree::{Anchor, Anchored, Tree};
use crate::error::Error;
use crate::event::Schema;
use crate::language::{EdgeKind, GroupKind};
use crate::nfa::{Condition, Formula};
use crate::predicate::typecheck::Compiler;
use crate::predicate::{Expr, Pick};

/// A part of a position: a group with its round, the item inside, and the items of an `AND` that
/// are done; or a variable with the number of its events. Numbers beyond what matters are capped.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Frame {
    pub(super) node: u32,
    pub(super) count: u32,
    pub(super) item: u32,
    pub(super) done: u32,
}

/// A negation on the way to an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Guard {
    pub(super) variable: u32,
    /// What a negated event satisfies, by its number in [`Conditions::tests`].
    pub(super) test: u32,
    /// Only the very next event is meant.
    pub(super) adjacent: bool,
}

/// From where a condition is tested.
#[derive(Clone, Copy)]
pub(super) struct Place<'f> {
    pub(super) frames: &'f [Frame],
    /// The depth of the repeated group whose round is about to begin: what it and those inside it
    /// hold is of the round before. 0 before the first event.
    pub(super) fresh: Option<u32>,
    /// The repeated group that is being left.
    pub(super) leaving: Option<u32>,
    /// And it had no round.
    pub(super) without_round: bool,
}

/// One condition of the query on one edge.
#[derive(PartialEq, Eq, Hash)]
struct Instance {
    predicate: usize,
    variable: u32,
    role: Role,
    fresh: Option<u32>,
    /// Tested only if these variables have events, from here at these depths.
    bound: Vec<(u32, u32)>,
}

/// Whether another edge of a condition lies behind.
enum Passed {
    Yes,
    No,
    /// If the variable has an event, as seen at this depth.
    IfBound(u32),
}

pub(super) struct Conditions<'a> {
    pub(super) tree: &'a Tree<'a>,
    pub(super) compiler: Compiler<'a>,
    pub(super) all: Vec<Condition>,
    by_text: HashMap<String, Vec<u32>>,
    instances: HashMap<Instance, u32>,
    pub(super) guards: Vec<Guard>,
    /// What negated events satisfy: conditions that hold together.
    pub(super) tests: Vec<Vec<u32>>,
}

impl<'a> Conditions<'a> {
    pub(super) fn new(tree: &'a Tree<'a>, schema: &'a Schema) -> Self {
        Conditions {
            tree,
            compiler: Compiler::new(schema, &tree.stages, true),
            all: Vec::new(),
            by_text: HashMap::new(),
            instances: HashMap::new(),
            guards: Vec::new(),
            tests: Vec::new(),
        }
    }

    /// The number of a condition; equal ones are one.
    fn number(&mut self, expr: Expr) -> Result<u32, Error> {
        let same = self.by_text.entry(expr.to_string()).or_default();
        if let Some(&known) = same.iter().find(|&&c| self.all[c as usize].expr == expr) {
            return Ok(known);
        }
        let test = self.compiler.test(&expr)?;
        let unary = !test.reads_registers();
        same.push(self.all.len() as u32);
        self.all.push(Condition { expr, test, unary });
        Ok(self.all.len() as u32 - 1)
    }

    /// That an event is of the type of a variable.
    fn of_type(&mut self, variable: u32) -> Result<u32, Error> {
        let name = self.tree.variable(variable).event_type();
        let span = name.span.range();
        self.number(Expr::TypeIs(name.text.to_string())).map_err(|e| e.with_span(span))
    }

    /// The conditions that hold always or never.
    pub(super) fn constants(&mut self) -> Result<Vec<u32>, Error> {
        let sight = Sight { tree: self.tree, variable: 0, role: Role::Outside, fresh: None };
        let all = self.tree.constants.iter();
        all.map(|&predicate| {
            let condition = self.tree.condition(predicate);
            let expr = sight.expr(condition);
            self.number(expr).map_err(|e| e.with_span(condition.span.range()))
        })
        .collect()
    }

    /// How a variable sees itself where its event is taken.
    fn role(&self, variable: u32, frames: &[Frame]) -> Role {
        let of = self.tree.variable(variable);
        let [.., leaf] = frames else { return Role::First };
        if of.is_list() {
            return if leaf.count == 1 { Role::First } else { Role::Later };
        }
        let Some(round) = of.rounds.last() else { return Role::First };
        match frames.iter().find(|frame| frame.node == *round) {
            Some(frame) if frame.count == 1 => Role::First,
            _ if self.tree.is_sure_in_round(variable) => Role::Later,
            _ => Role::Either,
        }
    }

    /// The conditions of the query that are tested where an event is taken.
    pub(super) fn tested(&self, variable: u32, frames: &[Frame]) -> Vec<&'a Anchored> {
        let role = self.role(variable, frames);
        let of = self.tree.variable(variable);
        let applies = |c: &&Anchored| match (c.kind, role) {
            (EdgeKind::Begin, Role::Later) => {
                !of.is_list() && !first_only(self.tree.condition(c.predicate), of.name())
            }
            (EdgeKind::Begin, _) => true,
            (EdgeKind::Take, Role::Later | Role::Either) => true,
            _ => false,
        };
        of.conditions.iter().filter(applies).collect()
    }

    /// Those of them that are not left to an edge still to come.
    pub(super) fn tested_here(&self, variable: u32, frames: &[Frame]) -> Vec<&'a Anchored> {
        let role = self.role(variable, frames);
        let sight = Sight { tree: self.tree, variable, role, fresh: None };
        let place = Place { frames, fresh: None, leaving: None, without_round: false };
        let here = |c: &&Anchored| {
            let mut others = c.others.iter();
            others.all(|&other| !matches!(self.passed(variable, other, &sight, place), Passed::No))
        };
        self.tested(variable, frames).into_iter().filter(here).collect()
    }

    /// What an event satisfies that is taken for the variable at the end of the frames.
    pub(super) fn event(&mut self, variable: u32, place: Place<'_>) -> Result<Vec<u32>, Error> {
        let mut all = vec![self.of_type(variable)?];
        let role = self.role(variable, place.frames);
        for anchored in self.tested(variable, place.frames) {
            all.extend(self.instance(anchored, variable, role, place)?);
        }
        all.dedup();
        Ok(all)
    }

    /// What holds when a list is left.
    pub(super) fn leave_list(&mut self, list: u32, place: Place<'_>) -> Result<Vec<u32>, Error> {
        let mut all = Vec::new();
        for anchored in &self.tree.variable(list).conditions {
            if anchored.kind == EdgeKind::Proceed {
                all.extend(self.instance(anchored, list, Role::Leave, place)?);
            }
        }
        Ok(all)
    }

    /// What holds when a repeated group is left, of its single events.
    pub(super) fn leave_group(&mut self, place: Place<'_>) -> Result<Vec<u32>, Error> {
        let mut all = Vec::new();
        for (number, variable) in self.tree.variables.iter().enumerate() {
            if !variable.is_list() && variable.rounds.last() == place.leaving.as_ref() {
                all.extend(self.leave_list(number as u32, place)?);
            }
        }
        Ok(all)
    }

    /// The number of a guard.
    pub(super) fn guard(
        &mut self,
        variable: u32,
        adjacent: bool,
        place: Place<'_>,
    ) -> Result<u32, Error> {
        let test = self.negation(variable, place)?;
        let test = position(&mut self.tests, test);
        Ok(position(&mut self.guards, Guard { variable, test, adjacent }))
    }

    /// What a negated event satisfies.
    pub(super) fn negation(&mut self, variable: u32, place: Place<'_>) -> Result<Vec<u32>, Error> {
        let mut test = vec![self.of_type(variable)?];
        for anchored in &self.tree.variable(variable).conditions {
            test.extend(self.instance(anchored, variable, Role::Negated, place)?);
        }
        test.dedup();
        Ok(test)
    }

    /// A condition on one of its edges; none if it is not tested there.
    fn instance(
        &mut self,
        anchored: &Anchored,
        variable: u32,
        role: Role,
        place: Place<'_>,
    ) -> Result<Option<u32>, Error> {
        let predicate = anchored.predicate;
        let sight = Sight { tree: self.tree, variable, role, fresh: place.fresh };
        let mut bound = Vec::new();
        for &other in &anchored.others {
            match self.passed(variable, other, &sight, place) {
                Passed::Yes => {}
                Passed::No => return Ok(None),
                Passed::IfBound(depth) => bound.push((other.0, depth)),
            }
        }
        let instance = Instance { predicate, variable, role, fresh: place.fresh, bound };
        if let Some(&known) = self.instances.get(&instance) {
            return Ok(Some(known));
        }
        let condition = self.tree.condition(predicate);
        let mut expr = match role {
            Role::Either => self.either(anchored, sight),
            _ => sight.expr(condition),
        };
        for &(other, depth) in &instance.bound {
            expr = Expr::Or(vec![sight.counted(other, depth).eq(0), expr]);
        }
        let number = self.number(expr).map_err(|e| e.with_span(condition.span.range()))?;
        self.instances.insert(instance, number);
        Ok(Some(number))
    }

    /// For a single event of which only the run knows whether there was one in an earlier round.
    fn either(&self, anchored: &Anchored, sight: Sight<'_>) -> Expr {
        let of = self.tree.variable(sight.variable);
        let condition = self.tree.condition(anchored.predicate);
        let depth = of.rounds.len() as u32 - 1;
        let so_far = || sight.counted(sight.variable, depth);
        let first = Sight { role: Role::First, ..sight }.expr(condition);
        let later = Sight { role: Role::Later, ..sight }.expr(condition);
        if anchored.kind == EdgeKind::Take {
            return Expr::Or(vec![so_far().eq(0), later]);
        }
        if first_only(condition, of.name()) {
            return Expr::Or(vec![so_far().gt(0), first]);
        }
        if first == later {
            return first;
        }
        Expr::Or(vec![so_far().eq(0).and(first), so_far().gt(0).and(later)])
    }

    /// Whether the other edge of a condition lies behind, so that this one is the last.
    fn passed(
        &self,
        variable: u32,
        (other, kind): Anchor,
        sight: &Sight<'_>,
        place: Place<'_>,
    ) -> Passed {
        let (of, with) = (self.tree.variable(variable), self.tree.variable(other));
        let inside = |group: &u32| place.frames.iter().any(|frame| frame.node == *group);
        let leaves_group = kind == EdgeKind::Proceed && !with.is_list();
        if leaves_group {
            match with.rounds.last() {
                last if last == place.leaving.as_ref() => return Passed::Yes,
                Some(group) if inside(group) => return Passed::No,
                _ => {}
            }
        }
        if place.without_round && place.leaving.is_some_and(|group| with.rounds.contains(&group)) {
            return if kind == EdgeKind::Proceed { Passed::Yes } else { Passed::No };
        }
        let depth = sight.common(other);
        // The group in which the two part.
        let parting = of.path.iter().zip(&with.path).position(|(a, b)| a.1 != b.1);
        let frame = parting.and_then(|level| {
            let group = with.path[level].0;
            place.frames.iter().find(|frame| frame.node == group).map(|frame| (level, frame))
        });
        let Some((level, frame)) = frame else {
            return match kind {
                EdgeKind::Proceed => Passed::Yes,
                _ => Passed::IfBound(depth),
            };
        };
        let (group, item) = with.path[level];
        if self.tree.items(group).0 != GroupKind::And || frame.done & (1 << item) == 0 {
            return Passed::No;
        }
        match kind {
            EdgeKind::Proceed => Passed::Yes,
            _ if self.tree.is_sure_below(other, level) => Passed::Yes,
            // What the new round holds so far is nothing.
            _ if constant_count(depth, place.fresh) => Passed::No,
            _ => Passed::IfBound(depth),
        }
    }

    /// The formula of conditions that hold together, those on the event alone first.
    pub(super) fn formula(&self, conditions: &[u32]) -> Formula {
        let mut seen = Vec::new();
        for unary in [true, false] {
            for &condition in conditions {
                let fits = self.all[condition as usize].unary == unary;
                if fits && !seen.contains(&condition) {
                    seen.push(condition);
                }
            }
        }
        Formula::all(seen.into_iter().map(Formula::Holds))
    }
}

impl Sight<'_> {
    /// The number of events of a variable, as seen at a depth.
    fn counted(&self, variable: u32, depth: u32) -> Expr {
        if constant_count(depth, self.fresh) {
            return empty(Pick::Count);
        }
        self.held(Pick::Count, variable, None, depth)
    }
}

/// The place of a value in a list, to which it is added if it is not there.
fn position<T: PartialEq>(all: &mut Vec<T>, one: T) -> u32 {
    if let Some(known) = all.iter().position(|other| *other == one) {
        return known as u32;
    }
    all.push(one);
    all.len() as u32 - 1
}
