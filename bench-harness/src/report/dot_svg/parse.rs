//! Reads a subset of DOT.

use std::collections::HashMap;

use crate::error::{Error, Result};

/// The outline of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// `circle` and everything not named here.
    #[default]
    Circle,
    /// `doublecircle`: an accepting state.
    DoubleCircle,
    /// `box`, `rect`, `rectangle`.
    Box,
    /// `point`: where the arrow into the start state comes from.
    Point,
    /// `none`, `plaintext`, `plain`.
    None,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its identifier.
    pub id: String,
    /// Its label, the identifier unless given; it may have several lines.
    pub label: String,
    /// Its outline.
    pub shape: Shape,
    /// Whether it is dashed.
    pub dashed: bool,
    /// The cluster it stands in, as an index into [`Graph::clusters`].
    pub cluster: Option<usize>,
}

/// An edge between nodes by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// Its label, perhaps empty.
    pub label: String,
    /// Whether it is dashed or dotted.
    pub dashed: bool,
}

/// A directed graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Nodes in the order in which they first appear.
    pub nodes: Vec<Node>,
    /// Edges in order.
    pub edges: Vec<Edge>,
    /// The labels of the `subgraph cluster...` blocks.
    pub clusters: Vec<String>,
    /// Whether `rankdir=LR` asks for ranks from left to right.
    pub left_to_right: bool,
}

type Attributes = HashMap<String, String>;

/// Reads `digraph [ID] { ... }` with node statements, edge statements (also chains `a -> b -> c`),
/// `[key=value, ...]` lists, `node`/`edge`/`graph` defaults, `key=value` statements, `subgraph` blocks
/// and comments. Of the attributes `label`, `shape`, `style` and `rankdir` count; the others are read
/// and left.
pub fn parse(text: &str) -> Result<Graph> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0, graph: Graph::default() };
    parser.accept("strict");
    parser.expect("digraph")?;
    if !parser.accept("{") {
        parser.word()?;
        parser.expect("{")?;
    }
    parser.block(&Scope::default())?;
    if parser.next < parser.tokens.len() {
        return Err(parser.unexpected("the end"));
    }
    Ok(parser.graph)
}

#[derive(Clone, Debug, PartialEq)]
struct Token {
    text: String,
    quoted: bool,
    line: usize,
}

fn tokens(text: &str) -> Result<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let length;
        let mut quoted = false;
        let token = if character.is_whitespace() {
            line += usize::from(character == '\n');
            rest = &rest[character.len_utf8()..];
            continue;
        } else if rest.starts_with("//") || character == '#' {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").ok_or_else(|| error(line, "a comment does not end"))? + 2;
            line += rest[..end].matches('\n').count();
            rest = &rest[end..];
            continue;
        } else if character == '"' {
            let end = closing_quote(rest).ok_or_else(|| error(line, "a string does not end"))?;
            length = end + 1;
            quoted = true;
            unescape(&rest[1..end])
        } else if rest.starts_with("->") {
            length = 2;
            "->".to_owned()
        } else if is_word(character) {
            length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            rest[..length].to_owned()
        } else {
            length = character.len_utf8();
            character.to_string()
        };
        let start = line;
        line += rest[..length].matches('\n').count();
        tokens.push(Token { text: token, quoted, line: start });
        rest = &rest[length..];
    }
    Ok(tokens)
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.')
}

/// The position of the quote that ends the string at the start of `text`.
fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().skip(1).find_map(|(at, character)| {
        let end = character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
        end.then_some(at)
    })
}

/// `\n`, `\l` and `\r` end a line; before any other character a backslash only protects it.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n' | 'l' | 'r') => plain.push('\n'),
                Some(other) => plain.push(other),
                None => {}
            },
            _ => plain.push(character),
        }
    }
    plain
}

fn error(line: usize, message: &str) -> Error {
    Error::input(format!("DOT, line {line}: {message}"))
}

/// The defaults in force, and the cluster being read.
#[derive(Clone, Default)]
struct Scope {
    node: Attributes,
    edge: Attributes,
    cluster: Option<usize>,
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    graph: Graph,
}

impl Parser {
    fn block(&mut self, outer: &Scope) -> Result<()> {
        let mut scope = outer.clone();
        while !self.accept("}") {
            if self.accept(";") {
                continue;
            }
            self.statement(&mut scope)?;
        }
        Ok(())
    }

    fn statement(&mut self, scope: &mut Scope) -> Result<()> {
        if self.accept("{") {
            return self.block(scope);
        }
        let quoted = self.tokens.get(self.next).is_some_and(|token| token.quoted);
        let name = self.word()?;
        match name.as_str() {
            "subgraph" if !quoted => return self.subgraph(scope),
            "node" if !quoted => scope.node.extend(self.attributes()?),
            "edge" if !quoted => scope.edge.extend(self.attributes()?),
            "graph" if !quoted => {
                let attributes = self.attributes()?;
                self.graph_attributes(attributes, scope);
            }
            _ if self.accept("=") => {
                let value = self.word()?;
                self.graph_attributes([(name, value)].into(), scope);
            }
            _ => self.nodes_and_edges(name, scope)?,
        }
        Ok(())
    }

    fn subgraph(&mut self, scope: &Scope) -> Result<()> {
        let mut inner = scope.clone();
        if !self.accept("{") {
            let name = self.word()?;
            if name.starts_with("cluster") {
                self.graph.clusters.push(String::new());
                inner.cluster = Some(self.graph.clusters.len() - 1);
            }
            self.expect("{")?;
        }
        self.block(&inner)
    }

    fn graph_attributes(&mut self, attributes: Attributes, scope: &Scope) {
        if attributes.get("rankdir").is_some_and(|value| value == "LR") {
            self.graph.left_to_right = true;
        }
        if let (Some(cluster), Some(label)) = (scope.cluster, attributes.get("label")) {
            self.graph.clusters[cluster].clone_from(label);
        }
    }

    fn nodes_and_edges(&mut self, first: String, scope: &Scope) -> Result<()> {
        let mut chain = vec![first];
        while self.accept("->") {
            chain.push(self.word()?);
        }
        let own = self.attributes()?;
        let indices: Vec<usize> = chain.iter().map(|id| self.node(id, scope)).collect();
        if let [index] = indices[..] {
            apply(&mut self.graph.nodes[index], &own);
            return Ok(());
        }
        let mut attributes = scope.edge.clone();
        attributes.extend(own);
        for pair in indices.windows(2) {
            let label = attributes.get("label").cloned().unwrap_or_default();
            let dashed = is_dashed(&attributes);
            self.graph.edges.push(Edge { from: pair[0], to: pair[1], label, dashed });
        }
        Ok(())
    }

    fn node(&mut self, id: &str, scope: &Scope) -> usize {
        if let Some(index) = self.graph.nodes.iter().position(|node| node.id == id) {
            // A node belongs to the innermost cluster that mentions it.
            self.graph.nodes[index].cluster = scope.cluster.or(self.graph.nodes[index].cluster);
            return index;
        }
        let (label, cluster) = (id.to_owned(), scope.cluster);
        let mut node =
            Node { id: id.to_owned(), label, shape: Shape::Circle, dashed: false, cluster };
        apply(&mut node, &scope.node);
        self.graph.nodes.push(node);
        self.graph.nodes.len() - 1
    }

    fn attributes(&mut self) -> Result<Attributes> {
        let mut attributes = Attributes::new();
        while self.accept("[") {
            while !self.accept("]") {
                if self.accept(",") || self.accept(";") {
                    continue;
                }
                let key = self.word()?;
                self.expect("=")?;
                attributes.insert(key, self.word()?);
            }
        }
        Ok(attributes)
    }

    fn accept(&mut self, text: &str) -> bool {
        let found =
            self.tokens.get(self.next).is_some_and(|token| !token.quoted && token.text == text);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        if self.accept(text) {
            return Ok(());
        }
        Err(self.unexpected(&format!("“{text}”")))
    }

    fn word(&mut self) -> Result<String> {
        match self.tokens.get(self.next) {
            Some(token) if token.quoted || token.text.starts_with(is_word) => {
                self.next += 1;
                Ok(token.text.clone())
            }
            // DOT allows negative numbers.
            Some(token) if token.text == "-" => {
                self.next += 1;
                Ok(format!("-{}", self.word()?))
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    fn unexpected(&self, wanted: &str) -> Error {
        match self.tokens.get(self.next) {
            Some(token) => error(token.line, &format!("expected {wanted}, found “{}”", token.text)),
            None => {
                let line = self.tokens.last().map_or(1, |token| token.line);
                error(line, &format!("expected {wanted}, found the end"))
            }
        }
    }
}

fn apply(node: &mut Node, attributes: &Attributes) {
    if let Some(label) = attributes.get("label") {
        node.label.clone_from(label);
    }
    if let Some(shape) = attributes.get("shape") {
        node.shape = match shape.as_str() {
            "doublecircle" => Shape::DoubleCircle,
            "box" | "rect" | "rectangle" => Shape::Box,
            "point" => Shape::Point,
            "none" | "plaintext" | "plain" => Shape::None,
            _ => Shape::Circle,
        };
    }
    if attributes.contains_key("style") {
        node.dashed = is_dashed(attributes);
    }
}

fn is_dashed(attributes: &Attributes) -> bool {
    let style = attributes.get("style").map_or("", String::as_str);
    style.contains("dashed") || style.contains("dotted")
}
