//! The compact evaluation in snapshots.

use super::Compact;
use super::part::Part;
use crate::error::Error;
use crate::evaluate::counting::{Entry, NOT_KEPT};
use crate::event::Event;
use crate::history::EventIndex;
use crate::runtime::save::Save;
use crate::snapshot::{Loading, corrupt, state};

impl<E: Event> Save<E> for Compact {
    fn save_part(&self, part: &Part, first: EventIndex) -> state::Part {
        part.save(first)
    }

    fn load_part(&mut self, saved: state::Part, loading: &Loading<'_>) -> Result<Part, Error> {
        let lists = self.holds.is_some();
        let mut part = self.new_part();
        match saved {
            state::Part::Log { entries, last } if !lists => {
                let entries = entries.into_iter().map(|entry| {
                    let place = entry.event.map(|at| loading.event(at)).transpose()?;
                    Ok(Entry::new(entry.key, place.unwrap_or(NOT_KEPT), entry.bits))
                });
                let entries = entries.collect::<Result<Vec<_>, Error>>()?;
                if !entries.is_sorted_by_key(|entry| entry.key) {
                    return Err(corrupt("a log of events is not in order"));
                }
                part.load_log(entries, &mut self.sets, &mut self.spare)?;
                part.set_last(last, loading.horizon);
            }
            state::Part::Lists { heads, graph, last } => {
                part.load_lists(heads, graph, lists, loading)?;
                part.set_last(last, loading.horizon);
            }
            _ => return Err(corrupt("a partition is of another evaluation")),
        }
        self.cells += part.cells();
        self.bytes += part.bytes();
        self.lists += part.waits();
        Ok(part)
    }
}
