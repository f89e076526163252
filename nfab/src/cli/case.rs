//! The format of conformance cases, and building patterns and events from it.

use std::collections::BTreeMap;

use nfab::pattern::{AfterMatch, SkipTarget};
use nfab::{Error, Expr, Pattern, PatternBuilder, Record, Schema, Slot, ValueType};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) id: String,
    pub(super) features: Vec<String>,
    #[allow(dead_code, reason = "only says what the case shows; unknown fields are refused")]
    note: Option<String>,
    pub(super) pattern: PatternSpec,
    pub(super) stream: Vec<EventSpec>,
    pub(super) matches: Vec<Expected>,
    pub(super) timed_out: Vec<Expected>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventSpec {
    pub(super) id: i64,
    #[serde(rename = "type")]
    kind: String,
    val: i64,
    ts: i64,
    #[serde(default)]
    vol: i64,
}

/// An expected match or, with a deadline, an expected timeout.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expected {
    pub(super) event: Option<i64>,
    pub(super) time: Option<i64>,
    pub(super) end: Option<bool>,
    pub(super) deadline: Option<i64>,
    pub(super) stages: BTreeMap<String, Vec<i64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PatternSpec {
    elems: Vec<Element>,
    pub(super) within: Option<i64>,
    within_type: Option<WithinType>,
    skip: Option<Skip>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum WithinType {
    PreviousAndCurrent,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Skip {
    strategy: Strategy,
    stage: Option<String>,
    #[serde(default)]
    throw_on_miss: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Strategy {
    NoSkip,
    SkipToNext,
    SkipPastLastEvent,
    SkipToFirst,
    SkipToLast,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Element {
    name: Option<String>,
    group: Option<Vec<Element>>,
    connect: Connect,
    #[serde(rename = "where")]
    condition: Option<Condition>,
    quant: Option<Quantifier>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "camelCase")]
enum Connect {
    Begin,
    Next,
    FollowedBy,
    FollowedByAny,
    NotNext,
    NotFollowedBy,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Quantifier {
    kind: Kind,
    min: Option<u32>,
    max: Option<u32>,
    #[serde(default)]
    optional: bool,
    inner: Option<Inner>,
    #[serde(default)]
    greedy: bool,
    until: Option<Condition>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Kind {
    One,
    OneOrMore,
    Times,
    Range,
    TimesOrMore,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Inner {
    Relaxed,
    Consecutive,
    Combinations,
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
enum Condition {
    True {},
    Type {
        eq: String,
    },
    And {
        args: Vec<Condition>,
    },
    Or {
        args: Vec<Condition>,
    },
    Not {
        arg: Box<Condition>,
    },
    Cmp {
        lhs: Operand,
        rel: Relation,
        rhs: Operand,
        #[serde(default = "one")]
        lmul: i64,
        #[serde(default = "one")]
        rmul: i64,
        #[serde(default)]
        on_empty: bool,
    },
}

fn one() -> i64 {
    1
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Operand {
    Constant(Constant),
    Current(Current),
    Held(Held),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Constant {
    #[serde(rename = "const")]
    value: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Current {
    f: Field,
    #[allow(dead_code, reason = "there is only one value; it has to be one that is known")]
    of: Of,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Held {
    f: Field,
    agg: Aggregate,
    stage: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Of {
    Cur,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Field {
    Val,
    Vol,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Aggregate {
    First,
    Last,
    Min,
    Max,
    Avg,
    Sum,
    Count,
}

#[derive(Deserialize)]
enum Relation {
    #[serde(rename = "<")]
    Less,
    #[serde(rename = "<=")]
    LessOrEqual,
    #[serde(rename = "==")]
    Equal,
    #[serde(rename = ">=")]
    GreaterOrEqual,
    #[serde(rename = ">")]
    Greater,
    #[serde(rename = "!=")]
    NotEqual,
}

impl Field {
    fn name(self) -> &'static str {
        match self {
            Field::Val => "val",
            Field::Vol => "vol",
        }
    }
}

impl Operand {
    fn expr(&self) -> Expr {
        let held = match self {
            Operand::Constant(c) => return Expr::constant(c.value),
            Operand::Current(c) => return Expr::attribute(c.f.name()),
            Operand::Held(held) => held,
        };
        let (stage, field) = (held.stage.as_str(), held.f.name());
        match held.agg {
            Aggregate::First => Expr::first(stage, field),
            Aggregate::Last => Expr::last(stage, field),
            Aggregate::Min => Expr::min(stage, field),
            Aggregate::Max => Expr::max(stage, field),
            Aggregate::Avg => Expr::avg(stage, field),
            Aggregate::Sum => Expr::sum(stage, field),
            Aggregate::Count => Expr::count(stage),
        }
    }
}

fn times(factor: i64, e: Expr) -> Expr {
    if factor == 1 { e } else { Expr::constant(factor).mul(e) }
}

impl Condition {
    fn expr(&self) -> Expr {
        match self {
            Condition::True {} => Expr::constant(true),
            Condition::Type { eq } => Expr::type_is(eq.as_str()),
            Condition::And { args } => Expr::And(args.iter().map(Condition::expr).collect()),
            Condition::Or { args } => Expr::Or(args.iter().map(Condition::expr).collect()),
            Condition::Not { arg } => arg.expr().not(),
            Condition::Cmp { lhs, rel, rhs, lmul, rmul, on_empty } => {
                let (a, b) = (times(*lmul, lhs.expr()), times(*rmul, rhs.expr()));
                // All events carry all values: only an empty stage makes a comparison unknown.
                let comparison = match rel {
                    Relation::Less => a.lt(b),
                    Relation::LessOrEqual => a.le(b),
                    Relation::Equal => a.eq(b),
                    Relation::GreaterOrEqual => a.ge(b),
                    Relation::Greater => a.gt(b),
                    Relation::NotEqual => a.ne(b),
                };
                comparison.assume(*on_empty)
            }
        }
    }

    fn add_types(&self, schema: &mut Schema) {
        match self {
            Condition::Type { eq } => {
                schema.add_type(eq);
            }
            Condition::And { args } | Condition::Or { args } => {
                args.iter().for_each(|c| c.add_types(schema));
            }
            Condition::Not { arg } => arg.add_types(schema),
            Condition::True {} | Condition::Cmp { .. } => {}
        }
    }
}

impl Element {
    fn add_types(&self, schema: &mut Schema) {
        let until = self.quant.as_ref().and_then(|q| q.until.as_ref());
        for condition in self.condition.iter().chain(until) {
            condition.add_types(schema);
        }
        self.group.iter().flatten().for_each(|e| e.add_types(schema));
    }

    fn add_to(&self, before: Option<PatternBuilder>) -> Result<PatternBuilder, String> {
        let mut builder = match (&self.name, &self.group) {
            (Some(name), None) => match (before, self.connect) {
                (None, Connect::Begin) => Pattern::begin(name),
                (Some(b), Connect::Next) => b.next(name),
                (Some(b), Connect::FollowedBy) => b.followed_by(name),
                (Some(b), Connect::FollowedByAny) => b.followed_by_any(name),
                (Some(b), Connect::NotNext) => b.not_next(name),
                (Some(b), Connect::NotFollowedBy) => b.not_followed_by(name),
                _ => return Err("exactly the first element has the connector begin".to_owned()),
            },
            (None, Some(inner)) => {
                let inner = sequence(inner)?;
                match (before, self.connect) {
                    (None, Connect::Begin) => Pattern::begin_group(inner),
                    (Some(b), Connect::Next) => b.next_group(inner),
                    (Some(b), Connect::FollowedBy) => b.followed_by_group(inner),
                    (Some(b), Connect::FollowedByAny) => b.followed_by_any_group(inner),
                    _ => return Err("a group with a connector that it cannot have".to_owned()),
                }
            }
            _ => return Err("an element has a name or is a group, one of the two".to_owned()),
        };
        if let Some(condition) = &self.condition {
            builder = builder.where_(condition.expr());
        }
        match &self.quant {
            Some(quantifier) => quantifier.add_to(builder),
            None => Ok(builder),
        }
    }
}

impl Quantifier {
    fn add_to(&self, builder: PatternBuilder) -> Result<PatternBuilder, String> {
        let mut builder = match (&self.kind, self.min, self.max) {
            (Kind::One, None, None) => builder,
            (Kind::OneOrMore, None, None) => builder.one_or_more(),
            (Kind::Times, Some(n), None) => builder.times(n),
            (Kind::Range, Some(from), Some(to)) => builder.times_between(from, to),
            (Kind::TimesOrMore, Some(n), None) => builder.times_or_more(n),
            _ => return Err("the numbers of a quantifier do not fit its kind".to_owned()),
        };
        match self.inner {
            None | Some(Inner::Relaxed) => {}
            Some(Inner::Consecutive) => builder = builder.consecutive(),
            Some(Inner::Combinations) => builder = builder.allow_combinations(),
        }
        if self.optional {
            builder = builder.optional();
        }
        if self.greedy {
            builder = builder.greedy();
        }
        if let Some(until) = &self.until {
            builder = builder.until(until.expr());
        }
        Ok(builder)
    }
}

fn sequence(elements: &[Element]) -> Result<PatternBuilder, String> {
    let mut builder = None;
    for element in elements {
        builder = Some(element.add_to(builder)?);
    }
    builder.ok_or_else(|| "a sequence is empty".to_owned())
}

impl PatternSpec {
    /// In Flink a window between neighbours belongs to the stage on which it is set, which in the
    /// cases is the last one, and has an effect only if that stage occurs once.
    fn with_gap(&self, builder: PatternBuilder, window: i64) -> PatternBuilder {
        match self.elems.last() {
            Some(Element { name: Some(_), quant: None, .. }) => builder.within_gap(window),
            Some(Element { name: Some(_), quant: Some(q), .. }) if matches!(q.kind, Kind::One) => {
                builder.within_gap(window)
            }
            _ => builder,
        }
    }

    fn build(&self) -> Result<Pattern, String> {
        let mut builder = sequence(&self.elems)?;
        builder = match (self.within, &self.within_type) {
            (None, None) => builder,
            (Some(window), None) => builder.within(window),
            (Some(window), Some(WithinType::PreviousAndCurrent)) => self.with_gap(builder, window),
            (None, Some(_)) => return Err("within_type without within".to_owned()),
        };
        if let Some(skip) = &self.skip {
            let target = || {
                let stage = skip.stage.clone().ok_or("a skip without its stage")?;
                Ok::<_, String>(SkipTarget { stage, must_exist: skip.throw_on_miss })
            };
            builder = builder.after_match(match skip.strategy {
                Strategy::NoSkip => AfterMatch::NoSkip,
                Strategy::SkipToNext => AfterMatch::SkipToNext,
                Strategy::SkipPastLastEvent => AfterMatch::SkipPastLast,
                Strategy::SkipToFirst => AfterMatch::SkipToFirst(target()?),
                Strategy::SkipToLast => AfterMatch::SkipToLast(target()?),
            });
        }
        builder.build().map_err(|e: Error| e.to_string())
    }
}

/// What a case needs to run.
pub(super) struct Prepared {
    pub(super) schema: Schema,
    pub(super) pattern: Pattern,
    pub(super) events: Vec<Record>,
}

impl Case {
    /// The schema, the pattern and the events.
    pub(super) fn prepare(&self) -> Result<Prepared, String> {
        let mut schema = Schema::new();
        let int = Some(ValueType::Int);
        let (val, vol): (Slot, Slot) =
            (schema.add_attribute("val", int), schema.add_attribute("vol", int));
        self.pattern.elems.iter().for_each(|e| e.add_types(&mut schema));
        let events = (self.stream.iter())
            .map(|e| Record::new(schema.add_type(&e.kind), e.ts).with(val, e.val).with(vol, e.vol))
            .collect();
        Ok(Prepared { pattern: self.pattern.build()?, schema, events })
    }
}
