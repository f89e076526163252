//! The automaton as a dense table: failures are followed in advance, so that an event is one look-up.
//!
//! A look-up needs the one before, and so it is its delay that counts, not its work. But a state is made
//! by no more events than the longest pattern has. So a block of events is read by several readers at
//! once, each in a part of its own: all but the first one begin a few events earlier, at the start,
//! and are in the right state when their part begins. What completes something is noted without a
//! branch, since which events do cannot be foreseen.

use super::automaton::{Back, Node, Output, State};
use crate::heap::{Heap, heap};
use crate::pattern::PatternId;

/// Tables of more entries are not made: failure links are followed.
const MOST_ENTRIES: usize = 1 << 26;
/// More outputs than these are not brought together for each state, and there is no table either.
const MOST_OUTPUTS: usize = 1 << 22;

/// How many readers there are.
const READERS: usize = 4;
/// How many events each of them reads.
const PART: usize = 128;
/// How many events are taken at once.
const BLOCK: usize = READERS * PART;
/// Readers that begin earlier than this would read too much twice.
const MOST_EARLIER: usize = PART / 4;

/// An entry of a table.
pub(super) trait Word: Copy + Ord + Default {
    /// The greatest one.
    const MOST: usize;

    fn new(place: usize) -> Self;

    fn place(self) -> usize;
}

impl Word for u16 {
    const MOST: usize = u16::MAX as usize;

    #[inline(always)]
    fn new(place: usize) -> Self {
        place as u16
    }

    #[inline(always)]
    fn place(self) -> usize {
        usize::from(self)
    }
}

impl Word for u32 {
    const MOST: usize = u32::MAX as usize;

    #[inline(always)]
    fn new(place: usize) -> Self {
        place as u32
    }

    #[inline(always)]
    fn place(self) -> usize {
        self as usize
    }
}

/// A pattern that ends in a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ending {
    pub(super) number: PatternId,
    /// Twice the number of its operands, and one more if others end in the state behind it.
    length: u32,
}

impl Ending {
    #[inline(always)]
    pub(super) fn length(self) -> u32 {
        self.length / 2
    }

    #[inline(always)]
    pub(super) fn is_last(self) -> bool {
        self.length.is_multiple_of(2)
    }
}

/// What ends in a state: the first of these, and those behind it up to one that is the last.
#[derive(Clone, Copy)]
pub(super) struct Endings<'t> {
    pub(super) all: &'t [Ending],
    places: &'t [u32],
}

impl Endings<'_> {
    /// The patterns, in their order.
    #[inline]
    pub(super) fn outputs(self) -> impl Iterator<Item = Output> {
        let mut over = false;
        let all = self.all.iter().zip(self.places);
        all.map_while(move |(&ending, &place)| {
            if over {
                return None;
            }
            over = ending.is_last();
            Some(Output { number: ending.number, length: ending.length(), place })
        })
    }
}

/// A table whose entries are as short as they can be: the less there is, the more of it is near.
#[derive(Clone, Debug)]
pub(super) enum Dense {
    Narrow(Table<u16>),
    Wide(Table<u32>),
}

#[derive(Clone, Debug)]
pub(super) struct Table<W> {
    /// By state a row: for each column where the row of the next state begins, and then where its
    /// endings do.
    rows: Vec<W>,
    stride: usize,
    /// The first row of a state with output: those come last, so that the place says which they are.
    first_output: W,
    endings: Vec<Ending>,
    /// The places of the patterns that end.
    places: Vec<u32>,
    /// By number of a state.
    backs: Vec<Back>,
    /// How many events before the next one say in which state it begins.
    earlier: usize,
}

/// What a table is made of, by the old numbers of states.
struct Made {
    /// The new numbers: those with output come last.
    new: Vec<u32>,
    first_output: usize,
    /// Where endings begin.
    begins: Vec<u32>,
    endings: Vec<Ending>,
    places: Vec<u32>,
}

impl Dense {
    /// From an automaton with failure links whose nodes stand in the order of their depths; nothing if
    /// it would be too large.
    pub(super) fn new(nodes: &[Node], columns: usize, longest: usize) -> Option<Dense> {
        let stride = columns + 1;
        let entries = nodes.len().checked_mul(stride).filter(|&all| all <= MOST_ENTRIES)?;
        let made = Made::new(nodes)?;
        let most = entries.max(made.endings.len());
        let earlier = longest.saturating_sub(1);
        Some(if most <= u16::MOST {
            Dense::Narrow(Table::new(nodes, stride, earlier, made))
        } else {
            Dense::Wide(Table::new(nodes, stride, earlier, made))
        })
    }

    /// The state after a column, and whether it has output.
    #[inline(always)]
    pub(super) fn step(&self, state: State, column: u32) -> (State, bool) {
        let column = column as usize;
        match self {
            Dense::Narrow(table) => table.step(state, column),
            Dense::Wide(table) => table.step(state, column),
        }
    }

    /// What ends in a state that has output.
    #[inline]
    pub(super) fn endings(&self, state: State) -> Endings<'_> {
        match self {
            Dense::Narrow(table) => table.endings(state.0 as usize),
            Dense::Wide(table) => table.endings(state.0 as usize),
        }
    }

    /// Reads all events; `row` is the index of the next one. Gives the state and the last event.
    #[inline]
    pub(super) fn read<'t, 'e, E>(
        &'t self,
        state: State,
        row: &mut u64,
        events: impl Iterator<Item = &'e E>,
        column: impl Fn(&E) -> u32,
        report: impl FnMut(u64, Endings<'t>),
    ) -> (State, Option<&'e E>) {
        match self {
            Dense::Narrow(table) => table.read(state, row, events, column, report),
            Dense::Wide(table) => table.read(state, row, events, column, report),
        }
    }

    pub(super) fn states(&self) -> usize {
        match self {
            Dense::Narrow(table) => table.backs.len(),
            Dense::Wide(table) => table.backs.len(),
        }
    }

    /// The number of a state, by which [`back`](Self::back) is asked; 0 is the start.
    pub(super) fn number(&self, state: State) -> u32 {
        match self {
            Dense::Narrow(table) => state.0 / table.stride as u32,
            Dense::Wide(table) => state.0 / table.stride as u32,
        }
    }

    pub(super) fn back(&self, number: u32) -> Back {
        match self {
            Dense::Narrow(table) => table.backs[number as usize],
            Dense::Wide(table) => table.backs[number as usize],
        }
    }
}

impl Made {
    /// Gives every state all that ends in it, in the order of the patterns, so that no links need be
    /// followed; nothing, if that is very much.
    fn new(nodes: &[Node]) -> Option<Made> {
        let mut ranges: Vec<(u32, u32)> = Vec::with_capacity(nodes.len());
        let mut outputs: Vec<Output> = Vec::new();
        let (mut endings, mut places) = (Vec::new(), Vec::new());
        for node in nodes {
            // That of the link, which is nearer to the start, has its own links in it.
            let link = if node.link == 0 { (0, 0) } else { ranges[node.link as usize] };
            if node.output.is_empty() {
                ranges.push(link);
                continue;
            }
            let begin = outputs.len();
            outputs.extend_from_within(link.0 as usize..link.1 as usize);
            outputs.extend_from_slice(&node.output);
            if outputs.len() > MOST_OUTPUTS {
                return None;
            }
            outputs[begin..].sort_unstable();
            ranges.push((begin as u32, outputs.len() as u32));
            let last = outputs.len() - 1;
            for (at, output) in outputs.iter().enumerate().skip(begin) {
                let length = output.length * 2 + u32::from(at < last);
                endings.push(Ending { number: output.number, length });
                places.push(output.place);
            }
        }
        let mut new = vec![0; nodes.len()];
        let mut next = 0;
        for with in [false, true] {
            for (new, range) in new.iter_mut().zip(&ranges) {
                if (range.1 > range.0) == with {
                    *new = next;
                    next += 1;
                }
            }
        }
        let first_output = ranges.iter().filter(|range| range.1 == range.0).count();
        let begins = ranges.into_iter().map(|range| range.0).collect();
        Some(Made { new, first_output, begins, endings, places })
    }
}

impl<W: Word> Table<W> {
    fn new(nodes: &[Node], stride: usize, earlier: usize, made: Made) -> Self {
        let Made { new, first_output, begins, endings, places } = made;
        let row_of = |node: u32| new[node as usize] as usize * stride;
        let mut rows = vec![W::default(); nodes.len() * stride];
        let mut backs = vec![Back::default(); nodes.len()];
        for (at, node) in (0..).zip(nodes) {
            let row = row_of(at);
            if at > 0 {
                // Where a state has no edge, it has that of its failure, which is done.
                let failure = row_of(node.failure);
                rows.copy_within(failure..failure + stride, row);
            }
            for &(column, next) in &node.edges {
                rows[row + column as usize] = W::new(row_of(next));
            }
            rows[row + stride - 1] = W::new(begins[at as usize] as usize);
            let Back { parent, column } = node.back;
            backs[new[at as usize] as usize] = Back { parent: new[parent as usize], column };
        }
        let first_output = W::new(first_output * stride);
        Table { rows, stride, first_output, endings, places, backs, earlier }
    }

    #[inline(always)]
    fn next(&self, place: usize, column: usize) -> usize {
        self.rows[place + column].place()
    }

    #[inline(always)]
    fn step(&self, state: State, column: usize) -> (State, bool) {
        let next = self.rows[state.0 as usize + column];
        (State(next.place() as u32), next >= self.first_output)
    }

    #[inline]
    fn endings(&self, place: usize) -> Endings<'_> {
        let begin = self.next(place, self.stride - 1);
        Endings { all: &self.endings[begin..], places: &self.places[begin..] }
    }

    #[inline]
    fn read<'t, 'e, E>(
        &'t self,
        state: State,
        row: &mut u64,
        mut events: impl Iterator<Item = &'e E>,
        column: impl Fn(&E) -> u32,
        mut report: impl FnMut(u64, Endings<'t>),
    ) -> (State, Option<&'e E>) {
        let mut place = state.0 as usize;
        let mut last = None;
        let mut columns = [0; BLOCK];
        let mut states = [W::default(); BLOCK];
        let mut completing = [0_u16; BLOCK];
        loop {
            let mut taken = 0;
            for (to, event) in columns.iter_mut().zip(events.by_ref()) {
                *to = column(event);
                last = Some(event);
                taken += 1;
            }
            let states = &mut states[..taken];
            self.read_block(place, &columns[..taken], states);
            let Some(end) = states.last() else { break };
            place = end.place();
            let mut length = 0;
            for (at, &state) in states.iter().enumerate() {
                // Written in any case, and kept if it is one.
                completing[length & (BLOCK - 1)] = at as u16;
                length += usize::from(state >= self.first_output);
            }
            for &at in &completing[..length] {
                let state = states[usize::from(at)];
                report(*row + u64::from(at), self.endings(state.place()));
            }
            *row += taken as u64;
        }
        (State(place as u32), last)
    }

    /// The states after each event of a block.
    #[inline]
    fn read_block(&self, place: usize, columns: &[u32], states: &mut [W]) {
        let parts = columns.as_chunks::<PART>().0.first_chunk::<READERS>();
        let into = states.as_chunks_mut::<PART>().0.first_chunk_mut::<READERS>();
        let (Some(parts), Some(into), true) = (parts, into, self.earlier <= MOST_EARLIER) else {
            let mut at = place;
            for (state, &column) in states.iter_mut().zip(columns) {
                at = self.next(at, column as usize);
                *state = W::new(at);
            }
            return;
        };
        let mut at = [place; READERS];
        for (reader, before) in parts[..READERS - 1].iter().enumerate() {
            let before = before[PART - self.earlier..].iter();
            at[reader + 1] = before.fold(0, |at, &column| self.next(at, column as usize));
        }
        for event in 0..PART {
            for reader in 0..READERS {
                at[reader] = self.next(at[reader], parts[reader][event] as usize);
                into[reader][event] = W::new(at[reader]);
            }
        }
    }
}

heap! {
    Back {}
    Ending {}
    Table<u16> { rows, endings, places, backs }
    Table<u32> { rows, endings, places, backs }
}

impl Heap for Dense {
    fn heap(&self) -> usize {
        match self {
            Dense::Narrow(table) => table.heap(),
            Dense::Wide(table) => table.heap(),
        }
    }
}
