//! Lines with markers, error bars and a label at the end of each line.

use std::fmt::Write;

use super::{Axis, Chart, TEXT, spread, text_width};
use crate::experiment::Spacing;
use crate::number::tick;
use crate::record::{Row, X};
use crate::report::theme;

/// The room a label takes in height.
const LINE: f64 = 17.0;

/// A series' colour index and its points: x and y in pixels, and the row.
type Marks<'a> = (usize, Vec<(f64, f64, &'a Row)>);

pub(super) fn draw(mut chart: Chart<'_>) -> String {
    let names = chart.series.iter().map(|(_, name, _)| text_width(name, TEXT));
    let widest = names.fold(0.0, f64::max) + 18.0;
    let room = chart.bottom - chart.top >= LINE * chart.series.len() as f64;
    // Labels at the ends of the lines need no looking up, unless they would eat the plot.
    let at_ends = room && chart.series.len() > 1 && widest < chart.width * 0.36;
    if at_ends {
        chart.right = chart.width - widest;
    } else if chart.series.len() > 1 {
        chart.legend();
    }
    let y_axis = chart.y_axis();
    let (x_axis, places) = x_axis(&chart);
    let x_of = |row: &Row| match (&row.x, x_axis.low().is_nan()) {
        (X::Number(number), false) => x_axis.place(*number),
        (x, _) => category(&chart, &places, x),
    };
    let mut marks: Vec<Marks<'_>> = Vec::new();
    for (index, _, rows) in &chart.series {
        let mut points: Vec<_> =
            rows.iter().map(|&row| (x_of(row), y_axis.place(row.value), row)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        marks.push((*index, points));
    }
    let ticks = x_ticks(&chart, &x_axis, &places);
    // A place that is told in words beside numbers is no step of theirs: no line leads there.
    let scale = places.iter().any(|x| x.number().is_some());
    for (index, points) in &marks {
        draw_line(&mut chart, *index, points, &y_axis, scale);
    }
    let bottom = chart.bottom;
    chart.baseline(bottom);
    chart.x_ticks(ticks);
    if at_ends {
        end_labels(&mut chart, &marks);
    }
    chart.x_title();
    chart.finish()
}

fn draw_line(
    chart: &mut Chart<'_>,
    index: usize,
    points: &[(f64, f64, &Row)],
    axis: &Axis,
    scale: bool,
) {
    let colour = theme::series(index);
    let mut path = String::new();
    for (number, (x, y, row)) in points.iter().enumerate() {
        let before = number.checked_sub(1).map_or(*row, |before| points[before].2);
        let apart = scale && [before, row].iter().any(|row| row.x.number().is_none());
        let command = if number == 0 || apart { 'M' } else { 'L' };
        let _ = write!(path, "{command}{x:.1} {y:.1}");
    }
    let _ = write!(
        chart.out,
        r#"<path d="{path}" stroke="{colour}" stroke-width="2.2" stroke-linejoin="round" fill="none"/>"#
    );
    for &(x, y, row) in points {
        chart.out.push_str("<g>");
        chart.title(row);
        chart.error_bar(x, row, axis, &colour);
        chart.marker(index, x, y, &colour);
        // A larger target than the marker, for fingers and shaky mice.
        let _ = write!(chart.out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="11" fill="transparent"/>"#);
        chart.out.push_str("</g>");
    }
}

fn end_labels(chart: &mut Chart<'_>, marks: &[Marks<'_>]) {
    let wanted: Vec<f64> = marks
        .iter()
        .map(|(_, points)| points.last().map_or(chart.bottom, |point| point.1))
        .collect();
    let placed = spread(&wanted, LINE, chart.top, chart.bottom);
    let names: Vec<&str> = chart.series.iter().map(|(_, name, _)| *name).collect();
    for (((index, points), y), name) in marks.iter().zip(placed).zip(names) {
        let Some(&(from_x, from_y, _)) = points.last() else { continue };
        let x = chart.right + 14.0;
        let colour = theme::series(*index);
        let (from_x, to_x) = (from_x + 6.0, x - 3.0);
        let _ = write!(
            chart.out,
            r#"<path d="M{from_x:.1} {from_y:.1}L{to_x:.1} {y:.1}" stroke="{colour}" stroke-width="1" opacity="0.6" fill="none"/>"#
        );
        chart.text(x, y + 4.0, "start", "", name);
    }
}

/// The x axis when all places are numbers; otherwise one without a scale, and the categories count.
fn x_axis<'a>(chart: &Chart<'a>) -> (Axis, Vec<&'a X>) {
    let places = chart.places();
    let mut numbers: Vec<f64> = places.iter().filter_map(|x| x.number()).collect();
    numbers.sort_by(f64::total_cmp);
    let (Some(&low), Some(&high), true) =
        (numbers.first(), numbers.last(), numbers.len() == places.len())
    else {
        return (Axis::fixed(f64::NAN, f64::NAN, false, (0.0, 0.0), Vec::new()), places);
    };
    // Half a marker of room keeps the first point off the axis.
    let pixels = (chart.left + 10.0, chart.right - 8.0);
    let log = chart.plot.x_axis == Spacing::Log && low > 0.0;
    // A few measured places are better ticks than round numbers that were never measured.
    if numbers.len() <= 9 {
        return (Axis::fixed(low, high, log, pixels, numbers), places);
    }
    let axis = if log { Axis::log(low, high, pixels) } else { Axis::linear(low, high, pixels) };
    (axis, places)
}

fn category(chart: &Chart<'_>, places: &[&X], x: &X) -> f64 {
    let place = places.iter().position(|other| *other == x).unwrap_or(0) as f64;
    chart.left + (place + 0.5) * (chart.right - chart.left) / places.len() as f64
}

/// The labels of all ticks or categories.
fn x_ticks(chart: &Chart<'_>, axis: &Axis, places: &[&X]) -> Vec<(f64, String)> {
    if axis.low().is_nan() {
        places.iter().map(|x| (category(chart, places, x), x.to_string())).collect()
    } else {
        axis.ticks().iter().map(|&value| (axis.place(value), tick(value))).collect()
    }
}
