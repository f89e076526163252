//! multipattern against automata, naive sharing, single patterns and varpulis-sase.

use std::rc::Rc;

use multipattern::Method;

use super::{Job, Session, choose, choose_peers, write};
use crate::error::Result;
use crate::peer::multi::automata::Automaton;
use crate::peer::multi::input::Input;
use crate::peer::multi::others::{Naive, Varpulis};
use crate::peer::multi::own::Own;
use crate::peer::multi::workload::{Load, WORKLOADS, Workload};
use crate::peer::multi::{Peer, difference};
use crate::peer::rounds::Contender;
use crate::peer::{self, Runner};

/// Our engine, as the rows name it.
const ENGINE: &str = "multipattern";

/// Runs the workloads and prints the table.
pub(super) fn compare(session: &mut Session<'_>) -> Result<()> {
    let compare = session.compare;
    let chosen = choose(&WORKLOADS, |workload| workload.name, &compare.only)?;
    let wanted = choose_peers(&Peer::ALL, Peer::name, &compare.peers)?;
    let input = compare.input.as_deref().map(Input::read).transpose()?;
    let seed = session.options.seed;
    for workload in chosen {
        session.begin(workload.name, workload.title);
        let events = compare.events.unwrap_or_else(|| workload.events(session.options.scale));
        let load = Rc::new(match &input {
            Some(input) => workload.of_file(input, events, seed),
            None => workload.generate(events, seed)?,
        });
        let base = format!("{}-{events}-seed-{seed}", workload.name);
        let data = &session.options.data;
        let (file, sha256) = write(data, &format!("{base}.types"), |out| load.write_events(out))?;
        let (patterns, _) =
            write(data, &format!("{base}.patterns"), |out| load.write_patterns(out))?;
        let mut contenders = Vec::new();
        for &one in wanted.iter().filter(|peer| peer.runs(&load)) {
            let runner: Box<dyn Runner> = match one {
                Peer::AhoCorasick => Box::new(Automaton::aho_corasick(&load)?),
                Peer::Daachorse => Box::new(Automaton::daachorse(&load)?),
                Peer::NaiveSharing => Box::new(Naive::new(&load)),
                Peer::Single => Box::new(Own::new(one.name(), &load, Method::Single)?),
                Peer::Varpulis => match peer::varpulis(&session.directory) {
                    Ok(program) => Box::new(Varpulis::start(&program, &load, &file, &patterns)?),
                    Err(message) => {
                        session.say_once(message);
                        continue;
                    }
                },
            };
            session.say_once(format!("{one} is {}", one.title()));
            contenders.push(Contender { runner, known_to_differ: one.known_to_differ(&load) });
        }
        run(session, workload, &load, sha256, contenders)?;
    }
    session.table();
    Ok(())
}

fn run(
    session: &mut Session<'_>,
    workload: &Workload,
    load: &Load,
    sha256: String,
    contenders: Vec<Contender>,
) -> Result<()> {
    let mut own = Own::new(ENGINE, load, Method::Proposed)?;
    let (workload, events) = (workload.name, load.events.len() as u64);
    let job = Job { engine: ENGINE, workload, events, sha256, own: &mut own, contenders };
    session
        .run(job, |name, own, peer| difference(load, name, own, peer, super::LOOKED_AT.min(events)))
}
