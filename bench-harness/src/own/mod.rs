//! Files of the user's own in place of generated data.
//!
//! A file must be what it is given as: a document is read through once, well-formedness and all, and
//! must have the elements that the kind is known by; a table must have the columns that its
//! experiments need, row by row. What is wrong is said with its place. Rows that were measured over a
//! file carry its kind, name, length and hash.

mod rows;
mod xml;

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use clap::Args;

pub use rows::{Sighting, Sightings, Stocks};

use crate::data::{DataFile, Origin};
use crate::error::{Error, Result};
use crate::record::OwnFile;
use crate::sha256::Hasher;

/// What a file can be given as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A bibliography: the root `dblp`.
    Dblp,
    /// Parsed sentences: `EMPTY` elements with an `S` in them.
    Treebank,
    /// Auction sites: the root `site`.
    Xmark,
    /// Events of stocks.
    Stock,
    /// Sightings by checkpoints.
    Sightings,
    /// Locale data of CLDR: one file, or several under one root.
    Cldr,
    /// A data stream of SCAP: rules and definitions of a security guide.
    Scap,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Dblp,
        Self::Treebank,
        Self::Xmark,
        Self::Stock,
        Self::Sightings,
        Self::Cldr,
        Self::Scap,
    ];

    /// The name: that of the option.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dblp => "dblp",
            Self::Treebank => "treebank",
            Self::Xmark => "xmark",
            Self::Stock => "stock",
            Self::Sightings => "sightings",
            Self::Cldr => "cldr",
            Self::Scap => "scap",
        }
    }

    /// How such a file takes the place of the data that an experiment's method tells of.
    pub fn reading(self) -> &'static str {
        match self {
            Self::Dblp | Self::Treebank => {
                "It stands in place of the generated document of the scale; small documents for brute \
                 force are still generated."
            }
            Self::Xmark => {
                "It stands in place of the generated documents of the scale, so that there is one size; small \
                 documents for brute force, and the one that is compared with the original generator's, \
                 are still generated."
            }
            Self::Cldr | Self::Scap => "It is measured beside the generated documents.",
            Self::Stock => {
                "Its first rows stand in place of the generated ones, as many as the scale generates; \
                 an event's number, from 0, is its id and its time. Figures that change what is \
                 generated have no points for that."
            }
            Self::Sightings => {
                "It stands in place of the traffic data: the first rows of as many checkpoints, in the \
                 order in which the file names them, as many rows as the scale generates, sorted by \
                 time. There is no point for more checkpoints than the file has."
            }
        }
    }
}

/// The options that name files.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Data of your own, in place of generated data")]
pub struct Paths {
    /// A bibliography in XML, such as dblp.xml
    #[arg(long, value_name = "FILE")]
    pub dblp: Option<PathBuf>,
    /// Parsed sentences in XML, such as treebank_e.xml
    #[arg(long, value_name = "FILE")]
    pub treebank: Option<PathBuf>,
    /// An auction site in XML, as xmlgen of XMark makes it
    #[arg(long, value_name = "FILE")]
    pub xmark: Option<PathBuf>,
    /// Events of stocks as CSV or JSON lines: type, time, symbol, price and volume
    #[arg(long, value_name = "FILE")]
    pub stock: Option<PathBuf>,
    /// Sightings as CSV or JSON lines: stream, time in seconds, key, probability and observation
    #[arg(long, value_name = "FILE")]
    pub sightings: Option<PathBuf>,
    /// Locale data in XML, beside generated data: a file of CLDR, or several under one root
    #[arg(long, value_name = "FILE")]
    pub cldr: Option<PathBuf>,
    /// A data stream of SCAP in XML, beside generated data, such as ssg-rhel8-ds.xml
    #[arg(long, value_name = "FILE")]
    pub scap: Option<PathBuf>,
}

impl Paths {
    /// The file that is given as this kind.
    pub fn of(&self, kind: Kind) -> Option<&Path> {
        match kind {
            Kind::Dblp => self.dblp.as_deref(),
            Kind::Treebank => self.treebank.as_deref(),
            Kind::Xmark => self.xmark.as_deref(),
            Kind::Stock => self.stock.as_deref(),
            Kind::Sightings => self.sightings.as_deref(),
            Kind::Cldr => self.cldr.as_deref(),
            Kind::Scap => self.scap.as_deref(),
        }
    }

    /// The kinds of which there is a file.
    pub fn kinds(&self) -> impl Iterator<Item = (Kind, &Path)> {
        Kind::ALL.into_iter().filter_map(|kind| Some((kind, self.of(kind)?)))
    }
}

/// A file that was read through.
#[derive(Clone, Debug)]
struct Checked<T> {
    file: OwnFile,
    sha256: String,
    content: T,
}

/// The files of one run, each read when it is first asked for.
#[derive(Clone, Debug, Default)]
pub struct Own {
    paths: Paths,
    files: Arc<Files>,
}

#[derive(Debug, Default)]
struct Files {
    /// In the order of [`DOCUMENTS`]; of each the number of its elements.
    documents: [OnceLock<Checked<u64>>; 5],
    stock: OnceLock<Checked<Stocks>>,
    sightings: OnceLock<Checked<Sightings>>,
}

const DOCUMENTS: [Kind; 5] = [Kind::Dblp, Kind::Treebank, Kind::Xmark, Kind::Cldr, Kind::Scap];

impl Own {
    /// Files that are checked when they are asked for.
    pub fn new(paths: Paths) -> Self {
        Self { paths, files: Arc::default() }
    }

    /// Checks all of them.
    pub fn check(&self) -> Result<()> {
        for kind in DOCUMENTS {
            self.document(kind)?;
        }
        self.stock()?;
        self.sightings()?;
        Ok(())
    }

    /// Which files there are.
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// A document, with the number of its elements.
    pub fn document(&self, kind: Kind) -> Result<Option<DataFile>> {
        let place = DOCUMENTS.iter().position(|one| *one == kind);
        let (Some(path), Some(place)) = (self.paths.of(kind), place) else { return Ok(None) };
        let checked =
            once(&self.files.documents[place], kind, path, |input| xml::check(kind, input))?;
        let Checked { file, sha256, content } = checked.clone();
        let origin = Origin::Own(file);
        Ok(Some(DataFile { path: path.to_owned(), sha256, elements: content, origin }))
    }

    /// The events of stocks, and their hash.
    pub fn stock(&self) -> Result<Option<(&Stocks, &str)>> {
        let Some(path) = self.paths.of(Kind::Stock) else { return Ok(None) };
        let checked = once(&self.files.stock, Kind::Stock, path, |input| {
            rows::stocks(input, is_lines(path))
        })?;
        Ok(Some((&checked.content, &checked.sha256)))
    }

    /// The sightings, and their hash.
    pub fn sightings(&self) -> Result<Option<(&Sightings, &str)>> {
        let Some(path) = self.paths.of(Kind::Sightings) else { return Ok(None) };
        let checked = once(&self.files.sightings, Kind::Sightings, path, |input| {
            rows::sightings(input, is_lines(path))
        })?;
        Ok(Some((&checked.content, &checked.sha256)))
    }

    /// The file of a hash, if it is one of those that were read.
    pub fn of_hash(&self, sha256: &str) -> Option<OwnFile> {
        let Files { documents, stock, sightings } = &*self.files;
        let documents = documents.iter().filter_map(OnceLock::get);
        let mut all: Vec<(&str, &OwnFile)> =
            documents.map(|one| (&*one.sha256, &one.file)).collect();
        all.extend(stock.get().map(|one| (&*one.sha256, &one.file)));
        all.extend(sightings.get().map(|one| (&*one.sha256, &one.file)));
        all.into_iter().find(|(hash, _)| *hash == sha256).map(|(_, file)| file.clone())
    }

    /// Kinds and hashes of all files, for what depends on them; they are checked.
    pub fn hashes(&self) -> Result<Vec<String>> {
        self.check()?;
        let Files { documents, stock, sightings } = &*self.files;
        let documents = documents.iter().filter_map(OnceLock::get);
        let mut all: Vec<(&OwnFile, &str)> =
            documents.map(|one| (&one.file, &*one.sha256)).collect();
        all.extend(stock.get().map(|one| (&one.file, &*one.sha256)));
        all.extend(sightings.get().map(|one| (&one.file, &*one.sha256)));
        Ok(all.into_iter().map(|(file, hash)| format!("{}, {hash}", file.kind)).collect())
    }
}

/// Reads a file on the first call, and hashes it meanwhile.
fn once<'a, T>(
    place: &'a OnceLock<Checked<T>>,
    kind: Kind,
    path: &Path,
    read: impl FnOnce(&mut dyn Read) -> Result<T>,
) -> Result<&'a Checked<T>> {
    if let Some(checked) = place.get() {
        return Ok(checked);
    }
    let within = |error: Error| error.within(path.display()).within(format!("--{}", kind.name()));
    let fail = |error: io::Error| within(Error::input(format!("cannot be read: {error}")));
    let file = File::open(path).map_err(fail)?;
    if file.metadata().map_err(fail)?.is_dir() {
        return Err(within(Error::input("is a directory")));
    }
    let mut input = Hashing { input: file, hash: Hasher::default(), bytes: 0 };
    let content = read(&mut input).map_err(within)?;
    // A reader may stop before the end of the input, where only white space is left.
    io::copy(&mut input, &mut io::sink()).map_err(fail)?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let file = OwnFile { kind: kind.name().to_owned(), name, bytes: input.bytes };
    Ok(place.get_or_init(|| Checked { file, sha256: input.hash.finish(), content }))
}

fn is_lines(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "jsonl" || end == "json")
}

/// Hashes and counts what is read.
struct Hashing {
    input: File,
    hash: Hasher,
    bytes: u64,
}

impl Read for Hashing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(buffer)?;
        self.hash.write_all(&buffer[..length])?;
        self.bytes += length as u64;
        Ok(length)
    }
}

fn buffered(input: &mut dyn Read) -> BufReader<&mut dyn Read> {
    BufReader::with_capacity(256 << 10, input)
}
