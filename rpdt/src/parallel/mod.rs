//! One document on several threads.
//!
//! The document is matched in *segments*. What a segment needs to know of all that comes before it,
//! its *boundary frames*, are the open elements and what the engine remembers of them. They are not
//! found out by a pass of its own, which would cost a good part of what it saves, but assumed, from
//! what the first segment knows at the time: elements that have been open for long stay open, and
//! nothing need be remembered of them. Then the segments of a round run at the same time, each with
//! an engine of its own, whose answers are kept. When the first has arrived where the second began,
//! the assumption is compared with the facts: the place lies between two tags, exactly these elements
//! are open, and the engine remembers nothing else. If so the second segment is what would have come
//! next; its answers are given and it takes the place of the first. If not, the work of
//! the second was for nothing and the first goes on. So neither answers nor their order depend on
//! threads and segments, whatever tricks a document plays with quotes, comments and sections.
//!
//! | file | what |
//! |---|---|
//! | `mod` | rounds of segments |
//! | `guess` | where segments may begin |
//! | `record` | answers that wait |
//! | `document` | reading at any place |

mod document;
mod guess;
mod record;

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use crate::engine::Assumed;
use crate::input::{Flow, Start};
use crate::{Error, ErrorKind, Matcher, Plan, Position, Sink, Stats};

pub(crate) use document::Document;
pub(crate) use document::READS_FILES;
use guess::Guess;
use record::{Record, Relay};

/// How one document is divided between threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    count: usize,
    segment: Option<u64>,
}

/// Bytes of a segment at first, and at most.
const SEGMENT: (u64, u64) = (256 << 10, 4 << 20);
/// A document has at least so many segments, if they need not be smaller than the first ones: where
/// its structure changes there is nothing to guess from, and one thread works alone for a while.
const PARTS: u64 = 64;
/// Where a segment should begin, its place is looked for in so many bytes.
const WINDOW: u64 = 64 << 10;
/// The end of an element that may be passed over is looked for in so many of the largest segments:
/// passing over it is not much slower than looking for its end.
const FAR: u64 = 2;

/// For so many rounds at most nothing is guessed after guesses that failed.
const LONGEST_REST: u32 = 15;

impl Threads {
    /// So many threads, at least one.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Threads { count: count.max(1), segment: None }
    }

    /// As many threads as the machine can run at a time.
    #[must_use]
    pub fn available() -> Self {
        Threads::new(std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// Bytes that a thread matches before it waits for the others, at least one. Default: 256 KiB
    /// at first, more in large documents while that works, up to 4 MiB. Answers do not depend on it.
    #[must_use]
    pub fn segment(mut self, bytes: usize) -> Self {
        self.segment = Some(bytes.max(1) as u64);
        self
    }

    /// How many threads.
    #[must_use]
    pub fn count(self) -> usize {
        self.count
    }
}

/// How a segment ended.
#[derive(Debug)]
enum End {
    /// Where the next one begins.
    Border,
    /// With the document.
    Document,
    /// The sink wanted no more.
    Stopped,
    Failed(Error),
}

/// A segment and who works on it.
#[derive(Debug)]
struct Segment<'p, 's, S> {
    matcher: Matcher<'p, Relay<'s, S>>,
    /// What is assumed of its beginning; nothing if that is certain.
    assumed: Option<(Start, Assumed)>,
    /// The next byte.
    at: u64,
    to: u64,
    end: End,
    buffer: Vec<u8>,
}

impl<'p, 's, S: Sink> Segment<'p, 's, S> {
    fn new(matcher: Matcher<'p, Relay<'s, S>>, at: u64) -> Self {
        Segment { matcher, assumed: None, at, to: at, end: End::Border, buffer: Vec::new() }
    }

    /// Matches up to the segment's end.
    fn run(&mut self, document: Document<'_>) {
        self.end = End::Border;
        while self.at < self.to {
            let bytes = match document.read(self.at, self.to - self.at, &mut self.buffer) {
                Ok(bytes) => bytes,
                Err(e) => {
                    let place = Position { offset: self.at, line: 0, column: 0 };
                    self.end = End::Failed(Error::from(e).at(place));
                    return;
                }
            };
            if bytes.is_empty() {
                self.end = End::Document;
                return;
            }
            match self.matcher.feed(bytes) {
                Ok(Flow::Continue) => self.at += bytes.len() as u64,
                Ok(Flow::Stopped) => {
                    self.end = End::Stopped;
                    return;
                }
                Err(e) => {
                    self.end = End::Failed(e);
                    return;
                }
            }
        }
    }

    /// A segment that begins at a place inside the outermost open elements of this one.
    fn fork(&self, plan: &'p Plan, depth: usize, place: u64) -> Self {
        let relay = self.matcher.engine.sink().recording();
        let (start, assumed, matcher) = self.matcher.fork(plan, depth, place, relay);
        Segment { assumed: Some((start, assumed)), ..Segment::new(matcher, place) }
    }

    /// Whether the other segment began where this one ended.
    fn leads_to(&self, next: &Self) -> bool {
        let Some((start, assumed)) = &next.assumed else { return false };
        matches!(self.end, End::Border)
            && !next.matcher.engine.sink().record.is_full
            && self.matcher.source.is_at(start)
            && self.matcher.engine.agrees(start.open.len(), assumed)
    }

    /// Takes the place of the segment that leads to this one, and gives the answers that were kept.
    fn follow(&mut self, before: &mut Self) {
        self.assumed = None;
        let given = before.matcher.engine.stats().answers;
        let relay = self.matcher.engine.sink_mut();
        let mut record = std::mem::take(&mut relay.record);
        relay.sink = before.matcher.engine.sink_mut().sink.take();
        let engine = &before.matcher.engine;
        record.change_paths(|path| engine.complete_path(path));
        self.matcher.engine.join(engine);
        self.matcher.source.join(before.matcher.source_counts());
        if self.give(&record, given) {
            self.end = End::Stopped;
        }
    }

    /// Gives kept answers. Returns whether the sink wants no more.
    fn give(&mut self, record: &Record, before: u64) -> bool {
        let relay = self.matcher.engine.sink_mut();
        relay.sink.as_mut().is_some_and(|sink| record.give(*sink, before).is_break())
    }
}

/// How large segments are, and whether guessing pays.
#[derive(Debug)]
struct Pace {
    bytes: u64,
    least: u64,
    most: u64,
    /// Rounds without guesses, after the next guess that fails; at first none.
    rest: u32,
    /// Rounds without guesses from now on.
    resting: u32,
    /// Times in a row that no place was found.
    misses: u32,
    /// Where the element begins whose end was looked for last.
    searched: Option<u64>,
    /// Of segments that are done, for those to come.
    buffers: Vec<Vec<u8>>,
}

impl Pace {
    fn new(threads: Threads, len: u64) -> Self {
        let most = (len / PARTS).clamp(SEGMENT.0, SEGMENT.1);
        let (least, most) = threads.segment.map_or((SEGMENT.0, most), |bytes| (bytes, bytes));
        Pace {
            bytes: least,
            least,
            most,
            rest: 0,
            resting: 0,
            misses: 0,
            searched: None,
            buffers: Vec::new(),
        }
    }

    fn succeeded(&mut self) {
        self.bytes = (2 * self.bytes).min(self.most);
        self.rest = 0;
        self.misses = 0;
    }

    /// No place was found. That is so at every change of structure, and all the time in documents
    /// without any.
    fn missed(&mut self) {
        self.misses += 1;
        self.resting = self.misses.saturating_sub(4).min(LONGEST_REST);
    }

    fn failed(&mut self) {
        self.bytes = (self.bytes / 2).max(self.least);
        self.resting = self.rest;
        self.rest = (2 * self.rest + 1).min(LONGEST_REST);
    }

    /// Whether to guess in the next round.
    fn guesses(&mut self) -> bool {
        let guesses = self.resting == 0;
        self.resting = self.resting.saturating_sub(1);
        guesses
    }
}

/// Matches a document. Returns what was done, and whether the sink stopped it.
pub(crate) fn run<S: Sink + Send>(
    plan: &Plan,
    document: Document<'_>,
    threads: Threads,
    sink: &mut S,
) -> Result<(Stats, bool), Error> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.count).build().map_err(|e| {
        Error::new(ErrorKind::Io, format!("cannot start {} threads: {e}", threads.count))
    })?;
    let mut first = Segment::new(plan.matcher(Relay::new(sink)), 0);
    let mut pace = Pace::new(threads, document.len());
    let mut peaks = Stats::default();
    loop {
        let mut segments = divide(plan, document, threads, &mut pace, first)?;
        if let [only] = &mut segments[..] {
            only.run(document);
        } else {
            pool.install(|| segments.par_iter_mut().for_each(|segment| segment.run(document)));
        }
        first = join(segments, &mut pace, &mut peaks)?;
        match first.end {
            End::Border => {}
            End::Stopped => return Ok((total(&first.matcher.stats(), &peaks), true)),
            End::Failed(e) => return Err(with_line(e, document)),
            End::Document => {
                let outcome = first.matcher.finish().map_err(|e| with_line(e, document))?;
                return Ok((total(&outcome.stats, &peaks), false));
            }
        }
    }
}

/// The segments of the next round.
fn divide<'p, 's, S: Sink>(
    plan: &'p Plan,
    document: Document<'_>,
    threads: Threads,
    pace: &mut Pace,
    mut first: Segment<'p, 's, S>,
) -> Result<Vec<Segment<'p, 's, S>>, Error> {
    let at = first.at;
    let len = document.len();
    first.to = at.saturating_add(pace.bytes);
    let guess = if threads.count > 1 && first.to < len && pace.guesses() {
        Guess::new(&first.matcher, document, at, pace.bytes.min(at) / 8)?
    } else {
        None
    };
    let mut segments = vec![first];
    let Some(guess) = guess else { return Ok(segments) };
    let mut size = pace.bytes;
    let look =
        |from: u64, window: u64| guess.find(document, from, from.saturating_add(window).min(len));
    let mut found;
    if let Some(container) = guess.behind {
        // It may be far, so it is looked for once only.
        if pace.searched == Some(container) {
            return Ok(segments);
        }
        pace.searched = Some(container);
        found = look(at + 1, pace.most.saturating_mul(FAR).max(WINDOW))?;
        size = found.map_or(size, |place| size.max(place - at));
    } else {
        // Nearer if there is no place so far away: something may end before.
        found = look(at + size, WINDOW)?;
        while found.is_none() && size > pace.bytes / 4 && size > 1 {
            size /= 2;
            found = look(at + size, WINDOW)?;
        }
        if found.is_none() {
            pace.missed();
        }
    }
    segments[0].to = at + size;
    while let Some(place) = found.filter(|place| *place < len) {
        let mut next = segments[0].fork(plan, guess.depth, place);
        next.buffer = pace.buffers.pop().unwrap_or_default();
        next.to = place + size;
        if let Some(last) = segments.last_mut() {
            last.to = place;
        }
        segments.push(next);
        if segments.len() == threads.count || guess.behind.is_some() {
            break;
        }
        found = look(place + size, WINDOW)?;
    }
    Ok(segments)
}

/// Joins the segments of a round, as far as they fit. Returns the last of these.
fn join<'p, 's, S: Sink>(
    segments: Vec<Segment<'p, 's, S>>,
    pace: &mut Pace,
    peaks: &mut Stats,
) -> Result<Segment<'p, 's, S>, Error> {
    let guessed = segments.len() > 1;
    let mut segments = segments.into_iter();
    let Some(mut first) = segments.next() else {
        return Err(Error::new(ErrorKind::Usage, "a round without segments"));
    };
    let mut fits = true;
    for mut next in segments {
        fits = first.leads_to(&next);
        if !fits {
            break;
        }
        next.follow(&mut first);
        pace.buffers.push(std::mem::take(&mut first.buffer));
        *peaks = total(&first.matcher.stats(), peaks);
        peaks.segments += 1;
        first = next;
    }
    match (guessed, fits) {
        (true, true) => pace.succeeded(),
        (true, false) => pace.failed(),
        (false, _) => {}
    }
    Ok(first)
}

/// Counts of the last segment, which go on from those before, with the peaks of all.
fn total(last: &Stats, peaks: &Stats) -> Stats {
    Stats {
        peak_buffered_bytes: last.peak_buffered_bytes.max(peaks.peak_buffered_bytes),
        automaton_states: last.automaton_states.max(peaks.automaton_states),
        segments: peaks.segments,
        ..*last
    }
}

/// Segments do not know in which line they begin.
fn with_line(error: Error, document: Document<'_>) -> Error {
    match error.position() {
        Some(p) if p.line == 0 && error.kind() != ErrorKind::Io => {
            let Ok((lines, start)) = document.line(p.offset) else { return error };
            error.at(Position { line: lines + 1, column: p.offset - start + 1, ..p })
        }
        _ => error,
    }
}
