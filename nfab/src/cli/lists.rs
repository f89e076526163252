//! Conditions on `v[i]` that leave out the first event of the list, perhaps unawares.

use nfab::language::{
    Aggregate, AggregateRange, Expr, ExprKind, Index, Name, Predicate, Query, Reference,
};

/// Calls something for each reference of an expression, which it may change, and says whether there
/// are aggregates of earlier events.
fn references(expr: &mut Expr, each: &mut dyn FnMut(&mut Reference)) -> bool {
    let all = |parts: &mut [Expr], each: &mut dyn FnMut(&mut Reference)| {
        let mut found = false;
        for part in parts {
            found |= references(part, each);
        }
        found
    };
    match &mut expr.kind {
        ExprKind::Literal(_) => false,
        ExprKind::Reference(reference) => {
            each(reference);
            false
        }
        ExprKind::Aggregate(Aggregate { range, .. }) => *range == AggregateRange::Before,
        ExprKind::Negate(inner) | ExprKind::Not(inner) => references(inner, each),
        ExprKind::IsNull { value, .. } => references(value, each),
        ExprKind::All(parts) | ExprKind::Any(parts) => all(parts, each),
        ExprKind::Arithmetic(_, left, right) | ExprKind::Compare(_, left, right) => {
            let found = references(left, each);
            references(right, each) || found
        }
        ExprKind::In { value, list, .. } => {
            let found = references(value, each);
            all(list, each) || found
        }
        ExprKind::Between { value, low, high, .. } => {
            let found = references(value, each);
            let found = references(low, each) || found;
            references(high, each) || found
        }
    }
}

/// A condition on `v[i]` alone.
#[derive(Debug)]
pub(super) struct Alone {
    /// The list.
    pub(super) variable: String,
    /// The condition as it is written.
    pub(super) condition: String,
    /// The same of the first event.
    pub(super) first: String,
}

/// The conditions on `v[i]` that compare it with no event before it, where no condition looks at the
/// same attribute of `v[1]`.
pub(super) fn alone(query: &Query) -> Vec<Alone> {
    let conditions = || {
        query.predicates.iter().filter_map(|predicate| match predicate {
            Predicate::Condition(expr) => Some(expr.clone()),
            Predicate::Equivalence { .. } => None,
        })
    };
    let mut firsts: Vec<(Name, Name)> = vec![];
    for mut condition in conditions() {
        references(&mut condition, &mut |r| {
            if r.index == Index::First {
                firsts.push((r.variable.clone(), r.attribute.clone()));
            }
        });
    }
    let mut found = vec![];
    for condition in conditions() {
        let mut first = condition.clone();
        let mut variable: Option<Name> = None;
        let mut known = false;
        let back = references(&mut first, &mut |r| match r.index {
            Index::Current => {
                known |= firsts.contains(&(r.variable.clone(), r.attribute.clone()));
                variable = Some(r.variable.clone());
                r.index = Index::First;
            }
            Index::Previous => known = true,
            Index::Single | Index::First | Index::Last => {}
        });
        if let Some(variable) = variable.filter(|_| !known && !back) {
            found.push(Alone {
                variable: variable.text.to_string(),
                condition: condition.to_string(),
                first: match first.kind {
                    ExprKind::Any(_) => format!("({first})"),
                    _ => first.to_string(),
                },
            });
        }
    }
    found
}
