//! Table 1: the default parameters.

use std::collections::BTreeSet;

use multipattern::{Method, Semantics};

use super::engines::{
    ATTRIBUTES, EVENTS, LENGTHS, Load, PATTERNS, SEEDS, TYPES, WINDOW, agree, answer, detector,
    seeds, set,
};
use super::{oracle, plots};
use crate::claim::{Claim, Rule};
use crate::error::Result;
use crate::experiment::{About, Artefact, Context, Experiment, Kind, Scale};
use crate::measure::Summary;
use crate::record::Row;

/// The table.
#[derive(Debug)]
pub struct Parameters;

const TABLE: &str = "the parameters of Table 1";
const RATE: &str = "matches an event";
const BRUTE: &str = "brute force";

/// Brute force looks at so many events of each stream.
const BRUTE_EVENTS: usize = 150;

fn text(types: usize, patterns: usize, lengths: (usize, usize), events: usize) -> String {
    format!(
        "windows of {WINDOW} events, {types} event types, {patterns} patterns of {} to {} operands, \
         {events} events of {} attributes",
        lengths.0,
        lengths.1,
        ATTRIBUTES.len()
    )
}

impl Experiment for Parameters {
    fn about(&self) -> About {
        let names = Method::COMPARED.map(|method| method.to_string());
        let mut all = plots::borrow(&names);
        all.push(BRUTE);
        About {
            id: "multi-table1".to_owned(),
            kind: Kind::Table,
            title: "The parameters of all figures".to_owned(),
            paper: "Table 1: sliding window 40; 10 event types; 40 detection expressions of length 3 to \
                    10; an event stream of 10^5; 2 attributes an event, the time left out. Five \
                    tests are taken."
                .to_owned(),
            method: format!(
                "Patterns and events are drawn from seeds, {SEEDS} in a row: each operand and each \
                 event's type, tag and reader is uniform, a pattern's length is uniform. That the \
                 data have the parameters is counted from the data. Each method reads each stream; \
                 what it finds is compared, the order and all indices included. On the first \
                 {BRUTE_EVENTS} events of each stream it is compared with brute force as well."
            ),
            reconstruction: Some(
                "The paper's text says 105 for 10^5. It names neither a distribution, for which we \
                 take the uniform one, nor what a match is; its buffered instances and joins of \
                 composites within a window mean that every combination of events in order counts, \
                 and nothing is consumed (semantics any)."
                    .to_owned(),
            ),
            claims: vec![
                Claim::example("patterns and events have these parameters", TABLE),
                Claim::new(
                    "all methods find the same, as does brute force",
                    "equal answers",
                    Rule::same(&all),
                )
                .our_check(),
            ],
            plots: vec![
                plots::table(
                    &format!("Matches in the first {BRUTE_EVENTS} events, by seed"),
                    "seed",
                    &all,
                ),
                plots::table("Matches an event in the whole stream, by seed", "seed", &[RATE]),
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let expected = text(TYPES, PATTERNS as usize, LENGTHS, EVENTS as usize);
        let mut found = BTreeSet::new();
        // All five together: a set of 40 need not have each length.
        let (mut shortest, mut longest) = (usize::MAX, 0);
        for seed in seeds(context.seed) {
            let load = Load::table1(EVENTS, seed)?;
            let lengths = || load.patterns.iter().map(Vec::len);
            shortest = shortest.min(lengths().min().unwrap_or(0));
            longest = longest.max(lengths().max().unwrap_or(0));
            let types: BTreeSet<u8> = load.events.iter().map(|event| event.0.letter).collect();
            found.insert((types.len(), load.patterns.len(), load.events.len()));

            context.record.data_sha256(Some(load.sha256.clone()));
            let part = load.events.get(..BRUTE_EVENTS).unwrap_or(&load.events);
            let letters: Vec<u8> = part.iter().map(|event| event.0.letter).collect();
            let brute = oracle::answer(&load.patterns, &letters, WINDOW);
            context.record.count(BRUTE, seed as f64, brute.matches, "");
            let whole = match context.scale {
                Scale::Tiny => &load.events[..2000],
                _ => &load.events[..],
            };
            let set = set(&load.patterns, Semantics::Any)?;
            let mut answers = Vec::new();
            for method in Method::COMPARED {
                let short = answer(detector(&set, method)?, part, |_| ())?;
                agree(&[(BRUTE, brute), (method.name(), short)])?;
                context.record.count(method.name(), seed as f64, short.matches, "");
                answers.push((method.name(), answer(detector(&set, method)?, whole, |_| ())?));
            }
            agree(&answers)?;
            let matches = answers.first().map_or(0, |(_, answer)| answer.matches);
            let rate = Summary::exact(matches as f64 / whole.len() as f64);
            context.record.point(RATE, seed as f64, rate, "");
        }
        let each = found
            .iter()
            .map(|&(types, patterns, events)| text(types, patterns, (shortest, longest), events));
        context.record.check(TABLE, expected, each.collect::<Vec<_>>().join("; "));
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let rates: Vec<f64> =
            rows.iter().filter(|row| row.series == RATE).map(|row| row.value).collect();
        plots::over_seeds(&rates).map_or_else(Vec::new, |rate| {
            vec![format!(
                "An event completes {:.1} matches on average, {:.1} to {:.1} with the {} seeds.",
                rate.median, rate.lo, rate.hi, rate.n
            )]
        })
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let rows = [
            ("Sliding window", format!("{WINDOW} events")),
            ("Event types", TYPES.to_string()),
            ("Patterns", PATTERNS.to_string()),
            ("Operands of a pattern", format!("{} to {}", LENGTHS.0, LENGTHS.1)),
            ("Events", EVENTS.to_string()),
            ("Attributes of an event", ATTRIBUTES.join(", ")),
            ("Repetitions", format!("{SEEDS}, each with a seed of its own")),
        ];
        Ok(vec![Artefact::Table {
            caption: "Table 1".to_owned(),
            head: ["Parameter", "Value"].map(str::to_owned).to_vec(),
            rows: rows.map(|(name, value)| vec![name.to_owned(), value]).to_vec(),
        }])
    }
}
