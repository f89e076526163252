//! A JSON object on each line.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};

use multipattern::{Value, ValueRef};
use serde_json::value::RawValue;

use super::report::{plain, shown};
use super::{Fault, MOST_ROW, Row, Wanted, cell, read_time};

pub(super) struct JsonLines {
    source: BufReader<Box<dyn Read>>,
    line: u64,
    text: Vec<u8>,
    /// The slots of which some event had a value.
    pub(super) seen: Vec<bool>,
}

/// The values of an object, as they are written: what a number says is seen before it is rounded.
type Object<'o> = HashMap<String, &'o RawValue>;

/// A value of an attribute. As in a table, what no number of 64 bits holds is text.
fn value(raw: &RawValue) -> Result<Value, &'static str> {
    let text = raw.get();
    Ok(match text.as_bytes().first() {
        Some(b'n') => Value::Missing,
        Some(b't' | b'f') => Value::Bool(text == "true"),
        Some(b'"') => Value::from(unquoted(text)?),
        Some(b'[') => return Err("a list"),
        Some(b'{') => return Err("an object"),
        _ => cell::number(text).map_or_else(|| Value::from(text), ValueRef::to_value),
    })
}

fn unquoted(text: &str) -> Result<String, &'static str> {
    serde_json::from_str(text).map_err(|_| "text with an escape that is no character")
}

impl JsonLines {
    pub(super) fn begin(source: BufReader<Box<dyn Read>>, wanted: &Wanted) -> Self {
        let seen = vec![false; wanted.attributes.len()];
        JsonLines { source, line: 0, text: Vec::new(), seen }
    }

    /// Fills a row with the next event; gives its line.
    pub(super) fn next(&mut self, wanted: &Wanted, row: &mut Row) -> Result<Option<u64>, Fault> {
        let object = loop {
            self.text.clear();
            let read = (&mut self.source).take(MOST_ROW + 1).read_until(b'\n', &mut self.text);
            self.line += 1;
            let fault = |message: String| Fault::new(self.line, message);
            if read.map_err(|error| fault(format!("cannot read: {}", plain(&error))))? == 0 {
                return Ok(None);
            }
            if self.text.len() as u64 > MOST_ROW {
                return Err(fault(format!("a line of more than {} megabytes", MOST_ROW >> 20)));
            }
            let text = self.text.trim_ascii();
            if !text.is_empty() {
                break serde_json::from_slice::<Object<'_>>(text).map_err(|error| {
                    // Its line is always the first one.
                    let text = error.to_string();
                    let what = text.rsplit_once(" at line ").map_or(&text[..], |(what, _)| what);
                    fault(format!("no JSON object: {} at column {}", shown(what), error.column()))
                })?;
            }
        };
        let line = self.line;
        let fault = |message: String| Fault::new(line, message);
        let column = shown(&wanted.type_column);
        match object.get(&wanted.type_column).map(|raw| raw.get()) {
            Some(text) if text.starts_with('"') => {
                let name = unquoted(text).map_err(|what| fault(format!("`{column}` is {what}")))?;
                row.set_type(&name, &wanted.types);
            }
            Some(text) if text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
                row.set_type(text, &wanted.types);
            }
            Some(_) => return Err(fault(format!("`{column}` is no text"))),
            None => {
                return Err(fault(format!("the event has no `{column}`"))
                    .with_hint("`--type-column` names another member"));
            }
        }
        row.time = 0;
        if wanted.timed {
            let time = object.get(&wanted.time_column);
            let time = time.map_or(Ok(Value::Missing), |raw| value(raw));
            let time = time.map_err(|what| fault(format!("the time is {what}")))?;
            row.time = match time.as_ref() {
                ValueRef::Missing => {
                    let column = shown(&wanted.time_column);
                    return Err(fault(format!("the event has no `{column}`"))
                        .with_hint("`--time-column` names another member"));
                }
                time => read_time(time, wanted, line)?,
            };
        }
        for (slot, name) in wanted.attributes.iter().enumerate() {
            if let Some(raw) = object.get(name) {
                row.values[slot] = value(raw)
                    .map_err(|what| fault(format!("the value of `{}` is {what}", shown(name))))?;
                self.seen[slot] |= row.values[slot] != Value::Missing;
            }
        }
        Ok(Some(line))
    }
}
