//! Wording of syntax errors: what was expected, what was found, and what to write instead.

use std::ops::Range;

use super::ast::{Name, Quantifier, Span};
use super::cursor::Parser;
use super::lexer::{Token, is_reserved};
use crate::{Error, ErrorKind};

/// An error in the query at the given bytes.
pub(super) fn fault(span: Range<usize>, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Query, message).with_span(span)
}

/// Where the parser stands; it decides which hint fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Before `PATTERN`.
    Start,
    /// Behind `PATTERN`.
    Pattern,
    /// At an item of a pattern.
    Item,
    /// Behind an item of a `SEQ`.
    Items,
    /// Behind an item of an `OR` or `AND`.
    Alternatives,
    /// At the `[]` of a repeated event.
    List,
    /// Inside the braces of a repetition.
    Bounds,
    /// Behind the pattern.
    AfterPattern,
    /// Behind `WHERE`.
    Strategy,
    /// Behind a strategy.
    AfterStrategy,
    /// Behind another clause.
    Clause,
    /// Behind a predicate.
    Predicates,
    /// Inside an equivalence.
    Equivalence,
    /// At a term.
    Term,
    /// Behind a variable in an expression.
    AfterVariable,
    /// Inside the brackets of a reference.
    Index,
    /// Inside the parentheses of an aggregate.
    Aggregate,
    /// Inside the brackets of an aggregate.
    Range,
    /// At the `and` of `between`.
    Between,
    /// Behind `is`.
    IsNull,
    /// Behind `in`.
    InList,
    /// Behind `WITHIN`.
    Amount,
    /// Behind the number of `WITHIN`.
    Unit,
    /// Behind `AFTER MATCH`.
    Skip,
    /// Elsewhere.
    Other,
}

impl Parser<'_> {
    /// The error that the next token does not fit here.
    pub(super) fn unexpected(&self, expected: &str, place: Place) -> Error {
        let found = self.peek();
        let span = self.span();
        if place == Place::Start
            && found == Token::End
            && span.start == self.text.len()
            && self.before().is_none()
        {
            return fault(span, "the query is empty").with_hint("write `PATTERN SEQ(A a, B b)`");
        }
        if matches!(place, Place::Term | Place::Predicates)
            && let Some(comment) = self.doubled_minus()
        {
            let message = format!("expected {expected}, found a comment");
            return fault(comment..comment + 2, message)
                .with_hint("`--` begins a comment up to the end of the line; two signs are `- -`");
        }
        let error = fault(span, format!("expected {expected}, found {}", found.describe()));
        match self.hint(found, place) {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }

    fn hint(&self, found: Token<'_>, place: Place) -> Option<String> {
        let word = match found {
            Token::Word(word) => word.to_lowercase(),
            _ => String::new(),
        };
        let fixed = match (place, found) {
            (_, Token::UnclosedText) => "close the string with the quote that opened it",
            (_, Token::UnclosedName) => "close the name with a backquote",
            (_, Token::Unknown(';')) => "a query ends without a sign: leave it out",
            (_, Token::Unknown(c)) => match replacement(c) {
                Some(ascii) => return Some(format!("write `{ascii}`")),
                None => return None,
            },
            (Place::Start, _) if word == "seq" => "write `PATTERN` before it",
            (Place::Start, _) if word == "select" => {
                "a query begins with `PATTERN SEQ(...)`; what to return comes last"
            }
            (Place::Pattern, Token::Word(_)) if word == "or" || word == "and" => {
                return Some(format!("write `SEQ({}(...))`", word.to_uppercase()));
            }
            (Place::Pattern, Token::Word(_)) => "write `PATTERN SEQ(Type variable)`",
            (Place::Item, Token::Sign("~" | "!")) => "an event is negated once",
            (Place::Item, Token::Sign(")")) => "an item is missing",
            (Place::Item, Token::Word(_)) if word == "not" => "a negation is written `~`",
            (Place::Items, Token::Sign(".")) => {
                "items are separated by `,`, alternatives written `OR(A a, B b)`"
            }
            (Place::Items | Place::Alternatives, Token::Word(_))
                if word == "or" || word == "and" =>
            {
                return Some(format!("write `{}(A a, B b)`", word.to_uppercase()));
            }
            (Place::Alternatives, Token::Sign("->" | "->>" | "->>>")) => {
                "put what follows each other into a `SEQ(...)` of its own"
            }
            (Place::List, _) => "a repeated event is a list: write `A+ a[]`",
            (Place::Bounds, Token::Sign(",")) => "write `{0,n}` for at most n times",
            (Place::Bounds, _) => "a repetition is `{n}`, `{n,}` or `{n,m}`",
            (Place::AfterPattern, Token::Sign("?" | "*" | "+")) => {
                "the whole pattern is matched again and again anyway; nest a `SEQ` to repeat it"
            }
            (Place::Strategy, Token::Word(_)) if word.contains('_') => STRATEGIES,
            (Place::Strategy, Token::End) => STRATEGIES,
            (Place::Strategy, _) => "predicates stand in braces: `WHERE { a.x > 1 }`",
            (Place::AfterStrategy, Token::Word(_)) if word == "and" => {
                "predicates stand in braces behind the strategy"
            }
            (Place::AfterPattern | Place::AfterStrategy | Place::Clause, Token::Word(_))
                if CLAUSES.contains(&word.as_str()) =>
            {
                "each clause comes once, in the order `FROM`, `PATTERN`, `WHERE`, `WITHIN`, \
                 `AFTER MATCH`, `RETURN`"
            }
            (Place::Predicates, Token::Sign(",")) => "predicates are joined by `AND`",
            (Place::Predicates, Token::End) => "the `{` of the predicates is not closed",

            (Place::Predicates, Token::Sign("[")) => "an equivalence is joined by `AND`",
            (Place::Equivalence, Token::Sign(".")) => {
                "an equivalence names attributes without variables, as in `[symbol]`"
            }
            (Place::Equivalence, Token::Sign("]")) => "leave the empty brackets out",
            (Place::Term, Token::End) if matches!(self.before(), Some(Token::Word(w)) if w.eq_ignore_ascii_case("return")) => {
                "leave `RETURN` out for all events of the match"
            }
            (Place::Term, Token::Sign("[")) => {
                "an equivalence `[attr]` stands for itself between `AND`s"
            }
            (Place::Term, Token::Sign("}")) if self.before() == Some(Token::Sign("{")) => {
                "leave the empty braces out"
            }
            (Place::Term, Token::Sign("*" | "/")) if self.before() == Some(Token::Sign("%")) => {
                "`%` is the remainder: write 0.8 for 80 %"
            }
            (Place::Term, Token::Sign(".")) => "a number begins with a digit: write 0.5",
            (Place::Term, Token::Sign("=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">=")) => {
                "the comparisons are `=`, `!=`, `<`, `<=`, `>` and `>=`"
            }
            (Place::Term, Token::Word(_)) if word == "null" => "write `is null` or `is not null`",
            (Place::AfterVariable, _) => return self.bare_name(),
            (Place::Index, Token::Sign("-" | "+")) => {
                "there is only `a[i-1]`; an aggregate `max(a[..i-1].x)` looks further back"
            }
            (Place::Index, Token::Word(_)) if word == "len" => "write `a[a.LEN]`",
            (Place::Aggregate, Token::Sign("." | "[")) | (Place::Range, _) => {
                "an aggregate is `avg(a[].x)` or `avg(a[..i-1].x)`"
            }
            (Place::Aggregate, Token::Sign(")")) => {
                "name the attribute, as in `avg(a[].x)`; `count(a[])` goes without"
            }
            (Place::Between, _) => "write `x between low and high`",
            (Place::IsNull, _) => "write `is null` or `is not null`; a value is compared with `=`",
            (Place::InList, _) => "write the values in parentheses: `x in (1, 2)`",
            (Place::Amount, Token::Float(_)) => "use a smaller unit",
            (Place::Amount, Token::Sign("-")) => "a window reaches from the first event on",
            (Place::Unit, Token::End) => "a bare number says neither how long nor how many",
            (Place::Skip, _) => {
                "write `NO SKIP`, `SKIP TO NEXT`, `SKIP PAST LAST`, `SKIP TO FIRST v` or \
                 `SKIP TO LAST v`"
            }
            (_, Token::Word(_)) if is_reserved(&word) && self.wants_name(place) => {
                return Some(format!("`{word}` is a keyword: as a name it stands in backquotes"));
            }
            _ => return None,
        };
        Some(fixed.into())
    }

    /// Whether a keyword here may have been meant as a name.
    fn wants_name(&self, place: Place) -> bool {
        matches!(place, Place::Item | Place::Aggregate | Place::Other)
            || (place == Place::Term && matches!(self.peek_at(1), Token::Sign("." | "[")))
    }

    /// A variable without attribute, or a string without quotes.
    fn bare_name(&self) -> Option<String> {
        match self.before() {
            Some(Token::Word(name)) => {
                Some(format!("write `{name}.attribute`, or '{name}' for a string"))
            }
            _ => None,
        }
    }

    // Faults with a message of their own.

    pub(super) fn negated_group(&self, start: usize) -> Error {
        fault(start..self.span().end, "a negation of a group")
            .with_hint("negate single events: `~A a`")
    }

    pub(super) fn repeated_choice(&self, group: Span) -> Error {
        let keyword = &self.text[group.start..][..3];
        let keyword = keyword.trim_end_matches('(').trim_end().to_uppercase();
        fault(self.span(), format!("a quantifier on `{keyword}`"))
            .with_hint(format!("put it into a sequence of its own: `SEQ({keyword}(...))+`"))
    }

    pub(super) fn negated_quantifier(&self, span: Span) -> Error {
        fault(span.range(), "a quantifier on a negated event")
            .with_hint("`~A a` says that none occurs; leave the quantifier out")
    }

    /// Behind the type and quantifier of an event, where the variable should be.
    pub(super) fn no_variable(&self, event_type: &Name, quantifier: Quantifier) -> Error {
        let name = &event_type.text;
        let variable: String = name.chars().take(1).flat_map(char::to_lowercase).collect();
        let hint = match self.peek() {
            Token::Sign("[") => format!("write `{name}{{n,m}} {variable}[]` for a repetition"),
            Token::Sign("(") => "groups are `SEQ(...)`, `OR(...)` and `AND(...)`".into(),
            Token::Word(word) if is_reserved(word) => {
                format!("`{word}` is a keyword: as a name it stands in backquotes")
            }
            _ if quantifier.repeats() => {
                format!("give the events a name: `{name}+ {variable}[]`")
            }
            _ => format!("give the event a name: `{name} {variable}`"),
        };
        let expected = match quantifier {
            Quantifier::One => "a variable or a quantifier",
            _ => "a variable",
        };
        let found = self.peek().describe();
        fault(self.span(), format!("expected {expected}, found {found}")).with_hint(hint)
    }

    /// `A a[]` or `A a+`.
    pub(super) fn misplaced_list(&self, event_type: &Name, variable: &Name) -> Error {
        let (name, variable) = (&event_type.text, &variable.text);
        if self.is_sign("[") {
            let message = format!("a list `{variable}[]` of an event that is not repeated");
            return fault(self.span(), message)
                .with_hint(format!("write `{name}+ {variable}[]`, or `{name} {variable}`"));
        }
        let list = if self.is_sign("?") { "?" } else { "+" };
        let brackets = if self.is_sign("?") { "" } else { "[]" };
        fault(self.span(), "a quantifier behind the variable")
            .with_hint(format!("it follows the type: `{name}{list} {variable}{brackets}`"))
    }

    pub(super) fn partial_equivalence(&self, span: Span) -> Error {
        fault(span.range(), "an equivalence as an alternative")
            .with_hint("it holds for all events of a match; put the alternatives in parentheses")
    }

    pub(super) fn chained_comparison(&self) -> Error {
        fault(self.span(), "a comparison of a comparison")
            .with_hint("write `x between low and high`, or join two comparisons by `and`")
    }

    pub(super) fn foreign_length(&self, span: Range<usize>, variable: &Name) -> Error {
        let name = &variable.text;
        fault(span, format!("the length of another variable as an index of `{name}`"))
            .with_hint(format!("write `{name}[{name}.LEN]` for the last event"))
    }

    /// `a[2]`: the error with what there is in its place.
    pub(super) fn numbered(&self, error: Error, variable: &Name) -> Error {
        let name = &variable.text;
        error.with_hint(format!(
            "the events of a list are `{name}[1]`, `{name}[i]`, `{name}[i-1]` and \
             `{name}[{name}.LEN]`; to look at others name them: SEQ(A a, A b, A c)"
        ))
    }

    /// `a[].x` or `a[..i-1].x` where an event is wanted.
    pub(super) fn list_without_function(&self, variable: &Name, start: usize) -> Error {
        let name = &variable.text;
        fault(start..self.span().end, format!("a list of `{name}` in place of a value"))
            .with_hint("put it into an aggregate: avg, min, max, sum, count, first or last")
    }

    pub(super) fn unknown_function(&self) -> Error {
        let name = &self.text[self.span()];
        fault(self.span(), format!("`{name}` is not a function of the language"))
            .with_hint("there are avg, min, max, sum, count, first and last")
    }
}

const STRATEGIES: &str = "the strategies are strict_contiguity, partition_contiguity, \
                          skip_till_next_match and skip_till_any_match";

const CLAUSES: [&str; 6] = ["from", "pattern", "where", "within", "after", "return"];

/// The sign of the language that looks or means much the same.
fn replacement(c: char) -> Option<&'static str> {
    Some(match c {
        '，' | '、' => ",",
        '（' => "(",
        '）' => ")",
        '｛' => "{",
        '｝' => "}",
        '［' => "[",
        '］' => "]",
        '＞' => ">",
        '＜' => "<",
        '＝' => "=",
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "!=",
        '…' => "..",
        '→' => "->",
        '¬' | '～' => "~",
        '“' | '”' | '„' => "\"",
        '‘' | '’' => "'",
        '×' | '·' => "*",
        '−' | '–' => "-",
        '&' => "and",
        '|' => "or",
        _ => return None,
    })
}
