//! Funnels of a shop: how many visitors get how far? Each step of a funnel is a pattern of its own, and
//! all of them run in one detector, so the common beginnings are worked out once.
//!
//! ```text
//! cargo run -p multipattern --example click_funnels
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use multipattern::{
    Config, Count, Detector, Error, PatternSet, Record, Semantics, TimeUnit, Window,
};

/// The funnels: a name, and the pages in their order.
const FUNNELS: [(&str, &[&str]); 2] = [
    ("purchase", &["Search", "Product", "Cart", "Pay"]),
    ("return", &["Orders", "Product", "Return"]),
];

/// Who clicked what, in the order of time.
const CLICKS: &str = "ann Search, bob Search, ann Product, ann Product, cy Orders, bob Product,
    ann Cart, cy Product, dot Search, bob Search, ann Pay, cy Return, bob Cart, dot Cart, ann Orders";

pub fn main() -> Result<(), Error> {
    // `next`: from each first page one chain, which takes the next page as soon as it comes.
    let mut builder = PatternSet::builder()
        .semantics(Semantics::Next)
        .time_unit(TimeUnit::Second)
        .window(Window::Time(30, TimeUnit::Minute));
    for (name, pages) in FUNNELS {
        for step in 1..=pages.len() {
            builder = builder.seq(&format!("{name}/{step}"), pages[..step].iter().copied());
        }
    }
    let set = builder.build()?;
    let mut detector = Detector::with_config(&set, Config::new().partition_by(["visitor"]))?;
    let visitor = detector.schema().slot("visitor").expect("the key is in the schema");

    // Only numbers are asked for, so no match is ever written out.
    let mut counts = Count::default();
    for (second, click) in CLICKS.split(',').enumerate() {
        let (who, page) = click.trim().split_once(' ').expect("a visitor and a page");
        let page = detector.schema().type_id(page).expect("a page of a funnel");
        let _ = detector.push(&Record::new(page, second as i64).with(visitor, who), &mut counts)?;
    }

    let of = |id: String| {
        let number = set.find(&id).expect("a step").index();
        counts.by_pattern.get(number).copied().unwrap_or(0)
    };
    let mut steps = Vec::new();
    for (name, pages) in FUNNELS {
        println!("{name}");
        let first = of(format!("{name}/1"));
        for (step, page) in pages.iter().enumerate() {
            let here = of(format!("{name}/{}", step + 1));
            println!("  {page:<8} {here:>3}  {:>3} %", 100 * here / first.max(1));
            steps.push(here);
        }
    }
    // Each first page begins one way through the funnel. Bob searched twice, the second time in vain;
    // what dot put into her cart she had not looked at.
    assert_eq!(steps, [4, 2, 2, 1, 2, 1, 1]);
    Ok(())
}
