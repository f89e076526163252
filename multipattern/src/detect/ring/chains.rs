//! `next`: all chains that an event ends.

use super::{Ring, SLOTS, alone};
use crate::detect::output::{Level, Out, Sink};
use crate::stats::Counters;

impl Ring {
    /// The chains that an event ends: they began behind those that ended with the event of the last
    /// class before, and not behind the latest start of the operands before the last one. A chain that
    /// began later is never ahead of one that began earlier, so all in between end here.
    #[inline]
    pub(super) fn chains<S: Sink>(
        &mut self,
        class: u32,
        counters: &mut Counters,
        out: &mut Out<'_, S>,
    ) {
        let (begin, probes, length) = self.ready::<true>(class);
        counters.probes += probes as u64;
        let last = self.row();
        let row = last.wrapping_sub(SLOTS - 1);
        let slot = self.next.wrapping_add(1) & 63;
        let oldest = self.next + 1 - SLOTS as u32;
        let Ring { shape, words, starts, ready, .. } = self;
        let turned = |class: u32| words[class as usize].rotate_right(slot);
        for &(at, _) in &ready[..length] {
            let at = (begin + at) as usize;
            let (recipe, ending) = (&shape.recipes[at], &shape.endings[at]);
            let Some((&first, behind)) = shape.steps(recipe).split_first() else {
                alone(recipe, last, out);
                if out.stopped {
                    return;
                }
                continue;
            };
            // Starts are noted as one more than numbers.
            let (ended, latest) = (starts[ending.whole as usize], starts[ending.node as usize]);
            if latest <= oldest {
                continue;
            }
            let chains =
                u64::MAX << ended.saturating_sub(oldest) & !(u64::MAX << (latest - oldest));
            let mut chains = turned(first) & chains & Self::firsts(recipe, row, None);
            if out.level == Level::Count {
                out.count(recipe.number, last, u64::from(chains.count_ones()));
            } else if chains != 0 {
                out.begin(recipe.length as usize, last);
            }
            while chains != 0 && !out.stopped && out.level != Level::Count {
                let mut bit = chains.trailing_zeros();
                chains &= chains - 1;
                out.buffer[0] = row.wrapping_add(u64::from(bit));
                for (&class, event) in behind.iter().zip(&mut out.buffer[1..]) {
                    bit = (turned(class) & (!1 << bit)).trailing_zeros();
                    *event = row.wrapping_add(u64::from(bit));
                }
                out.single(recipe.number);
            }
            if out.stopped {
                return;
            }
        }
    }
}
