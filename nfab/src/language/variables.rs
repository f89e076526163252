//! The variables of a pattern, where they stand, and which of two is bound first.

use super::ast::{EventItem, Group, GroupKind, Item};

/// A variable of a query.
#[derive(Clone, Debug)]
pub struct Variable<'q> {
    /// The item that binds it.
    pub item: &'q EventItem,
    /// A match may go without any event for it.
    pub optional: bool,
    /// It stands in a group that repeats, so that it may be bound once a round.
    pub repeated_group: bool,
    /// For a negated event: a match may go without any other event before or behind it, so that
    /// the window is what bounds it.
    pub at_edge: bool,
    /// The groups around it, from the outermost on.
    path: Vec<Step>,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    group: usize,
    kind: GroupKind,
    repeats: bool,
    /// Which item of the group leads to the variable.
    index: usize,
}

/// How two variables are bound relative to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Before,
    After,
    /// Items of one `AND`.
    Open,
    /// Alternatives of one `OR`.
    Never,
}

impl Variable<'_> {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.item.variable.text
    }

    /// Whether it is written `v[]`.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.item.quantifier.repeats()
    }

    /// How this variable is bound relative to another one.
    pub(super) fn order(&self, other: &Variable<'_>) -> Order {
        let mut again = false;
        for (a, b) in self.path.iter().zip(&other.path) {
            again |= a.repeats;
            if a.index == b.index {
                continue;
            }
            return match a.kind {
                GroupKind::Seq if a.index < b.index => Order::Before,
                GroupKind::Seq => Order::After,
                GroupKind::And => Order::Open,
                // Another round may take another alternative.
                GroupKind::Or if again => Order::Open,
                GroupKind::Or => Order::Never,
            };
        }
        Order::Open
    }

    /// The innermost repeated group around the variable.
    pub(super) fn round(&self) -> Option<usize> {
        self.path.iter().rev().find(|step| step.repeats).map(|step| step.group)
    }

    /// Whether the variable stands inside a group.
    pub(super) fn is_inside(&self, group: usize) -> bool {
        self.path.iter().any(|step| step.group == group)
    }
}

/// Whether the item may take no event at all.
pub(super) fn may_be_absent(item: &Item) -> bool {
    match item {
        Item::Event(event) => event.negated || event.quantifier.may_be_absent(),
        Item::Group(group) => group.quantifier.may_be_absent() || body_may_be_absent(group),
    }
}

/// Whether one round of the group may take no event at all.
pub(super) fn body_may_be_absent(group: &Group) -> bool {
    match group.kind {
        GroupKind::Or => group.items.iter().any(may_be_absent),
        GroupKind::Seq | GroupKind::And => group.items.iter().all(may_be_absent),
    }
}

pub(super) fn variables(pattern: &Group) -> Vec<Variable<'_>> {
    let mut walk = Walk { groups: 0, path: vec![], out: vec![] };
    walk.group(pattern, Around { optional: false, before: false, behind: false });
    walk.out
}

/// What is known of the surroundings of an item.
#[derive(Clone, Copy)]
struct Around {
    optional: bool,
    /// An event surely comes before.
    before: bool,
    /// An event surely comes behind.
    behind: bool,
}

struct Walk<'q> {
    groups: usize,
    path: Vec<Step>,
    out: Vec<Variable<'q>>,
}

impl<'q> Walk<'q> {
    fn group(&mut self, group: &'q Group, around: Around) {
        let id = self.groups;
        self.groups += 1;
        let sequence = group.kind == GroupKind::Seq;
        let required: Vec<bool> = group.items.iter().map(|item| !may_be_absent(item)).collect();
        let first = required.iter().position(|&r| r).unwrap_or(usize::MAX);
        let last = required.iter().rposition(|&r| r);
        for (index, item) in group.items.iter().enumerate() {
            let inner = Around {
                optional: around.optional
                    || group.quantifier.may_be_absent()
                    || group.kind == GroupKind::Or,
                before: around.before || (sequence && first < index),
                behind: around.behind || (sequence && last.is_some_and(|last| index < last)),
            };
            let repeats = group.quantifier.repeats();
            self.path.push(Step { group: id, kind: group.kind, repeats, index });
            match item {
                Item::Group(nested) => self.group(nested, inner),
                Item::Event(event) => self.out.push(Variable {
                    item: event,
                    optional: inner.optional || event.quantifier.may_be_absent(),
                    repeated_group: self.path.iter().any(|step| step.repeats),
                    at_edge: event.negated && !(inner.before && inner.behind),
                    path: self.path.clone(),
                }),
            }
            self.path.pop();
        }
    }
}
