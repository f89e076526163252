//! JSON lines: one flat object on each.

use std::borrow::Cow;
use std::fmt;

use nfab::{Slot, TypeId, ValueRef};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::cell::number;
use super::fault::{Fault, Place};
use super::seen::Seen;
use super::wanted::{TYPE_COLUMN, Wanted};
use super::{Step, time};
use crate::cli::row::{Builder, Row};

/// Reads JSON lines. The first event decides where time and type stand.
#[derive(Debug)]
pub(crate) struct Json {
    time: Option<String>,
    event_type: Option<TypeFrom>,
    builder: Builder,
    /// The attributes of the query that some event had.
    seen: Vec<bool>,
}

/// Where the type of an event comes from.
#[derive(Debug)]
enum TypeFrom {
    All(TypeId),
    Key(String),
}

impl Json {
    pub(crate) fn new(wanted: &Wanted) -> Self {
        Json {
            time: None,
            event_type: wanted.given_type.map(TypeFrom::All),
            builder: Builder::new(wanted.attributes.len(), wanted.keep),
            seen: vec![false; wanted.attributes.len()],
        }
    }

    /// The attributes of the query, by slot, that some event had.
    pub(crate) fn seen(&self) -> &[bool] {
        &self.seen
    }

    /// Whether all events have one type, whatever they say.
    pub(crate) fn is_of_one_type(&self) -> bool {
        matches!(self.event_type, Some(TypeFrom::All(_)))
    }

    /// Reads the line at the beginning of some bytes.
    pub(crate) fn step(
        &mut self,
        bytes: &[u8],
        complete: bool,
        (wanted, seen): (&Wanted, &mut Seen),
        number: u64,
    ) -> Step {
        let (length, used) = match memchr::memchr(b'\n', bytes) {
            Some(length) => (length, length + 1),
            None if complete => (bytes.len(), bytes.len()),
            None => return Step::More,
        };
        let line = bytes[..length].trim_ascii();
        if line.is_empty() {
            return Step::Nothing { used, lines: 1 };
        }
        let indent = line.as_ptr() as usize - bytes.as_ptr() as usize;
        match self.row(line, (wanted, seen), number) {
            Ok(row) => Step::Row { row, used, lines: 1 },
            Err(mut fault) => {
                if let Place::Byte(at) = &mut fault.place {
                    *at += indent;
                }
                Step::Bad { fault, used, lines: 1 }
            }
        }
    }

    fn row(
        &mut self,
        line: &[u8],
        (wanted, seen): (&Wanted, &mut Seen),
        number: u64,
    ) -> Result<Row, Fault> {
        let line = std::str::from_utf8(line).map_err(|e| {
            Fault::new(Place::Byte(e.valid_up_to() + 1), "this is not UTF-8")
                .with_hint("JSON is always in UTF-8; convert the file with `iconv`")
        })?;
        self.builder.begin(line);
        let column = seen.seeks_type(wanted, number).then_some(&mut seen.column);
        let mut found =
            Found { wanted, line, reader: self, times: [None; 2], name: None, column, fault: None };
        let mut deserializer = serde_json::Deserializer::from_str(line);
        let result = found.deserialize(&mut deserializer).and_then(|()| deserializer.end());
        let (times, name) = match (result, found.fault) {
            (_, Some(fault)) => return Err(fault),
            (Err(error), None) => return Err(syntax(line, &error)),
            (Ok(()), None) => (found.times, found.name),
        };
        let time_at = |key: &str| match key == super::wanted::TIME_COLUMNS[1] {
            true if wanted.time_column.is_none() => times[1],
            _ => times[0],
        };
        let key = match &self.time {
            Some(key) => Some(key.as_str()),
            None => wanted.find_time(|key| time_at(key).is_some()),
        };
        let Some((key, raw)) = key.and_then(|key| Some((key, time_at(key)?))) else {
            let message = match &self.time {
                Some(key) => format!("there is no attribute `{key}`"),
                None => wanted.no_time("attribute"),
            };
            return Err(Fault::new(Place::Row, message)
                .with_hint("`--time-column NAME` says which attribute is the time"));
        };
        let event_time = value(line, raw).map_err(|fault| fault.with_hint(time::HINT))?;
        let event_time = match &event_time {
            Value::Text(text, _) => ValueRef::Text(text),
            Value::Other(value) => *value,
        };
        let (event_time, cut) = time::time(event_time, wanted.unit)
            .map_err(|message| Fault::new(place(line, raw), message).with_hint(time::HINT))?;
        seen.cut |= cut;
        if self.time.is_none() {
            self.time = Some(key.to_owned());
        }
        let event_type = self.event_type(line, name, (wanted, seen))?;
        Ok(self.builder.row(event_type, event_time, number))
    }

    fn event_type(
        &mut self,
        line: &str,
        raw: Option<&str>,
        (wanted, seen): (&Wanted, &mut Seen),
    ) -> Result<TypeId, Fault> {
        if self.event_type.is_none() {
            self.event_type = match (raw, wanted.fallback_type) {
                (None, Some(id)) if wanted.type_column.is_none() => Some(TypeFrom::All(id)),
                (None, _) => {
                    let (message, hint) = wanted.no_type("attribute");
                    return Err(Fault::new(Place::Row, message).with_hint(hint));
                }
                (Some(_), _) => {
                    let key = wanted.type_column.as_deref().unwrap_or(TYPE_COLUMN);
                    Some(TypeFrom::Key(key.to_owned()))
                }
            };
        }
        let key = match &self.event_type {
            Some(TypeFrom::All(id)) => return Ok(*id),
            Some(TypeFrom::Key(key)) => key,
            None => return Ok(wanted.other),
        };
        let missing = || Fault::new(Place::Row, format!("there is no attribute `{key}`"));
        let raw = raw.ok_or_else(missing)?;
        match value(line, raw)? {
            Value::Text(text, _) if !text.is_empty() => Ok(seen.type_id(&text, wanted)),
            // Types that are numbers are their digits.
            Value::Other(ValueRef::Int(_)) => Ok(seen.type_id(raw, wanted)),
            _ => Err(Fault::new(place(line, raw), format!("{raw} is not the name of a type"))),
        }
    }
}

/// The text of a plain string.
fn text_of(raw: &str) -> Option<&str> {
    raw.strip_prefix('"')?.strip_suffix('"')
}

/// A scalar; text with its place in the line if it stands there as it is.
enum Value<'l> {
    Text(Cow<'l, str>, Option<usize>),
    Other(ValueRef<'l>),
}

fn place(line: &str, raw: &str) -> Place {
    Place::Byte(offset(line, raw) + 1)
}

/// Where a part of the line begins.
fn offset(line: &str, part: &str) -> usize {
    part.as_ptr() as usize - line.as_ptr() as usize
}

/// The value of a valid piece of JSON.
fn value<'l>(line: &'l str, raw: &'l str) -> Result<Value<'l>, Fault> {
    let other = |value| Ok(Value::Other(value));
    match raw.as_bytes()[0] {
        b'"' if raw.contains('\\') => match serde_json::from_str(raw) {
            Ok(text) => Ok(Value::Text(Cow::Owned(text), None)),
            Err(error) => Err(Fault::new(place(line, raw), plain(&error))),
        },
        b'"' => {
            let text = &raw[1..raw.len() - 1];
            Ok(Value::Text(Cow::Borrowed(text), Some(offset(line, text))))
        }
        b't' => other(ValueRef::Bool(true)),
        b'f' => other(ValueRef::Bool(false)),
        b'n' => other(ValueRef::Missing),
        _ => match number(raw) {
            Some(Ok(number)) => other(number),
            Some(Err(message)) => Err(Fault::new(place(line, raw), format!("{message}: `{raw}`"))
                .with_hint("in quotes it is text")),
            None => Err(Fault::new(place(line, raw), format!("`{raw}` is not a number"))),
        },
    }
}

/// What an object gave while it is read.
struct Found<'r, 'l> {
    wanted: &'r Wanted,
    line: &'l str,
    reader: &'r mut Json,
    /// The values of the two names that the time may have.
    times: [Option<&'l str>; 2],
    /// The value of the type.
    name: Option<&'l str>,
    /// Where to note the attribute that holds the type's name, if it is looked for.
    column: Option<&'r mut Option<String>>,
    fault: Option<Fault>,
}

impl<'l> Found<'_, 'l> {
    fn deserialize(
        &mut self,
        deserializer: &mut serde_json::Deserializer<serde_json::de::StrRead<'l>>,
    ) -> Result<(), serde_json::Error> {
        DeserializeSeed::deserialize(self, deserializer)
    }

    fn attribute(&mut self, key: &str, raw: &'l str) -> Result<(), Fault> {
        if matches!(raw.as_bytes()[0], b'{' | b'[') {
            let message = format!("a nested value in the attribute `{key}`");
            return Err(Fault::new(place(self.line, raw), message)
                .with_hint("attributes are numbers, strings, true, false and null"));
        }
        let wanted = self.wanted;
        let known = |said: &Option<String>, default: &str| match said {
            Some(name) => name == key,
            None => default == key,
        };
        let [first, second] = super::wanted::TIME_COLUMNS;
        let slot = wanted.slot(key);
        if let Some(column) = &mut self.column
            && column.is_none()
            && text_of(raw) == wanted.assumed.as_deref()
        {
            **column = Some(key.to_owned());
        }
        let of_time = if known(&wanted.time_column, first) {
            Some(0)
        } else {
            (wanted.time_column.is_none() && key == second).then_some(1)
        };
        let of_type = wanted.given_type.is_none() && known(&wanted.type_column, TYPE_COLUMN);
        let twice = |again: bool| match again {
            true => Err(Fault::new(
                place(self.line, raw),
                format!("a second attribute `{key}` in one object"),
            )),
            false => Ok(()),
        };
        if let Some(which) = of_time {
            twice(self.times[which].is_some())?;
            self.times[which] = Some(raw);
        }
        if of_type {
            twice(self.name.is_some())?;
            self.name = Some(raw);
        }
        if let Some(slot) = slot {
            self.set(slot, raw)?;
        }
        Ok(())
    }

    fn set(&mut self, slot: Slot, raw: &'l str) -> Result<(), Fault> {
        self.reader.seen[slot.0 as usize] = true;
        let builder = &mut self.reader.builder;
        match value(self.line, raw)? {
            Value::Text(text, place) => builder.set(slot, ValueRef::Text(&text), place),
            Value::Other(value) => builder.set(slot, value, None),
        }
        Ok(())
    }
}

impl<'l> DeserializeSeed<'l> for &mut Found<'_, 'l> {
    type Value = ();

    fn deserialize<D: Deserializer<'l>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'l> Visitor<'l> for &mut Found<'_, 'l> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'l>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Key(key)) = map.next_key()? {
            let raw: &'l RawValue = map.next_value()?;
            if let Err(fault) = self.attribute(&key, raw.get()) {
                self.fault = Some(fault);
                return Err(serde::de::Error::custom("a fault"));
            }
        }
        Ok(())
    }
}

/// A key, borrowed if it stands in the line as it is.
struct Key<'l>(Cow<'l, str>);

impl<'l> Deserialize<'l> for Key<'l> {
    fn deserialize<D: Deserializer<'l>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'l> Visitor<'l> for Text {
            type Value = Key<'l>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, text: &'l str) -> Result<Key<'l>, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Key<'l>, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

/// The message of the parser without the place.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}

fn syntax(line: &str, error: &serde_json::Error) -> Fault {
    let at = Place::Byte(error.column().max(1));
    match line.as_bytes()[0] {
        b'{' if error.is_eof() => Fault::new(at, "the line ends before the object does")
            .with_hint("each object stands on one line, as `jq -c` writes it"),
        b'{' => Fault::new(at, format!("JSON: {}", plain(error))),
        b'[' => Fault::new(Place::Byte(1), "this line is not a JSON object")
            .with_hint("each event is an object on its own line: `jq -c '.[]' FILE`"),
        _ => Fault::new(Place::Byte(1), "this line is not a JSON object")
            .with_hint("for a table with a header give `--input-format csv`"),
    }
}
