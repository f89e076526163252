//! Matches, timeouts and late events, printed.

mod json;
mod table;
mod target;

use std::borrow::Borrow;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nfab::language::{Projection, Returned};
use nfab::{Cause, Event, Events, Match, Sink, TimedOut};
use serde::{Deserialize, Serialize};

use super::arguments::Format;
use super::input::Columns;
use super::names::Names;
use super::row::Row;
use json::Objects;
use target::{Delivered, Target};

/// What was printed, by this run and those that it goes on with.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Printed {
    pub(crate) main: Delivered,
    late: Delivered,
    matches: u64,
    timed_out: u64,
}

/// Prints what an engine finds.
pub(crate) struct Printer<'q> {
    main: Target,
    late: Option<Target>,
    format: Format,
    names: &'q Names,
    /// What the query says to return.
    results: Option<Projection>,
    columns: Option<Arc<Columns>>,
    objects: Option<Objects>,
    /// The events of the output that is being printed, by variable: places among them.
    lists: Vec<Vec<usize>>,
    matches: u64,
    timed_out: u64,
    /// How many more matches are wanted.
    remaining: u64,
    /// The output goes on with that of another run.
    resumed: bool,
}

/// How a line begins.
#[derive(Clone, Copy)]
struct Words {
    events: &'static str,
    ids: &'static str,
}

const MATCH: Words = Words { events: "matches", ids: "ids" };
const TIMED_OUT: Words = Words { events: "timed_out", ids: "timed_out" };

impl<'q> Printer<'q> {
    /// A printer to the standard output or a file; late events go to a file of their own.
    /// Files go on with what was printed `before`, if anything was.
    ///
    /// # Errors
    /// A file that cannot be made, or does not have what was printed.
    pub(crate) fn new(
        format: Format,
        limit: Option<u64>,
        names: &'q Names,
        results: Option<Projection>,
        path: Option<&Path>,
        late: Option<&Path>,
        before: Option<Printed>,
    ) -> Result<Self, (PathBuf, io::Error)> {
        let Printed { matches, timed_out, .. } = before.unwrap_or_default();
        Ok(Printer {
            main: Target::new(path, before.map(|before| before.main))?,
            late: late
                .map(|path| Target::new(Some(path), before.map(|before| before.late)))
                .transpose()?,
            format,
            names,
            results,
            columns: None,
            objects: None,
            lists: vec![vec![]; names.variables.len()],
            matches,
            timed_out,
            remaining: limit.unwrap_or(u64::MAX).saturating_sub(matches),
            resumed: before.is_some(),
        })
    }

    /// Tells what the input looks like, before any event of it.
    pub(crate) fn begin(&mut self, columns: Option<&Arc<Columns>>) {
        self.objects = columns.map(|columns| Objects::new(columns));
        self.columns = columns.cloned();
        if self.resumed {
            return;
        }
        let columns = columns.map(|columns| &**columns);
        if self.format == Format::Csv {
            match &self.results {
                Some(results) => table::results_header(&mut self.main.buffer, results.names()),
                None => table::header(&mut self.main.buffer, columns),
            }
        }
        if let (Some(late), Some(columns)) = (&mut self.late, columns) {
            late.buffer.extend_from_slice(columns.header.as_bytes());
            late.buffer.push(b'\n');
        }
    }

    /// Matches so far.
    pub(crate) fn matches(&self) -> u64 {
        self.matches
    }

    /// Whether nothing more is wanted, or can be written.
    pub(crate) fn is_done(&self) -> bool {
        self.remaining == 0 || self.error().is_some()
    }

    /// Why nothing more can be written, and to which file if it is not the standard output.
    pub(crate) fn error(&self) -> Option<(&io::Error, Option<&Path>)> {
        let targets = [Some(&self.main), self.late.as_ref()];
        let failed = targets.into_iter().flatten().find(|target| target.error.is_some())?;
        Some((failed.error.as_ref()?, failed.path.as_deref()))
    }

    /// Hands everything printed so far to the reader of the output.
    pub(crate) fn flush(&mut self) {
        self.main.flush();
        if let Some(late) = &mut self.late {
            late.flush();
        }
    }

    /// Whether the main output can be taken back to what it was at a checkpoint.
    pub(crate) fn is_to_file(&self) -> bool {
        self.main.is_file()
    }

    /// Delivers everything printed so far, and says how much that is.
    pub(crate) fn deliver(&mut self) -> Printed {
        self.main.sync();
        let late = self.late.as_mut().map(|late| {
            late.sync();
            late.delivered()
        });
        Printed {
            main: self.main.delivered(),
            late: late.unwrap_or_default(),
            matches: self.matches,
            timed_out: self.timed_out,
        }
    }

    /// The input is complete, or enough was found.
    pub(crate) fn finish(&mut self, timeouts: bool) {
        if self.format == Format::Count {
            let more = match timeouts {
                true => format!(",\"timed_out\":{}", self.timed_out),
                false => String::new(),
            };
            // Writing to a vector does not fail.
            let _ = writeln!(self.main.buffer, "{{\"count\":{}{more}}}", self.matches);
        }
        self.flush();
    }

    /// Sorts events by variable.
    fn gather<'e, E: Borrow<Row>>(&mut self, events: Events<'e, E>) -> Vec<&'e Row> {
        self.lists.iter_mut().for_each(Vec::clear);
        let mut rows = Vec::with_capacity(events.len());
        for (variable, row) in events.iter() {
            if let Some(at) = self.names.variables.iter().position(|name| name == variable) {
                self.lists[at].push(rows.len());
            }
            rows.push(row.borrow());
        }
        rows
    }

    /// The beginning of a line: the events.
    fn events(&mut self, words: Words, rows: &[&Row]) {
        let ids = self.format == Format::Ids;
        let word = if ids { words.ids } else { words.events };
        let out = &mut self.main.buffer;
        let _ = write!(out, "{{\"{word}\":{{");
        for (i, (name, list)) in self.names.variables.iter().zip(&self.lists).enumerate() {
            if i > 0 {
                out.push(b',');
            }
            json::string(out, name);
            out.push(b':');
            list_events(out, self.objects.as_mut(), ids, list, rows);
        }
        out.push(b'}');
    }

    /// What the query says to return.
    fn results(&mut self, returned: &[Returned], rows: &[&Row]) {
        let Some(results) = &self.results else { return };
        let ids = self.format == Format::Ids;
        let out = &mut self.main.buffer;
        out.extend_from_slice(b",\"return\":{");
        for (i, (name, value)) in results.names().iter().zip(returned).enumerate() {
            if i > 0 {
                out.push(b',');
            }
            json::string(out, name);
            out.push(b':');
            match value {
                Returned::Events(list) => {
                    list_events(out, self.objects.as_mut(), ids, list, rows);
                }
                Returned::Value(value) => json::value(out, value.as_ref()),
            }
        }
        out.push(b'}');
    }

    fn key(&mut self, rows: &[&Row]) {
        let out = &mut self.main.buffer;
        out.extend_from_slice(b",\"key\":");
        match rows.first() {
            Some(row) if !self.names.key.is_empty() => {
                for (i, (name, slot)) in self.names.key.iter().enumerate() {
                    out.push(if i == 0 { b'{' } else { b',' });
                    json::string(out, name);
                    out.push(b':');
                    json::value(out, row.attribute(*slot));
                }
                out.push(b'}');
            }
            _ => out.extend_from_slice(b"null"),
        }
    }

    fn table<E: Borrow<Row>>(&mut self, events: Events<'_, E>) {
        for (variable, row) in events.iter() {
            let row = row.borrow();
            let event_type = self.names.schema.type_name(row.event_type()).unwrap_or_default();
            let is_table = self.columns.is_some();
            let out = &mut self.main.buffer;
            table::event(out, self.matches, variable, event_type, row, is_table);
        }
    }
}

/// Events by their places among the rows of a match: as they stand in the input, or their numbers.
fn list_events(
    out: &mut Vec<u8>,
    mut objects: Option<&mut Objects>,
    ids: bool,
    places: &[usize],
    rows: &[&Row],
) {
    out.push(b'[');
    for (i, &at) in places.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        let row = rows[at];
        match &mut objects {
            _ if ids => {
                let _ = write!(out, "{}", row.number());
            }
            Some(objects) => objects.write(out, row.written()),
            None => out.extend_from_slice(row.written().as_bytes()),
        }
    }
    out.push(b']');
}

/// Rows come as they are, or shared between threads.
impl<E: Event + Borrow<Row>> Sink<E> for Printer<'_> {
    fn matched(&mut self, found: &Match<'_, E>) -> ControlFlow<()> {
        if self.is_done() {
            return ControlFlow::Break(());
        }
        self.matches += 1;
        self.remaining -= 1;
        let returned = match &self.results {
            Some(results) if self.format != Format::Count => Some(results.evaluate(found)),
            _ => None,
        };
        match (self.format, returned) {
            (Format::Count, _) => {}
            (Format::Csv, None) => self.table(found.events()),
            (Format::Csv, Some(returned)) => {
                let rows = self.gather(found.events());
                table::results(&mut self.main.buffer, self.matches, &rows, &returned);
            }
            (Format::Json | Format::Ids, returned) => {
                let rows = self.gather(found.events());
                self.events(MATCH, &rows);
                let time = |row: Option<&&Row>| row.map_or(0, |row| row.time());
                let (start, end) = (time(rows.first()), time(rows.last()));
                let _ = write!(self.main.buffer, ",\"start\":{start},\"end\":{end}");
                self.key(&rows);
                if let Some(returned) = returned {
                    self.results(&returned, &rows);
                }
                self.main.buffer.extend_from_slice(b"}\n");
            }
        }
        self.main.flush_if_large();
        if self.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn timed_out(&mut self, partial: &TimedOut<'_, E>) -> ControlFlow<()> {
        if self.is_done() {
            return ControlFlow::Break(());
        }
        self.timed_out += 1;
        if matches!(self.format, Format::Json | Format::Ids) {
            let rows = self.gather(partial.events());
            self.events(TIMED_OUT, &rows);
            let _ = write!(self.main.buffer, ",\"deadline\":{}", partial.deadline());
            self.key(&rows);
            self.main.buffer.extend_from_slice(b"}\n");
            self.main.flush_if_large();
        }
        ControlFlow::Continue(())
    }

    fn only_counts(&self) -> bool {
        self.format == Format::Count
    }

    fn counted(&mut self, _: Cause, matches: u64) -> ControlFlow<()> {
        let matches = matches.min(self.remaining);
        self.matches = self.matches.saturating_add(matches);
        self.remaining -= matches;
        if self.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn late(&mut self, row: E) {
        if let Some(late) = &mut self.late {
            late.buffer.extend_from_slice(row.borrow().written().as_bytes());
            late.buffer.push(b'\n');
            late.flush_if_large();
        }
    }
}
