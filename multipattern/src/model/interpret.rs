//! The reference interpreter: it runs a model, slowly and by the book.
//!
//! Under `any` and `next` an *instance* is a path with the events it holds. An event may move an
//! instance along an edge with a symbol; a composite that is complete moves, as a whole, those
//! instances which it may follow ([`in_order`]).
//!
//! - `any`: the instance stays and waits for others as well.
//! - `next`: an instance goes along each edge once, with the first event that fits. For a composite
//!   this is the first event that fits its first symbol, so the instance waits for the composite
//!   that begins there.
//! - `strict`: see `strict.rs`, which follows the failure transitions.

use super::output::in_order;
use super::strict;
use super::{Edge, Label, Model, Path};
use crate::Semantics;

/// The events, and what symbols and patterns ask of them.
pub trait Stream {
    /// Number of events.
    fn events(&self) -> usize;

    /// Whether an event, the last of `positions`, fits a symbol, the events before it in the match
    /// being the others. The beginning of the match may be cut off, though never more than what the
    /// symbol's reach leaves.
    fn fits(&self, symbol: u32, positions: &[usize]) -> bool;

    /// Whether the window of a pattern holds both events.
    fn within(&self, pattern: u32, first: usize, last: usize) -> bool;

    /// The kind of an event. An event fits no symbol of another kind. Used by `strict` alone.
    fn kind(&self, event: usize) -> u32;

    /// The kind of a symbol.
    fn kind_of(&self, symbol: u32) -> u32;

    /// Whether no pattern's window reaches from the event `first` to the event `now` any more.
    fn expired(&self, first: usize, now: usize) -> bool;
}

/// A match: a pattern and the events in the order of its symbols.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Found {
    /// The pattern.
    pub pattern: u32,
    /// The events.
    pub events: Vec<usize>,
}

/// All matches, in the order in which they are complete. Time and memory grow with the number of
/// partial matches, which is exponential in the length of the patterns under `any`.
pub fn interpret(model: &Model, semantics: Semantics, stream: &impl Stream) -> Vec<Found> {
    match semantics {
        Semantics::Any => Instances::new(model, stream, false).run(),
        Semantics::Next => Instances::new(model, stream, true).run(),
        Semantics::Strict => strict::run(model, stream),
    }
}

struct Instance {
    path: Path,
    events: Vec<usize>,
    /// For `next`, what has become of each edge.
    edges: Vec<Wait>,
}

/// An edge under `next`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// Nothing fitted yet.
    Open,
    /// The composite has begun with this event.
    Begun(usize),
    /// It has been taken.
    Taken,
}

struct Instances<'a, S> {
    model: &'a Model,
    stream: &'a S,
    next: bool,
    /// Those of earlier events.
    live: Vec<Instance>,
    /// Those that the current event completes.
    fresh: Vec<Instance>,
    found: Vec<Found>,
}

impl<'a, S: Stream> Instances<'a, S> {
    fn new(model: &'a Model, stream: &'a S, next: bool) -> Self {
        Self { model, stream, next, live: Vec::new(), fresh: Vec::new(), found: Vec::new() }
    }

    fn run(mut self) -> Vec<Found> {
        for event in 0..self.stream.events() {
            self.live.retain(|instance| !self.stream.expired(instance.events[0], event));
            self.begin(event);
            self.append_event(event);
            let mut complete = 0;
            while complete < self.fresh.len() {
                self.output(complete);
                complete += 1;
            }
            let mut live = std::mem::take(&mut self.live);
            live.append(&mut self.fresh);
            self.live = live;
        }
        self.found
    }

    fn create(&mut self, path: Path, events: Vec<usize>) {
        let edges = if self.next { self.model.edges_of(path.state).len() } else { 0 };
        self.fresh.push(Instance { path, events, edges: vec![Wait::Open; edges] });
    }

    fn begin(&mut self, event: usize) {
        for &start in self.model.starts() {
            let path = Path::at(start);
            for &edge in self.model.edges_of(path.state) {
                if let Label::Symbol(symbol) = edge.label
                    && self.stream.fits(symbol, &[event])
                {
                    self.create(follow(path, edge), vec![event]);
                }
            }
        }
    }

    fn append_event(&mut self, event: usize) {
        for at in 0..self.live.len() {
            let path = self.live[at].path;
            for (number, &edge) in self.model.edges_of(path.state).iter().enumerate() {
                let instance = &mut self.live[at];
                let wait = instance.edges.get(number).copied().unwrap_or(Wait::Open);
                if wait != Wait::Open {
                    continue;
                }
                match edge.label {
                    Label::Symbol(symbol) => {
                        instance.events.push(event);
                        let fits = self.stream.fits(symbol, &instance.events);
                        let events = fits.then(|| instance.events.clone());
                        instance.events.pop();
                        if let Some(events) = events {
                            if self.next {
                                instance.edges[number] = Wait::Taken;
                            }
                            self.create(follow(path, edge), events);
                        }
                    }
                    Label::Composite(rule) => {
                        let first = self.model.rules()[rule as usize].expansion[0];
                        if self.next && self.stream.fits(first, &[event]) {
                            instance.edges[number] = Wait::Begun(event);
                        }
                    }
                }
            }
        }
    }

    /// The conditional output of a fresh instance: matches, and a composite that others may append.
    fn output(&mut self, fresh: usize) {
        let Instance { path, events, .. } = &self.fresh[fresh];
        let (Some(output), [first, .., last] | [first @ last]) =
            (self.model.output(*path), &events[..])
        else {
            return;
        };
        for &pattern in &output.patterns {
            if self.stream.within(pattern, *first, *last) {
                self.found.push(Found { pattern, events: events.clone() });
            }
        }
        if let Some(rule) = output.rule {
            let events = events.clone();
            self.append_composite(rule, &events);
        }
    }

    fn append_composite(&mut self, rule: u32, events: &[usize]) {
        for at in 0..self.live.len() {
            let path = self.live[at].path;
            let edges = self.model.edges_of(path.state);
            let label = Label::Composite(rule);
            let Ok(number) = edges.binary_search_by_key(&label, |edge| edge.label) else {
                continue;
            };
            let instance = &mut self.live[at];
            if !in_order(instance.events.last().copied(), events[0]) {
                continue;
            }
            if self.next {
                if instance.edges[number] != Wait::Begun(events[0]) {
                    continue;
                }
                instance.edges[number] = Wait::Taken;
            }
            let all = [&instance.events[..], events].concat();
            self.create(follow(path, edges[number]), all);
        }
    }
}

fn follow(path: Path, edge: Edge) -> Path {
    Path { state: edge.target, rank: path.rank + edge.integer }
}
