//! Shopping carts that were filled but not paid for within half an hour: the partial matches whose
//! window has passed are what is wanted.
//!
//! ```text
//! cargo run -p nfab --example abandoned_cart
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::ops::ControlFlow;

use nfab::{Automaton, Config, Engine, Error, Expr, Match, Pattern, Record, Schema, Sink, Slot};
use nfab::{Event, TimedOut, ValueRef, ValueType};

const HALF_AN_HOUR: i64 = 30 * 60 * 1_000;

struct Report {
    customer: Slot,
    paid: u32,
    left: Vec<(i64, i64)>,
}

impl Sink<Record> for Report {
    fn matched(&mut self, _: &Match<'_, Record>) -> ControlFlow<()> {
        self.paid += 1;
        ControlFlow::Continue(())
    }

    fn timed_out(&mut self, partial: &TimedOut<'_, Record>) -> ControlFlow<()> {
        for event in partial.events().stage("filled") {
            if let ValueRef::Int(customer) = event.attribute(self.customer) {
                println!("customer {customer} left a cart behind at {}", event.time());
                self.left.push((customer, event.time()));
            }
        }
        ControlFlow::Continue(())
    }
}

pub fn main() -> Result<(), Error> {
    let mut schema = Schema::new();
    let (add, pay) = (schema.add_type("add"), schema.add_type("pay"));
    let customer = schema.add_attribute("customer", Some(ValueType::Int));
    let pattern = Pattern::begin("filled")
        .where_(Expr::type_is("add"))
        .followed_by("paid")
        .where_(Expr::type_is("pay"))
        .where_(Expr::attribute("customer").eq(Expr::first("filled", "customer")))
        .within(HALF_AN_HOUR)
        .build()?;

    let config = Config::new().timeouts(true);
    let mut engine = Engine::with_config(Automaton::compile(&pattern, &schema)?, config);
    let mut report = Report { customer, paid: 0, left: vec![] };
    for (kind, minute, who) in [(add, 0, 1), (add, 3, 2), (pay, 10, 1), (add, 45, 3)] {
        let event = Record::new(kind, minute * 60_000).with(customer, who);
        engine.push(event, &mut report)?;
    }
    println!("{} paid", report.paid);
    assert_eq!(report.paid, 1);
    assert_eq!(report.left, [(2, 3 * 60_000)]);
    Ok(())
}
