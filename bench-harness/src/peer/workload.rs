//! The workloads on which nfab is compared with its peers: the events, and the patterns as nfab states
//! them. Each peer states the same patterns in its own language, under the same names.

use std::io::{self, Write};

use data_gen::seed::Rng;
use nfab::{Event, Expr, Pattern, PatternBuilder, Schema, Slot, TypeId, ValueRef, ValueType};

use crate::experiment::Scale;

/// The types of events, uniformly distributed; [`Tick::kind`] is a place in this list.
pub const TYPES: [&str; 4] = ["a", "b", "c", "d"];

/// The window of all workloads that have one. A match lasts less than this.
const WINDOW: i64 = 50;

/// An event. The price is a walk that rises more often than it falls; the volume is uniform in
/// 1..=1000, so that `volume <= n` holds for n events in a thousand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// Its type.
    pub kind: u32,
    /// Its time.
    pub time: i64,
    /// Its key: 0 in all workloads but the keyed one.
    pub key: i64,
    /// Its price.
    pub price: i64,
    /// Its volume.
    pub volume: i64,
    /// Its place in the stream, by which matches are told apart.
    pub number: u64,
}

impl Event for Tick {
    fn event_type(&self) -> TypeId {
        TypeId(self.kind)
    }

    fn time(&self) -> i64 {
        self.time
    }

    fn attribute(&self, slot: Slot) -> ValueRef<'_> {
        match slot.0 {
            0 => ValueRef::Int(self.key),
            1 => ValueRef::Int(self.price),
            2 => ValueRef::Int(self.volume),
            _ => ValueRef::Missing,
        }
    }
}

/// The names that the patterns use, numbered as [`Tick`] answers to them.
pub fn schema() -> Schema {
    let mut schema = Schema::new();
    for name in TYPES {
        schema.add_type(name);
    }
    for name in ["key", "price", "volume"] {
        schema.add_attribute(name, Some(ValueType::Int));
    }
    schema
}

/// One workload.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Its name, on the command line and for the peers.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// The number of keys. With more than one, each key is matched on its own.
    pub keys: u64,
    /// Whether partial matches whose window has passed are reported.
    pub timeouts: bool,
    /// The number of events at which one round of Flink takes one to three seconds.
    events: u64,
    pattern: fn() -> PatternBuilder,
}

impl Workload {
    /// The pattern.
    pub fn pattern(&self) -> PatternBuilder {
        (self.pattern)()
    }

    /// The number of events at a scale.
    pub fn events(&self, scale: Scale) -> u64 {
        match scale {
            Scale::Tiny => self.events / 50,
            Scale::Quick => self.events,
            Scale::Paper => self.events * 3,
            Scale::Full => self.events * 10,
        }
    }

    /// The events of a seed. Each key has an event about once a time unit.
    pub fn generate(&self, events: u64, seed: u64) -> Vec<Tick> {
        let mut rng = Rng::new(seed, "ticks");
        let mut prices: Vec<i64> = (0..self.keys).map(|_| rng.below(1000) as i64).collect();
        let mut ticks = Vec::with_capacity(events as usize);
        for number in 0..events {
            let key = rng.below(self.keys);
            let price = &mut prices[key as usize];
            // The stock of the experiments: up by 1 to 3 with probability 0.7, else half down by
            // as much, half unchanged.
            let step = rng.between(1, 3) as i64;
            *price = match rng.below(100) {
                0..70 => *price + step,
                70..85 => (*price - step).max(0),
                _ => *price,
            };
            ticks.push(Tick {
                kind: rng.below(TYPES.len() as u64) as u32,
                time: (number / self.keys) as i64,
                key: key as i64,
                price: *price,
                volume: rng.between(1, 1000) as i64,
                number,
            });
        }
        ticks
    }
}

/// All workloads.
pub const WORKLOADS: [Workload; 7] = [
    Workload {
        name: "strict",
        title: "a next b next c",
        keys: 1,
        timeouts: false,
        events: 3_000_000,
        pattern: strict,
    },
    Workload {
        name: "relaxed",
        title: "a followed by b followed by c within 50",
        keys: 1,
        timeouts: false,
        events: 700_000,
        pattern: relaxed,
    },
    Workload {
        name: "rising",
        title: "a+ rising, skip till next, followed by b within 50",
        keys: 1,
        timeouts: false,
        events: 250_000,
        pattern: rising,
    },
    Workload {
        name: "any-sequence",
        title: "a followed by any b followed by any c within 50",
        keys: 1,
        timeouts: false,
        events: 250_000,
        pattern: any_sequence,
    },
    Workload {
        name: "any-loop",
        title: "a+ rising, skip till any, followed by any b within 50",
        keys: 1,
        timeouts: false,
        events: 15_000,
        pattern: any_loop,
    },
    Workload {
        name: "keyed",
        title: "the same as rising for each of 1,000 keys",
        keys: 1_000,
        timeouts: false,
        events: 250_000,
        pattern: keyed,
    },
    Workload {
        name: "timeouts",
        title: "a followed by a rare b within 50, timeouts reported",
        keys: 1,
        timeouts: true,
        events: 150_000,
        pattern: timeouts,
    },
];

/// An event of this type whose volume is at most so much.
fn small(kind: &str, volume: i64) -> Expr {
    Expr::type_is(kind).and(Expr::attribute("volume").le(volume))
}

fn strict() -> PatternBuilder {
    let large = |kind| Expr::type_is(kind).and(Expr::attribute("volume").gt(500));
    Pattern::begin("a").where_(large("a")).next("b").where_(large("b")).next("c").where_(large("c"))
}

fn relaxed() -> PatternBuilder {
    Pattern::begin("a")
        .where_(small("a", 300))
        .followed_by("b")
        .where_(small("b", 300))
        .followed_by("c")
        .where_(small("c", 300))
        .within(WINDOW)
}

/// The price is above that of the event that the loop took last.
fn risen() -> Expr {
    Expr::attribute("price").gt(Expr::last("a", "price"))
}

fn rising() -> PatternBuilder {
    let start = Expr::count("a").eq(0).and(Expr::attribute("volume").le(100));
    Pattern::begin("a")
        .where_(Expr::type_is("a").and(start.or(risen())))
        .one_or_more()
        .followed_by("b")
        .where_(small("b", 150))
        .within(WINDOW)
}

fn keyed() -> PatternBuilder {
    rising().partition_by(["key"])
}

fn any_loop() -> PatternBuilder {
    Pattern::begin("a")
        .where_(small("a", 300).and(risen().assume(true)))
        .one_or_more()
        .allow_combinations()
        .followed_by_any("b")
        .where_(small("b", 300))
        .within(WINDOW)
}

fn any_sequence() -> PatternBuilder {
    Pattern::begin("a")
        .where_(small("a", 300))
        .followed_by_any("b")
        .where_(small("b", 300))
        .followed_by_any("c")
        .where_(small("c", 300))
        .within(WINDOW)
}

fn timeouts() -> PatternBuilder {
    Pattern::begin("a")
        .where_(Expr::type_is("a"))
        .followed_by("b")
        .where_(small("b", 10))
        .within(WINDOW)
}

/// Writes events in the form that the peers read.
pub fn write_csv(ticks: &[Tick], mut out: impl Write) -> io::Result<()> {
    out.write_all(b"type,time,key,price,volume\n")?;
    for tick in ticks {
        let Tick { kind, time, key, price, volume, .. } = tick;
        writeln!(out, "{},{time},{key},{price},{volume}", TYPES[*kind as usize])?;
    }
    out.flush()
}
