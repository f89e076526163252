//! rpdt against other readers of XML, in one run on the same documents.
//!
//! | Module | What it holds |
//! | --- | --- |
//! | [`workload`] | the documents and the questions; **start reading here** |
//! | [`runner`] | rpdt and quick-xml's bare loop, in this process |
//!
//! libxml2 and simdxml are processes of their own: `bench-harness/peers`.

pub mod runner;
pub mod workload;

use std::env;
use std::fmt;
use std::path::Path;
use std::process::Command;

use super::fetched;
use workload::Workload;

/// What rpdt is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// The loop over quick-xml's events that a program would begin with.
    QuickXml,
    /// libxml2's program, streaming.
    Xmllint,
    /// libxml2 by lxml's events.
    Iterparse,
    /// libxml2 by a tree of lxml's and an XPath over it.
    Xpath,
    /// The crate simdxml.
    Simdxml,
    /// The same, indexing no more than what a path needs.
    SimdxmlLazy,
}

impl Peer {
    /// All peers.
    pub const ALL: [Self; 6] = [
        Self::QuickXml,
        Self::Xmllint,
        Self::Iterparse,
        Self::Xpath,
        Self::Simdxml,
        Self::SimdxmlLazy,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::QuickXml => "quick-xml",
            Self::Xmllint => "xmllint",
            Self::Iterparse => "iterparse",
            Self::Xpath => "xpath",
            Self::Simdxml => "simdxml",
            Self::SimdxmlLazy => "simdxml-lazy",
        }
    }

    /// What it is.
    pub fn title(self) -> &'static str {
        match self {
            Self::QuickXml => {
                "a bare loop over the events of the crate quick-xml, which counts start tags"
            }
            Self::Xmllint => "xmllint --stream --pattern of libxml2, the whole process",
            Self::Iterparse => "iterparse of lxml 6.1.3, elements cleared behind it",
            Self::Xpath => "a tree by lxml 6.1.3 and an XPath over it",
            Self::Simdxml => "the crate simdxml 0.2.1, the whole document indexed",
            Self::SimdxmlLazy => "the crate simdxml 0.2.1, indexing what the path needs",
        }
    }

    /// Whether it can be asked this question, and answers in an acceptable time.
    pub fn runs(self, workload: &Workload) -> bool {
        match self {
            Self::QuickXml => workload.xpath == workload::ELEMENTS,
            Self::Xmllint => workload.pattern,
            Self::Iterparse => {
                workload.pattern && workload.one_name() || workload.xpath == workload::ELEMENTS
            }
            // Its predicates look through the whole index for each node.
            Self::Simdxml => !workload.xpath.contains('['),
            Self::Xpath | Self::SimdxmlLazy => true,
        }
    }

    /// Why its answer is known not to be that of the path. Where there is no reason, a different answer is
    /// an error.
    pub fn known_to_differ(self, workload: &Workload) -> Option<&'static str> {
        // Seen where one element of the path stands below another with one in between.
        (self == Self::SimdxmlLazy && workload.name == "treebank-path").then_some(
            "elements that the path does not name are left out of the index, so that what stands below \
             one of them is taken for a child of what stands above",
        )
    }

    /// The command of one that is a process, or what is missing and how to get it. `directory` is where
    /// `fetch.sh` put the peers. None for what runs in this process.
    pub fn command(
        self,
        directory: &Path,
        workload: &Workload,
        file: &Path,
    ) -> Option<Result<Command, String>> {
        let command = match self {
            Self::QuickXml => return None,
            Self::Xmllint | Self::Iterparse | Self::Xpath => python(directory, self.name()),
            Self::Simdxml => simdxml(directory, "whole"),
            Self::SimdxmlLazy => simdxml(directory, "lazy"),
        };
        Some(command.map(|mut command| {
            command.arg(workload.xpath).arg(file);
            command
        }))
    }
}

fn python(directory: &Path, mode: &str) -> Result<Command, String> {
    let home = directory.join("libxml2");
    let program = home.join("libxml2_peer.py");
    fetched("libxml2", &program, directory)?;
    let mut command = super::python();
    command.env("PYTHONPATH", home.join("lib")).arg(program).arg(mode);
    Ok(command)
}

fn simdxml(directory: &Path, mode: &str) -> Result<Command, String> {
    let name = format!("simdxml-peer{}", env::consts::EXE_SUFFIX);
    let program = directory.join("simdxml").join(name);
    fetched("simdxml", &program, directory)?;
    let mut command = Command::new(program);
    command.arg(mode);
    Ok(command)
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
