//! The automaton as the paper draws it: the seven-tuple (Q, Σ, B, F, δ, h, q0) of section 4.2.
//!
//! The engine does not run this object; it is there to be looked at. It is built from a pattern as
//! sections 3.2 to 3.4 say, and the tests interpret it and find the engine's answers.
//!
//! | Paper | Here | File |
//! |---|---|---|
//! | two-state sub-PDT of a node, its joining (3.2) | [`EdgeKind`] on edges between [`StateKind::Element`] states | `pdt.rs` |
//! | NFA of a regular expression (3.3) | [`StateKind::Sequence`] states | `nfa.rs` |
//! | merging PDT and NFA (3.4), order of construction (4.1) | rules 1 and 2 | `splice.rs` |
//! | Q, Σ, B, F, δ, h, q0 (4.2) | [`states`](PaperAutomaton::states), [`sigma`](PaperAutomaton::sigma), [`buffers`](PaperAutomaton::buffers), [`Action`], [`delta`](PaperAutomaton::delta), [`h`](PaperAutomaton::h), [`Q0`] | this file |
//! | Figs. 2 to 4 | [`to_dot`](PaperAutomaton::to_dot) | `dot.rs` |
//!
//! # How it reads a document
//!
//! A state is entered by a start tag; the automaton then reads the content of that element. A pair
//! of start edge and end edge reads one element; the end edge is taken when its check holds, and it
//! leads back to where the start edge came from (ordinary branches) or on to the next state of an
//! NFA. A branch of a state may be taken at any child that fits, any number of times, and beside the
//! other branches: what a check asks for is which of them were completed. `<*>` reads one more level
//! of any name without leaving the state; below it only edges on the descendant axis can be taken,
//! which the stack tells apart.
//!
//! ```
//! use rpdt::Pattern;
//! use rpdt::paper::PaperAutomaton;
//!
//! # fn main() -> Result<(), rpdt::Error> {
//! let automaton = PaperAutomaton::new(&Pattern::parse("//a[b!]//c/{e!, d[f][.//g]*}")?);
//! let edges: Vec<String> = automaton.edges().iter().map(ToString::to_string).collect();
//! assert!(edges.contains(&"2 -<b> / add-> 3".to_owned()));
//! assert!(edges.contains(&"7 -<d>-> 9".to_owned()));
//! # Ok(())
//! # }
//! ```

mod dot;
mod explain;
mod nfa;
mod pdt;
mod splice;

use std::fmt::{self, Display, Formatter};

use crate::Pattern;
use crate::pattern::{Axis, NameTest, NodeId, ValueTest};

/// A state, numbered from 1 in the order of Fig. 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// The start state q0: before the document element.
pub const Q0: StateId = StateId(1);

impl StateId {
    /// Position in [`PaperAutomaton::states`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize - 1
    }
}

/// A buffer of B, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

/// What a state stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// q0.
    Start,
    /// Second state of the sub-PDT of a node: its start tag was read, its end tag not yet
    /// (section 3.2).
    Element(NodeId),
    /// State of the NFA of a regular branch: between two children of the node (section 3.3).
    Sequence {
        /// The node that has the regular branch.
        owner: NodeId,
        /// Which of the node's branches it is.
        branch: usize,
        /// Whether the children read since the NFA was entered are a run.
        accepting: bool,
    },
}

/// An element of Q.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Its number.
    pub id: StateId,
    /// What it stands for.
    pub kind: StateKind,
    /// h of the state: the buffer that holds return nodes below it which are not decided yet. `None`
    /// where nothing returned is below, as for D, F and G in Fig. 4.
    pub buffer: Option<BufferId>,
}

/// An element of B: return nodes that are not decided yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Its number. Buffer 0 is that of q0 and holds the answers.
    pub id: BufferId,
    /// The first state that is mapped to it.
    pub state: StateId,
}

/// An element of Σ, or ε.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// A start tag.
    Start(NameTest),
    /// The end tag that belongs to a start tag.
    End(NameTest),
    /// `<*>`: start tag, content and end tag of any element. The paper says any but the tag that is
    /// waited for; it is any here, since an element may match and also contain a match.
    Any,
    /// Nothing is read.
    Epsilon,
}

/// An element of F.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// The element read is put into the buffer of the state that is entered.
    Add {
        /// The label of the mark; without one the element's name is the label.
        label: Option<Box<str>>,
    },
    /// At an end tag: the edge is taken only when all these edges were completed within the
    /// element, the start edges of ordinary branches and the ε edges at the end of regular branches.
    /// At the end of an NFA nothing more is required than to be there: the children read are a run.
    Check {
        /// What must be completed, as positions in [`PaperAutomaton::edges`].
        requires: Vec<usize>,
    },
    /// The buffer of the state that is left is appended to the buffer of the state that is entered.
    Upload,
}

/// Which part of the construction an edge comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// Start edge of a sub-PDT (section 3.2), or of one that is spliced into an NFA (3.4, rule 2).
    Enter,
    /// End edge of a sub-PDT; it belongs to the start edge at this position.
    Leave(usize),
    /// `<*>` of a state that waits for descendants (section 3.2).
    Loop,
    /// A transition of an NFA over a node without conditions below it: one edge reads the whole
    /// element (sections 3.2, case 3, and 3.3).
    Symbol,
    /// ε between states of one NFA (section 3.3).
    Inner,
    /// ε from a PDT state into an NFA (section 3.4, rule 1).
    Call,
    /// ε from the end of an NFA back to the PDT state (section 3.4, rule 1).
    Return,
}

/// An element of δ.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The state that is left.
    pub from: StateId,
    /// What is read.
    pub input: Input,
    /// Tests on attributes (start tags) or on text (end tags) that must hold.
    pub guards: Vec<ValueTest>,
    /// What is done, in this order.
    pub actions: Vec<Action>,
    /// The state that is entered.
    pub to: StateId,
    /// Where the edge comes from.
    pub kind: EdgeKind,
    /// The pattern node that the edge reads, unless it is ε or `<*>`.
    pub node: Option<NodeId>,
    /// For start tags: `Child` when the element must be a child of the one that led into `from`;
    /// otherwise it may also be below elements that `<*>` reads.
    pub axis: Axis,
}

impl Edge {
    /// Whether the edge has an add action.
    #[must_use]
    pub fn adds(&self) -> bool {
        self.actions.iter().any(|a| matches!(a, Action::Add { .. }))
    }

    /// Whether the edge has an upload action.
    #[must_use]
    pub fn uploads(&self) -> bool {
        self.actions.contains(&Action::Upload)
    }

    /// What the edge's check requires, if it has a check.
    #[must_use]
    pub fn check(&self) -> Option<&[usize]> {
        self.actions.iter().find_map(|action| match action {
            Action::Check { requires } => Some(&requires[..]),
            _ => None,
        })
    }
}

/// The seven-tuple (Q, Σ, B, F, δ, h, q0) of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct PaperAutomaton {
    pattern: Pattern,
    states: Vec<State>,
    edges: Vec<Edge>,
    buffers: Vec<Buffer>,
}

impl PaperAutomaton {
    /// Builds the automaton of a pattern (sections 3.2 to 3.4).
    #[must_use]
    pub fn new(pattern: &Pattern) -> Self {
        splice::build(pattern)
    }

    /// The pattern that it was built from.
    #[must_use]
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Q, in the order of the numbers.
    #[must_use]
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// Σ: the tags that some edge reads, each once.
    #[must_use]
    pub fn sigma(&self) -> Vec<Input> {
        let mut sigma = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for edge in &self.edges {
            if edge.input != Input::Epsilon && seen.insert(&edge.input) {
                sigma.push(edge.input.clone());
            }
        }
        sigma
    }

    /// B.
    #[must_use]
    pub fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// δ, ordered by the state that is left.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// δ of one state: its edges with their positions in [`edges`](Self::edges).
    pub fn delta(&self, state: StateId) -> impl Iterator<Item = (usize, &Edge)> {
        let first = self.edges.partition_point(|edge| edge.from < state);
        let edges = self.edges[first..].iter().take_while(move |edge| edge.from == state);
        edges.enumerate().map(move |(i, edge)| (first + i, edge))
    }

    /// h of a state.
    #[must_use]
    pub fn h(&self, state: StateId) -> Option<BufferId> {
        self.states[state.index()].buffer
    }

    /// The automaton in the DOT language, as Figs. 2 to 4 draw it. The accepting states of NFAs have
    /// double circles.
    #[must_use]
    pub fn to_dot(&self) -> String {
        dot::write(self)
    }

    /// The pattern and its automaton in words.
    #[must_use]
    pub fn explain(&self) -> String {
        explain::write(self)
    }
}

impl Display for StateId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Display for BufferId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "B{}", self.0)
    }
}

impl Display for Input {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Input::Start(test) => write!(f, "<{test}>"),
            Input::End(test) => write!(f, "</{test}>"),
            Input::Any => f.write_str("<*>"),
            Input::Epsilon => f.write_str("ε"),
        }
    }
}

impl Display for Action {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Action::Add { .. } => "add",
            Action::Check { .. } => "check",
            Action::Upload => "upload",
        })
    }
}

impl Edge {
    /// The edge's inscription: input, guards, actions.
    fn inscription(&self) -> String {
        let mut text = self.input.to_string();
        for guard in &self.guards {
            text += &format!("[{guard}]");
        }
        let actions: Vec<String> = self.actions.iter().map(ToString::to_string).collect();
        if !actions.is_empty() {
            text += &format!(" / {}", actions.join(", "));
        }
        text
    }
}

impl Display for Edge {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} -{}-> {}", self.from, self.inscription(), self.to)
    }
}
