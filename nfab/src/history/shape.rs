//! What a match buffer needs to know of the pattern.

use super::version::Rules;

/// What a match buffer needs to know of the pattern.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// The stages, in the order of the pattern.
    pub(crate) stages: Vec<StageShape>,
    /// How versions are given out.
    pub(crate) rules: Rules,
}

/// A stage.
#[derive(Clone, Debug)]
pub(crate) struct StageShape {
    pub(crate) name: String,
    /// It takes several events: one by a begin edge, the others by take edges.
    pub(crate) kleene: bool,
}
