//! Showing and parsing again gives the same query, for queries of the whole grammar; no text makes
//! the parser panic.

use nfab::Error;
use nfab::language::{
    Aggregate, AggregateRange, ArithmeticOp, CompareOp, EventItem, Expr, ExprKind, Function, Gap,
    Group, GroupKind, Index, Item, Literal, Name, Predicate, Quantifier, Query, Reference,
    ReturnItem, ReturnValue, Skip, Span, Strategy as Selection, Unit, Window, Within,
};
use proptest::prelude::*;

/// Decisions read from a tape of bytes; at its end always the first choice, so that all ends.
struct Generator<'t> {
    tape: &'t [u8],
    names: Vec<(Name, bool)>,
}

const WORDS: &[&str] = &[
    "a",
    "b2",
    "price",
    "and",
    "SEQ",
    "LEN",
    "i",
    "count",
    "two words",
    "tick`s",
    "-",
    "é",
    "价",
    "1",
    "Within",
    "null",
    "_",
    "as",
];

impl Generator<'_> {
    fn pick(&mut self, n: usize) -> usize {
        let Some((&first, rest)) = self.tape.split_first() else { return 0 };
        self.tape = rest;
        usize::from(first) % n
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        let at = self.pick(all.len());
        all[at].clone()
    }

    fn word(&mut self) -> Name {
        Name::new(self.of(WORDS))
    }

    fn items(&mut self, kind: GroupKind, depth: usize) -> Group {
        let least = if kind == GroupKind::Seq { 1 } else { 2 };
        let count = least + self.pick(3);
        let items: Vec<Item> = (0..count).map(|_| self.item(kind, depth)).collect();
        let gaps = (1..count).map(|_| match kind {
            GroupKind::Seq => {
                self.of(&[Gap::Strategy, Gap::Next, Gap::FollowedBy, Gap::FollowedByAny])
            }
            _ => Gap::Strategy,
        });
        let gaps = gaps.collect();
        let quantifier = match kind {
            GroupKind::Seq if depth > 0 => self.quantifier(),
            _ => Quantifier::One,
        };
        Group { kind, items, gaps, quantifier, span: Span::default() }
    }

    fn item(&mut self, parent: GroupKind, depth: usize) -> Item {
        if depth < 3 && self.pick(4) == 3 {
            let kind = self.of(&[GroupKind::Seq, GroupKind::Or, GroupKind::And]);
            return Item::Group(self.items(kind, depth + 1));
        }
        let negated = parent == GroupKind::Seq && self.pick(5) == 4;
        let quantifier = if negated { Quantifier::One } else { self.quantifier() };
        let event_type = self.word();
        let suffix = self.names.len();
        let variable = match self.pick(3) {
            0 => Name::new(format!("v{suffix}")),
            1 => Name::new(format!("v {suffix}")),
            _ => Name::new(format!("变{suffix}")),
        };
        self.names.push((variable.clone(), quantifier.repeats()));
        Item::Event(EventItem { negated, event_type, quantifier, variable, span: Span::default() })
    }

    fn quantifier(&mut self) -> Quantifier {
        let n = self.pick(4) as u32;
        match self.pick(8) {
            0..=2 => Quantifier::One,
            3 => Quantifier::Optional,
            4 => Quantifier::Repeat { min: n, max: None },
            5 => Quantifier::Repeat { min: 1, max: None },
            6 => Quantifier::Repeat { min: n + 1, max: Some(n + 1) },
            _ => Quantifier::Repeat { min: n, max: Some(n + 2) },
        }
    }

    fn expr(&mut self, depth: usize) -> ExprKind {
        if depth > 3 {
            return self.term();
        }
        let boxed = |g: &mut Self| Box::new(Expr::new(g.expr(depth + 1)));
        match self.pick(14) {
            0..=3 => self.term(),
            4 => ExprKind::Not(boxed(self)),
            5 => ExprKind::Negate(boxed(self)),
            6 => ExprKind::All((0..2 + self.pick(2)).map(|_| *boxed(self)).collect()),
            7 => ExprKind::Any((0..2 + self.pick(2)).map(|_| *boxed(self)).collect()),
            8 | 9 => {
                use ArithmeticOp::{Add, Divide, Multiply, Remainder, Subtract};
                let op = self.of(&[Add, Subtract, Multiply, Divide, Remainder]);
                ExprKind::Arithmetic(op, boxed(self), boxed(self))
            }
            10 => {
                use CompareOp::{Eq, Ge, Gt, Le, Lt, Ne};
                let op = self.of(&[Eq, Ne, Lt, Le, Gt, Ge]);
                ExprKind::Compare(op, boxed(self), boxed(self))
            }
            11 => ExprKind::In {
                value: boxed(self),
                list: (0..1 + self.pick(3)).map(|_| *boxed(self)).collect(),
                negated: self.pick(2) == 1,
            },
            12 => ExprKind::Between {
                value: boxed(self),
                low: boxed(self),
                high: boxed(self),
                negated: self.pick(2) == 1,
            },
            _ => ExprKind::IsNull { value: boxed(self), negated: self.pick(2) == 1 },
        }
    }

    fn term(&mut self) -> ExprKind {
        let at = self.pick(self.names.len());
        let (variable, list) = self.names[at].clone();
        match self.pick(if list { 8 } else { 5 }) {
            0 | 1 => {
                let index = match list {
                    false => Index::Single,
                    true => self.of(&[Index::First, Index::Current, Index::Previous, Index::Last]),
                };
                ExprKind::Reference(Reference { variable, index, attribute: self.word() })
            }
            2 => ExprKind::Literal(Literal::Text(self.word().text)),
            3 => ExprKind::Literal(self.of(&[
                Literal::Int(0),
                Literal::Int(-7),
                Literal::Int(i64::MIN),
                Literal::Int(i64::MAX),
                Literal::Float(-0.5),
                Literal::Float(1e16),
                Literal::Float(f64::MAX),
                Literal::Float(f64::MIN_POSITIVE),
                Literal::Bool(true),
            ])),
            4 if !list => {
                let index = self.of(&[Index::Single, Index::First, Index::Previous, Index::Last]);
                ExprKind::Reference(Reference { variable, index, attribute: self.word() })
            }
            _ => {
                use Function::{Avg, Count, First, Last, Max, Min, Sum};
                let function = self.of(&[Avg, Min, Max, Sum, Count, First, Last]);
                let range = self.of(&[AggregateRange::All, AggregateRange::Before]);
                let bare = function == Count && self.pick(2) == 1;
                let attribute = if bare { None } else { Some(self.word()) };
                ExprKind::Aggregate(Aggregate { function, variable, range, attribute })
            }
        }
    }
}

/// Makes a query from a tape, and leaves out of it what does not pass the check; `None` if that is
/// the pattern itself. Second: how much else was left out, and of how much.
fn generate(tape: &[u8]) -> Option<(Query, usize, usize)> {
    let mut g = Generator { tape, names: vec![] };
    let window = match g.pick(4) {
        0 => Window::Events(1 + g.pick(9) as u64),
        _ => {
            use Unit::{Day, Hour, Millisecond, Minute, Second};
            let unit = g.of(&[Millisecond, Second, Minute, Hour, Day]);
            Window::Time { amount: g.pick(3) as u64, unit }
        }
    };
    let mut query = Query {
        from: (g.pick(3) == 0).then(|| g.word()),
        pattern: g.items(GroupKind::Seq, 0),
        strategy: None,
        predicates: vec![],
        within: Some(Within { window, span: Span::default() }),
        skip: None,
        returns: vec![],
    };
    query.check().ok()?;
    let (mut left_out, mut all) = (0, 0);
    let mut attempt = |query: &mut Query, change: &mut dyn FnMut(&mut Query)| {
        let before = query.clone();
        change(query);
        all += 1;
        if query.check().is_err() {
            *query = before;
            left_out += 1;
        }
    };
    if g.pick(3) == 0 {
        attempt(&mut query, &mut |query| query.within = None);
    }
    for _ in 0..g.pick(6) {
        let predicate = match g.pick(6) {
            0 => Predicate::Equivalence {
                attributes: (0..1 + g.pick(2)).map(|_| g.word()).collect(),
                span: Span::default(),
            },
            _ => Predicate::Condition(Expr::new(g.expr(0))),
        };
        attempt(&mut query, &mut |query| query.predicates.push(predicate.clone()));
    }
    use Selection::{PartitionContiguity, SkipTillAnyMatch, SkipTillNextMatch, StrictContiguity};
    let strategies = [
        None,
        Some(StrictContiguity),
        Some(PartitionContiguity),
        Some(SkipTillNextMatch),
        Some(SkipTillAnyMatch),
    ];
    let strategy = g.of(&strategies);
    attempt(&mut query, &mut |query| query.strategy = strategy);
    let target = g.names[g.names.len() - 1].0.clone();
    let skips = [
        None,
        Some(Skip::NoSkip),
        Some(Skip::ToNext),
        Some(Skip::PastLast),
        Some(Skip::ToFirst(target.clone())),
        Some(Skip::ToLast(target)),
    ];
    let skip = g.of(&skips);
    attempt(&mut query, &mut |query| query.skip = skip.clone());
    for _ in 0..g.pick(4) {
        let value = match g.pick(3) {
            0 => {
                let at = g.pick(g.names.len());
                ReturnValue::Events(g.names[at].0.clone())
            }
            _ => ReturnValue::Value(Expr::new(g.expr(1))),
        };
        let label = (g.pick(2) == 1).then(|| g.word());
        let item = ReturnItem { value, label, span: Span::default() };
        attempt(&mut query, &mut |query| query.returns.push(item.clone()));
    }
    Some((query, left_out, all))
}

fn tape() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..300)
}

fn check_span(text: &str, error: &Error) -> Result<(), TestCaseError> {
    let span = error.span();
    prop_assert!(span.is_some(), "{text}: {error}");
    let span = span.unwrap();
    prop_assert!(text.get(span).is_some(), "{text}: {error}");
    Ok(())
}

/// Pieces of queries, among them all words and signs of the language.
const PIECES: &[&str] = &[
    "FROM ",
    "PATTERN ",
    "SEQ(",
    "OR(",
    "AND(",
    "A a",
    ")",
    ",",
    "->",
    "->>",
    "->>>",
    "+",
    "*",
    "?",
    "{",
    "}",
    "{2,3}",
    "[",
    "]",
    "[]",
    "~",
    "!",
    " WHERE ",
    "skip_till_next_match",
    " { ",
    " AND ",
    " and ",
    " or ",
    " not ",
    " in ",
    " between ",
    " is ",
    " null ",
    "a.x",
    "a[1].x",
    "a[i].x",
    "a[i-1]",
    "..i-1",
    "avg(",
    "count(a[])",
    "a[a.LEN].x",
    ".",
    " = ",
    "<",
    ">=",
    "-",
    "/",
    "%",
    "1",
    "0.5",
    "1e999",
    "99999999999999999999",
    "'s'",
    "\"",
    "'",
    "`",
    "`n`",
    "--",
    "\n",
    " WITHIN ",
    "1 hour",
    " EVENTS",
    " AFTER MATCH ",
    "SKIP TO FIRST a",
    "NO SKIP",
    " RETURN ",
    " AS ",
    "é",
    "，",
    "\0",
    "\u{301}",
    "i",
    "LEN",
    "(",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn shown_and_parsed_is_the_same(tape in tape()) {
        if let Some((query, _, _)) = generate(&tape) {
            let text = query.to_string();
            let again = Query::parse(&text);
            prop_assert!(again.is_ok(), "{text}: {:?}", again);
            let again = again.unwrap();
            prop_assert_eq!(&again, &query, "{}", text);
            prop_assert_eq!(again.to_string(), text);
            prop_assert_eq!(nfab::language::place(&again), nfab::language::place(&query));
        }
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        if let Err(error) = Query::parse(&text) {
            check_span(&text, &error)?;
        }
    }

    #[test]
    fn no_pieces_panic(pieces in proptest::collection::vec(0..PIECES.len(), 0..40), start in 0..4usize) {
        let starts = ["", "PATTERN SEQ(A a, ", "PATTERN SEQ(A a, B+ b[]) WHERE { ", "PATTERN SEQ(A a) "];
        let text: String = std::iter::once(starts[start]).chain(pieces.iter().map(|&i| PIECES[i])).collect();
        match Query::parse(&text) {
            Ok(query) => prop_assert_eq!(Query::parse(&query.to_string()).unwrap(), query),
            Err(error) => check_span(&text, &error)?,
        }
    }

    #[test]
    fn no_damage_panics(tape in tape(), at in any::<prop::sample::Index>(), piece in 0..PIECES.len(), cut in 0..6usize) {
        if let Some((query, _, _)) = generate(&tape) {
            let chars: Vec<char> = query.to_string().chars().collect();
            let at = at.index(chars.len());
            let behind = (at + cut).min(chars.len());
            let mut text: String = chars[..at].iter().collect();
            text.push_str(PIECES[piece]);
            text.extend(&chars[behind..]);
            match Query::parse(&text) {
                Ok(query) => prop_assert_eq!(Query::parse(&query.to_string()).unwrap(), query),
                Err(error) => check_span(&text, &error)?,
            }
        }
    }
}

/// The generator does not leave out so much that the property above says little.
#[test]
fn the_generator_reaches_the_grammar() {
    let mut state = 1u64;
    let (mut queries, mut kept, mut seen) = (0, 0, String::new());
    for _ in 0..4000 {
        let tape: Vec<u8> = (0..300)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 56) as u8
            })
            .collect();
        if let Some((query, left_out, all)) = generate(&tape) {
            queries += 1;
            kept += all - left_out;
            seen += &query.to_string();
        }
    }
    assert!(queries > 1000, "{queries} queries");
    assert!(kept > 2 * queries, "{kept} parts of {queries} queries");
    for part in [
        "FROM ",
        "SEQ(",
        "OR(",
        "AND(",
        "~",
        "+ ",
        "* ",
        "? ",
        "{1} ",
        ",3} ",
        ")+",
        ")?",
        ")*",
        " -> ",
        " ->> ",
        " ->>> ",
        "strict_contiguity",
        "partition_contiguity",
        "skip_till_next_match",
        "skip_till_any_match",
        " AND ",
        " and ",
        " or ",
        "not ",
        " in (",
        " not in (",
        " between ",
        " not between ",
        " is null",
        " is not null",
        "[1].",
        "[i].",
        "[i-1].",
        ".LEN].",
        "[..i-1].",
        "[].",
        "[])",
        "avg(",
        "min(",
        "max(",
        "sum(",
        "count(",
        "first(",
        "last(",
        " + ",
        " - ",
        " / ",
        " % ",
        " * ",
        " = ",
        " != ",
        " < ",
        " <= ",
        " > ",
        " >= ",
        "-(",
        " ms",
        " s",
        " min",
        " hour",
        " days",
        " EVENTS",
        "NO SKIP",
        "SKIP TO NEXT",
        "SKIP PAST LAST",
        "SKIP TO FIRST",
        "SKIP TO LAST",
        " RETURN ",
        " AS ",
        "`tick``s`",
        "'tick`s'",
    ] {
        assert!(seen.contains(part), "no query has {part:?}");
    }
}
