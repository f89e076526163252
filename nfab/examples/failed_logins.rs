//! Three failed logins or more of one session, then a successful one, all within a minute.
//!
//! ```text
//! cargo run -p nfab --example failed_logins
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::ops::ControlFlow;

use nfab::{Automaton, Engine, Error, Event, Expr, Match, Pattern, Schema, Slot, TypeId, ValueRef};
use nfab::{ValueType, Visit};

/// An event of one's own: no record is built, the engine reads the fields.
struct Login {
    user: &'static str,
    time: i64,
    succeeded: bool,
}

const LOGIN: TypeId = TypeId(0);
const USER: Slot = Slot(0);
const SUCCEEDED: Slot = Slot(1);

impl Event for Login {
    fn event_type(&self) -> TypeId {
        LOGIN
    }

    fn time(&self) -> i64 {
        self.time
    }

    fn attribute(&self, slot: Slot) -> ValueRef<'_> {
        match slot {
            USER => ValueRef::Text(self.user),
            SUCCEEDED => ValueRef::Bool(self.succeeded),
            _ => ValueRef::Missing,
        }
    }
}

pub fn main() -> Result<(), Error> {
    let mut schema = Schema::new();
    // The numbers above are those that the schema gives.
    assert_eq!(schema.add_type("login"), LOGIN);
    assert_eq!(schema.add_attribute("user", Some(ValueType::Text)), USER);
    assert_eq!(schema.add_attribute("succeeded", Some(ValueType::Bool)), SUCCEEDED);

    let same_user = || Expr::attribute("user").eq(Expr::first("failed", "user"));
    let pattern = Pattern::begin("failed")
        .where_(Expr::attribute("succeeded").not())
        .where_(same_user().assume(true)) // There is no first one yet for the first one.
        .times_or_more(3)
        .followed_by("entered")
        .where_(Expr::attribute("succeeded").and(same_user()))
        .within(60_000)
        .skip_past_last()
        .build()?;

    let mut engine = Engine::new(Automaton::compile(&pattern, &schema)?);
    let mut alarms = Vec::new();
    let mut alarm = Visit(|found: &Match<'_, Login>| {
        let failed = found.events().stage("failed").count();
        for login in found.events().stage("entered") {
            alarms.push(format!("{} failed {failed} times before {}", login.user, login.time));
        }
        ControlFlow::Continue(())
    });
    let logins = [
        ("ann", 1_000, false),
        ("bob", 2_000, false),
        ("bob", 3_000, true),
        ("ann", 9_000, false),
        ("ann", 12_000, false),
        ("ann", 15_000, true),
    ];
    for (user, time, succeeded) in logins {
        engine.push(Login { user, time, succeeded }, &mut alarm)?;
    }
    println!("{}", alarms.join("\n"));
    assert_eq!(alarms, ["ann failed 3 times before 15000"]);
    Ok(())
}
