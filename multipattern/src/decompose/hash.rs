//! Hashes of sequences, such that those of their parts are had by arithmetic.
//!
//! Look-ups go by these hashes alone. Two sequences with the same hash can only make the planner
//! miss or refuse a word: every word is compared with what it has to stand for before it is taken.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The modulus, a Mersenne prime.
const PRIME: u64 = (1 << 61) - 1;
const BASE: u64 = 0x1F35_2C9B_71D3_0A55;

/// A map whose keys are hashes or small numbers.
pub(super) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;

/// Multiplies and folds.
#[derive(Default)]
pub(super) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0.rotate_left(23) ^ value).wrapping_add(0xA24B_AED4_963E_E407);
        let product = u128::from(mixed) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

/// The key of a tail that begins with `label`, from that of what follows.
pub(super) fn mix(key: u64, label: u32) -> u64 {
    let mut mixer = Mixer(key);
    mixer.write_u32(label);
    mixer.0
}

fn reduce(value: u64) -> u64 {
    if value >= PRIME { value - PRIME } else { value }
}

fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    reduce((product as u64 & PRIME) + (product >> 61) as u64)
}

/// The hash of a sequence with one more symbol.
pub(super) fn push(hash: u64, symbol: u32) -> u64 {
    reduce(multiply(hash, BASE) + u64::from(symbol) + 1)
}

/// Powers of the base.
pub(super) struct Powers(Vec<u64>);

impl Powers {
    /// For sequences of at most so many symbols.
    pub fn new(longest: usize) -> Self {
        let mut powers = Vec::with_capacity(longest + 1);
        let mut power = 1;
        for _ in 0..=longest {
            powers.push(power);
            power = multiply(power, BASE);
        }
        Self(powers)
    }

    pub fn longest(&self) -> usize {
        self.0.len() - 1
    }

    /// The hash of two sequences one after the other; the second has `length` symbols.
    pub fn join(&self, front: u64, back: u64, length: usize) -> u64 {
        reduce(multiply(front, self.0[length]) + back)
    }

    /// The hash of `from..to`, given those of all beginnings.
    pub fn part(&self, beginnings: &[u64], from: usize, to: usize) -> u64 {
        reduce(beginnings[to] + PRIME - multiply(beginnings[from], self.0[to - from]))
    }
}

/// The hashes of all beginnings of a sequence, that of the empty one first.
pub(super) fn beginnings(sequence: &[u32]) -> Vec<u64> {
    let mut hash = 0;
    let mut all = Vec::with_capacity(sequence.len() + 1);
    all.push(hash);
    for &symbol in sequence {
        hash = push(hash, symbol);
        all.push(hash);
    }
    all
}
