//! After-match skip: which matches are handed out, and what each takes away.

use nfab::HoldBack;
use nfab::language::Skip;

use super::run::{Run, World, key, same_key};

/// Matches that wait for partial matches which started earlier.
pub struct Held<'a> {
    world: World<'a>,
    hold_back: HoldBack,
    waiting: Vec<Run<'a>>,
}

impl<'a> Held<'a> {
    pub fn new(world: World<'a>, hold_back: HoldBack) -> Self {
        Held { world, hold_back, waiting: vec![] }
    }

    /// Takes complete matches; gives those that are handed out now, and ends what they skip.
    pub fn release(&mut self, complete: Vec<Run<'a>>, runs: &mut Vec<Run<'a>>) -> Vec<Run<'a>> {
        let skip = match &self.world.tree.query.skip {
            None | Some(Skip::NoSkip) => return complete,
            Some(skip) => skip,
        };
        self.waiting.extend(complete);
        self.waiting.sort_by_key(|run| run.order());
        let world = self.world;
        let of = |run: &Run<'a>| key(world.tree, &world.events[run.first()]);
        let mut out = vec![];
        let free = |run: &Run<'a>, runs: &[Run<'a>]| {
            let before = |r: &Run<'a>| r.first() < run.first() && same_key(&of(r), &of(run));
            self.hold_back == HoldBack::EmitNow || !runs.iter().any(before)
        };
        while let Some(at) = self.waiting.iter().position(|run| free(run, runs)) {
            let run = self.waiting.remove(at);
            if let Some(bound) = self.bound(skip, &run) {
                let spared = |r: &Run<'a>| r.first() >= bound || !same_key(&of(r), &of(&run));
                runs.retain(spared);
                self.waiting.retain(spared);
            }
            out.push(run);
        }
        out
    }

    /// What starts before this event is skipped.
    fn bound(&self, skip: &Skip, run: &Run<'a>) -> Option<usize> {
        let (first, last) = (run.bound.first()?.event, run.bound.last()?.event);
        let events = |name: &str| {
            let variable = self.world.tree.numbers[name];
            run.bound.iter().filter(move |b| b.variable == variable).map(|b| b.event)
        };
        match skip {
            Skip::NoSkip => None,
            Skip::ToNext => Some(first + 1),
            Skip::PastLast => Some(last + 1),
            Skip::ToFirst(name) => events(&name.text).next(),
            Skip::ToLast(name) => events(&name.text).next_back(),
        }
    }
}
