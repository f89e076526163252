//! What reads a document in this process.

use std::hint::black_box;
use std::rc::Rc;

use quick_xml::Reader;
use quick_xml::events::Event;
use rpdt::{Config, Count, Pattern, Plan, Shape};

use super::workload::Document;
use crate::error::{Error, Result};
use crate::peer::{Answer, Round, Runner, repeated};

/// The number of start tags, by a loop over the events of quick-xml.
pub fn elements(document: &[u8]) -> Result<u64> {
    let mut reader = Reader::from_reader(document);
    let mut count = 0;
    loop {
        let event = reader.read_event().map_err(|error| {
            let place = reader.error_position();
            Error::failed(format!("quick-xml at byte {place}: {error}"))
        })?;
        match black_box(event) {
            Event::Eof => return Ok(count),
            Event::Start(_) | Event::Empty(_) => count += 1,
            _ => {}
        }
    }
}

/// rpdt with its defaults, on a document in memory.
#[derive(Debug)]
pub struct Own {
    plan: Plan,
    document: Rc<Document>,
    repeats: u32,
}

impl Own {
    /// Compiles a path.
    pub fn new(path: &str, document: &Rc<Document>) -> Result<Self> {
        let fail = |error: rpdt::Error| Error::failed(format!("rpdt: {path}: {error}"));
        let pattern = Pattern::parse(path).map_err(fail)?;
        let plan = Plan::new(vec![pattern], Config::new().shape(Shape::Nodes)).map_err(fail)?;
        Ok(Self { plan, document: Rc::clone(document), repeats: 1 })
    }
}

impl Runner for Own {
    fn name(&self) -> &str {
        "rpdt"
    }

    fn round(&mut self) -> Result<Round> {
        let Self { plan, document, repeats } = self;
        counted(repeats, || {
            let outcome = plan
                .run_slice(&document.bytes, Count::new())
                .map_err(|error| Error::failed(format!("rpdt: {error}")))?;
            Ok(outcome.sink.total())
        })
    }
}

/// quick-xml's bare loop.
#[derive(Debug)]
pub struct QuickXml {
    document: Rc<Document>,
    repeats: u32,
}

impl QuickXml {
    /// Over this document.
    pub fn new(document: &Rc<Document>) -> Self {
        Self { document: Rc::clone(document), repeats: 1 }
    }
}

impl Runner for QuickXml {
    fn name(&self) -> &str {
        "quick-xml"
    }

    fn round(&mut self) -> Result<Round> {
        let Self { document, repeats } = self;
        counted(repeats, || elements(&document.bytes))
    }
}

/// A round whose answer is a number.
fn counted(repeats: &mut u32, mut count: impl FnMut() -> Result<u64>) -> Result<Round> {
    let once = |(): &mut ()| Ok(Answer { matches: count()?, ..Answer::default() });
    repeated(repeats, || (), once)
}
