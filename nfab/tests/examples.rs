//! The examples do what they say: each asserts what it finds.

#[path = "../examples/abandoned_cart.rs"]
mod abandoned_cart;

#[test]
fn abandoned_cart() {
    abandoned_cart::main().unwrap();
}

#[cfg(feature = "serde")]
#[path = "../examples/checkpoint.rs"]
mod checkpoint;

#[cfg(feature = "serde")]
#[test]
fn checkpoint() {
    checkpoint::main().unwrap();
}

#[path = "../examples/failed_logins.rs"]
mod failed_logins;

#[test]
fn failed_logins() {
    failed_logins::main().unwrap();
}

#[path = "../examples/logins_csv.rs"]
mod logins_csv;

#[test]
fn logins_csv() {
    logins_csv::main().unwrap();
}

#[cfg(feature = "parallel")]
#[path = "../examples/many_keys.rs"]
mod many_keys;

#[cfg(feature = "parallel")]
#[test]
fn many_keys() {
    many_keys::main().unwrap();
}

#[path = "../examples/missing_heartbeat.rs"]
mod missing_heartbeat;

#[test]
fn missing_heartbeat() {
    missing_heartbeat::main().unwrap();
}

#[path = "../examples/out_of_order.rs"]
mod out_of_order;

#[test]
fn out_of_order() {
    out_of_order::main().unwrap();
}

#[path = "../examples/rising_stock.rs"]
mod rising_stock;

#[test]
fn rising_stock() {
    rising_stock::main().unwrap();
}

#[path = "../examples/tsunami_events.rs"]
mod tsunami_events;

#[test]
fn tsunami_events() {
    tsunami_events::main().unwrap();
}

#[path = "../examples/unconfirmed_order.rs"]
mod unconfirmed_order;

#[test]
fn unconfirmed_order() {
    unconfirmed_order::main().unwrap();
}
