//! The part of a graph that leads to the matches of one event, turned round.
//!
//! Matches are read off the graph from their last event backwards, but they are to come out in the
//! order of their events from the first one on. So all elements from which the completing event is
//! reached are marked, by following lists and sources from where the event was taken, and each
//! learns who comes after it:
//!
//! - An element hands its runs to its *consumers*: the elements that have it as their source.
//! - So does every newer element of its list, for a source means the whole list from there on. As
//!   lists are linear, the newer element is one; and what it hands to came after what the older one
//!   hands to. So the consumers of a whole list, those of its oldest element first, are in the order
//!   of their events without any sorting. They are laid out side by side, and what comes after an
//!   element is a [`Rest`] of them: its own, and all that follow.
//!
//! When a window passes, the same is done for the runs that hold a match; their *end* is that the
//! event at hand is passed over, and only first events whose window has passed are let in.
//!
//! **Cost.** Every element that is marked lies on a match, so there are no more of them than events in
//! all matches together: the preparation is linear in the whole output (times the logarithm from
//! sorting the places), whatever the window. It is linear in the graph, too, where the output is
//! exponential: the first matches come at once. When a window passes, elements are skipped whose
//! runs have all started later or have passed before ([`Graph::seek`]), and an element all of whose
//! runs that start now have gone is told apart when garbage is looked for.

use super::graph::{Graph, JOIN, NONE, Starts};
use crate::history::EventIndex;

/// The stage of an end that came by passing over the event.
pub(super) const PASSED: u32 = u32::MAX;

/// One way in which the event at hand completes matches: all runs of a population.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct End {
    /// The head of the population; [`NONE`] if the event is a match on its own.
    pub(super) source: u32,
    /// The stage that takes the event, or [`PASSED`].
    pub(super) stage: u32,
}

/// A consumer, laid out where it comes after another element: a marked one, or an end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) event: EventIndex,
    /// Or [`JOIN`].
    pub(super) stage: u32,
    /// Its number among the marked elements and ends.
    pub(super) element: u32,
    /// What comes after it; nothing after an end.
    pub(super) after: Rest,
    /// Some run of this element is complete when the event at hand is passed over.
    ends: bool,
    /// The last one of its list is complete, and nothing comes after it; all others from here on are
    /// not, and what comes after each is what comes beside it.
    choices: bool,
}

impl Node {
    /// From here on in its list any choice of events, and the last one behind it, goes on to a match.
    pub(super) fn leads_to_choices(&self) -> bool {
        self.choices
    }

    /// A sequence of events that leads here is a match.
    pub(super) fn is_complete(&self) -> bool {
        self.ends || self.after.is_empty()
    }

    /// It stands for a population that joined another.
    pub(super) fn is_join(&self) -> bool {
        self.stage == JOIN
    }
}

/// What is left of the consumers of a list: nodes side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Rest {
    pub(super) at: u32,
    pub(super) end: u32,
}

impl Rest {
    pub(super) fn is_empty(self) -> bool {
        self.at == self.end
    }

    pub(super) fn len(self) -> usize {
        (self.end - self.at) as usize
    }

    /// All but the first one.
    pub(super) fn skip(self) -> Rest {
        Rest { at: self.at + 1, ..self }
    }
}

/// A marked element, with what comes before it as far as it is marked.
#[derive(Clone, Copy, Debug)]
struct Mark {
    element: u32,
    older: u32,
    source: u32,
}

/// What is known of a marked element, an end, or the root while the graph is turned round.
#[derive(Clone, Copy, Debug)]
struct Spot {
    event: EventIndex,
    stage: u32,
    /// Whose consumer it is; [`NONE`] if nobody's.
    source: u32,
    /// The next older one of the list, or [`NONE`].
    older: u32,
    list: u32,
    /// How many consumers the older ones of the list have; later where its own next one goes.
    next: u32,
    consumers: u32,
    /// The event of the last consumer that was laid out.
    last: EventIndex,
    ends: bool,
}

/// Finds where only choices are left of the list that begins at a place and ends with the last of
/// some nodes.
fn find_choices(nodes: &mut [Node], from: u32) {
    let end = nodes.len() as u32;
    for at in (from..end).rev() {
        let node = &mut nodes[at as usize];
        let rest = Rest { at: at + 1, end };
        node.choices = !node.ends
            && !node.is_join()
            && if rest.is_empty() { node.after.is_empty() } else { node.after == rest };
        if !node.choices {
            break;
        }
    }
}

/// Working space, used again for each event.
#[derive(Debug, Default)]
pub(super) struct Marked {
    /// In ascending order.
    marked: Vec<Mark>,
    /// For each element its place in `marked`, if it is there; else anything.
    places: Vec<u32>,
    stack: Vec<u32>,
    /// As `marked`, then the ends, then the root.
    spots: Vec<Spot>,
    /// Where the consumers of each list lie.
    lists: Vec<Rest>,
    nodes: Vec<Node>,
    /// What comes after the root.
    first: Rest,
    /// No two consumers of one element are the same event, and none is a join.
    plain: bool,
    /// For counting.
    sums: Vec<u64>,
}

impl Marked {
    fn place(&self, element: u32) -> Option<u32> {
        let place = *self.places.get(element as usize)?;
        (self.marked.get(place as usize)?.element == element).then_some(place)
    }

    fn mark(&mut self, graph: &Graph, ends: &[End], starts: Starts) {
        self.marked.clear();
        if self.places.len() < graph.len() {
            self.places.resize(graph.len(), 0);
        }
        self.stack.extend(ends.iter().map(|end| graph.seek(end.source, starts)));
        while let Some(mut at) = self.stack.pop() {
            // Whoever met an element has met all the list after it.
            while at != NONE && self.place(at).is_none() {
                let element = graph.get(at);
                self.places[at as usize] = self.marked.len() as u32;
                let older = graph.seek(element.older, starts);
                let source = graph.seek(element.source, starts);
                self.marked.push(Mark { element: at, older, source });
                if source != NONE {
                    self.stack.push(source);
                }
                at = older;
            }
        }
        self.marked.sort_unstable_by_key(|mark| mark.element);
        for (place, mark) in (0..).zip(&self.marked) {
            self.places[mark.element as usize] = place;
        }
    }

    /// How many matches there are, if each is there once; `u64::MAX` for so many or more. Linear in
    /// what is marked: the runs of a list are those of its elements added up.
    pub(super) fn count(&mut self, graph: &Graph, ends: &[End], starts: Starts) -> u64 {
        self.mark(graph, ends, starts);
        let Marked { places, marked, sums, .. } = self;
        sums.clear();
        // The runs of an element and of all older ones.
        let of = |sums: &[u64], element: u32| match element {
            NONE => 0,
            _ => sums[places[element as usize] as usize],
        };
        for mark in &*marked {
            let own = match graph.get(mark.element).source {
                NONE => 1,
                _ => of(sums, mark.source),
            };
            sums.push(own.saturating_add(of(sums, mark.older)));
        }
        let all = ends.iter().map(|end| match end.source {
            NONE => 1,
            source => of(sums, graph.seek(source, starts)),
        });
        all.fold(0, u64::saturating_add)
    }

    /// Marks what leads to the ends and turns it round. The event at hand is at `event`.
    pub(super) fn turn(&mut self, graph: &Graph, ends: &[End], event: EventIndex, starts: Starts) {
        self.mark(graph, ends, starts);
        self.find_sources(graph, ends, event, starts);
        self.find_lists();
        let Marked { spots, lists, nodes, plain, .. } = self;
        let nobody = Node {
            event,
            stage: JOIN,
            element: 0,
            after: Rest::default(),
            ends: false,
            choices: false,
        };
        nodes.clear();
        nodes.resize(lists.last().map_or(0, |list| list.end as usize), nobody);
        *plain = true;
        // In the order of their events, which is that of the places.
        for element in 0..spots.len() - 1 {
            let Spot { event, stage, source, list, next, ends, .. } = spots[element];
            if source == NONE {
                continue;
            }
            let after = match list {
                NONE => Rest::default(),
                list => Rest { at: lists[list as usize].at + next, ..lists[list as usize] },
            };
            let source = &mut spots[source as usize];
            let to = lists[source.list as usize].at + source.next;
            *plain &= stage != JOIN && source.last != event;
            source.next += 1;
            source.last = event;
            let element = element as u32;
            nodes[to as usize] = Node { event, stage, element, after, ends, choices: false };
        }
        for list in lists.iter() {
            find_choices(&mut nodes[..list.end as usize], list.at);
        }
    }

    /// Makes the spots, each of which knows its source and how many consumers it has.
    fn find_sources(&mut self, graph: &Graph, ends: &[End], event: EventIndex, starts: Starts) {
        let Marked { marked, places, spots, .. } = self;
        let root = (marked.len() + ends.len()) as u32;
        let place = |element: u32| match element {
            NONE => NONE,
            _ => places[element as usize],
        };
        let spot = |event, stage, source, older| Spot {
            event,
            stage,
            source,
            older,
            list: NONE,
            next: 0,
            consumers: 0,
            last: EventIndex::MAX,
            ends: false,
        };
        spots.clear();
        spots.extend(marked.iter().map(|mark| {
            let element = graph.get(mark.element);
            let source = if element.source == NONE { root } else { place(mark.source) };
            spot(element.event, element.stage, source, place(mark.older))
        }));
        for end in ends {
            let mut source = match end.source {
                NONE => root,
                source => place(graph.seek(source, starts)),
            };
            if end.stage == PASSED {
                if source != NONE {
                    spots[source as usize].ends = true;
                }
                source = NONE;
            }
            spots.push(spot(event, end.stage, source, NONE));
        }
        spots.push(spot(event, PASSED, NONE, NONE));
        for at in 0..root as usize {
            let source = spots[at].source;
            if source != NONE {
                spots[source as usize].consumers += 1;
            }
        }
        for at in (0..marked.len()).rev() {
            let Spot { stage, source, older, ends, .. } = spots[at];
            if ends && older != NONE {
                spots[older as usize].ends = true;
            }
            if ends && stage == JOIN && source != NONE {
                spots[source as usize].ends = true;
            }
        }
    }

    /// Finds which list each spot is of, and how much room its consumers need. The last list is that
    /// of the root.
    fn find_lists(&mut self) {
        let Marked { marked, spots, lists, first, .. } = self;
        lists.clear();
        let root = spots.len() - 1;
        for at in (0..marked.len()).chain([root]) {
            let Spot { older, consumers, .. } = spots[at];
            let (list, next) = match older {
                NONE => {
                    lists.push(Rest::default());
                    (lists.len() as u32 - 1, 0)
                }
                older => {
                    let older = &spots[older as usize];
                    (older.list, older.next + older.consumers)
                }
            };
            (spots[at].list, spots[at].next) = (list, next);
            lists[list as usize].end = next + consumers;
        }
        let mut all = 0;
        for list in lists.iter_mut() {
            list.at = all;
            all += list.end;
            list.end = all;
        }
        *first = lists.last().copied().unwrap_or_default();
    }

    /// What comes first in a match.
    pub(super) fn first(&self) -> Rest {
        self.first
    }

    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Every node is another sequence of events.
    pub(super) fn is_plain(&self) -> bool {
        self.plain
    }
}
