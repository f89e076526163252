//! "Each predicate on the edge of its last-bound variable": where a conjunct is tested.

use std::collections::HashMap;

use super::ast::{Aggregate, AggregateRange, Expr, ExprKind, Index, Name, Predicate, Query, Span};
use super::check::{form_fault, reference_fault};
use super::variables::{Order, Variable};
use crate::Error;

/// The kind of edge on which a predicate is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeKind {
    /// Taking the only event of a variable, or the first of its list.
    Begin,
    /// Taking an event of a list from the second on; for a single event in a repeated group, from
    /// the second round on.
    Take,
    /// Leaving a list, also one without events; for a single event in a repeated group, leaving the
    /// group.
    Proceed,
    /// Taking an event of a negated type between two others, which ends the run.
    Negation,
    /// Likewise at an end of the pattern, where the window takes the place of the missing
    /// neighbour.
    Window,
}

/// An edge on which a predicate is tested.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The variable.
    pub variable: Box<str>,
    /// The kind of edge.
    pub kind: EdgeKind,
}

/// Where one conjunct is tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The index in [`Query::predicates`].
    pub predicate: usize,
    /// The edges. None for a constant, which holds always or never. Several when variables of an
    /// `AND` make it open which is bound last: the test is on the edge that binds the last of them.
    pub edges: Vec<Edge>,
    /// A predicate of a negated event that looks at events which come later: the negated event has
    /// to be kept until they are known.
    pub looks_ahead: bool,
}

/// Where all conditions of a query are tested. Equivalences are on every edge and not listed; see
/// [`Query::partition`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// One entry a condition, in the order of the query.
    pub predicates: Vec<Placed>,
}

/// Says on which edge each condition of a checked query is tested. Conditions that
/// [`Query::check`] refuses are left out.
#[must_use]
pub fn place(query: &Query) -> Placement {
    let scope = Scope::new(query);
    let conditions = query.predicates.iter().enumerate();
    let placed = conditions.filter_map(|(predicate, condition)| match condition {
        Predicate::Equivalence { .. } => None,
        Predicate::Condition(expr) => {
            let (edges, looks_ahead) = scope.place(expr).ok()?;
            Some(Placed { predicate, edges, looks_ahead })
        }
    });
    Placement { predicates: placed.collect() }
}

/// How an expression refers to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `v.x`
    Single,
    /// `v[1].x`
    First,
    /// `v[i].x`
    Current,
    /// `v[i-1].x`, `agg(v[..i-1].x)`
    Earlier,
    /// `v[v.LEN].x`, `agg(v[].x)`
    Complete,
}

/// One variable of an expression with the forms in which it occurs, each with its first place.
struct Used {
    variable: usize,
    forms: Vec<(Form, Span)>,
}

impl Used {
    fn span_of(&self, forms: &[Form]) -> Option<Span> {
        self.forms.iter().find(|(form, _)| forms.contains(form)).map(|(_, span)| *span)
    }

    fn has(&self, form: Form) -> bool {
        self.span_of(&[form]).is_some()
    }

    fn span(&self) -> Span {
        self.forms[0].1
    }
}

/// The variables of a query by name.
pub(super) struct Scope<'q> {
    pub(super) variables: Vec<Variable<'q>>,
    by_name: HashMap<&'q str, usize>,
}

impl<'q> Scope<'q> {
    pub(super) fn new(query: &'q Query) -> Self {
        let variables = query.variables();
        let names = variables.iter().enumerate().map(|(i, v)| (&*v.item.variable.text, i));
        // The first of two namesakes, which `check` refuses.
        let by_name = names.rev().collect();
        Scope { variables, by_name }
    }

    pub(super) fn find(&self, name: &Name) -> Option<usize> {
        self.by_name.get(&*name.text).copied()
    }

    /// The error that no variable has the name.
    pub(super) fn unknown(&self, name: &Name) -> Error {
        let error = super::check::unknown_variable(name);
        let names: Vec<String> = self.variables.iter().map(|v| format!("`{}`", v.name())).collect();
        match &names[..] {
            [one] => error.with_hint(format!("the only one is {one}")),
            [front @ .., last] if names.len() < 9 => {
                error.with_hint(format!("there are {} and {last}", front.join(", ")))
            }
            _ => error,
        }
    }

    fn used(&self, expr: &Expr) -> Result<Vec<Used>, Error> {
        let mut used: Vec<Used> = vec![];
        let mut at: HashMap<usize, usize> = HashMap::new();
        for_each_reference(expr, &mut |name, form, attribute, span| {
            let Some(variable) = self.find(name) else {
                return Err(self.unknown(name));
            };
            form_fault(&self.variables[variable], form, attribute, span)?;
            let slot = *at.entry(variable).or_insert_with(|| {
                used.push(Used { variable, forms: vec![] });
                used.len() - 1
            });
            if !used[slot].has(form) {
                used[slot].forms.push((form, span));
            }
            Ok(())
        })?;
        Ok(used)
    }

    /// The edges of a condition, and whether it looks ahead.
    pub(super) fn place(&self, expr: &Expr) -> Result<(Vec<Edge>, bool), Error> {
        let used = self.used(expr)?;
        self.never_together(&used)?;
        let negated: Vec<&Used> =
            used.iter().filter(|u| self.variables[u.variable].item.negated).collect();
        if let [_, second, ..] = negated[..] {
            let message = "a predicate over two negated events";
            return Err(reference_fault(second.span(), message)
                .with_hint("none of them occurs in a match, so there is nothing to compare"));
        }
        let last: Vec<&Used> = match negated.first() {
            Some(&negated) => vec![negated],
            None => used.iter().filter(|u| self.is_last(u, &used)).collect(),
        };
        let mut edges = vec![];
        for anchor in &last {
            let kind = self.kind(anchor)?;
            let variable = self.variables[anchor.variable].name().into();
            for other in used.iter().filter(|other| other.variable != anchor.variable) {
                self.known(other, anchor, kind, last.len() > 1)?;
            }
            self.single_anchor(anchor, &last)?;
            edges.push(Edge { variable, kind });
        }
        let looks_ahead = negated.first().is_some_and(|negated| {
            let before = |u: &Used| self.order(u, negated) == Order::Before;
            used.iter().any(|u| u.variable != negated.variable && !before(u))
        });
        Ok((edges, looks_ahead))
    }

    fn order(&self, a: &Used, b: &Used) -> Order {
        self.variables[a.variable].order(&self.variables[b.variable])
    }

    fn never_together(&self, used: &[Used]) -> Result<(), Error> {
        for (i, a) in used.iter().enumerate() {
            if let Some(b) = used[..i].iter().find(|b| self.order(a, b) == Order::Never) {
                let (a_name, b_name) =
                    (self.variables[a.variable].name(), self.variables[b.variable].name());
                let message = format!("`{b_name}` and `{a_name}` never occur in one match");
                return Err(reference_fault(a.span(), message)
                    .with_hint("they are alternatives of one `OR`: write one predicate for each"));
            }
        }
        Ok(())
    }

    fn is_last(&self, one: &Used, used: &[Used]) -> bool {
        used.iter()
            .all(|other| other.variable == one.variable || self.order(one, other) != Order::Before)
    }

    /// The kind of edge of the variable that is bound last.
    fn kind(&self, anchor: &Used) -> Result<EdgeKind, Error> {
        let variable = &self.variables[anchor.variable];
        if variable.item.negated {
            return Ok(if variable.at_edge { EdgeKind::Window } else { EdgeKind::Negation });
        }
        let running = [Form::Current, Form::Earlier];
        let present =
            if variable.is_list() { &running[..] } else { &[Form::Single, Form::Earlier] };
        if let (true, Some(span)) = (anchor.has(Form::Complete), anchor.span_of(present)) {
            let name = variable.name();
            let message = format!("one event of `{name}` and all of them in one predicate");
            return Err(reference_fault(span, message)
                .with_hint(format!("while `{name}` grows, its list so far is `{name}[..i-1]`")));
        }
        Ok(if anchor.has(Form::Complete) {
            EdgeKind::Proceed
        } else if anchor.span_of(&running).is_some() {
            EdgeKind::Take
        } else {
            EdgeKind::Begin
        })
    }

    /// `v[i]` is tested when its event is taken: no other variable may be bound later.
    fn single_anchor(&self, anchor: &Used, last: &[&Used]) -> Result<(), Error> {
        let other = last.iter().find(|other| other.variable != anchor.variable);
        match (anchor.span_of(&[Form::Current, Form::Earlier]), other) {
            (Some(span), Some(other)) => Err(self.not_running(anchor, span, other)),
            _ => Ok(()),
        }
    }

    /// Whether the other variable's forms are known when the last one is bound.
    fn known(&self, other: &Used, last: &Used, kind: EdgeKind, open: bool) -> Result<(), Error> {
        if let Some(span) = other.span_of(&[Form::Current, Form::Earlier]) {
            return Err(self.not_running(other, span, last));
        }
        let variable = &self.variables[other.variable];
        let Some(round) = variable.round().filter(|_| !variable.is_list()) else { return Ok(()) };
        let inside = self.variables[last.variable].is_inside(round);
        let leaves = kind == EdgeKind::Proceed
            && !self.variables[last.variable].is_list()
            && self.variables[last.variable].round() == Some(round);
        let name = variable.name();
        if let Some(span) = other.span_of(&[Form::Single]).filter(|_| !inside || leaves) {
            let message = format!("`{name}` repeats with its group, and is used outside of it");
            return Err(reference_fault(span, message).with_hint(format!(
                "write `{name}[1]`, `{name}[{name}.LEN]` or an aggregate over `{name}[]`"
            )));
        }
        if let Some(span) = other.span_of(&[Form::Complete]).filter(|_| inside && !leaves && !open)
        {
            let message = format!("all rounds of `{name}` inside its group");
            return Err(reference_fault(span, message).with_hint(format!(
                "inside the group write `{name}` for the event of this round"
            )));
        }
        Ok(())
    }

    fn not_running(&self, used: &Used, span: Span, decides: &Used) -> Error {
        let name = self.variables[used.variable].name();
        let other = self.variables[decides.variable].name();
        let message = format!(
            "`{name}[i]`, `{name}[i-1]` or `{name}[..i-1]` in a predicate that `{other}` decides"
        );
        reference_fault(span, message).with_hint(format!(
            "`{name}` is complete then: write `{name}[1]`, `{name}[{name}.LEN]` or an aggregate \
             over `{name}[]`"
        ))
    }
}

type OnReference<'a, 'q> =
    &'a mut dyn FnMut(&'q Name, Form, Option<&'q Name>, Span) -> Result<(), Error>;

/// Visits all references and aggregates of an expression, in the order of the text.
pub(super) fn for_each_reference<'q>(
    expr: &'q Expr,
    visit: OnReference<'_, 'q>,
) -> Result<(), Error> {
    match &expr.kind {
        ExprKind::Literal(_) => {}
        ExprKind::Reference(reference) => {
            let form = match reference.index {
                Index::Single => Form::Single,
                Index::First => Form::First,
                Index::Current => Form::Current,
                Index::Previous => Form::Earlier,
                Index::Last => Form::Complete,
            };
            visit(&reference.variable, form, Some(&reference.attribute), expr.span)?;
        }
        ExprKind::Aggregate(Aggregate { variable, range, attribute, .. }) => {
            let form = match range {
                AggregateRange::Before => Form::Earlier,
                AggregateRange::All => Form::Complete,
            };
            visit(variable, form, attribute.as_ref(), expr.span)?;
        }
        _ => {
            for part in parts(expr) {
                for_each_reference(part, visit)?;
            }
        }
    }
    Ok(())
}

/// The attributes that a checked expression reads.
pub(crate) fn attributes<'q>(expr: &'q Expr, into: &mut Vec<&'q Name>) {
    match &expr.kind {
        ExprKind::Reference(reference) => into.push(&reference.attribute),
        ExprKind::Aggregate(aggregate) => into.extend(&aggregate.attribute),
        _ => parts(expr).into_iter().for_each(|part| attributes(part, into)),
    }
}

/// The expressions directly below another one.
pub(crate) fn parts(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Reference(_) | ExprKind::Aggregate(_) => vec![],
        ExprKind::Negate(inner) | ExprKind::Not(inner) => vec![&**inner],
        ExprKind::IsNull { value, .. } => vec![&**value],
        ExprKind::All(parts) | ExprKind::Any(parts) => parts.iter().collect(),
        ExprKind::Arithmetic(_, left, right) | ExprKind::Compare(_, left, right) => {
            vec![&**left, &**right]
        }
        ExprKind::In { value, list, .. } => std::iter::once(&**value).chain(list).collect(),
        ExprKind::Between { value, low, high, .. } => vec![&**value, &**low, &**high],
    }
}
