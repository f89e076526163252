//! What both baselines need besides their matching: names to pattern nodes, labels, the spine, and
//! how a pattern is refused.

use hashbrown::HashMap;
use rpdt::input::Symbol;
use rpdt::pattern::{Branch, NameTest, NodeId};
use rpdt::{Error, ErrorKind, Pattern};

/// No index.
pub(super) const NONE: u32 = u32::MAX;

/// From the symbol of a name to the pattern nodes whose name test it passes.
#[derive(Clone, Debug)]
pub(super) struct Dispatch {
    tests: Vec<NameTest>,
    /// One list a symbol; the first is empty. Nodes in descending order: of one element, a node is
    /// handled before its parent, so it cannot take the element itself for its parent's.
    lists: Vec<Box<[u32]>>,
}

impl Dispatch {
    pub(super) fn new(pattern: &Pattern) -> Self {
        let tests = pattern.nodes().iter().map(|node| node.test.clone()).collect();
        Dispatch { tests, lists: vec![Box::default()] }
    }

    /// The symbol of a name.
    pub(super) fn symbol(&mut self, name: &[u8]) -> Symbol {
        let local = name.iter().position(|&b| b == b':').map_or(name, |colon| &name[colon + 1..]);
        let passes = |test: &NameTest| match test {
            NameTest::Any => true,
            NameTest::Name(wanted) => wanted.as_bytes() == name,
            NameTest::AnyNamespace(wanted) => wanted.as_bytes() == local,
            NameTest::Prefixed { .. } => false,
        };
        let nodes = (0..self.tests.len()).rev().filter(|&i| passes(&self.tests[i]));
        let list: Box<[u32]> = nodes.map(|i| i as u32).collect();
        let known = self.lists.iter().position(|l| *l == list);
        let number = known.unwrap_or_else(|| {
            self.lists.push(list);
            self.lists.len() - 1
        });
        Symbol(number as u32)
    }

    /// The nodes for a symbol.
    #[inline]
    pub(super) fn nodes(&self, symbol: Symbol) -> &[u32] {
        &self.lists[symbol.0 as usize]
    }
}

/// Labels by number.
#[derive(Clone, Debug)]
pub(super) struct Labels {
    names: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
    /// The label of a return node where it does not depend on the element.
    fixed: Vec<Option<u32>>,
}

impl Labels {
    pub(super) fn new(pattern: &Pattern) -> Self {
        let mut labels = Labels { names: Vec::new(), numbers: HashMap::new(), fixed: Vec::new() };
        for (i, node) in pattern.nodes().iter().enumerate() {
            let label = pattern.return_mark(NodeId(i as u32)).and_then(|mark| match &node.test {
                NameTest::Name(name) => Some(mark.label.unwrap_or_else(|| name.clone())),
                _ => mark.label,
            });
            let number = label.map(|label| labels.number(&label));
            labels.fixed.push(number);
        }
        labels
    }

    fn number(&mut self, label: &str) -> u32 {
        if let Some(&number) = self.numbers.get(label) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(label.into());
        self.numbers.insert(label.into(), number);
        number
    }

    /// The label of an element that a return node matched.
    pub(super) fn of(&mut self, node: u32, name: &[u8]) -> u32 {
        match self.fixed[node as usize] {
            Some(number) => number,
            None => self.number(&String::from_utf8_lossy(name)),
        }
    }

    pub(super) fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }
}

/// For every node whether it is returned or has a returned descendant.
pub(super) fn spine(pattern: &Pattern) -> Vec<bool> {
    let parents = pattern.parents();
    let mut spine = vec![false; parents.len()];
    for node in pattern.return_nodes() {
        let mut at = Some(node);
        while let Some(id) = at {
            spine[id.index()] = true;
            at = parents[id.index()];
        }
    }
    spine
}

/// Refuses what no baseline supports.
pub(super) fn check_tests(engine: &str, pattern: &Pattern) -> Result<(), Error> {
    for (i, node) in pattern.nodes().iter().enumerate() {
        let id = NodeId(i as u32);
        if matches!(node.test, NameTest::Prefixed { .. }) {
            return Err(unsupported(engine, "namespace prefixes", pattern, id));
        }
        if !node.value_tests.is_empty() {
            return Err(unsupported(engine, "tests on attributes and text", pattern, id));
        }
    }
    Ok(())
}

/// Refuses regular branches.
pub(super) fn check_plain(engine: &str, pattern: &Pattern) -> Result<(), Error> {
    for (i, node) in pattern.nodes().iter().enumerate() {
        if node.branches.iter().any(|b| matches!(b, Branch::Regular(_))) {
            let id = NodeId(i as u32);
            return Err(unsupported(engine, "regular branches `{..}`", pattern, id));
        }
    }
    Ok(())
}

/// The error for a pattern that an engine cannot express.
pub(super) fn unsupported(engine: &str, what: &str, pattern: &Pattern, node: NodeId) -> Error {
    let error = Error::new(ErrorKind::Query, format!("unsupported: {engine} knows no {what}"));
    match pattern.span(node) {
        Some(span) => error.with_span(span),
        None => error,
    }
}

/// The ways to run an engine over a document, by the `machine` of its module.
macro_rules! runs {
    ($engine:ident, $errors:literal) => {
        impl $engine {
            /// The number of answers in a document.
            ///
            /// # Errors
            #[doc = concat!($errors, ".")]
            pub fn count(&self, document: &[u8]) -> Result<u64, Error> {
                Ok(self.run(Input::Slice(document), false)?.count)
            }

            /// The same with the scanner as reader.
            ///
            /// # Errors
            /// As for [`count`](Self::count).
            pub fn count_scanned(&self, document: &[u8]) -> Result<u64, Error> {
                Ok(self.run(Input::Scanned(document), false)?.count)
            }

            /// The number of answers in a stream, with statistics.
            ///
            /// # Errors
            /// As for [`count`](Self::count), and errors of the reader.
            pub fn count_reader(&self, mut reader: impl Read) -> Result<Outcome<Stats>, Error> {
                self.run(Input::Reader(&mut reader), false)
            }

            /// The answers in a document, sorted.
            ///
            /// # Errors
            /// As for [`count`](Self::count).
            pub fn answers(&self, document: &[u8]) -> Result<Vec<Answer>, Error> {
                Ok(self.run(Input::Slice(document), true)?.answers)
            }

            /// Answers and statistics; `collect`: keep the answers, do not only count them.
            ///
            /// # Errors
            /// As for [`count`](Self::count).
            pub fn run_slice(
                &self,
                document: &[u8],
                collect: bool,
            ) -> Result<Outcome<Stats>, Error> {
                self.run(Input::Slice(document), collect)
            }

            fn run(&self, input: Input<'_>, collect: bool) -> Result<Outcome<Stats>, Error> {
                let mut machine = machine::Machine::new(self, collect);
                drive(input, &mut machine)?;
                let mut outcome = machine.into_outcome();
                outcome.answers.sort_unstable();
                Ok(outcome)
            }
        }
    };
}
pub(super) use runs;
