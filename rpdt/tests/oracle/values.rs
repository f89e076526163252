//! Names, namespaces and value tests, one element at a time.

use rpdt::pattern::{Literal, NameTest, Op, Operand, ValueTest};

use super::Oracle;

/// What the prefix `xml` is always bound to.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

impl Oracle<'_> {
    /// Whether the element's name passes the test.
    pub(super) fn name_matches(&self, test: &NameTest, element: usize) -> bool {
        let written = self.doc.elements[element].name.as_str();
        let (prefix, local) = written.split_once(':').unwrap_or(("", written));
        match test {
            NameTest::Any => true,
            NameTest::AnyNamespace(name) => local == &**name,
            NameTest::Name(name) => match &self.prefixes.default {
                None => written == &**name,
                Some(uri) => local == &**name && self.uri(prefix, element).as_deref() == Some(uri),
            },
            NameTest::Prefixed { prefix: wanted, local: name } => {
                let declared = self.prefixes.declared.iter().find(|(p, _)| **p == **wanted);
                let uri = match declared {
                    Some((_, uri)) => uri,
                    None if **wanted == *"xml" => XML,
                    None => panic!("the tests declare the prefixes they use"),
                };
                local == &**name && self.uri(prefix, element).as_deref() == Some(uri)
            }
        }
    }

    /// The URI that a prefix (`""`: none) is bound to at an element.
    fn uri(&self, prefix: &str, element: usize) -> Option<String> {
        if prefix == "xml" {
            return Some(XML.to_owned());
        }
        let key = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
        let mut at = Some(element);
        while let Some(e) = at {
            let here = &self.doc.elements[e];
            if let Some((_, uri)) = here.attributes.iter().find(|(k, _)| *k == key) {
                return (!uri.is_empty()).then(|| uri.clone());
            }
            at = here.parent;
        }
        None
    }

    /// Whether an attribute has the name of a test: a declared prefix means its URI, any other name
    /// is compared as written.
    fn attribute_matches(&self, wanted: &str, written: &str, element: usize) -> bool {
        let declared = |p: &str| self.prefixes.declared.iter().find(|(d, _)| d == p);
        let expanded = wanted.split_once(':').and_then(|(p, local)| Some((declared(p)?, local)));
        match (expanded, written.split_once(':')) {
            (None, _) => wanted == written,
            // An attribute without prefix is in no namespace.
            (Some(_), None) => false,
            (Some(((_, uri), local)), Some((prefix, name))) => {
                local == name && self.uri(prefix, element).as_deref() == Some(uri)
            }
        }
    }

    /// Whether a value test holds.
    pub(super) fn value_holds(&self, test: &ValueTest, element: usize) -> bool {
        let values: Vec<String> = match &test.operand {
            Operand::Attribute(name) => {
                let all = self.doc.elements[element].attributes.iter();
                let named = all.filter(|(k, _)| self.attribute_matches(name, k, element));
                named.map(|(_, v)| v.clone()).collect()
            }
            Operand::Text => self.doc.text_nodes(element),
            Operand::StringValue => vec![self.doc.string_value(element)],
        };
        values.iter().any(|value| match &test.comparison {
            None => true,
            Some((op, literal)) => compares(value, *op, literal),
        })
    }
}

fn compares(value: &str, op: Op, literal: &Literal) -> bool {
    let as_number = match literal {
        Literal::Number(n) => *n,
        Literal::String(s) => number(s),
    };
    match (op, literal) {
        (Op::Eq, Literal::String(s)) => value == &**s,
        (Op::Ne, Literal::String(s)) => value != &**s,
        (Op::Eq, Literal::Number(n)) => number(value) == *n,
        (Op::Ne, Literal::Number(n)) => number(value) != *n,
        (Op::Lt, _) => number(value) < as_number,
        (Op::Le, _) => number(value) <= as_number,
        (Op::Gt, _) => number(value) > as_number,
        (Op::Ge, _) => number(value) >= as_number,
    }
}

/// XPath 1.0 `number()` of a string: white space, an optional minus, digits with an optional
/// fraction, white space; anything else is NaN.
pub fn number(text: &str) -> f64 {
    let trimmed = text.trim_matches([' ', '\t', '\r', '\n']);
    let unsigned = trimmed.strip_prefix('-').unwrap_or(trimmed);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !digits(whole) || !digits(fraction) {
        return f64::NAN;
    }
    trimmed.parse().expect("digits with at most one point are a float")
}
