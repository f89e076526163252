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
    /// The file that answers come from, where there are several: as it is printed.
    file: Option<String>,
    /// Answers of each query in this file.
    counts: Vec<u64>,
    /// Answers in the files before.
    before: u64,
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
            file: None,
            counts: vec![0; queries],
            before: 0,
            remaining: limit.unwrap_or(u64::MAX),
            error: None,
        }
    }

    /// Another file begins; with its name where there are several.
    pub(super) fn begin(&mut self, file: Option<&str>) {
        self.before = self.total();
        self.counts.fill(0);
        self.file = file.map(str::to_owned);
    }

    /// Answers in this file, of each query.
    pub(super) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Answers in this file.
    pub(super) fn found(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Answers of all queries in all files so far.
    pub(super) fn total(&self) -> u64 {
        self.before + self.found()
    }

    /// Enough was found.
    pub(super) fn is_done(&self) -> bool {
        self.remaining == 0 || self.error.is_some()
    }

    /// What a printer of another file has printed comes next.
    pub(super) fn append(&mut self, other: &Printer<Vec<u8>>) {
        self.begin(None);
        self.counts.copy_from_slice(&other.counts);
        self.put(&other.out);
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
            for i in 0..self.counts.len() {
                self.put_file();
                let count = self.counts[i];
                self.put_display(format_args!("{count}\n"));
            }
        }
        self.flush();
    }

    /// The name of the file and a tab, where there are several.
    fn put_file(&mut self) {
        if let Some(file) = &self.file {
            self.buffer.extend_from_slice(file.as_bytes());
            self.buffer.push(b'\t');
        }
    }

    fn print(&mut self, query: usize, answer: &Answer<'_>) {
        let several = self.counts.len() > 1;
        if self.format == Format::Json {
            if let Some(file) = &self.file {
                self.buffer.extend_from_slice(b"{\"file\":");
                json::string(&mut self.buffer, file);
                self.buffer.extend_from_slice(if several { b"," } else { b",\"answer\":" });
            }
            if several {
                let open = if self.file.is_some() { "" } else { "{" };
                self.put_display(format_args!("{open}\"query\":{query},\"answer\":"));
            }
            match answer {
                Answer::Node(node) => json::node(&mut self.buffer, node),
                Answer::Tuple(fields) | Answer::Instance(fields) => {
                    json::fields(&mut self.buffer, fields);
                }
            }
            if several || self.file.is_some() {
                self.put(b"}");
            }
        } else {
            self.put_file();
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
        if self.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
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
