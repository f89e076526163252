//! Which car each observation was.

use super::super::sighting::{Label, STREAM};
use super::super::{Counts, Event, Field, Source, Truth, write};
use super::fleet::Fleet;
use super::{TrafficOptions, name};
use crate::format::Format;
use crate::manifest::DataSet;
use std::io::{self, Write};

/// The columns besides stream and time.
pub const TRUTH_COLUMNS: [&str; 4] = ["observation", "vehicle", "plate", "clone"];

/// What an observation really was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The observation, from 0 and without gaps.
    pub observation: i64,
    /// The camera, from 0.
    pub camera: u32,
    /// Its name.
    pub name: Label,
    /// The true time in whole seconds, whatever the camera's clock says.
    pub time: i64,
    /// The car, from 0.
    pub vehicle: u32,
    /// The plate that it carries.
    pub plate: Label,
    /// Whether that is another car's plate.
    pub clone: bool,
}

impl Event for Passed {
    fn kind(&self) -> &str {
        self.name.as_str()
    }

    fn time(&self) -> i64 {
        self.time
    }

    fn each_field<'a>(&'a self, each: &mut impl FnMut(&'a str, Field<'a>)) {
        each(TRUTH_COLUMNS[0], Field::Int(self.observation));
        each(TRUTH_COLUMNS[1], Field::Int(i64::from(self.vehicle)));
        each(TRUTH_COLUMNS[2], Field::Text(self.plate.as_str()));
        each(TRUTH_COLUMNS[3], Field::Bool(self.clone));
    }
}

/// What [`TrafficOptions::truth`] gives.
#[derive(Clone, Debug)]
pub struct Truths {
    fleet: Fleet,
}

impl Truths {
    pub(super) fn new(fleet: Fleet) -> Self {
        Self { fleet }
    }
}

impl Iterator for Truths {
    type Item = Passed;

    fn next(&mut self) -> Option<Passed> {
        let passing = self.fleet.next_passing()?;
        Some(Passed {
            observation: passing.observation,
            camera: passing.camera,
            name: name(passing.camera),
            time: (passing.at / 1000) as i64,
            vehicle: passing.vehicle,
            plate: passing.plate,
            clone: passing.vehicle >= self.fleet.originals(),
        })
    }
}

impl Source for Truths {
    const COLUMNS: &'static [&'static str] = &TRUTH_COLUMNS;
    const TYPE: &'static str = STREAM;

    fn kinds(&self) -> Vec<String> {
        (0..self.fleet.cameras()).map(|camera| name(camera).to_string()).collect()
    }

    fn kind_index(event: &Passed) -> usize {
        event.camera as usize
    }

    fn truth(&self) -> Truth {
        self.fleet.counts()
    }
}

/// The file that belongs to the traffic of the same options and seed.
#[derive(Clone, Debug, PartialEq)]
pub struct TruthFile {
    /// The traffic.
    pub options: TrafficOptions,
    /// How the rows are written.
    pub format: Format,
}

impl TruthFile {
    /// The truth about some traffic.
    #[must_use]
    pub fn new(options: TrafficOptions, format: Format) -> Self {
        Self { options, format }
    }
}

impl DataSet for TruthFile {
    type Facts = Counts;

    fn name(&self) -> &'static str {
        "traffic-truth"
    }

    fn parameters(&self) -> serde_json::Value {
        let mut parameters = serde_json::to_value(&self.options).expect("options are plain data");
        parameters["format"] = self.format.name().into();
        parameters
    }

    fn expected_bytes(&self) -> u64 {
        let row = if self.format == Format::Csv { 35 } else { 95 };
        super::expected_observations(&self.options) * row
    }

    fn generate(&self, seed: u64, out: &mut dyn Write) -> io::Result<Counts> {
        write(self.options.truth(seed)?, self.format, out)
    }
}
