//! Parameter entities of the internal DTD subset. Their replacement text is read where they are
//! referred to, between declarations; those in files of their own are not.

use std::collections::HashMap;

use super::super::wellformed::show;
use super::{Reader, Step};

/// References that may be open inside each other.
const DEEPEST: usize = 32;

/// See the module.
#[derive(Debug)]
pub(super) struct Parameters {
    /// With their replacement text, unless it is in another file.
    declared: HashMap<String, Option<String>>,
    /// References that are being read.
    open: Vec<String>,
    limit: usize,
    /// Bytes of replacement text that may still be read.
    left: usize,
    /// A bound was exceeded.
    pub(super) exceeded: bool,
}

/// What a reference stands for.
enum Reference {
    Text(String),
    /// Something that is not read.
    Unread,
}

impl Parameters {
    pub(super) fn new(limit: usize) -> Self {
        Parameters {
            declared: HashMap::new(),
            open: Vec::new(),
            limit,
            left: limit,
            exceeded: false,
        }
    }

    /// The first declaration of a name counts.
    pub(super) fn declare(&mut self, name: &str, text: Option<String>) {
        self.declared.entry(name.to_owned()).or_insert(text);
    }

    /// A reference; if it has a text, [`leave`](Self::leave) is to be called behind it. The error is a
    /// message.
    fn enter(&mut self, name: &str) -> Result<Reference, String> {
        // Conditional sections, which only such texts may have, choose by further references.
        let text = self.declared.get(name).cloned().flatten().filter(|t| !t.contains("<!["));
        let Some(text) = text else { return Ok(Reference::Unread) };
        let shown = show(name.as_bytes());
        if self.open.iter().any(|open| open == name) {
            return Err(format!("the parameter entity `{shown}` refers to itself"));
        }
        // A reference costs a byte, so that empty texts have an end as well.
        let cost = text.len() + 1;
        if self.open.len() == DEEPEST || cost > self.left {
            self.exceeded = true;
            return Err(format!(
                "parameter entities expand to more than the limit of {} bytes \
                 (entity_expansion_bytes), or nest more than {DEEPEST} times",
                self.limit
            ));
        }
        self.left -= cost;
        self.open.push(name.to_owned());
        Ok(Reference::Text(text))
    }

    fn is_outside(&self) -> bool {
        self.open.is_empty()
    }

    fn leave(&mut self) {
        self.open.pop();
    }
}

impl Reader<'_> {
    /// The internal subset, behind `[`.
    pub(super) fn subset(&mut self) -> Step {
        loop {
            self.skip_space();
            if self.eat("]") {
                return Ok(());
            }
            self.declaration()?;
        }
    }

    /// A reference to a parameter entity between declarations.
    fn parameter(&mut self) -> Step {
        let at = self.at - 1;
        let name = self.name("the name of a parameter entity")?;
        self.need(";")?;
        if !self.standalone {
            // By the rule "Entity Declared" any reference leaves it open what is declared, though what
            // this one stands for may be known.
            self.entities.set_open();
        }
        match self.parameters.enter(name).map_err(|message| (at, message))? {
            Reference::Unread => {
                self.recording &= self.standalone;
                Ok(())
            }
            Reference::Text(text) => {
                let mut inner = Reader {
                    raw: &text,
                    at: 0,
                    entities: self.entities,
                    parameters: self.parameters,
                    standalone: self.standalone,
                    recording: self.recording,
                };
                let read = inner.declarations();
                self.recording = inner.recording;
                self.parameters.leave();
                read.map_err(|(_, message)| {
                    // The outermost is the one that has a place.
                    let outermost = self.parameters.is_outside();
                    let name = show(name.as_bytes());
                    let place = format!("in the parameter entity `{name}`: {message}");
                    (at, if outermost { place } else { message })
                })
            }
        }
    }

    /// All of the replacement text of a parameter entity.
    fn declarations(&mut self) -> Step {
        loop {
            self.skip_space();
            if self.rest().is_empty() {
                return Ok(());
            }
            self.declaration()?;
        }
    }

    fn declaration(&mut self) -> Step {
        if self.eat("%") {
            self.parameter()
        } else if self.eat("<!--") {
            self.comment()
        } else if self.eat("<?") {
            self.instruction()
        } else if self.eat("<!ENTITY") {
            self.entity()
        } else if self.eat("<!ATTLIST") {
            self.attribute_list()
        } else if self.eat("<!ELEMENT") {
            self.element()
        } else if self.eat("<!NOTATION") {
            self.notation()
        } else {
            self.fail(format!("{} where a declaration of the DOCTYPE was expected", self.found()))
        }
    }
}
