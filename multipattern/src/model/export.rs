//! Models as pictures.

use std::fmt::Write;

use super::{Label, Model, Sequences};

impl Model {
    /// A label for people: `A`, or `{A,B}` for a composite.
    pub fn show(&self, label: Label, set: &Sequences) -> String {
        match label {
            Label::Symbol(symbol) => set.name(symbol),
            Label::Composite(rule) => {
                let symbols = self.rules().get(rule as usize).map_or(&[][..], |r| &r.expansion);
                let names: Vec<String> = symbols.iter().map(|&symbol| set.name(symbol)).collect();
                format!("{{{}}}", names.join(","))
            }
        }
    }

    /// The model in the language of Graphviz. Accept states have two circles; beside those where one
    /// thing only can be complete stands what. The integer of an edge stands behind its label if it
    /// is not zero.
    pub fn to_dot(&self, set: &Sequences) -> String {
        let mut dot = String::from("digraph model {\n  rankdir=LR;\n  node [shape=circle];\n");
        let complete = self.complete(set);
        for state in 0..self.states() as u32 {
            let shape = if self.accepts(state) { ", shape=doublecircle" } else { "" };
            let beside = match complete[state as usize].as_slice() {
                [] => String::new(),
                names => {
                    let names: Vec<String> = names.iter().map(|name| escape(name)).collect();
                    format!(", xlabel=\"{}\"", names.join("\\n"))
                }
            };
            let _ = writeln!(dot, "  {state} [label=\"{state}\"{shape}{beside}];");
        }
        for (at, start) in self.starts().iter().enumerate() {
            let _ = writeln!(dot, "  start{at} [shape=point];\n  start{at} -> {};", start.state);
        }
        for state in 0..self.states() as u32 {
            for edge in self.edges_of(state) {
                let mut label = escape(&self.show(edge.label, set));
                if edge.integer > 0 {
                    let _ = write!(label, " /{}", edge.integer);
                }
                let style = match edge.label {
                    Label::Symbol(_) => "",
                    Label::Composite(_) => ", style=bold",
                };
                let target = edge.target;
                let _ = writeln!(dot, "  {state} -> {target} [label=\"{label}\"{style}];");
            }
        }
        dot.push_str("}\n");
        dot
    }

    /// What can be complete in each state.
    fn complete(&self, set: &Sequences) -> Vec<Vec<String>> {
        let mut complete = vec![Vec::new(); self.states()];
        for pattern in 0..self.patterns() as u32 {
            if let Some(&end) = self.states_of(pattern).last() {
                complete[end as usize].push(set.id(pattern as usize));
            }
        }
        for rule in 0..self.rules().len() as u32 {
            if let Some(&end) = self.states_of_rule(rule).last() {
                complete[end as usize].push(self.show(Label::Composite(rule), set));
            }
        }
        complete
    }
}

/// Text inside double quotes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => escaped.extend(['\\', c]),
            '\n' => escaped.push_str("\\n"),
            _ => escaped.push(c),
        }
    }
    escaped
}
