//! Comparing what was found with what was expected.

use std::collections::BTreeMap;
use std::fmt;

use super::case::Expected;

/// What brought an output about; events by their id in the case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    Event(i64),
    Time(i64),
    End,
}

/// A match or a timeout in the terms of a case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Output {
    pub(super) cause: Cause,
    pub(super) deadline: Option<i64>,
    pub(super) stages: BTreeMap<String, Vec<i64>>,
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cause {
            Cause::Event(id) => write!(f, "event {id}:")?,
            Cause::Time(t) => write!(f, "time {t}:")?,
            Cause::End => f.write_str("end:")?,
        }
        for (stage, ids) in &self.stages {
            write!(f, " {stage}{ids:?}")?;
        }
        if let Some(deadline) = self.deadline {
            write!(f, " deadline {deadline}")?;
        }
        Ok(())
    }
}

/// The expected output; a deadline is there for timeouts and only for them.
pub(super) fn expected(list: &[Expected], timeouts: bool) -> Result<Vec<Output>, String> {
    let one = |e: &Expected| {
        let cause = match (e.event, e.time, e.end) {
            (Some(id), None, None) if !timeouts => Cause::Event(id),
            (None, Some(t), None) => Cause::Time(t),
            (None, None, Some(true)) => Cause::End,
            _ => return Err("an expected result needs exactly one cause".to_owned()),
        };
        if e.deadline.is_some() != timeouts {
            return Err("timeouts have a deadline, matches have none".to_owned());
        }
        Ok(Output { cause, deadline: e.deadline, stages: e.stages.clone() })
    };
    list.iter().map(one).collect()
}

/// The causes in order, without repetitions next to each other.
fn causes(list: &[Output]) -> Vec<Cause> {
    let mut causes: Vec<Cause> = list.iter().map(|o| o.cause).collect();
    causes.dedup();
    causes
}

fn sorted(list: &[Output], as_set: bool) -> Vec<Output> {
    let mut list = list.to_vec();
    list.sort();
    if as_set {
        list.dedup();
    }
    list
}

/// Whether two lists agree: the same outputs for each cause, as multisets or as sets, and the
/// causes in the same order.
pub(super) fn agree(expected: &[Output], got: &[Output], as_set: bool) -> bool {
    causes(expected) == causes(got) && sorted(expected, as_set) == sorted(got, as_set)
}
