//! Paired ratios as dots with their intervals around 1.

use std::fmt::Write;

use super::{Chart, text_width};
use crate::claim::{Side, side};

/// The room for the words on the right.
const MARGIN: f64 = 52.0;

pub(super) fn draw(mut chart: Chart<'_>) -> String {
    chart.right -= MARGIN;
    let axis = chart.y_axis();
    let mut labels: Vec<String> = chart.places().iter().map(ToString::to_string).collect();
    let measured = labels.len();
    labels.extend(chart.plot.absent.iter().map(|(x, _)| x.to_string()));
    let step = (chart.right - chart.left) / labels.len() as f64;
    let middle = |place: usize, left: f64| left + (place as f64 + 0.5) * step;
    let left = chart.left;
    let places = chart.places();
    let series = std::mem::take(&mut chart.series);
    for row in series.iter().flat_map(|(_, _, rows)| rows.iter().copied()) {
        let place = places.iter().position(|x| **x == row.x).unwrap_or(0);
        let (x, y) = (middle(place, left), axis.place(row.value));
        // The shape says the same as the colour.
        let (colour, shape) = match side(row) {
            Side::Below => ("var(--good)", 0),
            Side::Open => ("var(--soft)", 1),
            Side::Above => ("var(--bad)", 2),
        };
        chart.out.push_str("<g>");
        chart.title(row);
        chart.error_bar(x, row, &axis, colour);
        chart.marker(shape, x, y, colour);
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
    chart.text(x, one - 7.0, "start", "soft", "slower");
    chart.text(x, one + 15.0, "start", "soft", "faster");
    chart.baseline(bottom);
    let widest = labels.iter().map(|label| text_width(label, super::TEXT)).fold(0.0, f64::max);
    let every = ((widest + 6.0) / step).ceil().max(1.0) as usize;
    for (place, label) in labels.iter().enumerate().step_by(every) {
        chart.x_tick(middle(place, left), label);
    }
    chart.x_title();
    chart.finish()
}
