//! Plans: a set of patterns made into the model of one method, with what it costs.
//!
//! [`Plan::proposed`] decomposes and merges with several sets of rules: the most frequent pairs,
//! what they are improved to, and what the patterns themselves are improved to. A set is admitted
//! only if the model has at most as many states and at most as many edges as merging alone gives,
//! and costs no more than the single patterns. Put aside are sets that have no fewer of either than
//! another one, and those that only draw level in one of the two if another has fewer of both. Then
//! the cost decides. Where no set is admitted the proposed model is that of merging alone.
//!
//! ```
//! use multipattern::{PatternId, PatternSet, Plan};
//!
//! let set = PatternSet::builder()
//!     .seq("SEQ1", ["A", "B", "D"])
//!     .seq("SEQ2", ["G", "A", "B"])
//!     .build()?;
//! let plan = Plan::proposed(&set);
//! // Fig. 6 of the paper; the single patterns have 8 states and 6 edges.
//! assert_eq!((plan.states(), plan.edges()), (5, 5));
//! let derivation = plan.explain(PatternId(1)).map(|derivation| derivation.to_string());
//! assert_eq!(derivation.as_deref(), Some("SEQ2(G, A, B): SEQ(A, B) -> SEQ2(G, {A,B})"));
//! # Ok::<(), multipattern::Error>(())
//! ```

use std::fmt;

use crate::cost::{self, Terms, Workload};
use crate::decompose::{self, Decomposition};
use crate::model::{self, Label, Model, Path, Sequences};
use crate::share::{self, Merge};
use crate::{PatternId, PatternSet};

/// How patterns become a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
pub enum Method {
    /// One chain a pattern, matches built eagerly.
    Single,
    /// The same chains, matches built at the last event.
    Optimized,
    /// Prefixes merged.
    Trie,
    /// Prefixes, suffixes and sub-patterns merged.
    Sharing,
    /// Decomposed, then merged.
    Proposed,
}

impl Method {
    /// The four methods that the paper compares, in its order.
    pub const COMPARED: [Method; 4] =
        [Method::Single, Method::Optimized, Method::Sharing, Method::Proposed];

    /// All methods.
    pub const ALL: [Method; 5] =
        [Method::Single, Method::Optimized, Method::Trie, Method::Sharing, Method::Proposed];

    /// The method with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::Single => "single",
            Method::Optimized => "optimized",
            Method::Trie => "trie",
            Method::Sharing => "sharing",
            Method::Proposed => "proposed",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A model and how it was made.
#[derive(Clone, Debug)]
pub struct Plan {
    method: Method,
    set: Sequences,
    load: Workload,
    model: Model,
    steps: u64,
}

/// The counts of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Summary {
    /// The method.
    pub method: Method,
    /// Number of states: Fig. 12.
    pub states: usize,
    /// Number of edges: Fig. 13.
    pub edges: usize,
    /// Number of states that two or more patterns use.
    pub shared_nodes: usize,
    /// Number of composites.
    pub rules: usize,
    /// The cost by eq. (1).
    pub cost: f64,
}

/// The two sides of the first line of eq. (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Decomposition and merge sharing: this plan.
    pub optimal: Terms,
    /// Decomposition sharing alone: composites, but every word a chain of its own.
    pub decomposition: Terms,
    /// Merge sharing alone.
    pub merging: Terms,
}

impl Comparison {
    /// Whether `Cost_opt(DS + MS) <= Cost(DS) + Cost(MS)`.
    pub fn holds(&self) -> bool {
        self.optimal.total() <= self.decomposition.total() + self.merging.total()
    }
}

impl Plan {
    /// The plan without sharing.
    pub fn single(set: &PatternSet) -> Self {
        Self::new(Method::Single, set)
    }

    /// The plan without sharing whose matches are built late.
    pub fn optimized(set: &PatternSet) -> Self {
        Self::new(Method::Optimized, set)
    }

    /// The plan that merges.
    pub fn sharing(set: &PatternSet) -> Self {
        Self::new(Method::Sharing, set)
    }

    /// The plan that decomposes, then merges.
    pub fn proposed(set: &PatternSet) -> Self {
        Self::new(Method::Proposed, set)
    }

    /// The plan of a method for a set of patterns, for events whose types are equally frequent.
    pub fn new(method: Method, set: &PatternSet) -> Self {
        Self::of(method, &Sequences::from(set), &Workload::from(set))
    }

    /// The plan of a method for patterns as sequences.
    pub fn of(method: Method, set: &Sequences, load: &Workload) -> Self {
        let (model, steps) = match method {
            Method::Single | Method::Optimized => (model::single::single(set), 0),
            Method::Trie => (model::trie::trie(set), 0),
            Method::Sharing => (model::sharing::sharing(set), 0),
            Method::Proposed => choose(set, load),
        };
        Self { method, set: set.clone(), load: load.clone(), model, steps }
    }

    /// The method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The patterns as sequences.
    pub fn sequences(&self) -> &Sequences {
        &self.set
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.model.states()
    }

    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.model.edges().len()
    }

    /// Number of states that two or more patterns use, see [`Model::shared_nodes`].
    pub fn shared_nodes(&self) -> usize {
        self.model.shared_nodes()
    }

    /// Number of composites.
    pub fn rules(&self) -> usize {
        self.model.rules().len()
    }

    /// The terms of eq. (1).
    pub fn cost(&self) -> Terms {
        match self.method {
            Method::Single => cost::terms(&self.model, &self.load, 0, false),
            Method::Optimized => cost::lazy_terms(&self.model, &self.load),
            _ => cost::terms(&self.model, &self.load, self.steps, true),
        }
    }

    /// Both sides of eq. (1): this plan against its decomposition alone and against merging alone.
    pub fn comparison(&self) -> Comparison {
        let words = (0..self.model.patterns() as u32)
            .map(|pattern| self.model.word(pattern).map_or_else(Vec::new, <[Label]>::to_vec));
        let chains = share::build(words.collect(), self.model.rules().to_vec(), Merge::Nothing);
        let sharing = model::sharing::sharing(&self.set);
        Comparison {
            optimal: self.cost(),
            decomposition: cost::terms(&chains, &self.load, self.steps, false),
            merging: cost::terms(&sharing, &self.load, 0, true),
        }
    }

    /// The counts.
    pub fn summary(&self) -> Summary {
        Summary {
            method: self.method,
            states: self.states(),
            edges: self.edges(),
            shared_nodes: self.shared_nodes(),
            rules: self.rules(),
            cost: self.cost().total(),
        }
    }

    /// How a pattern is composed: its derivation. `None` if there is no such pattern.
    pub fn explain(&self, pattern: PatternId) -> Option<Derivation<'_>> {
        self.model.word(pattern.0)?;
        Some(Derivation { plan: self, pattern: pattern.0 })
    }

    /// The three functions of the paper's Fig. 5 as text: state transition, failure transition and
    /// conditional output. Paths are written as the labels that they have read.
    pub fn functions(&self) -> String {
        self.model.functions(&self.set)
    }

    /// The model in the language of Graphviz.
    pub fn to_dot(&self) -> String {
        self.model.to_dot(&self.set)
    }

    /// A word with the longest composite at its front folded.
    fn fold(&self, word: &[Label]) -> Vec<Label> {
        let mut front = None;
        let mut path = match self.model.starts().first() {
            Some(&start) => Path::at(start),
            None => return word.to_vec(),
        };
        for (depth, &label) in word.iter().enumerate() {
            let Some(next) = self.model.transition(path, label) else { break };
            path = next;
            if depth + 1 < word.len()
                && let Some(rule) = self.model.output(path).and_then(|output| output.rule)
            {
                front = Some((depth + 1, rule));
            }
        }
        match front {
            None => word.to_vec(),
            Some((depth, rule)) => [&[Label::Composite(rule)], &word[depth..]].concat(),
        }
    }
}

/// Sets with at most so many symbols are planned both ways: it takes next to no time.
const SMALL: usize = 8192;

/// Decomposes and merges, see the module. Without rules nothing was decomposed: no steps.
fn choose(set: &Sequences, load: &Workload) -> (Model, u64) {
    let sharing = model::sharing::sharing(set);
    let size = |model: &Model| (model.states(), model.edges().len());
    let no_larger = |a: &Model, b: &Model| {
        let ((states, edges), (most_states, most_edges)) = (size(a), size(b));
        states <= most_states && edges <= most_edges
    };
    let most = cost::terms(&model::single::single(set), load, 0, false).total();
    // Model, steps, cost.
    let mut admitted: Vec<(Model, u64, f64)> = Vec::new();
    // Whether the model is small enough.
    let mut offer = |decomposition: &Decomposition| {
        let steps = decomposition.steps;
        let model = model::proposed::proposed(set, decomposition.clone());
        let small = no_larger(&model, &sharing);
        let cost = cost::terms(&model, load, steps, true).total();
        if small && !model.rules().is_empty() && cost <= most {
            admitted.push((model, steps, cost));
        }
        small
    };
    let pairs = decompose::most_frequent_pairs(set);
    offer(&pairs);
    let small = offer(&decompose::improve(set, &pairs));
    if !small || set.iter().map(<[u32]>::len).sum::<usize>() <= SMALL {
        offer(&decompose::improve(set, &decompose::undivided(set)));
    }
    let smallest = |model: &Model| {
        let mut others = admitted.iter().filter(|(other, ..)| size(other) != size(model));
        others.all(|(other, ..)| !no_larger(other, model))
    };
    let fewer = |model: &Model| {
        model.states() < sharing.states() && model.edges().len() < sharing.edges().len()
    };
    let any_fewer = admitted.iter().any(|(model, ..)| fewer(model));
    let left =
        admitted.iter().filter(|(model, ..)| smallest(model) && (fewer(model) || !any_fewer));
    let best = left.min_by(|a, b| a.2.total_cmp(&b.2));
    best.map_or((sharing, 0), |(model, steps, _)| (model.clone(), *steps))
}

/// How a pattern is composed; shown in the paper's notation.
#[derive(Clone, Copy, Debug)]
pub struct Derivation<'p> {
    plan: &'p Plan,
    pattern: u32,
}

impl Derivation<'_> {
    /// The composites from which the pattern is composed, each behind those in it, with their
    /// operands.
    pub fn subexpressions(&self) -> Vec<(u32, Vec<Label>)> {
        let model = self.plan.model();
        let mut done: Vec<(u32, Vec<Label>)> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        // Depth first; `true` is where a composite's own ones are done.
        let mut todo: Vec<(u32, bool)> = Vec::new();
        let push = |todo: &mut Vec<(u32, bool)>, operands: &[Label]| {
            todo.extend(model::composites(operands).map(|rule| (rule, false)));
        };
        push(&mut todo, &self.operands());
        todo.reverse();
        while let Some((rule, ready)) = todo.pop() {
            let operands = self.plan.fold(&model.rules()[rule as usize].word);
            if ready {
                done.push((rule, operands));
            } else if seen.insert(rule) {
                todo.push((rule, true));
                let from = todo.len();
                push(&mut todo, &operands);
                todo[from..].reverse();
            }
        }
        done
    }

    /// The operands of the pattern itself.
    pub fn operands(&self) -> Vec<Label> {
        let word = self.plan.model.word(self.pattern).unwrap_or(&[]);
        if self.plan.rules() == 0 { word.to_vec() } else { self.plan.fold(word) }
    }

    /// The states on its way.
    pub fn states(&self) -> Vec<u32> {
        self.plan.model.states_of(self.pattern)
    }
}

impl fmt::Display for Derivation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { model, set, .. } = self.plan;
        let list = |labels: &[Label]| -> String {
            let names: Vec<String> = labels.iter().map(|&label| model.show(label, set)).collect();
            names.join(", ")
        };
        let sequence = set.sequence(self.pattern as usize).unwrap_or(&[]);
        let plain: Vec<Label> = sequence.iter().copied().map(Label::Symbol).collect();
        let id = set.id(self.pattern as usize);
        write!(f, "{id}({})", list(&plain))?;
        let mut mark = ": ";
        for (_, operands) in self.subexpressions() {
            write!(f, "{mark}SEQ({})", list(&operands))?;
            mark = " -> ";
        }
        if mark == " -> " {
            write!(f, "{mark}{id}({})", list(&self.operands()))?;
        }
        Ok(())
    }
}
