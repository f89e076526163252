//! Sequences of letters: the cost against length, window and domain size.

use std::rc::Rc;

use data_gen::stream::letters::LETTERS;
use data_gen::stream::{Letter, LetterOptions, StreamKind};
use nfab::{Event, Slot, TypeId, ValueRef};

use super::engines::{self, Nfab, Stream, Way, agree, schema};
use super::sweep::{self, Sweep};
use crate::claim::{Claim, Rule};
use crate::error::Result;
use crate::experiment::{About, Artefact, Context, Experiment, Kind, Plot, Scale, Spacing};
use crate::record::Row;

/// The figure.
#[derive(Debug)]
pub struct Sequence;

/// Lengths, windows in events, domain sizes; the others stay at their defaults.
const LENGTHS: [u64; 5] = [2, 3, 4, 5, 6];
const WINDOWS: [u64; 4] = [10_000, 25_000, 50_000, 100_000];
const DOMAINS: [u64; 4] = [100, 300, 1000, 10_000];

/// The point where the three axes meet.
const LENGTH: u64 = 3;
const WINDOW: u64 = 10_000;
const DOMAIN: u64 = 100;

/// Types of events in the stream, all equally frequent.
const TYPES: usize = 20;

/// An axis: how its series begin, its label, and its points.
#[derive(Clone, Copy, Debug)]
struct Axis {
    name: &'static str,
    label: &'static str,
    points: &'static [u64],
}

const AXES: [Axis; 3] = [
    Axis { name: "length", label: "length of the sequence", points: &LENGTHS },
    Axis { name: "window", label: "window, events", points: &WINDOWS },
    Axis { name: "domain", label: "domain size of id", points: &DOMAINS },
];

const MATCHES: &str = "matches";
const COST: &str = "time an event, every match read";
const COUNT_COST: &str = "time an event, matches counted";
const RUNS_COST: &str = "time an event, one run each";

/// A point of the parameters.
#[derive(Clone, Copy, Debug)]
struct Point {
    length: u64,
    window: u64,
    domain: u64,
}

impl Axis {
    fn at(self, x: u64) -> Point {
        let Point { length, window, domain } =
            Point { length: LENGTH, window: WINDOW, domain: DOMAIN };
        match self.name {
            "length" => Point { length: x, window, domain },
            "window" => Point { length, window: x, domain },
            _ => Point { length, window, domain: x },
        }
    }

    fn series(self, what: &str) -> String {
        format!("by {}: {what}", self.name)
    }
}

impl Point {
    /// Under skip-till-any, with [id] as the key: events of one id are matched on their own.
    fn text(self) -> String {
        let Self { length, window, .. } = self;
        let items: Vec<String> = LETTERS[..length as usize]
            .iter()
            .map(|letter| format!("{letter} {}", letter.to_lowercase()))
            .collect();
        format!(
            "PATTERN SEQ({}) WHERE skip_till_any_match {{ [id] }} WITHIN {window} ms",
            items.join(", ")
        )
    }
}

impl Event for Symbol {
    fn event_type(&self) -> TypeId {
        TypeId(u32::from(self.0.letter))
    }

    fn time(&self) -> i64 {
        self.0.time
    }

    fn attribute(&self, slot: Slot) -> ValueRef<'_> {
        match slot.0 {
            0 => ValueRef::Int(self.0.id),
            _ => ValueRef::Missing,
        }
    }
}

/// A letter of the stream.
#[derive(Clone, Copy, Debug)]
pub struct Symbol(pub Letter);

impl Experiment for Sequence {
    fn about(&self) -> About {
        let [length, window, domain] = AXES;
        let claim = |text: &str, rule: Rule| Claim::new(text, "", rule);
        let cost = |axis: Axis, what: &str| axis.series(what);
        let trends = |what: &str| {
            Rule::All(vec![
                Rule::rises(&[&cost(length, what), &cost(window, what)]),
                Rule::falls(&[&cost(domain, what)]),
            ])
        };
        let plot = |axis: Axis, title: &str, what: &[&str]| Plot {
            series: what.iter().map(|what| axis.series(what)).collect(),
            y_axis: Spacing::Log,
            x_axis: if axis.name == "length" { Spacing::Linear } else { Spacing::Log },
            ..sweep::lines(title, axis.label, "time an event", &[])
        };
        let costs = [COST, COUNT_COST, RUNS_COST];
        About {
            id: "nfab-sigmod-seq".to_owned(),
            kind: Kind::Figure,
            title: "Sequences: length, window and domain size".to_owned(),
            paper: "Sequences of length 2 to 6 under skip till any match, windows from 10,000 to \
                    100,000, domain sizes of the compared attribute from 100 to 10,000: the cost grows \
                    with length and window and falls with domain size."
                .to_owned(),
            method: format!(
                "Events are letters of {TYPES} equally frequent types with an id that is uniform in \
                 the domain; an event's number is its time. The query asks for A, B, C ... of one \
                 id under skip till any match. One parameter changes at a time; the others are \
                 length {LENGTH}, window {WINDOW}, domain size {DOMAIN}. We read the equality on id \
                 as the partition [id], as SASE writes it, and not as a predicate between pairs of \
                 events. Three ways: the engine as it chooses (its structure for conditions on \
                 single events) with every event of every match read; the same only counting; and \
                 one run for each partial match, the paper's NFA^b, counting. The last is left out \
                 where it would have to make more than a million matches. The cost is the CPU time \
                 of one thread for an event. At quick scale the stream is as long as the largest \
                 window."
            ),
            reconstruction: Some(
                "The experiment's parameters are in our list of its figures; which values the others \
                 have while one changes is not, nor how many types there are. The claim is read as one about the \
                 cost of giving all matches; counting alone and single runs are shown \
                 beside it."
                    .to_owned(),
            ),
            claims: vec![
                Claim::new(
                    "the cost of giving all matches grows with length and window and falls with domain size",
                    "cost grows with length and window, falls with domain size",
                    trends(COST),
                ),
                claim("it grows with length", Rule::rises(&[&cost(length, COST)])).our_reading(),
                claim("it grows with the window", Rule::rises(&[&cost(window, COST)])).our_reading(),
                claim("it falls with domain size", Rule::falls(&[&cost(domain, COST)])).our_reading(),
                claim("the same for one run for each partial match, counting", trends(RUNS_COST))
                    .our_reading(),
                claim(
                    "with the engine's own structure counting does not grow with the window",
                    Rule::flat(&[&cost(window, COUNT_COST)]),
                )
                .our_check(),
            ],
            plots: vec![
                plot(length, "Against the length of the sequence", &costs),
                plot(window, "Against the window", &costs),
                plot(domain, "Against the domain size", &costs),
                sweep::table("Matches by length", length.label, &[&length.series(MATCHES)]),
                sweep::table("Matches by window", window.label, &[&window.series(MATCHES)]),
                sweep::table("Matches by domain size", domain.label, &[&domain.series(MATCHES)]),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        for axis in AXES {
            for &x in axis.points {
                let point = axis.at(x);
                let stream = stream(context, point.domain)?;
                let chosen = engine(point, Way::Chosen)?;
                let answer = chosen.answer(&stream.events)?;
                let mut counts =
                    vec![("reading", answer.matches), ("counting", chosen.count(&stream.events)?)];
                if answer.matches <= MOST {
                    let runs = engine(point, Way::Runs(nfab::HistoryKind::Chain))?;
                    agree(&[
                        ("nfab as it chooses", answer),
                        ("runs", runs.answer(&stream.events)?),
                    ])?;
                    counts.push(("counting runs", runs.count(&stream.events)?));
                }
                agree(&counts)?;
                context.record.data_sha256(Some(stream.sha256.clone()));
                context.record.count(&axis.series(MATCHES), x as f64, answer.matches, "");
            }
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let mut sweep = Sweep::costs();
        for axis in AXES {
            for &x in axis.points {
                let point = axis.at(x);
                let stream = stream(context, point.domain)?;
                sweep.data(&stream);
                let (reader, counter) = (engine(point, Way::Chosen)?, engine(point, Way::Chosen)?);
                let answer = reader.answer(&stream.events)?;
                let events = Rc::clone(&stream.events);
                sweep.add(&axis.series(COST), x as f64, answer, move || reader.answer(&events));
                let events = Rc::clone(&stream.events);
                let series = axis.series(COUNT_COST);
                sweep.add(&series, x as f64, answer.matches, move || counter.count(&events));
                if answer.matches <= MOST {
                    let runs = engine(point, Way::Runs(nfab::HistoryKind::Chain))?;
                    let events = Rc::clone(&stream.events);
                    let series = axis.series(RUNS_COST);
                    sweep.add(&series, x as f64, answer.matches, move || runs.count(&events));
                }
            }
        }
        sweep.run(context, &[])
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let parts: Option<Vec<String>> = AXES
            .iter()
            .map(|axis| {
                let values = sweep::values(rows, &axis.series(COST));
                let (first, last) = (values.first()?, values.last()?);
                Some(format!(
                    "{} {} to {}: {:.0} to {:.0} ns",
                    axis.name, first.0, last.0, first.1, last.1
                ))
            })
            .collect();
        parts.map_or_else(Vec::new, |parts| {
            vec![format!("Time an event with every match read, {}.", parts.join("; "))]
        })
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let rows = LENGTHS.map(|length| {
            let point = Point { length, window: WINDOW, domain: DOMAIN };
            vec![length.to_string(), point.text()]
        });
        Ok(vec![Artefact::Table {
            caption: "The queries by length".to_owned(),
            head: ["Length", "Text"].map(str::to_owned).to_vec(),
            rows: rows.to_vec(),
        }])
    }
}

/// More matches than this are not made run by run.
const MOST: u64 = 1_000_000;

fn engine(point: Point, way: Way) -> Result<Nfab> {
    Nfab::new(&point.text(), &schema(&LETTERS, &["id"]), way)
}

fn stream(context: &Context<'_>, domain: u64) -> Result<Stream<Symbol>> {
    let events = match context.scale {
        Scale::Tiny => 20_000,
        Scale::Quick => 100_000,
        Scale::Paper => 300_000,
        Scale::Full => 1_000_000,
    };
    let options = LetterOptions::uniform(events, TYPES, domain);
    let stream = options.stream(context.seed).map_err(|error| engines::generating(&error))?;
    let sha256 = engines::hash(&StreamKind::Letters(options), context.seed)?;
    Ok(Stream { events: stream.map(Symbol).collect(), sha256 })
}
