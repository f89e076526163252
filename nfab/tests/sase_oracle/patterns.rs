//! Random patterns. What the language refuses is mended where that is simple.

use nfab::language::{EventItem, Gap, Group, GroupKind, Item, Name, Quantifier, Span};
use proptest::prelude::*;

/// The types of events; `N` occurs mostly as a negated one.
pub const KINDS: [&str; 4] = ["A", "B", "C", "N"];

/// A pattern whose variables have no names yet.
pub fn pattern() -> impl Strategy<Value = Group> {
    let items = |number| prop::collection::vec((gap(), item()), number);
    prop_oneof![1 => items(1..=1), 4 => items(2..=3)].prop_map(|items| {
        let mut pattern = group(GroupKind::Seq, items, Quantifier::One);
        mend(&mut pattern);
        if may_be_absent(&pattern) {
            require_first(&mut pattern);
        }
        name(&mut pattern, &mut (b'a'..=b'z'));
        pattern
    })
}

fn gap() -> impl Strategy<Value = Gap> {
    prop_oneof![
        6 => Just(Gap::Strategy),
        1 => Just(Gap::Next),
        1 => Just(Gap::FollowedBy),
        1 => Just(Gap::FollowedByAny),
    ]
}

fn repeats() -> impl Strategy<Value = Quantifier> {
    let of = |min, max| Just(Quantifier::Repeat { min, max });
    prop_oneof![
        4 => of(1, None),
        2 => of(0, None),
        1 => of(2, None),
        1 => of(2, Some(2)),
        1 => of(1, Some(2)),
        1 => of(0, Some(2)),
        1 => of(2, Some(3)),
    ]
}

fn quantifier() -> impl Strategy<Value = Quantifier> {
    prop_oneof![
        6 => Just(Quantifier::One),
        1 => Just(Quantifier::Optional),
        3 => repeats(),
    ]
}

fn event() -> impl Strategy<Value = Item> {
    let kind = prop_oneof![6 => Just(0usize), 3 => Just(1), 1 => Just(2)];
    let plain = (kind, quantifier()).prop_map(|(kind, q)| (kind, false, q));
    let negated =
        prop_oneof![2 => Just(3), 1 => 0..3usize].prop_map(|k| (k, true, Quantifier::One));
    prop_oneof![5 => plain, 1 => negated].prop_map(|(kind, negated, quantifier)| {
        Item::Event(EventItem {
            negated,
            event_type: Name::new(KINDS[kind]),
            quantifier,
            variable: Name::new("?"),
            span: Span::default(),
        })
    })
}

fn item() -> impl Strategy<Value = Item> {
    let kind = || prop_oneof![3 => Just(GroupKind::Seq), 1 => Just(GroupKind::Or), 1 => Just(GroupKind::And)];
    prop_oneof![3 => event().boxed(), 1 => event().prop_recursive(2, 5, 3, move |inner| {
        (kind(), prop::collection::vec((gap(), inner), 2..=3), quantifier())
            .prop_map(|(kind, items, quantifier)| Item::Group(group(kind, items, quantifier)))
    }).boxed()]
}

fn group(kind: GroupKind, items: Vec<(Gap, Item)>, quantifier: Quantifier) -> Group {
    let gaps = items.iter().skip(1).map(|(gap, _)| *gap).collect();
    let items = items.into_iter().map(|(_, item)| item).collect();
    Group { kind, items, gaps, quantifier, span: Span::default() }
}

fn is_negated(item: &Item) -> bool {
    matches!(item, Item::Event(event) if event.negated)
}

/// Makes the group one that the language accepts.
fn mend(group: &mut Group) {
    if group.items.len() < 2 {
        group.kind = GroupKind::Seq;
    }
    let sequence = group.kind == GroupKind::Seq;
    let only_negated = group.items.iter().all(is_negated);
    for item in &mut group.items {
        match item {
            Item::Group(nested) => mend(nested),
            Item::Event(event) => event.negated &= sequence && !only_negated,
        }
    }
    for (gap, item) in group.gaps.iter_mut().zip(&group.items[1..]) {
        *gap = match *gap {
            _ if !sequence => Gap::Strategy,
            Gap::FollowedByAny if is_negated(item) => Gap::FollowedBy,
            gap => gap,
        };
    }
    if !sequence {
        group.quantifier = Quantifier::One;
    }
    if group.quantifier.repeats() && body_may_be_absent(group) {
        require_first(group);
    }
}

/// Makes an item required, of a group that may pass without any event.
fn require_first(group: &mut Group) {
    let all: Vec<&mut Item> = match group.kind {
        GroupKind::Or => group.items.iter_mut().collect(),
        _ => group.items.iter_mut().filter(|item| !is_negated(item)).take(1).collect(),
    };
    for item in all {
        match item {
            Item::Event(event) => event.quantifier = required(event.quantifier),
            Item::Group(nested) => {
                nested.quantifier = required(nested.quantifier);
                if body_may_be_absent(nested) {
                    require_first(nested);
                }
            }
        }
    }
}

fn required(quantifier: Quantifier) -> Quantifier {
    match quantifier {
        Quantifier::Optional => Quantifier::One,
        Quantifier::Repeat { min: 0, max } => Quantifier::Repeat { min: 1, max },
        other => other,
    }
}

fn body_may_be_absent(group: &Group) -> bool {
    let absent = |item: &Item| match item {
        Item::Event(event) => event.negated || event.quantifier.may_be_absent(),
        Item::Group(nested) => may_be_absent(nested),
    };
    match group.kind {
        GroupKind::Or => group.items.iter().any(absent),
        _ => group.items.iter().all(absent),
    }
}

fn may_be_absent(group: &Group) -> bool {
    group.quantifier.may_be_absent() || body_may_be_absent(group)
}

/// Whether an `AND` that may begin or end the pattern has an item that may be absent and holds a
/// negation. Where such an item stands is open, and so where its negation does: the engine refuses.
pub fn absent_negation_at_end(group: &Group, begins: bool, ends: bool) -> bool {
    let sequence = group.kind == GroupKind::Seq;
    let absent = |item: &Item| match item {
        Item::Event(event) => event.negated || event.quantifier.may_be_absent(),
        Item::Group(nested) => may_be_absent(nested),
    };
    group.items.iter().enumerate().any(|(i, item)| {
        let Item::Group(nested) = item else { return false };
        let begins = begins && (!sequence || group.items[..i].iter().all(absent));
        let ends = ends && (!sequence || group.items[i + 1..].iter().all(absent));
        let odd = group.kind == GroupKind::And && absent(item) && has_negation(nested);
        (begins || ends) && odd || absent_negation_at_end(nested, begins, ends)
    })
}

fn has_negation(group: &Group) -> bool {
    group.items.iter().any(|item| match item {
        Item::Event(event) => event.negated,
        Item::Group(nested) => has_negation(nested),
    })
}

fn name(group: &mut Group, names: &mut impl Iterator<Item = u8>) {
    for item in &mut group.items {
        match item {
            Item::Group(nested) => name(nested, names),
            Item::Event(event) => {
                let letter = names.next().expect("at most 26 items");
                event.variable = Name::new(format!("{}", char::from(letter)));
            }
        }
    }
}
