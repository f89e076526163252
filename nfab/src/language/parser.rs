//! Recursive descent: the clauses and the pattern. Expressions are in `expr_parser`.

use super::Query;
use super::ast::{
    EventItem, Gap, Group, GroupKind, Item, Name, Quantifier, ReturnItem, ReturnValue, Skip,
    Strategy, Unit, Window, Within,
};
use super::cursor::Parser;
use super::fault::{Place, fault};
use super::lexer::Token;
use crate::Error;

/// Parses a query without checking it.
pub(super) fn parse(text: &str) -> Result<Query, Error> {
    Parser::new(text).query()
}

const STRATEGIES: [(&str, Strategy); 4] = [
    ("strict_contiguity", Strategy::StrictContiguity),
    ("partition_contiguity", Strategy::PartitionContiguity),
    ("skip_till_next_match", Strategy::SkipTillNextMatch),
    ("skip_till_any_match", Strategy::SkipTillAnyMatch),
];

const UNITS: [(&str, Unit); 14] = [
    ("ms", Unit::Millisecond),
    ("s", Unit::Second),
    ("second", Unit::Second),
    ("seconds", Unit::Second),
    ("m", Unit::Minute),
    ("min", Unit::Minute),
    ("minute", Unit::Minute),
    ("minutes", Unit::Minute),
    ("h", Unit::Hour),
    ("hour", Unit::Hour),
    ("hours", Unit::Hour),
    ("d", Unit::Day),
    ("day", Unit::Day),
    ("days", Unit::Day),
];

const GAPS: [(&str, Gap); 4] = [
    (",", Gap::Strategy),
    ("->", Gap::Next),
    ("->>", Gap::FollowedBy),
    ("->>>", Gap::FollowedByAny),
];

impl Parser<'_> {
    fn query(&mut self) -> Result<Query, Error> {
        let from = match self.eat_word("from") {
            true => Some(self.name("the name of a stream", Place::Other)?),
            false => None,
        };
        if !self.eat_word("pattern") {
            let expected = if from.is_some() { "`PATTERN`" } else { "`FROM` or `PATTERN`" };
            return Err(self.unexpected(expected, Place::Start));
        }
        if !(self.is_word("seq") && self.is_sign_at(1, "(")) {
            return Err(self.unexpected("`SEQ(`", Place::Pattern));
        }
        let pattern = self.group(GroupKind::Seq)?;
        let mut query = Query {
            from,
            pattern,
            strategy: None,
            predicates: vec![],
            within: None,
            skip: None,
            returns: vec![],
        };
        let mut reached = 0;
        let mut place = Place::AfterPattern;
        if self.is_word("where") || self.is_sign("{") {
            let braces = self.selection(&mut query)?;
            (reached, place) = if braces { (2, Place::Clause) } else { (1, Place::AfterStrategy) };
        }
        if self.eat_word("within") {
            query.within = Some(self.within()?);
            (reached, place) = (3, Place::Clause);
        }
        if self.eat_word("after") {
            self.expect_word("MATCH", Place::Other)?;
            query.skip = Some(self.skip()?);
            (reached, place) = (4, Place::Clause);
        }
        if self.eat_word("return") {
            query.returns = self.returns()?;
            (reached, place) = (5, Place::Clause);
        }
        match self.peek() {
            Token::End => Ok(query),
            _ => Err(self.unexpected(CLAUSES[reached], place)),
        }
    }

    // The pattern.

    /// A group, from its keyword to its closing parenthesis.
    fn group(&mut self, kind: GroupKind) -> Result<Group, Error> {
        let start = self.start();
        self.advance();
        self.enter()?;
        self.advance();
        let (mut items, mut gaps) = (vec![], vec![]);
        loop {
            self.count_item()?;
            items.push(self.item()?);
            if self.eat_sign(")") {
                break;
            }
            match GAPS.iter().find(|(sign, _)| self.is_sign(sign)) {
                Some(&(_, gap)) if kind == GroupKind::Seq || gap == Gap::Strategy => gaps.push(gap),
                _ if kind == GroupKind::Seq => {
                    return Err(self.unexpected("`,`, `->`, `->>`, `->>>` or `)`", Place::Items));
                }
                _ => return Err(self.unexpected("`,` or `)`", Place::Alternatives)),
            }
            self.advance();
        }
        self.leave();
        let quantifier = Quantifier::One;
        Ok(Group { kind, items, gaps, quantifier, span: self.since(start) })
    }

    fn item(&mut self) -> Result<Item, Error> {
        let start = self.start();
        let negated = self.eat_sign("~") || self.eat_sign("!");
        let kinds = [("seq", GroupKind::Seq), ("or", GroupKind::Or), ("and", GroupKind::And)];
        let kind = kinds.iter().find(|(word, _)| self.is_word(word) && self.is_sign_at(1, "("));
        let Some(&(_, kind)) = kind else { return self.event(negated, start).map(Item::Event) };
        if negated {
            return Err(self.negated_group(start));
        }
        let mut group = self.group(kind)?;
        if self.is_quantifier() && kind != GroupKind::Seq {
            return Err(self.repeated_choice(group.span));
        }
        group.quantifier = self.quantifier()?;
        group.span = self.since(start);
        Ok(Item::Group(group))
    }

    fn event(&mut self, negated: bool, start: usize) -> Result<EventItem, Error> {
        let expected = match negated {
            true => "an event type",
            false => "an event type, `~`, `SEQ(`, `OR(` or `AND(`",
        };
        let event_type = self.name(expected, Place::Item)?;
        let quantified = self.start();
        let quantifier = self.quantifier()?;
        if negated && quantifier != Quantifier::One {
            return Err(self.negated_quantifier(self.since(quantified)));
        }
        if !self.is_name() {
            return Err(self.no_variable(&event_type, quantifier));
        }
        let variable = self.name("a variable", Place::Other)?;
        if quantifier.repeats() {
            if !(self.is_sign("[") && self.is_sign_at(1, "]")) {
                return Err(self.unexpected("`[]`", Place::List));
            }
            self.advance();
            self.advance();
        } else if self.is_sign("[") || self.is_quantifier() {
            return Err(self.misplaced_list(&event_type, &variable));
        }
        Ok(EventItem { negated, event_type, quantifier, variable, span: self.since(start) })
    }

    pub(super) fn is_quantifier(&self) -> bool {
        ["?", "*", "+", "{"].iter().any(|sign| self.is_sign(sign))
    }

    fn quantifier(&mut self) -> Result<Quantifier, Error> {
        let start = self.start();
        if self.eat_sign("?") {
            return Ok(Quantifier::Optional);
        } else if self.eat_sign("*") {
            return Ok(Quantifier::Repeat { min: 0, max: None });
        } else if self.eat_sign("+") {
            return Ok(Quantifier::Repeat { min: 1, max: None });
        } else if !self.eat_sign("{") {
            return Ok(Quantifier::One);
        }
        let min = self.repetitions("a whole number")?;
        let max = if !self.eat_sign(",") {
            Some(min)
        } else if self.is_sign("}") {
            None
        } else {
            Some(self.repetitions("a whole number or `}`")?)
        };
        if !self.eat_sign("}") {
            let expected =
                if self.before() == Some(Token::Sign(",")) { "`}`" } else { "`,` or `}`" };
            return Err(self.unexpected(expected, Place::Bounds));
        }
        let quantifier = Quantifier::Repeat { min, max };
        super::check::bounds(quantifier, self.since(start))?;
        Ok(quantifier)
    }

    fn repetitions(&mut self, expected: &str) -> Result<u32, Error> {
        let n = match self.peek() {
            Token::Int(n) => u32::try_from(n).unwrap_or(u32::MAX),
            _ => return Err(self.unexpected(expected, Place::Bounds)),
        };
        if n > Query::MAX_REPETITIONS {
            return Err(super::check::too_many_repetitions(self.span()));
        }
        self.advance();
        Ok(n)
    }

    // The clauses.

    /// Strategy and predicates; whether there are any of the latter.
    fn selection(&mut self, query: &mut Query) -> Result<bool, Error> {
        if self.eat_word("where") && !self.is_sign("{") {
            let strategy = STRATEGIES.iter().find(|(word, _)| self.is_word(word));
            let Some(&(_, strategy)) = strategy else {
                return Err(self.unexpected("a strategy or `{`", Place::Strategy));
            };
            query.strategy = Some(strategy);
            self.advance();
            if self.is_sign("(") {
                self.strategy_variables(query)?;
            }
        }
        let braces = self.eat_sign("{");
        if braces {
            query.predicates = self.predicates()?;
        }
        Ok(braces)
    }

    /// The variables behind a strategy, which have to be all that are not negated.
    fn strategy_variables(&mut self, query: &Query) -> Result<(), Error> {
        let start = self.start();
        self.advance();
        let mut named = vec![];
        loop {
            let name = self.name("a variable", Place::Other)?;
            if self.eat_sign("[") {
                self.expect_sign("]", Place::Other)?;
            }
            named.push(name.text);
            if self.eat_sign(")") {
                break;
            } else if !self.eat_sign(",") {
                return Err(self.unexpected("`,` or `)`", Place::Other));
            }
        }
        let variables = query.variables();
        let mut all: Vec<&str> =
            variables.iter().filter(|v| !v.item.negated).map(|v| &*v.item.variable.text).collect();
        let mut named: Vec<&str> = named.iter().map(|name| &**name).collect();
        all.sort_unstable();
        named.sort_unstable();
        if all == named {
            return Ok(());
        }
        let message = "a strategy names each variable that is not negated once, or none";
        Err(fault(self.since(start).range(), message)
            .with_hint("it holds for the whole query; write `->`, `->>` or `->>>` for one gap"))
    }

    fn within(&mut self) -> Result<Within, Error> {
        let start = self.start();
        let Token::Int(amount) = self.peek() else {
            return Err(self.unexpected("a whole number", Place::Amount));
        };
        self.advance();
        let window = if self.is_word("event") || self.is_word("events") {
            Window::Events(amount)
        } else if let Some(&(_, unit)) = UNITS.iter().find(|(word, _)| self.is_word(word)) {
            Window::Time { amount, unit }
        } else {
            let expected = "`ms`, `s`, `min`, `hours`, `days` or `EVENTS`";
            return Err(self.unexpected(expected, Place::Unit));
        };
        self.advance();
        Ok(Within { window, span: self.since(start) })
    }

    fn skip(&mut self) -> Result<Skip, Error> {
        if self.eat_word("no") {
            self.expect_word("SKIP", Place::Other)?;
            return Ok(Skip::NoSkip);
        }
        if !self.eat_word("skip") {
            return Err(self.unexpected("`NO SKIP` or `SKIP`", Place::Skip));
        }
        if self.eat_word("past") {
            self.expect_word("LAST", Place::Other)?;
            self.eat_word("event");
            return Ok(Skip::PastLast);
        }
        if !self.eat_word("to") {
            return Err(self.unexpected("`TO` or `PAST`", Place::Other));
        }
        if self.eat_word("next") {
            self.eat_word("event");
            Ok(Skip::ToNext)
        } else if self.eat_word("first") {
            Ok(Skip::ToFirst(self.skip_target()?))
        } else if self.eat_word("last") {
            Ok(Skip::ToLast(self.skip_target()?))
        } else {
            Err(self.unexpected("`NEXT`, `FIRST` or `LAST`", Place::Other))
        }
    }

    fn skip_target(&mut self) -> Result<Name, Error> {
        let bracket = self.eat_sign("(");
        let name = self.name("a variable", Place::Other)?;
        if self.eat_sign("[") {
            self.expect_sign("]", Place::Other)?;
        }
        if bracket {
            self.expect_sign(")", Place::Other)?;
        }
        Ok(name)
    }

    fn returns(&mut self) -> Result<Vec<ReturnItem>, Error> {
        let mut items = vec![];
        loop {
            self.count_term()?;
            let start = self.start();
            let value = self.return_value()?;
            let label = match self.eat_word("as") {
                true => Some(self.any_name("a label", Place::Other)?),
                false => None,
            };
            items.push(ReturnItem { value, label, span: self.since(start) });
            if !self.eat_sign(",") {
                return Ok(items);
            }
        }
    }

    fn return_value(&mut self) -> Result<ReturnValue, Error> {
        let list = self.is_sign_at(1, "[") && self.is_sign_at(2, "]");
        let behind = if list { 3 } else { 1 };
        let ends = self.peek_at(behind) == Token::End
            || self.is_sign_at(behind, ",")
            || self.is_word_at(behind, "as");
        if !(self.is_name() && ends) {
            return Ok(ReturnValue::Value(self.expression()?));
        }
        let variable = self.name("a variable", Place::Other)?;
        if list {
            self.advance();
            self.advance();
        }
        Ok(ReturnValue::Events(variable))
    }
}

/// What can follow when so many clauses are done.
const CLAUSES: [&str; 6] = [
    "`WHERE`, `{`, `WITHIN`, `AFTER MATCH`, `RETURN` or the end",
    "`{`, `WITHIN`, `AFTER MATCH`, `RETURN` or the end",
    "`WITHIN`, `AFTER MATCH`, `RETURN` or the end",
    "`AFTER MATCH`, `RETURN` or the end",
    "`RETURN` or the end",
    "an operator, `AS`, `,` or the end",
];
