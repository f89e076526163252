//! Building expressions in a program.

use super::{Arithmetic, Expr, Pick, Relation};
use crate::value::Value;

fn held(pick: Pick, stage: impl Into<String>, attribute: impl Into<String>) -> Expr {
    Expr::Held { pick, stage: stage.into(), attribute: Some(attribute.into()) }
}

#[allow(clippy::should_implement_trait)]
impl Expr {
    /// A constant.
    #[must_use]
    pub fn constant(value: impl Into<Value>) -> Expr {
        Expr::Constant(value.into())
    }

    /// An attribute of the event under test.
    #[must_use]
    pub fn attribute(name: impl Into<String>) -> Expr {
        Expr::Attribute(name.into())
    }

    /// The event under test is of this type.
    #[must_use]
    pub fn type_is(name: impl Into<String>) -> Expr {
        Expr::TypeIs(name.into())
    }

    /// The attribute of the first event of a stage.
    #[must_use]
    pub fn first(stage: impl Into<String>, attribute: impl Into<String>) -> Expr {
        held(Pick::First, stage, attribute)
    }

    /// The attribute of the last event of a stage.
    #[must_use]
    pub fn last(stage: impl Into<String>, attribute: impl Into<String>) -> Expr {
        held(Pick::Last, stage, attribute)
    }

    /// The smallest value of an attribute in a stage.
    #[must_use]
    pub fn min(stage: impl Into<String>, attribute: impl Into<String>) -> Expr {
        held(Pick::Min, stage, attribute)
    }

    /// The greatest value of an attribute in a stage.
    #[must_use]
    pub fn max(stage: impl Into<String>, attribute: impl Into<String>) -> Expr {
        held(Pick::Max, stage, attribute)
    }

    /// The sum of an attribute over a stage.
    #[must_use]
    pub fn sum(stage: impl Into<String>, attribute: impl Into<String>) -> Expr {
        held(Pick::Sum, stage, attribute)
    }

    /// The average of an attribute over a stage.
    #[must_use]
    pub fn avg(stage: impl Into<String>, attribute: impl Into<String>) -> Expr {
        held(Pick::Avg, stage, attribute)
    }

    /// The number of events of a stage.
    #[must_use]
    pub fn count(stage: impl Into<String>) -> Expr {
        Expr::Held { pick: Pick::Count, stage: stage.into(), attribute: None }
    }

    /// A comparison with the given relation.
    #[must_use]
    pub fn compare(self, relation: Relation, other: impl Into<Expr>) -> Expr {
        Expr::Compare(relation, Box::new(self), Box::new(other.into()))
    }

    /// `self = other`
    #[must_use]
    pub fn eq(self, other: impl Into<Expr>) -> Expr {
        self.compare(Relation::Equal, other)
    }

    /// `self != other`
    #[must_use]
    pub fn ne(self, other: impl Into<Expr>) -> Expr {
        self.compare(Relation::NotEqual, other)
    }

    /// `self < other`
    #[must_use]
    pub fn lt(self, other: impl Into<Expr>) -> Expr {
        self.compare(Relation::Less, other)
    }

    /// `self <= other`
    #[must_use]
    pub fn le(self, other: impl Into<Expr>) -> Expr {
        self.compare(Relation::LessOrEqual, other)
    }

    /// `self > other`
    #[must_use]
    pub fn gt(self, other: impl Into<Expr>) -> Expr {
        self.compare(Relation::Greater, other)
    }

    /// `self >= other`
    #[must_use]
    pub fn ge(self, other: impl Into<Expr>) -> Expr {
        self.compare(Relation::GreaterOrEqual, other)
    }

    fn arithmetic(self, operator: Arithmetic, other: impl Into<Expr>) -> Expr {
        Expr::Arithmetic(operator, Box::new(self), Box::new(other.into()))
    }

    /// `self + other`
    #[must_use]
    pub fn add(self, other: impl Into<Expr>) -> Expr {
        self.arithmetic(Arithmetic::Add, other)
    }

    /// `self - other`
    #[must_use]
    pub fn sub(self, other: impl Into<Expr>) -> Expr {
        self.arithmetic(Arithmetic::Subtract, other)
    }

    /// `self * other`
    #[must_use]
    pub fn mul(self, other: impl Into<Expr>) -> Expr {
        self.arithmetic(Arithmetic::Multiply, other)
    }

    /// `self / other`
    #[must_use]
    pub fn div(self, other: impl Into<Expr>) -> Expr {
        self.arithmetic(Arithmetic::Divide, other)
    }

    /// `self % other`
    #[must_use]
    pub fn rem(self, other: impl Into<Expr>) -> Expr {
        self.arithmetic(Arithmetic::Remainder, other)
    }

    /// The number with its sign changed.
    #[must_use]
    pub fn neg(self) -> Expr {
        Expr::Negate(Box::new(self))
    }

    /// Both hold.
    #[must_use]
    pub fn and(self, other: Expr) -> Expr {
        match self {
            Expr::And(mut all) => {
                all.push(other);
                Expr::And(all)
            }
            first => Expr::And(vec![first, other]),
        }
    }

    /// One of the two holds.
    #[must_use]
    pub fn or(self, other: Expr) -> Expr {
        match self {
            Expr::Or(mut all) => {
                all.push(other);
                Expr::Or(all)
            }
            first => Expr::Or(vec![first, other]),
        }
    }

    /// It does not hold.
    #[must_use]
    pub fn not(self) -> Expr {
        Expr::Not(Box::new(self))
    }

    /// The value is one of these.
    #[must_use]
    pub fn is_in(self, values: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::In(Box::new(self), values.into_iter().collect())
    }

    /// The value lies between two others, both included.
    #[must_use]
    pub fn between(self, low: impl Into<Expr>, high: impl Into<Expr>) -> Expr {
        Expr::Between(Box::new(self), Box::new(low.into()), Box::new(high.into()))
    }

    /// The value is missing.
    #[must_use]
    pub fn is_missing(self) -> Expr {
        Expr::IsMissing(Box::new(self))
    }

    /// The condition, with unknown replaced by a truth value.
    #[must_use]
    pub fn assume(self, when_unknown: bool) -> Expr {
        Expr::Assume(Box::new(self), when_unknown)
    }
}

impl<T: Into<Value>> From<T> for Expr {
    fn from(value: T) -> Expr {
        Expr::Constant(value.into())
    }
}
