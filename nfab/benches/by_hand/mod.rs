//! What is written by hand for one query each: an operator, and a loop over an array.

pub mod operator;
pub mod scan;

use nfab::{Event, Schema, Slot, TypeId, ValueRef, ValueType};

/// An event of the stream; its type is 0 to 3, its time its number.
#[derive(Clone, Copy, Debug)]
pub struct Tick {
    pub kind: u32,
    pub time: i64,
    pub symbol: i64,
    pub price: i64,
}

impl Event for Tick {
    fn event_type(&self) -> TypeId {
        TypeId(self.kind)
    }

    fn time(&self) -> i64 {
        self.time
    }

    fn attribute(&self, slot: Slot) -> ValueRef<'_> {
        match slot.0 {
            0 => ValueRef::Int(self.symbol),
            1 => ValueRef::Int(self.price),
            _ => ValueRef::Missing,
        }
    }
}

/// Where matches go.
pub trait Sink {
    /// A match: the times of its events, in their order.
    fn matched(&mut self, times: impl Iterator<Item = i64>);
}

/// The queries.
#[derive(Clone, Copy, Debug)]
pub enum Query {
    /// Three events in a row.
    Strict,
    /// Prices that rise, in a window of events.
    Rising,
    /// Every choice of the events in between.
    Any,
    /// Two events of one of very many symbols.
    Keyed,
}

impl Query {
    pub const ALL: [Self; 4] = [Self::Strict, Self::Rising, Self::Any, Self::Keyed];

    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Rising => "rising",
            Self::Any => "any",
            Self::Keyed => "keyed",
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            Self::Strict => "PATTERN SEQ(A a, B b, C c) WHERE strict_contiguity",
            Self::Rising => {
                "PATTERN SEQ(A+ a[]) WHERE skip_till_next_match { a[i].price > a[i-1].price } \
                 WITHIN 50 EVENTS"
            }
            Self::Any => "PATTERN SEQ(A a, B+ b[], C c) WHERE skip_till_any_match WITHIN 50 ms",
            Self::Keyed => {
                "PATTERN SEQ(A a, B b) WHERE skip_till_next_match \
                 { [symbol] AND b.price > a.price } WITHIN 5000 ms"
            }
        }
    }

    /// How many of a hundred events are A, B and C; the others are D.
    fn percent(self) -> [u64; 3] {
        match self {
            Self::Strict | Self::Keyed => [40, 30, 20],
            Self::Rising => [100, 0, 0],
            Self::Any => [5, 10, 5],
        }
    }

    /// Its events, always the same.
    pub fn stream(self, events: usize) -> Vec<Tick> {
        let percent = self.percent();
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut random = |bound: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) % bound
        };
        let tick = |time: usize| {
            let mut kind = random(100);
            let mut of = 0;
            while of < 3 && kind >= percent[of] {
                kind -= percent[of];
                of += 1;
            }
            let (symbol, price) = (random(1000) as i64, random(1000) as i64);
            Tick { kind: of as u32, time: time as i64, symbol, price }
        };
        (0..events).map(tick).collect()
    }
}

/// The names that the queries use.
pub fn schema() -> Schema {
    let mut schema = Schema::new();
    for name in ["A", "B", "C", "D"] {
        schema.add_type(name);
    }
    schema.add_attribute("symbol", Some(ValueType::Int));
    schema.add_attribute("price", Some(ValueType::Int));
    schema
}

/// The places of the ones in a set of bits.
fn members(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(at)
    })
}
