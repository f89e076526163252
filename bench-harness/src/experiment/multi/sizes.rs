//! States and edges of the models: Figs. 12 and 13.

use data_gen::patterns::{PatternOptions, Shape};
use multipattern::{Method, Plan, Semantics};

use super::engines::{PATTERNS, SEEDS, patterns_of, set};
use super::plots::{self, over_seeds};
use crate::claim::{Claim, Rule};
use crate::error::Result;
use crate::experiment::{About, Context, Experiment, Kind, Scale, common};
use crate::record::Row;

/// Fig. 12 or 13.
#[derive(Debug)]
pub struct Sizes {
    figure: u32,
    what: &'static str,
    count: fn(&Plan) -> usize,
    /// Our bars for the decomposed and merged model of 1,000 patterns.
    bar: u64,
}

/// Fig. 12.
pub const STATES: Sizes = Sizes { figure: 12, what: "states", count: Plan::states, bar: 930 };
/// Fig. 13.
pub const EDGES: Sizes = Sizes { figure: 13, what: "edges", count: Plan::edges, bar: 2000 };

const METHODS: [Method; 3] = [Method::Proposed, Method::Sharing, Method::Single];

/// The numbers of patterns of the figure.
const NUMBERS: [u64; 8] = [5, 10, 15, 20, 25, 30, 35, 40];
/// The lengths of the second panel.
const LENGTHS: [usize; 8] = [3, 4, 5, 6, 7, 8, 9, 10];
/// The order is judged from here on: fewer patterns may have nothing in common.
const FEWEST: u64 = 10;
/// The number of patterns of our bar.
const LARGE: u64 = 1000;

/// The sets of the figure's sizes, and those in strict order; the same of larger ones.
const JUDGED: [&str; 2] = ["sets", "sets in strict order"];
const LARGER: [&str; 2] = ["larger sets", "larger sets in strict order"];
const BAR: &str = "one more than our bar";

fn by_length(method: Method) -> String {
    format!("{method}, by length")
}

fn large(method: Method) -> String {
    format!("{method}, large sets")
}

/// How many sets of so many patterns are looked at, and at which numbers beyond the figure's.
fn plan(scale: Scale) -> (u64, Vec<(u64, u64)>) {
    let larger = [(60, 20), (80, 20), (100, 20), (400, 3), (LARGE, 3), (10_000, 1)];
    match scale {
        Scale::Tiny => (SEEDS, vec![(100, 1), (LARGE, 1)]),
        _ => (20, larger.to_vec()),
    }
}

impl Sizes {
    /// The counts of a set by method.
    fn counts(&self, options: &PatternOptions, seed: u64) -> Result<[usize; 3]> {
        let set = set(&patterns_of(options, seed)?, Semantics::Any)?;
        Ok(METHODS.map(|method| (self.count)(&Plan::new(method, &set))))
    }

    /// Counts several sets, and records means and, if they are wanted, how many are in order.
    fn record(
        &self,
        context: &mut Context<'_>,
        name: fn(Method) -> String,
        (x, sets): (f64, u64),
        options: &PatternOptions,
        judged: Option<[&str; 2]>,
    ) -> Result<()> {
        let seeds = common::seeds(context.seed, sets);
        let counts: Vec<[usize; 3]> =
            seeds.map(|seed| self.counts(options, seed)).collect::<Result<_>>()?;
        let shown = &counts[..counts.len().min(SEEDS as usize)];
        for (at, method) in METHODS.into_iter().enumerate() {
            let values: Vec<f64> = shown.iter().map(|counts| counts[at] as f64).collect();
            if let Some(summary) = over_seeds(&values) {
                context.record.point(&name(method), x, summary, "");
            }
        }
        if let Some([all, in_order]) = judged {
            let ordered = counts.iter().filter(|counts| counts.is_sorted_by(|a, b| a < b)).count();
            context.record.count(all, x, sets, "");
            context.record.count(in_order, x, ordered as u64, "");
        }
        Ok(())
    }
}

impl Experiment for Sizes {
    fn about(&self) -> About {
        let Self { figure, what, bar, .. } = *self;
        let names = |name: fn(Method) -> String| METHODS.map(name).to_vec();
        let plain: fn(Method) -> String = |method| method.to_string();
        let (single, lengths, larger) = (names(plain), names(by_length), names(large));
        let ordered = Rule::ordered(&plots::borrow(&single));
        let order = "proposed < sharing < single";
        let at_each: Vec<Rule> = NUMBERS
            .into_iter()
            .filter(|&number| number >= FEWEST)
            .map(|number| Rule::at(number as f64, ordered.clone()))
            .collect();
        // As one of all: the verdict on a rule at one place alone stands for a part of another claim.
        let below_bar = Rule::All(vec![Rule::at(
            LARGE as f64,
            Rule::ordered(&[&large(Method::Proposed), BAR]),
        )]);
        About {
            id: format!("multi-fig{figure}"),
            kind: Kind::Figure,
            title: format!("Number of {what} against number of patterns"),
            paper: format!(
                "Fig. {figure}: the proposed model needs fewest {what}, since sub-expressions that \
                 decomposition brings out can be shared; sharing needs more, since it shares only \
                 prefixes, suffixes and sub-patterns of whole expressions; single patterns, which \
                 share nothing, need most. No numbers are given."
            ),
            method: format!(
                "Sets of patterns as in Table 1, and of {PATTERNS} patterns of one length. The \
                 {what} are counted on the models themselves, which are executable: tests of the \
                 engine run them and compare with brute force. A curve is the mean of {SEEDS} sets \
                 with the least and the most. The order is judged on the means and on every set of \
                 20 (of 3 from 400 patterns on, of one at 10,000; at tiny scale of fewer), from \
                 {FEWEST} patterns on: five patterns often have nothing in common. The sets of seed s have \
                 the seeds from 1000 (s - 1) + 1 on. The search for composites depends on the order of the \
                 patterns: shuffled, they give a proposed model that is larger or smaller by some hundredths. \
                 Optimized has the counts of single: it differs in detection \
                 only. The mechanism of each step: single is a chain a pattern; sharing is the \
                 minimal acyclic automaton of the set, whose edges carry integers that tell apart \
                 which pattern was read; proposed replaces repeated sub-sequences inside of patterns \
                 by composites before it merges, so that what is no prefix or suffix is there once \
                 as well, and uses a composite only where the model has neither more states nor more \
                 edges than that of sharing."
            ),
            reconstruction: Some(
                "The picture is lost, and with it the numbers of patterns; 5 to 40 leads up to Table \
                 1. The panel by length and the larger sets are ours."
                    .to_owned(),
            ),
            claims: vec![
                Claim::new(format!("{order}, the means at 10 to 40 patterns"), order, Rule::All(at_each)),
                Claim::new(
                    format!("{order} in every single set of 10 to 40 patterns"),
                    order,
                    Rule::same(&JUDGED),
                ),
                Claim::new(
                    format!("{order} in every single set of more patterns"),
                    order,
                    Rule::same(&LARGER),
                )
                .our_reading(),
                Claim::new(
                    format!("{order} at every length, {PATTERNS} patterns"),
                    order,
                    Rule::ordered(&plots::borrow(&lengths)),
                )
                .our_reading(),
                Claim::new(
                    format!("proposed needs at most {bar} {what} for {LARGE} patterns"),
                    format!("at most {bar}"),
                    below_bar,
                )
                .our_check(),
            ],
            plots: vec![
                plots::lines(
                    &format!("Number of {what} against number of patterns"),
                    "patterns",
                    what,
                    &plots::borrow(&single),
                ),
                plots::lines(
                    &format!("Number of {what} against length, {PATTERNS} patterns"),
                    "operands of each pattern",
                    what,
                    &plots::borrow(&lengths),
                ),
                plots::log_lines(
                    &format!("Number of {what} of larger sets"),
                    "patterns",
                    what,
                    &plots::borrow(&larger),
                ),
                plots::table(
                    &format!("Number of {what} of larger sets, means"),
                    "patterns",
                    &plots::borrow(&larger),
                ),
                plots::table("Sets that were judged", "patterns", &JUDGED),
                plots::table("Larger sets that were judged", "patterns", &LARGER),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let (sets, larger) = plan(context.scale);
        for number in NUMBERS {
            let options = PatternOptions::new(Shape::Random, number);
            let (x, name) = (number as f64, |method: Method| method.to_string());
            self.record(context, name, (x, sets), &options, (number >= FEWEST).then_some(JUDGED))?;
        }
        for length in LENGTHS {
            let mut options = PatternOptions::new(Shape::Random, PATTERNS);
            (options.shortest, options.longest) = (length, length);
            self.record(context, by_length, (length as f64, SEEDS), &options, None)?;
        }
        for (number, sets) in larger {
            let options = PatternOptions::new(Shape::Random, number);
            self.record(context, large, (number as f64, sets), &options, Some(LARGER))?;
        }
        // The rule is strict.
        context.record.count(BAR, LARGE as f64, self.bar + 1, "");
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let at = |name: fn(Method) -> String, x: f64| {
            let value = |method| plots::value(rows, &name(method), &x.into());
            Some((value(Method::Proposed)?, value(Method::Sharing)?, value(Method::Single)?))
        };
        let mut sentences = Vec::new();
        let text = |(proposed, sharing, single): (f64, f64, f64), patterns: u64| {
            format!(
                "With {patterns} patterns the proposed model has {proposed:.0} {} on average, {:.0} % of \
                 those of sharing ({sharing:.0}) and {:.0} % of those of single patterns ({single:.0}).",
                self.what,
                100.0 * proposed / sharing,
                100.0 * proposed / single,
            )
        };
        if let Some(counts) = at(|method| method.to_string(), PATTERNS as f64) {
            sentences.push(text(counts, PATTERNS));
        }
        let largest = plots::last(rows, &large(Method::Proposed)).and_then(|row| row.x.number());
        if let Some((x, counts)) = largest.and_then(|x| Some((x, at(large, x)?))) {
            sentences.push(text(counts, x as u64));
        }
        sentences
    }
}
