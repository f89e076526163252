//! What of the queries a document has: names, places and values, counted in one more pass.

use std::collections::HashMap;
use std::rc::Rc;

use rpdt::input::{EndTag, Interest, Markup, StartTag, Symbol, TagHandler, Text};
use rpdt::pattern::{Axis, NameTest, Node, NodeId, Operand, ValueTest};
use rpdt::{Error, Namespaces, Pattern};

/// Names, in their namespaces, that are remembered to find one like that of the query.
const NAMES: usize = 65_536;
/// Longer names and values are shortened.
const SHOWN: usize = 60;
/// Open elements whose text is gathered at a time, and bytes of each.
const GATHERED: usize = 1000;
const GATHERED_BYTES: usize = 4096;

/// Some distinct texts, the first that came.
#[derive(Clone, Debug, Default)]
pub(super) struct Few {
    pub(super) texts: Vec<String>,
    /// There were others.
    pub(super) more: bool,
}

impl Few {
    fn note(&mut self, text: &str, most: usize) {
        if self.texts.iter().any(|known| known == text) {
            return;
        }
        let text = shortened(text);
        if self.texts.len() < most && !self.texts.contains(&text) {
            self.texts.push(text);
        } else {
            self.more |= !self.texts.contains(&text);
        }
    }
}

fn shortened(text: &str) -> String {
    if text.len() <= SHOWN {
        return text.to_owned();
    }
    text.chars().take(SHOWN / 2).chain("...".chars()).collect()
}

/// A name test with its namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Any,
    /// Written so, without prefix.
    Written(String),
    Local(String),
    Expanded {
        uri: String,
        local: String,
    },
}

impl Wanted {
    fn new(test: &NameTest, namespaces: &Namespaces, default: Option<&str>) -> Self {
        match (test, default) {
            (NameTest::Any, _) => Wanted::Any,
            (NameTest::Name(name), None) => Wanted::Written(name.to_string()),
            (NameTest::Name(name), Some(uri)) => {
                Wanted::Expanded { uri: uri.to_owned(), local: name.to_string() }
            }
            (NameTest::Prefixed { prefix, local }, _) => Wanted::Expanded {
                uri: namespaces.uri(prefix).unwrap_or_default().to_owned(),
                local: local.to_string(),
            },
            (NameTest::AnyNamespace(local), _) => Wanted::Local(local.to_string()),
        }
    }

    fn holds(&self, name: &[u8], uri: &str) -> bool {
        match self {
            Wanted::Any => true,
            Wanted::Written(wanted) => wanted.as_bytes() == name,
            Wanted::Local(local) => local.as_bytes() == split(name).1,
            Wanted::Expanded { uri: wanted, local } => {
                uri == wanted && local.as_bytes() == split(name).1
            }
        }
    }
}

/// Prefix, empty if there is none, and local name.
pub(super) fn split(name: &[u8]) -> (&[u8], &[u8]) {
    match name.iter().position(|&b| b == b':') {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => (&[], name),
    }
}

/// A value test of a step, among the elements that are in its place.
#[derive(Debug)]
pub(super) struct Tested<'a> {
    pub(super) test: &'a ValueTest,
    /// The namespace and local name of an attribute whose prefix is declared.
    expanded: Option<(String, String)>,
    /// Elements with such a value.
    pub(super) present: u64,
    /// Elements that pass.
    pub(super) passed: u64,
    /// Elements with more text than was gathered, or in too many others: not known to pass.
    pub(super) unknown: u64,
    pub(super) values: Few,
}

/// A node of a pattern, and what was seen of it.
#[derive(Debug)]
pub(super) struct Step<'a> {
    pub(super) query: usize,
    pub(super) id: NodeId,
    pub(super) axis: Axis,
    pub(super) wanted: Wanted,
    /// Index of the step above.
    pub(super) parent: Option<usize>,
    /// Elements with the name.
    pub(super) named: u64,
    /// Of those, children of an element with the name of the step above.
    pub(super) under: u64,
    /// Of those with the name, how many are where the axes of the steps up to the root want them.
    pub(super) placed: u64,
    /// Names of the parents of elements with the name.
    pub(super) parents: Few,
    /// Names of the attributes of elements in place; gathered where a test names one.
    pub(super) attributes: Few,
    pub(super) tests: Vec<Tested<'a>>,
}

#[derive(Debug)]
struct Known {
    count: u64,
    /// The steps that want this name.
    steps: Rc<[usize]>,
}

/// Text that is gathered for a test.
#[derive(Debug)]
struct Gathered {
    step: usize,
    test: usize,
    depth: usize,
    text: String,
    /// Some text did not fit.
    cut: bool,
    /// Some of the text node that is being read did not.
    long: bool,
    present: bool,
    passed: bool,
}

/// Counts the steps of some queries. Memory: the open elements, at most 65,536 names and some values.
#[derive(Debug)]
pub(super) struct Census<'a> {
    pub(super) steps: Vec<Step<'a>>,
    /// By namespace, empty for none, and name as written.
    names: HashMap<Rc<str>, HashMap<Box<[u8]>, Known>>,
    remembered: usize,
    /// There were more names than are remembered.
    pub(super) forgot: bool,
    /// Namespaces that the document declares.
    pub(super) declared: Few,
    /// The name of the document element.
    pub(super) root: String,
    /// Depth of the element that declares, prefix, namespace.
    bindings: Vec<(usize, Box<[u8]>, Rc<str>)>,
    open: Vec<Rc<str>>,
    /// Three sets of steps for each open element: those in whose place it is, those in whose place
    /// it or one around it is, those whose name it has.
    sets: Vec<u64>,
    words: usize,
    gathered: Vec<Gathered>,
}

impl<'a> Census<'a> {
    pub(super) fn new(
        patterns: &'a [Pattern],
        namespaces: &Namespaces,
        default: Option<&str>,
    ) -> Self {
        let mut steps = Vec::new();
        for (query, pattern) in patterns.iter().enumerate() {
            let first = steps.len();
            let parents = pattern.parents();
            for (i, node) in pattern.nodes().iter().enumerate() {
                steps.push(Step {
                    query,
                    id: NodeId(i as u32),
                    axis: node.axis,
                    wanted: Wanted::new(&node.test, namespaces, default),
                    parent: parents[i].map(|parent| first + parent.index()),
                    named: 0,
                    under: 0,
                    placed: 0,
                    parents: Few::default(),
                    attributes: Few::default(),
                    tests: tests(node, namespaces),
                });
            }
        }
        let words = steps.len().div_ceil(64);
        Census {
            steps,
            names: HashMap::new(),
            remembered: 0,
            forgot: false,
            declared: Few::default(),
            root: String::new(),
            bindings: Vec::new(),
            open: Vec::new(),
            sets: Vec::new(),
            words,
            gathered: Vec::new(),
        }
    }

    /// The remembered names: namespace, name as written, elements.
    pub(super) fn names(&self) -> impl Iterator<Item = (&str, &[u8], u64)> {
        self.names.iter().flat_map(|(uri, names)| {
            names.iter().map(move |(name, known)| (&**uri, &**name, known.count))
        })
    }

    fn declare(&mut self, tag: &StartTag<'_>) -> Result<(), Error> {
        for attribute in tag.attributes() {
            let attribute = attribute?;
            let prefix = match attribute.name.strip_prefix(b"xmlns") {
                Some([]) => &[][..],
                Some([b':', prefix @ ..]) => prefix,
                _ => continue,
            };
            if !attribute.value.is_empty() {
                self.declared.note(&attribute.value, 5);
            }
            self.bindings.push((tag.depth, prefix.into(), attribute.value.as_ref().into()));
        }
        Ok(())
    }

    fn uri(&self, prefix: &[u8]) -> Rc<str> {
        if prefix == b"xml" {
            return "http://www.w3.org/XML/1998/namespace".into();
        }
        let binding = self.bindings.iter().rev().find(|binding| *binding.1 == *prefix);
        binding.map_or_else(|| "".into(), |binding| binding.2.clone())
    }

    /// The steps that want an element's name; counts it.
    fn wanting(&mut self, name: &[u8]) -> Rc<[usize]> {
        let uri = self.uri(split(name).0);
        if let Some(known) = self.names.get_mut(&uri).and_then(|names| names.get_mut(name)) {
            known.count += 1;
            return known.steps.clone();
        }
        let steps = self.steps.iter().enumerate();
        let steps: Rc<[usize]> =
            steps.filter(|(_, step)| step.wanted.holds(name, &uri)).map(|(i, _)| i).collect();
        if self.remembered < NAMES && name.len() + uri.len() <= 1024 {
            self.remembered += 1;
            let known = Known { count: 1, steps: steps.clone() };
            self.names.entry(uri).or_default().insert(name.into(), known);
        } else {
            self.forgot = true;
        }
        steps
    }

    fn in_place(&self, step: &Step<'_>, depth: usize) -> bool {
        match (step.parent, step.axis) {
            (None, Axis::Descendant) => true,
            (None, Axis::Child) => depth == 1,
            (Some(parent), Axis::Child) => self.above(0, parent),
            (Some(parent), Axis::Descendant) => self.above(1, parent),
        }
    }

    /// Whether a step is in one of the sets of the innermost open element.
    fn above(&self, set: usize, step: usize) -> bool {
        let Some(sets) = self.sets.len().checked_sub(3 * self.words) else { return false };
        self.sets[sets + set * self.words + step / 64] >> (step % 64) & 1 == 1
    }

    fn enter(&mut self, tag: &StartTag<'_>) -> Result<(), Error> {
        let wanting = self.wanting(tag.name);
        let mut sets = vec![0; 3 * self.words];
        if let Some(top) = self.sets.len().checked_sub(3 * self.words) {
            let inside = top + self.words..top + 2 * self.words;
            sets[self.words..2 * self.words].copy_from_slice(&self.sets[inside]);
        }
        for &i in &*wanting {
            let under = self.steps[i].parent.is_some_and(|parent| self.above(2, parent));
            let placed = self.in_place(&self.steps[i], tag.depth);
            let step = &mut self.steps[i];
            step.named += 1;
            step.under += u64::from(under);
            if let Some(parent) = self.open.last() {
                step.parents.note(parent, 3);
            }
            let bit = 1 << (i % 64);
            sets[2 * self.words + i / 64] |= bit;
            if placed {
                step.placed += 1;
                sets[i / 64] |= bit;
                sets[self.words + i / 64] |= bit;
                self.look_at(i, tag)?;
            }
        }
        self.sets.extend_from_slice(&sets);
        let name = shortened(&String::from_utf8_lossy(tag.name));
        if tag.depth == 1 {
            self.root.clone_from(&name);
        }
        self.open.push(name.into());
        Ok(())
    }

    /// The values of an element in its place.
    fn look_at(&mut self, step: usize, tag: &StartTag<'_>) -> Result<(), Error> {
        let mut tests = std::mem::take(&mut self.steps[step].tests);
        for (i, tested) in tests.iter_mut().enumerate() {
            let Operand::Attribute(wanted) = &tested.test.operand else {
                if self.gathered.len() < GATHERED {
                    self.gathered.push(Gathered {
                        step,
                        test: i,
                        depth: tag.depth,
                        text: String::new(),
                        cut: false,
                        long: false,
                        present: false,
                        passed: false,
                    });
                } else {
                    tested.unknown += 1;
                }
                continue;
            };
            for attribute in tag.attributes() {
                let attribute = attribute?;
                let is = match &tested.expanded {
                    None => wanted.as_bytes() == attribute.name,
                    Some((uri, local)) => {
                        let (prefix, name) = split(attribute.name);
                        !prefix.is_empty() && local.as_bytes() == name && *self.uri(prefix) == **uri
                    }
                };
                self.steps[step].attributes.note(&String::from_utf8_lossy(attribute.name), 64);
                if is {
                    tested.present += 1;
                    tested.passed += u64::from(tested.test.holds(&attribute.value));
                    tested.values.note(&attribute.value, 5);
                }
            }
        }
        self.steps[step].tests = tests;
        Ok(())
    }

    /// A text node of the innermost open element ends.
    fn end_text(&mut self) {
        let depth = self.open.len();
        for gathered in self.gathered.iter_mut().rev().take_while(|g| g.depth == depth) {
            let tested = &mut self.steps[gathered.step].tests[gathered.test];
            if tested.test.operand != Operand::Text {
                continue;
            }
            let long = std::mem::take(&mut gathered.long);
            if long || !gathered.text.is_empty() {
                gathered.present = true;
            }
            if !long && !gathered.text.is_empty() {
                gathered.passed |= tested.test.holds(&gathered.text);
                tested.values.note(gathered.text.trim(), 5);
            }
            gathered.text.clear();
        }
    }

    fn interest(&self) -> Interest {
        if self.gathered.is_empty() { Interest::TAGS } else { Interest::CONTENT }
    }
}

fn tests<'a>(node: &'a Node, namespaces: &Namespaces) -> Vec<Tested<'a>> {
    let tested = |test: &'a ValueTest| {
        let expanded = match &test.operand {
            Operand::Attribute(name) => name.split_once(':').and_then(|(prefix, local)| {
                namespaces.uri(prefix).map(|uri| (uri.to_owned(), local.to_owned()))
            }),
            Operand::Text | Operand::StringValue => None,
        };
        Tested { test, expanded, present: 0, passed: 0, unknown: 0, values: Few::default() }
    };
    node.value_tests.iter().map(tested).collect()
}

impl TagHandler for Census<'_> {
    fn symbol(&mut self, _: &[u8]) -> Symbol {
        Symbol(0)
    }

    fn start_tag(&mut self, tag: &StartTag<'_>) -> Result<Interest, Error> {
        self.end_text();
        self.declare(tag)?;
        self.enter(tag)?;
        Ok(self.interest())
    }

    fn end_tag(&mut self, _: &EndTag<'_>) -> Result<Interest, Error> {
        self.end_text();
        let depth = self.open.len();
        while let Some(done) = self.gathered.pop_if(|gathered| gathered.depth == depth) {
            let tested = &mut self.steps[done.step].tests[done.test];
            if tested.test.operand == Operand::StringValue {
                tested.present += 1;
                tested.passed += u64::from(!done.cut && tested.test.holds(&done.text));
                if !done.cut {
                    tested.values.note(done.text.trim(), 5);
                }
            } else {
                tested.present += u64::from(done.present);
                tested.passed += u64::from(done.passed);
            }
            tested.unknown += u64::from(done.cut && !done.passed);
        }
        while self.bindings.pop_if(|binding| binding.0 >= depth).is_some() {}
        self.open.pop();
        self.sets.truncate(self.sets.len().saturating_sub(3 * self.words));
        Ok(self.interest())
    }

    fn text(&mut self, text: &Text<'_>) -> Result<(), Error> {
        let depth = self.open.len();
        for gathered in &mut self.gathered {
            let operand = &self.steps[gathered.step].tests[gathered.test].test.operand;
            if *operand == Operand::Text && gathered.depth != depth {
                continue;
            }
            let value = text.value()?;
            if gathered.text.len() + value.len() <= GATHERED_BYTES {
                gathered.text.push_str(value);
            } else {
                gathered.cut = true;
                gathered.long = true;
            }
        }
        Ok(())
    }

    fn markup(&mut self, _: &Markup<'_>) -> Result<(), Error> {
        self.end_text();
        Ok(())
    }
}
