//! Interleaved runs: every round runs every contender once, in an order that changes from round to
//! round, so that a machine that slows down or speeds up meanwhile hits all of them alike. What is
//! compared are the ratios within a round.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

use super::{Summary, process};
use crate::error::{Error, Result};
use crate::progress::Progress;

/// One thing to be timed. Its answer is compared with the others' before any time is taken.
pub struct Contender<'a, A> {
    name: String,
    job: Box<dyn Job<A> + 'a>,
}

impl<'a, A: 'a> Contender<'a, A> {
    /// `run` does the whole job once and returns its answer, or a digest of it.
    pub fn new(name: impl Into<String>, run: impl FnMut() -> Result<A> + 'a) -> Self {
        let clock = || ProcessTime::now().as_duration();
        Self { name: name.into(), job: Box::new(Whole { run, clock }) }
    }

    /// `run` starts processes and waits for them; the CPU time is theirs, and zero where the operating
    /// system does not tell it.
    pub fn processes(name: impl Into<String>, run: impl FnMut() -> Result<A> + 'a) -> Self {
        let clock = || process::children().unwrap_or_default();
        Self { name: name.into(), job: Box::new(Whole { run, clock }) }
    }

    /// What `prepare` makes for each run is neither made nor dropped within the time.
    pub fn prepared<P: 'a>(
        name: impl Into<String>,
        prepare: impl FnMut() -> P + 'a,
        run: impl FnMut(&mut P) -> Result<A> + 'a,
    ) -> Self {
        Self { name: name.into(), job: Box::new(Prepared { prepare, run, ready: None }) }
    }
}

/// What a contender does in a round.
trait Job<A> {
    /// Runs so often.
    fn repeat(&mut self, repeats: u32) -> Result<Repeated<A>>;
}

/// Several runs: their times together, and the last answer.
struct Repeated<A> {
    wall: Duration,
    cpu: Duration,
    /// The wall time with all that was prepared.
    whole: Duration,
    answer: A,
}

struct Whole<R> {
    run: R,
    /// Tells the CPU time used so far.
    clock: fn() -> Duration,
}

impl<A, R: FnMut() -> Result<A>> Job<A> for Whole<R> {
    fn repeat(&mut self, repeats: u32) -> Result<Repeated<A>> {
        let (wall, cpu) = (Instant::now(), (self.clock)());
        let mut answer = (self.run)();
        for _ in 1..repeats {
            if answer.is_err() {
                break;
            }
            answer = (self.run)();
        }
        let (wall, cpu) = (wall.elapsed(), (self.clock)().saturating_sub(cpu));
        Ok(Repeated { wall, cpu, whole: wall, answer: answer? })
    }
}

struct Prepared<M, R, P> {
    prepare: M,
    run: R,
    ready: Option<P>,
}

impl<A, P, M: FnMut() -> P, R: FnMut(&mut P) -> Result<A>> Job<A> for Prepared<M, R, P> {
    fn repeat(&mut self, repeats: u32) -> Result<Repeated<A>> {
        let begin = Instant::now();
        let mut once = || {
            let ready = self.ready.insert((self.prepare)());
            let (wall, cpu) = (Instant::now(), ProcessTime::now());
            let answer = (self.run)(ready);
            let (wall, cpu) = (wall.elapsed(), cpu.elapsed());
            answer.map(|answer| (wall, cpu, answer))
        };
        let (mut wall, mut cpu, mut answer) = once()?;
        for _ in 1..repeats {
            let next = once()?;
            (wall, cpu, answer) = (wall + next.0, cpu + next.1, next.2);
        }
        Ok(Repeated { wall, cpu, whole: begin.elapsed(), answer })
    }
}

/// How often to run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Rounds that are run and compared but not timed; at least one always is.
    pub warm_up: u32,
    /// Timed rounds.
    pub rounds: u32,
    /// A run that is shorter, with what is prepared for it, is repeated within its round until it takes
    /// this long, so that the clock's grain and the cost of reading it vanish.
    pub shortest: Duration,
}

/// The runs of one contender, one entry a round.
#[derive(Clone, Debug)]
pub struct Samples<A> {
    /// The contender.
    pub name: String,
    /// Wall time of one run in seconds.
    pub wall: Vec<f64>,
    /// CPU time of one run in seconds, all threads of the process together.
    pub cpu: Vec<f64>,
    /// The answer, the same in every round and for every contender.
    pub answer: A,
}

impl<A> Samples<A> {
    /// The wall time.
    pub fn wall_summary(&self) -> Option<Summary> {
        Summary::of(&self.wall)
    }

    /// The CPU time.
    pub fn cpu_summary(&self) -> Option<Summary> {
        Summary::of(&self.cpu)
    }
}

/// Runs the contenders in turn and returns their samples in the order given.
///
/// Fails when two of them answer differently in any round: times of engines that disagree mean
/// nothing.
pub fn interleave<A: PartialEq + Debug>(
    contenders: &mut [Contender<'_, A>],
    plan: &Plan,
    progress: &Progress,
) -> Result<Vec<Samples<A>>> {
    let rounds = plan.warm_up.max(1) + plan.rounds;
    let bar = progress.bar("rounds", u64::from(rounds));
    let mut samples: Vec<Samples<A>> = Vec::with_capacity(contenders.len());
    let mut repeats = Vec::with_capacity(contenders.len());
    for contender in contenders.iter_mut() {
        let Repeated { whole, answer, .. } = timed_run(contender, 1)?;
        repeats.push(repeats_for(whole, plan.shortest));
        if let Some(first) = samples.first() {
            compare(&first.name, &first.answer, &contender.name, &answer)?;
        }
        let name = contender.name.clone();
        samples.push(Samples { name, wall: Vec::new(), cpu: Vec::new(), answer });
    }
    bar.advance(1);
    for round in 1..rounds {
        let timed = round >= plan.warm_up.max(1);
        for index in order(contenders.len(), round) {
            let times = f64::from(repeats[index]);
            let Repeated { wall, cpu, whole, answer } =
                timed_run(&mut contenders[index], repeats[index])?;
            let samples = &mut samples[index];
            compare("an earlier run", &samples.answer, &samples.name, &answer)?;
            if timed {
                samples.wall.push(wall.as_secs_f64() / times);
                samples.cpu.push(cpu.as_secs_f64() / times);
            } else {
                // The first run was cold; a later one tells better how often to repeat.
                repeats[index] = repeats_for(whole.div_f64(times), plan.shortest);
            }
        }
        bar.advance(1);
    }
    Ok(samples)
}

/// Each contender is first, second, ... equally often, and follows each of its neighbours in both
/// directions: rotate by one every second round, reverse every other one.
fn order(len: usize, round: u32) -> Vec<usize> {
    let shift = (round as usize / 2) % len.max(1);
    let mut order: Vec<usize> = (0..len).map(|index| (index + shift) % len).collect();
    if round % 2 == 1 {
        order.reverse();
    }
    order
}

fn repeats_for(once: Duration, shortest: Duration) -> u32 {
    let once = once.as_secs_f64().max(1e-9);
    // A million repeats bound the work when the clock reads zero.
    (shortest.as_secs_f64() / once).ceil().clamp(1.0, 1e6) as u32
}

fn timed_run<A>(contender: &mut Contender<'_, A>, repeats: u32) -> Result<Repeated<A>> {
    contender.job.repeat(repeats).map_err(|error| error.within(&contender.name))
}

fn compare<A: PartialEq + Debug>(one: &str, a: &A, other: &str, b: &A) -> Result<()> {
    if a == b {
        return Ok(());
    }
    Err(Error::disagreement(format!("{one} answers {a:?}, but {other} answers {b:?}")))
}
