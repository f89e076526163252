//! Fig. 8: throughput against size.

use super::engines::Rpdt;
use super::queries::{self, DataSet, Query};
use super::reader;
use crate::claim::{Claim, Rule};
use crate::data::DataFile;
use crate::error::{Error, Result};
use crate::experiment::spread::Spread;
use crate::experiment::{About, Artefact, Context, Experiment, Kind, Plot, Scale, Spacing, Style};
use crate::measure::{Contender, Samples, Summary, interleave};
use crate::record::{Row, X};

/// Fig. 8.
#[derive(Debug)]
pub struct Fig8;

/// The sizes as the paper names them, in MB, with the generator's factor.
const PAPER: [(f64, f64); 5] =
    [(11.0, 0.1), (56.0, 0.5), (115.0, 1.0), (1136.0, 10.0), (2273.0, 20.0)];

/// The queries that have a curve: P7, whose three return nodes make it another kind, is left out.
const PLAIN: [&str; 6] = ["P1", "P2", "P3", "P4", "P5", "P6"];
const REGULAR: [&str; 7] = ["R1", "R2", "R3", "R4", "R5", "R6", "R7"];

/// The query that is also run in memory, beside reading without a query.
const REFERENCE: &str = "R2";
const IN_MEMORY: &str = "R2, in memory";
/// The series of the mean of all queries.
const MEAN: &str = "mean of the queries";
const READER_MEMORY: &str = "RPDT's reader, no query, in memory";
const READER_FILE: &str = "RPDT's reader, no query, from file";
const LOOP_MEMORY: &str = "quick-xml's own event loop, in memory";
const LOOP_FILE: &str = "quick-xml's own event loop, from file";

/// Larger files are never held in memory.
const LARGEST_IN_MEMORY: u64 = 1_200_000_000;

impl Experiment for Fig8 {
    fn about(&self) -> About {
        let curves: Vec<&str> = PLAIN.into_iter().chain(REGULAR).collect();
        let reaches = |at: &[f64], value| Rule::Reaches {
            series: curves.iter().map(|&name| name.to_owned()).collect(),
            at: at.iter().map(|&size| X::Number(size)).collect(),
            value,
            unit: "GB/s".to_owned(),
        };
        let all = PAPER.map(|(size, _)| size);
        let mut claims = vec![
            Claim::new(
                "throughput grows with size on the whole: mean of the queries",
                "grows on the whole",
                complete(&[MEAN], Rule::rises(&[MEAN])),
            ),
            Claim::new(
                "1.61 GB/s at 2273 MB, mean of the queries",
                "1.61 GB/s",
                complete(&curves, reaches(&[2273.0], 1.61)),
            ),
            Claim::new(
                "1.54 GB/s on average over queries and sizes",
                "1.54 GB/s",
                complete(&curves, reaches(&all, 1.54)),
            ),
        ];
        let each = Claim::new(
            "throughput grows with size for every single query",
            "grows for every query: more than the paper says",
            complete(&curves, Rule::rises(&curves)),
        );
        claims.push(each.our_reading());
        About {
            id: "rpdt-fig8".to_owned(),
            kind: Kind::Figure,
            title: "Throughput against the size of the document".to_owned(),
            paper: "Section 5.2, Fig. 8: RPDT on XMark documents of 11, 56, 115, 1136 and 2273 MB, \
                    one curve a query. Throughput grows with size on the whole; at 2273 MB it \
                    reaches 1.61 GB/s, on average 1.54 GB/s. That 1.61 GB/s is a mean of the queries is our reading."
                .to_owned(),
            method: "Inside the timed region: opening the file, reading it through one buffer of \
                     256 KiB, finding the tags, the checks of well-formedness, matching, \
                     counting the answers. The file is in the operating system's \
                     cache. Compiling the query is outside. The times are CPU times, user and \
                     system, of one thread: on an idle machine they are those of the clock, \
                     which stand among the raw numbers (wall). GB are 10^9 bytes of the \
                     document; the sizes on the axis are the paper's names of the factors 0.1, \
                     0.5, 1, 10 and 20, and the actual bytes are among the raw numbers.\n\n\
                     All queries at all sizes are interleaved, so that a slower minute of the \
                     machine hits all of them. Beside the curves stand R2 over the document in \
                     memory, and two ways to read without a query, in memory and from file. “RPDT's \
                     reader, no query” is the engine's own reader with a handler that wants tags \
                     and does nothing with them; the engine's checks of well-formedness are in \
                     it, as they are in the curves. “quick-xml's own event loop” is an outside \
                     reference: it makes every event, text too, does nothing with it and checks \
                     only that end tags match. The engine does not run that loop; it takes only \
                     the parser of single elements from quick-xml. Documents above 1.2 GB are only \
                     read from file. A tag is a start tag \
                     or an end tag; an empty element counts as two."
                .to_owned(),
            reconstruction: Some(
                "The paper does not say which queries its curves are of, nor what was timed. These \
                 are the plain and regular XMark queries of the reconstructed Table 2. The \
                 documents come from our own generator, whose sizes are within 2 % of the \
                 original's. An absolute throughput depends on the machine; the paper's was an \
                 Intel Core i7 at 3.00 GHz."
                    .to_owned(),
            ),
            claims,
            plots: vec![
                lines("Mean of the queries, from file", &[MEAN]),
                lines("Plain queries, from file", &PLAIN),
                lines("Regular queries, from file", &REGULAR),
                lines(
                    "Reading without a query, and R2 (ours, no claim)",
                    &[
                        REFERENCE,
                        IN_MEMORY,
                        READER_FILE,
                        READER_MEMORY,
                        LOOP_FILE,
                        LOOP_MEMORY,
                    ],
                ),
                Plot {
                    title: "Time for each tag, from file; “no query” is RPDT's reader alone, “quick-xml” the \
                            outside reference"
                        .to_owned(),
                    style: Style::Bars,
                    series: sizes(Scale::Full).iter().map(|&(size, _)| per_tag(size)).collect(),
                    x_label: "query".to_owned(),
                    y_label: "time a tag".to_owned(),
                    x_axis: Spacing::Linear,
                    y_axis: Spacing::Linear,
                    absent: Vec::new(),
                },
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        // Reading from file and from memory must not differ in answers.
        let (_, file) = documents(context)?.remove(0);
        let bytes = file.read()?;
        for query in curves() {
            let engine = Rpdt::new(query)?;
            let (memory, stream) = (engine.count(&bytes)?, engine.count_file(&file.path)?);
            let name = format!("{} from memory and from file", query.name);
            context.record.check(name, memory.to_string(), stream.to_string());
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let mut files = Vec::new();
        for (size, file) in documents(context)? {
            let bytes = if file.bytes() <= LARGEST_IN_MEMORY { Some(file.read()?) } else { None };
            files.push((size, file, bytes));
        }
        let mut contenders = Vec::new();
        for (_, file, bytes) in &files {
            for query in curves() {
                let engine = Rpdt::new(query)?;
                contenders.push(steady(query.name, move || engine.count_file(&file.path)));
            }
            contenders.push(steady(READER_FILE, move || reader::read_file(&file.path)));
            contenders.push(steady(LOOP_FILE, move || reader::events_of_file(&file.path)));
            if let Some(bytes) = bytes {
                let engine = Rpdt::new(reference()?)?;
                contenders.push(steady(IN_MEMORY, move || engine.count(bytes)));
                contenders.push(steady(READER_MEMORY, move || reader::read(bytes)));
                contenders.push(steady(LOOP_MEMORY, move || reader::events(bytes)));
            }
        }
        let samples = interleave(&mut contenders, &context.plan(), context.progress)?;
        let mut samples = samples.iter();
        for (size, file, bytes) in &files {
            context.record.data(Some(file));
            context.record.count("size of the document", *size, file.bytes(), "bytes");
            let count = curves().count() + if bytes.is_some() { 5 } else { 2 };
            let here: Vec<&Samples<()>> = samples.by_ref().take(count).collect();
            mean(context, *size, file, &here);
            for one in here {
                record(context, *size, file, one);
            }
        }
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        sentences(rows)
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let rows = curves().map(|query| vec![query.name.to_owned(), query.text.to_owned()]);
        Ok(vec![Artefact::Table {
            caption: "The queries of the curves".to_owned(),
            head: vec!["Query".to_owned(), "Pattern".to_owned()],
            rows: rows.collect(),
        }])
    }
}

/// Judged only when all sizes of the paper were measured.
pub(super) fn complete(series: &[&str], rule: Rule) -> Rule {
    Rule::Complete {
        series: series.iter().map(|&name| name.to_owned()).collect(),
        at: PAPER.map(|(size, _)| X::Number(size)).to_vec(),
        hint: "needs --scale paper; quick stops at 56 MB".to_owned(),
        rule: Box::new(rule),
    }
}

/// The sizes of a scale: what the paper would call them, and the generator's factor.
pub(super) fn sizes(scale: Scale) -> Vec<(f64, f64)> {
    match scale {
        Scale::Tiny => vec![(1.1, 0.01), (5.6, 0.05)],
        Scale::Quick => PAPER[..2].to_vec(),
        Scale::Paper => PAPER.to_vec(),
        Scale::Full => PAPER.into_iter().chain([(4546.0, 40.0)]).collect(),
    }
}

pub(super) fn lines(title: &str, series: &[&str]) -> Plot {
    Plot {
        title: title.to_owned(),
        style: Style::Lines,
        series: series.iter().map(|&name| name.to_owned()).collect(),
        x_label: "size of the document, MB".to_owned(),
        y_label: "throughput".to_owned(),
        x_axis: Spacing::Log,
        y_axis: Spacing::Linear,
        absent: Vec::new(),
    }
}

pub(super) fn curves() -> impl Iterator<Item = &'static Query> {
    PLAIN.into_iter().chain(REGULAR).filter_map(queries::named)
}

fn reference() -> Result<&'static Query> {
    queries::named(REFERENCE).ok_or_else(|| Error::failed("the reference query is gone"))
}

/// A generated document.
pub(super) fn document(context: &Context<'_>, factor: f64) -> Result<DataFile> {
    context.data.xml(&DataSet::Xmark.kind(factor), context.seed, context.progress)
}

/// The documents of a scale, at least one, with the sizes that the paper would give them; or the user's.
fn documents(context: &Context<'_>) -> Result<Vec<(f64, DataFile)>> {
    if let Some(file) = DataSet::Xmark.own_file(context)? {
        return Ok(vec![((file.bytes() as f64 / 1e5).round() / 10.0, file)]);
    }
    let document = |(size, factor)| Ok((size, document(context, factor)?));
    sizes(context.scale).into_iter().map(document).collect()
}

/// A contender that must count the same in every run. Contenders of different queries count
/// differently, so the count itself cannot be what they are compared by.
pub(super) fn steady<'a>(name: &str, count: impl FnMut() -> Result<u64> + 'a) -> Contender<'a, ()> {
    Contender::new(name, steadily(count))
}

/// Fails when two runs count differently.
pub(super) fn steadily(mut count: impl FnMut() -> Result<u64>) -> impl FnMut() -> Result<()> {
    let mut first = None;
    move || {
        let now = count()?;
        let before = *first.get_or_insert(now);
        if now == before {
            return Ok(());
        }
        Err(Error::disagreement(format!("counts {now}, but {before} in an earlier run")))
    }
}

/// The mean of the queries' throughputs, round by round.
fn mean(context: &mut Context<'_>, size: f64, file: &DataFile, samples: &[&Samples<()>]) {
    let queries = samples.iter().filter(|one| curves().any(|query| query.name == one.name));
    let times: Vec<&Vec<f64>> = queries.map(|one| &one.cpu).collect();
    let rounds = times.iter().map(|times| times.len()).min().unwrap_or(0);
    let of_round = |round: usize| {
        let speeds = times.iter().map(|times| file.bytes() as f64 / 1e9 / times[round]);
        speeds.sum::<f64>() / times.len() as f64
    };
    if let Some(summary) = Summary::of(&(0..rounds).map(of_round).collect::<Vec<_>>()) {
        context.record.point(MEAN, size, summary, "GB/s");
    }
}

fn record(context: &mut Context<'_>, size: f64, file: &DataFile, one: &Samples<()>) {
    let gigabytes = file.bytes() as f64 / 1e9;
    let Some(cpu) = one.cpu_summary() else { return };
    context.record.point(&one.name, size, cpu.rate(gigabytes), "GB/s");
    if let Some(wall) = one.wall_summary() {
        context.record.point(&wall_of(&one.name), size, wall.rate(gigabytes), "GB/s");
    }
    let name = match one.name.as_str() {
        IN_MEMORY | READER_MEMORY | LOOP_MEMORY => return,
        READER_FILE => "no query",
        LOOP_FILE => "quick-xml",
        query => query,
    };
    let tags = 2.0 * file.elements as f64;
    context.record.point(&per_tag(size), name, cpu.scale(1e9 / tags), "ns");
}

/// The series by the clock.
fn wall_of(name: &str) -> String {
    format!("{name} (wall)")
}

/// The series of times a tag at one size.
fn per_tag(size: f64) -> String {
    format!("{size} MB")
}

/// Throughput at the largest size that ran, and how much of it is reading.
fn sentences(rows: &[&Row]) -> Vec<String> {
    let sizes =
        rows.iter().filter(|row| row.series == READER_FILE).filter_map(|row| row.x.number());
    let Some(size) = sizes.reduce(f64::max) else { return Vec::new() };
    let value = |series: &str| {
        let here = |row: &&&Row| row.series == series && row.x == X::Number(size);
        rows.iter().find(here).map(|row| row.value)
    };
    let Some(mean) = value(MEAN) else { return Vec::new() };
    let queries: Vec<f64> = curves().filter_map(|query| value(query.name)).collect();
    let count = queries.len();
    let mut sentences = vec![format!(
        "In this run RPDT's throughput at {size} MB, the largest document, was {mean:.2} GB/s, mean of \
         {count} queries."
    )];
    // Times are as the inverse of throughputs.
    let share = value(READER_FILE)
        .and_then(|reader| Spread::of(queries.iter().map(|query| query / reader)));
    if let Some(share) = share {
        sentences.push(format!(
            "There RPDT's reader without a query takes {} of the CPU time of a query, from file.",
            share.percent()
        ));
    }
    if let (Some(reader), Some(events)) = (value(READER_MEMORY), value(LOOP_MEMORY)) {
        sentences.push(format!(
            "In memory the reader makes {reader:.2} GB/s, quick-xml's own event loop {events:.2} GB/s."
        ));
    }
    sentences
}
