//! Names of streams.

use hashbrown::HashTable;

use super::key::pack;
use crate::StreamId;

/// The streams by name, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Streams {
    names: Vec<Box<str>>,
    ids: HashTable<StreamId>,
}

impl Streams {
    /// The number of a name, if it is known. Constant time in the number of streams.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<StreamId> {
        self.ids.find(hash(name), |&id| &*self.names[id as usize] == name).copied()
    }

    /// The number of a name, which is added if it is not there yet.
    pub fn add(&mut self, name: &str) -> StreamId {
        if let Some(id) = self.find(name) {
            return id;
        }
        // Names of four billion streams do not fit into any memory.
        let id = self.names.len() as StreamId;
        self.names.push(name.into());
        let names = &self.names;
        self.ids.insert_unique(hash(name), id, |&id| hash(&names[id as usize]));
        id
    }

    /// The name of a stream.
    ///
    /// # Panics
    /// A stream that does not exist.
    #[must_use]
    pub fn name(&self, stream: StreamId) -> &str {
        &self.names[stream as usize]
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

fn hash(name: &str) -> u64 {
    // The table looks at the upper bits, in which packed names differ little.
    let mixed = pack(name).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 32
}
