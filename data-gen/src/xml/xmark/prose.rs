//! Sentences with nested markup, in texts and lists of texts.

use super::schema::Tables;
use crate::seed::Rng;
use crate::xml::vocabulary::SLOT;
use crate::xml::writer::XmlWriter;

/// Start and end tags of the three kinds of markup; a space follows each.
const MARKUP: [(&[u8], &[u8]); 3] =
    [(b"<emph> ", b"</emph> "), (b"<keyword> ", b"</keyword> "), (b"<bold> ", b"</bold> ")];

/// Which kind opens, cumulated, of 10,000: nearly uniform, but the benchmark's generator favours
/// pairs of keyword and bold.
const OUTER: [u64; 2] = [3306, 6600];
/// The same inside each kind, which never opens again.
const INNER: [[u64; 2]; 3] = [[0, 5000], [4680, 4680], [4763, 10_000]];

const OPEN_MARKUP: f64 = 0.1;
const CLOSE_MARKUP: f64 = 0.8;
const LIST_IN_DESCRIPTION: f64 = 0.3;
const LIST_IN_LIST_ITEM: f64 = 0.2;

/// `description`: a text or a list.
pub(super) fn description(out: &mut XmlWriter<'_>, tables: &Tables, rng: &mut Rng) {
    out.open(b"<description>\n", 0);
    if rng.chance(LIST_IN_DESCRIPTION) {
        list(out, tables, rng, false);
    } else {
        text(out, tables, rng);
    }
    out.close(b"</description>\n");
}

/// `parlist`: a list of texts, some of them lists again, but at most two deep.
fn list(out: &mut XmlWriter<'_>, tables: &Tables, rng: &mut Rng, inner: bool) {
    out.open(b"<parlist>\n", 0);
    for _ in 0..tables.list_items.sample(rng) {
        out.open(b"<listitem>\n", 0);
        if !inner && rng.chance(LIST_IN_LIST_ITEM) {
            list(out, tables, rng, true);
        } else {
            text(out, tables, rng);
        }
        out.close(b"</listitem>\n");
    }
    out.close(b"</parlist>\n");
}

/// `text`: sentences; before each one, markup may open or the innermost markup may close.
pub(super) fn text(out: &mut XmlWriter<'_>, tables: &Tables, rng: &mut Rng) {
    out.open(b"<text>\n", 0);
    // The kinds of markup that are open, outermost first.
    let mut open = [0_usize; 2];
    let mut count = 0;
    for _ in 0..=tables.sentences.sample(rng) {
        if count < 2 && rng.chance(OPEN_MARKUP) {
            let shares = if count == 0 { &OUTER } else { &INNER[open[0]] };
            let draw = rng.below(10_000);
            let kind = shares.iter().take_while(|&&up_to| draw >= up_to).count();
            open[count] = kind;
            count += 1;
            out.open(MARKUP[kind].0, 0);
        } else if count > 0 && rng.chance(CLOSE_MARKUP) {
            count -= 1;
            out.close(MARKUP[open[count]].1);
        }
        sentence(out, tables, rng);
    }
    while count > 0 {
        count -= 1;
        out.close(MARKUP[open[count]].1);
    }
    out.close(b"\n</text>\n");
}

/// Words, a space after each.
fn sentence(out: &mut XmlWriter<'_>, tables: &Tables, rng: &mut Rng) {
    let words = 1 + tables.words_in_sentence.sample(rng);
    put_words(out, tables, rng, words);
}

/// `words` words, a space after each.
pub(super) fn put_words(out: &mut XmlWriter<'_>, tables: &Tables, rng: &mut Rng, words: usize) {
    let to = out.room((words + 1) * SLOT);
    let mut at = 0;
    for _ in 0..words {
        at += tables.words.put(rng, &mut to[at..]);
    }
    out.advance(at);
}
