//! The time of an event: a whole number, or a date and time as in RFC 3339.

use multipattern::{TimeUnit, ValueRef};

use super::report::shown;

/// What to write instead of something that is no time.
pub(crate) const HINT: &str = "a time is a whole number in the unit of `--time-unit`, or a date \
                               and time with its zone, as in 2024-05-01T12:30:00.250Z";

/// The time that a value says.
///
/// # Errors
/// A description of the value if it is none.
pub(crate) fn time(value: ValueRef<'_>, unit: TimeUnit) -> Result<i64, String> {
    match value {
        ValueRef::Int(time) => Ok(time),
        ValueRef::Float(time) => {
            // Both bounds are floats; the upper one is the first beyond the integers.
            let inside =
                (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&time);
            if inside && time.fract() == 0.0 {
                Ok(time as i64)
            } else {
                Err(format!("the time {time:?} is not a whole number of 64 bits"))
            }
        }
        ValueRef::Text(text) => match date_time(text) {
            Some(since) => i64::try_from(since.div_euclid(i128::from(unit.nanoseconds())))
                .map_err(|_| format!("the time `{}` is beyond 64 bits in this unit", shown(text))),
            None => Err(format!("`{}` is not a time", shown(text))),
        },
        ValueRef::Bool(value) => Err(format!("`{value}` is not a time")),
        ValueRef::Missing => Err("the event has no time".to_owned()),
    }
}

/// Nanoseconds since 1970 began, in UTC; for `YYYY-MM-DDTHH:MM:SS[.F](Z|+HH:MM|-HH:MM)`. Digits
/// beyond the nanosecond are left out.
fn date_time(text: &str) -> Option<i128> {
    let bytes = text.as_bytes();
    if bytes.len() < 20 || !text.is_ascii() {
        return None;
    }
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = &text[from..to];
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
    };
    let marks = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    if marks.iter().any(|&(at, mark)| bytes[at] != mark) || !b"Tt ".contains(&bytes[10]) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let leap_second = second == 60 && minute == 59;
    if !(1..=12).contains(&month) || day < 1 || day > days_of(year, month) {
        return None;
    }
    if hour > 23 || minute > 59 || (second > 59 && !leap_second) {
        return None;
    }
    let mut at = 19;
    let mut fraction = 0i64;
    if bytes[at] == b'.' {
        let digits = text[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return None;
        }
        for place in 0..9 {
            let digit = if place < digits { bytes[at + 1 + place] - b'0' } else { 0 };
            fraction = 10 * fraction + i64::from(digit);
        }
        at += 1 + digits;
    }
    let zone = match bytes.get(at)? {
        b'Z' | b'z' if bytes.len() == at + 1 => 0,
        sign @ (b'+' | b'-') if bytes.len() == at + 6 && bytes[at + 3] == b':' => {
            let (hours, minutes) = (number(at + 1, at + 3)?, number(at + 4, at + 6)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let offset = 60 * (60 * hours + minutes);
            if *sign == b'-' { -offset } else { offset }
        }
        _ => return None,
    };
    let seconds = 86_400 * days(year, month, day) + 3600 * hour + 60 * minute + second - zone;
    Some(i128::from(seconds) * 1_000_000_000 + i128::from(fraction))
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
