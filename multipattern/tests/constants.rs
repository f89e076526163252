//! Constants of conditions: what is accepted can be shown, read again, and kept in snapshots.

use multipattern::{Condition, ErrorKind, Operand, Pattern, Relation, Term, Value};

fn with(constant: Value) -> Result<Pattern, multipattern::Error> {
    let condition = Condition::new(Term::own("v"), Relation::Less, Term::Value(constant));
    Pattern::new("a", [Operand::new("A").with(condition)])
}

/// `inf` and `NaN` would be read as names of attributes, and the restored pattern mean another thing.
#[test]
fn constants_without_a_text_are_refused() {
    for constant in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        let error = with(constant.into()).expect_err("not finite");
        assert_eq!(error.kind(), ErrorKind::Pattern);
        assert!(error.message().contains("not a finite number"), "{}", error.message());
    }
    assert_eq!(with(Value::Missing).expect_err("null").kind(), ErrorKind::Pattern);
}

#[test]
fn extreme_constants_are_read_as_they_were_shown() {
    let floats =
        [f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, -0.0, 0.1, 9_007_199_254_740_992.0];
    let integers = [i64::MIN, -1, 0, (1 << 53) + 1, i64::MAX];
    let texts = ["", "it's", "''", "a\tb\"`c", "\u{1f980} inf", "-- #1.v"];
    let constants = floats
        .map(Value::from)
        .into_iter()
        .chain(integers.map(Value::from))
        .chain(texts.map(Value::from))
        .chain([true, false].map(Value::from));
    for constant in constants {
        let pattern = with(constant.clone()).expect("a pattern");
        let text = pattern.to_string();
        let again = Pattern::parse(&text).expect(&text);
        assert_eq!(again, pattern, "{text}");
        // Equality does not tell the zeros apart.
        assert_eq!(again.to_string(), text);
    }
}
