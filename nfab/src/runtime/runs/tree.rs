//! Deciding what an event does to the runs of a wait.
//!
//! All formulas of a wait are decided together, by a tree of conditions that grows as events call
//! for it. Conditions on the event alone come first: one walk serves all runs of the wait, and only
//! what it leaves open is decided for each run.

use crate::event::TypeId;
use crate::nfa::kinds::Kind;
use crate::nfa::program::{COMPLETE, Finish, NOWHERE, Sees, Wait};
use crate::nfa::{Condition, Formula};
use crate::predicate::evaluate::Test;

/// What is reached is an outcome, not a node.
const OUTCOME: u32 = 1 << 31;
/// Not built yet.
const UNBUILT: u32 = u32::MAX;
/// Nodes from which on the tree is built anew, so that it cannot grow without bound.
const MOST_NODES: usize = 4096;

/// A move that is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fire {
    /// Its place in the wait.
    pub(crate) at: u32,
    /// Where the run waits then, or [`NOWHERE`].
    pub(crate) target: u32,
    /// The run is a match.
    pub(crate) emits: bool,
}

/// What becomes of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It waits on, as if nothing had happened.
    Stay,
    /// It ends without a match.
    End,
    /// It makes one move and stays in its wait.
    Take,
    /// It makes one move to another wait.
    Move,
    /// It makes one move and ends, as a match or not.
    Finish,
    /// Anything else.
    Several,
}

/// What an event does to a run.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) effect: Effect,
    pub(crate) moves: Vec<Fire>,
    /// The waits in which it goes on without the event.
    pub(crate) ignores: Vec<u32>,
    /// Without the event it is a match.
    pub(crate) completes: bool,
    /// The run becomes more than one.
    pub(crate) forks: bool,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    condition: u32,
    correlated: bool,
    /// The condition is that the event is of this type.
    type_id: Option<TypeId>,
    parent: u32,
    /// Which branch of the parent it is.
    branch: bool,
    next: [u32; 2],
}

/// What a formula is for.
#[derive(Clone, Copy, Debug)]
enum Goal {
    Stop,
    Move(u32),
    /// Of the move before.
    Emit,
    Ignore(u32),
}

/// The tree of a wait.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    outcomes: Vec<Outcome>,
    root: u32,
    /// For each kind of event where its walk comes to the first question that is not about types.
    entries: Vec<u32>,
    goals: Vec<(Goal, Formula)>,
    /// The place of the wait among the others; a run that has not started has none to stay in.
    own: Option<u32>,
    /// For each move where it leads, and whether it may be a match once the event is entered.
    moves: Vec<(u32, bool)>,
    /// Known conditions while a node is built.
    known: Vec<Option<bool>>,
}

impl Tree {
    /// The tree of a wait, or of the start.
    pub(crate) fn new(wait: &Wait, own: u32, start: bool, conditions: usize) -> Tree {
        let mut goals = Vec::new();
        for stop in &wait.stops {
            goals.push((Goal::Stop, stop.clone()));
        }
        for (at, m) in wait.moves.iter().enumerate() {
            goals.push((Goal::Move(at as u32), m.formula.clone()));
            if let Finish::Emit { formula, sees: Sees::Before } = &m.finish {
                let formula = m.formula.clone().and(formula.clone());
                goals.push((Goal::Emit, formula));
            }
        }
        for ignore in wait.ignores.iter().filter(|i| !start && i.target != NOWHERE) {
            let mut formula = ignore.formula.clone();
            for &at in &ignore.unless {
                formula = formula.and(wait.moves[at as usize].formula.clone().negated());
            }
            goals.push((Goal::Ignore(ignore.target), formula));
        }
        Tree {
            nodes: Vec::new(),
            outcomes: Vec::new(),
            root: UNBUILT,
            entries: Vec::new(),
            goals,
            own: (!start).then_some(own),
            moves: (wait.moves.iter())
                .map(|m| (m.target, matches!(m.finish, Finish::Emit { sees: Sees::After, .. })))
                .collect(),
            known: vec![None; conditions],
        }
    }

    /// The outcome, if the type of an event is known to decide it.
    #[inline]
    pub(crate) fn decided(&self, kind: Kind) -> Option<u32> {
        let entry = *self.entries.get(kind.class)?;
        (entry & OUTCOME != 0 && entry != UNBUILT).then_some(entry)
    }

    /// How far conditions on the event alone lead, if the type of an event is known to tell.
    #[inline]
    pub(crate) fn known(&self, kind: Kind) -> Option<u32> {
        let entry = *self.entries.get(kind.class)?;
        if entry & OUTCOME != 0 {
            return (entry != UNBUILT).then_some(entry);
        }
        let few = self.nodes.len() < MOST_NODES;
        (few && self.nodes[entry as usize].correlated).then_some(entry)
    }

    /// Walks down as far as conditions on the event alone lead.
    pub(crate) fn walk_event(
        &mut self,
        conditions: &[Condition],
        kind: Kind,
        mut holds: impl FnMut(u32) -> bool,
    ) -> u32 {
        let mut at = match self.entries.get(kind.class) {
            Some(&entry) if entry != UNBUILT && self.nodes.len() < MOST_NODES => entry,
            _ => self.enter(conditions, kind),
        };
        while at & OUTCOME == 0 {
            let node = &self.nodes[at as usize];
            if node.correlated {
                break;
            }
            let branch = match node.type_id {
                Some(id) => id == kind.of,
                None => holds(node.condition),
            };
            let next = node.next[usize::from(branch)];
            at = if next == UNBUILT { self.grow(conditions, at, branch) } else { next };
        }
        at
    }

    /// Finds the entry for a kind of event.
    #[cold]
    fn enter(&mut self, conditions: &[Condition], kind: Kind) -> u32 {
        if self.root == UNBUILT || self.nodes.len() >= MOST_NODES {
            self.plant(conditions);
        }
        let mut at = self.root;
        while at & OUTCOME == 0
            && let Node { type_id: Some(id), .. } = self.nodes[at as usize]
        {
            at = self.follow(conditions, at, id == kind.of);
        }
        if self.entries.len() <= kind.class {
            self.entries.resize(kind.class + 1, UNBUILT);
        }
        self.entries[kind.class] = at;
        at
    }

    /// Builds the tree anew, with nothing but a root.
    #[cold]
    fn plant(&mut self, conditions: &[Condition]) {
        self.nodes.clear();
        self.outcomes.clear();
        self.entries.clear();
        self.root = self.build(conditions, None);
    }

    /// Walks on to an outcome.
    #[inline]
    pub(crate) fn walk_run(
        &mut self,
        conditions: &[Condition],
        mut at: u32,
        mut holds: impl FnMut(u32) -> bool,
    ) -> u32 {
        while at & OUTCOME == 0 {
            let branch = holds(self.nodes[at as usize].condition);
            at = self.follow(conditions, at, branch);
        }
        at
    }

    /// The condition that is decided next for each run, and the branches on which the run stays as
    /// it is, as far as they are known.
    #[inline]
    pub(crate) fn fork(&self, at: u32) -> Option<(u32, [bool; 2])> {
        if at & OUTCOME != 0 {
            return None;
        }
        let node = &self.nodes[at as usize];
        let stays = |next: u32| {
            next != UNBUILT && self.outcome(next).is_some_and(|o| o.effect == Effect::Stay)
        };
        Some((node.condition, node.next.map(stays)))
    }

    /// What was reached, if it is an outcome.
    #[inline]
    pub(crate) fn outcome(&self, at: u32) -> Option<&Outcome> {
        (at & OUTCOME != 0).then(|| &self.outcomes[(at & !OUTCOME) as usize])
    }

    /// Goes down a branch.
    #[inline]
    pub(crate) fn follow(&mut self, conditions: &[Condition], at: u32, branch: bool) -> u32 {
        let next = self.nodes[at as usize].next[usize::from(branch)];
        if next == UNBUILT { self.grow(conditions, at, branch) } else { next }
    }

    #[cold]
    fn grow(&mut self, conditions: &[Condition], at: u32, branch: bool) -> u32 {
        let next = self.build(conditions, Some((at, branch)));
        self.nodes[at as usize].next[usize::from(branch)] = next;
        next
    }

    /// The node or outcome below a branch.
    fn build(&mut self, conditions: &[Condition], below: Option<(u32, bool)>) -> u32 {
        self.known.fill(None);
        let mut above = below;
        while let Some((at, branch)) = above {
            let node = &self.nodes[at as usize];
            self.known[node.condition as usize] = Some(branch);
            above = (node.parent != UNBUILT).then_some((node.parent, node.branch));
        }
        let open = |correlated: bool| {
            let wanted = |number: u32| conditions[number as usize].unary != correlated;
            self.goals.iter().find_map(|goal| undecided(&goal.1, &self.known, &wanted))
        };
        let next = open(false).map(|number| (number, false));
        let Some((condition, correlated)) = next.or_else(|| Some((open(true)?, true))) else {
            self.outcomes.push(self.decide());
            return OUTCOME | (self.outcomes.len() - 1) as u32;
        };
        let (parent, branch) = below.unwrap_or((UNBUILT, false));
        let next = [UNBUILT; 2];
        let type_id = match conditions[condition as usize].test {
            Test::TypeIs(id) => Some(id),
            _ => None,
        };
        self.nodes.push(Node { condition, correlated, type_id, parent, branch, next });
        (self.nodes.len() - 1) as u32
    }

    /// The outcome, all formulas being decided.
    fn decide(&self) -> Outcome {
        let holds = |formula: &Formula| {
            formula.value(&mut |number| self.known[number as usize]) == Some(true)
        };
        let open = self.goals.iter().filter(|goal| holds(&goal.1)).map(|goal| goal.0);
        let (mut stops, mut completes) = (false, false);
        let mut moves: Vec<Fire> = Vec::new();
        let mut ignores = Vec::new();
        for goal in open {
            match goal {
                Goal::Stop => stops = true,
                Goal::Move(at) => {
                    moves.push(Fire { at, target: self.moves[at as usize].0, emits: false });
                }
                Goal::Emit => moves.iter_mut().last().into_iter().for_each(|m| m.emits = true),
                Goal::Ignore(COMPLETE) => completes = true,
                Goal::Ignore(target) if !ignores.contains(&target) => ignores.push(target),
                Goal::Ignore(_) => {}
            }
        }
        if stops {
            ignores.clear();
            moves.iter_mut().for_each(|m| m.target = NOWHERE);
            moves.retain(|m| m.emits || self.moves[m.at as usize].1);
        }
        // A match is kept beside what goes on, where the buffer keeps it.
        let forks = moves.len() + ignores.len() > 1;
        let effect = match (moves.as_slice(), ignores.as_slice()) {
            _ if completes => Effect::Several,
            ([], []) => Effect::End,
            ([], [stays]) if Some(*stays) == self.own => Effect::Stay,
            ([one], []) if Some(one.target) == self.own => Effect::Take,
            ([one], []) if one.target != NOWHERE => Effect::Move,
            ([_], []) => Effect::Finish,
            _ => Effect::Several,
        };
        Outcome { effect, moves, ignores, completes, forks }
    }
}

/// The first wanted condition that the value of an undecided formula may depend on.
fn undecided(
    formula: &Formula,
    known: &[Option<bool>],
    wanted: &impl Fn(u32) -> bool,
) -> Option<u32> {
    if formula.value(&mut |number| known[number as usize]).is_some() {
        return None;
    }
    match formula {
        Formula::True => None,
        Formula::Holds(number) => wanted(*number).then_some(*number),
        Formula::Not(inner) => undecided(inner, known, wanted),
        Formula::And(a, b) => undecided(a, known, wanted).or_else(|| undecided(b, known, wanted)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nfa::EdgeKind;
    use crate::nfa::program::{Ignore, Move};
    use crate::predicate::Expr;

    const KIND: Kind = Kind { of: TypeId(0), class: 0 };

    fn conditions(unary: &[bool]) -> Vec<Condition> {
        let one = |&unary| Condition { expr: Expr::constant(true), test: Test::And(vec![]), unary };
        unary.iter().map(one).collect()
    }

    /// A hundred alternatives: more than a machine word, decided one by one.
    #[test]
    fn more_conditions_than_bits() {
        let conditions = conditions(&[true; 100]);
        let moves = (0..100).map(|at| Move {
            kind: EdgeKind::Begin,
            formula: Formula::Holds(at),
            stage: at,
            target: NOWHERE,
            resets: Box::default(),
            finish: Finish::Emit { formula: Formula::True, sees: Sees::Before },
        });
        let ignore = Ignore { formula: Formula::True, unless: (0..100).collect(), target: 0 };
        let wait = Wait { moves: moves.collect(), ignores: vec![ignore], ..Wait::default() };
        let mut tree = Tree::new(&wait, 0, false, 100);
        for round in 0..3 {
            for wanted in 0..100 {
                let at = tree.walk_event(&conditions, KIND, |number| number == wanted);
                let outcome = tree.outcome(at).expect("nothing is left open");
                assert_eq!(outcome.moves, [Fire { at: wanted, target: NOWHERE, emits: true }]);
                assert!(outcome.ignores.is_empty(), "round {round}");
            }
            let at = tree.walk_event(&conditions, KIND, |_| false);
            assert_eq!(tree.outcome(at).expect("decided").effect, Effect::Stay);
        }
    }

    #[test]
    fn what_the_event_decides_is_decided_for_all_runs() {
        let conditions = conditions(&[true, false]);
        let formula = Formula::Holds(1).and(Formula::Holds(0));
        let ignore =
            Ignore { formula: formula.clone().negated(), unless: Box::default(), target: 0 };
        let one = Move {
            kind: EdgeKind::Take,
            formula,
            stage: 0,
            target: 0,
            resets: Box::default(),
            finish: Finish::No,
        };
        let wait = Wait { moves: vec![one], ignores: vec![ignore], ..Wait::default() };
        let mut tree = Tree::new(&wait, 0, false, 2);
        let at = tree.walk_event(&conditions, KIND, |_| false);
        assert_eq!(tree.outcome(at).expect("decided").effect, Effect::Stay);
        let at = tree.walk_event(&conditions, KIND, |_| true);
        assert!(tree.outcome(at).is_none());
        let taken = tree.walk_run(&conditions, at, |_| true);
        assert_eq!(tree.outcome(taken).expect("decided").effect, Effect::Take);
        let stays = tree.walk_run(&conditions, at, |_| false);
        assert_eq!(tree.outcome(stays).expect("decided").effect, Effect::Stay);
    }
}
