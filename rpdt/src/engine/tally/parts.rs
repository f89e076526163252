//! What each node is in a light plan.

use crate::Shape;
use crate::automaton::compile::{Compiled, NONE, Node, Place, Role, SpineBranch};
use crate::engine::light::{is_bare, is_untested};
use crate::pattern::Axis;

/// What a node is in a light plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A step of the spine that passes everything on.
    Passes,
    /// A step of the spine with conditions, or below one.
    Step,
    /// A step on the descendant axis below one with conditions, which passes everything on to a return
    /// node on the child axis.
    Below,
    /// A return node.
    Returned,
    /// An owner of a regular branch.
    Owner,
    /// A symbol without conditions.
    Symbol,
    /// A symbol with conditions.
    Guarded,
    /// A condition that its name alone meets.
    Witness,
    /// A condition with conditions of its own.
    Condition,
}

/// So many symbols of one regular branch may have conditions, since every set of symbols that a
/// child satisfies is a letter of the automaton.
const GUARDED: usize = 6;

/// What all nodes are; `None` if numbers are not enough.
pub(super) fn parts(compiled: &Compiled) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    for node in &compiled.nodes {
        parts.push(part(compiled, node, &parts)?);
    }
    Some(parts)
}

/// Whether nothing is kept of the elements that the parent of a node matches.
pub(super) fn is_free(node: &Node, parts: &[Part]) -> bool {
    node.parent == NONE || parts[node.parent as usize] == Part::Passes
}

/// What a node is, those before it being known; `None` if numbers are not enough.
fn part(compiled: &Compiled, node: &Node, parts: &[Part]) -> Option<Part> {
    if !is_untested(node) {
        return None;
    }
    let query = &compiled.queries[node.query as usize];
    if let Place::Symbol { regular, .. } = node.place {
        let owner = compiled.regulars[regular as usize].owner as usize;
        let plain = node.regulars.is_empty() && node.spine.is_empty();
        if parts[owner] != Part::Owner || !plain {
            return None;
        }
        return Some(if is_bare(node) { Part::Symbol } else { Part::Guarded });
    }
    if node.role == Role::Off {
        let part = if is_bare(node) { Part::Witness } else { Part::Condition };
        return node.regulars.is_empty().then_some(part);
    }
    let free = is_free(node, parts);
    if query.ambiguous || query.shape == Shape::Instances {
        return None;
    }
    if node.returned != NONE {
        let fits = is_bare(node)
            && query.returns.len() == 1
            && (free || has_resort(compiled, node, parts));
        return fits.then_some(Part::Returned);
    }
    if let [regular] = node.regulars[..] {
        let nfa = &compiled.regulars[regular as usize].nfa;
        let guarded = |kid: &&u32| {
            let kid = &compiled.nodes[**kid as usize];
            matches!(kid.place, Place::Symbol { .. }) && !is_bare(kid)
        };
        let fits = free
            && node.role == Role::Key
            && query.shape == Shape::Tuples
            && node.spine == [SpineBranch::Regular(regular)]
            && !nfa.nullable
            && node.child_kids.iter().filter(guarded).count() <= GUARDED;
        return fits.then_some(Part::Owner);
    }
    if free && compiled.only_passes(node) {
        return Some(Part::Passes);
    }
    if !free && !has_resort(compiled, node, parts) {
        return None;
    }
    if is_below_step(compiled, node, parts) {
        return Some(Part::Below);
    }
    let fits = node.role == Role::Chain
        && node.regulars.is_empty()
        && matches!(node.spine[..], [SpineBranch::Node(_)])
        && (free || parts[node.parent as usize] == Part::Step);
    fits.then_some(Part::Step)
}

/// Whether answers below a node can go to an outer element ([`resorts`]) that is still open. On the
/// descendant axis they hang below all elements that match the node above. If that is reached by two
/// steps on the child axis, the outer one may be inside what the inner one hangs below, and end first.
fn has_resort(compiled: &Compiled, node: &Node, parts: &[Part]) -> bool {
    let is_child = |node: &&Node| node.axis == Axis::Child && !is_free(node, parts);
    let above = |node: &Node| &compiled.nodes[node.parent as usize];
    node.axis == Axis::Child
        || Some(above(node)).filter(is_child).map(above).filter(is_child).is_none()
}

/// See [`Part::Below`].
fn is_below_step(compiled: &Compiled, node: &Node, parts: &[Part]) -> bool {
    let [SpineBranch::Node(next)] = node.spine[..] else { return false };
    let next = &compiled.nodes[next as usize];
    node.axis == Axis::Descendant
        && compiled.only_passes(node)
        && next.returned != NONE
        && next.axis == Axis::Child
        && parts.get(node.parent as usize) == Some(&Part::Step)
}

/// The conditions of a frame: without that of the spine, which the answers themselves meet.
pub(super) fn conditions(compiled: &Compiled, node: &Node) -> u64 {
    let spine = match node.spine[..] {
        [SpineBranch::Node(next)] => compiled.nodes[next as usize].bit,
        [SpineBranch::Regular(regular)] => compiled.regulars[regular as usize].bit,
        _ => 0,
    };
    node.conditions & !spine
}

/// For each node the axis of the next step of the spine; `None` if there is none.
pub(super) fn next_axis(compiled: &Compiled, node: &Node) -> Option<Axis> {
    match node.spine[..] {
        [SpineBranch::Node(next)] => Some(compiled.nodes[next as usize].axis),
        _ => None,
    }
}

/// For each node the first one, itself or on child axes below it, that the spine leaves on the
/// descendant axis. What hangs below an element there hangs below all outer ones, too, so that answers
/// that an element has failed go to the innermost one that is still open. `NONE`: they are lost.
pub(super) fn resorts(compiled: &Compiled) -> Vec<u32> {
    let mut resorts = vec![NONE; compiled.nodes.len()];
    // Nodes come before those below them.
    for (id, node) in compiled.nodes.iter().enumerate().rev() {
        let [SpineBranch::Node(next)] = node.spine[..] else { continue };
        resorts[id] = match compiled.nodes[next as usize].axis {
            Axis::Descendant => id as u32,
            Axis::Child => resorts[next as usize],
        };
    }
    resorts
}
