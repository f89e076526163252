//! A document as a tree in memory, for the oracle alone: read by quick-xml directly, so that it shares
//! nothing with the engines.

use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::error::{Error, Result};

/// An element, numbered in document order.
pub type Element = usize;

/// The elements of a document.
#[derive(Debug, Default)]
pub struct Tree {
    /// Byte offset of each element's `<`.
    pub start: Vec<u64>,
    /// One past the last descendant of each element.
    pub end: Vec<Element>,
    /// The element children of each element in order.
    pub children: Vec<Vec<Element>>,
    names: Vec<usize>,
    spellings: Vec<String>,
}

impl Tree {
    /// Reads a document.
    pub fn parse(document: &[u8]) -> Result<Self> {
        let mut tree = Self::default();
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut open: Vec<Element> = Vec::new();
        let mut reader = Reader::from_reader(document);
        loop {
            let start = reader.buffer_position();
            let event = reader.read_event();
            match event.map_err(|error| Error::failed(format!("the oracle's reader: {error}")))? {
                Event::Start(tag) => {
                    let element = tree.add(&mut known, tag.name().as_ref(), start, &open);
                    open.push(element);
                }
                Event::Empty(tag) => {
                    tree.add(&mut known, tag.name().as_ref(), start, &open);
                }
                Event::End(_) => {
                    if let Some(element) = open.pop() {
                        tree.end[element] = tree.start.len();
                    }
                }
                Event::Eof => return Ok(tree),
                _ => {}
            }
        }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// The name of an element as written.
    pub fn name(&self, element: Element) -> &str {
        &self.spellings[self.names[element]]
    }

    fn add(
        &mut self,
        known: &mut HashMap<String, usize>,
        name: &str,
        start: u64,
        open: &[Element],
    ) -> Element {
        let spellings = &mut self.spellings;
        let name = *known.entry(name.to_owned()).or_insert_with_key(|name| {
            spellings.push(name.clone());
            spellings.len() - 1
        });
        let element = self.start.len();
        self.start.push(start);
        self.end.push(element + 1);
        self.children.push(Vec::new());
        self.names.push(name);
        if let Some(&parent) = open.last() {
            self.children[parent].push(element);
        }
        element
    }
}
