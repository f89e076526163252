//! An append-only arena in chunks, which forgets its oldest chunks.
//!
//! Every item has a place, counted from the start of time in 64 bits, so places are never used
//! twice. What refers to an item may store fewer bits: the low bits tell all places of the arena
//! apart as long as it holds fewer items than they can count, however many have gone before
//! ([`Arena::find`]).

use std::collections::VecDeque;

/// A run of neighbouring items.
#[derive(Debug)]
struct Chunk<T> {
    items: Vec<T>,
    /// No item is later.
    last: i64,
}

/// Items of type `T` in chunks of `1 << BITS`.
#[derive(Debug)]
pub(super) struct Arena<T, const BITS: u32> {
    chunks: VecDeque<Chunk<T>>,
    /// The place of the first item.
    first: u64,
    len: usize,
    /// The chunk that went last, to be used again.
    spare: Vec<T>,
}

impl<T, const BITS: u32> Arena<T, BITS> {
    const CHUNK: usize = 1 << BITS;

    /// An empty arena whose first item gets this place.
    pub(super) fn starting_at(first: u64) -> Self {
        Arena { chunks: VecDeque::new(), first, len: 0, spare: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The place of the oldest item.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// The place of the next item.
    pub(super) fn next(&self) -> u64 {
        self.first + self.len as u64
    }

    /// Adds an item of a time; gives its place.
    #[inline]
    pub(super) fn push(&mut self, time: i64, item: T) -> u64 {
        let place = self.next();
        match self.chunks.back_mut() {
            Some(chunk) if chunk.items.len() < Self::CHUNK => {
                chunk.last = chunk.last.max(time);
                chunk.items.push(item);
            }
            _ => self.push_in_new_chunk(time, item),
        }
        self.len += 1;
        place
    }

    #[cold]
    fn push_in_new_chunk(&mut self, time: i64, item: T) {
        let mut items = std::mem::take(&mut self.spare);
        // The first chunk grows as it is needed.
        if !self.chunks.is_empty() {
            items.reserve_exact(Self::CHUNK);
        }
        items.push(item);
        self.chunks.push_back(Chunk { items, last: time });
    }

    /// How far behind the first place the item lies whose place has these low bits.
    #[inline]
    pub(super) fn find(&self, low: u64, mask: u64) -> usize {
        (low.wrapping_sub(self.first) & mask) as usize
    }

    /// As [`find`](Self::find), where the place all of whose bits are set is left out: it stands for
    /// no item.
    #[cfg(feature = "serde")]
    pub(super) fn dense(&self, low: u64, mask: u64) -> u32 {
        let (index, left_out) = (self.find(low, mask), self.find(mask, mask));
        (index - usize::from(index > left_out)) as u32
    }

    /// The item so many places behind the first.
    #[inline]
    pub(super) fn at(&self, index: usize) -> &T {
        &self.chunks[index >> BITS].items[index & (Self::CHUNK - 1)]
    }

    /// As [`at`](Self::at).
    #[inline]
    pub(super) fn at_mut(&mut self, index: usize) -> &mut T {
        &mut self.chunks[index >> BITS].items[index & (Self::CHUNK - 1)]
    }

    /// No item is later than this one's chunk says.
    pub(super) fn time_at(&self, index: usize) -> i64 {
        self.chunks[index >> BITS].last
    }

    /// The items, oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flat_map(|chunk| &chunk.items)
    }

    /// As [`iter`](Self::iter).
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.chunks.iter_mut().flat_map(|chunk| &mut chunk.items)
    }

    /// Drops the chunks whose items are all older, but for one that is not full; shows what goes.
    pub(super) fn expire(&mut self, before: i64, mut gone: impl FnMut(&T)) {
        while let Some(chunk) = self.chunks.front() {
            if chunk.last >= before || chunk.items.len() < Self::CHUNK {
                break;
            }
            chunk.items.iter().for_each(&mut gone);
            self.drop_first_chunk();
        }
    }

    /// Drops the first chunk, which is full.
    fn drop_first_chunk(&mut self) {
        if let Some(mut chunk) = self.chunks.pop_front() {
            self.first += Self::CHUNK as u64;
            self.len -= Self::CHUNK;
            chunk.items.clear();
            self.spare = chunk.items;
        }
    }

    /// Takes the items out, oldest first, each with a time that it is not later than.
    pub(super) fn into_items(self) -> impl Iterator<Item = (i64, T)> {
        self.chunks.into_iter().flat_map(|chunk| {
            let last = chunk.last;
            chunk.items.into_iter().map(move |item| (last, item))
        })
    }

    /// The memory in use.
    pub(super) fn bytes(&self) -> usize {
        let items: usize = self.chunks.iter().map(|chunk| chunk.items.capacity()).sum();
        (items + self.spare.capacity()) * size_of::<T>()
            + self.chunks.capacity() * size_of::<Chunk<T>>()
    }
}

/// The number with these low bits that is at most `newest` and next to it.
#[inline]
pub(super) fn widen(low: u64, newest: u64, mask: u64) -> u64 {
    newest - (newest.wrapping_sub(low) & mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_chunks_go_and_places_stay() {
        let mut arena = Arena::<u64, 2>::starting_at(u64::from(u32::MAX) - 5);
        let places: Vec<u64> = (0..11).map(|n| arena.push(n as i64, n)).collect();
        let mask = u64::from(u32::MAX);
        for (n, place) in places.iter().enumerate() {
            assert_eq!(*arena.at(arena.find(place & mask, mask)), n as u64);
            assert_eq!(widen(place & mask, arena.next(), mask), *place);
        }
        let mut gone = Vec::new();
        arena.expire(7, |&item| gone.push(item));
        assert_eq!(gone, [0, 1, 2, 3], "the chunk of 4 to 7 holds one that is not older");
        arena.expire(100, |_| ());
        assert_eq!(arena.iter().copied().collect::<Vec<_>>(), [8, 9, 10], "it is not full");
        assert_eq!((arena.first(), arena.next(), arena.len()), (places[8], places[10] + 1, 3));
        assert_eq!(*arena.at(arena.find(places[9] & mask, mask)), 9);
    }
}
