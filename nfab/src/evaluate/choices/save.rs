//! Queues of choices in snapshots.

use super::count::entered;
use super::{Choices, Part};
use crate::error::Error;
use crate::event::Event;
use crate::history::EventIndex;
use crate::runtime::save::Save;
use crate::snapshot::{Loading, corrupt, state};

impl<E: Event> Save<E> for Choices {
    fn save_part(&self, part: &Part, first: EventIndex) -> state::Part {
        let all = entered(&part.queues).into_iter();
        state::Part::Choices(
            all.map(|(item, stages)| ((item.place - first) as u32, stages)).collect(),
        )
    }

    fn load_part(&mut self, saved: state::Part, loading: &Loading<'_>) -> Result<Part, Error> {
        let state::Part::Choices(entered) = saved else {
            return Err(corrupt("a partition is of another evaluation"));
        };
        if !entered.is_sorted_by(|a, b| a.0 < b.0) {
            return Err(corrupt("the events of queues are not in order"));
        }
        let mut part = self.new_part();
        for (at, stages) in entered {
            let entry = (loading.event(at)?, loading.key(at));
            let known = stages != 0 && stages >> self.width == 0;
            if !known || self.enter(&mut part, entry, stages, loading.horizon) != stages {
                return Err(corrupt("an event is in a queue that it cannot have entered"));
            }
        }
        Ok(part)
    }
}
