//! Sets of event sequence patterns, `SEQ(A, C, B)`, over the types of [`stream::rfid`] and
//! [`stream::routes`].
//!
//! A set of more patterns begins with the patterns of a smaller one with otherwise equal options.
//!
//! ```
//! use data_gen::patterns::{PatternOptions, Shape};
//!
//! let mut options = PatternOptions::new(Shape::Random, 40);
//! options.types = 4;
//! for pattern in options.patterns(1)? {
//!     assert!((3..=10).contains(&pattern.len()) && pattern.iter().all(|&letter| letter < 4));
//! }
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! [`stream::rfid`]: crate::stream::rfid
//! [`stream::routes`]: crate::stream::routes

use crate::manifest::{DataSet, Facts};
use crate::seed::Rng;
use crate::stream::RouteOptions;
use crate::stream::letters::LETTERS;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// What patterns look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Every operand is a uniform type.
    Random,
    /// The operands of a pattern are different types, in uniform order.
    Distinct,
    /// Sub-sequences of the routes of [`RouteOptions`] of the same seed: stops are left out.
    Routes,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Self; 3] = [Self::Random, Self::Distinct, Self::Routes];

    /// The name on the command line and in manifests.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Distinct => "distinct",
            Self::Routes => "routes",
        }
    }
}

/// What to choose about a set of patterns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PatternOptions {
    /// What they look like.
    pub shape: Shape,
    /// How many.
    pub patterns: u64,
    /// Types of events, 1 to 26; at least `longest` when they must be distinct.
    pub types: usize,
    /// The least number of operands, at least 1. Lengths are uniform.
    pub shortest: usize,
    /// The greatest, at most 1000; at most the stops of a route for those.
    pub longest: usize,
    /// Routes, for patterns of that shape.
    pub routes: usize,
    /// Stops of a route, for patterns of that shape.
    pub stops: usize,
    /// The window in events, which a file states for every pattern.
    pub window: u64,
}

impl PatternOptions {
    /// So many patterns of 3 to 10 of 10 types, windows of 40 events; and 20 routes of 12 stops.
    #[must_use]
    pub fn new(shape: Shape, patterns: u64) -> Self {
        let RouteOptions { types, routes, stops, .. } = RouteOptions::new(0);
        Self { shape, patterns, types, shortest: 3, longest: 10, routes, stops, window: 40 }
    }

    /// The patterns of a seed, one by one, as indices of
    /// [`LETTERS`].
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range.
    pub fn patterns(&self, seed: u64) -> io::Result<Patterns> {
        let mut routes = RouteOptions::new(0);
        (routes.types, routes.routes, routes.stops) = (self.types, self.routes, self.stops);
        let plan = routes.plan(seed)?;
        if self.shortest == 0 || self.shortest > self.longest {
            return invalid(format!(
                "lengths must be from 1 on, the shortest first: {} to {}",
                self.shortest, self.longest
            ));
        }
        let (most, of) = match self.shape {
            Shape::Random => (1000, ""),
            Shape::Distinct => (self.types, ", the types"),
            Shape::Routes => (self.stops, ", a route's stops"),
        };
        if self.longest > most {
            return invalid(format!("the longest must be at most {most}{of}: {}", self.longest));
        }
        let name = match self.shape {
            Shape::Random => "patterns random",
            Shape::Distinct => "patterns distinct",
            Shape::Routes => "patterns routes",
        };
        Ok(Patterns { options: self.clone(), plan, rng: Rng::new(seed, name), next: 0 })
    }
}

/// The patterns of [`PatternOptions::patterns`].
#[derive(Clone, Debug)]
pub struct Patterns {
    options: PatternOptions,
    plan: Vec<Vec<u8>>,
    rng: Rng,
    next: u64,
}

impl Iterator for Patterns {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        if self.next == self.options.patterns {
            return None;
        }
        self.next += 1;
        let PatternOptions { shape, types, shortest, longest, .. } = self.options;
        let rng = &mut self.rng;
        let length = rng.between(shortest as u64, longest as u64) as usize;
        Some(match shape {
            Shape::Random => (0..length).map(|_| rng.below(types as u64) as u8).collect(),
            Shape::Distinct => {
                let all: Vec<u8> = (0..types as u8).collect();
                let mut chosen = some(rng, &all, length);
                for at in (1..chosen.len()).rev() {
                    chosen.swap(at, rng.below(at as u64 + 1) as usize);
                }
                chosen
            }
            Shape::Routes => {
                let route = &self.plan[rng.below(self.plan.len() as u64) as usize];
                some(rng, route, length)
            }
        })
    }
}

/// So many elements in their order, each choice equally likely.
fn some(rng: &mut Rng, from: &[u8], length: usize) -> Vec<u8> {
    let mut wanted = length;
    let chosen = from.iter().enumerate().filter(|(at, _)| {
        let taken = rng.below((from.len() - at) as u64) < wanted as u64;
        wanted -= usize::from(taken);
        taken
    });
    chosen.map(|(_, &letter)| letter).collect()
}

/// What a file of patterns contains, counted while it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PatternCounts {
    /// The file's length.
    pub bytes: u64,
    /// Patterns.
    pub patterns: u64,
    /// Operands of all of them.
    pub operands: u64,
}

impl Facts for PatternCounts {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn summary(&self) -> String {
        format!("{} patterns, {} operands", self.patterns, self.operands)
    }
}

/// One pattern a line, with ids from `P1`: `P1: SEQ(A, C, B) WITHIN 40 EVENTS`.
impl DataSet for PatternOptions {
    type Facts = PatternCounts;

    fn name(&self) -> &'static str {
        "patterns"
    }

    fn parameters(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("options are plain data")
    }

    fn expected_bytes(&self) -> u64 {
        // `P`, a number, `: SEQ(`, operands with `, ` between, `) WITHIN n EVENTS` and a line feed.
        let operands = (self.shortest as u64).saturating_add(self.longest as u64).saturating_mul(3);
        self.patterns.saturating_mul((operands / 2).saturating_add(29))
    }

    fn generate(&self, seed: u64, out: &mut dyn Write) -> io::Result<PatternCounts> {
        let mut counts = PatternCounts::default();
        for pattern in self.patterns(seed)? {
            counts.patterns += 1;
            counts.operands += pattern.len() as u64;
            let letters: Vec<&str> =
                pattern.iter().map(|&letter| LETTERS[usize::from(letter)]).collect();
            let (id, operands) = (counts.patterns, letters.join(", "));
            let line = format!("P{id}: SEQ({operands}) WITHIN {} EVENTS\n", self.window);
            out.write_all(line.as_bytes())?;
            counts.bytes += line.len() as u64;
        }
        Ok(counts)
    }
}

fn invalid<T>(message: String) -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}
