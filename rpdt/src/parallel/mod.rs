//! One document on several threads.
//!
//! The document is matched in *segments*. What a segment needs to know of all that comes before it,
//! its *boundary frames*, are the open elements and what the engine remembers of them. They are not
//! found out by a pass of its own, which would cost a good part of what it saves, but assumed, from
//! what the first segment knows at the time: elements that have been open for long stay open, and
//! nothing need be remembered of them. While the first segment is matched by the thread of the caller,
//! the others match segments ahead of it, each with an engine of its own, whose answers are kept. When
//! the first has arrived where the second begins, the assumption is compared with the facts: the
//! place lies between two tags, exactly these elements are open, and the engine remembers nothing
//! else. If so the second segment is what would have come next; its answers are given and it takes
//! the place of the first, or the first goes on over it if nobody has begun with it. If not, what was
//! done ahead was for nothing. So neither answers nor their order depend on threads and segments,
//! whatever tricks a document plays with quotes, comments and sections; and which segments there are
//! does not depend on who is how fast, as long as there is room for their answers.
//!
//! | file | what |
//! |---|---|
//! | `mod` | the way from segment to segment |
//! | `segment` | a segment, and the frames it is assumed to begin in |
//! | `board` | the segments ahead, and who works on them |
//! | `ahead` | which segments these are |
//! | `pace` | how large they are |
//! | `guess` | where segments may begin |
//! | `record` | answers that wait |
//! | `document` | reading at any place |

mod ahead;
mod board;
mod document;
mod guess;
mod pace;
mod record;
mod segment;

use std::sync::Arc;
use std::thread::{self, Scope};

use crate::{Error, ErrorKind, Plan, Position, Sink, Stats};
use ahead::Ahead;
use board::{Board, Next};
pub(crate) use document::Document;
pub(crate) use document::READS_FILES;
use pace::Pace;
use record::Relay;
use segment::{End, Segment};

/// For each thread so many segments are ahead of the first at most: the caller's thread, which alone adds
/// some, may be inside one of them for as long as another thread takes for two.
const AHEAD: usize = 2;
/// Waiting answers are kept up to so many bytes a thread; segments that have more are not worth
/// their memory.
const KEPT: usize = 64 << 20;
/// The other threads are started at once if the document has so many bytes for each.
const WORTH_STARTING: u64 = 2 << 20;

/// How one document is divided between threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    count: usize,
    segment: Option<u64>,
}

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

    /// Bytes of a segment, which one thread matches at a time, at least one. Default: 256 KiB
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

/// Matches a document. Returns what was done, and whether the sink stopped it.
pub(crate) fn run<S: Sink + Send>(
    plan: &Plan,
    document: Document<'_>,
    threads: Threads,
    sink: &mut S,
) -> Result<(Stats, bool), Error> {
    let board = Board::new(KEPT / AHEAD);
    thread::scope(|scope| {
        let mut way = Way {
            plan,
            document,
            threads,
            board: &board,
            scope,
            started: false,
            pace: Pace::new(threads, document.len()),
            ahead: None,
            searched: None,
            peaks: Stats::default(),
            buffer: Vec::new(),
        };
        let count = threads.count as u64;
        if threads.count > 1 && document.len() >= count.saturating_mul(WORTH_STARTING) {
            way.start()?;
        }
        way.go(Segment::new(plan.matcher(Relay::new(sink)), 0))
    })
}

/// The way of the caller's thread through a document.
struct Way<'scope, 'env, 'p, 's, S: Sink> {
    plan: &'p Plan,
    document: Document<'env>,
    threads: Threads,
    board: &'env Board<'p, 's, S>,
    scope: &'scope Scope<'scope, 'env>,
    /// The other threads run.
    started: bool,
    pace: Pace,
    ahead: Option<Ahead<'p>>,
    /// Where the element begins whose end was looked for last.
    searched: Option<u64>,
    peaks: Stats,
    buffer: Vec<u8>,
}

impl<'scope, 'env, 'p, 's, S: Sink + Send> Way<'scope, 'env, 'p, 's, S> {
    fn go(mut self, mut first: Segment<'p, 's, S>) -> Result<(Stats, bool), Error> {
        loop {
            self.look_ahead(&mut first)?;
            if first.at == first.to {
                let (_, next) = self.board.ahead();
                first.to = next.unwrap_or(first.at.saturating_add(self.pace.alone()));
            }
            let frames = self.ahead.as_ref().map(|ahead| &*ahead.frames);
            first.run(self.document, &mut self.buffer, frames, false);
            if matches!(first.end, End::Border) {
                first = self.join(first);
            }
            match first.end {
                End::Border | End::Lost => {}
                End::Stopped => return Ok((total(&first.matcher.stats(), &self.peaks), true)),
                End::Failed(e) => return Err(with_line(e, self.document)),
                End::Document => {
                    let outcome = first.matcher.finish();
                    let outcome = outcome.map_err(|e| with_line(e, self.document))?;
                    return Ok((total(&outcome.stats, &self.peaks), false));
                }
            }
        }
    }

    /// Sees to it that there are segments ahead.
    fn look_ahead(&mut self, first: &mut Segment<'p, 's, S>) -> Result<(), Error> {
        let (mut ahead, next) = self.board.ahead();
        if let (Some(guessed), Some(place)) = (&self.ahead, next)
            && guessed.frames.have_ended(place)
        {
            // Then there is no need to arrive there.
            self.failed();
            ahead = 0;
        }
        let used_up = ahead == 0 && self.ahead.as_ref().is_none_or(|ahead| !ahead.goes_on());
        if used_up && first.at == first.to {
            self.ahead = None;
            let small = first.at.saturating_add(self.pace.bytes) >= self.document.len();
            if self.threads.count == 1 || small || !self.pace.guesses() {
                return Ok(());
            }
            let (plan, document) = (self.plan, self.document);
            self.ahead = Ahead::of(plan, document, first, &mut self.pace, &mut self.searched)?;
        }
        let Some(guessed) = &mut self.ahead else { return Ok(()) };
        let mut slots = Vec::new();
        while ahead + slots.len() < self.threads.count.saturating_mul(AHEAD)
            && let Some(slot) = guessed.next(self.document, &self.pace)?
        {
            slots.push(slot);
        }
        if !slots.is_empty() {
            self.board.add(slots.into_iter());
            self.start()?;
            // Those of errors are counted then, as it must be for the others.
            first.matcher.source.give_up_lines();
        }
        Ok(())
    }

    /// Starts the other threads, if they do not run.
    fn start(&mut self) -> Result<(), Error> {
        if std::mem::replace(&mut self.started, true) {
            return Ok(());
        }
        let (board, document) = (self.board, self.document);
        for thread in 1..self.threads.count {
            thread::Builder::new()
                .name("rpdt".to_owned())
                .spawn_scoped(self.scope, move || board.work(thread, document))
                .map_err(|e| {
                    let count = self.threads.count;
                    Error::new(ErrorKind::Io, format!("cannot start {count} threads: {e}"))
                })?;
        }
        Ok(())
    }

    /// A segment has come to its end: what comes next takes its place, or it goes on.
    fn join(&mut self, mut first: Segment<'p, 's, S>) -> Segment<'p, 's, S> {
        loop {
            match self.board.next() {
                Next::None => return first,
                // There may be other work meanwhile.
                Next::Running(news) => {
                    if !self.board.work_once(0, self.document, &mut self.buffer) {
                        self.board.wait(news);
                    }
                }
                Next::Waiting(slot) => {
                    if first.leads_to(&slot.frames, slot.place) {
                        first.to = slot.to;
                        self.succeeded(&first);
                    } else {
                        slot.frames.end(0);
                        self.failed();
                    }
                    return first;
                }
                Next::Done(slot, mut next) => {
                    if next.is_whole() && first.leads_to(&slot.frames, slot.place) {
                        next.follow(&mut first);
                        self.peaks = total(&first.matcher.stats(), &self.peaks);
                        self.board.spare(first);
                        self.succeeded(&next);
                        return next;
                    }
                    slot.frames.end(0);
                    self.board.spare(next);
                    self.failed();
                    return first;
                }
            }
        }
    }

    fn succeeded(&mut self, first: &Segment<'p, 's, S>) {
        self.peaks.segments += 1;
        if self.pace.succeeded()
            && let Some(ahead) = &mut self.ahead
        {
            // It knows more of the document by now.
            ahead.frames = Arc::new(first.same_frames(&ahead.frames));
        }
    }

    fn failed(&mut self) {
        self.board.clear();
        self.ahead = None;
        self.pace.failed();
    }
}

impl<S: Sink> Drop for Way<'_, '_, '_, '_, S> {
    /// Whatever happens: the other threads must not wait for more.
    fn drop(&mut self) {
        self.board.close();
    }
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
