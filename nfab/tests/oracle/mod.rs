//! The plain rule of the `flink` semantics by brute force: stages without greedy, until, groups and
//! negation. Slow and obvious; it shares nothing with the engine.

/// An event; its number is its place in the stream.
#[derive(Clone, Debug)]
pub struct Ev {
    pub kind: u8,
    pub val: i64,
    pub ts: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    Strict,
    Relaxed,
    Any,
}

#[derive(Clone, Copy, Debug)]
pub enum Agg {
    First,
    Last,
    Min,
    Max,
    Sum,
    Avg,
    Count,
}

/// The event's type is one of `kinds` and, if there is a comparison, `val` is greater than the
/// aggregate over a stage plus an offset; `on_empty` where the aggregate has no value.
#[derive(Clone, Debug)]
pub struct Cond {
    pub kinds: Vec<u8>,
    pub greater_than: Option<(Agg, usize, i64, bool)>,
}

#[derive(Clone, Debug)]
pub struct Stage {
    pub cond: Cond,
    pub connector: Gap,
    pub min: usize,
    pub max: usize,
    pub optional: bool,
    pub inner: Gap,
}

#[derive(Clone, Debug)]
pub struct Plain {
    pub stages: Vec<Stage>,
    pub within: Option<i64>,
}

/// Stages with the numbers of their events, in the order taken.
pub type Found = Vec<(usize, usize)>;

fn accepts(cond: &Cond, event: &Ev, stream: &[Ev], taken: &Found) -> bool {
    if !cond.kinds.contains(&event.kind) {
        return false;
    }
    let Some((agg, stage, offset, on_empty)) = cond.greater_than else { return true };
    let held: Vec<i64> = taken.iter().filter(|t| t.0 == stage).map(|t| stream[t.1].val).collect();
    let count = held.len() as i64;
    let sum: i64 = held.iter().sum();
    let value = match agg {
        Agg::First => held.first().copied(),
        Agg::Last => held.last().copied(),
        Agg::Min => held.iter().min().copied(),
        Agg::Max => held.iter().max().copied(),
        Agg::Sum => Some(sum),
        Agg::Count => Some(count),
        // val > sum / count + offset, without division.
        Agg::Avg if count > 0 => return count * (event.val - offset) > sum,
        Agg::Avg => None,
    };
    value.map_or(on_empty, |value| event.val > value + offset)
}

fn extend(plain: &Plain, stream: &[Ev], taken: &mut Found, all: &mut Vec<Found>) {
    let &(stage, last) = taken.last().expect("a run holds an event");
    let count = taken.iter().filter(|t| t.0 == stage).count();
    let own = &plain.stages[stage];
    if count >= own.min && plain.stages[stage + 1..].iter().all(|s| s.optional) {
        all.push(taken.clone());
    }
    let mut choices = Vec::new();
    if count < own.max {
        choices.push((stage, own.inner));
    }
    if count >= own.min {
        for (later, next) in plain.stages.iter().enumerate().skip(stage + 1) {
            choices.push((later, next.connector));
            if !next.optional {
                break;
            }
        }
    }
    for (next, gap) in choices {
        for at in last + 1..stream.len() {
            let inside = plain.within.is_none_or(|w| stream[at].ts - stream[taken[0].1].ts < w);
            let fits = accepts(&plain.stages[next].cond, &stream[at], stream, taken);
            if fits && inside {
                taken.push((next, at));
                extend(plain, stream, taken, all);
                taken.pop();
            }
            if !inside || gap == Gap::Strict || (gap == Gap::Relaxed && fits) {
                break;
            }
        }
    }
}

/// All matches, in the documented order: by last event, then by the events in turn,
/// then by their stages.
pub fn matches(plain: &Plain, stream: &[Ev]) -> Vec<Found> {
    let mut all = Vec::new();
    for at in 0..stream.len() {
        for (first, stage) in plain.stages.iter().enumerate() {
            if accepts(&stage.cond, &stream[at], stream, &Vec::new()) {
                extend(plain, stream, &mut vec![(first, at)], &mut all);
            }
            if !stage.optional {
                break;
            }
        }
    }
    let key = |found: &Found| {
        let (stages, places): (Vec<usize>, Vec<usize>) = found.iter().copied().unzip();
        (places.last().copied(), places, stages)
    };
    all.sort_by_key(key);
    all.dedup();
    all
}
