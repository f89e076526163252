//! The storage layer: what is written is read back, and what is damaged is never taken for sound.

mod checkpoint;
mod directory;
mod payload;
mod segments;
mod store;

use proptest::prelude::*;
use ujoin::storage::{SegmentKind, SegmentOrder, SegmentSpec};
use ujoin::{Probability, Tuple};

/// A tuple that any number makes, all fields different.
pub fn tuple(seq: u64) -> Tuple {
    let n = seq.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Tuple {
        seq,
        observation: n ^ 1,
        key: n >> 20,
        time: (n as i64) >> 8,
        stream: (n % 1000) as u32,
        probability: Probability::from_nanos((n % 1_000_000_000) as u32 + 1).unwrap(),
    }
}

pub fn tuples(range: std::ops::Range<u64>) -> Vec<Tuple> {
    range.map(tuple).collect()
}

/// Tuples with any contents.
pub fn any_tuple() -> impl Strategy<Value = Tuple> {
    (any::<u64>(), any::<u64>(), any::<u64>(), any::<i64>(), any::<u32>(), 1..=1_000_000_000_u32)
        .prop_map(|(seq, observation, key, time, stream, p)| Tuple {
            seq,
            observation,
            key,
            time,
            stream,
            probability: Probability::from_nanos(p).unwrap(),
        })
}

pub const SPILLED: SegmentSpec =
    SegmentSpec { kind: SegmentKind::Spilled, order: SegmentOrder::Bucket, shard: 3, out: 77 };
pub const ARRIVALS: SegmentSpec =
    SegmentSpec { kind: SegmentKind::Arrivals, order: SegmentOrder::Seq, shard: 0, out: 0 };
