//! What do patterns have in common, and which method is worth it? A plan answers before any event has
//! come: counts for each method, how each pattern is composed, and a drawing for Graphviz.
//!
//! ```text
//! cargo run -p multipattern --example what_is_shared
//! cargo run -p multipattern --example what_is_shared -- dot | dot -Tsvg > model.svg
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use multipattern::{Error, Method, PatternId, PatternSet, Plan};

pub fn main() -> Result<(), Error> {
    let set = PatternSet::parse(
        "car:   SEQ(Press, Weld, Paint, Fit, Check)
         van:   SEQ(Press, Weld, Paint, Check)
         truck: SEQ(Cast, Weld, Paint, Fit, Test)
         repair: SEQ(Weld, Paint)",
    )?;
    let plans: Vec<Plan> = Method::COMPARED.iter().map(|&m| Plan::new(m, &set)).collect();
    if std::env::args().nth(1).as_deref() == Some("dot") {
        print!("{}", plans[3].to_dot());
        return Ok(());
    }

    println!("method     states edges shared composites");
    for plan in &plans {
        let s = plan.summary();
        println!(
            "{:<10} {:>6} {:>5} {:>6} {:>10}",
            s.method, s.states, s.edges, s.shared_nodes, s.rules
        );
    }
    println!();
    for number in 0..set.len() as u32 {
        // Composites are named by numbers; each stands for two operands or more.
        let derivation = plans[3].explain(PatternId(number)).expect("a pattern of the set");
        println!("{derivation}");
    }

    // Each pattern by itself takes an edge for each operand; what is shared takes fewer.
    let [single, optimized, sharing, proposed] = [0, 1, 2, 3].map(|at| plans[at].summary());
    assert_eq!((single.edges, optimized.edges), (16, 16));
    assert!(sharing.edges < single.edges && proposed.edges < sharing.edges);
    assert!(proposed.rules > 0);
    Ok(())
}
