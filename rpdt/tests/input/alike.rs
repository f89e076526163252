//! Whether a document is the same whoever reads it: front ends against each other, chunks against the
//! whole, several threads against one. The fuzz targets compare by these functions, too.

use std::ops::ControlFlow;

use rpdt::input::{
    Checks, EndTag, Interest, Markup, QuickXmlSource, ScannerSource, StartTag, Symbol, TagHandler,
    TagSource, Text,
};
use rpdt::{Answer, Config, Count, Error, FrontEnd, Needs, Pattern, Plan, Sink, Stats, Threads};

use super::log::{Event, Failure, comparable, run, scanned_alike, with};

/// Cuts at the given places, taken modulo the length; empty chunks are kept.
pub fn cut<'d>(document: &'d [u8], places: &[usize]) -> Vec<&'d [u8]> {
    let mut places: Vec<_> = places.iter().map(|p| p % (document.len() + 1)).collect();
    places.extend([0, document.len()]);
    places.sort_unstable();
    places.windows(2).map(|w| &document[w[0]..w[1]]).collect()
}

/// Whether one chunk, single bytes and the given chunks lead to the same; else what they lead to.
pub fn alike(bytes: &[u8], places: &[usize]) -> Result<(), String> {
    for checks in [Checks::Fast, Checks::Strict] {
        let config = with(checks);
        let whole = comparable(run(&config, [bytes]));
        for chunks in [bytes.chunks(1).collect(), cut(bytes, places)] {
            let other = comparable(run(&config, chunks));
            if whole != other {
                return Err(format!("{}\n{whole:#?}\n{other:#?}", bytes.escape_ascii()));
            }
        }
        scanned_alike(&config, bytes, &[cut(bytes, places)])?;
    }
    Ok(())
}

/// Writes tags down, but those of elements whose names begin with `q`, which it says it needs not
/// see. Elements whose names begin with `s` are skipped.
#[derive(Debug, Default)]
pub struct Quiet {
    /// Asks to see everything; then tags of such elements are left out by itself.
    sees_all: bool,
    names: Vec<Vec<u8>>,
    events: Vec<Event>,
    /// Whether the open elements are quiet.
    open: Vec<bool>,
    /// Quiet elements, whether without elements inside or not.
    passed: usize,
}

impl Quiet {
    fn is_quiet(&self, symbol: Symbol) -> bool {
        self.names[symbol.0 as usize].starts_with(b"q")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("handlers see UTF-8")
}

impl TagHandler for Quiet {
    fn symbol(&mut self, name: &[u8]) -> Symbol {
        self.names.push(name.to_vec());
        Symbol(self.names.len() as u32 - 1)
    }

    fn start_tag(&mut self, tag: &StartTag<'_>) -> Result<Interest, Error> {
        let quiet = self.is_quiet(tag.symbol);
        self.open.push(quiet);
        self.passed += usize::from(quiet);
        if !quiet {
            self.events.push(Event::Start {
                name: text(tag.name),
                start: tag.start,
                end: tag.end,
                depth: tag.depth,
                raw: text(tag.raw),
                attributes: Vec::new(),
            });
        }
        Ok(if tag.name.starts_with(b"s") { Interest::SKIP } else { Interest::TAGS })
    }

    fn enter(&mut self, symbol: Symbol) -> Option<Interest> {
        if self.sees_all || !self.is_quiet(symbol) {
            return None;
        }
        self.open.push(true);
        self.passed += 1;
        Some(Interest::TAGS)
    }

    fn leaf(&mut self, symbol: Symbol) -> bool {
        let quiet = !self.sees_all && self.is_quiet(symbol);
        self.passed += usize::from(quiet);
        quiet
    }

    fn leave(&mut self) -> bool {
        !self.sees_all && self.open.last() == Some(&true) && self.open.pop().is_some()
    }

    fn end_tag(&mut self, tag: &EndTag<'_>) -> Result<Interest, Error> {
        if !self.open.pop().expect("tags are balanced") {
            self.events.push(Event::End { start: tag.start, end: tag.end, raw: text(tag.raw) });
        }
        Ok(Interest::TAGS)
    }

    fn text(&mut self, _: &Text<'_>) -> Result<(), Error> {
        panic!("nobody asked for text");
    }

    fn markup(&mut self, _: &Markup<'_>) -> Result<(), Error> {
        panic!("nobody asked for markup");
    }
}

/// What a handler has seen of a document, the number of tags and of quiet elements, and the outcome.
pub type Seen = (Vec<Event>, Result<(u64, usize, usize), Failure>);

pub fn seen<S: TagSource>(mut source: S, chunks: &[&[u8]], sees_all: bool) -> Seen {
    let mut handler = Quiet { sees_all, ..Quiet::default() };
    let fed = chunks.iter().try_for_each(|chunk| source.feed(chunk, &mut handler).map(drop));
    let result = fed.and_then(|()| source.finish(&mut handler)).map_err(Failure::from);
    let counts = source.counts();
    let result = result.map(|()| (counts.tags, counts.max_depth, handler.passed));
    (handler.events, result)
}

/// Whether all front ends show the same of a document to a handler that does not want to see all of
/// it. With [`Checks::Fast`] scanners pass over what is skipped, so that they may miss faults.
pub fn seen_alike(document: &[u8], cuts: &[Vec<&[u8]>]) -> Result<(), String> {
    let padded = [document, &[b' '; 200]].concat();
    let skips = document.windows(2).any(|pair| pair == b"<s");
    for checks in [Checks::Fast, Checks::Strict] {
        for (document, cuts) in [(document, cuts), (&padded, &[])] {
            let all = seen(QuickXmlSource::new(with(checks)), &[document], true);
            let mut others = Vec::new();
            let bytes: Vec<&[u8]> = document.chunks(1).collect();
            let whole = vec![document];
            for chunks in [&whole, &bytes].into_iter().chain(cuts) {
                others.push(seen(QuickXmlSource::new(with(checks)), chunks, false));
                let lenient = checks == Checks::Fast && skips && all.1.is_err();
                if !lenient {
                    others.push(seen(ScannerSource::new(with(checks)), chunks, false));
                    others.push(seen(ScannerSource::portable(with(checks)), chunks, false));
                }
            }
            if let Some(other) = others.iter().find(|other| **other != all) {
                return Err(format!("{}\n{all:#?}\n{other:#?}", document.escape_ascii()));
            }
        }
    }
    Ok(())
}

const QUERIES: [&str; 5] =
    ["//a/{b!, c!}", "//a[.//c]/b", "//skip//a[@x]", "/a/{b!, (a|c!)*}", "//b[text()='x']"];

/// What queries find must not depend on the front end either, where it is an answer.
pub fn answers_alike(bytes: &[u8]) -> Result<(), String> {
    for query in QUERIES {
        let outcome = |front_end, checks| {
            let config = Config::new().front_end(front_end).checks(checks);
            let plan = Plan::new(vec![Pattern::parse(query).expect("it is right")], config);
            let outcome = plan.expect("it compiles").run_slice(bytes, Count::new());
            outcome.map(|outcome| (outcome.sink.total(), outcome.stats.tags))
        };
        let fast = outcome(FrontEnd::QuickXml, Checks::Fast);
        let strict = outcome(FrontEnd::QuickXml, Checks::Strict);
        for scanner in [FrontEnd::Scanner, FrontEnd::PortableScanner] {
            // Inside of what it skips the scanner looks at less.
            let other = outcome(scanner, Checks::Fast);
            if let (Ok(fast), Ok(other)) = (&fast, &other)
                && fast != other
            {
                return Err(format!("{query} {scanner:?}: {fast:?}, {other:?}"));
            }
            if fast.is_ok() && other.is_err() {
                return Err(format!("{query} {scanner:?}: {other:?}"));
            }
            let other = outcome(scanner, Checks::Strict);
            if strict.is_ok() != other.is_ok() || strict.as_ref().ok() != other.as_ref().ok() {
                return Err(format!("{query} {scanner:?} strict: {strict:?}, {other:?}"));
            }
        }
    }
    Ok(())
}

/// Writes answers down, or counts them.
#[derive(Debug, Default)]
struct Written {
    counts: bool,
    answers: Vec<String>,
    counted: u64,
}

impl Sink for Written {
    fn needs(&self) -> Needs {
        if self.counts { Needs::count() } else { Needs { text: true, ..Needs::description() } }
    }

    fn answer(&mut self, _: usize, sequence: u64, answer: &Answer<'_>) -> ControlFlow<()> {
        self.answers.push(format!("{sequence} {answer:?}"));
        ControlFlow::Continue(())
    }

    fn count(&mut self, _: usize, n: u64) -> ControlFlow<()> {
        self.counted += n;
        ControlFlow::Continue(())
    }
}

/// Whether several threads give the same answers in the same order, or the same error, as one.
pub fn threads_alike(bytes: &[u8], threads: Threads) -> Result<(), String> {
    let ended = |result: Result<(Stats, bool), Error>| match result {
        Ok((stats, _)) => Ok((stats.bytes, stats.tags, stats.answers, stats.max_depth)),
        Err(e) => Err((e.kind(), e.message().to_owned(), e.position())),
    };
    for query in QUERIES {
        let pattern = Pattern::parse(query).expect("it is right");
        for (front_end, checks, counts) in [
            (FrontEnd::Scanner, Checks::Fast, false),
            (FrontEnd::Scanner, Checks::Fast, true),
            (FrontEnd::PortableScanner, Checks::Strict, false),
            (FrontEnd::QuickXml, Checks::Fast, false),
        ] {
            let config = Config::new().front_end(front_end).checks(checks);
            let plan = Plan::new(vec![pattern.clone()], config).expect("it compiles");
            let [mut one, mut several] =
                [counts; 2].map(|counts| Written { counts, ..Written::default() });
            let end = plan.run_slice(bytes, &mut one).map(|o| (o.stats, o.stopped));
            let other =
                plan.run_slice_on(threads, bytes, &mut several).map(|o| (o.stats, o.stopped));
            let one = (one.answers, one.counted, ended(end));
            let several = (several.answers, several.counted, ended(other));
            if one != several {
                let text = bytes.escape_ascii();
                return Err(format!(
                    "{text}\n{query} {front_end:?} {threads:?}\n{one:#?}\n{several:#?}"
                ));
            }
        }
    }
    Ok(())
}

/// A well-formed document of pieces that numbers stand for.
pub fn well_formed(numbers: &[u8]) -> Vec<u8> {
    const CONTENT: [&str; 16] = [
        "text",
        " ",
        "&amp;",
        "&#x20AC;",
        "é",
        "<!-- > <q> - -->",
        "<![CDATA[</a>]] >]]>",
        "<?p <a/> ?>",
        "a/>b",
        "it's \"",
        "]]",
        "\r\n",
        "<a/>",
        "<q x='/>'/>",
        "<s><a x=\">\"/></s>",
        "text that is longer than the sixty-four bytes of a block, so that there is one without a tag",
    ];
    const NAMES: [&str; 8] =
        ["a", "b", "c", "q", "skip", "s", "tags", "q-with-a-name-of-33-bytes-in-all"];
    const TAILS: [&str; 8] =
        ["", "", "", " x='1'", " x=\"/>\" y='é'", "\n", " x='&lt;'", " x='>'  "];
    let mut text = "<a>".to_owned();
    let mut open = vec!["a"];
    for number in numbers {
        let choice = usize::from(number / 4);
        match number % 4 {
            0 => text.push_str(CONTENT[choice % CONTENT.len()]),
            1 if open.len() > 1 => {
                let name = open.pop().expect("some are open");
                text.extend(["</", name, if choice == 0 { " >" } else { ">" }]);
            }
            _ => {
                let name = NAMES[choice % NAMES.len()];
                text.extend(["<", name, TAILS[choice / NAMES.len()], ">"]);
                open.push(name);
            }
        }
    }
    while let Some(name) = open.pop() {
        text.extend(["</", name, ">"]);
    }
    text.into_bytes()
}
