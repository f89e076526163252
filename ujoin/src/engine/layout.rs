//! How a bucket of the log is written.

/// How a bucket is written in 64 bits. The low ones are the position of its newest entry, which counts
/// only if it is in the log. The others have a tag, seven bits other than 0, for each of some keys in
/// its chain, so that the chain need be walked only if the key is likely to be in it.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    /// Bits of a position: so many that few buckets go unused until they repeat.
    bits: u32,
    /// A one in the place of each tag.
    ones: u64,
    /// Stands for all tags, where there are more than find room.
    pub(crate) any: u64,
}

impl Layout {
    pub(crate) fn new(capacity: usize) -> Layout {
        let bits = (usize::BITS - capacity.leading_zeros() + 2).clamp(22, 32);
        let ones = (0..(u64::BITS - bits) / 7).fold(0, |ones, _| ones << 7 | 1);
        Layout { bits, ones, any: ones * 127 }
    }

    #[inline]
    pub(crate) fn head(self, position: u32, tags: u64) -> u64 {
        tags << self.bits | u64::from(position) & ((1 << self.bits) - 1)
    }

    #[inline]
    pub(crate) fn tags(self, head: u64) -> u64 {
        head >> self.bits
    }

    /// How long before the position the newest entry of a bucket came.
    #[inline]
    pub(crate) fn age(self, head: u64, position: u32) -> u32 {
        position.wrapping_sub(head as u32) & ((1_u64 << self.bits) - 1) as u32
    }

    #[inline]
    pub(crate) fn has(self, tags: u64, tag: u64) -> bool {
        let zero_if_equal = tags ^ (tag * self.ones);
        let equal = zero_if_equal.wrapping_sub(self.ones) & !zero_if_equal & (self.ones << 6);
        (equal != 0) | (tags == self.any)
    }

    #[inline]
    pub(crate) fn add(self, tags: u64, tag: u64) -> u64 {
        if self.has(tags, tag) { tags } else { self.add_new(tags, tag) }
    }

    /// Adds a tag that is not there.
    #[inline]
    pub(crate) fn add_new(self, tags: u64, tag: u64) -> u64 {
        if tags > self.any >> 7 { self.any } else { tags << 7 | tag }
    }
}

/// The tag of a key that was spread.
#[inline]
pub(crate) fn tag_of(spread: u32) -> u64 {
    u64::from(spread % 128).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_has_every_tag_that_was_added() {
        for (capacity, room) in [(0, 6), (1 << 19, 6), (1 << 20, 5), (1 << 26, 5), (1 << 27, 4)] {
            let layout = Layout::new(capacity);
            let mut head = 0;
            for tag in 1..=room {
                assert!(!layout.has(layout.tags(head), tag), "{tag} of {capacity}");
                let position = u32::MAX - 9;
                head = layout.head(position, layout.add(layout.tags(head), tag));
                assert_eq!(layout.age(head, 3), 13);
                assert!((1..=tag).all(|tag| layout.has(layout.tags(head), tag)));
                assert!(!layout.has(layout.tags(head), 127));
            }
            let tags = layout.add(layout.tags(head), 100);
            assert_eq!(tags, layout.any);
            assert!((1..=127).all(|tag| layout.has(tags, tag)));
        }
    }
}
