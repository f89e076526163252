//! Patterns and events of the paper's Table 1, one way to run the engine, and what it answers.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::rc::Rc;

use data_gen::format::Format;
use data_gen::patterns::{PatternOptions, Shape};
use data_gen::stream::letters::LETTERS;
use data_gen::stream::{Rfid, RfidOptions, StreamKind};
use multipattern::{
    Config, Count, Detector, Event, Match, Method, PatternId, PatternSet, Schema, Semantics, Slot,
    TypeId, ValueRef, Visit, Window,
};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

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

/// What goes wrong in a generator.
pub fn generating(error: &io::Error) -> Error {
    Error::io("cannot generate data", error)
}

/// The seeds of the repetitions.
pub fn seeds(first: u64) -> impl Iterator<Item = u64> + Clone {
    (0..SEEDS).map(move |at| first.wrapping_add(at))
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

/// A set of patterns given as letters.
pub fn set(patterns: &[Vec<u8>], semantics: Semantics) -> Result<PatternSet> {
    let mut schema = Schema::new();
    for name in LETTERS {
        schema.add_type(name);
    }
    for name in ATTRIBUTES {
        schema.add_attribute(name);
    }
    let mut builder = PatternSet::builder().schema(schema).semantics(semantics);
    builder = builder.window(Window::Events(WINDOW));
    for (at, pattern) in patterns.iter().enumerate() {
        let operands = pattern.iter().map(|&letter| LETTERS[usize::from(letter)]);
        builder = builder.seq(&format!("P{}", at + 1), operands);
    }
    builder.build().map_err(fail)
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
    /// So many patterns of a shape over so many events, else as in Table 1.
    pub fn new(shape: Shape, patterns: u64, events: u64, seed: u64) -> Result<Self> {
        let options = RfidOptions::new(events);
        let stream = options.stream(seed).map_err(|error| generating(&error))?;
        Ok(Self {
            patterns: patterns_of(&PatternOptions::new(shape, patterns), seed)?,
            events: stream.map(Reading).collect(),
            sha256: hash(&StreamKind::Rfid(options), seed)?,
        })
    }

    /// The parameters of Table 1 but for the number of events.
    pub fn table1(events: u64, seed: u64) -> Result<Self> {
        Self::new(Shape::Random, PATTERNS, events, seed)
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

/// The SHA-256 of a stream as CSV.
fn hash(kind: &StreamKind, seed: u64) -> Result<String> {
    struct Hasher(Sha256);
    impl Write for Hasher {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.update(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut hasher = Hasher(Sha256::new());
    kind.write(seed, Format::Csv, &mut hasher).map_err(|error| generating(&error))?;
    Ok(hasher.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
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

/// Reads every index of every match.
pub fn read(mut detector: Detector, events: &[Reading]) -> Result<Sum> {
    let mut sum = Sum::default();
    let mut sink = Visit(|found: Match<'_>| {
        sum.matches += 1;
        for &event in found.events {
            sum.indices = sum.indices.wrapping_add(event);
        }
        ControlFlow::Continue(())
    });
    for event in events {
        let _ = detector.push(event, &mut sink).map_err(fail)?;
    }
    Ok(sum)
}

/// Counts the matches without looking at them.
pub fn count(mut detector: Detector, events: &[Reading]) -> Result<u64> {
    let mut counts = Count::default();
    for event in events {
        let _ = detector.push(event, &mut counts).map_err(fail)?;
    }
    Ok(counts.total)
}

/// Contenders that answer differently have no times.
pub fn agree<A: PartialEq + std::fmt::Debug>(answers: &[(&str, A)]) -> Result<()> {
    let Some(((first, expected), others)) = answers.split_first() else { return Ok(()) };
    for (name, answer) in others {
        if answer != expected {
            return Err(Error::disagreement(format!(
                "{first} answers {expected:?}, but {name} answers {answer:?}"
            )));
        }
    }
    Ok(())
}
