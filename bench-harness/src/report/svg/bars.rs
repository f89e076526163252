//! Grouped bars.

use std::fmt::Write;

use super::Chart;
use crate::report::theme;

pub(super) fn draw(mut chart: Chart<'_>) -> String {
    if chart.series.len() > 1 {
        chart.legend();
    }
    let axis = chart.y_axis();
    let places = chart.places();
    let group = (chart.right - chart.left) / places.len() as f64;
    let count = chart.series.len() as f64;
    // A few wide bars look clumsy, many narrow ones need every pixel.
    let bar = ((group * 0.78) / count).min(46.0);
    let base = axis.place(axis.low().max(0.0));
    let series = std::mem::take(&mut chart.series);
    for (position, (index, _, rows)) in series.iter().enumerate() {
        let colour = theme::series(*index);
        for row in rows {
            let place = places.iter().position(|x| **x == row.x).unwrap_or(0) as f64;
            let middle = chart.left + (place + 0.5) * group;
            let x = middle - bar * count / 2.0 + bar * position as f64;
            let y = axis.place(row.value);
            let (top, height, width) = (y.min(base), (y - base).abs().max(0.5), bar * 0.9);
            chart.out.push_str("<g>");
            chart.title(row);
            let _ = write!(
                chart.out,
                r#"<rect x="{x:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" rx="1.5" fill="{colour}"/>"#
            );
            chart.error_bar(x + width / 2.0, row, &axis, "var(--ink)");
            chart.out.push_str("</g>");
        }
    }
    chart.baseline(base);
    let middle = |place: usize| chart.left + (place as f64 + 0.5) * group;
    let ticks =
        places.iter().enumerate().map(|(place, x)| (middle(place), x.to_string())).collect();
    chart.x_ticks(ticks);
    chart.x_title();
    chart.finish()
}
