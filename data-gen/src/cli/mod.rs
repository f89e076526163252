//! The command line: what the arguments mean, and running what they ask for.

mod arguments;
mod patterns;
mod sightings;
mod streams;

use arguments::{Arguments, Data};
use data_gen::manifest::Facts;
use data_gen::stream::StreamFile;
use data_gen::{DataSet, file};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sightings::Companion;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::read();
    match arguments.command.data() {
        Data::Xml(kind) => write(&kind, &arguments),
        Data::Stream(file) => {
            for (path, companion) in arguments.command.companions() {
                if let Err(code) = beside(path, companion, &file, arguments.seed) {
                    return code;
                }
            }
            write(&file, &arguments)
        }
        Data::Patterns(options) => write(&options, &arguments),
    }
}

/// Writes a file that belongs to a stream.
fn beside(
    path: &Path,
    companion: Companion,
    stream: &StreamFile,
    seed: u64,
) -> Result<(), ExitCode> {
    let written = match companion {
        Companion::Times => match stream.kind.times(seed) {
            Ok(Some(times)) => to_file(path, &times, seed),
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        },
        Companion::Truth(truth) => to_file(path, &truth, seed),
    };
    written.map_err(|error| {
        tell(format_args!("data-gen: {error}"));
        ExitCode::from(2)
    })
}

fn write(data: &impl DataSet, arguments: &Arguments) -> ExitCode {
    let seed = arguments.seed;
    tell(format_args!("data-gen: {}, seed {seed}", data.name()));
    let written = match arguments.output.as_deref() {
        Some(path) if path != Path::new("-") => to_file(path, data, seed),
        _ => to_stdout(data, seed),
    };
    match written {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            tell(format_args!("data-gen: {error}"));
            ExitCode::from(2)
        }
    }
}

/// Writes a line to the standard error; there is nobody to tell when that fails.
fn tell(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

fn to_file(path: &Path, data: &impl DataSet, seed: u64) -> io::Result<()> {
    let bar = progress(data);
    let manifest = file::generate(path, data, seed, &mut |bytes| bar.inc(bytes));
    bar.finish_and_clear();
    let manifest = manifest?;
    tell(format_args!(
        "data-gen: {}: {} bytes, {}, SHA-256 {}",
        path.display(),
        manifest.facts.bytes(),
        manifest.facts.summary(),
        manifest.sha256,
    ));
    Ok(())
}

fn to_stdout(data: &impl DataSet, seed: u64) -> io::Result<()> {
    let stdout = io::stdout();
    let bar = if stdout.is_terminal() { ProgressBar::hidden() } else { progress(data) };
    let written = data.generate(seed, &mut Output { inner: stdout.lock(), bar: &bar });
    bar.finish_and_clear();
    written.map(|_| ())
}

/// The standard output; errors say so.
struct Output<'a> {
    inner: io::StdoutLock<'a>,
    bar: &'a ProgressBar,
}

impl Output<'_> {
    fn named(error: io::Error) -> io::Error {
        match error.kind() {
            io::ErrorKind::BrokenPipe | io::ErrorKind::Interrupted => error,
            kind => io::Error::new(kind, format!("cannot write to the standard output: {error}")),
        }
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let accepted = self.inner.write(bytes).map_err(Self::named)?;
        self.bar.inc(accepted as u64);
        Ok(accepted)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush().map_err(Self::named)
    }
}

/// A progress bar when the standard error is a terminal.
fn progress(data: &impl DataSet) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(
        "{bar:40} {bytes} of about {total_bytes}, {binary_bytes_per_sec}",
    )
    .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(data.expected_bytes()), ProgressDrawTarget::stderr())
        .with_style(style)
}
