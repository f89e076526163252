//! Rules that come and go while events flow: one that sees what is still in its window, one that begins
//! now, and one that is withdrawn. All others go on in the middle of what they had begun.
//!
//! ```text
//! cargo run -p multipattern --example rules_at_run_time
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use multipattern::{Collect, Config, Detector, Error, Pattern, PatternSet, Record};

/// Types of alarms of a network, as they come.
const ALARMS: [&str; 10] =
    ["Fan", "Heat", "Link", "Fan", "Reset", "Heat", "Link", "Reset", "Heat", "Link"];

pub fn main() -> Result<(), Error> {
    let mut set = PatternSet::parse("overheating: SEQ(Fan, Heat) WITHIN 6 EVENTS")?;
    // Held events are remembered with what the schema knows when they come.
    for name in ALARMS {
        set.schema_mut().add_type(name);
    }
    let mut detector = Detector::with_config(&set, Config::new().hold_events(6))?;

    let mut lines = Vec::new();
    for (second, name) in ALARMS.into_iter().enumerate() {
        match second {
            4 => {
                // Sees the alarms from `Fan`, the first one, on.
                detector.add_backfilled(Pattern::parse("restart: SEQ(Link, Reset)")?)?;
                // Sees `Reset` and what comes after it.
                detector.add(Pattern::parse("late: SEQ(Link, Reset) WITHIN 5 EVENTS")?)?;
            }
            8 => {
                let gone = detector.find("overheating").expect("it is there");
                let gone = detector.remove(gone).expect("it was alive");
                lines.push(format!("{second}: without {gone}"));
            }
            _ => {}
        }
        let alarm = Record::new(detector.schema().type_id(name).expect("a type"), second as i64);
        let mut found = Collect::default();
        let _ = detector.push(&alarm, &mut found)?;
        for (pattern, events) in found.0 {
            let id = detector.pattern(pattern).map_or("?", Pattern::id);
            lines.push(format!("{second}: {id} {events:?}"));
        }
    }
    println!("{}", lines.join("\n"));
    assert_eq!(
        lines,
        [
            "1: overheating [0, 1]",
            "4: restart [2, 4]", // The link failed before there was the rule.
            "5: overheating [0, 5]",
            "5: overheating [3, 5]",
            "7: restart [2, 7]",
            "7: restart [6, 7]",
            "7: late [6, 7]",
            "8: without overheating: SEQ(Fan, Heat) WITHIN 6 EVENTS",
        ]
    );
    println!("{} rules are left", detector.stats().patterns);
    Ok(())
}
