//! The canonical text of a pattern: parsing it gives the pattern back.
//!
//! Value tests come before branches, a mark after the brackets. A step's last branch goes on behind
//! the brackets (`a[b]/c`) where the text stays the same in meaning; a final name alone does not
//! (`a[b][c]`). Thus the text never nests deeper than any other text of the same pattern.

use std::fmt::{self, Display, Formatter, Write};

use super::lexer::quote;
use super::{Axis, Branch, Literal, NameTest, NodeId, Op, Operand, Pattern, Regex, ValueTest};

impl Display for Pattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_pattern(self, f)
    }
}

/// Writes a pattern; fails when it nests deeper than [`Pattern::MAX_NESTING`].
pub(super) fn write_pattern(pattern: &Pattern, out: &mut dyn Write) -> fmt::Result {
    let mut writer = Writer { pattern, out, nesting: 0 };
    for (i, &id) in pattern.trunk.iter().enumerate() {
        writer.axis(pattern.node(id).axis)?;
        let (branches, tail) = writer.split(id, pattern.trunk.get(i + 1).copied());
        writer.step(id, branches)?;
        if let Some(Branch::Regular(regex)) = tail {
            writer.out.write_char('/')?;
            writer.braces(regex)?;
        }
    }
    Ok(())
}

/// The canonical text of one expression of a pattern, without braces.
pub(crate) fn expression_text(pattern: &Pattern, regex: &Regex) -> String {
    let mut text = String::new();
    // Writing to a string fails for nesting only, which a pattern keeps within its bound.
    let _ = Writer { pattern, out: &mut text, nesting: 0 }.regex(regex);
    text
}

struct Writer<'p, 'w> {
    pattern: &'p Pattern,
    out: &'w mut dyn Write,
    nesting: usize,
}

impl<'p> Writer<'p, '_> {
    fn axis(&mut self, axis: Axis) -> fmt::Result {
        self.out.write_str(match axis {
            Axis::Child => "/",
            Axis::Descendant => "//",
        })
    }

    /// The branches of a trunk step that stand in brackets, and the one that follows it.
    fn split(&self, id: NodeId, next: Option<NodeId>) -> (&'p [Branch], Option<&'p Branch>) {
        let branches = &self.pattern.node(id).branches;
        match branches.split_last() {
            Some((last, rest)) if next.is_some() || matches!(last, Branch::Regular(_)) => {
                (rest, Some(last))
            }
            _ => (branches, None),
        }
    }

    /// Name, conditions in brackets, mark.
    fn step(&mut self, id: NodeId, branches: &'p [Branch]) -> fmt::Result {
        let node = self.pattern.node(id);
        write!(self.out, "{}", node.test)?;
        for test in &node.value_tests {
            self.open('[')?;
            write!(self.out, "{test}")?;
            self.close(']')?;
        }
        for branch in branches {
            self.open('[')?;
            match branch {
                Branch::Node(child) => self.chain(*child)?,
                Branch::Regular(regex) => self.braces(regex)?,
            }
            self.close(']')?;
        }
        if let Some(mark) = &node.mark {
            write!(self.out, "!{}", mark.label.as_deref().unwrap_or_default())?;
        }
        Ok(())
    }

    /// The contents of a pair of brackets.
    fn chain(&mut self, first: NodeId) -> fmt::Result {
        if self.pattern.node(first).axis == Axis::Descendant {
            self.out.write_str(".//")?;
        }
        let mut id = first;
        loop {
            let branches = &self.pattern.node(id).branches;
            let (tail, rest) = match branches.split_last() {
                Some((last, rest)) if rest.is_empty() || !self.is_plain(last) => (last, rest),
                _ => return self.step(id, branches),
            };
            self.step(id, rest)?;
            match tail {
                Branch::Node(next) => {
                    self.axis(self.pattern.node(*next).axis)?;
                    id = *next;
                }
                Branch::Regular(regex) => {
                    self.out.write_char('/')?;
                    return self.braces(regex);
                }
            }
        }
    }

    /// Whether a branch is a name with no condition.
    fn is_plain(&self, branch: &Branch) -> bool {
        match branch {
            Branch::Node(id) => self.pattern.node(*id).conditions() == 0,
            Branch::Regular(_) => false,
        }
    }

    fn braces(&mut self, regex: &'p Regex) -> fmt::Result {
        self.open('{')?;
        self.regex(regex)?;
        self.close('}')
    }

    fn regex(&mut self, regex: &'p Regex) -> fmt::Result {
        match regex {
            Regex::Symbol(id) => self.step(*id, &self.pattern.node(*id).branches),
            Regex::Concat(parts) => self.list(parts, ", ", |part| matches!(part, Regex::Alt(_))),
            Regex::Alt(parts) => self.list(parts, " | ", |_| false),
            Regex::Repeat { inner, min, max } => {
                let group = matches!(**inner, Regex::Concat(_) | Regex::Alt(_));
                self.part(inner, group)?;
                match (min, max) {
                    (0, None) => self.out.write_char('*'),
                    (1, None) => self.out.write_char('+'),
                    (0, Some(1)) => self.out.write_char('?'),
                    (m, None) => write!(self.out, "{{{m},}}"),
                    (m, Some(n)) if m == n => write!(self.out, "{{{m}}}"),
                    (m, Some(n)) => write!(self.out, "{{{m},{n}}}"),
                }
            }
        }
    }

    fn list(
        &mut self,
        parts: &'p [Regex],
        separator: &str,
        group: fn(&Regex) -> bool,
    ) -> fmt::Result {
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                self.out.write_str(separator)?;
            }
            self.part(part, group(part))?;
        }
        Ok(())
    }

    fn part(&mut self, part: &'p Regex, group: bool) -> fmt::Result {
        if !group {
            return self.regex(part);
        }
        self.open('(')?;
        self.regex(part)?;
        self.close(')')
    }

    fn open(&mut self, c: char) -> fmt::Result {
        if self.nesting == Pattern::MAX_NESTING {
            return Err(fmt::Error);
        }
        self.nesting += 1;
        self.out.write_char(c)
    }

    fn close(&mut self, c: char) -> fmt::Result {
        self.nesting -= 1;
        self.out.write_char(c)
    }
}

impl Display for NameTest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            NameTest::Any => f.write_str("*"),
            NameTest::Name(name) => f.write_str(name),
            NameTest::Prefixed { prefix, local } => write!(f, "{prefix}:{local}"),
            NameTest::AnyNamespace(local) => write!(f, "*:{local}"),
        }
    }
}

impl Display for ValueTest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.operand {
            Operand::Attribute(name) => write!(f, "@{name}")?,
            Operand::Text => f.write_str("text()")?,
            Operand::StringValue => f.write_str(".")?,
        }
        match &self.comparison {
            Some((op, literal)) => write!(f, "{op}{literal}"),
            None => Ok(()),
        }
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.sign())
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Number(n) => write!(f, "{n}"),
            Literal::String(s) => f.write_str(&quote(s)),
        }
    }
}
