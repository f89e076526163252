//! What the buffers hold for a query of the workload.

use super::names::{CHAIN, PRIVATE, VERSIONED};
use super::workload::{self, CASES, Case};
use crate::baseline::stock::{Answer, Query, Stock, private};
use crate::error::{Error, Result};
use crate::experiment::Context;
use crate::experiment::nfab::engines::{Held, agree};
use crate::measure::memory::Heap;

/// The contenders.
pub const ALL: [&str; 3] = [VERSIONED, CHAIN, PRIVATE];

/// Runs a contender and asks what it held.
pub fn held(contender: &str, query: &Query, events: &[Stock]) -> Result<(Answer, Held)> {
    let way = match contender {
        VERSIONED => workload::VERSIONED,
        CHAIN => workload::CHAIN,
        _ => {
            let outcome = private::evaluate(query, events);
            return Ok((outcome.answer, Held::privately(&outcome)));
        }
    };
    workload::engine(query, way)?.held(events)
}

/// What all contenders held, after they have given the same answer.
pub fn all(query: &Query, events: &[Stock]) -> Result<[Held; 3]> {
    let mut all = [Held::default(); 3];
    let mut answers = Vec::new();
    for (contender, place) in ALL.into_iter().zip(&mut all) {
        let (answer, held) = held(contender, query, events)?;
        answers.push((contender, answer));
        *place = held;
    }
    agree(&answers)?;
    Ok(all)
}

/// The name of a memory probe.
pub fn probe_name(contender: &str, case: &Case, window: i64) -> String {
    format!("{contender}/{}/{window}", case.name)
}

/// Runs a memory probe: the peak of the heap while the contender reads the stream.
pub fn probe(name: &str, context: &Context<'_>, heap: &dyn Heap) -> Result<u64> {
    let unknown = || Error::usage(format!("there is no memory probe {name}"));
    let mut parts = name.split('/');
    let (contender, case, window) =
        (|| Some((parts.next()?, parts.next()?, parts.next()?)))().ok_or_else(unknown)?;
    let case = CASES.iter().find(|one| one.name == case).ok_or_else(unknown)?;
    let query = case.query(window.parse().map_err(|_| unknown())?);
    let stream = workload::stream(context)?;
    let way = match contender {
        VERSIONED => workload::VERSIONED,
        CHAIN => workload::CHAIN,
        PRIVATE => return Ok(heap.peak_during(|| private::evaluate(&query, &stream.events)).1),
        _ => return Err(unknown()),
    };
    let engine = workload::engine(&query, way)?;
    let (answer, peak) = heap.peak_during(|| engine.answer(&stream.events));
    answer.map(|_| peak)
}
