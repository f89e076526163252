//! Charts, labels, ticks and graphs.

mod common;

use bench_harness::experiment::{Plot, Spacing, Style};
use bench_harness::record::Row;
use bench_harness::report::dot_svg::{Shape, layout, parse, render};
use bench_harness::report::svg::{
    Axis, chart, distinct, linear_ticks, log_ticks, spread, text_width,
};
use common::{AUTOMATON, row};
use proptest::prelude::*;

fn plot(style: Style, y_axis: Spacing) -> Plot {
    Plot {
        title: "A title".to_owned(),
        style,
        series: vec!["s".to_owned(), "t & u".to_owned(), "absent".to_owned()],
        x_label: "size, MB".to_owned(),
        y_label: "time".to_owned(),
        x_axis: Spacing::Log,
        y_axis,
        absent: Vec::new(),
    }
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (series, factor) in [("s", 1.0), ("t & u", 1.01), ("unrelated", 3.0)] {
        for x in [11.0, 56.0, 2273.0] {
            let value = x * factor;
            rows.push(row(series, x, (value * 0.9, value, value * 1.1), 9));
        }
    }
    rows
}

#[test]
fn charts_hold_every_point_once_with_its_numbers() {
    let rows = rows();
    let borrowed: Vec<&Row> = rows.iter().collect();
    for style in [Style::Bars, Style::Lines] {
        for y_axis in [Spacing::Linear, Spacing::Log] {
            for width in [800.0, 336.0] {
                let svg = chart(&plot(style, y_axis), &borrowed, width).unwrap();
                assert_eq!(svg.matches("<title>").count(), 6, "{svg}");
                assert!(svg.contains("s at 56: 56\u{a0}ms, 95 % interval 50.4 to 61.6, 9 runs"));
                assert!(svg.contains("t &amp; u"), "{svg}");
                assert!(!svg.contains("unrelated") && !svg.contains("absent"));
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }
}

/// The labels of the x axis: where they begin and end, and their text.
fn x_labels(svg: &str) -> Vec<(f64, f64, String)> {
    let texts = svg.split("<text ").skip(1);
    let of_axis = texts.filter(|text| text.contains(r#"text-anchor="middle" class="" "#));
    let label = |text: &str| {
        let x: f64 = text.split('"').nth(1).unwrap().parse().unwrap();
        let label = text.split(['>', '<']).nth(1).unwrap().to_owned();
        let half = text_width(&label, 12.5) / 2.0;
        (x - half, x + half, label)
    };
    of_axis.map(label).collect()
}

#[test]
fn several_series_of_ratios_are_told_apart() {
    let rows: Vec<Row> =
        rows().into_iter().map(|row| Row { unit: "ratio".to_owned(), ..row }).collect();
    let borrowed: Vec<&Row> = rows.iter().collect();
    let both = chart(&plot(Style::Ratios, Spacing::Log), &borrowed, 800.0).unwrap();
    assert_eq!(both.matches("<title>").count(), 6);
    assert!(both.contains(">s</text>") && both.contains(">t &amp; u</text>"), "a legend: {both}");
    // Of one series, colour and shape say which side of 1 a dot lies on.
    let one = chart(&plot(Style::Ratios, Spacing::Log), &borrowed[..3], 800.0).unwrap();
    assert!(!one.contains(">s</text>") && one.contains("var(--bad)"), "{one}");
    assert!(!both.contains("var(--bad)"));
}

/// A place in words beside numbers is not a further number.
#[test]
fn no_line_leads_to_a_place_in_words() {
    let line = |names: bool| {
        let mut rows = rows()[..3].to_vec();
        rows.push(row("s", "elsewhere", (1.0, 2.0, 3.0), 9));
        if names {
            rows.drain(..2);
            rows[0].x = "here".into();
        }
        let borrowed: Vec<&Row> = rows.iter().collect();
        let svg = chart(&plot(Style::Lines, Spacing::Linear), &borrowed, 800.0).unwrap();
        let path = svg.split(r#"" stroke="var(--s1)" stroke-width="2.2""#).next().unwrap();
        path.rsplit("d=\"").next().unwrap().to_owned()
    };
    assert_eq!((line(false).matches('M').count(), line(false).matches('L').count()), (2, 2));
    assert_eq!((line(true).matches('M').count(), line(true).matches('L').count()), (1, 1));
}

/// However far from 1 the ratios are, the dashed line at 1 lies on a line of the scale.
#[test]
fn equality_is_on_the_scale_of_a_ratio() {
    for factor in [1.0, 1e-3] {
        let ratios = [20.0, 70.0].map(|x| Row {
            unit: "ratio".to_owned(),
            ..row("s", x, (x * 0.9 * factor, x * factor, x * 1.1 * factor), 9)
        });
        let borrowed: Vec<&Row> = ratios.iter().collect();
        for style in [Style::Ratios, Style::Lines] {
            let svg = chart(&plot(style, Spacing::Log), &borrowed, 800.0).expect("there are rows");
            let heights = |mark: &str| -> Vec<String> {
                let lines = svg.split("<path ").filter(|path| path.contains(mark));
                let height = |line: &str| line.split([' ', 'H']).nth(1).map(str::to_owned);
                lines.filter_map(height).collect()
            };
            let (equality, scale) = (heights("stroke-dasharray"), heights("var(--grid)"));
            assert_eq!(equality.len(), 1, "{svg}");
            assert!(scale.contains(&equality[0]), "{equality:?} in {scale:?}");
            assert!(svg.contains(">1</text>"), "1 is a tick: {svg}");
        }
    }
}

#[test]
fn a_plot_without_rows_is_no_plot() {
    assert!(chart(&plot(Style::Bars, Spacing::Linear), &[], 800.0).is_none());
    let zero = row("s", 1.0, (0.0, 0.0, 0.0), 9);
    assert!(chart(&plot(Style::Lines, Spacing::Log), &[&zero], 800.0).is_none());
}

#[test]
fn a_single_point_is_drawn_too() {
    let one = row("s", 5.0, (2.0, 2.0, 2.0), 1);
    for style in [Style::Bars, Style::Lines] {
        let svg = chart(&plot(style, Spacing::Log), &[&one], 336.0).unwrap();
        assert!(!svg.contains("NaN"), "{svg}");
    }
}

#[test]
fn ticks_are_round() {
    assert_eq!(linear_ticks(0.0, 9.3, 5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    assert_eq!(linear_ticks(0.0, 0.5, 5).len(), 6);
    assert_eq!(linear_ticks(0.0, 0.0, 5).first(), Some(&0.0));
    assert_eq!(log_ticks(1.1, 1.8), [1.0, 1.2, 1.4, 1.6, 1.8]);
    assert_eq!(log_ticks(3.0, 40.0), [2.0, 5.0, 10.0, 20.0, 50.0]);
    assert_eq!(log_ticks(0.02, 4000.0), [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0]);
}

proptest! {
    #[test]
    fn ticks_enclose_the_values(low in -1e6..1e6_f64, extent in 1e-3..1e6_f64) {
        let ticks = linear_ticks(low, low + extent, 5);
        prop_assert!((2..=12).contains(&ticks.len()), "{ticks:?}");
        let slack = extent * 1e-6;
        prop_assert!(ticks[0] <= low + slack && ticks[ticks.len() - 1] >= low + extent - slack);
    }

    #[test]
    fn log_ticks_enclose_the_values(low in 1e-6..1e6_f64, factor in 1.0..1e5_f64) {
        let ticks = log_ticks(low, low * factor);
        prop_assert!(ticks[0] <= low * 1.000_01, "{ticks:?}");
        prop_assert!(ticks[ticks.len() - 1] >= low * factor * 0.999_99, "{ticks:?}");
        let axis = Axis::log(low, low * factor, (100.0, 0.0));
        prop_assert!((0.0..=100.0).contains(&axis.place(low)));
    }

    #[test]
    fn x_labels_are_in_the_picture_and_never_overlap(
        names in prop::collection::hash_set("[a-z ]{0,9}[a-z]{1,9}", 1..30), wide in any::<bool>(),
    ) {
        let width = if wide { 800.0 } else { 336.0 };
        let names: Vec<String> = names.into_iter().collect();
        let rows: Vec<Row> = names
            .iter()
            .map(|name| Row { unit: "ratio".to_owned(), ..row("s", name.as_str(), (1.0, 2.0, 3.0), 9) })
            .collect();
        let borrowed: Vec<&Row> = rows.iter().collect();
        for style in [Style::Bars, Style::Lines, Style::Ratios] {
            let labels = x_labels(&chart(&plot(style, Spacing::Log), &borrowed, width).unwrap());
            prop_assert_eq!(&labels.last().unwrap().2, names.last().unwrap());
            for (from, to, label) in &labels {
                prop_assert!(*from >= -0.1 && *to <= width + 0.1, "{label} {from} {to}");
            }
            for pair in labels.windows(2) {
                prop_assert!(pair[0].1 < pair[1].0, "{pair:?}");
            }
        }
    }

    #[test]
    fn labels_never_overlap(wanted in prop::collection::vec(0.0..300.0_f64, 0..20)) {
        let placed = spread(&wanted, 15.0, 0.0, 300.0);
        prop_assert_eq!(placed.len(), wanted.len());
        let mut sorted = placed.clone();
        sorted.sort_by(f64::total_cmp);
        for pair in sorted.windows(2) {
            prop_assert!(pair[1] - pair[0] >= 15.0 - 1e-6, "{:?}", sorted);
        }
        for (a, place_a) in wanted.iter().zip(&placed) {
            for (b, place_b) in wanted.iter().zip(&placed) {
                prop_assert!(a >= b || place_a < place_b, "order lost: {placed:?}");
            }
        }
        let first = sorted.first().copied().unwrap_or(0.0);
        let last = sorted.last().copied().unwrap_or(0.0);
        prop_assert!(first >= -1e-6 && last <= 300.0 + 1e-6, "{sorted:?}");
    }

    #[test]
    fn random_graphs_are_laid_out_without_overlaps(
        edges in prop::collection::vec((0..9_u8, 0..9_u8, "[a-z<>/ ]{0,12}"), 1..25),
        turned in any::<bool>(),
    ) {
        let mut dot = format!("digraph g {{ rankdir={};", if turned { "LR" } else { "TB" });
        for (from, to, label) in &edges {
            dot += &format!("n{from} -> n{to} [label=\"{label}\"];");
        }
        dot += "}";
        let graph = parse(&dot).unwrap();
        let layout = layout(&graph);
        let boxes: Vec<_> = layout.nodes.iter().zip(&layout.sizes).collect();
        for (index, (a, size_a)) in boxes.iter().enumerate() {
            prop_assert!(a.0 >= size_a.0 && a.0 + size_a.0 <= layout.width);
            prop_assert!(a.1 >= size_a.1 && a.1 + size_a.1 <= layout.height);
            for (b, size_b) in &boxes[..index] {
                let apart = (a.0 - b.0).abs() >= size_a.0 + size_b.0
                    || (a.1 - b.1).abs() >= size_a.1 + size_b.1;
                prop_assert!(apart, "{dot}");
            }
        }
        let svg = render(&dot).unwrap();
        prop_assert!(!svg.contains("NaN"));
    }

    #[test]
    fn no_text_breaks_the_reader(text in ".{0,80}") {
        let _ = parse(&text);
        let _ = render(&format!("digraph {{ {text} }}"));
    }
}

#[test]
fn dot_is_read() {
    let graph = parse(AUTOMATON).unwrap();
    assert_eq!(graph.nodes.len(), 12);
    assert_eq!(graph.edges.len(), 21);
    assert_eq!(graph.clusters, ["sub-PDTs", "sibling NFA of e:d*"]);
    let node = |id: &str| graph.nodes.iter().find(|node| node.id == id).unwrap();
    assert_eq!(node("start").shape, Shape::Point);
    assert_eq!(node("7").shape, Shape::DoubleCircle);
    assert!(node("8").dashed && !node("1").dashed);
    assert_eq!(node("4").cluster, Some(0));
    assert_eq!(node("9").cluster, None);
    assert_eq!(graph.edges[1].label, "<a>");
    assert!(graph.edges.iter().filter(|edge| edge.dashed).count() == 3);
}

#[test]
fn chains_defaults_comments_and_escapes() {
    let dot = "/* a */ strict digraph { rankdir = LR // b\n edge [style=dotted]\n # c\n\
               node [shape=box]; a -> b -> \"c d\" [label=\"x \\\"y\\\"\\nz\", x=\"\\\\n\"] }";
    let graph = parse(dot).unwrap();
    assert!(graph.left_to_right);
    assert_eq!(
        graph.nodes.iter().map(|node| node.id.as_str()).collect::<Vec<_>>(),
        ["a", "b", "c d"]
    );
    assert!(graph.nodes.iter().all(|node| node.shape == Shape::Box));
    assert_eq!(graph.edges.len(), 2);
    assert_eq!(graph.edges[1].label, "x \"y\"\nz");
    assert!(graph.edges[0].dashed);
    let svg = render(dot).unwrap();
    assert!(svg.contains("x &quot;y&quot;</text>") && svg.contains(">z</text>"), "{svg}");
}

#[test]
fn malformed_dot_is_refused_with_its_line() {
    for (dot, message) in [
        ("graph {}", "line 1: expected “digraph”, found “graph”"),
        ("digraph {\n a -> ; }", "line 2: expected a name, found “;”"),
        ("digraph { a", "expected a name, found the end"),
        ("digraph { a [label=\"x] }", "a string does not end"),
        ("digraph { } }", "expected the end"),
    ] {
        let error = parse(dot).unwrap_err();
        assert!(error.to_string().contains(message), "{dot}: {error}");
    }
}

#[test]
fn empty_and_single_node_graphs() {
    assert!(render("digraph {}").unwrap().starts_with("<svg"));
    assert!(render("digraph { a; a -> a [label=\"x\"] }").unwrap().contains(">x</text>"));
}

#[test]
fn names_lose_what_they_share_in_whole_parts() {
    for (names, short) in [
        (&["p1, entries, a to b", "p2, entries, a to b"][..], &["p1", "p2"][..]),
        (&["by length: time, one", "by length: time, all"], &["one", "all"]),
        (&["x: a, heap", "x: b, heap"], &["a", "b"]),
        (&["shared", "share"], &["shared", "share"]),
        (&["a, heap", "b, cheap"], &["a, heap", "b, cheap"]),
        (&["a, b", "a, b, c"], &["b", "b, c"]),
        (&["a, heap", "heap"], &["a, heap", "heap"]),
        (&["a: ", "a: b"], &["a: ", "a: b"]),
        (&["one alone, heap"], &["one alone, heap"]),
        (&[], &[]),
    ] {
        assert_eq!(distinct(names), short, "{names:?}");
    }
}
