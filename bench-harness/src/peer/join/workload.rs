//! The workloads on which ujoin is compared with its peers.

use std::io::{self, Write};

use ujoin::Probability;

use crate::error::Result;
use crate::experiment::Scale;
use crate::experiment::ujoin::{Data, Setup, Tuples};

/// One workload: streams whose tuples join within a window of an hour.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    data: Data,
    streams: u32,
    /// The number of tuples at quick scale.
    tuples: u64,
}

/// All workloads.
pub const WORKLOADS: [Workload; 4] = [
    Workload {
        name: "uniform-30",
        title: "30 streams, uniform keys, 100 plates a slot, from probability 0.7 on",
        data: Data::Uniform,
        streams: 30,
        tuples: 100_000,
    },
    Workload {
        name: "uniform-150",
        title: "the same with 150 streams",
        data: Data::Uniform,
        streams: 150,
        tuples: 200_000,
    },
    Workload {
        name: "gaussian-150",
        title: "the same with keys like a bell",
        data: Data::Gaussian,
        streams: 150,
        tuples: 200_000,
    },
    Workload {
        name: "traffic-60",
        title: "60 cameras of a town in the morning",
        data: Data::Traffic,
        streams: 60,
        tuples: 100_000,
    },
];

/// The least probability of a result, in hundredths.
const THRESHOLD: u32 = 70;

/// Tuples of a stream in a window.
const RATE: u32 = 500;

impl Workload {
    /// The number of tuples at a scale.
    pub fn tuples(&self, scale: Scale) -> u64 {
        match scale {
            Scale::Tiny => self.tuples / 50,
            Scale::Quick => self.tuples,
            Scale::Paper => self.tuples * 5,
            Scale::Full => self.tuples * 20,
        }
    }

    /// About so many tuples of a seed; the cameras of a morning may see fewer.
    pub fn generate(&self, tuples: u64, seed: u64) -> Result<Load> {
        let windows = tuples as f64 / (f64::from(self.streams) * f64::from(RATE));
        let tuples = Tuples::new(self.data, self.streams, RATE, windows, seed)?;
        let threshold = Probability::from_nanos(THRESHOLD * 10_000_000).unwrap_or(Probability::ONE);
        Ok(Load { setup: Setup::new(self.streams, threshold)?, tuples })
    }
}

/// The tuples of a workload, and how they join.
#[derive(Clone, Debug)]
pub struct Load {
    /// Window and threshold.
    pub setup: Setup,
    /// The tuples.
    pub tuples: Tuples,
}

impl Load {
    /// Writes the tuples for peers that are processes, probabilities as billionths.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "seq,observation,key,ts,s,p")?;
        for one in self.tuples.tuples.iter() {
            let (seq, observation, key) = (one.seq, one.observation, one.key);
            let (time, stream, p) = (one.time, one.stream, one.probability.nanos());
            writeln!(out, "{seq},{observation},{key},{time},{stream},{p}")?;
        }
        Ok(())
    }
}
