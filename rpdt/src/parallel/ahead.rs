//! Which segments come after the one that is certain, as far as it can be guessed.

use std::io;
use std::sync::Arc;

use super::board::Slot;
use super::document::Document;
use super::guess::Guess;
use super::pace::Pace;
use super::segment::{Frames, Segment};
use crate::{Plan, Sink};

/// Where a segment should begin, its place is looked for in so many bytes.
const WINDOW: u64 = 64 << 10;
/// The end of an element that may be passed over is looked for in so many of the largest segments:
/// passing over it is not much slower than looking for its end.
const FAR: u64 = 4;

/// See the module.
#[derive(Debug)]
pub(super) struct Ahead<'p> {
    guess: Guess,
    pub(super) frames: Arc<Frames<'p>>,
    /// Where the next segment begins.
    next: Option<u64>,
    /// Bytes of the only segment that is guessed.
    only: Option<u64>,
}

impl<'p> Ahead<'p> {
    /// What is to be expected behind a segment. `searched`: the beginning of the element whose end
    /// was looked for last.
    pub(super) fn of<S: Sink>(
        plan: &'p Plan,
        document: Document<'_>,
        first: &Segment<'p, '_, S>,
        pace: &mut Pace,
        searched: &mut Option<u64>,
    ) -> io::Result<Option<Self>> {
        let at = first.at;
        let long = pace.bytes.min(at) / 8;
        let Some(guess) = Guess::new(&first.matcher, document, at, long, *searched)? else {
            return Ok(None);
        };
        let mut only = None;
        let next = if let Some(container) = guess.behind {
            *searched = Some(container);
            let far = pace.most.saturating_mul(FAR).max(WINDOW);
            let found = look(&guess, document, at + 1, far)?;
            only = found.map(|place| pace.bytes.max(place - at));
            found
        } else {
            // Nearer if there is no place so far away: something may end before.
            let mut size = pace.bytes_at(at);
            let mut found = look(&guess, document, at.saturating_add(size), WINDOW)?;
            while found.is_none() && size > pace.bytes_at(at) / 4 && size > 1 {
                size /= 2;
                found = look(&guess, document, at.saturating_add(size), WINDOW)?;
            }
            found
        };
        if next.is_none() {
            if guess.behind.is_none() {
                pace.missed();
            }
            return Ok(None);
        }
        let frames = Arc::new(first.frames(plan, guess.depth));
        Ok(Some(Ahead { guess, frames, next, only }))
    }

    /// There are more segments.
    pub(super) fn goes_on(&self) -> bool {
        self.next.is_some()
    }

    /// The next segment, if there is one.
    pub(super) fn next(
        &mut self,
        document: Document<'_>,
        pace: &Pace,
    ) -> io::Result<Option<Slot<'p>>> {
        let Some(place) = self.next.take() else { return Ok(None) };
        let mut to = place.saturating_add(self.only.unwrap_or(pace.bytes_at(place)));
        if self.only.is_none() {
            self.next = look(&self.guess, document, to, WINDOW)?;
            to = self.next.unwrap_or(to);
        }
        Ok(Some(Slot { place, to, frames: Arc::clone(&self.frames) }))
    }
}

/// The first place where a segment may begin, in so many bytes from one on.
fn look(guess: &Guess, document: Document<'_>, from: u64, window: u64) -> io::Result<Option<u64>> {
    let len = document.len();
    let place = guess.find(document, from, from.saturating_add(window).min(len))?;
    Ok(place.filter(|place| *place < len))
}
