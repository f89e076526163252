//! Slices of time.

/// Time cut into slices of equal length, one of which begins at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Slices {
    length: i64,
}

impl Slices {
    /// Slices of so many ticks; `None` unless that is positive.
    #[must_use]
    pub fn new(length: i64) -> Option<Slices> {
        (length > 0).then_some(Slices { length })
    }

    /// When the slice of a time begins; the first one may begin before all times, then the first time.
    #[must_use]
    pub fn start(self, time: i64) -> i64 {
        time.div_euclid(self.length).saturating_mul(self.length)
    }

    /// When the next slice begins, or the last time.
    #[must_use]
    pub fn end(self, start: i64) -> i64 {
        // The first slice may be shorter.
        match start {
            i64::MIN => self.start(i64::MIN.saturating_add(self.length)),
            start => start.saturating_add(self.length),
        }
    }

    /// How long they are, in ticks.
    #[must_use]
    pub fn length(self) -> i64 {
        self.length
    }
}
