//! The stream, step by step.

use nfab::language::{Query, Window};
use nfab::{Cause, EndOfInput};

use super::run::{Run, World, inside};
use super::tree::Tree;
use super::walk::start;
use super::{Ev, Found, Kleene, Options, Outcome, Step};

/// All matches of a query and its timeouts, without what an after-match skip leaves out.
pub fn outcome(query: &Query, steps: &[Step], options: Options) -> Outcome {
    let tree = Tree::new(query);
    let events = on_time(steps);
    let world = World { tree: &tree, events: &events, kleene: options.kleene };
    let mut stream = Stream { world, runs: vec![], outcome: Outcome::default() };
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
            stream.show(number);
            number += 1;
        }
    }
    if options.end == EndOfInput::Max {
        let all = std::mem::take(&mut stream.runs);
        stream.pass(all, Cause::End);
    }
    stream.outcome
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
    outcome: Outcome,
}

impl<'a> Stream<'a> {
    /// The time is so late now.
    fn tell(&mut self, time: i64) {
        let World { tree, events, .. } = self.world;
        let Some(Window::Time { .. }) = tree.query.within.map(|within| within.window) else {
            return;
        };
        let window = tree.query.within.expect("it was there").window;
        let length = i128::from(window.milliseconds().expect("a checked window"));
        let (passed, alive) = std::mem::take(&mut self.runs)
            .into_iter()
            .partition(|run| i128::from(time) - i128::from(events[run.first()].time) > length);
        self.runs = alive;
        self.pass(passed, Cause::Time(time));
    }

    /// The windows of these runs have passed.
    fn pass(&mut self, runs: Vec<Run<'a>>, cause: Cause) {
        let (matches, rest): (Vec<_>, Vec<_>) =
            runs.into_iter().partition(|run| !run.ends.is_empty());
        self.report(matches, cause);
        let timed_out = rest.iter().filter(|run| !run.was_match);
        let found = timed_out.map(|run| self.found(run, cause)).collect();
        add(found, &mut self.outcome.timed_out);
    }

    fn show(&mut self, number: usize) {
        let cause = Cause::Event(number as u64);
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
        // A window of n events has passed with the last event that fits into it.
        let runs = std::mem::take(&mut self.runs);
        let full = |run: &Run<'a>| match world.tree.query.within.map(|within| within.window) {
            Some(Window::Events(n)) => (number + 1 - run.first()) as u64 >= n,
            _ => false,
        };
        let (passed, alive) = runs.into_iter().partition(full);
        self.runs = alive;
        let (waited, timed_out): (Vec<_>, Vec<_>) =
            passed.into_iter().partition(|run: &Run<'a>| !run.ends.is_empty());
        complete.extend(waited);
        self.report(complete, cause);
        self.pass(timed_out, cause);
        debug_assert!(self.runs.iter().all(|run| inside(world, run.first(), number)));
    }

    fn found(&self, run: &Run<'a>, cause: Cause) -> (Vec<usize>, Found) {
        let name = |variable: usize| self.world.tree.variables[variable].name.to_owned();
        let events = run.bound.iter().map(|b| (b.event as u64, name(b.variable))).collect();
        (run.bound.iter().map(|b| b.variable).collect(), Found { cause, events })
    }

    fn report(&mut self, complete: Vec<Run<'a>>, cause: Cause) {
        let allowed = complete.iter().filter(|run| run.is_allowed(self.world));
        let found = allowed.map(|run| self.found(run, cause)).collect();
        add(found, &mut self.outcome.matches);
    }
}

/// Adds what one step completes: in order, and what was not there before.
fn add(mut found: Vec<(Vec<usize>, Found)>, all: &mut Vec<Found>) {
    let numbers = |found: &Found| found.events.iter().map(|e| e.0).collect::<Vec<_>>();
    found.sort_by(|(a_variables, a), (b_variables, b)| {
        (numbers(a), a_variables).cmp(&(numbers(b), b_variables))
    });
    for (_, found) in found {
        if all.iter().all(|other| other.events != found.events) {
            all.push(found);
        }
    }
}
