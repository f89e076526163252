//! The failure transition function: where to go on when a path cannot.

use hashbrown::HashMap;

use super::{Label, Model, Path};

/// The failure transition function of a model (Aho and Corasick 1975), for `strict`.
///
/// A path stands for the symbols that it has read, a composite for all of its symbols. When a path
/// cannot go on, the next one to try is the longest other path whose symbols are the end of its
/// own; several paths may have read the same. Which conditions the symbols carry beside their type
/// is left to the conditional output, so symbols of one *kind* are taken for equal here.
///
/// Time and memory: the sum of the lengths of all paths, and of the squares of their lengths for
/// the look-ups.
#[derive(Clone, Debug)]
pub struct Failure {
    paths: Vec<Entry>,
    of: HashMap<Path, u32>,
    roots: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Entry {
    path: Path,
    /// How many symbols it has read.
    length: u32,
    failure: Option<u32>,
    /// The first of the paths that have read the same.
    head: u32,
}

impl Failure {
    /// The function for a model, given the kind of each symbol.
    pub fn new(model: &Model, kind_of: impl Fn(u32) -> u32) -> Self {
        let all = model.paths();
        let mut read: Vec<Vec<u32>> = Vec::with_capacity(all.len());
        for &(_, from) in &all {
            let symbols = match from {
                None => Vec::new(),
                Some((before, label)) => {
                    let mut symbols = read[before].clone();
                    match label {
                        Label::Symbol(symbol) => symbols.push(kind_of(symbol)),
                        Label::Composite(rule) => {
                            let rule = &model.rules()[rule as usize];
                            symbols.extend(rule.expansion.iter().map(|&symbol| kind_of(symbol)));
                        }
                    }
                    symbols
                }
            };
            read.push(symbols);
        }
        let mut groups: HashMap<&[u32], Vec<u32>> = HashMap::new();
        for (at, symbols) in read.iter().enumerate() {
            groups.entry(symbols).or_default().push(at as u32);
        }
        let mut paths = Vec::with_capacity(all.len());
        for (at, &(path, _)) in all.iter().enumerate() {
            let symbols = &read[at][..];
            let alike = &groups[symbols];
            let place = alike.partition_point(|&other| (other as usize) <= at);
            let shorter = || {
                let mut ends = (1..symbols.len()).filter_map(|from| groups.get(&symbols[from..]));
                ends.next().map(|group| group[0])
            };
            let failure = alike.get(place).copied().or_else(shorter);
            paths.push(Entry { path, length: symbols.len() as u32, failure, head: alike[0] });
        }
        let of = all.iter().enumerate().map(|(at, &(path, _))| (path, at as u32)).collect();
        let roots = (0..model.starts().len() as u32).collect();
        Self { paths, of, roots }
    }

    /// The failure transition: the next path to try. `None` where only beginning anew is left.
    pub fn failure(&self, path: Path) -> Option<Path> {
        let at = *self.of.get(&path)?;
        self.paths[at as usize].failure.map(|at| self.paths[at as usize].path)
    }

    /// How many symbols a path has read.
    pub fn length(&self, path: Path) -> Option<usize> {
        self.of.get(&path).map(|&at| self.paths[at as usize].length as usize)
    }

    /// The first of all paths that have read the same as this one.
    pub(super) fn head(&self, path: Path) -> Option<u32> {
        self.of.get(&path).map(|&at| self.paths[at as usize].head)
    }

    /// The path with this number, and all that failure leads to; those that have read nothing last.
    pub(super) fn chain(&self, from: Option<u32>) -> impl Iterator<Item = (Path, usize)> + '_ {
        let entries = std::iter::successors(from, |&at| self.paths[at as usize].failure);
        entries.chain(self.roots.iter().copied()).map(|at| {
            let entry = &self.paths[at as usize];
            (entry.path, entry.length as usize)
        })
    }
}
