//! Decimal numbers as integers of 1e-9.

use std::cmp::Ordering;

use crate::Probability;

/// A number, rounded half to even to nine digits behind the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// In units of 1e-9.
    pub nanos: i64,
    /// Of `nanos`, compared with the number as written; `Equal` if nothing was rounded.
    pub rounding: Ordering,
}

/// Text that is no number, or no number that 64 bits hold in units of 1e-9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecimalError {
    /// Something else than digits, a point, a sign and an exponent.
    #[error("not a decimal number")]
    Syntax,
    /// Beyond about 9.2 billion.
    #[error("the number is too large")]
    Range,
}

/// Digits behind the point that are kept.
const PLACES: i64 = 9;

impl Decimal {
    /// Reads a number such as `0.72`, `-3`, `.5` or `1e-3`. Linear in the length of the text.
    ///
    /// # Errors
    /// Text that is no number; a number beyond 64 bits.
    ///
    /// ```
    /// use ujoin::input::Decimal;
    /// assert_eq!(Decimal::parse("0.72")?.nanos, 720_000_000);
    /// assert_eq!(Decimal::parse("0.0000000025")?.nanos, 2, "half to even");
    /// # Ok::<(), ujoin::input::DecimalError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Decimal, DecimalError> {
        let bytes = text.as_bytes();
        let (negative, digits) = match bytes.split_first() {
            Some((b'-', rest)) => (true, rest),
            Some((b'+', rest)) => (false, rest),
            _ => (false, bytes),
        };
        let mantissa = digits.iter().position(|b| matches!(b, b'e' | b'E'));
        let (digits, exponent) = match mantissa {
            Some(at) => (&digits[..at], exponent(&digits[at + 1..])?),
            None => (digits, 0),
        };
        let whole = digits.iter().position(|&b| b == b'.').unwrap_or(digits.len());
        let fraction = digits.get(whole + 1..).unwrap_or_default();
        if whole + fraction.len() == 0 {
            return Err(DecimalError::Syntax);
        }
        // The digit at index i counts 10^(place - i) units.
        let mut place = (whole as i64).saturating_add(exponent).saturating_add(PLACES - 1);
        let mut units: u64 = 0;
        let (mut half, mut rest) = (0, false);
        for &b in digits[..whole].iter().chain(fraction) {
            let digit = b.wrapping_sub(b'0');
            if digit > 9 {
                return Err(DecimalError::Syntax);
            }
            match place {
                0.. => {
                    units = units
                        .checked_mul(10)
                        .and_then(|units| units.checked_add(u64::from(digit)))
                        .ok_or(DecimalError::Range)?;
                }
                -1 => half = digit,
                _ => rest |= digit > 0,
            }
            place -= 1;
        }
        if units > 0 && place >= 0 {
            let missing = u32::try_from(place + 1).map_err(|_| DecimalError::Range)?;
            let scale = 10_u64.checked_pow(missing).ok_or(DecimalError::Range)?;
            units = units.checked_mul(scale).ok_or(DecimalError::Range)?;
        }
        let up = match half.cmp(&5) {
            Ordering::Equal => rest || units % 2 == 1,
            order => order == Ordering::Greater,
        };
        let rounding = match (half > 0 || rest, up) {
            (false, _) => Ordering::Equal,
            (true, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
        };
        let nanos = i64::try_from(units + u64::from(up)).map_err(|_| DecimalError::Range)?;
        Ok(match negative {
            true => Decimal { nanos: -nanos, rounding: rounding.reverse() },
            false => Decimal { nanos, rounding },
        })
    }

    /// Whether the number has more digits than are kept.
    #[must_use]
    pub fn is_rounded(self) -> bool {
        self.rounding != Ordering::Equal
    }

    /// As a probability. What is above 0 stays so: it is rounded to no less than 1e-9.
    /// `None` if it is not in (0, 1].
    #[must_use]
    pub fn probability(self) -> Option<Probability> {
        let nanos = match (self.nanos, self.rounding) {
            (0, Ordering::Less) => 1,
            (1_000_000_000, Ordering::Less) => return None,
            (nanos, _) => u32::try_from(nanos).ok()?,
        };
        Probability::from_nanos(nanos).ok()
    }
}

/// The digits behind an `e`; what no number needs is cut to what none needs either.
fn exponent(text: &[u8]) -> Result<i64, DecimalError> {
    const MOST: i64 = 1 << 40;
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(DecimalError::Syntax);
    }
    let value = digits.iter().fold(0, |value: i64, b| (10 * value + i64::from(b - b'0')).min(MOST));
    Ok(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nanos(text: &str) -> (i64, Ordering) {
        let decimal = Decimal::parse(text).unwrap();
        (decimal.nanos, decimal.rounding)
    }

    #[test]
    fn nine_digits_half_to_even() {
        use Ordering::{Equal, Greater, Less};
        for (text, expected) in [
            ("0.9", (900_000_000, Equal)),
            ("-1.5", (-1_500_000_000, Equal)),
            (".5", (500_000_000, Equal)),
            ("+7.", (7_000_000_000, Equal)),
            ("1e-3", (1_000_000, Equal)),
            ("12.5E2", (1_250_000_000_000, Equal)),
            ("0.1234567890000", (123_456_789, Equal)),
            ("0.1234567895", (123_456_790, Greater)),
            ("0.1234567885", (123_456_788, Less)),
            ("0.12345678850001", (123_456_789, Greater)),
            ("-0.1234567885", (-123_456_788, Greater)),
            ("0.9999999999", (1_000_000_000, Greater)),
            ("1e-400", (0, Less)),
            ("0e99999999999999999999", (0, Equal)),
            ("9223372036.854775807", (i64::MAX, Equal)),
        ] {
            assert_eq!(nanos(text), expected, "{text}");
        }
    }

    #[test]
    fn no_numbers() {
        for text in ["", "-", ".", "e5", "1e", "1e+", "1.2.3", "0x1", "1,5", "NaN", "inf", "--1"] {
            assert_eq!(Decimal::parse(text), Err(DecimalError::Syntax), "{text}");
        }
        for text in ["9223372036.8547758075", "1e10", "1e99999999999999999999", "99999999999999"] {
            assert_eq!(Decimal::parse(text), Err(DecimalError::Range), "{text}");
        }
    }

    #[test]
    fn probabilities_are_above_0_and_at_most_1() {
        let p = |text| Decimal::parse(text).unwrap().probability().map(Probability::nanos);
        assert_eq!(p("1"), Some(1_000_000_000));
        assert_eq!(p("0.9999999999"), Some(1_000_000_000));
        assert_eq!(p("1.0000000001"), None);
        assert_eq!(p("1e-30"), Some(1));
        assert_eq!(p("0"), None);
        assert_eq!(p("-0.5"), None);
        assert_eq!(p("-1e-30"), None);
    }
}
