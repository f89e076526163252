//! Dealing out, and putting what the workers bring about in the order of one engine.

use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::worker::{Batch, Kind, Out, Reply, Step};
use super::{BATCH, DEPTH, Key, ShardedEngine, State};
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::reorder::{Offered, Reorder};
use crate::runtime::output::Scene;
use crate::stats::Stats;
use crate::{Cause, Sink};

impl<E: Event + Send + Sync + 'static> ShardedEngine<E> {
    fn usable(&self) -> Result<(), Error> {
        match self.state {
            State::Open => Ok(()),
            State::Finished => Err(Error::new(ErrorKind::Usage, "the stream was finished before")
                .with_hint("build another engine for another stream")),
            State::Failed => Err(Error::new(ErrorKind::Usage, "the engine failed before")
                .with_hint("its first error tells why; build another engine")),
        }
    }

    fn guard<T>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        if result.is_err() {
            self.state = State::Failed;
        }
        result
    }

    /// Processes an event; its output may come with a later call.
    ///
    /// # Errors
    ///
    /// As [`Engine::push`](crate::Engine::push), perhaps with a later call; the output before the
    /// error is delivered first.
    pub fn push(&mut self, event: E, sink: &mut impl Sink<Arc<E>>) -> Result<(), Error> {
        self.usable()?;
        let result = self.accept(event, sink);
        self.guard(result)
    }

    fn accept(&mut self, event: E, sink: &mut impl Sink<Arc<E>>) -> Result<(), Error> {
        let Some(reorder) = &mut self.reorder else { return self.deal(event, sink) };
        match reorder.push(event)? {
            Offered::Late(event) => self.too_late(event),
            Offered::Now(event) => self.deal(event, sink)?,
            Offered::Waits => {}
        }
        self.release(sink)
    }

    /// Deals out the events that nothing can come before any more.
    fn release(&mut self, sink: &mut impl Sink<Arc<E>>) -> Result<(), Error> {
        while let Some(event) = self.reorder.as_mut().and_then(Reorder::next) {
            self.deal(event, sink)?;
        }
        Ok(())
    }

    fn too_late(&mut self, event: E) {
        self.stats.late += 1;
        self.late.push_back((self.next_step(), Arc::new(event)));
    }

    fn next_step(&self) -> u64 {
        self.step + self.batch.len() as u64
    }

    /// An event in its place.
    fn deal(&mut self, event: E, sink: &mut impl Sink<Arc<E>>) -> Result<(), Error> {
        let time = event.time();
        if self.watermark.is_some_and(|now| time < now) {
            self.too_late(event);
            return Ok(());
        }
        self.watermark = Some(time);
        let hash = Key::hash(&event, &self.automaton.program.key, &self.hasher);
        // The upper bits choose the worker, which has its own use for the lower ones. Events without
        // a key are counted by the first worker.
        let of = hash.map_or(0, |hash| ((hash >> 32) * self.lines.len() as u64) >> 32);
        self.add(Step::Event(Arc::new(event), of as u32), sink)
    }

    fn add(&mut self, step: Step<E>, sink: &mut impl Sink<Arc<E>>) -> Result<(), Error> {
        self.batch.push(step);
        if self.batch.len() < BATCH {
            return Ok(());
        }
        self.send(sink)?;
        while self.on_the_way.len() >= DEPTH {
            self.receive(sink)?;
        }
        Ok(())
    }

    /// Sends what was gathered to all workers.
    fn send(&mut self, sink: &mut impl Sink<Arc<E>>) -> Result<(), Error> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let steps = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH));
        let first = self.step;
        self.step += steps.len() as u64;
        let batch = Arc::new(Batch { first, steps, only_counts: sink.only_counts() });
        for line in &self.lines {
            line.tasks.send(batch.clone()).map_err(|_| gone())?;
        }
        self.on_the_way.push_back(batch);
        Ok(())
    }

    /// Receives what came of the oldest batch, and delivers it.
    fn receive(&mut self, sink: &mut impl Sink<Arc<E>>) -> Result<(), Error> {
        let Some(batch) = self.on_the_way.pop_front() else { return Ok(()) };
        let mut replies = Vec::with_capacity(self.lines.len());
        for line in &self.lines {
            replies.push(line.replies.recv().map_err(|_| gone())?);
        }
        let failed = replies.iter().filter_map(|r| r.error.as_ref().map(|(step, _)| *step)).min();
        let end = batch.first + batch.steps.len() as u64;
        // The engine that fails delivers first what the failing step has brought about.
        self.deliver(&replies, failed.map_or(end, |step| step + 1), sink);
        let (late, undelivered) = (self.stats.late, self.stats.undelivered);
        self.stats = replies.iter().fold(Stats::default(), |sum, reply| sum.plus(&reply.stats));
        // Every worker counts every event.
        self.stats.events = replies.first().map_or(0, |reply| reply.stats.events);
        self.stats.late = late;
        self.stats.undelivered = undelivered;
        self.stats.matches = self.stats.matches.saturating_sub(self.unwanted);
        match failed {
            None => Ok(()),
            Some(step) => {
                let errors = replies.into_iter().filter_map(|reply| reply.error);
                Err(errors.into_iter().find(|(at, _)| *at == step).map_or_else(gone, |(_, e)| e))
            }
        }
    }

    /// Delivers outputs and late events before a step.
    fn deliver(&mut self, replies: &[Reply<E>], end: u64, sink: &mut impl Sink<Arc<E>>) {
        let mut outs: Vec<(&Out, &Reply<E>)> = replies
            .iter()
            .flat_map(|reply| reply.outputs.iter().map(move |o| (o, reply)))
            .collect();
        // What each worker gives is in order, which a stable sort makes use of.
        outs.sort_by(|a, b| order(*a, *b));
        // The call whose output the sink does not want any more.
        let mut unwanted = None;
        for (out, reply) in outs.iter().filter(|(out, _)| out.step < end) {
            self.deliver_late(out.step, sink);
            let call = (out.step, phase(out.cause));
            if unwanted == Some(call) {
                self.stats.undelivered += 1;
                self.unwanted += u64::from(out.kind == Kind::Match);
                continue;
            }
            let (parts, events) = (&reply.taken[out.from..out.to], &reply.events[out.from..out.to]);
            let (names, key) = (&self.automaton.stages, &self.automaton.program.key);
            let scene = Scene::owned(out.cause, events, names, key);
            let flow = match out.kind {
                Kind::Match => sink.matched(&scene.found(parts)),
                Kind::Counted(matches) => sink.counted(out.cause, matches),
                Kind::TimedOut(deadline) => sink.timed_out(&scene.timed_out(parts, deadline)),
            };
            if flow == ControlFlow::Break(()) {
                unwanted = Some(call);
            }
        }
        self.deliver_late(end, sink);
    }

    fn deliver_late(&mut self, before: u64, sink: &mut impl Sink<Arc<E>>) {
        while self.late.front().is_some_and(|(step, _)| *step <= before) {
            if let Some((_, event)) = self.late.pop_front() {
                sink.late(event);
            }
        }
    }

    fn advance(&mut self, time: i64, sink: &mut impl Sink<Arc<E>>) -> Result<(), Error> {
        if self.watermark.is_none_or(|now| time > now) {
            self.watermark = Some(time);
            self.add(Step::Watermark(time), sink)?;
        }
        Ok(())
    }

    /// Lets the watermark advance, as [`Engine::advance_watermark`](crate::Engine::advance_watermark).
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push).
    pub fn advance_watermark(
        &mut self,
        time: i64,
        sink: &mut impl Sink<Arc<E>>,
    ) -> Result<(), Error> {
        self.usable()?;
        if let Some(reorder) = &mut self.reorder {
            // A watermark never goes back.
            if reorder.watermark() > Some(time) {
                return Ok(());
            }
            reorder.advance(time);
        }
        let result = self.release(sink).and_then(|()| self.advance(time, sink));
        self.guard(result)
    }

    /// Waits for the workers and delivers all that the stream so far has brought about.
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push).
    pub fn flush(&mut self, sink: &mut impl Sink<Arc<E>>) -> Result<(), Error> {
        self.usable()?;
        let result = self.settle(sink);
        self.guard(result)
    }

    fn settle(&mut self, sink: &mut impl Sink<Arc<E>>) -> Result<(), Error> {
        self.send(sink)?;
        while !self.on_the_way.is_empty() {
            self.receive(sink)?;
        }
        self.deliver_late(u64::MAX, sink);
        Ok(())
    }

    /// Ends the stream, as [`Engine::finish`](crate::Engine::finish), and the workers.
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push).
    pub fn finish(&mut self, sink: &mut impl Sink<Arc<E>>) -> Result<(), Error> {
        self.usable()?;
        if let Some(reorder) = &mut self.reorder {
            reorder.end();
        }
        let result = self.release(sink).and_then(|()| {
            self.batch.push(Step::Finish);
            self.settle(sink)
        });
        self.guard(result)?;
        self.state = State::Finished;
        for line in self.lines.drain(..) {
            drop(line.tasks);
            line.thread.join().map_err(|_| gone())?;
        }
        Ok(())
    }
}

#[cold]
fn gone() -> Error {
    Error::new(ErrorKind::Usage, "a worker has ended before its time")
        .with_hint("an `Event` of this program has panicked in it")
}

/// What one call of an engine delivers in turn: what the passing of time brings about, and then
/// what the event does.
fn phase(cause: Cause) -> u8 {
    match cause {
        Cause::Time(_) => 0,
        Cause::Event(_) => 1,
        Cause::End => 2,
    }
}

fn order<E>(a: (&Out, &Reply<E>), b: (&Out, &Reply<E>)) -> Ordering {
    let call = |out: &Out| (out.step, phase(out.cause), matches!(out.kind, Kind::TimedOut(_)));
    let (a_span, b_span) = (a.0.from..a.0.to, b.0.from..b.0.to);
    let (a_events, b_events) = (&a.1.events[a_span.clone()], &b.1.events[b_span.clone()]);
    let (a_taken, b_taken) = (&a.1.taken[a_span], &b.1.taken[b_span]);
    (call(a.0).cmp(&call(b.0)))
        .then_with(|| a_events.iter().map(|e| e.0).cmp(b_events.iter().map(|e| e.0)))
        .then_with(|| a_taken.iter().map(|t| t.0).cmp(b_taken.iter().map(|t| t.0)))
        .then_with(|| a.0.kind.cmp(&b.0.kind))
}
