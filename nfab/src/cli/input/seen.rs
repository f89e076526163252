//! What was seen of the input, for messages at the end of a run.

use nfab::{Event, TypeId};

use super::fault::Fault;
use super::wanted::Wanted;
use crate::cli::row::Row;

/// Most types beside those of the query that are remembered.
const MOST_OTHERS: usize = 5;
/// Rows in which a column of the type is looked for.
const FIRST_ROWS: u64 = 100;

/// What was seen so far.
#[derive(Debug)]
pub(crate) struct Seen {
    /// Which types of the query some event had, and whether some event had another one.
    types: Vec<bool>,
    /// The first types beside those of the query.
    others: Vec<String>,
    newest: Option<i64>,
    /// By how much an event was older than one before it, at most.
    pub(crate) behind: u64,
    /// Events of the query's types that lack the partition key.
    pub(crate) without_key: u64,
    /// The first bad row: where, and why.
    pub(crate) first_bad: Option<String>,
    /// A time was rounded down to the unit.
    pub(crate) cut: bool,
    /// Where the name of the type that all events are taken to have stands.
    pub(crate) column: Option<String>,
}

impl Seen {
    pub(super) fn new(wanted: &Wanted) -> Self {
        let types = wanted.types.iter().map(|(_, id)| id.0).chain([wanted.other.0]).max();
        Seen {
            types: vec![false; types.map_or(0, |most| most as usize + 1)],
            others: vec![],
            newest: None,
            behind: 0,
            without_key: 0,
            first_bad: None,
            cut: false,
            column: None,
        }
    }

    /// The type with a name; names beside those of the query are remembered, the first of them.
    pub(super) fn type_id(&mut self, name: &str, wanted: &Wanted) -> TypeId {
        let id = wanted.type_id(name);
        if id == wanted.other
            && self.others.len() < MOST_OTHERS
            && !self.others.iter().any(|known| known == name)
        {
            self.others.push(name.to_owned());
        }
        id
    }

    /// Whether the columns of a row are still to be looked at for the type's name.
    pub(super) fn seeks_type(&self, wanted: &Wanted, number: u64) -> bool {
        number < FIRST_ROWS
            && self.column.is_none()
            && wanted.given_type.is_none()
            && wanted.assumed.is_some()
    }

    /// An event.
    pub(super) fn row(&mut self, row: &Row, wanted: &Wanted) {
        let event_type = row.event_type();
        self.types[event_type.0 as usize] = true;
        let time = row.time();
        match self.newest {
            Some(newest) if time < newest => self.behind = self.behind.max(newest.abs_diff(time)),
            _ => self.newest = Some(time),
        }
        let lacks = |slot: &nfab::Slot| match row.attribute(*slot) {
            nfab::ValueRef::Missing => true,
            nfab::ValueRef::Float(x) => x.is_nan(),
            _ => false,
        };
        if event_type != wanted.other && wanted.key.iter().any(lacks) {
            self.without_key += 1;
        }
    }

    /// A row that is no event.
    pub(super) fn bad(&mut self, fault: &Fault) {
        if self.first_bad.is_none() {
            self.first_bad = Some(format!("{}: {}", fault.describe(), fault.message));
        }
    }

    /// Types of the query that no event had.
    pub(crate) fn unseen_types<'w>(&self, wanted: &'w Wanted) -> Vec<&'w str> {
        let types = wanted.types.iter().filter(|(_, id)| !self.types[id.0 as usize]);
        types.map(|(name, _)| name.as_str()).collect()
    }

    /// Types that events had, the first few of them.
    pub(crate) fn seen_types<'a>(&'a self, wanted: &'a Wanted) -> Vec<&'a str> {
        let types = wanted.types.iter().filter(|(_, id)| self.types[id.0 as usize]);
        let asked = types.map(|(name, _)| name.as_str());
        self.others.iter().map(String::as_str).chain(asked).take(MOST_OTHERS).collect()
    }
}
