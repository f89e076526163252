//! Runs: one for each way in which the events taken so far can be read.

use nfab::Value;
use nfab::language::{EdgeKind, Expr, ExprKind, Index, Strategy, Window};

use super::tree::{Anchor, Condition, Tree};
use super::value::Val;
use super::view::{Bound, Rounds, View, common};
use super::walk::{Choice, Guard, Leave, Next, Way, after};
use super::{Ev, Kleene};

/// The stream so far and what is looked for in it.
#[derive(Clone, Copy)]
pub struct World<'a> {
    pub tree: &'a Tree<'a>,
    /// The events that were not late.
    pub events: &'a [Ev],
    pub kleene: Kleene,
}

#[derive(Clone)]
pub struct Run<'a> {
    pub bound: Vec<Bound>,
    /// Lists and groups that were left.
    left: Vec<Leave>,
    /// Negations that are judged on the complete match, each with the number of events before it.
    judged: Vec<(usize, Guard)>,
    /// The choices that are open.
    pub open: Vec<Choice<'a>>,
    /// The ways to the end that are open: the match waits for its window, or for what extends it.
    pub ends: Vec<Way>,
    /// It or what it continues was a match.
    pub was_match: bool,
}

/// What becomes of a run with an event.
#[derive(Default)]
pub struct Moved<'a> {
    /// The run itself, without the event, if it goes on.
    pub stays: Option<Run<'a>>,
    /// It can no longer be extended, and is complete.
    pub concluded: bool,
    /// The runs that took the event.
    pub taken: Vec<Run<'a>>,
}

/// The values of the partition's attributes, if the event is in a partition.
pub fn key(tree: &Tree<'_>, event: &Ev) -> Option<Vec<Val>> {
    let value = |name: &&str| {
        let found = event.attributes.iter().find(|(n, _)| n == name);
        Val::of(found.map_or(&Value::Missing, |(_, value)| value))
    };
    let values: Vec<Val> = tree.keys.iter().map(value).collect();
    values.iter().all(Val::is_key).then_some(values)
}

pub fn same_key(a: &Option<Vec<Val>>, b: &Option<Vec<Val>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.iter().zip(b).all(|(a, b)| a.same_key(b)),
        _ => false,
    }
}

/// Whether an event lies within the window that begins with another one.
pub fn inside(world: World<'_>, first: usize, event: usize) -> bool {
    let time = |e: usize| i128::from(world.events[e].time);
    match world.tree.query.within.map(|within| within.window) {
        None => true,
        Some(Window::Events(n)) => ((event - first) as u64) < n,
        Some(window @ Window::Time { .. }) => {
            let length = window.milliseconds().expect("a checked window");
            time(event) - time(first) <= i128::from(length)
        }
    }
}

/// A variable that is a single event of a repeated group occurs in an expression as `v[1]` only.
fn first_only(expr: &Expr, name: &str) -> bool {
    match &expr.kind {
        ExprKind::Reference(r) if &*r.variable.text == name => r.index == Index::First,
        ExprKind::Aggregate(a) => &*a.variable.text != name,
        ExprKind::Literal(_) | ExprKind::Reference(_) => true,
        ExprKind::Negate(e) | ExprKind::Not(e) => first_only(e, name),
        ExprKind::IsNull { value, .. } => first_only(value, name),
        ExprKind::All(parts) | ExprKind::Any(parts) => parts.iter().all(|e| first_only(e, name)),
        ExprKind::Arithmetic(_, a, b) | ExprKind::Compare(_, a, b) => {
            first_only(a, name) && first_only(b, name)
        }
        ExprKind::In { value, list, .. } => {
            first_only(value, name) && list.iter().all(|e| first_only(e, name))
        }
        ExprKind::Between { value, low, high, .. } => {
            [value, low, high].iter().all(|e| first_only(e, name))
        }
    }
}

impl<'a> Run<'a> {
    /// The run that has not started.
    pub fn start(next: Next<'a>) -> Self {
        let Next { choices, .. } = next;
        let (bound, left, judged, ends) = (vec![], vec![], vec![], vec![]);
        Run { bound, left, judged, open: choices, ends, was_match: false }
    }

    pub fn first(&self) -> usize {
        self.bound[0].event
    }

    /// Its place in the order of output, among what one step brings.
    pub fn order(&self) -> (Vec<usize>, Vec<usize>) {
        self.bound.iter().map(|b| (b.event, b.variable)).unzip()
    }

    fn last(&self) -> usize {
        self.bound[self.bound.len() - 1].event
    }

    fn view<'v>(&'v self, world: World<'v>, rounds: &'v Rounds) -> View<'v> {
        let World { tree, events, .. } = world;
        View { tree, events, bound: &self.bound, rounds, negated: None }
    }

    /// Whether the edge of a condition lies behind, as seen from the given rounds.
    fn passed(&self, world: World<'_>, (variable, kind): Anchor, rounds: &Rounds) -> bool {
        let depth = common(rounds, &world.tree.variables[variable].rounds);
        let same = |of: &Rounds| of.iter().zip(&rounds[..depth]).all(|(a, b)| a == b);
        match kind {
            EdgeKind::Proceed => {
                self.left.iter().any(|l| l.variables.contains(&variable) && same(&l.rounds))
            }
            _ => self.bound.iter().any(|b| b.variable == variable && same(&b.rounds)),
        }
    }

    /// Tests the conditions of a variable on one kind of edge: those that wait for nothing else.
    fn test(
        &self,
        world: World<'_>,
        variable: usize,
        rounds: &Rounds,
        applies: impl Fn(&Condition<'_>) -> bool,
    ) -> bool {
        let conditions = &world.tree.variables[variable].conditions;
        conditions
            .iter()
            .filter(|c| applies(c))
            .filter(|c| c.others.iter().all(|&other| self.passed(world, other, rounds)))
            .all(|c| self.view(world, rounds).holds(c.expr))
    }

    /// Leaves lists and groups; gives whether their conditions hold.
    fn leave(&mut self, world: World<'_>, leaves: &[Leave]) -> bool {
        leaves.iter().all(|leave| {
            self.left.push(leave.clone());
            let proceed = |c: &Condition<'_>| c.kind == EdgeKind::Proceed;
            let holds = |&v: &usize| self.test(world, v, &leave.rounds, proceed);
            !leave.come_to || leave.variables.iter().all(holds)
        })
    }

    /// The run with the event, if the choice fires on it.
    fn fire(&self, world: World<'a>, choice: &Choice<'a>, event: usize) -> Option<Run<'a>> {
        let tree = world.tree;
        let own = key(tree, &world.events[event]);
        let same = match self.bound.first() {
            Some(first) => same_key(&own, &key(tree, &world.events[first.event])),
            None => own.is_some(),
        };
        let of = &tree.variables[choice.variable];
        if !same || world.events[event].kind != of.event_type {
            return None;
        }
        let rounds = &choice.rounds;
        if !tree.constants.iter().all(|e| self.view(world, rounds).holds(e)) {
            return None;
        }
        let mut run = self.clone();
        if !run.leave(world, &choice.way.leaves) {
            return None;
        }
        for guard in &choice.way.guards {
            if self.bound.is_empty() || tree.variables[guard.variable].looks_ahead {
                run.judged.push((self.bound.len(), guard.clone()));
            }
        }
        let variable = choice.variable;
        run.bound.push(Bound { event, variable, rounds: rounds.clone() });
        // In a repeated group, a single event is the first of its list in the first round.
        let first = choice.first && run.view(world, rounds).list(variable).len() == 1;
        let applies = |c: &Condition<'_>| match c.kind {
            EdgeKind::Begin if of.list => choice.first,
            EdgeKind::Begin => first || !first_only(c.expr, of.name),
            EdgeKind::Take if of.list => !choice.first,
            EdgeKind::Take => !first,
            _ => false,
        };
        if !run.test(world, variable, rounds, applies) {
            return None;
        }
        let next = after(tree, &choice.rest);
        run.open = next.choices;
        run.ends = next.ends.into_iter().filter(|w| run.clone().leave(world, &w.leaves)).collect();
        // A match that is at hand does not wait for a window because of another way to the end.
        if run.ends.iter().any(|end| end.guards.is_empty()) {
            run.ends.retain(|end| end.guards.is_empty());
        }
        Some(run)
    }

    /// Whether an event is a negated one as a guard means it.
    fn offends(&self, world: World<'_>, guard: &Guard, event: usize) -> bool {
        let (tree, of) = (world.tree, &world.tree.variables[guard.variable]);
        let found = &world.events[event];
        let first = &world.events[self.first()];
        let negated = Some((guard.variable, event));
        let view = View { negated, ..self.view(world, &guard.rounds) };
        found.kind == of.event_type
            && same_key(&key(tree, found), &key(tree, first))
            && of.conditions.iter().all(|c| view.holds(c.expr))
    }

    /// Whether an event that is not taken closes what stands behind the guards. `trailing`: the
    /// match ends with them, so that nothing which they look at is still to come.
    fn closes(&self, world: World<'_>, guards: &[Guard], event: usize, trailing: bool) -> bool {
        guards.iter().any(|guard| {
            (trailing || !world.tree.variables[guard.variable].looks_ahead)
                && (!guard.next_only || event == self.last() + 1)
                && self.offends(world, guard, event)
        })
    }

    /// Shows the run an event within its window.
    pub fn show(&self, world: World<'a>, event: usize) -> Moved<'a> {
        let fire = |choice: &Choice<'a>| self.fire(world, choice, event);
        let fired: Vec<Option<Run<'a>>> = self.open.iter().map(fire).collect();
        let taken = self.open.iter().zip(&fired).filter(|(_, run)| run.is_some());
        let any = |choice: &Choice<'a>| choice.strategy == Strategy::SkipTillAnyMatch;
        let fits = taken.clone().next().is_some();
        let fits_not_any = taken.clone().any(|(choice, _)| !any(choice));
        let mut moved = Moved { taken: fired.into_iter().flatten().collect(), ..Moved::default() };
        if self.bound.is_empty() {
            return moved;
        }

        let key_of = |e: usize| key(world.tree, &world.events[e]);
        let elsewhere = !same_key(&key_of(event), &key_of(self.first()));
        let mut stays = self.clone();
        stays.open.retain(|choice| {
            let ignored = match choice.strategy {
                Strategy::StrictContiguity => false,
                Strategy::PartitionContiguity => elsewhere,
                Strategy::SkipTillNextMatch => !fits_not_any,
                Strategy::SkipTillAnyMatch => true,
            };
            // Before the first event nothing is guarded: that is judged in the end.
            ignored && !self.closes(world, &choice.way.guards, event, false)
        });
        stays.ends.retain(|end| !self.closes(world, &end.guards, event, true));
        if world.kleene == Kleene::Maximal && fits {
            stays.ends.clear();
        }
        if stays.is_complete() {
            moved.concluded = true;
        } else if !stays.open.is_empty() || !stays.ends.is_empty() {
            moved.stays = Some(stays);
        }
        moved
    }

    /// Nothing can extend it, and it waits for no window.
    pub fn is_complete(&self) -> bool {
        self.open.is_empty() && self.can_end()
    }

    /// It is a match, as far as is known without its window.
    pub fn can_end(&self) -> bool {
        self.ends.iter().any(|end| end.guards.is_empty())
    }

    /// The negations that are judged on the complete match let it pass.
    pub fn is_allowed(&self, world: World<'_>) -> bool {
        self.judged.iter().all(|(before, guard)| {
            let (from, to) = match before.checked_sub(1) {
                None => (0, self.first()),
                Some(at) => (self.bound[at].event + 1, self.bound[*before].event),
            };
            let leading = *before == 0;
            !(from..to).any(|event| {
                let meant = match leading {
                    true => inside(world, event, self.last()),
                    false => !guard.next_only || event == from,
                };
                meant && self.offends(world, guard, event)
            })
        })
    }
}
