//! XML documents: look-alikes of three well-known data sets, and random and hostile trees.
//!
//! Start reading at [`XmlKind`]; each kind has a module of its own with its options and a
//! `generate` function.

pub mod dblp;
pub mod random_tree;
pub mod treebank;
mod vocabulary;
mod writer;
pub mod xmark;

pub use dblp::DblpOptions;
pub use random_tree::{RandomTreeOptions, Shape};
pub use treebank::TreebankOptions;
pub use xmark::XmarkOptions;

use crate::manifest::{self, DataSet};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// What a document consists of, counted while it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Facts {
    /// The document's length.
    pub bytes: u64,
    /// Elements; an element without content counts once.
    pub elements: u64,
    /// Attributes.
    pub attributes: u64,
    /// The depth of the deepest element; the root's is 1.
    pub max_depth: u64,
    /// The sum of all elements' depths.
    pub depth_sum: u64,
}

impl Facts {
    /// The mean depth of an element.
    #[must_use]
    pub fn average_depth(&self) -> f64 {
        self.depth_sum as f64 / self.elements.max(1) as f64
    }
}

impl manifest::Facts for Facts {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn summary(&self) -> String {
        let Self { elements, attributes, max_depth, .. } = self;
        format!("{elements} elements, {attributes} attributes, depth {max_depth}")
    }
}

/// A document to generate: its kind and options.
///
/// ```
/// use data_gen::xml::{XmarkOptions, XmlKind};
/// let mut document = Vec::new();
/// let facts = XmlKind::Xmark(XmarkOptions::new(0.001)).generate(1, &mut document)?;
/// assert_eq!(facts.bytes, document.len() as u64);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum XmlKind {
    /// Auction sites: [`mod@xmark`].
    Xmark(XmarkOptions),
    /// Bibliographies: [`mod@dblp`].
    Dblp(DblpOptions),
    /// Parsed sentences: [`mod@treebank`].
    Treebank(TreebankOptions),
    /// Random and hostile trees: [`mod@random_tree`].
    RandomTree(RandomTreeOptions),
}

impl XmlKind {
    /// The kind's name, as the command line and manifests spell it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Xmark(_) => "xmark",
            Self::Dblp(_) => "dblp",
            Self::Treebank(_) => "treebank",
            Self::RandomTree(_) => "random-tree",
        }
    }

    /// The options as a JSON object, as manifests keep them.
    #[must_use]
    pub fn parameters(&self) -> serde_json::Value {
        match self {
            Self::Xmark(options) => serde_json::to_value(options),
            Self::Dblp(options) => serde_json::to_value(options),
            Self::Treebank(options) => serde_json::to_value(options),
            Self::RandomTree(options) => serde_json::to_value(options),
        }
        .expect("options are plain data")
    }

    /// About how long the document will be; good enough for a progress bar.
    #[must_use]
    pub fn expected_bytes(&self) -> u64 {
        match self {
            Self::Xmark(options) => (options.factor * 116.5e6) as u64,
            Self::Dblp(options) => options.records.saturating_mul(dblp::BYTES_PER_RECORD),
            Self::Treebank(options) => {
                options.sentences.saturating_mul(treebank::BYTES_PER_SENTENCE)
            }
            Self::RandomTree(options) => options.expected_bytes(),
        }
    }

    /// Writes the document. Equal options and seeds give equal bytes.
    ///
    /// # Errors
    /// `InvalidInput` when an option is out of range; else what `out` reports.
    pub fn generate(&self, seed: u64, out: &mut dyn Write) -> io::Result<Facts> {
        match self {
            Self::Xmark(options) => xmark::generate(options, seed, out),
            Self::Dblp(options) => dblp::generate(options, seed, out),
            Self::Treebank(options) => treebank::generate(options, seed, out),
            Self::RandomTree(options) => random_tree::generate(options, seed, out),
        }
    }
}

impl DataSet for XmlKind {
    type Facts = Facts;

    fn name(&self) -> &'static str {
        self.name()
    }

    fn parameters(&self) -> serde_json::Value {
        self.parameters()
    }

    fn expected_bytes(&self) -> u64 {
        self.expected_bytes()
    }

    fn generate(&self, seed: u64, out: &mut dyn Write) -> io::Result<Facts> {
        self.generate(seed, out)
    }
}

/// Writes an auction site of the given factor; see [`xmark::generate`].
///
/// # Errors
/// As [`xmark::generate`].
pub fn xmark(factor: f64, seed: u64, out: &mut dyn Write) -> io::Result<Facts> {
    xmark::generate(&XmarkOptions::new(factor), seed, out)
}

/// Writes a bibliography; see [`dblp::generate`].
///
/// # Errors
/// As [`dblp::generate`].
pub fn dblp(options: &DblpOptions, seed: u64, out: &mut dyn Write) -> io::Result<Facts> {
    dblp::generate(options, seed, out)
}

/// Writes parsed sentences; see [`treebank::generate`].
///
/// # Errors
/// As [`treebank::generate`].
pub fn treebank(options: &TreebankOptions, seed: u64, out: &mut dyn Write) -> io::Result<Facts> {
    treebank::generate(options, seed, out)
}

/// Writes a random or hostile tree; see [`random_tree::generate`].
///
/// # Errors
/// As [`random_tree::generate`].
pub fn random_tree(
    options: &RandomTreeOptions,
    seed: u64,
    out: &mut dyn Write,
) -> io::Result<Facts> {
    random_tree::generate(options, seed, out)
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
