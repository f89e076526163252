//! A stock that rises on large volume, and then trades little: the query of the SIGMOD 2008 paper.
//!
//! ```text
//! cargo run --example rising_stock
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::ops::ControlFlow;

use nfab::language::{Projection, Query, Returned};
use nfab::{
    Automaton, CompileOptions, Engine, Error, Event, Schema, Slot, TypeId, ValueRef, ValueType,
    Visit,
};

const QUERY: &str = "
    PATTERN SEQ(Stock+ a[], Stock b)
    WHERE skip_till_next_match {
        [symbol]
        AND a[1].volume > 1000
        AND a[i].price > avg(a[..i-1].price)
        AND b.volume < 0.8 * a[a.LEN].volume
    }
    WITHIN 1 hour
    RETURN a[1].symbol AS symbol, count(a[]) AS rises, max(a[].price) AS highest, b.volume AS volume";

/// Your own type of event: the engine asks for values by the numbers that the schema gave.
#[derive(Debug)]
struct Trade {
    time: i64,
    symbol: &'static str,
    price: i64,
    volume: i64,
}

impl Event for Trade {
    fn event_type(&self) -> TypeId {
        TypeId(0)
    }

    fn time(&self) -> i64 {
        self.time
    }

    fn attribute(&self, slot: Slot) -> ValueRef<'_> {
        match slot.0 {
            0 => ValueRef::Text(self.symbol),
            1 => ValueRef::Int(self.price),
            _ => ValueRef::Int(self.volume),
        }
    }
}

pub fn main() -> Result<(), Error> {
    let mut schema = Schema::new();
    schema.add_type("Stock");
    schema.add_attribute("symbol", Some(ValueType::Text));
    schema.add_attribute("price", Some(ValueType::Int));
    schema.add_attribute("volume", Some(ValueType::Int));

    let query = Query::parse(QUERY)?;
    let results = Projection::new(&query, &schema)?;
    let automaton = Automaton::from_query(&query, &schema, CompileOptions::new())?;
    println!("{}", automaton.explain());

    let mut engine = Engine::new(automaton);
    let mut found = Vec::new();
    let mut sink = Visit(|m: &nfab::Match<'_, Trade>| {
        let mut line = Vec::new();
        for (name, value) in results.names().iter().zip(results.evaluate(m)) {
            if let Returned::Value(value) = value {
                line.push(format!("{name} = {value}"));
            }
        }
        let line = line.join(", ");
        println!("{line}");
        found.push(line);
        ControlFlow::Continue(())
    });
    let prices = [100, 120, 120, 121, 120, 125, 120, 120];
    let volumes = [1010, 990, 1005, 999, 999, 750, 950, 700];
    for (minute, (price, volume)) in (0..).zip(prices.into_iter().zip(volumes)) {
        let time = minute * 60_000;
        engine.push(Trade { time, symbol: "ACME", price, volume }, &mut sink)?;
        // Another symbol in between does not disturb.
        engine.push(Trade { time, symbol: "IDLE", price: 7, volume: 100 }, &mut sink)?;
    }
    assert_eq!(
        found,
        [
            "symbol = 'ACME', rises = 5, highest = 121, volume = 750",
            "symbol = 'ACME', rises = 2, highest = 121, volume = 750",
            "symbol = 'ACME', rises = 7, highest = 125, volume = 700",
        ]
    );
    Ok(())
}
