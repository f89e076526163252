//! A small SVG writer for grouped bars and lines with error bars.
//!
//! Colours come from the page's CSS variables. Every mark carries a `<title>`, which browsers show as a
//! tooltip and screen readers read.

mod axis;
mod bars;
mod dots;
mod labels;
mod lines;

use std::fmt::Write;

pub use axis::{Axis, linear_ticks, log_ticks};
pub use labels::{distinct, spread, text_width};

use super::html::Escaped;
use super::theme;
use crate::experiment::{Plot, Spacing, Style};
use crate::measure::summary::FEWEST;
use crate::number::{short, tick, with_unit};
use crate::record::{Row, X};

/// The size of ordinary text in a chart.
pub(super) const TEXT: f64 = 12.5;

/// Draws a plot of these rows, `width` pixels wide; nothing when no row belongs to it, or when it is a
/// table.
pub fn chart(plot: &Plot, rows: &[&Row], width: f64) -> Option<String> {
    let chart = Chart::new(plot, rows, width)?;
    Some(match plot.style {
        Style::Bars => bars::draw(chart),
        Style::Lines => lines::draw(chart),
        Style::Ratios => dots::draw(chart),
        Style::Table => return None,
    })
}

/// What bars and lines have in common: the series, the canvas and its frame.
struct Chart<'a> {
    plot: &'a Plot,
    /// The series that have rows, with the index of their colour and as short a name as tells them
    /// apart.
    series: Vec<(usize, &'a str, Vec<&'a Row>)>,
    unit: &'a str,
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    out: String,
}

impl<'a> Chart<'a> {
    fn new(plot: &'a Plot, rows: &[&'a Row], width: f64) -> Option<Self> {
        let unit = rows.iter().find(|row| plot.series.contains(&row.series))?.unit.as_str();
        let drawable = |row: &&&Row| {
            // A logarithmic axis has no place for zero.
            row.unit == unit && (plot.y_axis == Spacing::Linear || row.value > 0.0)
        };
        let mut series: Vec<_> = plot
            .series
            .iter()
            .enumerate()
            .map(|(index, name)| {
                let own = rows.iter().filter(|row| row.series == *name).filter(drawable).copied();
                (index, name.as_str(), own.collect::<Vec<_>>())
            })
            .filter(|(_, _, rows)| !rows.is_empty())
            .collect();
        if series.is_empty() {
            return None;
        }
        let names: Vec<&str> = series.iter().map(|(_, name, _)| *name).collect();
        for ((_, name, _), short) in series.iter_mut().zip(distinct(&names)) {
            *name = short;
        }
        let height = if width < 500.0 { 290.0 } else { 360.0 };
        let (left, right, top, bottom) = (0.0, width - 12.0, 34.0, height - 48.0);
        Some(Self {
            plot,
            series,
            unit,
            width,
            height,
            left,
            right,
            top,
            bottom,
            out: String::new(),
        })
    }

    fn rows(&self) -> impl Iterator<Item = &'a Row> + '_ {
        self.series.iter().flat_map(|(_, _, rows)| rows.iter().copied())
    }

    /// The categories or numbers of the x axis, in the order in which they were recorded.
    fn places(&self) -> Vec<&'a X> {
        let mut places: Vec<&X> = Vec::new();
        for row in self.rows() {
            if !places.contains(&&row.x) {
                places.push(&row.x);
            }
        }
        places
    }

    /// A legend above the plot, in as many lines as it takes.
    fn legend(&mut self) {
        let (mut x, mut y) = (0.0, 14.0);
        let entries: Vec<_> = self.series.iter().map(|(index, name, _)| (*index, *name)).collect();
        for (index, name) in entries {
            let width = 18.0 + text_width(name, TEXT) + 16.0;
            if x > 0.0 && x + width > self.width {
                (x, y) = (0.0, y + 20.0);
            }
            let colour = theme::series(index);
            self.marker(index, x + 6.0, y - 4.0, &colour);
            self.text(x + 16.0, y, "start", "", name);
            x += width;
        }
        self.top = y + 40.0;
        self.height += y + 6.0;
        self.bottom += y + 6.0;
    }

    /// The y axis: its scale over all rows, gridlines, labels and title. Sets the left edge.
    fn y_axis(&mut self) -> Axis {
        let low = self.rows().map(|row| row.lo.min(row.value)).fold(f64::MAX, f64::min);
        let high = self.rows().map(|row| row.hi.max(row.value)).fold(f64::MIN, f64::max);
        let least = self.rows().map(|row| row.value).fold(f64::MAX, f64::min);
        let low = match self.plot.y_axis {
            Spacing::Linear => low.min(0.0),
            // An interval may reach down to zero; the values do not.
            Spacing::Log => low.max(least / 10.0),
        };
        let (low, high) = match self.unit {
            // Equality belongs on the scale of a ratio.
            "ratio" => (low.min(1.0), high.max(1.0)),
            _ => (low, high),
        };
        let axis = match self.plot.y_axis {
            Spacing::Linear => Axis::linear(low, high, (self.bottom, self.top)),
            Spacing::Log => Axis::log(low, high, (self.bottom, self.top)),
        };
        let labels: Vec<String> = axis.ticks().iter().map(|&value| tick(value)).collect();
        let widest = labels.iter().map(|label| text_width(label, TEXT)).fold(0.0, f64::max);
        self.left = widest + 10.0;
        for (&value, label) in axis.ticks().iter().zip(&labels) {
            let y = axis.place(value);
            let (left, right) = (self.left, self.right);
            let _ = write!(
                self.out,
                r#"<path d="M{left:.1} {y:.1}H{right:.1}" stroke="var(--grid)" fill="none"/>"#
            );
            self.text(left - 6.0, y + 4.0, "end", "soft", label);
        }
        if self.unit == "ratio" {
            let (y, left, right) = (axis.place(1.0), self.left, self.right);
            let _ = write!(
                self.out,
                r#"<path d="M{left:.1} {y:.1}H{right:.1}" stroke="var(--soft)" stroke-width="1.2" stroke-dasharray="5 4" fill="none"/>"#
            );
        }
        let title = match self.unit {
            "" | "ratio" => self.plot.y_label.clone(),
            unit => format!("{}, {unit}", self.plot.y_label),
        };
        let y = self.top - 14.0;
        self.text(0.0, y, "start", "soft", &title);
        axis
    }

    fn x_title(&mut self) {
        let (x, y) = (f64::midpoint(self.left, self.right), self.bottom + 40.0);
        let title = &self.plot.x_label;
        self.text(x, y, "middle", "soft", title);
    }

    /// Labels of the x axis, moved within the picture, and without those that would touch another; the
    /// last one stands, and tooltips name the rest.
    fn x_ticks(&mut self, all: Vec<(f64, String)>) {
        // Beside the ratios there are words at the height of 1, which may be the bottom.
        let right = if self.plot.style == Style::Ratios { self.right } else { self.width };
        let ends = |(x, label): &(f64, String)| {
            let half = text_width(label, TEXT) / 2.0;
            let x = x.min(right - half).max(half);
            (x - half, x + half)
        };
        let mut kept: Vec<(f64, String)> = Vec::new();
        let last = all.last().cloned();
        for entry in all.into_iter().rev().skip(1).rev() {
            let free = kept.last().is_none_or(|before| ends(before).1 + 8.0 < ends(&entry).0);
            if free && last.as_ref().is_some_and(|last| ends(&entry).1 + 8.0 < ends(last).0) {
                kept.push(entry);
            }
        }
        kept.extend(last);
        let y = self.bottom + 18.0;
        for entry in kept {
            let (from, to) = ends(&entry);
            self.text(f64::midpoint(from, to), y, "middle", "", &entry.1);
        }
    }

    fn baseline(&mut self, y: f64) {
        let (left, right) = (self.left, self.right);
        let _ = write!(
            self.out,
            r#"<path d="M{left:.1} {y:.1}H{right:.1}" stroke="var(--soft)" fill="none"/>"#
        );
    }

    fn text(&mut self, x: f64, y: f64, anchor: &str, class: &str, text: &str) {
        let _ = write!(
            self.out,
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" class="{class}" font-size="{TEXT}">{}</text>"#,
            Escaped(text)
        );
    }

    /// A marker whose shape, not only its colour, tells the series.
    fn marker(&mut self, index: usize, x: f64, y: f64, colour: &str) {
        let path = match index % 4 {
            0 => format!("M{:.1} {y:.1}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", x - 4.0),
            1 => format!("M{:.1} {:.1}h7v7h-7z", x - 3.5, y - 3.5),
            2 => format!("M{x:.1} {:.1}l4.6 8h-9.2z", y - 5.0),
            _ => format!("M{x:.1} {:.1}l4.8 4.8l-4.8 4.8l-4.8 -4.8z", y - 4.8),
        };
        let _ = write!(self.out, r#"<path d="{path}" fill="{colour}"/>"#);
    }

    /// The interval of a row as a thin line with caps; nothing for an exact value.
    fn error_bar(&mut self, x: f64, row: &Row, axis: &Axis, colour: &str) {
        if row.n < 2 || row.lo >= row.hi {
            return;
        }
        let (lo, hi) = (axis.place(row.lo), axis.place(row.hi));
        let (a, b) = (x - 3.0, x + 3.0);
        let _ = write!(
            self.out,
            r#"<path d="M{x:.1} {lo:.1}V{hi:.1}M{a:.1} {lo:.1}H{b:.1}M{a:.1} {hi:.1}H{b:.1}" stroke="{colour}" stroke-width="1.3" fill="none"/>"#
        );
    }

    fn title(&mut self, row: &Row) {
        let _ = write!(self.out, "<title>{}</title>", Escaped(&tooltip(row)));
    }

    fn finish(self) -> String {
        let (width, height) = (self.width, self.height);
        let label =
            format!("{}: {} against {}", self.plot.title, self.plot.y_label, self.plot.x_label);
        format!(
            r#"<svg viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}" role="img" aria-label="{}">{}</svg>"#,
            Escaped(&label),
            self.out
        )
    }
}

fn tooltip(row: &Row) -> String {
    let value = with_unit(row.value, &row.unit);
    let place = format!("{} at {}: {value}", row.series, row.x);
    if row.n < 2 {
        return place;
    }
    let (lo, hi) = (short(row.lo), short(row.hi));
    match row.n {
        few if few < FEWEST => format!("{place}, least {lo}, most {hi} of {few}"),
        runs => format!("{place}, 95 % interval {lo} to {hi}, {runs} runs"),
    }
}
