//! Builds patterns without text; equal in power to the query language (paper, section 3.1).
//!
//! ```
//! use rpdt::Pattern;
//! use rpdt::pattern::Op;
//! use rpdt::pattern::builder::{Query, child, descendant, seq, sym};
//!
//! # fn main() -> Result<(), rpdt::Error> {
//! let built = Query::descendant("station")
//!     .branch(child("temp").returned())
//!     .branch(descendant("sensor").has_attr("id"))
//!     .regular(seq([
//!         sym("quake").attr("mag", Op::Ge, 6.5).returned(),
//!         sym("wave").attr("h", Op::Gt, 1).labelled("w").star(),
//!     ]))
//!     .build()?;
//! let text = "//station[temp!][.//sensor[@id]]/{quake[@mag>=6.5]!, wave[@h>1]!w*}";
//! assert_eq!(built, Pattern::parse(text)?);
//! # Ok(())
//! # }
//! ```
//!
//! Wherever a name is asked for, a string is read as in the query language: `name`, `*`, `p:name`,
//! `*:local`. Faults (a name that is none, a mark on a group, a bound that is exceeded) are kept
//! until [`Query::build`] reports the first of them.

use super::check::{self, query_error};
use super::{
    Axis, Branch, Literal, Mark, NameTest, Node, NodeId, Op, Operand, Pattern, Regex, Spans,
    ValueTest, copies,
};
use crate::Error;

/// Nested expressions beyond this are refused at once; [`Pattern::MAX_NESTING`] is checked when
/// the pattern is built.
const MAX_EXPRESSION_DEPTH: usize = 4 * Pattern::MAX_NESTING;

/// Nodes under construction: a node with all that hangs below it, in the order of the text.
#[derive(Clone, Debug, Default)]
struct Fragment {
    nodes: Vec<Node>,
    fault: Option<Error>,
}

impl Fragment {
    fn new(test: NameTest, axis: Axis) -> Self {
        let node = Node { test, axis, value_tests: vec![], mark: None, branches: vec![] };
        Fragment { nodes: vec![node], fault: None }
    }

    fn fail(&mut self, fault: impl FnOnce() -> Error) {
        self.fault.get_or_insert_with(fault);
    }

    /// Appends the nodes of another fragment and returns what must be added to their numbers.
    fn append(&mut self, other: Fragment) -> u32 {
        let offset = self.nodes.len() as u32;
        if let Some(fault) = other.fault {
            self.fail(|| fault);
        }
        if self.nodes.len() + other.nodes.len() > Pattern::MAX_STEPS {
            self.fail(check::too_many_steps);
        }
        // After a fault only the fault counts; not to gather more keeps memory small.
        if self.fault.is_none() {
            let moved = |id: NodeId| NodeId(id.0 + offset);
            self.nodes.extend(other.nodes.into_iter().map(|mut node| {
                for branch in &mut node.branches {
                    match branch {
                        Branch::Node(id) => *id = moved(*id),
                        Branch::Regular(regex) => regex.rename(&moved),
                    }
                }
                node
            }));
        }
        offset
    }

    fn branch(&mut self, at: usize, step: Step) {
        let offset = self.append(step.0);
        if self.fault.is_none() {
            self.nodes[at].branches.push(Branch::Node(NodeId(offset)));
        }
    }

    fn regular(&mut self, at: usize, expression: Expr) {
        let offset = self.append(expression.fragment);
        if let (None, Some(mut regex)) = (&self.fault, expression.regex) {
            regex.rename(&|id| NodeId(id.0 + offset));
            self.nodes[at].branches.push(Branch::Regular(regex));
        }
    }

    fn test(&mut self, at: usize, operand: Operand, comparison: Option<(Op, Literal)>) {
        self.nodes[at].value_tests.push(ValueTest { operand, comparison });
    }

    fn mark(&mut self, at: usize, label: Option<&str>) {
        if self.nodes[at].mark.is_some() {
            self.fail(|| query_error("a step takes one mark"));
        }
        self.nodes[at].mark = Some(Mark { label: label.map(Into::into) });
    }
}

/// The methods that steps have in common; `$at` is the step they are about.
macro_rules! step_methods {
    ($($access:tt)*) => {
        /// Adds an ordinary branch: some child or descendant satisfies it (`[b]`, `[.//b]`).
        #[must_use]
        pub fn branch(mut self, step: Step) -> Self {
            if let Some((f, at)) = self.$($access)* { f.branch(at, step) }
            self
        }

        /// Adds a regular branch: contiguous element children spell a word of the expression
        /// (`[{a, b*}]`).
        #[must_use]
        pub fn regular(mut self, expression: impl Into<Expr>) -> Self {
            let expression = expression.into();
            if let Some((f, at)) = self.$($access)* { f.regular(at, expression) }
            self
        }

        /// Tests an attribute (`[@name op literal]`).
        #[must_use]
        pub fn attr(mut self, name: &str, op: Op, literal: impl Into<Literal>) -> Self {
            let right = Some((op, literal.into()));
            let operand = Operand::Attribute(name.into());
            if let Some((f, at)) = self.$($access)* { f.test(at, operand, right) }
            self
        }

        /// Asks for an attribute of any value (`[@name]`).
        #[must_use]
        pub fn has_attr(mut self, name: &str) -> Self {
            let operand = Operand::Attribute(name.into());
            if let Some((f, at)) = self.$($access)* { f.test(at, operand, None) }
            self
        }

        /// Tests the text nodes; one that passes suffices (`[text() op literal]`).
        #[must_use]
        pub fn text(mut self, op: Op, literal: impl Into<Literal>) -> Self {
            let right = Some((op, literal.into()));
            if let Some((f, at)) = self.$($access)* { f.test(at, Operand::Text, right) }
            self
        }

        /// Tests the string value: all text below (`[. op literal]`).
        #[must_use]
        pub fn value(mut self, op: Op, literal: impl Into<Literal>) -> Self {
            let right = Some((op, literal.into()));
            if let Some((f, at)) = self.$($access)* { f.test(at, Operand::StringValue, right) }
            self
        }

        /// Marks a return node (`a!`).
        #[must_use]
        pub fn returned(mut self) -> Self {
            if let Some((f, at)) = self.$($access)* { f.mark(at, None) }
            self
        }

        /// Marks a return node and labels it (`a!label`).
        #[must_use]
        pub fn labelled(mut self, label: &str) -> Self {
            if let Some((f, at)) = self.$($access)* { f.mark(at, Some(label)) }
            self
        }
    };
}

/// A step for a branch, with all that hangs below it. Made by [`child`] and [`descendant`].
#[derive(Clone, Debug)]
pub struct Step(Fragment);

/// A step on the child axis (`a`).
#[must_use]
pub fn child(name: impl Into<NameTest>) -> Step {
    Step(Fragment::new(name.into(), Axis::Child))
}

/// A step on the descendant axis (`.//a`).
#[must_use]
pub fn descendant(name: impl Into<NameTest>) -> Step {
    Step(Fragment::new(name.into(), Axis::Descendant))
}

impl Step {
    step_methods!(place());

    fn place(&mut self) -> Option<(&mut Fragment, usize)> {
        self.0.fault.is_none().then_some((&mut self.0, 0))
    }
}

/// An expression for a regular branch. Made by [`sym`], [`seq`] and [`alt`]. The methods that add
/// conditions and marks are for a single symbol, before it is repeated.
#[derive(Clone, Debug)]
pub struct Expr {
    fragment: Fragment,
    /// `None` only after a fault.
    regex: Option<Regex>,
    /// Nested sequences and choices. Repetitions do not count: the bound on positions bounds them.
    depth: usize,
    positions: u64,
}

/// One child element.
#[must_use]
pub fn sym(name: impl Into<NameTest>) -> Expr {
    child(name).into()
}

/// A sequence: `a, b, c`.
#[must_use]
pub fn seq<I>(parts: I) -> Expr
where
    I: IntoIterator,
    I::Item: Into<Expr>,
{
    let list = |regex: &Regex| matches!(regex, Regex::Concat(_));
    Expr::join(parts.into_iter().map(Into::into), Regex::concat, list)
}

/// A choice: `a | b | c`.
#[must_use]
pub fn alt<I>(parts: I) -> Expr
where
    I: IntoIterator,
    I::Item: Into<Expr>,
{
    let list = |regex: &Regex| matches!(regex, Regex::Alt(_));
    Expr::join(parts.into_iter().map(Into::into), Regex::alt, list)
}

impl From<Step> for Expr {
    /// A symbol; the step must be on the child axis.
    fn from(step: Step) -> Self {
        let mut fragment = step.0;
        if fragment.nodes[0].axis == Axis::Descendant {
            fragment.fail(|| {
                query_error("a symbol of an expression on the descendant axis")
                    .with_hint("symbols are children")
            });
        }
        Expr { fragment, regex: Some(Regex::Symbol(NodeId::ROOT)), depth: 0, positions: 1 }
    }
}

impl Expr {
    step_methods!(symbol());

    /// Any number of times, also none: `a*`.
    #[must_use]
    pub fn star(self) -> Self {
        self.repeat(0, None)
    }

    /// Once or more often: `a+`.
    #[must_use]
    pub fn plus(self) -> Self {
        self.repeat(1, None)
    }

    /// Once or not at all: `a?`.
    #[must_use]
    pub fn optional(self) -> Self {
        self.repeat(0, Some(1))
    }

    /// At least `min` and at most `max` times, or without bound: `a{2,4}`, `a{2,}`.
    #[must_use]
    pub fn repeat(mut self, min: u32, max: Option<u32>) -> Self {
        if max == Some(0) {
            self.fragment.fail(|| query_error("a repetition of at most 0 times matches nothing"));
        } else if let Some(max) = max.filter(|&max| max < min) {
            self.fragment.fail(|| check::reversed_bounds(min, max));
        } else {
            self.positions = self.positions.saturating_mul(copies(min, max));
            self.regex = self.regex.map(|regex| Regex::repeat(regex, min, max));
        }
        self.checked()
    }

    fn join(
        parts: impl Iterator<Item = Expr>,
        wrap: fn(Vec<Regex>) -> Regex,
        is_same_list: fn(&Regex) -> bool,
    ) -> Self {
        let mut joined =
            Expr { fragment: Fragment::default(), regex: None, depth: 0, positions: 0 };
        let mut list = vec![];
        for part in parts {
            let offset = joined.fragment.append(part.fragment);
            joined.positions = joined.positions.saturating_add(part.positions);
            if let (None, Some(mut regex)) = (&joined.fragment.fault, part.regex) {
                let deeper = usize::from(!is_same_list(&regex));
                joined.depth = joined.depth.max(part.depth + deeper);
                regex.rename(&|id| NodeId(id.0 + offset));
                list.push(regex);
            }
        }
        match list.len() {
            0 => joined.fragment.fail(|| query_error("an expression without symbol")),
            1 => {
                let deeper = usize::from(!is_same_list(&list[0]));
                joined.depth -= deeper;
                joined.regex = list.pop();
            }
            _ => joined.regex = Some(wrap(list)),
        }
        joined.checked()
    }

    /// Refuses expressions beyond the bounds before they can become too deep to be dropped.
    fn checked(mut self) -> Self {
        if self.positions > Pattern::MAX_POSITIONS {
            self.fragment.fail(check::too_many_positions);
        }
        if self.depth > MAX_EXPRESSION_DEPTH {
            self.fragment.fail(check::too_deep);
        }
        if self.fragment.fault.is_some() {
            self.regex = None;
            self.depth = 0;
        }
        self
    }

    fn symbol(&mut self) -> Option<(&mut Fragment, usize)> {
        if !matches!(self.regex, Some(Regex::Symbol(_))) {
            self.fragment.fail(|| {
                query_error("a mark or a condition on a group or a repetition")
                    .with_hint("put it on the symbols inside, before they are repeated")
            });
        }
        self.fragment.fault.is_none().then_some((&mut self.fragment, 0))
    }
}

/// A query under construction: its trunk, of which the last step is the one that the methods are
/// about.
#[derive(Clone, Debug)]
pub struct Query {
    fragment: Fragment,
    trunk: Vec<NodeId>,
}

impl Query {
    /// A query about the document element: `/a`.
    #[must_use]
    pub fn root(name: impl Into<NameTest>) -> Self {
        Query { fragment: Fragment::new(name.into(), Axis::Child), trunk: vec![NodeId::ROOT] }
    }

    /// A query about any element: `//a`.
    #[must_use]
    pub fn descendant(name: impl Into<NameTest>) -> Self {
        Query { fragment: Fragment::new(name.into(), Axis::Descendant), trunk: vec![NodeId::ROOT] }
    }

    /// Goes on to a child: `/b`.
    #[must_use]
    pub fn then_child(self, name: impl Into<NameTest>) -> Self {
        self.then(child(name))
    }

    /// Goes on to a descendant: `//b`.
    #[must_use]
    pub fn then_descendant(self, name: impl Into<NameTest>) -> Self {
        self.then(descendant(name))
    }

    /// Goes on to a step that may have conditions already.
    #[must_use]
    pub fn then(mut self, step: Step) -> Self {
        let next = NodeId(self.fragment.nodes.len() as u32);
        if let Some((fragment, at)) = self.last() {
            fragment.branch(at, step);
            self.trunk.push(next);
        }
        self
    }

    step_methods!(last());

    fn last(&mut self) -> Option<(&mut Fragment, usize)> {
        let at = self.trunk.last().map_or(0, |id| id.index());
        self.fragment.fault.is_none().then_some((&mut self.fragment, at))
    }

    /// The pattern.
    ///
    /// # Errors
    /// [`ErrorKind::Query`](crate::ErrorKind::Query) under the same conditions under which parsing
    /// the pattern's text fails.
    pub fn build(self) -> Result<Pattern, Error> {
        if let Some(fault) = self.fragment.fault {
            return Err(fault);
        }
        let pattern =
            Pattern { nodes: self.fragment.nodes, trunk: self.trunk, spans: Spans::default() };
        check::check_built(&pattern)?;
        Ok(pattern)
    }
}

impl From<&str> for NameTest {
    /// Reads a name test as the query language does. What is no name test becomes a
    /// [`NameTest::Name`] that no pattern accepts.
    fn from(text: &str) -> Self {
        match text.split_once(':') {
            Some(("*", local)) => NameTest::AnyNamespace(local.into()),
            Some((prefix, local)) => {
                NameTest::Prefixed { prefix: prefix.into(), local: local.into() }
            }
            None if text == "*" => NameTest::Any,
            None => NameTest::Name(text.into()),
        }
    }
}

impl From<f64> for Literal {
    fn from(number: f64) -> Self {
        Literal::Number(number)
    }
}

impl From<i32> for Literal {
    fn from(number: i32) -> Self {
        Literal::Number(number.into())
    }
}

impl From<&str> for Literal {
    fn from(text: &str) -> Self {
        Literal::String(text.into())
    }
}

impl From<String> for Literal {
    fn from(text: String) -> Self {
        Literal::String(text.into())
    }
}
