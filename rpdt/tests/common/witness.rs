//! Documents made for a pattern: embeddings of it with noise around, so that random queries do
//! have answers, many of them, in each other and nearly.
//!
//! Every choice is read from a list of bytes; when the list is at its end the simplest choice is
//! taken. So a failing case shrinks as its bytes do.

use rpdt::Pattern;
use rpdt::pattern::{Axis, Branch, Literal, NameTest, NodeId, Op, Operand, Regex};

use crate::dom::{Document, Tree};

/// Most elements that are made on purpose; a few more come from what is already begun.
const MOST: usize = 50;

/// A document for the pattern.
pub fn document_for(pattern: &Pattern, choices: &[u8]) -> Document {
    let root = Maker { pattern, choices: choices.iter(), made: 0, namespaces: false }.root();
    Document::write("", &root, &[])
}

/// A document for a pattern with prefixes, with these namespace declarations on its root; its
/// elements and attributes have the prefixes `p` and `q`, or none.
#[allow(dead_code, reason = "not every test program that includes this file knows namespaces")]
pub fn namespace_document_for(
    pattern: &Pattern,
    choices: &[u8],
    declarations: Vec<(String, String)>,
) -> Document {
    let mut root = Maker { pattern, choices: choices.iter(), made: 0, namespaces: true }.root();
    if let Tree::Element { attributes, .. } = &mut root {
        attributes.splice(0..0, declarations);
    }
    Document::write("", &root, &[])
}

struct Maker<'a> {
    pattern: &'a Pattern,
    choices: std::slice::Iter<'a, u8>,
    made: usize,
    namespaces: bool,
}

fn wrap(name: &str, children: Vec<Tree>) -> Tree {
    Tree::Element { name: name.to_owned(), attributes: Vec::new(), children, short: true }
}

fn text(value: &str) -> Tree {
    let written = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    Tree::Text(written, value.to_owned())
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const VALUES: [&str; 8] = ["1", "2", "x", "0", " 3 ", "-1", "2.5", ""];

impl Maker<'_> {
    fn root(&mut self) -> Tree {
        if self.pattern.node(NodeId::ROOT).axis == Axis::Child {
            return self.element(NodeId::ROOT);
        }
        let mut below = Vec::new();
        for _ in 0..=self.choose(3) {
            below.extend(self.buried(NodeId::ROOT));
        }
        if below.len() == 1 && self.choose(2) == 1 { below.remove(0) } else { wrap("a", below) }
    }

    /// A number below `n`; mostly 0 at the end of the bytes.
    fn choose(&mut self, n: usize) -> usize {
        usize::from(*self.choices.next().unwrap_or(&0)) % n
    }

    /// One time in `n`, and never at the end of the bytes.
    fn rarely(&mut self, n: usize) -> bool {
        self.choose(n) == n - 1
    }

    fn name(&mut self, test: &NameTest) -> String {
        match test {
            NameTest::Any => NAMES[self.choose(NAMES.len())].to_owned(),
            NameTest::Name(name) if !self.rarely(4) => name.to_string(),
            NameTest::Name(local)
            | NameTest::Prefixed { local, .. }
            | NameTest::AnyNamespace(local) => self.prefixed(local),
        }
    }

    fn prefixed(&mut self, local: &str) -> String {
        let prefix = if self.namespaces { ["p:", "q:", ""][self.choose(3)] } else { "" };
        format!("{prefix}{local}")
    }

    fn value(&mut self, comparison: Option<&(Op, Literal)>) -> String {
        match comparison {
            Some((Op::Eq | Op::Le | Op::Ge, literal)) if !self.rarely(6) => match literal {
                Literal::Number(n) => n.to_string(),
                Literal::String(s) => s.to_string(),
            },
            _ => VALUES[self.choose(VALUES.len())].to_owned(),
        }
    }

    /// An element that should satisfy the node; now and then it does not.
    fn element(&mut self, id: NodeId) -> Tree {
        self.made += 1;
        let node = self.pattern.node(id);
        let name = self.name(&node.test);
        let mut attributes: Vec<(String, String)> = Vec::new();
        let mut parts: Vec<Vec<Tree>> = Vec::new();
        for test in &node.value_tests {
            let value = self.value(test.comparison.as_ref());
            match &test.operand {
                Operand::Attribute(key) => {
                    let local = key.rsplit(':').next().expect("a split has a part");
                    // Two prefixes may mean the same namespace: each local name once.
                    if attributes.iter().all(|(k, _)| !k.ends_with(local)) {
                        let key =
                            if key.contains(':') { self.prefixed(local) } else { key.to_string() };
                        attributes.push((key, value));
                    }
                }
                Operand::Text | Operand::StringValue => parts.push(vec![text(&value)]),
            }
        }
        for branch in &node.branches {
            let times = [1, 1, 2, 1, 3, 1, 2, 0][self.choose(8)];
            let times = if self.made < MOST { times } else { times.min(1) };
            for _ in 0..times {
                let part = match branch {
                    Branch::Node(m) if self.pattern.node(*m).axis == Axis::Child => {
                        vec![self.element(*m)]
                    }
                    Branch::Node(m) => self.buried(*m),
                    Branch::Regular(regex) => {
                        let mut word = Vec::new();
                        self.word(regex, &mut word);
                        word
                    }
                };
                let place = parts.len() - self.choose(parts.len() + 1);
                parts.insert(place, part);
            }
        }
        let mut children = Vec::new();
        for part in parts {
            for tree in part {
                self.noise(&mut children);
                children.push(tree);
            }
        }
        self.noise(&mut children);
        Tree::Element { name, attributes, children, short: true }
    }

    /// An element for the node under a few others, perhaps under another one for the same node.
    fn buried(&mut self, id: NodeId) -> Vec<Tree> {
        let mut trees = vec![self.element(id)];
        for _ in 0..self.choose(3) {
            if self.made < MOST && self.rarely(3) {
                let mut outer = self.element(id);
                if let Tree::Element { children, .. } = &mut outer {
                    let place = children.len() - self.choose(children.len() + 1);
                    children.splice(place..place, trees);
                }
                trees = vec![outer];
            } else if self.rarely(2) {
                trees = vec![wrap(NAMES[self.choose(NAMES.len())], trees)];
            }
        }
        trees
    }

    /// Elements that spell a word.
    fn word(&mut self, regex: &Regex, out: &mut Vec<Tree>) {
        match regex {
            Regex::Symbol(id) => {
                let element = self.element(*id);
                out.push(element);
            }
            Regex::Concat(parts) => parts.iter().for_each(|p| self.word(p, out)),
            Regex::Alt(parts) => {
                let part = self.choose(parts.len());
                self.word(&parts[part], out);
            }
            Regex::Repeat { inner, min, max } => {
                let most = max.unwrap_or(min + 3).min(min + 3);
                let times = min + self.choose((most - min + 1) as usize) as u32;
                let times = if self.made < MOST { times } else { *min };
                (0..times).for_each(|_| self.word(inner, out));
            }
        }
    }

    /// What may stand between children; rarely an element.
    fn noise(&mut self, out: &mut Vec<Tree>) {
        match self.choose(24) {
            20 => out.push(Tree::Comment(" <a> ".to_owned())),
            21 => out.push(Tree::Pi("p <b/>".to_owned())),
            22 => out.push(text("1")),
            23 => out.push(wrap(NAMES[self.choose(NAMES.len())], Vec::new())),
            _ => {}
        }
    }
}
