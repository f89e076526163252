//! CepEngine, **reconstructed**: complex events as regular tree patterns, by stored twig candidates.
//!
//! # What is known
//!
//! Lu Yao, "Complex event detection based on regular tree pattern matching", thesis, Beijing
//! University of Technology, 2016; reference \[5\] of the RPDT paper, from whose section 2.1 we know
//! that it answers tree patterns with temporal constraints and belongs to the one-phase holistic
//! twig algorithms after Twig2Stack (Chen et al., VLDB 2006) and TwigList (Qin et al., DASFAA 2007).
//! The pattern language is its own: the RPDT paper takes over its sibling expressions.
//!
//! # Our reading
//!
//! The twig part is TwigList. Elements that may match a pattern node wait on a stack; at the end tag,
//! bottom up, an element whose branches were all found becomes a *candidate* in the node's list, as
//! (start, end) of a region encoding, the level being that of the stack. A descendant branch of a
//! candidate is the interval of the lower list that arose while it was open; a child branch is a
//! chain of sibling links through the lower list.
//!
//! Regular branches **store every candidate child in order**. At the parent's end tag the sibling
//! NFA (Glushkov positions, simulated with the earliest start of every position) runs over the
//! stored sequence and yields the current longest runs of the policy `peak`. Whether two stored
//! children are neighbours shows in their regions: between siblings that follow one another no tag
//! is counted.
//!
//! When the outermost element of the pattern's root closes, the answers are **enumerated** from the
//! lists, which are then emptied. So everything between waits: for a pattern that starts at the
//! document element, all candidates of the document.
//!
//! In favour of the baseline: an element is stacked only below an open element of the parent node
//! (the top-down filter of Twig2Stack's early enumeration); nodes that return nothing are
//! existence-checked, not stored, and not looked for again once found (Twig2Stack's generalised tree
//! patterns); conditions of twig branches are checked before any NFA runs; lists keep their memory.
//!
//! Answers are those of rpdt: in shape *tuples* a run is one value, known by its parent, first and
//! last child, and non-returned nodes do not multiply answers; in shape *nodes* each returned
//! element comes once a label.

use std::io::Read;

use rpdt::{Error, ErrorKind, Pattern, Shape};

use super::shared::{Dispatch, Labels, check_tests};
use super::{Answer, Input, Outcome, drive};
use twig::Twig;

mod enumerate;
mod machine;
mod nfa;
mod reach;
mod store;
mod twig;

const NAME: &str = "CepEngine";

/// What a run held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Most candidates in all lists together.
    pub peak_candidates: usize,
    /// Most children in the stored sequences of regular branches together.
    pub peak_stored: usize,
    /// Children that the NFAs read.
    pub nfa_steps: u64,
}

/// A compiled query.
#[derive(Clone, Debug)]
pub struct CepEngine {
    twig: Twig,
    shape: Shape,
    dispatch: Dispatch,
    labels: Labels,
}

impl CepEngine {
    /// Compiles a query for its default shape: nodes for one return node, tuples for more.
    ///
    /// # Errors
    /// The query has value tests or prefixes.
    pub fn compile(pattern: &Pattern) -> Result<Self, Error> {
        let one = pattern.return_nodes().len() == 1;
        Self::compile_shape(pattern, if one { Shape::Nodes } else { Shape::Tuples })
    }

    /// Compiles a query for a shape.
    ///
    /// # Errors
    /// As for [`compile`](Self::compile); shape *instances* is not supported.
    pub fn compile_shape(pattern: &Pattern, shape: Shape) -> Result<Self, Error> {
        check_tests(NAME, pattern)?;
        if shape == Shape::Instances {
            let message = format!("unsupported: {NAME} knows no shape instances");
            return Err(Error::new(ErrorKind::Usage, message));
        }
        Ok(CepEngine {
            twig: Twig::new(pattern),
            shape,
            dispatch: Dispatch::new(pattern),
            labels: Labels::new(pattern),
        })
    }

    /// The shape of the answers.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }
}

super::shared::runs!(CepEngine, "A malformed document");
