//! A part of the document, and what it is assumed to begin in.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::document::Document;
use super::record::{Record, Relay};
use crate::engine::Assumed;
use crate::input::Flow;
use crate::{Answer, Error, Matcher, Needs, Plan, Position, Sink};

/// How a segment ended.
#[derive(Debug)]
pub(super) enum End {
    /// Where the next one begins.
    Border,
    /// With the document.
    Document,
    /// The sink wanted no more.
    Stopped,
    /// It is not needed: the elements that it was to begin in have ended before.
    Lost,
    Failed(Error),
}

/// Boundary frames: the open elements that segments are assumed to begin in.
#[derive(Debug)]
pub(super) struct Frames<'p> {
    /// Whose copies match the segments.
    matcher: Matcher<'p, Blank>,
    plan: &'p Plan,
    /// Where the open elements begin, the outermost first.
    open: Vec<u64>,
    assumed: Assumed,
    /// Before this place the innermost element ends, as far as is known; segments behind it are
    /// for nothing.
    ended: Arc<AtomicU64>,
}

/// The sink of nobody.
#[derive(Debug)]
struct Blank(Needs);

impl Sink for Blank {
    fn needs(&self) -> Needs {
        self.0
    }

    fn answer(&mut self, _: usize, _: u64, _: &Answer<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl Frames<'_> {
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Everything from a place on is for nothing.
    pub(super) fn end(&self, place: u64) {
        self.ended.fetch_min(place, Ordering::Relaxed);
    }

    /// Whether a segment that begins at a place is for nothing.
    pub(super) fn have_ended(&self, place: u64) -> bool {
        self.ended.load(Ordering::Relaxed) <= place
    }
}

/// A segment and who works on it.
#[derive(Debug)]
pub(super) struct Segment<'p, 's, S> {
    pub(super) matcher: Matcher<'p, Relay<'s, S>>,
    /// The thread whose memory it is.
    pub(super) maker: usize,
    /// Where it began.
    start: u64,
    /// The next byte.
    pub(super) at: u64,
    pub(super) to: u64,
    pub(super) end: End,
}

impl<'p, 's, S: Sink> Segment<'p, 's, S> {
    pub(super) fn new(matcher: Matcher<'p, Relay<'s, S>>, start: u64) -> Self {
        Segment { matcher, maker: 0, start, at: start, to: start, end: End::Border }
    }

    /// One that begins at a place inside the frames, and keeps answers of so many bytes. Memory is
    /// taken over from one that is done.
    pub(super) fn inside(
        frames: &Frames<'p>,
        place: u64,
        most: usize,
        maker: usize,
        spare: Option<Self>,
    ) -> Self {
        let relay = Relay::recording(frames.matcher.engine.sink().needs(), most);
        let (_, _, matcher) = frames.matcher.fork(
            frames.plan,
            frames.depth(),
            place,
            relay,
            spare.map(|spare| spare.matcher),
        );
        Segment { maker, ..Segment::new(matcher, place) }
    }

    /// The outermost open elements as frames of segments to come.
    pub(super) fn frames(&self, plan: &'p Plan, depth: usize) -> Frames<'p> {
        let needs = self.matcher.engine.sink().needs();
        let (start, assumed, matcher) = self.matcher.fork(plan, depth, self.at, Blank(needs), None);
        let ended = Arc::new(AtomicU64::new(u64::MAX));
        Frames { matcher, plan, open: start.open, assumed, ended }
    }

    /// The same frames, with what is known of the document by now.
    pub(super) fn same_frames(&self, before: &Frames<'p>) -> Frames<'p> {
        let ended = Arc::clone(&before.ended);
        Frames { ended, ..self.frames(before.plan, before.depth()) }
    }

    /// Matches up to the segment's end. `frames`: what the segments behind it begin in, and this one
    /// too if it is `assumed`; if these have ended the segment ends soon, too.
    pub(super) fn run(
        &mut self,
        document: Document<'_>,
        buffer: &mut Vec<u8>,
        frames: Option<&Frames<'_>>,
        assumed: bool,
    ) {
        self.end = End::Border;
        while self.at < self.to {
            let bytes = match document.read(self.at, self.to - self.at, buffer) {
                Ok(bytes) => bytes,
                Err(e) => {
                    self.end = End::Failed(failed(e, self.at));
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
            let Some(frames) = frames else { continue };
            if assumed && frames.have_ended(self.start) {
                self.end = End::Lost;
                return;
            }
            if !self.is_inside(frames) {
                frames.end(self.at);
                self.to = self.at;
            }
        }
    }

    /// The innermost of the frames is still open.
    fn is_inside(&self, frames: &Frames<'_>) -> bool {
        let innermost = frames.open.len().checked_sub(1);
        innermost.is_none_or(|d| {
            let open = self.matcher.source.open_at(d);
            open.map(|(start, _)| start) == frames.open.last().copied()
        })
    }

    /// Whether a segment that begins at a place inside the frames is the next one.
    pub(super) fn leads_to(&self, frames: &Frames<'_>, place: u64) -> bool {
        matches!(self.end, End::Border)
            && self.matcher.source.is_at(place, &frames.open)
            && self.matcher.engine.agrees(frames.depth(), &frames.assumed)
    }

    /// Has all its answers.
    pub(super) fn is_whole(&self) -> bool {
        !matches!(self.end, End::Lost) && !self.matcher.engine.sink().record.is_full
    }

    /// Takes the place of the segment that leads to this one, and gives the answers that were kept.
    pub(super) fn follow(&mut self, before: &mut Self) {
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

fn failed(error: io::Error, offset: u64) -> Error {
    Error::from(error).at(Position { offset, line: 0, column: 0 })
}
