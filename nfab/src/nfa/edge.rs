//! Edges: what a run may do with an event, and when.

/// What an edge does with the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeKind {
    /// Consumes and keeps the event and moves to another state.
    Begin,
    /// Consumes and keeps the event and stays.
    Take,
    /// Consumes the event without keeping it.
    Ignore,
    /// Consumes nothing: the event is tried in the other state.
    Proceed,
}

impl EdgeKind {
    /// The event is used up.
    #[must_use]
    pub fn consumes(self) -> bool {
        self != EdgeKind::Proceed
    }

    /// The event becomes part of the match.
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(self, EdgeKind::Begin | EdgeKind::Take)
    }

    /// The name in NFA^b.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EdgeKind::Begin => "begin",
            EdgeKind::Take => "take",
            EdgeKind::Ignore => "ignore",
            EdgeKind::Proceed => "proceed",
        }
    }
}

/// When an edge is open: conditions of the pattern, each of which holds or does not. (An unknown
/// condition does not hold; its negation here does, so that a run waits on over events that its
/// condition cannot judge.)
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Formula {
    True,
    Holds(u32),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
}

impl Formula {
    pub(crate) fn and(self, other: Formula) -> Formula {
        match (self, other) {
            (Formula::True, one) | (one, Formula::True) => one,
            (a, b) if a == b => a,
            (a, b) => Formula::And(Box::new(a), Box::new(b)),
        }
    }

    pub(crate) fn negated(self) -> Formula {
        match self {
            Formula::Not(inner) => *inner,
            other => Formula::Not(Box::new(other)),
        }
    }

    /// All of several formulas: a balanced tree, since queries may have thousands of conditions.
    pub(crate) fn all(formulas: impl IntoIterator<Item = Formula>) -> Formula {
        fn balanced(all: &mut [Formula]) -> Formula {
            match all {
                [] => Formula::True,
                [one] => std::mem::replace(one, Formula::True),
                all => {
                    let (left, right) = all.split_at_mut(all.len() / 2);
                    balanced(left).and(balanced(right))
                }
            }
        }
        balanced(&mut formulas.into_iter().collect::<Vec<_>>())
    }

    /// At least one of several formulas.
    pub(crate) fn any(formulas: impl IntoIterator<Item = Formula>) -> Formula {
        let formulas: Vec<Formula> = formulas.into_iter().collect();
        if formulas.contains(&Formula::True) {
            return Formula::True;
        }
        Formula::all(formulas.into_iter().map(Formula::negated)).negated()
    }

    /// The parts of a conjunction of negations, negated: those of an "or".
    fn alternatives<'f>(&'f self, into: &mut Vec<&'f Formula>) -> bool {
        match self {
            Formula::Not(inner) => into.push(inner),
            Formula::And(a, b) => return a.alternatives(into) && b.alternatives(into),
            Formula::True | Formula::Holds(_) => return false,
        }
        true
    }

    /// It can never hold.
    pub(crate) fn is_never(&self) -> bool {
        match self {
            Formula::Not(inner) => **inner == Formula::True,
            Formula::And(a, b) => a.is_never() || b.is_never(),
            Formula::True | Formula::Holds(_) => false,
        }
    }

    /// Whether the edge is open, given whether each condition holds.
    pub(crate) fn open(&self, holds: &mut impl FnMut(u32) -> bool) -> bool {
        match self {
            Formula::True => true,
            Formula::Holds(condition) => holds(*condition),
            Formula::Not(inner) => !inner.open(holds),
            Formula::And(a, b) => a.open(holds) && b.open(holds),
        }
    }

    /// Whether it holds, if that follows from the conditions that are known.
    pub(crate) fn value(&self, known: &mut impl FnMut(u32) -> Option<bool>) -> Option<bool> {
        match self {
            Formula::True => Some(true),
            Formula::Holds(condition) => known(*condition),
            Formula::Not(inner) => inner.value(known).map(|holds| !holds),
            Formula::And(a, b) => match a.value(known) {
                Some(false) => Some(false),
                a => match (a, b.value(known)) {
                    (_, Some(false)) => Some(false),
                    (Some(true), b) => b,
                    _ => None,
                },
            },
        }
    }

    pub(crate) fn text(&self, name: &impl Fn(u32) -> String) -> String {
        match self {
            Formula::True => "true".to_owned(),
            Formula::Holds(condition) => name(*condition),
            Formula::Not(inner) => match **inner {
                Formula::True => "false".to_owned(),
                Formula::And(..) if inner.alternatives(&mut Vec::new()) => {
                    let mut parts = Vec::new();
                    inner.alternatives(&mut parts);
                    let parts: Vec<String> = parts.iter().map(|part| part.text(name)).collect();
                    format!("({})", parts.join(" or "))
                }
                _ => format!("not({})", inner.text(name)),
            },
            Formula::And(a, b) => format!("{} and {}", a.text(name), b.text(name)),
        }
    }
}

/// An edge of the automaton.
#[derive(Clone, Debug)]
pub struct Edge {
    pub(crate) kind: EdgeKind,
    pub(crate) formula: Formula,
    pub(crate) target: u32,
    /// The formula in the words of the query, if a query was compiled.
    pub(crate) text: Option<Box<str>>,
}

impl Edge {
    /// What it does with the event.
    #[must_use]
    pub fn kind(&self) -> EdgeKind {
        self.kind
    }

    /// The place of the state that it leads to.
    #[must_use]
    pub fn target(&self) -> usize {
        self.target as usize
    }
}
