//! Models as pictures.

use std::fmt::Write;

use hashbrown::HashMap;

use super::{Failure, Label, Model, Sequences};

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

    /// The model in the language of Graphviz. Accept states have two circles; beside those where
    /// one thing only can be complete stands what. The integer of an edge stands behind its label
    /// if it is not zero.
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

    /// The three functions as text, see [`Plan::functions`](crate::Plan::functions). Symbols are
    /// taken for different kinds.
    pub fn functions(&self, set: &Sequences) -> String {
        let mut text = String::from("state transition\n");
        for state in 0..self.states() as u32 {
            for edge in self.edges_of(state) {
                let _ =
                    writeln!(text, "  {state} {} -> {}", self.show(edge.label, set), edge.target);
            }
        }
        let failure = Failure::new(self, |symbol| symbol);
        let paths = self.paths();
        let mut names: Vec<String> = Vec::with_capacity(paths.len());
        let mut number = HashMap::with_capacity(paths.len());
        for (at, &(path, from)) in paths.iter().enumerate() {
            names.push(match from {
                None => String::new(),
                Some((before, label)) => {
                    let (before, label) = (&names[before], self.show(label, set));
                    if before.is_empty() { label } else { format!("{before} {label}") }
                }
            });
            number.insert(path, at);
        }
        text.push_str("failure transition\n");
        for (&(path, _), name) in paths.iter().zip(&names) {
            if let Some(to) = failure.failure(path) {
                let _ = writeln!(text, "  {name} -> {}", names[number[&to]]);
            }
        }
        text.push_str("conditional output\n");
        for (&(path, _), name) in paths.iter().zip(&names) {
            if let Some(output) = self.output(path) {
                let patterns = output.patterns.iter().map(|&pattern| set.id(pattern as usize));
                let rule = output.rule.map(|rule| self.show(Label::Composite(rule), set));
                let complete: Vec<String> = patterns.chain(rule).collect();
                let _ = writeln!(text, "  {name}: {}", complete.join(", "));
            }
        }
        text
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
