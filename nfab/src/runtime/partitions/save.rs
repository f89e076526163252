//! Partitions in snapshots.

use super::{Handle, Partitions};
use crate::error::Error;
use crate::runtime::key::Key;
use crate::snapshot::{corrupt, state};

impl<P> Partitions<P> {
    /// Saves each partition of which there is something to save; gives also the number under which
    /// the partition at each place was saved.
    pub(crate) fn save(
        &self,
        part: impl Fn(&P) -> Option<state::Part>,
    ) -> (Vec<state::Partition>, Vec<Option<u32>>) {
        let mut saved = Vec::new();
        let place = |found: &super::Partition<P>| {
            let part = part(&found.part)?;
            saved.push(state::Partition { key: found.key.clone(), part });
            Some((saved.len() - 1) as u32)
        };
        let places = self.all.iter().map(place).collect();
        (saved, places)
    }

    /// The place of a partition, unless it was given to another key.
    pub(crate) fn place_of(&self, handle: Handle) -> Option<u32> {
        let found = self.all.get(handle.place as usize)?;
        (found.generation == handle.generation).then_some(handle.place)
    }

    /// Adds a partition that holds something.
    pub(crate) fn restore(&mut self, key: Key, width: usize, part: P) -> Result<u32, Error> {
        let hash = key.rehash(&self.hasher);
        let all = &self.all;
        let known = self.table.find(hash, |&at| all[at as usize].key == key).is_some();
        if known || key.width() != width {
            return Err(corrupt("a partition has no key of its own"));
        }
        let at = self.add(part);
        let found = &mut self.all[at as usize];
        (found.key, found.hash) = (key, hash);
        (found.known, found.busy) = (true, true);
        self.busy += 1;
        let all = &self.all;
        self.table.insert_unique(hash, at, |&at| all[at as usize].hash);
        Ok(at)
    }
}
