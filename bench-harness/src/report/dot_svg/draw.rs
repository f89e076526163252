//! Draws a laid-out graph.

use std::fmt::Write;

use super::layout::{LINE, LOOP, Layout, TEXT, label_size, lines};
use super::parse::{Edge, Graph, Node, Shape};
use crate::report::html::Escaped;
use crate::report::theme;

type Point = (f64, f64);

/// The length of an arrow's head.
const HEAD: f64 = 8.0;

pub(super) fn draw(graph: &Graph, layout: &Layout) -> String {
    let mut out = String::new();
    for (index, edge) in graph.edges.iter().enumerate() {
        if edge.from != edge.to {
            draw_edge(&mut out, graph, layout, index);
        }
    }
    for (index, node) in graph.nodes.iter().enumerate() {
        draw_node(&mut out, node, layout.nodes[index], layout.sizes[index]);
        draw_loops(&mut out, graph, layout, index);
    }
    // Labels last: nothing may cross them.
    for (index, edge) in graph.edges.iter().enumerate() {
        if let Some(stop) = layout.labels[index] {
            text(&mut out, layout.routes[index][stop], "middle", &edge.label);
        }
    }
    let mut height = layout.height;
    if graph.clusters.iter().any(|label| !label.is_empty()) {
        height = legend(&mut out, graph, layout);
    }
    let width = layout.width;
    format!(
        r#"<svg viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}" role="img" aria-label="graph of {} nodes and {} edges"><g class="graph">{out}</g></svg>"#,
        graph.nodes.len(),
        graph.edges.len()
    )
}

fn draw_edge(out: &mut String, graph: &Graph, layout: &Layout, index: usize) {
    let edge = &graph.edges[index];
    let route = &layout.routes[index];
    let (from, to) = (layout.nodes[edge.from], layout.nodes[edge.to]);
    let first = route.first().copied().unwrap_or(to);
    let last = route.last().copied().unwrap_or(from);
    let start = border(from, layout.sizes[edge.from], graph.nodes[edge.from].shape, first, 0.0);
    let tip = border(to, layout.sizes[edge.to], graph.nodes[edge.to].shape, last, 1.5);
    let (dx, dy) = unit(last, tip);
    let end = (tip.0 - dx * HEAD, tip.1 - dy * HEAD);
    let mut path = format!("M{:.1} {:.1}", start.0, start.1);
    let mut points = vec![start];
    points.extend(route);
    points.push(end);
    smooth(&mut path, &points, graph.left_to_right);
    line(out, &path, edge.dashed, edge);
    head(out, tip, (dx, dy));
}

/// A curve through all points that never swings past one (monotone cubic pieces): where the way turns
/// back it runs along the ranks, elsewhere it goes on straight.
fn smooth(path: &mut String, points: &[Point], turned: bool) {
    // In the layout's axes: (along the ranks, across them).
    let own = |(x, y): Point| if turned { (x, y) } else { (y, x) };
    let points: Vec<Point> = points.iter().map(|&point| own(point)).collect();
    let chord = |at: usize| {
        let (a, b) = (points[at], points[at + 1]);
        // Ranks are apart; a node's border may still lie level with the first stop.
        (b.1 - a.1) / if (b.0 - a.0).abs() < 1.0 { (b.0 - a.0).signum() } else { b.0 - a.0 }
    };
    let last = points.len() - 1;
    let slope = |at: usize| {
        if at == 0 || at == last {
            return chord(at.min(last - 1));
        }
        let (before, after) = (chord(at - 1), chord(at));
        // The harmonic mean keeps the pieces monotone (Fritsch and Butland).
        if before * after <= 0.0 { 0.0 } else { 2.0 * before * after / (before + after) }
    };
    for at in 1..points.len() {
        let (a, b) = (points[at - 1], points[at]);
        let third = (b.0 - a.0) / 3.0;
        let first = own((a.0 + third, a.1 + slope(at - 1) * third));
        let second = own((b.0 - third, b.1 - slope(at) * third));
        let end = own(b);
        let _ = write!(
            path,
            "C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            first.0, first.1, second.0, second.1, end.0, end.1
        );
    }
}

fn line(out: &mut String, path: &str, dashed: bool, edge: &Edge) {
    let dash = if dashed { r#" stroke-dasharray="5 4""# } else { "" };
    let title = Escaped(&edge.label);
    let _ = write!(
        out,
        r#"<path d="{path}" fill="none" stroke="var(--soft)" stroke-width="1.4"{dash}><title>{title}</title></path>"#
    );
}

fn head(out: &mut String, tip: Point, (dx, dy): Point) {
    let back = (tip.0 - dx * HEAD, tip.1 - dy * HEAD);
    let (nx, ny) = (-dy * HEAD * 0.42, dx * HEAD * 0.42);
    let _ = write!(
        out,
        r#"<path d="M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}z" fill="var(--soft)"/>"#,
        tip.0,
        tip.1,
        back.0 + nx,
        back.1 + ny,
        back.0 - nx,
        back.1 - ny
    );
}

/// Where the line from a node's centre towards a point leaves the node, and a little further.
fn border(centre: Point, size: Point, shape: Shape, towards: Point, further: f64) -> Point {
    let (dx, dy) = unit(centre, towards);
    let (w, h) = size;
    let distance = match shape {
        Shape::Box | Shape::None => f64::min(w / dx.abs().max(1e-9), h / dy.abs().max(1e-9)),
        _ => 1.0 / ((dx / w).powi(2) + (dy / h).powi(2)).sqrt(),
    };
    (centre.0 + dx * (distance + further), centre.1 + dy * (distance + further))
}

fn unit(from: Point, to: Point) -> Point {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    if length < 1e-9 { (0.0, 1.0) } else { (dx / length, dy / length) }
}

fn draw_node(out: &mut String, node: &Node, (x, y): Point, (w, h): Point) {
    let stroke = node.cluster.map_or("var(--ink)".to_owned(), theme::series);
    let dash = if node.dashed { r#" stroke-dasharray="4 3""# } else { "" };
    let style = format!(r#"fill="var(--node)" stroke="{stroke}" stroke-width="1.5"{dash}"#);
    let ellipse = |w: f64, h: f64, style: &str| {
        format!(r#"<ellipse cx="{x:.1}" cy="{y:.1}" rx="{w:.1}" ry="{h:.1}" {style}/>"#)
    };
    match node.shape {
        Shape::Circle => out.push_str(&ellipse(w, h, &style)),
        Shape::DoubleCircle => {
            out.push_str(&ellipse(w, h, &style));
            out.push_str(&ellipse(w - 3.5, h - 3.5, &style));
        }
        Shape::Box => {
            let _ = write!(
                out,
                r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" rx="4" {style}/>"#,
                x - w,
                y - h,
                2.0 * w,
                2.0 * h
            );
        }
        Shape::Point => {
            let _ = write!(out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="var(--ink)"/>"#);
            return;
        }
        Shape::None => {}
    }
    plain_text(out, (x, y), "middle", &node.label);
}

/// The loops of one node share one curve; their labels stand beside it, one below the other.
fn draw_loops(out: &mut String, graph: &Graph, layout: &Layout, index: usize) {
    let loops: Vec<&Edge> =
        graph.edges.iter().filter(|edge| edge.from == index && edge.to == index).collect();
    let Some(first) = loops.first() else { return };
    let ((x, y), (w, h)) = (layout.nodes[index], layout.sizes[index]);
    let labels: Vec<&str> = loops.iter().map(|edge| edge.label.as_str()).collect();
    let label = labels.join("\n");
    let dashed = loops.iter().all(|edge| edge.dashed);
    let shape = graph.nodes[index].shape;
    if graph.left_to_right {
        let bottom = y + h + LOOP;
        let start = border((x, y), (w, h), shape, (x - w * 0.6, y + h), 0.0);
        let tip = border((x, y), (w, h), shape, (x + w * 0.6, y + h), 1.5);
        let path = format!(
            "M{:.1} {:.1}C{:.1} {bottom:.1} {:.1} {bottom:.1} {:.1} {:.1}",
            start.0,
            start.1,
            x - 18.0,
            x + 18.0,
            tip.0,
            tip.1 + 3.0
        );
        line(out, &path, dashed, first);
        head(out, tip, unit((x + 15.0, bottom), tip));
        let (_, height) = label_size(&label);
        text(out, (x, bottom + height / 2.0 - 4.0), "middle", &label);
    } else {
        let right = x + w + LOOP;
        let start = border((x, y), (w, h), shape, (x + w, y - h * 0.6), 0.0);
        let tip = border((x, y), (w, h), shape, (x + w, y + h * 0.6), 1.5);
        let path = format!(
            "M{:.1} {:.1}C{right:.1} {:.1} {right:.1} {:.1} {:.1} {:.1}",
            start.0,
            start.1,
            y - 18.0,
            y + 18.0,
            tip.0 + 3.0,
            tip.1
        );
        line(out, &path, dashed, first);
        head(out, tip, unit((right, y + 15.0), tip));
        text(out, (right - 2.0, y), "start", &label);
    }
}

/// A label of an edge, on a ground in the card's colour so that no line runs through it.
fn text(out: &mut String, at: Point, anchor: &str, label: &str) {
    if anchor == "middle" && !label.is_empty() {
        let (width, height) = label_size(label);
        let (x, y) = (at.0 - width / 2.0, at.1 - height / 2.0);
        let _ = write!(
            out,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="var(--card)"/>"#
        );
    }
    plain_text(out, at, anchor, label);
}

/// Text centred on a height, line by line.
fn plain_text(out: &mut String, (x, y): Point, anchor: &str, label: &str) {
    let lines = lines(label);
    let first = y - (lines.len() as f64 - 1.0) * LINE / 2.0 + TEXT * 0.35;
    for (number, line) in lines.iter().enumerate() {
        let y = first + number as f64 * LINE;
        let line = Escaped(line);
        let _ = write!(out, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{line}</text>"#);
    }
}

/// Which outline colour stands for which cluster; returns the drawing's new height.
fn legend(out: &mut String, graph: &Graph, layout: &Layout) -> f64 {
    let mut y = layout.height + 12.0;
    for (index, label) in graph.clusters.iter().enumerate() {
        if label.is_empty() {
            continue;
        }
        let colour = theme::series(index);
        let _ = write!(
            out,
            r#"<circle cx="16" cy="{y:.1}" r="6" fill="var(--node)" stroke="{colour}" stroke-width="2"/>"#
        );
        text(out, (30.0, y), "start", label);
        y += LINE + 4.0;
    }
    y
}
