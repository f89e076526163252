//! The expression of a regular branch.
//!
//! ```text
//! regex = cat { "|" cat }      cat = rep { ("," | " : ") rep }
//! rep   = ( step | "(" regex ")" ) { "*" | "+" | "?" | "{" m ["," [n]] "}" }
//! ```

use std::ops::Range;

use super::check;
use super::fault::{Place, fault};
use super::lexer::Token;
use super::parser::Parser;
use super::{Pattern, Regex, copies};
use crate::Error;

/// Reads alternatives up to a closing brace or parenthesis, and counts their positions. `open` is
/// where the opening one stands.
pub(super) fn expression(p: &mut Parser<'_>, open: usize) -> Result<(Regex, u64), Error> {
    let (first, mut positions) = concatenation(p)?;
    let mut parts = vec![first];
    while p.eat(Token::Pipe) {
        let (part, more) = concatenation(p)?;
        parts.push(part);
        positions += more;
        check_positions(positions, open..p.span().start)?;
    }
    Ok((Regex::alt(parts), positions))
}

fn concatenation(p: &mut Parser<'_>) -> Result<(Regex, u64), Error> {
    let start = p.span().start;
    let (first, mut positions) = repetition(p)?;
    let mut parts = vec![first];
    loop {
        match p.peek() {
            Token::Comma => {}
            Token::Colon if !p.touches(0) && !p.touches(1) => {}
            Token::Colon => return Err(p.tight_colon()),
            _ => return Ok((Regex::concat(parts), positions)),
        }
        p.advance();
        let (part, more) = repetition(p)?;
        parts.push(part);
        positions += more;
        check_positions(positions, start..p.span().start)?;
    }
}

fn repetition(p: &mut Parser<'_>) -> Result<(Regex, u64), Error> {
    let start = p.span().start;
    let group = p.peek() == Token::OpenParen;
    let (mut regex, mut positions) = if group {
        p.enter()?;
        let inner = expression(p, start)?;
        if p.peek() != Token::CloseParen {
            return Err(p.unexpected("`,`, `|`, a repetition or `)`", Place::Expression));
        }
        p.leave();
        inner
    } else {
        (Regex::Symbol(p.symbol()?), 1)
    };
    let mut repeated = false;
    loop {
        let (min, max) = match p.peek() {
            Token::Star => (0, None),
            Token::Plus => (1, None),
            Token::Question => (0, Some(1)),
            Token::OpenBrace => bounds(p)?,
            Token::Bang | Token::OpenBracket if group || repeated => {
                return Err(p.after_group(group));
            }
            _ => return Ok((regex, positions)),
        };
        p.advance();
        repeated = true;
        positions = positions.saturating_mul(copies(min, max));
        check_positions(positions, start..p.span().start)?;
        regex = Regex::repeat(regex, min, max);
    }
}

fn check_positions(positions: u64, span: Range<usize>) -> Result<(), Error> {
    if positions <= Pattern::MAX_POSITIONS {
        return Ok(());
    }
    Err(check::too_many_positions().with_span(span))
}

/// `{m}`, `{m,}` or `{m,n}`; stops at the closing brace.
fn bounds(p: &mut Parser<'_>) -> Result<(u32, Option<u32>), Error> {
    let start = p.span().start;
    p.advance();
    if p.peek() == Token::Comma {
        return Err(p.unexpected("a whole number", Place::Bounds));
    }
    let min = whole_number(p)?;
    let max = if p.eat(Token::Comma) {
        if p.peek() == Token::CloseBrace { None } else { Some(whole_number(p)?) }
    } else {
        Some(min)
    };
    if p.peek() != Token::CloseBrace {
        return Err(p.unexpected("`,` or `}`", Place::Bounds));
    }
    let span = start..p.span().end;
    match max {
        Some(0) => Err(fault(span, "a repetition of at most 0 times matches nothing")
            .with_hint("leave the symbol out")),
        Some(n) if n < min => Err(check::reversed_bounds(min, n).with_span(span)),
        _ => Ok((min, max)),
    }
}

fn whole_number(p: &mut Parser<'_>) -> Result<u32, Error> {
    let digits = &p.text[p.span()];
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(p.unexpected("a whole number", Place::Bounds));
    }
    // A number beyond `u32` is beyond the bound on positions too.
    let number = digits.parse().unwrap_or(u32::MAX);
    p.advance();
    Ok(number)
}
