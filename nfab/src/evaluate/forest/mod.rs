//! The grouped evaluation of runs that the last event decides: a forest of events.
//!
//! If conditions look back at the last event of a run only, and no event lets a run go two ways, then
//! runs that have taken the same event for the same stage do the same ever after. So an event that a
//! run takes is one [`Node`](part::Node) for all of them, with one *next* node at most: the nodes
//! are a forest, whose roots are the nodes without a next one. Those that still wait for something
//! are *open*, and only they are shown an event: each once, however many runs have come to it. What
//! they become is one node again.
//!
//! A run is where it began and all that follows from there. When its window passes, it is read off
//! from its first event on and is a match if the last node holds one; runs come in the order of
//! their first events, as matches are to come out.
//!
//! Time: an event is compared with each open node. Under `a[i].price > a[i-1].price`, say, these are
//! the minima of the window from the back, of which there are ln W on average in a random stream,
//! where there are W runs. Reading a match is linear in its length. Memory: 48 bytes for each event of
//! the window and stage that takes it.

mod fate;
mod fits;
mod part;
mod reads;
#[cfg(feature = "serde")]
mod save;

use std::ops::ControlFlow;

use self::fate::{Fate, Shared, held, walk_event};
use self::part::{ENDED, Open, Part};
use self::reads::Reads;
use super::grouped::live::live;
use crate::error::Error;
use crate::event::Event;
use crate::history::{EventIndex, Marks, Moved};
use crate::nfa::kinds::{Kind, Kinds};
use crate::nfa::program::{Finish, Move, NOWHERE, Window};
use crate::nfa::{Automaton, Formula};
use crate::predicate::evaluate;
use crate::predicate::register::Register;
use crate::runtime::context::Context;
use crate::runtime::evaluator::{Arrival, Evaluator, Key, Taken};
use crate::runtime::runs::tree::{Outcome, Tree};

pub(crate) use fits::fits;

/// What all partitions share.
#[derive(Debug)]
pub(crate) struct Forest {
    kinds: Kinds,
    window: Window,
    /// For each wait its decisions.
    trees: Box<[Tree]>,
    start: Tree,
    /// For each class of events what becomes of the run that has not begun, once it has turned out that
    /// the type decides it.
    begins: Vec<Option<Fate>>,
    /// For each wait what is read of its runs.
    reads: Box<[Reads]>,
    /// For each wait and move what becomes of the run, if only one thing can.
    moves: Box<[Box<[Option<Fate>]>]>,
    /// The registers of a run without events.
    fresh: Box<[Register]>,
    /// For each wait whether it holds a match.
    holds: Box<[bool]>,
    /// All waits do in which runs are.
    all_hold: bool,
    /// The events of a match that is read.
    taken: Vec<Taken>,
    /// The nodes of the event at hand: where they wait, and their numbers.
    made: Vec<(u32, u32, u64)>,
    nodes: usize,
    open: usize,
}

impl Forest {
    pub(crate) fn new(automaton: &Automaton) -> Forest {
        let program = &automaton.program;
        let conditions = automaton.conditions.len();
        let start = &program.waits[program.start as usize];
        let trees = (0..).zip(&program.waits);
        let holds: Box<[bool]> = program.waits.iter().map(|wait| wait.holds_match).collect();
        let mut others = (0..).zip(&holds).filter(|(wait, _)| *wait != program.start);
        let reads = program.waits.iter().zip(live(automaton));
        let fate = |m: &Move| match &m.finish {
            Finish::Hold { formula, .. } if *formula != Formula::True => None,
            _ => Some(Fate::of(m.target, m.stage)),
        };
        Forest {
            reads: reads.map(|(wait, live)| Reads::new(wait, &live, automaton)).collect(),
            moves: (program.waits.iter())
                .map(|wait| wait.moves.iter().map(fate).collect())
                .collect(),
            kinds: Kinds::new(program, &automaton.conditions),
            window: program.window,
            trees: trees.map(|(at, wait)| Tree::new(wait, at, false, conditions)).collect(),
            start: Tree::new(start, program.start, true, conditions),
            begins: Vec::new(),
            fresh: automaton.registers.iter().map(|r| r.empty()).collect(),
            all_hold: others.all(|(_, holds)| *holds),
            holds,
            taken: Vec::new(),
            made: Vec::new(),
            nodes: 0,
            open: 0,
        }
    }

    /// Does something to a part and keeps the totals up.
    #[inline]
    fn on<T>(&mut self, part: &mut Part, act: impl FnOnce(&mut Self, &mut Part) -> T) -> T {
        let (nodes, open) = (part.len(), part.open.len());
        let result = act(self, part);
        self.nodes = self.nodes - nodes + part.len();
        self.open = self.open - open + part.open.len();
        result
    }

    fn look<E: Event>(
        &mut self,
        part: &mut Part,
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> bool {
        let automaton = cx.automaton;
        let conditions = automaton.conditions.as_slice();
        let (event, faults) = (arrival.event, cx.faults);
        let kind = self.kinds.kind(event.event_type());
        part.close_passed(cx.horizon);
        self.made.clear();
        let mut shared =
            Shared { wait: NOWHERE, node: 0, range: None, fates: [None; 2], stays: [false; 2] };
        let (mut keep, all) = (0, part.open.len());
        let mut at = 0;
        while at < all {
            if keep == at {
                // Most stay, and an integer decides it.
                at += part.open[at..].iter().take_while(|open| shared.stays(open)).count();
                keep = at;
                if at == all {
                    break;
                }
            }
            let Open { node: number, wait, newest, ref held } = part.open[at];
            if shared.wait != wait {
                shared = self.judge(wait, kind, arrival, cx);
                continue;
            }
            let reads = &self.reads[wait as usize];
            let mut fate = Fate::Open(shared.node);
            if let (Some(range), Some(integer)) = (&shared.range, reads.integer(held)) {
                let holds = range.holds(integer);
                fate = match shared.fates[usize::from(holds)] {
                    Some(fate) => fate,
                    None => {
                        let tree = &mut self.trees[wait as usize];
                        let node = tree.follow(conditions, shared.node, holds);
                        let fate = self.fate(wait, node, arrival, cx);
                        shared.fates[usize::from(holds)] = Some(fate);
                        fate
                    }
                };
            }
            if let Fate::Open(node) = fate {
                let registers = reads.registers(held, &self.fresh);
                let context = evaluate::Context { event, registers: &registers, faults };
                let tree = &mut self.trees[wait as usize];
                let node = tree.walk_run(conditions, node, |number| {
                    conditions[number as usize].test.evaluate(context).holds()
                });
                fate = self.fate(wait, node, arrival, cx);
            }
            match fate {
                Fate::Stays => {
                    part.keep(at, keep);
                    keep += 1;
                }
                Fate::Goes { target, stage } => {
                    let next = self.node(part, target, stage, arrival);
                    part.link(number, next, newest);
                }
                Fate::Ends | Fate::Open(_) => part.end(number),
            }
            at += 1;
        }
        // A run may begin.
        let known = self.begins.get(kind.class).copied().flatten();
        let fate = known.unwrap_or_else(|| self.begin(kind, arrival, cx));
        if let Fate::Goes { target, stage } = fate {
            let first = self.node(part, target, stage, arrival);
            part.begin(first);
        }
        part.close(keep, all);
        for &(wait, stage, number) in &self.made {
            let reads = &self.reads[wait as usize];
            part.open(number, wait, reads.enter(stage, event, &self.fresh, automaton));
        }
        if part.open.is_empty() {
            part.clear();
        }
        !self.made.is_empty()
    }

    /// What becomes of the run that has not begun.
    fn begin<E: Event>(
        &mut self,
        kind: Kind,
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> Fate {
        let (automaton, wait) = (cx.automaton, cx.automaton.program.start);
        let conditions = automaton.conditions.as_slice();
        let node = walk_event(&mut self.start, kind, arrival, cx);
        let context =
            evaluate::Context { event: arrival.event, registers: &self.fresh, faults: cx.faults };
        let end = self.start.walk_run(conditions, node, |number| {
            conditions[number as usize].test.evaluate(context).holds()
        });
        let Some(outcome) = self.start.outcome(end) else { return Fate::Ends };
        let fixed = match outcome.moves.first() {
            Some(fire) => self.moves[wait as usize][fire.at as usize].is_some(),
            None => true,
        };
        let fate = self.outcome(wait, outcome, arrival, cx);
        if fixed && end == node && self.start.known(kind) == Some(node) {
            if self.begins.len() <= kind.class {
                self.begins.resize(kind.class + 1, None);
            }
            self.begins[kind.class] = Some(fate);
        }
        fate
    }

    /// What the event alone says of the runs in a wait.
    #[inline]
    fn judge<E: Event>(
        &mut self,
        wait: u32,
        kind: Kind,
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> Shared {
        let tree = &mut self.trees[wait as usize];
        let node = walk_event(tree, kind, arrival, cx);
        let fork = tree.fork(node);
        let compared = self.reads[wait as usize].compares;
        let compared = compared.filter(|of| fork.is_some_and(|fork| fork.0 == of.0));
        let range = compared.and_then(|(_, comparison)| comparison.range(arrival.event));
        let stays = fork.map_or([false; 2], |fork| fork.1);
        Shared { wait, node, range, fates: [None; 2], stays }
    }

    /// What becomes of a run for which the decisions have come to a place.
    #[inline]
    fn fate<E: Event>(
        &self,
        wait: u32,
        node: u32,
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> Fate {
        match self.trees[wait as usize].outcome(node) {
            Some(outcome) => self.outcome(wait, outcome, arrival, cx),
            None => Fate::Open(node),
        }
    }

    #[inline]
    fn outcome<E: Event>(
        &self,
        wait: u32,
        outcome: &Outcome,
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> Fate {
        debug_assert!(outcome.moves.len() + outcome.ignores.len() <= 1, "{outcome:?}");
        let Some(fire) = outcome.moves.first() else {
            return if outcome.ignores.is_empty() { Fate::Ends } else { Fate::Stays };
        };
        let m = &cx.automaton.program.waits[wait as usize].moves[fire.at as usize];
        self.moves[wait as usize][fire.at as usize].unwrap_or_else(|| held(m, arrival, cx))
    }

    /// The node of the event at hand for a wait and a stage.
    #[inline]
    fn node<E>(&mut self, part: &mut Part, wait: u32, stage: u32, arrival: &Arrival<'_, E>) -> u64 {
        let known = self.made.iter().find(|made| (made.0, made.1) == (wait, stage));
        if let Some(&(_, _, number)) = known {
            return number;
        }
        let key = self.window.key(arrival.number, arrival.time);
        let number = part.add((stage, arrival.place), key, wait);
        self.made.push((wait, stage, number));
        number
    }

    /// What has passed ends. Gives how many runs waited for something that does not hold a match.
    #[inline]
    fn pass(&mut self, part: &mut Part, horizon: Option<Key>) -> u64 {
        if !part.passes(horizon) {
            return 0;
        }
        self.on(part, |this, part| {
            let holds = if this.all_hold { None } else { Some(&*this.holds) };
            part.pass(horizon, holds)
        })
    }
}

impl<E: Event> Evaluator<E> for Forest {
    type Part = Part;

    fn part(&self) -> Part {
        Part::new()
    }

    #[inline]
    fn is_empty(&self, part: &Part) -> bool {
        part.open.is_empty()
    }

    fn clear(&mut self, part: &mut Part) {
        self.on(part, |_, part| *part = Part::new());
    }

    #[inline]
    fn passes_over(&mut self, part: &Part, event: &E) -> bool {
        self.kinds.changes_nothing(event.event_type(), part.busy)
    }

    fn show(
        &mut self,
        part: &mut Part,
        arrival: &Arrival<'_, E>,
        cx: &mut Context<'_, E>,
    ) -> Result<bool, Error> {
        Ok(self.on(part, |this, part| this.look(part, arrival, cx)))
    }

    fn releases(&self) -> bool {
        true
    }

    #[inline]
    fn passes(&self, part: &Part, horizon: Key) -> bool {
        part.passes(Some(horizon))
    }

    #[inline]
    fn release(&mut self, part: &mut Part, horizon: Option<Key>) -> bool {
        part.release(horizon, if self.all_hold { None } else { Some(&self.holds) })
    }

    fn narrow(
        &mut self,
        part: &mut Part,
        _: Option<Key>,
        after: Option<EventIndex>,
    ) -> Option<EventIndex> {
        part.narrow(after, &self.holds)
    }

    #[inline]
    fn expire(&mut self, part: &mut Part, cx: &mut Context<'_, E>) -> Result<(), Error> {
        cx.stats.timed_out += self.pass(part, cx.now.map(|_| cx.horizon));
        Ok(())
    }

    fn prompt(&self) -> bool {
        true
    }

    fn count(&mut self, part: &mut Part) -> Option<u64> {
        let holds = |wait: u32| self.holds[wait as usize];
        let matches = part.released().filter(|first| part.last(first).is_some_and(holds));
        Some(matches.count() as u64)
    }

    fn enumerate(
        &mut self,
        part: &mut Part,
        visit: &mut impl FnMut(&[Taken]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for first in part.released() {
            let (len, last) = part.read(first, &mut self.taken);
            if last != ENDED && (self.all_hold || self.holds[last as usize]) {
                visit(&self.taken[..len])?;
            }
        }
        ControlFlow::Continue(())
    }

    fn runs(&self, part: &Part, horizon: Key, _: Option<i64>, _: &Automaton) -> usize {
        part.open.iter().filter(|open| open.newest >= horizon).count()
    }

    fn all_runs(&self) -> usize {
        self.open
    }

    fn cells(&self) -> usize {
        self.nodes
    }

    fn bytes(&self) -> usize {
        self.nodes * size_of::<part::Node>()
    }

    fn collect<'p>(
        &mut self,
        parts: &mut dyn Iterator<Item = &'p mut Part>,
        cx: &mut Context<'_, E>,
        used: &mut Marks,
    ) where
        Part: 'p,
    {
        for part in parts {
            cx.stats.timed_out += self.pass(part, Some(cx.horizon));
            self.on(part, |_, part| part.collect(|event| used.mark(event)));
        }
    }

    fn renumber<'p>(&mut self, parts: &mut dyn Iterator<Item = &'p mut Part>, moved: &Moved)
    where
        Part: 'p,
    {
        parts.for_each(|part| part.renumber(moved));
    }
}
