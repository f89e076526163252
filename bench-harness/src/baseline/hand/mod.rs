//! What a programmer would write by hand for one single query, without an engine.
//!
//! [`operator`] keeps the contract of a stream processor: events are pushed one at a time, and what
//! matches is handed out as the events themselves. [`scan`] does less: it reads an array to which it
//! can always go back, and knows the events of a match by their numbers alone. No stream processor
//! can do so; it is a lower bound.

pub mod operator;
pub mod scan;

/// `last - first` is at most this in the queries that have a window.
pub const WINDOW: i64 = 50;

/// The queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// Three events in a row.
    Strict,
    /// A rising closure under skip-till-next in a window.
    Rising,
    /// The same under skip-till-any.
    Any,
}

impl Query {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Strict, Self::Rising, Self::Any];

    /// A name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict three-step",
            Self::Rising => "rising closure",
            Self::Any => "any closure",
        }
    }

    /// The query as text.
    pub fn text(self) -> &'static str {
        match self {
            Self::Strict => {
                "PATTERN SEQ(stock a, stock b, stock c) WHERE strict_contiguity { a.volume > 500 \
                 AND b.volume <= 500 AND c.volume > 500 }"
            }
            Self::Rising => {
                "PATTERN SEQ(stock+ a[], stock b) WHERE skip_till_next_match { a[1].volume <= 100 \
                 AND a[i].price > a[i-1].price AND b.volume > 850 } WITHIN 50 ms"
            }
            Self::Any => {
                "PATTERN SEQ(stock+ a[], stock b) WHERE skip_till_any_match { a[1].volume <= 150 \
                 AND a[i].volume <= 150 AND a[i].price > a[i-1].price AND b.volume > 850 } \
                 WITHIN 50 ms"
            }
        }
    }
}
