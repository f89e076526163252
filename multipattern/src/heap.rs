//! How many bytes of the heap something holds.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use hashbrown::HashMap;

/// Something that may hold memory of the heap.
pub(crate) trait Heap {
    /// The bytes that were allocated for it, what it holds included, but not itself. What is shared
    /// with others counts as its own.
    fn heap(&self) -> usize;
}

/// Says of types which of their fields hold memory.
macro_rules! heap {
    ($($type:ty { $($field:tt),* $(,)? })*) => { $(
        impl crate::heap::Heap for $type {
            #[inline]
            fn heap(&self) -> usize {
                0 $(+ crate::heap::Heap::heap(&self.$field))*
            }
        }
    )* };
}
pub(crate) use heap;

heap! {
    u8 {} u16 {} u32 {} u64 {} usize {} i64 {} bool {}
}

/// What stands before a value that is counted: two numbers.
const COUNTS: usize = 2 * size_of::<usize>();

impl Heap for String {
    fn heap(&self) -> usize {
        self.capacity()
    }
}

impl Heap for Arc<str> {
    fn heap(&self) -> usize {
        (COUNTS + self.len()).next_multiple_of(align_of::<usize>())
    }
}

impl<T: Heap> Heap for Arc<T> {
    fn heap(&self) -> usize {
        COUNTS + size_of::<T>() + (**self).heap()
    }
}

impl<T: Heap> Heap for Box<T> {
    fn heap(&self) -> usize {
        size_of::<T>() + (**self).heap()
    }
}

impl<T: Heap> Heap for Box<[T]> {
    fn heap(&self) -> usize {
        size_of_val(&self[..]) + all(self.iter())
    }
}

impl<T: Heap> Heap for Vec<T> {
    fn heap(&self) -> usize {
        self.capacity() * size_of::<T>() + all(self.iter())
    }
}

impl<T: Heap> Heap for VecDeque<T> {
    fn heap(&self) -> usize {
        self.capacity() * size_of::<T>() + all(self.iter())
    }
}

impl<T: Heap> Heap for BinaryHeap<T> {
    fn heap(&self) -> usize {
        self.capacity() * size_of::<T>() + all(self.iter())
    }
}

impl<T: Heap> Heap for Reverse<T> {
    fn heap(&self) -> usize {
        self.0.heap()
    }
}

impl<K: Heap + Eq + Hash, V: Heap, S: BuildHasher> Heap for HashMap<K, V, S> {
    fn heap(&self) -> usize {
        self.allocation_size() + all(self.keys()) + all(self.values())
    }
}

impl<T: Heap, const N: usize> Heap for [T; N] {
    fn heap(&self) -> usize {
        all(self.iter())
    }
}

impl<T: Heap> Heap for Option<T> {
    fn heap(&self) -> usize {
        self.as_ref().map_or(0, T::heap)
    }
}

impl<A: Heap, B: Heap> Heap for (A, B) {
    fn heap(&self) -> usize {
        self.0.heap() + self.1.heap()
    }
}

impl<A: Heap, B: Heap, C: Heap> Heap for (A, B, C) {
    fn heap(&self) -> usize {
        self.0.heap() + self.1.heap() + self.2.heap()
    }
}

fn all<'a, T: Heap + 'a>(items: impl Iterator<Item = &'a T>) -> usize {
    items.map(T::heap).sum()
}
