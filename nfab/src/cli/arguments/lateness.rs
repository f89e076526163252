//! How much later an event may come: a number, or a time with its unit as in `WITHIN`.

use nfab::TimeUnit;

use crate::cli::input::nanoseconds;

/// A bound on lateness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lateness {
    /// In the unit of the times of events.
    Units(i64),
    /// With a unit of its own, in nanoseconds.
    Nanoseconds(i128),
}

impl Lateness {
    /// The bound in a unit, rounded up so that nothing that lies within it is late; what is beyond
    /// 64 bits is as good as no bound.
    pub(super) fn within(self, unit: TimeUnit) -> i64 {
        match self {
            Lateness::Units(n) => n,
            Lateness::Nanoseconds(n) => {
                let unit = nanoseconds(unit);
                i64::try_from((n + unit - 1).div_euclid(unit)).unwrap_or(i64::MAX)
            }
        }
    }
}

/// Reads a bound.
pub(super) fn lateness(text: &str) -> Result<Lateness, String> {
    const EXPECTED: &str = "expected a whole number in the unit of time, or one with a unit, as in \
                            30s or '5 min'";
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: i64 = match number.parse() {
        Ok(number) => number,
        Err(_) if digits > 0 => return Err("the number is beyond 64 bits".to_owned()),
        Err(_) => return Err(EXPECTED.to_owned()),
    };
    let unit = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" => return Ok(Lateness::Units(number)),
        "ns" => TimeUnit::Nanosecond,
        "us" => TimeUnit::Microsecond,
        "ms" => TimeUnit::Millisecond,
        "s" | "second" | "seconds" => TimeUnit::Second,
        "m" | "min" | "minute" | "minutes" => TimeUnit::Minute,
        "h" | "hour" | "hours" => TimeUnit::Hour,
        "d" | "day" | "days" => TimeUnit::Day,
        _ => return Err(EXPECTED.to_owned()),
    };
    Ok(Lateness::Nanoseconds(i128::from(number) * nanoseconds(unit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times() {
        let ms = |text: &str| lateness(text).map(|bound| bound.within(TimeUnit::Millisecond));
        assert_eq!(ms("30"), Ok(30));
        for text in ["30s", "30 s", "30 SECONDS", " 30  second "] {
            assert_eq!(ms(text), Ok(30_000), "{text}");
        }
        assert_eq!(ms("2d"), Ok(172_800_000));
        assert_eq!((ms("1us"), ms("1000us"), ms("1001 us")), (Ok(1), Ok(1), Ok(2)));
        let max = i64::MAX.to_string();
        assert_eq!((ms(&max), ms(&format!("{max}d"))), (Ok(i64::MAX), Ok(i64::MAX)));
        for text in ["", "s", "-1", "-1s", "1.5s", "1 week", "1s2", "9223372036854775808"] {
            assert!(lateness(text).is_err(), "{text}");
        }
    }
}
