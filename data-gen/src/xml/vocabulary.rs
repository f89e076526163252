//! Invented words and names: composed of syllables, the same for every seed.

use crate::seed::{Discrete, Rng};
use std::collections::HashSet;

/// Bytes a word takes in the table: at most 14 letters, a space, and the length in the last byte.
pub(super) const SLOT: usize = 16;

/// Words in the prose list.
pub(super) const WORDS: usize = 17_000;

/// First and last names in each of the two lists.
pub(super) const NAMES: usize = 10_000;

const ONSETS: &[&str] = &[
    "b", "br", "c", "ch", "d", "dr", "f", "g", "gl", "gr", "h", "j", "k", "l", "m", "n", "p", "pl",
    "pr", "qu", "r", "s", "sl", "st", "t", "th", "tr", "v", "w", "y", "z",
];
const NUCLEI: &[&str] = &["a", "e", "i", "o", "u", "a", "e", "o", "ai", "ea", "io", "ou"];
const CODAS: &[&str] = &["", "", "", "l", "m", "n", "r", "s", "t", "nd", "rt", "st", "ck", "ng"];

/// `count` distinct lower-case words; `lengths[n]` is the weight of the length `n`.
pub(super) fn invent(list: &str, count: usize, lengths: &[f64]) -> Vec<Vec<u8>> {
    let mut rng = Rng::new(VOCABULARY_SEED, list);
    let length = Discrete::new(lengths);
    let mut seen = HashSet::new();
    let mut words = Vec::with_capacity(count);
    while words.len() < count {
        let wanted = length.sample(&mut rng);
        // A list may ask for more short words than there are: then take the next length up.
        for attempt in 0.. {
            let letters = wanted + attempt / 64;
            let mut word = Vec::new();
            if rng.below(6) == 0 {
                word.extend_from_slice(rng.pick_bytes(NUCLEI));
            }
            while word.len() < letters {
                word.extend_from_slice(rng.pick_bytes(ONSETS));
                word.extend_from_slice(rng.pick_bytes(NUCLEI));
                word.extend_from_slice(rng.pick_bytes(CODAS));
            }
            word.truncate(letters);
            if seen.insert(word.clone()) {
                words.push(word);
                break;
            }
        }
    }
    words
}

/// The lists do not depend on the user's seed: only which words are drawn does.
const VOCABULARY_SEED: u64 = 92;

/// The prose list with its sampler: index min(16999, floor(Exp(3400))).
pub(super) struct Words {
    slots: Vec<[u8; SLOT]>,
    index: Discrete,
}

impl Words {
    pub(super) fn new() -> Self {
        let lengths = [0.0, 0.0, 0.0, 7.0, 14.0, 18.0, 20.0, 17.0, 12.0, 7.0, 3.5, 1.5, 0.5];
        let slots = invent("words", WORDS, &lengths)
            .iter()
            .map(|word| {
                let mut slot = [b' '; SLOT];
                slot[..word.len()].copy_from_slice(word);
                slot[SLOT - 1] = word.len() as u8 + 1;
                slot
            })
            .collect();
        Self { slots, index: Discrete::floored_exponential(3400.0, WORDS - 1) }
    }

    /// One word and the space after it, copied to the front of `to`, which must hold `SLOT` bytes
    /// more than that; returns the bytes that count.
    #[inline]
    pub(super) fn put(&self, rng: &mut Rng, to: &mut [u8]) -> usize {
        let slot = &self.slots[self.index.sample(rng)];
        to[..SLOT].copy_from_slice(slot);
        usize::from(slot[SLOT - 1])
    }

    /// One word, without the space.
    pub(super) fn word(&self, rng: &mut Rng) -> &[u8] {
        let slot = &self.slots[self.index.sample(rng)];
        &slot[..usize::from(slot[SLOT - 1]) - 1]
    }
}

/// First and last names with their sampler: index min(9999, floor(Exp(10000/3))).
pub(super) struct Names {
    pub(super) first: Vec<Vec<u8>>,
    pub(super) last: Vec<Vec<u8>>,
    index: Discrete,
}

impl Names {
    pub(super) fn new() -> Self {
        let first = [0.0, 0.0, 0.0, 6.0, 12.0, 20.0, 26.0, 20.0, 11.0, 4.0, 1.0];
        let last = [0.0, 0.0, 0.0, 0.0, 5.0, 11.0, 18.0, 22.0, 20.0, 13.0, 7.0, 3.0, 1.0];
        Self {
            first: capitalised(invent("first names", NAMES, &first)),
            last: capitalised(invent("last names", NAMES, &last)),
            index: Discrete::floored_exponential(NAMES as f64 / 3.0, NAMES - 1),
        }
    }

    pub(super) fn first(&self, rng: &mut Rng) -> &[u8] {
        &self.first[self.index.sample(rng)]
    }

    pub(super) fn last(&self, rng: &mut Rng) -> &[u8] {
        &self.last[self.index.sample(rng)]
    }
}

/// The words with their first letters in upper case.
pub(super) fn capitalised(mut words: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    for word in &mut words {
        if let Some(letter) = word.first_mut() {
            letter.make_ascii_uppercase();
        }
    }
    words
}
