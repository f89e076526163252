//! The experiments of one paper as a user runs them, at tiny scale.

#![allow(dead_code, reason = "every test file uses a part of this")]

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use bench_harness::experiment::{self, About, Kind, Style};
use bench_harness::record::{Judgement, Records, Verdict};

/// A paper's experiments.
pub struct Paper {
    /// What the ids begin with.
    pub prefix: &'static str,
    /// Those of the paper, in their order.
    pub ids: &'static [&'static str],
    /// Our own checks.
    pub own: &'static [&'static str],
}

/// The program. Tests are built together with the binary that measures memory, which `reproduce` would
/// build again if it knew of cargo.
pub fn harness() -> Command {
    let mut harness = cargo_bin_cmd!("bench-harness");
    harness.env_remove("CARGO");
    harness
}

/// A command that runs experiments, with its data in a directory.
pub fn at_tiny_scale(command: &str, directory: &Path, ids: &[&str]) -> Command {
    let mut harness = harness();
    harness.args([command, "--scale", "tiny", "--data"]).arg(directory.join("data"));
    harness.arg("--only").args(ids);
    harness
}

impl Paper {
    fn all(&self) -> Vec<&'static str> {
        [self.ids, self.own].concat()
    }

    fn listed(&self, all: bool) -> Vec<String> {
        let mut list = harness();
        list.arg("list");
        if all {
            list.arg("--all");
        }
        let text = String::from_utf8(list.output().unwrap().stdout).unwrap();
        text.lines().filter(|id| id.starts_with(self.prefix)).map(str::to_owned).collect()
    }

    /// `list` prints the paper's ids, and those of our own checks when asked.
    pub fn lists(&self) {
        assert_eq!(self.listed(false), self.ids);
        assert_eq!(self.listed(true), self.all());
    }

    /// Checks of our own claim nothing of the paper.
    pub fn tells_checks_from_claims(&self) {
        let registry = experiment::registry();
        let abouts = registry.iter().map(|experiment| experiment.about());
        for about in abouts.filter(|about| about.id.starts_with(self.prefix)) {
            let own = self.own.contains(&&*about.id);
            assert_eq!(about.kind == Kind::Check, own, "{}", about.id);
            let ours = about.claims.iter().all(|one| one.origin.to_string() == "our check");
            assert!(ours || !own, "{}", about.id);
        }
    }

    /// `verify` passes.
    pub fn verifies(&self) {
        let directory = tempfile::tempdir().unwrap();
        at_tiny_scale("verify", directory.path(), &self.all()).assert().code(0);
    }

    /// `reproduce` writes the three files, `report` rebuilds the page from two of them, everything that
    /// is drawn was recorded, and every claim finds what it is judged by. Gives the page.
    pub fn reproduces(&self, each: impl Fn(&About, &Judgement)) -> String {
        let directory = tempfile::tempdir().unwrap();
        let (out, again) = (directory.path().join("report"), directory.path().join("again"));
        let mut reproduce = at_tiny_scale("reproduce", directory.path(), &self.all());
        reproduce.arg("--out").arg(&out).assert().code(0);
        harness().args(["report", "--from"]).arg(&out).arg("--out").arg(&again).assert().code(0);
        let page = |at: &Path| fs::read_to_string(at.join("index.html")).unwrap();
        assert_eq!(page(&out), page(&again));
        // Only a part of all experiments was run, and only that is to be repeated.
        let repeat = format!("reproduce --only {} --scale tiny --seed 1", self.all().join(","));
        assert!(page(&out).contains(&repeat), "{repeat}");

        let records = Records::read(&out).unwrap();
        let registry = experiment::registry();
        for id in self.all() {
            assert!(records.judgements_of(id).next().is_some(), "{id}");
            let (about, _) = registry.select(&[id.to_owned()]).unwrap().remove(0);
            for plot in &about.plots {
                for series in &plot.series {
                    let recorded = records.rows_of(id).any(|row| row.series == *series);
                    assert!(recorded, "{id}: {series} is drawn and was not recorded");
                }
                assert!(plot.style != Style::Ratios || !plot.series.is_empty(), "{id}");
            }
            for judgement in records.judgements_of(id) {
                let Judgement { claim, verdict, measured, .. } = judgement;
                assert_ne!(*verdict, Verdict::CannotBeJudged, "{id}: {claim}: {measured}");
                // An example is exact at whatever scale.
                assert!(about.kind != Kind::Example || *verdict == Verdict::Holds, "{id}: {claim}");
                each(&about, judgement);
            }
        }
        page(&out)
    }
}
