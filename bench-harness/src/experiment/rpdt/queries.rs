//! The queries of Table 2 and their data sets.
//!
//! The paper's table was not available to us. What its text says: two groups, plain and regular, on DBLP, TreeBank and
//! XMark. The queries here use what the paper's text describes: branches, both axes, several return
//! nodes, expressions over siblings.

use std::fmt;

use data_gen::xml::{DblpOptions, TreebankOptions, XmarkOptions, XmlKind};

use crate::data::DataFile;
use crate::error::Result;
use crate::experiment::{Context, Scale};
use crate::own;

/// The data sets of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataSet {
    /// Auction sites.
    Xmark,
    /// Bibliographies.
    Dblp,
    /// Parsed sentences.
    Treebank,
}

impl DataSet {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Xmark, Self::Dblp, Self::Treebank];

    /// A document of a given factor; 1 is the paper's size, which for XMark is 115 MB.
    pub fn kind(self, factor: f64) -> XmlKind {
        match self {
            Self::Xmark => XmlKind::Xmark(XmarkOptions::new(factor)),
            Self::Dblp => XmlKind::Dblp(DblpOptions::scaled(factor)),
            Self::Treebank => XmlKind::Treebank(TreebankOptions::scaled(factor)),
        }
    }

    /// The document that the engines are compared on.
    pub fn file(self, context: &Context<'_>) -> Result<DataFile> {
        if let Some(file) = self.own_file(context)? {
            return Ok(file);
        }
        let kind = self.kind(factor(context.scale));
        context.data.xml(&kind, context.seed, context.progress)
    }

    /// The one that the user gave in its place.
    pub fn own_file(self, context: &Context<'_>) -> Result<Option<DataFile>> {
        context.data.own().document(match self {
            Self::Xmark => own::Kind::Xmark,
            Self::Dblp => own::Kind::Dblp,
            Self::Treebank => own::Kind::Treebank,
        })
    }

    /// The small document that brute force can manage.
    pub fn small_file(self, context: &Context<'_>) -> Result<DataFile> {
        let kind = self.kind(SMALL);
        context.data.xml(&kind, context.seed, context.progress)
    }
}

/// The factor of the documents for brute force.
pub const SMALL: f64 = 0.01;

/// The factor of the documents that engines are compared on.
fn factor(scale: Scale) -> f64 {
    match scale {
        Scale::Tiny => 0.01,
        Scale::Quick => 0.1,
        Scale::Paper => 1.0,
        Scale::Full => 2.0,
    }
}

impl fmt::Display for DataSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Xmark => "XMark",
            Self::Dblp => "DBLP",
            Self::Treebank => "TreeBank",
        })
    }
}

/// A query of Table 2.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// What it is asked of.
    pub data: DataSet,
    /// Whether it has a regular branch; such queries are answered with tuples, others with nodes.
    pub regular: bool,
    /// Answers on the file that the original XMark generator makes at factor 0.1, counted label by
    /// label.
    pub original: &'static [(&'static str, u64)],
}

impl Query {
    const fn xmark(
        name: &'static str,
        text: &'static str,
        original: &'static [(&'static str, u64)],
    ) -> Self {
        let regular = name.as_bytes()[0] == b'R';
        Self { name, text, data: DataSet::Xmark, regular, original }
    }

    const fn other(name: &'static str, data: DataSet, text: &'static str) -> Self {
        let regular = name.as_bytes()[1] == b'R';
        Self { name, text, data, regular, original: &[] }
    }

    /// Whether it has several return nodes outside regular branches, which ExPDT cannot express.
    pub fn has_several_return_nodes(&self) -> bool {
        self.original.len() > 1
    }
}

/// All queries.
pub const ALL: [Query; 34] = [
    Query::xmark(
        "P1",
        "/site/closed_auctions/closed_auction/annotation/description/text/keyword",
        &[("", 411)],
    ),
    Query::xmark("P2", "//closed_auction//keyword", &[("", 1213)]),
    Query::xmark(
        "P3",
        "/site/closed_auctions/closed_auction[annotation/description/text/keyword]/date",
        &[("", 267)],
    ),
    Query::xmark("P4", "/site/people/person[profile[gender][age]]/name", &[("", 336)]),
    Query::xmark("P5", "//item[.//keyword][mailbox/mail//emph]/name", &[("", 619)]),
    Query::xmark("P6", "//listitem[.//keyword]//emph", &[("", 2543)]),
    Query::xmark(
        "P7",
        "//open_auction[seller!][.//keyword!]/bidder/personref!",
        &[("seller", 576), ("keyword", 1318), ("personref", 3337)],
    ),
    Query::xmark(
        "R1",
        "//open_auction[.//keyword]/{initial, reserve?, bidder[personref]!, bidder*}",
        &[("", 576)],
    ),
    Query::xmark("R2", "//open_auction/{bidder!, bidder!*}", &[("", 1080)]),
    Query::xmark(
        "R3",
        "/site/people/person/{name!, emailaddress, phone, address[province], homepage?, creditcard!}",
        &[("", 162)],
    ),
    Query::xmark(
        "R4",
        "//item[mailbox/mail]/{incategory!, incategory, incategory, incategory!*}",
        &[("", 797)],
    ),
    Query::xmark("R5", "//parlist/{listitem[text/keyword]!, listitem[.//emph]!*}", &[("", 1715)]),
    Query::xmark("R6", "//text/{keyword!, (bold|emph)+, keyword!?}", &[("", 2524)]),
    Query::xmark(
        "R7",
        "//closed_auction/{seller!, buyer!, itemref, price!, date, quantity, type, annotation[.//bold]}",
        &[("", 532)],
    ),
    Query::other("DP1", DataSet::Dblp, "/dblp/inproceedings/title"),
    Query::other("DP2", DataSet::Dblp, "//article[ee][number]/title"),
    Query::other("DP3", DataSet::Dblp, "/dblp/inproceedings[cite]/booktitle"),
    Query::other("DP4", DataSet::Dblp, "//article[cite]//author"),
    Query::other("DP5", DataSet::Dblp, "/dblp/*[title//sup]/year"),
    Query::other("DR1", DataSet::Dblp, "/dblp/inproceedings/{author!, author!, author!*}"),
    Query::other("DR2", DataSet::Dblp, "/dblp/article/{author+, title!, pages, year!}"),
    Query::other("DR3", DataSet::Dblp, "//article/{volume!, journal!, number}"),
    Query::other("DR4", DataSet::Dblp, "//inproceedings[ee]/{cite!, cite!*}"),
    Query::other("DR5", DataSet::Dblp, "/dblp/{article!, inproceedings[ee]!*}"),
    Query::other("TP1", DataSet::Treebank, "//S/VP/PP/NP"),
    Query::other("TP2", DataSet::Treebank, "//S[.//SBAR]//NP/NN"),
    Query::other("TP3", DataSet::Treebank, "//NP[JJ][NN]/PP"),
    Query::other("TP4", DataSet::Treebank, "//VP//VP//NP"),
    Query::other("TP5", DataSet::Treebank, "//S[NP/DT]/VP//PP[IN]/NP"),
    Query::other("TR1", DataSet::Treebank, "//S/{NP!, VP!}"),
    Query::other("TR2", DataSet::Treebank, "//NP/{DT, JJ!*, NN!}"),
    Query::other("TR3", DataSet::Treebank, "//VP/{VBD!, NP?, PP!*}"),
    Query::other("TR4", DataSet::Treebank, "//S/{NP[.//PRP]!, VP[.//PP]!}"),
    Query::other("TR5", DataSet::Treebank, "//NP/{NP!, (CC|_COMMA_), NP!}"),
];

/// The query of a name.
pub fn named(name: &str) -> Option<&'static Query> {
    ALL.iter().find(|query| query.name == name)
}
