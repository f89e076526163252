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
        self.leaving[(self.step(end) % Live::STEPS) as usize] += 1;
        self.live += 1;
        self.most = self.most.max(self.live);
    }

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
