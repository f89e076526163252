//! Medians and their 95 % intervals.
//!
//! The intervals are those of order statistics: whatever the distribution of the runs, the number of
//! them below the true median is binomial with p = 1/2, so the k-th smallest and the k-th largest run
//! enclose it with a probability that depends on n and k only. No assumption of normality, no
//! resampling, no seed.

/// The fewest runs whose extremes enclose the median with 95 %: 1 - 2 / 2^6 = 96.9 %.
pub const FEWEST: u32 = 6;

/// A median, its 95 % interval, and the number of runs behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The median.
    pub median: f64,
    /// Lower end of the interval.
    pub lo: f64,
    /// Upper end of the interval.
    pub hi: f64,
    /// The number of runs.
    pub n: u32,
}

impl Summary {
    /// Summarises runs; nothing when there are none. With fewer than [`FEWEST`] runs the interval is
    /// their range, which covers less than 95 %: the rules that need an interval look at `n`.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let rank = interval_rank(sorted.len());
        let median = (sorted[last / 2] + sorted[sorted.len() / 2]) / 2.0;
        let n = u32::try_from(sorted.len()).unwrap_or(u32::MAX);
        Some(Self { median, lo: sorted[rank], hi: sorted[last - rank], n })
    }

    /// Summarises the ratios `a / b` of runs that were made in the same round.
    pub fn of_ratios(a: &[f64], b: &[f64]) -> Option<Self> {
        let ratios: Vec<f64> = a.iter().zip(b).map(|(a, b)| a / b).collect();
        Self::of(&ratios)
    }

    /// A number that is exact, such as a count.
    pub fn exact(value: f64) -> Self {
        Self { median: value, lo: value, hi: value, n: 1 }
    }

    /// The same summary in another unit: `amount / value`, as a throughput is `bytes / seconds`. The
    /// ends of the interval change places.
    #[must_use]
    pub fn rate(self, amount: f64) -> Self {
        Self { median: amount / self.median, lo: amount / self.hi, hi: amount / self.lo, n: self.n }
    }

    /// The same summary multiplied by a constant above zero.
    #[must_use]
    pub fn scale(self, factor: f64) -> Self {
        let Self { median, lo, hi, n } = self;
        Self { median: median * factor, lo: lo * factor, hi: hi * factor, n }
    }
}

/// The largest rank r (from 0) such that the r-th smallest and the r-th largest of n values enclose the
/// median with at least 95 %; 0 when not even the extremes do.
fn interval_rank(n: usize) -> usize {
    // The tail P(X <= r) of Binomial(n, 1/2), summed in logarithms so that large n do not underflow.
    let ln_half_to_n = -(n as f64) * std::f64::consts::LN_2;
    let mut ln_choose = 0.0_f64;
    let mut tail = 0.0;
    let mut rank = 0;
    for k in 0..n / 2 {
        tail += (ln_choose + ln_half_to_n).exp();
        if tail > 0.025 {
            break;
        }
        rank = k;
        ln_choose += ((n - k) as f64).ln() - ((k + 1) as f64).ln();
    }
    rank
}
