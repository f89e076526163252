//! The layered layout: ranks, orders, places.
//!
//! Every edge spans at least two ranks, so that nodes stand on even ranks and the odd ranks between
//! have room for labels. An edge becomes a chain of *stops*, one for each rank it crosses; the stop in
//! its middle carries the label and is as large as it. From there on nodes and stops are alike.

use std::collections::HashSet;

use super::parse::{Graph, Node, Shape};
use crate::report::svg::text_width;

/// The size of text in a graph.
pub(super) const TEXT: f64 = 13.0;
/// The height of a line of text.
pub(super) const LINE: f64 = 16.0;
/// The room between neighbours of one rank, and between ranks.
const GAP: f64 = 14.0;
const RANK_GAP: f64 = 19.0;
/// How far a self loop reaches out of its node.
pub(super) const LOOP: f64 = 26.0;
const MARGIN: f64 = 10.0;
/// Sweeps of ordering; small graphs settle in far fewer.
const SWEEPS: usize = 24;
/// Sweeps of placing: until a chain is straight takes some for each of its nodes.
const PLACING: usize = 200;

/// Where everything goes, in pixels.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Width of the drawing.
    pub width: f64,
    /// Height of the drawing.
    pub height: f64,
    /// The centre of each node.
    pub nodes: Vec<(f64, f64)>,
    /// Half the width and half the height of each node.
    pub sizes: Vec<(f64, f64)>,
    /// The stops of each edge from its beginning to its end, without the nodes; none for a self loop.
    pub routes: Vec<Vec<(f64, f64)>>,
    /// The stop that carries the label.
    pub labels: Vec<Option<usize>>,
}

/// The lines of a label.
pub(super) fn lines(label: &str) -> Vec<String> {
    label.split('\n').map(str::to_owned).collect()
}

/// The width and height of a label; nothing when it is empty.
pub(super) fn label_size(label: &str) -> (f64, f64) {
    if label.is_empty() {
        return (0.0, 0.0);
    }
    let lines = lines(label);
    let width = lines.iter().map(|line| text_width(line, TEXT)).fold(0.0, f64::max);
    (width, lines.len() as f64 * LINE)
}

fn node_size(node: &Node) -> (f64, f64) {
    let (width, height) = label_size(&node.label);
    let round = |extra: f64| ((width / 2.0 + 7.0).max(17.0) + extra, (height / 2.0 + 9.0) + extra);
    match node.shape {
        Shape::Point => (4.0, 4.0),
        Shape::None => (width / 2.0 + 2.0, height / 2.0 + 2.0),
        Shape::Box => ((width / 2.0 + 9.0).max(16.0), height / 2.0 + 8.0),
        Shape::Circle => round(0.0),
        Shape::DoubleCircle => round(3.5),
    }
}

/// A node or a stop, in the layout's own axes: *along* the ranks and *across* them.
#[derive(Clone, Debug)]
struct Item {
    rank: usize,
    /// Room before and after its centre across the ranks; a self loop needs more after.
    before: f64,
    after: f64,
    /// Half its extent along the ranks.
    thickness: f64,
    is_node: bool,
    across: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

/// Lays a graph out.
pub fn layout(graph: &Graph) -> Layout {
    let sizes: Vec<(f64, f64)> = graph.nodes.iter().map(node_size).collect();
    let reversed = back_edges(graph);
    let ranks = ranks(graph, &reversed);
    let mut items = node_items(graph, &sizes, &ranks);
    let mut chains = Vec::new();
    for (index, edge) in graph.edges.iter().enumerate() {
        chains.push(chain(graph, index, reversed.contains(&index), edge, &mut items));
    }
    let mut layers = layers(&items);
    order(&mut layers, &mut items);
    place(&layers, &mut items);
    close_up(&layers, &mut items);
    finish(graph, sizes, &layers, &items, chains)
}

/// The edges that close a cycle when the graph is walked depth first, from its sources on.
fn back_edges(graph: &Graph) -> HashSet<usize> {
    let count = graph.nodes.len();
    let mut out = vec![Vec::new(); count];
    let mut has_incoming = vec![false; count];
    for (index, edge) in graph.edges.iter().enumerate() {
        out[edge.from].push(index);
        has_incoming[edge.to] |= edge.from != edge.to;
    }
    let (with, without): (Vec<usize>, Vec<usize>) =
        (0..count).partition(|&node| has_incoming[node]);
    let mut back = HashSet::new();
    // 0 not seen, 1 on the path, 2 done. A stack of (node, next edge) instead of recursion.
    let mut state = vec![0_u8; count];
    for root in without.into_iter().chain(with) {
        let mut path = vec![(root, 0)];
        if state[root] != 0 {
            continue;
        }
        state[root] = 1;
        while let Some((node, next)) = path.last_mut() {
            let Some(&edge) = out[*node].get(*next) else {
                state[*node] = 2;
                path.pop();
                continue;
            };
            *next += 1;
            let to = graph.edges[edge].to;
            match state[to] {
                0 => {
                    state[to] = 1;
                    path.push((to, 0));
                }
                1 => {
                    back.insert(edge);
                }
                _ => {}
            }
        }
    }
    back
}

/// Ranks by longest path over the edges without cycles; an edge spans at least two.
fn ranks(graph: &Graph, reversed: &HashSet<usize>) -> Vec<usize> {
    let mut ranks = vec![0; graph.nodes.len()];
    // As many rounds as there are nodes reach the fixed point of an acyclic graph.
    for _ in 0..graph.nodes.len() {
        let mut changed = false;
        for (index, edge) in graph.edges.iter().enumerate() {
            let (from, to) = ends(reversed.contains(&index), edge.from, edge.to);
            if from != to && ranks[to] < ranks[from] + 2 {
                ranks[to] = ranks[from] + 2;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    ranks
}

fn ends(reversed: bool, from: usize, to: usize) -> (usize, usize) {
    if reversed { (to, from) } else { (from, to) }
}

fn node_items(graph: &Graph, sizes: &[(f64, f64)], ranks: &[usize]) -> Vec<Item> {
    let turned = graph.left_to_right;
    let mut items = Vec::new();
    for (index, &size) in sizes.iter().enumerate() {
        let (across, along) = if turned { (size.1, size.0) } else { size };
        let loops = graph.edges.iter().filter(|edge| edge.from == index && edge.to == index);
        let (mut width, mut height, mut any) = (0.0_f64, 0.0, false);
        for edge in loops {
            let (w, h) = label_size(&edge.label);
            (width, height, any) = (width.max(w), height + h, true);
        }
        let extra = match (any, turned) {
            (false, _) => 0.0,
            (true, false) => LOOP + width + 4.0,
            (true, true) => LOOP + height + 4.0,
        };
        // Below a node of a turned graph the label may be wider than the node.
        let along = if turned { along.max(width / 2.0) } else { along.max(height / 2.0) };
        let (above, below) = (Vec::new(), Vec::new());
        let (rank, after) = (ranks[index], across + extra);
        items.push(Item {
            rank,
            before: across,
            after,
            thickness: along,
            is_node: true,
            across: 0.0,
            above,
            below,
        });
    }
    items
}

/// The stops of one edge, in the direction of rising ranks, and which of them has the label.
#[derive(Debug)]
struct Chain {
    stops: Vec<usize>,
    label: Option<usize>,
    reversed: bool,
}

fn chain(
    graph: &Graph,
    index: usize,
    reversed: bool,
    edge: &super::Edge,
    items: &mut Vec<Item>,
) -> Chain {
    let (from, to) = ends(reversed, edge.from, edge.to);
    let mut chain = Chain { stops: Vec::new(), label: None, reversed };
    if from == to {
        return chain;
    }
    let (first, last) = (items[from].rank, items[to].rank);
    let (width, height) = label_size(&graph.edges[index].label);
    // The odd rank nearest the middle.
    let middle = usize::midpoint(first, last) | 1;
    let mut previous = from;
    for rank in first + 1..last {
        let labelled = rank == middle && width > 0.0;
        let (w, h) = if labelled { (width / 2.0 + 3.0, height / 2.0) } else { (3.0, 0.0) };
        let (across, thickness) = if graph.left_to_right { (h.max(3.0), w) } else { (w, h) };
        let own = items.len();
        if labelled {
            chain.label = Some(chain.stops.len());
        }
        chain.stops.push(own);
        items.push(Item {
            rank,
            before: across,
            after: across,
            thickness,
            is_node: false,
            across: 0.0,
            above: vec![previous],
            below: Vec::new(),
        });
        items[previous].below.push(own);
        previous = own;
    }
    items[previous].below.push(to);
    items[to].above.push(previous);
    chain
}

fn layers(items: &[Item]) -> Vec<Vec<usize>> {
    let count = items.iter().map(|item| item.rank + 1).max().unwrap_or(0);
    let mut layers = vec![Vec::new(); count];
    for (index, item) in items.iter().enumerate() {
        layers[item.rank].push(index);
    }
    layers
}

/// Orders each layer by the barycentres of its neighbours, down and up in turn, and keeps the order
/// with the fewest crossings.
fn order(layers: &mut Vec<Vec<usize>>, items: &mut [Item]) {
    let mut best = (usize::MAX, layers.clone());
    for sweep in 0..SWEEPS {
        number(layers, items);
        let crossings = crossings(layers, items);
        if crossings < best.0 {
            best = (crossings, layers.clone());
        }
        let down = sweep % 2 == 0;
        let ranks: Vec<usize> =
            if down { (0..layers.len()).collect() } else { (0..layers.len()).rev().collect() };
        for rank in ranks {
            let centre = |index: usize| {
                let item = &items[index];
                let neighbours = if down { &item.above } else { &item.below };
                mean(neighbours.iter().map(|&other| items[other].across)).unwrap_or(item.across)
            };
            let mut keyed: Vec<(f64, usize)> =
                layers[rank].iter().map(|&index| (centre(index), index)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            layers[rank] = keyed.into_iter().map(|(_, index)| index).collect();
            for (position, &index) in layers[rank].iter().enumerate() {
                items[index].across = position as f64;
            }
        }
    }
    *layers = best.1;
    number(layers, items);
}

fn number(layers: &[Vec<usize>], items: &mut [Item]) {
    for layer in layers {
        for (position, &index) in layer.iter().enumerate() {
            items[index].across = position as f64;
        }
    }
}

fn crossings(layers: &[Vec<usize>], items: &[Item]) -> usize {
    let mut count = 0;
    for layer in layers {
        let mut ends: Vec<(f64, f64)> = Vec::new();
        for &index in layer {
            for &below in &items[index].below {
                ends.push((items[index].across, items[below].across));
            }
        }
        for (position, a) in ends.iter().enumerate() {
            count +=
                ends[position + 1..].iter().filter(|b| (a.0 - b.0) * (a.1 - b.1) < 0.0).count();
        }
    }
    count
}

/// Moves every item towards its neighbours as far as the order and the sizes allow.
fn place(layers: &[Vec<usize>], items: &mut [Item]) {
    for layer in layers {
        let mut at = 0.0;
        for &index in layer {
            items[index].across = at + items[index].before;
            at = items[index].across + items[index].after + GAP;
        }
    }
    for sweep in 0..PLACING {
        let ranks: Vec<usize> = if sweep % 2 == 0 {
            (0..layers.len()).collect()
        } else {
            (0..layers.len()).rev().collect()
        };
        for rank in ranks {
            let wanted: Vec<(f64, f64)> =
                layers[rank].iter().map(|&index| wish(index, items)).collect();
            let placed = separate(&layers[rank], &wanted, items);
            for (&index, at) in layers[rank].iter().zip(placed) {
                items[index].across = at;
            }
        }
    }
}

/// Nothing draws parts of a graph together that no edge connects: each is moved up to what is before it.
fn close_up(layers: &[Vec<usize>], items: &mut [Item]) {
    let parts = parts(items);
    let mut first = vec![f64::MAX; items.len()];
    for (item, &part) in items.iter().zip(&parts) {
        first[part] = first[part].min(item.across - item.before);
    }
    let mut by_place: Vec<usize> =
        (0..items.len()).filter(|&part| first[part] < f64::MAX).collect();
    by_place.sort_by(|&a, &b| first[a].total_cmp(&first[b]));
    for part in by_place {
        let pairs = layers.iter().flat_map(|layer| layer.windows(2));
        let room = pairs
            .filter(|pair| parts[pair[1]] == part && parts[pair[0]] != part)
            .map(|pair| (&items[pair[0]], &items[pair[1]]))
            .map(|(a, b)| (b.across - b.before) - (a.across + a.after + GAP))
            .fold(f64::MAX, f64::min);
        if room > 0.0 && room < f64::MAX {
            for (item, _) in items.iter_mut().zip(&parts).filter(|(_, of)| **of == part) {
                item.across -= room;
            }
        }
    }
}

/// Of each item a number that it has in common with all that edges connect it with.
fn parts(items: &[Item]) -> Vec<usize> {
    let mut parts = vec![usize::MAX; items.len()];
    for start in 0..items.len() {
        let mut open = vec![start];
        while let Some(index) = open.pop() {
            if parts[index] == usize::MAX {
                parts[index] = start;
                open.extend(items[index].above.iter().chain(&items[index].below));
            }
        }
    }
    parts
}

/// Where an item would like to be, and how much: a stop between stops wants a straight line badly.
fn wish(index: usize, items: &[Item]) -> (f64, f64) {
    let item = &items[index];
    let neighbours = item.above.iter().chain(&item.below).map(|&other| items[other].across);
    let weight = if item.is_node { 1.0 } else { 2.0 };
    (mean(neighbours).unwrap_or(item.across), weight)
}

/// The places nearest to those wanted (in weighted least squares) that keep the order and the gaps:
/// isotonic regression by pooling neighbours that violate the order.
fn separate(layer: &[usize], wanted: &[(f64, f64)], items: &[Item]) -> Vec<f64> {
    // Subtracting the room each item needs at least turns "apart by a gap" into "not decreasing".
    let mut offsets = vec![0.0];
    for pair in layer.windows(2) {
        let room = items[pair[0]].after + GAP + items[pair[1]].before;
        offsets.push(offsets[offsets.len() - 1] + room);
    }
    // (weighted sum, weight, members)
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (&(at, weight), offset) in wanted.iter().zip(&offsets) {
        let mut pool = ((at - offset) * weight, weight, 1);
        while let Some(&(sum, total, members)) = pools.last() {
            if sum / total <= pool.0 / pool.1 {
                break;
            }
            pool = (pool.0 + sum, pool.1 + total, pool.2 + members);
            pools.pop();
        }
        pools.push(pool);
    }
    let places =
        pools.iter().flat_map(|&(sum, weight, members)| std::iter::repeat_n(sum / weight, members));
    places.zip(offsets).map(|(at, offset)| at + offset).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// From ranks and places across to pixels.
fn finish(
    graph: &Graph,
    sizes: Vec<(f64, f64)>,
    layers: &[Vec<usize>],
    items: &[Item],
    chains: Vec<Chain>,
) -> Layout {
    let least = items.iter().map(|item| item.across - item.before).fold(f64::MAX, f64::min);
    let most = items.iter().map(|item| item.across + item.after).fold(f64::MIN, f64::max);
    let mut along = MARGIN;
    let mut centres = Vec::new();
    for layer in layers {
        let half = layer.iter().map(|&index| items[index].thickness).fold(0.0, f64::max);
        centres.push(along + half);
        along += 2.0 * half + RANK_GAP;
    }
    let turned = graph.left_to_right;
    let point = |index: usize| {
        let (across, along) = (items[index].across - least + MARGIN, centres[items[index].rank]);
        if turned { (along, across) } else { (across, along) }
    };
    let across = if most > least { most - least } else { 0.0 } + 2.0 * MARGIN;
    let along = along - RANK_GAP + MARGIN;
    let (width, height) = if turned { (along, across) } else { (across, along) };
    let mut layout = Layout { width, height, sizes, ..Layout::default() };
    layout.nodes = (0..graph.nodes.len()).map(point).collect();
    for Chain { stops, label, reversed } in chains {
        let mut route: Vec<(f64, f64)> = stops.iter().map(|&stop| point(stop)).collect();
        let mut label = label;
        if reversed {
            route.reverse();
            label = label.map(|at| route.len() - 1 - at);
        }
        layout.routes.push(route);
        layout.labels.push(label);
    }
    layout
}
