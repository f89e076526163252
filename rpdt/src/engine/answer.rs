//! Answers as the sink sees them: bindings flattened to one field a label.

use hashbrown::{HashMap, HashSet};

use crate::automaton::compile::{Compiled, NONE, Query};
use crate::{Field, Needs, NodeRef, Value};

use super::buffer::{Buffers, Element, ElementId, InstanceId, Item, ListId};
use super::tuples::Slot;

/// What is needed to show an answer: a view that leaves the sink free to be called.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub compiled: &'a Compiled,
    pub buffers: &'a Buffers,
    pub needs: Needs,
}

/// A binding on its way into a field.
struct Binding<'a> {
    node: NodeRef<'a>,
    single: bool,
}

impl<'a> View<'a> {
    /// A recorded element under the label of a return node.
    pub(super) fn node_ref(&self, query: u32, number: u32, id: ElementId) -> NodeRef<'a> {
        let query = &self.compiled.queries[query as usize];
        let returned = self.compiled.nodes[number as usize].returned;
        let element = self.buffers.element(id);
        let label = query.returns[returned as usize].label.as_deref();
        self.describe(label.unwrap_or(&element.name), element)
    }

    fn describe(&self, label: &'a str, element: &'a Element) -> NodeRef<'a> {
        let (text, xml) = match element.capture {
            None => ("", &[][..]),
            Some(capture) => {
                let capture = self.buffers.capture(capture);
                (
                    capture.text.get(element.text.0..element.text.1).unwrap_or_default(),
                    capture.xml.get(element.xml.0..element.xml.1).unwrap_or_default(),
                )
            }
        };
        NodeRef {
            label,
            name: if self.needs.name { &element.name } else { "" },
            start: element.start,
            end: if self.needs.end { element.end } else { 0 },
            depth: element.depth,
            path: &element.path,
            attributes: &element.attributes,
            text: if self.needs.text { text } else { "" },
            xml: if self.needs.xml { xml } else { &[] },
        }
    }

    /// The fields of a tuple.
    pub(super) fn tuple_fields(&self, query: u32, slots: &[Slot]) -> Vec<Field<'a>> {
        let mut bindings = Vec::new();
        for slot in slots {
            match *slot {
                Slot::Empty => {}
                Slot::Instance(id) => self.bind_node(query, id, true, &mut bindings),
                Slot::Run(run) => {
                    for &member in &self.buffers.run(run).members {
                        self.gather(query, member, &mut bindings);
                    }
                }
            }
        }
        fields(&self.compiled.queries[query as usize], bindings)
    }

    /// The fields of an instance tree.
    pub(super) fn instance_fields(&self, query: u32, id: InstanceId) -> Vec<Field<'a>> {
        let mut bindings = Vec::new();
        self.gather(query, id, &mut bindings);
        fields(&self.compiled.queries[query as usize], bindings)
    }

    fn bind_node(&self, query: u32, id: InstanceId, single: bool, bindings: &mut Vec<Binding<'a>>) {
        let instance = self.buffers.instance(id);
        if self.compiled.nodes[instance.node as usize].returned == NONE {
            return;
        }
        if let Some(element) = instance.element {
            let node = self.node_ref(query, instance.node, element);
            bindings.push(Binding { node, single });
        }
    }

    /// Everything returned at or below an instance: each instance and each shared list once, and
    /// without recursion.
    fn gather(&self, query: u32, id: InstanceId, bindings: &mut Vec<Binding<'a>>) {
        let mut seen_lists: HashSet<ListId> = HashSet::new();
        let mut seen: HashSet<InstanceId> = HashSet::new();
        let mut work = vec![Item::Instance(id)];
        while let Some(item) = work.pop() {
            match item {
                Item::Instance(id) if seen.insert(id) => {
                    self.bind_node(query, id, false, bindings);
                    let lists = self.buffers.instance(id).lists.iter().flatten();
                    work.extend(lists.map(|&l| Item::Shared(l)));
                }
                Item::Shared(list) if seen_lists.insert(list) => {
                    work.extend(self.buffers.items(list));
                }
                Item::Run(run) => {
                    let members = &self.buffers.run(run).members;
                    work.extend(members.iter().map(|&m| Item::Instance(m)));
                }
                Item::Instance(_) | Item::Shared(_) => {}
            }
        }
    }
}

/// One field a label: labels known beforehand in the order of the pattern, element names after
/// them in document order. Whether a field is a node or a list depends on the query alone.
fn fields<'a>(query: &'a Query, mut bindings: Vec<Binding<'a>>) -> Vec<Field<'a>> {
    let mut groups: Vec<(&str, Vec<Binding<'a>>)> = Vec::new();
    let mut index: HashMap<&str, usize> = HashMap::new();
    for label in query.returns.iter().filter_map(|r| r.label.as_deref()) {
        index.entry(label).or_insert_with(|| {
            groups.push((label, Vec::new()));
            groups.len() - 1
        });
    }
    bindings.sort_by_key(|b| b.node.start);
    for binding in bindings {
        let label = binding.node.label;
        let at = *index.entry(label).or_insert_with(|| {
            groups.push((label, Vec::new()));
            groups.len() - 1
        });
        groups[at].1.push(binding);
    }
    groups
        .into_iter()
        .map(|(label, group)| {
            let value = match &group[..] {
                [Binding { node, single: true }] if query.is_single(label) => Value::Node(*node),
                _ => {
                    let mut list: Vec<NodeRef<'a>> = group.into_iter().map(|b| b.node).collect();
                    list.dedup_by_key(|n| n.start);
                    Value::List(list)
                }
            };
            Field { label, value }
        })
        .collect()
}
