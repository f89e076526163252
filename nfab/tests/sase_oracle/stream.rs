//! The stream, step by step.

use nfab::language::{Query, Window};
use nfab::{Cause, EndOfInput};

use super::run::{Run, World, inside};
use super::skip::Held;
use super::tree::Tree;
use super::walk::start;
use super::{Ev, Found, Kleene, Options, Outcome, Step};

/// More runs than these are too slow to count.
const MOST_RUNS: usize = 3000;

/// All matches of a query and its timeouts. `None` if there are too many ways to read the stream.
pub fn outcome(query: &Query, steps: &[Step], options: Options) -> Option<Outcome> {
    let tree = Tree::new(query);
    let events = on_time(steps);
    let world = World { tree: &tree, events: &events, kleene: options.kleene };
    let held = Held::new(world, options.hold_back);
    let mut stream = Stream { world, runs: vec![], held, outcome: Outcome::default() };
    let mut now = None;
    let mut number = 0;
    for step in steps {
        let (Step::Event(Ev { time, .. }) | Step::Watermark(time)) = *step;
        if now.is_some_and(|now| time < now) {
            continue;
        }
        if now != Some(time) {
            now = Some(time);
            stream.tell(time);
        }
        if matches!(step, Step::Event(_)) {
            stream.count(number);
            stream.show(number);
            number += 1;
            if stream.runs.len() > MOST_RUNS {
                return None;
            }
        }
    }
    if options.end == EndOfInput::Max {
        let all = std::mem::take(&mut stream.runs);
        stream.conclude(vec![], all, Cause::End);
    }
    Some(stream.outcome)
}

/// The events that are not late.
fn on_time(steps: &[Step]) -> Vec<Ev> {
    let mut now = i64::MIN;
    let mut events = vec![];
    for step in steps {
        let (Step::Event(Ev { time, .. }) | Step::Watermark(time)) = *step;
        if let (Step::Event(event), true) = (step, time >= now) {
            events.push(event.clone());
        }
        now = now.max(time);
    }
    events
}

struct Stream<'a> {
    world: World<'a>,
    runs: Vec<Run<'a>>,
    held: Held<'a>,
    outcome: Outcome,
}

impl<'a> Stream<'a> {
    /// The time is so late now.
    fn tell(&mut self, time: i64) {
        let World { tree, events, .. } = self.world;
        let window = tree.query.within.and_then(|within| within.window.milliseconds());
        let Some(length) = window else { return };
        let over = |run: &Run<'a>| {
            i128::from(time) - i128::from(events[run.first()].time) > i128::from(length)
        };
        let (passed, alive) = std::mem::take(&mut self.runs).into_iter().partition(over);
        self.runs = alive;
        self.conclude(vec![], passed, Cause::Time(time));
    }

    /// There are so many events now.
    fn count(&mut self, number: usize) {
        let window = self.world.tree.query.within.map(|within| within.window);
        let Some(Window::Events(n)) = window else { return };
        let over = |run: &Run<'a>| (number - run.first()) as u64 >= n;
        let (passed, alive) = std::mem::take(&mut self.runs).into_iter().partition(over);
        self.runs = alive;
        self.conclude(vec![], passed, Cause::Event(number as u64));
    }

    fn show(&mut self, number: usize) {
        let world = self.world;
        let waiting = std::mem::take(&mut self.runs);
        let mut complete = vec![];
        let not_started = Run::start(start(world.tree));
        for run in waiting.into_iter().chain([not_started]) {
            let moved = run.show(world, number);
            if moved.concluded {
                complete.push(run);
            }
            self.runs.extend(moved.stays);
            for mut run in moved.taken {
                if run.can_end() {
                    run.was_match = true;
                    if world.kleene == Kleene::Each || run.is_complete() {
                        complete.push(run.clone());
                        run.ends.retain(|end| !end.guards.is_empty());
                    }
                }
                if !run.open.is_empty() || !run.ends.is_empty() {
                    self.runs.push(run);
                }
            }
        }
        assert!(self.runs.iter().all(|run| inside(world, run.first(), number)));
        self.conclude(complete, vec![], Cause::Event(number as u64));
    }

    /// Some runs are complete; the windows of others have passed.
    fn conclude(&mut self, complete: Vec<Run<'a>>, passed: Vec<Run<'a>>, cause: Cause) {
        let (waited, timed_out): (Vec<_>, Vec<_>) =
            passed.into_iter().partition(|run| !run.ends.is_empty());
        let allowed = complete.into_iter().chain(waited).filter(|run| run.is_allowed(self.world));
        let matches = self.held.release(allowed.collect(), &mut self.runs);
        self.add(&matches, cause, |outcome| &mut outcome.matches);
        let windowed = self.world.tree.query.within.is_some();
        let late = |run: &Run<'a>| windowed && !run.was_match;
        let timed_out: Vec<Run<'a>> = timed_out.into_iter().filter(late).collect();
        self.add(&timed_out, cause, |outcome| &mut outcome.timed_out);
    }

    /// Adds what comes about, in the order of output, unless it was there before.
    fn add(&mut self, runs: &[Run<'a>], cause: Cause, to: fn(&mut Outcome) -> &mut Vec<Found>) {
        let variables = &self.world.tree.variables;
        let all = to(&mut self.outcome);
        for run in runs {
            let name = |variable: usize| variables[variable].name.to_owned();
            let events = run.bound.iter().map(|b| (b.event as u64, name(b.variable))).collect();
            if all.iter().all(|other| other.events != events) {
                all.push(Found { cause, events });
            }
        }
        let before = all.iter().position(|found| found.cause == cause).unwrap_or(all.len());
        all[before..].sort_by_key(|found| {
            let place = |name: &String| variables.iter().position(|v| v.name == name);
            let numbers: Vec<u64> = found.events.iter().map(|e| e.0).collect();
            (numbers, found.events.iter().map(|e| place(&e.1)).collect::<Vec<_>>())
        });
    }
}
