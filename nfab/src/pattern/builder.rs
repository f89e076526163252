//! Building a pattern in a program, in the shape of Flink CEP's API.

use super::{
    AfterMatch, Body, Connector, Element, Inner, Occurs, Pattern, Quantifier, Semantics, SkipTarget,
};
use crate::error::{Error, ErrorKind};
use crate::predicate::Expr;

/// A pattern under construction. Conditions and quantifiers apply to the element added last. The
/// first mistake is kept and returned by [`build`](PatternBuilder::build).
///
/// ```
/// use nfab::{Expr, Pattern};
///
/// let pattern = Pattern::begin("failed")
///     .where_(Expr::type_is("failure"))
///     .times_or_more(3)
///     .followed_by("entered")
///     .where_(Expr::type_is("success"))
///     .within(60_000)
///     .build()?;
/// assert_eq!(pattern.stages(), ["failed", "entered"]);
/// # Ok::<(), nfab::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct PatternBuilder {
    pattern: Pattern,
    mistake: Option<Error>,
}

impl PatternBuilder {
    pub(super) fn start(body: Body) -> Self {
        PatternBuilder { pattern: Pattern::default(), mistake: None }.add(Connector::Begin, body)
    }

    pub(super) fn start_group(group: PatternBuilder) -> Self {
        PatternBuilder { pattern: Pattern::default(), mistake: None }
            .add_group(Connector::Begin, group)
    }

    fn add(mut self, connector: Connector, body: Body) -> Self {
        let quantifier = Quantifier::default();
        self.pattern.elements.push(Element { connector, body, quantifier, gap: None });
        self
    }

    fn stage(self, connector: Connector, name: impl Into<String>) -> Self {
        self.add(connector, Body::Stage { name: name.into(), condition: None })
    }

    fn add_group(mut self, connector: Connector, group: PatternBuilder) -> Self {
        if let Some(mistake) = group.mistake {
            self.note(mistake);
        }
        let inner = group.pattern;
        if inner.within.is_some() {
            self.refuse("a group has no window of its own", "set it on the whole pattern");
        }
        if inner.after_match != AfterMatch::NoSkip {
            self.refuse(
                "a group has no after-match skip of its own",
                "set it on the whole pattern",
            );
        }
        self.add(connector, Body::Group(inner.elements))
    }

    fn note(&mut self, mistake: Error) {
        self.mistake.get_or_insert(mistake);
    }

    fn refuse(&mut self, message: &str, hint: &str) {
        let mut mistake = Error::new(ErrorKind::Pattern, message).with_hint(hint);
        if let Some(name) = self.pattern.elements.last().and_then(Element::name) {
            mistake = mistake.in_stage(name);
        }
        self.note(mistake);
    }

    fn last(&mut self) -> &mut Element {
        self.pattern.elements.last_mut().expect("a pattern starts with an element")
    }

    /// Matches the events of each key on its own, as if there were no others. An event of which an
    /// attribute of the key is missing or NaN is in no partition. Equal numbers are equal keys,
    /// whatever their type.
    pub fn partition_by<N: Into<String>>(
        mut self,
        attributes: impl IntoIterator<Item = N>,
    ) -> Self {
        self.pattern.partition_by = attributes.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a stage that takes only the very next event.
    pub fn next(self, name: impl Into<String>) -> Self {
        self.stage(Connector::Next, name)
    }

    /// Adds a stage that takes the first later event that satisfies its condition.
    pub fn followed_by(self, name: impl Into<String>) -> Self {
        self.stage(Connector::FollowedBy, name)
    }

    /// Adds a stage that takes, each in a match of its own, every later event that satisfies its
    /// condition.
    pub fn followed_by_any(self, name: impl Into<String>) -> Self {
        self.stage(Connector::FollowedByAny, name)
    }

    /// Adds a condition that the very next event must not satisfy. At the end of a pattern the
    /// match is reported with that event; the end of the stream alone reports nothing.
    pub fn not_next(self, name: impl Into<String>) -> Self {
        self.stage(Connector::NotNext, name)
    }

    /// Adds a condition that no event before the next stage may satisfy. An event that satisfies
    /// both it and the last stage completes the match. At the end of a pattern it needs a window;
    /// the match is reported when the window has passed. After a loop, a trailing one is entered
    /// only with a further event inside the window.
    pub fn not_followed_by(self, name: impl Into<String>) -> Self {
        self.stage(Connector::NotFollowedBy, name)
    }

    /// As [`next`](Self::next), for a group.
    pub fn next_group(self, group: PatternBuilder) -> Self {
        self.add_group(Connector::Next, group)
    }

    /// As [`followed_by`](Self::followed_by), for a group.
    pub fn followed_by_group(self, group: PatternBuilder) -> Self {
        self.add_group(Connector::FollowedBy, group)
    }

    /// As [`followed_by_any`](Self::followed_by_any), for a group.
    pub fn followed_by_any_group(self, group: PatternBuilder) -> Self {
        self.add_group(Connector::FollowedByAny, group)
    }

    fn condition(mut self, join: impl FnOnce(Expr, Expr) -> Expr, new: Expr) -> Self {
        match &mut self.last().body {
            Body::Stage { condition, .. } => {
                *condition = Some(match condition.take() {
                    Some(old) => join(old, new),
                    None => new,
                });
            }
            Body::Group(_) => self
                .refuse("a group has no condition of its own", "put the condition on its stages"),
        }
        self
    }

    /// The condition of the stage; further calls add to it with *and*. Without any the stage
    /// accepts every event.
    pub fn where_(self, condition: Expr) -> Self {
        self.condition(Expr::and, condition)
    }

    /// Joins a condition to the one so far with *or*.
    pub fn or_where(self, condition: Expr) -> Self {
        self.condition(|old, new| Expr::Or(vec![old, new]), condition)
    }

    fn occurs(mut self, occurs: Occurs) -> Self {
        if self.last().quantifier.occurs != Occurs::Once {
            self.refuse("the element already has a quantifier", "give it only one");
        }
        self.last().quantifier.occurs = occurs;
        self
    }

    /// The element occurs once or more.
    pub fn one_or_more(self) -> Self {
        self.occurs(Occurs::AtLeast(1))
    }

    /// The element occurs exactly so often.
    pub fn times(self, times: u32) -> Self {
        self.occurs(Occurs::Times(times, times))
    }

    /// The element occurs between so many times and so many; from 0 makes it optional.
    pub fn times_between(self, from: u32, to: u32) -> Self {
        if from == 0 {
            return self.occurs(Occurs::Times(1, to)).make_optional();
        }
        self.occurs(Occurs::Times(from, to))
    }

    /// The element occurs so often or more.
    pub fn times_or_more(self, times: u32) -> Self {
        self.occurs(Occurs::AtLeast(times))
    }

    fn make_optional(mut self) -> Self {
        if self.last().quantifier.optional {
            self.refuse("the element is optional already", "say so once; from 0 times says it too");
        }
        self.last().quantifier.optional = true;
        self
    }

    /// The element may be left out. It must not follow a greedy one.
    pub fn optional(mut self) -> Self {
        let count = self.pattern.elements.len();
        if count > 1 && self.pattern.elements[count - 2].quantifier.greedy {
            self.refuse("an optional element follows a greedy one", "drop greedy or optional");
        }
        self.make_optional()
    }

    /// A loop prefers a further repetition: an event that could be either a repetition or the
    /// next stage is a repetition only. At the end of a pattern every prefix is still reported.
    pub fn greedy(mut self) -> Self {
        self.last().quantifier.greedy = true;
        self
    }

    fn inner(mut self, inner: Inner) -> Self {
        if self.last().quantifier.inner != Inner::Relaxed {
            self.refuse(
                "the contiguity inside the loop is set already",
                "choose one of consecutive and allow_combinations",
            );
        }
        self.last().quantifier.inner = inner;
        self
    }

    /// The repetitions follow each other without any event in between.
    pub fn consecutive(self) -> Self {
        self.inner(Inner::Consecutive)
    }

    /// A repetition may be any later event, not only the first that satisfies the condition.
    pub fn allow_combinations(self) -> Self {
        self.inner(Inner::Combinations)
    }

    /// The loop ends with an event that satisfies the condition; the event is not part of it. A
    /// loop without an event yet is not ended, but does not take that event either.
    pub fn until(mut self, condition: Expr) -> Self {
        if self.last().quantifier.until.is_some() {
            self.refuse("the loop has an until already", "join the two conditions with or");
        }
        self.last().quantifier.until = Some(condition);
        self
    }

    /// The last event of a match is *less than* this time after the first one.
    pub fn within(mut self, time: i64) -> Self {
        self.pattern.within = Some(time);
        self
    }

    /// Each event of the stage is *less than* this time after the event before. For a
    /// `not_followed_by` that ends the pattern: how long it must not occur.
    pub fn within_gap(mut self, time: i64) -> Self {
        if matches!(self.last().body, Body::Group(_)) {
            self.refuse("a group has no window to the event before", "set it on its stages");
        }
        self.last().gap = Some(time);
        self
    }

    /// Where matching goes on after a match.
    pub fn after_match(mut self, skip: AfterMatch) -> Self {
        self.pattern.after_match = skip;
        self
    }

    /// After a match, drop what starts with the same event.
    pub fn skip_to_next(self) -> Self {
        self.after_match(AfterMatch::SkipToNext)
    }

    /// After a match, drop what starts before it ends.
    pub fn skip_past_last(self) -> Self {
        self.after_match(AfterMatch::SkipPastLast)
    }

    /// After a match, drop what starts before the first event of a stage.
    pub fn skip_to_first(self, stage: impl Into<String>) -> Self {
        let target = SkipTarget { stage: stage.into(), must_exist: false };
        self.after_match(AfterMatch::SkipToFirst(target))
    }

    /// After a match, drop what starts before the last event of a stage.
    pub fn skip_to_last(self, stage: impl Into<String>) -> Self {
        let target = SkipTarget { stage: stage.into(), must_exist: false };
        self.after_match(AfterMatch::SkipToLast(target))
    }

    /// The pattern.
    ///
    /// # Errors
    ///
    /// The first mistake made in building it, or what [`Pattern::check`] finds.
    pub fn build(mut self) -> Result<Pattern, Error> {
        if let Some(mistake) = self.mistake {
            return Err(mistake);
        }
        self.pattern.semantics = Semantics::Flink;
        self.pattern.check()?;
        Ok(self.pattern)
    }
}
