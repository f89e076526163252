//! Sequences under `any` and under `strict`: nfab, an engine for each pattern, and multipattern, one
//! detector for all.

use std::ops::ControlFlow;
use std::sync::Arc;

use data_gen::patterns::{PatternOptions, Shape};
use data_gen::stream::letters::LETTERS;
use data_gen::stream::{Rfid, RfidOptions, StreamKind};
use multipattern::{Detector, PatternSet, Semantics};
use nfab::language::Query;
use nfab::{Automaton, CompileOptions, Engine};

use super::{Found, Match, NO_PAPER, Tally};
use crate::error::Result;
use crate::experiment::common::{fail, generating, hash};
use crate::experiment::{About, Artefact, Context, Experiment, Kind, Scale};
use crate::measure::{Contender, interleave};
use crate::record::Row;

const NFAB: &str = "nfab";
const MULTI: &str = "multipattern";
const BOTH: [&str; 2] = [NFAB, MULTI];

/// The attributes of an event.
const COLUMNS: [&str; 2] = data_gen::stream::rfid::COLUMNS;

/// Questions under one semantics.
#[derive(Debug)]
pub struct Sequences {
    id: &'static str,
    semantics: Semantics,
    /// nfab's word for it.
    strategy: &'static str,
    /// The types of events.
    types: usize,
    /// The events of a stream at each scale, smallest first.
    events: [u64; 4],
    /// Of so many all matches are compared one by one.
    short: usize,
    questions: &'static [Question],
}

/// Patterns to be sought.
#[derive(Debug)]
struct Question {
    name: &'static str,
    patterns: u64,
    /// The shortest and the longest.
    lengths: (usize, usize),
    window: Window,
    condition: Condition,
}

/// How far apart the first and the last event of a match may be.
#[derive(Clone, Copy, Debug)]
enum Window {
    /// In so many consecutive events.
    Events(u64),
    /// In so many milliseconds; an event's number is its time.
    Time(u64),
}

/// What every operand asks for besides its type.
#[derive(Clone, Copy, Debug)]
enum Condition {
    None,
    /// Its own reader is one of the first twelve of twenty.
    Reader,
    /// Its tag is that of the operand before it.
    Tag,
}

/// Under `any`.
pub const ANY: Sequences = Sequences {
    id: "agree-any",
    semantics: Semantics::Any,
    strategy: "skip_till_any_match",
    types: 10,
    events: [400, 5000, 20_000, 100_000],
    short: 300,
    questions: &[
        Question { name: "1 pattern", patterns: 1, lengths: (4, 4), ..MANY },
        Question { name: "10 patterns", patterns: 10, ..MANY },
        MANY,
        Question { name: "window of 25 ms", window: Window::Time(25), ..MANY },
        Question {
            name: "window of 200 events",
            patterns: 10,
            lengths: (3, 3),
            window: Window::Events(200),
            ..MANY
        },
        Question { name: "conditions on an event", condition: Condition::Reader, ..MANY },
        Question { name: "conditions between events", condition: Condition::Tag, ..MANY },
    ],
};

/// Under `strict`.
pub const STRICT: Sequences = Sequences {
    id: "agree-strict",
    semantics: Semantics::Strict,
    strategy: "strict_contiguity",
    types: 4,
    events: [4000, 50_000, 200_000, 1_000_000],
    short: 4000,
    questions: &[
        Question { name: "1 pattern", patterns: 1, lengths: (3, 3), ..FEW_TYPES },
        Question { name: "10 patterns", patterns: 10, ..FEW_TYPES },
        FEW_TYPES,
        Question { name: "window of 2 ms", window: Window::Time(2), ..FEW_TYPES },
        Question { name: "window of 4 events", window: Window::Events(4), ..FEW_TYPES },
        Question { name: "conditions on an event", condition: Condition::Reader, ..FEW_TYPES },
        Question { name: "conditions between events", condition: Condition::Tag, ..FEW_TYPES },
    ],
};

/// The multi-pattern paper's default parameters.
const MANY: Question = Question {
    name: "40 patterns",
    patterns: 40,
    lengths: (3, 10),
    window: Window::Events(40),
    condition: Condition::None,
};

/// Shorter patterns, of which some follow each other directly by chance.
const FEW_TYPES: Question = Question { lengths: (2, 6), ..MANY };

/// A tag that was read, as either engine sees it.
#[derive(Clone, Copy, Debug)]
struct Reading(Rfid);

impl nfab::Event for Reading {
    #[inline]
    fn event_type(&self) -> nfab::TypeId {
        nfab::TypeId(u32::from(self.0.letter))
    }

    #[inline]
    fn time(&self) -> i64 {
        self.0.time
    }

    #[inline]
    fn attribute(&self, slot: nfab::Slot) -> nfab::ValueRef<'_> {
        match slot.0 {
            0 => nfab::ValueRef::Int(self.0.tag),
            1 => nfab::ValueRef::Int(self.0.reader),
            _ => nfab::ValueRef::Missing,
        }
    }
}

impl multipattern::Event for Reading {
    #[inline]
    fn event_type(&self) -> multipattern::TypeId {
        multipattern::TypeId(u32::from(self.0.letter))
    }

    #[inline]
    fn time(&self) -> i64 {
        self.0.time
    }

    #[inline]
    fn attribute(&self, slot: multipattern::Slot) -> multipattern::ValueRef<'_> {
        match slot.0 {
            0 => multipattern::ValueRef::Int(self.0.tag),
            1 => multipattern::ValueRef::Int(self.0.reader),
            _ => multipattern::ValueRef::Missing,
        }
    }
}

impl Window {
    fn text(self) -> String {
        match self {
            Self::Events(events) => format!("{events} EVENTS"),
            Self::Time(time) => format!("{time} ms"),
        }
    }
}

impl Condition {
    /// The condition of an operand as multipattern writes it, in its brackets; positions count from 1.
    fn of_multi(self, at: usize) -> String {
        match self {
            Self::Reader => "[reader < 12]".to_owned(),
            Self::Tag if at > 1 => format!("[tag = #{}.tag]", at - 1),
            Self::None | Self::Tag => String::new(),
        }
    }

    /// The same as nfab writes it.
    fn of_nfab(self, at: usize) -> Option<String> {
        match self {
            Self::Reader => Some(format!("e{at}.reader < 12")),
            Self::Tag if at > 1 => Some(format!("e{at}.tag = e{}.tag", at - 1)),
            Self::None | Self::Tag => None,
        }
    }
}

/// A question in both languages, ready to be asked.
struct Asked {
    automata: Vec<Arc<Automaton>>,
    detector: Detector,
}

impl Sequences {
    fn texts(&self, question: &Question, seed: u64) -> Result<Vec<[String; 2]>> {
        let mut options = PatternOptions::new(Shape::Random, question.patterns);
        options.types = self.types;
        (options.shortest, options.longest) = question.lengths;
        let patterns = options.patterns(seed).map_err(|error| generating(&error))?;
        let text = |(number, letters): (usize, Vec<u8>)| {
            let (mut nfab, mut multi, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
            for (at, &letter) in (1..).zip(&letters) {
                let name = LETTERS[usize::from(letter)];
                nfab.push(format!("{name} e{at}"));
                multi.push(format!("{name}{}", question.condition.of_multi(at)));
                conditions.extend(question.condition.of_nfab(at));
            }
            let (window, strategy) = (question.window.text(), self.strategy);
            let conditions = match &*conditions {
                [] => String::new(),
                _ => format!(" {{ {} }}", conditions.join(" AND ")),
            };
            let nfab = nfab.join(", ");
            [
                format!("PATTERN SEQ({nfab}) WHERE {strategy}{conditions} WITHIN {window}"),
                format!("P{number}: SEQ({}) WITHIN {window}", multi.join(", ")),
            ]
        };
        Ok(patterns.enumerate().map(text).collect())
    }

    fn ask(&self, question: &Question, seed: u64) -> Result<Asked> {
        let (mut schema, mut set) = (nfab::Schema::new(), PatternSet::new());
        for name in &LETTERS[..self.types] {
            schema.add_type(name);
            set.schema_mut().add_type(name);
        }
        for name in COLUMNS {
            schema.add_attribute(name, Some(nfab::ValueType::Int));
            set.schema_mut().add_attribute(name);
        }
        set.set_semantics(self.semantics);
        let mut automata = Vec::new();
        for [nfab, multi] in self.texts(question, seed)? {
            let query = Query::parse(&nfab).map_err(fail(NFAB))?;
            let options = CompileOptions::new();
            let automaton = Automaton::from_query(&query, &schema, options).map_err(fail(NFAB))?;
            automata.push(Arc::new(automaton));
            set.extend_from_text(&multi).map_err(fail(MULTI))?;
        }
        Ok(Asked { automata, detector: Detector::new(&set).map_err(fail(MULTI))? })
    }

    fn stream(&self, context: &Context<'_>) -> Result<(Vec<Reading>, String)> {
        let place = Scale::ALL.iter().position(|scale| *scale == context.scale).unwrap_or_default();
        let mut options = RfidOptions::new(self.events[place]);
        // Few tags, so that events with the same one are near each other.
        (options.types, options.tags) = (self.types, 4);
        let stream = options.stream(context.seed).map_err(|error| generating(&error))?;
        Ok((stream.map(Reading).collect(), hash(&StreamKind::Rfid(options), context.seed)?))
    }
}

/// An engine for each pattern.
fn engines(automata: &[Arc<Automaton>]) -> Vec<Engine<Reading>> {
    automata.iter().map(|automaton| Engine::new(Arc::clone(automaton))).collect()
}

/// Gives every event to every engine, one event after another.
fn run_nfab(
    engines: &mut [Engine<Reading>],
    events: &[Reading],
    mut each: impl FnMut(usize, &nfab::Match<'_, Reading>),
) -> Result<()> {
    for event in events {
        for (pattern, engine) in engines.iter_mut().enumerate() {
            let mut sink = nfab::Visit(|found: &nfab::Match<'_, Reading>| {
                each(pattern, found);
                ControlFlow::Continue(())
            });
            engine.push(*event, &mut sink).map_err(fail(NFAB))?;
        }
    }
    Ok(())
}

/// Gives every event to the detector, one after another.
fn run_multi(
    detector: &mut Detector,
    events: &[Reading],
    mut each: impl FnMut(usize, &[u64]),
) -> Result<()> {
    let mut sink = multipattern::Visit(|found: multipattern::Match<'_>| {
        each(found.pattern.index(), found.events);
        ControlFlow::Continue(())
    });
    for event in events {
        let _ = detector.push(event, &mut sink).map_err(fail(MULTI))?;
    }
    Ok(())
}

fn answer_nfab(engines: &mut [Engine<Reading>], events: &[Reading]) -> Result<Found> {
    let mut found = Found::default();
    run_nfab(engines, events, |pattern, one| found.add(pattern, one.events().numbers()))?;
    Ok(found)
}

fn answer_multi(detector: &mut Detector, events: &[Reading]) -> Result<Found> {
    let mut found = Found::default();
    run_multi(detector, events, |pattern, one| found.add(pattern, one.iter().copied()))?;
    Ok(found)
}

impl Experiment for Sequences {
    fn about(&self) -> About {
        let Self { id, semantics, types, short, .. } = self;
        let word = if *semantics == Semantics::Any { "any" } else { "strict" };
        About {
            id: (*id).to_owned(),
            kind: Kind::Check,
            title: format!("The same sequences under `{word}` in nfab and multipattern"),
            paper: NO_PAPER.to_owned(),
            method: format!(
                "Patterns are uniform sequences over {types} types of events, of the multi-pattern \
                 paper's default shape unless the question says otherwise; an event has a tag, one \
                 of 4, and a reader, one of 20. Conditions on an event ask of every operand that \
                 its reader is one of the first twelve, those between events that its tag is that \
                 of the operand before it. nfab has an engine for each pattern, each of \
                 which is given every event; multipattern has one detector for all. Both are given \
                 the events one by one, and both read the number of every event of every match. Of \
                 the first {short} events all matches are compared one by one, of the whole stream \
                 their number and the sum of a hash of each, in every run. Compiling is not \
                 in the time. The ratio compares one engine for many patterns with many engines \
                 for one each, which is what it says about either: no claim is made on it."
            ),
            reconstruction: None,
            claims: super::claims(BOTH),
            plots: super::plots_of(BOTH, "question"),
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let (events, sha256) = self.stream(context)?;
        context.record.data_sha256(Some(sha256));
        let mut tally = Tally::default();
        for question in self.questions {
            let Asked { automata, mut detector } = self.ask(question, context.seed)?;
            let short = &events[..self.short.min(events.len())];
            let (mut nfab, mut multi): (Vec<Match>, Vec<Match>) = (Vec::new(), Vec::new());
            run_nfab(&mut engines(&automata), short, |pattern, one| {
                nfab.push((pattern, one.events().numbers().collect()));
            })?;
            run_multi(&mut detector.clone(), short, |pattern, one| {
                multi.push((pattern, one.to_vec()));
            })?;
            tally.compare(question.name, BOTH, [nfab, multi])?;
            let answers = [
                (NFAB, answer_nfab(&mut engines(&automata), &events)?),
                (MULTI, answer_multi(&mut detector, &events)?),
            ];
            super::count(context, question.name, answers)?;
        }
        tally.record(context);
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let (events, sha256) = self.stream(context)?;
        context.record.data_sha256(Some(sha256));
        for question in self.questions {
            let Asked { automata, detector } = self.ask(question, context.seed)?;
            let mut contenders = [
                Contender::prepared(
                    NFAB,
                    || engines(&automata),
                    |engines| answer_nfab(engines, &events),
                ),
                Contender::prepared(
                    MULTI,
                    || detector.clone(),
                    |detector| answer_multi(detector, &events),
                ),
            ];
            let samples = interleave(&mut contenders, &context.plan(), context.progress)
                .map_err(|error| error.within(question.name))?;
            context.record.times(question.name, &samples);
        }
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        super::sentences(rows, BOTH)
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let mut rows = Vec::new();
        for question in self.questions {
            let texts = self.texts(question, 1)?;
            let [nfab, multi] = texts.into_iter().next().unwrap_or_default();
            rows.push(vec![question.name.to_owned(), question.patterns.to_string(), nfab, multi]);
        }
        let head = ["Question", "Patterns", "The first one in nfab", "and in multipattern"];
        let head = head.map(str::to_owned).to_vec();
        let caption = "The questions, with the patterns of seed 1".to_owned();
        Ok(vec![Artefact::Table { caption, head, rows }])
    }
}
