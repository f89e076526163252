//! The buffers B of the seven-tuple (paper, section 4.2): candidates that are not yet decided, as a
//! reference-counted graph of instances, lists and runs. Lists hold lists of inner elements by
//! reference, so that **upload** to every enclosing element costs one entry, never a copy.

use std::mem::size_of;

use crate::automaton::compile::NONE;

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) struct $name(pub u32);
    };
}

id_type!(
    /// A candidate: a pattern node matched by an element.
    InstanceId
);
id_type!(
    /// A list of candidates for one spine branch of one instance.
    ListId
);
id_type!(
    /// A reported run.
    RunId
);
id_type!(
    /// A recorded element.
    ElementId
);
id_type!(
    /// A recording of input that several elements share.
    CaptureId
);

/// A slab with reference counts; freed places are used again.
#[derive(Debug)]
struct Slab<T> {
    cells: Vec<(u32, T)>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Slab { cells: Vec::new(), free: Vec::new() }
    }
}

impl<T: Default> Slab<T> {
    fn insert(&mut self, value: T) -> u32 {
        if let Some(i) = self.free.pop() {
            self.cells[i as usize] = (1, value);
            i
        } else {
            self.cells.push((1, value));
            self.cells.len() as u32 - 1
        }
    }

    fn retain(&mut self, i: u32) {
        self.cells[i as usize].0 += 1;
    }

    /// Gives one reference back; the value when it was the last.
    fn release(&mut self, i: u32) -> Option<T> {
        let cell = &mut self.cells[i as usize];
        debug_assert!(cell.0 > 0, "a reference is given back only once");
        cell.0 -= 1;
        (cell.0 == 0).then(|| {
            self.free.push(i);
            std::mem::take(&mut cell.1)
        })
    }

    fn get(&self, i: u32) -> &T {
        &self.cells[i as usize].1
    }

    fn get_mut(&mut self, i: u32) -> &mut T {
        &mut self.cells[i as usize].1
    }
}

/// A pattern node matched by an element, kept while somebody may still need it.
#[derive(Debug)]
pub(crate) struct Instance {
    pub node: u32,
    /// The element, for return nodes.
    pub element: Option<ElementId>,
    /// One list a spine branch of the node, made when it gets its first entry.
    pub lists: Vec<Option<ListId>>,
    /// Leads to an answer for certain.
    pub confirmed: bool,
    /// A key that waits in a list for its confirmation.
    pub pending: bool,
    /// Index on the engine's stack while the element is open, else [`NONE`].
    pub open: u32,
    /// Start offset of the element.
    pub start: u64,
}

impl Default for Instance {
    fn default() -> Self {
        Instance {
            node: NONE,
            element: None,
            lists: Vec::new(),
            confirmed: false,
            pending: false,
            open: NONE,
            start: 0,
        }
    }
}

/// An entry of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Instance(InstanceId),
    Run(RunId),
    /// The list of an inner element for the same branch.
    Shared(ListId),
}

/// A run of a regular branch.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// The regular branch.
    pub regular: u32,
    /// Start offset of the parent element: with the bounds, the run's identity.
    pub parent: u64,
    /// Number of the first child; for an empty run `first > last`.
    pub first: u64,
    /// Number of the last child.
    pub last: u64,
    /// Instances of the spine symbols, in document order.
    pub members: Vec<InstanceId>,
}

/// What was recorded of an element.
#[derive(Debug, Default)]
pub(crate) struct Element {
    pub start: u64,
    pub end: u64,
    pub depth: usize,
    pub closed: bool,
    pub name: Box<str>,
    pub path: Box<str>,
    pub attributes: Box<[(Box<str>, Box<str>)]>,
    pub capture: Option<CaptureId>,
    pub text: (usize, usize),
    pub xml: (usize, usize),
    /// Labels under which the element was already given (shape nodes).
    pub given: Vec<(u32, Box<str>)>,
    /// Return nodes confirmed while the element was open (shape nodes).
    pub waiting: Vec<u32>,
}

/// A recording of input from the start of an outermost captured element.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    pub text: String,
    pub xml: Vec<u8>,
}

/// A note that an instance is gone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dropped {
    pub start: u64,
    pub node: u32,
    pub pending: bool,
}

/// All buffers of one run.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    instances: Slab<Instance>,
    lists: Slab<Vec<Item>>,
    runs: Slab<Run>,
    elements: Slab<Element>,
    captures: Slab<Capture>,
    /// Bytes held now.
    held: usize,
    peak: usize,
    /// Instances that were dropped, when the caller watches them.
    pub dropped: Vec<Dropped>,
    pub watch_drops: bool,
    work: Vec<Item>,
}

impl Buffers {
    pub(crate) fn held(&self) -> usize {
        self.held
    }

    pub(crate) fn peak(&self) -> usize {
        self.peak
    }

    fn grow(&mut self, bytes: usize) {
        self.held += bytes;
        self.peak = self.peak.max(self.held);
    }

    pub(crate) fn new_instance(&mut self, instance: Instance) -> InstanceId {
        self.grow(instance_bytes(&instance));
        InstanceId(self.instances.insert(instance))
    }

    pub(crate) fn instance(&self, id: InstanceId) -> &Instance {
        self.instances.get(id.0)
    }

    pub(crate) fn instance_mut(&mut self, id: InstanceId) -> &mut Instance {
        self.instances.get_mut(id.0)
    }

    pub(crate) fn retain_instance(&mut self, id: InstanceId) {
        self.instances.retain(id.0);
    }

    pub(crate) fn new_run(&mut self, run: Run) -> RunId {
        self.grow(run_bytes(&run));
        RunId(self.runs.insert(run))
    }

    pub(crate) fn run(&self, id: RunId) -> &Run {
        self.runs.get(id.0)
    }

    pub(crate) fn new_element(&mut self, element: Element) -> ElementId {
        self.grow(element_bytes(&element));
        ElementId(self.elements.insert(element))
    }

    pub(crate) fn element(&self, id: ElementId) -> &Element {
        self.elements.get(id.0)
    }

    pub(crate) fn element_mut(&mut self, id: ElementId) -> &mut Element {
        self.elements.get_mut(id.0)
    }

    pub(crate) fn set_path(&mut self, id: ElementId, path: &str) {
        self.elements.get_mut(id.0).path = path.into();
        self.grow(path.len());
    }

    /// Changes the paths of elements for which there is a better one.
    pub(crate) fn change_paths(&mut self, better: impl Fn(&str) -> Option<Box<str>>) {
        for (_, element) in &mut self.elements.cells {
            if let Some(path) = better(&element.path) {
                self.held = (self.held + path.len()).saturating_sub(element.path.len());
                element.path = path;
            }
        }
        self.peak = self.peak.max(self.held);
    }

    pub(crate) fn retain_element(&mut self, id: ElementId) {
        self.elements.retain(id.0);
    }

    pub(crate) fn new_capture(&mut self) -> CaptureId {
        CaptureId(self.captures.insert(Capture::default()))
    }

    pub(crate) fn capture(&self, id: CaptureId) -> &Capture {
        self.captures.get(id.0)
    }

    pub(crate) fn retain_capture(&mut self, id: CaptureId) {
        self.captures.retain(id.0);
    }

    pub(crate) fn record_text(&mut self, id: CaptureId, text: &str) {
        self.captures.get_mut(id.0).text.push_str(text);
        self.grow(text.len());
    }

    pub(crate) fn record_xml(&mut self, id: CaptureId, xml: &[u8]) {
        self.captures.get_mut(id.0).xml.extend_from_slice(xml);
        self.grow(xml.len());
    }

    pub(crate) fn release_capture(&mut self, id: CaptureId) {
        if let Some(capture) = self.captures.release(id.0) {
            self.held -= capture.text.len() + capture.xml.len();
        }
    }

    pub(crate) fn release_element(&mut self, id: ElementId) {
        if let Some(element) = self.elements.release(id.0) {
            self.held -= element_bytes(&element);
            if let Some(capture) = element.capture {
                self.release_capture(capture);
            }
        }
    }

    /// Appends to a list of an instance. Takes over the caller's reference to the item.
    pub(crate) fn push(&mut self, instance: InstanceId, list: u32, lists: u32, item: Item) {
        let held = &mut self.instances.get_mut(instance.0).lists;
        if held.is_empty() {
            held.resize(lists as usize, None);
        }
        let id = match held[list as usize] {
            Some(id) => id,
            None => {
                let id = ListId(self.lists.insert(Vec::new()));
                self.instances.get_mut(instance.0).lists[list as usize] = Some(id);
                id
            }
        };
        self.lists.get_mut(id.0).push(item);
        self.grow(size_of::<Item>());
    }

    /// The list of an instance for a branch, if it has entries.
    pub(crate) fn list(&self, instance: InstanceId, list: u32) -> Option<ListId> {
        let id = self.instance(instance).lists.get(list as usize).copied().flatten()?;
        (!self.lists.get(id.0).is_empty()).then_some(id)
    }

    pub(crate) fn items(&self, id: ListId) -> &[Item] {
        self.lists.get(id.0)
    }

    /// Empties a list, whose entries become the caller's.
    pub(crate) fn drain(&mut self, id: ListId) -> Vec<Item> {
        let items = std::mem::take(self.lists.get_mut(id.0));
        self.held -= items.len() * size_of::<Item>();
        items
    }

    pub(crate) fn retain_list(&mut self, id: ListId) {
        self.lists.retain(id.0);
    }

    pub(crate) fn retain_item(&mut self, item: Item) {
        match item {
            Item::Instance(i) => self.instances.retain(i.0),
            Item::Run(r) => self.runs.retain(r.0),
            Item::Shared(l) => self.lists.retain(l.0),
        }
    }

    pub(crate) fn release_instance(&mut self, id: InstanceId) {
        self.release(Item::Instance(id));
    }

    /// Gives a reference back. Frees what nobody else holds, without recursion: nesting may be as
    /// deep as the document.
    pub(crate) fn release(&mut self, item: Item) {
        let mut work = std::mem::take(&mut self.work);
        work.push(item);
        while let Some(item) = work.pop() {
            match item {
                Item::Instance(i) => {
                    let Some(instance) = self.instances.release(i.0) else { continue };
                    self.held -= instance_bytes(&instance);
                    if self.watch_drops {
                        self.dropped.push(Dropped {
                            start: instance.start,
                            node: instance.node,
                            pending: instance.pending,
                        });
                    }
                    if let Some(element) = instance.element {
                        self.release_element(element);
                    }
                    work.extend(instance.lists.into_iter().flatten().map(Item::Shared));
                }
                Item::Run(r) => {
                    let Some(run) = self.runs.release(r.0) else { continue };
                    self.held -= run_bytes(&run);
                    work.extend(run.members.into_iter().map(Item::Instance));
                }
                Item::Shared(l) => {
                    let Some(items) = self.lists.release(l.0) else { continue };
                    self.held -= items.len() * size_of::<Item>();
                    work.extend(items);
                }
            }
        }
        self.work = work;
    }
}

fn instance_bytes(_: &Instance) -> usize {
    size_of::<Instance>() + size_of::<u32>()
}

fn run_bytes(run: &Run) -> usize {
    size_of::<Run>() + run.members.len() * size_of::<InstanceId>()
}

fn element_bytes(element: &Element) -> usize {
    let attributes: usize = element
        .attributes
        .iter()
        .map(|(n, v)| n.len() + v.len() + size_of::<(Box<str>, Box<str>)>())
        .sum();
    size_of::<Element>() + element.name.len() + element.path.len() + attributes
}
