//! The pattern and its automaton in words.

use std::fmt::{self, Write};

use super::{Edge, EdgeKind, PaperAutomaton, StateKind};
use crate::Pattern;
use crate::pattern::{Axis, Branch, Node, NodeId, expression_text};

pub(super) fn write(automaton: &PaperAutomaton) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = Explanation { automaton, pattern: automaton.pattern(), out: &mut out }.all();
    out
}

struct Explanation<'a> {
    automaton: &'a PaperAutomaton,
    pattern: &'a Pattern,
    out: &'a mut String,
}

impl Explanation<'_> {
    fn all(&mut self) -> fmt::Result {
        writeln!(self.out, "pattern\n  {}", self.pattern)?;
        self.nodes()?;
        self.conditions()?;
        self.answers()?;
        self.states()?;
        self.transitions()
    }

    fn name(&self, id: NodeId) -> String {
        self.pattern.node(id).test.to_string()
    }

    /// Every node: where its elements are looked for, and what it is for.
    fn nodes(&mut self) -> fmt::Result {
        writeln!(self.out, "\nnodes")?;
        let parents = self.pattern.parents();
        let symbols = self.pattern.symbols();
        let spine = self.spine();
        for (i, node) in self.pattern.nodes().iter().enumerate() {
            let id = NodeId(i as u32);
            let place = match (parents[i], node.axis) {
                (None, Axis::Child) => "the document element".to_owned(),
                (None, Axis::Descendant) => "any element".to_owned(),
                (Some(parent), _) if symbols[i] => {
                    format!("child of {}, symbol of its regular branch", self.name(parent))
                }
                (Some(parent), Axis::Child) => format!("child of {}", self.name(parent)),
                (Some(parent), Axis::Descendant) => format!("descendant of {}", self.name(parent)),
            };
            let role = match self.pattern.return_mark(id) {
                Some(mark) => match mark.label {
                    Some(label) => format!("returned, labelled {label}"),
                    None => "returned, labelled with the element's name".to_owned(),
                },
                None if spine[i] => "spine: on the way to a return node".to_owned(),
                None => "condition only".to_owned(),
            };
            writeln!(self.out, "  {}: {place}; {role}", node.test)?;
        }
        Ok(())
    }

    fn spine(&self) -> Vec<bool> {
        let mut spine = vec![false; self.pattern.nodes().len()];
        let parents = self.pattern.parents();
        for id in self.pattern.return_nodes() {
            let mut at = Some(id);
            while let Some(id) = at.filter(|id| !spine[id.index()]) {
                spine[id.index()] = true;
                at = parents[id.index()];
            }
        }
        spine
    }

    /// What each node asks of its elements.
    fn conditions(&mut self) -> fmt::Result {
        writeln!(self.out, "\nconditions (all must hold; the order of ordinary branches is free)")?;
        let mut none = true;
        for node in self.pattern.nodes() {
            let conditions = self.conditions_of(node);
            if !conditions.is_empty() {
                none = false;
                writeln!(self.out, "  {}: {}", node.test, conditions.join("; "))?;
            }
        }
        if none { writeln!(self.out, "  none") } else { Ok(()) }
    }

    fn conditions_of(&self, node: &Node) -> Vec<String> {
        let tests = node.value_tests.iter().map(|test| format!("[{test}] holds"));
        let branches = node.branches.iter().map(|branch| match branch {
            Branch::Node(id) => match self.pattern.node(*id).axis {
                Axis::Child => format!("some child {}", self.name(*id)),
                Axis::Descendant => format!("some descendant {}", self.name(*id)),
            },
            Branch::Regular(regex) => {
                let text = expression_text(self.pattern, regex);
                let empty = if regex.nullable() { ", or none" } else { "" };
                format!("a run, contiguous element children that spell {{{text}}}{empty}")
            }
        });
        tests.chain(branches).collect()
    }

    fn answers(&mut self) -> fmt::Result {
        let names: Vec<String> =
            self.pattern.return_nodes().iter().map(|&id| self.name(id)).collect();
        writeln!(self.out, "\nanswers")?;
        writeln!(self.out, "  return nodes: {}", names.join(", "))?;
        let shape = match names.len() {
            1 => "nodes (one return node)",
            _ => "tuples (several return nodes)",
        };
        writeln!(self.out, "  shape unless chosen: {shape}")?;
        let regular = self.pattern.nodes().iter().flat_map(|node| &node.branches);
        if regular.into_iter().any(|branch| matches!(branch, Branch::Regular(_))) {
            self.out.push_str(
                "  runs reported, by policy:\n    \
                 peak: the longest run at a child, when the next child does not prolong it\n    \
                 live: the longest run at every child that ends one\n    \
                 nonoverlap: leftmost-longest runs, each after the end of the one before\n",
            );
        }
        Ok(())
    }

    fn states(&mut self) -> fmt::Result {
        writeln!(self.out, "\nstates Q, with the buffer h that each is mapped to")?;
        for state in self.automaton.states() {
            let what = match state.kind {
                StateKind::Start => "q0, before the document element".to_owned(),
                StateKind::Element(id) => format!("PDT: inside {}", self.name(id)),
                StateKind::Sequence { owner, accepting, .. } => {
                    let end = if accepting { ", accepting" } else { "" };
                    format!("NFA: between children of {}{end}", self.name(owner))
                }
            };
            let buffer = state.buffer.map_or(String::new(), |b| format!("; {b}"));
            writeln!(self.out, "  {}: {what}{buffer}", state.id)?;
        }
        Ok(())
    }

    fn transitions(&mut self) -> fmt::Result {
        writeln!(self.out, "\ntransitions δ: from -input / actions-> to")?;
        for edge in self.automaton.edges() {
            let remark = self.remark(edge);
            writeln!(self.out, "  {edge}{}{remark}", if remark.is_empty() { "" } else { "  " })?;
        }
        Ok(())
    }

    fn remark(&self, edge: &Edge) -> String {
        match edge.kind {
            EdgeKind::Leave(_) => match edge.check() {
                Some(requires) => {
                    let edges = self.automaton.edges();
                    let places = requires.iter().map(|&i| match edges[i].kind {
                        EdgeKind::Return => format!("back from {}", edges[i].from),
                        _ => format!("through {}", edges[i].to),
                    });
                    format!("(check: {})", places.collect::<Vec<_>>().join(", "))
                }
                None => String::new(),
            },
            EdgeKind::Enter if edge.axis == Axis::Child && self.loops(edge) => {
                "(children only)".to_owned()
            }
            EdgeKind::Loop => "(one level down)".to_owned(),
            EdgeKind::Call => "(into the NFA)".to_owned(),
            EdgeKind::Return => "(out of the NFA; check: a run ends here)".to_owned(),
            _ => String::new(),
        }
    }

    /// Whether the state that the edge leaves also waits for descendants.
    fn loops(&self, edge: &Edge) -> bool {
        self.automaton.delta(edge.from).any(|(_, e)| e.kind == EdgeKind::Loop)
    }
}
