//! Instances: pattern nodes matched by open elements, and the **check** action.

use crate::automaton::compile::{AttributeName, NONE, Node, Place, Role, SpineBranch};
use crate::input::{EndTag, StartTag};
use crate::pattern::Axis;
use crate::{Error, Shape, Sink};

use super::buffer::{Element, InstanceId, Item};
use super::value;
use super::{Engine, Extra, Mark, buffer};

/// A pattern node matched by an open element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub node: u32,
    /// The innermost instance of the parent node that encloses this one.
    pub parent: u32,
    /// The next outer instance of the same node.
    pub previous: u32,
    /// Conditions that are not met yet; 0 = satisfied.
    pub conditions: u64,
    /// Where its regular branches begin on the stack of trackers.
    pub trackers: u32,
    pub depth: u32,
    /// Leads to an answer for certain.
    pub confirmed: bool,
    /// Hangs in its parent's list (roles below the key).
    pub linked: bool,
    /// Its record in the buffers, made when something must be kept.
    pub instance: Option<InstanceId>,
    pub start: u64,
}

impl<S: Sink> Engine<'_, S> {
    /// Opens an instance of `node` for the element that was just started, if its parent is there
    /// and its attribute tests hold.
    pub(super) fn open_instance(&mut self, id: u32, tag: &StartTag<'_>) -> Result<(), Error> {
        let compiled = self.compiled;
        let node = &compiled.nodes[id as usize];
        let mut parent = NONE;
        if node.parent != NONE {
            parent = self.top[node.parent as usize];
            if parent == NONE {
                return Ok(());
            }
            let p = &self.open[parent as usize];
            if node.axis == Axis::Child && p.depth as usize + 1 != tag.depth {
                return Ok(());
            }
            // Off the spine one witness is enough.
            let (bit, always) = match node.place {
                Place::Symbol { regular, .. } => {
                    let regular = &compiled.regulars[regular as usize];
                    (regular.bit, regular.on_spine)
                }
                _ => (node.bit, node.on_spine()),
            };
            if !always && p.conditions & bit == 0 {
                return Ok(());
            }
        }
        if !node.attribute_tests.is_empty() && !self.attributes_hold(node, tag)? {
            return Ok(());
        }
        let i = self.open.len() as u32;
        if let Place::Symbol { regular, symbol } = node.place {
            let local = compiled.regulars[regular as usize].local;
            self.trackers.set_pending(self.open[parent as usize].trackers + local, symbol);
        }
        self.open_key(id, tag.start);
        self.open.push(Open {
            node: id,
            parent,
            previous: self.top[id as usize],
            conditions: node.conditions,
            trackers: self.trackers.len(),
            depth: tag.depth as u32,
            confirmed: false,
            linked: false,
            instance: None,
            start: tag.start,
        });
        self.top[id as usize] = i;
        for &regular in &node.regulars {
            self.trackers.push(regular, i);
        }
        if !node.string_tests.is_empty() {
            self.begin_string();
        }
        if !node.text_tests.is_empty() {
            self.extra().text_tests = true;
        }
        if node.returned != NONE && self.modes[node.query as usize].elements {
            self.record_element(tag)?;
        }
        if node.conditions == 0 {
            self.satisfied(i)?;
        }
        Ok(())
    }

    fn attributes_hold(&self, node: &Node, tag: &StartTag<'_>) -> Result<bool, Error> {
        for test in &node.attribute_tests {
            let Some(wanted) = &test.attribute else { continue };
            let mut found = false;
            for attribute in tag.attributes() {
                let attribute = attribute?;
                let same = match (&self.namespaces, wanted) {
                    (_, AttributeName::Written(name)) => name.as_bytes() == attribute.name,
                    (Some(namespaces), _) => namespaces.attribute_is(attribute.name, wanted),
                    (None, AttributeName::Expanded { .. }) => false,
                };
                if same {
                    found = value::holds(&attribute.value, test.comparison.as_ref());
                    break;
                }
            }
            if !found {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The extra record of the innermost element, made when it is first needed.
    pub(super) fn extra(&mut self) -> &mut Extra {
        let depth = self.depth;
        if self.extras.last().is_none_or(|e| e.depth != depth) {
            self.extras.push(Extra {
                depth,
                element: None,
                string_from: None,
                text_tests: false,
                instances: self.marks.last().map_or(0, |m| m.instances),
                owns_capture: false,
            });
        }
        let last = self.extras.len() - 1;
        &mut self.extras[last]
    }

    /// **add**: records the element for its return nodes, with what the sink asked for.
    fn record_element(&mut self, tag: &StartTag<'_>) -> Result<(), Error> {
        if self.extra().element.is_some() {
            return Ok(());
        }
        let needs = self.needs;
        let name = String::from_utf8_lossy(tag.name).into_owned().into_boxed_str();
        let mut attributes = Vec::new();
        if needs.attributes {
            for attribute in tag.attributes() {
                let attribute = attribute?;
                let name = String::from_utf8_lossy(attribute.name).into_owned();
                attributes.push((name.into_boxed_str(), attribute.value.into_owned().into()));
            }
        }
        let mut element = Element {
            start: tag.start,
            depth: tag.depth,
            name,
            // With answers at the end tag the path is taken there: open elements share their paths.
            path: match &self.paths {
                Some(paths) if !needs.end => paths.path().into(),
                _ => Box::default(),
            },
            attributes: attributes.into(),
            ..Element::default()
        };
        if needs.text || needs.xml {
            let capture = match self.content.capture {
                Some(capture) => capture,
                None => {
                    let capture = self.buffers.new_capture();
                    self.content.capture = Some(capture);
                    self.extra().owns_capture = true;
                    capture
                }
            };
            self.buffers.retain_capture(capture);
            let recorded = self.buffers.capture(capture);
            element.capture = Some(capture);
            element.text.0 = recorded.text.len();
            element.xml.0 = recorded.xml.len();
        }
        let id = self.buffers.new_element(element);
        self.extra().element = Some(id);
        self.check_buffers()
    }

    /// Clears a condition of an open instance.
    pub(super) fn meet(&mut self, i: u32, bit: u64) -> Result<(), Error> {
        let open = &mut self.open[i as usize];
        if open.conditions & bit == 0 {
            return Ok(());
        }
        open.conditions &= !bit;
        if open.conditions == 0 {
            self.satisfied(i)?;
        }
        Ok(())
    }

    /// **check** succeeded: all conditions of an instance are met; its parents learn of it.
    ///
    /// Every condition of every open instance is cleared at most once, so the walk over enclosing
    /// instances costs amortised constant time: an instance whose bit is clear already has only
    /// outer ones whose bit is clear, too.
    fn satisfied(&mut self, i: u32) -> Result<(), Error> {
        let compiled = self.compiled;
        let id = self.open[i as usize].node;
        let node = &compiled.nodes[id as usize];
        match node.place {
            Place::Root => {}
            Place::Ordinary => {
                let parent = self.open[i as usize].parent;
                self.witness(parent, node)?;
            }
            Place::Symbol { regular, symbol } => {
                let regular = &compiled.regulars[regular as usize];
                let owner = self.open[i as usize].parent;
                let o = &self.open[owner as usize];
                if o.conditions & regular.bit != 0
                    && self.trackers.would_accept(o.trackers + regular.local, symbol, regular)
                {
                    self.meet(owner, regular.bit)?;
                }
            }
        }
        if node.on_spine() && self.modes[node.query as usize].collect {
            self.candidate(i, id, node)?;
        } else if node.role == Role::Key {
            self.open[i as usize].confirmed = true;
        }
        Ok(())
    }

    /// An element satisfies an ordinary node: the instances of the parent node learn of it, the
    /// innermost of which is given.
    pub(super) fn witness(&mut self, parent: u32, node: &Node) -> Result<(), Error> {
        if node.axis == Axis::Child {
            return self.meet(parent, node.bit);
        }
        // Outermost first: what it confirms need not be looked for by the inner ones. Mostly there
        // is but one to tell.
        let base = self.waiting.len();
        let mut p = parent;
        while p != NONE && self.open[p as usize].conditions & node.bit != 0 {
            self.waiting.push(p);
            p = self.open[p as usize].previous;
        }
        while self.waiting.len() > base {
            if let Some(p) = self.waiting.pop() {
                self.meet(p, node.bit)?;
            }
        }
        Ok(())
    }

    /// The record of an open instance in the buffers.
    pub(super) fn keep(&mut self, i: u32) -> InstanceId {
        let open = self.open[i as usize];
        if let Some(id) = open.instance {
            return id;
        }
        let node = &self.compiled.nodes[open.node as usize];
        let mut element = None;
        if node.returned != NONE {
            // The instance belongs to the element whose extra record has its depth.
            let at = self.extras.binary_search_by_key(&(open.depth as usize), |e| e.depth);
            element = at.ok().and_then(|at| self.extras[at].element);
            if let Some(element) = element {
                self.buffers.retain_element(element);
            }
        }
        let id = self.buffers.new_instance(buffer::Instance {
            node: open.node,
            element,
            lists: Vec::new(),
            confirmed: open.confirmed,
            pending: false,
            open: i,
            start: open.start,
        });
        self.open[i as usize].instance = Some(id);
        id
    }

    /// The innermost element ends: last conditions, last runs, then answers and uploads.
    pub(super) fn close_instances(&mut self, mark: Mark, tag: &EndTag<'_>) -> Result<(), Error> {
        let base = mark.instances;
        let end = self.open.len() as u32;
        self.record_end(tag);
        let extra = self.extras.last().filter(|e| e.depth == self.depth);
        let string_from = extra.and_then(|e| e.string_from);
        if let Some(from) = string_from {
            for i in base..end {
                let node = &self.compiled.nodes[self.open[i as usize].node as usize];
                for test in &node.string_tests {
                    if self.string_value_holds(from, test) {
                        self.meet(i, test.bit)?;
                    }
                }
            }
            self.end_string();
        }
        for r in mark.regulars..self.trackers.len() {
            self.finish_runs(r)?;
        }
        self.close_element(tag)?;
        for i in base..end {
            self.close_instance(i)?;
        }
        // Only now: what is uploaded while the instance is still open would be met twice.
        for i in base..end {
            let node = &self.compiled.nodes[self.open[i as usize].node as usize];
            if node.on_spine() {
                self.upload(i, node);
            }
        }
        for i in (base..end).rev() {
            let open = self.open[i as usize];
            self.top[open.node as usize] = open.previous;
            let lowest = &mut self.lowest_confirmed[open.node as usize];
            if *lowest == i {
                *lowest = NONE;
            }
            match open.instance {
                Some(id) => {
                    self.buffers.instance_mut(id).open = NONE;
                    let node = &self.compiled.nodes[open.node as usize];
                    if node.role == Role::Key && open.confirmed {
                        // All its answers are out, though some may be held back and hold it.
                        self.resolved(open.start, open.node);
                    }
                    self.buffers.release_instance(id);
                }
                None => self.resolved(open.start, open.node),
            }
        }
        self.open.truncate(base as usize);
        self.truncate_trackers(mark.regulars);
        if self.extras.last().is_some_and(|e| e.depth == self.depth)
            && let Some(extra) = self.extras.pop()
        {
            if let Some(element) = extra.element {
                self.buffers.release_element(element);
            }
            if extra.owns_capture
                && let Some(capture) = self.content.capture.take()
            {
                self.buffers.release_capture(capture);
            }
        }
        Ok(())
    }

    /// The recorded element is complete: answers that waited for its end are given.
    fn close_element(&mut self, tag: &EndTag<'_>) -> Result<(), Error> {
        let extra = self.extras.last().filter(|e| e.depth == self.depth);
        let Some(id) = extra.and_then(|e| e.element) else { return Ok(()) };
        let capture = self.buffers.element(id).capture;
        let (text, xml) = capture.map_or((0, 0), |c| {
            let capture = self.buffers.capture(c);
            (capture.text.len(), capture.xml.len())
        });
        if let Some(paths) = &self.paths
            && self.needs.end
        {
            self.buffers.set_path(id, paths.path());
        }
        let element = self.buffers.element_mut(id);
        element.end = tag.end;
        element.closed = true;
        element.text.1 = text;
        element.xml.1 = xml;
        let waiting = std::mem::take(&mut element.waiting);
        for node in waiting {
            self.give_node(node, Some(id));
        }
        Ok(())
    }

    /// What an instance leaves behind when its element ends.
    fn close_instance(&mut self, i: u32) -> Result<(), Error> {
        let compiled = self.compiled;
        let open = self.open[i as usize];
        let node = &compiled.nodes[open.node as usize];
        let satisfied = open.conditions == 0;
        let mode = self.modes[node.query as usize];
        if let Place::Symbol { regular, symbol } = node.place
            && satisfied
        {
            let r = self.open[open.parent as usize].trackers
                + compiled.regulars[regular as usize].local;
            let member = (node.on_spine() && self.remembers(r)).then(|| {
                let id = self.keep(i);
                self.buffers.retain_instance(id);
                id
            });
            self.trackers.child_satisfies(r, symbol, member);
        }
        if !node.on_spine() {
            return Ok(());
        }
        if satisfied {
            let waited = node.returned != NONE && mode.wait_for_end;
            match node.role {
                Role::Below | Role::InRun if waited && node.place == Place::Ordinary => {
                    self.link(i)?;
                }
                Role::Key if mode.shape == Shape::Instances => self.give_instance(i),
                Role::Key if waited && open.confirmed => self.enumerate_open(i),
                _ => {}
            }
        }
        Ok(())
    }

    /// **upload**: hands the descendant-axis lists of a closing instance to the next outer one.
    fn upload(&mut self, i: u32, node: &Node) {
        let open = self.open[i as usize];
        let (Some(id), true) = (open.instance, open.previous != NONE) else { return };
        for (l, branch) in node.spine.iter().enumerate() {
            let SpineBranch::Node(c) = *branch else { continue };
            if self.compiled.nodes[c as usize].axis != Axis::Descendant {
                continue;
            }
            let Some(list) = self.buffers.list(id, l as u32) else { continue };
            let outer = self.keep(open.previous);
            // A list of one entry is not worth a step on the way to it: without this, deep nesting
            // would make chains of lists.
            if self.sharing && self.buffers.items(list).len() > 1 {
                self.buffers.retain_list(list);
                self.buffers.push(outer, l as u32, node.lists, Item::Shared(list));
            } else {
                for item in self.buffers.items(list).to_vec() {
                    self.buffers.retain_item(item);
                    self.buffers.push(outer, l as u32, node.lists, item);
                }
            }
        }
    }
}
