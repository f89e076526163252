//! Making sets of patterns in a program.

use super::{Condition, Operand, Pattern, PatternSet, Semantics, TimeUnit, Window};
use crate::error::{Error, ErrorKind};
use crate::event::Schema;

/// Makes a [`PatternSet`]; made by [`PatternSet::builder`]. The first error is given by
/// [`build`](Self::build).
#[derive(Debug, Default)]
pub struct PatternSetBuilder {
    set: PatternSet,
    pending: Option<Pattern>,
    error: Option<Error>,
}

/// What [`PatternSetBuilder::where_`] takes: a text such as `B.tag = A.tag`, or the position of an
/// operand, from 0, and its [`Condition`].
pub trait IntoCondition {
    /// The operand that it belongs to, and the condition.
    ///
    /// # Errors
    /// If the text is none or uses other names.
    fn into_condition(self, operands: &[Operand]) -> Result<(usize, Condition), Error>;
}

impl IntoCondition for &str {
    fn into_condition(self, operands: &[Operand]) -> Result<(usize, Condition), Error> {
        crate::parser::condition(self, operands)
    }
}

impl IntoCondition for (usize, Condition) {
    fn into_condition(self, _: &[Operand]) -> Result<(usize, Condition), Error> {
        Ok(self)
    }
}

impl PatternSetBuilder {
    fn attempt(mut self, step: impl FnOnce(&mut Self) -> Result<(), Error>) -> Self {
        if self.error.is_none() {
            self.error = step(&mut self).err();
        }
        self
    }

    fn flush(&mut self) -> Result<(), Error> {
        match self.pending.take() {
            Some(pattern) => self.set.push(pattern).map(drop),
            None => Ok(()),
        }
    }

    fn last(&mut self, call: &str) -> Result<&mut Pattern, Error> {
        self.pending.as_mut().ok_or_else(|| {
            Error::new(ErrorKind::Usage, format!("`{call}` without a pattern before it"))
                .with_hint("begin a pattern with `seq`")
        })
    }

    /// The window of patterns that state none; 40 events by default.
    #[must_use]
    pub fn window(self, window: Window) -> Self {
        self.attempt(|this| this.set.set_window(window))
    }

    /// Which events may lie between those of a match; any by default.
    #[must_use]
    pub fn semantics(mut self, semantics: Semantics) -> Self {
        self.set.set_semantics(semantics);
        self
    }

    /// The unit of the times of events; milliseconds by default.
    #[must_use]
    pub fn time_unit(mut self, unit: TimeUnit) -> Self {
        self.set.set_time_unit(unit);
        self
    }

    /// Numbers of types and attributes that events have already. Comes before the first pattern.
    #[must_use]
    pub fn schema(self, schema: Schema) -> Self {
        self.attempt(|this| {
            if this.pending.is_some() || !this.set.is_empty() {
                return Err(Error::new(ErrorKind::Usage, "`schema` behind a pattern"));
            }
            *this.set.schema_mut() = schema;
            Ok(())
        })
    }

    /// Begins a pattern: types of events, or [`Operand`]s.
    #[must_use]
    pub fn seq(self, id: &str, operands: impl IntoIterator<Item = impl Into<Operand>>) -> Self {
        self.attempt(|this| {
            this.flush()?;
            this.pending = Some(Pattern::new(id, operands)?);
            Ok(())
        })
    }

    /// A condition of the last pattern: a text in which every attribute has the type, the label or
    /// the number (`#1`) of its operand before it, or a position and a [`Condition`].
    #[must_use]
    pub fn where_(self, condition: impl IntoCondition) -> Self {
        self.attempt(|this| {
            let pattern = this.last("where_")?;
            let id = pattern.id().to_owned();
            let add = || {
                let (at, condition) = condition.into_condition(pattern.operands())?;
                let Some(operand) = pattern.operands_mut().get_mut(at) else {
                    let message = format!("a condition of operand {}, which is none", at + 1);
                    return Err(Error::new(ErrorKind::Pattern, message));
                };
                operand.conditions.push(condition);
                pattern.check()
            };
            add().map_err(|error| error.in_pattern(id))
        })
    }

    /// The window of the last pattern.
    #[must_use]
    pub fn within(self, window: Window) -> Self {
        self.attempt(|this| {
            this.last("within")?;
            let pattern = this.pending.take();
            this.pending = pattern.map(|pattern| pattern.within(window)).transpose()?;
            Ok(())
        })
    }

    /// Adds a whole pattern.
    #[must_use]
    pub fn pattern(self, pattern: Pattern) -> Self {
        self.attempt(|this| {
            this.flush()?;
            this.pending = Some(pattern);
            Ok(())
        })
    }

    /// The set.
    ///
    /// # Errors
    /// The first error of the calls before.
    pub fn build(mut self) -> Result<PatternSet, Error> {
        if self.error.is_none() {
            self.error = self.flush().err();
        }
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.set),
        }
    }
}
