//! Brute force: every combination of events is tried.

use multipattern::PatternId;

use super::engines::Answer;

/// Everything that a pattern finds under `any`: all combinations in order whose events lie within so
/// many consecutive ones. In the engine's order: by the completing event, by pattern, by indices.
pub fn any(patterns: &[Vec<u8>], events: &[u8], window: u64) -> Vec<(PatternId, Vec<u64>)> {
    let mut found = Vec::new();
    for last in 0..events.len() {
        let first = (last + 1).saturating_sub(window as usize);
        for (number, pattern) in (0..).zip(patterns) {
            let mut chosen = Vec::with_capacity(pattern.len());
            extend(pattern, events, first, last, &mut chosen, &mut |chosen| {
                found.push((PatternId(number), chosen.to_vec()));
            });
        }
    }
    found
}

/// Tries all events from `from` to `last` for the next operand; only the last operand may be, and must
/// be, the event `last`.
fn extend(
    pattern: &[u8],
    events: &[u8],
    from: usize,
    last: usize,
    chosen: &mut Vec<u64>,
    found: &mut impl FnMut(&[u64]),
) {
    let Some((&letter, rest)) = pattern.split_first() else { return };
    if rest.is_empty() {
        if from <= last && events[last] == letter {
            chosen.push(last as u64);
            found(chosen);
            chosen.pop();
        }
        return;
    }
    for at in from..last {
        if events[at] == letter {
            chosen.push(at as u64);
            extend(rest, events, at + 1, last, chosen, found);
            chosen.pop();
        }
    }
}

/// The same as an answer.
pub fn answer(patterns: &[Vec<u8>], events: &[u8], window: u64) -> Answer {
    let mut answer = Answer::default();
    for (pattern, chosen) in any(patterns, events, window) {
        answer.add(pattern, &chosen);
    }
    answer
}
