//! Several queries in one pass.
//!
//! ```text
//! cargo run -p rpdt --example several
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use rpdt::{Config, Count, Error, Pattern, Plan};

const SITE: &str = r#"<site>
  <people>
    <person id="p0"><name>Ann</name><address><city>Oslo</city></address></person>
    <person id="p1"><name>Bo</name></person>
  </people>
  <open_auctions>
    <open_auction id="o0"><initial/><bidder/><bidder/><bidder/><current/></open_auction>
    <open_auction id="o1"><initial/><current/></open_auction>
    <open_auction id="o2"><initial/><bidder/><current/></open_auction>
  </open_auctions>
</site>"#;

/// What is asked, and a name for the report.
const QUESTIONS: [(&str, &str); 4] = [
    ("people with an address", "/site/people/person[address/city]"),
    ("auctions with two bids in a row", "//open_auction[{bidder, bidder}]"),
    ("auctions without bids", "//open_auction[{initial, current}]"),
    ("bids after the first", "//open_auction/{bidder, bidder!*}"),
];

pub fn main() -> Result<(), Error> {
    let patterns: Result<Vec<Pattern>, Error> =
        QUESTIONS.iter().map(|(_, query)| Pattern::parse(query)).collect();
    let plan = Plan::new(patterns?, Config::new())?;

    let outcome = plan.run_slice(SITE.as_bytes(), Count::new())?;
    let counts: Vec<u64> = (0..QUESTIONS.len()).map(|i| outcome.sink.of(i)).collect();
    for ((question, _), count) in QUESTIONS.iter().zip(&counts) {
        println!("{question}: {count}");
    }
    println!("one pass over {} tags", outcome.stats.tags);
    assert_eq!(counts, [1, 1, 1, 2]);
    Ok(())
}
