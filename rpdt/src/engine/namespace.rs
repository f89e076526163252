//! Namespace bindings of the open elements, kept only when a query asks for namespaces.

use hashbrown::HashMap;

use crate::Error;
use crate::automaton::compile::AttributeName;
use crate::automaton::symbols::{self, Classes, ResolvedTest};
use crate::input::{StartTag, Symbol};

/// Tracks `xmlns` declarations and finds the class of a name in its namespace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Namespaces {
    /// (depth of the element that declares, prefix, index of the URI); the default namespace has
    /// the empty prefix, an undeclared one the URI 0 = none.
    bindings: Vec<(usize, Box<[u8]>, u32)>,
    uris: Vec<Box<str>>,
    index: HashMap<Box<str>, u32>,
    /// Classes by (symbol of the written name, URI).
    classes: HashMap<(u32, u32), u32>,
    names: HashMap<Box<[u8]>, u32>,
}

const XML: &str = "http://www.w3.org/XML/1998/namespace";

impl Namespaces {
    pub(crate) fn new() -> Self {
        let mut new = Namespaces::default();
        new.uri("");
        let xml = new.uri(XML);
        new.bindings.push((0, b"xml".as_slice().into(), xml));
        new
    }

    fn uri(&mut self, uri: &str) -> u32 {
        if let Some(&i) = self.index.get(uri) {
            return i;
        }
        let i = self.uris.len() as u32;
        self.uris.push(uri.into());
        self.index.insert(uri.into(), i);
        i
    }

    /// The symbol of a written name.
    pub(crate) fn symbol(&mut self, name: &[u8]) -> Symbol {
        if let Some(&i) = self.names.get(name) {
            return Symbol(i);
        }
        let i = self.names.len() as u32;
        self.names.insert(name.into(), i);
        Symbol(i)
    }

    /// Enters an element: takes its declarations and returns the class of its name.
    #[inline(never)]
    pub(crate) fn enter(
        &mut self,
        tag: &StartTag<'_>,
        tests: &[ResolvedTest],
        classes: &mut Classes,
    ) -> Result<u32, Error> {
        if memchr::memmem::find(tag.raw, b"xmlns").is_some() {
            for attribute in tag.attributes() {
                let attribute = attribute?;
                let prefix = match attribute.name.strip_prefix(b"xmlns") {
                    Some([]) => &[][..],
                    Some([b':', prefix @ ..]) => prefix,
                    _ => continue,
                };
                let uri = self.uri(&attribute.value);
                self.bindings.push((tag.depth, prefix.into(), uri));
            }
        }
        let uri = self.lookup(symbols::prefix(tag.name));
        let key = (tag.symbol.0, uri);
        if let Some(&class) = self.classes.get(&key) {
            return Ok(class);
        }
        let name = (uri != 0).then(|| &*self.uris[uri as usize]);
        let class = classes.class(tests, tag.name, name);
        self.classes.insert(key, class);
        Ok(class)
    }

    /// The same inside the outermost `depth` open elements.
    pub(crate) fn up_to(&self, depth: usize) -> Self {
        let mut outer = self.clone();
        outer.leave(depth + 1);
        outer
    }

    /// Leaves the element at `depth`.
    #[inline(never)]
    pub(crate) fn leave(&mut self, depth: usize) {
        while self.bindings.last().is_some_and(|b| b.0 >= depth) {
            self.bindings.pop();
        }
    }

    fn lookup(&self, prefix: &[u8]) -> u32 {
        self.bindings.iter().rev().find(|b| *b.1 == *prefix).map_or(0, |b| b.2)
    }

    /// Whether an attribute has a given name.
    pub(crate) fn attribute_is(&self, written: &[u8], wanted: &AttributeName) -> bool {
        match wanted {
            AttributeName::Written(name) => name.as_bytes() == written,
            AttributeName::Expanded { uri, local } => {
                let prefix = symbols::prefix(written);
                // An attribute without prefix is in no namespace.
                !prefix.is_empty()
                    && symbols::local_name(written) == local.as_bytes()
                    && *self.uris[self.lookup(prefix) as usize] == **uri
            }
        }
    }
}
