//! The path of the open element, `/a[1]/b[2]`, kept only when a sink asks for it.

use hashbrown::HashMap;

/// Counts siblings by name along the open path. Memory: one counter for each distinct child name
/// of each open element.
#[derive(Debug, Default)]
pub(crate) struct PathTracker {
    names: HashMap<Box<[u8]>, u32>,
    /// For each open element (the document first) the counters of its children.
    levels: Vec<Counters>,
    /// How many entries of `levels` are in use.
    depth: usize,
    /// Ends of the steps in `text`.
    ends: Vec<usize>,
    text: String,
}

/// Counts of the children of one element by name.
#[derive(Debug, Default)]
struct Counters {
    few: Vec<(u32, u64)>,
    /// Used once there are more than [`FEW`] names.
    many: HashMap<u32, u64>,
}

const FEW: usize = 16;

impl Counters {
    fn clear(&mut self) {
        self.few.clear();
        self.many.clear();
    }

    fn next(&mut self, name: u32) -> u64 {
        if let Some((_, count)) = self.few.iter_mut().find(|(n, _)| *n == name) {
            *count += 1;
            return *count;
        }
        if self.few.len() < FEW {
            self.few.push((name, 1));
            return 1;
        }
        let count = self.many.entry(name).or_insert(0);
        *count += 1;
        *count
    }
}

impl PathTracker {
    pub(crate) fn enter(&mut self, name: &[u8]) {
        let id = match self.names.get(name) {
            Some(&id) => id,
            None => {
                let id = self.names.len() as u32;
                self.names.insert(name.into(), id);
                id
            }
        };
        if self.levels.len() < self.depth + 2 {
            self.levels.resize_with(self.depth + 2, Counters::default);
        }
        let index = self.levels[self.depth].next(id);
        self.depth += 1;
        self.levels[self.depth].clear();
        self.ends.push(self.text.len());
        self.text.push('/');
        self.text.push_str(&String::from_utf8_lossy(name));
        self.text.push('[');
        self.text.push_str(&index.to_string());
        self.text.push(']');
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
        let end = self.ends.pop().unwrap_or(0);
        self.text.truncate(end);
    }

    pub(crate) fn path(&self) -> &str {
        &self.text
    }
}
