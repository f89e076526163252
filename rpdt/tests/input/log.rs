//! A handler that writes down what it is told, and ways to feed it.

use rpdt::input::{
    Checks, EndTag, Flow, Interest, Markup, QuickXmlSource, ScannerSource, SourceConfig, StartTag,
    Symbol, TagHandler, TagSource, Text,
};
use rpdt::{Error, ErrorKind};

/// One call of a handler. Neighbouring pieces of text are one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Start { name: String, start: u64, end: u64, depth: usize, raw: String, attributes: Vec<String> },
    End { start: u64, end: u64, raw: String },
    Text { raw: String, value: String },
    Markup(String),
}

/// A copy of an error that can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub kind: ErrorKind,
    pub message: String,
    pub offset: u64,
    pub line: u64,
    pub column: u64,
}

impl From<Error> for Failure {
    fn from(e: Error) -> Self {
        let place = e.position().unwrap_or_else(|| panic!("no position: {e}"));
        Failure {
            kind: e.kind(),
            message: e.message().to_owned(),
            offset: place.offset,
            line: place.line,
            column: place.column,
        }
    }
}

/// Writes everything down. Elements are treated by name: what starts with `skip` is skipped, with
/// `tags` shows only tags, with `stop` stops, everything else shows its content.
#[derive(Debug, Default)]
pub struct Log {
    pub events: Vec<Event>,
    pub asked: Vec<String>,
    /// What the open elements want.
    open: Vec<Interest>,
}

fn utf8(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).expect("handlers see UTF-8").to_owned()
}

impl TagHandler for Log {
    fn symbol(&mut self, name: &[u8]) -> Symbol {
        self.asked.push(utf8(name));
        Symbol(self.asked.len() as u32 - 1)
    }

    fn start_tag(&mut self, tag: &StartTag<'_>) -> Result<Interest, Error> {
        assert_eq!(self.asked[tag.symbol.0 as usize].as_bytes(), tag.name);
        let attributes = tag.attributes().map(|a| match a {
            Ok(a) => format!("{}={}", utf8(a.name), a.value),
            Err(e) => format!("error: {e}"),
        });
        self.events.push(Event::Start {
            name: utf8(tag.name),
            start: tag.start,
            end: tag.end,
            depth: tag.depth,
            raw: utf8(tag.raw),
            attributes: attributes.collect(),
        });
        let interest = match tag.name {
            name if name.starts_with(b"skip") => Interest::SKIP,
            name if name.starts_with(b"tags") => Interest::TAGS,
            name if name.starts_with(b"stop") => Interest::STOP,
            _ => Interest::CONTENT,
        };
        self.open.push(interest);
        Ok(interest)
    }

    fn end_tag(&mut self, tag: &EndTag<'_>) -> Result<Interest, Error> {
        self.open.pop().expect("balanced");
        self.events.push(Event::End { start: tag.start, end: tag.end, raw: utf8(tag.raw) });
        Ok(self.open.last().copied().unwrap_or(Interest::TAGS))
    }

    fn text(&mut self, text: &Text<'_>) -> Result<(), Error> {
        let piece = match text.value() {
            Ok(value) => value.to_owned(),
            Err(e) => format!("[error: {e}]"),
        };
        if let Some(Event::Text { raw, value }) = self.events.last_mut() {
            raw.push_str(&utf8(text.raw));
            value.push_str(&piece);
        } else {
            self.events.push(Event::Text { raw: utf8(text.raw), value: piece });
        }
        Ok(())
    }

    fn markup(&mut self, markup: &Markup<'_>) -> Result<(), Error> {
        self.events.push(Event::Markup(utf8(markup.raw)));
        Ok(())
    }
}

pub fn with(checks: Checks) -> SourceConfig {
    SourceConfig { checks, ..SourceConfig::default() }
}

/// Feeds the chunks to a handler.
pub fn feed<'c, H: TagHandler>(
    config: &SourceConfig,
    chunks: impl IntoIterator<Item = &'c [u8]>,
    handler: &mut H,
) -> Result<QuickXmlSource, Error> {
    feed_to(QuickXmlSource::new(config.clone()), chunks, handler)
}

fn feed_to<'c, S: TagSource, H: TagHandler>(
    mut source: S,
    chunks: impl IntoIterator<Item = &'c [u8]>,
    handler: &mut H,
) -> Result<S, Error> {
    for chunk in chunks {
        if source.feed(chunk, handler)? == Flow::Stopped {
            break;
        }
    }
    source.finish(handler)?;
    Ok(source)
}

/// The scanner with the instructions of this machine, or with plain ones.
pub fn scan<'c>(
    config: &SourceConfig,
    portable: bool,
    chunks: impl IntoIterator<Item = &'c [u8]>,
) -> Outcome {
    let new = if portable { ScannerSource::portable } else { ScannerSource::new };
    let mut log = Log::default();
    let result = feed_to(new(config.clone()), chunks, &mut log);
    (log.events, result.map(drop).map_err(Failure::from))
}

/// What became of a document.
pub type Outcome = (Vec<Event>, Result<(), Failure>);

pub fn run<'c>(config: &SourceConfig, chunks: impl IntoIterator<Item = &'c [u8]>) -> Outcome {
    let mut log = Log::default();
    let result = feed(config, chunks, &mut log);
    (log.events, result.map(drop).map_err(Failure::from))
}

/// The outcome of one chunk, after seeing that other chunks give the same.
pub fn outcome(config: &SourceConfig, document: &[u8]) -> Outcome {
    let whole = comparable(run(config, [document]));
    for size in [1, 2, 3, 7, 64] {
        let chunked = comparable(run(config, document.chunks(size)));
        assert_eq!(whole, chunked, "chunks of {size}: {}", String::from_utf8_lossy(document));
    }
    if let Err(difference) = scanned_alike(config, document, &[document.chunks(7).collect()]) {
        panic!("{difference}");
    }
    whole
}

/// Whether the scanner sees the same as quick-xml, in one chunk and in others; but for what it does
/// not look at inside of skipped elements. With many bytes behind the document, too, so that the
/// scanner need not leave it to the code for the ends of chunks.
pub fn scanned_alike(
    config: &SourceConfig,
    document: &[u8],
    cuts: &[Vec<&[u8]>],
) -> Result<(), String> {
    let padded = [document, &[b' '; 100]].concat();
    let skips = memchr::memmem::find(document, b"<skip").is_some();
    for (document, cuts) in [(document, cuts), (&*padded, &[])] {
        let quick = comparable(run(config, [document]));
        for portable in [false, true] {
            let whole = comparable(scan(config, portable, [document]));
            let lenient = config.checks == Checks::Fast && skips && quick.1.is_err();
            if whole != quick && !lenient {
                let text = document.escape_ascii();
                return Err(format!("{text}\nquick-xml {quick:#?}\nscanner {whole:#?}"));
            }
            let bytes: Vec<&[u8]> = document.chunks(1).collect();
            for chunks in cuts.iter().chain([&bytes]) {
                let other = comparable(scan(config, portable, chunks.iter().copied()));
                if whole != other {
                    let text = document.escape_ascii();
                    return Err(format!("{text}\nwhole {whole:#?}\nin chunks {other:#?}"));
                }
            }
        }
    }
    Ok(())
}

/// Pieces of text before an error may be given or not: that depends on the chunks.
pub fn comparable((mut events, result): Outcome) -> Outcome {
    if result.is_err() && matches!(events.last(), Some(Event::Text { .. })) {
        events.pop();
    }
    (events, result)
}

/// The text values and attributes of a well-formed document, for short assertions.
pub fn values(config: &SourceConfig, document: &[u8]) -> Vec<String> {
    let (events, result) = outcome(config, document);
    result.unwrap_or_else(|e| panic!("{e:?}: {}", String::from_utf8_lossy(document)));
    let mut values = Vec::new();
    for event in events {
        match event {
            Event::Start { attributes, .. } => values.extend(attributes),
            Event::Text { value, .. } => values.push(value),
            _ => {}
        }
    }
    values
}

pub fn failure(config: &SourceConfig, document: &[u8]) -> Failure {
    let (events, result) = outcome(config, document);
    match result {
        Err(failure) => failure,
        Ok(()) => panic!("accepted: {} as {events:?}", String::from_utf8_lossy(document)),
    }
}
