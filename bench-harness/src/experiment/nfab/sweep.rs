//! Times over a range of x: all contenders at all x take turns, so that a slower minute of the
//! machine hits all of them, and every run must give the answer of its x.

use std::fmt::Debug;

use super::engines::Stream;
use crate::error::{Error, Result};
use crate::experiment::Context;
use crate::measure::{Contender, Samples, Summary, interleave};
use crate::record::X;

pub use crate::experiment::plots::*;

/// The unit of throughputs.
pub const RATE: &str = "M events/s";

struct Place {
    x: X,
    events: usize,
    sha256: Option<String>,
}

/// What is to be timed.
#[derive(Default)]
pub struct Sweep<'a> {
    contenders: Vec<Contender<'a, ()>>,
    places: Vec<Place>,
    events: usize,
    sha256: Option<String>,
    costs: bool,
}

impl<'a> Sweep<'a> {
    /// Records times for an event in nanoseconds in place of throughputs.
    pub fn costs() -> Self {
        Self { costs: true, ..Self::default() }
    }

    /// What is added next reads these events.
    pub fn data<E>(&mut self, stream: &Stream<E>) {
        self.events = stream.events.len();
        self.sha256 = Some(stream.sha256.clone());
    }

    /// Adds a contender: the series that its throughput goes into, its x, the answer that every run
    /// must give, and the run.
    pub fn add<A: PartialEq + Debug + 'a>(
        &mut self,
        series: &str,
        x: impl Into<X>,
        expected: A,
        mut run: impl FnMut() -> Result<A> + 'a,
    ) {
        self.contenders.push(Contender::new(series, move || {
            let answer = run()?;
            if answer == expected {
                return Ok(());
            }
            Err(Error::disagreement(format!("answers {answer:?}, but {expected:?} is right")))
        }));
        let Self { events, sha256, .. } = self;
        self.places.push(Place { x: x.into(), events: *events, sha256: sha256.clone() });
    }

    /// Runs all of them, records throughputs by CPU time, those by the clock as `NAME (wall)`, and
    /// the paired ratios of the times of these pairs of series at every x that has both.
    pub fn run(mut self, context: &mut Context<'_>, pairs: &[(&str, &str)]) -> Result<()> {
        let samples = interleave(&mut self.contenders, &context.plan(), context.progress)?;
        for (place, one) in self.places.iter().zip(&samples) {
            context.record.data_sha256(place.sha256.clone());
            let events = place.events as f64;
            let (costs, unit) = (self.costs, if self.costs { "ns" } else { RATE });
            let convert = |times: Summary| match costs {
                true => times.scale(1e9 / events),
                false => times.rate(events / 1e6),
            };
            let wall = format!("{} (wall)", one.name);
            for (series, summary) in [(&one.name, one.cpu_summary()), (&wall, one.wall_summary())] {
                if let Some(summary) = summary {
                    context.record.point(series, place.x.clone(), convert(summary), unit);
                }
            }
        }
        let find = |name: &str, x: &X| -> Option<&Samples<()>> {
            let here = |at: &usize| samples[*at].name == name && self.places[*at].x == *x;
            (0..samples.len()).find(here).map(|at| &samples[at])
        };
        for (a, b) in pairs {
            for (place, one) in self.places.iter().zip(&samples).filter(|(_, one)| one.name == **a)
            {
                if let Some(other) = find(b, &place.x) {
                    context.record.data_sha256(place.sha256.clone());
                    context.record.ratio(place.x.clone(), one, other);
                }
            }
        }
        Ok(())
    }
}
