//! From expressions to compiled conditions: names to numbers, and types that fit.

use super::evaluate::{Term, Test};
use super::register::RegisterSpec;
use super::{Expr, Pick, Relation};
use crate::error::{Error, ErrorKind};
use crate::event::{Schema, Slot};
use crate::value::{Value, ValueType};

/// Deepest nesting of an expression.
const DEEPEST: usize = 200;

/// What is known of the type of an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Bool,
    Text,
    /// Only the events will tell.
    Any,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Number => "a number",
            Kind::Bool => "a truth value",
            Kind::Text => "text",
            Kind::Any => "of unknown type",
        }
    }
}

/// Compiles expressions against a schema and the stages of a pattern, and gathers the registers
/// that they read.
pub(crate) struct Compiler<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) stages: &'a [String],
    pub(crate) registers: Vec<RegisterSpec>,
    /// For each register the depth of the repeated group whose rounds it follows; 0: none.
    pub(crate) depths: Vec<u32>,
    /// Rounds of groups are known.
    pub(crate) rounds: bool,
}

fn mismatch(e: &Expr, is: Kind, should_be: &str) -> Error {
    Error::new(ErrorKind::Type, format!("`{e}` is {}, not {should_be}", is.name()))
}

impl<'a> Compiler<'a> {
    /// A compiler without registers so far.
    pub(crate) fn new(schema: &'a Schema, stages: &'a [String], rounds: bool) -> Self {
        Compiler { schema, stages, registers: Vec::new(), depths: Vec::new(), rounds }
    }

    /// Compiles a condition.
    pub(crate) fn test(&mut self, e: &Expr) -> Result<Test, Error> {
        self.test_at(e, 0)
    }

    /// Compiles an expression for a value of any type.
    pub(crate) fn value(&mut self, e: &Expr) -> Result<Term, Error> {
        Ok(self.term(e, 0)?.0)
    }

    fn slot(&self, name: &str) -> Result<(Slot, Kind), Error> {
        let Some(slot) = self.schema.slot(name) else {
            let known: Vec<&str> = self.schema.attributes().collect();
            return Err(Error::new(ErrorKind::Name, format!("there is no attribute `{name}`"))
                .with_hint(format!("the schema knows {}", list(&known))));
        };
        let kind = match self.schema.attribute_type(slot) {
            Some(ValueType::Int | ValueType::Float) => Kind::Number,
            Some(ValueType::Bool) => Kind::Bool,
            Some(ValueType::Text) => Kind::Text,
            None => Kind::Any,
        };
        Ok((slot, kind))
    }

    fn register(
        &mut self,
        pick: Pick,
        stage: &str,
        slot: Option<Slot>,
        depth: u32,
    ) -> Result<Term, Error> {
        if depth > 0 && !self.rounds {
            return Err(Error::new(ErrorKind::Pattern, "only queries know the rounds of a group")
                .with_hint("write the pattern as a query"));
        }
        let Some(stage) = self.stages.iter().position(|s| s == stage) else {
            let known: Vec<&str> = self.stages.iter().map(String::as_str).collect();
            return Err(Error::new(ErrorKind::Name, format!("there is no stage `{stage}`"))
                .with_hint(format!("the pattern has {}", list(&known))));
        };
        // A sum and an average of the same values share a register.
        let kept = if pick == Pick::Avg { Pick::Sum } else { pick };
        let spec = RegisterSpec { pick: kept, stage: stage as u32, slot, per_round: depth > 0 };
        let mut known = self.registers.iter().zip(&self.depths);
        let index = known.position(|(r, d)| *r == spec && *d == depth).unwrap_or_else(|| {
            self.registers.push(spec);
            self.depths.push(depth);
            self.registers.len() - 1
        });
        Ok(Term::Register(index, pick))
    }

    fn held(&mut self, e: &Expr) -> Result<(Term, Kind), Error> {
        let (pick, stage, attribute, depth) = match e {
            Expr::Held { pick, stage, attribute } => (pick, stage, attribute, 0),
            Expr::HeldInRound { pick, stage, attribute, depth } => (pick, stage, attribute, *depth),
            _ => unreachable!("only called on what is held"),
        };
        let Some(name) = attribute else {
            if *pick != Pick::Count {
                return Err(Error::new(ErrorKind::Type, format!("`{e}` lacks an attribute"))
                    .with_hint("only count goes without"));
            }
            return Ok((self.register(*pick, stage, None, depth)?, Kind::Number));
        };
        let (slot, kind) = self.slot(name)?;
        let kind = match pick {
            Pick::First | Pick::Last => kind,
            Pick::Count => Kind::Number,
            Pick::Min | Pick::Max if kind == Kind::Bool => {
                return Err(mismatch(&Expr::Attribute(name.clone()), kind, "a number or text"));
            }
            Pick::Min | Pick::Max => kind,
            Pick::Sum | Pick::Avg if matches!(kind, Kind::Bool | Kind::Text) => {
                return Err(mismatch(&Expr::Attribute(name.clone()), kind, "a number"));
            }
            Pick::Sum | Pick::Avg => Kind::Number,
        };
        Ok((self.register(*pick, stage, Some(slot), depth)?, kind))
    }

    fn number(&mut self, e: &Expr, depth: usize) -> Result<Term, Error> {
        match self.term(e, depth)? {
            (term, Kind::Number | Kind::Any) => Ok(term),
            (_, other) => Err(mismatch(e, other, "a number")),
        }
    }

    fn term(&mut self, e: &Expr, depth: usize) -> Result<(Term, Kind), Error> {
        let below = deeper(depth)?;
        Ok(match e {
            Expr::Constant(value) => {
                let kind = match value {
                    Value::Missing => Kind::Any,
                    Value::Int(_) | Value::Float(_) => Kind::Number,
                    Value::Bool(_) => Kind::Bool,
                    Value::Text(_) => Kind::Text,
                };
                (Term::Constant(value.clone()), kind)
            }
            Expr::Attribute(name) => {
                let (slot, kind) = self.slot(name)?;
                (Term::Slot(slot), kind)
            }
            Expr::Held { .. } | Expr::HeldInRound { .. } => self.held(e)?,
            Expr::Negate(a) => (Term::Negate(Box::new(self.number(a, below)?)), Kind::Number),
            Expr::Arithmetic(op, a, b) => {
                let (a, b) = (self.number(a, below)?, self.number(b, below)?);
                (Term::Arithmetic(*op, Box::new(a), Box::new(b)), Kind::Number)
            }
            _ => (Term::Test(Box::new(self.test_at(e, below)?)), Kind::Bool),
        })
    }

    /// Two operands that are to be compared.
    fn pair(&mut self, a: &Expr, b: &Expr, order: bool, depth: usize) -> Result<[Term; 2], Error> {
        let (left, kind) = self.term(a, depth)?;
        let (right, other) = self.term(b, depth)?;
        if kind != other && kind != Kind::Any && other != Kind::Any {
            let message = format!(
                "`{a}` is {} and `{b}` is {}: they never compare",
                kind.name(),
                other.name()
            );
            return Err(Error::new(ErrorKind::Type, message));
        }
        if order && (kind == Kind::Bool || other == Kind::Bool) {
            let message = format!("truth values such as `{a}` have no order");
            return Err(Error::new(ErrorKind::Type, message).with_hint("compare them with = or !="));
        }
        Ok([left, right])
    }

    fn all(&mut self, all: &[Expr], depth: usize) -> Result<Vec<Test>, Error> {
        all.iter().map(|e| self.test_at(e, depth)).collect()
    }

    fn test_at(&mut self, e: &Expr, depth: usize) -> Result<Test, Error> {
        let below = deeper(depth)?;
        Ok(match e {
            Expr::TypeIs(name) => match self.schema.type_id(name) {
                Some(id) => Test::TypeIs(id),
                None => {
                    let known: Vec<&str> = self.schema.types().collect();
                    let message = format!("there is no type of events `{name}`");
                    return Err(Error::new(ErrorKind::Name, message)
                        .with_hint(format!("the schema knows {}", list(&known))));
                }
            },
            Expr::Compare(relation, a, b) => {
                let order = !matches!(relation, Relation::Equal | Relation::NotEqual);
                let [a, b] = self.pair(a, b, order, below)?;
                Test::Compare(*relation, a, b)
            }
            Expr::And(all) => Test::And(self.all(all, below)?),
            Expr::Or(all) => Test::Or(self.all(all, below)?),
            Expr::Not(e) => Test::Not(Box::new(self.test_at(e, below)?)),
            Expr::In(one, all) => {
                let others: Result<Vec<Term>, Error> = all
                    .iter()
                    .map(|other| self.pair(one, other, false, below).map(|[_, other]| other))
                    .collect();
                let others = others?;
                Test::In(self.term(one, below)?.0, others)
            }
            Expr::Between(one, low, high) => {
                let [one_term, low] = self.pair(one, low, true, below)?;
                let [_, high] = self.pair(one, high, true, below)?;
                Test::Between(one_term, low, high)
            }
            Expr::IsMissing(e) => Test::IsMissing(self.term(e, below)?.0),
            Expr::Assume(e, b) => Test::Assume(Box::new(self.test_at(e, below)?), *b),
            Expr::Constant(_)
            | Expr::Attribute(_)
            | Expr::Held { .. }
            | Expr::HeldInRound { .. }
            | Expr::Negate(_)
            | Expr::Arithmetic(..) => match self.term(e, below)? {
                (term, Kind::Bool | Kind::Any) => Test::Term(term),
                (_, other) => return Err(mismatch(e, other, "a truth value")),
            },
        })
    }
}

fn deeper(depth: usize) -> Result<usize, Error> {
    if depth >= DEEPEST {
        let message = format!("an expression nests deeper than {DEEPEST} levels");
        return Err(Error::new(ErrorKind::Limit, message));
    }
    Ok(depth + 1)
}

/// Names in a sentence.
pub(crate) fn list(names: &[&str]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "),
    }
}
