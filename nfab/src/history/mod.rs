//! The match buffer: which events each run holds.
//!
//! Runs that have a beginning in common share it. A run keeps a [`Tail`], which leads to the last
//! event that it took; taking another one gives another tail and leaves the first one valid, so a
//! run that forks appends twice to the same tail, and a clone that ignores the event keeps it.
//!
//! There are two buffers behind the one trait [`History`], which hold the same histories:
//!
//! | buffer | what it is | each step of reading a run |
//! |---|---|---|
//! | [`ChainBuffer`] | cells that point to the cell before: the default | follows a pointer |
//! | [`VersionedBuffer`] | the paper's: entries, versions on their edges | searches an entry's edges |
//!
//! Events themselves lie in the [`EventStore`], once however many runs took them. Buffers are
//! [`arena`]s in chunks: what a window has passed goes by the chunk, without counting references.

mod arena;
mod buffer;
mod chain;
mod choice;
mod events;
#[cfg(feature = "serde")]
pub(crate) mod save;
mod shape;
#[cfg(test)]
mod tests;
mod version;
mod versioned;
mod view;
#[cfg(feature = "bench")]
pub mod workload;

pub(crate) use buffer::{Entry, EventIndex, History, Marks, Moved, Tail};
pub(crate) use chain::ChainBuffer;
pub(crate) use events::EventStore;
pub(crate) use shape::Shape;
pub(crate) use versioned::VersionedBuffer;
pub use view::{BufferView, EdgeView, EntryView, StackView};
