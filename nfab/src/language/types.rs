//! Kinds of values as far as a query alone tells them.

use super::ast::{CompareOp, Expr, ExprKind, Function, Literal};
use super::place::parts;
use crate::{Error, ErrorKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    Text,
    Bool,
    /// An attribute.
    Open,
}

impl Kind {
    fn describe(self) -> &'static str {
        match self {
            Kind::Number => "a number",
            Kind::Text => "a string",
            Kind::Bool => "a condition",
            Kind::Open => "a value",
        }
    }

    fn fits(self, other: Kind) -> bool {
        self == other || self == Kind::Open || other == Kind::Open
    }
}

/// Checks that an expression can hold or not.
pub(super) fn condition(expr: &Expr) -> Result<(), Error> {
    let found = kind(expr)?;
    if found.fits(Kind::Bool) {
        return Ok(());
    }
    Err(mismatch(expr, format!("{} in place of a condition", found.describe()))
        .with_hint("compare it with something"))
}

/// The kind of an expression.
pub(super) fn kind(expr: &Expr) -> Result<Kind, Error> {
    match &expr.kind {
        ExprKind::Literal(Literal::Int(_)) => Ok(Kind::Number),
        ExprKind::Literal(Literal::Float(x)) if x.is_finite() => Ok(Kind::Number),
        ExprKind::Literal(Literal::Float(_)) => {
            Err(mismatch(expr, "a literal that is not a finite number".into()))
        }
        ExprKind::Literal(Literal::Bool(_)) => Ok(Kind::Bool),
        ExprKind::Literal(Literal::Text(_)) => Ok(Kind::Text),
        ExprKind::Reference(_) => Ok(Kind::Open),
        ExprKind::Aggregate(aggregate) => Ok(match aggregate.function {
            Function::Avg | Function::Sum | Function::Count => Kind::Number,
            Function::Min | Function::Max | Function::First | Function::Last => Kind::Open,
        }),
        ExprKind::Negate(_) | ExprKind::Arithmetic(..) => {
            for part in parts(expr) {
                let found = kind(part)?;
                if !found.fits(Kind::Number) {
                    let message = format!("arithmetic with {}", found.describe());
                    return Err(mismatch(part, message));
                }
            }
            Ok(Kind::Number)
        }
        ExprKind::Not(_) | ExprKind::All(_) | ExprKind::Any(_) => {
            parts(expr).into_iter().try_for_each(condition)?;
            Ok(Kind::Bool)
        }
        ExprKind::Compare(op, left, right) => {
            let ordered = !matches!(op, CompareOp::Eq | CompareOp::Ne);
            compared(left, &[&**right], ordered)
        }
        ExprKind::In { value, list, .. } => {
            compared(value, &list.iter().collect::<Vec<_>>(), false)
        }
        ExprKind::Between { value, low, high, .. } => compared(value, &[&**low, &**high], true),
        ExprKind::IsNull { value, .. } => match kind(value)? {
            Kind::Open => Ok(Kind::Bool),
            found if matches!(value.kind, ExprKind::Literal(_)) || found == Kind::Bool => {
                Err(mismatch(value, format!("{} is never null", found.describe())))
            }
            _ => Ok(Kind::Bool),
        },
    }
}

fn compared(value: &Expr, others: &[&Expr], ordered: bool) -> Result<Kind, Error> {
    let mut known = kind(value)?;
    for other in others {
        let right = kind(other)?;
        if !known.fits(right) {
            let message = format!("{} compared with {}", known.describe(), right.describe());
            return Err(mismatch(other, message).with_hint("they are never equal"));
        }
        if ordered && (known == Kind::Bool || right == Kind::Bool) {
            return Err(mismatch(other, "an order of conditions".into())
                .with_hint("true and false are compared with `=` and `!=`"));
        }
        // The ends of a range are of one kind; a list may mix them.
        if ordered && known == Kind::Open {
            known = right;
        }
    }
    Ok(Kind::Bool)
}

fn mismatch(expr: &Expr, message: String) -> Error {
    Error::new(ErrorKind::Type, message).with_span(expr.span.range())
}
