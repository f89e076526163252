//! The experiments of the RPDT paper: regular tree patterns over XML streams.
//!
//! | Module | What it holds |
//! | --- | --- |
//! | [`fig1`], [`table1`], [`fig5`] | the worked examples |
//! | [`queries`] | the queries of Table 2, reconstructed, with their data sets |
//! | [`table2`] | all engines and the oracle give the same answers |
//! | [`compare`] | Figs. 6 and 7: query times against the baselines |
//! | [`throughput`] | Fig. 8 |
//! | [`scanner`] | the engine on its own scanner: our check |
//! | [`engines`], [`reader`] | one way to run each engine; reading without matching |
//! | [`tree`], [`oracle`] | brute force: the document in memory, the definitions as they stand |

mod compare;
mod engines;
mod fig1;
mod fig5;
mod oracle;
mod queries;
mod reader;
mod scanner;
mod table1;
mod table2;
mod throughput;
mod tree;

pub use queries::DataSet;

use super::{Experiment, Paper};

/// The paper.
pub const PAPER: Paper = Paper {
    short: "RPDT",
    title: "A complex event query method for regular tree patterns",
    authors: "Zheng Liqiang, Liao Husheng, Su Hang, Gao Hongyu; Beijing University of Technology",
    original: "一种针对正规树模式的复杂事件查询方法, 郑利强 廖湖声 苏航 高红雨",
    subject: "An RPDT (regular pushdown transducer) reads a stream of XML tags once and finds the \
              places where a tree pattern matches, with buffers for the elements to return. To \
              the pushdown transducer for the pattern's nodes it joins finite automata for \
              expressions over siblings, such as “an E, then any number of D”.",
    source: "The paper's figures and tables were not available to us: we worked from the text of \
             the paper only. Queries, documents and baselines that are not in the text are \
             reconstructed, and each section says how.",
};

/// The pattern of Fig. 1; see its experiment for the reading of the axes.
const FIG1: &str = "//a[b!]//c/{ e! , d[f][.//g]* }";

/// All experiments of the paper in its order.
pub fn experiments() -> Vec<Box<dyn Experiment>> {
    vec![
        Box::new(fig1::Fig1),
        Box::new(table1::Table1),
        Box::new(fig5::Fig5),
        Box::new(table2::Table2),
        Box::new(compare::Fig6),
        Box::new(compare::Fig7),
        Box::new(throughput::Fig8),
        Box::new(scanner::Scanner),
    ]
}
