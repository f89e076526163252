//! Running compiled conditions.

use std::cell::Cell;
use std::cmp::Ordering;

use super::number::{NoNumber, Number};
use super::register::Register;
use super::{Arithmetic, Pick, Relation};
use crate::event::{Event, Slot, TypeId};
use crate::value::{Truth, Value, ValueRef};

/// A value while an expression is evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scalar<'a> {
    Missing,
    Number(Number),
    Bool(bool),
    Text(&'a str),
}

impl<'a> From<ValueRef<'a>> for Scalar<'a> {
    fn from(value: ValueRef<'a>) -> Self {
        match value {
            ValueRef::Missing => Scalar::Missing,
            ValueRef::Int(i) => Scalar::Number(Number::Exact(i128::from(i), 1)),
            ValueRef::Float(x) => Scalar::Number(Number::Float(x)),
            ValueRef::Bool(b) => Scalar::Bool(b),
            ValueRef::Text(t) => Scalar::Text(t),
        }
    }
}

/// The order of two values of one type; `None` if there is none.
pub(crate) fn compare_scalars(a: Scalar<'_>, b: Scalar<'_>) -> Option<Ordering> {
    match (a, b) {
        (Scalar::Number(a), Scalar::Number(b)) => a.compare(b),
        (Scalar::Bool(a), Scalar::Bool(b)) => Some(a.cmp(&b)),
        (Scalar::Text(a), Scalar::Text(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

/// What went wrong inside conditions so far; each made a condition unknown.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pub(crate) types: Cell<u64>,
    pub(crate) overflows: Cell<u64>,
    pub(crate) divisions: Cell<u64>,
}

fn count(cell: &Cell<u64>) {
    cell.set(cell.get() + 1);
}

/// A compiled expression that gives a value.
#[derive(Clone, Debug)]
pub(crate) enum Term {
    Constant(Value),
    Slot(Slot),
    Register(usize, Pick),
    Negate(Box<Term>),
    Arithmetic(Arithmetic, Box<Term>, Box<Term>),
    Test(Box<Test>),
}

/// A compiled expression that gives a truth value.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    TypeIs(TypeId),
    Compare(Relation, Term, Term),
    And(Vec<Test>),
    Or(Vec<Test>),
    Not(Box<Test>),
    In(Term, Vec<Term>),
    Between(Term, Term, Term),
    IsMissing(Term),
    Assume(Box<Test>, bool),
    Term(Term),
}

/// Where a condition looks: the event under test, and what the run holds.
pub(crate) struct Context<'a, E> {
    pub(crate) event: &'a E,
    pub(crate) registers: &'a [Register],
    pub(crate) faults: &'a Faults,
}

impl<E> Clone for Context<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Context<'_, E> {}

impl Term {
    /// The value, if it is an integer that is there without any work.
    #[inline]
    fn int<E: Event>(&self, at: Context<'_, E>) -> Option<i64> {
        match self {
            Term::Slot(slot) => match at.event.attribute(*slot) {
                ValueRef::Int(i) => Some(i),
                _ => None,
            },
            Term::Register(index, pick) if pick.is_value() => at.registers[*index].int(),
            Term::Constant(Value::Int(i)) => Some(*i),
            _ => None,
        }
    }

    pub(crate) fn evaluate<'a, E: Event>(&'a self, at: Context<'a, E>) -> Scalar<'a> {
        match self {
            Term::Constant(v) => Scalar::from(v.as_ref()),
            Term::Slot(slot) => Scalar::from(at.event.attribute(*slot)),
            Term::Register(index, pick) => at.registers[*index].read(*pick),
            Term::Negate(e) => match e.evaluate(at) {
                Scalar::Number(n) => at.number(n.negate()),
                other => at.not_a_number(&[other]),
            },
            Term::Arithmetic(op, a, b) => match (a.evaluate(at), b.evaluate(at)) {
                (Scalar::Number(a), Scalar::Number(b)) => at.number(a.apply(*op, b)),
                (a, b) => at.not_a_number(&[a, b]),
            },
            Term::Test(test) => match test.evaluate(at) {
                Truth::Unknown => Scalar::Missing,
                known => Scalar::Bool(known.holds()),
            },
        }
    }
}

impl<'a, E: Event> Context<'a, E> {
    fn number(self, result: Result<Number, NoNumber>) -> Scalar<'a> {
        match result {
            Ok(n) => Scalar::Number(n),
            Err(NoNumber::Overflow) => {
                count(&self.faults.overflows);
                Scalar::Missing
            }
            Err(NoNumber::DivisionByZero) => {
                count(&self.faults.divisions);
                Scalar::Missing
            }
        }
    }

    fn not_a_number(self, operands: &[Scalar<'_>]) -> Scalar<'a> {
        if operands.iter().any(|s| matches!(s, Scalar::Bool(_) | Scalar::Text(_))) {
            count(&self.faults.types);
        }
        Scalar::Missing
    }

    fn compare(self, relation: Relation, a: Scalar<'_>, b: Scalar<'_>) -> Truth {
        let order = match (a, b) {
            (Scalar::Missing, _) | (_, Scalar::Missing) => return Truth::Unknown,
            (Scalar::Number(a), Scalar::Number(b)) => a.compare(b),
            (Scalar::Bool(_), Scalar::Bool(_)) | (Scalar::Text(_), Scalar::Text(_)) => {
                compare_scalars(a, b)
            }
            _ => {
                count(&self.faults.types);
                return Truth::Unknown;
            }
        };
        // NaN equals and orders with nothing.
        let Some(order) = order else {
            return Truth::from(relation == Relation::NotEqual);
        };
        Truth::from(relation.allows(order))
    }
}

impl Relation {
    #[inline]
    fn allows(self, order: Ordering) -> bool {
        match self {
            Relation::Equal => order.is_eq(),
            Relation::NotEqual => order.is_ne(),
            Relation::Less => order.is_lt(),
            Relation::LessOrEqual => order.is_le(),
            Relation::Greater => order.is_gt(),
            Relation::GreaterOrEqual => order.is_ge(),
        }
    }

    /// The relation of the second to the first.
    fn turned(self) -> Relation {
        match self {
            Relation::Equal | Relation::NotEqual => self,
            Relation::Less => Relation::Greater,
            Relation::LessOrEqual => Relation::GreaterOrEqual,
            Relation::Greater => Relation::Less,
            Relation::GreaterOrEqual => Relation::LessOrEqual,
        }
    }
}

/// The integers for which a comparison with a constant holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    low: i64,
    /// How far the greatest one is from the least.
    span: u64,
    /// It is these, or all the others.
    inside: bool,
}

impl Range {
    /// Every integer.
    pub(crate) const ALL: Range = Range { low: i64::MIN, span: u64::MAX, inside: true };

    /// Integers `r` with `r relation value`.
    #[inline]
    fn new(relation: Relation, value: i64) -> Range {
        let up_to = |high: Option<i64>, inside: bool| match high {
            Some(high) => (i64::MIN, high.wrapping_sub(i64::MIN) as u64, inside),
            // There is none.
            None => (i64::MIN, u64::MAX, !inside),
        };
        let (low, span, inside) = match relation {
            Relation::Equal => (value, 0, true),
            Relation::NotEqual => (value, 0, false),
            Relation::Less => up_to(value.checked_sub(1), true),
            Relation::LessOrEqual => up_to(Some(value), true),
            Relation::Greater => up_to(Some(value), false),
            Relation::GreaterOrEqual => up_to(value.checked_sub(1), false),
        };
        Range { low, span, inside }
    }

    #[inline]
    pub(crate) fn holds(&self, value: i64) -> bool {
        (value.wrapping_sub(self.low) as u64 <= self.span) == self.inside
    }
}

/// A register that is compared with an attribute of the event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison {
    pub(crate) register: usize,
    relation: Relation,
    slot: Slot,
}

impl Comparison {
    /// The integers in the register for which it holds, if the attribute is an integer.
    #[inline]
    pub(crate) fn range<E: Event>(&self, event: &E) -> Option<Range> {
        match event.attribute(self.slot) {
            ValueRef::Int(value) => Some(Range::new(self.relation, value)),
            _ => None,
        }
    }
}

/// What can be said of a condition once the event is known, before looking at all of it: so one or
/// two comparisons serve for most runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sieve {
    /// The event alone rules it out.
    never: bool,
    first: Option<(usize, Range)>,
    second: Option<(usize, Range)>,
    /// More is needed for it to hold.
    partly: bool,
}

impl Sieve {
    /// Whether the condition holds; `None` if this does not tell.
    #[inline]
    pub(crate) fn check(&self, registers: &[Register]) -> Option<bool> {
        if self.never {
            return Some(false);
        }
        let mut known = !self.partly;
        for (register, range) in [&self.first, &self.second].into_iter().flatten() {
            match registers[*register].int().map(|value| range.holds(value)) {
                // One of several that does not hold is enough.
                Some(false) => return Some(false),
                Some(true) => {}
                None => known = false,
            }
        }
        known.then_some(true)
    }

    fn gather<E: Event>(&mut self, test: &Test, at: Context<'_, E>) {
        match test {
            Test::And(all) => all.iter().for_each(|test| self.gather(test, at)),
            _ if self.never => {}
            _ if !test.reads_registers() => self.never = !test.evaluate(at).holds(),
            _ => match (test.range(at), &self.first, &self.second) {
                (Some(range), None, _) => self.first = Some(range),
                (Some(range), _, None) => self.second = Some(range),
                _ => self.partly = true,
            },
        }
    }
}

impl Test {
    /// What can be said of the condition, given the event.
    pub(crate) fn sieve<E: Event>(&self, event: &E, faults: &Faults) -> Option<Sieve> {
        let at = Context { event, registers: &[], faults };
        let mut sieve = Sieve::default();
        sieve.gather(self, at);
        (sieve.never || sieve.first.is_some()).then_some(sieve)
    }

    /// What an attribute may be, if the condition compares it with a constant integer and the
    /// attribute is one, too.
    pub(crate) fn attribute_range(&self) -> Option<(Slot, Range)> {
        let Test::Compare(relation, a, b) = self else { return None };
        match (a, b) {
            (Term::Slot(slot), Term::Constant(Value::Int(value))) => {
                Some((*slot, Range::new(*relation, *value)))
            }
            (Term::Constant(Value::Int(value)), Term::Slot(slot)) => {
                Some((*slot, Range::new(relation.turned(), *value)))
            }
            _ => None,
        }
    }

    /// The comparison of a register with an attribute of the event, if that is the condition.
    pub(crate) fn comparison(&self) -> Option<Comparison> {
        let register = |term: &Term| match term {
            Term::Register(register, pick) if pick.is_value() => Some(*register),
            _ => None,
        };
        let Test::Compare(relation, a, b) = self else { return None };
        let (register, relation, slot) = match (a, b) {
            (a, Term::Slot(slot)) => (register(a)?, *relation, *slot),
            (Term::Slot(slot), b) => (register(b)?, relation.turned(), *slot),
            _ => return None,
        };
        Some(Comparison { register, relation, slot })
    }

    /// What a register may hold, if the condition compares it with an integer of the event.
    fn range<E: Event>(&self, at: Context<'_, E>) -> Option<(usize, Range)> {
        let register = |term: &Term| match term {
            Term::Register(register, pick) if pick.is_value() => Some(*register),
            _ => None,
        };
        match self {
            // What is said of integers is known.
            Test::Assume(test, _) if matches!(**test, Test::Compare(..)) => test.range(at),
            Test::Compare(relation, a, b) => match (register(a), register(b)) {
                (Some(register), None) if !b.reads_registers() => {
                    Some((register, Range::new(*relation, b.int(at)?)))
                }
                (None, Some(register)) if !a.reads_registers() => {
                    Some((register, Range::new(relation.turned(), a.int(at)?)))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

impl Test {
    #[inline]
    pub(crate) fn evaluate<E: Event>(&self, at: Context<'_, E>) -> Truth {
        match self {
            Test::TypeIs(id) => Truth::from(at.event.event_type() == *id),
            Test::Compare(relation, a, b) => match (a.int(at), b.int(at)) {
                (Some(a), Some(b)) => Truth::from(relation.allows(a.cmp(&b))),
                _ => self.evaluate_any(at),
            },
            _ => self.evaluate_any(at),
        }
    }

    fn evaluate_any<E: Event>(&self, at: Context<'_, E>) -> Truth {
        match self {
            Test::TypeIs(id) => Truth::from(at.event.event_type() == *id),
            Test::Compare(relation, a, b) => at.compare(*relation, a.evaluate(at), b.evaluate(at)),
            Test::And(all) => {
                let mut truth = Truth::True;
                for test in all {
                    truth = truth.and(test.evaluate(at));
                    if truth == Truth::False {
                        break;
                    }
                }
                truth
            }
            Test::Or(all) => {
                let mut truth = Truth::False;
                for test in all {
                    truth = truth.or(test.evaluate(at));
                    if truth == Truth::True {
                        break;
                    }
                }
                truth
            }
            Test::Not(test) => test.evaluate(at).not(),
            Test::In(one, all) => {
                let one = one.evaluate(at);
                let equals = |other: &Term| at.compare(Relation::Equal, one, other.evaluate(at));
                all.iter().fold(Truth::False, |truth, other| truth.or(equals(other)))
            }
            Test::Between(one, low, high) => {
                let one = one.evaluate(at);
                at.compare(Relation::GreaterOrEqual, one, low.evaluate(at)).and(at.compare(
                    Relation::LessOrEqual,
                    one,
                    high.evaluate(at),
                ))
            }
            Test::IsMissing(e) => Truth::from(matches!(e.evaluate(at), Scalar::Missing)),
            Test::Assume(test, when_unknown) => match test.evaluate(at) {
                Truth::Unknown => Truth::from(*when_unknown),
                known => known,
            },
            Test::Term(term) => match term.evaluate(at) {
                Scalar::Bool(b) => Truth::from(b),
                Scalar::Missing => Truth::Unknown,
                _ => {
                    count(&at.faults.types);
                    Truth::Unknown
                }
            },
        }
    }
}

impl Term {
    fn reads_registers(&self) -> bool {
        match self {
            Term::Constant(_) | Term::Slot(_) => false,
            Term::Register(..) => true,
            Term::Negate(e) => e.reads_registers(),
            Term::Arithmetic(_, a, b) => a.reads_registers() || b.reads_registers(),
            Term::Test(test) => test.reads_registers(),
        }
    }
}

impl Test {
    /// It depends on what the run holds, not on the event alone.
    pub(crate) fn reads_registers(&self) -> bool {
        match self {
            Test::TypeIs(_) => false,
            Test::Compare(_, a, b) => a.reads_registers() || b.reads_registers(),
            Test::And(all) | Test::Or(all) => all.iter().any(Test::reads_registers),
            Test::Not(test) | Test::Assume(test, _) => test.reads_registers(),
            Test::In(one, all) => one.reads_registers() || all.iter().any(Term::reads_registers),
            Test::Between(a, b, c) => [a, b, c].iter().any(|e| e.reads_registers()),
            Test::IsMissing(e) | Test::Term(e) => e.reads_registers(),
        }
    }
}

#[cfg(test)]
mod tests;
