//! Namespaces: the prefixes of the query are ours, those of the document are its own business.
//!
//! ```text
//! cargo run -p rpdt --example namespaces
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::ops::ControlFlow;

use rpdt::{Answer, Config, Error, Namespaces, Needs, Pattern, Plan, Value, Visit};

/// Two feeds in one document; the second one uses other prefixes, and none for Atom.
const FEEDS: &str = r#"<feeds xmlns:atom="http://www.w3.org/2005/Atom"
       xmlns:media="http://search.yahoo.com/mrss/">
  <atom:feed>
    <atom:entry><atom:title>One</atom:title><media:content url="one.jpg"/></atom:entry>
    <atom:entry><atom:title>Two</atom:title></atom:entry>
  </atom:feed>
  <feed xmlns="http://www.w3.org/2005/Atom" xmlns:m="http://search.yahoo.com/mrss/">
    <entry><title>Three</title><m:content url="three.jpg"/></entry>
    <entry xmlns=""><title>not Atom</title><m:content url="none.jpg"/></entry>
  </feed>
</feeds>"#;

pub fn main() -> Result<(), Error> {
    let namespaces = Namespaces::new()
        .with("a", "http://www.w3.org/2005/Atom")
        .with("m", "http://search.yahoo.com/mrss/");
    let pattern = Pattern::parse("//a:feed/a:entry[a:title!title][m:content[@url]!image]")?;
    let plan = Plan::new(vec![pattern], Config::new().namespaces(namespaces))?;

    let mut pictures = Vec::new();
    let needs = Needs { end: true, text: true, attributes: true, ..Needs::default() };
    plan.run_slice(
        FEEDS.as_bytes(),
        Visit::new(needs, |_, answer| {
            let Answer::Tuple(fields) = answer else { return ControlFlow::Continue(()) };
            let (mut title, mut image) = ("", "");
            for field in fields {
                match (&field.value, field.label) {
                    (Value::Node(node), "title") => title = node.text,
                    (Value::Node(node), _) => {
                        let url = node.attributes.iter().find(|(name, _)| **name == *"url");
                        image = url.map_or("", |(_, value)| value);
                    }
                    (Value::List(_), _) => {}
                }
            }
            pictures.push(format!("{title}: {image}"));
            ControlFlow::Continue(())
        }),
    )?;

    for picture in &pictures {
        println!("{picture}");
    }
    assert_eq!(pictures, ["One: one.jpg", "Three: three.jpg"]);
    Ok(())
}
