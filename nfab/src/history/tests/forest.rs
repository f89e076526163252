//! Random forests of runs: what the buffers read is what the runs took.

use super::*;
use EdgeKind::{Begin, Take};
use proptest::prelude::*;

/// Decisions, drawn beforehand; when they are used up, the first of the choices.
struct Choices {
    left: std::vec::IntoIter<u8>,
}

impl Choices {
    /// Less than `count`.
    fn pick(&mut self, count: usize) -> usize {
        usize::from(self.left.next().unwrap_or(0)) % count
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.pick(count) == count - 1
    }

    fn is_empty(&self) -> bool {
        self.left.len() == 0
    }
}

/// A buffer with its events.
struct Side<H> {
    history: H,
    store: EventStore<u64>,
}

impl<H: History> Side<H> {
    fn new(history: H) -> Self {
        Side { history, store: EventStore::starting_at(u64::from(u32::MAX) - 700) }
    }

    fn read(&self, tail: Tail) -> Vec<(u32, u64)> {
        let mut parts = Vec::new();
        self.history.events(&tail, &mut parts);
        parts.into_iter().map(|(stage, event)| (stage, *self.store.get(event))).collect()
    }
}

/// A run: what it really took, and its tails in the two buffers.
#[derive(Clone)]
struct Run {
    took: Vec<(u32, u64)>,
    tails: [Tail; 2],
    /// It takes nothing more.
    complete: bool,
}

const NEW: Run = Run { took: Vec::new(), tails: [Tail::EMPTY; 2], complete: false };

/// The chain buffer and the versioned one, side by side.
struct World {
    chain: Side<ChainBuffer>,
    versioned: Side<VersionedBuffer>,
    time: i64,
    event: u64,
    runs: Vec<Run>,
    next: Vec<Run>,
}

impl World {
    fn new(kleene: &[bool], rules: Rules) -> Self {
        let (base, shape) = (u64::from(u32::MAX) - 700, shape(kleene, rules));
        World {
            chain: Side::new(ChainBuffer::starting_at(kleene.len(), base)),
            versioned: Side::new(VersionedBuffer::starting_at(shape, base)),
            time: 0,
            event: 0,
            runs: Vec::new(),
            next: Vec::new(),
        }
    }

    fn take(&mut self, run: &Run, stage: u32, kind: EdgeKind, forks: bool) -> &mut Run {
        let mut run = run.clone();
        run.took.push((stage, self.event));
        let entry = |event| Entry { stage, event, kind, forks, time: self.time };
        run.tails = [
            self.chain.history.append(&run.tails[0], entry(self.chain.store.next())),
            self.versioned.history.append(&run.tails[1], entry(self.versioned.store.next())),
        ];
        self.next.push(run);
        self.next.last_mut().expect("one was pushed")
    }

    /// The event has been shown to all runs.
    fn end_event(&mut self, choices: &mut Choices, most: usize) {
        self.chain.store.push(self.event, self.time, self.event);
        self.versioned.store.push(self.event, self.time, self.event);
        self.event += 1;
        self.runs = std::mem::take(&mut self.next);
        while self.runs.len() > most || (!self.runs.is_empty() && choices.one_in(9)) {
            let at = choices.pick(self.runs.len());
            self.runs.swap_remove(at);
        }
        if choices.one_in(3) {
            self.time += choices.pick(5) as i64;
        }
    }

    /// Runs that began before a time end, and so does what they held.
    fn expire(&mut self, times: &[i64], before: i64) {
        self.runs.retain(|run| times[run.took[0].1 as usize] >= before);
        self.chain.history.expire(before);
        self.chain.store.expire(before);
        self.versioned.history.expire(before);
        self.versioned.store.expire(before);
    }

    fn collect(&mut self) {
        let World { chain, versioned, runs, .. } = self;
        let tails = runs.iter_mut().map(|run| &mut run.tails[0]);
        collect(&mut chain.history, &mut chain.store, tails);
        let tails = runs.iter_mut().map(|run| &mut run.tails[1]);
        collect(&mut versioned.history, &mut versioned.store, tails);
        assert_eq!(chain.store.len(), versioned.store.len());
    }

    fn check(&self) -> Result<(), TestCaseError> {
        for run in &self.runs {
            prop_assert_eq!(&self.chain.read(run.tails[0]), &run.took);
            prop_assert_eq!(&self.versioned.read(run.tails[1]), &run.took);
        }
        Ok(())
    }

    /// Shows events while there are choices; `show` lets one run see one.
    fn go(
        mut self,
        choices: &mut Choices,
        show: impl Fn(&mut World, &Run, &mut Choices),
    ) -> Result<(), TestCaseError> {
        let mut times = Vec::new();
        let most = 1 + choices.pick(40);
        let collecting = choices.pick(3);
        while !choices.is_empty() {
            times.push(self.time);
            for run in std::mem::take(&mut self.runs) {
                show(&mut self, &run, choices);
            }
            if choices.pick(4) > 0 {
                self.take(&NEW, 0, Begin, false);
            }
            self.end_event(choices, most);
            self.check()?;
            if collecting == 0 && choices.one_in(30) {
                self.collect();
                self.check()?;
            }
            if collecting < 2 {
                let before = self.time - 20;
                self.expire(&times, before);
                self.check()?;
            }
        }
        self.collect();
        self.check()
    }
}

/// Anything: several begins and takes of one run with one event, clones that ignore it, two even.
fn anything(world: &mut World, run: &Run, choices: &mut Choices) {
    let moves: Vec<(u32, EdgeKind)> = (0..choices.pick(4))
        .map(|_| (choices.pick(3) as u32, if choices.one_in(2) { Take } else { Begin }))
        .collect();
    let ignores = [1, 1, 1, 0, 2][choices.pick(5)];
    for &(stage, kind) in &moves {
        world.take(run, stage, kind, moves.len() + ignores > 1);
    }
    (0..ignores).for_each(|_| world.next.push(run.clone()));
}

/// Skip-till-next over `a+ b c+ d`: a run takes an event with the component at hand, with the next
/// one, or with both; it ignores it if neither.
fn next_match(world: &mut World, run: &Run, choices: &mut Choices) {
    const KLEENE: [bool; 4] = [true, false, true, false];
    let last = run.took.last().map_or(0, |part| part.0);
    if run.complete || choices.one_in(3) {
        return world.next.push(run.clone());
    }
    let take = KLEENE[last as usize] && choices.pick(3) > 0;
    let begin = last < 3 && choices.one_in(3);
    if take {
        world.take(run, last, Take, begin);
    }
    if begin {
        world.take(run, last + 1, Begin, take).complete = last == 2;
    }
    if !take && !begin {
        world.next.push(run.clone());
    }
}

fn choices() -> impl Strategy<Value = Choices> {
    let few = proptest::collection::vec(any::<u8>(), 0..200);
    let many = proptest::collection::vec(any::<u8>(), 0..20_000);
    prop_oneof![3 => few, 1 => many].prop_map(|bytes| Choices { left: bytes.into_iter() })
}

impl std::fmt::Debug for Choices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.left.as_slice()).finish()
    }
}

proptest! {
    #[test]
    fn tree_versions_are_exact_for_every_forest(mut choices in choices()) {
        World::new(&[true; 3], Rules::Tree).go(&mut choices, anything)?;
    }

    #[test]
    fn the_paper_s_rules_are_exact_for_skip_till_next(mut choices in choices()) {
        let kleene = [true, false, true, false];
        World::new(&kleene, Rules::Paper).go(&mut choices, next_match)?;
    }

    #[test]
    fn tree_versions_are_exact_for_skip_till_next(mut choices in choices()) {
        let kleene = [true, false, true, false];
        World::new(&kleene, Rules::Tree).go(&mut choices, next_match)?;
    }
}
