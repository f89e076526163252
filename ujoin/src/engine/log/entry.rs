//! How an arrival is stored: 16 bytes that every probe of its chain looks at, 32 that results need.

use crate::{Probability, StreamId, Tuple};

/// What a probe looks at: a quarter of a cache line.
#[derive(Clone, Copy)]
pub(super) struct Hot {
    /// Bits of the spread key. Equal keys have equal ones; the rest of the key is in [`Cold`].
    pub(super) tag: u32,
    /// Distance to the entry before in the bucket; 0: none.
    pub(super) back: u32,
    /// The probability in billionths, which takes 30 bits, and above it the [`Kin`].
    likely: u32,
    /// The stream; of an entry in a run, the number of the run, which knows the streams.
    stream: u32,
}

/// What only results need: half a cache line.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct Cold {
    pub(super) seq: u64,
    pub(super) observation: u64,
    pub(super) key: u64,
    pub(super) time: i64,
}

/// What is known of an entry's elders: those of its tag in its chain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kin {
    /// It had none when it came. A search for the tag ends here, which spares it what lies behind:
    /// memory that nobody has looked at for long.
    First,
    /// It may have some.
    Some,
    /// It is in the run of this number.
    Run(u32),
}

const FIRST: u32 = 0;
const SOME: u32 = 1 << BITS;
const RUN: u32 = 2 << BITS;
/// Bits of a probability.
const BITS: u32 = 30;
const _: () = assert!(Probability::ONE.nanos() < 1 << BITS);

pub(super) const NO_HOT: Hot = Hot { tag: 0, back: 0, likely: FIRST, stream: 0 };
pub(super) const NO_COLD: Cold = Cold { seq: 0, observation: 0, key: 0, time: 0 };

impl Hot {
    #[inline]
    pub(super) fn new(tuple: &Tuple, tag: u32, back: u32, kin: Kin) -> Hot {
        let (state, stream) = match kin {
            Kin::First => (FIRST, tuple.stream),
            Kin::Some => (SOME, tuple.stream),
            Kin::Run(run) => (RUN, run),
        };
        Hot { tag, back, likely: tuple.probability.nanos() | state, stream }
    }

    #[inline]
    pub(super) fn nanos(&self) -> u32 {
        self.likely & ((1 << BITS) - 1)
    }

    pub(super) fn probability(&self) -> Probability {
        // It was one before.
        Probability::from_nanos(self.nanos()).unwrap_or(Probability::ONE)
    }

    #[inline]
    pub(super) fn kin(&self) -> Kin {
        match self.likely & !((1 << BITS) - 1) {
            FIRST => Kin::First,
            SOME => Kin::Some,
            _ => Kin::Run(self.stream),
        }
    }

    #[inline]
    pub(super) fn is_first(&self) -> bool {
        self.likely < SOME
    }

    #[inline]
    pub(super) fn is_in_run(&self) -> bool {
        self.likely >= RUN
    }

    /// The stream, unless it is in a run.
    #[inline]
    pub(super) fn stream(&self) -> StreamId {
        self.stream
    }

    pub(super) fn enter_run(&mut self, run: u32) {
        (self.likely, self.stream) = (self.nanos() | RUN, run);
    }

    pub(super) fn leave_run(&mut self, stream: StreamId) {
        (self.likely, self.stream) = (self.nanos() | SOME, stream);
    }
}

impl Cold {
    #[inline]
    pub(super) fn new(tuple: &Tuple) -> Cold {
        let Tuple { seq, observation, key, time, .. } = *tuple;
        Cold { seq, observation, key, time }
    }

    /// The tuple, with what [`Hot`] has of it.
    #[inline]
    pub(super) fn tuple(&self, stream: StreamId, probability: Probability) -> Tuple {
        let Cold { seq, observation, key, time } = *self;
        Tuple { seq, observation, key, time, stream, probability }
    }
}
