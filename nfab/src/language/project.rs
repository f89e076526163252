//! The `RETURN` clause: what a match gives.

use super::ast::{Query, ReturnValue};
use crate::error::Error;
use crate::event::{Event, Schema};
use crate::nfa::sase::{Outside, check_attributes};
use crate::predicate::evaluate::{Context, Faults, Scalar, Term};
use crate::predicate::number::Number;
use crate::predicate::register::{Register, RegisterSpec};
use crate::predicate::typecheck::Compiler;
use crate::runtime::Match;
use crate::value::Value;

/// The `RETURN` clause of a query, compiled. Without one, the events of each variable are returned.
///
/// ```
/// use std::ops::ControlFlow;
/// use nfab::language::{Projection, Query, Returned};
/// use nfab::{Automaton, CompileOptions, Engine, Match, Record, Schema, Value, ValueType, Visit};
///
/// let mut schema = Schema::new();
/// let tick = schema.add_type("Tick");
/// let price = schema.add_attribute("price", Some(ValueType::Int));
/// let query = Query::parse(
///     "PATTERN SEQ(Tick+ a[], Tick b) { a[i].price > a[i-1].price AND b.price < a[a.LEN].price }
///      RETURN b, avg(a[].price) AS mean",
/// )?;
/// let projection = Projection::new(&query, &schema)?;
/// assert_eq!(projection.names(), ["b", "mean"]);
///
/// let automaton = Automaton::from_query(&query, &schema, CompileOptions::new())?;
/// let mut engine = Engine::new(automaton);
/// let mut returned = Vec::new();
/// let mut sink = Visit(|found: &Match<'_, Record>| {
///     returned.push(projection.evaluate(found));
///     ControlFlow::Continue(())
/// });
/// for (time, value) in [10, 13, 5].into_iter().enumerate() {
///     engine.push(Record::new(tick, time as i64).with(price, value), &mut sink)?;
/// }
/// // The last event of three, and the mean of the two before it.
/// assert_eq!(returned[0], [Returned::Events(vec![2]), Returned::Value(Value::Float(11.5))]);
/// # Ok::<(), nfab::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Projection {
    names: Vec<String>,
    items: Vec<Item>,
    /// What the values are made of.
    registers: Vec<RegisterSpec>,
    stages: Vec<String>,
}

#[derive(Clone, Debug)]
enum Item {
    /// The events of a variable.
    Events(u32),
    Value(Term),
}

/// What one item of a `RETURN` clause gives for a match.
#[derive(Clone, Debug, PartialEq)]
pub enum Returned {
    /// The events of a variable, by their places among the events of the match.
    Events(Vec<usize>),
    /// A value. Arithmetic is exact; a fraction that is not a whole number, or a whole number
    /// beyond 64 bits, is given as a float. What is unknown is [`Value::Missing`].
    Value(Value),
}

impl Projection {
    /// Compiles the clause.
    ///
    /// # Errors
    ///
    /// What [`Query::check`] finds; attributes that the schema lacks; operators on types that they
    /// are not made for.
    pub fn new(query: &Query, schema: &Schema) -> Result<Projection, Error> {
        query.check()?;
        check_attributes(query, schema)?;
        let outside = Outside::new(query);
        let mut compiler = Compiler::new(schema, outside.stages(), false);
        let mut items = Vec::new();
        for item in &query.returns {
            items.push(match &item.value {
                ReturnValue::Events(name) => Item::Events(outside.stage(name)),
                ReturnValue::Value(expr) => {
                    let term = compiler.value(&outside.expr(expr));
                    Item::Value(term.map_err(|e| e.with_span(item.span.range()))?)
                }
            });
        }
        let registers = std::mem::take(&mut compiler.registers);
        let stages = outside.stages().to_vec();
        let mut names: Vec<String> = query.returns.iter().map(|item| item.name()).collect();
        if items.is_empty() {
            items = (0..stages.len() as u32).map(Item::Events).collect();
            names.clone_from(&stages);
        }
        Ok(Projection { names, items, registers, stages })
    }

    /// The names of the results, in the order of the clause.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What the clause gives for a match of the query.
    #[must_use]
    pub fn evaluate<E: Event>(&self, found: &Match<'_, E>) -> Vec<Returned> {
        let taken: Vec<(u32, &E)> = (found.events().iter())
            .filter_map(|(name, event)| {
                let stage = self.stages.iter().position(|stage| stage == name)?;
                Some((stage as u32, event))
            })
            .collect();
        let mut registers: Vec<Register> = self.registers.iter().map(|r| r.empty()).collect();
        for (spec, register) in self.registers.iter().zip(&mut registers) {
            for (_, event) in taken.iter().filter(|(stage, _)| *stage == spec.stage) {
                spec.update(register, *event);
            }
        }
        let faults = Faults::default();
        let items = self.items.iter().map(|item| match item {
            Item::Events(wanted) => {
                let of = taken.iter().enumerate().filter(|(_, (stage, _))| stage == wanted);
                Returned::Events(of.map(|(place, _)| place).collect())
            }
            Item::Value(term) => Returned::Value(match taken.last() {
                Some(&(_, event)) => {
                    let at = Context { event, registers: &registers, faults: &faults };
                    value(term.evaluate(at))
                }
                None => Value::Missing,
            }),
        });
        items.collect()
    }
}

fn value(scalar: Scalar<'_>) -> Value {
    match scalar {
        Scalar::Missing => Value::Missing,
        Scalar::Bool(b) => Value::Bool(b),
        Scalar::Text(text) => Value::from(text),
        Scalar::Number(Number::Float(x)) => Value::Float(x),
        Scalar::Number(Number::Exact(n, 1)) => match i64::try_from(n) {
            Ok(n) => Value::Int(n),
            Err(_) => Value::Float(n as f64),
        },
        Scalar::Number(Number::Exact(n, d)) => Value::Float(n as f64 / d as f64),
    }
}
