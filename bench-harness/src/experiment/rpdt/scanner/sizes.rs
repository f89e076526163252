//! On the documents of Fig. 8: the figure with both readers, whole processes, and two threads.

use rpdt::input::Checks;

use super::{
    ID, JOB_LOOP, JOB_R2, LOOP_FILE, MEAN, MEAN_QUICK_XML, ON_QUICK_XML, ONE, OURS_FILE, TWO,
};
use crate::data::DataFile;
use crate::error::Result;
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
    if process::children().is_none() {
        // No row, and so no verdict: the system does not tell the time of other processes.
        return Ok(());
    }
    let mut last = None;
    for (size, factor) in sizes(context.scale) {
        let file = document(context, factor)?;
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

/// One thread and two, by the clock.
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
        ];
        let samples = interleave(&mut contenders, &context.plan(), context.progress)?;
        context.record.times(format!("{} at {size} MB", query.name), &samples);
        last = Some(samples);
    }
    if let Some(samples) = last {
        context.record.times(query.name, &samples);
    }
    Ok(())
}
