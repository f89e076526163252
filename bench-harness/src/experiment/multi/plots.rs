//! Plots, and summaries over seeds.

use crate::measure::Summary;

pub use crate::experiment::plots::*;

/// Mean, least and most of the values of several seeds.
pub fn over_seeds(values: &[f64]) -> Option<Summary> {
    let (first, n) = (*values.first()?, u32::try_from(values.len()).ok()?);
    let (lo, hi) = values.iter().fold((first, first), |(lo, hi), &v| (lo.min(v), hi.max(v)));
    Some(Summary { median: values.iter().sum::<f64>() / values.len() as f64, lo, hi, n })
}
