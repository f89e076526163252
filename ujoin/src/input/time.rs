//! Times and durations. A tick is a nanosecond: 64 bits of them reach from 1677 to 2262.

use std::fmt;

use super::decimal::{Decimal, DecimalError};

/// Ticks of a second.
pub const TICKS_PER_SECOND: i64 = 1_000_000_000;

/// Billionths, such as ticks, shown as a decimal without trailing zeros: of ticks, seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seconds(pub i64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = TICKS_PER_SECOND.unsigned_abs();
        let (whole, mut rest) = (self.0.unsigned_abs() / scale, self.0.unsigned_abs() % scale);
        if self.0 < 0 {
            f.write_str("-")?;
        }
        write!(f, "{whole}")?;
        if rest > 0 {
            let mut places = 9;
            while rest.is_multiple_of(10) {
                rest /= 10;
                places -= 1;
            }
            write!(f, ".{rest:0places$}")?;
        }
        Ok(())
    }
}

/// Text that is no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeError {
    /// Neither seconds nor a date and time.
    #[error("neither a number of seconds nor a date and time")]
    Syntax,
    /// Beyond 64 bits of nanoseconds.
    #[error("beyond 64 bits of nanoseconds")]
    Range,
}

impl From<DecimalError> for TimeError {
    fn from(error: DecimalError) -> TimeError {
        match error {
            DecimalError::Syntax => TimeError::Syntax,
            DecimalError::Range => TimeError::Range,
        }
    }
}

/// The ticks of a time, and whether digits beyond the nanosecond were rounded away (half to even):
/// seconds, whole or decimal, or a date and time as in RFC 3339, which is taken as seconds since
/// 1970 began (UTC).
///
/// # Errors
/// Text that is no time; a time that 64 bits do not hold.
///
/// ```
/// use ujoin::input::time;
/// assert_eq!(time("60.5")?, (60_500_000_000, false));
/// assert_eq!(time("1970-01-01T01:01:00.5+01:00")?, (60_500_000_000, false));
/// # Ok::<(), ujoin::input::TimeError>(())
/// ```
pub fn time(text: &str) -> Result<(i64, bool), TimeError> {
    if text.as_bytes().get(4) == Some(&b'-') && text.len() >= 20 {
        return date_time(text);
    }
    let decimal = Decimal::parse(text)?;
    Ok((decimal.nanos, decimal.is_rounded()))
}

/// `YYYY-MM-DDTHH:MM:SS[.F](Z|+HH:MM|-HH:MM)`.
fn date_time(text: &str) -> Result<(i64, bool), TimeError> {
    let bytes = text.as_bytes();
    if !text.is_ascii() {
        return Err(TimeError::Syntax);
    }
    let number = |from: usize, to: usize| -> Result<i64, TimeError> {
        let digits = &bytes[from..to];
        if !digits.iter().all(u8::is_ascii_digit) {
            return Err(TimeError::Syntax);
        }
        Ok(digits.iter().fold(0, |value, b| 10 * value + i64::from(b - b'0')))
    };
    let marks = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    if marks.iter().any(|&(at, mark)| bytes[at] != mark) || !b"Tt ".contains(&bytes[10]) {
        return Err(TimeError::Syntax);
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let leap_second = second == 60 && minute == 59;
    if !(1..=12).contains(&month)
        || !(1..=days_of(year, month)).contains(&day)
        || hour > 23
        || minute > 59
        || (second > 59 && !leap_second)
    {
        return Err(TimeError::Syntax);
    }
    let mut at = 19;
    let mut fraction = Decimal { nanos: 0, rounding: std::cmp::Ordering::Equal };
    if bytes[at] == b'.' {
        let digits = bytes[at + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 {
            return Err(TimeError::Syntax);
        }
        fraction = Decimal::parse(&text[at..=at + digits])?;
        at += 1 + digits;
    }
    let zone = match bytes.get(at) {
        Some(b'Z' | b'z') if bytes.len() == at + 1 => 0,
        Some(sign @ (b'+' | b'-')) if bytes.len() == at + 6 && bytes[at + 3] == b':' => {
            let (hours, minutes) = (number(at + 1, at + 3)?, number(at + 4, at + 6)?);
            if hours > 23 || minutes > 59 {
                return Err(TimeError::Syntax);
            }
            let offset = 60 * (60 * hours + minutes);
            if *sign == b'-' { -offset } else { offset }
        }
        _ => return Err(TimeError::Syntax),
    };
    let seconds = 86_400 * days(year, month, day) + 3600 * hour + 60 * minute + second - zone;
    let ticks = i128::from(seconds) * i128::from(TICKS_PER_SECOND) + i128::from(fraction.nanos);
    Ok((i64::try_from(ticks).map_err(|_| TimeError::Range)?, fraction.is_rounded()))
}

fn days_of(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01. Years are counted from March, so that the leap day ends them.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month < 3 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    // 719468 days lie between 0000-03-01 and 1970-01-01.
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year
        - 719_468
}

/// The ticks of a duration: a number, not negative, with one of the units ms, s, m, h and d. Without
/// a unit only 0 is understood.
///
/// # Errors
/// Text that is no duration, or one beyond 64 bits of nanoseconds.
///
/// ```
/// use ujoin::input::duration;
/// assert_eq!(duration("1.5m")?, 90_000_000_000);
/// # Ok::<(), ujoin::input::TimeError>(())
/// ```
pub fn duration(text: &str) -> Result<i64, TimeError> {
    let letters = text.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
    let (number, unit) = text.split_at(text.len() - letters);
    let decimal = Decimal::parse(number)?;
    let scaled = match unit {
        "" if decimal.nanos == 0 && !decimal.is_rounded() => return Ok(0),
        "ms" => return exact(decimal, 1, 1_000),
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return Err(TimeError::Syntax),
    };
    exact(decimal, scaled, 1)
}

fn exact(decimal: Decimal, times: i64, over: i64) -> Result<i64, TimeError> {
    let ticks = decimal.nanos.checked_mul(times).ok_or(TimeError::Range)?;
    if ticks < 0 || decimal.is_rounded() || ticks % over != 0 {
        return Err(TimeError::Syntax);
    }
    Ok(ticks / over)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates() {
        for (text, ticks) in [
            ("60", 60_000_000_000),
            ("-0.25", -250_000_000),
            ("2000-03-01T00:00:00Z", 951_868_800_000_000_000),
            ("2024-02-29 23:59:60.000000001z", 1_709_251_200_000_000_001),
            ("1969-12-31T23:59:59.5Z", -500_000_000),
        ] {
            assert_eq!(time(text), Ok((ticks, false)), "{text}");
            let shown = Seconds(ticks).to_string();
            assert_eq!(time(&shown), Ok((ticks, false)), "{shown}");
        }
        assert_eq!(time("0.00000000051"), Ok((1, true)));
        assert_eq!(time("1970-01-01T00:00:00.0000000005Z"), Ok((0, true)));
    }

    #[test]
    fn no_times() {
        for text in
            ["", "noon", "2023-02-29T00:00:00Z", "2024-01-01T00:00:00", "2024-01-01T24:00:00Z"]
        {
            assert_eq!(time(text), Err(TimeError::Syntax), "{text}");
        }
        for text in ["1717243800000", "9999-01-01T00:00:00Z", "0000-01-01T00:00:00Z"] {
            assert_eq!(time(text), Err(TimeError::Range), "{text}");
        }
    }

    #[test]
    fn durations() {
        for (text, ticks) in [("250ms", 250_000_000), ("60m", 3_600_000_000_000), ("0", 0)] {
            assert_eq!(duration(text), Ok(ticks), "{text}");
        }
        for text in ["", "5", "5 weeks", "-1s", "m", "1.5.5s", "0.0000000001s"] {
            assert_eq!(duration(text), Err(TimeError::Syntax), "{text}");
        }
        assert_eq!(duration("200000d"), Err(TimeError::Range));
    }

    #[test]
    fn seconds_are_exact() {
        assert_eq!(Seconds(360_000_000_000).to_string(), "360");
        assert_eq!(Seconds(-1_050_000_000).to_string(), "-1.05");
        assert_eq!(Seconds(i64::MIN).to_string(), "-9223372036.854775808");
    }
}
