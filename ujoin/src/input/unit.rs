//! Rows of one observation.

use super::admit::Admitted;
use super::reader::Sighting;
use crate::{Probability, StreamId};

/// Rows of one observation in one stream, kept apart from the reader's buffer.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Unit {
    pub(super) rows: Vec<Held>,
    pub(super) text: String,
    /// Whether the rows say which observation they are of; its name is then the beginning of the text.
    pub(super) observation: Option<usize>,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Held {
    pub(super) stream: StreamId,
    pub(super) time: i64,
    pub(super) probability: Probability,
    pub(super) rounded: u32,
    line: u64,
    /// Where in the text the row begins, where its key, and where that ends.
    pub(super) places: [usize; 3],
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) admitted: Admitted,
}

impl Unit {
    /// Whether a row can be added: the unit is empty, or of the same stream and observation.
    #[must_use]
    pub fn fits(&self, sighting: &Sighting<'_>) -> bool {
        match self.rows.first() {
            None => true,
            Some(first) => {
                sighting.observation.is_some()
                    && first.stream == sighting.stream
                    && self.observation() == sighting.observation
                    && self.rows.len() < super::admit::MOST
            }
        }
    }

    /// Adds a row that [`fits`](Self::fits).
    pub fn push(&mut self, sighting: &Sighting<'_>) {
        if self.rows.is_empty() {
            self.text.clear();
            self.observation = sighting.observation.map(str::len);
            self.text.push_str(sighting.observation.unwrap_or_default());
        }
        let start = self.text.len();
        self.text.push_str(sighting.row);
        let key = self.text.len();
        self.text.push_str(sighting.key);
        self.rows.push(Held {
            stream: sighting.stream,
            time: sighting.time,
            probability: sighting.probability,
            rounded: sighting.rounded,
            line: sighting.line,
            places: [start, key, self.text.len()],
            admitted: Admitted::Yes,
        });
    }

    /// The name of the observation, if it has one.
    #[must_use]
    pub fn observation(&self) -> Option<&str> {
        self.observation.map(|length| &self.text[..length])
    }

    /// The rows, with what became of them.
    pub fn iter(&self) -> impl Iterator<Item = (Sighting<'_>, &Admitted)> {
        self.rows.iter().map(|held| {
            let [start, key, end] = held.places;
            let sighting = Sighting {
                stream: held.stream,
                time: held.time,
                probability: held.probability,
                key: &self.text[key..end],
                observation: self.observation(),
                rounded: held.rounded,
                line: held.line,
                row: &self.text[start..key],
            };
            (sighting, &held.admitted)
        })
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }
}
