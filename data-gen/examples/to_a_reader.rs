//! Test data for a reader of XML, made in memory: generated documents go straight into the reader under
//! test, and what it counts is compared with what the generator knows.
//!
//! ```text
//! cargo run -p data-gen --example to_a_reader
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use data_gen::xml::{
    DblpOptions, RandomTreeOptions, Shape, TreebankOptions, XmarkOptions, XmlKind,
};
use quick_xml::Reader;
use quick_xml::events::Event;

/// Elements, attributes and depth, as the reader under test sees them.
fn count(document: &[u8]) -> Result<(u64, u64, u64), Box<dyn Error>> {
    let mut reader = Reader::from_reader(document);
    let (mut elements, mut attributes, mut depth, mut deepest) = (0, 0, 0_u64, 0);
    loop {
        match reader.read_event()? {
            Event::Start(tag) => {
                depth += 1;
                elements += 1;
                attributes += tag.attributes().count() as u64;
            }
            Event::Empty(tag) => {
                deepest = deepest.max(depth + 1);
                elements += 1;
                attributes += tag.attributes().count() as u64;
            }
            Event::End(_) => depth -= 1,
            Event::Eof => return Ok((elements, attributes, deepest)),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
}

pub fn main() -> Result<(), Box<dyn Error>> {
    let mut hostile = RandomTreeOptions::new(Shape::Random);
    (hostile.elements, hostile.comments, hostile.cdata) = (2_000, 0.2, 0.2);
    let kinds = [
        XmlKind::Xmark(XmarkOptions::new(0.001)),
        XmlKind::Dblp(DblpOptions::new(300)),
        XmlKind::Treebank(TreebankOptions::new(50)),
        XmlKind::RandomTree(hostile),
    ];
    for kind in kinds {
        let mut document = Vec::new();
        let facts = kind.generate(7, &mut document)?;
        println!(
            "{}: {} bytes, {} elements, {} attributes, depth {}, on average {:.1}",
            kind.name(),
            facts.bytes,
            facts.elements,
            facts.attributes,
            facts.max_depth,
            facts.average_depth()
        );
        assert_eq!(count(&document)?, (facts.elements, facts.attributes, facts.max_depth));
        assert_eq!(facts.bytes, document.len() as u64);
    }
    Ok(())
}
