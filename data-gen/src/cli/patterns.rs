//! The arguments of sets of patterns.

use super::arguments::{count, whole};
use clap::{Args, ValueEnum};
use data_gen::patterns::{PatternOptions, Shape};

pub(crate) const EXAMPLES: &str = "\
Examples:
  data-gen patterns -o patterns.txt               40 random patterns of 3 to 10 of 10 types
  data-gen patterns --shape distinct --longest 5
  data-gen patterns --shape routes --seed 7       fits the events of data-gen routes --seed 7

Exit status: 0 written, 2 wrong usage or a failed write.";

/// What patterns look like.
#[derive(Args, Debug)]
pub(crate) struct Patterns {
    /// What they look like.
    #[arg(long, value_enum, default_value_t = ShapeName::Random)]
    shape: ShapeName,
    /// Number of patterns.
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = whole, allow_negative_numbers = true)]
    patterns: u64,
    /// Number of types, at most 26.
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=26))]
    types: u8,
    /// Least number of operands.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    shortest: u32,
    /// Greatest number of operands.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    longest: u32,
    /// Number of routes (routes).
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    routes: u32,
    /// Stops of a route (routes).
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=1000))]
    stops: u32,
    /// Window of every pattern in events.
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = count, allow_negative_numbers = true)]
    window: u64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ShapeName {
    /// Every operand is a random type.
    Random,
    /// The types of a pattern are different.
    Distinct,
    /// Sub-sequences of production routes.
    Routes,
}

impl Patterns {
    /// The set that is asked for.
    pub(crate) fn options(&self) -> PatternOptions {
        let shape = match self.shape {
            ShapeName::Random => Shape::Random,
            ShapeName::Distinct => Shape::Distinct,
            ShapeName::Routes => Shape::Routes,
        };
        let mut options = PatternOptions::new(shape, self.patterns);
        options.types = usize::from(self.types);
        (options.shortest, options.longest) = (self.shortest as usize, self.longest as usize);
        (options.routes, options.stops) = (self.routes as usize, self.stops as usize);
        options.window = self.window;
        options
    }
}
