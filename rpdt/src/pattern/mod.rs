//! The pattern: a tree of nodes with ordinary and regular branches (paper, section 3.1).
//!
//! A [`Pattern`] is parsed from text, whose grammar stands on the front page of the crate, or made by
//! [`builder`]; both give the same tree, and its display parses back to it. Each [`Node`] has a
//! [`NameTest`], an [`Axis`] below its parent, tests of attributes, texts and its value, branches, and
//! perhaps a return mark.
//!
//! ```
//! use rpdt::Pattern;
//!
//! # fn main() -> Result<(), rpdt::Error> {
//! let pattern = Pattern::parse("//a[ b! ]//c/{ e!, d* }")?;
//! assert_eq!(pattern.return_nodes().len(), 2);
//! assert_eq!(Pattern::parse(&pattern.to_string())?, pattern);
//! # Ok(())
//! # }
//! ```

use std::ops::Range;
use std::str::FromStr;

use crate::Error;

pub mod builder;
mod check;
mod display;
mod fault;
mod lexer;
mod parser;
mod regex;
mod regex_parser;

pub(crate) use check::check_prefixes;
pub(crate) use display::expression_text;
pub(crate) use regex::copies;

/// Index of a node in its [`Pattern`]; parents come before their descendants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The root of every pattern.
    pub const ROOT: NodeId = NodeId(0);

    /// The index as a `usize`.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a node hangs under its parent. For the root: `Child` = the document element, `Descendant` =
/// any element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// `/`
    Child,
    /// `//` (proper descendant)
    Descendant,
}

/// Which element names a node matches.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NameTest {
    /// `*`: every element.
    Any,
    /// `name`: elements written with exactly this name and no prefix.
    Name(Box<str>),
    /// `p:name`: elements in the namespace that the prefix was declared to.
    Prefixed {
        /// The prefix as written in the query; declared in [`Namespaces`].
        prefix: Box<str>,
        /// The local name.
        local: Box<str>,
    },
    /// `*:local`: this local name in any namespace, or in none.
    AnyNamespace(Box<str>),
}

/// A return mark `!`, with its label if one was given.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Mark {
    /// The label; by default the name of the matched element.
    pub label: Option<Box<str>>,
}

/// The left side of a value test.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// `@name` or `@p:name`, as written.
    Attribute(Box<str>),
    /// `text()`: existential over the element's text nodes.
    Text,
    /// `.`: the string value, all text below the element.
    StringValue,
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl Op {
    /// The operator as it is written.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Op::Eq => "=",
            Op::Ne => "!=",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
        }
    }
}

/// The right side of a comparison. A number compares as in XPath 1.0: a value that is not a number
/// is NaN, for which only `!=` holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A number; never NaN or infinite.
    Number(f64),
    /// A quoted string.
    String(Box<str>),
}

/// A test on a value: `[@mag>=6.5]`, `[@id]`, `[text()="x"]`, `[.!=3]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueTest {
    /// What is tested.
    pub operand: Operand,
    /// How; `None` asks only that the attribute is there (attributes only).
    pub comparison: Option<(Op, Literal)>,
}

impl ValueTest {
    /// Whether one value passes: that of the attribute, of one text node, or all text below.
    #[must_use]
    pub fn holds(&self, value: &str) -> bool {
        crate::engine::value_holds(value, self.comparison.as_ref())
    }

    /// Whether no value can pass: the order of values is that of numbers, and the literal is none.
    #[must_use]
    pub fn never_holds(&self) -> bool {
        match &self.comparison {
            Some((Op::Lt | Op::Le | Op::Gt | Op::Ge, Literal::String(s))) => {
                crate::engine::value_number(s).is_nan()
            }
            _ => false,
        }
    }
}

/// A branch below a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Branch {
    /// An ordinary branch: some child or descendant satisfies the node.
    Node(NodeId),
    /// A regular branch: contiguous element children spell a word of the expression.
    Regular(Regex),
}

/// A regular expression over pattern nodes, each a symbol occurrence on the child axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Regex {
    /// One element that satisfies the node.
    Symbol(NodeId),
    /// `a, b, c`; at least two parts, none of them itself a `Concat`.
    Concat(Vec<Regex>),
    /// `a | b | c`; at least two parts, none of them itself an `Alt`.
    Alt(Vec<Regex>),
    /// `a*` (0, none), `a+` (1, none), `a?` (0, 1), `a{m,n}`.
    Repeat {
        /// What is repeated.
        inner: Box<Regex>,
        /// At least this often.
        min: u32,
        /// At most this often; `None` = without bound.
        max: Option<u32>,
    },
}

/// One node of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Which names match.
    pub test: NameTest,
    /// The axis to the parent; `Child` for the symbols of regular branches.
    pub axis: Axis,
    /// Tests on attributes and text; all must hold.
    pub value_tests: Vec<ValueTest>,
    /// The explicit return mark.
    pub mark: Option<Mark>,
    /// Branches in the order of the text; the next step of the trunk is the last of them.
    pub branches: Vec<Branch>,
}

impl Node {
    /// The number of conditions besides the name: branches and value tests.
    #[must_use]
    pub fn conditions(&self) -> usize {
        self.branches.len() + self.value_tests.len()
    }
}

/// A regular tree pattern. Made by [`Pattern::parse`] or by the [`builder`]; shown by `Display`
/// such that parsing the shown text gives an equal pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// All nodes; the root first, every parent before its descendants.
    pub(crate) nodes: Vec<Node>,
    /// The steps outside brackets, from the root on (the final `/{regex}` not counted).
    pub(crate) trunk: Vec<NodeId>,
    /// Where the names stand in the query.
    pub(crate) spans: Spans,
}

/// Byte ranges of the names of all nodes, or nothing for a pattern that was not parsed. Patterns
/// that differ only in this are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spans(pub(crate) Vec<Range<usize>>);

impl PartialEq for Spans {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Pattern {
    /// Most brackets, braces and parentheses around one place of a query.
    pub const MAX_NESTING: usize = 256;
    /// Most steps of a query, the symbols of regular expressions included.
    pub const MAX_STEPS: usize = 4096;
    /// Most conditions on one step: its branches and its value tests.
    pub const MAX_CONDITIONS: usize = 64;
    /// Most symbol positions of one regular expression, repetitions written out.
    pub const MAX_POSITIONS: u64 = 4096;

    /// Parses a query (grammar: crate documentation).
    ///
    /// # Errors
    /// [`ErrorKind::Query`](crate::ErrorKind::Query) with the byte range of the fault, what was
    /// expected there, and a hint.
    pub fn parse(text: &str) -> Result<Self, Error> {
        parser::parse(text)
    }

    /// All nodes, the root first.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// One node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The steps outside brackets, from the root on.
    #[must_use]
    pub fn trunk(&self) -> &[NodeId] {
        &self.trunk
    }

    /// The parent of every node; `None` for the root. A symbol's parent is the node that has the
    /// regular branch.
    #[must_use]
    pub fn parents(&self) -> Vec<Option<NodeId>> {
        let mut parents = vec![None; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            let parent = Some(NodeId(i as u32));
            for branch in &node.branches {
                match branch {
                    Branch::Node(child) => parents[child.index()] = parent,
                    Branch::Regular(regex) => {
                        regex.for_each_symbol(&mut |child| parents[child.index()] = parent);
                    }
                }
            }
        }
        parents
    }

    /// For every node whether it is a symbol of a regular branch.
    #[must_use]
    pub fn symbols(&self) -> Vec<bool> {
        let mut symbols = vec![false; self.nodes.len()];
        for branch in self.nodes.iter().flat_map(|node| &node.branches) {
            if let Branch::Regular(regex) = branch {
                regex.for_each_symbol(&mut |symbol| symbols[symbol.index()] = true);
            }
        }
        symbols
    }

    /// The byte range of a node's name in the query, when the pattern was parsed.
    #[must_use]
    pub fn span(&self, id: NodeId) -> Option<Range<usize>> {
        self.spans.0.get(id.index()).cloned()
    }

    /// The return mark of a node: its own, or the default one of the last trunk step when the
    /// query has no mark at all.
    #[must_use]
    pub fn return_mark(&self, id: NodeId) -> Option<Mark> {
        if let Some(mark) = &self.node(id).mark {
            return Some(mark.clone());
        }
        let unmarked = self.nodes.iter().all(|n| n.mark.is_none());
        (unmarked && self.trunk.last() == Some(&id)).then(Mark::default)
    }

    /// The return nodes in the order of the pattern.
    #[must_use]
    pub fn return_nodes(&self) -> Vec<NodeId> {
        (0..self.nodes.len() as u32)
            .map(NodeId)
            .filter(|&id| self.return_mark(id).is_some())
            .collect()
    }
}

impl FromStr for Pattern {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Pattern::parse(text)
    }
}

/// Prefixes declared for a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Namespaces {
    pub(crate) prefixes: Vec<(Box<str>, Box<str>)>,
    pub(crate) default: Option<Box<str>>,
}

impl Namespaces {
    /// No prefix declared.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares a prefix; a second declaration of the same prefix replaces the first.
    #[must_use]
    pub fn with(mut self, prefix: &str, uri: &str) -> Self {
        self.prefixes.retain(|(p, _)| **p != *prefix);
        self.prefixes.push((prefix.into(), uri.into()));
        self
    }

    /// Binds unprefixed names of the query to a namespace.
    #[must_use]
    pub fn with_default(mut self, uri: &str) -> Self {
        self.default = Some(uri.into());
        self
    }

    /// The URI of a prefix. `xml` is always declared.
    #[must_use]
    pub fn uri(&self, prefix: &str) -> Option<&str> {
        if prefix == "xml" {
            return Some("http://www.w3.org/XML/1998/namespace");
        }
        self.prefixes.iter().find(|(p, _)| **p == *prefix).map(|(_, u)| &**u)
    }
}
