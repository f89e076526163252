//! Sightings in JSON lines: one object on each.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::csv::{Step, utf8};
use super::fault::{Fault, Place, Problem};
use super::row::{Current, Fields, Text};
use super::streams::Streams;

/// The names that have a meaning.
const STREAM: &str = "stream";
pub(super) const TIME: &str = "time";
const KEY: &str = "key";
pub(super) const PROBABILITY: &str = "probability";
const OBSERVATION: &str = "observation";
const PAUSE: &str = "pause";

/// Reads the line at the beginning of some bytes.
pub(super) fn step(
    bytes: &[u8],
    complete: bool,
    streams: &Streams,
    fields: Fields,
    current: &mut Current,
) -> Step {
    let (length, used) = match memchr::memchr(b'\n', bytes) {
        Some(length) => (length, length + 1),
        None if complete => (bytes.len(), bytes.len()),
        None => return Step::More,
    };
    let line = bytes[..length].trim_ascii();
    if line.is_empty() {
        return Step::Nothing { used };
    }
    let indent = line.as_ptr() as usize - bytes.as_ptr() as usize;
    match row(line, streams, fields, current) {
        Ok(true) => {
            current.start = indent;
            Step::Sighting { used, lines: 1 }
        }
        Ok(false) => Step::Pause { used },
        Err(mut fault) => {
            if let Place::Byte(at) = &mut fault.place {
                *at += indent;
            }
            Step::Bad { fault, length: indent + line.len(), used, lines: 1 }
        }
    }
}

/// Whether the line is a sighting; else it is a pause mark.
fn row(
    line: &[u8],
    streams: &Streams,
    fields: Fields,
    current: &mut Current,
) -> Result<bool, Fault> {
    let line = utf8(line)?;
    let mut members = 0;
    let mut found: [Option<&str>; 6] = [None; 6];
    let mut twice = None;
    let names = [STREAM, TIME, KEY, PROBABILITY, OBSERVATION, PAUSE];
    members_of(line, |name, raw| {
        members += 1;
        if let Some(at) = names.iter().position(|known| *known == name)
            && found[at].replace(raw).is_some()
        {
            twice = Some((at, raw));
        }
    })?;
    if let Some((at, raw)) = twice {
        return Err(Fault::new(place(line, raw), Problem::Twice(names[at].to_owned())));
    }
    let [stream, time, key, probability, observation, pause] = found;
    if let Some(pause) = pause
        && members == 1
    {
        return match pause {
            "true" => Ok(false),
            _ => Err(Fault::new(place(line, pause), Problem::Pause)),
        };
    }
    current.begin(line.len());
    let column = |name: &str| {
        let place = Place::Column(None, name.to_owned());
        move |problem| Fault::new(place, problem)
    };
    let name = scalar(line, stream, STREAM)?;
    let name = name.get(line);
    current.stream = streams
        .find(name)
        .ok_or_else(|| column(STREAM)(Problem::UnknownStream(name.to_owned())))?;
    let text = scalar(line, time, TIME)?;
    fields.time(text.get(line), current).map_err(column(TIME))?;
    let text = scalar(line, key, KEY)?;
    current.key = fields.key(line, text).map_err(column(KEY))?;
    let text = scalar(line, probability, PROBABILITY)?;
    fields.probability(text.get(line), current).map_err(column(PROBABILITY))?;
    current.observation = match observation {
        None | Some("null" | "\"\"") => None,
        some => Some(scalar(line, some, OBSERVATION)?),
    };
    Ok(true)
}

/// The text of a string or a number.
fn scalar(line: &str, raw: Option<&str>, column: &'static str) -> Result<Text, Fault> {
    let fault = |problem| Fault::new(Place::Column(None, column.to_owned()), problem);
    let Some(raw) = raw.filter(|raw| *raw != "null") else {
        return Err(fault(Problem::Missing(column)));
    };
    let start = (raw.as_ptr() as usize - line.as_ptr() as usize) as u32;
    let end = start + raw.len() as u32;
    match raw.as_bytes()[0] {
        b'"' if raw.contains('\\') => serde_json::from_str(raw)
            .map(Text::Own)
            .map_err(|error| fault(Problem::Json(plain(&error)))),
        b'"' => Ok(Text::Row(start + 1, end - 1)),
        b'-' | b'0'..=b'9' => Ok(Text::Row(start, end)),
        _ => Err(fault(Problem::Kind { value: raw.to_owned(), column })),
    }
}

fn place(line: &str, raw: &str) -> Place {
    Place::Byte(raw.as_ptr() as usize - line.as_ptr() as usize + 1)
}

/// Shows the members of an object, with their values as written.
pub(super) fn members_of<'l>(line: &'l str, see: impl FnMut(&str, &'l str)) -> Result<(), Fault> {
    let mut deserializer = serde_json::Deserializer::from_str(line);
    let result = deserializer.deserialize_map(Members(see)).and_then(|()| deserializer.end());
    result.map_err(|error| {
        let at = Place::Byte(error.column().max(1));
        match line.as_bytes().first() {
            Some(b'{') => Fault::new(at, Problem::Json(plain(&error))),
            _ => Fault::new(Place::Byte(1), Problem::NoObject),
        }
    })
}

struct Members<F>(F);

impl<'l, F: FnMut(&str, &'l str)> Visitor<'l> for Members<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'l>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(Name(name)) = map.next_key()? {
            let raw: &'l RawValue = map.next_value()?;
            (self.0)(&name, raw.get());
        }
        Ok(())
    }
}

/// A name, borrowed if it stands in the line as it is.
struct Name<'l>(Cow<'l, str>);

impl<'l> Deserialize<'l> for Name<'l> {
    fn deserialize<D: Deserializer<'l>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'l> Visitor<'l> for Text {
            type Value = Name<'l>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, text: &'l str) -> Result<Name<'l>, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Name<'l>, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
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
