//! What an experiment is. **Start reading here.**
//!
//! An experiment is one row of the papers' lists: a worked example, a figure or a table. It says what
//! the paper says and how we measure ([`About`]), checks answers without timing
//! ([`Experiment::check`]), measures ([`Experiment::measure`]) and records what it finds in its
//! [`Context`]. It never judges: its claims are data, and [`crate::claim`] judges them from the
//! recorded rows alone.
//!
//! To add a figure group, write one file beside this one with its experiments and add one line to
//! [`registry()`].

mod agree;
mod common;
mod context;
mod multi;
mod nfab;
mod plots;
mod registry;
pub(crate) mod rpdt;
mod shared;
mod spread;
pub(crate) mod ujoin;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

pub use context::{Check, Context, Recorder};
pub use registry::{Paper, Registry, registry};
pub use shared::Shared;

use crate::claim::Claim;
use crate::error::{Error, Result};
use crate::measure::memory::Heap;
use crate::record::{Row, X};

/// One thing of a paper that the harness reproduces.
pub trait Experiment: Sync {
    /// Its static description.
    fn about(&self) -> About;

    /// Checks worked examples and compares the engines' answers, without taking times. Runs before
    /// [`Experiment::measure`], and alone for `bench-harness verify`.
    fn check(&self, context: &mut Context<'_>) -> Result<()>;

    /// Measures; an example has nothing to measure.
    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let _ = context;
        Ok(())
    }

    /// What was found, in plain sentences computed from this experiment's rows; the most important
    /// one first. Nothing for rows that do not suffice.
    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        let _ = rows;
        Vec::new()
    }

    /// Drawings and texts that follow from the program alone, such as an automaton. They are made
    /// anew whenever a report is written, so they must not depend on any measurement.
    fn artefacts(&self) -> Result<Vec<Artefact>> {
        Ok(Vec::new())
    }

    /// Runs one memory probe by name, in the process with the counting allocator, and returns the
    /// growth of the heap's peak: see [`Context::memory`]. What it records in its context becomes part
    /// of the experiment's rows, such as a curve of memory over time.
    fn probe(&self, name: &str, context: &mut Context<'_>, heap: &dyn Heap) -> Result<u64> {
        let _ = (context, heap);
        Err(Error::usage(format!("{} has no memory probe {name}", self.about().id)))
    }

    /// Does one job over a file and returns what it counts, in a process that does nothing else: see
    /// [`crate::measure::process`].
    fn whole(&self, job: &str, file: &Path) -> Result<u64> {
        let _ = file;
        Err(Error::usage(format!("{} has no job {job}", self.about().id)))
    }
}

/// The kind of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A worked example with an exact answer.
    Example,
    /// A measured curve or bar chart.
    Figure,
    /// A set of queries or parameters.
    Table,
    /// Not of a paper: a check of our own. `list` names those only when asked for all.
    Check,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Example => "example",
            Self::Figure => "figure",
            Self::Table => "table",
            Self::Check => "our check",
        })
    }
}

/// The static description of an experiment. Texts are plain; a blank line starts a new paragraph.
#[derive(Clone, Debug)]
pub struct About {
    /// The name used everywhere.
    pub id: String,
    /// Example, figure or table.
    pub kind: Kind,
    /// A heading.
    pub title: String,
    /// What the paper says.
    pub paper: String,
    /// How we measure, and what is inside the timed region.
    pub method: String,
    /// What the paper left out or lost, what we put in its place, and why.
    pub reconstruction: Option<String>,
    /// The claims to judge.
    pub claims: Vec<Claim>,
    /// How to draw the rows.
    pub plots: Vec<Plot>,
}

/// How some of an experiment's series are drawn.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The caption.
    pub title: String,
    /// Bars or lines.
    pub style: Style,
    /// The series to draw, in the order of their colours; those without rows are left out.
    pub series: Vec<String>,
    /// What the x axis shows, with its unit.
    pub x_label: String,
    /// What the y axis shows; its unit is that of the rows.
    pub y_label: String,
    /// The x axis of a line chart.
    pub x_axis: Spacing,
    /// The y axis. A linear one starts at zero.
    pub y_axis: Spacing,
    /// Places without a value, and why; only for [`Style::Ratios`].
    pub absent: Vec<(X, String)>,
}

/// The form of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A group of bars for each x, a bar for each series.
    Bars,
    /// A line for each series.
    Lines,
    /// Paired ratios as dots with their intervals around 1; the y axis should be logarithmic.
    Ratios,
    /// A table with a row for each x and a column for each series: for counts that are to be compared
    /// digit by digit.
    Table,
}

/// How an axis is spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// Equal steps.
    Linear,
    /// Equal ratios.
    Log,
}

/// Something to show that follows from the program alone.
#[derive(Clone, Debug)]
pub enum Artefact {
    /// A graph in the subset of DOT that [`crate::report::dot_svg`] reads.
    Dot {
        /// What it shows.
        caption: String,
        /// The DOT text, which the page offers as well.
        text: String,
    },
    /// Preformatted text, such as a document or a trace.
    Text {
        /// What it shows.
        caption: String,
        /// The text.
        text: String,
    },
    /// A table, such as a list of queries.
    Table {
        /// What it shows.
        caption: String,
        /// The heads of the columns.
        head: Vec<String>,
        /// The rows, each as long as the head.
        rows: Vec<Vec<String>>,
    },
}

/// How much to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scale {
    /// Seconds: does everything run at all?
    Tiny,
    /// Minutes: the paper's parameters where they fit.
    Quick,
    /// All of the paper's parameters.
    Paper,
    /// Beyond the paper.
    Full,
}

impl Scale {
    /// All scales, smallest first.
    pub const ALL: [Self; 4] = [Self::Tiny, Self::Quick, Self::Paper, Self::Full];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tiny => "tiny",
            Self::Quick => "quick",
            Self::Paper => "paper",
            Self::Full => "full",
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scale {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|scale| scale.name() == text)
            .ok_or_else(|| Error::usage(format!("{text} is not one of tiny, quick, paper, full")))
    }
}
