//! Conditions that a pattern must meet besides the grammar.

use super::{NameTest, Namespaces, NodeId, Pattern};
use crate::{Error, ErrorKind};

/// Refuses prefixes that are not declared. The message says both readings of `E:D`, since the paper
/// writes concatenation with a colon.
pub(crate) fn check_prefixes(pattern: &Pattern, namespaces: &Namespaces) -> Result<(), Error> {
    for (i, node) in pattern.nodes().iter().enumerate() {
        let NameTest::Prefixed { prefix, local } = &node.test else { continue };
        if namespaces.uri(prefix).is_some() {
            continue;
        }
        let error = Error::new(ErrorKind::Query, format!("prefix `{prefix}` is not declared"))
            .with_hint(format!(
                "declare it with --ns {prefix}=URI, or, if `{prefix}:{local}` was meant as a \
                 concatenation as in the paper, write `{prefix} , {local}` or `{prefix} : {local}`"
            ));
        return Err(match pattern.span(NodeId(i as u32)) {
            Some(span) => error.with_span(span),
            None => error,
        });
    }
    Ok(())
}
