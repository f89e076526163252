//! The claims of the papers as data, and the rules by which they are judged.
//!
//! The rules were fixed before anything was measured. A verdict follows from the recorded rows alone
//! ([`judge()`]), so it can be checked again from the files; a claim that does not hold is reported.

mod judge;

use std::fmt;

pub use judge::{Point, Side, judge, point, side};

use crate::number::short;
use crate::record::X;

/// Flat: the largest value is at most this many times the smallest.
pub const FLAT: f64 = 1.10;
/// Rises or falls: the ends differ by more than this factor.
pub const ENDS: f64 = 1.10;
/// Slightly ahead: the ratio is at least 1 and at most this.
pub const SLIGHTLY: f64 = 1.25;

/// The series that holds the paired ratios of `a` to `b`.
pub fn ratio(a: &str, b: &str) -> String {
    format!("{a} / {b}")
}

/// Where a claim comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The paper's text says so.
    Paper,
    /// The paper's text leaves it open; this is how we read it.
    OurReading,
    /// Not of the paper: a check of our own.
    OurCheck,
}

impl Origin {
    /// What stands before what a claim expects.
    pub fn label(self) -> &'static str {
        match self {
            Self::Paper => "Paper",
            Self::OurReading | Self::OurCheck => "Expected (ours)",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Paper => "paper",
            Self::OurReading => "our reading",
            Self::OurCheck => "our check",
        })
    }
}

/// Something that is judged: a claim of a paper, our reading of one, or a check of ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The claim in our words.
    pub text: String,
    /// What the paper says, or what we expect.
    pub paper: String,
    /// Whose claim it is.
    pub origin: Origin,
    /// When it holds.
    pub rule: Rule,
}

impl Claim {
    /// A claim of the paper.
    pub fn new(text: impl Into<String>, paper: impl Into<String>, rule: Rule) -> Self {
        Self { text: text.into(), paper: paper.into(), origin: Origin::Paper, rule }
    }

    /// The same as our reading of the paper.
    #[must_use]
    pub fn our_reading(self) -> Self {
        Self { origin: Origin::OurReading, ..self }
    }

    /// The same as a check of ours.
    #[must_use]
    pub fn our_check(self) -> Self {
        Self { origin: Origin::OurCheck, ..self }
    }

    /// An exact comparison by the name under which the experiment records it, of something that the
    /// paper's text says. What is expected is what the check says.
    pub fn example(text: impl Into<String>, check: impl Into<String>) -> Self {
        Self::new(text, "", Rule::Example { check: check.into() })
    }
}

/// When a claim holds. Series are named as the experiment records them.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// a < b: at every measured x the 95 % interval of the paired ratio a / b lies below 1.
    Below {
        /// The smaller one.
        a: String,
        /// The larger one.
        b: String,
    },
    /// a > b: at every measured x the 95 % interval of the paired ratio a / b lies above 1.
    Above {
        /// The larger one.
        a: String,
        /// The smaller one.
        b: String,
    },
    /// Exact counts, smallest series first: strictly rising at every x.
    Ordered {
        /// The series.
        series: Vec<String>,
    },
    /// Max / min of each series is at most [`FLAT`].
    Flat {
        /// The series.
        series: Vec<String>,
    },
    /// Each series grows with x: its ends differ by more than [`ENDS`], and no step reverses beyond
    /// its interval.
    Rises {
        /// The series.
        series: Vec<String>,
    },
    /// Each series shrinks as x grows, likewise.
    Falls {
        /// The series.
        series: Vec<String>,
    },
    /// The series is largest at the named x or a neighbour of it.
    PeakAt {
        /// The series.
        series: String,
        /// Where.
        x: X,
    },
    /// The paired ratio a / b is at least 1 and at most [`SLIGHTLY`] at every x.
    SlightlyAhead {
        /// The one ahead.
        a: String,
        /// The other.
        b: String,
    },
    /// The paired ratio a / b is between two factors at every point of a range.
    Fold {
        /// The numerator.
        a: String,
        /// The denominator.
        b: String,
        /// The least factor.
        from: f64,
        /// The greatest factor.
        to: f64,
        /// Every x of the range; all must have been measured.
        at: Vec<X>,
    },
    /// A series has exactly these values.
    Exact {
        /// The series.
        series: String,
        /// Its values.
        values: Vec<(X, f64)>,
    },
    /// All series that have a value at an x have the same, and at least two do.
    Same {
        /// The series.
        series: Vec<String>,
    },
    /// The mean of the series' medians over these points is at least a figure of the paper. Unlike a
    /// ratio this depends on the machine, and the report says so.
    Reaches {
        /// The series.
        series: Vec<String>,
        /// Where; all must have been measured. Over all points when there are none.
        at: Vec<X>,
        /// The paper's figure.
        value: f64,
        /// Its unit.
        unit: String,
    },
    /// The named check of the experiment is an exact equality.
    Example {
        /// The check.
        check: String,
    },
    /// A rule judged by the points at one x alone.
    At {
        /// Where.
        x: X,
        /// What.
        rule: Box<Rule>,
    },
    /// A rule that is judged only when its series were measured at every one of these places.
    Complete {
        /// The series.
        series: Vec<String>,
        /// Where.
        at: Vec<X>,
        /// What to do when a place is missing.
        hint: String,
        /// What.
        rule: Box<Rule>,
    },
    /// All of several rules.
    All(Vec<Rule>),
}

impl Rule {
    /// a < b at every x.
    pub fn below(a: &str, b: &str) -> Self {
        Self::Below { a: a.to_owned(), b: b.to_owned() }
    }

    /// a > b at every x.
    pub fn above(a: &str, b: &str) -> Self {
        Self::Above { a: a.to_owned(), b: b.to_owned() }
    }

    /// A rule at one x alone.
    pub fn at(x: impl Into<X>, rule: Self) -> Self {
        Self::At { x: x.into(), rule: Box::new(rule) }
    }

    /// Smallest first: each neighbouring pair by [`Rule::Below`].
    pub fn below_in_turn(series: &[&str]) -> Self {
        Self::All(series.windows(2).map(|pair| Self::below(pair[0], pair[1])).collect())
    }

    /// Grows with x.
    pub fn rises(series: &[&str]) -> Self {
        Self::Rises { series: owned(series) }
    }

    /// Shrinks with x.
    pub fn falls(series: &[&str]) -> Self {
        Self::Falls { series: owned(series) }
    }

    /// Stays the same.
    pub fn flat(series: &[&str]) -> Self {
        Self::Flat { series: owned(series) }
    }

    /// Exact counts in strictly rising order.
    pub fn ordered(series: &[&str]) -> Self {
        Self::Ordered { series: owned(series) }
    }

    /// Equal values at every x.
    pub fn same(series: &[&str]) -> Self {
        Self::Same { series: owned(series) }
    }

    /// Whether it is judged without times: by a check or by exact counts.
    pub fn is_exact(&self) -> bool {
        match self {
            Self::Ordered { .. }
            | Self::Exact { .. }
            | Self::Same { .. }
            | Self::Example { .. } => true,
            Self::At { rule, .. } | Self::Complete { rule, .. } => rule.is_exact(),
            Self::All(rules) => rules.iter().all(Self::is_exact),
            _ => false,
        }
    }

    /// Whether a run whose claim does not hold has failed: a worked example that comes out otherwise
    /// is an error of ours, not a finding.
    pub fn must_hold(&self) -> bool {
        matches!(self, Self::Example { .. })
    }

    /// The one x that the rule looks at, when it is a part of another claim that looks at all.
    pub fn single_point(&self) -> Option<&X> {
        match self {
            Self::At { x, .. } => Some(x),
            _ => None,
        }
    }

    /// Whether the verdict rests on rows alone, so that it can be repeated from the files.
    pub fn needs_rows_only(&self) -> bool {
        match self {
            Self::Example { .. } => false,
            Self::At { rule, .. } | Self::Complete { rule, .. } => rule.needs_rows_only(),
            Self::All(rules) => rules.iter().all(Self::needs_rows_only),
            _ => true,
        }
    }

    /// The rule in words.
    pub fn text(&self) -> String {
        let percent = |factor: f64| short((factor - 1.0) * 100.0);
        match self {
            Self::Below { a, b } => {
                format!(
                    "at every x the 95 % interval of the paired ratio {} is below 1",
                    ratio(a, b)
                )
            }
            Self::Above { a, b } => {
                format!(
                    "at every x the 95 % interval of the paired ratio {} is above 1",
                    ratio(a, b)
                )
            }
            Self::Ordered { series } => {
                format!("exact counts: {} at every x", series.join(" < "))
            }
            Self::Flat { series } => {
                format!("{}: max / min at most {FLAT:.2}", series.join(", "))
            }
            Self::Rises { series } => format!(
                "{}: the last value is more than {} % above the first, and no step falls beyond its interval",
                series.join(", "),
                percent(ENDS)
            ),
            Self::Falls { series } => format!(
                "{}: the first value is more than {} % above the last, and no step rises beyond its interval",
                series.join(", "),
                percent(ENDS)
            ),
            Self::PeakAt { series, x } => {
                format!("{series} is largest at {x} or at a neighbour of it")
            }
            Self::SlightlyAhead { a, b } => {
                format!("the paired ratio {} is from 1.00 to {SLIGHTLY:.2} at every x", ratio(a, b))
            }
            Self::Fold { a, b, from, to, at } => {
                let range = match (*from, *to) {
                    (from, f64::INFINITY) => format!("at least {}", short(from)),
                    (0.0, to) => format!("at most {}", short(to)),
                    (from, to) => format!("from {} to {}", short(from), short(to)),
                };
                format!("the paired ratio {} is {range} at each of {}", ratio(a, b), list(at))
            }
            Self::Exact { series, .. } => format!("{series}: exact equality"),
            Self::Same { series } => format!("exact equality of {} at every x", series.join(", ")),
            Self::Reaches { series, at, value, unit } => {
                let place = match &at[..] {
                    [] => "over all points".to_owned(),
                    at => format!("at {}", list(at)),
                };
                let value = short(*value);
                format!("mean of {} {place} is at least {value} {unit}", series.join(", "))
            }
            Self::Example { .. } => "exact equality".to_owned(),
            Self::Complete { at, rule, .. } => {
                format!("{}; judged only when measured at each of {}", rule.text(), list(at))
            }
            Self::At { x, rule } => format!("at {x} alone: {}", rule.text()),
            Self::All(rules) => match one_rule_at(rules) {
                Some((places, rule)) => format!("at {places} alone: {}", rule.text()),
                None => rules.iter().map(Self::text).collect::<Vec<_>>().join("; and "),
            },
        }
    }
}

/// The same rule at several x, each alone: where, and what.
fn one_rule_at(rules: &[Rule]) -> Option<(String, &Rule)> {
    let (mut places, mut all) = (Vec::new(), Vec::new());
    for rule in rules {
        let Rule::At { x, rule } = rule else { return None };
        places.push(x.clone());
        all.push(&**rule);
    }
    let (first, others) = all.split_first()?;
    others.iter().all(|rule| rule == first).then(|| (list(&places), *first))
}

fn owned(series: &[&str]) -> Vec<String> {
    series.iter().map(|&name| name.to_owned()).collect()
}

fn list(values: &[X]) -> String {
    values.iter().map(X::to_string).collect::<Vec<_>>().join(", ")
}
