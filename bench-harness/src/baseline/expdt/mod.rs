//! ExPDT, **reconstructed**: the pushdown transducer for plain twigs that RPDT extends.
//!
//! # What is known
//!
//! Li Wenzhu, Liao Husheng and Su Hang, "Pushdown transducer based query method over XML streams",
//! Computer Engineering and Applications 52(8), 2016; reference \[14\] of the RPDT paper, and ExPDT in
//! its Fig. 6. The RPDT paper says of it that it is a pushdown transducer, more expressive than the
//! automata before it, but without queries of several return nodes (section 2.2); and it extends it
//! (section 1, first contribution), so the parts of section 3.2 that do not speak of several return
//! nodes or of regular expressions are taken to be ExPDT's: a two-state automaton for every pattern
//! node, spliced along the tree; `<*>` on the state above a descendant edge; return to the same
//! state after a complete element; `add` on the start tag of the return node; `check` before the end
//! tag; `upload` of the buffer.
//!
//! # Our reading
//!
//! A *configuration* is a state together with the open element that led into it, one flag for every
//! branch that is still to be found, and an output buffer. A start tag makes a configuration for
//! every edge that it can take from every live configuration, so there is **one configuration for
//! every embedding** of the steps above. The end tag checks the flags of the element's
//! configurations: if all branches were found, the flag in the configuration that it came from is
//! set and the buffer moves there; otherwise the buffer is dropped. What reaches the start state is
//! output. An element that reaches it by several embeddings is output once.
//!
//! In favour of the baseline: live configurations are chained by state, so that none is looked at
//! that has no edge for the tag; buffers are linked lists that move in constant time; everything is
//! reused; and a branch that returns nothing and has been found already is not looked for again (as
//! in the automata of XSQ, where a decided predicate is a state of its own).
//!
//! # What the design implies
//!
//! When a tag nests in itself, `//a//a//a` has a configuration for every way to choose three of the
//! open elements: their number grows with a power of the depth, the number of steps being the
//! exponent. [`Bounds`] turn the explosion into an error instead of a run without end.

use std::io::Read;

use rpdt::pattern::{Axis, Branch};
use rpdt::{Error, Pattern};

use super::shared::{Dispatch, Labels, check_plain, check_tests, spine, unsupported};
use super::{Answer, Input, Outcome, drive};

mod buffers;
mod machine;

const NAME: &str = "ExPDT";

/// Bounds on the number of configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Most configurations that live at the same time. Default: 2^20.
    pub live: usize,
    /// Most configurations made for every element, on average. Default: 1,024.
    pub per_element: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { live: 1 << 20, per_element: 1024 }
    }
}

/// What a run held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Configurations made: embeddings of the steps of the query.
    pub configurations: u64,
    /// Most configurations that lived at the same time.
    pub peak_configurations: usize,
    /// Most buffer entries at the same time.
    pub peak_buffered: usize,
}

/// A compiled query.
#[derive(Clone, Debug)]
pub struct ExPdt {
    automata: Vec<SubPdt>,
    dispatch: Dispatch,
    labels: Labels,
    bounds: Bounds,
}

/// The two-state automaton of a pattern node. Its source state is the target state of its parent;
/// its target state has the number of the node plus 1, since state 0 is the start.
#[derive(Clone, Copy, Debug)]
struct SubPdt {
    /// The source state.
    from: u32,
    axis: Axis,
    /// The flag that success sets in the configuration it came from.
    flag: u64,
    /// The flags of the target state: one for every branch.
    branches: u64,
    /// The buffer matters: the node is returned or has a returned descendant.
    on_spine: bool,
    /// `add` on the start tag.
    returned: bool,
}

impl ExPdt {
    /// Builds the automata of a query.
    ///
    /// # Errors
    /// The query has several return nodes, regular branches, value tests or prefixes.
    pub fn compile(pattern: &Pattern) -> Result<Self, Error> {
        check_plain(NAME, pattern)?;
        check_tests(NAME, pattern)?;
        let returned = match pattern.return_nodes()[..] {
            [one] => one,
            [_, second, ..] => {
                return Err(unsupported(NAME, "second return node", pattern, second));
            }
            [] => unreachable!("without marks the last step is returned"),
        };
        let spine = spine(pattern);
        let make = |(i, node): (usize, &rpdt::pattern::Node)| SubPdt {
            from: 0,
            axis: node.axis,
            flag: 0,
            branches: 0,
            on_spine: spine[i],
            returned: i == returned.index(),
        };
        let mut automata: Vec<SubPdt> = pattern.nodes().iter().enumerate().map(make).collect();
        for (i, node) in pattern.nodes().iter().enumerate() {
            for (k, branch) in node.branches.iter().enumerate() {
                if let Branch::Node(child) = branch {
                    automata[child.index()].from = i as u32 + 1;
                    automata[child.index()].flag = 1 << k;
                    automata[i].branches |= 1 << k;
                }
            }
        }
        Ok(ExPdt {
            automata,
            dispatch: Dispatch::new(pattern),
            labels: Labels::new(pattern),
            bounds: Bounds::default(),
        })
    }

    /// The same with other bounds.
    #[must_use]
    pub fn bounds(mut self, bounds: Bounds) -> Self {
        self.bounds = bounds;
        self
    }
}

super::shared::runs!(ExPdt, "A malformed document, or more configurations than the bounds allow");
