//! Groups of partial matches, found by wait and registers.

use std::hash::{BuildHasher, Hash, Hasher};

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::evaluate::graph::NONE;
use crate::nfa::kinds::bit;
use crate::predicate::register::Register;
use crate::runtime::evaluator::Key;
use crate::value::Value;

/// Partial matches that wait for the same and remember the same.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) wait: u32,
    hash: u64,
    /// Those that are not live are empty.
    pub(super) registers: Box<[Register]>,
    /// The list of its runs; [`NONE`] while it has none.
    pub(super) head: u32,
    /// The key of the newest start of its runs.
    pub(super) newest: Key,
}

/// All groups of a partition.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub(super) all: Vec<Group>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// For each wait how many groups there are, and whether it is listed.
    counts: Vec<(u32, bool)>,
    /// The waits that have groups, and perhaps others.
    listed: Vec<u32>,
    /// Their bits.
    busy: u64,
    /// No newest start of a group is earlier.
    soonest: Option<Key>,
}

impl Groups {
    /// Runs that started at a key have entered a group, as its newest.
    #[inline]
    pub(super) fn note(&mut self, newest: Key) {
        self.soonest = Some(self.soonest.map_or(newest, |soonest| soonest.min(newest)));
    }

    /// The place of a group; it is made if there is none.
    pub(super) fn find(&mut self, wait: u32, registers: &[Register]) -> u32 {
        let mut hasher = self.hasher.build_hasher();
        wait.hash(&mut hasher);
        registers.iter().for_each(|register| hash(register, &mut hasher));
        let hash = hasher.finish();
        let all = &self.all;
        let found = self.index.find(hash, |&at| {
            let group = &all[at as usize];
            group.wait == wait && group.registers.iter().zip(registers).all(|(a, b)| same(a, b))
        });
        if let Some(&at) = found {
            return at;
        }
        let at = self.all.len() as u32;
        let registers = registers.into();
        self.all.push(Group { wait, hash, registers, head: NONE, newest: Key::MIN });
        let place = wait as usize;
        if self.counts.len() <= place {
            self.counts.resize(place + 1, (0, false));
        }
        self.counts[place].0 += 1;
        if !self.counts[place].1 {
            self.counts[place].1 = true;
            self.listed.push(wait);
            self.busy |= bit(wait);
        }
        let all = &self.all;
        self.index.insert_unique(hash, at, |&at| all[at as usize].hash);
        at
    }

    /// The bits of the waits that have groups, and perhaps of others.
    pub(super) fn busy(&self) -> u64 {
        self.busy
    }

    /// The waits that have groups, each once.
    pub(super) fn waits(&mut self) -> &[u32] {
        let Groups { counts, listed, busy, .. } = self;
        *busy = 0;
        listed.retain(|&wait| {
            let (count, listed) = &mut counts[wait as usize];
            *listed = *count > 0;
            *busy |= if *listed { bit(wait) } else { 0 };
            *listed
        });
        listed
    }

    /// Drops the groups without runs.
    pub(super) fn sweep(&mut self) {
        for at in (0..self.all.len()).rev() {
            if self.all[at].head != NONE {
                continue;
            }
            let last = self.all.len() - 1;
            if let Ok(entry) = self.index.find_entry(self.all[at].hash, |&i| i as usize == at) {
                entry.remove();
            }
            if at < last {
                let moved = self.index.find_mut(self.all[last].hash, |&i| i as usize == last);
                if let Some(place) = moved {
                    *place = at as u32;
                }
            }
            self.counts[self.all[at].wait as usize].0 -= 1;
            self.all.swap_remove(at);
        }
    }

    /// Drops the groups all of whose runs started before the horizon.
    pub(super) fn expire(&mut self, horizon: Key) {
        if self.soonest.is_none_or(|soonest| soonest >= horizon) {
            return;
        }
        let mut gone = false;
        for group in self.all.iter_mut().filter(|group| group.newest < horizon) {
            group.head = NONE;
            gone = true;
        }
        if gone {
            self.sweep();
        }
        self.soonest = self.all.iter().map(|group| group.newest).min();
    }

    pub(super) fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Group>()
            + (self.index.capacity() + self.listed.capacity()) * size_of::<u32>()
            + self.counts.capacity() * size_of::<(u32, bool)>()
    }
}

/// Registers are the same if nothing can tell them apart: floating point numbers go by their bits,
/// so that NaN is one value and the two zeros are two.
fn same(a: &Register, b: &Register) -> bool {
    match (a, b) {
        (Register::Value(Some(Value::Float(a))), Register::Value(Some(Value::Float(b)))) => {
            a.to_bits() == b.to_bits()
        }
        (Register::Value(a), Register::Value(b)) => a == b,
        (Register::Count(a), Register::Count(b)) => a == b,
        // Patterns that look at sums are not grouped: all are as they were made.
        _ => a.is_sum() && b.is_sum(),
    }
}

fn hash(register: &Register, into: &mut impl Hasher) {
    match register {
        Register::Value(None | Some(Value::Missing)) => into.write_u8(0),
        Register::Value(Some(Value::Int(i))) => into.write_i64(*i),
        Register::Value(Some(Value::Float(x))) => into.write_u64(x.to_bits()),
        Register::Value(Some(Value::Bool(b))) => into.write_u8(u8::from(*b)),
        Register::Value(Some(Value::Text(t))) => t.hash(into),
        Register::Count(n) => into.write_u64(*n),
        Register::Ints(..) | Register::Floats(..) | Register::Sum(_) => into.write_u8(0),
    }
}
