//! The names that a query uses: there is no other schema.

use std::ops::Range;

use nfab::language::{
    Expr, ExprKind, GroupKind, Item, Name, Predicate, Query, ReturnValue, Variable,
};
use nfab::{Schema, Slot, TypeId};

/// The names of a query.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// Types and attributes, none of them with a declared kind.
    pub(crate) schema: Schema,
    /// The attributes by slot, with their first places in the text.
    pub(crate) attributes: Vec<(String, Range<usize>)>,
    pub(crate) types: Vec<(String, TypeId)>,
    /// The type of events of all other types.
    pub(crate) other: TypeId,
    /// The variables that have events in a match, in the order of the text.
    pub(crate) variables: Vec<String>,
    /// The partition key.
    pub(crate) key: Vec<(String, Slot)>,
    /// Time or the end of the input may have to tell that a match is complete.
    pub(crate) open_end: bool,
}

impl Names {
    pub(crate) fn new(query: &Query) -> Self {
        let variables = query.variables();
        let mut names = Names {
            schema: Schema::new(),
            attributes: vec![],
            types: vec![],
            other: TypeId(0),
            variables: variables.iter().filter(|v| !v.item.negated).map(name).collect(),
            key: vec![],
            open_end: query.pattern.items.last().is_some_and(is_open),
        };
        for variable in &variables {
            let name = &*variable.item.event_type.text;
            let id = names.schema.add_type(name);
            if !names.types.iter().any(|(_, known)| *known == id) {
                names.types.push((name.to_owned(), id));
            }
        }
        // No query can name this type.
        names.other = names.schema.add_type("");
        for predicate in &query.predicates {
            match predicate {
                Predicate::Equivalence { attributes, .. } => {
                    attributes.iter().for_each(|a| names.add_attribute(a));
                }
                Predicate::Condition(expr) => names.add_all(expr),
            }
        }
        for item in &query.returns {
            if let ReturnValue::Value(expr) = &item.value {
                names.add_all(expr);
            }
        }
        for attribute in query.partition() {
            let slot = names.schema.add_attribute(&attribute.text, None);
            names.key.push((attribute.text.to_string(), slot));
        }
        names
    }

    fn add_attribute(&mut self, attribute: &Name) {
        let slot = self.schema.add_attribute(&attribute.text, None);
        if slot.0 as usize == self.attributes.len() {
            self.attributes.push((attribute.text.to_string(), attribute.span.range()));
        }
    }

    fn add_all(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Literal(_) => {}
            ExprKind::Reference(reference) => self.add_attribute(&reference.attribute),
            ExprKind::Aggregate(aggregate) => {
                if let Some(attribute) = &aggregate.attribute {
                    self.add_attribute(attribute);
                }
            }
            ExprKind::Negate(inner) | ExprKind::Not(inner) => self.add_all(inner),
            ExprKind::IsNull { value, .. } => self.add_all(value),
            ExprKind::All(parts) | ExprKind::Any(parts) => {
                parts.iter().for_each(|part| self.add_all(part));
            }
            ExprKind::Arithmetic(_, left, right) | ExprKind::Compare(_, left, right) => {
                self.add_all(left);
                self.add_all(right);
            }
            ExprKind::In { value, list, .. } => {
                self.add_all(value);
                list.iter().for_each(|part| self.add_all(part));
            }
            ExprKind::Between { value, low, high, .. } => {
                [value, low, high].into_iter().for_each(|part| self.add_all(part));
            }
        }
    }
}

fn name(variable: &Variable<'_>) -> String {
    variable.name().to_owned()
}

/// Whether more events, or their absence, may follow the first one of an item.
fn is_open(item: &Item) -> bool {
    match item {
        Item::Event(event) => {
            event.negated || event.quantifier.repeats() || event.quantifier.may_be_absent()
        }
        Item::Group(group) => {
            let repeats = group.quantifier.repeats() || group.quantifier.may_be_absent();
            repeats
                || match group.kind {
                    GroupKind::Seq => group.items.last().is_some_and(is_open),
                    GroupKind::Or | GroupKind::And => group.items.iter().any(is_open),
                }
        }
    }
}
