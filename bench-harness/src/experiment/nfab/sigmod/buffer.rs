//! What the buffers hold, by query.

use super::held::{self, ALL};
use super::names::{PRIVATE, VERSIONED};
use super::workload::{self, CASES, WINDOW};
use crate::claim::{Claim, Rule};
use crate::error::Result;
use crate::experiment::nfab::sweep;
use crate::experiment::{About, Artefact, Context, Experiment, Kind};
use crate::measure::memory::Heap;
use crate::record::Row;

/// The figure.
#[derive(Debug)]
pub struct Buffer;

fn entries(contender: &str) -> String {
    format!("{contender}, entries")
}

fn bytes(contender: &str) -> String {
    format!("{contender}, bytes")
}

fn heap_of(contender: &str) -> String {
    format!("{contender}, heap")
}

/// The edges of the versioned buffer, and the runs of all.
const EDGES: &str = "shared versioned buffer, edges";
const RUNS: &str = "runs at once";

impl Experiment for Buffer {
    fn about(&self) -> About {
        let ordered = |of: fn(&str) -> String| Rule::ordered(&[&of(VERSIONED), &of(PRIVATE)]);
        let mut claims = vec![
            Claim::new(
                "the shared buffer has fewer entries on all six queries",
                "sharing needs less",
                ordered(entries),
            ),
            Claim::new(
                "the shared buffer takes fewer bytes on all six queries",
                "sharing needs less",
                ordered(bytes),
            ),
        ];
        claims.extend(CASES.iter().map(|case| {
            let text = format!("{}: the shared buffer has fewer entries", case.name);
            Claim::new(text, "", Rule::at(case.name, ordered(entries)))
        }));
        let mut claims: Vec<Claim> = claims.into_iter().map(Claim::our_reading).collect();
        claims.push(
            Claim::new("the whole heap is smaller on all six queries", "", ordered(heap_of))
                .our_check(),
        );
        let table = |title: &str, of: fn(&str) -> String| {
            let series: Vec<String> = ALL.iter().map(|one| of(one)).collect();
            let series: Vec<&str> = series.iter().map(String::as_str).collect();
            sweep::table(title, "query", &series)
        };
        About {
            id: "nfab-sigmod-buffer".to_owned(),
            kind: Kind::Figure,
            title: "Peak of the match buffer".to_owned(),
            paper: "The paper of 2008, as we recall it: the shared versioned buffer against a \
                    buffer for each run, for both strategies and three predicates. Sharing needs \
                    less."
                .to_owned(),
            method: format!(
                "{} W is {WINDOW}. Counted is the largest number of entries at any moment. In the \
                 shared buffer an event is one entry for each state in which some run took it, and \
                 each edge has a version; in a private buffer it is one entry for each run that \
                 took it, and a run that forks copies its buffer. The engine's buffers let go by \
                 whole chunks of 512 entries what a window has passed, so some entries that no run needs are counted; \
                 private buffers are counted exactly. Bytes are those of entries and edges; an entry of a \
                 private buffer counts 8, a reference. Heap is how far the peak of the heap grows \
                 during one run, in a process of its own with a counting allocator: buffers, runs, \
                 the window's events (each held once, for all contenders) and matches on their way \
                 out. The chain buffer is the engine's default: a cell of 8 \
                 bytes for each event that a run took, shared only where runs have forked.",
                workload::STREAM
            ),
            reconstruction: Some(workload::RECONSTRUCTION.to_owned()),
            claims,
            plots: vec![
                table("Most entries at once", entries),
                sweep::table("Most edges and runs at once", "query", &[EDGES, RUNS]),
                table("Most bytes of buffers at once", bytes),
                table("Peak of the heap in one run, bytes", heap_of),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let stream = workload::stream(context)?;
        context.record.data_sha256(Some(stream.sha256.clone()));
        for case in CASES {
            let all = held::all(&case.query(WINDOW), &stream.events)?;
            for (contender, held) in ALL.into_iter().zip(all) {
                context.record.count(&entries(contender), case.name, held.entries, "");
                context.record.count(&bytes(contender), case.name, held.bytes, "bytes");
            }
            context.record.count(EDGES, case.name, all[0].edges, "");
            context.record.count(RUNS, case.name, all[2].runs, "");
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        for case in CASES {
            let probes = ALL.map(|contender| held::probe_name(contender, &case, WINDOW));
            for (contender, memory) in ALL.into_iter().zip(context.memories(&probes)?) {
                context.record.count(&heap_of(contender), case.name, memory.peak_heap, "bytes");
            }
        }
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let of = |what: fn(&str) -> String, unit: &str| {
            let shared = sweep::values(rows, &what(VERSIONED));
            let private = sweep::values(rows, &what(PRIVATE));
            let ratios = shared.iter().zip(&private).map(|(one, other)| one.1 / other.1);
            let spread = crate::experiment::spread::Spread::of(ratios)?;
            Some(format!("{} the {unit}", spread.times()))
        };
        let runs = sweep::values(rows, RUNS).into_iter().map(|(_, runs)| runs);
        let (least, most) = runs.fold((f64::MAX, f64::MIN), |(a, b), one| (a.min(one), b.max(one)));
        match (of(entries, "entries"), of(bytes, "bytes")) {
            (Some(entries), Some(bytes)) => vec![format!(
                "On the SIGMOD workload the shared versioned buffer had {entries} of one buffer a run, \
                 and took {bytes}: at most {least} to {most} runs lived at once."
            )],
            _ => Vec::new(),
        }
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        Ok(vec![workload::table()])
    }

    fn probe(&self, name: &str, context: &mut Context<'_>, heap: &dyn Heap) -> Result<u64> {
        held::probe(name, context, heap)
    }
}
