//! rpdt against quick-xml, libxml2 and simdxml.

use std::rc::Rc;

use super::{Job, Session, choose, choose_peers};
use crate::data::Cache;
use crate::error::{Error, Result};
use crate::peer::Runner;
use crate::peer::process::Process;
use crate::peer::rounds::Contender;
use crate::peer::xml::Peer;
use crate::peer::xml::runner::{Own, QuickXml};
use crate::peer::xml::workload::{Document, ELEMENTS, WORKLOADS, factor};

/// Runs the workloads and prints the table.
pub(super) fn compare(session: &mut Session<'_>) -> Result<()> {
    let compare = session.compare;
    if compare.events.is_some() {
        let message = "documents are as long as the scale says: --events is for streams of events";
        return Err(Error::usage(message));
    }
    let mut chosen = choose(&WORKLOADS, |workload| workload.name, &compare.only)?;
    let wanted = choose_peers(&Peer::ALL, Peer::name, &compare.peers)?;
    let given = compare.input.as_deref().map(Document::given).transpose()?.map(Rc::new);
    if given.is_some() {
        // Names of a generated document mean nothing in another.
        chosen.retain(|workload| workload.xpath == ELEMENTS);
        chosen.truncate(1);
    }
    let (cache, seed) = (Cache::new(&session.options.data), session.options.seed);
    for workload in chosen {
        let document = match &given {
            Some(document) => {
                let path = document.path.display();
                session.begin(workload.name, &format!("{path}: {ELEMENTS}"));
                Rc::clone(document)
            }
            None => {
                session.begin(workload.name, workload.title);
                let kind = workload.data.kind(factor(session.options.scale));
                Rc::new(Document::generated(&cache.xml(&kind, seed, session.progress)?)?)
            }
        };
        let mut contenders = Vec::new();
        for peer in wanted.iter().filter(|peer| peer.runs(workload)) {
            let length = document.bytes.len() as u64;
            let runner: Box<dyn Runner> =
                match peer.command(&session.directory, workload, &document.path) {
                    None => Box::new(QuickXml::new(&document)),
                    Some(Ok(mut command)) => {
                        Box::new(Process::start(peer.name(), &mut command, length)?)
                    }
                    Some(Err(message)) => {
                        session.say_once(message);
                        continue;
                    }
                };
            session.say_once(format!("{peer} is {}", peer.title()));
            let known_to_differ = peer.known_to_differ(workload);
            contenders.push(Contender { runner, known_to_differ });
        }
        let mut own = Own::new(workload.xpath, &document)?;
        let (events, sha256) = (document.elements, document.sha256.clone());
        let (engine, workload) = ("rpdt", workload.name);
        let job = Job { engine, workload, events, sha256, own: &mut own, contenders };
        session.run(job, |_, _, _| Vec::new())?;
    }
    session.table();
    Ok(())
}
