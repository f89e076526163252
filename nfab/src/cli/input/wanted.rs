//! What of the input is asked for.

use nfab::{Slot, TimeUnit, TypeId};

/// What a query and the command line ask of each event.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// The attributes by their slots, with their places in the query.
    pub(crate) attributes: Vec<(String, std::ops::Range<usize>)>,
    /// The types of the query.
    pub(crate) types: Vec<(String, TypeId)>,
    /// The type of events of all other types.
    pub(crate) other: TypeId,
    /// The type of all events, whatever the input says.
    pub(crate) given_type: Option<TypeId>,
    /// The type of all events if the input does not say it.
    pub(crate) fallback_type: Option<TypeId>,
    /// Its name, if nobody said it but the query, which asks for no other.
    pub(crate) assumed: Option<String>,
    /// The partition key.
    pub(crate) key: Vec<Slot>,
    /// Where the type stands, if it was said.
    pub(crate) type_column: Option<String>,
    /// Where the time stands, if it was said.
    pub(crate) time_column: Option<String>,
    pub(crate) unit: TimeUnit,
    /// Whether rows are kept as written.
    pub(crate) keep: bool,
}

/// Where the time stands unless it was said; the first that is there.
pub(crate) const TIME_COLUMNS: [&str; 2] = ["time", "timestamp"];
/// Where the type stands unless it was said.
pub(crate) const TYPE_COLUMN: &str = "type";

impl Wanted {
    pub(crate) fn slot(&self, name: &str) -> Option<Slot> {
        let at = self.attributes.iter().position(|(attribute, _)| attribute == name)?;
        Some(Slot(at as u32))
    }

    pub(crate) fn type_id(&self, name: &str) -> TypeId {
        self.types.iter().find(|(known, _)| known == name).map_or(self.other, |(_, id)| *id)
    }

    /// The name under which the time stands among the names that are there.
    pub(crate) fn find_time(&self, mut there: impl FnMut(&str) -> bool) -> Option<&str> {
        match &self.time_column {
            Some(name) => there(name).then_some(name),
            None => TIME_COLUMNS.into_iter().find(|name| there(name)),
        }
    }

    /// That no time is there.
    pub(crate) fn no_time(&self, what: &str) -> String {
        match &self.time_column {
            Some(name) => format!("there is no {what} `{name}`"),
            None => {
                let [first, second] = TIME_COLUMNS;
                format!("there is no {what} `{first}` or `{second}` for the time of the events")
            }
        }
    }

    /// That no type is there.
    pub(crate) fn no_type(&self, what: &str) -> (String, String) {
        let name = self.type_column.as_deref().unwrap_or(TYPE_COLUMN);
        let message = format!("there is no {what} `{name}` for the type of the events");
        let hint = format!(
            "name it with `--type-column NAME`; if all events are of one type, name that with \
             `--type NAME`, as in `--type {}`",
            self.types.first().map_or("Stock", |(name, _)| name)
        );
        (message, hint)
    }
}

/// Names in a sentence, the first few of them.
pub(crate) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    const MOST: usize = 12;
    let all: Vec<_> = names.into_iter().collect();
    let quoted: Vec<_> = all.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    match (&quoted[..], all.len()) {
        ([], _) => "none".to_owned(),
        (some, n) if n > MOST => format!("{} and {} more", some.join(", "), n - MOST),
        ([one], _) => one.clone(),
        ([front @ .., last], _) => format!("{} and {last}", front.join(", ")),
    }
}
