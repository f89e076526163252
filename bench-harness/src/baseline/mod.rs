//! What the papers' engines are measured against.
//!
//! For many sequence patterns: [`join_dag`]. For NFA^b: [`stock`], and [`hand`], operators and array
//! scans for single queries. For the join of uncertain streams: `sqlite`, a database in memory. For RPDT:
//! the two systems of its paper (sections 2 and 5.2), **reconstructed**.
//!
//! Neither program is public, and of the two publications the paper quotes little more than what
//! they can do. Each engine here is therefore built from what its name and sources imply; its own
//! page says what is known and what is our reading:
//!
//! | engine | for | against which figure |
//! |---|---|---|
//! | [`ExPdt`] | plain twigs with one return node | `rpdt-fig6` |
//! | [`CepEngine`] | regular tree patterns | `rpdt-fig7` |
//!
//! So that the comparison is of matching and of nothing else, both read the very same
//! [`QuickXmlSource`], or [`ScannerSource`] where that is said, as rpdt, compile from the same [`Pattern`], know element names by the symbols
//! that the source interns, find the pattern nodes of a name in one look-up, keep their memory for
//! reuse, and have a mode that only counts. They give the same answers as rpdt with the policy
//! `peak`. What rpdt adds they do without: skipping of dead subtrees, the determinised table,
//! candidates that pass by the buffers.
//!
//! Refused with an error that names the step: value tests, namespace prefixes, and for [`ExPdt`]
//! what its authors' system could not express.

use std::io::Read;
use std::ops::ControlFlow;

use rpdt::input::{QuickXmlSource, ScannerSource, SourceConfig, TagHandler, TagSource};
use rpdt::{Config, Error, Needs, Pattern, Plan, Shape, Value, Visit};

pub mod cep_engine;
pub mod expdt;
pub mod hand;
pub mod join_dag;
mod shared;
#[cfg(feature = "sqlite")]
pub mod sqlite;
pub mod stock;

pub use cep_engine::CepEngine;
pub use expdt::ExPdt;

/// An element of an answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// Byte offset of the element's `<`.
    pub start: u64,
    /// The label of the return mark, by default the element's name.
    pub label: Box<str>,
}

/// One answer: its elements in document order, each once a label. A node of shape *nodes*, or all
/// bindings of a tuple.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Answer(pub Vec<Node>);

impl Answer {
    fn new(mut nodes: Vec<Node>) -> Self {
        nodes.sort_unstable();
        nodes.dedup();
        Answer(nodes)
    }
}

impl From<&rpdt::Answer<'_>> for Answer {
    fn from(answer: &rpdt::Answer<'_>) -> Self {
        let node = |n: &rpdt::NodeRef<'_>| Node { start: n.start, label: n.label.into() };
        let nodes = match answer {
            rpdt::Answer::Node(n) => vec![node(n)],
            rpdt::Answer::Tuple(fields) | rpdt::Answer::Instance(fields) => fields
                .iter()
                .flat_map(|field| match &field.value {
                    Value::Node(n) => vec![node(n)],
                    Value::List(list) => list.iter().map(node).collect(),
                })
                .collect(),
        };
        Answer::new(nodes)
    }
}

/// The answers of rpdt itself, sorted, for comparison.
///
/// # Errors
/// As [`Plan::run_slice`].
pub fn rpdt_answers(
    pattern: &Pattern,
    shape: Shape,
    document: &[u8],
) -> Result<Vec<Answer>, Error> {
    let plan = Plan::new(vec![pattern.clone()], Config::new().shape(shape))?;
    let mut answers = Vec::new();
    let keep = Visit::new(Needs::default(), |_, answer: &rpdt::Answer<'_>| {
        answers.push(Answer::from(answer));
        ControlFlow::Continue(())
    });
    plan.run_slice(document, keep)?;
    answers.sort_unstable();
    Ok(answers)
}

/// What a run of a baseline gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome<S> {
    /// The number of answers.
    pub count: u64,
    /// The answers, sorted; empty when they were only counted.
    pub answers: Vec<Answer>,
    /// What the engine held.
    pub stats: S,
}

/// Where a document comes from.
enum Input<'a> {
    Slice(&'a [u8]),
    /// In memory, read by the scanner.
    Scanned(&'a [u8]),
    Reader(&'a mut dyn Read),
}

/// Size of the buffer through which readers are read: the one that rpdt uses.
const READ_BUFFER: usize = 256 << 10;

/// Reads a document from begin to end.
fn drive<H: TagHandler>(input: Input<'_>, handler: &mut H) -> Result<(), Error> {
    let config = SourceConfig::default();
    match input {
        Input::Slice(document) => feed(QuickXmlSource::new(config), document, handler),
        Input::Scanned(document) => feed(ScannerSource::new(config), document, handler),
        Input::Reader(reader) => {
            let mut source = QuickXmlSource::new(config);
            let mut buffer = vec![0; READ_BUFFER];
            loop {
                match reader.read(&mut buffer) {
                    Ok(0) => return source.finish(handler),
                    Ok(n) => source.feed(&buffer[..n], handler)?,
                    Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                    Err(e) => return Err(Error::from(e).at(source.position())),
                };
            }
        }
    }
}

fn feed<S: TagSource, H: TagHandler>(
    mut source: S,
    document: &[u8],
    handler: &mut H,
) -> Result<(), Error> {
    source.feed(document, handler)?;
    source.finish(handler)
}
