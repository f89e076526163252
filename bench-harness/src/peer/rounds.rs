//! Interleaved rounds of an engine of ours and its peers on one workload.
//!
//! Every engine answers once before any time counts. A peer whose answer is another is left out of what
//! follows, so that no time of it can be shown: as a failure, unless it is known to answer so.

use super::{Answer, Round, Runner};
use crate::error::{Error, Result};
use crate::progress::Progress;

/// Rounds that are run and compared but not timed. A virtual machine that compiles while it runs needs
/// them: Flink's second round takes a third of the time of its first.
pub const WARM_UP: u32 = 3;

/// A peer on a workload.
pub struct Contender {
    /// The peer.
    pub runner: Box<dyn Runner>,
    /// Why it is known to answer otherwise, if it is.
    pub known_to_differ: Option<&'static str>,
}

/// What became of a peer.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It gave our engine's answer in every round.
    Equal(Times),
    /// It gave another answer, as it is known to do.
    Differs {
        /// Its answer.
        answer: Answer,
        /// Why.
        reason: &'static str,
    },
    /// It gave another answer than it should have.
    Wrong(Answer),
}

/// The peers by name, in the order given.
pub type Outcomes = Vec<(String, Outcome)>;

/// The timed rounds of one engine, in seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// Wall time.
    pub wall: Vec<f64>,
    /// CPU time.
    pub cpu: Vec<f64>,
}

impl Times {
    fn add(&mut self, round: &Round) {
        self.wall.push(round.wall);
        self.cpu.push(round.cpu);
    }
}

/// One workload, measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Our engine.
    pub engine: &'static str,
    /// The workload.
    pub workload: &'static str,
    /// The length of the stream.
    pub events: u64,
    /// The hash of the file of events.
    pub sha256: String,
    /// Our engine's answer.
    pub answer: Answer,
    /// Our engine's times.
    pub own: Times,
    /// The peers.
    pub peers: Outcomes,
    /// What some peer finds and our engine does not, or the other way round, in words.
    pub cases: Vec<String>,
}

impl Measured {
    /// The peers that failed.
    pub fn wrong(&self) -> impl Iterator<Item = Error> + '_ {
        self.peers.iter().filter_map(|(name, outcome)| match outcome {
            Outcome::Wrong(answer) => Some(Error::disagreement(format!(
                "{}: {} finds {}, but {name} finds {answer}",
                self.workload, self.engine, self.answer
            ))),
            _ => None,
        })
    }
}

/// Runs our engine and the peers in turn, the order reversed every other round. Gives its answer and times,
/// and what became of the peers.
pub fn measure(
    own: &mut dyn Runner,
    contenders: &mut [Contender],
    rounds: u32,
    progress: &Progress,
) -> Result<(Answer, Times, Outcomes)> {
    let bar = progress.bar("rounds", u64::from(WARM_UP + rounds));
    let answer = own.round()?.answer;
    let mut outcomes = Vec::with_capacity(contenders.len());
    for contender in contenders.iter_mut() {
        let other = contender.runner.round()?.answer;
        let outcome = match contender.known_to_differ {
            _ if other == answer => Outcome::Equal(Times::default()),
            Some(reason) => Outcome::Differs { answer: other, reason },
            None => Outcome::Wrong(other),
        };
        outcomes.push((contender.runner.name().to_owned(), outcome));
    }
    bar.advance(1);
    let mut times = Times::default();
    for round in 1..WARM_UP + rounds {
        let timed = round >= WARM_UP;
        // Our engine is place 0.
        let mut order: Vec<usize> = (0..=contenders.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for place in order {
            let Some(peer) = place.checked_sub(1) else {
                let done = again(own, answer)?;
                if timed {
                    times.add(&done);
                }
                continue;
            };
            if let Outcome::Equal(times) = &mut outcomes[peer].1 {
                let done = again(contenders[peer].runner.as_mut(), answer)?;
                if timed {
                    times.add(&done);
                }
            }
        }
        bar.advance(1);
    }
    Ok((answer, times, outcomes))
}

/// A further round; an engine that answers otherwise than before is of no use.
fn again(runner: &mut dyn Runner, expected: Answer) -> Result<Round> {
    let round = runner.round()?;
    if round.answer == expected {
        return Ok(round);
    }
    let name = runner.name();
    Err(Error::disagreement(format!("{name} found {expected} before and now {}", round.answer)))
}
