//! The different bindings of one sequence of events.
//!
//! The sequence comes as layers: for each event the places at which the automaton may be, with links
//! to those of the event before. Two paths through the layers are the same match if their stages
//! are. So the walk goes from sets of places to sets of places, by stage: each binding is met once,
//! in the order of the stages. Places that do not lead to the end are left out beforehand.

use std::ops::ControlFlow;

use super::walk::Link;
use crate::runtime::evaluator::Taken;

/// The places of one event.
pub(super) struct Layer<'a> {
    /// The stage of each.
    pub(super) stages: Vec<u32>,
    /// From places of the layer before; from 0 in the first.
    pub(super) links: &'a [Link],
}

/// Visits the bindings of a sequence of which some places of the last layer are complete. The
/// stages in `taken` are overwritten.
pub(super) fn visit(
    layers: &[Layer<'_>],
    complete: Vec<bool>,
    taken: &mut [Taken],
    visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut alive = vec![Vec::new(); layers.len()];
    let mut below = complete;
    for (depth, layer) in layers.iter().enumerate().rev() {
        let before = if depth == 0 { 1 } else { layers[depth - 1].stages.len() };
        let mut leads = vec![false; before];
        for &(from, to) in layer.links {
            leads[from as usize] |= below[to as usize];
        }
        alive[depth] = std::mem::replace(&mut below, leads);
    }
    // Sets of places, by depth; the next one to visit is on top.
    let mut stack = vec![(0, vec![0])];
    while let Some((depth, places)) = stack.pop() {
        if depth > 0 {
            taken[depth - 1].0 = layers[depth - 1].stages[places[0] as usize];
        }
        let Some(layer) = layers.get(depth) else {
            visit(taken)?;
            continue;
        };
        let mut next: Vec<(u32, u32)> = (layer.links.iter())
            .filter(|(from, to)| places.contains(from) && alive[depth][*to as usize])
            .map(|&(_, to)| (layer.stages[to as usize], to))
            .collect();
        next.sort_unstable();
        next.dedup();
        for same in next.chunk_by(|a, b| a.0 == b.0).rev() {
            stack.push((depth + 1, same.iter().map(|&(_, place)| place).collect()));
        }
    }
    ControlFlow::Continue(())
}
