//! Which part a key belongs to.

/// Divides 32 bits of spread keys into parts: equal ones, or a smaller first one for the caller's
/// thread, which has also to distribute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    /// The bits below these are the caller's.
    own: u32,
    /// The first part besides the caller's, and how much of a part a step of the bits is, in 2^-64.
    first: usize,
    scale: u128,
}

impl Shares {
    /// With more threads than these, distributing takes as long as a part.
    const MOST: usize = 4;

    /// Whether the caller's thread is one of so many that join.
    pub(crate) fn has_own(threads: usize) -> bool {
        (2..=Shares::MOST).contains(&threads)
    }

    /// For so many parts, the caller's among them or not, equal or not.
    pub(crate) fn new(parts: usize, has_own: bool, are_equal: bool) -> Shares {
        let parts = parts.max(1) as u64;
        // To distribute a tuple takes about a fifth as long as to join it: all threads are done at the
        // same time if the caller joins so much less.
        let own = match (has_own, are_equal) {
            (false, _) => 0,
            (true, true) => (1 << 32) / parts,
            (true, false) => (1 << 32) * (6 - parts.min(5)) / (5 * parts),
        };
        let first = usize::from(has_own);
        let others = parts - first as u64;
        Shares {
            own: own as u32,
            first,
            scale: (u128::from(others) << 64) / u128::from((1 << 32) - own),
        }
    }

    /// The part of a key that was spread to these bits.
    #[inline]
    pub(crate) fn part(&self, bits: u32) -> usize {
        match bits.checked_sub(self.own) {
            None => 0,
            Some(beyond) => self.first + ((u128::from(beyond) * self.scale) >> 64) as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shares;

    /// The shares of parts, in hundredths.
    fn hundredths(parts: usize, has_own: bool, are_equal: bool) -> Vec<u32> {
        let shares = Shares::new(parts, has_own, are_equal);
        let mut counts = vec![0; parts];
        let step = 1 << 16;
        for number in 0..step {
            counts[shares.part(number << 16)] += 1;
        }
        assert_eq!((shares.part(0), shares.part(u32::MAX)), (0, parts - 1));
        counts.iter().map(|count| (count * 100 + step / 2) / step).collect()
    }

    #[test]
    fn all_parts_get_their_shares() {
        assert_eq!(hundredths(1, false, false), [100]);
        assert_eq!(hundredths(3, false, false), [33, 33, 33]);
        assert_eq!(hundredths(2, true, true), [50, 50]);
        assert_eq!(hundredths(4, true, true), [25, 25, 25, 25]);
        assert_eq!(hundredths(2, true, false), [40, 60]);
        assert_eq!(hundredths(3, true, false), [20, 40, 40]);
        assert_eq!(hundredths(4, true, false), [10, 30, 30, 30]);
    }
}
