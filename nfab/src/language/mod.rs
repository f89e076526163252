//! The query language: SASE+ text, parsed into a [`Query`].
//!
//! ```
//! use nfab::language::{EdgeKind, Query, place};
//!
//! let query = Query::parse(
//!     "PATTERN SEQ(Stock+ a[], Stock b)
//!      WHERE skip_till_next_match {
//!          [symbol] AND a[1].volume > 1000
//!          AND a[i].price > avg(a[..i-1].price)
//!          AND b.volume < 0.8 * a[a.LEN].volume
//!      }
//!      WITHIN 1 hour",
//! )?;
//! assert_eq!(Query::parse(&query.to_string())?, query);
//! let edge = &place(&query).predicates[1].edges[0];
//! assert_eq!((&*edge.variable, edge.kind), ("a", EdgeKind::Take));
//! # Ok::<(), nfab::Error>(())
//! ```
//!
//! # Grammar
//!
//! Keywords in any case; `--` begins a comment that ends with the line.
//!
//! ```text
//! query     := [FROM name] PATTERN SEQ(items)
//!              [WHERE [strategy]] [{ predicate {AND predicate} }]
//!              [WITHIN n unit | WITHIN n EVENTS] [AFTER MATCH skip] [RETURN result {, result}]
//! items     := item {gap item}              gap := , | -> | ->> | ->>>
//! item      := [~ | !] Type v | Type? v | Type+ v[] | Type* v[] | Type{n,m} v[]
//!            | SEQ(items) [? | + | * | {n,m}] | OR(item {, item}) | AND(item {, item})
//! strategy  := strict_contiguity | partition_contiguity
//!            | skip_till_next_match | skip_till_any_match       (each optionally with `(v, w[])`)
//! predicate := [attr {, attr}] | expression
//! term      := number | string | true | false
//!            | v.attr | v[1].attr | v[i].attr | v[i-1].attr | v[v.LEN].attr
//!            | agg(v[..i-1].attr) | agg(v[].attr) | count(v[..i-1]) | count(v[])
//! agg       := avg | min | max | sum | count | first | last
//! unit      := ms | s | second(s) | m | min | minute(s) | h | hour(s) | d | day(s)
//! skip      := NO SKIP | SKIP TO NEXT | SKIP PAST LAST [EVENT] | SKIP TO FIRST v | SKIP TO LAST v
//! result    := v | v[] | expression, each optionally with AS label
//! ```
//!
//! From loose to tight: `or`, `and`, `not`, then comparisons (`= != < <= > >=`, also `==` and `<>`)
//! with `in (...)`, `between .. and ..` and `is null`, which do not chain, then `+ -`, then
//! `* / %`, then the sign. `{n}` and `{n,}` are `{n,n}` and "at least n". Strings stand in `'..'` or
//! `".."`; a name that is no word or is reserved stands in backquotes; the quote is doubled inside.
//!
//! # Meaning
//!
//! - A `,` follows the strategy of the query, `->` asks for the very next event, `->>` for the next
//!   one that fits, `->>>` for any later one. Without a strategy it is `skip_till_next_match`.
//! - The window is **inclusive**: an event exactly `n` units after the first is inside. (In the
//!   builder it is exclusive.)
//! - A reference to a variable without event (`?`, another alternative of an `OR`) is missing, as is
//!   an attribute that an event does not have. A predicate over it is unknown and does not hold; `is
//!   null` tells.
//! - `v[i]` is each event of the list from the second on, `v[1]` the first: what is to hold for all
//!   of them is said of both, as in `v[1].x > 5 AND v[i].x > 5`.
//! - In a repeated group, a single event is for the group what a list's event is for its list. From
//!   inside the group `v.x` is the event of this round, `v[i-1].x` that of the round before,
//!   `agg(v[..i-1].x)` spans the earlier rounds; a list inside the group starts anew each round. From
//!   outside, `v[1]`, `v[v.LEN]` and `agg(v[].x)` span all rounds.
//! - A negated event in the middle must not occur strictly between its neighbours, one at an end not
//!   within the window.
//!
//! - A pattern that can end with a list, or with absent items, gives each prefix that is a match
//!   under `skip_till_any_match`, and only the longest ones under the other strategies; see
//!   [`KleeneOutput`](crate::KleeneOutput).
//!
//! The lexer and the parser make the tree, [`Query::check`] refuses what contradicts itself,
//! [`place`] says on which edge of the automaton a predicate is tested, and `Display` writes the
//! canonical text. [`Automaton::from_query`](crate::Automaton::from_query) compiles a query, and
//! [`Projection`] its `RETURN` clause.
//!
//! Compiling refuses two things that would have to be judged on complete matches and cannot be: a
//! negated event that looks at later ones from inside a repeated group, or from an end of a group
//! that may be absent; and a negated event in an item of an `AND` that may be absent, at an end of the
//! pattern, since where that item stands is open.

mod ast;
mod check;
mod cursor;
mod display;
mod expr_parser;
mod fault;
mod lexer;
mod parser;
mod place;
mod project;
mod types;
mod variables;

pub use ast::*;
pub use place::{Edge, EdgeKind, Placed, Placement, place};
pub(crate) use place::{attributes, parts};
pub use project::{Projection, Returned};
pub use variables::Variable;

use crate::Error;

impl Query {
    /// Most brackets, operators and groups around one place of a query.
    pub const MAX_NESTING: usize = 128;
    /// Most events, groups included, of a pattern.
    pub const MAX_ITEMS: usize = 1024;
    /// Most items of one `AND`: their orders are many.
    pub const MAX_AND_ITEMS: usize = 6;
    /// Most terms and operators of a query.
    pub const MAX_TERMS: usize = 16_384;
    /// Largest number in `{n,m}`.
    pub const MAX_REPETITIONS: u32 = 65_535;

    /// Parses and checks a query.
    ///
    /// # Errors
    /// [`ErrorKind::Query`](crate::ErrorKind::Query) for text that does not follow the grammar, and
    /// those of [`Query::check`]; with the byte range of the fault and, where there is something to
    /// say, a hint.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let parsed = parser::parse(text).and_then(|query| query.check().map(|()| query));
        parsed.map_err(|error| error.with_text(text))
    }

    /// Checks what the grammar cannot say: names are bound once and known where they are used,
    /// references have a form that their variable allows, negations can be concluded, types fit.
    ///
    /// # Errors
    /// [`ErrorKind::Name`](crate::ErrorKind::Name) for names,
    /// [`ErrorKind::Pattern`](crate::ErrorKind::Pattern) for a pattern or a reference that makes no
    /// sense, [`ErrorKind::Type`](crate::ErrorKind::Type) for operators on the wrong kind of value,
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) for what is too large.
    pub fn check(&self) -> Result<(), Error> {
        check::check(self)
    }

    /// The strategy, by default [`Strategy::SkipTillNextMatch`].
    #[must_use]
    pub fn strategy(&self) -> Strategy {
        self.strategy.unwrap_or(Strategy::SkipTillNextMatch)
    }

    /// The attributes of all equivalences: the partition key. Empty without one.
    pub fn partition(&self) -> impl Iterator<Item = &Name> {
        self.predicates.iter().flat_map(|predicate| match predicate {
            Predicate::Equivalence { attributes, .. } => attributes.as_slice(),
            Predicate::Condition(_) => &[],
        })
    }

    /// The variables in the order of the text.
    #[must_use]
    pub fn variables(&self) -> Vec<Variable<'_>> {
        variables::variables(&self.pattern)
    }
}

impl Window {
    /// The length in milliseconds; `None` for a number of events and beyond `i64`.
    #[must_use]
    pub fn milliseconds(self) -> Option<i64> {
        match self {
            Window::Time { amount, unit } => {
                i64::try_from(amount).ok()?.checked_mul(unit.milliseconds())
            }
            Window::Events(_) => None,
        }
    }
}

impl Unit {
    /// The unit in milliseconds.
    #[must_use]
    pub fn milliseconds(self) -> i64 {
        match self {
            Unit::Millisecond => 1,
            Unit::Second => 1000,
            Unit::Minute => 60_000,
            Unit::Hour => 3_600_000,
            Unit::Day => 86_400_000,
        }
    }
}

impl ReturnItem {
    /// The name of the result: its label, or what is returned as it is written.
    #[must_use]
    pub fn name(&self) -> String {
        match (&self.label, &self.value) {
            (Some(label), _) => label.text.to_string(),
            (None, ReturnValue::Events(variable)) => variable.text.to_string(),
            (None, ReturnValue::Value(expr)) => expr.to_string(),
        }
    }
}
