//! Conditions of the last operand with earlier events: one bitmap for each distinct condition and
//! class, which says of which earlier events it holds with the event that completes. All patterns
//! that the event may complete use the same bitmap.

use hashbrown::HashMap;

use super::arrival::Arrival;
use super::history::History;
use super::walk::Path;
use crate::detect::catalog::Check;
use crate::heap::heap;
use crate::pattern::symbol::PairTest;
use crate::stats::Counters;

#[derive(Clone, Debug)]
pub(crate) struct Bitmap {
    class: u32,
    check: Check,
    words: Vec<u64>,
    /// What the first bit is in the count of the events of its class.
    from: u32,
    made_for: Option<(u64, u64)>,
}

impl Bitmap {
    /// Whether the condition holds of the event of an index in the window of the class.
    #[inline]
    pub(crate) fn holds(&self, at: usize, dropped: u32) -> bool {
        let bit = dropped.wrapping_add(at as u32).wrapping_sub(self.from) as usize;
        self.words.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Bitmaps {
    numbers: HashMap<(u32, PairTest), u32>,
    bitmaps: Vec<Bitmap>,
}

impl Bitmaps {
    /// The bitmap of a condition and the class of its earlier event.
    pub(crate) fn add(&mut self, class: u32, test: PairTest) -> u32 {
        let bitmaps = &mut self.bitmaps;
        *self.numbers.entry((class, test)).or_insert_with(|| {
            let check = Check { earlier: 0, test };
            bitmaps.push(Bitmap { class, check, words: Vec::new(), from: 0, made_for: None });
            bitmaps.len() as u32 - 1
        })
    }

    /// The bitmaps of some conditions, for an event.
    pub(crate) fn refresh(
        &mut self,
        wanted: &[(usize, u32)],
        path: &Path<'_>,
        history: &History,
        arrival: &Arrival<'_>,
        counters: &mut Counters,
    ) -> Vec<(usize, &Bitmap)> {
        for &(_, number) in wanted {
            let bitmap = &mut self.bitmaps[number as usize];
            let stamp = (arrival.scope, arrival.serial);
            if bitmap.made_for == Some(stamp) {
                counters.bitmap_hits += 1;
                continue;
            }
            bitmap.made_for = Some(stamp);
            let window = path.windows.of(bitmap.class);
            // Those that have left every window are not remembered.
            let begin = window.first_from(history.first());
            bitmap.from = window.dropped().wrapping_add(begin as u32);
            bitmap.words.clear();
            bitmap.words.resize((window.len() - begin).div_ceil(64), 0);
            for at in begin..window.len() {
                let holds = history.holds(&bitmap.check, arrival.serial, window.serial(at));
                bitmap.words[(at - begin) / 64] |= u64::from(holds) << ((at - begin) % 64);
            }
        }
        wanted.iter().map(|&(at, number)| (at, &self.bitmaps[number as usize])).collect()
    }
}

heap! {
    Bitmap { words }
    Bitmaps { numbers, bitmaps }
}
