//! Groups in snapshots.

use super::{Graph, Grouped, Part};
use crate::error::Error;
use crate::event::Event;
use crate::history::EventIndex;
use crate::runtime::save::Save;
use crate::snapshot::{Loading, corrupt, state};

impl<E: Event> Save<E> for Grouped {
    fn save_part(&self, part: &Part, first: EventIndex) -> state::Part {
        let groups = part.groups.all.iter().map(|group| {
            debug_assert_eq!(group.newest, part.graph.reach(group.head));
            let registers = group.registers.to_vec();
            state::Group { wait: group.wait, head: group.head, registers }
        });
        state::Part::Grouped { groups: groups.collect(), graph: part.graph.save(first) }
    }

    fn load_part(&mut self, saved: state::Part, loading: &Loading<'_>) -> Result<Part, Error> {
        let state::Part::Grouped { groups, graph } = saved else {
            return Err(corrupt("a partition is of another evaluation"));
        };
        let holds = self.holds.is_some();
        let graph = Graph::load(graph, holds, loading)?;
        let mut part = Part { graph, horizon: loading.horizon, ..Part::new(holds) };
        for (nth, state::Group { wait, head, registers }) in (0..).zip(groups) {
            loading.registers(&registers)?;
            let head = part.graph.head(head)?;
            let at = part.groups.find(loading.wait(wait)?, &registers);
            if at != nth {
                return Err(corrupt("a group of partial matches is there twice"));
            }
            let group = &mut part.groups.all[at as usize];
            (group.head, group.newest) = (head, part.graph.reach(head));
            let newest = group.newest;
            part.groups.note(newest);
        }
        self.cells += part.graph.len();
        self.bytes += part.bytes();
        self.groups += part.groups.all.len();
        Ok(part)
    }
}
