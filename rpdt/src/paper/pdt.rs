//! The two-state sub-PDT of a node (section 3.2, Fig. 2) and how those of a twig are joined.
//!
//! The node's first state is the second state of its parent, or q0; its start tag leads into its
//! own second state, its end tag back. A state that waits for descendants has a loop `<*>`.

use super::{Action, Edge, EdgeKind, Input, StateId};
use crate::pattern::{Axis, Branch, Node, NodeId, Operand, Pattern, ValueTest};

/// What of a node matters for its edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeView<'p> {
    pub(super) id: NodeId,
    pub(super) node: &'p Node,
    /// Whether the node is returned or has a returned descendant.
    pub(super) spine: bool,
    /// The label, for return nodes.
    pub(super) label: Option<&'p Option<Box<str>>>,
}

impl NodeView<'_> {
    /// Whether the element's content or end tag must be looked at; a symbol of an expression for
    /// which it is not needs no sub-PDT.
    pub(super) fn has_conditions_below(&self) -> bool {
        !self.node.branches.is_empty() || self.node.value_tests.iter().any(is_about_text)
    }

    /// The edge that reads the node's start tag.
    pub(super) fn enter(&self, from: StateId, to: StateId, kind: EdgeKind) -> Edge {
        let add = self.label.map(|label| Action::Add { label: label.clone() });
        Edge {
            from,
            input: Input::Start(self.node.test.clone()),
            guards: self.guards(|test| !is_about_text(test)),
            actions: add.into_iter().collect(),
            to,
            kind,
            node: Some(self.id),
            axis: self.node.axis,
        }
    }

    /// The edge that reads the node's end tag. Its check is filled in when all edges are known.
    pub(super) fn leave(&self, from: StateId, to: StateId, start: usize) -> Edge {
        let check = Action::Check { requires: vec![] };
        let check = (!self.node.branches.is_empty()).then_some(check);
        let upload = self.spine.then_some(Action::Upload);
        Edge {
            from,
            input: Input::End(self.node.test.clone()),
            guards: self.guards(is_about_text),
            actions: check.into_iter().chain(upload).collect(),
            to,
            kind: EdgeKind::Leave(start),
            node: Some(self.id),
            axis: Axis::Child,
        }
    }

    fn guards(&self, which: impl Fn(&ValueTest) -> bool) -> Vec<ValueTest> {
        self.node.value_tests.iter().filter(|test| which(test)).cloned().collect()
    }
}

/// The loop of a state that waits for descendants.
pub(super) fn any(state: StateId) -> Edge {
    Edge {
        from: state,
        input: Input::Any,
        guards: vec![],
        actions: vec![],
        to: state,
        kind: EdgeKind::Loop,
        node: None,
        axis: Axis::Descendant,
    }
}

/// Whether some ordinary branch of the node is on the descendant axis.
pub(super) fn waits_for_descendants(pattern: &Pattern, id: NodeId) -> bool {
    pattern.node(id).branches.iter().any(|branch| match branch {
        Branch::Node(child) => pattern.node(*child).axis == Axis::Descendant,
        Branch::Regular(_) => false,
    })
}

/// Tests on text are decided at the end tag, tests on attributes at the start tag.
fn is_about_text(test: &ValueTest) -> bool {
    !matches!(test.operand, Operand::Attribute(_))
}
