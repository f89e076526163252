//! The place in the text that the parser has reached, and the tokens around it.

use std::ops::Range;

use super::Query;
use super::ast::{Name, Span};
use super::fault::{Place, fault};
use super::lexer::{Spanned, Token, is_reserved, tokens, unquote};
use crate::{Error, ErrorKind};

/// The parser; its rules are in `parser` and `expr_parser`.
pub(super) struct Parser<'q> {
    pub(super) text: &'q str,
    tokens: Vec<Spanned<'q>>,
    at: usize,
    nesting: usize,
    items: usize,
    terms: usize,
}

impl<'q> Parser<'q> {
    pub(super) fn new(text: &'q str) -> Self {
        Parser { text, tokens: tokens(text), at: 0, nesting: 0, items: 0, terms: 0 }
    }

    pub(super) fn peek(&self) -> Token<'q> {
        self.peek_at(0)
    }

    /// The token so many places ahead; the end, if there is none.
    pub(super) fn peek_at(&self, ahead: usize) -> Token<'q> {
        self.tokens.get(self.at + ahead).map_or(Token::End, |t| t.token)
    }

    /// The token before the next one.
    pub(super) fn before(&self) -> Option<Token<'q>> {
        self.at.checked_sub(1).map(|i| self.tokens[i].token)
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.span_at(0)
    }

    pub(super) fn span_at(&self, ahead: usize) -> Range<usize> {
        let last = self.tokens.len() - 1;
        self.tokens[(self.at + ahead).min(last)].span.clone()
    }

    pub(super) fn start(&self) -> usize {
        self.span().start
    }

    /// Where a comment begins between the last token that was read and the next one that is written
    /// as if `--` were two signs: what may be meant as the opposite of a number, a term or a bracket.
    pub(super) fn doubled_minus(&self) -> Option<usize> {
        let from = self.at.checked_sub(1).map_or(0, |i| self.tokens[i].span.end);
        let gap = &self.text[from..self.start()];
        let at = gap.find("--")?;
        let follows = |c: char| c == '(' || c == '.' || c == '_' || c.is_alphanumeric();
        // A comment proper stands on a line of its own, or behind a blank.
        let meant = !gap[..at].contains('\n') && gap[at + 2..].starts_with(follows);
        meant.then_some(from + at)
    }

    /// From the given byte to the end of the last token that was read.
    pub(super) fn since(&self, start: usize) -> Span {
        let end = self.at.checked_sub(1).map_or(start, |i| self.tokens[i].span.end);
        Span { start, end }
    }

    /// Never moves past the end.
    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        self.is_sign_at(0, sign)
    }

    pub(super) fn is_sign_at(&self, ahead: usize, sign: &str) -> bool {
        matches!(self.peek_at(ahead), Token::Sign(s) if s == sign)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.is_word_at(0, word)
    }

    pub(super) fn is_word_at(&self, ahead: usize, word: &str) -> bool {
        matches!(self.peek_at(ahead), Token::Word(w) if w.eq_ignore_ascii_case(word))
    }

    pub(super) fn eat_sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect_sign(&mut self, sign: &str, place: Place) -> Result<(), Error> {
        if self.eat_sign(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"), place)) }
    }

    pub(super) fn expect_word(&mut self, word: &str, place: Place) -> Result<(), Error> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"), place)) }
    }

    /// Whether the next token is a name where keywords are none.
    pub(super) fn is_name(&self) -> bool {
        match self.peek() {
            Token::Word(word) => !is_reserved(word),
            Token::Ticked(_) => true,
            _ => false,
        }
    }

    /// A name that is no keyword.
    pub(super) fn name(&mut self, expected: &str, place: Place) -> Result<Name, Error> {
        if self.is_name() {
            self.any_name(expected, place)
        } else {
            Err(self.unexpected(expected, place))
        }
    }

    /// A name where no keyword can stand, so that any word will do.
    pub(super) fn any_name(&mut self, expected: &str, place: Place) -> Result<Name, Error> {
        let span = Span::from(self.span());
        let text: Box<str> = match self.peek() {
            Token::Word(word) => word.into(),
            Token::Ticked("") => return Err(fault(self.span(), "a name without a character")),
            Token::Ticked(raw) => unquote(raw, '`').into(),
            _ => return Err(self.unexpected(expected, place)),
        };
        self.advance();
        Ok(Name { text, span })
    }

    // Limits.

    /// Counts a bracket or a prefix operator that what follows stands inside of.
    pub(super) fn enter(&mut self) -> Result<(), Error> {
        if self.nesting == Query::MAX_NESTING {
            return Err(self.too_deep(self.span()));
        }
        self.nesting += 1;
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.nesting -= 1;
    }

    pub(super) fn too_deep(&self, span: Range<usize>) -> Error {
        let message = format!("more than {} levels of nesting", Query::MAX_NESTING);
        Error::new(ErrorKind::Limit, message)
            .with_span(span)
            .with_hint("put the parts of a long chain of operators in parentheses")
    }

    pub(super) fn count_item(&mut self) -> Result<(), Error> {
        self.items += 1;
        if self.items <= Query::MAX_ITEMS {
            return Ok(());
        }
        Err(super::check::too_many_items(self.span()))
    }

    pub(super) fn count_term(&mut self) -> Result<(), Error> {
        self.terms += 1;
        if self.terms <= Query::MAX_TERMS {
            return Ok(());
        }
        Err(super::check::too_many_terms(self.span()))
    }
}
