//! The document type declaration and what its internal subset declares.

use super::entity::{Declared, DeclaredAttribute, Entities, character};
use super::wellformed::{
    forbidden_char, in_name, is_name, is_nmtoken, is_space, show, show_char, starts_name,
};
use crate::ErrorKind;

mod parameter;

use parameter::Parameters;

/// Reads a whole DOCTYPE, from `<` to `>`, and fills `entities`. The error is a place in `raw`, a kind
/// and a message. `standalone`: the XML declaration promises that what we do not read is not needed.
pub(super) fn read(
    raw: &str,
    entities: &mut Entities,
    standalone: bool,
) -> Result<(), (usize, ErrorKind, String)> {
    if let Some(i) = forbidden_char(raw.as_bytes()) {
        let shown = show_char(&raw.as_bytes()[i..]);
        let message = format!("the character {shown} is not allowed in XML");
        return Err((i, ErrorKind::Malformed, message));
    }
    let mut parameters = Parameters::new(entities.limit());
    let mut reader = Reader {
        raw,
        at: "<!DOCTYPE".len(),
        entities,
        parameters: &mut parameters,
        standalone,
        recording: true,
    };
    let read = reader.doctype();
    let kind = if parameters.exceeded { ErrorKind::Limit } else { ErrorKind::Malformed };
    read.map_err(|(at, message)| (at, kind, message))
}

struct Reader<'a> {
    raw: &'a str,
    at: usize,
    entities: &'a mut Entities,
    parameters: &'a mut Parameters,
    standalone: bool,
    /// Off behind a reference to a parameter entity, which may have declared anything.
    recording: bool,
}

type Step<T = ()> = Result<T, (usize, String)>;

impl<'a> Reader<'a> {
    fn doctype(&mut self) -> Step {
        self.space("the name of the root element in the DOCTYPE")?;
        self.name("the name of the root element in the DOCTYPE")?;
        let spaced = self.skip_space();
        if self.starts("SYSTEM") || self.starts("PUBLIC") {
            if !spaced {
                return self.fail("white space is missing in the DOCTYPE");
            }
            self.external_id(false)?;
            if !self.standalone {
                self.entities.set_open();
            }
            self.skip_space();
        }
        if self.eat("[") {
            self.subset()?;
            self.skip_space();
        }
        if self.rest() == ">" {
            Ok(())
        } else {
            self.fail(format!("{} in the DOCTYPE", self.found()))
        }
    }

    fn comment(&mut self) -> Step {
        match self.rest().find("--") {
            Some(i) if self.rest()[i..].starts_with("-->") => {
                self.at += i + 3;
                Ok(())
            }
            other => {
                self.at += other.unwrap_or(0);
                self.fail("`--` inside a comment")
            }
        }
    }

    fn instruction(&mut self) -> Step {
        let at = self.at;
        let target = self.name("the target of a processing instruction")?;
        if target.eq_ignore_ascii_case("xml") {
            return Err((at, "the target `xml` is reserved".into()));
        }
        let Some(i) = self.rest().find("?>") else {
            return self.fail("a processing instruction is never closed");
        };
        if i > 0 && !self.peek().is_some_and(is_space) {
            return self
                .fail("white space is missing behind the target of a processing instruction");
        }
        self.at += i + 2;
        Ok(())
    }

    fn entity(&mut self) -> Step {
        self.space("the name of an entity")?;
        let parameter = self.eat("%");
        if parameter {
            self.space("the name of a parameter entity")?;
        }
        let name = self.name("the name of an entity")?;
        self.space("the value of an entity")?;
        let entity = if matches!(self.peek(), Some(b'"' | b'\'')) {
            Declared::Internal(self.entity_value()?)
        } else {
            self.external_id(false)?;
            let spaced = self.skip_space();
            if !parameter && spaced && self.eat("NDATA") {
                self.space("the name of a notation")?;
                self.name("the name of a notation")?;
                Declared::Unparsed
            } else {
                Declared::External
            }
        };
        self.close()?;
        match entity {
            _ if !self.recording => {}
            Declared::Internal(text) if parameter => self.parameters.declare(name, Some(text)),
            _ if parameter => self.parameters.declare(name, None),
            entity => self.entities.declare(name, entity),
        }
        Ok(())
    }

    /// A quoted entity value: character references are resolved, entity references stay.
    fn entity_value(&mut self) -> Step<String> {
        let (from, text) = self.literal()?;
        let mut value = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(i) = text[at..].find(['&', '%', '\r']) {
            value.push_str(&text[at..at + i]);
            at += i;
            match text.as_bytes()[at] {
                b'\r' => {
                    value.push('\n');
                    at += if text[at..].starts_with("\r\n") { 2 } else { 1 };
                }
                b'%' => {
                    return Err((from + at, "`%` in the value of an entity; parameter entities may not be used inside declarations of the internal subset".into()));
                }
                _ => {
                    let name = self.reference(text, from, at)?;
                    match name.strip_prefix('#') {
                        Some(number) => value.extend(character(number)),
                        None => value.extend(["&", name, ";"]),
                    }
                    at += name.len() + 2;
                }
            }
        }
        value.push_str(&text[at..]);
        Ok(value)
    }

    /// The checked name of the reference at `text[at..]`.
    fn reference<'t>(&self, text: &'t str, from: usize, at: usize) -> Step<&'t str> {
        let failure = |message: String| (from + at, message);
        let len =
            text[at..].find(';').ok_or_else(|| failure("`&` without `;`; write `&amp;`".into()))?;
        let name = &text[at + 1..at + len];
        let fine = match name.strip_prefix('#') {
            Some(number) => character(number).is_some(),
            None => is_name(name.as_bytes()),
        };
        if fine {
            Ok(name)
        } else {
            Err(failure(format!("`&{};` is not a reference", show(name.as_bytes()))))
        }
    }

    fn attribute_list(&mut self) -> Step {
        self.space("the name of an element")?;
        let element = self.name("the name of an element")?;
        loop {
            let spaced = self.skip_space();
            if self.eat(">") {
                return Ok(());
            }
            if !spaced {
                return self.fail("white space is missing in an ATTLIST");
            }
            let name = self.name("the name of an attribute")?;
            self.space("the type of an attribute")?;
            let tokens = self.attribute_type()?;
            self.space("the default of an attribute")?;
            let default = self.attribute_default()?;
            if self.recording {
                let attribute = DeclaredAttribute { name: name.to_owned(), tokens, default };
                self.entities.declare_attribute(element, attribute);
            }
        }
    }

    /// Whether the type is one of tokens.
    fn attribute_type(&mut self) -> Step<bool> {
        if self.peek() == Some(b'(') {
            self.enumeration(false)?;
            return Ok(true);
        }
        let at = self.at;
        match self.name("the type of an attribute")? {
            "CDATA" => Ok(false),
            "ID" | "IDREF" | "IDREFS" | "ENTITY" | "ENTITIES" | "NMTOKEN" | "NMTOKENS" => Ok(true),
            "NOTATION" => {
                self.space("the notations of an attribute")?;
                self.enumeration(true)?;
                Ok(true)
            }
            other => Err((at, format!("`{}` is not a type of attributes", show(other.as_bytes())))),
        }
    }

    fn enumeration(&mut self, names: bool) -> Step {
        self.need("(")?;
        loop {
            self.skip_space();
            let at = self.at;
            let token = self.token();
            if (names && !is_name(token.as_bytes())) || !is_nmtoken(token) {
                return Err((
                    at,
                    format!(
                        "`{}` is not a name that an attribute's type may list",
                        show(token.as_bytes())
                    ),
                ));
            }
            self.skip_space();
            if self.eat(")") {
                return Ok(());
            }
            self.need("|")?;
        }
    }

    fn attribute_default(&mut self) -> Step<Option<String>> {
        if self.eat("#REQUIRED") || self.eat("#IMPLIED") {
            return Ok(None);
        }
        if self.eat("#FIXED") {
            self.space("the value of an attribute")?;
        }
        let (from, text) = self.literal()?;
        if let Some(i) = text.find('<') {
            return Err((from + i, "`<` in the value of an attribute; write `&lt;`".into()));
        }
        let mut at = 0;
        while let Some(i) = text[at..].find('&') {
            at += i;
            let name = self.reference(text, from, at)?;
            self.entities.check_default(name).map_err(|message| (from + at, message))?;
            at += name.len() + 2;
        }
        Ok(Some(text.to_owned()))
    }

    fn element(&mut self) -> Step {
        self.space("the name of an element")?;
        self.name("the name of an element")?;
        self.space("the content of an element")?;
        if !(self.eat("EMPTY") || self.eat("ANY")) {
            self.content_model()?;
        }
        self.close()
    }

    /// `( ... )`: mixed content or a regular expression. Groups nest without recursion; `open`
    /// keeps the separator that each open group has used so far.
    fn content_model(&mut self) -> Step {
        self.need("(")?;
        self.skip_space();
        if self.eat("#PCDATA") {
            return self.mixed();
        }
        let mut open: Vec<Option<u8>> = vec![None];
        loop {
            self.skip_space();
            if self.eat("(") {
                open.push(None);
                continue;
            }
            self.name("the name of an element")?;
            self.quantifier();
            loop {
                self.skip_space();
                let Some(group) = open.last_mut() else { return Ok(()) };
                match self.raw.as_bytes().get(self.at).copied() {
                    Some(b')') => {
                        self.at += 1;
                        open.pop();
                        self.quantifier();
                        if open.is_empty() {
                            return Ok(());
                        }
                    }
                    Some(b @ (b',' | b'|')) if group.is_none_or(|used| used == b) => {
                        *group = Some(b);
                        self.at += 1;
                        break;
                    }
                    _ => {
                        return self.fail(format!("{} in the content of an element", self.found()));
                    }
                }
            }
        }
    }

    fn mixed(&mut self) -> Step {
        let mut names = false;
        loop {
            self.skip_space();
            if self.eat(")") {
                let star = self.eat("*");
                return if names && !star {
                    self.fail("`*` is missing behind mixed content")
                } else {
                    Ok(())
                };
            }
            self.need("|")?;
            self.skip_space();
            self.name("the name of an element")?;
            names = true;
        }
    }

    fn quantifier(&mut self) {
        if matches!(self.peek(), Some(b'?' | b'*' | b'+')) {
            self.at += 1;
        }
    }

    fn notation(&mut self) -> Step {
        self.space("the name of a notation")?;
        self.name("the name of a notation")?;
        self.space("the identifier of a notation")?;
        self.external_id(true)?;
        self.close()
    }

    /// `SYSTEM "..."` or `PUBLIC "..." "..."`; notations may do without the second literal.
    fn external_id(&mut self, notation: bool) -> Step {
        if self.eat("SYSTEM") {
            self.space("a system identifier")?;
            return self.literal().map(drop);
        }
        if !self.eat("PUBLIC") {
            return self.fail(format!("{} where `SYSTEM` or `PUBLIC` was expected", self.found()));
        }
        self.space("a public identifier")?;
        let (from, text) = self.literal()?;
        let fine = |b: u8| b.is_ascii_alphanumeric() || b" \r\n-'()+,./:=?;!*#@$_%".contains(&b);
        if let Some(i) = text.bytes().position(|b| !fine(b)) {
            return Err((from + i, "a character that a public identifier may not hold".into()));
        }
        let spaced = self.skip_space();
        let quoted = matches!(self.peek(), Some(b'"' | b'\''));
        if notation && !quoted {
            return Ok(());
        }
        if quoted && !spaced {
            return self.fail("white space is missing before the system identifier");
        }
        self.literal().map(drop)
    }

    fn rest(&self) -> &'a str {
        &self.raw[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.raw.as_bytes().get(self.at).copied()
    }

    fn starts(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.starts(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn need(&mut self, text: &str) -> Step {
        if self.eat(text) {
            Ok(())
        } else {
            self.fail(format!("{} where `{text}` was expected", self.found()))
        }
    }

    /// The `>` of a declaration.
    fn close(&mut self) -> Step {
        self.skip_space();
        self.need(">")
    }

    fn skip_space(&mut self) -> bool {
        let from = self.at;
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
        self.at > from
    }

    fn space(&mut self, before: &str) -> Step {
        if self.skip_space() {
            Ok(())
        } else {
            self.fail(format!("white space is missing before {before}"))
        }
    }

    fn token(&mut self) -> &'a str {
        let rest = self.rest();
        let len = rest.bytes().position(|b| !in_name(b)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn name(&mut self, what: &str) -> Step<&'a str> {
        let at = self.at;
        let token = self.token();
        if is_name(token.as_bytes()) {
            return Ok(token);
        }
        self.at = at;
        if token.is_empty() || !starts_name(token.as_bytes()[0]) {
            return self.fail(format!("{} where {what} was expected", self.found()));
        }
        self.fail(format!("`{}` is not a name that XML allows", show(token.as_bytes())))
    }

    /// A quoted literal: where its text starts, and the text.
    fn literal(&mut self) -> Step<(usize, &'a str)> {
        let Some(quote @ (b'"' | b'\'')) = self.peek() else {
            return self.fail(format!("{} where a quoted literal was expected", self.found()));
        };
        let from = self.at + 1;
        let Some(len) = self.raw[from..].find(char::from(quote)) else {
            return self.fail("a quoted literal is never closed");
        };
        self.at = from + len + 1;
        Ok((from, &self.raw[from..from + len]))
    }

    fn found(&self) -> String {
        match self.rest().chars().next() {
            Some(c) => format!("`{}`", show(c.encode_utf8(&mut [0; 4]).as_bytes())),
            None => "the end".to_owned(),
        }
    }

    fn fail<T>(&self, message: impl Into<String>) -> Step<T> {
        Err((self.at, message.into()))
    }
}
