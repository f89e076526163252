//! The chains of `next` that an event ends, by the latest starts or by sets of starts.

use super::arrival::Arrival;
use super::bits;
use super::catalog::Catalog;
use super::history::History;
use super::lazy::{LazyState, Recipe};
use super::output::{Level, Out, Sink};

/// The chains of `next` that an event ends: they began behind those that ended with the event of the
/// last class before, and not behind the latest start of the operands before the last one. A chain
/// that began later is never ahead of one that began earlier, so all in between end here.
pub(super) fn chains<S: Sink>(
    recipe: &Recipe,
    state: &LazyState,
    sets: bool,
    catalog: &Catalog,
    history: &mut History,
    arrival: &Arrival<'_>,
    out: &mut Out<'_, S>,
) {
    let Some(&(first, _)) = recipe.steps.first() else {
        if out.level == Level::Count {
            out.count(recipe.number, arrival.row, 1);
        } else {
            out.begin(1, arrival.row);
            out.single(recipe.number);
        }
        return;
    };
    // Starts are noted as one more than serials.
    let (ended, latest) = (state.latest.start(recipe.whole), state.latest.start(recipe.node));
    if !sets && latest <= ended {
        return;
    }
    let low = arrival.low(catalog, history, catalog.live(recipe.place));
    let window = state.windows.of(first);
    if sets {
        let reached = state.starts.reached(recipe.whole);
        let reached = &reached[reached.partition_point(|&start| start < low)..];
        let starts = reached.iter().map(|&start| window.first_from(start));
        return deliver(recipe, state, arrival, starts, out);
    }
    let low = low.max(ended);
    if latest <= low {
        return;
    }
    if arrival.serial - low <= 64 {
        // Starts before the latest one and not before the lowest.
        let starts = state.windows.turned(first, low) & bits::below(latest - low);
        return follow(recipe, state, arrival, low, starts, out);
    }
    let starts = window.first_from(low)..window.first_from(latest);
    deliver(recipe, state, arrival, starts, out);
}

/// As [`deliver`], where at most 64 events are in the window; by words.
fn follow<S: Sink>(
    recipe: &Recipe,
    state: &LazyState,
    arrival: &Arrival<'_>,
    low: u64,
    mut starts: u64,
    out: &mut Out<'_, S>,
) {
    if out.level == Level::Count {
        out.count(recipe.number, arrival.row, u64::from(starts.count_ones()));
        return;
    }
    out.begin(recipe.length, arrival.row);
    while starts != 0 {
        let mut bit = starts.trailing_zeros();
        starts &= starts - 1;
        out.buffer[0] = state.windows.row_of(low + u64::from(bit));
        for (&(class, _), row) in recipe.steps[1..].iter().zip(&mut out.buffer[1..]) {
            let behind = state.windows.turned(class, low) & (!1 << bit);
            bit = behind.trailing_zeros();
            *row = state.windows.row_of(low.wrapping_add(u64::from(bit)));
        }
        out.single(recipe.number);
        if out.stopped {
            return;
        }
    }
}

/// Follows chains from the indices of their first events, and reports them.
fn deliver<S: Sink>(
    recipe: &Recipe,
    state: &LazyState,
    arrival: &Arrival<'_>,
    starts: impl ExactSizeIterator<Item = usize>,
    out: &mut Out<'_, S>,
) {
    if out.level == Level::Count {
        out.count(recipe.number, arrival.row, starts.len() as u64);
        return;
    }
    out.begin(recipe.length, arrival.row);
    for start in starts {
        let mut at = start;
        for (position, &(class, column)) in recipe.steps.iter().enumerate() {
            let window = state.windows.of(class);
            out.buffer[position] = window.row(at);
            if let Some(&(next, _)) = recipe.steps.get(position + 1) {
                at = window.next(at, column, state.windows.of(next).dropped());
            }
        }
        out.single(recipe.number);
        if out.stopped {
            return;
        }
    }
}
