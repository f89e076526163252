//! Answers on the standard output.

use std::io::{self, Write};
use std::ops::ControlFlow;

use rpdt::{Answer, Field, Needs, NodeRef, Sink, Value};

use super::arguments::Format;
use super::json;

/// Bytes that are gathered before they are written.
const BUFFER: usize = 64 << 10;

/// Prints answers in one of the formats, and counts them.
#[derive(Debug)]
pub(super) struct Printer<W> {
    out: W,
    buffer: Vec<u8>,
    format: Format,
    /// Answers of each query.
    counts: Vec<u64>,
    /// How many more are wanted.
    remaining: u64,
    error: Option<io::Error>,
}

impl<W: Write> Printer<W> {
    pub(super) fn new(out: W, format: Format, queries: usize, limit: Option<u64>) -> Self {
        Printer {
            out,
            buffer: Vec::with_capacity(BUFFER + (BUFFER >> 2)),
            format,
            counts: vec![0; queries],
            remaining: limit.unwrap_or(u64::MAX),
            error: None,
        }
    }

    /// Answers of all queries.
    pub(super) fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Why nothing more can be written.
    pub(super) fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    /// Hands everything printed so far to the reader of the output.
    pub(super) fn flush(&mut self) {
        if self.buffer.is_empty() || self.error.is_some() {
            return;
        }
        let written = self.out.write_all(&self.buffer).and_then(|()| self.out.flush());
        self.error = written.err();
        self.buffer.clear();
    }

    /// The input is complete, or enough was found.
    pub(super) fn finish(&mut self) {
        if self.format == Format::Count {
            for count in &self.counts {
                self.buffer.extend_from_slice(format!("{count}\n").as_bytes());
            }
        }
        self.flush();
    }

    fn print(&mut self, query: usize, answer: &Answer<'_>) {
        let several = self.counts.len() > 1;
        if self.format == Format::Json {
            if several {
                self.put_display(format_args!("{{\"query\":{query},\"answer\":"));
            }
            match answer {
                Answer::Node(node) => json::node(&mut self.buffer, node),
                Answer::Tuple(fields) | Answer::Instance(fields) => {
                    json::fields(&mut self.buffer, fields);
                }
            }
            if several {
                self.put(b"}");
            }
        } else {
            if several {
                self.put_display(format_args!("{query}\t"));
            }
            match answer {
                Answer::Node(node) => self.value(node),
                Answer::Tuple(fields) | Answer::Instance(fields) => self.fields(fields),
            }
        }
        self.put(b"\n");
        if self.buffer.len() >= BUFFER {
            self.flush();
        }
    }

    fn fields(&mut self, fields: &[Field<'_>]) {
        for (i, field) in fields.iter().enumerate() {
            if i > 0 {
                self.put(b"\t");
            }
            self.put(field.label.as_bytes());
            self.put(b"=");
            match &field.value {
                Value::Node(node) => self.value(node),
                Value::List(list) => {
                    for (i, node) in list.iter().enumerate() {
                        if i > 0 {
                            self.put(b",");
                        }
                        self.value(node);
                    }
                }
            }
        }
    }

    fn value(&mut self, node: &NodeRef<'_>) {
        match self.format {
            Format::Path => self.put(node.path.as_bytes()),
            Format::Range => self.put_display(format_args!("{}-{}", node.start, node.end)),
            Format::Text => self.put(node.text.as_bytes()),
            Format::Xml => self.put(node.xml),
            Format::Json => json::node(&mut self.buffer, node),
            Format::Count => {}
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        if bytes.len() >= BUFFER {
            // Large values are not copied.
            self.flush();
            if self.error.is_none() {
                self.error = self.out.write_all(bytes).err();
            }
        } else {
            self.buffer.extend_from_slice(bytes);
        }
    }

    fn put_display(&mut self, arguments: std::fmt::Arguments<'_>) {
        // Writing to a vector does not fail.
        let _ = self.buffer.write_fmt(arguments);
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.remaining == 0 || self.error.is_some() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl<W: Write> Sink for Printer<W> {
    fn needs(&self) -> Needs {
        let end = Needs { end: true, ..Needs::default() };
        match self.format {
            Format::Json => Needs::description(),
            Format::Count => Needs::count(),
            Format::Path => Needs { path: true, ..Needs::default() },
            Format::Range => Needs::range(),
            Format::Text => Needs { text: true, ..end },
            Format::Xml => Needs { xml: true, ..end },
        }
    }

    fn answer(&mut self, query: usize, _: u64, answer: &Answer<'_>) -> ControlFlow<()> {
        if self.flow().is_break() {
            return ControlFlow::Break(());
        }
        self.counts[query] += 1;
        self.remaining -= 1;
        self.print(query, answer);
        self.flow()
    }

    fn count(&mut self, query: usize, n: u64) -> ControlFlow<()> {
        let n = n.min(self.remaining);
        self.counts[query] += n;
        self.remaining -= n;
        self.flow()
    }
}
