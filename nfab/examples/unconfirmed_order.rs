//! Goods that left without a confirmation in between: what must not occur, in the middle of a pattern.
//!
//! ```text
//! cargo run -p nfab --example unconfirmed_order
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::ops::ControlFlow;

use nfab::{
    Automaton, Engine, Error, Event, Expr, Match, Pattern, Record, Schema, ValueType, Visit,
};

pub fn main() -> Result<(), Error> {
    let mut schema = Schema::new();
    let (ordered, confirmed) = (schema.add_type("ordered"), schema.add_type("confirmed"));
    let shipped = schema.add_type("shipped");
    let (order, amount) = (
        schema.add_attribute("order", Some(ValueType::Int)),
        schema.add_attribute("amount", Some(ValueType::Int)),
    );

    // Orders of 1000 and more want a confirmation before they are shipped.
    let pattern = Pattern::begin("large")
        .where_(Expr::type_is("ordered").and(Expr::attribute("amount").ge(1000)))
        .not_followed_by("approval")
        .where_(Expr::type_is("confirmed"))
        .followed_by("gone")
        .where_(Expr::type_is("shipped"))
        .partition_by(["order"])
        .build()?;
    let automaton = Automaton::compile(&pattern, &schema)?;
    println!("{}", automaton.explain());
    let mut engine = Engine::new(automaton);

    let mut wrong = Vec::new();
    let mut sink = Visit(|found: &Match<'_, Record>| {
        for event in found.events().stage("gone") {
            let number = event.attribute(order).to_value();
            wrong.push(format!("order {number} on day {}", event.time()));
        }
        ControlFlow::Continue(())
    });
    for (kind, day, number, value) in [
        (ordered, 1, 17, 2_500),
        (ordered, 1, 18, 9_000),
        (ordered, 2, 19, 40),
        (confirmed, 3, 17, 0),
        (shipped, 4, 19, 0),
        (shipped, 5, 17, 0),
        (shipped, 6, 18, 0),
        (confirmed, 7, 18, 0), // too late
    ] {
        engine.push(Record::new(kind, day).with(order, number).with(amount, value), &mut sink)?;
    }
    println!("{}", wrong.join("\n"));
    assert_eq!(wrong, ["order 18 on day 6"]);
    Ok(())
}
