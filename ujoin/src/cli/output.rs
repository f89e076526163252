//! The files that are written.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::arguments;
use super::target::{Delivered, Target};

/// All that is written but messages.
pub(crate) struct Outputs {
    pub(crate) main: Target,
    pub(crate) late: Option<Target>,
    pub(crate) reject: Option<Target>,
}

/// How much of each is out.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Positions {
    pub(crate) main: Delivered,
    late: Delivered,
    reject: Delivered,
}

impl Outputs {
    /// Makes the files, or cuts them back to what they had `before`.
    pub(crate) fn open(
        arguments: &arguments::Run,
        before: Option<Positions>,
    ) -> Result<Outputs, (PathBuf, io::Error)> {
        let optional = |path: Option<&Path>, before: Option<Delivered>| {
            path.map(|path| Target::new(Some(path), before)).transpose()
        };
        let output = &arguments.output;
        Ok(Outputs {
            main: Target::new(output.output.as_deref(), before.map(|before| before.main))?,
            late: optional(output.late.as_deref(), before.map(|before| before.late))?,
            reject: optional(
                arguments.reading.reject.as_deref(),
                before.map(|before| before.reject),
            )?,
        })
    }

    /// Begins the files of rows with the header of the table that these are of.
    pub(crate) fn begin(&mut self, header: Option<&str>) {
        if let Some(header) = header {
            for target in [&mut self.late, &mut self.reject].into_iter().flatten() {
                line(target, header.as_bytes());
            }
        }
    }

    pub(crate) fn late(&mut self, row: &[u8]) {
        if let Some(target) = &mut self.late {
            line(target, row);
        }
    }

    /// Sets a row aside; false if there is no place for it.
    pub(crate) fn reject(&mut self, row: &[u8]) -> bool {
        self.reject.as_mut().map(|target| line(target, row)).is_some()
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Target> {
        [Some(&mut self.main), self.late.as_mut(), self.reject.as_mut()].into_iter().flatten()
    }

    /// Hands everything to the readers of the outputs.
    pub(crate) fn flush(&mut self) {
        self.all().for_each(Target::flush);
    }

    /// Makes everything survive a failure of the machine, and says how much it is.
    pub(crate) fn deliver(&mut self) -> Positions {
        self.all().for_each(Target::sync);
        let position =
            |target: &Option<Target>| target.as_ref().map(Target::delivered).unwrap_or_default();
        Positions {
            main: self.main.delivered(),
            late: position(&self.late),
            reject: position(&self.reject),
        }
    }

    /// Why nothing more can be written, and to which file if it is not the standard output.
    pub(crate) fn error(&self) -> Option<(&io::Error, Option<&Path>)> {
        let targets = [Some(&self.main), self.late.as_ref(), self.reject.as_ref()];
        let failed = targets.into_iter().flatten().find(|target| target.error.is_some())?;
        Some((failed.error.as_ref()?, failed.path.as_deref()))
    }
}

fn line(target: &mut Target, row: &[u8]) {
    target.buffer.extend_from_slice(row);
    target.buffer.push(b'\n');
    target.flush_if_large();
}
