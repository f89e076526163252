//! Options of a run.

use crate::input::{Checks, Encoding, EntityPolicy, EntityTable, SourceConfig};
use crate::{Limits, Namespaces, Shape};

/// Which runs of a regular branch are reported (paper, section 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Runs {
    /// The current longest run after every child that ends one.
    Live,
    /// A current longest run when the next child does not prolong it. Runs may overlap.
    #[default]
    Peak,
    /// Leftmost-longest runs without overlap, as a regular expression library finds them. May
    /// rescan: quadratic in the number of siblings at worst.
    NonOverlap,
}

/// In which order answers are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Order {
    /// As soon as an answer is certain.
    #[default]
    Certain,
    /// By start offset, then label. Answers wait for undecided ones that start before them.
    Document,
}

/// Which reader turns bytes into tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum FrontEnd {
    /// The best one for the input; today always the scanner.
    #[default]
    Auto,
    /// The scanner of this crate, [`ScannerSource`](crate::input::ScannerSource).
    Scanner,
    /// The scanner without the instructions that only some processors have.
    PortableScanner,
    /// The quick-xml reader, [`QuickXmlSource`](crate::input::QuickXmlSource).
    QuickXml,
}

/// Switches for parts of the engine, to measure what each of them is worth. All on by default;
/// answers never depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mechanisms {
    /// Remember the transitions of the determinised automaton instead of computing each anew.
    pub lazy_automaton: bool,
    /// Skip subtrees in which nothing can match.
    pub skipping: bool,
    /// Let enclosing elements share the candidate lists of descendants instead of copying them.
    pub sharing: bool,
}

impl Default for Mechanisms {
    fn default() -> Self {
        Mechanisms { lazy_automaton: true, skipping: true, sharing: true }
    }
}

/// Options of a run; `Config::default()` suits most.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub(crate) shape: Option<Shape>,
    pub(crate) runs: Runs,
    pub(crate) order: Order,
    pub(crate) namespaces: Namespaces,
    pub(crate) front_end: FrontEnd,
    pub(crate) mechanisms: Mechanisms,
    pub(crate) source: SourceConfig,
}

impl Config {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The shape of answers. Default: nodes for a query with one return node, tuples otherwise.
    #[must_use]
    pub fn shape(mut self, shape: Shape) -> Self {
        self.shape = Some(shape);
        self
    }

    /// Which runs are reported. Default: [`Runs::Peak`].
    #[must_use]
    pub fn runs(mut self, runs: Runs) -> Self {
        self.runs = runs;
        self
    }

    /// The order of answers. Default: [`Order::Certain`].
    #[must_use]
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Prefixes used by the queries, and the namespace of their unprefixed names.
    #[must_use]
    pub fn namespaces(mut self, namespaces: Namespaces) -> Self {
        self.namespaces = namespaces;
        self
    }

    /// Which reader is used. Default: [`FrontEnd::Auto`].
    #[must_use]
    pub fn front_end(mut self, front_end: FrontEnd) -> Self {
        self.front_end = front_end;
        self
    }

    /// How much of the document is checked. Default: [`Checks::Fast`].
    #[must_use]
    pub fn checks(mut self, checks: Checks) -> Self {
        self.source.checks = checks;
        self
    }

    /// The encoding of the documents, whatever they declare; a byte order mark must agree.
    /// Default: what the byte order mark or the declaration says, else UTF-8.
    #[must_use]
    pub fn encoding(mut self, encoding: Encoding) -> Self {
        self.source.encoding = Some(encoding);
        self
    }

    /// What happens to entities that cannot be resolved. Default: an error when a value with one
    /// is looked at.
    #[must_use]
    pub fn entities(mut self, policy: EntityPolicy) -> Self {
        self.source.entities = policy;
        self
    }

    /// Replacement texts for entities, as if an external DTD had declared them.
    #[must_use]
    pub fn entity_table(mut self, table: EntityTable) -> Self {
        self.source.entity_table = table;
        self
    }

    /// Bounds on memory.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.source.limits = limits;
        self
    }

    /// Switches parts of the engine off, for measurements only.
    #[must_use]
    pub fn mechanisms(mut self, mechanisms: Mechanisms) -> Self {
        self.mechanisms = mechanisms;
        self
    }
}
