//! Patterns and events of the paper's Table 1, one way to run the engine, and what it answers.

use std::fmt::Debug;
use std::ops::ControlFlow;
use std::rc::Rc;

use data_gen::patterns::{PatternOptions, Shape};
use data_gen::stream::letters::LETTERS;
use data_gen::stream::{Rfid, RfidOptions, RouteOptions, StreamKind};
use multipattern::{
    Config, Count, Detector, Event, Match, Method, PatternId, PatternSet, Schema, Semantics, Sink,
    Slot, TypeId, ValueRef, Visit, Window,
};

use crate::error::{Error, Result};
use crate::experiment::common::{self, hash};
use crate::measure::Contender;

pub use crate::experiment::common::{agree, generating};

/// The paper's Table 1: the window in events.
pub const WINDOW: u64 = 40;
/// The number of event types.
pub const TYPES: usize = 10;
/// The number of patterns.
pub const PATTERNS: u64 = 40;
/// The shortest and the longest pattern.
pub const LENGTHS: (usize, usize) = (3, 10);
/// The events of a stream.
pub const EVENTS: u64 = 100_000;
/// The attributes of an event, its time left out.
pub const ATTRIBUTES: [&str; 2] = data_gen::stream::rfid::COLUMNS;
/// How often the paper repeats each test; here each time with another seed.
pub const SEEDS: u64 = 5;

/// What goes wrong in the engine.
pub fn fail(error: multipattern::Error) -> Error {
    Error::failed(format!("multipattern: {error}"))
}

/// The seeds of the repetitions.
pub fn seeds(first: u64) -> impl Iterator<Item = u64> + Clone {
    common::seeds(first, SEEDS)
}

/// A tag that was read, as the engine sees it.
#[derive(Clone, Copy, Debug)]
pub struct Reading(pub Rfid);

impl Event for Reading {
    #[inline]
    fn event_type(&self) -> TypeId {
        TypeId(u32::from(self.0.letter))
    }

    #[inline]
    fn time(&self) -> i64 {
        self.0.time
    }

    #[inline]
    fn attribute(&self, slot: Slot) -> ValueRef<'_> {
        match slot.0 {
            0 => ValueRef::Int(self.0.tag),
            1 => ValueRef::Int(self.0.reader),
            _ => ValueRef::Missing,
        }
    }
}

/// An event that is its type alone, as a byte: the array that an automaton for bytes reads. Where windows
/// are of events, times are not looked at.
#[derive(Clone, Copy, Debug)]
pub struct Letter(pub u8);

impl Event for Letter {
    #[inline]
    fn event_type(&self) -> TypeId {
        TypeId(u32::from(self.0))
    }

    #[inline]
    fn time(&self) -> i64 {
        0
    }

    #[inline]
    fn attribute(&self, _: Slot) -> ValueRef<'_> {
        ValueRef::Missing
    }
}

/// A set of patterns given as numbers of types.
pub fn set_of<N: AsRef<str>>(
    types: &[N],
    patterns: &[Vec<u8>],
    semantics: Semantics,
    window: Window,
) -> Result<PatternSet> {
    let mut schema = Schema::new();
    for name in types {
        schema.add_type(name.as_ref());
    }
    for name in ATTRIBUTES {
        schema.add_attribute(name);
    }
    let mut builder = PatternSet::builder().schema(schema).semantics(semantics).window(window);
    for (at, pattern) in patterns.iter().enumerate() {
        let operands = pattern.iter().map(|&number| types[usize::from(number)].as_ref());
        builder = builder.seq(&format!("P{}", at + 1), operands);
    }
    builder.build().map_err(fail)
}

/// A set of patterns given as letters, with the window of Table 1.
pub fn set(patterns: &[Vec<u8>], semantics: Semantics) -> Result<PatternSet> {
    set_of(&LETTERS, patterns, semantics, Window::Events(WINDOW))
}

/// Patterns, and the events that they are sought in.
#[derive(Clone, Debug)]
pub struct Load {
    /// The patterns as letters.
    pub patterns: Vec<Vec<u8>>,
    /// The events.
    pub events: Rc<[Reading]>,
    /// The SHA-256 of the events' file that data-gen would write.
    pub sha256: String,
}

impl Load {
    /// So many patterns of a shape over so many uniform events, else as in Table 1.
    pub fn new(shape: Shape, patterns: u64, events: u64, seed: u64) -> Result<Self> {
        let options = RfidOptions::new(events);
        let stream = options.stream(seed).map_err(|error| generating(&error))?;
        Ok(Self {
            patterns: patterns_of(&PatternOptions::new(shape, patterns), seed)?,
            events: stream.map(Reading).collect(),
            sha256: hash(&StreamKind::Rfid(options), seed)?,
        })
    }

    /// So many patterns that are parts of production routes, over events of pieces on these routes.
    pub fn routes(patterns: u64, events: u64, seed: u64) -> Result<Self> {
        let options = RouteOptions::new(events);
        let stream = options.stream(seed).map_err(|error| generating(&error))?;
        Ok(Self {
            patterns: patterns_of(&PatternOptions::new(Shape::Routes, patterns), seed)?,
            events: stream.map(Reading).collect(),
            sha256: hash(&StreamKind::Routes(options), seed)?,
        })
    }

    /// The parameters of Table 1 but for the number of events.
    pub fn table1(events: u64, seed: u64) -> Result<Self> {
        Self::new(Shape::Random, PATTERNS, events, seed)
    }

    /// The types of the events, a byte each.
    pub fn letters(&self) -> Vec<Letter> {
        self.events.iter().map(|event| Letter(event.0.letter)).collect()
    }

    /// The patterns as a set.
    pub fn set(&self, semantics: Semantics) -> Result<PatternSet> {
        set(&self.patterns, semantics)
    }
}

/// The patterns of a seed.
pub fn patterns_of(options: &PatternOptions, seed: u64) -> Result<Vec<Vec<u8>>> {
    Ok(options.patterns(seed).map_err(|error| generating(&error))?.collect())
}

/// Everything that was found, in its order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Matches.
    pub matches: u64,
    /// A digest of the pattern and all indices of every match, in the order of output.
    pub digest: u64,
}

impl Answer {
    /// The next match.
    pub fn add(&mut self, pattern: PatternId, events: &[u64]) {
        self.matches += 1;
        self.mix(u64::from(pattern.0));
        for &event in events {
            self.mix(event);
        }
    }

    fn mix(&mut self, number: u64) {
        self.digest = (self.digest.rotate_left(7) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// What a timed run gives: it reads every index of every match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Matches.
    pub matches: u64,
    /// The sum of all indices, where they are read.
    pub indices: u64,
}

/// A detector before its first event.
pub fn detector(set: &PatternSet, method: Method) -> Result<Detector> {
    Detector::with_config(set, Config::new().method(method)).map_err(fail)
}

/// Everything that a detector finds; after each event `look` may look at it.
pub fn answer<E: Event>(
    mut detector: Detector,
    events: &[E],
    mut look: impl FnMut(&Detector),
) -> Result<Answer> {
    let mut answer = Answer::default();
    let mut sink = Visit(|found: Match<'_>| {
        answer.add(found.pattern, found.events);
        ControlFlow::Continue(())
    });
    for event in events {
        let _ = detector.push(event, &mut sink).map_err(fail)?;
        look(&detector);
    }
    Ok(answer)
}

/// How the runs of a figure are given their events, in words.
pub const BATCH: &str = "\
All contenders are given their events in one way: the stream is an array of them, and one call of \
push_all takes it from begin to end.";

/// Reads every index of every match.
pub fn read<E: Event>(detector: &mut Detector, events: &[E]) -> Result<Sum> {
    let mut sum = Sum::default();
    detector.push_all(events, &mut reader(&mut sum)).map_err(fail)?;
    Ok(sum)
}

/// The same, but events are pushed one by one.
pub fn read_singly<E: Event>(detector: &mut Detector, events: &[E]) -> Result<Sum> {
    let mut sum = Sum::default();
    {
        let mut sink = reader(&mut sum);
        for event in events {
            let _ = detector.push(event, &mut sink).map_err(fail)?;
        }
    }
    Ok(sum)
}

fn reader(sum: &mut Sum) -> impl Sink {
    Visit(|found: Match<'_>| {
        sum.matches += 1;
        for &event in found.events {
            sum.indices = sum.indices.wrapping_add(event);
        }
        ControlFlow::Continue(())
    })
}

/// Counts the matches without looking at them.
pub fn count<E: Event>(detector: &mut Detector, events: &[E]) -> Result<u64> {
    let mut counts = Count::default();
    detector.push_all(events, &mut counts).map_err(fail)?;
    Ok(counts.total)
}

/// A contender: for each run a copy is made of a detector that was prepared, and a run must give what
/// is expected.
pub fn contender<'a, A: PartialEq + Debug + 'a>(
    name: impl Into<String>,
    detector: Detector,
    expected: A,
    run: impl Fn(&mut Detector) -> Result<A> + 'a,
) -> Contender<'a, ()> {
    warm_contender(name, detector, |_| (), expected, run)
}

/// The same, but before the clock starts a copy does something, so that it is in the caches.
pub fn warm_contender<'a, A: PartialEq + Debug + 'a>(
    name: impl Into<String>,
    detector: Detector,
    before: impl Fn(&mut Detector) + 'a,
    expected: A,
    run: impl Fn(&mut Detector) -> Result<A> + 'a,
) -> Contender<'a, ()> {
    Contender::prepared(
        name,
        move || {
            let mut copy = detector.clone();
            before(&mut copy);
            copy
        },
        move |detector| {
            let found = run(detector)?;
            if found == expected {
                return Ok(());
            }
            Err(Error::disagreement(format!("finds {found:?}, but {expected:?} is right")))
        },
    )
}
