//! Random predicates over the variables of a pattern, of every form that the variables allow.

use nfab::language::{
    Aggregate, AggregateRange, ArithmeticOp, CompareOp, Expr, ExprKind, Function, Index, Literal,
    Name, Query, Reference,
};
use proptest::prelude::*;

/// A predicate before it is known which variables there are.
#[derive(Clone, Debug)]
pub enum Draft {
    Compare(CompareOp, DraftTerm, DraftTerm),
    In(DraftTerm, Vec<DraftTerm>, bool),
    Between(DraftTerm, DraftTerm, DraftTerm, bool),
    IsNull(DraftTerm, bool),
    Not(Box<Draft>),
    Any(Box<Draft>, Box<Draft>),
}

#[derive(Clone, Debug)]
pub enum DraftTerm {
    Literal(Literal),
    Of { variable: usize, form: usize, function: Function, attribute: &'static str },
    Arithmetic(ArithmeticOp, Box<DraftTerm>, Box<DraftTerm>),
    Negate(Box<DraftTerm>),
}

pub fn draft() -> impl Strategy<Value = Draft> {
    let op = prop::sample::select(vec![
        CompareOp::Eq,
        CompareOp::Ne,
        CompareOp::Lt,
        CompareOp::Le,
        CompareOp::Gt,
        CompareOp::Ge,
    ]);
    let flag = || prop::bool::weighted(0.3);
    let leaf = prop_oneof![
        10 => (op, of(), term()).prop_map(|(op, a, b)| Draft::Compare(op, a, b)),
        1 => (of(), prop::collection::vec(term(), 1..4), flag())
            .prop_map(|(value, list, negated)| Draft::In(value, list, negated)),
        1 => (term(), term(), term(), flag()).prop_map(|(a, b, c, n)| Draft::Between(a, b, c, n)),
        1 => (of(), flag()).prop_map(|(value, negated)| Draft::IsNull(value, negated)),
    ];
    let not = leaf.clone().prop_map(|d| Draft::Not(Box::new(d)));
    let any = (leaf.clone(), leaf.clone()).prop_map(|(a, b)| Draft::Any(Box::new(a), Box::new(b)));
    prop_oneof![6 => leaf, 1 => not, 2 => any]
}

/// Something of an event.
fn of() -> impl Strategy<Value = DraftTerm> + Clone {
    let function = prop::sample::select(vec![
        Function::Avg,
        Function::Min,
        Function::Max,
        Function::Sum,
        Function::Count,
        Function::First,
        Function::Last,
    ]);
    let attribute = prop_oneof![5 => Just("x"), 1 => Just("k")];
    (0..8usize, 0..8usize, function, attribute).prop_map(|(variable, form, function, attribute)| {
        DraftTerm::Of { variable, form, function, attribute }
    })
}

fn term() -> impl Strategy<Value = DraftTerm> {
    let literal = prop_oneof![
        8 => (0..4i64).prop_map(Literal::Int),
        1 => prop::sample::select(vec![0.5, 1.0, 2.5]).prop_map(Literal::Float),
        1 => Just(Literal::Text("t".into())),
    ];
    let op = prop::sample::select(vec![
        ArithmeticOp::Add,
        ArithmeticOp::Subtract,
        ArithmeticOp::Multiply,
        ArithmeticOp::Divide,
        ArithmeticOp::Remainder,
    ]);
    let literal = literal.prop_map(DraftTerm::Literal);
    let leaf = prop_oneof![3 => of(), 2 => literal];
    let negated = of().prop_map(|t| DraftTerm::Negate(Box::new(t)));
    let combined = (op, leaf.clone(), leaf.clone())
        .prop_map(|(op, a, b)| DraftTerm::Arithmetic(op, Box::new(a), Box::new(b)));
    prop_oneof![16 => leaf, 1 => negated, 4 => combined]
}

impl Draft {
    /// The predicate over the variables of a query. It may still make no sense.
    pub fn expr(&self, query: &Query) -> Expr {
        let inner = |draft: &Draft| draft.expr(query);
        let term = |term: &DraftTerm| Box::new(term.expr(query));
        Expr::new(match self {
            Draft::Compare(op, a, b) => ExprKind::Compare(*op, term(a), term(b)),
            Draft::In(value, list, negated) => ExprKind::In {
                value: term(value),
                list: list.iter().map(|t| t.expr(query)).collect(),
                negated: *negated,
            },
            Draft::Between(value, low, high, negated) => ExprKind::Between {
                value: term(value),
                low: term(low),
                high: term(high),
                negated: *negated,
            },
            Draft::IsNull(value, negated) => {
                ExprKind::IsNull { value: term(value), negated: *negated }
            }
            Draft::Not(draft) => ExprKind::Not(Box::new(inner(draft))),
            Draft::Any(a, b) => ExprKind::Any(vec![inner(a), inner(b)]),
        })
    }
}

impl DraftTerm {
    fn expr(&self, query: &Query) -> Expr {
        Expr::new(match self {
            DraftTerm::Literal(literal) => ExprKind::Literal(literal.clone()),
            DraftTerm::Arithmetic(op, a, b) => {
                ExprKind::Arithmetic(*op, Box::new(a.expr(query)), Box::new(b.expr(query)))
            }
            DraftTerm::Negate(inner) => match inner.expr(query) {
                // The sign of a literal is part of it.
                Expr { kind: ExprKind::Literal(literal), .. } => ExprKind::Literal(match literal {
                    Literal::Int(i) => Literal::Int(-i),
                    Literal::Float(x) => Literal::Float(-x),
                    other => other,
                }),
                inner => ExprKind::Negate(Box::new(inner)),
            },
            DraftTerm::Of { variable, form, function, attribute } => {
                of_variable(query, *variable, *form, *function, attribute)
            }
        })
    }
}

fn of_variable(
    query: &Query,
    variable: usize,
    form: usize,
    function: Function,
    attribute: &str,
) -> ExprKind {
    let variables = query.variables();
    let variable = &variables[variable % variables.len()];
    let name = Name::new(variable.name());
    let reference = |index| {
        ExprKind::Reference(Reference {
            variable: name.clone(),
            index,
            attribute: Name::new(attribute),
        })
    };
    let aggregate = |range, attribute: Option<&str>| {
        let function = if attribute.is_none() { Function::Count } else { function };
        let attribute = attribute.map(Name::new);
        ExprKind::Aggregate(Aggregate { function, variable: name.clone(), range, attribute })
    };
    let list = variable.is_list();
    match form {
        _ if !list && (!variable.repeated_group || variable.item.negated) => {
            reference(Index::Single)
        }
        0 | 1 => reference(if list { Index::Current } else { Index::Single }),
        2 => reference(Index::First),
        3 => reference(Index::Previous),
        4 => reference(Index::Last),
        5 => aggregate(AggregateRange::Before, Some(attribute)),
        6 => aggregate(AggregateRange::All, Some(attribute)),
        _ => aggregate(AggregateRange::All, None),
    }
}
