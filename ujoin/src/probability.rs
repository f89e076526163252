//! Probabilities as decimals: integers of 1e-9, their products integers of 1e-18.
//!
//! Every engine, and the database that they are compared with, uses these, so that 0.9 times 0.8 is
//! exactly 0.72 and no result depends on the order of roundings.

use std::fmt;

/// A probability in (0, 1], in units of 1e-9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Probability(u32);

/// A product of two probabilities, or a threshold for one, in units of 1e-18.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Product(u64);

/// A number that is not a probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProbabilityError {
    /// Zero, negative or above one.
    #[error("a probability is greater than 0 and at most 1")]
    OutOfRange,
}

impl Probability {
    /// One: certain.
    pub const ONE: Probability = Probability(1_000_000_000);

    /// A probability of so many billionths.
    ///
    /// # Errors
    /// Zero, or more than a billion.
    pub const fn from_nanos(nanos: u32) -> Result<Probability, ProbabilityError> {
        if nanos == 0 || nanos > Probability::ONE.0 {
            Err(ProbabilityError::OutOfRange)
        } else {
            Ok(Probability(nanos))
        }
    }

    /// In billionths.
    #[must_use]
    pub const fn nanos(self) -> u32 {
        self.0
    }

    /// The exact product.
    #[must_use]
    pub const fn times(self, other: Probability) -> Product {
        Product(self.0 as u64 * other.0 as u64)
    }
}

impl Product {
    /// A product of so many units of 1e-18.
    #[must_use]
    pub const fn from_units(units: u64) -> Product {
        Product(units)
    }

    /// In units of 1e-18.
    #[must_use]
    pub const fn units(self) -> u64 {
        self.0
    }
}

impl From<Probability> for Product {
    fn from(p: Probability) -> Product {
        p.times(Probability::ONE)
    }
}

/// Writes `units` of 10^-`digits` as a decimal without trailing zeros.
fn write_decimal(f: &mut fmt::Formatter<'_>, units: u64, digits: usize) -> fmt::Result {
    let scale = 10_u64.pow(digits as u32);
    let fraction = format!("{:0digits$}", units % scale);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() {
        write!(f, "{}", units / scale)
    } else {
        write!(f, "{}.{fraction}", units / scale)
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_decimal(f, u64::from(self.0), 9)
    }
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_decimal(f, self.0, 18)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_exact_decimals() {
        let p = |n| Probability::from_nanos(n).unwrap();
        assert_eq!(p(900_000_000).times(p(800_000_000)).to_string(), "0.72");
        assert_eq!(p(800_000_000).times(p(700_000_000)), Product::from(p(560_000_000)));
        assert_eq!(Probability::ONE.times(Probability::ONE).to_string(), "1");
        assert_eq!(p(1).times(p(1)).to_string(), "0.000000000000000001");
        assert_eq!(p(700_000_000).to_string(), "0.7");
        assert!(Probability::from_nanos(0).is_err());
        assert!(Probability::from_nanos(1_000_000_001).is_err());
    }
}
