//! Scales and their ticks: steps of 1, 2 or 5 times a power of ten, or such numbers themselves.

/// A scale from values to pixels.
#[derive(Clone, Debug)]
pub struct Axis {
    low: f64,
    high: f64,
    log: bool,
    pixels: (f64, f64),
    ticks: Vec<f64>,
}

impl Axis {
    /// A linear scale that ends on ticks.
    pub fn linear(low: f64, high: f64, pixels: (f64, f64)) -> Self {
        let ticks = linear_ticks(low, high, 5);
        let (low, high) = ends(&ticks, low, high);
        Self { low, high, log: false, pixels, ticks }
    }

    /// A logarithmic scale that ends on ticks; both ends must be above zero.
    pub fn log(low: f64, high: f64, pixels: (f64, f64)) -> Self {
        let ticks = log_ticks(low, high);
        let (low, high) = ends(&ticks, low, high);
        Self { low, high, log: true, pixels, ticks }
    }

    /// A scale with exactly these ends and ticks.
    pub fn fixed(low: f64, high: f64, log: bool, pixels: (f64, f64), ticks: Vec<f64>) -> Self {
        Self { low, high, log, pixels, ticks }
    }

    /// The values that have a tick.
    pub fn ticks(&self) -> &[f64] {
        &self.ticks
    }

    /// Where the scale begins.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The pixel of a value, kept within the scale.
    pub fn place(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let share = if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        // A scale of a single value has no extent; its point goes to the middle.
        let share = if share.is_finite() { share } else { 0.5 };
        self.pixels.0 + share * (self.pixels.1 - self.pixels.0)
    }
}

fn ends(ticks: &[f64], low: f64, high: f64) -> (f64, f64) {
    (ticks.first().copied().unwrap_or(low), ticks.last().copied().unwrap_or(high))
}

/// About `count` ticks that enclose both ends, at multiples of 1, 2 or 5 times a power of ten.
pub fn linear_ticks(low: f64, high: f64, count: u32) -> Vec<f64> {
    let extent = if high > low { high - low } else { high.abs().max(1.0) };
    let raw = extent / f64::from(count.max(1));
    let power = 10.0_f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        // The tolerance keeps 0.30000000000000004 from asking for the next larger step.
        .find(|step| step * 1.000_001 >= raw)
        .unwrap_or(10.0 * power);
    let first = (low / step + 1e-9).floor() as i64;
    let last = ((high / step - 1e-9).ceil() as i64).max(first + 1);
    // Three steps of 0.1 are 0.3, not 0.30000000000000004: count in tenths of the step's power.
    let unit = power / 10.0;
    let multiple = (step / unit).round();
    let scaled = |index: i64| {
        let count = index as f64 * multiple;
        if unit < 1.0 { count / (1.0 / unit).round() } else { count * unit }
    };
    (first..=last).map(scaled).collect()
}

/// Ticks at 1, 2 and 5 times powers of ten that enclose both ends; only the powers themselves when
/// there would be many, and equal steps when there would be too few.
pub fn log_ticks(low: f64, high: f64) -> Vec<f64> {
    if high / low < 8.0 {
        let equal = linear_ticks(low, high, 4);
        if equal[0] > 0.0 {
            return equal;
        }
    }
    let factors: &[f64] = if high / low > 300.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let first = low.log10().floor() as i32;
    let last = high.log10().ceil() as i32;
    let all: Vec<f64> = (first..=last)
        .flat_map(|power| factors.iter().map(move |factor| factor * 10.0_f64.powi(power)))
        .collect();
    let from = all.iter().rposition(|&tick| tick <= low * 1.000_001).unwrap_or(0);
    let to = all.iter().position(|&tick| tick >= high / 1.000_001).unwrap_or(all.len() - 1);
    all[from..=to.max(from)].to_vec()
}
