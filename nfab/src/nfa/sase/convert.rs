//! Expressions of the language as expressions over an event and what a run holds.

use super::tree::Tree;
use crate::language::{
    Aggregate, AggregateRange, ArithmeticOp, CompareOp, Expr as Text, ExprKind, Function, Index,
    Literal, Reference,
};
use crate::predicate::{Arithmetic, Expr, Pick, Relation};
use crate::value::Value;

/// What the variable of an edge is on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    /// The event under test is its first one.
    First,
    /// It is a further one.
    Later,
    /// Only the run knows which of the two.
    Either,
    /// It is complete: its list or its group is left.
    Leave,
    /// All variables are complete.
    Outside,
    /// The event under test must not occur.
    Negated,
}

/// From where an expression looks at the events of a match.
#[derive(Clone, Copy)]
pub(super) struct Sight<'a> {
    pub(super) tree: &'a Tree<'a>,
    /// The variable of the edge.
    pub(super) variable: u32,
    pub(super) role: Role,
    /// Registers of rounds at this depth and deeper are of the round before, and read as empty.
    pub(super) fresh: Option<u32>,
}

/// What a register without events reads.
pub(super) fn empty(pick: Pick) -> Expr {
    Expr::Constant(match pick {
        Pick::Sum | Pick::Count => Value::Int(0),
        _ => Value::Missing,
    })
}

/// Nothing is held at this depth.
pub(super) fn constant_count(depth: u32, fresh: Option<u32>) -> bool {
    fresh.is_some_and(|fresh| depth >= fresh)
}

/// A single event of a repeated group occurs in the expression as `v[1]` only.
pub(super) fn first_only(expr: &Text, name: &str) -> bool {
    match &expr.kind {
        ExprKind::Reference(r) if &*r.variable.text == name => r.index == Index::First,
        ExprKind::Aggregate(a) => &*a.variable.text != name,
        _ => crate::language::parts(expr).into_iter().all(|part| first_only(part, name)),
    }
}

/// The expression looks at a single event of a repeated group in other rounds than its own.
pub(super) fn compares_rounds(expr: &Text, name: &str) -> bool {
    match &expr.kind {
        ExprKind::Reference(r) if &*r.variable.text == name => r.index != Index::Single,
        ExprKind::Aggregate(a) => &*a.variable.text == name,
        _ => crate::language::parts(expr).into_iter().any(|part| compares_rounds(part, name)),
    }
}

impl Sight<'_> {
    /// How many repeated groups this place and another variable have in common.
    pub(super) fn common(&self, other: u32) -> u32 {
        if self.role == Role::Outside {
            return 0;
        }
        let own = self.tree.variable(self.variable);
        let mut rounds = own.rounds.as_slice();
        // The end of a group is outside of it.
        if self.role == Role::Leave && !own.is_list() {
            rounds = rounds.split_last().map_or(rounds, |(_, around)| around);
        }
        let other = &self.tree.variable(other).rounds;
        rounds.iter().zip(other).take_while(|(a, b)| a == b).count() as u32
    }

    /// Something of the events of a variable in the current round at a depth; 0: of all.
    pub(super) fn held(
        &self,
        pick: Pick,
        variable: u32,
        attribute: Option<String>,
        depth: u32,
    ) -> Expr {
        if constant_count(depth, self.fresh) {
            return empty(pick);
        }
        let stage = self.tree.variable(variable).name().to_owned();
        match depth {
            0 => Expr::Held { pick, stage, attribute },
            _ => Expr::HeldInRound { pick, stage, attribute, depth },
        }
    }

    /// What is seen of a list. A single event of a group is listed over the rounds of its group.
    fn list(&self, pick: Pick, variable: u32, attribute: Option<String>) -> Expr {
        let of = self.tree.variable(variable);
        let mut depth = self.common(variable);
        if !of.is_list() {
            depth = depth.min((of.rounds.len() as u32).saturating_sub(1));
        }
        self.held(pick, variable, attribute, depth)
    }

    fn reference(&self, reference: &Reference) -> Expr {
        let attribute = reference.attribute.text.to_string();
        let variable = self.tree.numbers[&*reference.variable.text];
        let tested = variable == self.variable && !matches!(self.role, Role::Leave | Role::Outside);
        match reference.index {
            Index::Single | Index::Current if tested => Expr::Attribute(attribute),
            Index::First if tested && self.role == Role::First => Expr::Attribute(attribute),
            Index::Single => {
                self.held(Pick::Last, variable, Some(attribute), self.common(variable))
            }
            Index::First => self.list(Pick::First, variable, Some(attribute)),
            Index::Current | Index::Previous | Index::Last => {
                self.list(Pick::Last, variable, Some(attribute))
            }
        }
    }

    fn aggregate(&self, aggregate: &Aggregate) -> Expr {
        let pick = match aggregate.function {
            Function::Avg => Pick::Avg,
            Function::Min => Pick::Min,
            Function::Max => Pick::Max,
            Function::Sum => Pick::Sum,
            Function::Count => Pick::Count,
            Function::First => Pick::First,
            Function::Last => Pick::Last,
        };
        // Where `v[..i-1]` is allowed, the event under test is none of those held.
        let (AggregateRange::Before | AggregateRange::All) = aggregate.range;
        let variable = self.tree.numbers[&*aggregate.variable.text];
        let attribute = aggregate.attribute.as_ref().map(|name| name.text.to_string());
        self.list(pick, variable, attribute)
    }

    /// The expression, seen from here.
    pub(super) fn expr(&self, expr: &Text) -> Expr {
        let boxed = |e: &Text| Box::new(self.expr(e));
        let all = |all: &[Text]| all.iter().map(|e| self.expr(e)).collect::<Vec<_>>();
        let unless = |e: Expr, negated: bool| if negated { Expr::Not(Box::new(e)) } else { e };
        match &expr.kind {
            ExprKind::Literal(literal) => Expr::Constant(match literal {
                Literal::Int(i) => Value::Int(*i),
                Literal::Float(x) => Value::Float(*x),
                Literal::Bool(b) => Value::Bool(*b),
                Literal::Text(text) => Value::Text((**text).into()),
            }),
            ExprKind::Reference(reference) => self.reference(reference),
            ExprKind::Aggregate(aggregate) => self.aggregate(aggregate),
            ExprKind::Negate(inner) => Expr::Negate(boxed(inner)),
            ExprKind::Not(inner) => Expr::Not(boxed(inner)),
            ExprKind::All(parts) => Expr::And(all(parts)),
            ExprKind::Any(parts) => Expr::Or(all(parts)),
            ExprKind::Arithmetic(op, left, right) => {
                Expr::Arithmetic(arithmetic(*op), boxed(left), boxed(right))
            }
            ExprKind::Compare(op, left, right) => {
                Expr::Compare(relation(*op), boxed(left), boxed(right))
            }
            ExprKind::In { value, list, negated } => {
                unless(Expr::In(boxed(value), all(list)), *negated)
            }
            ExprKind::Between { value, low, high, negated } => {
                unless(Expr::Between(boxed(value), boxed(low), boxed(high)), *negated)
            }
            ExprKind::IsNull { value, negated } => unless(Expr::IsMissing(boxed(value)), *negated),
        }
    }
}

fn arithmetic(op: ArithmeticOp) -> Arithmetic {
    match op {
        ArithmeticOp::Add => Arithmetic::Add,
        ArithmeticOp::Subtract => Arithmetic::Subtract,
        ArithmeticOp::Multiply => Arithmetic::Multiply,
        ArithmeticOp::Divide => Arithmetic::Divide,
        ArithmeticOp::Remainder => Arithmetic::Remainder,
    }
}

fn relation(op: CompareOp) -> Relation {
    match op {
        CompareOp::Eq => Relation::Equal,
        CompareOp::Ne => Relation::NotEqual,
        CompareOp::Lt => Relation::Less,
        CompareOp::Le => Relation::LessOrEqual,
        CompareOp::Gt => Relation::Greater,
        CompareOp::Ge => Relation::GreaterOrEqual,
    }
}
