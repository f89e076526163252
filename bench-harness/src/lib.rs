//! Reproduces the experiments of the papers and writes one self-contained report.
//!
//! The binary `bench-harness` is a thin shell around this library, so that the tests can run every
//! part with experiments of their own.
//!
//! | Module | What it holds |
//! | --- | --- |
//! | [`experiment`] | what an experiment is; one file per figure group; **start reading here** |
//! | [`claim`] | the rules by which a claim of a paper is judged, fixed before measuring |
//! | [`measure`] | interleaved runs, medians with intervals, memory, the machine |
//! | [`data`], [`own`] | the cache of generated input files; files of the user's own in their place |
//! | [`peer`] | other engines that do the same job, for `compare` |
//! | [`record`] | `results.jsonl` and `claims.jsonl`: all that a report is made of |
//! | [`number`], [`progress`], [`error`] | numbers in words, bars and messages, exit codes |
//! | [`report`] | the page, its plots and its graphs |
//! | [`command`], [`cli`] | the subcommands and their arguments |
//!
//! The flow is one way: an experiment measures and records [`record::Row`]s; [`claim::judge`] turns
//! rows into [`record::Judgement`]s; [`report::page`] draws the page from those two and from the static
//! text of the experiments. Nothing on the page has any other source, which is why
//! `bench-harness report` can rebuild it from the two files alone.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod baseline;
pub mod claim;
pub mod cli;
pub mod command;
pub mod data;
pub mod error;
pub mod experiment;
pub mod interrupt;
pub mod measure;
pub mod number;
pub mod own;
pub mod peer;
pub mod progress;
pub mod record;
pub mod report;
pub mod sha256;

pub use error::{Error, ErrorKind, Result};

/// The programs on the front page of the project compile and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct FrontPage;
