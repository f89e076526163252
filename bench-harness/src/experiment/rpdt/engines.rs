//! One way to run each engine on a query of Table 2.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path;

use rpdt::input::Checks;
use rpdt::{
    Answer, Config, Count, FrontEnd, Mechanisms, Needs, Pattern, Plan, Shape, Threads, Value, Visit,
};

use super::oracle::Bindings;
use super::queries::Query;
use crate::baseline::{CepEngine, ExPdt};

use crate::error::{Error, Result};

/// The series of the engine of the paper.
pub const RPDT: &str = "RPDT";
/// The series of the baseline for plain queries.
pub const EXPDT: &str = "ExPDT";
/// The series of the baseline for regular queries.
pub const CEP: &str = "CepEngine";

/// Turns an engine's error into the harness's.
pub fn fail(error: rpdt::Error) -> Error {
    Error::failed(error.to_string())
}

/// Parses a query.
pub fn pattern(text: &str) -> Result<Pattern> {
    Pattern::parse(text).map_err(|error| fail(error).within(text))
}

/// Plain queries are answered with nodes, regular ones with tuples.
pub fn shape(query: &Query) -> Shape {
    if query.regular { Shape::Tuples } else { Shape::Nodes }
}

/// The RPDT engine on one query.
#[derive(Debug)]
pub struct Rpdt {
    plan: Plan,
}

impl Rpdt {
    /// With all mechanisms on.
    pub fn new(query: &Query) -> Result<Self> {
        Self::with(query, Mechanisms::default())
    }

    /// With these mechanisms.
    pub fn with(query: &Query, mechanisms: Mechanisms) -> Result<Self> {
        // The source of the others, so that the engines are compared and not the readers.
        let config =
            Config::new().shape(shape(query)).mechanisms(mechanisms).front_end(FrontEnd::QuickXml);
        Self::compile(query.text, config)
    }

    /// With the engine's own scanner as reader.
    pub fn scanning(query: &Query, checks: Checks) -> Result<Self> {
        let config = Config::new().shape(shape(query)).front_end(FrontEnd::Scanner).checks(checks);
        Self::compile(query.text, config)
    }

    /// Any query with any options.
    pub fn compile(text: &str, config: Config) -> Result<Self> {
        let plan = Plan::new(vec![pattern(text)?], config).map_err(fail)?;
        Ok(Self { plan })
    }

    /// Counts the answers in a document in memory.
    pub fn count(&self, document: &[u8]) -> Result<u64> {
        let outcome = self.plan.run_slice(document, Count::new()).map_err(fail)?;
        Ok(outcome.sink.total())
    }

    /// Counts the answers in a document in memory, on several threads.
    pub fn count_on(&self, threads: usize, document: &[u8]) -> Result<u64> {
        let threads = Threads::new(threads);
        let outcome = self.plan.run_slice_on(threads, document, Count::new()).map_err(fail)?;
        Ok(outcome.sink.total())
    }

    /// Counts the answers in a file, read through the engine's one buffer.
    pub fn count_file(&self, path: &Path) -> Result<u64> {
        let input = File::open(path)
            .map_err(|error| Error::io(format!("cannot open {}", path.display()), &error))?;
        let outcome = self.plan.run_reader(input, Count::new()).map_err(fail)?;
        Ok(outcome.sink.total())
    }

    /// All answers in a document, in the order in which they are given.
    pub fn answers(&self, document: &[u8]) -> Result<Vec<Bindings>> {
        let mut answers = Vec::new();
        let needs = Needs { name: true, ..Needs::default() };
        let sink = Visit::new(needs, |_, answer: &Answer<'_>| {
            answers.push(bindings(answer));
            ControlFlow::Continue(())
        });
        self.plan.run_slice(document, sink).map_err(fail)?;
        Ok(answers)
    }
}

/// What each label of an answer is bound to; labels bound to nothing are left out.
pub fn bindings(answer: &Answer<'_>) -> Bindings {
    let mut bindings = Bindings::new();
    match answer {
        Answer::Node(node) => {
            bindings.insert(node.label.to_owned(), vec![node.start]);
        }
        Answer::Tuple(fields) | Answer::Instance(fields) => {
            for field in fields {
                let mut starts: Vec<u64> = match &field.value {
                    Value::Node(node) => vec![node.start],
                    Value::List(nodes) => nodes.iter().map(|node| node.start).collect(),
                };
                starts.sort_unstable();
                if !starts.is_empty() {
                    bindings.insert(field.label.to_owned(), starts);
                }
            }
        }
    }
    bindings
}

/// The baseline that a query is compared with; none for P7, which ExPDT cannot express.
pub fn baseline_of(query: &Query) -> Option<&'static str> {
    match (query.regular, query.has_several_return_nodes()) {
        (true, _) => Some(CEP),
        (false, false) => Some(EXPDT),
        (false, true) => None,
    }
}

/// One of the two baselines on one query.
#[derive(Debug)]
pub enum Baseline {
    /// For plain queries with one return node.
    ExPdt(ExPdt),
    /// For all queries.
    CepEngine(CepEngine),
}

impl Baseline {
    /// The baseline of this name.
    pub fn new(name: &str, query: &Query) -> Result<Self> {
        let pattern = pattern(query.text)?;
        match name {
            EXPDT => ExPdt::compile(&pattern).map(Self::ExPdt).map_err(fail),
            _ => {
                CepEngine::compile_shape(&pattern, shape(query)).map(Self::CepEngine).map_err(fail)
            }
        }
    }

    /// Counts the answers in a document in memory.
    pub fn count(&self, document: &[u8]) -> Result<u64> {
        match self {
            Self::ExPdt(engine) => engine.count(document).map_err(fail),
            Self::CepEngine(engine) => engine.count(document).map_err(fail),
        }
    }

    /// The same with the scanner as reader.
    pub fn count_scanned(&self, document: &[u8]) -> Result<u64> {
        match self {
            Self::ExPdt(engine) => engine.count_scanned(document).map_err(fail),
            Self::CepEngine(engine) => engine.count_scanned(document).map_err(fail),
        }
    }

    /// All answers in a document, sorted.
    pub fn answers(&self, document: &[u8]) -> Result<Vec<Bindings>> {
        let answers = match self {
            Self::ExPdt(engine) => engine.answers(document).map_err(fail)?,
            Self::CepEngine(engine) => engine.answers(document).map_err(fail)?,
        };
        let bindings = answers.into_iter().map(|answer| {
            let mut bindings = Bindings::new();
            for node in answer.0 {
                bindings.entry(node.label.into_string()).or_default().push(node.start);
            }
            bindings
        });
        let mut bindings: Vec<Bindings> = bindings.collect();
        bindings.sort_unstable();
        Ok(bindings)
    }
}
