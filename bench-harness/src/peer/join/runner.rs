//! Joins in this process.

use std::rc::Rc;

use super::workload::Load;
use crate::error::Result;
use crate::experiment::ujoin::{Way, ready};
use crate::peer::{Answer, Round, Runner, repeated};

/// An engine, or a database, with the tuples that it joins.
#[derive(Debug)]
pub struct Joining {
    name: &'static str,
    way: Way,
    load: Rc<Load>,
    repeats: u32,
}

impl Joining {
    /// This way to join, under this name.
    pub fn new(name: &'static str, way: Way, load: &Rc<Load>) -> Self {
        Self { name, way, load: Rc::clone(load), repeats: 1 }
    }
}

impl Runner for Joining {
    fn name(&self) -> &str {
        self.name
    }

    /// Making the engine is not in the time; the CPU time is that of all threads.
    fn round(&mut self) -> Result<Round> {
        let Load { setup, tuples } = &*self.load;
        let mut repeats = self.repeats;
        let round = repeated(
            &mut repeats,
            || ready(self.way, setup),
            |engine| {
                let engine = engine
                    .as_mut()
                    .map_err(|error| crate::Error::new(error.kind(), error.to_string()))?;
                let answer = engine.answer(&tuples.tuples)?;
                Ok(Answer { matches: answer.pairs, timeouts: 0, digest: answer.digest() })
            },
        );
        self.repeats = repeats;
        round
    }
}
