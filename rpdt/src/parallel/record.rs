//! Answers that cannot be given yet: those of a segment whose beginning is only assumed.

use std::ops::{ControlFlow, Range};

use crate::{Answer, Field, Needs, NodeRef, Sink, Value};

/// Gives answers to a sink, if it has one, and else keeps them.
#[derive(Debug)]
pub(super) struct Relay<'s, S> {
    needs: Needs,
    pub(super) sink: Option<&'s mut S>,
    pub(super) record: Record,
}

impl<'s, S: Sink> Relay<'s, S> {
    pub(super) fn new(sink: &'s mut S) -> Self {
        Relay { needs: sink.needs(), sink: Some(sink), record: Record::default() }
    }

    /// One that keeps what a sink with these needs will want to know, up to so many bytes.
    pub(super) fn recording(needs: Needs, most: usize) -> Relay<'s, S> {
        Relay { needs, sink: None, record: Record { most, ..Record::default() } }
    }
}

impl<S: Sink> Sink for Relay<'_, S> {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn answer(&mut self, query: usize, sequence: u64, answer: &Answer<'_>) -> ControlFlow<()> {
        match &mut self.sink {
            Some(sink) => sink.answer(query, sequence, answer),
            None => self.record.keep(query, sequence, answer),
        }
    }

    fn count(&mut self, query: usize, n: u64) -> ControlFlow<()> {
        match &mut self.sink {
            Some(sink) => sink.count(query, n),
            None => self.record.count(query, n),
        }
    }
}

/// Answers of a segment in the order in which they became certain.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// Numbers of answers, when that is all that is wanted.
    counts: Vec<(usize, u64)>,
    answers: Vec<Kept>,
    fields: Vec<KeptField>,
    nodes: Vec<KeptNode>,
    attributes: Vec<(Box<str>, Box<str>)>,
    /// Labels, names and texts.
    text: String,
    xml: Vec<u8>,
    /// Bytes of paths and attributes.
    boxed: usize,
    /// Bytes that may be kept.
    most: usize,
    /// There were more; answers are missing.
    pub(super) is_full: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Node,
    Tuple,
    Instance,
}

#[derive(Debug)]
struct Kept {
    query: usize,
    sequence: u64,
    kind: Kind,
    fields: Range<usize>,
}

#[derive(Debug)]
struct KeptField {
    label: Range<usize>,
    single: bool,
    nodes: Range<usize>,
}

#[derive(Debug)]
struct KeptNode {
    label: Range<usize>,
    name: Range<usize>,
    start: u64,
    end: u64,
    depth: usize,
    path: Box<str>,
    attributes: Range<usize>,
    text: Range<usize>,
    xml: Range<usize>,
}

impl Record {
    fn count(&mut self, query: usize, n: u64) -> ControlFlow<()> {
        match self.counts.last_mut() {
            Some((last, count)) if *last == query => *count += n,
            _ => self.counts.push((query, n)),
        }
        self.flow()
    }

    fn keep(&mut self, query: usize, sequence: u64, answer: &Answer<'_>) -> ControlFlow<()> {
        let from = self.fields.len();
        let kind = match answer {
            Answer::Node(node) => {
                self.field("", true, std::slice::from_ref(node));
                Kind::Node
            }
            Answer::Tuple(fields) => {
                fields.iter().for_each(|field| self.value(field));
                Kind::Tuple
            }
            Answer::Instance(fields) => {
                fields.iter().for_each(|field| self.value(field));
                Kind::Instance
            }
        };
        self.answers.push(Kept { query, sequence, kind, fields: from..self.fields.len() });
        self.flow()
    }

    fn flow(&mut self) -> ControlFlow<()> {
        let bytes = self.counts.len() * size_of::<(usize, u64)>()
            + self.answers.len() * size_of::<Kept>()
            + self.fields.len() * size_of::<KeptField>()
            + self.nodes.len() * size_of::<KeptNode>()
            + self.attributes.len() * size_of::<(Box<str>, Box<str>)>()
            + self.text.len()
            + self.xml.len()
            + self.boxed;
        self.is_full |= bytes > self.most;
        if self.is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn value(&mut self, field: &Field<'_>) {
        match &field.value {
            Value::Node(node) => self.field(field.label, true, std::slice::from_ref(node)),
            Value::List(list) => self.field(field.label, false, list),
        }
    }

    fn field(&mut self, label: &str, single: bool, nodes: &[NodeRef<'_>]) {
        let label = self.put(label);
        let from = self.nodes.len();
        for node in nodes {
            let attributes = self.attributes.len()..self.attributes.len() + node.attributes.len();
            self.attributes.extend_from_slice(node.attributes);
            let bytes = node.attributes.iter().map(|(name, value)| name.len() + value.len());
            self.boxed += node.path.len() + bytes.sum::<usize>();
            let xml = self.xml.len()..self.xml.len() + node.xml.len();
            self.xml.extend_from_slice(node.xml);
            let node = KeptNode {
                label: self.put(node.label),
                name: self.put(node.name),
                start: node.start,
                end: node.end,
                depth: node.depth,
                path: node.path.into(),
                attributes,
                text: self.put(node.text),
                xml,
            };
            self.nodes.push(node);
        }
        self.fields.push(KeptField { label, single, nodes: from..self.nodes.len() });
    }

    fn put(&mut self, text: &str) -> Range<usize> {
        let from = self.text.len();
        self.text.push_str(text);
        from..self.text.len()
    }

    /// Puts better paths in place of those for which there is one.
    pub(super) fn change_paths(&mut self, better: impl Fn(&str) -> Option<Box<str>>) {
        for node in &mut self.nodes {
            if let Some(path) = better(&node.path) {
                node.path = path;
            }
        }
    }

    /// Gives everything to a sink, until that wants no more. `before`: so many answers were given
    /// before these.
    pub(super) fn give<S: Sink>(&self, sink: &mut S, before: u64) -> ControlFlow<()> {
        for &(query, n) in &self.counts {
            sink.count(query, n)?;
        }
        for kept in &self.answers {
            let fields = &self.fields[kept.fields.clone()];
            let answer = match (kept.kind, fields) {
                (Kind::Node, [field]) => Answer::Node(self.node(field.nodes.start)),
                (Kind::Instance, _) => Answer::Instance(self.fields(fields)),
                _ => Answer::Tuple(self.fields(fields)),
            };
            sink.answer(kept.query, before + kept.sequence, &answer)?;
        }
        ControlFlow::Continue(())
    }

    fn fields(&self, fields: &[KeptField]) -> Vec<Field<'_>> {
        let each = |field: &KeptField| Field {
            label: &self.text[field.label.clone()],
            value: match field.single {
                true => Value::Node(self.node(field.nodes.start)),
                false => Value::List(field.nodes.clone().map(|i| self.node(i)).collect()),
            },
        };
        fields.iter().map(each).collect()
    }

    fn node(&self, i: usize) -> NodeRef<'_> {
        let node = &self.nodes[i];
        NodeRef {
            label: &self.text[node.label.clone()],
            name: &self.text[node.name.clone()],
            start: node.start,
            end: node.end,
            depth: node.depth,
            path: &node.path,
            attributes: &self.attributes[node.attributes.clone()],
            text: &self.text[node.text.clone()],
            xml: &self.xml[node.xml.clone()],
        }
    }
}
