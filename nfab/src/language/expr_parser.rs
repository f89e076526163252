//! Recursive descent: predicates and expressions, and the normal form of their trees.

use super::Query;
use super::ast::{
    Aggregate, AggregateRange, ArithmeticOp, CompareOp, Expr, ExprKind, Function, Index, Literal,
    Name, Predicate, Reference, Span,
};
use super::cursor::Parser;
use super::fault::{Place, fault};
use super::lexer::{Token, unquote};
use crate::Error;

/// An expression with the number of levels of its tree, which [`Query::MAX_NESTING`] bounds.
struct Tall {
    expr: Expr,
    height: usize,
}

/// A conjunct with its height.
enum Conjunct {
    Equivalence(Vec<Name>, Span),
    Condition(Tall),
}

const FUNCTIONS: [(&str, Function); 7] = [
    ("avg", Function::Avg),
    ("min", Function::Min),
    ("max", Function::Max),
    ("sum", Function::Sum),
    ("count", Function::Count),
    ("first", Function::First),
    ("last", Function::Last),
];

const COMPARISONS: [(&str, CompareOp); 8] = [
    ("=", CompareOp::Eq),
    ("==", CompareOp::Eq),
    ("!=", CompareOp::Ne),
    ("<>", CompareOp::Ne),
    ("<", CompareOp::Lt),
    ("<=", CompareOp::Le),
    (">", CompareOp::Gt),
    (">=", CompareOp::Ge),
];

const SUMS: [(&str, ArithmeticOp); 2] = [("+", ArithmeticOp::Add), ("-", ArithmeticOp::Subtract)];

const PRODUCTS: [(&str, ArithmeticOp); 3] =
    [("*", ArithmeticOp::Multiply), ("/", ArithmeticOp::Divide), ("%", ArithmeticOp::Remainder)];

impl Parser<'_> {
    /// The predicates, from behind `{` on.
    pub(super) fn predicates(&mut self) -> Result<Vec<Predicate>, Error> {
        self.enter()?;
        let mut alternatives = vec![self.conjuncts()?];
        while self.eat_word("or") {
            alternatives.push(self.conjuncts()?);
        }
        if !self.eat_sign("}") {
            return Err(self.unexpected("an operator, `AND` or `}`", Place::Predicates));
        }
        self.leave();
        if alternatives.len() == 1 {
            let mut predicates = vec![];
            for conjunct in alternatives.remove(0) {
                match conjunct {
                    Conjunct::Equivalence(attributes, span) => {
                        predicates.push(Predicate::Equivalence { attributes, span });
                    }
                    Conjunct::Condition(Tall { expr, .. }) => flatten(expr, &mut predicates),
                }
            }
            return Ok(predicates);
        }
        let mut parts = vec![];
        for conjuncts in alternatives {
            let mut all = vec![];
            for conjunct in conjuncts {
                match conjunct {
                    Conjunct::Equivalence(_, span) => return Err(self.partial_equivalence(span)),
                    Conjunct::Condition(tall) => all.push(tall),
                }
            }
            parts.push(self.join(all, false)?);
        }
        let any = self.join(parts, true)?.expr;
        Ok(vec![Predicate::Condition(any)])
    }

    /// What `AND` joins, equivalences among it.
    fn conjuncts(&mut self) -> Result<Vec<Conjunct>, Error> {
        let mut conjuncts = vec![];
        loop {
            conjuncts.push(if self.is_sign("[") {
                let start = self.start();
                let attributes = self.equivalence()?;
                Conjunct::Equivalence(attributes, self.since(start))
            } else {
                Conjunct::Condition(self.negation()?)
            });
            if !self.eat_word("and") {
                return Ok(conjuncts);
            }
        }
    }

    fn equivalence(&mut self) -> Result<Vec<Name>, Error> {
        self.advance();
        let mut attributes = vec![];
        loop {
            self.count_term()?;
            attributes.push(self.any_name("an attribute", Place::Equivalence)?);
            if self.eat_sign("]") {
                return Ok(attributes);
            } else if !self.eat_sign(",") {
                return Err(self.unexpected("`,` or `]`", Place::Equivalence));
            }
        }
    }

    /// A whole expression.
    pub(super) fn expression(&mut self) -> Result<Expr, Error> {
        Ok(self.disjunction()?.expr)
    }

    fn disjunction(&mut self) -> Result<Tall, Error> {
        let mut parts = vec![self.conjunction()?];
        while self.eat_word("or") {
            parts.push(self.conjunction()?);
        }
        self.join(parts, true)
    }

    fn conjunction(&mut self) -> Result<Tall, Error> {
        let mut parts = vec![self.negation()?];
        while self.eat_word("and") {
            parts.push(self.negation()?);
        }
        self.join(parts, false)
    }

    fn negation(&mut self) -> Result<Tall, Error> {
        let start = self.start();
        if !self.is_word("not") {
            return self.comparison();
        }
        self.enter()?;
        self.advance();
        let inner = self.negation()?;
        self.leave();
        self.node(start, &[inner.height], ExprKind::Not(Box::new(inner.expr)))
    }

    fn comparison(&mut self) -> Result<Tall, Error> {
        let start = self.start();
        let left = self.chain(&SUMS)?;
        let negated =
            self.is_word("not") && (self.is_word_at(1, "in") || self.is_word_at(1, "between"));
        if negated {
            self.advance();
        }
        let tall = if self.eat_word("in") {
            let (list, height) = self.list()?;
            let value = Box::new(left.expr);
            self.node(start, &[left.height, height], ExprKind::In { value, list, negated })?
        } else if self.eat_word("between") {
            let low = self.chain(&SUMS)?;
            self.expect_word("and", Place::Between)?;
            let high = self.chain(&SUMS)?;
            let heights = [left.height, low.height, high.height];
            let (value, low, high) = (Box::new(left.expr), Box::new(low.expr), Box::new(high.expr));
            self.node(start, &heights, ExprKind::Between { value, low, high, negated })?
        } else if self.eat_word("is") {
            let negated = self.eat_word("not");
            self.expect_word("null", Place::IsNull)?;
            let value = Box::new(left.expr);
            self.node(start, &[left.height], ExprKind::IsNull { value, negated })?
        } else if let Some(&(_, op)) = COMPARISONS.iter().find(|(sign, _)| self.is_sign(sign)) {
            self.advance();
            let right = self.chain(&SUMS)?;
            let heights = [left.height, right.height];
            let kind = ExprKind::Compare(op, Box::new(left.expr), Box::new(right.expr));
            self.node(start, &heights, kind)?
        } else {
            return Ok(left);
        };
        if COMPARISONS.iter().any(|(sign, _)| self.is_sign(sign)) {
            return Err(self.chained_comparison());
        }
        Ok(tall)
    }

    fn list(&mut self) -> Result<(Vec<Expr>, usize), Error> {
        self.expect_sign("(", Place::InList)?;
        let (mut list, mut height) = (vec![], 0);
        loop {
            let item = self.chain(&SUMS)?;
            height = height.max(item.height);
            list.push(item.expr);
            if self.eat_sign(")") {
                return Ok((list, height));
            } else if !self.eat_sign(",") {
                return Err(self.unexpected("an operator, `,` or `)`", Place::Other));
            }
        }
    }

    /// A chain of sums or of products, from left to right.
    fn chain(&mut self, operators: &[(&str, ArithmeticOp)]) -> Result<Tall, Error> {
        let start = self.start();
        let sums = operators.len() == SUMS.len();
        let operand = |parser: &mut Self| match sums {
            true => parser.chain(&PRODUCTS),
            false => parser.sign(),
        };
        let mut left = operand(self)?;
        while let Some(&(_, op)) = operators.iter().find(|(sign, _)| self.is_sign(sign)) {
            self.advance();
            let right = operand(self)?;
            let heights = [left.height, right.height];
            let kind = ExprKind::Arithmetic(op, Box::new(left.expr), Box::new(right.expr));
            left = self.node(start, &heights, kind)?;
        }
        Ok(left)
    }

    /// An operand with signs before it; the sign of a number becomes part of it.
    fn sign(&mut self) -> Result<Tall, Error> {
        let start = self.start();
        if !self.is_sign("-") {
            return self.term();
        }
        self.enter()?;
        self.advance();
        if let Token::Int(n) = self.peek() {
            self.advance();
            self.leave();
            // The token is at most 2^63.
            let literal = Literal::Int(0i64.wrapping_sub_unsigned(n));
            return self.node(start, &[], ExprKind::Literal(literal));
        }
        let inner = self.sign()?;
        self.leave();
        let kind = match inner.expr.kind {
            ExprKind::Literal(Literal::Int(n)) => match n.checked_neg() {
                Some(n) => ExprKind::Literal(Literal::Int(n)),
                None => return Err(self.huge_number(self.since(start))),
            },
            ExprKind::Literal(Literal::Float(x)) => ExprKind::Literal(Literal::Float(-x)),
            kind => {
                let expr = Expr { kind, span: inner.expr.span };
                return self.node(start, &[inner.height], ExprKind::Negate(Box::new(expr)));
            }
        };
        self.node(start, &[], kind)
    }

    fn term(&mut self) -> Result<Tall, Error> {
        let start = self.start();
        let literal = match self.peek() {
            Token::Sign("(") => {
                self.enter()?;
                self.advance();
                let inner = self.disjunction()?;
                if !self.eat_sign(")") {
                    return Err(self.unexpected("an operator or `)`", Place::Other));
                }
                self.leave();
                return Ok(inner);
            }
            Token::Int(n) => match i64::try_from(n) {
                Ok(n) => Literal::Int(n),
                Err(_) => return Err(self.huge_number(self.span().into())),
            },
            Token::HugeNumber => return Err(self.huge_number(self.span().into())),
            Token::Float(x) => Literal::Float(x),
            Token::Text(raw, quote) => Literal::Text(unquote(raw, quote).into()),
            Token::Word(_) if self.is_word("true") => Literal::Bool(true),
            Token::Word(_) if self.is_word("false") => Literal::Bool(false),
            Token::Word(_) if self.is_sign_at(1, "(") && !self.is_word("not") => {
                let aggregate = self.aggregate()?;
                return self.node(start, &[], ExprKind::Aggregate(aggregate));
            }
            _ => {
                let reference = self.reference()?;
                return self.node(start, &[], ExprKind::Reference(reference));
            }
        };
        self.advance();
        self.node(start, &[], ExprKind::Literal(literal))
    }

    // References.

    fn reference(&mut self) -> Result<Reference, Error> {
        let start = self.start();
        let variable = self.name("a term", Place::Term)?;
        let index = match self.eat_sign("[") {
            true => self.index(&variable, start)?,
            false => Index::Single,
        };
        if !self.eat_sign(".") {
            let expected = if index == Index::Single { "`.` or `[`" } else { "`.`" };
            return Err(self.unexpected(expected, Place::AfterVariable));
        }
        let attribute = self.any_name("an attribute", Place::Other)?;
        Ok(Reference { variable, index, attribute })
    }

    /// An index, from behind `[` to `]`.
    fn index(&mut self, variable: &Name, start: usize) -> Result<Index, Error> {
        let index = if matches!(self.peek(), Token::Word(_) | Token::Ticked(_))
            && self.is_sign_at(1, ".")
            && self.is_word_at(2, "len")
        {
            let span = self.span();
            let list = self.any_name("a variable", Place::Index)?;
            if list != *variable {
                return Err(self.foreign_length(span, variable));
            }
            self.advance();
            self.advance();
            Index::Last
        } else if self.peek() == Token::Int(1) {
            self.advance();
            Index::First
        } else if self.eat_word("i") {
            if self.is_sign("-") && self.peek_at(1) == Token::Int(1) {
                self.advance();
                self.advance();
                Index::Previous
            } else {
                Index::Current
            }
        } else if self.is_sign("]") || self.is_sign("..") {
            return Err(self.list_without_function(variable, start));
        } else {
            let expected = format!("`1`, `i`, `i-1` or `{}.LEN`", variable.text);
            let error = self.unexpected(&expected, Place::Index);
            return Err(match self.peek() {
                Token::Int(_) | Token::Float(_) => self.numbered(error, variable),
                _ => error,
            });
        };
        if !self.eat_sign("]") {
            return Err(self.unexpected("`]`", Place::Index));
        }
        Ok(index)
    }

    fn aggregate(&mut self) -> Result<Aggregate, Error> {
        let Some(&(_, function)) = FUNCTIONS.iter().find(|(word, _)| self.is_word(word)) else {
            return Err(self.unknown_function());
        };
        self.advance();
        self.advance();
        let variable = self.name("a variable", Place::Aggregate)?;
        if !self.is_sign("[") {
            return Err(self.unexpected("`[`", Place::Aggregate));
        }
        self.advance();
        let range = if self.eat_sign("..") {
            if !(self.is_word("i") && self.is_sign_at(1, "-") && self.peek_at(2) == Token::Int(1)) {
                return Err(self.unexpected("`i-1`", Place::Range));
            }
            (0..3).for_each(|_| self.advance());
            self.expect_sign("]", Place::Range)?;
            AggregateRange::Before
        } else if self.eat_sign("]") {
            AggregateRange::All
        } else {
            return Err(self.unexpected("`]` or `..i-1`", Place::Range));
        };
        let attribute = match self.eat_sign(".") {
            true => Some(self.any_name("an attribute", Place::Other)?),
            false if function == Function::Count => None,
            false => return Err(self.unexpected("`.`", Place::Aggregate)),
        };
        if !self.eat_sign(")") {
            let expected = if attribute.is_some() { "`)`" } else { "`.` or `)`" };
            return Err(self.unexpected(expected, Place::Aggregate));
        }
        Ok(Aggregate { function, variable, range, attribute })
    }

    // Trees.

    /// A node over parts of the given heights.
    fn node(&mut self, start: usize, parts: &[usize], kind: ExprKind) -> Result<Tall, Error> {
        self.count_term()?;
        let span = self.since(start);
        let height = 1 + parts.iter().max().copied().unwrap_or(0);
        if height > Query::MAX_NESTING {
            return Err(self.too_deep(span.range()));
        }
        Ok(Tall { expr: Expr { kind, span }, height })
    }

    /// Joins parts by `and` or `or`; those that are joined by the same word are taken apart.
    fn join(&mut self, mut parts: Vec<Tall>, any: bool) -> Result<Tall, Error> {
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        let start = parts[0].expr.span.start;
        let end = parts[parts.len() - 1].expr.span.end;
        let heights: Vec<usize> = parts.iter().map(|part| part.height).collect();
        let mut flat = vec![];
        for Tall { expr, .. } in parts {
            match (expr.kind, any) {
                (ExprKind::Any(inner), true) | (ExprKind::All(inner), false) => flat.extend(inner),
                (kind, _) => flat.push(Expr { kind, span: expr.span }),
            }
        }
        let kind = if any { ExprKind::Any(flat) } else { ExprKind::All(flat) };
        let mut tall = self.node(start, &heights, kind)?;
        tall.expr.span = Span { start, end };
        Ok(tall)
    }

    fn huge_number(&self, span: Span) -> Error {
        let whole = self.text[span.range()].bytes().all(|b| !matches!(b, b'.' | b'e' | b'E'));
        fault(span.range(), "a number that is too large").with_hint(match whole {
            true => "whole numbers reach from -9223372036854775808 to 9223372036854775807",
            false => "numbers reach to about 1.8e308",
        })
    }
}

/// The conjuncts of a condition.
fn flatten(expr: Expr, predicates: &mut Vec<Predicate>) {
    match expr.kind {
        ExprKind::All(parts) => predicates.extend(parts.into_iter().map(Predicate::Condition)),
        kind => predicates.push(Predicate::Condition(Expr { kind, span: expr.span })),
    }
}
