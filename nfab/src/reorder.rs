//! Puts events that come out of order in their order, within a bound, before they are matched.
//!
//! The *watermark* is the greatest time seen so far minus the bound, or the time that was told if
//! that is later. No event older than it is let in, so events up to it are in their places and may
//! go on; events of one time go in the order of their arrival. What is let in and then goes on is
//! therefore sorted, whatever came.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::config::Config;
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::limits::{Limit, Policy};
#[cfg(feature = "serde")]
use crate::snapshot::{corrupt, state};

/// An event that waits. Ordered so that the one that goes first is the greatest.
#[derive(Debug)]
struct Waiting<E> {
    time: i64,
    arrival: u64,
    event: E,
}

impl<E> Ord for Waiting<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.time, other.arrival).cmp(&(self.time, self.arrival))
    }
}

impl<E> PartialOrd for Waiting<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Waiting<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<E> Eq for Waiting<E> {}

/// The events that wait until no older one can come.
#[derive(Debug)]
pub(crate) struct Reorder<E> {
    lateness: i64,
    limit: Limit,
    waiting: BinaryHeap<Waiting<E>>,
    arrivals: u64,
    watermark: Option<i64>,
    /// The stream is at its end: nothing needs to wait.
    ended: bool,
    /// There are too many: the first one goes on early.
    early: bool,
}

/// What becomes of an event that arrives.
#[derive(Debug)]
pub(crate) enum Offered<E> {
    /// It is older than the watermark, or there is no room for it.
    Late(E),
    /// It goes on at once, before all that wait.
    Now(E),
    /// It waits.
    Waits,
}

impl<E: Event> Reorder<E> {
    /// For events that are older than the newest one by no more than [`Config::lateness`].
    pub(crate) fn new(config: &Config) -> Self {
        Reorder {
            lateness: config.lateness,
            limit: config.limits.reorder,
            waiting: BinaryHeap::new(),
            arrivals: 0,
            watermark: None,
            ended: false,
            early: false,
        }
    }

    /// Events older than this are late.
    pub(crate) fn watermark(&self) -> Option<i64> {
        self.watermark
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Takes an event. Whatever becomes of it, [`next`](Self::next) then gives those that need not
    /// wait any more.
    pub(crate) fn push(&mut self, event: E) -> Result<Offered<E>, Error> {
        let time = event.time();
        if self.watermark.is_some_and(|now| time < now) {
            return Ok(Offered::Late(event));
        }
        self.advance(time.saturating_sub(self.lateness));
        let first = self.waiting.peek().map(|first| first.time);
        let released = |time: i64| Some(time) <= self.watermark;
        if released(time) && first.is_none_or(|first| time < first) {
            return Ok(Offered::Now(event));
        }
        if self.waiting.len() >= self.limit.most && !first.is_some_and(released) {
            match self.limit.policy {
                Policy::Error => return Err(over(self.limit)),
                Policy::DropNewest => return Ok(Offered::Late(event)),
                Policy::DropOldest => self.early = true,
            }
        }
        let arrival = self.arrivals;
        self.arrivals += 1;
        self.waiting.push(Waiting { time, arrival, event });
        Ok(Offered::Waits)
    }

    /// No event older than this will come.
    pub(crate) fn advance(&mut self, time: i64) {
        self.watermark = self.watermark.max(Some(time));
    }

    /// No event will come.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    #[cfg(feature = "serde")]
    pub(crate) fn save(&self) -> state::Reorder<&E> {
        let mut waiting: Vec<&Waiting<E>> = self.waiting.iter().collect();
        waiting.sort_by(|a, b| b.cmp(a));
        let waiting = waiting.into_iter().map(|waiting| &waiting.event).collect();
        state::Reorder { watermark: self.watermark, waiting }
    }

    /// Takes in what was saved, while nothing waits.
    #[cfg(feature = "serde")]
    pub(crate) fn load(&mut self, saved: state::Reorder<E>) -> Result<(), Error> {
        let ordered = saved.waiting.is_sorted_by_key(Event::time);
        if !ordered || saved.waiting.first().is_some_and(|e| Some(e.time()) <= saved.watermark) {
            return Err(corrupt("the events that wait are not in order"));
        }
        self.watermark = saved.watermark;
        for event in saved.waiting {
            let (time, arrival) = (event.time(), self.arrivals);
            self.arrivals += 1;
            self.waiting.push(Waiting { time, arrival, event });
        }
        Ok(())
    }

    /// The next event that goes on.
    pub(crate) fn next(&mut self) -> Option<E> {
        let first = self.waiting.peek()?.time;
        if !self.ended && Some(first) > self.watermark {
            if !std::mem::take(&mut self.early) {
                return None;
            }
            self.watermark = Some(first);
        }
        self.waiting.pop().map(|first| first.event)
    }
}

#[cold]
fn over(limit: Limit) -> Error {
    let message = format!("more than {} events wait for late ones", limit.most);
    Error::new(ErrorKind::Limit, message).with_hint(
        "a smaller Config::lateness lets them go earlier; Limits::reorder sets the bound",
    )
}
