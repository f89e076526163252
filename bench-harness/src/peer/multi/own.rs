//! multipattern itself on a workload, in this process.

use std::ops::ControlFlow;
use std::rc::Rc;

use multipattern::{Config, Detector, Event, Match, Method, Slot, TypeId, ValueRef, Visit};

use super::digest;
use super::workload::Load;
use crate::error::{Error, Result};
use crate::peer::{Answer, Found, Round, Runner, repeated};

/// multipattern with a method.
#[derive(Debug)]
pub struct Own {
    name: &'static str,
    detector: Detector,
    events: Rc<[Kind]>,
    repeats: u32,
}

fn fail(error: multipattern::Error) -> Error {
    Error::failed(format!("multipattern: {error}"))
}

/// An event that is its type alone, as a byte: what the peers read. Windows are of events, so times are
/// not looked at.
#[derive(Clone, Copy, Debug)]
pub struct Kind(u8);

impl Event for Kind {
    #[inline]
    fn event_type(&self) -> TypeId {
        TypeId(u32::from(self.0))
    }

    #[inline]
    fn time(&self) -> i64 {
        0
    }

    #[inline]
    fn attribute(&self, _: Slot) -> ValueRef<'_> {
        ValueRef::Missing
    }
}

impl Own {
    /// Makes the detector.
    pub fn new(name: &'static str, load: &Load, method: Method) -> Result<Self> {
        let config = Config::new().method(method);
        let detector = Detector::with_config(&load.set()?, config).map_err(fail)?;
        Ok(Self {
            name,
            detector,
            events: load.events.iter().copied().map(Kind).collect(),
            repeats: 1,
        })
    }
}

impl Runner for Own {
    fn name(&self) -> &str {
        self.name
    }

    fn round(&mut self) -> Result<Round> {
        let (detector, events) = (&self.detector, &self.events);
        repeated(
            &mut self.repeats,
            || detector.clone(),
            |detector| {
                let mut answer = Answer::default();
                let mut sink = Visit(|found: Match<'_>| {
                    let digest = digest(found.pattern.0, found.events.iter().copied());
                    answer.matches += 1;
                    answer.digest = answer.digest.wrapping_add(digest);
                    ControlFlow::Continue(())
                });
                detector.push_all(&events[..], &mut sink).map_err(fail)?;
                Ok(answer)
            },
        )
    }

    fn found(&mut self, events: u64) -> Result<Option<Vec<Found>>> {
        let mut found = Vec::new();
        let mut sink = Visit(|one: Match<'_>| {
            found.push((one.pattern.0, one.events.to_vec()));
            ControlFlow::Continue(())
        });
        let events = self.events.iter().take(usize::try_from(events).unwrap_or(usize::MAX));
        self.detector.clone().push_all(events, &mut sink).map_err(fail)?;
        Ok(Some(found))
    }
}
