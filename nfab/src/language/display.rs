//! The canonical text of a query: parsing it gives the query back.

use std::fmt::{self, Display, Formatter};

use super::ast::{
    Aggregate, AggregateRange, ArithmeticOp, CompareOp, EventItem, Expr, ExprKind, Function, Gap,
    Group, GroupKind, Index, Item, Literal, Name, Predicate, Quantifier, Query, Reference,
    ReturnItem, ReturnValue, Skip, Strategy, Unit, Window,
};
use super::lexer::{is_reserved, is_word, quote};

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(from) = &self.from {
            write!(f, "FROM {from} ")?;
        }
        write!(f, "PATTERN {}", self.pattern)?;
        if self.strategy.is_some() || !self.predicates.is_empty() {
            f.write_str(" WHERE")?;
        }
        if let Some(strategy) = self.strategy {
            write!(f, " {strategy}")?;
        }
        if !self.predicates.is_empty() {
            f.write_str(" { ")?;
            for (i, predicate) in self.predicates.iter().enumerate() {
                f.write_str(if i == 0 { "" } else { " AND " })?;
                match predicate {
                    Predicate::Condition(expr) if self.predicates.len() > 1 => {
                        part(f, expr, Level::Not)?;
                    }
                    other => write!(f, "{other}")?,
                }
            }
            f.write_str(" }")?;
        }
        if let Some(within) = &self.within {
            write!(f, " WITHIN {}", within.window)?;
        }
        if let Some(skip) = &self.skip {
            write!(f, " AFTER MATCH {skip}")?;
        }
        if !self.returns.is_empty() {
            f.write_str(" RETURN ")?;
            list(f, &self.returns)?;
        }
        Ok(())
    }
}

fn list<T: Display>(f: &mut Formatter<'_>, parts: &[T]) -> fmt::Result {
    for (i, part) in parts.iter().enumerate() {
        write!(f, "{}{part}", if i == 0 { "" } else { ", " })?;
    }
    Ok(())
}

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if is_word(&self.text) && !is_reserved(&self.text) {
            f.write_str(&self.text)
        } else {
            f.write_str(&quote(&self.text, '`'))
        }
    }
}

/// A name where no keyword can stand, so that any word needs no backquotes.
struct AnyName<'n>(&'n Name);

impl Display for AnyName<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if is_word(&self.0.text) { f.write_str(&self.0.text) } else { self.0.fmt(f) }
    }
}

// The pattern.

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Item::Event(event) => event.fmt(f),
            Item::Group(group) => group.fmt(f),
        }
    }
}

impl Display for EventItem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let negation = if self.negated { "~" } else { "" };
        let brackets = if self.quantifier.repeats() { "[]" } else { "" };
        write!(f, "{negation}{}{} {}{brackets}", self.event_type, self.quantifier, self.variable)
    }
}

impl Display for Group {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            GroupKind::Seq => "SEQ(",
            GroupKind::Or => "OR(",
            GroupKind::And => "AND(",
        })?;
        for (i, item) in self.items.iter().enumerate() {
            if i > 0 {
                f.write_str(match self.gaps.get(i - 1) {
                    None | Some(Gap::Strategy) => ", ",
                    Some(Gap::Next) => " -> ",
                    Some(Gap::FollowedBy) => " ->> ",
                    Some(Gap::FollowedByAny) => " ->>> ",
                })?;
            }
            item.fmt(f)?;
        }
        write!(f, "){}", self.quantifier)
    }
}

impl Display for Quantifier {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Quantifier::One => Ok(()),
            Quantifier::Optional => f.write_str("?"),
            Quantifier::Repeat { min: 0, max: None } => f.write_str("*"),
            Quantifier::Repeat { min: 1, max: None } => f.write_str("+"),
            Quantifier::Repeat { min, max: None } => write!(f, "{{{min},}}"),
            Quantifier::Repeat { min, max: Some(max) } if min == max => write!(f, "{{{min}}}"),
            Quantifier::Repeat { min, max: Some(max) } => write!(f, "{{{min},{max}}}"),
        }
    }
}

// The clauses.

impl Display for Strategy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strategy::StrictContiguity => "strict_contiguity",
            Strategy::PartitionContiguity => "partition_contiguity",
            Strategy::SkipTillNextMatch => "skip_till_next_match",
            Strategy::SkipTillAnyMatch => "skip_till_any_match",
        })
    }
}

impl Display for Window {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Window::Time { amount, unit } => {
                let plural = matches!(unit, Unit::Hour | Unit::Day) && amount != 1;
                write!(f, "{amount} {unit}{}", if plural { "s" } else { "" })
            }
            Window::Events(n) => write!(f, "{n} EVENTS"),
        }
    }
}

impl Display for Unit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::Millisecond => "ms",
            Unit::Second => "s",
            Unit::Minute => "min",
            Unit::Hour => "hour",
            Unit::Day => "day",
        })
    }
}

impl Display for Skip {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Skip::NoSkip => f.write_str("NO SKIP"),
            Skip::ToNext => f.write_str("SKIP TO NEXT"),
            Skip::PastLast => f.write_str("SKIP PAST LAST"),
            Skip::ToFirst(variable) => write!(f, "SKIP TO FIRST {variable}"),
            Skip::ToLast(variable) => write!(f, "SKIP TO LAST {variable}"),
        }
    }
}

impl Display for ReturnItem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.value {
            ReturnValue::Events(variable) => variable.fmt(f)?,
            ReturnValue::Value(expr) => expr.fmt(f)?,
        }
        match &self.label {
            Some(label) => write!(f, " AS {}", AnyName(label)),
            None => Ok(()),
        }
    }
}

impl Display for Predicate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Predicate::Equivalence { attributes, .. } => {
                f.write_str("[")?;
                list(f, &attributes.iter().map(AnyName).collect::<Vec<_>>())?;
                f.write_str("]")
            }
            Predicate::Condition(expr) => expr.fmt(f),
        }
    }
}

// Expressions.

/// How tightly an expression binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Any,
    All,
    Not,
    Compare,
    Sum,
    Product,
    Sign,
    Term,
}

fn level(expr: &Expr) -> Level {
    match &expr.kind {
        ExprKind::Any(_) => Level::Any,
        ExprKind::All(_) => Level::All,
        ExprKind::Not(_) => Level::Not,
        ExprKind::Compare(..)
        | ExprKind::In { .. }
        | ExprKind::Between { .. }
        | ExprKind::IsNull { .. } => Level::Compare,
        ExprKind::Arithmetic(ArithmeticOp::Add | ArithmeticOp::Subtract, ..) => Level::Sum,
        ExprKind::Arithmetic(..) => Level::Product,
        ExprKind::Negate(_) => Level::Sign,
        ExprKind::Literal(_) | ExprKind::Reference(_) | ExprKind::Aggregate(_) => Level::Term,
    }
}

/// Writes an expression, in parentheses if it binds less tightly than asked for.
fn part(f: &mut Formatter<'_>, expr: &Expr, least: Level) -> fmt::Result {
    if level(expr) >= least { expr.fmt(f) } else { write!(f, "({expr})") }
}

fn joined(f: &mut Formatter<'_>, parts: &[Expr], word: &str, least: Level) -> fmt::Result {
    for (i, expr) in parts.iter().enumerate() {
        f.write_str(if i == 0 { "" } else { word })?;
        part(f, expr, least)?;
    }
    Ok(())
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let not = |negated: bool| if negated { "not " } else { "" };
        match &self.kind {
            ExprKind::Literal(literal) => literal.fmt(f),
            ExprKind::Reference(reference) => reference.fmt(f),
            ExprKind::Aggregate(aggregate) => aggregate.fmt(f),
            // Two signs in a row would begin a comment.
            ExprKind::Negate(inner) => {
                f.write_str("-")?;
                part(f, inner, Level::Term)
            }
            ExprKind::Not(inner) => {
                f.write_str("not ")?;
                part(f, inner, Level::Not)
            }
            ExprKind::All(parts) => joined(f, parts, " and ", Level::Not),
            ExprKind::Any(parts) => joined(f, parts, " or ", Level::All),
            ExprKind::Arithmetic(op, left, right) => {
                let (least, tighter) = match op {
                    ArithmeticOp::Add | ArithmeticOp::Subtract => (Level::Sum, Level::Product),
                    _ => (Level::Product, Level::Sign),
                };
                part(f, left, least)?;
                write!(f, " {op} ")?;
                part(f, right, tighter)
            }
            ExprKind::Compare(op, left, right) => {
                part(f, left, Level::Sum)?;
                write!(f, " {op} ")?;
                part(f, right, Level::Sum)
            }
            ExprKind::In { value, list, negated } => {
                part(f, value, Level::Sum)?;
                write!(f, " {}in (", not(*negated))?;
                joined(f, list, ", ", Level::Sum)?;
                f.write_str(")")
            }
            ExprKind::Between { value, low, high, negated } => {
                part(f, value, Level::Sum)?;
                write!(f, " {}between ", not(*negated))?;
                part(f, low, Level::Sum)?;
                f.write_str(" and ")?;
                part(f, high, Level::Sum)
            }
            ExprKind::IsNull { value, negated } => {
                part(f, value, Level::Sum)?;
                write!(f, " is {}null", not(*negated))
            }
        }
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Int(n) => n.fmt(f),
            Literal::Float(x) => write!(f, "{x:?}"),
            Literal::Bool(b) => b.fmt(f),
            Literal::Text(text) => f.write_str(&quote(text, '\'')),
        }
    }
}

impl Display for ArithmeticOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ArithmeticOp::Add => "+",
            ArithmeticOp::Subtract => "-",
            ArithmeticOp::Multiply => "*",
            ArithmeticOp::Divide => "/",
            ArithmeticOp::Remainder => "%",
        })
    }
}

impl Display for CompareOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CompareOp::Eq => "=",
            CompareOp::Ne => "!=",
            CompareOp::Lt => "<",
            CompareOp::Le => "<=",
            CompareOp::Gt => ">",
            CompareOp::Ge => ">=",
        })
    }
}

impl Display for Reference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let variable = &self.variable;
        match self.index {
            Index::Single => write!(f, "{variable}")?,
            Index::First => write!(f, "{variable}[1]")?,
            Index::Current => write!(f, "{variable}[i]")?,
            Index::Previous => write!(f, "{variable}[i-1]")?,
            Index::Last => write!(f, "{variable}[{variable}.LEN]")?,
        }
        write!(f, ".{}", AnyName(&self.attribute))
    }
}

impl Display for Aggregate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let range = match self.range {
            AggregateRange::Before => "[..i-1]",
            AggregateRange::All => "[]",
        };
        write!(f, "{}({}{range}", self.function, self.variable)?;
        if let Some(attribute) = &self.attribute {
            write!(f, ".{}", AnyName(attribute))?;
        }
        f.write_str(")")
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Function::Avg => "avg",
            Function::Min => "min",
            Function::Max => "max",
            Function::Sum => "sum",
            Function::Count => "count",
            Function::First => "first",
            Function::Last => "last",
        })
    }
}
