//! Malformed queries and what is said about them: place, message, hint.

use rpdt::{Config, ErrorKind, Namespaces, Pattern, Plan};

struct Case {
    query: &'static str,
    span: std::ops::Range<usize>,
    message: &'static str,
    hint: &'static str,
}

#[test]
fn malformed_queries() {
    for case in CASES {
        let error = Pattern::parse(case.query).expect_err(case.query);
        assert_eq!(error.kind(), ErrorKind::Query);
        assert_eq!(error.message(), case.message, "{}", case.query);
        assert_eq!(error.hint().unwrap_or_default(), case.hint, "{}", case.query);
        assert_eq!(error.span(), Some(case.span.clone()), "{}", case.query);
    }
}

/// What the hints advise is accepted.
#[test]
fn hints_are_right() {
    let advised = [
        "//a",
        "/a",
        "//name/{a}",
        "//a/{a | b}",
        "//a/{a*}",
        "//a[@id]",
        "//a/{a[b]}",
        "//*/{a}",
        "//a/{a, b}",
        "//a[.=\"x\"]",
        "//a[b]",
        "//a[.//b]",
        "//a[{(a | b), c}]",
        "//a[a][b]",
        "//a[{a | b}]",
        "//a[{a, b}]",
        "//a[text()!=\"\"]",
        "//a[.!=\"\"]",
        "//a[@id=\"x\"]",
        "//a/{a[b], a[.//b]}",
        "//a/{a[@id]}",
        "//a/{a{0,3}}",
        "//a/{a[{b}]}",
        "//a[text()=\"x\"]",
        "//a/{p , *}",
        "//a/{b , c}",
        "//a/{b : c}",
        "//a/{(a!, b!)}",
        "//a/{a!*}",
        "//a/{a[b]*}",
        "//a[b[.=\"x\"]]",
        "//a[.//b/c[.>=3]]",
        "//a[b[.!=\"x\"]]",
        "//p:name",
        "//*:name",
    ];
    for query in advised {
        assert!(Pattern::parse(query).is_ok(), "{query}");
    }
}

#[test]
fn shown_with_place_and_hint() {
    let error = Pattern::parse("//a[b=\"x\"]").unwrap_err();
    assert_eq!(
        error.to_string(),
        "a step cannot be compared at position 5 of the query; \
         compare its string value: write `[b[.=\"x\"]]`"
    );
}

/// Which prefixes are declared is known when a plan is made.
#[test]
fn undeclared_prefix() {
    let plan = |query: &str, namespaces| {
        Plan::new(vec![Pattern::parse(query).unwrap()], Config::new().namespaces(namespaces))
    };
    let error = plan("//c/{E:D*}", Namespaces::new()).unwrap_err();
    assert_eq!((error.kind(), error.span()), (ErrorKind::Query, Some(5..8)));
    assert_eq!(error.message(), "prefix `E` is not declared");
    assert_eq!(
        error.hint(),
        Some(
            "declare it with --ns E=URI, or write `*:D` for any namespace; if `E:D` was meant as a \
             concatenation as in the paper, write `E , D` or `E : D`"
        )
    );
    assert!(plan("//c/{E:D*}", Namespaces::new().with("E", "urn:e")).is_ok());
    assert!(plan("//xml:a[@p:b]", Namespaces::new()).is_ok());
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case { query: "", span: 0..0, message: "the query is empty", hint: "write `//name` or `/name`" },
    Case { query: "   ", span: 3..3, message: "the query is empty", hint: "write `//name` or `/name`" },
    Case { query: "a/b", span: 0..1, message: "expected `/` or `//`, found name `a`", hint: "write `//a` for any such element, `/a` for the document element" },
    Case { query: ".//a", span: 0..1, message: "expected `/` or `//`, found `.`", hint: "a query starts at the document: leave out the `.`" },
    Case { query: "{a}", span: 0..1, message: "expected `/` or `//`, found `{`", hint: "a regular branch hangs under a step: write `//name/{...}`" },
    Case { query: "//", span: 2..2, message: "expected a name or `*`, but the query ends", hint: "write a name behind the slash, or leave the slash out" },
    Case { query: "/a/", span: 3..3, message: "expected a name or `*`, but the query ends", hint: "write a name behind the slash, or leave the slash out" },
    Case { query: "//a|//b", span: 3..4, message: "expected `/`, `//`, `[`, `!` or the end, found `|`", hint: "alternatives are written inside a regular branch, as in `/{a | b}`; of several paths each is a query of its own, as in `-e //a -e //b`" },
    Case { query: "//a or //b", span: 4..6, message: "expected `/`, `//`, `[`, `!` or the end, found name `or`", hint: "of several paths each is a query of its own, as in `-e //a -e //b`" },
    Case { query: "//a*", span: 3..4, message: "expected `/`, `//`, `[`, `!` or the end, found `*`", hint: "repetitions are written inside a regular branch, as in `/{a*}`" },
    Case { query: "//a{b}", span: 3..4, message: "expected `/`, `//`, `[`, `!` or the end, found `{`", hint: "a regular branch follows a slash: write `/{...}`" },
    Case { query: "//{a}", span: 2..3, message: "expected a name or `*`, found `{`", hint: "a regular branch is about children: write `/{...}`, or `//*/{...}` for those of any descendant" },
    Case { query: "//a//{b}", span: 5..6, message: "expected a name or `*`, found `{`", hint: "a regular branch is about children: write `/{...}`, or `//*/{...}` for those of any descendant" },
    Case { query: "//a/{b}/c", span: 7..8, message: "expected the end, found `/`", hint: "a regular branch ends the query: put what follows into the brackets of a symbol, as in `/{a[b]}`" },
    Case { query: "//a/{b}[c]", span: 7..8, message: "expected the end, found `[`", hint: "a regular branch ends the query: put what follows into the brackets of a symbol, as in `/{a[b]}`" },
    Case { query: "//a[]", span: 4..5, message: "expected a step, `.//`, `{`, `@`, `text()` or `.`, found `]`", hint: "leave the empty brackets out" },
    Case { query: "//a[1]", span: 4..5, message: "expected a step, `.//`, `{`, `@`, `text()` or `.`, found number `1`", hint: "positions are not supported; order is expressed by a regular branch, as in `{a, b}`" },
    Case { query: "//a[last()]", span: 4..9, message: "`last()` is not part of the query language", hint: "positions are not supported; order is expressed by a regular branch, as in `{a, b}`" },
    Case { query: "//a[b=\"x\"]", span: 5..6, message: "a step cannot be compared", hint: "compare its string value: write `[b[.=\"x\"]]`" },
    Case { query: "//a[.//b/c>=3]", span: 10..12, message: "a step cannot be compared", hint: "compare its string value: write `[.//b/c[.>=3]]`" },
    Case { query: "//a[b!=\"x\"]", span: 5..7, message: "a step cannot be compared", hint: "compare its string value: write `[b[.!=\"x\"]]`" },
    Case { query: "//a[b=c]", span: 5..6, message: "a step cannot be compared", hint: "compare its string value: write `[b[.=\"x\"]]`" },
    Case { query: "//a[b and c]", span: 6..9, message: "expected `]`, found name `and`", hint: "write one pair of brackets for each condition, as in `[a][b]`" },
    Case { query: "//a[b or c]", span: 6..8, message: "expected `]`, found name `or`", hint: "for one child out of several write `[{a | b}]`" },
    Case { query: "//a[b|c]", span: 5..6, message: "expected `]`, found `|`", hint: "for one child out of several write `[{a | b}]`" },
    Case { query: "//a[b,c]", span: 5..6, message: "expected `]`, found `,`", hint: "a sequence of children is written `[{a, b}]`" },
    Case { query: "//a[not(b)]", span: 4..8, message: "`not()` is not part of the query language", hint: "conditions cannot be negated" },
    Case { query: "//a[contains(b,\"x\")]", span: 4..13, message: "`contains()` is not part of the query language", hint: "values are compared with `=`, `!=`, `<`, `<=`, `>` and `>=` only" },
    Case { query: "//a[./b]", span: 4..5, message: "expected a step, `.//`, `{`, `@`, `text()` or `.`, found `.`", hint: "a child is written without `./`, as in `[b]`" },
    Case { query: "//a[/b]", span: 4..5, message: "expected a step, `.//`, `{`, `@`, `text()` or `.`, found `/`", hint: "a child is written without `/`, as in `[b]`" },
    Case { query: "//a[//b]", span: 4..6, message: "expected a step, `.//`, `{`, `@`, `text()` or `.`, found `//`", hint: "a descendant is written with a dot, as in `[.//b]`" },
    Case { query: "//a[../b]", span: 4..6, message: "expected a step, `.//`, `{`, `@`, `text()` or `.`, found `..`", hint: "there is no parent axis: write the parent as a step above" },
    Case { query: "//a/..", span: 4..6, message: "expected a name or `*`, found `..`", hint: "there is no parent axis: write the parent as a step above" },
    Case { query: "//a/@id", span: 4..5, message: "expected a name or `*`, found `@`", hint: "an attribute is tested in the brackets of its element, as in `a[@id]`" },
    Case { query: "//a/text()", span: 4..9, message: "`text()` is not part of the query language", hint: "text is tested in brackets, as in `a[text()=\"x\"]`" },
    Case { query: "//a[@]", span: 5..6, message: "expected the name of an attribute, found `]`", hint: "" },
    Case { query: "//a[@*]", span: 5..6, message: "expected the name of an attribute, found `*`", hint: "name the attribute" },
    Case { query: "//a[@id=x]", span: 8..9, message: "expected a number or a quoted string, found name `x`", hint: "for the string write \"x\" with quotes" },
    Case { query: "//a[@id==\"x\"]", span: 8..9, message: "expected a number or a quoted string, found `=`", hint: "the operators are `=`, `!=`, `<`, `<=`, `>` and `>=`" },
    Case { query: "//a[@id=\"x]", span: 8..11, message: "expected a number or a quoted string, found a string without closing quote", hint: "close the string with the quote that opened it" },
    Case { query: "//a[@n=1e5]", span: 8..10, message: "expected `]`, found name `e5`", hint: "numbers are written as digits with at most one point" },
    Case { query: "//a[text()]", span: 10..11, message: "expected a comparison, found `]`", hint: "write `[text()!=\"\"]` for any text" },
    Case { query: "//a[.]", span: 5..6, message: "expected a comparison, found `]`", hint: "write `[.!=\"\"]` for any text below" },
    Case { query: "//a[\"x\"=.]", span: 4..7, message: "expected a step, `.//`, `{`, `@`, `text()` or `.`, found string \"x\"", hint: "the literal stands on the right, as in `[.=\"x\"]`" },
    Case { query: "//a[(b)]", span: 4..5, message: "expected a step, `.//`, `{`, `@`, `text()` or `.`, found `(`", hint: "groups are written inside a regular branch, as in `[{(a | b), c}]`" },
    Case { query: "//a[", span: 4..4, message: "expected a step, `.//`, `{`, `@`, `text()` or `.`, but the query ends", hint: "a condition and `]` are missing, as in `[b]` or `[@id]`" },
    Case { query: "//a[b", span: 5..5, message: "expected `]`, but the query ends", hint: "every `[` needs its `]`" },
    Case { query: "//a[b]]", span: 6..7, message: "expected `/`, `//`, `[`, `!` or the end, found `]`", hint: "" },
    Case { query: "//a!!", span: 4..5, message: "a step takes one mark `!`, this is its second", hint: "" },
    Case { query: "//a![b]!", span: 7..8, message: "a step takes one mark `!`, this is its second", hint: "" },
    Case { query: "//a! lab!", span: 5..8, message: "expected `/`, `//`, `[`, `!` or the end, found name `lab`", hint: "a label follows its `!` without white space" },
    Case { query: "//a b", span: 4..5, message: "expected `/`, `//`, `[`, `!` or the end, found name `b`", hint: "" },
    Case { query: "//child::a", span: 2..9, message: "`child::` is not part of the query language", hint: "the axes are `/` for children and `//` for descendants" },
    Case { query: "//a/following-sibling::b", span: 4..23, message: "`following-sibling::` is not part of the query language", hint: "order of siblings is expressed by a regular branch, as in `/{a, b}`" },
    Case { query: "//p:*", span: 2..5, message: "`p:*` is not part of the query language", hint: "write `*` for any element; for `p` followed by any element write `p , *`" },
    Case { query: "//a: b", span: 3..4, message: "expected `/`, `//`, `[`, `!` or the end, found `:`", hint: "the parts of a name stand together, as in `p:name` or `*:name`" },
    Case { query: "//a/{}", span: 5..6, message: "expected a name, `*` or `(`, found `}`", hint: "an expression needs a symbol here" },
    Case { query: "//a/{b", span: 6..6, message: "expected `,`, `|`, a repetition or `}`, but the query ends", hint: "every `{` and `(` needs its closing `}` or `)`" },
    Case { query: "//a/{b,}", span: 7..8, message: "expected a name, `*` or `(`, found `}`", hint: "an expression needs a symbol here" },
    Case { query: "//a/{|b}", span: 5..6, message: "expected a name, `*` or `(`, found `|`", hint: "" },
    Case { query: "//a/{()}", span: 6..7, message: "expected a name, `*` or `(`, found `)`", hint: "an expression needs a symbol here" },
    Case { query: "//a/{b c}", span: 7..8, message: "expected `,`, `|`, a repetition or `}`, found name `c`", hint: "symbols are joined by `,` for a sequence or `|` for a choice" },
    Case { query: "//a/{b (c)}", span: 7..8, message: "expected `,`, `|`, a repetition or `}`, found `(`", hint: "symbols are joined by `,` for a sequence or `|` for a choice" },
    Case { query: "//a/{b :c}", span: 7..8, message: "a `:` between symbols needs white space on both sides", hint: "write `a , b` or `a : b`" },
    Case { query: "//a/{b* :c}", span: 8..9, message: "a `:` between symbols needs white space on both sides", hint: "write `a , b` or `a : b`" },
    Case { query: "//a/{E:*}", span: 5..8, message: "`E:*` is not part of the query language", hint: "write `*` for any element; for `E` followed by any element write `E , *`" },
    Case { query: "//a/{b/c}", span: 6..7, message: "expected `,`, `|`, a repetition or `}`, found `/`", hint: "a symbol is one child; what it must contain stands in brackets, as in `a[b]` or `a[.//b]`" },
    Case { query: "//a/{b//c}", span: 6..8, message: "expected `,`, `|`, a repetition or `}`, found `//`", hint: "a symbol is one child; what it must contain stands in brackets, as in `a[b]` or `a[.//b]`" },
    Case { query: "//a/{.//b}", span: 5..6, message: "expected a name, `*` or `(`, found `.`", hint: "the symbols are children: write the name alone" },
    Case { query: "//a/{/b}", span: 5..6, message: "expected a name, `*` or `(`, found `/`", hint: "the symbols are children: write the name alone" },
    Case { query: "//a/{@b}", span: 5..6, message: "expected a name, `*` or `(`, found `@`", hint: "attributes are tested in the brackets of a symbol, as in `a[@id]`" },
    Case { query: "//a/{text()}", span: 5..10, message: "`text()` is not part of the query language", hint: "text is tested in brackets, as in `a[text()=\"x\"]`" },
    Case { query: "//a/{(b,c)!}", span: 10..11, message: "a mark `!` on a group", hint: "mark the symbols inside the group, as in `(a!, b!)`" },
    Case { query: "//a/{(b,c)[d]}", span: 10..11, message: "a condition on a group", hint: "put the brackets behind a symbol inside the group" },
    Case { query: "//a/{b*!}", span: 7..8, message: "a mark `!` behind a repetition", hint: "the mark stands before the repetition, as in `a!*`" },
    Case { query: "//a/{b*[c]}", span: 7..8, message: "a condition behind a repetition", hint: "the brackets stand before the repetition, as in `a[b]*`" },
    Case { query: "//a/{b{c}}", span: 7..8, message: "expected a whole number, found name `c`", hint: "braces after a symbol hold numbers; a nested regular branch is written `a[{...}]`" },
    Case { query: "//a/{b{,3}}", span: 7..8, message: "expected a whole number, found `,`", hint: "write `{0,n}` for at most n times" },
    Case { query: "//a/{b{3,2}}", span: 6..11, message: "a repetition of at least 3 and at most 2 times", hint: "write `{2,3}`" },
    Case { query: "//a/{b{0}}", span: 6..9, message: "a repetition of at most 0 times matches nothing", hint: "leave the symbol out" },
    Case { query: "//a/{b{1.5}}", span: 7..10, message: "expected a whole number, found number `1.5`", hint: "" },
    Case { query: "//a/{b{2 3}}", span: 9..10, message: "expected `,` or `}`, found number `3`", hint: "" },
    Case { query: "//a/{b{5000}}", span: 5..12, message: "more than 4096 symbol positions in one expression, repetitions written out", hint: "use `*` or `+` in place of large numbers of repetitions" },
    Case { query: "//a/{((b{100}){100}){100}}", span: 6..19, message: "more than 4096 symbol positions in one expression, repetitions written out", hint: "use `*` or `+` in place of large numbers of repetitions" },
    Case { query: "//a/{b{99999999999}}", span: 5..19, message: "more than 4096 symbol positions in one expression, repetitions written out", hint: "use `*` or `+` in place of large numbers of repetitions" },
    Case { query: "//a$", span: 3..4, message: "expected `/`, `//`, `[`, `!` or the end, found character `$`", hint: "" },
    Case { query: "//a[@n=99999x", span: 12..13, message: "expected `]`, found name `x`", hint: "numbers are written as digits with at most one point" },
    Case { query: "//a[b{c}]", span: 5..6, message: "expected `]`, found `{`", hint: "a regular branch follows a slash: write `/{...}`" },
    Case { query: "//a[b*]", span: 5..6, message: "expected `]`, found `*`", hint: "repetitions are written inside a regular branch, as in `/{a*}`" },
    Case { query: "//a[@n= -]", span: 8..9, message: "expected a number or a quoted string, found character `-`", hint: "" },
    Case { query: "//a/{b]", span: 6..7, message: "expected `,`, `|`, a repetition or `}`, found `]`", hint: "" },
    Case { query: "//a/{(b}", span: 7..8, message: "expected `,`, `|`, a repetition or `)`, found `}`", hint: "" },
    Case { query: "//a! lab!", span: 5..8, message: "expected `/`, `//`, `[`, `!` or the end, found name `lab`", hint: "a label follows its `!` without white space" },
    Case { query: "//a: b", span: 3..4, message: "expected `/`, `//`, `[`, `!` or the end, found `:`", hint: "the parts of a name stand together, as in `p:name` or `*:name`" },
    Case { query: "//a/{(b}", span: 7..8, message: "expected `,`, `|`, a repetition or `)`, found `}`", hint: "" },
    Case { query: "//a[@n=1e5]", span: 8..10, message: "expected `]`, found name `e5`", hint: "numbers are written as digits with at most one point" },
    Case { query: "//a[b]![c]", span: 7..8, message: "expected `/`, `//`, `[`, `!` or the end, found `[`", hint: "a mark stands before or behind all brackets of its step" },
    Case { query: "//a/{b[c]![d]}", span: 10..11, message: "expected `,`, `|`, a repetition or `}`, found `[`", hint: "a mark stands before or behind all brackets of its step" },
    Case { query: "//a/{b! lab}", span: 8..11, message: "expected `,`, `|`, a repetition or `}`, found name `lab`", hint: "a label follows its `!` without white space" },
    Case { query: "//a/{,b}", span: 5..6, message: "expected a name, `*` or `(`, found `,`", hint: "" },
];
