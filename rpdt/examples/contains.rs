//! Does a document contain what we need? The run ends at the first answer.
//!
//! ```text
//! cargo run -p rpdt --example contains
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use rpdt::{Error, ErrorKind, Exists, Plan};

/// An order that goes on with at least one item, then a payment, with nothing between them.
const QUERY: &str = "/orders/order[@id]/{ item[@sku]+ , payment[@method=\"card\"] }";

const PAID: &str = r#"<orders>
  <order id="1"><item sku="a"/><note/><payment method="card"/></order>
  <order id="2"><item sku="a"/><item sku="b"/><payment method="card"/></order>
  <order id="3"><item sku="c"/></order>
</orders>"#;

const UNPAID: &str = r#"<orders><order id="1"><item sku="a"/></order></orders>"#;

pub fn main() -> Result<(), Error> {
    let plan = Plan::parse(QUERY)?;

    let paid = plan.run_slice(PAID.as_bytes(), Exists::new())?;
    println!("first: {}, decided after {} tags", paid.sink.found(), paid.stats.tags);
    assert!(paid.sink.found() && paid.stopped);

    let unpaid = plan.run_slice(UNPAID.as_bytes(), Exists::new())?;
    println!("second: {}", unpaid.sink.found());
    assert!(!unpaid.sink.found() && !unpaid.stopped);

    // A document that is cut off is an error and not a `false`.
    let cut = &UNPAID[..UNPAID.len() - 5];
    let error = plan.run_slice(cut.as_bytes(), Exists::new()).map(|_| ()).unwrap_err();
    println!("cut off: {error}");
    assert_eq!(error.kind(), ErrorKind::Incomplete);
    Ok(())
}
