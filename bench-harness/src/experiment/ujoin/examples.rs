//! The worked examples: Figs. 1, 4 and 5.

use std::sync::Arc;

use ujoin::storage::Memory;
use ujoin::{
    Budget, Collect, Config, Join, Pair, Policy, Probability, Product, SlotProbability, Spill,
    TravelTimes, Tuple,
};

use super::engines::{Way, fail, feed};
use super::load::{hundredths, numbered};
use crate::claim::Claim;
use crate::error::{Error, Result};
use crate::experiment::{About, Artefact, Context, Experiment, Kind};

/// Fig. 1.
#[derive(Debug)]
pub struct Fig1;

const ALARMS: &str = "alarms";

/// Every engine, as it is called on the page.
pub fn engines() -> [(&'static str, ujoin::Engine); 6] {
    use ujoin::Engine::{Keyed, Log, Paper, PaperBatched};
    use ujoin::Expiry::{Batch, Inline};
    [
        (Way::Log.name(), Log),
        (Way::Keyed.name(), Keyed),
        (Way::Inline.name(), Paper(Inline)),
        (Way::Batch.name(), Paper(Batch { interval: 30 })),
        (Way::InlineBatched.name(), PaperBatched(Inline)),
        (Way::BatchBatched.name(), PaperBatched(Batch { interval: 30 })),
    ]
}

/// Observation, stream, time in minutes, key, probability.
const ROWS: [(u64, u32, i64, u64, u32); 4] =
    [(1, 0, 1, 12_345, 90), (1, 0, 1, 72_345, 10), (2, 1, 7, 12_345, 80), (2, 1, 7, 72_345, 20)];

fn tuples() -> Arc<[Tuple]> {
    let tuple = |&(observation, stream, time, key, percent): &(u64, u32, i64, u64, u32)| Tuple {
        seq: 0,
        observation,
        key,
        time,
        stream,
        probability: hundredths(percent),
    };
    numbered(ROWS.iter().map(tuple).collect())
}

fn alarm(pair: &Pair) -> String {
    let apart = pair.second.time - pair.first.time;
    format!("plate {}: time difference {apart}, probability {}", pair.first.key, pair.probability)
}

/// Every pair of one plate as a graph; one below the threshold is dashed.
fn pairs() -> String {
    let tuples = tuples();
    let (first, second) = tuples.split_at(2);
    let mut text = "digraph { rankdir=LR; node [shape=box];\n".to_owned();
    let name = |tuple: &Tuple| {
        let camera = if tuple.stream == 0 { "A" } else { "C" };
        format!("\"camera {camera}, time {}\\n{}: {}\"", tuple.time, tuple.key, tuple.probability)
    };
    for a in first {
        for b in second.iter().filter(|b| b.key == a.key) {
            let product = a.probability.times(b.probability);
            let (style, word) = match product >= Product::from(hundredths(70)) {
                true => ("solid", "alarm"),
                false => ("dashed", "no alarm"),
            };
            let (a, b) = (name(a), name(b));
            text += &format!("{a} -> {b} [label=\"{product}: {word}\", style={style}];\n");
        }
    }
    text + "}\n"
}

impl Experiment for Fig1 {
    fn about(&self) -> About {
        About {
            id: "ujoin-fig1".to_owned(),
            kind: Kind::Example,
            title: "A car with a forged plate".to_owned(),
            paper: "Fig. 1: at time 1 camera A reads plate 12345 with probability 0.9 and 72345 with \
                    0.1; at time 7 camera C reads 12345 with 0.8 and 72345 with 0.2. The fastest drive \
                    from A to C takes 30 min. Only 6 have passed, so the plate is on two cars with \
                    probability 0.9 times 0.8 = 0.72."
                .to_owned(),
            method: "The four alternatives are joined by every engine, threshold 0.7, and with it once \
                     more by brute force."
                .to_owned(),
            reconstruction: Some(
                "The picture is lost; all of it is in the text. The threshold is that of the \
                 experiments: at 0.02 or less the alternative 72345 would be a second alarm."
                    .to_owned(),
            ),
            claims: vec![Claim::example("one alarm, for plate 12345", ALARMS)],
            plots: Vec::new(),
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let mut found = Vec::new();
        for (name, engine) in engines() {
            let travel = TravelTimes::constant(2, 30)
                .map_err(|error| Error::failed(format!("ujoin: {error}")))?;
            let mut sink = Collect::default();
            let mut join = Config::new(travel)
                .engine(engine)
                .threshold(hundredths(70))
                .build()
                .map_err(fail)?;
            feed(&mut *join, &tuples(), &mut sink)?;
            let alarms: Vec<String> = sink.pairs.iter().map(alarm).collect();
            found.push((name, alarms.join("; ")));
        }
        let answers: Vec<(&str, &String)> = found.iter().map(|(name, one)| (*name, one)).collect();
        super::engines::agree(&answers)?;
        let first = found.into_iter().next().map_or(String::new(), |(_, alarms)| alarms);
        context.record.check(ALARMS, "plate 12345: time difference 6, probability 0.72", first);
        Ok(())
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let row = |&(observation, stream, time, key, percent): &(u64, u32, i64, u64, u32)| {
            let camera = if stream == 0 { "A" } else { "C" };
            let probability = Probability::to_string(&hundredths(percent));
            [observation.to_string(), camera.to_owned(), time.to_string(), key.to_string()]
                .into_iter()
                .chain([probability])
                .collect()
        };
        let table = Artefact::Table {
            caption: "What the cameras read".to_owned(),
            head: ["Observation", "Camera", "Time", "Plate", "Probability"]
                .map(str::to_owned)
                .to_vec(),
            rows: ROWS.iter().map(row).collect(),
        };
        let caption =
            "Alternatives of one plate, and the probability that both are true".to_owned();
        Ok(vec![table, Artefact::Dot { caption, text: pairs() }])
    }
}

/// Figs. 4 and 5.
#[derive(Clone, Copy, Debug)]
pub enum Flush {
    /// Fig. 4.
    WindowHalf,
    /// Fig. 5.
    LessThanProbability,
}

/// Of the tuples A to L: stream, time in seconds, key, probability in hundredths. The slot is the key
/// modulo 100.
const LETTERS: [(u32, i64, u64, u32); 12] = [
    (0, 1, 10_012, 95),
    (0, 2, 10_112, 90),
    (0, 3, 10_212, 80),
    (0, 4, 10_312, 75),
    (0, 5, 10_056, 95),
    (0, 6, 20_056, 90),
    (0, 7, 20_056, 85),
    (0, 8, 10_156, 80),
    (0, 9, 10_090, 90),
    (0, 10, 10_190, 80),
    (0, 11, 10_290, 75),
    (1, 12, 20_056, 90),
];

const SLOTS: usize = 100;
const HOUR: i64 = 3600;
/// What memory holds when L comes.
const HELD: usize = 11;

const STAYS: &str = "what stays in memory";
const GOES: &str = "what goes to disk";
const ORDER: &str = "results of L in their order";
const FULL: &str = "flushes and tuples written";

fn letter(seq: u64) -> char {
    char::from(b'A' + seq.min(25) as u8)
}

fn lettered(seq: usize) -> Tuple {
    let (stream, time, key, percent) = LETTERS[seq];
    let observation = seq as u64;
    let probability = hundredths(percent);
    Tuple { seq: seq as u64, observation, key, time, stream, probability }
}

impl Flush {
    fn policy(self) -> Policy {
        match self {
            Self::WindowHalf => Policy::WindowHalf,
            Self::LessThanProbability => Policy::LessThanProbability {
                probability: Product::from(hundredths(8)),
                share: 3,
                slots: SlotProbability::Given(vec![
                    (12, hundredths(10)),
                    (56, hundredths(8)),
                    (90, hundredths(20)),
                ]),
            },
        }
    }

    /// A join that has A to K in memory, and one stream more than they need.
    fn full(self, engine: ujoin::Engine) -> Result<Box<dyn Join>> {
        let travel = TravelTimes::constant(2, HOUR)
            .map_err(|error| Error::failed(format!("ujoin: {error}")))?;
        let spill = Spill::new(Budget::Entries(HELD), self.policy(), Arc::new(Memory::new()));
        let config = Config::new(travel).engine(engine).threshold(hundredths(70)).slots(SLOTS);
        let mut join = config.spill(spill).build().map_err(fail)?;
        let first: Vec<Tuple> = (0..HELD).map(lettered).collect();
        join.push(&first, &mut Collect::default()).map_err(fail)?;
        Ok(join)
    }

    /// The letters that are in memory after the flush: a certain tuple in place of L finds those of its
    /// key at once.
    fn stays(self, engine: ujoin::Engine) -> Result<String> {
        let mut letters = String::new();
        let mut keys: Vec<u64> = LETTERS[..HELD].iter().map(|row| row.2).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            let mut join = self.full(engine)?;
            let mut sink = Collect::default();
            let probe = Tuple { key, probability: Probability::ONE, ..lettered(HELD) };
            join.push(&[probe], &mut sink).map_err(fail)?;
            join.resident(&mut sink).map_err(fail)?;
            letters.extend(sink.pairs.iter().map(|pair| letter(pair.first.seq)));
        }
        let mut letters: Vec<char> = letters.chars().collect();
        letters.sort_unstable();
        Ok(letters.into_iter().collect())
    }

    /// The lists of the slots after the flush, and what L finds in them, as a graph: read off the engine.
    fn lists(self) -> Result<String> {
        let stays = self.stays(ujoin::Engine::Log)?;
        let mut text = "digraph { rankdir=LR;\n".to_owned();
        let mut end: Vec<(u64, String)> = Vec::new();
        for tuple in (0..HELD).map(lettered) {
            let (name, slot) = (letter(tuple.seq), tuple.key % SLOTS as u64);
            let kept = stays.contains(name);
            let look = if kept { "shape=circle" } else { "shape=box, style=dashed" };
            text += &format!("{name} [label=\"{name}\\n{}\", {look}];\n", tuple.probability);
            let before = match end.last() {
                Some((other, last)) if *other == slot => last.clone(),
                _ => {
                    text += &format!("slot{slot} [label=\"slot {slot}\", shape=none];\n");
                    format!("slot{slot}")
                }
            };
            text += &format!("{before} -> {name};\n");
            end.push((slot, name.to_string()));
        }
        let found = self.results(ujoin::Engine::Log)?.0;
        let last = lettered(HELD);
        text += &format!("L [label=\"L\\n{}\", shape=doublecircle];\n", last.probability);
        for result in found.split(", ") {
            let (name, rest) = result.split_once(' ').unwrap_or((result, ""));
            let style = if rest.ends_with("disk") { "dashed" } else { "solid" };
            text += &format!("L -> {name} [label=\"{rest}\", style={style}];\n");
        }
        Ok(text + "}\n")
    }

    /// What L finds: at once, and at the end.
    fn results(self, engine: ujoin::Engine) -> Result<(String, String)> {
        let mut join = self.full(engine)?;
        let mut sink = Collect::default();
        join.push(&[lettered(HELD)], &mut sink).map_err(fail)?;
        join.resident(&mut sink).map_err(fail)?;
        let at_once = sink.pairs.len();
        join.finish(&mut sink).map_err(fail)?;
        let stats = join.stats();
        let texts: Vec<String> = sink
            .pairs
            .iter()
            .enumerate()
            .map(|(at, pair)| {
                let when = if at < at_once { "at once" } else { "from disk" };
                format!("{} {} {when}", letter(pair.first.seq), pair.probability)
            })
            .collect();
        Ok((texts.join(", "), format!("{}, {}", stats.flushes, stats.spilled_entries)))
    }
}

impl Experiment for Flush {
    fn about(&self) -> About {
        let (id, title, paper) = match self {
            Self::WindowHalf => (
                "ujoin-fig4",
                "The more probable half of each list stays",
                "Fig. 4, window half: memory is full when L comes. What lies behind the median of each \
                 list goes to disk; A, B, E, F and I stay. L finds F at once, with probability 0.81, \
                 and G when it is brought back from disk, with 0.765.",
            ),
            Self::LessThanProbability => (
                "ujoin-fig5",
                "What is improbable by itself and by its slot goes to disk",
                "Fig. 5, less than probability with Probability = 0.08: C, D, E, F, G and H go to disk, \
                 since their probability times that of their slot is at most 0.08; A, B, I, J and K \
                 stay.",
            ),
        };
        let mut claims = vec![
            Claim::example("these tuples stay in memory", STAYS),
            Claim::example("these go to disk", GOES),
        ];
        let results = Claim::example("what L finds, and when", ORDER);
        let flushes = Claim::example("one flush, of six tuples", FULL);
        claims.extend(match self {
            Self::WindowHalf => [results, flushes.our_reading()],
            Self::LessThanProbability => [results.our_reading(), flushes.our_reading()],
        });
        About {
            id: id.to_owned(),
            kind: Kind::Example,
            title: title.to_owned(),
            paper: paper.to_owned(),
            method: "Every engine is given A to K of one stream with a budget of 11 tuples, then L of \
                     another one: storing L makes memory overflow, so the policy is asked before L looks \
                     for partners. What is in memory then is read off by giving, in place of L, a certain \
                     tuple of each key: what it finds at once is there."
                .to_owned(),
            reconstruction: Some(
                "The pictures are lost. Keys, lists and probabilities are chosen so that everything in \
                 the text comes out: lists A to D in slot 12, E to H in slot 56 and I to K in slot 90, \
                 F, G and L of one plate; slot probabilities 0.10, 0.08 and 0.20, M = 3."
                    .to_owned(),
            ),
            claims,
            plots: Vec::new(),
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let mut stays = Vec::new();
        let mut results = Vec::new();
        for (name, engine) in engines() {
            stays.push((name, self.stays(engine)?));
            results.push((name, self.results(engine)?));
        }
        super::engines::agree(&stays)?;
        super::engines::agree(&results)?;
        let first = stays.into_iter().next().map(|(_, letters)| letters).unwrap_or_default();
        let goes: String = ('A'..='K').filter(|&one| !first.contains(one)).collect();
        let (order, full) = results.into_iter().next().map(|(_, one)| one).unwrap_or_default();
        let (stay, go, found) = match self {
            Self::WindowHalf => ("ABEFI", "CDGHJK", "F 0.81 at once, G 0.765 from disk"),
            Self::LessThanProbability => ("ABIJK", "CDEFGH", "F 0.81 from disk, G 0.765 from disk"),
        };
        context.record.check(STAYS, stay, first);
        context.record.check(GOES, go, goes);
        context.record.check(ORDER, found, order);
        context.record.check(FULL, "1, 6", full);
        Ok(())
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let row = |at: usize| {
            let tuple = lettered(at);
            vec![
                letter(tuple.seq).to_string(),
                (tuple.stream + 1).to_string(),
                tuple.time.to_string(),
                tuple.key.to_string(),
                (tuple.key % SLOTS as u64).to_string(),
                tuple.probability.to_string(),
            ]
        };
        let table = Artefact::Table {
            caption: "The tuples".to_owned(),
            head: ["Tuple", "Stream", "Time", "Key", "Slot", "Probability"]
                .map(str::to_owned)
                .to_vec(),
            rows: (0..LETTERS.len()).map(row).collect(),
        };
        let caption =
            "The lists when L has come: circles are in memory, dashed boxes on disk".to_owned();
        Ok(vec![table, Artefact::Dot { caption, text: self.lists()? }])
    }
}
