//! The versioned buffer for people: as a table and as a drawing.

use std::fmt::{self, Write as _};

/// What a versioned match buffer holds at a moment: a stack for each state that takes events,
/// entries in it, edges with versions between them. Events are given by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferView {
    pub(super) stacks: Vec<StackView>,
}

/// The stack of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackView {
    pub(super) name: String,
    pub(super) entries: Vec<EntryView>,
}

/// An event in a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryView {
    pub(super) event: u64,
    pub(super) edges: Vec<EdgeView>,
}

/// What came before an event in some run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeView {
    pub(super) version: String,
    pub(super) to: Option<(usize, u64)>,
}

impl BufferView {
    /// The stacks, in the order of the pattern. One that never had an entry may be among them.
    #[must_use]
    pub fn stacks(&self) -> &[StackView] {
        &self.stacks
    }

    /// The drawing, in the DOT language: a box for each stack, an arrow for each edge.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut dot = String::from("digraph buffer {\n  rankdir=RL;\n  node [shape=box];\n");
        let mut arrows = String::new();
        for (at, stack) in self.stacks.iter().enumerate().filter(|(_, s)| !s.entries.is_empty()) {
            let name = stack.name.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(dot, "  subgraph cluster_{at} {{\n    label=\"{name}\";");
            for entry in &stack.entries {
                let own = format!("s{at}_{}", entry.event);
                let _ = writeln!(dot, "    {own} [label=\"{}\"];", entry.event);
                for edge in &entry.edges {
                    let to = match edge.to {
                        Some((stack, event)) => format!("s{stack}_{event}"),
                        None => "root".to_owned(),
                    };
                    let _ = writeln!(arrows, "  {own} -> {to} [label=\"{}\"];", edge.version);
                }
            }
            dot.push_str("  }\n");
        }
        dot.push_str("  root [shape=point];\n");
        dot + &arrows + "}\n"
    }
}

impl StackView {
    /// The state: the component or, of a Kleene component `a`, `a[1]` and `a[i]`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The entries, oldest first.
    #[must_use]
    pub fn entries(&self) -> &[EntryView] {
        &self.entries
    }
}

impl EntryView {
    /// The number of the event.
    #[must_use]
    pub fn event(&self) -> u64 {
        self.event
    }

    /// The edges that leave it, oldest first.
    #[must_use]
    pub fn edges(&self) -> &[EdgeView] {
        &self.edges
    }
}

impl EdgeView {
    /// The version, such as `1.0.0`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The entry before: the place of its stack and the number of its event. `None` at the
    /// beginning of a run, and where a passed window has taken what came before.
    #[must_use]
    pub fn to(&self) -> Option<(usize, u64)> {
        self.to
    }
}

/// One line for each entry: the stack, the event, and for each edge where it leads and its version.
impl fmt::Display for BufferView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, stack) in self.stacks.iter().enumerate() {
            for entry in &stack.entries {
                write!(f, "{} {}:", stack.name, entry.event)?;
                for (nth, edge) in entry.edges.iter().enumerate() {
                    f.write_str(if nth == 0 { " -> " } else { ", -> " })?;
                    match edge.to {
                        Some((stack, event)) if stack == at => write!(f, "{event}")?,
                        Some((stack, event)) => write!(f, "{}.{event}", self.stacks[stack].name)?,
                        None => f.write_str("root")?,
                    }
                    write!(f, " ({})", edge.version)?;
                }
                f.write_str("\n")?;
            }
        }
        Ok(())
    }
}
