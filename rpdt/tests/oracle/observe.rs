//! Runs the engine, keeps what it gave, and compares that with what the oracle expects.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rpdt::input::Flow;
use rpdt::{Answer, Error, Field, Needs, NodeRef, Outcome, Plan, Shape, Sink, Value};

use super::answers::Expected;
use crate::dom::Document;

/// A node as the engine gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenNode {
    pub label: String,
    pub name: String,
    pub start: u64,
    pub end: u64,
    pub depth: usize,
    pub path: String,
    pub attributes: Vec<(String, String)>,
    pub text: String,
    pub xml: Vec<u8>,
}

/// An answer as the engine gave it: per field whether it was a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub query: usize,
    pub sequence: u64,
    pub shape: Shape,
    pub fields: Vec<(String, bool, Vec<SeenNode>)>,
}

/// (start, label) of the nodes of an answer in document order.
pub type Key = Vec<(usize, String)>;

impl Seen {
    pub fn key(&self) -> Key {
        let each = |(label, _, nodes): &(String, bool, Vec<SeenNode>)| {
            nodes.iter().map(|n| (n.start as usize, label.clone())).collect::<Vec<_>>()
        };
        let mut key: Vec<_> = self.fields.iter().flat_map(each).collect();
        key.sort();
        key
    }
}

/// A sink that keeps everything, and may stop after some answers.
#[derive(Debug)]
pub struct Keep {
    needs: Needs,
    stop_after: Option<usize>,
    pub seen: Vec<Seen>,
    /// What [`Sink::count`] was told, by query.
    pub counted: BTreeMap<usize, u64>,
}

impl Keep {
    pub fn new(needs: Needs) -> Self {
        Keep { needs, stop_after: None, seen: Vec::new(), counted: BTreeMap::new() }
    }

    pub fn stop_after(mut self, answers: usize) -> Self {
        self.stop_after = Some(answers);
        self
    }

    /// The keys of the answers of one query, in the order given.
    pub fn keys(&self, query: usize) -> Vec<Key> {
        self.seen.iter().filter(|s| s.query == query).map(Seen::key).collect()
    }
}

impl Sink for Keep {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn answer(&mut self, query: usize, sequence: u64, answer: &Answer<'_>) -> ControlFlow<()> {
        let node = |n: &NodeRef<'_>| SeenNode {
            label: n.label.to_owned(),
            name: n.name.to_owned(),
            start: n.start,
            end: n.end,
            depth: n.depth,
            path: n.path.to_owned(),
            attributes: n.attributes.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect(),
            text: n.text.to_owned(),
            xml: n.xml.to_owned(),
        };
        let fields = |fields: &[Field<'_>]| {
            let field = |f: &Field<'_>| match &f.value {
                Value::Node(n) => (f.label.to_owned(), false, vec![node(n)]),
                Value::List(l) => (f.label.to_owned(), true, l.iter().map(node).collect()),
            };
            fields.iter().map(field).collect()
        };
        let (shape, fields) = match answer {
            Answer::Node(n) => (Shape::Nodes, vec![(n.label.to_owned(), false, vec![node(n)])]),
            Answer::Tuple(f) => (Shape::Tuples, fields(f)),
            Answer::Instance(f) => (Shape::Instances, fields(f)),
        };
        self.seen.push(Seen { query, sequence, shape, fields });
        match self.stop_after {
            Some(most) if self.seen.len() >= most => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn count(&mut self, query: usize, n: u64) -> ControlFlow<()> {
        *self.counted.entry(query).or_default() += n;
        ControlFlow::Continue(())
    }
}

/// Feeds a document in chunks of the given sizes, used round and round. Answers given before an
/// error stay in the sink.
pub fn feed<'s>(
    plan: &Plan,
    document: &[u8],
    sizes: &[usize],
    sink: &'s mut Keep,
) -> Result<Outcome<&'s mut Keep>, Error> {
    let mut matcher = plan.matcher(sink);
    let mut rest = document;
    let mut sizes = sizes.iter().cycle();
    while !rest.is_empty() {
        let size = sizes.next().copied().unwrap_or(usize::MAX).min(rest.len());
        let (chunk, after) = rest.split_at(size);
        if matcher.feed(chunk)? == Flow::Stopped {
            break;
        }
        rest = after;
    }
    matcher.finish()
}

/// Compares answers with what is expected, as sets with repetition; `Err` says what differs.
pub fn same_answers(
    doc: &Document,
    shape: Shape,
    expected: &[Expected],
    seen: &[Seen],
) -> Result<(), String> {
    let start = |e: usize| doc.elements[e].start;
    let want: Vec<Key> = expected.iter().map(|e| e.order_key(start)).collect();
    let mut got: Vec<(Key, &Seen)> = seen.iter().map(|s| (s.key(), s)).collect();
    got.sort_by(|a, b| a.0.cmp(&b.0));
    let keys: Vec<Key> = got.iter().map(|g| g.0.clone()).collect();
    if want != keys {
        return Err(format!("expected {} {want:?}\n     got {} {keys:?}", want.len(), keys.len()));
    }
    // Equal keys can stand for answers that differ in which labels are single; try them all.
    for (key, answer) in &got {
        if answer.shape != shape {
            return Err(format!("shape {:?} instead of {shape:?}", answer.shape));
        }
        let candidates = expected.iter().filter(|e| e.order_key(start) == *key);
        let faults: Vec<String> = candidates.filter_map(|e| fault(e, answer).err()).collect();
        if faults.len() == expected.iter().filter(|e| e.order_key(start) == *key).count() {
            return Err(format!("{} in {answer:?}", faults.join("; ")));
        }
    }
    Ok(())
}

/// What is wrong with the form of an answer whose nodes are the right ones.
fn fault(expected: &Expected, seen: &Seen) -> Result<(), String> {
    for (index, (label, is_list, nodes)) in seen.fields.iter().enumerate() {
        if seen.fields[..index].iter().any(|(l, ..)| l == label) {
            return Err(format!("two fields {label}"));
        }
        if nodes.iter().any(|n| n.label != *label) {
            return Err(format!("a node in field {label} has another label"));
        }
        if !nodes.is_sorted_by(|a, b| a.start < b.start) {
            return Err(format!("field {label} is not in document order"));
        }
        let must_be_list = seen.shape != Shape::Nodes
            && !expected.single.contains(label)
            && !expected.either.contains(label);
        if (*is_list && expected.single.contains(label)) || (!*is_list && must_be_list) {
            return Err(format!("field {label}: node or list?"));
        }
    }
    Ok(())
}

/// Checks every field of every node against the document: right where it was asked for, empty
/// where it was not.
pub fn right_details(doc: &Document, needs: Needs, seen: &[Seen]) -> Result<(), String> {
    for node in seen.iter().flat_map(|s| &s.fields).flat_map(|(_, _, nodes)| nodes) {
        let found = doc.elements.iter().position(|e| e.start as u64 == node.start);
        let id = found.ok_or_else(|| format!("no element starts at {}", node.start))?;
        let element = &doc.elements[id];
        let asked = SeenNode {
            label: node.label.clone(),
            name: if needs.name { element.name.clone() } else { node.name.clone() },
            start: node.start,
            end: if needs.end { element.end as u64 } else { node.end },
            depth: element.depth,
            path: if needs.path { doc.path(id) } else { String::new() },
            attributes: if needs.attributes { element.attributes.clone() } else { Vec::new() },
            text: if needs.text { doc.string_value(id) } else { String::new() },
            xml: if needs.xml { doc.xml(id).as_bytes().to_owned() } else { Vec::new() },
        };
        // Name and end may be known without being asked for; if so they must be right.
        let name = node.name.is_empty() || node.name == element.name;
        let end = node.end == 0 || node.end == element.end as u64;
        if *node != asked || !name || !end {
            return Err(format!("expected {asked:?}\n     got {node:?}"));
        }
    }
    Ok(())
}
