//! Expressions as text.

use std::fmt;

use super::{Arithmetic, Expr, Pick, Relation};

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Arithmetic::Add => "+",
            Arithmetic::Subtract => "-",
            Arithmetic::Multiply => "*",
            Arithmetic::Divide => "/",
            Arithmetic::Remainder => "%",
        })
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relation::Equal => "=",
            Relation::NotEqual => "!=",
            Relation::Less => "<",
            Relation::LessOrEqual => "<=",
            Relation::Greater => ">",
            Relation::GreaterOrEqual => ">=",
        })
    }
}

impl fmt::Display for Pick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pick::First => "first",
            Pick::Last => "last",
            Pick::Min => "min",
            Pick::Max => "max",
            Pick::Sum => "sum",
            Pick::Avg => "avg",
            Pick::Count => "count",
        })
    }
}

/// How tightly the outermost operator of an expression binds.
fn strength(e: &Expr) -> u8 {
    match e {
        Expr::Or(all) if all.len() > 1 => 1,
        Expr::And(all) if all.len() > 1 => 2,
        Expr::Not(_) => 3,
        Expr::Compare(..) | Expr::In(..) | Expr::Between(..) | Expr::IsMissing(_) => 4,
        Expr::TypeIs(_) => 4,
        Expr::Arithmetic(Arithmetic::Add | Arithmetic::Subtract, ..) => 5,
        Expr::Arithmetic(..) => 6,
        Expr::Negate(_) => 7,
        _ => 8,
    }
}

struct Inside<'a>(&'a Expr, u8);

impl fmt::Display for Inside<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if strength(self.0) < self.1 { write!(f, "({})", self.0) } else { self.0.fmt(f) }
    }
}

fn joined(f: &mut fmt::Formatter<'_>, all: &[Expr], word: &str, strength: u8) -> fmt::Result {
    for (i, e) in all.iter().enumerate() {
        if i > 0 {
            write!(f, " {word} ")?;
        }
        write!(f, "{}", Inside(e, strength))?;
    }
    Ok(())
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Constant(v) => v.fmt(f),
            Expr::Attribute(name) => f.write_str(name),
            Expr::Held { pick, stage, attribute: Some(a) } => write!(f, "{pick}({stage}.{a})"),
            Expr::Held { pick, stage, attribute: None } => write!(f, "{pick}({stage})"),
            Expr::HeldInRound { pick, stage, attribute, depth } => {
                write!(f, "{pick}({stage}")?;
                attribute.iter().try_for_each(|a| write!(f, ".{a}"))?;
                f.write_str(" of this round")?;
                // Groups inside others are told apart by their depth.
                if *depth > 1 { write!(f, " at depth {depth})") } else { f.write_str(")") }
            }
            Expr::TypeIs(name) => write!(f, "type = {name}"),
            Expr::Negate(e) => write!(f, "-{}", Inside(e, 8)),
            Expr::Arithmetic(op, a, b) => {
                let own = strength(self);
                write!(f, "{} {op} {}", Inside(a, own), Inside(b, own + 1))
            }
            Expr::Compare(rel, a, b) => write!(f, "{} {rel} {}", Inside(a, 5), Inside(b, 5)),
            Expr::And(all) if all.is_empty() => f.write_str("true"),
            Expr::Or(all) if all.is_empty() => f.write_str("false"),
            Expr::And(all) => joined(f, all, "and", 3),
            Expr::Or(all) => joined(f, all, "or", 2),
            Expr::Not(e) => write!(f, "not {}", Inside(e, 4)),
            Expr::In(e, all) => {
                write!(f, "{} in (", Inside(e, 5))?;
                for (i, one) in all.iter().enumerate() {
                    write!(f, "{}{one}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str(")")
            }
            Expr::Between(e, low, high) => {
                write!(f, "{} between {} and {}", Inside(e, 5), Inside(low, 5), Inside(high, 5))
            }
            Expr::IsMissing(e) => write!(f, "{} is null", Inside(e, 5)),
            Expr::Assume(e, b) => write!(f, "coalesce({e}, {b})"),
        }
    }
}
