//! The engine on its own scanner: how it stands to a bare event loop, to the limits of the machine, to
//! Fig. 8, to the baselines on the same scanner, and what a second thread is worth.

mod sizes;

use std::path::Path;

use rpdt::input::Checks;
use rpdt::{Config, FrontEnd, Shape};

use super::engines::{self, Baseline, CEP, EXPDT, Rpdt};
use super::queries::{self, DataSet, Query};
use super::reader;
use super::throughput::{complete, lines, steady};
use crate::claim::{Claim, Rule, ratio};
use crate::data::DataFile;
use crate::error::{Error, Result};
use crate::experiment::{About, Artefact, Context, Experiment, Kind, Plot, Spacing, Style};
use crate::measure::{Contender, Summary, interleave};
use crate::own::Kind as Own;
use crate::record::X;

/// The check.
#[derive(Debug)]
pub struct Scanner;

const ID: &str = "rpdt-scanner";
const LOOP: &str = "quick-xml's own event loop";
const LOOP_FILE: &str = "quick-xml's own event loop, whole process";
const BYTES: &str = "bytes";
const TOKENISE: &str = "tokenise";
const OURS: &str = "RPDT on the scanner";
const OURS_FILE: &str = "RPDT on the scanner, whole process";
/// The jobs of whole processes: the loop, and R2 on the scanner.
const JOB_LOOP: &str = "loop";
const JOB_R2: &str = "R2";
const ON_QUICK_XML: &str = "RPDT on quick-xml";
const MEAN: &str = "mean of the queries, scanner";
const MEAN_QUICK_XML: &str = "mean of the queries, quick-xml";
const ONE: &str = "one thread";
const TWO: &str = "two threads";
/// Two independent runs, and how much more they get done together than one after the other.
const APART: &str = "two runs at once";
const APART_GAIN: &str = "gain of two runs at once";

const SPEED: &str = "throughput, scanner";
const PER_TAG: &str = "time a tag, scanner";
const READING: &str = "share of having the bytes";
const TOKENISING: &str = "share of finding tags";
const MATCHING: &str = "share of matching";
/// What prototypes reached on one core of the machine that the design was measured on, in GB/s.
const LIMITS: [(&str, f64); 2] =
    [("of a bitmap of all `<` (9.8 GB/s)", 9.8), ("of a depth scan (17 GB/s)", 17.0)];

/// Where the bars are: the point, and how many times the speed of the loop is asked.
const BARS: [(&str, f64); 8] = [
    ("XMark tokenise", 5.0),
    ("XMark R1", 4.0),
    ("XMark R2", 4.0),
    ("XMark P4", 8.0),
    ("XMark R2, strict", 3.0),
    ("TreeBank TR1", 3.5),
    ("TreeBank TR2", 3.5),
    ("TreeBank TR3", 3.5),
];
const BAR_FILE: f64 = 2.5;
const BAR_THREADS: f64 = 1.7;

/// The queries whose time is divided; all of DBLP and TreeBank, and those of Fig. 8.
fn queries_of(data: DataSet) -> impl Iterator<Item = &'static Query> {
    queries::ALL.iter().filter(move |query| query.data == data)
}

/// Names and texts of queries.
type Named = &'static [(&'static str, &'static str)];

/// Documents of the world, measured where they are given: what they are given as, their name, and queries
/// with their names.
const REAL: [(Own, &str, Named); 2] = [
    (
        Own::Cldr,
        "CLDR",
        &[
            ("CP1", "//languages/language"),
            ("CP2", "//calendar[eras//era][.//dateFormatItem]/months//month"),
            ("CR1", "//currency/{displayName!, displayName!*, symbol}"),
            ("CR2", "//monthWidth/{month!, month!*}"),
        ],
    ),
    (
        Own::Scap,
        "SCAP",
        &[
            ("SP1", "//*:Rule[*:ident]/*:title"),
            ("SP2", "//*:criteria//*:criterion"),
            ("SR1", "//*:Rule/{*:title!, *:description, *:reference!, *:reference!*}"),
            ("SR2", "//*:definition/{*:metadata, *:criteria!}"),
        ],
    ),
];

/// A query to be measured in memory: its name, its text and the shape of its answers.
type Asked = (&'static str, &'static str, Shape);

/// Those of Table 2 whose document this is.
fn asked_of(data: DataSet) -> Vec<Asked> {
    queries_of(data).map(|query| (query.name, query.text, engines::shape(query))).collect()
}

/// Those of a document of the world; the names of regular ones have an `R`.
fn asked_of_real(queries: Named) -> Vec<Asked> {
    let shape = |name: &str| if name.contains('R') { Shape::Tuples } else { Shape::Nodes };
    queries.iter().map(|&(name, text)| (name, text, shape(name))).collect()
}

/// The engine on one of them.
fn engine((_, text, shape): Asked, front_end: FrontEnd, checks: Checks) -> Result<Rpdt> {
    Rpdt::compile(text, Config::new().shape(shape).front_end(front_end).checks(checks))
}

fn compared() -> impl Iterator<Item = (&'static Query, &'static str)> {
    queries::ALL.iter().filter_map(|query| Some((query, engines::baseline_of(query)?)))
}

/// The paired ratio of two contenders' CPU times is at least so much at a point.
fn at_least(a: &str, b: &str, x: &str, least: f64) -> Rule {
    Rule::Fold { a: a.to_owned(), b: b.to_owned(), from: least, to: 1000.0, at: vec![X::from(x)] }
}

fn cpu(name: &str) -> String {
    format!("{name} (CPU)")
}

impl Experiment for Scanner {
    fn about(&self) -> About {
        let bars = BARS.map(|(x, least)| {
            let text = format!("{x}: at least {least} times quick-xml's own event loop, in memory");
            (text, at_least(&cpu(LOOP), &cpu(OURS), x, least))
        });
        let more = [
            (
                format!(
                    "R2 from file, whole processes: at most 1/{BAR_FILE} of the loop's CPU time"
                ),
                at_least(&cpu(LOOP_FILE), &cpu(OURS_FILE), "R2", BAR_FILE),
            ),
            (
                format!("R2: two threads at least {BAR_THREADS} times one (needs two idle cores)"),
                at_least(ONE, TWO, "R2", BAR_THREADS),
            ),
            (
                "Fig. 8 on the scanner: throughput grows with size, mean of the queries".to_owned(),
                complete(&[MEAN], Rule::rises(&[MEAN])),
            ),
            (
                "Fig. 8 on the scanner: 1.61 GB/s at 2273 MB, mean of the queries".to_owned(),
                Rule::Reaches {
                    series: vec![MEAN.to_owned()],
                    at: vec![X::Number(2273.0)],
                    value: 1.61,
                    unit: "GB/s".to_owned(),
                },
            ),
        ];
        let against = [EXPDT, CEP].map(|baseline| {
            let scanned = format!("{baseline} on the scanner");
            let text =
                format!("RPDT is faster than {baseline} on every query, both on the scanner");
            (text, Rule::below(&cpu(OURS), &cpu(&scanned)))
        });
        let claims = bars.into_iter().chain(more).chain(against);
        About {
            id: ID.to_owned(),
            kind: Kind::Check,
            title: "RPDT on its own scanner".to_owned(),
            paper: "Not of the paper. Its figures are redone with quick-xml as the reader of all \
                    engines; here the engine reads with its own scanner."
                .to_owned(),
            method: "CPU times, user and system, of one thread; medians of interleaved rounds, in \
                     which everything of a document runs once, in an order that changes. Ratios are \
                     of times within a round. “quick-xml's own event loop” makes every event of a \
                     slice, does nothing with it and checks only that end tags match. “bytes” looks \
                     for a byte that is not there; “tokenise” is the scanner with a handler that \
                     wants all tags and nothing of them: tags found, names looked up, end tags \
                     matched, attributes checked. The share of having the bytes in a query's time \
                     is that of “bytes”, the share of finding tags that of “tokenise” less “bytes”, \
                     and matching is the rest: below nothing where skipping saves more than \
                     matching costs. A tag is a start tag or an end tag; an empty element counts as \
                     two.\n\n\
                     The two limits are what prototypes reached on one core of the machine that \
                     the scanner was designed on, so they say something of this machine only as \
                     far as it is alike: a bitmap of all `<` of the document, and a scan that only \
                     follows the depth.\n\n\
                     From file: opening, reading through one buffer of 256 KiB and matching, the \
                     file being in the operating system's cache. Whole processes: this program is \
                     started anew for each run, with the loop over the file as its only job or with \
                     compiling and running R2, and all CPU time that the system counts for the \
                     process is taken, from its start to its end, for both sides alike; the claim on \
                     the largest document. Two threads are judged by the \
                     clock, in memory, on the documents of Fig. 8 up to 1.2 GB (at scale quick up to 115 MB), \
                     the claim on the largest one, one thread and two in turn: the second core was idle before, and starting \
                     the second thread is part of the time. Two runs at once, which share nothing but \
                     the document, show what the machine allows, in the same rounds: processors that \
                     are two halves of one core, or that others use, gain less than two. The claim is \
                     judged all the same.\n\n\
                     Against the baselines: document in memory, the same scanner behind both, counts \
                     compared in every run. RPDT may skip, as it may in Figs. 6 and 7; the baselines \
                     ask for all tags and so take the scanner's way for tags that a handler wants to see, \
                     which is slower than the one for tags of which the symbol is enough.\n\n\
                     Documents of CLDR and SCAP are measured in the same way where `--cldr` and `--scap` \
                     give them; `rpdt/tests/real/fetch.sh` gets them. Names that begin with C and S are \
                     queries of theirs."
                .to_owned(),
            reconstruction: None,
            claims: claims.map(|(text, rule)| Claim::new(text, "no figure", rule).our_check()).collect(),
            plots: vec![
                plot("Times as fast as quick-xml's own event loop, in memory", Style::Bars, &[
                    &ratio(&cpu(LOOP), &cpu(OURS)),
                ]),
                plot("Throughput in memory", Style::Bars, &[SPEED]),
                plot("Nanoseconds a tag, in memory", Style::Table, &[PER_TAG]),
                plot("R2 from file, whole processes: CPU time, the loop's to ours", Style::Table, &[
                    &ratio(&cpu(LOOP_FILE), &cpu(OURS_FILE)),
                ]),
                plot("One thread to two, by the clock", Style::Table, &[
                    &ratio(ONE, TWO),
                    APART_GAIN,
                ]),
                plot("Where the time goes", Style::Table, &[READING, TOKENISING, MATCHING]),
                plot("Distance to the limits: the speed as a share", Style::Table, &[
                    LIMITS[0].0,
                    LIMITS[1].0,
                ]),
                lines("Fig. 8 on both readers, from file: mean of the queries", &[
                    MEAN,
                    MEAN_QUICK_XML,
                ]),
                plot("CPU time on the same scanner", Style::Bars, &[
                    &cpu(OURS),
                    &cpu("ExPDT on the scanner"),
                    &cpu("CepEngine on the scanner"),
                ]),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        for data in DataSet::ALL {
            let document = data.file(context)?.read()?;
            for query in queries_of(data) {
                let expected = Rpdt::new(query)?.count(&document)?;
                let mut counts = Vec::new();
                for checks in [Checks::Fast, Checks::Strict] {
                    let engine = Rpdt::scanning(query, checks)?;
                    counts.push(engine.count(&document)?);
                    counts.push(engine.count_on(2, &document)?);
                }
                if let Some(name) = engines::baseline_of(query) {
                    counts.push(Baseline::new(name, query)?.count_scanned(&document)?);
                }
                if counts.iter().any(|count| *count != expected) {
                    return Err(disagreement(query.name, expected, &counts));
                }
            }
        }
        for (kind, _, queries) in REAL {
            let Some(file) = context.data.own().document(kind)? else { continue };
            let document = file.read()?;
            for query in asked_of_real(queries) {
                let expected = engine(query, FrontEnd::QuickXml, Checks::Fast)?.count(&document)?;
                let counts = [Checks::Fast, Checks::Strict].map(|checks| {
                    let engine = engine(query, FrontEnd::Scanner, checks)?;
                    Ok([engine.count(&document)?, engine.count_on(2, &document)?])
                });
                let counts: Vec<u64> =
                    counts.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
                if counts.iter().any(|count| *count != expected) {
                    return Err(disagreement(query.0, expected, &counts));
                }
            }
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        for data in DataSet::ALL {
            let file = data.file(context)?;
            in_memory(context, &data.to_string(), &file, &asked_of(data))?;
        }
        for (kind, name, queries) in REAL {
            if let Some(file) = context.data.own().document(kind)? {
                in_memory(context, name, &file, &asked_of_real(queries))?;
            }
        }
        against_baselines(context)?;
        sizes::from_file(context)?;
        sizes::whole_processes(context)?;
        sizes::two_threads(context)
    }

    fn whole(&self, job: &str, file: &Path) -> Result<u64> {
        match (job, queries::named(JOB_R2)) {
            (JOB_LOOP, _) => reader::events_of_file(file),
            (JOB_R2, Some(query)) => Rpdt::scanning(query, Checks::Fast)?.count_file(file),
            _ => Err(Error::usage(format!("{ID} has the jobs {JOB_LOOP} and {JOB_R2}"))),
        }
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let rows = queries::ALL.iter().map(|query| {
            [query.name, &query.data.to_string(), query.text].map(str::to_owned).to_vec()
        });
        let real = REAL.into_iter().flat_map(|(_, name, queries)| {
            queries
                .iter()
                .map(move |&(query, text)| [query, name, text].map(str::to_owned).to_vec())
        });
        Ok(vec![Artefact::Table {
            caption: "The queries".to_owned(),
            head: ["Query", "Data", "Pattern"].map(str::to_owned).to_vec(),
            rows: rows.chain(real).collect(),
        }])
    }
}

fn disagreement(query: &str, expected: u64, counts: &[u64]) -> Error {
    Error::disagreement(format!("{query}: {expected} on quick-xml, on the scanner {counts:?}"))
}

/// A document in memory: the loop, the parts, all queries.
fn in_memory(
    context: &mut Context<'_>,
    data: &str,
    file: &DataFile,
    queries: &[Asked],
) -> Result<()> {
    context.record.data(Some(file));
    let document = file.read()?;
    let document = &document[..];
    let mut contenders = vec![
        steady(LOOP, move || reader::events(document)),
        steady(BYTES, move || Ok(reader::bytes(document))),
        steady(TOKENISE, move || reader::tokenise(document, Checks::Fast)),
        steady("tokenise, strict", move || reader::tokenise(document, Checks::Strict)),
    ];
    for &query in queries {
        let (name, ..) = query;
        let fast = engine(query, FrontEnd::Scanner, Checks::Fast)?;
        contenders.push(steady(name, move || fast.count(document)));
        if matches!(name, "R1" | "R2" | "P4" | "DR1" | "TR1" | "CR1" | "SR1") {
            let engine = engine(query, FrontEnd::Scanner, Checks::Strict)?;
            let name = format!("{name}, strict");
            contenders.push(steady(&name, move || engine.count(document)));
        }
    }
    let samples = interleave(&mut contenders, &context.plan(), context.progress)?;
    let [events, bytes, tokenise, ..] = &samples[..] else {
        return Err(Error::failed("there are no samples"));
    };
    let gigabytes = file.bytes() as f64 / 1e9;
    let tags = reader::tokenise(document, Checks::Fast)? as f64;
    for one in &samples {
        let x = format!("{data} {}", one.name);
        let Some(summary) = one.cpu_summary() else { continue };
        // Having the bytes is so much faster that nothing else could be told apart beside it.
        if one.name != BYTES {
            context.record.point(SPEED, x.clone(), summary.rate(gigabytes), "GB/s");
        }
        context.record.point(PER_TAG, x.clone(), summary.scale(1e9 / tags), "ns");
        let mut of = |series: &str, values: Vec<f64>| {
            if let Some(summary) = Summary::of(&values) {
                context.record.point(series, x.clone(), summary, "ratio");
            }
        };
        let rounds =
            || one.cpu.iter().zip(events.cpu.iter().zip(bytes.cpu.iter().zip(&tokenise.cpu)));
        for (limit, speed) in LIMITS {
            of(limit, one.cpu.iter().map(|own| gigabytes / own / speed).collect());
        }
        if one.name != LOOP && one.name != BYTES {
            of(
                &ratio(&cpu(LOOP), &cpu(OURS)),
                rounds().map(|(own, (events, _))| events / own).collect(),
            );
        }
        if queries.iter().any(|(name, ..)| *name == one.name) {
            of(READING, rounds().map(|(own, (_, (bytes, _)))| bytes / own).collect());
            of(
                TOKENISING,
                rounds().map(|(own, (_, (bytes, tags)))| (tags - bytes) / own).collect(),
            );
            of(MATCHING, rounds().map(|(own, (_, (_, tags)))| 1.0 - tags / own).collect());
        }
    }
    Ok(())
}

/// Every query against its baseline, both on the scanner.
fn against_baselines(context: &mut Context<'_>) -> Result<()> {
    for data in DataSet::ALL {
        let document = data.file(context)?.read()?;
        let document = &document[..];
        for (query, name) in compared().filter(|(query, _)| query.data == data) {
            let (engine, baseline) =
                (Rpdt::scanning(query, Checks::Fast)?, Baseline::new(name, query)?);
            let slow = Rpdt::new(query)?;
            let mut contenders = [
                Contender::new(OURS, || engine.count(document)),
                Contender::new(format!("{name} on the scanner"), || {
                    baseline.count_scanned(document)
                }),
                Contender::new(ON_QUICK_XML, || slow.count(document)),
            ];
            let samples = interleave(&mut contenders, &context.plan(), context.progress)?;
            context.record.times(query.name, &samples);
        }
    }
    Ok(())
}

fn plot(title: &str, style: Style, series: &[&str]) -> Plot {
    let y_label = match series {
        [SPEED] => "throughput",
        [series, ..] if series.contains(" / ") => "times as fast",
        _ => "CPU time",
    };
    Plot {
        title: title.to_owned(),
        style,
        series: series.iter().map(|&name| name.to_owned()).collect(),
        x_label: "data and query".to_owned(),
        y_label: y_label.to_owned(),
        x_axis: Spacing::Linear,
        y_axis: Spacing::Linear,
        absent: Vec::new(),
    }
}
