//! How many tuples are within the window, wherever they are.

/// Counts tuples by the time at which they leave the window, in steps of about a hundredth of it.
#[derive(Debug)]
pub(crate) struct Live {
    shift: u32,
    /// Of each step, how many tuples leave in it; a ring.
    leaving: [u64; Live::STEPS as usize],
    /// The step of the watermark.
    now: u64,
    live: u64,
    pub(crate) most: u64,
}

impl Live {
    const STEPS: u64 = 256;

    /// For tuples that leave at most so many ticks after the watermark.
    pub(crate) fn new(span: u64) -> Live {
        let step = span / (Live::STEPS - 2) + 1;
        let shift = 64 - (step - 1).leading_zeros();
        Live { shift: shift.min(63), leaving: [0; Live::STEPS as usize], now: 0, live: 0, most: 0 }
    }

    /// Steps in the order of time, the earliest time there is in the first.
    fn step(&self, time: i64) -> u64 {
        (time as u64 ^ 1 << 63) >> self.shift
    }

    /// Counts a tuple that leaves at this time.
    #[inline]
    pub(crate) fn add(&mut self, end: i64, watermark: i64) {
        let now = self.step(watermark);
        if now > self.now {
            self.advance(now);
        }
        self.count(self.step(end), 1);
    }

    /// Counts tuples in the order of arrival, each with the time at which it leaves and the watermark
    /// then.
    #[inline]
    pub(crate) fn add_all(&mut self, tuples: impl Iterator<Item = (i64, i64)>) {
        // Most leave in the step of the one before: these are counted together.
        let (mut step, mut many) = (0, 0);
        for (end, watermark) in tuples {
            let (now, leaves) = (self.step(watermark), self.step(end));
            if now > self.now || leaves != step {
                self.count(step, many);
                (step, many) = (leaves, 0);
                if now > self.now {
                    self.advance(now);
                }
            }
            many += 1;
        }
        self.count(step, many);
    }

    #[inline]
    fn count(&mut self, step: u64, many: u64) {
        self.leaving[(step % Live::STEPS) as usize] += many;
        self.live += many;
        self.most = self.most.max(self.live);
    }

    #[cold]
    fn advance(&mut self, now: u64) {
        if now - self.now >= Live::STEPS {
            self.leaving.fill(0);
            self.live = 0;
        } else {
            for step in self.now..now {
                let gone = &mut self.leaving[(step % Live::STEPS) as usize];
                self.live -= std::mem::take(gone);
            }
        }
        self.now = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_stream_has_a_window_of_tuples() {
        for (start, every) in [(0, 1), (i64::MIN, 1), (-5000, 3), (i64::MAX - 60_000, 2)] {
            let mut live = Live::new(1000);
            for n in 0..10_000 {
                let time = start + n * every;
                live.add(time.saturating_add(1000), time);
            }
            let exact = 1000 / every as u64;
            assert!(live.most >= exact, "{} of {exact}", live.most);
            assert!(live.most <= exact + exact / 50 + 2, "{} of {exact}", live.most);
        }
    }

    #[test]
    fn many_at_once_count_as_one_by_one() {
        let (mut one_by_one, mut at_once) = (Live::new(1000), Live::new(1000));
        let times: Vec<i64> = (0..5000_i64).map(|n| n * 3 - n % 7 * 40 + n / 900 * 700).collect();
        let mut watermark = i64::MIN;
        let tuples = times.iter().map(|&time| {
            watermark = watermark.max(time - 300);
            (time + 700 + time % 2 * 300, watermark)
        });
        let tuples: Vec<_> = tuples.collect();
        for chunk in tuples.chunks(77) {
            chunk.iter().for_each(|&(end, watermark)| one_by_one.add(end, watermark));
            at_once.add_all(chunk.iter().copied());
            assert_eq!(
                (one_by_one.live, one_by_one.most, one_by_one.now, one_by_one.leaving),
                (at_once.live, at_once.most, at_once.now, at_once.leaving)
            );
        }
        assert!(at_once.most > 100);
    }

    #[test]
    fn a_jump_empties_the_window() {
        let mut live = Live::new(u64::MAX);
        live.add(0, i64::MIN);
        live.add(i64::MAX, i64::MAX);
        assert!(live.most <= 2);
        let mut live = Live::new(10);
        for time in [0, 1_000_000, i64::MAX - 20] {
            live.add(time + 10, time);
        }
        assert_eq!((live.live, live.most), (1, 1));
    }
}
