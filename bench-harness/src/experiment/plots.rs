//! Names of series, plots of them, and what sentences read off their rows.

use super::spread::Spread;
use super::{Plot, Spacing, Style};
use crate::claim::ratio;
use crate::record::{Row, X};

/// The series of a contender's CPU time, as the recorder names it in ratios.
pub fn cpu(name: &str) -> String {
    format!("{name} (CPU)")
}

/// The series of the paired ratio of two contenders' CPU times.
pub fn cpu_ratio(a: &str, b: &str) -> String {
    ratio(&cpu(a), &cpu(b))
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

/// Groups of bars of these series.
pub fn bars(title: &str, x_label: &str, y_label: &str, series: &[&str]) -> Plot {
    Plot { style: Style::Bars, ..lines(title, x_label, y_label, series) }
}

/// A table of these series.
pub fn table(title: &str, x_label: &str, series: &[&str]) -> Plot {
    Plot { style: Style::Table, ..lines(title, x_label, "", series) }
}

/// The paired ratios of the CPU times of these pairs of contenders.
pub fn ratios(title: &str, x_label: &str, pairs: &[(&str, &str)]) -> Plot {
    Plot {
        style: Style::Ratios,
        y_axis: Spacing::Log,
        series: pairs.iter().map(|(a, b)| cpu_ratio(a, b)).collect(),
        ..lines(title, x_label, "ratio of CPU times", &[])
    }
}

/// Names as one borrows them.
pub fn borrow(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// The values of a series in the order of the rows.
pub fn values<'r>(rows: &[&'r Row], series: &str) -> Vec<(&'r X, f64)> {
    rows.iter().filter(|row| row.series == series).map(|row| (&row.x, row.value)).collect()
}

/// The range of a series.
pub fn spread(rows: &[&Row], series: &str) -> Option<Spread> {
    Spread::of(values(rows, series).into_iter().map(|(_, value)| value))
}

/// The value of a series at an x.
pub fn value(rows: &[&Row], series: &str, x: &X) -> Option<f64> {
    rows.iter().find(|row| row.series == series && row.x == *x).map(|row| row.value)
}

/// The last row of a series.
pub fn last<'r>(rows: &[&'r Row], series: &str) -> Option<&'r Row> {
    rows.iter().rev().find(|row| row.series == series).copied()
}
