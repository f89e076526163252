//! Conditions: expressions over the event under test and over what a run holds.
//!
//! Start with [`Expr`]; `typecheck` turns it into what `evaluate` runs.

mod build;
mod display;
pub(crate) mod evaluate;
pub(crate) mod number;
pub(crate) mod register;
pub(crate) mod typecheck;

use crate::value::Value;

/// An operator on numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Quotient. Of two integers it is the exact fraction: `7 / 2 > 3` holds.
    Divide,
    /// Remainder, with the sign of the dividend.
    Remainder,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// What is taken of the events that a run holds for a stage, in the order of acceptance. The event
/// under test is not among them. A stage inside a repeated group counts all iterations so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pick {
    /// The value of the first event, `a[1]`.
    First,
    /// The value of the last event, `a[i-1]`.
    Last,
    /// The smallest value. Missing values and NaN are left out, as in the other aggregates.
    Min,
    /// The greatest value.
    Max,
    /// The sum; 0 if there is nothing to add.
    Sum,
    /// The average, an exact fraction for integers; missing if there is nothing to average.
    Avg,
    /// With an attribute the number of its values that are not missing, without one the number of
    /// events.
    Count,
}

/// An expression. Comparisons with a missing value are unknown; so are `not`, `and`, `or` of
/// unknown operands as in SQL, and a condition that is unknown does not accept an event.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Expr {
    /// A constant.
    Constant(Value),
    /// An attribute of the event under test.
    Attribute(String),
    /// Something of the events that the run holds for a stage.
    Held {
        /// What of them.
        pick: Pick,
        /// The stage.
        stage: String,
        /// The attribute; only [`Pick::Count`] goes without.
        attribute: Option<String>,
    },
    /// Likewise, of the current round of a repeated group alone. Only queries know rounds; a pattern
    /// of the builder that asks for them is refused.
    HeldInRound {
        /// What of them.
        pick: Pick,
        /// The stage.
        stage: String,
        /// The attribute; only [`Pick::Count`] goes without.
        attribute: Option<String>,
        /// Which of the repeated groups around the stage, counted from 1 at the outermost.
        depth: u32,
    },
    /// The event under test is of this type.
    TypeIs(String),
    /// The number with its sign changed.
    Negate(Box<Expr>),
    /// An operator on numbers.
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    /// A comparison.
    Compare(Relation, Box<Expr>, Box<Expr>),
    /// All hold; true if there are none.
    And(Vec<Expr>),
    /// One holds; false if there are none.
    Or(Vec<Expr>),
    /// It does not hold.
    Not(Box<Expr>),
    /// The first equals one of the others.
    In(Box<Expr>, Vec<Expr>),
    /// The first lies between the others, both included.
    Between(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The value is missing.
    IsMissing(Box<Expr>),
    /// The condition, with unknown replaced by a truth value.
    Assume(Box<Expr>, bool),
}
