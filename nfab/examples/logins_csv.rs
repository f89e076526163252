//! Three failed logins of one user within a minute, out of a table: text in, lines out, one pattern for
//! all users with a partition for each.
//!
//! ```text
//! cargo run -p nfab --example logins_csv
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;
use std::ops::ControlFlow;

use nfab::{
    Automaton, Engine, Event, Expr, Match, Pattern, Record, Schema, ValueRef, ValueType, Visit,
};

const LOG: &str = "second,user,host,result
1000,ann,web1,failure
1007,bob,web1,failure
1012,ann,web2,failure
1020,bob,web1,success
1041,ann,web1,failure
1055,ann,web2,failure
1071,ann,web1,failure
1090,cy,web1,failure
1140,cy,web1,failure
1200,cy,web1,failure
";

pub fn main() -> Result<(), Box<dyn Error>> {
    let mut schema = Schema::new();
    let (failure, success) = (schema.add_type("failure"), schema.add_type("success"));
    let user = schema.add_attribute("user", Some(ValueType::Text));
    let host = schema.add_attribute("host", Some(ValueType::Text));

    let pattern = Pattern::begin("failed")
        .where_(Expr::type_is("failure"))
        .times(3)
        // None of the three may be preceded by a success since the one before.
        .consecutive()
        .within(60)
        .skip_past_last() // the fourth failure begins anew
        .partition_by(["user"])
        .build()?;
    let mut engine = Engine::new(Automaton::compile(&pattern, &schema)?);

    let mut alarms = Vec::new();
    let mut sink = Visit(|found: &Match<'_, Record>| {
        let events = found.events();
        let text = |value: ValueRef<'_>| value.to_value().to_string();
        let hosts: Vec<_> = events.stage("failed").map(|e| text(e.attribute(host))).collect();
        let times: Vec<_> = events.stage("failed").map(Event::time).collect();
        let users: Vec<_> = found.key().map(text).collect();
        alarms.push(format!("{} at {times:?} from {}", users.join(" "), hosts.join(" ")));
        ControlFlow::Continue(())
    });
    for (row, line) in LOG.lines().enumerate().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let &[second, who, from, result] = &cells[..] else {
            return Err(format!("line {}: four cells are needed", row + 1).into());
        };
        let kind = if result == "failure" { failure } else { success };
        let event = Record::new(kind, second.parse()?).with(user, who).with(host, from);
        engine.push(event, &mut sink)?;
    }
    engine.finish(&mut sink)?;

    println!("{}", alarms.join("\n"));
    assert_eq!(alarms, ["'ann' at [1000, 1012, 1041] from 'web1' 'web2' 'web1'"]);
    Ok(())
}
