//! Names of series, plots of them, and summaries over seeds.

use crate::experiment::{Plot, Spacing, Style};
use crate::measure::Summary;
use crate::record::{Row, X};

/// The series of a contender's CPU time, as the recorder names it in ratios.
pub fn cpu(name: &str) -> String {
    format!("{name} (CPU)")
}

/// Lines of these series.
pub fn lines(title: &str, x_label: &str, y_label: &str, series: &[&str]) -> Plot {
    Plot {
        title: title.to_owned(),
        style: Style::Lines,
        series: series.iter().map(|&name| name.to_owned()).collect(),
        x_label: x_label.to_owned(),
        y_label: y_label.to_owned(),
        x_axis: Spacing::Linear,
        y_axis: Spacing::Linear,
        absent: Vec::new(),
    }
}

/// The same with both axes logarithmic.
pub fn log_lines(title: &str, x_label: &str, y_label: &str, series: &[&str]) -> Plot {
    let (x_axis, y_axis) = (Spacing::Log, Spacing::Log);
    Plot { x_axis, y_axis, ..lines(title, x_label, y_label, series) }
}

/// A table of these series.
pub fn table(title: &str, x_label: &str, series: &[&str]) -> Plot {
    Plot { style: Style::Table, ..lines(title, x_label, "", series) }
}

/// Names as one borrows them.
pub fn borrow(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// Mean, least and most of the values of several seeds.
pub fn over_seeds(values: &[f64]) -> Option<Summary> {
    let (first, n) = (*values.first()?, u32::try_from(values.len()).ok()?);
    let (lo, hi) = values.iter().fold((first, first), |(lo, hi), &v| (lo.min(v), hi.max(v)));
    Some(Summary { median: values.iter().sum::<f64>() / values.len() as f64, lo, hi, n })
}

/// The value of a series at an x.
pub fn value(rows: &[&Row], series: &str, x: &X) -> Option<f64> {
    rows.iter().find(|row| row.series == series && row.x == *x).map(|row| row.value)
}

/// The last row of a series.
pub fn last<'r>(rows: &[&'r Row], series: &str) -> Option<&'r Row> {
    rows.iter().rev().find(|row| row.series == series).copied()
}
