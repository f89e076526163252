use super::*;
use crate::Record;

/// Whatever is said before looking at all of a condition is what looking says.
#[test]
fn sieves_agree_with_evaluation() {
    let relations = [
        Relation::Equal,
        Relation::NotEqual,
        Relation::Less,
        Relation::LessOrEqual,
        Relation::Greater,
        Relation::GreaterOrEqual,
    ];
    let held = || Term::Register(0, Pick::Last);
    let slot = || Term::Slot(Slot(0));
    let faults = Faults::default();
    let ends = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
    let mut values: Vec<Option<Value>> = ends.iter().map(|&i| Some(Value::Int(i))).collect();
    values.extend([None, Some(Value::Missing), Some(Value::Float(0.5)), Some("t".into())]);
    for relation in relations {
        let plain = Test::Compare(relation, slot(), held());
        let turned = Test::Compare(relation, held(), slot());
        let tests = [
            plain.clone(),
            turned.clone(),
            Test::Assume(Box::new(plain.clone()), true),
            Test::And(vec![Test::TypeIs(TypeId(0)), plain.clone(), turned.clone()]),
            Test::And(vec![Test::TypeIs(TypeId(1)), plain.clone()]),
            Test::And(vec![plain.clone(), Test::Or(vec![turned.clone()]), plain, turned]),
        ];
        for (test, new) in tests.iter().flat_map(|test| values.iter().map(move |v| (test, v))) {
            let new = new.clone().unwrap_or_default();
            let event = Record::new(TypeId(0), 0).with(Slot(0), new);
            let Some(sieve) = test.sieve(&event, &faults) else { continue };
            for old in &values {
                let registers = [Register::Value(old.clone())];
                let at = Context { event: &event, registers: &registers, faults: &faults };
                if let Some(said) = sieve.check(&registers) {
                    assert_eq!(said, test.evaluate(at).holds(), "{test:?} {event:?} {old:?}");
                }
            }
        }
    }
}
