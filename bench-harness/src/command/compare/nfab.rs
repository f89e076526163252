//! nfab against Flink CEP and varpulis-sase.

use super::{Job, Session, choose, choose_peers, write};
use crate::error::{Error, Result};
use crate::peer::Peer;
use crate::peer::own::Own;
use crate::peer::process::Process;
use crate::peer::rounds::Contender;
use crate::peer::table::judge;
use crate::peer::workload::{WORKLOADS, write_csv};

/// Runs the workloads, prints the table, and judges the aim.
pub(super) fn compare(session: &mut Session<'_>) -> Result<()> {
    let compare = session.compare;
    if compare.input.is_some() {
        let message =
            "the workloads of nfab need events of their own: --input is for multipattern and rpdt";
        return Err(Error::usage(message));
    }
    let chosen = choose(&WORKLOADS, |workload| workload.name, &compare.only)?;
    let wanted = choose_peers(&Peer::ALL, Peer::name, &compare.peers)?;
    let (data, seed) = (&session.options.data, session.options.seed);
    for workload in chosen {
        session.begin(workload.name, workload.title);
        let events = compare.events.unwrap_or_else(|| workload.events(session.options.scale));
        let ticks = workload.generate(events, seed);
        let name = format!("ticks-{}-{events}-seed-{seed}.csv", workload.keys);
        let (file, sha256) = write(data, &name, |out| write_csv(&ticks, out))?;
        let mut contenders = Vec::new();
        for &peer in &wanted {
            match peer.command(&session.directory, workload, &file) {
                Ok(mut command) => {
                    session.say_once(format!("{peer} is {}", peer.title()));
                    let runner = Box::new(Process::start(peer.name(), &mut command, events)?);
                    let known_to_differ = peer.known_to_differ(workload.name);
                    contenders.push(Contender { runner, known_to_differ });
                }
                Err(message) => session.say_once(message),
            }
        }
        let mut own = Own::new(workload, &ticks)?;
        let (engine, workload) = ("nfab", workload.name);
        let job = Job { engine, workload, events, sha256, own: &mut own, contenders };
        session.run(job, |_, _, _| Vec::new())?;
    }
    session.table();
    judge(&session.all).map_or(Ok(()), |judgement| session.judged(judgement))
}
