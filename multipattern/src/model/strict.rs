//! The reference interpreter under `strict`: transitions, failure transitions, conditional output.
//!
//! After every event, the paths whose symbols are the last events make up one chain of failure
//! transitions, so its head alone is kept. An event moves those paths of the last chain that have
//! an edge for it. A composite of n symbols that is complete moves those of the chain n events ago.
//! The longest path moved is the head of the new chain, and what is complete on the chain is output
//! if its predicates and its window hold.

use hashbrown::HashMap;

use super::interpret::{Found, Stream};
use super::output::in_order;
use super::{Failure, Label, Model, Path};

pub(super) fn run(model: &Model, stream: &impl Stream) -> Vec<Found> {
    let failure = Failure::new(model, |symbol| stream.kind_of(symbol));
    let mut symbols: HashMap<Path, Vec<u32>> = HashMap::new();
    let paths = model.paths();
    for &(path, from) in &paths {
        let read = match from {
            None => Vec::new(),
            Some((before, label)) => {
                let mut read = symbols[&paths[before].0].clone();
                read.extend(model.expand(&[label]));
                read
            }
        };
        symbols.insert(path, read);
    }
    // The heads of the chains after each event; the first one stands before all events.
    let mut heads: Vec<Option<u32>> = vec![None];
    let mut found = Vec::new();
    for event in 0..stream.events() {
        let moved = transitions(model, &failure, stream, &heads, event);
        let head = moved.iter().max_by_key(|path| failure.length(**path));
        let head = head.and_then(|&path| failure.head(path));
        for (path, length) in failure.chain(head) {
            debug_assert!(length == 0 || moved.contains(&path));
            let Some(output) = model.output(path).filter(|_| length > 0) else { continue };
            let events: Vec<usize> = (event + 1 - length..=event).collect();
            let mut read = symbols[&path].iter().enumerate();
            if read.all(|(at, &symbol)| stream.fits(symbol, &events[..=at])) {
                for &pattern in &output.patterns {
                    if stream.within(pattern, events[0], event) {
                        found.push(Found { pattern, events: events.clone() });
                    }
                }
            }
        }
        heads.push(head);
    }
    found
}

/// All paths whose symbols are of the kinds of the last events.
fn transitions(
    model: &Model,
    failure: &Failure,
    stream: &impl Stream,
    heads: &[Option<u32>],
    event: usize,
) -> Vec<Path> {
    let mut moved = Vec::new();
    for (path, _) in failure.chain(heads[event]) {
        for edge in model.edges_of(path.state) {
            if let Label::Symbol(symbol) = edge.label
                && stream.kind_of(symbol) == stream.kind(event)
            {
                moved.extend(model.transition(path, edge.label));
            }
        }
    }
    let mut next = 0;
    while let Some(&path) = moved.get(next) {
        next += 1;
        let Some(rule) = model.output(path).and_then(|output| output.rule) else { continue };
        let length = model.length(Label::Composite(rule));
        let first = event + 1 - length;
        for (path, _) in failure.chain(heads[first]) {
            // Whatever ends before `first` is in order, and adjacent.
            debug_assert!(in_order(first.checked_sub(1), first));
            moved.extend(model.transition(path, Label::Composite(rule)));
        }
    }
    moved
}
