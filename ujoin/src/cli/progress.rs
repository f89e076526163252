//! How far the run has come, on a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Time between two updates, and before the first.
const PERIOD: Duration = Duration::from_millis(500);

/// A line on the standard error that is written over and over; nothing when that is not a
/// terminal, or when the output goes to one.
#[derive(Debug)]
pub(super) struct Progress {
    enabled: bool,
    total: Option<u64>,
    start: Instant,
    next: Instant,
    shown: bool,
}

impl Progress {
    /// `elsewhere`: the output does not go to the standard output.
    pub(super) fn new(total: Option<u64>, elsewhere: bool) -> Self {
        let start = Instant::now();
        let quiet = elsewhere || !io::stdout().is_terminal();
        Progress {
            enabled: io::stderr().is_terminal() && quiet,
            total,
            start,
            next: start + PERIOD,
            shown: false,
        }
    }

    pub(super) fn update(&mut self, bytes: u64, sightings: u64, results: u64) {
        if !self.enabled {
            return;
        }
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + PERIOD;
        self.shown = true;
        let seconds = (now - self.start).as_secs_f64();
        let (rate, speed) = (sightings as f64 / seconds, bytes as f64 / 1e6 / seconds);
        let percent = match self.total {
            Some(total) if total > 0 => format!("{:3.0} %, ", 100.0 * bytes as f64 / total as f64),
            _ => String::new(),
        };
        let _ = write!(
            io::stderr().lock(),
            "\r\x1b[K{percent}{sightings} sightings, {rate:.0} a second, {speed:.1} MB/s, {results} \
             results"
        );
    }

    /// Takes the line away.
    pub(super) fn clear(&mut self) {
        if self.shown {
            self.shown = false;
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}
