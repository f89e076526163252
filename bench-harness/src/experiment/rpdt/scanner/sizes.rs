//! On the documents of Fig. 8: the figure with both readers, whole processes, and two threads.

use std::panic::resume_unwind;
use std::thread;

use rpdt::input::Checks;

use super::{
    APART, APART_GAIN, ID, JOB_LOOP, JOB_R2, LOOP_FILE, MEAN, MEAN_QUICK_XML, ON_QUICK_XML, ONE,
    OURS_FILE, TWO,
};

use crate::data::DataFile;
use crate::error::{Error, Result};
use crate::experiment::rpdt::engines::Rpdt;
use crate::experiment::rpdt::queries;
use crate::experiment::rpdt::throughput::{curves, document, sizes, steadily, steady};
use crate::experiment::{Context, Scale};
use crate::measure::{Contender, Samples, Summary, interleave, process};

/// Fig. 8 with both readers.
pub(super) fn from_file(context: &mut Context<'_>) -> Result<()> {
    let files: Vec<(f64, DataFile)> = sizes(context.scale)
        .into_iter()
        .map(|(size, factor)| Ok((size, document(context, factor)?)))
        .collect::<Result<_>>()?;
    for (size, file) in &files {
        context.record.data(Some(file));
        let mut contenders = Vec::new();
        for query in curves() {
            let (fast, slow) = (Rpdt::scanning(query, Checks::Fast)?, Rpdt::new(query)?);
            contenders.push(steady(query.name, move || fast.count_file(&file.path)));
            contenders.push(steady(ON_QUICK_XML, move || slow.count_file(&file.path)));
        }
        let samples = interleave(&mut contenders, &context.plan(), context.progress)?;
        let (slow, fast): (Vec<_>, Vec<_>) =
            samples.iter().partition(|one| one.name == ON_QUICK_XML);
        mean(context, MEAN, *size, file, &fast);
        mean(context, MEAN_QUICK_XML, *size, file, &slow);
    }
    Ok(())
}

/// The mean of the queries' throughputs, round by round.
fn mean(
    context: &mut Context<'_>,
    series: &str,
    size: f64,
    file: &DataFile,
    samples: &[&Samples<()>],
) {
    let gigabytes = file.bytes() as f64 / 1e9;
    let rounds = samples.iter().map(|one| one.cpu.len()).min().unwrap_or(0);
    let of_round = |round: usize| {
        let speeds = samples.iter().map(|one| gigabytes / one.cpu[round]);
        speeds.sum::<f64>() / samples.len() as f64
    };
    if let Some(summary) = Summary::of(&(0..rounds).map(of_round).collect::<Vec<_>>()) {
        context.record.point(series, size, summary, "GB/s");
    }
}

/// R2 against the loop on the documents of Fig. 8, each run a process of its own.
pub(super) fn whole_processes(context: &mut Context<'_>) -> Result<()> {
    // Beyond, starting a process is no part of its time any more, and the loop takes many minutes.
    const LARGEST: u64 = 200_000_000;
    if process::children().is_none() {
        // No row, and so no verdict: the system does not tell the time of other processes.
        return Ok(());
    }
    let mut last = None;
    for (size, factor) in sizes(context.scale) {
        let file = document(context, factor)?;
        if file.bytes() > LARGEST {
            break;
        }
        context.record.data(Some(&file));
        let job = |name: &str, job: &'static str| {
            let path = &file.path;
            let count = steadily(move || process::count(ID, job, path));
            Contender::processes(name, count)
        };
        let mut contenders = [job(LOOP_FILE, JOB_LOOP), job(OURS_FILE, JOB_R2)];
        let samples = interleave(&mut contenders, &context.plan(), context.progress)?;
        context.record.times(format!("R2 at {size} MB"), &samples);
        last = Some(samples);
    }
    if let Some(samples) = last {
        context.record.times("R2", &samples);
    }
    Ok(())
}

/// One thread and two, by the clock, beside two runs at once.
pub(super) fn two_threads(context: &mut Context<'_>) -> Result<()> {
    const LARGEST: u64 = 1_200_000_000;
    let Some(query) = queries::named("R2") else { return Ok(()) };
    let mut sizes = sizes(context.scale);
    if context.scale == Scale::Quick {
        // The size that everything else of this check is asked for.
        sizes.push((115.0, 1.0));
    }
    let mut last = None;
    for (size, factor) in sizes {
        let file = document(context, factor)?;
        if file.bytes() > LARGEST {
            break;
        }
        context.record.data(Some(&file));
        let document = file.read()?;
        let engine = Rpdt::scanning(query, Checks::Fast)?;
        let mut contenders = [
            Contender::new(ONE, || engine.count(&document)),
            Contender::new(TWO, || engine.count_on(2, &document)),
            Contender::new(APART, || apart(&engine, &document)),
        ];
        let samples = interleave(&mut contenders, &context.plan(), context.progress)?;
        let x = format!("{} at {size} MB", query.name);
        context.record.times(x.as_str(), &samples);
        if let Some(gain) = gain(&samples) {
            context.record.point(APART_GAIN, x, gain, "ratio");
        }
        last = Some(samples);
    }
    if let Some(samples) = last {
        context.record.times(query.name, &samples);
    }
    Ok(())
}

/// Two runs at once, each of one thread over the whole document, which share nothing else.
fn apart(engine: &Rpdt, document: &[u8]) -> Result<u64> {
    thread::scope(|scope| {
        let other = scope.spawn(|| engine.count(document));
        let count = engine.count(document)?;
        let other = other.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        if other == count {
            return Ok(count);
        }
        Err(Error::disagreement(format!("two runs at once count {count} and {other}")))
    })
}

/// How much more work the machine does when two runs go on at once: nothing that one document is
/// matched by can gain more.
fn gain(samples: &[Samples<u64>]) -> Option<Summary> {
    let wall = |name: &str| samples.iter().find(|one| one.name == name).map(|one| &one.wall);
    let rounds = wall(ONE)?.iter().zip(wall(APART)?);
    Summary::of(&rounds.map(|(one, apart)| 2.0 * one / apart).collect::<Vec<_>>())
}
