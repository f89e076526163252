//! Naive sharing, and varpulis-sase.

use std::path::Path;
use std::process::Command;
use std::rc::Rc;

use multipattern::Semantics;

use super::workload::{Load, WINDOW};
use super::{Peer, digest};
use crate::baseline::join_dag::JoinDag;
use crate::error::{Error, Result};
use crate::peer::process::Process;
use crate::peer::{Answer, Found, Round, Runner, repeated};

/// The graph of joins.
#[derive(Debug)]
pub struct Naive {
    dag: JoinDag,
    load: Rc<Load>,
    repeats: u32,
}

impl Naive {
    /// Makes the graph.
    pub fn new(load: &Rc<Load>) -> Self {
        let dag = JoinDag::new(load.types.len(), &load.patterns, WINDOW);
        Self { dag, load: Rc::clone(load), repeats: 1 }
    }
}

impl Runner for Naive {
    fn name(&self) -> &str {
        Peer::NaiveSharing.name()
    }

    fn round(&mut self) -> Result<Round> {
        let (dag, events) = (&self.dag, &self.load.events);
        repeated(
            &mut self.repeats,
            || dag.clone(),
            |dag| {
                let mut answer = Answer::default();
                for &kind in events {
                    dag.push(kind, |pattern, events| {
                        answer.matches += 1;
                        let digest = digest(pattern, events.iter().copied());
                        answer.digest = answer.digest.wrapping_add(digest);
                    });
                }
                Ok(answer)
            },
        )
    }

    fn found(&mut self, events: u64) -> Result<Option<Vec<Found>>> {
        let mut found = Vec::new();
        let mut dag = self.dag.clone();
        for &kind in self.load.events.iter().take(usize::try_from(events).unwrap_or(usize::MAX)) {
            dag.push(kind, |pattern, events| found.push((pattern, events.to_vec())));
        }
        Ok(Some(found))
    }
}

/// varpulis-sase in a process of its own.
#[derive(Debug)]
pub struct Varpulis(Process);

impl Varpulis {
    /// Starts the program on files that [`Load`] wrote.
    pub fn start(program: &Path, load: &Load, events: &Path, patterns: &Path) -> Result<Self> {
        let semantics = match load.semantics {
            Semantics::Strict => "strict",
            Semantics::Next => "next",
            Semantics::Any => "any",
        };
        let mut command = Command::new(program);
        command.args(["multipattern", semantics, &WINDOW.to_string()]).arg(events).arg(patterns);
        let name = Peer::Varpulis.name();
        Ok(Self(Process::start(name, &mut command, load.events.len() as u64)?))
    }
}

impl Runner for Varpulis {
    fn name(&self) -> &str {
        Peer::Varpulis.name()
    }

    fn round(&mut self) -> Result<Round> {
        self.0.round()
    }

    fn found(&mut self, events: u64) -> Result<Option<Vec<Found>>> {
        let lists: Vec<Vec<u64>> = self.0.ask(&format!("found {events}"))?;
        let split = |list: Vec<u64>| {
            let (&pattern, events) = list.split_first()?;
            Some((u32::try_from(pattern).ok()?, events.to_vec()))
        };
        let found: Option<Vec<Found>> = lists.into_iter().map(split).collect();
        let message = || Error::failed("varpulis printed a match without a pattern");
        found.map(Some).ok_or_else(message)
    }
}
