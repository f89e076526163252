//! Patterns flattened for the engine: one numbering of all nodes of all queries, with everything
//! the engine needs to know about a node in one place. What each node does for the answers is
//! found out in [`roles`].

use crate::automaton::roles;
use crate::automaton::sibling_nfa::SiblingNfa;
use crate::automaton::symbols::{ResolvedTest, local_name};
use crate::pattern::{Axis, Branch, Literal, NameTest, NodeId, Op, Operand, Pattern, Regex};
use crate::{Config, Error, ErrorKind, Shape};

/// No index.
pub(crate) const NONE: u32 = u32::MAX;

/// Positions of all regular branches of a plan together; one expression alone is bounded when it is
/// parsed.
const MAX_POSITIONS: usize = 1 << 16;

/// All queries of a plan, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    /// Nodes of all queries; parents before their descendants.
    pub nodes: Vec<Node>,
    /// Regular branches of all queries.
    pub regulars: Vec<Regular>,
    /// One entry a query.
    pub queries: Vec<Query>,
    /// Distinct name tests.
    pub tests: Vec<ResolvedTest>,
    /// Some name test or attribute test needs namespaces.
    pub needs_namespaces: bool,
}

/// How a node hangs under its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The root of a query.
    Root,
    /// An ordinary branch.
    Ordinary,
    /// A symbol of a regular branch.
    Symbol {
        /// Index in [`Compiled::regulars`].
        regular: u32,
        /// Number of the symbol in its expression.
        symbol: u32,
    },
}

/// What a node does for the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Not on the spine: existential only.
    Off,
    /// On the spine; a candidate below it is an answer once a chain of satisfied nodes leads to it.
    Chain,
    /// The node at which answers are put together: below it there is more than one list.
    Key,
    /// Below the key node, outside runs.
    Below,
    /// Inside a run below the key node; part of the run's value.
    InRun,
}

/// A node of some query.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub query: u32,
    /// Parent node, or [`NONE`].
    pub parent: u32,
    pub axis: Axis,
    pub place: Place,
    /// Index in [`Compiled::tests`].
    pub test: u32,
    /// The bit in the parent's conditions (ordinary branches).
    pub bit: u64,
    /// Conditions that are open when an element is first matched.
    pub conditions: u64,
    pub attribute_tests: Vec<CompiledTest>,
    pub text_tests: Vec<CompiledTest>,
    pub string_tests: Vec<CompiledTest>,
    /// Regular branches: indices in [`Compiled::regulars`].
    pub regulars: Vec<u32>,
    pub role: Role,
    /// Index in [`Query::returns`], or [`NONE`].
    pub returned: u32,
    /// Number of spine branches below this node.
    pub lists: u32,
    /// Which list of the parent this node's candidates go to, or [`NONE`].
    pub list: u32,
    /// Spine branches: what fills each list.
    pub spine: Vec<SpineBranch>,
    /// Children by axis for the top-down table.
    pub child_kids: Vec<u32>,
    pub descendant_kids: Vec<u32>,
    /// The slot of a tuple that this node fills, or [`NONE`].
    pub slot: u32,
    /// Below the key, binds nothing and has one list: it only lets candidates pass.
    pub relay: bool,
}

impl Node {
    pub(crate) fn on_spine(&self) -> bool {
        self.role != Role::Off
    }
}

/// What fills a list of a spine node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpineBranch {
    /// Elements that satisfy a node.
    Node(u32),
    /// Runs of a regular branch.
    Regular(u32),
}

/// A value test ready to run.
#[derive(Clone, Debug)]
pub(crate) struct CompiledTest {
    /// The attribute, for attribute tests.
    pub attribute: Option<AttributeName>,
    /// The condition bit that the test satisfies (text tests).
    pub bit: u64,
    pub comparison: Option<(Op, Literal)>,
}

/// The name of an attribute in a test.
#[derive(Clone, Debug)]
pub(crate) enum AttributeName {
    /// As written.
    Written(Box<str>),
    /// In a namespace.
    Expanded { uri: Box<str>, local: Box<str> },
}

/// A regular branch.
#[derive(Clone, Debug)]
pub(crate) struct Regular {
    pub nfa: SiblingNfa,
    /// The node it hangs under.
    pub owner: u32,
    /// Its place among the owner's regular branches.
    pub local: u32,
    /// The condition bit in the owner, 0 when the expression is nullable.
    pub bit: u64,
    pub on_spine: bool,
    /// Which list of the owner holds the runs, or [`NONE`].
    pub list: u32,
    pub slot: u32,
}

/// A return node.
#[derive(Clone, Debug)]
pub(crate) struct Return {
    /// The label where it does not depend on the element.
    pub label: Option<Box<str>>,
    /// Without label: the local name that elements must have, if any is asked for.
    pub local: Option<Box<str>>,
    /// Whether the node is inside a regular branch.
    pub in_run: bool,
}

/// One query.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub root: u32,
    pub shape: Shape,
    pub returns: Vec<Return>,
    /// The key node of tuples and instances, or [`NONE`].
    pub key: u32,
    /// Number of slots of a tuple.
    pub slots: u32,
    /// Two embeddings may give the same tuple, so tuples must be compared.
    pub ambiguous: bool,
    /// Of nested key instances the outermost has all the tuples of the inner ones.
    pub nested_keys: bool,
    /// Two return nodes may give one element the same label.
    pub shared_labels: bool,
}

impl Query {
    /// Whether a label can only come from one return node, outside runs: its field is then a node,
    /// not a list. A return node without label of its own may give any.
    pub(crate) fn is_single(&self, label: &str) -> bool {
        let local = local_name(label.as_bytes());
        let can_give = |r: &&Return| match &r.label {
            Some(own) => **own == *label,
            None => r.local.as_ref().is_none_or(|l| l.as_bytes() == local),
        };
        let mut givers = self.returns.iter().filter(can_give);
        matches!((givers.next(), givers.next()), (Some(only), None) if !only.in_run)
    }
}

impl Compiled {
    /// Compiles all patterns of a plan.
    pub(crate) fn new(patterns: &[Pattern], config: &Config) -> Result<Self, Error> {
        if patterns.is_empty() {
            return Err(Error::new(ErrorKind::Usage, "a plan needs at least one query"));
        }
        let mut compiled = Compiled {
            nodes: Vec::new(),
            regulars: Vec::new(),
            queries: Vec::new(),
            tests: Vec::new(),
            needs_namespaces: false,
        };
        for (q, pattern) in patterns.iter().enumerate() {
            crate::pattern::check_prefixes(pattern, &config.namespaces)?;
            compiled.add(q as u32, pattern, config)?;
        }
        let positions: usize = compiled.regulars.iter().map(|r| r.nfa.positions()).sum();
        if positions > MAX_POSITIONS {
            return Err(Error::new(
                ErrorKind::Query,
                format!(
                    "the regular branches of the plan have {positions} positions in all, more than \
                     {MAX_POSITIONS}"
                ),
            )
            .with_hint("use smaller repetition counts, or run the queries in several passes"));
        }
        compiled.needs_namespaces |= compiled.tests.iter().any(ResolvedTest::needs_namespace);
        Ok(compiled)
    }

    /// The shape of a query's answers.
    pub(crate) fn shape(&self, query: usize) -> Shape {
        self.queries[query].shape
    }

    fn add(&mut self, query: u32, pattern: &Pattern, config: &Config) -> Result<(), Error> {
        let base = self.nodes.len() as u32;
        let mut returns = Vec::new();
        for (i, node) in pattern.nodes().iter().enumerate() {
            let id = NodeId(i as u32);
            let returned = pattern.return_mark(id).map_or(NONE, |mark| {
                let label = mark.label.or_else(|| match &node.test {
                    NameTest::Name(name) if config.namespaces.default.is_none() => {
                        Some(name.clone())
                    }
                    // The label is the element's name as written, which only the element knows.
                    _ => None,
                });
                let local = match &node.test {
                    NameTest::Any => None,
                    NameTest::Name(local)
                    | NameTest::AnyNamespace(local)
                    | NameTest::Prefixed { local, .. } => Some(local.clone()),
                };
                returns.push(Return { label, local, in_run: false });
                returns.len() as u32 - 1
            });
            let test = self.test(ResolvedTest::new(&node.test, &config.namespaces));
            self.nodes.push(Node {
                query,
                parent: NONE,
                axis: node.axis,
                place: Place::Root,
                test,
                bit: 0,
                conditions: 0,
                attribute_tests: Vec::new(),
                text_tests: Vec::new(),
                string_tests: Vec::new(),
                regulars: Vec::new(),
                role: Role::Off,
                returned,
                lists: 0,
                list: NONE,
                spine: Vec::new(),
                child_kids: Vec::new(),
                descendant_kids: Vec::new(),
                slot: NONE,
                relay: false,
            });
        }
        for (i, node) in pattern.nodes().iter().enumerate() {
            self.link(base, i as u32, node, config)?;
        }
        let shape =
            config.shape.unwrap_or(if returns.len() == 1 { Shape::Nodes } else { Shape::Tuples });
        self.mark_spine(base);
        let mut q = Query {
            root: base,
            shape,
            shared_labels: roles::shared_labels(&returns),
            returns,
            key: NONE,
            slots: 0,
            ambiguous: false,
            nested_keys: false,
        };
        self.assign_roles(base, &mut q);
        self.queries.push(q);
        Ok(())
    }

    fn test(&mut self, test: ResolvedTest) -> u32 {
        let found = self.tests.iter().position(|t| *t == test);
        found.unwrap_or_else(|| {
            self.tests.push(test);
            self.tests.len() - 1
        }) as u32
    }

    /// Connects a node with its branches and numbers its conditions.
    fn link(
        &mut self,
        base: u32,
        i: u32,
        node: &crate::pattern::Node,
        config: &Config,
    ) -> Result<(), Error> {
        let me = (base + i) as usize;
        let mut bits = Bits { used: 0 };
        for test in &node.value_tests {
            let comparison = test.comparison.clone();
            match &test.operand {
                Operand::Attribute(name) => {
                    let attribute = Some(self.attribute(name, config));
                    let test = CompiledTest { attribute, bit: 0, comparison };
                    self.nodes[me].attribute_tests.push(test);
                }
                Operand::Text => {
                    let test = CompiledTest { attribute: None, bit: bits.next()?, comparison };
                    self.nodes[me].text_tests.push(test);
                }
                Operand::StringValue => {
                    let test = CompiledTest { attribute: None, bit: bits.next()?, comparison };
                    self.nodes[me].string_tests.push(test);
                }
            }
        }
        for branch in &node.branches {
            match branch {
                Branch::Node(child) => {
                    let bit = bits.next()?;
                    let c = base + child.0;
                    let kid = &mut self.nodes[c as usize];
                    kid.parent = base + i;
                    kid.place = Place::Ordinary;
                    kid.bit = bit;
                    let axis = kid.axis;
                    match axis {
                        Axis::Child => self.nodes[me].child_kids.push(c),
                        Axis::Descendant => self.nodes[me].descendant_kids.push(c),
                    }
                }
                Branch::Regular(regex) => {
                    let bit = if regex.nullable() { 0 } else { bits.next()? };
                    self.regular(base, base + i, regex, bit);
                }
            }
        }
        self.nodes[me].conditions = bits.used;
        Ok(())
    }

    fn attribute(&mut self, name: &str, config: &Config) -> AttributeName {
        // A prefix that the user did not declare is matched as written.
        let declared = name
            .split_once(':')
            .filter(|(prefix, _)| *prefix != "xml")
            .and_then(|(prefix, local)| Some((config.namespaces.uri(prefix)?, local)));
        match declared {
            None => AttributeName::Written(name.into()),
            Some((uri, local)) => {
                self.needs_namespaces = true;
                AttributeName::Expanded { uri: uri.into(), local: local.into() }
            }
        }
    }

    fn regular(&mut self, base: u32, owner: u32, regex: &Regex, bit: u64) {
        let nfa = SiblingNfa::new(regex);
        let index = self.regulars.len() as u32;
        let symbols: Vec<u32> = nfa.symbols.iter().map(|s| base + s.0).collect();
        for (s, &node) in symbols.iter().enumerate() {
            let kid = &mut self.nodes[node as usize];
            kid.parent = owner;
            kid.place = Place::Symbol { regular: index, symbol: s as u32 };
            self.nodes[owner as usize].child_kids.push(node);
        }
        let local = self.nodes[owner as usize].regulars.len() as u32;
        self.nodes[owner as usize].regulars.push(index);
        self.regulars.push(Regular {
            nfa,
            owner,
            local,
            bit,
            on_spine: false,
            list: NONE,
            slot: NONE,
        });
    }
}

/// Hands out condition bits.
struct Bits {
    used: u64,
}

impl Bits {
    fn next(&mut self) -> Result<u64, Error> {
        let bit = (!self.used) & self.used.wrapping_add(1);
        if bit == 0 {
            return Err(Error::new(
                ErrorKind::Query,
                "a step has more than 64 branches and value tests",
            )
            .with_hint("split the step's conditions over several queries"));
        }
        self.used |= bit;
        Ok(bit)
    }
}
