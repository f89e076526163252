//! Events of a file in place of generated ones.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use data_gen::format::{ReadError, csv, jsonl};

use crate::error::{Error, Result};

/// The most types: some peers read a byte for an event.
const MOST_TYPES: usize = 256;
/// The most events.
const MOST_EVENTS: usize = 100_000_000;

/// The events of a file, of which only the types matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The types in the order of their first events.
    pub types: Vec<String>,
    /// Each event's place in the types.
    pub events: Vec<u8>,
}

impl Input {
    /// Reads CSV with a header, or JSON lines where the file's name ends with `.jsonl` or `.json`. There
    /// must be the columns `type` and `time`.
    pub fn read(path: &Path) -> Result<Self> {
        let open = |error| Error::input(format!("cannot read {}: {error}", path.display()));
        let file = BufReader::new(File::open(path).map_err(open)?);
        let lines = path.extension().is_some_and(|end| end == "jsonl" || end == "json");
        Self::of(file, lines).map_err(|error| error.within(path.display()))
    }

    /// The same from a reader.
    pub fn of(from: impl Read, lines: bool) -> Result<Self> {
        let fail = |error: ReadError| Error::input(error.to_string());
        let mut input = Self::default();
        let mut places = HashMap::new();
        if lines {
            let mut reader = jsonl::Reader::new(from);
            while let Some(row) = reader.next_row().map_err(fail)? {
                input.add(row.kind(), &mut places)?;
            }
        } else {
            let mut reader = csv::Reader::new(from).map_err(fail)?;
            while let Some(row) = reader.next_row().map_err(fail)? {
                input.add(row.kind(), &mut places)?;
            }
        }
        if input.events.is_empty() {
            return Err(Error::input("there are no events"));
        }
        Ok(input)
    }

    fn add(&mut self, kind: &str, places: &mut HashMap<String, u8>) -> Result<()> {
        if self.events.len() == MOST_EVENTS {
            return Err(Error::input(format!("there are more than {MOST_EVENTS} events")));
        }
        let place = match places.get(kind) {
            Some(&place) => place,
            None => {
                let place = u8::try_from(self.types.len()).map_err(|_| {
                    Error::input(format!(
                        "there are more than {MOST_TYPES} types of events; some peers read a byte for \
                         each"
                    ))
                })?;
                places.insert(kind.to_owned(), place);
                self.types.push(kind.to_owned());
                place
            }
        };
        self.events.push(place);
        Ok(())
    }
}
