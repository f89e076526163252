//! Fig. 8: throughput against size.

use std::fs::File;
use std::hint::black_box;
use std::io::BufReader;

use quick_xml::Reader;
use quick_xml::events::Event;

use super::engines::{Rpdt, fail_reading};
use super::queries::{self, DataSet, Query};
use crate::claim::{Claim, Rule};
use crate::data::DataFile;
use crate::error::{Error, Result};
use crate::experiment::{About, Artefact, Context, Experiment, Kind, Plot, Scale, Spacing, Style};
use crate::measure::{Contender, Samples, interleave};
use crate::record::X;

/// Fig. 8.
#[derive(Debug)]
pub struct Fig8;

/// The sizes as the paper names them, in MB, with the generator's factor.
const PAPER: [(f64, f64); 5] =
    [(11.0, 0.1), (56.0, 0.5), (115.0, 1.0), (1136.0, 10.0), (2273.0, 20.0)];

/// The queries that have a curve: P7, whose three return nodes make it another kind, is left out.
const PLAIN: [&str; 6] = ["P1", "P2", "P3", "P4", "P5", "P6"];
const REGULAR: [&str; 7] = ["R1", "R2", "R3", "R4", "R5", "R6", "R7"];

/// The query that is also run in memory, beside the reader alone.
const REFERENCE: &str = "R2";
const IN_MEMORY: &str = "R2, in memory";
const LOOP_MEMORY: &str = "quick-xml alone, in memory";
const LOOP_FILE: &str = "quick-xml alone, from file";

/// Larger files are never held in memory.
const LARGEST_IN_MEMORY: u64 = 1_200_000_000;
/// The buffer of the engine's reader, for the reference too.
const BUFFER: usize = 256 << 10;

impl Experiment for Fig8 {
    fn about(&self) -> About {
        let curves: Vec<&str> = PLAIN.into_iter().chain(REGULAR).collect();
        let reaches = |at: &[f64], value| Rule::Reaches {
            series: curves.iter().map(|&name| name.to_owned()).collect(),
            at: at.iter().map(|&size| X::Number(size)).collect(),
            value,
            unit: "GB/s".to_owned(),
        };
        About {
            id: "rpdt-fig8".to_owned(),
            kind: Kind::Figure,
            title: "Throughput against the size of the document".to_owned(),
            paper: "Section 5.2, Fig. 8: RPDT on XMark documents of 11, 56, 115, 1136 and 2273 MB, \
                    one curve a query. Throughput grows with size on the whole; at 2273 MB it \
                    reaches 1.61 GB/s, on average 1.54 GB/s."
                .to_owned(),
            method: "Inside the timed region: opening the file, reading it through one buffer of \
                     256 KiB, tokenising with quick-xml, the checks of well-formedness, \
                     matching, counting the answers. The file is in the operating system's \
                     cache. Compiling the query is outside. The times are CPU times, user and \
                     system, of one thread: on an idle machine they are those of the clock, \
                     which stand among the raw numbers (wall). GB are 10^9 bytes of the \
                     document; the sizes on the axis are the paper's names of the factors 0.1, \
                     0.5, 1, 10 and 20, and the actual bytes are among the raw numbers.\n\n\
                     All queries at all sizes are interleaved, so that a slower minute of the \
                     machine hits all of them. Beside the curves stand R2 over the document in \
                     memory, and the event loop of quick-xml alone, in memory and from file, \
                     which reads every event, does nothing with it and checks only that end tags \
                     match. Documents above 1.2 GB are only read from file. A tag is a start tag \
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
            claims: vec![
                Claim::new(
                    "throughput grows with size, for every query",
                    "grows on the whole",
                    Rule::rises(&curves),
                ),
                Claim::new(
                    "1.61 GB/s at 2273 MB, mean of the queries",
                    "1.61 GB/s",
                    reaches(&[2273.0], 1.61),
                ),
                Claim::new(
                    "1.54 GB/s on average over queries and sizes",
                    "1.54 GB/s",
                    reaches(&PAPER.map(|(size, _)| size), 1.54),
                ),
            ],
            plots: vec![
                lines("Plain queries, from file", &PLAIN),
                lines("Regular queries, from file", &REGULAR),
                lines(
                    "What the matching adds to reading (ours)",
                    &[REFERENCE, IN_MEMORY, LOOP_FILE, LOOP_MEMORY],
                ),
                Plot {
                    title: "Time for each tag, from file".to_owned(),
                    style: Style::Bars,
                    series: sizes(Scale::Full).iter().map(|&(size, _)| per_tag(size)).collect(),
                    x_label: "query".to_owned(),
                    y_label: "time a tag".to_owned(),
                    x_axis: Spacing::Linear,
                    y_axis: Spacing::Linear,
                },
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        // Reading from file and from memory must not differ in answers.
        let file = document(context, sizes(context.scale)[0].1)?;
        let bytes = file.read()?;
        for query in curves() {
            let engine = Rpdt::new(query)?;
            let (memory, stream) = (engine.count(&bytes)?, engine.count_file(&file)?);
            let name = format!("{} from memory and from file", query.name);
            context.record.check(name, memory.to_string(), stream.to_string());
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let mut files = Vec::new();
        for (size, factor) in sizes(context.scale) {
            let file = document(context, factor)?;
            let bytes = if file.bytes() <= LARGEST_IN_MEMORY { Some(file.read()?) } else { None };
            files.push((size, file, bytes));
        }
        let mut contenders = Vec::new();
        for (_, file, bytes) in &files {
            for query in curves() {
                let engine = Rpdt::new(query)?;
                contenders.push(steady(query.name, move || engine.count_file(file)));
            }
            contenders.push(steady(LOOP_FILE, move || events_of_file(file)));
            if let Some(bytes) = bytes {
                let engine = Rpdt::new(reference()?)?;
                contenders.push(steady(IN_MEMORY, move || engine.count(bytes)));
                contenders
                    .push(steady(LOOP_MEMORY, move || events(Reader::from_reader(&bytes[..]))));
            }
        }
        let samples = interleave(&mut contenders, &context.plan(), context.progress)?;
        let mut samples = samples.iter();
        for (size, file, bytes) in &files {
            context.record.data(Some(file));
            context.record.count("size of the document", *size, file.bytes(), "bytes");
            let count = curves().count() + if bytes.is_some() { 3 } else { 1 };
            for one in samples.by_ref().take(count) {
                record(context, *size, file, one);
            }
        }
        Ok(())
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

/// The sizes of a scale: what the paper would call them, and the generator's factor.
fn sizes(scale: Scale) -> Vec<(f64, f64)> {
    match scale {
        Scale::Tiny => vec![(1.1, 0.01), (5.6, 0.05)],
        Scale::Quick => PAPER[..2].to_vec(),
        Scale::Paper => PAPER.to_vec(),
        Scale::Full => PAPER.into_iter().chain([(4546.0, 40.0)]).collect(),
    }
}

fn lines(title: &str, series: &[&str]) -> Plot {
    Plot {
        title: title.to_owned(),
        style: Style::Lines,
        series: series.iter().map(|&name| name.to_owned()).collect(),
        x_label: "size of the document, MB".to_owned(),
        y_label: "throughput".to_owned(),
        x_axis: Spacing::Log,
        y_axis: Spacing::Linear,
    }
}

fn curves() -> impl Iterator<Item = &'static Query> {
    PLAIN.into_iter().chain(REGULAR).filter_map(queries::named)
}

fn reference() -> Result<&'static Query> {
    queries::named(REFERENCE).ok_or_else(|| Error::failed("the reference query is gone"))
}

fn document(context: &Context<'_>, factor: f64) -> Result<DataFile> {
    context.data.xml(&DataSet::Xmark.kind(factor), context.seed, context.progress)
}

/// A contender that must count the same in every run. Contenders of different queries count
/// differently, so the count itself cannot be what they are compared by.
fn steady<'a>(name: &str, mut count: impl FnMut() -> Result<u64> + 'a) -> Contender<'a, ()> {
    let mut first = None;
    Contender::new(name, move || {
        let now = count()?;
        let before = *first.get_or_insert(now);
        if now == before {
            return Ok(());
        }
        Err(Error::disagreement(format!("counts {now}, but {before} in an earlier run")))
    })
}

fn record(context: &mut Context<'_>, size: f64, file: &DataFile, one: &Samples<()>) {
    let gigabytes = file.bytes() as f64 / 1e9;
    let Some(cpu) = one.cpu_summary() else { return };
    context.record.point(&one.name, size, cpu.rate(gigabytes), "GB/s");
    if let Some(wall) = one.wall_summary() {
        context.record.point(&wall_of(&one.name), size, wall.rate(gigabytes), "GB/s");
    }
    if one.name == IN_MEMORY || one.name == LOOP_MEMORY {
        return;
    }
    let tags = 2.0 * file.manifest.facts.elements as f64;
    let name = if one.name == LOOP_FILE { "reader" } else { &one.name };
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

/// The bare event loop over a document in memory.
fn events(mut reader: Reader<&[u8]>) -> Result<u64> {
    let mut count = 0;
    loop {
        match reader.read_event().map_err(fail_reading)? {
            Event::Eof => return Ok(count),
            event => {
                black_box(&event);
                count += 1;
            }
        }
    }
}

/// The bare event loop over a file.
fn events_of_file(file: &DataFile) -> Result<u64> {
    let path = &file.path;
    let input = File::open(path)
        .map_err(|error| Error::io(format!("cannot open {}", path.display()), &error))?;
    let mut reader = Reader::from_reader(BufReader::with_capacity(BUFFER, input));
    let (mut count, mut buffer) = (0, Vec::new());
    loop {
        match reader.read_event_into(&mut buffer).map_err(fail_reading)? {
            Event::Eof => return Ok(count),
            event => {
                black_box(&event);
                count += 1;
            }
        }
        buffer.clear();
    }
}
