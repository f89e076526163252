//! Attributes: the check that every tag gets, and the values, parsed only when they are looked at.

use std::borrow::Cow;
use std::collections::HashSet;

use super::entity::{Entities, Place};
use super::measure::Measure;
use super::wellformed::{in_name, is_name, is_space, show, starts_name};
use crate::{Error, ErrorKind, Position};

/// Up to this many attributes are compared with each other to find duplicates; more go through a
/// hash table, so that a tag with very many takes linear time.
const FEW: usize = 16;

/// An attribute as XML delivers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// The name as written, prefix included, in UTF-8.
    pub name: &'a [u8],
    /// The value: references resolved, white space normalised.
    pub value: Cow<'a, str>,
}

/// What is wrong with the attributes of a tag: a place in the checked bytes and a message.
pub(super) type Fault = (usize, String);

/// Checks the part of a start tag behind the name (without `>` or `/>`): syntax, `<` in values,
/// duplicates. One pass, nothing is allocated unless there are many attributes.
pub(super) fn check(tail: &[u8]) -> Result<(), Fault> {
    let mut at = 0;
    // Most tags that have attributes have one.
    let Some(first) = next(tail, &mut at)? else { return Ok(()) };
    if at == tail.len() { Ok(()) } else { check_others(tail, at, first) }
}

/// The attributes from the second on.
fn check_others<'a>(tail: &'a [u8], mut at: usize, first: Raw<'a>) -> Result<(), Fault> {
    let mut seen: [&[u8]; FEW] = [&[]; FEW];
    seen[0] = first.name;
    let mut count = 1;
    while let Some(raw) = next(tail, &mut at)? {
        if count == FEW {
            return check_many(tail);
        }
        if seen[..count].contains(&raw.name) {
            return Err(duplicate(raw));
        }
        seen[count] = raw.name;
        count += 1;
    }
    Ok(())
}

#[cold]
fn check_many(tail: &[u8]) -> Result<(), Fault> {
    let mut seen = HashSet::new();
    let mut at = 0;
    while let Some(raw) = next(tail, &mut at)? {
        if !seen.insert(raw.name) {
            return Err(duplicate(raw));
        }
    }
    Ok(())
}

/// One attribute as written.
#[derive(Clone, Copy)]
struct Raw<'a> {
    name: &'a [u8],
    name_at: usize,
    value: &'a [u8],
    value_at: usize,
}

#[cold]
fn duplicate(raw: Raw<'_>) -> Fault {
    (raw.name_at, format!("the attribute `{}` is given twice", show(raw.name)))
}

/// The attribute that starts at or behind `at`, `None` at the end.
#[inline(always)]
fn next<'a>(tail: &'a [u8], at: &mut usize) -> Result<Option<Raw<'a>>, Fault> {
    let gap = *at;
    let mut i = gap;
    while i < tail.len() && is_space(tail[i]) {
        i += 1;
    }
    if i == tail.len() {
        return Ok(None);
    }
    let name_at = i;
    if gap == i || !starts_name(tail[i]) {
        return Err(bad_start(tail, i, gap == i));
    }
    while i < tail.len() && in_name(tail[i]) {
        i += 1;
    }
    let name = &tail[name_at..i];
    while i < tail.len() && is_space(tail[i]) {
        i += 1;
    }
    if i == tail.len() || tail[i] != b'=' {
        return Err(no_equals(tail, name, i));
    }
    i += 1;
    while i < tail.len() && is_space(tail[i]) {
        i += 1;
    }
    let quote = if i < tail.len() { tail[i] } else { 0 };
    if quote != b'"' && quote != b'\'' {
        return Err((i, format!("the value of the attribute `{}` is not quoted", show(name))));
    }
    let value_at = i + 1;
    i = value_at;
    while i < tail.len() && tail[i] != quote && tail[i] != b'<' {
        i += 1;
    }
    if i == tail.len() || tail[i] == b'<' {
        return Err(bad_value(tail, name, value_at, i));
    }
    *at = i + 1;
    Ok(Some(Raw { name, name_at, value: &tail[value_at..i], value_at }))
}

#[cold]
fn bad_start(tail: &[u8], at: usize, glued: bool) -> Fault {
    let what = match tail[at] {
        b'<' => "`<` inside a tag; is a `>` missing?".into(),
        b'/' => "`/` inside a tag may only stand directly before `>`".into(),
        b if glued && starts_name(b) => "white space is missing before the attribute".into(),
        b if b < 0x80 && glued => {
            format!("`{}` may not stand in the name of an element", show(&[b]))
        }
        b => format!("`{}` where the name of an attribute was expected", show(&[b])),
    };
    (at, what)
}

#[cold]
fn no_equals(tail: &[u8], name: &[u8], at: usize) -> Fault {
    match tail.get(at) {
        Some(b'<') => (at, "`<` inside a tag; is a `>` missing?".into()),
        _ => (at, format!("the attribute `{}` has no `=` and value", show(name))),
    }
}

#[cold]
fn bad_value(tail: &[u8], name: &[u8], from: usize, at: usize) -> Fault {
    if at == tail.len() {
        return (from - 1, format!("the value of the attribute `{}` is never closed", show(name)));
    }
    (at, format!("`<` in the value of the attribute `{}`; write `&lt;`", show(name)))
}

/// What [`Checks::Strict`](super::Checks::Strict) adds: names, and the references in values.
pub(super) fn check_strict(
    tail: &[u8],
    entities: &Entities,
    offset: impl Fn(usize) -> u64,
) -> Result<(), Error> {
    let mut at = 0;
    let fault = |(at, message): Fault| malformed(offset(at), message);
    while let Some(raw) = next(tail, &mut at).map_err(fault)? {
        if !raw.name.is_ascii() && !is_name(raw.name) {
            let message = format!("`{}` is not a name that XML allows", show(raw.name));
            return Err(malformed(offset(raw.name_at), message));
        }
        if raw.value.contains(&b'&') {
            entities.check_value(raw.value, |i| offset(raw.value_at + i))?;
        }
    }
    Ok(())
}

pub(super) fn malformed(offset: u64, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Malformed, message).at(Position { offset, line: 0, column: 0 })
}

/// The attributes of one start tag, still as written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawAttributes<'a> {
    /// Behind the name, without `>` or `/>`. Checked by [`check`].
    pub(super) tail: &'a [u8],
    pub(super) element: &'a [u8],
    /// Offset of `tail` in the original input.
    pub(super) offset: u64,
    pub(super) entities: &'a Entities,
    pub(super) measure: Measure,
}

impl<'a> RawAttributes<'a> {
    pub(crate) fn iter(&self) -> Attributes<'a> {
        Attributes { raw: *self, at: 0, default: 0 }
    }
}

/// Iterator over the attributes of a start tag: those written there in their order, then the
/// defaults that the internal DTD subset declares for others.
///
/// An item is an error when a value refers to an entity that cannot be resolved; the attributes
/// behind it can still be asked for.
#[derive(Clone, Debug)]
pub struct Attributes<'a> {
    raw: RawAttributes<'a>,
    at: usize,
    default: usize,
}

impl<'a> Iterator for Attributes<'a> {
    type Item = Result<Attribute<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at < self.raw.tail.len() {
            match next(self.raw.tail, &mut self.at) {
                Ok(Some(raw)) => return Some(self.written(raw)),
                Ok(None) => self.at = self.raw.tail.len(),
                Err((at, message)) => {
                    self.at = self.raw.tail.len();
                    return Some(Err(malformed(self.offset(at), message)));
                }
            }
        }
        if self.raw.entities.has_attribute_lists() { self.next_default() } else { None }
    }
}

impl<'a> Attributes<'a> {
    fn offset(&self, at: usize) -> u64 {
        self.raw.offset + self.raw.measure.of(&self.raw.tail[..at])
    }

    #[inline]
    fn written(&self, raw: Raw<'a>) -> Result<Attribute<'a>, Error> {
        let Ok(text) = std::str::from_utf8(raw.value) else {
            let message = "the value of an attribute is not valid UTF-8";
            return Err(Error::new(ErrorKind::Encoding, message).at(Position {
                offset: self.offset(raw.value_at),
                line: 0,
                column: 0,
            }));
        };
        let plain = !raw.value.iter().any(|b| matches!(b, b'&' | b'\t' | b'\n' | b'\r'));
        let mut value = if plain {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(self.normalise(text, Some(raw.value_at))?)
        };
        if self.raw.entities.has_attribute_lists() {
            let declared = self.raw.entities.attribute_list(self.raw.element);
            if declared.iter().any(|d| d.name.as_bytes() == raw.name && d.tokens) {
                value = Cow::Owned(collapse(&value));
            }
        }
        Ok(Attribute { name: raw.name, value })
    }

    #[cold]
    fn normalise(&self, text: &str, at: Option<usize>) -> Result<String, Error> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(i) = rest.find(['&', '\t', '\n', '\r']) {
            out.push_str(&rest[..i]);
            let skipped = text.len() - rest.len() + i;
            rest = &rest[i..];
            if !rest.starts_with('&') {
                out.push(' ');
                rest = rest.strip_prefix("\r\n").unwrap_or(&rest[1..]);
                continue;
            }
            // The values of defaults stand in the DOCTYPE; errors point at the tag instead.
            let offset = || at.map_or(self.raw.offset, |at| self.offset(at + skipped));
            let len =
                self.raw.entities.reference(rest.as_bytes()).map_err(|e| e.at_offset(offset()))?;
            let name = &rest[1..len - 1];
            let value = self.raw.entities.resolve(name, Place::Attribute);
            out.push_str(&value.map_err(|e| e.at_offset(offset()))?);
            rest = &rest[len..];
        }
        out.push_str(rest);
        Ok(out)
    }

    #[cold]
    fn next_default(&mut self) -> Option<Result<Attribute<'a>, Error>> {
        let entities: &'a Entities = self.raw.entities;
        let declared = entities.attribute_list(self.raw.element);
        while let Some(attribute) = declared.get(self.default) {
            self.default += 1;
            let Some(text) = &attribute.default else { continue };
            if self.is_written(attribute.name.as_bytes()) {
                continue;
            }
            let value = match self.normalise(text, None) {
                Ok(value) => value,
                Err(e) => return Some(Err(e)),
            };
            let value = if attribute.tokens { collapse(&value) } else { value };
            return Some(Ok(Attribute {
                name: attribute.name.as_bytes(),
                value: Cow::Owned(value),
            }));
        }
        None
    }

    fn is_written(&self, name: &[u8]) -> bool {
        let mut at = 0;
        while let Ok(Some(raw)) = next(self.raw.tail, &mut at) {
            if raw.name == name {
                return true;
            }
        }
        false
    }
}

/// Attributes of a tokenised type: no spaces at the ends, single ones between the tokens.
fn collapse(value: &str) -> String {
    value.split(' ').filter(|t| !t.is_empty()).collect::<Vec<_>>().join(" ")
}
