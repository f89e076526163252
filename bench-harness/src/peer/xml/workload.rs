//! The workloads on which rpdt is compared with its peers.

use std::path::{Path, PathBuf};

use crate::data::DataFile;
use crate::error::{Error, Result};
use crate::experiment::Scale;
use crate::experiment::rpdt::DataSet;

/// The question that everybody who reads XML can answer.
pub const ELEMENTS: &str = "//*";

/// One workload: how many nodes of a document a path finds.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// The document.
    pub data: DataSet,
    /// The path, which is the same in rpdt and in XPath.
    pub xpath: &'static str,
    /// Whether it has steps only, as the patterns of libxml2's streaming have.
    pub pattern: bool,
}

impl Workload {
    /// Whether it asks for a name anywhere.
    pub fn one_name(&self) -> bool {
        self.xpath.strip_prefix("//").is_some_and(|name| !name.contains(['/', '[', '*']))
    }
}

/// All workloads. A file of one's own is asked only for its elements.
pub const WORKLOADS: [Workload; 7] = [
    Workload {
        name: "elements",
        title: "the number of elements of XMark: //*",
        data: DataSet::Xmark,
        xpath: ELEMENTS,
        pattern: false,
    },
    Workload {
        name: "name",
        title: "a name anywhere in XMark: //keyword",
        data: DataSet::Xmark,
        xpath: "//keyword",
        pattern: true,
    },
    Workload {
        name: "path",
        title: "a path in XMark: //closed_auction//keyword",
        data: DataSet::Xmark,
        xpath: "//closed_auction//keyword",
        pattern: true,
    },
    Workload {
        name: "twig",
        title: "a twig in XMark: /site/people/person[profile[gender][age]]/name",
        data: DataSet::Xmark,
        xpath: "/site/people/person[profile[gender][age]]/name",
        pattern: false,
    },
    Workload {
        name: "dblp-elements",
        title: "the number of elements of a bibliography: //*",
        data: DataSet::Dblp,
        xpath: ELEMENTS,
        pattern: false,
    },
    Workload {
        name: "dblp-twig",
        title: "a twig in a bibliography: //article[ee][number]/title",
        data: DataSet::Dblp,
        xpath: "//article[ee][number]/title",
        pattern: false,
    },
    Workload {
        name: "treebank-path",
        title: "a path in parsed sentences: //S/VP/PP/NP",
        data: DataSet::Treebank,
        xpath: "//S/VP/PP/NP",
        pattern: true,
    },
];

/// The factor of the documents; 1 is the paper's size.
pub fn factor(scale: Scale) -> f64 {
    match scale {
        Scale::Tiny => 0.01,
        Scale::Quick => 0.1,
        Scale::Paper => 1.0,
        Scale::Full => 2.0,
    }
}

/// A document in memory and where it is on disk.
#[derive(Clone, Debug)]
pub struct Document {
    /// The file.
    pub path: PathBuf,
    /// Its content.
    pub bytes: Vec<u8>,
    /// The number of its elements, by which times are divided.
    pub elements: u64,
    /// The hash of the content.
    pub sha256: String,
}

impl Document {
    /// A generated one.
    pub fn generated(file: &DataFile) -> Result<Self> {
        let bytes = file.read()?;
        let elements = super::runner::elements(&bytes)?;
        let sha256 = file.sha256.clone();
        Ok(Self { path: file.path.clone(), bytes, elements, sha256 })
    }

    /// A file of one's own.
    pub fn given(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path)
            .map_err(|error| Error::input(format!("cannot read {}: {error}", path.display())))?;
        let elements = super::runner::elements(&bytes)
            .map_err(|error| Error::input(format!("{}: {error}", path.display())))?;
        if elements == 0 {
            return Err(Error::input(format!("{} has no element", path.display())));
        }
        let sha256 = crate::sha256::of(&bytes);
        Ok(Self { path: path.to_owned(), bytes, elements, sha256 })
    }
}
