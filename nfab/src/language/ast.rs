//! The parsed query. Spans say where a part stands in the text and take no part in equality.

use std::hash::{Hash, Hasher};
use std::ops::Range;

/// A byte range of the query text; `0..0` for parts that were not parsed. All spans are equal, so
/// that queries are compared by what they say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last one.
    pub end: usize,
}

impl Span {
    /// The span as a range.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Span { start: range.start, end: range.end }
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Span {}

impl Hash for Span {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A name: of a stream, an event type, a variable, an attribute or a label.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The name without backquotes; never empty in a checked query.
    pub text: Box<str>,
    /// Where it stands.
    pub span: Span,
}

impl Name {
    /// A name that was not parsed.
    #[must_use]
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Name { text: text.into(), span: Span::default() }
    }
}

/// A query: `[FROM s] PATTERN SEQ(...) [WHERE strategy] [{...}] [WITHIN w] [AFTER MATCH skip]
/// [RETURN items]`. Made by [`Query::parse`](crate::language::Query::parse); a query that was put
/// together by hand is valid if [`Query::check`](crate::language::Query::check) says so.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The stream, if one is named.
    pub from: Option<Name>,
    /// The pattern: a [`GroupKind::Seq`] that occurs once.
    pub pattern: Group,
    /// The selection strategy as written; [`Query::strategy`] knows the default.
    pub strategy: Option<Strategy>,
    /// The conjuncts of the `WHERE` clause; none of them is itself an [`ExprKind::All`].
    pub predicates: Vec<Predicate>,
    /// The window.
    pub within: Option<Within>,
    /// What happens to other runs after a match; nothing by default.
    pub skip: Option<Skip>,
    /// What is returned; all events of all variables when it is empty.
    pub returns: Vec<ReturnItem>,
}

/// The selection strategy: which events between two selected ones may be passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// `strict_contiguity`: none.
    StrictContiguity,
    /// `partition_contiguity`: those of other partitions.
    PartitionContiguity,
    /// `skip_till_next_match`: those that do not fit.
    SkipTillNextMatch,
    /// `skip_till_any_match`: any.
    SkipTillAnyMatch,
}

/// How the next item of a sequence follows the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gap {
    /// `,`: as the strategy of the query says.
    Strategy,
    /// `->`: the very next event.
    Next,
    /// `->>`: the next event that fits.
    FollowedBy,
    /// `->>>`: any later event that fits.
    FollowedByAny,
}

/// One item of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Events of one type.
    Event(EventItem),
    /// A nested `SEQ`, an `OR` or an `AND`.
    Group(Group),
}

impl Item {
    /// Where the item stands.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Item::Event(event) => event.span,
            Item::Group(group) => group.span,
        }
    }
}

/// `Type var`, `~Type var`, `Type? var`, `Type+ var[]` and so on.
#[derive(Clone, Debug, PartialEq)]
pub struct EventItem {
    /// `~` or `!`: no such event may occur.
    pub negated: bool,
    /// The type of the events.
    pub event_type: Name,
    /// How many events; with [`Quantifier::Repeat`] the variable is a list, `var[]`.
    pub quantifier: Quantifier,
    /// The variable that the events are bound to.
    pub variable: Name,
    /// From the negation or the type to the end of the variable.
    pub span: Span,
}

/// What a group means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupKind {
    /// All items, one after the other.
    Seq,
    /// Exactly one of the items.
    Or,
    /// All items in any order, each as a whole.
    And,
}

/// `SEQ(...)`, `OR(...)` or `AND(...)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What it means.
    pub kind: GroupKind,
    /// The items; at least one, at least two for `OR` and `AND`.
    pub items: Vec<Item>,
    /// The gaps between the items, one fewer than those; all [`Gap::Strategy`] in `OR` and `AND`.
    pub gaps: Vec<Gap>,
    /// How often the group occurs; [`Quantifier::One`] for `OR`, `AND` and the outermost `SEQ`.
    pub quantifier: Quantifier,
    /// From the keyword to the quantifier.
    pub span: Span,
}

/// How often something occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// Once.
    One,
    /// `?`: once or not at all.
    Optional,
    /// `*` (0, none), `+` (1, none), `{n}`, `{n,}`, `{n,m}`.
    Repeat {
        /// At least this often.
        min: u32,
        /// At most this often; `None` = without bound.
        max: Option<u32>,
    },
}

impl Quantifier {
    /// Whether it makes a list.
    #[must_use]
    pub fn repeats(self) -> bool {
        matches!(self, Quantifier::Repeat { .. })
    }

    /// Whether it allows for no occurrence at all.
    #[must_use]
    pub fn may_be_absent(self) -> bool {
        matches!(self, Quantifier::Optional | Quantifier::Repeat { min: 0, .. })
    }
}

/// One conjunct of the `WHERE` clause.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// `[a, b]`: all events of a match, negated ones included, agree in these attributes.
    Equivalence {
        /// The attributes; at least one.
        attributes: Vec<Name>,
        /// With the brackets.
        span: Span,
    },
    /// A condition.
    Condition(Expr),
}

impl Predicate {
    /// Where the predicate stands.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Predicate::Equivalence { span, .. } => *span,
            Predicate::Condition(expr) => expr.span,
        }
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands, without parentheses around it.
    pub span: Span,
}

impl Expr {
    /// An expression that was not parsed.
    #[must_use]
    pub fn new(kind: ExprKind) -> Self {
        Expr { kind, span: Span::default() }
    }
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A constant.
    Literal(Literal),
    /// An attribute of one event.
    Reference(Reference),
    /// A function of an attribute of several events.
    Aggregate(Aggregate),
    /// `-x`; never of a literal number.
    Negate(Box<Expr>),
    /// `not x`
    Not(Box<Expr>),
    /// `x and y and z`: at least two parts, none of them itself an `All`.
    All(Vec<Expr>),
    /// `x or y or z`: at least two parts, none of them itself an `Any`.
    Any(Vec<Expr>),
    /// `x + y` and so on.
    Arithmetic(ArithmeticOp, Box<Expr>, Box<Expr>),
    /// `x < y` and so on.
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// `x [not] in (y, z)`
    In {
        /// What is looked for.
        value: Box<Expr>,
        /// Where; at least one.
        list: Vec<Expr>,
        /// `not in`
        negated: bool,
    },
    /// `x [not] between y and z`, both ends included.
    Between {
        /// What is compared.
        value: Box<Expr>,
        /// The lower end.
        low: Box<Expr>,
        /// The upper end.
        high: Box<Expr>,
        /// `not between`
        negated: bool,
    },
    /// `x is [not] null`: whether the value is missing. Never unknown.
    IsNull {
        /// What is looked at.
        value: Box<Expr>,
        /// `is not null`
        negated: bool,
    },
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A whole number.
    Int(i64),
    /// A number with a point or an exponent; finite in a checked query.
    Float(f64),
    /// `true` or `false`
    Bool(bool),
    /// A string.
    Text(Box<str>),
}

/// `+ - * / %`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArithmeticOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
}

/// `= != < <= > >=`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// `=`, also written `==`
    Eq,
    /// `!=`, also written `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// An attribute of one event: `v.x`, `v[1].x`, `v[i].x`, `v[i-1].x`, `v[v.LEN].x`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reference {
    /// The variable.
    pub variable: Name,
    /// Which of its events.
    pub index: Index,
    /// The attribute.
    pub attribute: Name,
}

/// Which event of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Index {
    /// `v`: the only one; inside a repeated group, the one of this round.
    Single,
    /// `v[1]`: the first.
    First,
    /// `v[i]`: the one being tested, from the second on.
    Current,
    /// `v[i-1]`: the one before that.
    Previous,
    /// `v[v.LEN]`: the last of the complete list.
    Last,
}

/// A function of several events: `avg(v[..i-1].x)`, `sum(v[].x)`, `count(v[])`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Aggregate {
    /// The function.
    pub function: Function,
    /// The variable.
    pub variable: Name,
    /// Which of its events.
    pub range: AggregateRange,
    /// The attribute; only `count` goes without, and then counts events.
    pub attribute: Option<Name>,
}

/// The events that an aggregate looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AggregateRange {
    /// `v[..i-1]`: those before the one being tested.
    Before,
    /// `v[]`: the complete list.
    All,
}

/// An aggregate function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `avg`
    Avg,
    /// `min`
    Min,
    /// `max`
    Max,
    /// `sum`
    Sum,
    /// `count`
    Count,
    /// `first`
    First,
    /// `last`
    Last,
}

/// The window of a match, from its first to its last event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Within {
    /// How far.
    pub window: Window,
    /// From the number to the unit.
    pub span: Span,
}

/// How far a match may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Window {
    /// `n unit`: the difference in time is at most this (inclusive).
    Time {
        /// How many units.
        amount: u64,
        /// The unit.
        unit: Unit,
    },
    /// `n EVENTS`: the first and the last event are among this many consecutive ones.
    Events(u64),
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// `ms`
    Millisecond,
    /// `s`, `second`, `seconds`
    Second,
    /// `min`, `minute`, `minutes`
    Minute,
    /// `hour`, `hours`
    Hour,
    /// `day`, `days`
    Day,
}

/// What happens to other runs after a match.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Skip {
    /// `NO SKIP`
    NoSkip,
    /// `SKIP TO NEXT`: no other match from the same first event.
    ToNext,
    /// `SKIP PAST LAST`: no other match from any event of this one.
    PastLast,
    /// `SKIP TO FIRST(v)`: none from an event before the first of `v`.
    ToFirst(Name),
    /// `SKIP TO LAST(v)`: none from an event before the last of `v`.
    ToLast(Name),
}

/// One item of the `RETURN` clause.
#[derive(Clone, Debug, PartialEq)]
pub struct ReturnItem {
    /// What is returned.
    pub value: ReturnValue,
    /// `AS label`
    pub label: Option<Name>,
    /// Where the item stands.
    pub span: Span,
}

/// What is returned.
#[derive(Clone, Debug, PartialEq)]
pub enum ReturnValue {
    /// `v` or `v[]`: the events of a variable.
    Events(Name),
    /// A value.
    Value(Expr),
}
