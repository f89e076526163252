//! The automata of queries, looked at from outside and inside.

use super::super::program::{COMPLETE, Finish, NOWHERE};
use crate::event::Schema;
use crate::nfa::{Automaton, CompileOptions, KleeneOutput};

fn schema() -> Schema {
    let mut schema = Schema::new();
    for name in ["Stock", "A", "B", "C", "D", "N"] {
        schema.add_type(name);
    }
    for name in ["symbol", "price", "volume", "x", "k"] {
        schema.add_attribute(name, None);
    }
    schema
}

fn compiled(text: &str) -> Automaton {
    Automaton::from_text(text, &schema()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

const Q3: &str = "PATTERN SEQ(Stock+ a[], Stock b) WHERE skip_till_next_match { [symbol] AND \
    a[1].volume > 1000 AND a[i].price > avg(a[..i-1].price) AND b.volume < 0.8 * a[a.LEN].volume } \
    WITHIN 1 hour";

#[test]
fn q3_of_the_paper() {
    let automaton = compiled(Q3);
    println!("{}\n{:#?}", automaton.explain(), automaton.program);
}

#[test]
fn show() {
    let Ok(text) = std::env::var("Q") else { return };
    let automaton = compiled(&text);
    println!("{}\n{:#?}", automaton.explain(), automaton.program);
}
