//! Regular expressions over pattern nodes: normal form and measures.
//!
//! Expressions are kept in a normal form, so that equal texts up to superfluous parentheses give
//! equal expressions: no `Concat` directly in a `Concat`, no `Alt` directly in an `Alt`, no list of
//! one part, `x{1}` is `x`, and directly nested `*`, `+`, `?` are one (`x+?` is `x*`).

use super::{NodeId, Regex};

impl Regex {
    /// The concatenation of one or more parts, in normal form.
    pub(crate) fn concat(parts: Vec<Regex>) -> Regex {
        Self::join(parts, Regex::Concat, |part| match part {
            Regex::Concat(inner) => Ok(inner),
            other => Err(other),
        })
    }

    /// The alternation of one or more parts, in normal form.
    pub(crate) fn alt(parts: Vec<Regex>) -> Regex {
        Self::join(parts, Regex::Alt, |part| match part {
            Regex::Alt(inner) => Ok(inner),
            other => Err(other),
        })
    }

    fn join(
        mut parts: Vec<Regex>,
        wrap: fn(Vec<Regex>) -> Regex,
        open: fn(Regex) -> Result<Vec<Regex>, Regex>,
    ) -> Regex {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match open(part) {
                Ok(inner) => flat.extend(inner),
                Err(part) => flat.push(part),
            }
        }
        wrap(flat)
    }

    /// A repetition in normal form. `max` is at least 1 and at least `min`.
    pub(crate) fn repeat(inner: Regex, min: u32, max: Option<u32>) -> Regex {
        let simple = |min: u32, max: Option<u32>| min <= 1 && max.is_none_or(|n| n <= 1);
        if (min, max) == (1, Some(1)) {
            return inner;
        }
        match inner {
            Regex::Repeat { inner, min: m, max: n } if simple(min, max) && simple(m, n) => {
                Regex::Repeat { inner, min: min * m, max: max.and(n) }
            }
            inner => Regex::Repeat { inner: Box::new(inner), min, max },
        }
    }

    /// Calls `f` for every symbol occurrence from left to right.
    pub fn for_each_symbol(&self, f: &mut impl FnMut(NodeId)) {
        match self {
            Regex::Symbol(id) => f(*id),
            Regex::Concat(parts) | Regex::Alt(parts) => {
                parts.iter().for_each(|p| p.for_each_symbol(f));
            }
            Regex::Repeat { inner, .. } => inner.for_each_symbol(f),
        }
    }

    /// The same expression over other nodes.
    pub(crate) fn rename(&mut self, f: &impl Fn(NodeId) -> NodeId) {
        match self {
            Regex::Symbol(id) => *id = f(*id),
            Regex::Concat(parts) | Regex::Alt(parts) => {
                parts.iter_mut().for_each(|p| p.rename(f));
            }
            Regex::Repeat { inner, .. } => inner.rename(f),
        }
    }

    /// Whether the empty word belongs to the language.
    #[must_use]
    pub fn nullable(&self) -> bool {
        match self {
            Regex::Symbol(_) => false,
            Regex::Concat(parts) => parts.iter().all(Regex::nullable),
            Regex::Alt(parts) => parts.iter().any(Regex::nullable),
            Regex::Repeat { inner, min, .. } => *min == 0 || inner.nullable(),
        }
    }

    /// The number of symbol positions once every `{m,n}` is written out as `n` copies, and `{m,}`
    /// as `m`; saturating.
    #[must_use]
    pub fn positions(&self) -> u64 {
        match self {
            Regex::Symbol(_) => 1,
            Regex::Concat(parts) | Regex::Alt(parts) => {
                parts.iter().map(Regex::positions).fold(0, u64::saturating_add)
            }
            Regex::Repeat { inner, min, max } => {
                inner.positions().saturating_mul(copies(*min, *max))
            }
        }
    }
}

/// How many copies of the inner expression a repetition needs when it is written out.
pub(crate) fn copies(min: u32, max: Option<u32>) -> u64 {
    max.unwrap_or(min.max(1)).into()
}
