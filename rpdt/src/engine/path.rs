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
    /// Ends of the steps in `text`, but of those that `outer` stands for.
    ends: Vec<usize>,
    text: String,
    /// In a segment whose beginning is not known yet: how many of the elements around it are open.
    /// `text` begins with that number and a colon in place of their steps, and siblings inside of
    /// them are counted from the beginning of the segment.
    outer: Option<usize>,
}

/// Counts of the children of one element by name.
#[derive(Clone, Debug, Default)]
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

    fn add(&mut self, name: u32, more: u64) -> u64 {
        if let Some((_, count)) = self.few.iter_mut().find(|(n, _)| *n == name) {
            *count += more;
            return *count;
        }
        if self.few.len() < FEW {
            self.few.push((name, more));
            return more;
        }
        let count = self.many.entry(name).or_insert(0);
        *count += more;
        *count
    }

    fn iter(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.few.iter().copied().chain(self.many.iter().map(|(name, count)| (*name, *count)))
    }
}

impl PathTracker {
    pub(crate) fn enter(&mut self, name: &[u8]) {
        let id = self.id(name);
        if self.levels.len() < self.depth + 2 {
            self.levels.resize_with(self.depth + 2, Counters::default);
        }
        let index = self.levels[self.depth].add(id, 1);
        self.depth += 1;
        self.levels[self.depth].clear();
        self.ends.push(self.text.len());
        push_step(&mut self.text, &String::from_utf8_lossy(name), index);
    }

    fn id(&mut self, name: &[u8]) -> u32 {
        match self.names.get(name) {
            Some(&id) => id,
            None => {
                let id = self.names.len() as u32;
                self.names.insert(name.into(), id);
                id
            }
        }
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
        if let Some(outer) = &mut self.outer
            && self.depth < *outer
        {
            *outer = self.depth;
            self.text = format!("{outer}:");
            return;
        }
        let end = self.ends.pop().unwrap_or(0);
        self.text.truncate(end);
    }

    pub(crate) fn path(&self) -> &str {
        &self.text
    }

    /// Paths inside the outermost `depth` open elements, from a later place on.
    pub(crate) fn fork(&self, depth: usize) -> Self {
        PathTracker {
            names: self.names.clone(),
            levels: vec![Counters::default(); depth + 1],
            depth,
            ends: Vec::new(),
            text: format!("{depth}:"),
            outer: Some(depth),
        }
    }

    /// The whole of a path that a segment recorded, given the paths at its beginning; `None` if it
    /// is whole.
    pub(crate) fn complete(&self, path: &str) -> Option<Box<str>> {
        let (outer, steps) = path.split_once(':').filter(|_| !path.starts_with('/'))?;
        let outer: usize = outer.parse().ok()?;
        let end = self.ends.get(outer).copied().unwrap_or(self.text.len());
        let mut whole = self.text[..end].to_owned();
        if let Some((name, rest)) = steps.strip_prefix('/').and_then(|s| s.split_once('['))
            && let Some((index, rest)) = rest.split_once(']')
        {
            let before = self.names.get(name.as_bytes()).map_or(0, |id| self.count(outer, *id));
            push_step(&mut whole, name, before + index.parse::<u64>().unwrap_or(0));
            whole.push_str(rest);
        }
        Some(whole.into())
    }

    fn count(&self, level: usize, name: u32) -> u64 {
        let found = self.levels.get(level).and_then(|l| l.iter().find(|(n, _)| *n == name));
        found.map_or(0, |(_, count)| count)
    }

    /// The segment's beginning is known now: `before` are the paths there.
    pub(crate) fn join(&mut self, before: &Self) {
        let Some(outer) = self.outer.take() else { return };
        if let Some(whole) = before.complete(&self.text) {
            self.text = whole.into();
        }
        // Names hold no slashes.
        self.ends = memchr::memchr_iter(b'/', self.text.as_bytes()).collect();
        let mut names = vec![&[][..]; before.names.len()];
        for (name, &id) in &before.names {
            names[id as usize] = name;
        }
        for (level, counters) in before.levels.iter().enumerate().take(outer + 1) {
            for (name, count) in counters.iter() {
                let id = self.id(names[name as usize]);
                self.levels[level].add(id, count);
            }
        }
    }
}

fn push_step(path: &mut String, name: &str, index: u64) {
    path.push('/');
    path.push_str(name);
    path.push('[');
    path.push_str(&index.to_string());
    path.push(']');
}
