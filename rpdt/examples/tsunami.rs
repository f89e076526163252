//! Early warning: a stream that arrives in pieces, as from a socket, and alarms while it arrives.
//!
//! ```text
//! cargo run -p rpdt --example tsunami
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::ops::ControlFlow;

use rpdt::input::Flow;
use rpdt::{Answer, Config, Error, Needs, Pattern, Plan, Runs, Value, Visit};

/// A quake of 6.5 or more, directly followed by any number of waves above one metre, at a station
/// that has reported a temperature.
const ALARM: &str = "//station[temp!]/{ quake[@mag>=6.5]! , wave[@h>1]!* }";

/// What the stations send. The root element stays open as long as they do.
const FEED: &str = r#"<?xml version="1.0"?>
<sea>
  <station id="Kushiro">
    <temp c="11.2"/>
    <quake mag="4.1"/> <wave h="0.3"/>
    <quake mag="7.8"/> <wave h="1.4"/> <wave h="2.2"/> <wave h="0.9"/>
  </station>
  <station id="Hilo">
    <quake mag="6.9"/> <!-- no wave yet --> <wave h="1.1"/>
    <temp c="24.0"/>
  </station>
  <station id="Valdivia">
    <temp c="9.7"/>
    <quake mag="6.4"/> <wave h="3.0"/>
  </station>
</sea>"#;

pub fn main() -> Result<(), Error> {
    // An alarm at the quake, and again at each wave: we do not wait for the last one.
    let config = Config::new().runs(Runs::Live);
    let plan = Plan::new(vec![Pattern::parse(ALARM)?], config)?;

    let mut alarms = Vec::new();
    let needs = Needs { attributes: true, path: true, ..Needs::default() };
    let mut matcher = plan.matcher(Visit::new(needs, |_, answer| {
        let alarm = describe(answer);
        println!("{alarm}");
        alarms.push(alarm);
        ControlFlow::Continue(())
    }));
    // A real program reads from its socket; the pieces may end anywhere, also inside a tag.
    for piece in FEED.as_bytes().chunks(40) {
        if matcher.feed(piece)? == Flow::Stopped {
            break;
        }
    }
    matcher.finish()?;

    assert_eq!(
        alarms,
        [
            "/sea[1]/station[1]/quake[2] of 7.8, waves []",
            "/sea[1]/station[1]/quake[2] of 7.8, waves [\"1.4\"]",
            "/sea[1]/station[1]/quake[2] of 7.8, waves [\"1.4\", \"2.2\"]",
            // The temperature came last; with it the alarms became certain.
            "/sea[1]/station[2]/quake[1] of 6.9, waves []",
            "/sea[1]/station[2]/quake[1] of 6.9, waves [\"1.1\"]",
        ]
    );
    Ok(())
}

/// A tuple has a field for each return mark; those of a regular expression hold lists.
fn describe(answer: &Answer<'_>) -> String {
    let Answer::Tuple(fields) = answer else { return String::new() };
    let (mut quake, mut waves) = (String::new(), Vec::new());
    for field in fields {
        let Value::List(nodes) = &field.value else { continue };
        for node in nodes {
            let value = node.attributes.first().map_or("?", |(_, value)| value);
            match field.label {
                "quake" => quake = format!("{} of {value}", node.path),
                _ => waves.push(value),
            }
        }
    }
    format!("{quake}, waves {waves:?}")
}
