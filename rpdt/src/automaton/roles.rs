//! What each node of a query does for the answers. The *spine* is made of the nodes that are
//! returned or have a returned descendant; at its *key* node answers are put together (see
//! [Answers](crate#answers)).

use crate::Shape;
use crate::automaton::compile::{Compiled, NONE, Node, Place, Query, Return, Role, SpineBranch};
use crate::pattern::Axis;

impl Compiled {
    /// Marks the spine and numbers the lists of its nodes.
    pub(super) fn mark_spine(&mut self, base: u32) {
        for i in (base as usize..self.nodes.len()).rev() {
            let node = &self.nodes[i];
            if node.returned == NONE && node.spine.is_empty() {
                continue;
            }
            self.nodes[i].role = Role::Chain;
            // Lists are numbered in the order of the pattern; this loop runs backwards.
            self.nodes[i].spine.reverse();
            let spine = self.nodes[i].spine.clone();
            self.nodes[i].lists = spine.len() as u32;
            for (l, branch) in spine.iter().enumerate() {
                match *branch {
                    SpineBranch::Node(n) => self.nodes[n as usize].list = l as u32,
                    SpineBranch::Regular(r) => self.regulars[r as usize].list = l as u32,
                }
            }
            let parent = self.nodes[i].parent;
            match self.nodes[i].place {
                Place::Root => {}
                Place::Ordinary => {
                    self.nodes[parent as usize].spine.push(SpineBranch::Node(i as u32));
                }
                Place::Symbol { regular, .. } => {
                    let r = &mut self.regulars[regular as usize];
                    if !r.on_spine {
                        r.on_spine = true;
                        self.nodes[parent as usize].spine.push(SpineBranch::Regular(regular));
                    }
                }
            }
        }
    }

    /// Finds the key node, the role of every spine node and the slots of tuples, and whether answers
    /// can come twice.
    pub(super) fn assign_roles(&mut self, base: u32, query: &mut Query) {
        let root = &self.nodes[base as usize];
        debug_assert!(root.on_spine(), "every query has a return node");
        query.key = match query.shape {
            Shape::Nodes => NONE,
            Shape::Instances => base,
            Shape::Tuples => {
                let mut key = base;
                while let [SpineBranch::Node(only)] = self.nodes[key as usize].spine[..] {
                    if self.nodes[key as usize].returned != NONE {
                        break;
                    }
                    key = only;
                }
                key
            }
        };
        for i in base as usize..self.nodes.len() {
            let node = &self.nodes[i];
            if !node.on_spine() {
                continue;
            }
            let above = if node.parent == NONE {
                Role::Chain
            } else {
                self.nodes[node.parent as usize].role
            };
            let in_run = matches!(node.place, Place::Symbol { .. });
            let role = match above {
                _ if i as u32 == query.key => Role::Key,
                Role::Chain => Role::Chain,
                Role::InRun => Role::InRun,
                _ if in_run => Role::InRun,
                _ => Role::Below,
            };
            self.nodes[i].role = role;
            self.nodes[i].relay = role == Role::Below
                && self.nodes[i].returned == NONE
                && matches!(self.nodes[i].spine[..], [SpineBranch::Node(_)]);
            if query.key != NONE && role != Role::Chain {
                if self.nodes[i].returned != NONE {
                    let r = &mut query.returns[self.nodes[i].returned as usize];
                    r.in_run = role == Role::InRun;
                    if role != Role::InRun {
                        self.nodes[i].slot = query.slots;
                        query.slots += 1;
                    }
                }
                if role != Role::InRun {
                    for branch in self.nodes[i].spine.clone() {
                        if let SpineBranch::Regular(r) = branch {
                            self.regulars[r as usize].slot = query.slots;
                            query.slots += 1;
                        }
                    }
                }
            }
        }
        query.ambiguous = query.shape == Shape::Tuples && self.ambiguous(base, query.key);
        query.nested_keys = query.shape == Shape::Tuples && {
            let key = &self.nodes[query.key as usize];
            let below = |b: &SpineBranch| {
                matches!(*b, SpineBranch::Node(c)
                    if self.nodes[c as usize].axis == Axis::Descendant)
            };
            key.returned == NONE && key.spine.iter().all(below)
        };
    }

    /// Whether some spine node from the key on is neither returned nor fixed by what is: by a run
    /// (whose parent it is), by a chain of child axes down to a fixed node, or by its depth.
    fn ambiguous(&self, base: u32, key: u32) -> bool {
        let n = self.nodes.len() - base as usize;
        let mut fixed = vec![false; n];
        for i in (0..n).rev() {
            let node = &self.nodes[base as usize + i];
            fixed[i] = node.returned != NONE
                || node.spine.iter().any(|b| match *b {
                    SpineBranch::Regular(_) => true,
                    SpineBranch::Node(c) => {
                        self.nodes[c as usize].axis == Axis::Child && fixed[(c - base) as usize]
                    }
                });
        }
        let mut anchored = vec![false; n];
        let mut ambiguous = false;
        for i in 0..n {
            let node = &self.nodes[base as usize + i];
            anchored[i] = node.axis == Axis::Child
                && (node.parent == NONE || anchored[(node.parent - base) as usize]);
            let relevant = matches!(node.role, Role::Key | Role::Below) && key != NONE;
            ambiguous |= relevant && !fixed[i] && !anchored[i];
        }
        ambiguous
    }
}

/// Whether two return nodes may give one element the same label.
pub(super) fn shared_labels(returns: &[Return]) -> bool {
    let dynamic = returns.iter().filter(|r| r.label.is_none()).count();
    let mut labels: Vec<_> = returns.iter().filter_map(|r| r.label.as_deref()).collect();
    labels.sort_unstable();
    let before = labels.len();
    labels.dedup();
    labels.len() < before || (dynamic > 0 && returns.len() > 1)
}

impl Compiled {
    /// A step whose only condition is the next step of the spine: whatever satisfies that, an
    /// answer, satisfies it in the same moment. Whether one was found before makes no difference to
    /// what is to come.
    pub(crate) fn only_passes(&self, node: &Node) -> bool {
        node.role == Role::Chain
            && node.returned == NONE
            && node.regulars.is_empty()
            && match node.spine[..] {
                [SpineBranch::Node(next)] => node.conditions == self.nodes[next as usize].bit,
                _ => false,
            }
    }

    /// Nothing has to be remembered of the elements that match a node once its conditions are met.
    pub(crate) fn only_has_conditions(&self, node: &Node) -> bool {
        node.role == Role::Chain && node.returned == NONE && node.regulars.is_empty()
    }

    /// The outermost node of a query of which more must be remembered than that it is open.
    pub(crate) fn outermost_kept(&self, query: usize) -> &Node {
        let mut node = &self.nodes[self.queries[query].root as usize];
        while let [SpineBranch::Node(next)] = node.spine[..]
            && self.only_passes(node)
        {
            node = &self.nodes[next as usize];
        }
        node
    }
}
