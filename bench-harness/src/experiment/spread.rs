//! A handful of values in words: range and median.

/// The least, the middle and the largest of some values.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    least: f64,
    median: f64,
    most: f64,
}

impl Spread {
    /// Of these values; nothing when there are none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (least, most) = (*values.first()?, *values.last()?);
        let median = f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2]);
        Some(Self { least, median, most })
    }

    /// "1.20 to 1.80 times (median 1.50)".
    pub fn times(self) -> String {
        let Self { least, median, most } = self;
        if format!("{least:.2}") == format!("{most:.2}") {
            return format!("{median:.2} times");
        }
        format!("{least:.2} to {most:.2} times (median {median:.2})")
    }

    /// "40 to 80 % (median 60 %)", of shares of one.
    pub fn percent(self) -> String {
        let [least, median, most] = [self.least, self.median, self.most].map(|one| one * 100.0);
        format!("{least:.0} to {most:.0} % (median {median:.0} %)")
    }
}
