//! What the engine gives back, and who takes it.

use std::ops::ControlFlow;

/// What a [`Sink`] wants to know about the nodes of an answer. Only what is asked for is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Only the number of answers: [`Sink::count`] is called instead of [`Sink::answer`].
    pub count_only: bool,
    /// The end offset. Without it an answer can be given before its elements are closed.
    pub end: bool,
    /// The element's name.
    pub name: bool,
    /// The path `/a[1]/b[2]`.
    pub path: bool,
    /// The attributes.
    pub attributes: bool,
    /// The string value (text of the element and of everything below it).
    pub text: bool,
    /// The raw XML slice.
    pub xml: bool,
}

impl Needs {
    /// Only counts.
    #[must_use]
    pub fn count() -> Self {
        Needs { count_only: true, ..Needs::default() }
    }

    /// Start and end offsets and depth.
    #[must_use]
    pub fn range() -> Self {
        Needs { end: true, ..Needs::default() }
    }

    /// Everything except text and raw XML.
    #[must_use]
    pub fn description() -> Self {
        Needs { end: true, name: true, path: true, attributes: true, ..Needs::default() }
    }
}

/// A node of an answer. Fields that [`Needs`] did not ask for are empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeRef<'a> {
    /// The label of the return mark, or the matched element's name.
    pub label: &'a str,
    /// The element's name as written.
    pub name: &'a str,
    /// Byte offset of the element's `<`.
    pub start: u64,
    /// Byte offset one past the element's end tag; 0 when [`Needs::end`] was not asked for.
    pub end: u64,
    /// Depth; 1 for the root.
    pub depth: usize,
    /// Path like `/a[1]/b[2]`; indices count siblings of the same name, as in XPath.
    pub path: &'a str,
    /// Attributes, unescaped, in document order.
    pub attributes: &'a [(Box<str>, Box<str>)],
    /// The string value.
    pub text: &'a str,
    /// The element as written.
    pub xml: &'a [u8],
}

/// What one label is bound to.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// Exactly one node: a return node outside regular branches.
    Node(NodeRef<'a>),
    /// A list in document order: nodes of a run, or of an instance, or of a label used twice.
    List(Vec<NodeRef<'a>>),
}

/// One label of an answer with its binding.
#[derive(Clone, Debug, PartialEq)]
pub struct Field<'a> {
    /// The label.
    pub label: &'a str,
    /// The binding.
    pub value: Value<'a>,
}

/// Which shape answers have (see [Answers](crate#answers)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Each returned element once per label.
    Nodes,
    /// The distinct bindings of the return nodes; a run is one value.
    Tuples,
    /// One instance tree per satisfied root element.
    Instances,
}

/// One answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer<'a> {
    /// Shape [`Shape::Nodes`].
    Node(NodeRef<'a>),
    /// Shape [`Shape::Tuples`]: one field a label.
    Tuple(Vec<Field<'a>>),
    /// Shape [`Shape::Instances`]: one field a label, every value a list.
    Instance(Vec<Field<'a>>),
}

/// Takes answers. Implementations decide what is recorded, and when to stop.
pub trait Sink {
    /// What the sink wants to know; asked once, before the run.
    fn needs(&self) -> Needs;

    /// One answer of the query with index `query`. `sequence` counts all answers of the run from 0
    /// in the order in which they became certain. [`ControlFlow::Break`] ends the run.
    fn answer(&mut self, query: usize, sequence: u64, answer: &Answer<'_>) -> ControlFlow<()>;

    /// `n` further answers of a query, when [`Needs::count_only`] was asked for.
    fn count(&mut self, query: usize, n: u64) -> ControlFlow<()> {
        let _ = (query, n);
        ControlFlow::Continue(())
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn needs(&self) -> Needs {
        (**self).needs()
    }

    fn answer(&mut self, query: usize, sequence: u64, answer: &Answer<'_>) -> ControlFlow<()> {
        (**self).answer(query, sequence, answer)
    }

    fn count(&mut self, query: usize, n: u64) -> ControlFlow<()> {
        (**self).count(query, n)
    }
}

/// Counts answers, query by query.
#[derive(Clone, Debug, Default)]
pub struct Count {
    counts: Vec<u64>,
}

impl Count {
    /// A counter at zero.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers of one query.
    #[must_use]
    pub fn of(&self, query: usize) -> u64 {
        self.counts.get(query).copied().unwrap_or(0)
    }

    /// Answers of all queries.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

impl Sink for Count {
    fn needs(&self) -> Needs {
        Needs::count()
    }

    fn answer(&mut self, query: usize, _: u64, _: &Answer<'_>) -> ControlFlow<()> {
        self.count(query, 1)
    }

    fn count(&mut self, query: usize, n: u64) -> ControlFlow<()> {
        if self.counts.len() <= query {
            self.counts.resize(query + 1, 0);
        }
        self.counts[query] += n;
        ControlFlow::Continue(())
    }
}

/// Stops at the first answer: does the document match at all?
#[derive(Clone, Copy, Debug, Default)]
pub struct Exists {
    found: bool,
}

impl Exists {
    /// Nothing found yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether an answer was found.
    #[must_use]
    pub fn found(&self) -> bool {
        self.found
    }
}

impl Sink for Exists {
    fn needs(&self) -> Needs {
        Needs::count()
    }

    fn answer(&mut self, query: usize, _: u64, _: &Answer<'_>) -> ControlFlow<()> {
        self.count(query, 1)
    }

    fn count(&mut self, _: usize, _: u64) -> ControlFlow<()> {
        self.found = true;
        ControlFlow::Break(())
    }
}

/// Calls a closure for every answer.
#[derive(Clone, Copy, Debug)]
pub struct Visit<F> {
    needs: Needs,
    visit: F,
}

impl<F> Visit<F>
where
    F: FnMut(usize, &Answer<'_>) -> ControlFlow<()>,
{
    /// The closure gets the query's index and the answer; it may stop the run.
    pub fn new(needs: Needs, visit: F) -> Self {
        Visit { needs, visit }
    }
}

impl<F> Sink for Visit<F>
where
    F: FnMut(usize, &Answer<'_>) -> ControlFlow<()>,
{
    fn needs(&self) -> Needs {
        self.needs
    }

    fn answer(&mut self, query: usize, _: u64, answer: &Answer<'_>) -> ControlFlow<()> {
        (self.visit)(query, answer)
    }
}
