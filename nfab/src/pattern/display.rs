//! Patterns as text, for people to read.

use std::fmt;

use super::{AfterMatch, Body, Connector, Element, Inner, Occurs, Pattern, Quantifier};

impl fmt::Display for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Connector::Begin => "begin",
            Connector::Next => "next",
            Connector::FollowedBy => "followed_by",
            Connector::FollowedByAny => "followed_by_any",
            Connector::NotNext => "not_next",
            Connector::NotFollowedBy => "not_followed_by",
        })
    }
}

impl fmt::Display for Quantifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.occurs {
            Occurs::Once => {}
            Occurs::Times(from, to) if from == to => write!(f, " times({from})")?,
            Occurs::Times(from, to) => write!(f, " times({from}, {to})")?,
            Occurs::AtLeast(1) => f.write_str(" one_or_more")?,
            Occurs::AtLeast(n) => write!(f, " times_or_more({n})")?,
        }
        match self.inner {
            Inner::Relaxed => {}
            Inner::Consecutive => f.write_str(" consecutive")?,
            Inner::Combinations => f.write_str(" allow_combinations")?,
        }
        if self.optional {
            f.write_str(" optional")?;
        }
        if self.greedy {
            f.write_str(" greedy")?;
        }
        if let Some(until) = &self.until {
            write!(f, " until({until})")?;
        }
        Ok(())
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.connector)?;
        match &self.body {
            Body::Stage { name, condition: None } => write!(f, " {name}")?,
            Body::Stage { name, condition: Some(c) } => write!(f, " {name} where({c})")?,
            Body::Group(inner) => {
                f.write_str(" (")?;
                sequence(f, inner)?;
                f.write_str(")")?;
            }
        }
        self.quantifier.fmt(f)?;
        match self.gap {
            Some(gap) => write!(f, " within_gap({gap})"),
            None => Ok(()),
        }
    }
}

fn sequence(f: &mut fmt::Formatter<'_>, elements: &[Element]) -> fmt::Result {
    for (i, element) in elements.iter().enumerate() {
        write!(f, "{}{element}", if i > 0 { " " } else { "" })?;
    }
    Ok(())
}

impl fmt::Display for AfterMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, target) = match self {
            AfterMatch::NoSkip => return f.write_str("no_skip"),
            AfterMatch::SkipToNext => return f.write_str("skip_to_next"),
            AfterMatch::SkipPastLast => return f.write_str("skip_past_last"),
            AfterMatch::SkipToFirst(target) => ("skip_to_first", target),
            AfterMatch::SkipToLast(target) => ("skip_to_last", target),
        };
        write!(f, "{name}({}{})", target.stage, if target.must_exist { "!" } else { "" })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        sequence(f, &self.elements)?;
        if let Some(window) = self.within {
            write!(f, " within({window})")?;
        }
        if self.after_match != AfterMatch::NoSkip {
            write!(f, " {}", self.after_match)?;
        }
        Ok(())
    }
}
