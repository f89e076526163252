//! Random trees with all that XML allows between tags, and trees of hostile shapes.
//!
//! Small random trees are meant for other crates' tests: a seed and a few options give a document
//! that holds comments, processing instructions, CDATA sections, attributes with `>` in them,
//! elements within elements of the same name, and white space in tags.

use super::vocabulary::{SLOT, Words};
use super::writer::XmlWriter;
use super::{Facts, invalid};
use crate::seed::Rng;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// The outline of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Shape {
    /// Random fan-out and depth, with content of all kinds between the tags.
    Random,
    /// Every element holds one element: `elements` levels.
    Deep,
    /// `elements` elements `row` under one parent `rows`, each with `text_bytes` bytes of text and,
    /// half of them, with a child `x`.
    Wide,
    /// One text node of `text_bytes` bytes.
    LongText,
    /// `elements` elements `row` with `attributes_each` attributes each.
    ManyAttributes,
}

/// What to choose about a tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RandomTreeOptions {
    /// The outline.
    pub shape: Shape,
    /// Shape `Random`: the most elements there may be; there are fewer only when depth and fan-out
    /// leave no room for them. `Deep`: levels. `Wide` and `ManyAttributes`: elements `row`.
    pub elements: u64,
    /// Shape `Random`: the greatest depth; the root's is 1.
    pub max_depth: u64,
    /// Shape `Random`: the most child elements of an element.
    pub max_fanout: u64,
    /// Element names of the shapes `Random` and `Deep`.
    pub names: Vec<String>,
    /// Shape `Random`: the probability of text before each tag.
    pub text: f64,
    /// Shape `Random`: the probability of a comment before each tag.
    pub comments: f64,
    /// Shape `Random`: the probability of a processing instruction before each tag.
    pub instructions: f64,
    /// Shape `Random`: the probability of a CDATA section before each tag.
    pub cdata: f64,
    /// Shape `Random`: the probability that an element has attributes.
    pub attributes: f64,
    /// Shapes `Random` and `Deep`: the probability that an element takes its parent's name.
    pub recursion: f64,
    /// Shape `LongText`: bytes of the text. `Wide`: bytes of text in a row.
    pub text_bytes: u64,
    /// Shape `ManyAttributes`: attributes of an element.
    pub attributes_each: u64,
}

impl RandomTreeOptions {
    /// The defaults of a shape. `Random`: 1,000 elements named `a` to `f`; `Deep`: 100,000 levels;
    /// `Wide`: a million rows, 200 MB; `LongText`: 64 MiB; `ManyAttributes`: 1,000 rows with 1,000
    /// attributes.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            elements: match shape {
                Shape::Random | Shape::ManyAttributes => 1000,
                Shape::Deep => 100_000,
                Shape::Wide => 1_000_000,
                Shape::LongText => 2,
            },
            max_depth: 12,
            max_fanout: 8,
            names: ["a", "b", "c", "d", "e", "f"].map(str::to_owned).to_vec(),
            text: 0.4,
            comments: 0.1,
            instructions: 0.05,
            cdata: 0.05,
            attributes: 0.3,
            recursion: 0.25,
            text_bytes: if shape == Shape::LongText { 64 << 20 } else { 186 },
            attributes_each: 1000,
        }
    }

    fn check(&self) -> io::Result<()> {
        let fractions = [
            ("text", self.text),
            ("comments", self.comments),
            ("instructions", self.instructions),
            ("cdata", self.cdata),
            ("attributes", self.attributes),
            ("recursion", self.recursion),
        ];
        for (what, p) in fractions {
            if !(0.0..=1.0).contains(&p) {
                return Err(invalid(format!(
                    "the probability of {what} must be in [0, 1], not {p}"
                )));
            }
        }
        if self.elements == 0 || self.max_depth == 0 {
            return Err(invalid("a tree has at least one element and one level".to_owned()));
        }
        if self.names.is_empty() {
            return Err(invalid("at least one element name is needed".to_owned()));
        }
        let first = |c: char| c.is_ascii_alphabetic() || c == '_';
        let later = |c: char| first(c) || c.is_ascii_digit() || c == '-' || c == '.';
        let good = |name: &str| name.starts_with(first) && name.chars().all(later);
        match self.names.iter().find(|name| !good(name)) {
            Some(name) => Err(invalid(format!(
                "{name:?} is not an element name of ASCII letters, digits, '-', '.' and '_'"
            ))),
            None => Ok(()),
        }
    }

    pub(super) fn expected_bytes(&self) -> u64 {
        let each = match self.shape {
            Shape::Random => 30,
            Shape::Deep => 8,
            Shape::Wide => self.text_bytes.saturating_add(14),
            Shape::LongText => return self.text_bytes,
            Shape::ManyAttributes => self.attributes_each.saturating_mul(14),
        };
        self.elements.saturating_mul(each)
    }
}

impl Default for RandomTreeOptions {
    fn default() -> Self {
        Self::new(Shape::Random)
    }
}

/// Writes a tree.
///
/// # Errors
/// `InvalidInput` when an option is out of range; else what `out` reports.
pub fn generate(options: &RandomTreeOptions, seed: u64, out: &mut dyn Write) -> io::Result<Facts> {
    options.check()?;
    let mut rng = Rng::new(seed, "random tree");
    let mut out = XmlWriter::new(out);
    out.raw(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    match options.shape {
        Shape::Random => Random { options, rng, out: &mut out }.tree()?,
        Shape::Deep => deep(options, &mut rng, &mut out)?,
        Shape::Wide => wide(options, &mut rng, &mut out)?,
        Shape::LongText => {
            out.open(b"<doc>\n", 0);
            out.open(b"<text>", 0);
            words(&Words::new(), &mut rng, &mut out, options.text_bytes)?;
            out.close(b"</text>\n");
            out.close(b"</doc>\n");
        }
        Shape::ManyAttributes => many_attributes(options, &mut rng, &mut out)?,
    }
    out.finish()
}

/// Exactly `bytes` bytes of words.
fn words(words: &Words, rng: &mut Rng, out: &mut XmlWriter<'_>, bytes: u64) -> io::Result<()> {
    let mut left = bytes;
    while left > 0 {
        let word = words.put(rng, out.room(SLOT));
        let used = left.min(word as u64);
        out.advance(used as usize);
        left -= used;
        if left % 1024 < 16 {
            out.check()?;
        }
    }
    Ok(())
}

fn deep(options: &RandomTreeOptions, rng: &mut Rng, out: &mut XmlWriter<'_>) -> io::Result<()> {
    let mut open: Vec<&str> = Vec::new();
    for _ in 0..options.elements {
        let name = match open.last() {
            Some(parent) if rng.chance(options.recursion) => parent,
            _ => rng.pick(&options.names).as_str(),
        };
        out.open(b"<", 0);
        out.raw(name.as_bytes());
        out.byte(b'>');
        open.push(name);
        out.check()?;
    }
    out.raw(b"bottom");
    while let Some(name) = open.pop() {
        out.close(b"</");
        out.raw(name.as_bytes());
        out.byte(b'>');
        out.check()?;
    }
    out.byte(b'\n');
    Ok(())
}

fn wide(options: &RandomTreeOptions, rng: &mut Rng, out: &mut XmlWriter<'_>) -> io::Result<()> {
    let vocabulary = Words::new();
    out.open(b"<rows>\n", 0);
    for _ in 0..options.elements {
        out.open(b"<row>", 0);
        if rng.coin() {
            out.empty(b"<x/>", 0);
        }
        words(&vocabulary, rng, out, options.text_bytes)?;
        out.close(b"</row>\n");
        out.check()?;
    }
    out.close(b"</rows>\n");
    Ok(())
}

fn many_attributes(
    options: &RandomTreeOptions,
    rng: &mut Rng,
    out: &mut XmlWriter<'_>,
) -> io::Result<()> {
    out.open(b"<rows>\n", 0);
    for _ in 0..options.elements {
        out.empty(b"<row", options.attributes_each);
        for number in 0..options.attributes_each {
            out.raw(b" a");
            out.number(number);
            out.raw(b"=\"");
            out.number(rng.below(1_000_000));
            out.byte(b'"');
        }
        out.raw(b"/>\n");
        out.check()?;
    }
    out.close(b"</rows>\n");
    Ok(())
}

const TEXTS: [&[u8]; 8] = [
    b"word ",
    b" a > b ",
    b"&lt;b&gt;",
    b"&amp;amp;",
    b"\n\t ",
    b"]] >",
    "gr\u{fc}n \u{2192} \u{1f332}".as_bytes(),
    b"&#65;&#x42; 'single' \"double\"",
];
const COMMENTS: [&[u8]; 5] =
    [b"<!---->", b"<!-- <a> </b> -->", b"<!-- > -->", b"<!-- it's & -->", b"<!-- - -\n-->"];
const INSTRUCTIONS: [&[u8]; 4] =
    [b"<?go?>", b"<?go <a>?>", b"<?go quote=\"'?>", b"<?go x > y ? z ?>"];
const CDATA: [&[u8]; 5] = [
    b"<![CDATA[]]>",
    b"<![CDATA[</a><b>]]>",
    b"<![CDATA[ & ]] > ]]>",
    b"<![CDATA[<![CDATA[]]>",
    b"<![CDATA[it's \"quoted\"]]>",
];
/// Attribute names; an element takes the first few of them, starting anywhere.
const ATTRIBUTE_NAMES: [&[u8]; 5] = [b"id", b"n", b"lang", b"data-x", b"k_1"];
const ATTRIBUTE_VALUES: [&[u8]; 8] = [
    b"=\"\"",
    b"=\"a > b\"",
    b"='/>'",
    b"=\"it's\"",
    b" = 'say \"x\"'",
    b"=\"&lt;a&gt; &amp; &quot;\"",
    b"=\n\"7\"",
    "='\u{e9}t\u{e9}'".as_bytes(),
];

/// An open element of a random tree.
struct Open<'o> {
    name: &'o str,
    /// Children to come, at most.
    children: u64,
    /// Elements that these children and their descendants may still take.
    budget: u64,
}

struct Random<'o, 'w, 'd> {
    options: &'o RandomTreeOptions,
    rng: Rng,
    out: &'w mut XmlWriter<'d>,
}

impl<'o> Random<'o, '_, '_> {
    fn tree(mut self) -> io::Result<()> {
        let root = self.rng.pick(&self.options.names);
        self.comments_outside();
        let mut open: Vec<Open<'o>> = Vec::new();
        open.extend(self.start(root, 1, self.options.elements));
        while let Some(parent) = open.last_mut() {
            self.out.check()?;
            self.content();
            if parent.children > 0 && parent.budget > 0 {
                // The last child may take all; the others a random share that leaves one for each
                // that follows.
                let spare = parent.budget.saturating_sub(parent.children - 1).max(1);
                let share = if parent.children == 1 { spare } else { self.rng.between(1, spare) };
                parent.children -= 1;
                parent.budget -= share;
                let name = if self.rng.chance(self.options.recursion) {
                    parent.name
                } else {
                    self.rng.pick(&self.options.names)
                };
                let depth = open.len() as u64 + 1;
                match self.start(name, depth, share) {
                    Some(child) => open.push(child),
                    None => give_back(&mut open, share - 1),
                }
            } else {
                let Open { name, budget, .. } = open.pop().expect("an element is open");
                self.out.close(b"</");
                self.out.raw(name.as_bytes());
                self.out.raw(if self.rng.below(16) == 0 { b" >" } else { b">" });
                give_back(&mut open, budget);
            }
        }
        self.comments_outside();
        self.out.byte(b'\n');
        Ok(())
    }

    /// Writes a start tag, or the whole of an element without content.
    fn start(&mut self, name: &'o str, depth: u64, budget: u64) -> Option<Open<'o>> {
        let attributes = if self.rng.chance(self.options.attributes) {
            self.rng.between(1, ATTRIBUTE_NAMES.len() as u64)
        } else {
            0
        };
        let may_have_children = depth < self.options.max_depth && budget > 1;
        let children = if may_have_children {
            self.rng.between(1, self.options.max_fanout.max(1)).min(self.options.max_fanout)
        } else {
            0
        };
        let empty = children == 0 && self.rng.coin();
        if empty {
            self.out.empty(b"<", attributes);
        } else {
            self.out.open(b"<", attributes);
        }
        self.out.raw(name.as_bytes());
        let first = self.rng.below(ATTRIBUTE_NAMES.len() as u64);
        for i in 0..attributes {
            self.out.byte(if self.rng.below(8) == 0 { b'\n' } else { b' ' });
            self.out.raw(ATTRIBUTE_NAMES[(first + i) as usize % ATTRIBUTE_NAMES.len()]);
            self.out.raw(self.rng.pick_bytes(&ATTRIBUTE_VALUES));
        }
        if self.rng.below(16) == 0 {
            self.out.byte(b' ');
        }
        self.out.raw(if empty { b"/>" } else { b">" });
        (!empty).then_some(Open { name, children, budget: budget - 1 })
    }

    /// What may stand before any tag inside the root.
    fn content(&mut self) {
        let options = self.options;
        if self.rng.chance(options.text) {
            self.out.raw(self.rng.pick_bytes(&TEXTS));
        }
        if self.rng.chance(options.comments) {
            self.out.raw(self.rng.pick_bytes(&COMMENTS));
        }
        if self.rng.chance(options.instructions) {
            self.out.raw(self.rng.pick_bytes(&INSTRUCTIONS));
        }
        if self.rng.chance(options.cdata) {
            self.out.raw(self.rng.pick_bytes(&CDATA));
        }
    }

    /// Comments and instructions may stand outside the root, too.
    fn comments_outside(&mut self) {
        if self.rng.chance(self.options.comments) {
            self.out.raw(self.rng.pick_bytes(&COMMENTS));
        }
        if self.rng.chance(self.options.instructions) {
            self.out.raw(self.rng.pick_bytes(&INSTRUCTIONS));
        }
    }
}

/// Elements that a subtree had no room for go to its parent's later children.
fn give_back(open: &mut [Open<'_>], budget: u64) {
    if let Some(parent) = open.last_mut() {
        parent.budget += budget;
    }
}
