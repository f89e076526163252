//! Lays out a small graph that is written in DOT, and draws it.
//!
//! It reads the subset of DOT that the engines write (see [`parse()`]) and lays it out in layers, after
//! Sugiyama: break cycles, rank by longest path, order each layer by barycentres, then draw. Edge
//! labels get places of their own in the layers between, so they never lie on a node or on each other.
//! Meant for automata of a few dozen states.

mod draw;
mod layout;
mod parse;

pub use layout::{Layout, layout};
pub use parse::{Edge, Graph, Node, Shape, parse};

use crate::error::Result;

/// Draws a DOT text as SVG.
pub fn render(dot: &str) -> Result<String> {
    let graph = parse(dot)?;
    let layout = layout(&graph);
    Ok(draw::draw(&graph, &layout))
}
