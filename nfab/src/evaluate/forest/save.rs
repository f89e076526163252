//! Forests in snapshots.

use super::Forest;
use super::part::{ENDED, NONE, Part};
use crate::error::Error;
use crate::event::Event;
use crate::history::EventIndex;
use crate::runtime::evaluator::Evaluator;
use crate::runtime::save::Save;
use crate::snapshot::{Loading, corrupt, state};

impl<E: Event> Save<E> for Forest {
    fn save_part(&self, part: &Part, first: EventIndex) -> state::Part {
        let nodes = part.nodes().iter().map(|node| state::Node {
            taken: (node.stage, (node.place - first) as u32),
            wait: (node.wait != ENDED).then_some(node.wait),
            next: (node.next != NONE).then(|| part.place_of(node.next)),
            first: node.first,
        });
        let open = part.open.iter().map(|open| {
            let registers = self.reads[open.wait as usize].registers(&open.held, &self.fresh);
            (part.place_of(open.node), registers)
        });
        state::Part::Forest { nodes: nodes.collect(), open: open.collect() }
    }

    fn load_part(&mut self, saved: state::Part, loading: &Loading<'_>) -> Result<Part, Error> {
        let state::Part::Forest { nodes, open } = saved else {
            return Err(corrupt("a partition is of another evaluation"));
        };
        let mut part = Evaluator::<E>::part(self);
        let mut before = None;
        for node in &nodes {
            let (stage, at) = node.taken;
            let taken = (loading.stage(stage)?, loading.event(at)?);
            if before > Some(taken.1) {
                return Err(corrupt("the events of partial matches are not in order"));
            }
            before = Some(taken.1);
            let wait = node.wait.map_or(Ok(ENDED), |wait| loading.wait(wait))?;
            let number = part.add(taken, loading.key(at), wait);
            if node.first {
                part.begin(number);
            }
            if node.wait.is_none() {
                part.end(number);
            }
        }
        for (number, node) in (0..).zip(&nodes) {
            let Some(next) = node.next else { continue };
            let later = nodes.get(next as usize).is_some_and(|next| next.taken.1 > node.taken.1);
            if !later {
                return Err(corrupt("a partial match goes back"));
            }
            let newest = part.node(number).newest;
            part.link(number, u64::from(next), newest);
        }
        let mut waiting = 0;
        for (number, registers) in open {
            loading.registers(&registers)?;
            let node = part.nodes().get(number as usize).copied();
            let node = node.filter(|node| node.next == NONE && node.wait != ENDED);
            let node = node.ok_or_else(|| corrupt("a partial match waits that does not exist"))?;
            let number = u64::from(number);
            if node.newest < loading.horizon || part.open.iter().any(|open| open.node == number) {
                return Err(corrupt("a partial match waits twice, or too long"));
            }
            part.open(number, node.wait, self.reads[node.wait as usize].hold(registers));
            waiting += 1;
        }
        let waits = |node: &&super::part::Node| node.next == NONE && node.wait != ENDED;
        let alive = part.nodes().iter().filter(waits);
        if alive.filter(|node| node.newest >= loading.horizon).count() != waiting {
            return Err(corrupt("a partial match waits for nothing"));
        }
        self.nodes += part.len();
        self.open += part.open.len();
        Ok(part)
    }
}
