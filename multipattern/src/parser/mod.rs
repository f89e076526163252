//! Reads patterns: a recursive descent over tokens with their places.
//!
//! ```text
//! pattern   := id ":" "SEQ" "(" operand { "," operand } ")" [ "WITHIN" (n "EVENTS" | n unit) ]
//! operand   := type [ label ] [ "[" condition { ("AND" | ",") condition } "]" ]
//! condition := term ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) term
//! term      := attribute | reference "." attribute | number | string | "true" | "false"
//! reference := label | type | "#" position
//! ```

mod lexer;

use std::ops::Range;
use std::sync::Arc;

use lexer::{Spanned, Token, is_id_char, is_reserved, quoted, tokens, unquote};
pub(crate) use lexer::{is_plain_name, quote_name};

use crate::error::{Error, ErrorKind};
use crate::pattern::{
    Condition, Operand, Pattern, Relation, Term, TimeUnit, Window, check_condition, check_window,
};
use crate::value::Value;

/// Reads one pattern.
pub(crate) fn pattern(text: &str) -> Result<Pattern, Error> {
    let mut parser = Parser { tokens: Vec::new(), at: 0, operands: Vec::new() };
    let (id, from) = id(text)?;
    parser.tokens = tokens(text, from);
    parser.pattern(&id).map_err(|error| error.in_pattern(id))
}

/// Reads the patterns of a text, one a line.
pub(crate) fn lines(
    text: &str,
    mut each: impl FnMut(Pattern) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut start = 0;
    // A byte order mark is no part of the first id.
    if text.starts_with('\u{FEFF}') {
        start = '\u{FEFF}'.len_utf8();
    }
    for (number, line) in text[start..].split('\n').enumerate() {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') {
            let before = line.len() - line.trim_start().len();
            pattern(content)
                .and_then(|pattern| {
                    let id = pattern.id().to_owned();
                    each(pattern).map_err(|error| error.in_pattern(id).with_span(0..content.len()))
                })
                .map_err(|error| error.in_line(number + 1, start + before))?;
        }
        start += line.len() + 1;
    }
    Ok(())
}

/// Reads a condition whose attributes all name their operands; gives the operand that it belongs to.
pub(crate) fn condition(text: &str, operands: &[Operand]) -> Result<(usize, Condition), Error> {
    let mut parser = Parser { tokens: tokens(text, 0), at: 0, operands: operands.to_vec() };
    let start = parser.span().start;
    let left = parser.term(operands.len())?;
    let relation = parser.relation()?;
    let right = parser.term(operands.len())?;
    let span = start..parser.before();
    parser.end("the end of the condition")?;
    let later = |term: &Term| match term {
        Term::Of(position, _) => Some(*position),
        Term::Own(_) | Term::Value(_) => None,
    };
    for side in [&left, &right] {
        if let Term::Own(name) = side {
            let message = format!("`{name}` does not say of which operand");
            let hint = format!("write `Type.{name}`, `label.{name}` or `#1.{name}`");
            return Err(Error::new(ErrorKind::Name, message).with_span(span).with_hint(hint));
        }
    }
    let Some(at) = later(&left).max(later(&right)) else {
        return Err(
            Error::new(ErrorKind::Pattern, "a condition without an attribute").with_span(span)
        );
    };
    let own = |term: Term| match term {
        Term::Of(position, name) if position == at => Term::Own(name),
        other => other,
    };
    Ok((at, Condition::new(own(left), relation, own(right))))
}

/// The id at the start of a text, and where what stands behind it begins.
fn id(text: &str) -> Result<(String, usize), Error> {
    let start = text.len() - text.trim_start().len();
    let rest = &text[start..];
    let (id, end) = if rest.starts_with('`') {
        match quoted(rest, '`') {
            Some(inside) => (unquote(inside, '`').into_owned(), start + inside.len() + 2),
            None => {
                return Err(Error::new(ErrorKind::Syntax, "an id without closing backquote")
                    .with_span(start..text.len()));
            }
        }
    } else {
        let length = rest.find(|c| !is_id_char(c)).unwrap_or(rest.len());
        (rest[..length].to_owned(), start + length)
    };
    let behind = end + (text[end..].len() - text[end..].trim_start().len());
    if id.is_empty() || !text[behind..].starts_with(':') {
        let message = if id.is_empty() {
            "expected the id of a pattern"
        } else {
            "expected `:` behind the id"
        };
        let place = if id.is_empty() { start } else { behind };
        let length = text[place..].chars().next().map_or(0, char::len_utf8);
        return Err(Error::new(ErrorKind::Syntax, message)
            .with_span(place..place + length)
            .with_hint("a pattern is written as `id: SEQ(A, B)`"));
    }
    Ok((id, behind + 1))
}

struct Parser<'q> {
    tokens: Vec<Spanned<'q>>,
    at: usize,
    /// Those read so far.
    operands: Vec<Operand>,
}

impl<'q> Parser<'q> {
    fn peek(&self) -> Token<'q> {
        self.tokens[self.at].token
    }

    fn peek_second(&self) -> Token<'q> {
        self.tokens.get(self.at + 1).map_or(Token::End, |spanned| spanned.token)
    }

    fn span(&self) -> Range<usize> {
        self.tokens[self.at].span.clone()
    }

    /// Where the last token that was read ends.
    fn before(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |at| self.tokens[at].span.end)
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(s) if s == sign);
        if found {
            self.advance();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(w) if w.eq_ignore_ascii_case(word));
        if found {
            self.advance();
        }
        found
    }

    fn unexpected(&self, expected: &str) -> Error {
        let message = match self.peek() {
            fault @ (Token::UnclosedText
            | Token::UnclosedName
            | Token::HugeNumber
            | Token::Unknown(_)) => fault.describe(),
            token => format!("expected {expected}, found {}", token.describe()),
        };
        Error::new(ErrorKind::Syntax, message).with_span(self.span())
    }

    fn expect(&mut self, sign: &str) -> Result<(), Error> {
        if self.eat(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn end(&self, expected: &str) -> Result<(), Error> {
        if self.peek() == Token::End { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn is_name(&self) -> bool {
        match self.peek() {
            Token::Word(word) => !is_reserved(word),
            Token::Ticked(_) => true,
            _ => false,
        }
    }

    fn name(&mut self, expected: &str) -> Result<Arc<str>, Error> {
        let name: Arc<str> = match self.peek() {
            Token::Word(word) if !is_reserved(word) => word.into(),
            Token::Word(word) => {
                let hint = format!("a name that is a keyword is written as `` `{word}` ``");
                return Err(self.unexpected(expected).with_hint(hint));
            }
            Token::Ticked("") => {
                let message = "a name without a character";
                return Err(Error::new(ErrorKind::Name, message).with_span(self.span()));
            }
            Token::Ticked(raw) => unquote(raw, '`').into(),
            _ => return Err(self.unexpected(expected)),
        };
        self.advance();
        Ok(name)
    }

    fn pattern(&mut self, id: &str) -> Result<Pattern, Error> {
        let expected = "`SEQ`";
        if !self.eat_word("seq") {
            return Err(self
                .unexpected(expected)
                .with_hint("a pattern is written as `id: SEQ(A, B)`"));
        }
        let start = self.span().start;
        self.expect("(")?;
        if matches!(self.peek(), Token::Sign(")")) {
            return Err(Error::new(ErrorKind::Pattern, "a sequence needs at least one operand")
                .with_span(start..self.span().end)
                .with_hint("write a type of events, as in `SEQ(A)`"));
        }
        loop {
            if self.operands.len() == Pattern::MAX_OPERANDS {
                let message = format!("more than {} operands", Pattern::MAX_OPERANDS);
                return Err(Error::new(ErrorKind::Limit, message).with_span(self.span()));
            }
            self.operand()?;
            if self.eat(")") {
                break;
            }
            if !self.eat(",") {
                return Err(self.unexpected("`,` or `)`"));
            }
        }
        let whole = start..self.before();
        let pattern = Pattern::new(id, std::mem::take(&mut self.operands))
            .map_err(|error| if error.span().is_some() { error } else { error.with_span(whole) })?;
        if !self.eat_word("within") {
            self.end("`WITHIN` or the end of the pattern")?;
            return Ok(pattern);
        }
        let start = self.span().start;
        let window = self.window()?;
        let span = start..self.before();
        self.end("the end of the pattern")?;
        check_window(window).map_err(|error| error.with_span(span.clone()))?;
        pattern.within(window).map_err(|error| error.with_span(span))
    }

    fn window(&mut self) -> Result<Window, Error> {
        let Token::Int(amount) = self.peek() else {
            return Err(self.unexpected("a whole number").with_hint("as in `WITHIN 40 EVENTS`"));
        };
        self.advance();
        let unit = match self.peek() {
            Token::Word(word) => word.to_ascii_lowercase(),
            _ => return Err(self.unexpected("`EVENTS` or a unit of time")),
        };
        let unit = match unit.as_str() {
            "event" | "events" => None,
            "ns" | "nanosecond" | "nanoseconds" => Some(TimeUnit::Nanosecond),
            "us" | "microsecond" | "microseconds" => Some(TimeUnit::Microsecond),
            "ms" | "millisecond" | "milliseconds" => Some(TimeUnit::Millisecond),
            "s" | "sec" | "second" | "seconds" => Some(TimeUnit::Second),
            "min" | "minute" | "minutes" => Some(TimeUnit::Minute),
            "h" | "hour" | "hours" => Some(TimeUnit::Hour),
            "d" | "day" | "days" => Some(TimeUnit::Day),
            _ => {
                return Err(self
                    .unexpected("`EVENTS` or a unit of time")
                    .with_hint("units are ns, us, ms, s, min, h and d"));
            }
        };
        self.advance();
        Ok(unit.map_or(Window::Events(amount), |unit| Window::Time(amount, unit)))
    }

    fn operand(&mut self) -> Result<(), Error> {
        let start = self.span().start;
        let mut operand = Operand::new(&self.name("a type of events")?);
        if self.is_name() {
            operand = operand.labelled(&self.name("a label")?);
        }
        let at = self.operands.len();
        let span = start..self.before();
        self.operands.push(operand);
        for earlier in 0..=at {
            // A label has to be clear before conditions use it.
            let operands = &self.operands[..=at];
            labels(operands, earlier).map_err(|error| error.with_span(span.clone()))?;
        }
        if !self.eat("[") {
            return Ok(());
        }
        loop {
            let start = self.span().start;
            let left = self.term(at)?;
            let relation = self.relation()?;
            let right = self.term(at)?;
            let condition = Condition::new(left, relation, right);
            let span = start..self.before();
            check_condition(at, &condition).map_err(|error| error.with_span(span.clone()))?;
            if self.operands[at].conditions().len() == Pattern::MAX_CONDITIONS {
                let message =
                    format!("more than {} conditions of one operand", Pattern::MAX_CONDITIONS);
                return Err(Error::new(ErrorKind::Limit, message).with_span(span));
            }
            let operand = self.operands[at].clone();
            self.operands[at] = operand.with(condition);
            if self.eat("]") {
                return Ok(());
            }
            if !self.eat_word("and") && !self.eat(",") {
                return Err(self.unexpected("`AND` or `]`"));
            }
        }
    }

    fn relation(&mut self) -> Result<Relation, Error> {
        let relation = match self.peek() {
            Token::Sign("=" | "==") => Relation::Equal,
            Token::Sign("!=" | "<>") => Relation::NotEqual,
            Token::Sign("<") => Relation::Less,
            Token::Sign("<=") => Relation::LessOrEqual,
            Token::Sign(">") => Relation::Greater,
            Token::Sign(">=") => Relation::GreaterOrEqual,
            _ => return Err(self.unexpected("a comparison such as `=` or `<`")),
        };
        self.advance();
        Ok(relation)
    }

    /// A term of a condition of operand `at`; earlier operands can be named.
    fn term(&mut self, at: usize) -> Result<Term, Error> {
        let value = match self.peek() {
            Token::Text(raw, quote) => Some(Value::from(&*unquote(raw, quote))),
            Token::Word(word) if word.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
            Token::Word(word) if word.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
            Token::Sign("-") | Token::Int(_) | Token::Float(_) => return self.number(),
            Token::Sign("#") => return self.position(at),
            _ => None,
        };
        if let Some(value) = value {
            self.advance();
            return Ok(Term::Value(value));
        }
        let span = self.span();
        if !matches!(self.peek_second(), Token::Sign(".")) {
            return Ok(Term::Own(self.name("an attribute or a value")?));
        }
        let reference = self.name("a type or a label")?;
        self.advance();
        let attribute = self.name("an attribute")?;
        let position = self.resolve(at, &reference).map_err(|error| error.with_span(span))?;
        Ok(if position == at { Term::Own(attribute) } else { Term::Of(position, attribute) })
    }

    fn number(&mut self) -> Result<Term, Error> {
        let start = self.span().start;
        let negative = self.eat("-");
        let value = match self.peek() {
            Token::Int(n) => {
                let signed = if negative { -i128::from(n) } else { i128::from(n) };
                match i64::try_from(signed) {
                    Ok(n) => Value::Int(n),
                    Err(_) => {
                        return Err(Error::new(ErrorKind::Syntax, Token::HugeNumber.describe())
                            .with_span(start..self.span().end));
                    }
                }
            }
            Token::Float(x) => Value::Float(if negative { -x } else { x }),
            _ => return Err(self.unexpected("a number")),
        };
        self.advance();
        Ok(Term::Value(value))
    }

    /// `#2.attribute`
    fn position(&mut self, at: usize) -> Result<Term, Error> {
        let start = self.span().start;
        self.advance();
        let Token::Int(number) = self.peek() else {
            return Err(self.unexpected("the number of an operand"));
        };
        self.advance();
        let span = start..self.before();
        self.expect(".")?;
        let attribute = self.name("an attribute")?;
        let position = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let last = at.min(self.operands.len().saturating_sub(1));
        match position {
            Some(position) if position == at => Ok(Term::Own(attribute)),
            Some(position) if position <= last => Ok(Term::Of(position, attribute)),
            _ => Err(Error::new(
                ErrorKind::Name,
                format!("there is no operand {number} before this"),
            )
            .with_span(span)
            .with_hint("operands are numbered from 1")),
        }
    }

    /// The operand that a name means in a condition of operand `at`: a label, else a type that only
    /// one of the operands before has, else the operand itself.
    fn resolve(&self, at: usize, name: &str) -> Result<usize, Error> {
        let labelled = self.operands.iter().position(|operand| operand.label() == Some(name));
        if let Some(position) = labelled {
            return Ok(position);
        }
        let earlier = &self.operands[..at.min(self.operands.len())];
        let of_type = |operand: &&Operand| operand.event_type() == name;
        match earlier.iter().filter(of_type).count() {
            0 => {}
            1 => return Ok(earlier.iter().position(|o| o.event_type() == name).unwrap_or(0)),
            many => {
                let message = format!("{many} operands before have the type `{name}`");
                let hint = format!(
                    "give the operand a name, as in `SEQ({name} first, ..)`, or write `#1`, its number"
                );
                return Err(Error::new(ErrorKind::Name, message).with_hint(hint));
            }
        }
        if self.operands.get(at).is_some_and(|own| own.event_type() == name) {
            return Ok(at);
        }
        let message = format!("no operand before this one is `{name}`");
        Err(Error::new(ErrorKind::Name, message)
            .with_hint("a condition is written at the later of its two operands"))
    }
}

/// The label of an operand means only that operand.
fn labels(operands: &[Operand], at: usize) -> Result<(), Error> {
    let Some(label) = operands[at].label() else { return Ok(()) };
    let clash = |(other, operand): (usize, &Operand)| {
        other != at && (operand.label() == Some(label) || operand.event_type() == label)
    };
    if operands.iter().enumerate().any(clash) {
        let message = format!("`{label}` means two operands");
        return Err(Error::new(ErrorKind::Name, message)
            .with_hint("give each operand a name of its own, which is no type of the others"));
    }
    Ok(())
}
