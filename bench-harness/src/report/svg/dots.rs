//! Paired ratios as dots with their intervals around 1.

use std::fmt::Write;

use super::Chart;
use crate::claim::{Side, side};
use crate::report::theme;

/// The room for the words on the right.
const MARGIN: f64 = 52.0;
/// How far the dots of a place are apart at most.
const APART: f64 = 14.0;

pub(super) fn draw(mut chart: Chart<'_>) -> String {
    chart.right -= MARGIN;
    if chart.series.len() > 1 {
        chart.legend();
    }
    let axis = chart.y_axis();
    let mut labels: Vec<String> = chart.places().iter().map(ToString::to_string).collect();
    let measured = labels.len();
    labels.extend(chart.plot.absent.iter().map(|(x, _)| x.to_string()));
    let step = (chart.right - chart.left) / labels.len() as f64;
    let middle = |place: usize, left: f64| left + (place as f64 + 0.5) * step;
    let left = chart.left;
    let places = chart.places();
    let series = std::mem::take(&mut chart.series);
    let count = series.len();
    let apart = (step * 0.8 / count as f64).min(APART);
    let dots = series.iter().enumerate().flat_map(|(position, (index, _, rows))| {
        rows.iter().map(move |&row| (position, *index, row))
    });
    for (position, index, row) in dots {
        let place = places.iter().position(|x| **x == row.x).unwrap_or(0);
        let beside = (position as f64 - (count as f64 - 1.0) / 2.0) * apart;
        let (x, y) = (middle(place, left) + beside, axis.place(row.value));
        // Several series must be told apart; of one, colour and shape alike say the side.
        let (colour, shape) = match side(row) {
            _ if count > 1 => (theme::series(index), index),
            Side::Below => ("var(--good)".to_owned(), 0),
            Side::Open => ("var(--soft)".to_owned(), 1),
            Side::Above => ("var(--bad)".to_owned(), 2),
        };
        chart.out.push_str("<g>");
        chart.title(row);
        chart.error_bar(x, row, &axis, &colour);
        chart.marker(shape, x, y, &colour);
        let _ = write!(chart.out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="9" fill="transparent"/>"#);
        chart.out.push_str("</g>");
    }
    let one = axis.place(1.0);
    for (number, (name, why)) in chart.plot.absent.iter().enumerate() {
        let x = middle(measured + number, left);
        let (x, y) = (x + 4.0, chart.bottom - 6.0);
        let _ = write!(chart.out, r#"<g transform="rotate(-90 {x:.1} {y:.1})">"#);
        chart.text(x, y, "start", "soft", &format!("{name} {why}"));
        chart.out.push_str("</g>");
    }
    let (x, bottom) = (chart.right + 6.0, chart.bottom);
    chart.text(x, one - 7.0, "start", "soft", "longer");
    chart.text(x, one + 15.0, "start", "soft", "shorter");
    chart.baseline(bottom);
    let ticks = labels.into_iter().enumerate().map(|(place, label)| (middle(place, left), label));
    chart.x_ticks(ticks.collect());
    chart.x_title();
    chart.finish()
}
