//! Auction sites as the XMark benchmark describes them (Schmidt et al., VLDB 2002).
//!
//! Element names, structure, cardinalities and distributions follow the benchmark's own generator
//! in its default mode: one declaration line, no document type, no indentation, a newline after
//! every tag except those inside prose. The vocabulary is invented. Factor 1 is 116.64 MB with
//! the default seed.
//!
//! Module `schema` holds the numbers, `prose` the text; `items`, `people` and `auctions` write
//! the document's sections in order.

mod auctions;
mod items;
mod people;
mod prose;
mod schema;

use super::writer::XmlWriter;
use super::{Facts, invalid};
use crate::seed::Rng;
use schema::{Counts, Tables};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// What to choose about an auction site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct XmarkOptions {
    /// The scaling factor: every number of records is multiplied by it. Positive, at most 10,000.
    pub factor: f64,
}

impl XmarkOptions {
    /// The given factor.
    #[must_use]
    pub fn new(factor: f64) -> Self {
        Self { factor }
    }
}

impl Default for XmarkOptions {
    fn default() -> Self {
        Self::new(1.0)
    }
}

/// Part of every stream's name. Samples differ by chance, most of all at small factors; with this
/// one the default seed's documents lie near those of the benchmark's generator at factors 0.01,
/// 0.1 and 1.
const EDITION: u32 = 3;

/// Everything that a section needs.
struct Site<'t, 'o> {
    counts: Counts,
    tables: &'t Tables,
    seed: u64,
    out: XmlWriter<'o>,
}

impl Site<'_, '_> {
    /// The random stream of one part of the document.
    fn stream(&self, part: &str) -> Rng {
        Rng::new(self.seed, &format!("{part}, {EDITION}"))
    }
}

/// Writes an auction site.
///
/// # Errors
/// `InvalidInput` when the factor is out of range; else what `out` reports.
pub fn generate(options: &XmarkOptions, seed: u64, out: &mut dyn Write) -> io::Result<Facts> {
    let factor = options.factor;
    if !(factor > 0.0 && factor <= 10_000.0) {
        return Err(invalid(format!("the factor must be in (0, 10000], not {factor}")));
    }
    let tables = Tables::new();
    let counts = Counts::at(factor);
    let mut site = Site { counts, tables: &tables, seed, out: XmlWriter::new(out) };
    site.out.raw(b"<?xml version=\"1.0\" standalone=\"yes\"?>\n");
    site.out.open(b"<site>\n", 0);
    items::regions(&mut site)?;
    items::categories(&mut site)?;
    items::category_graph(&mut site);
    people::people(&mut site)?;
    auctions::open_auctions(&mut site)?;
    auctions::closed_auctions(&mut site)?;
    site.out.close(b"</site>\n");
    site.out.finish()
}
