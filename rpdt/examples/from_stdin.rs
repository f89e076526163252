//! A query over the standard input, however long it is, in memory that does not grow with it.
//!
//! ```text
//! cargo run -p rpdt --example from_stdin -- '//article[year]/title' < dblp.xml
//! zcat dblp.xml.gz | cargo run -p rpdt --example from_stdin -- '//article/{author, author+}'
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::io::Read;
use std::ops::ControlFlow;

use rpdt::{Answer, Error, ErrorKind, Needs, Plan, Stats, Value, Visit};

/// Prints the path and the text of each answer; gives the paths of the first ones, and counters.
pub fn search(query: &str, input: impl Read) -> Result<(Vec<String>, Stats), Error> {
    let plan = Plan::parse(query)?;
    let mut first = Vec::new();
    let needs = Needs { end: true, path: true, text: true, ..Needs::default() };
    let show = Visit::new(needs, |_, answer| {
        // A single return mark gives nodes, several give tuples, a run is a list.
        let nodes: Vec<_> = match answer {
            Answer::Node(node) => vec![*node],
            Answer::Tuple(fields) | Answer::Instance(fields) => {
                let values = fields.iter().map(|field| &field.value);
                values
                    .flat_map(|value| match value {
                        Value::Node(node) => std::slice::from_ref(node),
                        Value::List(nodes) => nodes.as_slice(),
                    })
                    .copied()
                    .collect()
            }
        };
        for node in nodes {
            println!("{}\t{}", node.path, node.text.trim());
            if first.len() < 10 {
                first.push(node.path.to_owned());
            }
        }
        ControlFlow::Continue(())
    });
    let stats = plan.run_reader(input, show)?.stats;
    Ok((first, stats))
}

pub fn main() -> Result<(), Error> {
    let query = std::env::args().nth(1).ok_or_else(|| {
        Error::new(ErrorKind::Usage, "a query is missing")
            .with_hint("from_stdin '//a/b' < document.xml")
    })?;
    let (_, stats) = search(&query, std::io::stdin().lock())?;
    println!(
        "{} answers in {} bytes; at most {} bytes were held",
        stats.answers, stats.bytes, stats.peak_buffered_bytes
    );
    Ok(())
}
