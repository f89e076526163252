//! The examples do what they say: each asserts what it finds.

#[path = "../examples/click_funnels.rs"]
mod click_funnels;

#[test]
fn click_funnels() {
    click_funnels::main().unwrap();
}

#[path = "../examples/dashboard.rs"]
mod dashboard;

#[test]
fn dashboard() {
    dashboard::main().unwrap();
}

#[path = "../examples/own_events.rs"]
mod own_events;

#[test]
fn own_events() {
    own_events::main().unwrap();
}

#[path = "../examples/plant.rs"]
mod plant;

#[test]
fn plant() {
    plant::main().unwrap();
}

#[cfg(feature = "serde")]
#[path = "../examples/restart.rs"]
mod restart;

#[cfg(feature = "serde")]
#[test]
fn restart() {
    restart::main().unwrap();
}

#[path = "../examples/rules_at_run_time.rs"]
mod rules_at_run_time;

#[test]
fn rules_at_run_time() {
    rules_at_run_time::main().unwrap();
}

#[path = "../examples/skipped_station.rs"]
mod skipped_station;

#[test]
fn skipped_station() {
    skipped_station::main().unwrap();
}

#[path = "../examples/what_is_shared.rs"]
mod what_is_shared;

#[test]
fn what_is_shared() {
    what_is_shared::main().unwrap();
}
