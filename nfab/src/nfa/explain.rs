//! The automaton as text.

use std::fmt::Write;

use super::program::Window;
use super::{Automaton, EdgeKind, Evaluation, Skip, StateKind};

impl Automaton {
    /// The pattern or query, its semantics and evaluation, the states with their edges, what a run
    /// remembers, and the window.
    #[must_use]
    pub fn explain(&self) -> String {
        let mut out = String::new();
        let (what, semantics) = match self.pattern {
            Some(_) => ("pattern", "flink"),
            None => ("query", "sase"),
        };
        // Writing into a string cannot fail.
        let _ = writeln!(out, "{what}: {}\nsemantics: {semantics}", self.text);
        let evaluation = match self.evaluation {
            Evaluation::Compact => "compact",
            Evaluation::Grouped => "grouped",
            Evaluation::Runs => "runs",
        };
        let reason = match self.evaluation_reason.as_str() {
            "" => "one run for each partial match",
            reason => reason,
        };
        let _ = writeln!(out, "evaluation: {evaluation} ({reason})");
        let last = self.states.len();
        for i in 0..last {
            // The builder's states are made from the end of the pattern to its beginning.
            self.explain_state(if self.pattern.is_some() { last - 1 - i } else { i }, &mut out);
        }
        self.explain_rest(&mut out);
        out
    }

    fn explain_state(&self, i: usize, out: &mut String) {
        let state = &self.states[i];
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
            // The start state has nothing that could go on being held; a state of a query that is
            // the start and something else as well ignores as the latter.
            let idle = self.pattern.is_some() && i as u32 == self.start;
            if idle && edge.kind == EdgeKind::Ignore {
                continue;
            }
            let target = &self.states[edge.target as usize].label;
            let _ = writeln!(out, "  {} -> {target}: {}", edge.kind.name(), self.formula(i, j));
        }
    }

    fn explain_rest(&self, out: &mut String) {
        for note in &self.notes {
            let _ = writeln!(out, "{note}");
        }
        for (register, attribute) in self.registers.iter().zip(&self.register_attributes) {
            let stage = &self.stages[register.stage as usize];
            let attribute = attribute.as_ref().map_or(String::new(), |name| format!(".{name}"));
            let round = if register.per_round { ", anew each round" } else { "" };
            let _ = writeln!(out, "register {} of {stage}{attribute}{round}", register.pick);
        }
        if let Some(window) = self.within {
            let _ = writeln!(out, "window: last - first < {window}");
        } else {
            let _ = match self.program.window {
                Window::None => Ok(()),
                Window::Time { length, inclusive: true } => {
                    writeln!(out, "window: last - first <= {length}")
                }
                Window::Time { length, inclusive: false } => {
                    writeln!(out, "window: last - first < {length}")
                }
                Window::Events(count) => writeln!(out, "window: {count} events"),
            };
        }
        let stage = |stage: u32| &self.stages[stage as usize];
        let _ = match self.skip {
            _ if self.pattern.is_some() => Ok(()),
            Skip::None => Ok(()),
            Skip::ToNext => writeln!(out, "after a match: none from the same first event"),
            Skip::PastLast => writeln!(out, "after a match: none from its events"),
            Skip::ToFirst(to, _) => {
                writeln!(out, "after a match: none from before the first {}", stage(to))
            }
            Skip::ToLast(to, _) => {
                writeln!(out, "after a match: none from before the last {}", stage(to))
            }
        };
    }
}
