//! Sightings of normally distributed keys: some index lists are long, most are empty.
//!
//! As [`uniform`](mod@super::uniform), but slots are normal around the middle, rounded, and drawn again
//! when they fall outside. The paper's variance is 50, hence a deviation of 7.07, by which about 43
//! slots are in use.

use super::UniformOptions;
use super::uniform::{Sightings, Slots};
use crate::seed::Rng;
use serde::{Deserialize, Serialize};
use std::io;

/// What to choose about sightings of normally distributed keys. By default those of
/// [`UniformOptions`], and a deviation of the square root of 50.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GaussianOptions {
    /// Everything but the distribution of the slots.
    #[serde(flatten)]
    pub plates: UniformOptions,
    /// The standard deviation of the slots, above 0 and at most the number of slots.
    pub sigma: f64,
}

impl Default for GaussianOptions {
    fn default() -> Self {
        Self::new(100_000)
    }
}

impl GaussianOptions {
    /// So many rows, and else the defaults.
    #[must_use]
    pub fn new(events: u64) -> Self {
        Self { plates: UniformOptions::new(events), sigma: 50_f64.sqrt() }
    }

    /// The rows of a seed.
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range.
    pub fn stream(&self, seed: u64) -> io::Result<Sightings> {
        let most = f64::from(self.plates.slots);
        if !(self.sigma > 0.0 && self.sigma <= most) {
            return super::invalid(format!(
                "sigma must be above 0, at most {most}: {}",
                self.sigma
            ));
        }
        self.plates.sightings(Rng::new(seed, "gaussian"), Slots::Normal(self.sigma))
    }
}
