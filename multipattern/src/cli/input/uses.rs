//! Who asks for which attribute, and what is said of attributes that no event can have or had.

use multipattern::{PatternSet, Schema, Term};

use super::report::{self, shown};

/// So many attributes are named; of the others, how many there are.
const MOST_NAMED: usize = 20;

/// What asks for an attribute.
#[derive(Clone, Debug, Default)]
pub(crate) struct Use {
    /// The partition key.
    pub(super) key: bool,
    /// The first pattern that has a condition on it.
    pattern: Option<String>,
    /// How many patterns have one.
    patterns: usize,
}

/// The uses of all attributes, by slot.
pub(crate) fn uses<'k>(
    set: &PatternSet,
    schema: &Schema,
    key: impl Iterator<Item = &'k str>,
) -> Vec<Use> {
    let mut uses = vec![Use::default(); schema.attributes().len()];
    for slot in key.filter_map(|name| schema.slot(name)) {
        uses[slot.0 as usize].key = true;
    }
    for pattern in set.patterns() {
        let conditions = pattern.operands().iter().flat_map(|operand| operand.conditions());
        let terms = conditions.flat_map(|condition| [&condition.left, &condition.right]);
        let names = terms.filter_map(|term| match term {
            Term::Own(name) | Term::Of(_, name) => schema.slot(name),
            Term::Value(_) => None,
        });
        let mut slots: Vec<_> = names.collect();
        slots.sort_unstable();
        slots.dedup();
        for slot in slots {
            let found = &mut uses[slot.0 as usize];
            found.pattern.get_or_insert_with(|| pattern.id().to_owned());
            found.patterns += 1;
        }
    }
    uses
}

impl Use {
    /// What follows for the patterns, if any has a condition on the attribute.
    fn conditions(&self) -> Option<String> {
        let id = shown(self.pattern.as_deref()?);
        Some(match self.patterns - 1 {
            0 => format!("pattern `{id}` has a condition on it, which never holds"),
            1 => format!("pattern `{id}` and another one have conditions on it, which never hold"),
            n => format!("pattern `{id}` and {n} others have conditions on it, which never hold"),
        })
    }
}

/// Names and uses of attributes.
type Used<'u> = (&'u str, &'u Use);

/// Warns of columns that there are not.
pub(super) fn warn<'u>(missing: impl Iterator<Item = Used<'u>>, place: &str, help: &str) {
    let missing = missing.filter_map(|(name, used)| Some((name, used.conditions()?)));
    let mut more = 0;
    for (at, (name, conditions)) in missing.enumerate() {
        if at < MOST_NAMED {
            let title = format!("there is no column `{}`; {conditions}", shown(name));
            let help = (at == 0).then_some(help);
            report::message("warning", &title, Some(place), help);
        } else {
            more += 1;
        }
    }
    if more > 0 {
        let title = format!("{more} more columns of conditions are missing");
        report::message("warning", &title, Some(place), None);
    }
}

/// Notes of attributes that no event had.
pub(super) fn note<'u>(unseen: impl Iterator<Item = Used<'u>>) {
    let mut more = 0;
    for (at, (name, used)) in unseen.enumerate() {
        if at >= MOST_NAMED {
            more += 1;
            continue;
        }
        let key =
            used.key.then(|| "it is of the key, and events without key are passed over".into());
        let what: Vec<_> = key.into_iter().chain(used.conditions()).collect();
        let title = format!("no event has a value of `{}`; {}", shown(name), what.join("; "));
        report::message("note", &title, None, None);
    }
    if more > 0 {
        report::message("note", &format!("nor of {more} more attributes"), None, None);
    }
}
