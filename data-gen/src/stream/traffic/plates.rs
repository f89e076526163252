//! Number plates, and how cameras read them.

use super::super::sighting::Label;
use crate::seed::{Rng, exp, ln};

/// The characters after the first, which is the same on all plates.
const CHARACTERS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Characters after the first.
const LENGTH: usize = 5;

/// So many different plates there can be.
pub(super) const MOST: u64 = (CHARACTERS.len() as u64).pow(LENGTH as u32);

/// What looks like what. A character without a line here is taken for any other.
const LOOKALIKES: [(u8, &[u8]); 21] = [
    (b'0', b"OD8Q"),
    (b'1', b"7IT"),
    (b'2', b"Z7"),
    (b'3', b"8B"),
    (b'4', b"A"),
    (b'5', b"S6"),
    (b'6', b"G8"),
    (b'7', b"1T"),
    (b'8', b"B03"),
    (b'9', b"G8"),
    (b'A', b"4"),
    (b'B', b"83"),
    (b'D', b"0O"),
    (b'G', b"6C"),
    (b'I', b"1L"),
    (b'O', b"0DQ"),
    (b'Q', b"0O"),
    (b'S', b"5"),
    (b'T', b"71"),
    (b'Z', b"27"),
    (b'V', b"YU"),
];

/// The plate of a number below [`MOST`].
pub(super) fn plate(number: u64) -> Label {
    let mut text = *b"B00000";
    let mut rest = number;
    for place in text[1..].iter_mut().rev() {
        *place = CHARACTERS[(rest % CHARACTERS.len() as u64) as usize];
        rest /= CHARACTERS.len() as u64;
    }
    Label::ascii(&text)
}

/// Another plate that looks alike: one character is taken for another.
pub(super) fn confused(plate: Label, rng: &mut Rng) -> Label {
    let mut text = [0; 1 + LENGTH];
    text.copy_from_slice(plate.as_str().as_bytes());
    let at = 1 + rng.below(LENGTH as u64) as usize;
    let there = text[at];
    text[at] = match LOOKALIKES.iter().find(|(character, _)| *character == there) {
        Some((_, alike)) => *rng.pick(alike),
        None => loop {
            let other = *rng.pick(CHARACTERS);
            if other != there {
                break other;
            }
        },
    };
    Label::ascii(&text)
}

/// Units of a probability of a reading: ten-thousandths.
pub(super) const UNITS: u64 = 10_000;

/// Of the mass that the first reading leaves, so much is the second's.
const SECOND: (u64, u64) = (9, 10);

/// A second reading below this probability is not told: 0.01.
const LEAST: u64 = UNITS / 100;

/// What a camera makes of a plate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reading {
    pub(super) first: (Label, u64),
    pub(super) second: Option<(Label, u64)>,
}

/// Reads a plate. The first reading is right with its probability and so is the second, exactly; on
/// average a share `misread` of the first ones is wrong.
pub(super) fn read(truth: Label, misread: f64, rng: &mut Rng) -> Reading {
    // The doubt is u^k / 2, whose mean is 1 / (2 k + 2).
    let doubt = if misread > 0.0 {
        let k = 0.5 / misread - 1.0;
        0.5 * exp((k * ln(1.0 - rng.unit())).max(-700.0))
    } else {
        0.0
    };
    let first = UNITS - (doubt * UNITS as f64 + 0.5) as u64;
    let second = (UNITS - first) * SECOND.0 / SECOND.1;
    let which = rng.below(UNITS);
    let look = |rng: &mut Rng| confused(truth, rng);
    let (one, other) = if which < first {
        (truth, look(rng))
    } else if which < first + second {
        (look(rng), truth)
    } else {
        let one = look(rng);
        let other = loop {
            let other = confused(one, rng);
            if other != truth {
                break other;
            }
        };
        (one, other)
    };
    Reading { first: (one, first), second: (second >= LEAST).then_some((other, second)) }
}
