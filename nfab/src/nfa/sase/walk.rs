//! Positions of the pattern, and which of them may follow each other.
//!
//! A position is a variable whose event was taken last, with all that decides what may come next:
//! how many events its list has, the rounds of the groups around it, which items of an `AND` are
//! done. It is found by walking: up from a position through the groups that end with it, and down
//! into what may come then.

use super::conditions::{Conditions, Frame, Place};
use super::tree::{Body, UNBOUNDED};
use crate::error::{Error, ErrorKind};
use crate::language::{Gap, GroupKind};

/// More ways to a single position than any sensible pattern has: choices between absent items.
const MOST_WAYS: usize = 4096;

/// A way from one event to the next one, or to the end of the pattern.
#[derive(Clone)]
pub(super) struct Way {
    /// The position that it leads to; none at the end.
    pub(super) frames: Vec<Frame>,
    /// The gap before it.
    pub(super) gap: Gap,
    /// The negations on the way.
    pub(super) guards: Vec<u32>,
    /// What holds of the lists and groups that are left or passed over.
    pub(super) conditions: Vec<u32>,
    /// It begins a new round of the repeated group at this depth; 0: it begins the pattern.
    pub(super) fresh: Option<u32>,
}

/// What may follow a position.
#[derive(Default)]
pub(super) struct Follow {
    pub(super) options: Vec<Way>,
    pub(super) ends: Vec<Way>,
}

impl Way {
    fn place(&self) -> Place<'_> {
        let fresh = self.fresh;
        Place { frames: &self.frames, fresh, leaving: None, without_round: false }
    }

    fn top(&mut self) -> &mut Frame {
        let Some(frame) = self.frames.last_mut() else { unreachable!("a group is around") };
        frame
    }
}

pub(super) struct Walk<'w, 'a> {
    conditions: &'w mut Conditions<'a>,
    options: Vec<Way>,
}

/// What may begin a match.
pub(super) fn start(conditions: &mut Conditions<'_>) -> Result<Follow, Error> {
    let mut walk = Walk { conditions, options: Vec::new() };
    let way = Way {
        frames: Vec::new(),
        gap: Gap::Strategy,
        guards: Vec::new(),
        conditions: Vec::new(),
        fresh: Some(0),
    };
    walk.enter(0, way)?;
    Ok(Follow { options: walk.options, ends: Vec::new() })
}

/// What may follow a position.
pub(super) fn follow(conditions: &mut Conditions<'_>, from: &[Frame]) -> Result<Follow, Error> {
    let mut walk = Walk { conditions, options: Vec::new() };
    let ends = walk.up(from)?;
    Ok(Follow { options: walk.options, ends })
}

fn too_many_ways() -> Error {
    Error::new(ErrorKind::Limit, format!("more than {MOST_WAYS} ways from one event to the next"))
        .with_hint("make some of the items required")
}

impl Walk<'_, '_> {
    /// The ways into an item, each to a first event of it.
    fn enter(&mut self, node: u32, mut way: Way) -> Result<(), Error> {
        way.frames.push(Frame { node, count: 1, item: 0, done: 0 });
        match self.conditions.tree.node(node).body {
            Body::Event(_) => {
                if self.options.len() >= MOST_WAYS {
                    return Err(too_many_ways());
                }
                self.options.push(way);
                Ok(())
            }
            Body::Group { .. } => self.inside(node, way),
        }
    }

    /// The ways into a round of a group whose frame is there.
    fn inside(&mut self, group: u32, way: Way) -> Result<(), Error> {
        let tree = self.conditions.tree;
        let (kind, items, _) = tree.items(group);
        match kind {
            GroupKind::Seq => self.sequence(group, 0, vec![way]).map(|_| ()),
            GroupKind::Or => {
                for (place, &item) in items.iter().enumerate() {
                    let mut way = way.clone();
                    way.top().item = place as u32;
                    self.enter(item, way)?;
                }
                Ok(())
            }
            GroupKind::And => {
                // What stands before the first event is judged on the complete match.
                let absent = way.fresh != Some(0);
                self.rest_of_and(group, 0, way, absent)
            }
        }
    }

    /// The ways into the items of a sequence from one on; gives those that pass over all of them.
    fn sequence(&mut self, group: u32, from: usize, mut ways: Vec<Way>) -> Result<Vec<Way>, Error> {
        let tree = self.conditions.tree;
        let (_, items, gaps) = tree.items(group);
        for (place, &item) in items.iter().enumerate().skip(from) {
            let mut past = Vec::new();
            for mut way in ways {
                // The gap before the first item is that before the group.
                if place > 0 {
                    way.gap = gaps[place - 1];
                }
                way.top().item = place as u32;
                if !self.is_negated(item) {
                    self.enter(item, way.clone())?;
                }
                if tree.node(item).nullable {
                    past.extend(self.pass(item, way)?);
                }
            }
            if past.len() > MOST_WAYS {
                return Err(too_many_ways());
            }
            ways = past;
            if ways.is_empty() {
                break;
            }
        }
        Ok(ways)
    }

    fn is_negated(&self, node: u32) -> bool {
        let tree = self.conditions.tree;
        matches!(tree.node(node).body, Body::Event(v) if tree.variable(v).item.negated)
    }

    /// The ways past an item without any event of it.
    fn pass(&mut self, node: u32, mut way: Way) -> Result<Vec<Way>, Error> {
        let tree = self.conditions.tree;
        let item = tree.node(node);
        match &item.body {
            Body::Event(variable) if tree.variable(*variable).item.negated => {
                let adjacent = way.gap == Gap::Next;
                let guard = self.conditions.guard(*variable, adjacent, way.place())?;
                if !way.guards.contains(&guard) {
                    way.guards.push(guard);
                }
                Ok(vec![way])
            }
            Body::Event(variable) => {
                if item.repeats {
                    let holds = self.conditions.leave_list(*variable, way.place())?;
                    way.conditions.extend(holds);
                }
                Ok(vec![way])
            }
            Body::Group { .. } if item.min == 0 => {
                if item.repeats {
                    let leaving = Some(node);
                    let place = Place { leaving, without_round: true, ..way.place() };
                    let holds = self.conditions.leave_group(place)?;
                    way.conditions.extend(holds);
                }
                Ok(vec![way])
            }
            Body::Group { kind, items, .. } => {
                way.frames.push(Frame { node, count: 1, item: 0, done: 0 });
                let mut out = Vec::new();
                if *kind == GroupKind::Or {
                    for (place, &item) in items.iter().enumerate() {
                        if tree.node(item).nullable {
                            let mut way = way.clone();
                            way.top().item = place as u32;
                            out.extend(self.pass(item, way)?);
                        }
                    }
                } else {
                    out = self.pass_all(node, way)?;
                }
                for way in &mut out {
                    way.frames.pop();
                }
                Ok(out)
            }
        }
    }

    /// The ways past all items of a sequence, or of an `AND`, that are not done.
    fn pass_all(&mut self, group: u32, way: Way) -> Result<Vec<Way>, Error> {
        let tree = self.conditions.tree;
        let (kind, items, gaps) = tree.items(group);
        let mut ways = vec![way];
        for (place, &item) in items.iter().enumerate() {
            let mut past = Vec::new();
            for mut way in ways {
                if kind == GroupKind::And && way.top().done & (1 << place) != 0 {
                    past.push(way);
                } else if tree.node(item).nullable {
                    if kind == GroupKind::Seq && place > 0 {
                        way.gap = gaps[place - 1];
                    }
                    way.top().item = place as u32;
                    for mut way in self.pass(item, way)? {
                        if kind == GroupKind::And {
                            way.top().done |= 1 << place;
                        }
                        past.push(way);
                    }
                }
            }
            if past.len() > MOST_WAYS {
                return Err(too_many_ways());
            }
            ways = past;
        }
        Ok(ways)
    }

    /// The ways into the items of an `AND` that are not done. `absent`: an item without events may
    /// stand before the next one, where its negations guard that.
    fn rest_of_and(
        &mut self,
        group: u32,
        from: usize,
        way: Way,
        absent: bool,
    ) -> Result<(), Error> {
        let tree = self.conditions.tree;
        let (_, items, _) = tree.items(group);
        let Some(done) = way.frames.last().map(|frame| frame.done) else { return Ok(()) };
        for (place, &item) in items.iter().enumerate() {
            if done & (1 << place) == 0 {
                let mut way = way.clone();
                way.top().item = place as u32;
                self.enter(item, way)?;
            }
        }
        for (place, &item) in items.iter().enumerate().skip(from) {
            if absent && done & (1 << place) == 0 && tree.node(item).nullable {
                let mut before = way.clone();
                before.top().item = place as u32;
                for mut past in self.pass(item, before)? {
                    // Without negations it makes no difference where the absent item stands.
                    if past.guards.len() > way.guards.len() {
                        past.top().done |= 1 << place;
                        past.gap = way.gap;
                        self.rest_of_and(group, place + 1, past, true)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// From a position up to the end of the pattern; gives the ways that reach it.
    fn up(&mut self, from: &[Frame]) -> Result<Vec<Way>, Error> {
        let tree = self.conditions.tree;
        let mut frames = from.to_vec();
        let Some(leaf) = frames.pop() else { return Ok(Vec::new()) };
        let node = tree.node(leaf.node);
        let mut way = Way {
            frames,
            gap: Gap::Strategy,
            guards: Vec::new(),
            conditions: Vec::new(),
            fresh: None,
        };
        if leaf.count < node.max {
            let mut again = way.clone();
            again.frames.push(Frame { count: self.next(leaf.node, leaf.count), ..leaf });
            self.options.push(again);
        }
        if leaf.count < node.min {
            return Ok(Vec::new());
        }
        if let (Body::Event(variable), true) = (&node.body, node.repeats) {
            way.conditions = self.conditions.leave_list(*variable, way.place())?;
        }
        let mut ways = vec![way];
        for group in from[..from.len() - 1].iter().rev() {
            ways = self.out_of(group, ways)?;
        }
        Ok(ways)
    }

    /// The number of events or rounds after one more. Without a bound it stops to count when the
    /// least number is reached and, where that matters, the first is told from the others.
    fn next(&self, node: u32, count: u32) -> u32 {
        let node = self.conditions.tree.node(node);
        match node.max {
            UNBOUNDED => (count + 1).min(node.min.max(if node.tells_first { 2 } else { 1 })),
            _ => count + 1,
        }
    }

    /// From the item of a group that is done into the rest of the group and into another round;
    /// gives the ways that leave the group.
    fn out_of(&mut self, group: &Frame, ways: Vec<Way>) -> Result<Vec<Way>, Error> {
        let tree = self.conditions.tree;
        let node = tree.node(group.node);
        let ways = match tree.items(group.node).0 {
            GroupKind::Seq => self.sequence(group.node, group.item as usize + 1, ways)?,
            GroupKind::Or => ways,
            GroupKind::And => {
                let mut past = Vec::new();
                for mut way in ways {
                    way.gap = Gap::Strategy;
                    way.top().done |= 1 << group.item;
                    self.rest_of_and(group.node, 0, way.clone(), true)?;
                    past.extend(self.pass_all(group.node, way)?);
                }
                past
            }
        };
        let mut out = Vec::new();
        for mut way in ways {
            if node.repeats && group.count < node.max {
                let mut again = way.clone();
                again.gap = Gap::Strategy;
                again.fresh = Some(node.depth);
                let count = self.next(group.node, group.count);
                *again.top() = Frame { node: group.node, count, item: 0, done: 0 };
                self.inside(group.node, again)?;
            }
            if group.count < node.min {
                continue;
            }
            way.frames.pop();
            if node.repeats {
                let place = Place { leaving: Some(group.node), ..way.place() };
                let holds = self.conditions.leave_group(place)?;
                way.conditions.extend(holds);
            }
            out.push(way);
        }
        Ok(out)
    }
}
