//! The patterns as sequences of symbol numbers.

use crate::{Operand, PatternId, PatternSet, Term};

/// Patterns as sequences of symbol numbers: all that planning has to know of them.
///
/// A symbol is an event type together with the predicates of its position, so that equal symbols
/// mean equal conditions. A predicate between positions looks back by a number of positions; the
/// largest such number of a symbol is its *reach*. A composite must not begin inside that reach,
/// for it is recognised without knowing what stands before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sequences {
    sequences: Vec<Vec<u32>>,
    symbols: u32,
    reach: Vec<u32>,
    names: Vec<String>,
    ids: Vec<String>,
}

impl Sequences {
    /// Sequences of symbols that do not look back. Symbols are numbered from 0 on.
    ///
    /// An empty sequence is never matched.
    pub fn new(sequences: impl IntoIterator<Item = Vec<u32>>) -> Self {
        let sequences: Vec<_> = sequences.into_iter().collect();
        let symbols =
            sequences.iter().flatten().map(|&symbol| symbol.saturating_add(1)).max().unwrap_or(0);
        Self { sequences, symbols, ..Self::default() }
    }

    /// The reach of each symbol; those left out do not look back.
    #[must_use]
    pub fn reach(mut self, reach: Vec<u32>) -> Self {
        self.reach = reach;
        self
    }

    /// Names of the symbols, for people.
    #[must_use]
    pub fn names<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.names = names.into_iter().map(Into::into).collect();
        self
    }

    /// Identifiers of the patterns, for people.
    #[must_use]
    pub fn ids<S: Into<String>>(mut self, ids: impl IntoIterator<Item = S>) -> Self {
        self.ids = ids.into_iter().map(Into::into).collect();
        self
    }

    /// Number of patterns.
    pub fn len(&self) -> usize {
        self.sequences.len()
    }

    /// Whether there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.sequences.is_empty()
    }

    /// Number of symbols: all symbols are below it, or [`u32::MAX`].
    pub fn symbols(&self) -> u32 {
        self.symbols
    }

    /// The sequence of a pattern.
    pub fn sequence(&self, pattern: usize) -> Option<&[u32]> {
        self.sequences.get(pattern).map(Vec::as_slice)
    }

    /// All sequences, in the order of the patterns.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> + '_ {
        self.sequences.iter().map(Vec::as_slice)
    }

    /// How many positions the predicates of a symbol look back.
    pub fn reach_of(&self, symbol: u32) -> u32 {
        self.reach.get(symbol as usize).copied().unwrap_or(0)
    }

    /// The name of a symbol; `s3` if it was given none.
    pub fn name(&self, symbol: u32) -> String {
        self.names.get(symbol as usize).cloned().unwrap_or_else(|| format!("s{symbol}"))
    }

    /// The identifier of a pattern; `SEQ1` for the first if it was given none.
    pub fn id(&self, pattern: usize) -> String {
        self.ids.get(pattern).cloned().unwrap_or_else(|| format!("SEQ{}", pattern + 1))
    }
}

impl From<&PatternSet> for Sequences {
    fn from(set: &PatternSet) -> Self {
        let mut reach = vec![0; set.symbols()];
        let mut names = vec![String::new(); set.symbols()];
        let numbers = (0..set.len() as u32).map(PatternId);
        for (pattern, number) in set.patterns().iter().zip(numbers.clone()) {
            let symbols = set.sequence(number);
            for (at, (operand, &symbol)) in pattern.operands().iter().zip(symbols).enumerate() {
                let (reach, name) = (&mut reach[symbol as usize], &mut names[symbol as usize]);
                if name.is_empty() {
                    *name = show(operand, at);
                    *reach = farthest(operand, at);
                }
            }
        }
        Sequences::new(numbers.map(|number| set.sequence(number).to_vec()))
            .reach(reach)
            .names(names)
            .ids(set.patterns().iter().map(|pattern| pattern.id()))
    }
}

/// How many positions the conditions of the operand at a position look back.
fn farthest(operand: &Operand, at: usize) -> u32 {
    let terms = operand.conditions().iter().flat_map(|one| [&one.left, &one.right]);
    let back = terms.filter_map(|term| match term {
        Term::Of(position, _) => Some((at - position) as u32),
        Term::Own(_) | Term::Value(_) => None,
    });
    back.max().unwrap_or(0)
}

/// The operand at a position, with earlier events named by how far they stand before it.
fn show(operand: &Operand, at: usize) -> String {
    let term = |term: &Term| match term {
        Term::Own(name) => name.to_string(),
        Term::Of(position, name) if position + 1 == at => format!("prev.{name}"),
        Term::Of(position, name) => format!("prev{}.{name}", at - position),
        Term::Value(value) => value.to_string(),
    };
    let conditions = operand.conditions().iter();
    let shown: Vec<String> = conditions
        .map(|one| format!("{} {} {}", term(&one.left), one.relation, term(&one.right)))
        .collect();
    if shown.is_empty() {
        operand.event_type().to_owned()
    } else {
        format!("{}[{}]", operand.event_type(), shown.join(" AND "))
    }
}
