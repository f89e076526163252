//! Rounds of steps none of which adds to the count.

use std::rc::Rc;

use super::hash::{self, Map};
use super::lexicon::Lexicon;
use super::parse::Parser;
use crate::model::Sequences;

/// Rounds at most; what the later ones find is little.
const ROUNDS: usize = 6;
/// Symbols that may be parsed, as a multiple of those of all patterns, and for small sets.
const EFFORT: u64 = 60;
const LEAST_EFFORT: u64 = 200_000;
/// A composite that more words than these use is not tried to be given up.
const COMMON: u32 = 24;

/// Improves the words; tells how many symbols were parsed.
pub(super) fn improve(lexicon: &mut Lexicon<'_>, set: &Sequences) -> u64 {
    let total: u64 = set.iter().map(|sequence| sequence.len() as u64).sum();
    let budget = (total * EFFORT).max(LEAST_EFFORT);
    let mut parser = Parser::new();
    for round in 0..ROUNDS {
        let before = lexicon.cost();
        parser.wavering = round % 2 == 1;
        for slot in lexicon.slots() {
            if lexicon.live(slot) {
                parser.again(lexicon, slot);
                lexicon.commit();
            }
        }
        // The last part of the budget is kept for the other steps.
        add(lexicon, &mut parser, budget / 4 * 3);
        remove(lexicon, &mut parser, budget);
        if parser.steps > budget || (round > 1 && lexicon.cost() == before) {
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
fn add(lexicon: &mut Lexicon<'_>, parser: &mut Parser, budget: u64) {
    for Repeat { part, words, .. } in repeats(lexicon) {
        if parser.steps > budget {
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
    let mut words_of: Map<u64, (u32, u32, u32, Vec<u32>)> = Map::default();
    for slot in lexicon.slots() {
        if !lexicon.live(slot) || !lexicon.is_pattern(slot) {
            continue;
        }
        let sequence = lexicon.expansion(slot);
        let hashes = hash::beginnings(sequence);
        for from in 0..sequence.len() {
            let reach = |at: usize| lexicon.set.reach_of(sequence[at]) as usize;
            if reach(from) > 0 {
                continue;
            }
            for to in from + 2..=sequence.len().min(from + lexicon.longest) {
                if reach(to - 1) > to - 1 - from {
                    break;
                }
                let hash = lexicon.powers.part(&hashes, from, to);
                if lexicon.word_of(hash).is_some() {
                    continue;
                }
                let place = || (slot, from as u32, to as u32, Vec::new());
                let words = &mut words_of.entry(hash).or_insert_with(place).3;
                if words.last() != Some(&slot) {
                    words.push(slot);
                }
            }
        }
    }
    let mut repeats: Vec<Repeat> = words_of
        .into_values()
        .filter(|(.., words)| words.len() >= 2)
        .map(|(slot, from, to, words)| Repeat {
            saves: (to - from - 1) as usize * words.len(),
            part: lexicon.expansion(slot)[from as usize..to as usize].into(),
            words,
        })
        .collect();
    repeats.sort_by(|a, b| b.saves.cmp(&a.saves).then_with(|| a.part.cmp(&b.part)));
    repeats
}

/// Tries to do without each composite that few words use.
fn remove(lexicon: &mut Lexicon<'_>, parser: &mut Parser, budget: u64) {
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
        if parser.steps > budget {
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
