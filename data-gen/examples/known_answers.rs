//! A detector under test, and a stream of which the answer is known: break-ins into a shop, where some
//! visitors guess passwords and a few of them are lucky.
//!
//! ```text
//! cargo run -p data-gen --example known_answers
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::collections::HashMap;
use std::error::Error;

use data_gen::stream::ClickOptions;
use data_gen::stream::clicks::{ATTACK_FAILURES, Action};

pub fn main() -> Result<(), Box<dyn Error>> {
    let mut options = ClickOptions::new(50_000);
    (options.attackers, options.success) = (0.05, 0.4);
    let mut clicks = options.stream(1)?;

    // The detector: three failures or more of one session, then a login.
    let mut failures: HashMap<i64, u32> = HashMap::new();
    let mut alarms = 0;
    for click in clicks.by_ref() {
        match click.action {
            Action::LoginFailed => *failures.entry(click.session).or_default() += 1,
            Action::LoginOk => {
                let before = failures.remove(&click.session).unwrap_or(0);
                alarms += u64::from(before >= ATTACK_FAILURES);
            }
            _ => {}
        }
    }

    let facts = clicks.facts();
    println!(
        "{} sessions, {} attacks, {} breaches; the detector says {alarms}",
        facts.sessions, facts.attacks, facts.breaches
    );
    assert_eq!(alarms, facts.breaches);
    assert!(alarms > 0);
    Ok(())
}
