//! How many matches there are, without finding them: vectors of counts over suffixes.
//!
//! For a suffix of a pattern without its last operand, the number of its occurrences that begin with
//! each event of its first class is the number of those of the shorter suffix that begin behind that
//! event: a sum over the rest of a list, which running sums give in constant time. Patterns with
//! equal suffixes share the vectors, and they stay valid as blocks do.

use crate::heap::heap;
use hashbrown::HashMap;

use super::windows::Windows;

#[derive(Clone, Debug)]
struct Suffix {
    class: u32,
    /// The suffix without its first operand, and the column of that one's class.
    rest: Option<(u32, u32)>,
    /// The last class.
    last: u32,
    /// For each event, the number of occurrences that begin with it or a later one.
    sums: Vec<u64>,
    /// What the first of them is in the count of the events of its class.
    from: u32,
    made_for: Option<(u64, u32)>,
}

/// The suffixes of all patterns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suffixes {
    numbers: HashMap<(u32, Option<u32>), u32>,
    suffixes: Vec<Suffix>,
    shared: bool,
}

impl Suffixes {
    /// Of patterns that share equal suffixes, or do not.
    pub(crate) fn new(shared: bool) -> Self {
        Suffixes { shared, ..Suffixes::default() }
    }

    /// The suffix of some classes, each with the column of the next one.
    pub(crate) fn add(&mut self, steps: &[(u32, u32)]) -> Option<u32> {
        let mut rest: Option<u32> = None;
        let last = steps.last()?.0;
        for &(class, column) in steps.iter().rev() {
            let key = (class, rest);
            let known = if self.shared { self.numbers.get(&key).copied() } else { None };
            rest = Some(known.unwrap_or_else(|| {
                let number = self.suffixes.len() as u32;
                let rest = rest.map(|rest| (rest, column));
                let sums = Vec::new();
                self.suffixes.push(Suffix { class, rest, last, sums, from: 0, made_for: None });
                self.numbers.insert(key, number);
                number
            }));
        }
        rest
    }

    /// How many occurrences of a suffix begin with the event of an index in its class's window or a
    /// later one; and how many vectors had to be made anew.
    pub(crate) fn count(
        &mut self,
        suffix: u32,
        scope: u64,
        windows: &Windows,
        oldest: u64,
        at: usize,
    ) -> (u64, u64) {
        let made = self.refresh(suffix, scope, windows, oldest);
        (self.sum(suffix, windows, at), made)
    }

    fn sum(&self, suffix: u32, windows: &Windows, at: usize) -> u64 {
        let own = &self.suffixes[suffix as usize];
        let event = windows.of(own.class).dropped().wrapping_add(at as u32).wrapping_sub(own.from);
        own.sums.get(event as usize).copied().unwrap_or(0)
    }

    fn refresh(&mut self, suffix: u32, scope: u64, windows: &Windows, oldest: u64) -> u64 {
        let own = &self.suffixes[suffix as usize];
        let stamp = (scope, windows.total(own.last));
        if self.shared && own.made_for == Some(stamp) {
            return 0;
        }
        let (class, rest) = (own.class, own.rest);
        let made = rest.map_or(0, |(rest, _)| self.refresh(rest, scope, windows, oldest));
        let mut sums = std::mem::take(&mut self.suffixes[suffix as usize].sums);
        let window = windows.of(class);
        let begin = window.first_from(oldest);
        sums.clear();
        sums.resize(window.len() - begin, 0);
        let mut sum: u64 = 0;
        for at in (begin..window.len()).rev() {
            let own = match rest {
                None => 1,
                Some((rest, column)) => {
                    let dropped = windows.of(self.suffixes[rest as usize].class).dropped();
                    self.sum(rest, windows, window.next(at, column, dropped))
                }
            };
            sum = sum.saturating_add(own);
            sums[at - begin] = sum;
        }
        let own = &mut self.suffixes[suffix as usize];
        own.from = window.dropped().wrapping_add(begin as u32);
        own.sums = sums;
        own.made_for = Some(stamp);
        made + 1
    }

    /// How many numbers it holds.
    pub(crate) fn len(&self) -> usize {
        self.suffixes.iter().map(|suffix| suffix.sums.len()).sum()
    }
}

heap! {
    Suffix { sums }
    Suffixes { numbers, suffixes }
}
