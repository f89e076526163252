//! Patterns as text.

use std::fmt::{self, Display, Formatter};

use super::{Condition, Operand, Pattern, Relation, Term, TimeUnit, Window};
use crate::parser::{is_plain_name, quote_name};

struct Name<'a>(&'a str);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if is_plain_name(self.0) { f.write_str(self.0) } else { f.write_str(&quote_name(self.0)) }
    }
}

impl Display for Relation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
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

impl Display for TimeUnit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TimeUnit::Nanosecond => "ns",
            TimeUnit::Microsecond => "us",
            TimeUnit::Millisecond => "ms",
            TimeUnit::Second => "s",
            TimeUnit::Minute => "min",
            TimeUnit::Hour => "h",
            TimeUnit::Day => "d",
        })
    }
}

impl Display for Window {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Window::Events(events) => write!(f, "{events} EVENTS"),
            Window::Time(amount, unit) => write!(f, "{amount} {unit}"),
        }
    }
}

/// How a condition of operand `at` names an earlier one: by its label, by its type if that is clear,
/// else by its position.
fn reference(operands: &[Operand], at: usize, position: usize) -> String {
    let operand = &operands[position];
    if let Some(label) = operand.label() {
        return Name(label).to_string();
    }
    let earlier = operands[..at].iter();
    if earlier.filter(|other| other.event_type == operand.event_type).count() == 1 {
        return Name(&operand.event_type).to_string();
    }
    format!("#{}", position + 1)
}

fn term(f: &mut Formatter<'_>, operands: &[Operand], at: usize, term: &Term) -> fmt::Result {
    match term {
        Term::Own(name) => write!(f, "{}", Name(name)),
        Term::Of(position, name) => {
            write!(f, "{}.{}", reference(operands, at, *position), Name(name))
        }
        Term::Value(value) => write!(f, "{value}"),
    }
}

impl Display for Pattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: SEQ(", Name(&self.id))?;
        for (at, operand) in self.operands.iter().enumerate() {
            if at > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{}", Name(&operand.event_type))?;
            if let Some(label) = &operand.label {
                write!(f, " {}", Name(label))?;
            }
            for (number, Condition { left, relation, right }) in
                operand.conditions.iter().enumerate()
            {
                f.write_str(if number == 0 { "[" } else { " AND " })?;
                term(f, &self.operands, at, left)?;
                write!(f, " {relation} ")?;
                term(f, &self.operands, at, right)?;
            }
            if !operand.conditions.is_empty() {
                f.write_str("]")?;
            }
        }
        f.write_str(")")?;
        match self.window {
            Some(window) => write!(f, " WITHIN {window}"),
            None => Ok(()),
        }
    }
}
