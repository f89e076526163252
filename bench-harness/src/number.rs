//! Numbers as people read them. Every number that the report or a verdict shows goes through here, so
//! that the same value always looks the same.

/// Whole numbers in full, others with four significant digits.
///
/// ```
/// use bench_harness::number::short;
/// assert_eq!(short(116_517_344.0), "116517344");
/// assert_eq!(short(0.123_456), "0.1235");
/// assert_eq!(short(1.5), "1.5");
/// assert_eq!(short(123_456.7), "123457");
/// ```
pub fn short(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value == value.trunc() && value.abs() < 1e15 {
        // `+ 0.0` turns a negative zero into a plain one.
        return format!("{:.0}", value + 0.0);
    }
    let exponent = value.abs().log10().floor();
    if !(-5.0..15.0).contains(&exponent) {
        return format!("{value:.3e}");
    }
    let decimals = (3.0 - exponent).max(0.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

/// The same with the digits before the point in groups of three, for tables.
///
/// ```
/// use bench_harness::number::grouped;
/// assert_eq!(grouped(116_517_344.0), "116,517,344");
/// assert_eq!(grouped(12_345.0), "12,345");
/// assert_eq!(grouped(-999.0), "-999");
/// ```
pub fn grouped(value: f64) -> String {
    let text = short(value);
    let (whole, rest) = text.split_at(text.find(['.', 'e']).unwrap_or(text.len()));
    let (sign, digits) = whole.split_at(whole.len() - whole.trim_start_matches('-').len());
    let mut out = sign.to_owned();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) && digits.is_ascii() {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

/// A label for an axis tick: thousands and millions shortened, no digits beyond the step's.
///
/// ```
/// use bench_harness::number::tick;
/// assert_eq!(tick(2_500_000.0), "2.5M");
/// assert_eq!(tick(20_000.0), "20k");
/// assert_eq!(tick(0.25), "0.25");
/// ```
pub fn tick(value: f64) -> String {
    let size = value.abs();
    let (factor, suffix) = match size {
        _ if size >= 1e12 => return format!("{value:.0e}"),
        _ if size >= 1e9 => (1e9, "G"),
        _ if size >= 1e6 => (1e6, "M"),
        _ if size >= 1e4 => (1e3, "k"),
        _ => (1.0, ""),
    };
    // Ticks are sums of steps; rounding away the sum's error keeps 0.30000000000000004 off the page.
    let rounded = (value / factor * 1e9).round() / 1e9;
    format!("{}{suffix}", short(rounded))
}

/// "1.5 GB/s": a number and its unit, the unit left out when it is empty.
pub fn with_unit(value: f64, unit: &str) -> String {
    match unit {
        "" => short(value),
        // A no-break space keeps the two on one line.
        _ => format!("{}\u{a0}{unit}", short(value)),
    }
}
