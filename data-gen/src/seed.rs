//! One seed, many independent random streams, and the arithmetic that turns random bits into
//! numbers with the same result on every platform.
//!
//! A data set's bytes depend on nothing but its options and its seed. Three rules keep it so:
//!
//! - the generator is xoshiro256++, written out below, filled by SplitMix64;
//! - every part of a data set draws from a stream of its own, named by a string, so that a change
//!   in one part leaves the others as they were;
//! - [`ln`] and [`exp`] use only `+ - * /`, and [`f64::sqrt`] is correctly rounded by IEEE 754, so
//!   no platform's mathematics library has a say.

/// SplitMix64: walks a counter and scrambles it (Steele, Lea and Flood, 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A random stream: xoshiro256++ (Blackman and Vigna, 2019).
///
/// ```
/// use data_gen::seed::Rng;
/// let mut a = Rng::new(1, "bids");
/// let mut b = Rng::new(1, "bids");
/// assert_eq!(a.next_u64(), b.next_u64());
/// assert_ne!(Rng::new(1, "bids").next_u64(), Rng::new(1, "names").next_u64());
/// ```
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// The stream called `stream` of the seed `seed`.
    #[must_use]
    pub fn new(seed: u64, stream: &str) -> Self {
        // FNV-1a of the name, then the seed: two different pairs meet with probability 2^-64.
        let name = stream.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut counter = seed;
        let mut walk = split_mix(&mut counter) ^ name;
        Self { state: std::array::from_fn(|_| split_mix(&mut walk)) }
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A uniform number in `0..n`, and 0 when `n` is 0. The bias is below `n` / 2^64.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// A uniform number in `low..=high`.
    #[inline]
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// A uniform element of a slice.
    ///
    /// # Panics
    /// When the slice is empty.
    #[inline]
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    /// The bytes of a uniform element of a slice.
    ///
    /// # Panics
    /// When the slice is empty.
    #[inline]
    pub fn pick_bytes<'a, B: AsRef<[u8]>>(&mut self, from: &'a [B]) -> &'a [u8] {
        self.pick(from).as_ref()
    }

    /// A uniform number in [0, 1), a multiple of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// True with probability `p`.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// True with probability 1/2.
    #[inline]
    pub fn coin(&mut self) -> bool {
        self.next_u64() >> 63 == 1
    }

    /// An exponentially distributed number with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * ln(1.0 - self.unit())
    }

    /// A normally distributed number (Marsaglia's polar method, one of the pair used).
    pub fn normal(&mut self, mean: f64, deviation: f64) -> f64 {
        loop {
            let x = 2.0 * self.unit() - 1.0;
            let y = 2.0 * self.unit() - 1.0;
            let s = x * x + y * y;
            if s > 0.0 && s < 1.0 {
                return mean + deviation * x * (-2.0 * ln(s) / s).sqrt();
            }
        }
    }
}

/// The natural logarithm of a positive normal number, to about 1e-15, from `+ - * /` alone.
#[must_use]
pub fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut exponent = ((bits >> 52) & 0x7ff) as i64 - 1023;
    let mut mantissa = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | (1023_u64 << 52));
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    // ln m = 2 artanh s with s = (m - 1) / (m + 1), |s| < 0.172.
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    let mut sum = 0.0;
    for k in (0..12).rev() {
        sum = sum * square + 1.0 / (2 * k + 1) as f64;
    }
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * s * sum
}

/// The exponential function of a number in -700..=700, to about 1e-15, from `+ - * /` alone.
#[must_use]
pub fn exp(x: f64) -> f64 {
    let halvings = (x / std::f64::consts::LN_2).floor();
    let rest = x - halvings * std::f64::consts::LN_2;
    let mut sum = 1.0;
    for k in (1..22).rev() {
        sum = 1.0 + sum * rest / k as f64;
    }
    sum * f64::from_bits(((halvings as i64 + 1023) as u64) << 52)
}

/// A sampler of small integers with given weights: Walker's alias method, one look-up a draw.
#[derive(Clone, Debug)]
pub struct Discrete {
    /// For each slot: below which 32-bit number the slot's own value is taken, else the alias.
    slots: Vec<(u32, u32)>,
    shift: u32,
}

impl Discrete {
    /// A sampler that returns `i` with probability proportional to `weights[i]`.
    ///
    /// # Panics
    /// When the weights are empty, or do not sum to a positive finite number.
    #[must_use]
    pub fn new(weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        assert!(total > 0.0 && total.is_finite(), "weights must sum to a positive number");
        // A power of two of slots, at least two, so that the slot is the draw's top bits.
        let n = weights.len().max(2).next_power_of_two();
        let mut scaled: Vec<f64> = weights.iter().map(|w| w / total * n as f64).collect();
        scaled.resize(n, 0.0);
        let mut slots: Vec<(u32, u32)> = (0..n as u32).map(|i| (u32::MAX, i)).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..n).partition(|&i| scaled[i] < 1.0);
        while let (Some(&poor), Some(&rich)) = (small.last(), large.last()) {
            small.pop();
            slots[poor] = ((scaled[poor] * 4_294_967_296.0) as u32, rich as u32);
            scaled[rich] -= 1.0 - scaled[poor];
            if scaled[rich] < 1.0 {
                large.pop();
                small.push(rich);
            }
        }
        Self { slots, shift: 64 - n.trailing_zeros() }
    }

    /// `floor(Exp(mean))`, at most `max`.
    #[must_use]
    pub fn floored_exponential(mean: f64, max: usize) -> Self {
        let tail = |k: usize| exp(-(k as f64 / mean).min(700.0));
        let mut weights: Vec<f64> = (0..max).map(|k| tail(k) - tail(k + 1)).collect();
        weights.push(tail(max));
        Self::new(&weights)
    }

    /// `min(max, low + Exp(mean))` rounded to the nearest integer, halves up.
    #[must_use]
    pub fn rounded_exponential(low: usize, mean: f64, max: usize) -> Self {
        let tail = |k: usize| {
            if k <= low { 1.0 } else { exp(-(((k - low) as f64 - 0.5) / mean).min(700.0)) }
        };
        let mut weights: Vec<f64> =
            (0..max).map(|k| if k < low { 0.0 } else { tail(k) - tail(k + 1) }).collect();
        weights.push(tail(max));
        Self::new(&weights)
    }

    /// One draw.
    #[inline]
    pub fn sample(&self, rng: &mut Rng) -> usize {
        let bits = rng.next_u64();
        let slot = (bits >> self.shift) as usize;
        let (threshold, alias) = self.slots[slot];
        if (bits as u32) < threshold { slot } else { alias as usize }
    }
}
