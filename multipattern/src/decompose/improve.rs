//! Rounds of steps none of which adds to the count.

use std::rc::Rc;

use super::hash::{self, Map};
use super::lexicon::Lexicon;
use super::parse::Parser;
use crate::model::Sequences;

/// Rounds at most.
const ROUNDS: usize = 8;
/// Look-ups that may be made: so many for each symbol of the patterns, as long as this is no more
/// than the next number, and so many more.
const EFFORT: u64 = 160;
const MOST_EFFORT: u64 = 50_000_000;
const LEAST_EFFORT: u64 = 1_000_000;
/// Beyond the least effort, a round that saves less than this part of the cost is the last one, and
/// so is a try of composites that saves less by as many look-ups as parsing everything once takes.
const WORTHWHILE: i64 = 400;
/// A composite that more words than these use is not tried to be given up.
const COMMON: u32 = 24;

/// What may still be spent.
struct Effort {
    most: u64,
    /// Look-ups made when the cost was last looked at, and the cost.
    since: u64,
    cost: i64,
    /// After how many look-ups it is looked at again.
    period: u64,
}

impl Effort {
    fn left(&self, parser: &Parser) -> bool {
        parser.steps <= self.most
    }

    /// Whether going on is worth while.
    fn pays(&mut self, parser: &Parser, lexicon: &Lexicon<'_>) -> bool {
        if parser.steps - self.since < self.period {
            return true;
        }
        let saved = self.cost - lexicon.cost();
        let pays = parser.steps < LEAST_EFFORT || saved > self.cost / WORTHWHILE;
        (self.since, self.cost) = (parser.steps, lexicon.cost());
        pays
    }
}

/// Improves the words; tells how many look-ups that took.
pub(super) fn improve(lexicon: &mut Lexicon<'_>, set: &Sequences) -> u64 {
    let total: u64 = set.iter().map(|sequence| sequence.len() as u64).sum();
    let most = LEAST_EFFORT + (EFFORT * total).min(MOST_EFFORT);
    let mut effort = Effort { most, since: 0, cost: lexicon.cost(), period: 0 };
    let mut parser = Parser::new();
    for round in 0..ROUNDS {
        let (before, began) = (lexicon.cost(), parser.steps);
        parser.wavering = round % 2 == 1;
        for slot in lexicon.slots() {
            if lexicon.live(slot) && effort.left(&parser) {
                parser.again(lexicon, slot);
                lexicon.commit();
            }
        }
        effort.period = parser.steps - began;
        (effort.since, effort.cost) = (parser.steps, lexicon.cost());
        add(lexicon, &mut parser, &mut effort);
        remove(lexicon, &mut parser, &effort);
        let saved = before - lexicon.cost();
        let enough = if parser.steps < LEAST_EFFORT { 0 } else { before / WORTHWHILE };
        if !effort.left(&parser) || (round > 0 && saved <= enough) {
            break;
        }
    }
    parser.steps
}

/// A part that repeats: what it could save, where it is, and the words it is in.
struct Repeat {
    saves: usize,
    part: Rc<[u32]>,
    words: Vec<u32>,
}

/// Tries composites that are not there yet, the one that could save most first.
fn add(lexicon: &mut Lexicon<'_>, parser: &mut Parser, effort: &mut Effort) {
    for Repeat { part, words, .. } in repeats(lexicon) {
        if !effort.left(parser) || !effort.pays(parser, lexicon) {
            return;
        }
        let hash = hash::beginnings(&part).pop().unwrap_or(0);
        if lexicon.word_of(hash).is_some() {
            continue;
        }
        let before = lexicon.cost();
        let made = parser.composite(lexicon, part);
        if let Some(slot) = made {
            lexicon.hold(slot);
            for word in words {
                if lexicon.live(word) {
                    parser.again(lexicon, word);
                }
            }
            lexicon.let_go(slot);
        }
        if made.is_none() || lexicon.cost() > before {
            lexicon.rollback(0);
        }
        lexicon.commit();
    }
}

/// The parts that occur in two or more patterns and could be composites.
fn repeats(lexicon: &Lexicon<'_>) -> Vec<Repeat> {
    // Counted first: most parts occur once, and a list for each would take much memory.
    let mut counts: Map<u64, (u32, u32)> = Map::default();
    for slot in lexicon.slots() {
        parts(lexicon, slot, |hash, _, _| {
            let (last, count) = counts.entry(hash).or_insert((slot, 1));
            *count += u32::from(std::mem::replace(last, slot) != slot);
        });
    }
    counts.retain(|_, (_, count)| *count >= 2);
    let mut repeats: Map<u64, Repeat> = Map::default();
    for slot in lexicon.slots() {
        parts(lexicon, slot, |hash, from, to| {
            let Some(&(_, count)) = counts.get(&hash) else { return };
            let repeat = repeats.entry(hash).or_insert_with(|| Repeat {
                saves: (to - from - 1) * count as usize,
                part: lexicon.expansion(slot)[from..to].into(),
                words: Vec::with_capacity(count as usize),
            });
            if repeat.words.last() != Some(&slot) {
                repeat.words.push(slot);
            }
        });
    }
    let mut repeats: Vec<Repeat> = repeats.into_values().collect();
    repeats.sort_by(|a, b| b.saves.cmp(&a.saves).then_with(|| a.part.cmp(&b.part)));
    repeats
}

/// Shows the hash and the bounds of every part of a pattern that could be a composite and is not.
fn parts(lexicon: &Lexicon<'_>, slot: u32, mut show: impl FnMut(u64, usize, usize)) {
    if !lexicon.live(slot) || !lexicon.is_pattern(slot) {
        return;
    }
    let sequence = lexicon.expansion(slot);
    let hashes = hash::beginnings(sequence);
    let reach = |at: usize| lexicon.set.reach_of(sequence[at]) as usize;
    for from in 0..sequence.len() {
        if reach(from) > 0 {
            continue;
        }
        for to in from + 2..=sequence.len().min(from + lexicon.longest) {
            if reach(to - 1) > to - 1 - from {
                break;
            }
            let hash = lexicon.powers.part(&hashes, from, to);
            if lexicon.word_of(hash).is_none() {
                show(hash, from, to);
            }
        }
    }
}

/// Tries to do without each composite that few words use.
fn remove(lexicon: &mut Lexicon<'_>, parser: &mut Parser, effort: &Effort) {
    let mut users: Map<u32, Vec<u32>> = Map::default();
    for slot in lexicon.slots() {
        for &label in lexicon.labels(slot) {
            if let Some(composite) = lexicon.composite(label) {
                users.entry(composite).or_default().push(slot);
            }
        }
    }
    for slot in lexicon.slots() {
        let common = !lexicon.live(slot) || lexicon.is_pattern(slot) || lexicon.uses(slot) > COMMON;
        let Some(users) = users.get(&slot).filter(|_| !common) else { continue };
        if !effort.left(parser) {
            break;
        }
        let before = lexicon.cost();
        let label = lexicon.label(slot);
        parser.banned = Some(lexicon.hash(slot));
        let (mut misled, mut left) = (false, Vec::new());
        for &user in users {
            if lexicon.live(user) && lexicon.labels(user).contains(&label) {
                match parser.replace(lexicon, user) {
                    Some(old) => left.extend(old),
                    None => misled = true,
                }
            }
        }
        lexicon.sweep(left.into_iter().filter_map(|label| lexicon.composite(label)).collect());
        if misled || lexicon.cost() > before {
            lexicon.rollback(0);
        }
        lexicon.commit();
    }
    parser.banned = None;
}
