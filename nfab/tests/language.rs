//! The query language: published queries, canonical text, the tree, the limits.

use nfab::ErrorKind;
use nfab::language::{
    Aggregate, AggregateRange, CompareOp, EventItem, Expr, ExprKind, Function, Gap, GroupKind,
    Index, Item, Literal, Name, Predicate, Quantifier, Query, Reference, ReturnValue, Skip, Span,
    Strategy, Unit, Window,
};

fn parse(text: &str) -> Query {
    Query::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Queries of the paper, of its workload, and of the description of the language.
const QUERIES: &[&str] = &[
    // Q3 of the paper.
    "PATTERN SEQ(Stock+ a[], Stock b) WHERE skip_till_next_match { [symbol] AND a[1].volume > 1000 \
     AND a[i].price > avg(a[..i-1].price) AND b.volume < 0.8 * a[a.LEN].volume } WITHIN 1 hour",
    // The workload: p1, p2, p3.
    "PATTERN SEQ(stock+ a[], stock b) WHERE partition_contiguity { [symbol] AND \
     a[1].price % 500 = 0 AND true AND b.volume < 150 } WITHIN 500 ms",
    "PATTERN SEQ(stock+ a[], stock b) WHERE skip_till_next_match { [symbol] AND \
     a[1].price % 500 = 0 AND a[i].price > a[i-1].price AND b.volume < 150 } WITHIN 500 EVENTS",
    "PATTERN SEQ(stock+ a[], stock b) WHERE skip_till_next_match { [symbol] AND \
     a[1].price % 500 = 0 AND a[i].price > min(a[..i-1].price) AND b.volume < 150 } WITHIN 2000 ms",
    // The strategies example, and the two demands.
    "PATTERN SEQ(Stock+ a[]) WHERE skip_till_any_match { a[1].price = 20 AND \
     a[i].price > a[i-1].price }",
    "PATTERN SEQ(V a -> V b -> V c) WHERE { a.x = 10 AND b.x = 20 AND c.x = 10 }",
    "PATTERN SEQ(V a, V+ b[], V c) WHERE strict_contiguity { a.x = 10 AND \
     b[1].x between 10 and 50 AND b[i].x between 10 and 50 AND c.x = 0 }",
    // The contaminated shipment and the shoplifter.
    "PATTERN SEQ(Alert a, Shipment+ b[]) WHERE skip_till_any_match { a.type = 'contaminated' AND \
     b[1].from = a.site AND b[i].from = b[i-1].to } WITHIN 3 hours",
    "PATTERN SEQ(Shelf a, ~Register b, Exit c) WHERE skip_till_next_match { [tag_id] } \
     WITHIN 12 hours",
    // Failed logins, a missing heartbeat, an abandoned cart.
    "FROM logins PATTERN SEQ(Fail{3,} f[], Success s) WHERE { [user, host] } WITHIN 10 min \
     AFTER MATCH SKIP PAST LAST RETURN s.user, count(f[]) AS failures",
    "PATTERN SEQ(Beat a, ~Beat b) WHERE { [sensor] } WITHIN 30 s RETURN a",
    "PATTERN SEQ(Add a ->> Leave b, ~Pay c) WHERE { [session] AND (c.sum > 0 or c.sum is null) } \
     WITHIN 1 day AFTER MATCH NO SKIP",
    "PATTERN SEQ(OR(A a, B b), AND(C c, SEQ(D? d, E e)), SEQ(F f, G* g[])+ ->>> H{2} h[]) \
     WHERE { not a.x in (1, -2.5, 'three') } AFTER MATCH SKIP TO FIRST h",
];

#[test]
fn published_queries_are_canonical() {
    for query in QUERIES {
        assert_eq!(parse(query).to_string(), *query);
    }
}

#[test]
fn canonical_text() {
    let head = "PATTERN SEQ(A a, B+ b[], C c)";
    let pairs = [
        ("a.x==1 and a.y<>2", "a.x = 1 AND a.y != 2"),
        ("((a.x)) = (1)", "a.x = 1"),
        ("(a.x = 1 and a.y = 2) AND a.z = 3", "a.x = 1 AND a.y = 2 AND a.z = 3"),
        ("a.x = 1 or a.y = 2 and a.z = 3", "a.x = 1 or a.y = 2 and a.z = 3"),
        ("(a.x = 1 or a.y = 2) and a.z = 3", "(a.x = 1 or a.y = 2) AND a.z = 3"),
        ("a.x = 1 or (a.y = 2 or a.z = 3)", "a.x = 1 or a.y = 2 or a.z = 3"),
        ("NOT (NOT a.x)", "not not a.x"),
        ("not (a.x and a.y)", "not (a.x and a.y)"),
        ("not a.x = 1", "not a.x = 1"),
        ("(not a.x) = true", "(not a.x) = true"),
        ("a.x - (1 - 2) - 3 = 0", "a.x - (1 - 2) - 3 = 0"),
        ("(a.x * 2) + (3 % 2) = 0", "a.x * 2 + 3 % 2 = 0"),
        ("(a.x + 2) / 3 = 0", "(a.x + 2) / 3 = 0"),
        ("a.x / (2 * 3) = 0", "a.x / (2 * 3) = 0"),
        ("- - a.x = - -5", "-(-a.x) = 5"),
        ("-(a.x+1) * 2 = -(5)", "-(a.x + 1) * 2 = -5"),
        ("a.x = -9223372036854775808", "a.x = -9223372036854775808"),
        ("a.x = 1e3 or a.x = 1E+300 or a.x = 2.50", "a.x = 1000.0 or a.x = 1e300 or a.x = 2.5"),
        ("a.x = \"it's\" or a.x = 'say \"x\"'", "a.x = 'it''s' or a.x = 'say \"x\"'"),
        (
            "a.x NOT BETWEEN 1 AND 2 and a.y Is Not Null",
            "a.x not between 1 and 2 AND a.y is not null",
        ),
        ("a.x+1 not in (1,a.y)", "a.x + 1 not in (1, a.y)"),
        ("a.`and` = 1 and a.select = `a`.`two words`", "a.and = 1 AND a.select = a.`two words`"),
        ("a.`tick``` = 1", "a.`tick``` = 1"),
        ("b[ i ].x > b[ I - 1 ].x", "b[i].x > b[i-1].x"),
        ("SUM(b[ .. i-1 ].x) < Count(b[..i-1])", "sum(b[..i-1].x) < count(b[..i-1])"),
        ("c.x = b[b.len].x", "c.x = b[b.LEN].x"),
        ("[ x , y ] and [z]", "[x, y] AND [z]"),
        (
            "c.x > first(b[].x) -- the first\n and c.y = last(b[].y)--",
            "c.x > first(b[].x) AND c.y = last(b[].y)",
        ),
    ];
    for (written, canonical) in pairs {
        let query = parse(&format!("{head} where {{ {written}\n }}"));
        assert_eq!(query.to_string(), format!("{head} WHERE {{ {canonical} }}"));
        assert_eq!(parse(&query.to_string()), query, "{written}");
    }
    let pairs = [
        ("pattern seq(A a,!B b,C c)", "PATTERN SEQ(A a, ~B b, C c)"),
        (
            "PATTERN SEQ(A{0,} a[], A{1,} b[], A{2,2} c[], A{0,1}d[ ], A {3} e[])",
            "PATTERN SEQ(A* a[], A+ b[], A{2} c[], A{0,1} d[], A{3} e[])",
        ),
        ("PATTERN SEQ(A a) {a.x}", "PATTERN SEQ(A a) WHERE { a.x }"),
        ("PATTERN SEQ(A a) WITHIN 90second", "PATTERN SEQ(A a) WITHIN 90 s"),
        ("PATTERN SEQ(A a) WITHIN 2 minutes", "PATTERN SEQ(A a) WITHIN 2 min"),
        ("PATTERN SEQ(A a) WITHIN 2 m", "PATTERN SEQ(A a) WITHIN 2 min"),
        ("PATTERN SEQ(A a) WITHIN 1 h", "PATTERN SEQ(A a) WITHIN 1 hour"),
        ("PATTERN SEQ(A a) WITHIN 3d", "PATTERN SEQ(A a) WITHIN 3 days"),
        ("PATTERN SEQ(A a) WITHIN 1 Hours", "PATTERN SEQ(A a) WITHIN 1 hour"),
        ("PATTERN SEQ(A a) WITHIN 0 day", "PATTERN SEQ(A a) WITHIN 0 days"),
        ("PATTERN SEQ(A a) WITHIN 1 event", "PATTERN SEQ(A a) WITHIN 1 EVENTS"),
        (
            "PATTERN SEQ(A+ a[], ~N n, B b) WHERE skip_till_any_match(b, a[])",
            "PATTERN SEQ(A+ a[], ~N n, B b) WHERE skip_till_any_match",
        ),
        (
            "PATTERN SEQ(A+ a[]) after match skip to last(a[]) return a[], a[1].x as one",
            "PATTERN SEQ(A+ a[]) AFTER MATCH SKIP TO LAST a RETURN a, a[1].x AS one",
        ),
        (
            "PATTERN SEQ(A a) AFTER MATCH SKIP PAST LAST EVENT",
            "PATTERN SEQ(A a) AFTER MATCH SKIP PAST LAST",
        ),
        (
            "PATTERN SEQ(A a) AFTER MATCH SKIP TO NEXT EVENT",
            "PATTERN SEQ(A a) AFTER MATCH SKIP TO NEXT",
        ),
        (
            "FROM `my stream` PATTERN SEQ(`Or` `a b`, 股票+ 价格[]) { 价格[i].价 > 价格[i-1].价 }",
            "FROM `my stream` PATTERN SEQ(`Or` `a b`, 股票+ 价格[]) WHERE { 价格[i].价 > 价格[i-1].价 }",
        ),
        (
            "PATTERN SEQ(é e\u{301}, i i, len+ LEN[]) { LEN[LEN.LEN].len = i.i }",
            "PATTERN SEQ(é e\u{301}, i i, len+ LEN[]) WHERE { LEN[LEN.LEN].len = i.i }",
        ),
        (
            "PATTERN SEQ(Within_x count, min+ max[]) { max(max[].sum) > count.count }",
            "PATTERN SEQ(Within_x count, min+ max[]) WHERE { max(max[].sum) > count.count }",
        ),
    ];
    for (written, canonical) in pairs {
        assert_eq!(parse(written).to_string(), canonical);
        assert_eq!(parse(canonical), parse(written), "{written}");
    }
}

#[test]
fn tree_of_q3() {
    let query = parse(QUERIES[0]);
    assert_eq!(query.pattern.kind, GroupKind::Seq);
    assert_eq!(query.pattern.gaps, [Gap::Strategy]);
    let Item::Event(EventItem { negated, event_type, quantifier, variable, .. }) =
        &query.pattern.items[0]
    else {
        panic!("an event")
    };
    assert_eq!((*negated, &*event_type.text, &*variable.text), (false, "Stock", "a"));
    assert_eq!(*quantifier, Quantifier::Repeat { min: 1, max: None });
    assert_eq!(query.strategy(), Strategy::SkipTillNextMatch);
    assert_eq!(query.partition().map(|name| &*name.text).collect::<Vec<_>>(), ["symbol"]);
    assert_eq!(query.within.unwrap().window, Window::Time { amount: 1, unit: Unit::Hour });
    assert_eq!(query.within.unwrap().window.milliseconds(), Some(3_600_000));
    let reference = |variable: &str, index, attribute: &str| {
        Box::new(Expr::new(ExprKind::Reference(Reference {
            variable: Name::new(variable),
            index,
            attribute: Name::new(attribute),
        })))
    };
    let average = Box::new(Expr::new(ExprKind::Aggregate(Aggregate {
        function: Function::Avg,
        variable: Name::new("a"),
        range: AggregateRange::Before,
        attribute: Some(Name::new("price")),
    })));
    let rising = ExprKind::Compare(CompareOp::Gt, reference("a", Index::Current, "price"), average);
    assert_eq!(query.predicates[2], Predicate::Condition(Expr::new(rising)));
    let span = query.predicates[2].span();
    assert_eq!(&QUERIES[0][span.range()], "a[i].price > avg(a[..i-1].price)");
    assert_eq!(&QUERIES[0][query.pattern.items[0].span().range()], "Stock+ a[]");
}

#[test]
fn clauses() {
    let query = parse(
        "FROM s PATTERN SEQ(A a, B+ b[]) AFTER MATCH SKIP TO FIRST(b) RETURN b[], a.x + 1, \
         avg(b[].x) AS mean",
    );
    assert_eq!(query.from, Some(Name::new("s")));
    assert_eq!((query.strategy, query.strategy()), (None, Strategy::SkipTillNextMatch));
    assert_eq!(query.skip, Some(Skip::ToFirst(Name::new("b"))));
    assert_eq!(query.returns[0].value, ReturnValue::Events(Name::new("b")));
    let names: Vec<String> = query.returns.iter().map(|item| item.name()).collect();
    assert_eq!(names, ["b", "a.x + 1", "mean"]);
    assert_eq!(Span { start: 1, end: 2 }, Span::default());
}

#[test]
fn numbers_keep_their_kind() {
    let literal = |text: &str| match parse(&format!("PATTERN SEQ(A a) RETURN {text}")).returns[0]
        .value
    {
        ReturnValue::Value(Expr { kind: ExprKind::Literal(ref literal), .. }) => literal.clone(),
        _ => panic!("{text}"),
    };
    assert_eq!(literal("9223372036854775807"), Literal::Int(i64::MAX));
    assert_eq!(literal("-9223372036854775808"), Literal::Int(i64::MIN));
    assert_eq!(literal("1.0"), Literal::Float(1.0));
    assert_eq!(literal("-1e-7"), Literal::Float(-1e-7));
    assert_eq!(literal("TRUE"), Literal::Bool(true));
}

#[test]
fn variables() {
    let query = parse(
        "PATTERN SEQ(~N n, A? a, ~O o, B b, SEQ(C c, ~P p, OR(D+ d[], E e))+, AND(F f, G g), ~Q q) \
         WITHIN 1 s",
    );
    let shown: Vec<String> = query
        .variables()
        .iter()
        .map(|v| {
            let flags =
                [(v.optional, "?"), (v.repeated_group, "+"), (v.at_edge, "|"), (v.is_list(), "[]")];
            let flags = flags.iter().filter(|(set, _)| *set).map(|(_, flag)| *flag);
            format!("{}{}", v.name(), flags.collect::<String>())
        })
        .collect();
    assert_eq!(shown, ["n|", "a?", "o|", "b", "c+", "p+", "d?+[]", "e?+", "f", "g", "q|"]);
}

#[test]
fn limits() {
    let kind = |text: &str| Query::parse(text).map_err(|e| e.kind()).err();
    let nested = |depth: usize| format!("PATTERN {}A a{}", "SEQ(".repeat(depth), ")".repeat(depth));
    assert_eq!(kind(&nested(Query::MAX_NESTING)), None);
    assert_eq!(kind(&nested(Query::MAX_NESTING + 1)), Some(ErrorKind::Limit));
    for (open, close) in [("(", ")"), ("not ", ""), ("- ", "")] {
        let nested = |depth: usize| {
            format!("PATTERN SEQ(A a) {{ {}a.x{} }}", open.repeat(depth), close.repeat(depth))
        };
        if open != "- " {
            assert_eq!(kind(&nested(Query::MAX_NESTING - 1)), None, "{open}");
        }
        assert_eq!(kind(&nested(Query::MAX_NESTING + 1)), Some(ErrorKind::Limit), "{open}");
        assert_eq!(kind(&nested(1_000_000)), Some(ErrorKind::Limit), "{open}");
    }
    let chain = |n: usize| format!("PATTERN SEQ(A a) {{ a.x{} > 0 }}", " + 1".repeat(n));
    assert_eq!(kind(&chain(Query::MAX_NESTING - 2)), None);
    assert_eq!(kind(&chain(Query::MAX_NESTING)), Some(ErrorKind::Limit));
    let joined = |n: usize| format!("PATTERN SEQ(A a) {{ a.x{} }}", " or a.x".repeat(n));
    assert_eq!(kind(&joined(10_000)), None);
    assert_eq!(kind(&joined(20_000)), Some(ErrorKind::Limit));
    let items = |n: usize| {
        let items: Vec<String> = (0..n).map(|i| format!("A a{i}")).collect();
        format!("PATTERN SEQ({})", items.join(", "))
    };
    assert_eq!(kind(&items(Query::MAX_ITEMS)), None);
    assert_eq!(kind(&items(Query::MAX_ITEMS + 1)), Some(ErrorKind::Limit));
}
