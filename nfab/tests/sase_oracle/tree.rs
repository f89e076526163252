//! The pattern with numbers in place of names, and the conditions beside the variables that decide
//! them.

use std::collections::HashMap;

use nfab::language::{
    EdgeKind, Expr, Gap, Group, GroupKind, Item, Predicate, Quantifier, Query, Strategy, place,
};

/// An item of the pattern.
pub enum Node {
    Event { variable: usize, quantifier: Quantifier },
    Group { id: usize, kind: GroupKind, quantifier: Quantifier, items: Vec<Node>, gaps: Vec<Gap> },
}

/// Where a condition is tested: on the edge of one variable.
pub type Anchor = (usize, EdgeKind);

/// A condition on one of its edges, with the others that it has.
pub struct Condition<'q> {
    pub expr: &'q Expr,
    pub kind: EdgeKind,
    pub others: Vec<Anchor>,
}

pub struct Variable<'q> {
    pub name: &'q str,
    pub event_type: &'q str,
    pub negated: bool,
    pub list: bool,
    /// The repeated groups around it, from the outermost on.
    pub rounds: Vec<usize>,
    pub conditions: Vec<Condition<'q>>,
    /// For a negated event: one of its conditions looks at later events.
    pub looks_ahead: bool,
}

pub struct Tree<'q> {
    pub query: &'q Query,
    pub root: Node,
    /// In the order of the text.
    pub variables: Vec<Variable<'q>>,
    /// By name.
    pub numbers: HashMap<&'q str, usize>,
    /// Conditions without any variable.
    pub constants: Vec<&'q Expr>,
    pub strategy: Strategy,
    pub keys: Vec<&'q str>,
}

impl<'q> Tree<'q> {
    pub fn new(query: &'q Query) -> Self {
        let mut variables = vec![];
        let mut ids = 0..;
        let root = group(&query.pattern, &mut ids, &mut vec![], &mut variables);
        let named = variables.iter().enumerate().map(|(i, v): (usize, &Variable<'q>)| (v.name, i));
        let mut tree = Tree {
            query,
            root,
            numbers: named.collect(),
            variables,
            constants: vec![],
            strategy: query.strategy(),
            keys: query.partition().map(|name| &*name.text).collect(),
        };
        for placed in place(query).predicates {
            let Predicate::Condition(expr) = &query.predicates[placed.predicate] else {
                unreachable!("an equivalence has no place")
            };
            let anchors: Vec<Anchor> =
                placed.edges.iter().map(|e| (tree.numbers[&*e.variable], e.kind)).collect();
            if anchors.is_empty() {
                tree.constants.push(expr);
            }
            for &(variable, kind) in &anchors {
                let others = anchors.iter().copied().filter(|a| a.0 != variable).collect();
                let variable = &mut tree.variables[variable];
                variable.conditions.push(Condition { expr, kind, others });
                variable.looks_ahead |= placed.looks_ahead;
            }
        }
        tree
    }
}

fn group<'q>(
    group: &'q Group,
    ids: &mut std::ops::RangeFrom<usize>,
    rounds: &mut Vec<usize>,
    variables: &mut Vec<Variable<'q>>,
) -> Node {
    let id = ids.next().expect("there are enough numbers");
    let repeats = group.quantifier.repeats();
    if repeats {
        rounds.push(id);
    }
    let mut items = vec![];
    for item in &group.items {
        items.push(match item {
            Item::Group(nested) => self::group(nested, ids, rounds, variables),
            Item::Event(event) => {
                variables.push(Variable {
                    name: &event.variable.text,
                    event_type: &event.event_type.text,
                    negated: event.negated,
                    list: event.quantifier.repeats(),
                    rounds: rounds.clone(),
                    conditions: vec![],
                    looks_ahead: false,
                });
                Node::Event { variable: variables.len() - 1, quantifier: event.quantifier }
            }
        });
    }
    if repeats {
        rounds.pop();
    }
    let (kind, quantifier) = (group.kind, group.quantifier);
    Node::Group { id, kind, quantifier, items, gaps: group.gaps.clone() }
}
