//! The experiments of the paper on joins of uncertain streams, and our own checks.
//!
//! | Module | What it holds |
//! | --- | --- |
//! | [`examples`] | the worked examples, Figs. 1, 4 and 5 |
//! | [`curves`] | speed against checkpoints, interval of expiry and threshold, Figs. 6 to 14 |
//! | [`datasets`] | which data are fast |
//! | [`budget`], [`shares`], [`spill`] | results when memory does not suffice, Figs. 15 and 16 |
//! | [`speed`], [`precision`] | our own checks: the log; cloned plates found, and false alarms |
//! | [`load`], [`engines`], [`sweep`] | tuples; one way to run everything; speeds over a range of x |

mod budget;
mod curves;
mod datasets;
mod engines;
mod examples;
mod load;
mod precision;
mod shares;
mod speed;
mod spill;
mod sweep;

pub use engines::{Setup, Way, ready};
pub use load::{Data, Load as Tuples};

use super::{Experiment, Paper};

/// The paper.
pub const PAPER: Paper = Paper {
    short: "Uncertain join",
    title: "An adaptive parallel join algorithm for uncertain data streams and its application",
    authors: "Qian Jiangbo, Wang Zhijie, Chen Huahui, Wang Haibin; Ningbo University and the Ningbo \
              Public Security Bureau",
    original: "不确定数据流自适应并行连接算法及应用, 钱江波, 王志杰, 陈华辉, 王海斌",
    subject: "Many streams of uncertain tuples, the plates that a town's cameras read, are joined with \
              each other within a sliding window, so that a plate that is seen twice in less time than \
              the drive takes is found at once. A thread for each stream joins in memory; when memory \
              is short, improbable tuples wait on disk.",
    source: "We worked from the text, which has lost its listings and its pictures: Algorithms 1 to 4 \
             are reconstructed from the prose, and what the curves show is known by what the text says \
             of them. Its data and its database are replaced as each section says.",
};

/// All experiments in their order, our own checks last.
pub fn experiments() -> Vec<Box<dyn Experiment>> {
    let mut all: Vec<Box<dyn Experiment>> = vec![
        Box::new(examples::Fig1),
        Box::new(examples::Flush::WindowHalf),
        Box::new(examples::Flush::LessThanProbability),
    ];
    for curve in curves::curves() {
        all.push(Box::new(curve));
    }
    all.push(Box::new(datasets::Datasets));
    all.push(Box::new(budget::Averages));
    all.push(Box::new(shares::Shares));
    all.push(Box::new(precision::Precision));
    all.push(Box::new(speed::Speed));
    all
}
