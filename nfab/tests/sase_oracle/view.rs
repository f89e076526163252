//! Expressions, evaluated by looking at the bound events themselves.

use nfab::language::{AggregateRange, Expr, ExprKind, Index, Reference};

use super::Ev;
use super::tree::Tree;
use super::value::{Truth, Val, aggregate, and, arithmetic, compare, not, or};

/// Rounds of repeated groups: numbers of groups, from the outermost on, with the round of each.
pub type Rounds = Vec<(usize, u32)>;

/// An event of a match, with the rounds in which it was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    pub event: usize,
    pub variable: usize,
    pub rounds: Rounds,
}

/// From where an expression looks at which events.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub tree: &'a Tree<'a>,
    /// All events of the stream.
    pub events: &'a [Ev],
    /// Those of the match so far.
    pub bound: &'a [Bound],
    /// The rounds of the place from which it looks.
    pub rounds: &'a Rounds,
    /// A candidate for a negated event: its variable and its number.
    pub negated: Option<(usize, usize)>,
}

/// How many groups two places have in common, each in the same round.
pub fn common(rounds: &Rounds, groups: &[usize]) -> usize {
    rounds.iter().zip(groups).take_while(|(round, group)| round.0 == **group).count()
}

impl View<'_> {
    /// The events of a variable that are one list from here: all rounds of the groups that are
    /// not around this place. A single event of a group is listed over the rounds of its group.
    pub fn list(&self, variable: usize) -> Vec<usize> {
        let of = &self.tree.variables[variable];
        let mut depth = common(self.rounds, &of.rounds);
        if !of.list && depth == of.rounds.len() && depth > 0 {
            depth -= 1;
        }
        self.within(variable, depth)
    }

    fn within(&self, variable: usize, depth: usize) -> Vec<usize> {
        let fits = |b: &&Bound| b.variable == variable && b.rounds[..depth] == self.rounds[..depth];
        self.bound.iter().filter(fits).map(|b| b.event).collect()
    }

    fn event(&self, reference: &Reference) -> Option<usize> {
        let variable = self.tree.numbers[&*reference.variable.text];
        let list = || self.list(variable);
        match reference.index {
            Index::Single => match self.negated {
                Some((negated, event)) if negated == variable => Some(event),
                _ => {
                    let depth = common(self.rounds, &self.tree.variables[variable].rounds);
                    self.within(variable, depth).last().copied()
                }
            },
            Index::First => list().first().copied(),
            Index::Current | Index::Last => list().last().copied(),
            Index::Previous => list().iter().rev().nth(1).copied(),
        }
    }

    fn attribute(&self, event: usize, name: &str) -> Val {
        let found = self.events[event].attributes.iter().find(|(n, _)| *n == name);
        found.map_or(Val::Missing, |(_, value)| Val::of(value))
    }

    pub fn value(&self, expr: &Expr) -> Val {
        match &expr.kind {
            ExprKind::Literal(literal) => Val::literal(literal),
            ExprKind::Reference(reference) => match self.event(reference) {
                Some(event) => self.attribute(event, &reference.attribute.text),
                None => Val::Missing,
            },
            ExprKind::Aggregate(of) => {
                let mut list = self.list(self.tree.numbers[&*of.variable.text]);
                if of.range == AggregateRange::Before {
                    list.pop();
                }
                let value =
                    |event: usize| of.attribute.as_ref().map(|a| self.attribute(event, &a.text));
                let values: Vec<Option<Val>> = list.into_iter().map(value).collect();
                aggregate(of.function, &values)
            }
            ExprKind::Negate(inner) => self.value(inner).negate(),
            ExprKind::Arithmetic(op, left, right) => {
                arithmetic(*op, &self.value(left), &self.value(right))
            }
            _ => Val::truth(self.truth(expr)),
        }
    }

    pub fn truth(&self, expr: &Expr) -> Truth {
        let turned = |truth: Truth, negated: bool| if negated { not(truth) } else { truth };
        match &expr.kind {
            ExprKind::Not(inner) => not(self.truth(inner)),
            ExprKind::All(parts) => and(parts.iter().map(|part| self.truth(part))),
            ExprKind::Any(parts) => or(parts.iter().map(|part| self.truth(part))),
            ExprKind::Compare(op, left, right) => {
                compare(*op, &self.value(left), &self.value(right))
            }
            ExprKind::In { value, list, negated } => {
                let value = self.value(value);
                let equals = |e| compare(nfab::language::CompareOp::Eq, &value, &self.value(e));
                turned(or(list.iter().map(equals)), *negated)
            }
            ExprKind::Between { value, low, high, negated } => {
                use nfab::language::CompareOp::{Ge, Le};
                let value = self.value(value);
                let ends =
                    [compare(Ge, &value, &self.value(low)), compare(Le, &value, &self.value(high))];
                turned(and(ends), *negated)
            }
            ExprKind::IsNull { value, negated } => {
                Some((self.value(value) == Val::Missing) != *negated)
            }
            _ => self.value(expr).holds(),
        }
    }

    pub fn holds(&self, expr: &Expr) -> bool {
        self.truth(expr) == Some(true)
    }
}
