//! ujoin against SQLite, DuckDB and the paper's engine.

use std::rc::Rc;

use super::{Job, Session, choose, choose_peers, write};
use crate::error::{Error, Result};
use crate::experiment::ujoin::Way;
use crate::peer::join::runner::Joining;
use crate::peer::join::workload::WORKLOADS;
use crate::peer::join::{Peer, duckdb};
use crate::peer::process::Process;
use crate::peer::rounds::Contender;

/// Our engine, as the rows name it.
const ENGINE: &str = "ujoin";

/// Runs the workloads and prints the table.
pub(super) fn compare(session: &mut Session<'_>) -> Result<()> {
    let compare = session.compare;
    if compare.input.is_some() {
        let message = "the workloads of ujoin are generated: --input is for multipattern and rpdt";
        return Err(Error::usage(message));
    }
    let chosen = choose(&WORKLOADS, |workload| workload.name, &compare.only)?;
    let wanted = choose_peers(Peer::ALL, Peer::name, &compare.peers)?;
    let seed = session.options.seed;
    for workload in chosen {
        session.begin(workload.name, workload.title);
        let wished = compare.events.unwrap_or_else(|| workload.tuples(session.options.scale));
        let load = Rc::new(workload.generate(wished, seed)?);
        let events = load.tuples.tuples.len() as u64;
        let name = format!("tuples-{}-{events}-seed-{seed}.csv", workload.name);
        let (file, sha256) = write(&session.options.data, &name, |out| load.write(out))?;
        let mut contenders = Vec::new();
        for &peer in &wanted {
            let runner: Box<dyn crate::peer::Runner> = match peer.way() {
                Some(way) => Box::new(Joining::new(peer.name(), way, &load)),
                None => match duckdb(&session.directory, &load, &file) {
                    Ok(mut command) => Box::new(Process::start(peer.name(), &mut command, events)?),
                    Err(message) => {
                        session.say_once(message);
                        continue;
                    }
                },
            };
            session.say_once(format!("{peer} is {}", peer.title()));
            contenders.push(Contender { runner, known_to_differ: None });
        }
        let mut own = Joining::new(ENGINE, Way::Log, &load);
        let (engine, workload) = (ENGINE, workload.name);
        let job = Job { engine, workload, events, sha256, own: &mut own, contenders };
        session.run(job, |_, _, _| Vec::new())?;
    }
    session.table();
    Ok(())
}
