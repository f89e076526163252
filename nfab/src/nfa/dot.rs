//! The automaton as a drawing and as text.

use std::fmt::Write;

use super::{Automaton, EdgeKind, StateKind};

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

impl Automaton {
    /// The text of a formula, conditions spelled out.
    fn formula(&self, state: usize, edge: usize) -> String {
        let text = |condition: u32| self.conditions[condition as usize].expr.to_string();
        self.states[state].edges[edge].formula.text(&text)
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

    /// The pattern, the states with their edges, the registers that a run carries, and the windows.
    #[must_use]
    pub fn explain(&self) -> String {
        let mut out = format!("pattern: {}\n", self.text);
        let _ = writeln!(out, "evaluation: one run for each partial match");
        // States are made from the end of the pattern to its beginning.
        for (i, state) in self.states.iter().enumerate().rev() {
            let start = if i as u32 == self.start { " (start)" } else { "" };
            let kind = match state.kind {
                StateKind::Normal => "state",
                StateKind::Final => "final state",
                StateKind::Stop => "stop state",
                StateKind::Pending => "pending state",
            };
            let gap = state.gap.map_or(String::new(), |gap| format!(", waits less than {gap}"));
            let _ = writeln!(out, "{kind} {}{start}{gap}", state.label);
            for (j, edge) in state.edges.iter().enumerate() {
                // The start state has nothing that could go on being held.
                if i as u32 == self.start && edge.kind == EdgeKind::Ignore {
                    continue;
                }
                let target = &self.states[edge.target as usize].label;
                let name = edge.kind.name();
                let _ = writeln!(out, "  {name} -> {target}: {}", self.formula(i, j));
            }
        }
        for (register, attribute) in self.registers.iter().zip(&self.register_attributes) {
            let stage = &self.stages[register.stage as usize];
            let _ = match attribute {
                Some(name) => writeln!(out, "register {} of {stage}.{name}", register.pick),
                None => writeln!(out, "register {} of {stage}", register.pick),
            };
        }
        if let Some(window) = self.within {
            let _ = writeln!(out, "window: last - first < {window}");
        }
        out
    }
}
