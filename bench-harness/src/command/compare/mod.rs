//! `compare`: an engine against its peers.

mod multi;
mod nfab;
mod rpdt;
mod ujoin;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::cli::Options;
use crate::error::{Error, Result};
use crate::measure::machine;
use crate::peer::Runner;
use crate::peer::rounds::{Contender, Measured, Outcome, measure};
use crate::peer::table::{Common, cells, rows, table};
use crate::progress::Progress;
use crate::record::{Judgement, Records, Writer, write_line};
use crate::report::comparison::{self, Comparison};
use crate::sha256::Hasher;

/// The engines that have peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Event patterns
    Nfab,
    /// Many sequence patterns at once
    Multipattern,
    /// Joins of uncertain streams
    Ujoin,
    /// Tree patterns over XML
    Rpdt,
}

impl Engine {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nfab => "nfab",
            Self::Multipattern => "multipattern",
            Self::Ujoin => "ujoin",
            Self::Rpdt => "rpdt",
        }
    }
}

/// What to compare.
#[derive(Clone, Debug)]
pub struct Compare {
    /// Our engine.
    pub engine: Engine,
    /// The peers by name; all of the engine's when there are none.
    pub peers: Vec<String>,
    /// Only these workloads; all when there are none.
    pub only: Vec<String>,
    /// The number of events of each workload, instead of what the scale says.
    pub events: Option<u64>,
    /// Events of a file in place of generated ones.
    pub input: Option<PathBuf>,
    /// Timed rounds.
    pub rounds: u32,
    /// Where the peers are; beside the generated data when not given.
    pub directory: Option<PathBuf>,
    /// Where a file of results goes, if anywhere.
    pub out: Option<PathBuf>,
    /// Where a page goes, if anywhere.
    pub report: Option<PathBuf>,
}

impl Compare {
    /// The command that does it again.
    fn command(&self, options: &Options) -> String {
        let Self { engine, peers, only, events, input, rounds, .. } = self;
        let mut text = "cargo run --release -p bench-harness -- compare".to_owned();
        let _ = write!(text, " {}", engine.name());
        for (name, list) in [("peers", peers), ("only", only)] {
            if !list.is_empty() {
                let _ = write!(text, " --{name} {}", list.join(","));
            }
        }
        if let Some(events) = events {
            let _ = write!(text, " --events {events}");
        }
        if let Some(input) = input {
            let _ = write!(text, " --input {}", input.display());
        }
        let Options { scale, seed, .. } = options;
        let _ = write!(text, " --rounds {rounds} --scale {scale} --seed {seed}");
        text
    }
}

/// Runs an engine and its peers; rows go to `out`, the table to the progress.
pub fn compare(
    compare: &Compare,
    options: &Options,
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<()> {
    if let Some((kind, _)) = options.own.kinds().next() {
        let message = "is for the papers' experiments; compare takes a file by --input";
        return Err(Error::usage(format!("--{} {message}", kind.name())));
    }
    let common = Common { seed: options.seed, machine: machine::describe(options.scale) };
    let mut session = Session {
        compare,
        options,
        directory: compare.directory.clone().unwrap_or_else(|| options.data.join("peers")),
        common,
        out,
        progress,
        said: Vec::new(),
        workloads: Vec::new(),
        all: Vec::new(),
        records: Records::default(),
    };
    if machine::profile() != "release" {
        session.say_once("this is not a release build: its times mean little");
    }
    match compare.engine {
        Engine::Nfab => nfab::compare(&mut session)?,
        Engine::Multipattern => multi::compare(&mut session)?,
        Engine::Ujoin => ujoin::compare(&mut session)?,
        Engine::Rpdt => rpdt::compare(&mut session)?,
    }
    session.finish()
}

/// One run of the command.
struct Session<'a> {
    compare: &'a Compare,
    options: &'a Options,
    /// Where the peers are.
    directory: PathBuf,
    common: Common,
    out: &'a mut dyn Write,
    progress: &'a Progress,
    said: Vec<String>,
    /// What was begun: name and title.
    workloads: Vec<(String, String)>,
    all: Vec<Measured>,
    records: Records,
}

/// A workload that is ready to run.
struct Job<'a> {
    engine: &'static str,
    workload: &'static str,
    events: u64,
    sha256: String,
    own: &'a mut dyn Runner,
    contenders: Vec<Contender>,
}

/// Matches are compared one by one in so many events, where answers differ.
const LOOKED_AT: u64 = 300;

impl Session<'_> {
    /// Tells that a workload begins.
    fn begin(&mut self, name: &str, title: &str) {
        self.progress.message(format!("{name}: {title}"));
        self.workloads.push((name.to_owned(), title.to_owned()));
    }

    fn say_once(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.said.contains(&text) {
            self.progress.message(&text);
            self.said.push(text);
        }
    }

    /// Measures, and prints rows. `difference` says in words what a peer finds otherwise: its name, our
    /// matches, and its.
    fn run(
        &mut self,
        job: Job<'_>,
        difference: impl Fn(&str, &[crate::peer::Found], &[crate::peer::Found]) -> Vec<String>,
    ) -> Result<()> {
        let Job { engine, workload, events, sha256, own, mut contenders } = job;
        let (answer, times, peers) =
            measure(own, &mut contenders, self.compare.rounds, self.progress)
                .map_err(|error| error.within(workload))?;
        let mut cases = Vec::new();
        for ((name, outcome), contender) in peers.iter().zip(&mut contenders) {
            if matches!(outcome, Outcome::Equal(_)) {
                continue;
            }
            let found = (own.found(LOOKED_AT)?, contender.runner.found(LOOKED_AT)?);
            if let (Some(own), Some(peer)) = found {
                cases.extend(difference(name, &own, &peer));
            }
        }
        let measured =
            Measured { engine, workload, events, sha256, answer, own: times, peers, cases };
        let new = rows(&measured, &self.common);
        for row in &new {
            write_line(self.out, row).map_err(|error| Error::io(RESULTS, &error))?;
        }
        self.out.flush().map_err(|error| Error::io(RESULTS, &error))?;
        self.records.rows.extend(new);
        self.all.push(measured);
        Ok(())
    }

    fn judged(&mut self, judgement: Judgement) -> Result<()> {
        let Judgement { claim, verdict, measured, .. } = &judgement;
        self.progress.message(format!("{claim}: {verdict} ({measured})"));
        write_line(self.out, &judgement).map_err(|error| Error::io(RESULTS, &error))?;
        self.records.judgements.push(judgement);
        Ok(())
    }

    fn table(&self) {
        self.progress.message(table(&self.all).trim_end());
    }

    fn finish(self) -> Result<()> {
        if let Some(directory) = &self.compare.out {
            let mut writer = Writer::create(directory)?;
            writer.add(&self.records)?;
            writer.finish()?;
        }
        if let Some(directory) = &self.compare.report {
            self.report(directory)?;
        }
        super::fail_when_any(&self.all.iter().flat_map(Measured::wrong).collect::<Vec<_>>())
    }
}

impl Session<'_> {
    /// Writes the page, and beside it what it is made of.
    fn report(&self, directory: &Path) -> Result<()> {
        let engine = self.compare.engine.name();
        let comparison = Comparison {
            engine,
            workloads: &self.workloads,
            cells: &cells(&self.all),
            said: &self.said,
            command: &self.compare.command(self.options),
        };
        let page = comparison::render(&comparison, &self.records);
        let base = format!("compare-{engine}");
        let lines = |out: &mut dyn Write| {
            self.records.rows.iter().try_for_each(|row| write_line(out, row))?;
            self.records.judgements.iter().try_for_each(|one| write_line(out, one))
        };
        write(directory, &format!("{base}.jsonl"), lines)?;
        let html = format!("{base}.html");
        let (path, _) = write(directory, &html, |out| out.write_all(page.as_bytes()))?;
        self.progress.message(format!("page: {}", path.display()));
        Ok(())
    }
}

const RESULTS: &str = "cannot write the results";

/// The workloads that are wanted by name.
fn choose<W>(all: &'static [W], name: fn(&W) -> &str, only: &[String]) -> Result<Vec<&'static W>> {
    for wanted in only {
        if !all.iter().any(|workload| name(workload) == wanted) {
            let names: Vec<&str> = all.iter().map(name).collect();
            let names = names.join(", ");
            return Err(Error::usage(format!("{wanted} is no workload; there are {names}")));
        }
    }
    let wanted = |workload: &&W| only.is_empty() || only.iter().any(|one| one == name(workload));
    Ok(all.iter().filter(wanted).collect())
}

/// The peers that are wanted by name.
fn choose_peers<P: Copy>(
    all: &[P],
    name: fn(P) -> &'static str,
    only: &[String],
) -> Result<Vec<P>> {
    for wanted in only {
        if !all.iter().any(|&peer| name(peer) == wanted) {
            let names: Vec<&str> = all.iter().map(|&peer| name(peer)).collect();
            let names = names.join(", ");
            return Err(Error::usage(format!(
                "{wanted} is no peer of this engine; there are {names}"
            )));
        }
    }
    let wanted = |peer: &P| only.is_empty() || only.iter().any(|one| one == name(*peer));
    Ok(all.iter().copied().filter(wanted).collect())
}

/// Writes a file for the peers, and hashes what was written.
fn write(
    directory: &Path,
    name: &str,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(PathBuf, String)> {
    let path = directory.join(name);
    let fail = |error| Error::io(format!("cannot write {}", path.display()), &error);
    fs::create_dir_all(directory).map_err(fail)?;
    let file = File::create(&path).map_err(fail)?;
    let mut hashing = Hashing { file: BufWriter::new(file), hash: Hasher::default() };
    content(&mut hashing).and_then(|()| hashing.flush()).map_err(fail)?;
    Ok((path, hashing.hash.finish()))
}

struct Hashing {
    file: BufWriter<File>,
    hash: Hasher,
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hash.write(&bytes[..written])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
