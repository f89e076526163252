//! A tiny document tree for the oracle: elements, attributes, pieces of content and byte offsets.
//!
//! Trees come from two sides that check each other: [`Document::write`] serialises a generated
//! [`Tree`] and notes the offsets as it goes; [`Document::parse`] reads a text. Neither shares code
//! with the crate under test. The parser knows just enough XML for the documents of the tests and
//! panics on anything else.

use std::fmt::Write as _;

/// A generated piece of content, with the details of spelling that the values do not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// An element.
    Element {
        /// Name as written, prefix included.
        name: String,
        /// Attributes with their values (not escaped).
        attributes: Vec<(String, String)>,
        /// Content.
        children: Vec<Tree>,
        /// Write `<a/>` instead of `<a></a>` when there is no content.
        short: bool,
    },
    /// Character data: as written and what it means.
    Text(String, String),
    /// `<![CDATA[..]]>`
    CData(String),
    /// `<!--..-->`
    Comment(String),
    /// `<?..?>`
    Pi(String),
}

/// What an element contains, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A child element (index in [`Document::elements`]).
    Element(usize),
    /// Character data (references resolved), up to the next tag or markup.
    Text(String),
    /// A comment or a processing instruction: ends a text node.
    Break,
}

/// An element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Name as written.
    pub name: String,
    /// Attributes, unescaped, in document order.
    pub attributes: Vec<(String, String)>,
    /// Index of the parent.
    pub parent: Option<usize>,
    /// Content in order.
    pub content: Vec<Content>,
    /// Offset of the `<`.
    pub start: usize,
    /// Offset one past the end tag.
    pub end: usize,
    /// 1 for the root.
    pub depth: usize,
}

/// A document: its text and its elements in document order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The serialised form.
    pub text: String,
    /// All elements; the root is number 0.
    pub elements: Vec<Element>,
    /// Offsets behind which nothing is missing: after the root and after each comment or
    /// processing instruction that follows it.
    pub complete: Vec<usize>,
}

impl Document {
    /// Serialises a root element between optional markup.
    pub fn write(prolog: &str, root: &Tree, epilog: &[Tree]) -> Self {
        let mut doc =
            Document { text: prolog.to_owned(), elements: Vec::new(), complete: Vec::new() };
        doc.emit(root, None);
        doc.complete.push(doc.text.len());
        for item in epilog {
            doc.emit(item, None);
            doc.complete.push(doc.text.len());
        }
        doc
    }

    fn emit(&mut self, tree: &Tree, parent: Option<usize>) {
        let content = match tree {
            Tree::Element { name, attributes, children, short } => {
                let me = self.open(name, self.text.len(), parent);
                let _ = write!(self.text, "<{name}");
                for (key, value) in attributes {
                    let (quote, escaped) = quoted(value);
                    let _ = write!(self.text, " {key}={quote}{escaped}{quote}");
                }
                self.elements[me].attributes.clone_from(attributes);
                if children.is_empty() && *short {
                    self.text.push_str("/>");
                } else {
                    self.text.push('>');
                    children.iter().for_each(|c| self.emit(c, Some(me)));
                    let _ = write!(self.text, "</{name}>");
                }
                self.elements[me].end = self.text.len();
                return;
            }
            Tree::Text(written, value) => {
                self.text.push_str(written);
                Content::Text(value.clone())
            }
            Tree::CData(value) => {
                let _ = write!(self.text, "<![CDATA[{value}]]>");
                Content::Text(value.clone())
            }
            Tree::Comment(value) => {
                let _ = write!(self.text, "<!--{value}-->");
                Content::Break
            }
            Tree::Pi(value) => {
                let _ = write!(self.text, "<?{value}?>");
                Content::Break
            }
        };
        if let Some(parent) = parent {
            self.push(parent, content);
        }
    }

    /// Adds content; pieces of character data that touch become one.
    fn push(&mut self, parent: usize, content: Content) {
        let all = &mut self.elements[parent].content;
        match (all.last_mut(), content) {
            (Some(Content::Text(before)), Content::Text(piece)) => before.push_str(&piece),
            (_, content) => all.push(content),
        }
    }

    fn open(&mut self, name: &str, start: usize, parent: Option<usize>) -> usize {
        let me = self.elements.len();
        let depth = parent.map_or(1, |p| self.elements[p].depth + 1);
        self.elements.push(Element {
            name: name.to_owned(),
            attributes: Vec::new(),
            parent,
            content: Vec::new(),
            start,
            end: 0,
            depth,
        });
        if let Some(parent) = parent {
            self.elements[parent].content.push(Content::Element(me));
        }
        me
    }

    /// Reads a well-formed document.
    pub fn parse(text: &str) -> Self {
        let mut doc =
            Document { text: text.to_owned(), elements: Vec::new(), complete: Vec::new() };
        let mut open: Vec<usize> = Vec::new();
        let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        while at < text.len() {
            let rest = &text[at..];
            let (len, content) = if rest.starts_with("<!--") {
                (until(rest, "-->"), Some(Content::Break))
            } else if rest.starts_with("<![CDATA[") {
                let len = until(rest, "]]>");
                (len, Some(Content::Text(line_ends(&rest[9..len - 3]))))
            } else if rest.starts_with("<?") {
                (until(rest, "?>"), Some(Content::Break))
            } else if rest.starts_with("<!DOCTYPE") {
                let close = if rest[..until(rest, ">")].contains('[') { "]>" } else { ">" };
                (until(rest, close), None)
            } else if rest.starts_with("</") {
                let len = until(rest, ">");
                let me = open.pop().expect("an end tag closes an open element");
                assert_eq!(rest[2..len - 1].trim_end(), doc.elements[me].name, "tags match");
                doc.elements[me].end = at + len;
                (len, None)
            } else if rest.starts_with('<') {
                assert!(!open.is_empty() || doc.elements.is_empty(), "one root");
                let (len, short) = doc.start_tag(rest, at, open.last().copied());
                let me = doc.elements.len() - 1;
                if short {
                    doc.elements[me].end = at + len;
                } else {
                    open.push(me);
                }
                (len, None)
            } else {
                let len = rest.find('<').unwrap_or(rest.len());
                (len, Some(Content::Text(unescape(&line_ends(&rest[..len])))))
            };
            let is_text = !rest.starts_with('<');
            at += len;
            match (content, open.last()) {
                (Some(c), Some(&parent)) => doc.push(parent, c),
                (Some(Content::Text(t)), None) => {
                    assert!(t.trim().is_empty(), "text outside the root")
                }
                _ => {}
            }
            if open.is_empty() && !doc.elements.is_empty() && !is_text {
                doc.complete.push(at);
            }
        }
        assert!(open.is_empty() && !doc.elements.is_empty(), "a complete document");
        doc
    }

    fn start_tag(&mut self, rest: &str, at: usize, parent: Option<usize>) -> (usize, bool) {
        let name_end = rest.find([' ', '\t', '\n', '\r', '/', '>']).expect("a closed tag");
        let me = self.open(&rest[1..name_end], at, parent);
        let mut pos = name_end;
        loop {
            pos += rest[pos..].len() - rest[pos..].trim_start().len();
            if rest[pos..].starts_with("/>") {
                return (pos + 2, true);
            }
            if rest[pos..].starts_with('>') {
                return (pos + 1, false);
            }
            let equals = pos + rest[pos..].find('=').expect("an attribute has a value");
            let key = rest[pos..equals].trim_end().to_owned();
            let open = equals + 1 + rest[equals + 1..].find(['"', '\'']).expect("a quote");
            let quote = &rest[open..=open];
            let close = open + 1 + rest[open + 1..].find(quote).expect("a closing quote");
            let spaced = line_ends(&rest[open + 1..close]).replace(['\t', '\n'], " ");
            self.elements[me].attributes.push((key, unescape(&spaced)));
            pos = close + 1;
        }
    }

    /// The element children, in order.
    pub fn children(&self, element: usize) -> Vec<usize> {
        let elements = self.elements[element].content.iter();
        elements.filter_map(|c| if let Content::Element(e) = c { Some(*e) } else { None }).collect()
    }

    /// The proper descendants, in document order.
    pub fn descendants(&self, element: usize) -> Vec<usize> {
        let end = self.elements[element].end;
        let after = self.elements.iter().enumerate().skip(element + 1);
        after.take_while(|(_, e)| e.start < end).map(|(i, _)| i).collect()
    }

    /// The text nodes that are children of the element: maximal, never empty.
    pub fn text_nodes(&self, element: usize) -> Vec<String> {
        let text = |c: &Content| match c {
            Content::Text(t) if !t.is_empty() => Some(t.clone()),
            _ => None,
        };
        self.elements[element].content.iter().filter_map(text).collect()
    }

    /// All text below the element.
    pub fn string_value(&self, element: usize) -> String {
        let mut value = String::new();
        for item in &self.elements[element].content {
            match item {
                Content::Text(t) => value.push_str(t),
                Content::Element(e) => value.push_str(&self.string_value(*e)),
                Content::Break => {}
            }
        }
        value
    }

    /// `/a[1]/b[2]`; the index counts siblings of the same name.
    pub fn path(&self, element: usize) -> String {
        let name = &self.elements[element].name;
        let Some(parent) = self.elements[element].parent else { return format!("/{name}[1]") };
        let same = |&&e: &&usize| e <= element && self.elements[e].name == *name;
        let index = self.children(parent).iter().filter(same).count();
        format!("{}/{name}[{index}]", self.path(parent))
    }

    /// The element as written.
    pub fn xml(&self, element: usize) -> &str {
        &self.text[self.elements[element].start..self.elements[element].end]
    }

    /// For each tag where it ends, and the elements that are open then, outermost first. An empty
    /// element in the short spelling counts as one tag.
    pub fn tags(&self) -> Vec<(usize, Vec<usize>)> {
        let mut ends: Vec<usize> = self.elements.iter().map(|e| e.end).collect();
        ends.extend(self.elements.iter().map(|e| {
            let mut quote = None;
            let closes = |&(_, c): &(usize, char)| match (quote, c) {
                (None, '>') => true,
                (None, '"' | '\'') => {
                    quote = Some(c);
                    false
                }
                (Some(q), c) if c == q => {
                    quote = None;
                    false
                }
                _ => false,
            };
            e.start + self.text[e.start..].char_indices().find(closes).expect("a closed tag").0 + 1
        }));
        ends.sort_unstable();
        ends.dedup();
        let open_at = |end: usize| {
            let open = self.elements.iter().enumerate();
            open.filter(|(_, e)| e.start < end && end < e.end).map(|(i, _)| i).collect()
        };
        ends.into_iter().map(|end| (end, open_at(end))).collect()
    }

    /// Whether the first `len` bytes are a whole document: the root is closed and what follows it
    /// is not cut in the middle.
    pub fn complete_at(&self, len: usize) -> bool {
        let whole = self.complete.iter().rev().find(|&&c| c <= len);
        whole.is_some_and(|&c| self.text.as_bytes()[c..len].iter().all(u8::is_ascii_whitespace))
    }
}

/// Length up to and including the terminator.
fn until(text: &str, terminator: &str) -> usize {
    text.find(terminator).expect("terminated markup") + terminator.len()
}

fn line_ends(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The attribute value with the quotes it is written in.
fn quoted(value: &str) -> (char, String) {
    let escaped = value.replace('&', "&amp;").replace('<', "&lt;").replace('\n', "&#10;");
    if value.contains('"') { ('\'', escaped.replace('\'', "&apos;")) } else { ('"', escaped) }
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(amp) = rest.find('&') {
        let semicolon = amp + rest[amp..].find(';').expect("a closed reference");
        out.push_str(&rest[..amp]);
        let name = &rest[amp + 1..semicolon];
        out.push(match name {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            _ => {
                let code = match name.strip_prefix("#x") {
                    Some(hex) => u32::from_str_radix(hex, 16),
                    None => name.strip_prefix('#').expect("a character reference").parse(),
                };
                char::from_u32(code.expect("a number")).expect("a character")
            }
        });
        rest = &rest[semicolon + 1..];
    }
    out + rest
}
