//! The automaton as a drawing.

use std::fmt::Write;

use super::{Automaton, StateKind};

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

impl Automaton {
    /// The text of a formula, conditions spelled out.
    pub(super) fn formula(&self, state: usize, edge: usize) -> String {
        let edge = &self.states[state].edges[edge];
        if let Some(text) = &edge.text {
            return text.to_string();
        }
        let text = |condition: u32| self.conditions[condition as usize].expr.to_string();
        edge.formula.text(&text)
    }

    /// The automaton in the language of Graphviz. Solid edges keep the event, dashed ones do not.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut out = String::from("digraph nfab {\n  rankdir=LR;\n  node [shape=circle];\n");
        for (i, state) in self.states.iter().enumerate() {
            let shape = match state.kind {
                StateKind::Final => "doublecircle",
                StateKind::Stop => "octagon",
                StateKind::Pending => "Mcircle",
                StateKind::Normal => "circle",
            };
            let bold = if i as u32 == self.start { ", penwidth=2" } else { "" };
            let label = quoted(&state.label);
            // Writing into a string cannot fail.
            let _ = writeln!(out, "  s{i} [label=\"{label}\", shape={shape}{bold}];");
        }
        for (i, state) in self.states.iter().enumerate() {
            for (j, edge) in state.edges.iter().enumerate() {
                let style = if edge.kind.writes() { "solid" } else { "dashed" };
                let label = quoted(&format!("{}: {}", edge.kind.name(), self.formula(i, j)));
                let target = edge.target;
                let _ = writeln!(out, "  s{i} -> s{target} [label=\"{label}\", style={style}];");
            }
        }
        out.push_str("}\n");
        out
    }
}
