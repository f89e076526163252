//! What may come next: a walk over the pattern with an explicit continuation.

use nfab::language::{Gap, GroupKind, Quantifier, Strategy};

use super::tree::{Node, Tree};
use super::view::Rounds;

/// What is still to come, innermost part last.
#[derive(Clone)]
enum Frame<'t> {
    /// The items of a sequence from this one on.
    Items { items: &'t [Node], gaps: &'t [Gap], next: usize },
    /// The list of a variable, after so many events.
    List { variable: usize, quantifier: Quantifier, count: u32 },
    /// A repeated group, in this round.
    Round { group: &'t Node, count: u32 },
    /// The items of an `AND` that have not come yet, the one that is coming, and the gap before the
    /// next one. `entered`: the number of negations on the way to it; none once it has events.
    All { items: &'t [Node], left: Vec<usize>, coming: usize, gap: Gap, entered: Option<usize> },
    /// The items of an `AND` that do not come at all; whether that was already so around it.
    Absent { items: &'t [Node], left: Vec<usize>, outer: bool },
}

#[derive(Clone, Default)]
pub struct Rest<'t>(Vec<Frame<'t>>);

/// A negation on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    pub variable: usize,
    /// It stands behind `->`: only the very next event is meant.
    pub next_only: bool,
    pub rounds: Rounds,
}

/// A list or a repeated group that is left on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Leave {
    /// The variable of a list, or all single events of which the group is the innermost repeated
    /// one.
    pub variables: Vec<usize>,
    /// The rounds from which what was left is seen.
    pub rounds: Rounds,
    /// What was not come to, in a group that is left or an item of an `AND` that is done, lies
    /// behind as well; only its conditions are not tested.
    pub come_to: bool,
}

/// What happens between two taken events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way {
    pub guards: Vec<Guard>,
    pub leaves: Vec<Leave>,
}

/// A variable that may come next.
#[derive(Clone)]
pub struct Choice<'t> {
    pub variable: usize,
    /// It is the first event of a list, or a single event.
    pub first: bool,
    pub strategy: Strategy,
    pub way: Way,
    pub rounds: Rounds,
    pub rest: Rest<'t>,
}

/// All that may come next, and the ways to the end of the pattern.
#[derive(Clone, Default)]
pub struct Next<'t> {
    pub choices: Vec<Choice<'t>>,
    pub ends: Vec<Way>,
}

pub fn start<'t>(tree: &'t Tree<'_>) -> Next<'t> {
    let mut walk = Walk { tree, next: Next::default(), passing: false };
    walk.item(&tree.root, Gap::Strategy, Rest::default(), Way::default());
    walk.next
}

pub fn after<'t>(tree: &'t Tree<'_>, rest: &Rest<'t>) -> Next<'t> {
    let mut walk = Walk { tree, next: Next::default(), passing: false };
    walk.resume(rest.clone(), Way::default());
    walk.next
}

impl<'t> Rest<'t> {
    fn with(&self, frame: Frame<'t>) -> Rest<'t> {
        let mut frames = self.0.clone();
        frames.push(frame);
        Rest(frames)
    }

    fn rounds(&self) -> Rounds {
        let round = |frame: &Frame<'t>| match frame {
            Frame::Round { group: Node::Group { id, .. }, count } => Some((*id, *count)),
            _ => None,
        };
        self.0.iter().filter_map(round).collect()
    }

    /// An event is taken: the next item of each `AND` around it comes after a plain gap.
    fn taken(mut self) -> Rest<'t> {
        for frame in &mut self.0 {
            if let Frame::All { gap, entered, .. } = frame {
                (*gap, *entered) = (Gap::Strategy, None);
            }
        }
        self
    }
}

impl Way {
    fn leaving(&self, variables: Vec<usize>, rounds: Rounds) -> Way {
        let mut way = self.clone();
        way.leaves.push(Leave { variables, rounds, come_to: true });
        way
    }

    fn behind(&self, node: &Node, rounds: Rounds) -> Way {
        let mut way = self.clone();
        let mut variables = vec![];
        left_inside(node, false, &mut variables);
        way.leaves.push(Leave { variables, rounds, come_to: false });
        way
    }
}

/// The variables that are left inside: lists, and single events of repeated groups.
fn left_inside(node: &Node, repeats: bool, into: &mut Vec<usize>) {
    match node {
        Node::Event { variable, quantifier } if repeats || quantifier.repeats() => {
            into.push(*variable);
        }
        Node::Event { .. } => {}
        Node::Group { items, quantifier, .. } => {
            let repeats = repeats || quantifier.repeats();
            items.iter().for_each(|item| left_inside(item, repeats, into));
        }
    }
}

struct Walk<'t, 'q> {
    tree: &'t Tree<'q>,
    next: Next<'t>,
    /// Items are passed over: no event is taken.
    passing: bool,
}

/// Between how many and how many times something occurs.
fn bounds(quantifier: Quantifier) -> (u32, u32) {
    match quantifier {
        Quantifier::One => (1, 1),
        Quantifier::Optional => (0, 1),
        Quantifier::Repeat { min, max } => (min, max.unwrap_or(u32::MAX)),
    }
}

impl<'t> Walk<'t, '_> {
    fn choose(&mut self, variable: usize, first: bool, gap: Gap, rest: Rest<'t>, way: Way) {
        if self.passing {
            return;
        }
        let strategy = match gap {
            Gap::Strategy => self.tree.strategy,
            Gap::Next => Strategy::StrictContiguity,
            Gap::FollowedBy => Strategy::SkipTillNextMatch,
            Gap::FollowedByAny => Strategy::SkipTillAnyMatch,
        };
        let rounds = rest.rounds();
        let rest = rest.taken();
        self.next.choices.push(Choice { variable, first, strategy, way, rounds, rest });
    }

    /// Comes to an item, behind a gap.
    fn item(&mut self, node: &'t Node, gap: Gap, rest: Rest<'t>, way: Way) {
        match node {
            Node::Event { variable, quantifier } => {
                self.event(*variable, *quantifier, gap, rest, way);
            }
            Node::Group { quantifier, .. } => {
                let inside = match quantifier.repeats() {
                    true => rest.with(Frame::Round { group: node, count: 1 }),
                    false => rest.clone(),
                };
                self.body(node, gap, inside, way.clone());
                match quantifier {
                    Quantifier::Optional => self.resume(rest, way),
                    Quantifier::Repeat { min: 0, .. } => self.leave_group(node, rest, way),
                    _ => {}
                }
            }
        }
    }

    fn event(&mut self, variable: usize, of: Quantifier, gap: Gap, rest: Rest<'t>, way: Way) {
        if self.tree.variables[variable].negated {
            let mut way = way;
            let (next_only, rounds) = (gap == Gap::Next, rest.rounds());
            way.guards.push(Guard { variable, next_only, rounds });
            return self.resume(rest, way);
        }
        match of {
            Quantifier::One => self.choose(variable, true, gap, rest, way),
            Quantifier::Optional => {
                self.choose(variable, true, gap, rest.clone(), way.clone());
                self.resume(rest, way);
            }
            Quantifier::Repeat { min, .. } => {
                let list = rest.with(Frame::List { variable, quantifier: of, count: 1 });
                self.choose(variable, true, gap, list, way.clone());
                if min == 0 {
                    let rounds = rest.rounds();
                    self.resume(rest, way.leaving(vec![variable], rounds));
                }
            }
        }
    }

    /// Comes to the inside of a group.
    fn body(&mut self, node: &'t Node, gap: Gap, rest: Rest<'t>, way: Way) {
        let Node::Group { kind, items, gaps, .. } = node else { unreachable!("a group") };
        match kind {
            GroupKind::Seq => {
                let behind = rest.with(Frame::Items { items, gaps, next: 1 });
                self.item(&items[0], gap, behind, way);
            }
            GroupKind::Or => {
                for item in items {
                    self.item(item, gap, rest.clone(), way.clone());
                }
            }
            GroupKind::And => self.all(items, (0..items.len()).collect(), gap, rest, way),
        }
    }

    /// Comes to what is left of an `AND`.
    fn all(&mut self, items: &'t [Node], left: Vec<usize>, gap: Gap, rest: Rest<'t>, way: Way) {
        if !self.passing {
            for &one in &left {
                let left = left.iter().copied().filter(|&other| other != one).collect();
                let entered = Some(way.guards.len());
                let behind = rest.with(Frame::All { items, left, coming: one, gap, entered });
                self.item(&items[one], gap, behind, way.clone());
            }
        }
        let outer = std::mem::replace(&mut self.passing, true);
        self.resume(rest.with(Frame::Absent { items, left, outer }), way);
        self.passing = outer;
    }

    fn leave_group(&mut self, node: &Node, rest: Rest<'t>, way: Way) {
        let Node::Group { id, .. } = node else { unreachable!("a group") };
        let variables = self.tree.variables.iter().enumerate();
        let single = variables.filter(|(_, v)| !v.list && v.rounds.last() == Some(id));
        let variables = single.map(|(i, _)| i).collect();
        let rounds = rest.rounds();
        let way = way.behind(node, rounds.clone());
        self.resume(rest, way.leaving(variables, rounds));
    }

    /// Goes on with what is still to come.
    fn resume(&mut self, mut rest: Rest<'t>, way: Way) {
        match rest.0.pop() {
            None => self.next.ends.push(way),
            Some(Frame::Items { items, next, .. }) if next == items.len() => self.resume(rest, way),
            Some(Frame::Items { items, gaps, next }) => {
                let behind = rest.with(Frame::Items { items, gaps, next: next + 1 });
                self.item(&items[next], gaps[next - 1], behind, way);
            }
            Some(Frame::List { variable, quantifier, count }) => {
                let (min, max) = bounds(quantifier);
                if count < max {
                    let again = rest.with(Frame::List { variable, quantifier, count: count + 1 });
                    self.choose(variable, false, Gap::Strategy, again, way.clone());
                }
                if count >= min {
                    let rounds = rest.rounds();
                    self.resume(rest, way.leaving(vec![variable], rounds));
                }
            }
            Some(Frame::Round { group, count }) => {
                let Node::Group { quantifier, .. } = group else { unreachable!("a group") };
                let (min, max) = bounds(*quantifier);
                if count < max {
                    let again = rest.with(Frame::Round { group, count: count + 1 });
                    self.body(group, Gap::Strategy, again, way.clone());
                }
                if count >= min {
                    self.leave_group(group, rest, way);
                }
            }
            // An absent item has no place of its own, unless its negations have one.
            Some(Frame::All { entered: Some(n), .. }) if way.guards.len() == n => {}
            Some(Frame::All { items, left, coming, gap, .. }) => {
                let way = way.behind(&items[coming], rest.rounds());
                self.all(items, left, gap, rest, way);
            }
            Some(Frame::Absent { left, outer, .. }) if left.is_empty() => {
                let passing = std::mem::replace(&mut self.passing, outer);
                self.resume(rest, way);
                self.passing = passing;
            }
            Some(Frame::Absent { items, mut left, outer }) => {
                let one = left.remove(0);
                let behind = rest.with(Frame::Absent { items, left, outer });
                self.item(&items[one], Gap::Strategy, behind, way);
            }
        }
    }
}
