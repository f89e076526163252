//! General entities: what the user and the internal DTD subset declare, and how references to them
//! are resolved. Expansion is bounded, and nothing is ever dropped silently.

use std::borrow::Cow;
use std::collections::HashMap;

use super::wellformed::{in_name, is_char, is_name, show};
use crate::{Error, ErrorKind, Position};

/// Longest reference, from `&` to `;`.
pub(super) const LONGEST_REFERENCE: usize = 64 << 10;

/// Entities that may be open inside each other.
const DEEPEST: usize = 256;

/// What happens to a reference whose entity cannot be resolved: one that an external DTD may
/// declare, an external entity, or an entity that holds markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum EntityPolicy {
    /// An error, as soon as someone looks at the value. A reference to an entity that holds
    /// markup is an error even when nobody looks, for elements could hide in it.
    #[default]
    Error,
    /// The reference stays in the value as it is written, `&name;`.
    Keep,
}

/// Replacement texts given by the user, as if an external DTD had declared them. They win over the
/// document's own declarations, and are plain text: `<` and `&` in them are characters.
#[derive(Clone, Debug, Default)]
pub struct EntityTable {
    texts: HashMap<String, String>,
}

impl EntityTable {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The table with one more entity: `with("nbsp", "\u{a0}")` is for `&nbsp;`.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.texts.insert(name.into(), text.into());
        self
    }
}

/// An entity that the internal subset declares.
#[derive(Clone, Debug)]
pub(super) enum Declared {
    /// With its replacement text: character references are resolved, entity references are not.
    Internal(String),
    /// `SYSTEM` or `PUBLIC`.
    External,
    /// `NDATA`.
    Unparsed,
}

/// An attribute that the internal subset declares.
#[derive(Clone, Debug)]
pub(super) struct DeclaredAttribute {
    pub name: String,
    /// Any type but CDATA: white space is collapsed.
    pub tokens: bool,
    /// The default value as written.
    pub default: Option<String>,
}

/// Where a reference stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Content,
    Attribute,
}

/// Why a reference has no value.
#[derive(Debug)]
pub(super) struct Failure {
    error: Error,
    /// An error even if nobody looks at the value.
    pub fatal: bool,
}

impl Failure {
    fn new(kind: ErrorKind, fatal: bool, message: String) -> Self {
        Failure { error: Error::new(kind, message), fatal }
    }

    fn hint(mut self, hint: &str) -> Self {
        self.error = self.error.with_hint(hint);
        self
    }

    pub(super) fn at_offset(self, offset: u64) -> Error {
        self.error.at(Position { offset, line: 0, column: 0 })
    }
}

const KEEP: &str = "give its text with an entity table, or keep the reference as it is written with `--entities keep`";

const DECLARE: &str = "declare it in the DOCTYPE, or give its text with an entity table";

/// All that is known about entities, and about attributes that the internal subset declares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entities {
    policy: EntityPolicy,
    table: EntityTable,
    /// Bytes that one reference may expand to.
    limit: usize,
    strict: bool,
    declared: HashMap<String, Declared>,
    attributes: HashMap<String, Vec<DeclaredAttribute>>,
    /// There may be declarations that we have not read: in an external subset or behind a
    /// reference to a parameter entity.
    open: bool,
}

impl Entities {
    pub(super) fn new(
        policy: EntityPolicy,
        table: EntityTable,
        limit: usize,
        strict: bool,
    ) -> Self {
        Entities { policy, table, limit, strict, ..Entities::default() }
    }

    /// The first declaration of a name counts.
    pub(super) fn declare(&mut self, name: &str, entity: Declared) {
        self.declared.entry(name.to_owned()).or_insert(entity);
    }

    pub(super) fn declare_attribute(&mut self, element: &str, attribute: DeclaredAttribute) {
        let list = self.attributes.entry(element.to_owned()).or_default();
        if list.iter().all(|a| a.name != attribute.name) {
            list.push(attribute);
        }
    }

    /// Bytes that references may expand to.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// Says that there are declarations which are not read.
    pub(super) fn set_open(&mut self) {
        self.open = true;
    }

    #[inline]
    pub(super) fn has_attribute_lists(&self) -> bool {
        !self.attributes.is_empty()
    }

    pub(super) fn attribute_list(&self, element: &[u8]) -> &[DeclaredAttribute] {
        std::str::from_utf8(element)
            .ok()
            .and_then(|e| self.attributes.get(e))
            .map_or(&[], Vec::as_slice)
    }

    /// Whether references must be looked at though nobody wants the text, because one may stand
    /// for markup.
    pub(super) fn may_hide_markup(&self) -> bool {
        self.policy == EntityPolicy::Error
            && self.declared.values().any(|d| matches!(d, Declared::Internal(t) if t.contains('<')))
    }

    /// The length of the reference at the start of `bytes`, from `&` to `;`.
    pub(super) fn reference(&self, bytes: &[u8]) -> Result<usize, Failure> {
        let len =
            bytes.iter().skip(1).position(|b| !in_reference(*b)).map_or(bytes.len(), |n| n + 1);
        let name = &bytes[1..len.min(bytes.len())];
        if len > LONGEST_REFERENCE {
            let message = format!("a reference longer than {LONGEST_REFERENCE} bytes");
            return Err(Failure::new(ErrorKind::Limit, true, message));
        }
        if bytes.get(len) != Some(&b';') || name.is_empty() {
            let message = match name {
                [] => "`&` does not start a reference".to_owned(),
                _ => format!("the reference `&{}` has no `;`", show(name)),
            };
            return Err(Failure::new(ErrorKind::Malformed, true, message)
                .hint("write `&amp;` for the character `&`"));
        }
        if name[0] != b'#' && !is_name(name) {
            let message = format!("`{}` in a reference is not a name", show(name));
            return Err(Failure::new(ErrorKind::Malformed, true, message));
        }
        Ok(len + 1)
    }

    /// The value of a reference; `name` stands between `&` and `;`.
    pub(super) fn resolve(&self, name: &str, place: Place) -> Result<Cow<'_, str>, Failure> {
        if let Some(text) = predefined(name) {
            return Ok(Cow::Borrowed(text));
        }
        if let Some(number) = name.strip_prefix('#') {
            let c = character(number).ok_or_else(|| bad_character(name))?;
            return Ok(Cow::Owned(c.to_string()));
        }
        if let Some(text) = self.table.texts.get(name) {
            return Ok(Cow::Borrowed(text));
        }
        match self.expand(name, place) {
            Err(failure) if self.keeps(&failure) => Ok(Cow::Owned(format!("&{name};"))),
            other => other.map(Cow::Owned),
        }
    }

    fn keeps(&self, failure: &Failure) -> bool {
        let kind = failure.error.kind();
        self.policy == EntityPolicy::Keep
            && (kind == ErrorKind::Entity || (kind == ErrorKind::Malformed && !failure.fatal))
    }

    /// Expands a declared entity with all references inside it, without recursion.
    fn expand(&self, name: &str, place: Place) -> Result<String, Failure> {
        let mut out = String::new();
        let mut open: Vec<(&str, &str)> = Vec::new();
        let top = self.replacement(name, place)?;
        open.push((self.declared_name(name), top));
        // Every reference costs one byte of the budget, so that entities which expand to nothing
        // cannot keep us busy either.
        let mut steps = 0usize;
        while let Some((inside, rest)) = open.pop() {
            let (text, reference) = match rest.find('&') {
                Some(i) => rest.split_at(i),
                None => (rest, ""),
            };
            if text.contains('<') {
                return Err(markup(name, inside, place));
            }
            match place {
                Place::Content => out.push_str(text),
                Place::Attribute => {
                    out.extend(
                        text.chars().map(|c| if matches!(c, '\t' | '\n' | '\r') { ' ' } else { c }),
                    );
                }
            }
            steps += 1;
            if out.len().saturating_add(steps) > self.limit {
                let message = format!(
                    "the entity `{name}` expands to more than the limit of {} bytes (entity_expansion_bytes)",
                    self.limit
                );
                return Err(Failure::new(ErrorKind::Limit, true, message));
            }
            if reference.is_empty() {
                continue;
            }
            let len = self.reference(reference.as_bytes())?;
            let (inner, rest) = (&reference[1..len - 1], &reference[len..]);
            open.push((inside, rest));
            if let Some(text) = predefined(inner) {
                out.push_str(text);
            } else if let Some(number) = inner.strip_prefix('#') {
                out.push(character(number).ok_or_else(|| bad_character(inner))?);
            } else if let Some(text) = self.table.texts.get(inner) {
                out.push_str(text);
            } else if open.iter().any(|(name, _)| *name == inner) {
                let message = format!("the entity `{inner}` refers to itself");
                return Err(Failure::new(ErrorKind::Malformed, true, message));
            } else if open.len() > DEEPEST {
                let message = format!("the entity `{name}` nests more than {DEEPEST} entities");
                return Err(Failure::new(ErrorKind::Limit, true, message));
            } else {
                match self.replacement(inner, place) {
                    Ok(text) => open.push((inner, text)),
                    Err(failure) if self.keeps(&failure) => {
                        out.extend(["&", inner, ";"]);
                    }
                    Err(failure) => return Err(failure),
                }
            }
        }
        Ok(out)
    }

    fn declared_name<'s>(&'s self, name: &'s str) -> &'s str {
        self.declared.get_key_value(name).map_or(name, |(name, _)| name)
    }

    fn replacement(&self, name: &str, place: Place) -> Result<&str, Failure> {
        match self.declared.get(name) {
            Some(Declared::Internal(text)) => Ok(text),
            Some(Declared::External) if place == Place::Attribute => {
                let message =
                    format!("the value of an attribute refers to the external entity `{name}`");
                Err(Failure::new(ErrorKind::Malformed, true, message))
            }
            Some(Declared::External) => {
                let message =
                    format!("the entity `{name}` is in a file of its own, which is not read");
                Err(Failure::new(ErrorKind::Entity, false, message).hint(KEEP))
            }
            Some(Declared::Unparsed) => {
                let message = format!("`&{name};` refers to an unparsed entity");
                Err(Failure::new(ErrorKind::Malformed, true, message))
            }
            None if self.open => {
                let message = format!(
                    "the entity `{name}` is not declared in the document; an external DTD, which is not read, may declare it"
                );
                Err(Failure::new(ErrorKind::Entity, false, message).hint(KEEP))
            }
            None => {
                let message = format!("the entity `{name}` is not declared");
                let hint = if self.strict { DECLARE } else { KEEP };
                Err(Failure::new(ErrorKind::Malformed, self.strict, message).hint(hint))
            }
        }
    }

    /// Checks a reference in the declared default of an attribute: its entity must come before.
    pub(super) fn check_default(&self, name: &str) -> Result<(), String> {
        if !self.strict || name.starts_with('#') {
            return Ok(());
        }
        match self.resolve(name, Place::Attribute) {
            Err(failure) if failure.fatal => Err(failure.error.message().to_owned()),
            _ => Ok(()),
        }
    }

    /// Checks the references in an attribute value that nobody may look at.
    pub(super) fn check_value(
        &self,
        value: &[u8],
        offset: impl Fn(usize) -> u64,
    ) -> Result<(), Error> {
        let mut at = 0;
        while let Some(i) = memchr::memchr(b'&', &value[at..]) {
            at += i;
            let len = self.reference(&value[at..]).map_err(|e| e.at_offset(offset(at)))?;
            let name = std::str::from_utf8(&value[at + 1..at + len - 1]).unwrap_or_default();
            match self.resolve(name, Place::Attribute) {
                Err(failure) if failure.fatal => return Err(failure.at_offset(offset(at))),
                _ => at += len,
            }
        }
        Ok(())
    }
}

fn markup(name: &str, inside: &str, place: Place) -> Failure {
    let through = if name == inside { String::new() } else { format!(" (through `{inside}`)") };
    if place == Place::Attribute {
        let message =
            format!("the entity `{name}`{through} brings a `<` into the value of an attribute");
        return Failure::new(ErrorKind::Malformed, true, message);
    }
    let message = format!(
        "the entity `{name}`{through} holds markup; elements in entities are not supported"
    );
    Failure::new(ErrorKind::Entity, true, message)
        .hint("expand the entities of the document first, for instance with `xmllint --noent`, or keep the references as they are written with `--entities keep`")
}

fn bad_character(name: &str) -> Failure {
    let message = format!("`&{};` is not a character that XML allows", show(name.as_bytes()));
    Failure::new(ErrorKind::Malformed, true, message)
}

/// Bytes that may stand between `&` and `;`.
#[inline]
pub(super) fn in_reference(b: u8) -> bool {
    in_name(b) || b == b'#'
}

/// The five entities that need no declaration.
pub(super) fn predefined(name: &str) -> Option<&'static str> {
    Some(match name {
        "lt" => "<",
        "gt" => ">",
        "amp" => "&",
        "apos" => "'",
        "quot" => "\"",
        _ => return None,
    })
}

/// The character of `&#...;`; `number` stands between `#` and `;`.
pub(super) fn character(number: &str) -> Option<char> {
    let (digits, radix) = match number.strip_prefix('x') {
        Some(hex) => (hex, 16),
        None => (number, 10),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    // A number with leading zeros may be long; one that overflows is no character anyway.
    let code = u32::from_str_radix(digits, radix).ok()?;
    char::from_u32(code).filter(|c| is_char(*c))
}
