//! Texts out of a bibliography: the titles of articles, counted by the number of authors.
//!
//! ```text
//! cargo run -p rpdt --example titles
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rpdt::input::EntityTable;
use rpdt::{Answer, Config, Error, Needs, Pattern, Plan, Value, Visit};

/// The authors stand in front of the title; all are returned. A step is compared through `.`, its
/// string value.
const QUERY: &str = "/dblp/article[year[.>=1990]]/{ author!+ , title! }";

const BIBLIOGRAPHY: &str = r#"<?xml version="1.0"?>
<!DOCTYPE dblp SYSTEM "dblp.dtd">
<dblp>
  <article key="a/1"><author>Ada</author><title>Streams of <i>n</i> trees</title><year>1995</year></article>
  <article key="a/2"><author>Ada</author><author>J&uuml;rgen</author><title>Runs</title><year>2001</year></article>
  <article key="a/3"><author>Ada</author><title>Too old</title><year>1982</year></article>
  <inproceedings key="c/1"><author>Kim</author><title>Elsewhere</title><year>1999</year></inproceedings>
  <article key="a/4"><author>Kim</author><title>Buffers &amp; bounds</title><year>2010</year></article>
</dblp>"#;

pub fn main() -> Result<(), Error> {
    // The external DTD is not read; what it would say about `&uuml;` is told here.
    let config = Config::new().entity_table(EntityTable::new().with("uuml", "\u{fc}"));
    let plan = Plan::new(vec![Pattern::parse(QUERY)?], config)?;

    let mut titles = Vec::new();
    let mut by_authors: BTreeMap<usize, u32> = BTreeMap::new();
    let needs = Needs { end: true, text: true, ..Needs::default() };
    plan.run_reader(
        BIBLIOGRAPHY.as_bytes(),
        Visit::new(needs, |_, answer| {
            if let Answer::Tuple(fields) = answer {
                for field in fields {
                    match (&field.value, field.label) {
                        (Value::List(nodes), "author") => {
                            *by_authors.entry(nodes.len()).or_default() += 1;
                        }
                        (Value::List(nodes), _) => {
                            titles.extend(nodes.iter().map(|node| node.text.to_owned()));
                        }
                        (Value::Node(_), _) => {}
                    }
                }
            }
            ControlFlow::Continue(())
        }),
    )?;

    for title in &titles {
        println!("{title}");
    }
    println!("articles by number of authors: {by_authors:?}");
    assert_eq!(titles, ["Streams of n trees", "Runs", "Buffers & bounds"]);
    assert_eq!(by_authors, BTreeMap::from([(1, 2), (2, 1)]));
    Ok(())
}
