//! A JSON object on each line.

use std::io::{BufRead, BufReader, Read};

use multipattern::{Value, ValueRef};
use serde_json::{Map, Value as Json};

use super::{Fault, MOST_ROW, Row, Wanted, read_time};

pub(super) struct JsonLines {
    source: BufReader<Box<dyn Read>>,
    line: u64,
    text: Vec<u8>,
}

/// A value of an attribute.
fn value(json: &Json) -> Result<Value, &'static str> {
    Ok(match json {
        Json::Null => Value::Missing,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(number) => match number.as_i64() {
            Some(i) => Value::Int(i),
            None if number.is_u64() => return Err("a whole number beyond 64 bits"),
            None => Value::Float(number.as_f64().ok_or("a number beyond 64-bit floating point")?),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(_) => return Err("a list"),
        Json::Object(_) => return Err("an object"),
    })
}

impl JsonLines {
    pub(super) fn begin(source: BufReader<Box<dyn Read>>) -> Self {
        JsonLines { source, line: 0, text: Vec::new() }
    }

    /// Fills a row with the next event; gives its line.
    pub(super) fn next(&mut self, wanted: &Wanted, row: &mut Row) -> Result<Option<u64>, Fault> {
        let object = loop {
            self.text.clear();
            let read = (&mut self.source).take(MOST_ROW + 1).read_until(b'\n', &mut self.text);
            self.line += 1;
            let fault = |message: String| Fault::new(self.line, message);
            if read
                .map_err(|error| fault(format!("cannot read: {}", super::report::plain(&error))))?
                == 0
            {
                return Ok(None);
            }
            if self.text.len() as u64 > MOST_ROW {
                return Err(fault(format!("a line of more than {} megabytes", MOST_ROW >> 20)));
            }
            let text = self.text.trim_ascii();
            if !text.is_empty() {
                break serde_json::from_slice::<Map<String, Json>>(text).map_err(|error| {
                    // Its line is always the first one.
                    let text = error.to_string();
                    let what = text.split(" at line ").next().unwrap_or_default();
                    fault(format!("no JSON object: {what} at column {}", error.column()))
                })?;
            }
        };
        let line = self.line;
        let fault = |message: String| Fault::new(line, message);
        match object.get(&wanted.type_column) {
            Some(Json::String(name)) => row.set_type(name, &wanted.types),
            Some(Json::Number(number)) => row.set_type(&number.to_string(), &wanted.types),
            Some(_) => return Err(fault(format!("`{}` is no text", wanted.type_column))),
            None => {
                return Err(fault(format!("the event has no `{}`", wanted.type_column))
                    .with_hint("`--type-column` names another member"));
            }
        }
        row.time = 0;
        if wanted.timed {
            let time = object.get(&wanted.time_column).map_or(Ok(Value::Missing), value);
            let time = time.map_err(|what| fault(format!("the time is {what}")))?;
            row.time = match time.as_ref() {
                ValueRef::Missing => {
                    return Err(fault(format!("the event has no `{}`", wanted.time_column))
                        .with_hint("`--time-column` names another member"));
                }
                time => read_time(time, wanted, line)?,
            };
        }
        for (slot, name) in wanted.attributes.iter().enumerate() {
            if let Some(json) = object.get(name) {
                row.values[slot] = value(json)
                    .map_err(|what| fault(format!("the value of `{name}` is {what}")))?;
            }
        }
        Ok(Some(line))
    }
}
