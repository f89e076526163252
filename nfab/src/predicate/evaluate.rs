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
        Truth::from(match relation {
            Relation::Equal => order.is_eq(),
            Relation::NotEqual => order.is_ne(),
            Relation::Less => order.is_lt(),
            Relation::LessOrEqual => order.is_le(),
            Relation::Greater => order.is_gt(),
            Relation::GreaterOrEqual => order.is_ge(),
        })
    }
}

impl Test {
    pub(crate) fn evaluate<E: Event>(&self, at: Context<'_, E>) -> Truth {
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
