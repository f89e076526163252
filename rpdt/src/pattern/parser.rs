//! Recursive descent over the tokens of a query; start reading at [`parse`].
//!
//! ```text
//! query  = chain
//! chain  = axis step { axis step } [ "/" "{" regex "}" ]       axis = "/" | "//"
//! step   = name [mark] { "[" pred "]" } [mark]                 mark = "!" [label]
//! pred   = [".//"] chain-without-first-axis | "{" regex "}"
//!        | "@" name [op literal] | "text()" op literal | "." op literal
//! ```
//! Expressions are read in [`super::regex_parser`], faults are worded in [`super::fault`].

use std::ops::Range;

use super::check;
use super::fault::{Place, fault};
use super::lexer::{Spanned, Token, tokens};
use super::{
    Axis, Branch, Literal, Mark, NameTest, Node, NodeId, Op, Operand, Pattern, Regex, Spans,
    ValueTest,
};
use crate::Error;

/// Parses a query.
pub(super) fn parse(text: &str) -> Result<Pattern, Error> {
    let mut parser = Parser::new(text);
    parser.query()?;
    Ok(Pattern { nodes: parser.nodes, trunk: parser.trunk, spans: Spans(parser.spans) })
}

pub(super) struct Parser<'q> {
    pub(super) text: &'q str,
    tokens: Vec<Spanned<'q>>,
    at: usize,
    nesting: usize,
    nodes: Vec<Node>,
    spans: Vec<Range<usize>>,
    trunk: Vec<NodeId>,
}

impl<'q> Parser<'q> {
    fn new(text: &'q str) -> Self {
        Parser {
            text,
            tokens: tokens(text),
            at: 0,
            nesting: 0,
            nodes: Vec::new(),
            spans: Vec::new(),
            trunk: Vec::new(),
        }
    }

    // Tokens.

    /// The next token; the end of the query comes again and again.
    pub(super) fn peek(&self) -> Token<'q> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Token<'q> {
        self.spanned(ahead).token
    }

    fn spanned(&self, ahead: usize) -> &Spanned<'q> {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.spanned(0).span.clone()
    }

    pub(super) fn span_at(&self, ahead: usize) -> Range<usize> {
        self.spanned(ahead).span.clone()
    }

    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn eat(&mut self, token: Token<'_>) -> bool {
        let found = self.peek() == token;
        if found {
            self.advance();
        }
        found
    }

    /// Whether the token `ahead` starts where the one before it ends.
    pub(super) fn touches(&self, ahead: usize) -> bool {
        let i = self.at + ahead;
        i > 0 && i < self.tokens.len() && self.tokens[i - 1].span.end == self.tokens[i].span.start
    }

    /// The token before the next one.
    pub(super) fn before(&self) -> Option<Token<'q>> {
        Some(self.tokens[self.at.checked_sub(1)?].token)
    }

    /// The end of the token before the next one.
    fn last_end(&self) -> usize {
        if self.at == 0 { 0 } else { self.tokens[self.at - 1].span.end }
    }

    /// Goes one bracket, brace or parenthesis deeper; the caller closes with
    /// [`leave`](Self::leave).
    pub(super) fn enter(&mut self) -> Result<(), Error> {
        if self.nesting == Pattern::MAX_NESTING {
            return Err(check::too_deep().with_span(self.span()));
        }
        self.nesting += 1;
        self.advance();
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.nesting -= 1;
        self.advance();
    }

    // Steps.

    fn query(&mut self) -> Result<(), Error> {
        let axis = match self.peek() {
            Token::Slash => Axis::Child,
            Token::SlashSlash => Axis::Descendant,
            _ => return Err(self.unexpected("`/` or `//`", Place::Start)),
        };
        self.advance();
        self.trunk = self.chain(axis, None)?;
        match self.peek() {
            Token::End => Ok(()),
            _ if self.ended_by_expression() => Err(self.unexpected("the end", Place::AfterBranch)),
            _ => Err(self.unexpected("`/`, `//`, `[`, `!` or the end", Place::Trunk)),
        }
    }

    /// Whether the last token closed a final `/{regex}`.
    fn ended_by_expression(&self) -> bool {
        self.before() == Some(Token::CloseBrace)
    }

    /// Steps that hang one under the other, the first with the given axis under `parent`.
    fn chain(&mut self, mut axis: Axis, parent: Option<NodeId>) -> Result<Vec<NodeId>, Error> {
        let mut steps = vec![];
        let mut parent = parent;
        loop {
            let place = if self.nesting > 0 { Place::Predicate } else { Place::Trunk };
            if self.peek() == Token::OpenBrace && axis == Axis::Descendant {
                return Err(self.unexpected("a name or `*`", Place::BraceAfterSlashes));
            }
            let id = self.step(axis, parent, place)?;
            steps.push(id);
            parent = Some(id);
            axis = match self.peek() {
                Token::Slash => Axis::Child,
                Token::SlashSlash => Axis::Descendant,
                _ => return Ok(steps),
            };
            self.advance();
            if axis == Axis::Child && self.peek() == Token::OpenBrace {
                self.expression_branch(id)?;
                return Ok(steps);
            }
        }
    }

    /// One step with its predicates. With a parent it becomes the parent's next branch.
    fn step(&mut self, axis: Axis, parent: Option<NodeId>, place: Place) -> Result<NodeId, Error> {
        let start = self.span().start;
        let test = self.name_test(place)?;
        let span = start..self.last_end();
        let id = self.add_node(test, axis, span.clone())?;
        if let Some(parent) = parent {
            self.nodes[parent.index()].branches.push(Branch::Node(id));
            self.check_conditions(parent, span)?;
        }
        self.step_rest(id)?;
        Ok(id)
    }

    /// A symbol of an expression: a step on the child axis that hangs in the expression only.
    pub(super) fn symbol(&mut self) -> Result<NodeId, Error> {
        let start = self.span().start;
        let test = self.name_test(Place::Expression)?;
        let id = self.add_node(test, Axis::Child, start..self.last_end())?;
        self.step_rest(id)?;
        Ok(id)
    }

    /// Marks and predicates after a name.
    fn step_rest(&mut self, id: NodeId) -> Result<(), Error> {
        let mut mark = self.mark()?;
        while self.peek() == Token::OpenBracket {
            self.predicate(id)?;
        }
        if mark.is_none() {
            mark = self.mark()?;
        }
        if self.peek() == Token::Bang {
            return Err(fault(self.span(), "a step takes one mark `!`, this is its second"));
        }
        self.nodes[id.index()].mark = mark;
        Ok(())
    }

    fn mark(&mut self) -> Result<Option<Mark>, Error> {
        if !self.eat(Token::Bang) {
            return Ok(None);
        }
        let label = match self.peek() {
            Token::Name(label) if self.touches(0) => {
                self.advance();
                Some(label.into())
            }
            _ => None,
        };
        Ok(Some(Mark { label }))
    }

    fn add_node(
        &mut self,
        test: NameTest,
        axis: Axis,
        span: Range<usize>,
    ) -> Result<NodeId, Error> {
        if self.nodes.len() == Pattern::MAX_STEPS {
            return Err(check::too_many_steps().with_span(span));
        }
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { test, axis, value_tests: vec![], mark: None, branches: vec![] });
        self.spans.push(span);
        Ok(id)
    }

    fn check_conditions(&self, id: NodeId, span: Range<usize>) -> Result<(), Error> {
        if self.nodes[id.index()].conditions() <= Pattern::MAX_CONDITIONS {
            return Ok(());
        }
        Err(check::too_many_conditions().with_span(span))
    }

    /// `name`, `*`, `p:name` or `*:local`.
    fn name_test(&mut self, place: Place) -> Result<NameTest, Error> {
        let expected = match place {
            Place::Expression => "a name, `*` or `(`",
            _ => "a name or `*`",
        };
        let first = self.peek();
        if !matches!(first, Token::Name(_) | Token::Star) {
            return Err(self.unexpected(expected, place));
        }
        // In an expression `a (` rather lacks a comma.
        let call = place != Place::Expression || self.peek_at(2) == Token::CloseParen;
        if call && self.peek_at(1) == Token::OpenParen {
            return Err(self.function());
        }
        self.advance();
        let colon = self.peek() == Token::Colon && self.touches(0) && self.touches(1);
        Ok(match (first, self.peek_at(1)) {
            (Token::Name(prefix), Token::Name(local)) if colon => {
                self.advance();
                self.advance();
                NameTest::Prefixed { prefix: prefix.into(), local: local.into() }
            }
            (Token::Star, Token::Name(local)) if colon => {
                self.advance();
                self.advance();
                NameTest::AnyNamespace(local.into())
            }
            (Token::Name(prefix), Token::Star) if colon => return Err(self.any_of_prefix(prefix)),
            (Token::Name(axis), Token::Colon) if colon => return Err(self.axis(axis)),
            (Token::Name(name), _) => NameTest::Name(name.into()),
            _ => NameTest::Any,
        })
    }

    // Predicates.

    fn predicate(&mut self, id: NodeId) -> Result<(), Error> {
        self.enter()?;
        let start = self.span().start;
        match self.peek() {
            Token::At => self.attribute_test(id)?,
            Token::Name("text") if self.peek_at(1) == Token::OpenParen => {
                self.advance();
                self.advance();
                if !self.eat(Token::CloseParen) {
                    return Err(self.unexpected("`)`", Place::Other));
                }
                self.comparison_of(id, Operand::Text)?;
            }
            Token::Dot if self.peek_at(1) == Token::SlashSlash => {
                self.advance();
                self.advance();
                self.chain(Axis::Descendant, Some(id))?;
                self.no_comparison(start)?;
            }
            Token::Dot if self.peek_at(1) != Token::Slash => {
                self.advance();
                self.comparison_of(id, Operand::StringValue)?;
            }
            Token::OpenBrace => self.expression_branch(id)?,
            Token::Name(_) | Token::Star => {
                self.chain(Axis::Child, Some(id))?;
                self.no_comparison(start)?;
            }
            _ => {
                let expected = "a step, `.//`, `{`, `@`, `text()` or `.`";
                return Err(self.unexpected(expected, Place::PredicateStart));
            }
        }
        if self.peek() != Token::CloseBracket {
            return Err(self.unexpected("`]`", Place::Predicate));
        }
        self.check_conditions(id, start..self.last_end())?;
        self.leave();
        Ok(())
    }

    fn attribute_test(&mut self, id: NodeId) -> Result<(), Error> {
        self.advance();
        let start = self.span().start;
        let Token::Name(_) = self.peek() else {
            return Err(self.unexpected("the name of an attribute", Place::Attribute));
        };
        self.advance();
        if self.peek() == Token::Colon && self.touches(0) && self.touches(1) {
            self.advance();
            let Token::Name(_) = self.peek() else {
                return Err(self.unexpected("a name after the prefix", Place::Attribute));
            };
            self.advance();
        }
        let operand = Operand::Attribute(self.text[start..self.last_end()].into());
        let comparison = match self.peek() {
            Token::Compare(op) => Some(self.comparison(op)?),
            Token::CloseBracket => None,
            _ => return Err(self.unexpected("a comparison or `]`", Place::Predicate)),
        };
        self.nodes[id.index()].value_tests.push(ValueTest { operand, comparison });
        Ok(())
    }

    fn comparison_of(&mut self, id: NodeId, operand: Operand) -> Result<(), Error> {
        let Token::Compare(op) = self.peek() else {
            let place = if operand == Operand::Text { Place::AfterText } else { Place::AfterDot };
            return Err(self.unexpected("a comparison", place));
        };
        let comparison = Some(self.comparison(op)?);
        self.nodes[id.index()].value_tests.push(ValueTest { operand, comparison });
        Ok(())
    }

    fn comparison(&mut self, op: Op) -> Result<(Op, Literal), Error> {
        self.advance();
        let literal = match self.peek() {
            Token::Number(n) => Literal::Number(n),
            Token::Quoted(s) => Literal::String(s.into()),
            _ => return Err(self.unexpected("a number or a quoted string", Place::Literal)),
        };
        self.advance();
        Ok((op, literal))
    }

    /// A step in brackets is not compared; its own brackets hold the comparison.
    fn no_comparison(&self, start: usize) -> Result<(), Error> {
        match self.peek() {
            Token::Compare(_) => Err(self.compared_step(start, self.last_end())),
            _ => Ok(()),
        }
    }

    // Regular branches.

    /// `{regex}` as the next branch of a node.
    fn expression_branch(&mut self, id: NodeId) -> Result<(), Error> {
        let start = self.span().start;
        self.enter()?;
        let (regex, _) = self.expression(start)?;
        if self.peek() != Token::CloseBrace {
            return Err(self.unexpected("`,`, `|`, a repetition or `}`", Place::Expression));
        }
        self.leave();
        self.nodes[id.index()].branches.push(Branch::Regular(regex));
        self.check_conditions(id, start..self.last_end())
    }

    /// The alternatives of an expression, with the number of their positions.
    pub(super) fn expression(&mut self, open: usize) -> Result<(Regex, u64), Error> {
        super::regex_parser::expression(self, open)
    }
}
