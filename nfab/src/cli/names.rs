//! The names that a query uses: there is no other schema.

use std::ops::Range;
use std::slice;

use nfab::language::{
    Expr, ExprKind, GroupKind, Item, Name, Predicate, Quantifier, Query, ReturnValue, Strategy,
    Variable,
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
    /// What may follow the last event of a match.
    pub(crate) open_end: End,
    /// Unless the command line says otherwise, each prefix that is a match is reported at once.
    pub(crate) each: bool,
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
            each: query.strategy() == Strategy::SkipTillAnyMatch,
            open_end: open_end(&query.pattern.items),
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

/// What may follow the first events of an item without which there is a match already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Nothing: the last event completes it.
    Closed,
    /// Further events, which make a longer match.
    Longer,
    /// An event whose absence is asked for.
    Negated,
}

impl End {
    /// Whether time or the end of the input may have to tell that a match is complete; `each`: the
    /// shorter ones are reported at once.
    pub(crate) fn is_open(self, each: bool) -> bool {
        match self {
            End::Closed => false,
            End::Longer => !each,
            End::Negated => true,
        }
    }
}

fn open_end(items: &[Item]) -> End {
    let mut end = End::Closed;
    // What may be absent leaves what is before it at the end.
    for item in items.iter().rev() {
        let (quantifier, last) = match item {
            Item::Event(event) if event.negated => return End::Negated,
            Item::Event(event) => (event.quantifier, End::Closed),
            Item::Group(group) => {
                let last = match group.kind {
                    GroupKind::Seq => open_end(&group.items),
                    GroupKind::Or | GroupKind::And => {
                        let parts = group.items.iter().map(|part| open_end(slice::from_ref(part)));
                        parts.fold(End::Closed, worse)
                    }
                };
                (group.quantifier, last)
            }
        };
        let grows = match quantifier {
            Quantifier::One => false,
            Quantifier::Optional => true,
            Quantifier::Repeat { min, max } => max != Some(min),
        };
        end = worse(end, worse(last, if grows { End::Longer } else { End::Closed }));
        if !quantifier.may_be_absent() {
            break;
        }
    }
    end
}

fn worse(a: End, b: End) -> End {
    match (a, b) {
        (End::Negated, _) | (_, End::Negated) => End::Negated,
        (End::Longer, _) | (_, End::Longer) => End::Longer,
        _ => End::Closed,
    }
}
