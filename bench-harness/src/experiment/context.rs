//! What an experiment is given, and where it writes what it finds.

use std::ffi::OsString;
use std::time::Duration;

use super::{Scale, Shared};
use crate::claim;
use crate::data::{Cache, DataFile};
use crate::error::Result;
use crate::measure::memory::{self, Memory};
use crate::measure::{Plan, Samples, Summary, machine};
use crate::own::Own;
use crate::progress::Progress;
use crate::record::{Row, X};

/// The surroundings of one run of one experiment.
#[derive(Debug)]
pub struct Context<'a> {
    /// How much to run.
    pub scale: Scale,
    /// The seed of all data and of every other random choice.
    pub seed: u64,
    /// Where generated files are kept.
    pub data: &'a Cache,
    /// Where progress and messages go.
    pub progress: &'a Progress,
    /// How many timed rounds, instead of what the scale says.
    pub repeat: Option<u32>,
    /// What other experiments of the same call have made already.
    pub shared: Shared,
    /// Where results go.
    pub record: Recorder,
}

impl<'a> Context<'a> {
    /// The context for the experiment `id`.
    pub fn new(id: &str, scale: Scale, seed: u64, data: &'a Cache, progress: &'a Progress) -> Self {
        Self {
            scale,
            seed,
            data,
            progress,
            repeat: None,
            shared: Shared::default(),
            record: Recorder::new(id, seed, machine::describe(scale)).with_own(data.own().clone()),
        }
    }

    /// How often to run at this scale, or as often as the caller wants: never fewer rounds than an
    /// interval of 95 % needs, unless he asks for that.
    pub fn plan(&self) -> Plan {
        let (warm_up, rounds, shortest) = match self.scale {
            Scale::Tiny => (1, 6, 1),
            Scale::Quick => (1, 7, 10),
            Scale::Paper => (2, 11, 50),
            Scale::Full => (2, 15, 50),
        };
        let rounds = self.repeat.unwrap_or(rounds);
        Plan { warm_up, rounds, shortest: Duration::from_millis(shortest) }
    }

    /// Measures the memory of one of this experiment's probes in a process of its own, which gets the
    /// same scale, seed and data directory. The rows that the probe recorded are added to this
    /// experiment's.
    pub fn memory(&mut self, probe: &str) -> Result<Memory> {
        let (memory, rows) = memory::measure(&self.probe_call(probe))?;
        self.record.rows.extend(rows);
        Ok(memory)
    }

    /// The same for several probes, side by side: their processes count bytes and take no times.
    pub fn memories<P: AsRef<str>>(&mut self, probes: &[P]) -> Result<Vec<Memory>> {
        let calls: Vec<_> = probes.iter().map(|probe| self.probe_call(probe.as_ref())).collect();
        let measured = memory::measure_all(&calls)?;
        let add = |(memory, rows)| {
            self.record.rows.extend::<Vec<Row>>(rows);
            memory
        };
        Ok(measured.into_iter().map(add).collect())
    }

    fn probe_call(&self, probe: &str) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec![
            (&self.record.id).into(),
            probe.into(),
            "--scale".into(),
            self.scale.name().into(),
            "--seed".into(),
            self.seed.to_string().into(),
            "--data".into(),
            self.data.directory().into(),
        ];
        for (kind, path) in self.data.own().paths().kinds() {
            arguments.extend([format!("--{}", kind.name()).into(), path.into()]);
        }
        arguments
    }
}

/// An exact comparison: what should come out, and what did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The name by which a claim refers to it.
    pub name: String,
    /// What the paper, or brute force, says.
    pub expected: String,
    /// What the engine says.
    pub actual: String,
}

/// Collects the rows and checks of one experiment.
#[derive(Clone, Debug)]
pub struct Recorder {
    id: String,
    seed: u64,
    machine: String,
    data_sha256: Option<String>,
    own: Own,
    rows: Vec<Row>,
    checks: Vec<Check>,
}

impl Recorder {
    /// An empty recorder for the experiment `id`.
    pub fn new(id: &str, seed: u64, machine: String) -> Self {
        let (rows, checks, own) = (Vec::new(), Vec::new(), Own::default());
        Self { id: id.to_owned(), seed, machine, data_sha256: None, own, rows, checks }
    }

    /// The same where points over one of these files say so.
    #[must_use]
    pub fn with_own(self, own: Own) -> Self {
        Self { own, ..self }
    }

    /// Says which file the following points are about.
    pub fn data(&mut self, file: Option<&DataFile>) {
        self.data_sha256 = file.map(|file| file.sha256.clone());
    }

    /// Says what the following points are about when it is in no file: the SHA-256 of what the
    /// generator would write.
    pub fn data_sha256(&mut self, hash: Option<String>) {
        self.data_sha256 = hash;
    }

    /// Records a summary. Points that are not finite are left out: there is no such measurement.
    pub fn point(&mut self, series: &str, x: impl Into<X>, summary: Summary, unit: &str) {
        let Summary { median, lo, hi, n } = summary;
        if ![median, lo, hi].iter().all(|number| number.is_finite()) {
            return;
        }
        let own_file = self.data_sha256.as_ref().and_then(|hash| self.own.of_hash(hash));
        self.rows.push(Row {
            id: self.id.clone(),
            series: series.to_owned(),
            x: x.into(),
            value: median,
            unit: unit.to_owned(),
            n,
            lo,
            hi,
            seed: self.seed,
            data_sha256: self.data_sha256.clone(),
            own_file,
            machine: self.machine.clone(),
        });
    }

    /// Records an exact count.
    pub fn count(&mut self, series: &str, x: impl Into<X>, value: u64, unit: &str) {
        self.point(series, x, Summary::exact(value as f64), unit);
    }

    /// Records the wall time of every contender in milliseconds as the series of its name, its CPU
    /// time as `NAME (CPU)`, and the paired ratio of the first contender to each of the others, of
    /// both times, as [`claim::ratio`] names them.
    pub fn times<A>(&mut self, x: impl Into<X>, samples: &[Samples<A>]) {
        let x = x.into();
        for one in samples {
            for (series, values) in [(one.name.clone(), &one.wall), (cpu(&one.name), &one.cpu)] {
                if let Some(summary) = Summary::of(values) {
                    self.point(&series, x.clone(), summary.scale(1e3), "ms");
                }
            }
        }
        let Some((first, others)) = samples.split_first() else { return };
        for other in others {
            self.ratio(x.clone(), first, other);
        }
    }

    /// Records the paired ratio of two contenders' times, wall and CPU.
    pub fn ratio<A>(&mut self, x: impl Into<X>, a: &Samples<A>, b: &Samples<A>) {
        let x = x.into();
        if let Some(summary) = Summary::of_ratios(&a.wall, &b.wall) {
            self.point(&claim::ratio(&a.name, &b.name), x.clone(), summary, "ratio");
        }
        if let Some(summary) = Summary::of_ratios(&a.cpu, &b.cpu) {
            self.point(&claim::ratio(&cpu(&a.name), &cpu(&b.name)), x, summary, "ratio");
        }
    }

    /// Records a throughput: `amount` units of work in each run's wall time.
    pub fn throughput<A>(&mut self, x: impl Into<X>, one: &Samples<A>, amount: f64, unit: &str) {
        if let Some(summary) = one.wall_summary() {
            self.point(&one.name, x, summary.rate(amount), unit);
        }
    }

    /// Records an exact comparison; whether it passes is judged by the claim that names it.
    pub fn check(
        &mut self,
        name: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) {
        let (name, expected, actual) = (name.into(), expected.into(), actual.into());
        self.checks.push(Check { name, expected, actual });
    }

    /// The rows so far.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The checks so far.
    pub fn checks(&self) -> &[Check] {
        &self.checks
    }
}

/// The series of a contender's CPU time.
fn cpu(name: &str) -> String {
    format!("{name} (CPU)")
}
