//! Which evaluation a pattern allows.
//!
//! A shared evaluation keeps runs apart only by what decides their future: the wait, and for
//! [`Evaluation::Grouped`] the remembered values. Whatever treats two such runs differently rules it
//! out: pruning by an after-match skip, the time since the last event, a judgement on the complete
//! match, an aggregate that differs from run to run.

use super::compact::sets::MOST_CONDITIONS;
use super::forest;
use super::sequence::{Pair, Sequence};
use crate::config::{Config, HistoryKind};
use crate::error::{Error, ErrorKind};
use crate::limits::Policy;
use crate::nfa::program::{COMPLETE, Finish, Ignore, NOWHERE, Program, Wait};
use crate::nfa::{Automaton, Evaluation, Formula, Skip};
use crate::predicate::Pick;
use crate::predicate::evaluate::{Term, Test};

/// The evaluation of an automaton and one sentence that says why; the first that the pattern allows,
/// or the one that is forced.
pub(crate) fn choose(
    automaton: &Automaton,
    forced: Option<Evaluation>,
) -> Result<(Evaluation, String), Error> {
    let program = &automaton.program;
    let compact = whole_runs(automaton).map_or_else(|| correlated(automaton), Some);
    let grouped = whole_runs(automaton).map_or_else(|| aggregate(automaton), Some);
    let waiting = program.waits.iter().any(|wait| wait.holds_match);
    match forced {
        None => Ok(match (compact, grouped) {
            (None, _) if Sequence::fits(automaton) => (
                Evaluation::Compact,
                "every stage takes one event and every condition looks at one, so partial matches \
                 wait in a queue a stage"
                    .to_owned(),
            ),
            (None, _) if waiting && !forks(program) && !repeats(program, |_| false) => (
                Evaluation::Runs,
                "matches wait for their windows to pass, nothing repeats, and no event is both taken \
                 and ignored, so a first event has few runs"
                    .to_owned(),
            ),
            (None, _) if !is_chain(program) => (
                Evaluation::Compact,
                "every condition looks at a single event, so all partial matches are kept at once"
                    .to_owned(),
            ),
            (None, _) => (
                Evaluation::Runs,
                "no event is ignored and nothing repeats, so there are never more partial matches \
                 than stages"
                    .to_owned(),
            ),
            (Some(_), None) if forest::fits(automaton) => (
                Evaluation::Grouped,
                "conditions look back at last events only and no event is both taken and ignored, so \
                 partial matches that have taken the same event last are one"
                    .to_owned(),
            ),
            (Some(_), None) if Pair::fits(automaton) => (
                Evaluation::Grouped,
                "two single events are compared with each other and no event is both taken and \
                 ignored, so first events wait in a list beside what they are compared by"
                    .to_owned(),
            ),
            (Some(_), None) if forks(program) => (
                Evaluation::Grouped,
                "no condition looks back at more than first and last events, so partial matches \
                 that remember the same are one group"
                    .to_owned(),
            ),
            (Some(why), None) => (
                Evaluation::Runs,
                format!("{why}, and no event is both taken and ignored, so runs stay few"),
            ),
            (Some(_), Some(why)) => {
                (Evaluation::Runs, format!("{why}, so each partial match is a run"))
            }
        }),
        Some(Evaluation::Runs) => Ok((Evaluation::Runs, "it was asked for".to_owned())),
        Some(evaluation) => {
            let (name, obstacle) = match evaluation {
                Evaluation::Compact => ("compact", compact),
                _ => ("grouped", grouped),
            };
            match obstacle {
                None => Ok((evaluation, "it was asked for".to_owned())),
                Some(why) => {
                    let message =
                        format!("the pattern does not allow the {name} evaluation: {why}");
                    Err(Error::new(ErrorKind::Pattern, message).with_hint(
                        "without a forced evaluation the first one that it allows is taken",
                    ))
                }
            }
        }
    }
}

/// No event is ignored, and moves only lead on: strict contiguity without a loop.
fn is_chain(program: &Program) -> bool {
    !repeats(program, |wait| !wait.ignores.is_empty())
}

/// Some way from the start comes back to a wait, or to one that is not wanted.
fn repeats(program: &Program, unwanted: impl Fn(&Wait) -> bool) -> bool {
    let waits = &program.waits;
    // Waits in which the longest way from a wait ends; a loop would never.
    let mut open: Vec<u32> = vec![program.start];
    for _ in 0..=waits.len() {
        if open.is_empty() {
            return false;
        }
        let mut next: Vec<u32> = Vec::new();
        for &at in &open {
            let wait = &waits[at as usize];
            for m in &wait.moves {
                next.push(m.target);
                if let Finish::Hold { otherwise, .. } = m.finish {
                    next.push(otherwise);
                }
            }
            next.extend(wait.ignores.iter().map(|i| i.target).filter(|&to| to != at));
        }
        next.retain(|&to| to != NOWHERE && to != COMPLETE);
        next.sort_unstable();
        next.dedup();
        if next.iter().any(|&at| unwanted(&waits[at as usize])) {
            return true;
        }
        open = next;
    }
    true
}

/// In some wait an event that is taken may also be ignored, so that runs multiply.
pub(super) fn forks(program: &Program) -> bool {
    program.waits.iter().any(|wait| {
        wait.moves.iter().enumerate().any(|(at, m)| {
            let mut literal = Vec::new();
            literals(&m.formula, &mut literal);
            let mut known =
                |of| literal.iter().find(|(number, _)| *number == of).map(|found| found.1);
            let mut open = |ignore: &Ignore| {
                ignore.target != NOWHERE
                    && !ignore.unless.contains(&(at as u32))
                    && ignore.formula.value(&mut known) != Some(false)
            };
            wait.ignores.iter().any(&mut open)
        })
    })
}

/// What surely holds, or does not, where a formula holds.
pub(super) fn literals(formula: &Formula, known: &mut Vec<(u32, bool)>) {
    match formula {
        Formula::Holds(number) => known.push((*number, true)),
        Formula::Not(inner) => {
            if let Formula::Holds(number) = **inner {
                known.push((number, false));
            }
        }
        Formula::And(a, b) => {
            literals(a, known);
            literals(b, known);
        }
        Formula::True => {}
    }
}

/// The evaluation that an engine with these options uses, and why it is not that of the automaton.
pub(crate) fn with_config(
    automaton: &Automaton,
    config: &Config,
) -> (Evaluation, Option<&'static str>) {
    let limits = &config.limits;
    let why = if automaton.evaluation == Evaluation::Runs {
        None
    } else if config.timeouts {
        Some("timeouts are reported for each partial match, so each is a run")
    } else if config.history == HistoryKind::Versioned {
        Some("the versioned buffer was asked for, which keeps runs")
    } else if limits.match_length.most != usize::MAX {
        Some("a limit on the length of a match concerns each partial match, so each is a run")
    } else if limits.runs.policy != Policy::Error || limits.runs_per_key.most != usize::MAX {
        Some("a limit concerns single partial matches, so each is a run")
    } else if limits.history.policy != Policy::Error {
        Some("a limit drops remembered events with single partial matches, so each is a run")
    } else {
        None
    };
    (if why.is_some() { Evaluation::Runs } else { automaton.evaluation }, why)
}

/// What needs whole runs, whatever the conditions.
fn whole_runs(automaton: &Automaton) -> Option<String> {
    let program = &automaton.program;
    let why = if program.waits.is_empty() {
        "its proceed edges form a cycle or are too many to be resolved"
    } else if automaton.skip != Skip::None {
        "an after-match skip prunes single partial matches"
    } else if !program.filters.is_empty() {
        "a negation is judged on complete matches"
    } else if program.waits.iter().any(|wait| wait.gap.is_some()) {
        "a window between neighbours depends on the last event of each partial match"
    } else {
        return None;
    };
    Some(why.to_owned())
}

/// A condition that looks back.
fn correlated(automaton: &Automaton) -> Option<String> {
    let looks_back = |&number: &u32| !automaton.conditions[number as usize].unary;
    let conditions = conditions(&automaton.program);
    let Some(number) = conditions.iter().copied().find(looks_back) else {
        return (conditions.len() > MOST_CONDITIONS)
            .then(|| format!("there are more than {MOST_CONDITIONS} different conditions"));
    };
    let expr = &automaton.conditions[number as usize].expr;
    Some(format!("`{expr}` looks back at earlier events"))
}

/// A condition that looks back at more than first and last events.
fn aggregate(automaton: &Automaton) -> Option<String> {
    let grows = |&number: &u32| {
        reads(&automaton.conditions[number as usize].test).iter().any(|&register| {
            let pick = automaton.registers[register as usize].pick;
            !matches!(pick, Pick::First | Pick::Last)
        })
    };
    let number = conditions(&automaton.program).into_iter().find(grows)?;
    let expr = &automaton.conditions[number as usize].expr;
    Some(format!("`{expr}` looks at an aggregate of earlier events"))
}

/// The conditions that the program tests, in ascending order.
pub(super) fn conditions(program: &Program) -> Vec<u32> {
    let mut all = Vec::new();
    for wait in &program.waits {
        wait.stops.iter().for_each(|formula| gather(formula, &mut all));
        wait.ignores.iter().for_each(|ignore| gather(&ignore.formula, &mut all));
        for m in &wait.moves {
            gather(&m.formula, &mut all);
            if let Finish::Emit { formula, .. } | Finish::Hold { formula, .. } = &m.finish {
                gather(formula, &mut all);
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The conditions of a formula.
pub(super) fn gather(formula: &Formula, into: &mut Vec<u32>) {
    match formula {
        Formula::True => {}
        Formula::Holds(number) => into.push(*number),
        Formula::Not(inner) => gather(inner, into),
        Formula::And(a, b) => {
            gather(a, into);
            gather(b, into);
        }
    }
}

/// The registers that a condition reads, in ascending order.
pub(super) fn reads(test: &Test) -> Vec<u32> {
    let mut all = Vec::new();
    reads_of_test(test, &mut all);
    all.sort_unstable();
    all.dedup();
    all
}

fn reads_of_test(test: &Test, into: &mut Vec<u32>) {
    match test {
        Test::TypeIs(_) => {}
        Test::Compare(_, a, b) => [a, b].into_iter().for_each(|t| reads_of_term(t, into)),
        Test::And(all) | Test::Or(all) => all.iter().for_each(|t| reads_of_test(t, into)),
        Test::Not(inner) | Test::Assume(inner, _) => reads_of_test(inner, into),
        Test::In(one, all) => {
            reads_of_term(one, into);
            all.iter().for_each(|t| reads_of_term(t, into));
        }
        Test::Between(a, b, c) => [a, b, c].into_iter().for_each(|t| reads_of_term(t, into)),
        Test::IsMissing(term) | Test::Term(term) => reads_of_term(term, into),
    }
}

fn reads_of_term(term: &Term, into: &mut Vec<u32>) {
    match term {
        Term::Constant(_) | Term::Slot(_) => {}
        Term::Register(index, _) => into.push(*index as u32),
        Term::Negate(inner) => reads_of_term(inner, into),
        Term::Arithmetic(_, a, b) => [a, b].into_iter().for_each(|t| reads_of_term(t, into)),
        Term::Test(test) => reads_of_test(test, into),
    }
}
