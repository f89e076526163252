//! Colours and the style sheet.
//!
//! The series colours are those of Okabe and Ito, which people with any of the common colour vision
//! deficiencies can tell apart, lightened for the dark scheme. All drawings take them from CSS
//! variables, so one drawing serves both schemes; markers differ in shape as well.

/// How many series colours there are; a chart with more starts over.
pub const SERIES_COLOURS: usize = 7;

/// The colour of the n-th series, for a `fill` or `stroke` attribute.
pub fn series(index: usize) -> String {
    format!("var(--s{})", index % SERIES_COLOURS + 1)
}

/// The colours of both schemes, as CSS variables.
pub const COLOURS: &str = include_str!("colours.css");

/// How text in drawings looks.
pub const DRAWINGS: &str = include_str!("drawings.css");

/// The style sheet of the page, without these two.
pub const PAGE: &str = include_str!("theme.css");
