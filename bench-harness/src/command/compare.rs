//! `compare`: an engine against its peers.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::cli::Options;
use crate::error::{Error, Result};
use crate::measure::machine;
use crate::peer::Peer;
use crate::peer::own::Own;
use crate::peer::process::Process;
use crate::peer::rounds::{Contender, Measured, measure};
use crate::peer::table::{Common, judge, rows, table};
use crate::peer::workload::{Tick, WORKLOADS, Workload, write_csv};
use crate::progress::Progress;
use crate::record::{Judgement, Records, Writer, write_line};

/// What to compare.
#[derive(Clone, Debug)]
pub struct Compare {
    /// The peers.
    pub peers: Vec<Peer>,
    /// Only these workloads; all when there are none.
    pub only: Vec<String>,
    /// The number of events of each workload, instead of what the scale says.
    pub events: Option<u64>,
    /// Timed rounds.
    pub rounds: u32,
    /// Where the peers are; beside the generated data when not given.
    pub directory: Option<PathBuf>,
    /// Where a file of results goes, if anywhere.
    pub out: Option<PathBuf>,
}

/// Runs nfab and its peers; rows go to `out`, the table to the progress.
pub fn compare(
    compare: &Compare,
    options: &Options,
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<()> {
    let chosen = choose(&compare.only)?;
    let peers = compare.directory.clone().unwrap_or_else(|| options.data.join("peers"));
    let common = Common { seed: options.seed, machine: machine::describe(options.scale) };
    if machine::profile() != "release" {
        progress.message("this is no release build: its times say nothing");
    }
    let mut said = Vec::new();
    let mut say_once = |text: String| {
        if !said.contains(&text) {
            progress.message(&text);
            said.push(text);
        }
    };
    let mut all = Vec::with_capacity(chosen.len());
    let mut records = Records::default();
    for workload in chosen {
        progress.message(format!("{}: {}", workload.name, workload.title));
        let events = compare.events.unwrap_or_else(|| workload.events(options.scale));
        let ticks = workload.generate(events, options.seed);
        let name = format!("ticks-{}-{events}-seed-{}.csv", workload.keys, options.seed);
        let (file, sha256) = write(&options.data, &name, &ticks)?;
        let mut contenders = Vec::new();
        for &peer in &compare.peers {
            match peer.command(&peers, workload, &file) {
                Ok(mut command) => {
                    say_once(format!("{peer} is {}", peer.title()));
                    let runner = Box::new(Process::start(peer.name(), &mut command, events)?);
                    let known_to_differ = peer.known_to_differ(workload.name);
                    contenders.push(Contender { runner, known_to_differ });
                }
                Err(message) => say_once(message),
            }
        }
        let mut own = Own::new(workload, &ticks)?;
        let (answer, own, peers) = measure(&mut own, &mut contenders, compare.rounds, progress)
            .map_err(|error| error.within(workload.name))?;
        let workload = workload.name;
        let measured = Measured { workload, events, sha256, answer, own, peers };
        let new = rows(&measured, &common);
        for row in &new {
            write_line(out, row).map_err(|error| Error::io("cannot write the results", &error))?;
        }
        out.flush().map_err(|error| Error::io("cannot write the results", &error))?;
        records.rows.extend(new);
        all.push(measured);
    }
    progress.message(table(&all).trim_end());
    if let Some(judgement) = judge(&all) {
        let Judgement { claim, verdict, measured, .. } = &judgement;
        progress.message(format!("{claim}: {verdict} ({measured})"));
        write_line(out, &judgement)
            .map_err(|error| Error::io("cannot write the results", &error))?;
        records.judgements.push(judgement);
    }
    if let Some(directory) = &compare.out {
        let mut writer = Writer::create(directory)?;
        writer.add(&records)?;
        writer.finish()?;
    }
    super::fail_when_any(&all.iter().flat_map(Measured::wrong).collect::<Vec<_>>())
}

fn choose(only: &[String]) -> Result<Vec<&'static Workload>> {
    for name in only {
        if !WORKLOADS.iter().any(|workload| workload.name == name) {
            let names = WORKLOADS.map(|workload| workload.name).join(", ");
            return Err(Error::usage(format!("{name} is no workload; there are {names}")));
        }
    }
    let wanted = |workload: &&Workload| only.is_empty() || only.iter().any(|n| n == workload.name);
    Ok(WORKLOADS.iter().filter(wanted).collect())
}

/// Writes the events for the peers, and hashes what was written.
fn write(directory: &Path, name: &str, ticks: &[Tick]) -> Result<(PathBuf, String)> {
    let path = directory.join(name);
    let fail = |error| Error::io(format!("cannot write {}", path.display()), &error);
    fs::create_dir_all(directory).map_err(fail)?;
    let file = File::create(&path).map_err(fail)?;
    let mut hashing = Hashing { file: BufWriter::new(file), hash: Sha256::new() };
    write_csv(ticks, &mut hashing).map_err(fail)?;
    let mut sha256 = String::with_capacity(64);
    for byte in hashing.hash.finalize() {
        sha256.push_str(&format!("{byte:02x}"));
    }
    Ok((path, sha256))
}

struct Hashing {
    file: BufWriter<File>,
    hash: Sha256,
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}
