//! What the tests measure: a pass over a document with an independent reader.

#![allow(dead_code, reason = "every test file uses its own part")]

use data_gen::xml::{Facts, XmlKind};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Generates a document in memory.
pub fn generate(kind: &XmlKind, seed: u64) -> (Vec<u8>, Facts) {
    let mut document = Vec::new();
    let facts = kind.generate(seed, &mut document).expect("memory takes all");
    (document, facts)
}

/// What a pass over a document finds. Elements without a parent have the parent "".
#[derive(Default)]
pub struct Measured {
    pub bytes: u64,
    pub newlines: u64,
    pub elements: u64,
    pub attributes: u64,
    pub depths: BTreeMap<u64, u64>,
    names: Vec<String>,
    ids: HashMap<String, usize>,
    tags: Vec<u64>,
    edges: Vec<Vec<u64>>,
    /// Words of each element's own text, by name.
    words: Vec<Vec<u32>>,
    /// By parent's and child's name, how many parents have how many such children.
    pub fanouts: BTreeMap<(&'static str, &'static str), BTreeMap<u64, u64>>,
}

struct Open {
    name: usize,
    words: u32,
    /// Children of the name that is counted for this parent.
    children: u64,
}

impl Measured {
    /// Reads a document through, and panics where it is not well-formed. Counts the fan-outs of
    /// the given pairs of a parent's and a child's name; a parent is in one pair at most.
    pub fn of(document: &[u8], pairs: &[(&'static str, &'static str)]) -> Self {
        let text = std::str::from_utf8(document).expect("UTF-8");
        let mut measured = Self {
            bytes: document.len() as u64,
            newlines: document.iter().filter(|&&byte| byte == b'\n').count() as u64,
            ..Self::default()
        };
        let mut counted: HashMap<usize, (usize, (&'static str, &'static str))> = HashMap::new();
        for &pair in pairs {
            let (parent, child) = (measured.id(pair.0), measured.id(pair.1));
            assert!(counted.insert(parent, (child, pair)).is_none(), "one pair a parent");
            measured.fanouts.insert(pair, BTreeMap::new());
        }
        let mut open: Vec<Open> = Vec::new();
        let mut roots = 0;
        let mut reader = Reader::from_str(text);
        reader.config_mut().enable_all_checks(true);
        loop {
            let event = reader.read_event();
            let at = reader.buffer_position();
            match event.unwrap_or_else(|error| panic!("at byte {at}: {error}")) {
                Event::Start(tag) => {
                    roots += u64::from(open.is_empty());
                    let name = measured.start(&tag, &mut open, &counted, at);
                    open.push(Open { name, words: 0, children: 0 });
                }
                Event::Empty(tag) => {
                    roots += u64::from(open.is_empty());
                    let name = measured.start(&tag, &mut open, &counted, at);
                    measured.end(&Open { name, words: 0, children: 0 }, &counted);
                }
                Event::End(_) => {
                    let closed = open.pop().expect("an element is open");
                    measured.end(&closed, &counted);
                }
                Event::Text(text) => {
                    let text = text.into_inner();
                    assert!(!text.contains("]]>"), "]]> in text at byte {at}");
                    match open.last_mut() {
                        Some(open) => open.words += text.split_ascii_whitespace().count() as u32,
                        None => assert!(text.trim().is_empty(), "text outside the root at {at}"),
                    }
                }
                Event::CData(_) | Event::GeneralRef(_) => {
                    assert!(!open.is_empty(), "content outside the root at byte {at}");
                }
                Event::Decl(_) => assert_eq!(roots, 0),
                Event::DocType(_) => assert_eq!(roots, 0),
                Event::Comment(_) | Event::PI(_) => {}
                Event::Eof => break,
            }
        }
        assert!(open.is_empty(), "an element is not closed");
        assert_eq!(roots, 1, "one root");
        measured
    }

    fn start(
        &mut self,
        tag: &BytesStart<'_>,
        open: &mut [Open],
        counted: &HashMap<usize, (usize, (&'static str, &'static str))>,
        at: u64,
    ) -> usize {
        let name = self.id(tag.name().into_inner());
        self.elements += 1;
        self.tags[name] += 1;
        *self.depths.entry(open.len() as u64 + 1).or_default() += 1;
        if let Some(parent) = open.last_mut() {
            let row = &mut self.edges[parent.name];
            if row.len() <= name {
                row.resize(name + 1, 0);
            }
            row[name] += 1;
            if counted.get(&parent.name).is_some_and(|&(child, _)| child == name) {
                parent.children += 1;
            }
        }
        if !tag.attributes_raw().trim().is_empty() {
            // The iterator reports bad syntax and duplicate names.
            for attribute in tag.attributes() {
                let attribute = attribute.unwrap_or_else(|e| panic!("before byte {at}: {e}"));
                assert!(!attribute.value.contains('<'), "< in an attribute before byte {at}");
                self.attributes += 1;
            }
        }
        name
    }

    fn end(
        &mut self,
        closed: &Open,
        counted: &HashMap<usize, (usize, (&'static str, &'static str))>,
    ) {
        self.words[closed.name].push(closed.words);
        if let Some((_, pair)) = counted.get(&closed.name) {
            let histogram = self.fanouts.get_mut(pair).expect("all pairs are entered");
            *histogram.entry(closed.children).or_default() += 1;
        }
    }

    fn id(&mut self, name: &str) -> usize {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.names.len();
        self.names.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        self.tags.push(0);
        self.edges.push(Vec::new());
        self.words.push(Vec::new());
        id
    }

    pub fn max_depth(&self) -> u64 {
        self.depths.keys().next_back().copied().unwrap_or(0)
    }

    pub fn average_depth(&self) -> f64 {
        let sum: u64 = self.depths.iter().map(|(depth, count)| depth * count).sum();
        sum as f64 / self.elements as f64
    }

    /// Elements of this name.
    pub fn tag(&self, name: &str) -> u64 {
        self.ids.get(name).map_or(0, |&id| self.tags[id])
    }

    /// Children of this name of parents of that name.
    pub fn edge(&self, parent: &str, child: &str) -> u64 {
        match (self.ids.get(parent), self.ids.get(child)) {
            (Some(&parent), Some(&child)) => self.edges[parent].get(child).copied().unwrap_or(0),
            _ => 0,
        }
    }

    /// Names of elements that occur.
    pub fn names(&self) -> HashSet<&str> {
        self.names
            .iter()
            .enumerate()
            .filter(|&(id, _)| self.tags[id] > 0)
            .map(|(_, name)| name.as_str())
            .collect()
    }

    /// Words of the own text of the elements of this name, sorted.
    pub fn words(&self, name: &str) -> Vec<u32> {
        let mut words = self.ids.get(name).map_or(Vec::new(), |&id| self.words[id].clone());
        words.sort_unstable();
        words
    }

    /// That a generator's own counts are right.
    pub fn assert_matches(&self, facts: &Facts) {
        assert_eq!(facts.bytes, self.bytes);
        assert_eq!(facts.elements, self.elements);
        assert_eq!(facts.attributes, self.attributes);
        assert_eq!(facts.max_depth, self.max_depth());
        assert!((facts.average_depth() - self.average_depth()).abs() < 1e-9);
    }
}

/// A tree of element names, for counting answers of patterns.
pub struct Tree {
    pub nodes: Vec<Node>,
}

pub struct Node {
    pub name: String,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
}

impl Tree {
    pub fn of(document: &[u8]) -> Self {
        let text = std::str::from_utf8(document).expect("UTF-8");
        let mut nodes: Vec<Node> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut reader = Reader::from_str(text);
        loop {
            let event = reader.read_event().expect("well-formed");
            match &event {
                Event::Start(tag) | Event::Empty(tag) => {
                    let id = nodes.len();
                    let parent = open.last().copied();
                    let name = tag.name().into_inner().to_owned();
                    nodes.push(Node { name, parent, children: Vec::new() });
                    if let Some(parent) = parent {
                        nodes[parent].children.push(id);
                    }
                    if matches!(event, Event::Start(_)) {
                        open.push(id);
                    }
                }
                Event::End(_) => {
                    open.pop();
                }
                Event::Eof => return Self { nodes },
                _ => {}
            }
        }
    }

    pub fn name(&self, node: usize) -> &str {
        &self.nodes[node].name
    }

    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = usize> + 'a {
        (0..self.nodes.len()).filter(move |&node| self.name(node) == name)
    }

    pub fn has_child(&self, node: usize, name: &str) -> bool {
        self.nodes[node].children.iter().any(|&child| self.name(child) == name)
    }

    pub fn has_descendant(&self, node: usize, name: &str) -> bool {
        let children = &self.nodes[node].children;
        self.has_child(node, name) || children.iter().any(|&c| self.has_descendant(c, name))
    }

    /// How many nodes have the given path of names upwards, the node's own first.
    pub fn paths(&self, upwards: &[&str]) -> usize {
        let matches = |mut node: usize| {
            for (i, name) in upwards.iter().enumerate() {
                if i > 0 {
                    match self.nodes[node].parent {
                        Some(parent) => node = parent,
                        None => return false,
                    }
                }
                if self.name(node) != *name {
                    return false;
                }
            }
            true
        };
        (0..self.nodes.len()).filter(|&node| matches(node)).count()
    }

    /// How many nodes of this name have, among their children, a run that the matcher accepts at
    /// some place: it gets the names from there on.
    pub fn with_run(&self, name: &str, accepts: impl Fn(&[&str]) -> bool) -> usize {
        self.named(name)
            .filter(|&node| {
                let names: Vec<&str> =
                    self.nodes[node].children.iter().map(|&child| self.name(child)).collect();
                (0..names.len()).any(|from| accepts(&names[from..]))
            })
            .count()
    }
}
