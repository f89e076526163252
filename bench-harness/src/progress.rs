//! Progress and messages on stderr: bars on a terminal, plain lines elsewhere, nothing when silent.

use std::io::{IsTerminal, Write};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Where progress goes.
#[derive(Clone, Debug)]
pub struct Progress {
    bars: Option<MultiProgress>,
    lines: bool,
}

impl Progress {
    /// Bars when stderr is a terminal, lines otherwise.
    pub fn stderr() -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bars = terminal.then(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr()));
        Self { bars, lines: true }
    }

    /// Nothing at all.
    pub fn silent() -> Self {
        Self { bars: None, lines: false }
    }

    /// Prints a line; bars step aside for it.
    pub fn message(&self, text: impl AsRef<str>) {
        let print = || {
            // A closed stderr is no reason to stop measuring.
            let _ = writeln!(std::io::stderr(), "{}", text.as_ref());
        };
        match &self.bars {
            Some(bars) => bars.suspend(print),
            None if self.lines => print(),
            None => {}
        }
    }

    /// A bar of `total` steps, the numbers first, since a narrow terminal cuts the line off. It vanishes when it is dropped.
    pub fn bar(&self, label: &str, total: u64) -> Bar {
        self.start(label, total, "{prefix:>18} {pos:>3}/{len} {elapsed} {bar:32}")
    }

    /// A bar of `total` bytes that vanishes when it is dropped.
    pub fn bytes(&self, label: &str, total: u64) -> Bar {
        let style = if total == 0 {
            "{prefix:>18} {bytes} {elapsed} {bytes_per_sec} {spinner}"
        } else {
            "{prefix:>18} {bytes}/{total_bytes} {elapsed} {bytes_per_sec} {bar:32}"
        };
        self.start(label, total, style)
    }

    fn start(&self, label: &str, total: u64, template: &str) -> Bar {
        let bar = self.bars.as_ref().map(|bars| {
            let bar = bars.add(ProgressBar::new(total));
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_prefix(label.to_owned());
            bar
        });
        Bar { bar }
    }
}

/// A running bar.
#[derive(Debug)]
pub struct Bar {
    bar: Option<ProgressBar>,
}

impl Bar {
    /// Goes on by `steps`.
    pub fn advance(&self, steps: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(steps);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
