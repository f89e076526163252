//! The workloads on which multipattern is compared with its peers.

use std::io::{self, Write};

use data_gen::patterns::{PatternOptions, Shape};
use data_gen::seed::Rng;
use data_gen::stream::letters::LETTERS;
use data_gen::stream::{RfidOptions, RouteOptions};
use multipattern::{PatternSet, Schema, Semantics, Window};

use super::input::Input;
use crate::error::{Error, Result};
use crate::experiment::Scale;

/// The window of all workloads, in events; times are the numbers of events.
pub const WINDOW: u64 = 40;

/// The least and the greatest number of a pattern's operands.
const LENGTHS: (usize, usize) = (3, 10);

/// The stops of a route.
const STOPS: usize = 12;

/// One workload.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    semantics: Semantics,
    /// Parts of production routes, or uniform.
    routes: bool,
    patterns: u64,
    events: u64,
}

/// What is sought, and where.
#[derive(Clone, Debug)]
pub struct Load {
    /// The semantics.
    pub semantics: Semantics,
    /// The names of the types.
    pub types: Vec<String>,
    /// The patterns as places in the types.
    pub patterns: Vec<Vec<u8>>,
    /// The types of the events.
    pub events: Vec<u8>,
}

impl Workload {
    /// The number of events at a scale.
    pub fn events(&self, scale: Scale) -> u64 {
        match scale {
            Scale::Tiny => self.events / 20,
            Scale::Quick => self.events,
            Scale::Paper => self.events * 3,
            Scale::Full => self.events * 10,
        }
    }

    /// Patterns and events of a seed: as in Table 1 of the multi-pattern paper, or those of routes.
    pub fn generate(&self, events: u64, seed: u64) -> Result<Load> {
        let fail = |error: io::Error| Error::io("cannot generate data", &error);
        let shape = if self.routes { Shape::Routes } else { Shape::Random };
        let options = PatternOptions::new(shape, self.patterns);
        let letters: Vec<u8> = match self.routes {
            true => {
                let stream = RouteOptions::new(events).stream(seed).map_err(fail)?;
                stream.map(|event| event.letter).collect()
            }
            false => {
                let stream = RfidOptions::new(events).stream(seed).map_err(fail)?;
                stream.map(|event| event.letter).collect()
            }
        };
        Ok(Load {
            semantics: self.semantics,
            types: LETTERS[..options.types].iter().map(|&name| name.to_owned()).collect(),
            patterns: options.patterns(seed).map_err(fail)?.collect(),
            events: letters,
        })
    }

    /// The events of a file, and patterns of a seed over their types: uniform, or in place of routes
    /// sub-sequences of events that really follow one another. With few types patterns are short,
    /// since long ones would match everywhere.
    pub fn of_file(&self, input: &Input, events: u64, seed: u64) -> Load {
        let length = usize::try_from(events).unwrap_or(usize::MAX).min(input.events.len());
        let events = input.events[..length].to_vec();
        let types = input.types.len();
        let longest = longest(types);
        let mut rng = Rng::new(seed, "patterns of a file");
        let mut pattern = |_| {
            let length = rng.between(LENGTHS.0 as u64, longest as u64) as usize;
            if !self.routes || events.len() <= STOPS {
                return (0..length).map(|_| rng.below(types as u64) as u8).collect();
            }
            let from = rng.below((events.len() - STOPS) as u64) as usize;
            let mut left = length;
            let stops = events[from..from + STOPS].iter().enumerate().filter(|(at, _)| {
                let taken = rng.below((STOPS - at) as u64) < left as u64;
                left -= usize::from(taken);
                taken
            });
            stops.map(|(_, &kind)| kind).collect()
        };
        let patterns = (0..self.patterns).map(&mut pattern).collect();
        Load { semantics: self.semantics, types: input.types.clone(), patterns, events }
    }
}

/// How long a uniform pattern over uniform events may be so that an event completes a bounded number of
/// matches of it on average.
fn longest(types: usize) -> usize {
    const MOST: f64 = 30.0;
    let mut ways = 1.0;
    let mut longest = LENGTHS.0;
    for length in 2..=LENGTHS.1 {
        // So many choices of the events before the last one.
        ways *= (WINDOW as f64 - length as f64 + 1.0) / (length as f64 - 1.0);
        if length <= longest {
            continue;
        }
        if ways / (types as f64).powi(length as i32) > MOST {
            break;
        }
        longest = length;
    }
    longest
}

impl Load {
    /// The patterns for multipattern.
    pub fn set(&self) -> Result<PatternSet> {
        let mut schema = Schema::new();
        for name in &self.types {
            schema.add_type(name);
        }
        let mut builder = PatternSet::builder().schema(schema).semantics(self.semantics);
        builder = builder.window(Window::Events(WINDOW));
        for (at, pattern) in self.patterns.iter().enumerate() {
            let operands = pattern.iter().map(|&kind| &self.types[usize::from(kind)]);
            builder = builder.seq(&format!("P{}", at + 1), operands);
        }
        builder.build().map_err(|error| Error::failed(format!("multipattern: {error}")))
    }

    /// A pattern as text.
    pub fn text(&self, pattern: u32) -> String {
        let operands = self.patterns.get(pattern as usize).map_or(&[][..], Vec::as_slice);
        let names: Vec<&str> =
            operands.iter().map(|&kind| self.types[usize::from(kind)].as_str()).collect();
        format!("P{}: SEQ({})", pattern + 1, names.join(", "))
    }

    /// Writes the events in the form that peers read: the place of an event's type on each line.
    pub fn write_events(&self, mut out: impl Write) -> io::Result<()> {
        self.events.iter().try_for_each(|kind| writeln!(out, "{kind}"))?;
        out.flush()
    }

    /// The same for the patterns: a line for each.
    pub fn write_patterns(&self, mut out: impl Write) -> io::Result<()> {
        for pattern in &self.patterns {
            let kinds: Vec<String> = pattern.iter().map(u8::to_string).collect();
            writeln!(out, "{}", kinds.join(" "))?;
        }
        out.flush()
    }
}

const fn workload(
    (name, title): (&'static str, &'static str),
    semantics: Semantics,
    routes: bool,
    patterns: u64,
    events: u64,
) -> Workload {
    Workload { name, title, semantics, routes, patterns, events }
}

/// All workloads; at `quick` a round of the slowest contender takes about a second.
pub const WORKLOADS: [Workload; 10] = [
    workload(
        ("strict-40", "40 uniform patterns, events directly after one another"),
        Semantics::Strict,
        false,
        40,
        100_000,
    ),
    workload(("strict-400", "400 of them"), Semantics::Strict, false, 400, 100_000),
    workload(("strict-4000", "4,000 of them"), Semantics::Strict, false, 4000, 100_000),
    workload(
        ("strict-routes", "4,000 parts of routes, on routes"),
        Semantics::Strict,
        true,
        4000,
        100_000,
    ),
    workload(
        ("next-40", "40 uniform patterns, each next operand the first event that fits"),
        Semantics::Next,
        false,
        40,
        20_000,
    ),
    workload(("next-400", "400 of them"), Semantics::Next, false, 400, 20_000),
    workload(
        ("any-40", "40 uniform patterns, every combination"),
        Semantics::Any,
        false,
        40,
        20_000,
    ),
    workload(("any-400", "400 of them"), Semantics::Any, false, 400, 4000),
    workload(("any-4000", "4,000 of them"), Semantics::Any, false, 4000, 1000),
    workload(("any-routes", "4,000 parts of routes, on routes"), Semantics::Any, true, 4000, 1000),
];
