//! Seeded generators of benchmark data: the same seed gives the same bytes, everywhere.
//!
//! XML documents and streams of events are written as a stream in constant memory, at hundreds of megabytes a second.
//!
//! ```
//! use data_gen::xml::{self, TreebankOptions};
//!
//! let mut document = Vec::new();
//! let facts = xml::treebank(&TreebankOptions::new(10), 1, &mut document)?;
//! assert_eq!(facts.bytes, document.len() as u64);
//! assert_eq!(facts.max_depth, 36);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`xml`] | XMark, DBLP and TreeBank look-alikes, random and hostile trees. Start reading here, or at [`stream`] |
//! | [`stream`] | events: stocks, clicks, sensors, letters, keys, tags, sightings; typed iterators, and files of them |
//! | [`patterns`] | sets of event sequence patterns: random, of distinct types, of routes |
//! | [`format`](mod@format) | CSV and JSON lines: writing events, and reading them back |
//! | [`seed`] | the random generator and the distributions, bit for bit the same on all platforms |
//! | [`manifest`] | what a file was made from, its counts and its SHA-256; checking a file against it |
//! | [`file`](mod@file) | writing a data set to a file together with its manifest |
//!
//! The program `data-gen` (feature `cli`) does the same from a shell.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod file;
pub mod format;
mod hash;
pub mod manifest;
pub mod patterns;
pub mod seed;
pub mod stream;
pub mod xml;

pub use manifest::{
    DataSet, Manifest, ManifestError, PatternManifest, StreamManifest, TravelManifest,
};

/// The examples of the README are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
