//! The automaton as a picture (Figs. 2 to 4).

use std::fmt::Write;

use super::{PaperAutomaton, StateKind};

pub(super) fn write(automaton: &PaperAutomaton) -> String {
    let mut out = String::from("digraph rpdt {\n");
    for state in automaton.states() {
        let shape = match state.kind {
            StateKind::Sequence { accepting: true, .. } => "doublecircle",
            _ => "circle",
        };
        let _ = writeln!(out, "  \"{}\" [shape={shape}];", state.id);
    }
    for edge in automaton.edges() {
        let label = edge.inscription().replace('\\', "\\\\").replace('"', "\\\"");
        let label = label.replace('\n', "\\n");
        let _ = writeln!(out, "  \"{}\" -> \"{}\" [label=\"{label}\"];", edge.from, edge.to);
    }
    out.push_str("}\n");
    out
}
