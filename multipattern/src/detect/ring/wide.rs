//! `any` where more than 64 events are in some window: the events of each class are a list, and with
//! each of them stands how many there had been of other classes (`detect/windows.rs`).

use super::long::Long;
use super::shape::{NONE, Shape};
use super::{Ring, alone};
use crate::detect::blocks::Block;
use crate::detect::counts::Suffixes;
use crate::detect::lists::{self, Shared};
use crate::detect::output::{Out, Sink};
use crate::detect::walk::Path;
use crate::detect::windows::{Layout, Windows};
use crate::heap::heap;
use crate::stats::Counters;

/// Lists, and what is shared of them.
#[derive(Clone, Debug)]
pub(super) struct Wide {
    layout: Layout,
    windows: Windows,
    /// As the classes in the shape: the class of an operand, with the column of the next one's.
    steps: Vec<(u32, u32)>,
    /// The column of the class of the operand before.
    leaders: Vec<u32>,
    /// By recipe.
    counted: Vec<Option<u32>>,
    suffixes: Suffixes,
    blocks: Vec<Block>,
    /// How often lists were begun: what was made of others is not valid any more.
    scope: u64,
}

impl Wide {
    pub(super) fn new(shape: &Shape, share: bool) -> Self {
        let mut layout = Layout::plain(shape.classes);
        let mut suffixes = Suffixes::new(share);
        let (mut all_steps, mut leaders, mut counted) = (Vec::new(), Vec::new(), Vec::new());
        let mut blocks: Vec<Option<Block>> = vec![None; shape.blocks];
        for recipe in &shape.recipes {
            let classes = shape.steps(recipe);
            let begin = all_steps.len();
            for (at, &class) in classes.iter().enumerate() {
                let column = classes.get(at + 1).map_or(0, |&next| layout.column(class, next));
                all_steps.push((class, column));
                let before = at.checked_sub(1).map(|before| classes[before]);
                leaders.push(before.map_or(0, |before| layout.column_before(class, before)));
            }
            let steps = &all_steps[begin..];
            counted.push(suffixes.add(steps));
            if let (Some(block), [.., first, second]) =
                (blocks.get_mut(recipe.block as usize), steps)
            {
                block.get_or_insert_with(|| Block::new(*first, second.0));
            }
        }
        layout.even_out();
        Wide {
            layout,
            windows: Windows::default(),
            steps: all_steps,
            leaders,
            counted,
            suffixes,
            blocks: blocks.into_iter().flatten().collect(),
            scope: 0,
        }
    }

    /// Forgets all events.
    pub(super) fn begin(&mut self) {
        self.windows = Windows::default();
        self.scope += 1;
    }

    /// Adds an event.
    #[inline]
    pub(super) fn push(&mut self, class: u32, row: u64) {
        self.windows.push_one(&self.layout, class, row);
    }

    /// The first event of a class is in no window any more.
    #[inline]
    pub(super) fn drop_first(&mut self, class: u32) {
        self.windows.drop_first(class);
    }

    /// Rows of blocks, and numbers of vectors.
    pub(super) fn shared_rows(&self) -> usize {
        self.blocks.iter().map(Block::len).sum::<usize>() + self.suffixes.len()
    }
}

impl Ring {
    /// As [`ready`](Self::ready), where windows are long.
    #[inline]
    pub(super) fn ready_long(&mut self, class: u32, time: i64) -> (u32, usize, usize) {
        let Ring { shape, long: Some(long), starts, ready, next, .. } = self else {
            return (0, 0, 0);
        };
        starts[0] = *next + 1;
        let (first, endings) = shape.endings(class);
        let (mut span, mut low) = (NONE, 0);
        let mut length = 0;
        if let Some(span) = shape.window {
            low = long.low(span, *next, time);
            for (at, ending) in (0..).zip(endings) {
                let start = starts[ending.node as usize];
                ready[length] = (at, start);
                length += usize::from(start > low);
            }
            return (first, shape.own(class)[1] as usize, length);
        }
        for (at, ending) in (0..).zip(endings) {
            if ending.window != span {
                span = ending.window;
                low = long.low(span, *next, time);
            }
            // Starts are noted as one more than numbers.
            let start = starts[ending.node as usize];
            ready[length] = (at, start);
            length += usize::from(start > low);
        }
        (first, shape.own(class)[1] as usize, length)
    }

    /// The matches of those that are ready, or their numbers.
    pub(super) fn lists<S: Sink>(
        &mut self,
        begin: u32,
        length: usize,
        counters: &mut Counters,
        out: &mut Out<'_, S>,
    ) {
        let (base, row) = (self.base, self.row());
        let Ring { shape, long: Some(long), ready, .. } = self else { return };
        let oldest = base.wrapping_add(u64::from(long.oldest()));
        for &(at, start) in &ready[..length] {
            let number = (begin + at) as usize;
            let recipe = &shape.recipes[number];
            let low = long.last_low(shape.endings[number].window);
            let mut low = base.wrapping_add(u64::from(low));
            if recipe.since > low {
                low = recipe.since;
                // The latest event from which all operands but the last were found is one before.
                if base.wrapping_add(u64::from(start)) <= low {
                    continue;
                }
            }
            let Long { wide, .. } = &mut **long;
            let from = recipe.steps as usize;
            let steps = from..from + usize::from(recipe.length) - 1;
            let path = Path {
                windows: &wide.windows,
                steps: &wide.steps[steps.clone()],
                leaders: &wide.leaders[steps],
                pattern: recipe.number,
                length: usize::from(recipe.length),
                low,
            };
            if path.steps.is_empty() {
                alone(recipe, row, out);
            } else {
                let shared = Shared {
                    scope: wide.scope,
                    oldest,
                    suffixes: &mut wide.suffixes,
                    suffix: wide.counted[number],
                    block: wide.blocks.get_mut(recipe.block as usize),
                };
                lists::deliver(&path, row, shared, counters, out);
            }
            if out.stopped {
                return;
            }
        }
    }
}

heap! {
    Wide { layout, windows, steps, leaders, counted, suffixes, blocks }
}
