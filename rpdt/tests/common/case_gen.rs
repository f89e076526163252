//! Random cases for the property tests: a query with a document that is made for it, or with any
//! random document.

use std::fmt;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use rpdt::{Config, Pattern, Plan};

use crate::dom::Document;
use crate::query_gen::{self, Alphabet};
use crate::{doc_gen, witness};

/// A query with a document.
#[derive(Clone)]
pub struct Case {
    pub pattern: Pattern,
    pub doc: Document,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.pattern, self.doc.text)
    }
}

impl Case {
    pub fn plan(&self, config: Config) -> Plan {
        let plan = Plan::new(vec![self.pattern.clone()], config);
        plan.unwrap_or_else(|e| panic!("{}: {e}", self.pattern))
    }
}

/// Small queries over the names of the random documents.
const SMALL: Alphabet = Alphabet {
    names: &["a", "a", "a", "b", "b", "b", "c", "c", "d", "*", "*:b"],
    depth: 1,
    trunk: 2,
    ..Alphabet::SMALL
};

/// Larger ones.
const LARGE: Alphabet = Alphabet { depth: 2, trunk: 3, ..SMALL };

/// Queries for documents with namespaces; `p` and `r` must be declared.
const PREFIXED: Alphabet = Alphabet {
    names: &["a", "b", "p:a", "p:b", "r:a", "r:c", "*", "*:a", "*:b"],
    attributes: &["x", "p:x", "r:x"],
    ..SMALL
};

pub fn pattern() -> impl Strategy<Value = Pattern> {
    pattern_of(prop_oneof![SMALL.queries(), LARGE.queries()])
}

fn pattern_of(
    queries: impl Strategy<Value = query_gen::QueryModel>,
) -> impl Strategy<Value = Pattern> {
    (queries, any::<u64>()).prop_map(|(query, style)| {
        let text = query.text(style);
        Pattern::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"))
    })
}

pub fn case() -> impl Strategy<Value = Case> {
    let made = (pattern(), vec(any::<u8>(), 0..200)).prop_map(|(pattern, choices)| {
        let doc = witness::document_for(&pattern, &choices);
        Case { pattern, doc }
    });
    let any = (pattern(), doc_gen::document(40)).prop_map(|(pattern, doc)| Case { pattern, doc });
    prop_oneof![4 => made, 1 => any]
}

/// Queries with the prefixes `p` and `r` and documents with the prefixes `p` and `q`.
pub fn prefixed_case() -> impl Strategy<Value = Case> {
    let made = (pattern_of(PREFIXED.queries()), vec(any::<u8>(), 0..200), doc_gen::bindings())
        .prop_map(|(pattern, choices, bindings)| {
            let doc = witness::namespace_document_for(&pattern, &choices, bindings);
            Case { pattern, doc }
        });
    let any = (pattern_of(PREFIXED.queries()), doc_gen::namespace_document(40))
        .prop_map(|(pattern, doc)| Case { pattern, doc });
    prop_oneof![3 => made, 1 => any]
}

/// Expressions full of marks over a long row of siblings.
pub fn siblings() -> impl Strategy<Value = Case> {
    let symbols = [
        "a!",
        "b!",
        "a",
        "b",
        "c!",
        "*!",
        "a!x",
        "b!x",
        "a[c]!",
        "b[a!]",
        "b[.//c!]!",
        "a[{b!*}]",
        "b[{a!, b!*}]!",
        "a[@x=1]!",
    ];
    let quantifier = select(["", "", "*", "+", "?", "{2}", "{0,2}", "{1,3}"].as_slice());
    let symbol = (select(symbols.to_vec()), quantifier.clone());
    let expression =
        symbol.prop_map(|(s, q)| format!("{s}{q}")).prop_recursive(2, 7, 3, move |inner| {
            prop_oneof![
                3 => vec(inner.clone(), 2..4).prop_map(|parts| parts.join(", ")),
                2 => (vec(inner, 1..4), quantifier.clone())
                    .prop_map(|(parts, q)| format!("({}){q}", parts.join(" | "))),
            ]
        });
    let children = [
        "<a/>",
        "<a/>",
        "<b/>",
        "<b/>",
        "<c/>",
        "<a><c/></a>",
        "<a x=\"1\"/>",
        "<b><a/></b>",
        "<a><b/><b/></a>",
        "<b><a/><b/><a/></b>",
        "<b><a><c/></a></b>",
        "<a></a>",
        "x<b/>",
        "<!-- --><a/>",
    ];
    let head = select(["/r/", "//r/", "//*/", "/*!/"].as_slice());
    let children = vec(select(children.to_vec()), 0..10);
    let row = (any::<bool>(), children, vec(any::<u8>(), 0..60));
    (head, expression, row).prop_map(|(head, expression, (any, children, choices))| {
        let query = format!("{head}{{{expression}}}");
        let pattern = Pattern::parse(&query).unwrap_or_else(|e| panic!("{query}: {e}"));
        let doc = match any {
            true => Document::parse(&format!("<r>{}</r>", children.concat())),
            false => witness::document_for(&pattern, &choices),
        };
        Case { pattern, doc }
    })
}
