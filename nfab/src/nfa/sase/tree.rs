//! The pattern of a query with numbers in place of names, and the conditions beside the variables
//! that decide them.

use hashbrown::HashMap;

use super::convert::compares_rounds;
use crate::language::{
    EdgeKind, EventItem, Gap, Group, GroupKind, Item, Name, Predicate, Quantifier, Query, place,
};

/// No bound on a number of occurrences.
pub(super) const UNBOUNDED: u32 = u32::MAX;

/// An item of the pattern.
pub(super) struct Node {
    pub(super) body: Body,
    pub(super) min: u32,
    pub(super) max: u32,
    /// It makes lists: `+`, `*`, `{n,m}`.
    pub(super) repeats: bool,
    /// How many repeated groups there are around its inside.
    pub(super) depth: u32,
    /// It may go without any event.
    pub(super) nullable: bool,
    /// Its first event or round is told from the others.
    pub(super) tells_first: bool,
}

pub(super) enum Body {
    /// The number of the variable.
    Event(u32),
    Group {
        kind: GroupKind,
        items: Vec<u32>,
        gaps: Vec<Gap>,
    },
}

/// Where a condition is tested: a variable and the kind of its edge.
pub(super) type Anchor = (u32, EdgeKind);

/// A condition on one of its edges.
pub(super) struct Anchored {
    /// Its place among the predicates of the query.
    pub(super) predicate: usize,
    pub(super) kind: EdgeKind,
    /// The other edges on which it may have to be tested instead.
    pub(super) others: Vec<Anchor>,
}

pub(super) struct Variable<'q> {
    pub(super) item: &'q EventItem,
    /// Its number among the variables that a match has events of.
    pub(super) stage: u32,
    /// The groups around it, from the outermost on, each with the place of the item inside.
    pub(super) path: Vec<(u32, u32)>,
    /// The repeated ones among them.
    pub(super) rounds: Vec<u32>,
    pub(super) conditions: Vec<Anchored>,
    /// For a negated event: one of its conditions looks at events that come later.
    pub(super) looks_ahead: bool,
}

impl Variable<'_> {
    pub(super) fn name(&self) -> &str {
        &self.item.variable.text
    }

    pub(super) fn event_type(&self) -> &Name {
        &self.item.event_type
    }

    pub(super) fn is_list(&self) -> bool {
        self.item.quantifier.repeats()
    }
}

pub(super) struct Tree<'q> {
    pub(super) query: &'q Query,
    /// The outermost sequence is number 0.
    pub(super) nodes: Vec<Node>,
    /// In the order of the text.
    pub(super) variables: Vec<Variable<'q>>,
    /// By name.
    pub(super) numbers: HashMap<&'q str, u32>,
    /// The names of the variables that a match has events of.
    pub(super) stages: Vec<String>,
    /// Conditions without any variable.
    pub(super) constants: Vec<usize>,
}

impl<'q> Tree<'q> {
    pub(super) fn new(query: &'q Query) -> Self {
        let mut tree = Tree {
            query,
            nodes: Vec::new(),
            variables: Vec::new(),
            numbers: HashMap::new(),
            stages: Vec::new(),
            constants: Vec::new(),
        };
        tree.group(&query.pattern, &mut Vec::new(), &mut Vec::new());
        for placed in place(query).predicates {
            let number = |name: &str| tree.numbers[name];
            let anchors: Vec<Anchor> =
                placed.edges.iter().map(|edge| (number(&edge.variable), edge.kind)).collect();
            if anchors.is_empty() {
                tree.constants.push(placed.predicate);
            }
            for &(variable, kind) in &anchors {
                let others = anchors.iter().copied().filter(|other| other.0 != variable).collect();
                let variable = &mut tree.variables[variable as usize];
                let predicate = placed.predicate;
                variable.conditions.push(Anchored { predicate, kind, others });
                variable.looks_ahead |= placed.looks_ahead;
            }
        }
        for variable in &tree.variables {
            // A list shows both; a group only where a condition compares its rounds.
            if let (false, Some(&group)) = (variable.is_list(), variable.rounds.last()) {
                let compares = |c: &Anchored| {
                    c.kind != EdgeKind::Proceed
                        && compares_rounds(tree.condition(c.predicate), variable.name())
                };
                tree.nodes[group as usize].tells_first |= variable.conditions.iter().any(compares);
            }
        }
        tree
    }

    /// The nodes of a group and its items; gives its number and whether it may be without events.
    fn group(
        &mut self,
        group: &'q Group,
        path: &mut Vec<(u32, u32)>,
        rounds: &mut Vec<u32>,
    ) -> (u32, bool) {
        let number = self.nodes.len() as u32;
        let repeats = group.quantifier.repeats();
        if repeats {
            rounds.push(number);
        }
        let depth = rounds.len() as u32;
        self.nodes.push(node(group.quantifier, depth, Body::Event(0)));
        let mut items = Vec::new();
        let mut nullable = Vec::new();
        for (index, item) in group.items.iter().enumerate() {
            path.push((number, index as u32));
            let (item, without) = match item {
                Item::Group(nested) => self.group(nested, path, rounds),
                Item::Event(event) => self.event(event, path, rounds),
            };
            items.push(item);
            nullable.push(without);
            path.pop();
        }
        if repeats {
            rounds.pop();
        }
        let without = match group.kind {
            GroupKind::Or => nullable.contains(&true),
            GroupKind::Seq | GroupKind::And => !nullable.contains(&false),
        };
        let node = &mut self.nodes[number as usize];
        node.body = Body::Group { kind: group.kind, items, gaps: group.gaps.clone() };
        node.nullable = without || group.quantifier.may_be_absent();
        (number, node.nullable)
    }

    fn event(&mut self, item: &'q EventItem, path: &[(u32, u32)], rounds: &[u32]) -> (u32, bool) {
        let number = self.nodes.len() as u32;
        let variable = self.variables.len() as u32;
        let mut node = node(item.quantifier, rounds.len() as u32, Body::Event(variable));
        node.tells_first = true;
        node.nullable = item.negated || item.quantifier.may_be_absent();
        let nullable = node.nullable;
        self.nodes.push(node);
        self.numbers.insert(&item.variable.text, variable);
        self.variables.push(Variable {
            item,
            stage: self.stages.len() as u32,
            path: path.to_vec(),
            rounds: rounds.to_vec(),
            conditions: Vec::new(),
            looks_ahead: false,
        });
        if !item.negated {
            self.stages.push(item.variable.text.to_string());
        }
        (number, nullable)
    }

    pub(super) fn node(&self, number: u32) -> &Node {
        &self.nodes[number as usize]
    }

    pub(super) fn variable(&self, number: u32) -> &Variable<'q> {
        &self.variables[number as usize]
    }

    /// The items and the kind of a group.
    pub(super) fn items(&self, group: u32) -> (GroupKind, &[u32], &[Gap]) {
        match &self.node(group).body {
            Body::Group { kind, items, gaps } => (*kind, items, gaps),
            Body::Event(_) => unreachable!("only groups have items"),
        }
    }

    /// The condition of the query with a number.
    pub(super) fn condition(&self, predicate: usize) -> &'q crate::language::Expr {
        match &self.query.predicates[predicate] {
            Predicate::Condition(expr) => expr,
            Predicate::Equivalence { .. } => unreachable!("an equivalence has no place"),
        }
    }

    /// Whether a variable surely has an event once the item that leads to it in the group at a
    /// level of its path has been taken.
    pub(super) fn is_sure_below(&self, variable: u32, level: usize) -> bool {
        let of = self.variable(variable);
        !of.item.quantifier.may_be_absent()
            && of.path[level + 1..]
                .iter()
                .all(|&(group, _)| self.node(group).min > 0 && self.items(group).0 != GroupKind::Or)
    }

    /// Whether a variable surely has an event in each round of the innermost repeated group.
    pub(super) fn is_sure_in_round(&self, variable: u32) -> bool {
        let of = self.variable(variable);
        let Some(&round) = of.rounds.last() else { return false };
        let level = of.path.iter().position(|&(group, _)| group == round).unwrap_or(0);
        self.is_sure_below(variable, level)
    }
}

fn node(quantifier: Quantifier, depth: u32, body: Body) -> Node {
    let (min, max) = match quantifier {
        Quantifier::One => (1, 1),
        Quantifier::Optional => (0, 1),
        Quantifier::Repeat { min, max } => (min, max.unwrap_or(UNBOUNDED)),
    };
    Node {
        body,
        min,
        max,
        repeats: quantifier.repeats(),
        depth,
        nullable: false,
        tells_first: false,
    }
}
