//! A peer as a process that does one round for each line that it is sent.
//!
//! A process of its own keeps what the peer is written in out of this one; asking for each round keeps
//! the rounds of all engines in turn. Between its rounds a peer waits for a line and does nothing.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Answer, Round, Runner};
use crate::error::{Error, Result};

/// A peer that has read its input.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    requests: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

/// What a peer prints when it has read the events.
#[derive(Deserialize)]
struct Ready {
    events: u64,
}

/// What a peer prints after a round.
#[derive(Deserialize)]
struct Done {
    ns: u64,
    cpu_ns: u64,
    matches: u64,
    timeouts: u64,
    /// In hexadecimal: many readers of JSON know no integers of 64 bits.
    digest: String,
}

impl Process {
    /// Starts a peer and waits until it has read `events` events.
    pub fn start(name: &str, command: &mut Command, events: u64) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| Error::io(format!("cannot start {name}"), &error))?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::failed(format!("{name} was started without pipes")));
        };
        let answers = BufReader::new(answers).lines();
        let mut process = Self { name: name.to_owned(), child, requests, answers };
        let Ready { events: read } = process.answer()?;
        if read != events {
            let message = format!("{name} read {read} events instead of {events}");
            return Err(Error::disagreement(message));
        }
        Ok(process)
    }

    /// Sends a line, and gives what is answered.
    pub fn ask<T: DeserializeOwned>(&mut self, request: &str) -> Result<T> {
        let line = format!("{request}\n");
        (self.requests.write_all(line.as_bytes()).and_then(|()| self.requests.flush())).map_err(
            |error| Error::io(format!("cannot ask {} for a {request}", self.name), &error),
        )?;
        self.answer()
    }

    fn answer<T: DeserializeOwned>(&mut self) -> Result<T> {
        let name = &self.name;
        let line = match self.answers.next() {
            Some(Ok(line)) => line,
            Some(Err(error)) => return Err(Error::io(format!("cannot read from {name}"), &error)),
            None => {
                return Err(Error::failed(format!("{name} ended early; its message is above")));
            }
        };
        serde_json::from_str(&line)
            .map_err(|error| Error::failed(format!("{name} printed {line:?}: {error}")))
    }
}

impl Runner for Process {
    fn name(&self) -> &str {
        &self.name
    }

    fn round(&mut self) -> Result<Round> {
        let done: Done = self.ask("round")?;
        let digest = u64::from_str_radix(&done.digest, 16).map_err(|error| {
            Error::failed(format!("{} printed the digest {:?}: {error}", self.name, done.digest))
        })?;
        let Done { ns, cpu_ns, matches, timeouts, .. } = done;
        let seconds = |ns: u64| ns as f64 / 1e9;
        let answer = Answer { matches, timeouts, digest };
        Ok(Round { wall: seconds(ns), cpu: seconds(cpu_ns), answer })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It waits for a line, or has ended: nothing is lost. What cannot be ended is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
