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
//! | `light` | children that only runs are about |
//! | `runs` | regular branches: current longest runs and the three policies |
//! | `action` | add, upload, confirm: from candidates to answers in shape *nodes* |
//! | `tuples` | enumeration of tuples as links become complete |
//! | `buffer` | the reference-counted buffers |
//! | `answer` | answers as the sink sees them |
//! | `order` | document order |
//! | `segment` | several engines on one document |
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
mod tuples;
mod value;

use hashbrown::HashSet;

use crate::automaton::compile::{Compiled, NONE};
use crate::automaton::lazy::{Children, LazyTable, StateId};
use crate::automaton::symbols::{Classes, ResolvedTest};
use crate::input::{EndTag, Interest, Markup, StartTag, Symbol, TagHandler, Text};
use crate::{Config, Error, ErrorKind, Limits, Needs, Order, Runs, Shape, Sink, Stats};

use answer::View;
use buffer::{Buffers, ElementId};
use content::Content;
use instance::Open;
use light::Light;
use namespace::Namespaces;
use order::DocumentOrder;
use path::PathTracker;
use runs::RunTracker;
pub(crate) use segment::Assumed;
use tuples::Slot;

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
    light: Light,

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

impl<'p, S: Sink> Engine<'p, S> {
    pub(crate) fn new(compiled: &'p Compiled, config: &Config, sink: S) -> Self {
        let needs = sink.needs();
        // Text and XML are complete only at the end tag; document order waits for it anyway.
        let end = needs.end || needs.text || needs.xml || config.order == Order::Document;
        let needs = Needs { end, ..needs };
        let modes: Vec<Mode> = compiled
            .queries
            .iter()
            .map(|q| Mode {
                shape: q.shape,
                collect: !(needs.count_only && q.shape == Shape::Instances),
                elements: !needs.count_only || (q.shape == Shape::Nodes && q.shared_labels),
                wait_for_end: needs.end && !needs.count_only,
            })
            .collect();
        let ambiguous = compiled.queries.iter().any(|q| q.ambiguous);
        let ordered = config.order == Order::Document && !needs.count_only;
        let nodes = compiled.nodes.len();
        let queries = compiled.queries.len();
        let mut buffers = Buffers::default();
        buffers.watch_drops = ambiguous || ordered;
        let paths = (needs.path && !needs.count_only).then(PathTracker::default);
        let (light, light_nodes) = Light::new(compiled, needs, config.runs);
        Engine {
            light,
            table: LazyTable::new(
                compiled,
                config.source.limits.automaton_states,
                config.mechanisms,
                light_nodes,
            ),
            classes: Classes::default(),
            namespaces: compiled.needs_namespaces.then(Namespaces::new),
            children: Children::new(paths.is_some() || compiled.needs_namespaces, false),
            // The end tag of the document would have to be looked at.
            states: vec![LazyTable::START.looked()],
            depth: 0,
            marks: Vec::new(),
            open: Vec::new(),
            top: vec![NONE; nodes],
            lowest_confirmed: vec![NONE; nodes],
            extras: Vec::new(),
            trackers: RunTracker::default(),
            buffers,
            content: Content::default(),
            slow: paths.is_some(),
            live: false,
            paths,
            order: ordered.then(DocumentOrder::default),
            waiting: Vec::new(),
            slots: Vec::new(),
            given: vec![HashSet::new(); queries],
            given_bytes: vec![0; queries],
            pending_keys: vec![0; queries],
            answers: 0,
            stopped: false,
            failure: None,
            runs: config.runs,
            limits: config.source.limits.clone(),
            sharing: config.mechanisms.sharing,
            compiled,
            sink,
            needs,
            modes,
        }
    }

    pub(crate) fn into_sink(self) -> S {
        self.sink
    }

    pub(crate) fn sink(&self) -> &S {
        &self.sink
    }

    pub(crate) fn sink_mut(&mut self) -> &mut S {
        &mut self.sink
    }

    /// The engine's share of the statistics.
    pub(crate) fn stats(&self) -> Stats {
        Stats {
            answers: self.answers,
            peak_buffered_bytes: self.buffers.peak() + self.content.peak(),
            automaton_states: self.table.built(),
            ..Stats::default()
        }
    }

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

    fn check_buffers(&self) -> Result<(), Error> {
        let given: usize = self.given_bytes.iter().sum();
        let held = self.buffers.held() + self.content.held() + given;
        if held > self.limits.buffered_bytes {
            return Err(Error::new(
                ErrorKind::Limit,
                format!(
                    "undecided candidates, results and tuples to compare take more than the limit of {} bytes \
                     (buffered_bytes)",
                    self.limits.buffered_bytes
                ),
            )
            .with_hint(
                "raise the limit, ask for less per answer, or make the query decide earlier",
            ));
        }
        Ok(())
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
        if watched && self.light.is_plan() && !self.read_light(state) {
            return Ok(Interest::STOP);
        }
        self.depth += 1;
        if self.depth == self.states.len() {
            self.states.resize((2 * self.depth).max(64), LazyTable::START);
        }
        self.states[self.depth] = if watched { state.looked() } else { state };
        if watched && self.light.is_plan() {
            self.open_light(state, self.depth);
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
    fn pass_light(&mut self, state: StateId) -> bool {
        state.is_light() && !self.children.are_all() && self.read_light(state)
    }

    /// The same, the child being open from now on; in which state.
    #[inline(never)]
    fn enter_light(&mut self, state: StateId) -> Option<StateId> {
        if self.depth + 1 >= self.states.len() || !self.pass_light(state) {
            return None;
        }
        let root = self.light.is_plan() && self.open_light(state, self.depth + 1);
        Some(if root { state.looked() } else { state })
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
        self.close_light();
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
        !state.is_watched(parent, self.children) || self.pass_light(state)
    }

    #[inline(always)]
    fn leave(&mut self) -> bool {
        let Some(state) = self.states.get(self.depth) else { return false };
        if state.is_looked() && !self.close_light() {
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
