//! A query that a program puts together instead of a person: from the fields of a form, without any
//! text to be escaped. It displays as text, and the automaton can be looked at.
//!
//! ```text
//! cargo run -p rpdt --example built_query
//! cargo run -p rpdt --example built_query -- dot | dot -Tsvg > automaton.svg
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use rpdt::paper::PaperAutomaton;
use rpdt::pattern::Op;
use rpdt::pattern::builder::{Query, child, seq, sym};
use rpdt::{Config, Count, Error, Pattern, Plan};

/// What was filled in.
struct Form<'a> {
    seller: &'a str,
    at_least: f64,
    raises: u32,
}

/// Auctions of a seller in which a high bid is directly followed by so many others.
fn query(form: &Form<'_>) -> Result<Pattern, Error> {
    Query::descendant("auction")
        .branch(child("seller").value(Op::Eq, form.seller))
        .regular(seq([
            sym("bid").attr("amount", Op::Ge, form.at_least).labelled("high"),
            sym("bid").repeat(form.raises, None),
        ]))
        .build()
}

const SITE: &str = r#"<site>
  <auction><seller>O'Hara</seller>
    <bid amount="5"/><bid amount="40"/><bid amount="41"/><bid amount="50"/></auction>
  <auction><seller>Ann</seller><bid amount="90"/><bid amount="91"/><bid amount="92"/></auction>
</site>"#;

pub fn main() -> Result<(), Error> {
    let pattern = query(&Form { seller: "O'Hara", at_least: 40.0, raises: 2 })?;
    let automaton = PaperAutomaton::new(&pattern);
    if std::env::args().nth(1).as_deref() == Some("dot") {
        print!("{}", automaton.to_dot());
        return Ok(());
    }
    println!("{pattern}");
    println!("{} states, {} edges", automaton.states().len(), automaton.edges().len());

    let plan = Plan::new(vec![pattern], Config::new())?;
    let outcome = plan.run_slice(SITE.as_bytes(), Count::new())?;
    println!("{} answers", outcome.sink.total());
    assert_eq!(outcome.sink.total(), 1);

    // What is not a name is refused when the query is built, as in text.
    assert!(Query::descendant("two words").build().is_err());
    Ok(())
}
