//! Wording of query errors: what was expected, what was found, and what to write instead.

use std::ops::Range;

use super::lexer::Token;
use super::parser::Parser;
use crate::{Error, ErrorKind};

/// An error in the query at the given bytes.
pub(super) fn fault(span: Range<usize>, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Query, message).with_span(span)
}

/// Where the parser stands; it decides which hint fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// At the first token.
    Start,
    /// Between or at steps outside brackets.
    Trunk,
    /// Behind the final `/{regex}`.
    AfterBranch,
    /// Behind `//`, at a brace.
    BraceAfterSlashes,
    /// Behind `[`.
    PredicateStart,
    /// Inside brackets.
    Predicate,
    /// At the name of an attribute.
    Attribute,
    /// Behind `text()`.
    AfterText,
    /// Behind `.`.
    AfterDot,
    /// At the right side of a comparison.
    Literal,
    /// Inside a regular expression.
    Expression,
    /// Inside the braces of a repetition.
    Bounds,
    /// Elsewhere.
    Other,
}

impl Parser<'_> {
    /// The error that the next token does not fit here.
    pub(super) fn unexpected(&self, expected: &str, place: Place) -> Error {
        let found = self.peek();
        let span = self.span();
        if place == Place::Start && found == Token::End {
            return fault(span, "the query is empty").with_hint("write `//name` or `/name`");
        }
        let message = match found {
            Token::End => format!("expected {expected}, but the query ends"),
            _ => format!("expected {expected}, found {}", found.describe()),
        };
        let error = fault(span, message);
        match self.hint(found, place) {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }

    fn hint(&self, found: Token<'_>, place: Place) -> Option<String> {
        let fixed = match (place, found) {
            (_, Token::UnclosedString) => "close the string with the quote that opened it",
            (_, Token::DotDot) => "there is no parent axis: write the parent as a step above",
            (Place::PredicateStart, Token::End) => {
                "a condition and `]` are missing, as in `[b]` or `[@id]`"
            }
            (Place::Predicate, Token::End) => "every `[` needs its `]`",
            (Place::Trunk, Token::End) => "write a name behind the slash, or leave the slash out",
            (Place::Expression | Place::Bounds, Token::End) => {
                "every `{` and `(` needs its closing `}` or `)`"
            }
            (Place::Start, Token::Name(name)) => {
                return Some(format!(
                    "write `//{name}` for any such element, `/{name}` for the document element"
                ));
            }
            (Place::Start, Token::Dot) => "a query starts at the document: leave out the `.`",
            (Place::Start, Token::OpenBrace) => {
                "a regular branch hangs under a step: write `//name/{...}`"
            }
            (Place::Trunk, Token::OpenBrace) if self.after_step() => {
                "a regular branch follows a slash: write `/{...}`"
            }
            (Place::Trunk, Token::OpenBrace) => {
                "a regular branch hangs under a step: write `//name/{...}`"
            }
            (Place::Trunk | Place::AfterBranch, Token::Pipe) => {
                "alternatives are written inside a regular branch, as in `/{a | b}`; \
                 of several paths each is a query of its own, as in `-e //a -e //b`"
            }
            (Place::Trunk, Token::Name("or")) if self.after_step() => {
                "of several paths each is a query of its own, as in `-e //a -e //b`"
            }
            (Place::Trunk | Place::Predicate, Token::Star | Token::Plus | Token::Question) => {
                "repetitions are written inside a regular branch, as in `/{a*}`"
            }
            (Place::Trunk | Place::Predicate | Place::Expression, Token::OpenBracket) => {
                "a mark stands before or behind all brackets of its step"
            }
            (_, Token::Name(_)) if self.before() == Some(Token::Bang) => {
                "a label follows its `!` without white space"
            }
            (Place::Predicate, Token::Name(_))
                if matches!(self.before(), Some(Token::Number(_))) =>
            {
                "numbers are written as digits with at most one point"
            }
            (Place::Trunk | Place::Predicate, Token::Colon) => {
                "the parts of a name stand together, as in `p:name` or `*:name`"
            }
            (Place::Trunk | Place::Predicate, Token::At) => {
                "an attribute is tested in the brackets of its element, as in `a[@id]`"
            }
            (Place::AfterBranch, _) => {
                "a regular branch ends the query: put what follows into the brackets of a symbol, \
                 as in `/{a[b]}`"
            }
            (Place::BraceAfterSlashes, _) => {
                "a regular branch is about children: write `/{...}`, or `//*/{...}` for those of \
                 any descendant"
            }
            (Place::PredicateStart, Token::Number(_)) => {
                "positions are not supported; order is expressed by a regular branch, as in \
                 `{a, b}`"
            }
            (Place::PredicateStart, Token::Quoted(_)) => {
                "the literal stands on the right, as in `[.=\"x\"]`"
            }
            (Place::PredicateStart, Token::Dot) => "a child is written without `./`, as in `[b]`",
            (Place::PredicateStart, Token::Slash) => "a child is written without `/`, as in `[b]`",
            (Place::PredicateStart, Token::SlashSlash) => {
                "a descendant is written with a dot, as in `[.//b]`"
            }
            (Place::PredicateStart, Token::CloseBracket) => "leave the empty brackets out",
            (Place::PredicateStart, Token::OpenParen) => {
                "groups are written inside a regular branch, as in `[{(a | b), c}]`"
            }
            (Place::Predicate, Token::Name("and")) => {
                "write one pair of brackets for each condition, as in `[a][b]`"
            }
            (Place::Predicate, Token::Name("or") | Token::Pipe) => {
                "for one child out of several write `[{a | b}]`"
            }
            (Place::Predicate, Token::Comma) => "a sequence of children is written `[{a, b}]`",
            (Place::Predicate, Token::OpenBrace) if self.after_step() => {
                "a regular branch follows a slash: write `/{...}`"
            }
            (Place::Attribute, Token::Star) => "name the attribute",
            (Place::AfterText, Token::CloseBracket) => "write `[text()!=\"\"]` for any text",
            (Place::AfterDot, Token::CloseBracket) => "write `[.!=\"\"]` for any text below",
            (Place::Literal, Token::Compare(_)) => {
                "the operators are `=`, `!=`, `<`, `<=`, `>` and `>=`"
            }
            (Place::Literal, Token::Name(name)) => {
                return Some(format!("for the string write \"{name}\" with quotes"));
            }
            (Place::Literal, Token::At) => "a value is compared with a literal only",
            (Place::Expression, Token::CloseBrace | Token::CloseParen) if !self.after_symbol() => {
                "an expression needs a symbol here"
            }
            (Place::Expression, Token::Name(_) | Token::OpenParen) => {
                "symbols are joined by `,` for a sequence or `|` for a choice"
            }
            (Place::Expression, Token::Slash | Token::SlashSlash) if self.after_step() => {
                "a symbol is one child; what it must contain stands in brackets, as in `a[b]` or \
                 `a[.//b]`"
            }
            (Place::Expression, Token::Slash | Token::SlashSlash | Token::Dot) => {
                "the symbols are children: write the name alone"
            }
            (Place::Expression, Token::At) => {
                "attributes are tested in the brackets of a symbol, as in `a[@id]`"
            }
            (Place::Bounds, Token::Comma) => "write `{0,n}` for at most n times",
            (Place::Bounds, Token::Name(_)) => {
                "braces after a symbol hold numbers; a nested regular branch is written `a[{...}]`"
            }
            _ => return None,
        };
        Some(fixed.into())
    }

    /// Whether the token before this one can end a symbol with its repetitions.
    fn after_symbol(&self) -> bool {
        self.after_step()
            || self.before().is_some_and(|t| {
                matches!(t, Token::Plus | Token::Question | Token::CloseParen | Token::CloseBrace)
            })
    }

    /// Whether the token before this one can end a step.
    fn after_step(&self) -> bool {
        self.before().is_some_and(|t| {
            matches!(t, Token::Name(_) | Token::Star | Token::Bang | Token::CloseBracket)
        })
    }

    /// `name(` where a step was expected.
    pub(super) fn function(&self) -> Error {
        let name = &self.text[self.span()];
        let span = self.span().start..self.span_at(1).end;
        let error = fault(span, format!("`{name}()` is not part of the query language"));
        match name {
            "text" => error.with_hint("text is tested in brackets, as in `a[text()=\"x\"]`"),
            "not" => error.with_hint("conditions cannot be negated"),
            "last" | "position" => error.with_hint(
                "positions are not supported; order is expressed by a regular branch, as in \
                 `{a, b}`",
            ),
            "node" => error.with_hint("write `*` for any element"),
            "contains" | "starts-with" | "ends-with" | "matches" => {
                error.with_hint("values are compared with `=`, `!=`, `<`, `<=`, `>` and `>=` only")
            }
            _ => error.with_hint(
                "conditions are steps, `.//` steps, `{...}`, `@name`, `text()` and `.` with a \
                 comparison",
            ),
        }
    }

    /// `p:*`; the next token is the colon.
    pub(super) fn any_of_prefix(&self, prefix: &str) -> Error {
        let span = self.span().start - prefix.len()..self.span_at(1).end;
        fault(span, format!("`{prefix}:*` is not part of the query language")).with_hint(format!(
            "write `*` for any element; for `{prefix}` followed by any element write \
             `{prefix} , *`"
        ))
    }

    /// `axis::`; the next token is the first colon.
    pub(super) fn axis(&self, axis: &str) -> Error {
        let span = self.span().start - axis.len()..self.span_at(1).end;
        let hint = match axis {
            "attribute" => "write `@name` in brackets",
            "following-sibling" | "preceding-sibling" => {
                "order of siblings is expressed by a regular branch, as in `/{a, b}`"
            }
            _ => "the axes are `/` for children and `//` for descendants",
        };
        fault(span, format!("`{axis}::` is not part of the query language")).with_hint(hint)
    }

    /// A colon that has white space on one side only, or on none behind a repetition.
    pub(super) fn tight_colon(&self) -> Error {
        fault(self.span(), "a `:` between symbols needs white space on both sides")
            .with_hint("write `a , b` or `a : b`")
    }

    /// `!` or `[` behind a group or a repetition.
    pub(super) fn after_group(&self, group: bool) -> Error {
        let (span, found) = (self.span(), self.peek());
        match (group, found) {
            (true, Token::Bang) => fault(span, "a mark `!` on a group")
                .with_hint("mark the symbols inside the group, as in `(a!, b!)`"),
            (true, _) => fault(span, "a condition on a group")
                .with_hint("put the brackets behind a symbol inside the group"),
            (false, Token::Bang) => fault(span, "a mark `!` behind a repetition")
                .with_hint("the mark stands before the repetition, as in `a!*`"),
            (false, _) => fault(span, "a condition behind a repetition")
                .with_hint("the brackets stand before the repetition, as in `a[b]*`"),
        }
    }

    /// `[b="x"]`: the chain from `start` to `end` is compared.
    pub(super) fn compared_step(&self, start: usize, end: usize) -> Error {
        let operator = self.span();
        let comparison = match self.peek_at(1) {
            Token::Number(_) | Token::Quoted(_) => &self.text[operator.start..self.span_at(1).end],
            _ => "=\"x\"",
        };
        let chain = &self.text[start..end];
        fault(operator, "a step cannot be compared")
            .with_hint(format!("compare its string value: write `[{chain}[.{comparison}]]`"))
    }
}
