//! The experiments that exist.

use super::{About, Experiment, agree, multi, nfab, rpdt, ujoin};
use crate::error::{Error, Result};

/// Experiments in the order in which they are listed, run and reported.
#[derive(Default)]
pub struct Registry {
    experiments: Vec<Box<dyn Experiment>>,
    papers: Vec<Paper>,
    /// The paper of each experiment that is of one.
    of: Vec<Option<usize>>,
}

/// Which paper it is that is reproduced.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// What it is called in tables.
    pub short: &'static str,
    /// Its title in English.
    pub title: &'static str,
    /// Its authors and where they work.
    pub authors: &'static str,
    /// Title and authors of the Chinese original; empty where there is none.
    pub original: &'static str,
    /// What it is about, in two sentences.
    pub subject: &'static str,
    /// What of it we had.
    pub source: &'static str,
}

/// All experiments of this program, one line a figure group.
pub fn registry() -> Registry {
    Registry::default()
        .with_paper(rpdt::PAPER, rpdt::experiments())
        .with_paper(nfab::PAPER, nfab::experiments())
        .with_paper(multi::PAPER, multi::experiments())
        .with_paper(ujoin::PAPER, ujoin::experiments())
        .with(agree::experiments())
}

impl Registry {
    /// Adds experiments that are of no paper.
    #[must_use]
    pub fn with(mut self, group: impl IntoIterator<Item = Box<dyn Experiment>>) -> Self {
        self.experiments.extend(group);
        self.of.resize(self.experiments.len(), None);
        self
    }

    /// Adds a paper with its experiments.
    #[must_use]
    pub fn with_paper(
        mut self,
        paper: Paper,
        group: impl IntoIterator<Item = Box<dyn Experiment>>,
    ) -> Self {
        self.experiments.extend(group);
        self.of.resize(self.experiments.len(), Some(self.papers.len()));
        self.papers.push(paper);
        self
    }

    /// The paper of an experiment; none for what compares engines of several, and what is not known.
    pub fn paper_of(&self, id: &str) -> Option<&Paper> {
        let place = self.iter().position(|experiment| experiment.about().id == id)?;
        self.papers.get(self.of[place]?)
    }

    /// The papers.
    pub fn papers(&self) -> &[Paper] {
        &self.papers
    }

    /// All experiments in order.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Experiment> {
        self.experiments.iter().map(AsRef::as_ref)
    }

    /// Their ids in order.
    pub fn ids(&self) -> Vec<String> {
        self.iter().map(|experiment| experiment.about().id).collect()
    }

    /// The experiments with these ids, in the registry's order and each once; all of them when `only`
    /// is empty.
    pub fn select(&self, only: &[String]) -> Result<Vec<(About, &dyn Experiment)>> {
        let all: Vec<_> = self.iter().map(|one| (one.about(), one)).collect();
        if let Some(unknown) = only.iter().find(|id| all.iter().all(|(about, _)| about.id != **id))
        {
            return Err(Error::usage(format!(
                "there is no experiment {unknown:?}; `bench-harness list` prints all of them"
            )));
        }
        let wanted = |about: &About| only.is_empty() || only.contains(&about.id);
        Ok(all.into_iter().filter(|(about, _)| wanted(about)).collect())
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.ids()).finish()
    }
}
