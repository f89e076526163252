//! Conditions that a pattern must meet besides the grammar, and the errors for the bounds that the
//! parser and the builder share.

use std::fmt;

use super::display::write_pattern;
use super::lexer::is_name;
use super::{Branch, Literal, NameTest, Namespaces, Node, NodeId, Operand, Pattern, ValueTest};
use crate::{Error, ErrorKind};

/// Refuses prefixes that are not declared. The message says both readings of `E:D`, since the paper
/// writes concatenation with a colon.
pub(crate) fn check_prefixes(pattern: &Pattern, namespaces: &Namespaces) -> Result<(), Error> {
    for (i, node) in pattern.nodes().iter().enumerate() {
        let NameTest::Prefixed { prefix, local } = &node.test else { continue };
        if namespaces.uri(prefix).is_some() {
            continue;
        }
        let error = query_error(format!("prefix `{prefix}` is not declared")).with_hint(format!(
            "declare it with --ns {prefix}=URI, or write `*:{local}` for any namespace; if \
             `{prefix}:{local}` was meant as a concatenation as in the paper, write `{prefix} , \
             {local}` or `{prefix} : {local}`"
        ));
        return Err(match pattern.span(NodeId(i as u32)) {
            Some(span) => error.with_span(span),
            None => error,
        });
    }
    Ok(())
}

/// Checks a pattern that did not come from a text for all that its text would be checked for.
pub(super) fn check_built(pattern: &Pattern) -> Result<(), Error> {
    if pattern.nodes.len() > Pattern::MAX_STEPS {
        return Err(too_many_steps());
    }
    for node in &pattern.nodes {
        check_node(node)?;
    }
    write_pattern(pattern, &mut Nowhere).map_err(|_| too_deep())
}

fn check_node(node: &Node) -> Result<(), Error> {
    match &node.test {
        NameTest::Any => {}
        NameTest::Name(name) | NameTest::AnyNamespace(name) => check_name(name)?,
        NameTest::Prefixed { prefix, local } => {
            check_name(prefix)?;
            check_name(local)?;
        }
    }
    if let Some(label) = node.mark.as_ref().and_then(|m| m.label.as_deref()) {
        check_name(label)?;
    }
    if node.conditions() > Pattern::MAX_CONDITIONS {
        return Err(too_many_conditions());
    }
    for branch in &node.branches {
        if let Branch::Regular(regex) = branch
            && regex.positions() > Pattern::MAX_POSITIONS
        {
            return Err(too_many_positions());
        }
    }
    node.value_tests.iter().try_for_each(check_value_test)
}

fn check_value_test(test: &ValueTest) -> Result<(), Error> {
    if let Operand::Attribute(name) = &test.operand {
        let (prefix, local) = name.split_once(':').unwrap_or(("_", name));
        check_name(prefix)?;
        check_name(local)?;
    }
    match &test.comparison {
        Some((_, Literal::Number(n))) if !n.is_finite() => {
            Err(query_error(format!("the number {n} in a comparison")))
        }
        Some((_, Literal::String(s))) if s.contains('"') && s.contains('\'') => {
            Err(query_error(format!("a string with both kinds of quotes: {s}")))
        }
        _ => Ok(()),
    }
}

fn check_name(name: &str) -> Result<(), Error> {
    if is_name(name) {
        return Ok(());
    }
    Err(query_error(format!("`{}` is not a name", name.escape_debug()))
        .with_hint("names begin with a letter or `_`, then digits, `-` and `.` may follow"))
}

/// An error about the query as a whole.
pub(super) fn query_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Query, message)
}

pub(super) fn too_many_steps() -> Error {
    query_error(format!("more than {} steps", Pattern::MAX_STEPS))
        .with_hint("split the query into several")
}

pub(super) fn too_many_conditions() -> Error {
    query_error(format!("more than {} conditions on one step", Pattern::MAX_CONDITIONS))
        .with_hint("split the query into several")
}

pub(super) fn too_many_positions() -> Error {
    query_error(format!(
        "more than {} symbol positions in one expression, repetitions written out",
        Pattern::MAX_POSITIONS
    ))
    .with_hint("use `*` or `+` in place of large numbers of repetitions")
}

pub(super) fn too_deep() -> Error {
    query_error(format!("more than {} nested brackets", Pattern::MAX_NESTING))
        .with_hint("a chain of steps such as `a/b/c` nests without brackets")
}

pub(super) fn reversed_bounds(min: u32, max: u32) -> Error {
    query_error(format!("a repetition of at least {min} and at most {max} times"))
        .with_hint(format!("write `{{{max},{min}}}`"))
}

/// Takes a text to see whether it can be written.
struct Nowhere;

impl fmt::Write for Nowhere {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}
