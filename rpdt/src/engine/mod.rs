//! The machine that runs: **start reading here**.
//!
//! Top-down, the lazily determinised table says for each start tag which pattern nodes the element
//! may match; for each of them the engine opens an *instance* on a stack. An instance knows which of
//! its conditions are still unmet. A condition that becomes true clears a bit in the parent's
//! instance (**check**); since all conditions are monotone, an instance is satisfied the moment its
//! last bit is cleared, often long before its end tag.
//!
//! Instances on the spine carry candidates: **add** makes one for a return node, **upload** hands it
//! to the parent's list or, on the descendant axis, shares the list with the enclosing instances.
//! Where a chain of satisfied instances leads to the root already, candidates are answers at once
//! and are never stored.
//!
//! | file | what |
//! |---|---|
//! | `mod` | the hot path: tags in, states and frames |
//! | `instance` | opening, satisfying and closing instances |
//! | `light` | elements that need no instance |
//! | `tally` | plans that need no instances at all |
//! | `runs` | regular branches: current longest runs and the three policies |
//! | `action` | add, upload, confirm: from candidates to answers in shape *nodes* |
//! | `tuples` | enumeration of tuples as links become complete |
//! | `buffer` | the reference-counted buffers |
//! | `answer` | answers as the sink sees them |
//! | `order` | document order |
//! | `segment` | several engines on one document |
//! | `state` | how an engine begins, what it counts and holds |
//! | `content`, `path`, `namespace`, `value` | what only some queries and sinks need |

mod action;
mod answer;
mod buffer;
mod content;
mod instance;
mod light;
mod namespace;
mod order;
mod path;
mod runs;
mod segment;
mod state;
mod tally;
mod tuples;
mod value;

use hashbrown::HashSet;

use crate::automaton::compile::Compiled;
use crate::automaton::lazy::{Children, LazyTable, StateId};
use crate::automaton::symbols::{Classes, ResolvedTest};
use crate::input::{EndTag, Interest, Markup, StartTag, Symbol, TagHandler, Text};
use crate::{Error, ErrorKind, Limits, Needs, Runs, Shape, Sink};

use answer::View;
use buffer::{Buffers, ElementId};
use content::Content;
use instance::Open;
use namespace::Namespaces;
use order::DocumentOrder;
use path::PathTracker;
use runs::RunTracker;
pub(crate) use segment::Assumed;
use tally::Tally;
use tuples::Slot;
pub(crate) use value::{holds as value_holds, number as value_number};

/// An open element that the engine had to look at.
#[derive(Clone, Copy, Debug)]
struct Mark {
    depth: usize,
    /// Where its instances begin on the stack.
    instances: u32,
    /// Where its regular branches begin on theirs.
    regulars: u32,
}

/// More about an open element, for the few that need it; found by depth.
#[derive(Debug)]
struct Extra {
    depth: usize,
    element: Option<ElementId>,
    /// Start of the element's string value in the shared buffer, if a test needs it.
    string_from: Option<usize>,
    /// Some instance of the element tests its text nodes.
    text_tests: bool,
    /// Where the element's instances begin on the stack.
    instances: u32,
    /// The capture that this element began, if it is the outermost.
    owns_capture: bool,
}

/// What the options say about one query.
#[derive(Clone, Copy, Debug)]
struct Mode {
    shape: Shape,
    /// Candidates are kept in lists.
    collect: bool,
    /// Return nodes need a recorded element.
    elements: bool,
    /// A return node is complete only at its end tag.
    wait_for_end: bool,
}

/// The machine, running over one document.
#[derive(Debug)]
pub(crate) struct Engine<'p, S> {
    compiled: &'p Compiled,
    sink: S,
    needs: Needs,
    runs: Runs,
    limits: Limits,
    sharing: bool,
    modes: Vec<Mode>,

    table: LazyTable,
    classes: Classes,
    namespaces: Option<Namespaces>,

    /// Which children of the innermost open element matter even if they match nothing.
    children: Children,
    /// The states of the document and the open elements: the stack of the automaton. Only the first
    /// `depth + 1` entries count; the others are room that the hot path need not ask for.
    states: Vec<StateId>,
    /// Number of open elements.
    depth: usize,
    /// The open elements that are looked at, outermost first.
    marks: Vec<Mark>,
    /// Instances of the open elements, outermost first.
    open: Vec<Open>,
    /// For each pattern node its innermost open instance.
    top: Vec<u32>,
    /// For each pattern node its outermost confirmed open instance.
    lowest_confirmed: Vec<u32>,
    extras: Vec<Extra>,
    trackers: RunTracker,
    tally: Tally,

    buffers: Buffers,
    content: Content,
    paths: Option<PathTracker>,
    order: Option<DocumentOrder>,
    /// Some open element, or the sink, needs more of every tag than its state.
    slow: bool,
    /// The regular branches of the innermost element make something of children that match nothing.
    live: bool,

    /// Instances that are still to learn of a satisfied branch, outermost on top.
    waiting: Vec<u32>,
    slots: Vec<Slot>,
    /// Tuples already given, for ambiguous queries.
    given: Vec<HashSet<Box<[u64]>>>,
    /// Bytes that they hold.
    given_bytes: Vec<usize>,
    /// Key instances that are closed but not yet confirmed, for ambiguous queries.
    pending_keys: Vec<u64>,

    answers: u64,
    stopped: bool,
    /// What went wrong at a tag of which the source was told that nothing comes of it.
    failure: Option<Error>,
}

impl<S: Sink> Engine<'_, S> {
    /// What the source should report until the next tag.
    #[inline]
    fn interest(&self) -> Interest {
        if self.stopped {
            Interest::STOP
        } else if self.slow && self.wants_content() {
            Interest::CONTENT
        } else {
            Interest::TAGS
        }
    }

    /// Sets `slow` from what is open now.
    fn update_slow(&mut self) {
        self.slow = self.paths.is_some() || !self.extras.is_empty();
    }

    /// Sets `children` from all that it depends on.
    fn update_children(&mut self) {
        let all = self.slow || self.namespaces.is_some();
        self.children = Children::new(all, self.live);
    }

    /// Sets `live` from the branches of the innermost element that was looked at. Inside of others it
    /// makes no difference, and when they end it is still right.
    fn update_live(&mut self) {
        let from = self.marks.last().map_or(self.trackers.len(), |mark| mark.regulars);
        let idle = self.trackers.are_idle(from);
        self.live = !idle || self.order.is_some();
    }

    fn view(&self) -> View<'_> {
        View { compiled: self.compiled, buffers: &self.buffers, needs: self.needs }
    }

    /// Where the trackers of the element at `depth` begin, which has no open descendants that are
    /// looked at; all trackers from there on are its own.
    fn regulars_of(&self, depth: usize) -> u32 {
        let mark = self.marks.last().filter(|m| m.depth == depth);
        mark.map_or(self.trackers.len(), |m| m.regulars)
    }

    /// A start tag off the hot path. Kept out of line: inlined, it would make every tag pay for its
    /// registers.
    #[inline(never)]
    fn start_any(&mut self, tag: &StartTag<'_>) -> Result<Interest, Error> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        if self.stopped {
            return Ok(Interest::STOP);
        }
        let class = match &mut self.namespaces {
            None => tag.symbol.0,
            Some(namespaces) => namespaces.enter(tag, &self.compiled.tests, &mut self.classes)?,
        };
        let parent = self.state();
        let state = self.table.next(parent, class, self.compiled, &self.classes);
        let watched = state.is_watched(parent, self.children);
        if watched && self.tally.is_plan() && !self.read_light(state, true) {
            return Ok(Interest::STOP);
        }
        self.depth += 1;
        if self.depth == self.states.len() {
            self.states.resize((2 * self.depth).max(64), LazyTable::START);
        }
        self.states[self.depth] = if watched { state.looked() } else { state };
        if watched && self.tally.is_plan() {
            self.tally_open(state, self.depth);
        } else if watched && (state.is_matched() || self.slow || (self.live && parent.is_regular()))
        {
            return self.start_slow(tag);
        }
        Ok(if state.is_skipped() { Interest::SKIP } else { Interest::TAGS })
    }

    /// The state of the innermost open element.
    fn state(&self) -> StateId {
        self.states[self.depth]
    }

    /// Whether a child that has to be looked at is light, and has been read.
    #[inline(always)]
    fn pass_light(&mut self, state: StateId, opens: bool) -> bool {
        if self.tally.is_plain() && !self.stopped {
            return self.plain_child(state, opens).is_some();
        }
        state.is_light() && !self.children.are_all() && self.read_light(state, opens)
    }

    /// The same, the child being open from now on; in which state.
    #[inline(never)]
    fn enter_light(&mut self, state: StateId) -> Option<StateId> {
        if self.depth + 1 >= self.states.len() {
            return None;
        }
        if self.tally.is_plain() && !self.stopped {
            return self.plain_child(state, true);
        }
        if !self.pass_light(state, true) {
            return None;
        }
        let looks = self.tally.is_plan() && self.tally_open(state, self.depth + 1);
        Some(if looks { state.looked() } else { state })
    }

    /// An end tag off the hot path.
    #[inline(never)]
    fn end_any(&mut self, tag: &EndTag<'_>) -> Result<Interest, Error> {
        if let Some(namespaces) = &mut self.namespaces {
            namespaces.leave(self.depth);
        }
        if self.depth == 0 {
            return Err(Error::new(ErrorKind::Malformed, "end tag without a start tag"));
        }
        if self.stopped {
            return Ok(Interest::STOP);
        }
        if self.marks.last().is_some_and(|mark| mark.depth == self.depth) {
            return self.end_slow(tag);
        }
        self.tally_close();
        if self.stopped {
            return Ok(Interest::STOP);
        }
        self.table.leave(self.state());
        self.depth -= 1;
        Ok(Interest::TAGS)
    }

    /// The part of a start tag that only some elements need.
    fn start_slow(&mut self, tag: &StartTag<'_>) -> Result<Interest, Error> {
        if self.slow {
            self.end_text_node()?;
            if let Some(paths) = &mut self.paths {
                paths.enter(tag.name);
            }
        }
        let depth = self.depth;
        let outer = self.regulars_of(depth - 1);
        let inner = self.trackers.len();
        self.marks.push(Mark { depth, instances: self.open.len() as u32, regulars: inner });
        for r in outer..inner {
            self.trackers.begin_child(r);
        }
        for k in 0..self.table.matched(self.state()).len() {
            let node = self.table.matched(self.state())[k];
            self.open_instance(node, tag)?;
        }
        for r in outer..inner {
            if self.trackers.is_pending(r) {
                self.child_began(r, tag.start)?;
            } else {
                self.read_child(r)?;
            }
        }
        self.begin_content(tag)?;
        self.update_slow();
        self.update_live();
        self.update_children();
        // Nothing of a dead subtree matters, unless its text is being recorded.
        if self.state().is_skipped() && !self.stopped && !(self.slow && self.wants_content()) {
            return Ok(Interest::SKIP);
        }
        Ok(self.interest())
    }

    /// The part of an end tag that only some elements need.
    fn end_slow(&mut self, tag: &EndTag<'_>) -> Result<Interest, Error> {
        if self.slow {
            self.end_text_node()?;
        }
        if let Some(&mark) = self.marks.last() {
            self.close_instances(mark, tag)?;
            self.marks.pop();
        }
        if let Some(paths) = &mut self.paths {
            paths.leave();
        }
        self.table.leave(self.state());
        self.depth -= 1;
        for r in self.regulars_of(self.depth)..self.trackers.len() {
            if self.trackers.is_pending(r) {
                self.read_child(r)?;
            }
        }
        self.update_slow();
        self.update_live();
        self.update_children();
        if self.buffers.watch_drops {
            self.after_drops()?;
        }
        Ok(self.interest())
    }
}

impl<S: Sink> TagHandler for Engine<'_, S> {
    fn symbol(&mut self, name: &[u8]) -> Symbol {
        match &mut self.namespaces {
            Some(namespaces) => namespaces.symbol(name),
            None => {
                let tests: &[ResolvedTest] = &self.compiled.tests;
                let class = self.classes.class(tests, name, None);
                self.table.make_room(class);
                Symbol(class)
            }
        }
    }

    #[inline]
    fn start_tag(&mut self, tag: &StartTag<'_>) -> Result<Interest, Error> {
        self.start_any(tag)
    }

    #[inline(always)]
    fn enter(&mut self, symbol: Symbol) -> Option<Interest> {
        let parent = *self.states.get(self.depth)?;
        let state = self.table.known(parent, symbol.0);
        let mut state = state;
        if state.is_watched(parent, self.children) {
            state = self.enter_light(state)?;
        }
        *self.states.get_mut(self.depth + 1)? = state;
        self.depth += 1;
        Some(if state.is_skipped() { Interest::SKIP } else { Interest::TAGS })
    }

    #[inline(always)]
    fn leaf(&mut self, symbol: Symbol) -> bool {
        let Some(&parent) = self.states.get(self.depth) else { return false };
        let state = self.table.known(parent, symbol.0);
        !state.is_watched(parent, self.children) || self.pass_light(state, false)
    }

    #[inline(always)]
    fn leave(&mut self) -> bool {
        let Some(state) = self.states.get(self.depth) else { return false };
        if state.is_looked() && !self.tally_close() {
            return false;
        }
        self.depth -= 1;
        true
    }

    #[inline]
    fn end_tag(&mut self, tag: &EndTag<'_>) -> Result<Interest, Error> {
        self.end_any(tag)
    }

    fn text(&mut self, text: &Text<'_>) -> Result<(), Error> {
        self.take_text(text)
    }

    fn markup(&mut self, markup: &Markup<'_>) -> Result<(), Error> {
        self.take_markup(markup)
    }
}
