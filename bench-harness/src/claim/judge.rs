//! From rows to verdicts.

use std::fmt::Write as _;

use super::{Claim, ENDS, FLAT, Rule, SLIGHTLY, one_rule_at, ratio};
use crate::experiment::Check;
use crate::measure::summary::FEWEST;
use crate::number::{short, with_unit};
use crate::record::{Judgement, Row, Verdict, X, own_files};

/// A verdict and the numbers it rests on.
type Finding = (Verdict, String);

/// Judges one claim of the experiment `id` from its rows and checks; rows of other experiments are
/// looked past.
pub fn judge(id: &str, claim: &Claim, rows: &[Row], checks: &[Check]) -> Judgement {
    let points = Points { rows: rows.iter().filter(|row| row.id == id).collect(), checks };
    let (verdict, mut measured) = points.judge(&claim.rule);
    // An example's two texts are compared as they are.
    if !claim.rule.must_hold() {
        for (file, _) in own_files(points.rows.iter().copied()) {
            let _ = write!(measured, "; over a file of one's own, {}", file.name);
        }
    }
    let paper = match &claim.rule {
        Rule::Example { check } => points.check(check).map_or("", |check| &check.expected),
        _ => &claim.paper,
    };
    Judgement {
        id: id.to_owned(),
        claim: claim.text.clone(),
        verdict,
        paper: paper.to_owned(),
        measured,
        rule: claim.rule.text(),
    }
}

struct Points<'a> {
    rows: Vec<&'a Row>,
    checks: &'a [Check],
}

impl<'a> Points<'a> {
    fn judge(&self, rule: &Rule) -> Finding {
        match rule {
            Rule::Below { a, b } => self.every_ratio(a, b, |row| row.hi < 1.0, true),
            Rule::Above { a, b } => self.every_ratio(a, b, |row| row.lo > 1.0, true),
            Rule::SlightlyAhead { a, b } => {
                self.every_ratio(a, b, |row| (1.0..=SLIGHTLY).contains(&row.value), false)
            }
            Rule::Fold { a, b, from, to, at } => self.fold(&ratio(a, b), (*from, *to), at),
            Rule::Ordered { series } => self.ordered(series),
            Rule::Flat { series } => each(series, |series| self.flat(series)),
            Rule::Rises { series } => self.trends(series, true),
            Rule::Falls { series } => self.trends(series, false),
            Rule::PeakAt { series, x } => self.peak(series, x),
            Rule::Exact { series, values } => self.exact(series, values),
            Rule::Same { series } => self.same(series),
            Rule::Reaches { series, at, value, unit } => self.reaches(series, at, *value, unit),
            Rule::Example { check } => match self.check(check) {
                Some(check) => (holds(check.expected == check.actual), check.actual.clone()),
                None => cannot(format!("the check “{check}” was not made")),
            },
            Rule::At { x, rule } => {
                let rows = self.rows.iter().copied().filter(|row| row.x == *x).collect();
                Points { rows, checks: self.checks }.judge(rule)
            }
            Rule::Complete { series, at, hint, rule } => {
                let (verdict, measured) = self.judge(rule);
                let whole = series.iter().all(|one| at.iter().all(|x| self.at(one, x).is_some()));
                // A failure at the places that were measured would be one of another claim.
                if whole { (verdict, measured) } else { cannot(format!("{hint}; {measured}")) }
            }
            Rule::All(rules) => {
                let (verdict, measured) = all(rules.iter().map(|rule| self.judge(rule)));
                // The same series at one place after another are named once.
                match one_rule_at(rules) {
                    Some((_, Rule::Ordered { series })) => {
                        let again = format!("; {} at ", series.join(", "));
                        (verdict, measured.replace(&again, "; "))
                    }
                    _ => (verdict, measured),
                }
            }
        }
    }

    fn check(&self, name: &str) -> Option<&'a Check> {
        self.checks.iter().find(|check| check.name == name)
    }

    /// The points of a series: by number when every x is one, else as recorded.
    fn series(&self, name: &str) -> Vec<&'a Row> {
        let mut rows: Vec<&Row> =
            self.rows.iter().copied().filter(|row| row.series == name).collect();
        if rows.iter().all(|row| row.x.number().is_some()) {
            rows.sort_by(|a, b| f64::total_cmp(&number(a), &number(b)));
        }
        rows
    }

    fn at(&self, series: &str, x: &X) -> Option<&'a Row> {
        self.rows.iter().copied().find(|row| row.series == series && row.x == *x)
    }

    fn every_ratio(
        &self,
        a: &str,
        b: &str,
        passes: impl Fn(&Row) -> bool,
        needs_interval: bool,
    ) -> Finding {
        let name = ratio(a, b);
        let rows = self.series(&name);
        if rows.is_empty() {
            return cannot(format!("no paired ratio {name} was measured"));
        }
        let measured = format!("{name}: {}", ratios_text(&rows));
        if needs_interval && let Some(row) = rows.iter().find(|row| !has_interval(row)) {
            return cannot(format!("{measured}; {}", too_few(row)));
        }
        (holds(rows.iter().all(|row| passes(row))), measured)
    }

    fn fold(&self, name: &str, (from, to): (f64, f64), at: &[X]) -> Finding {
        let mut rows = Vec::new();
        let mut missing = Vec::new();
        for x in at {
            match self.at(name, x) {
                Some(row) => rows.push(row),
                None => missing.push(x.to_string()),
            }
        }
        let measured = format!("{name}: {}", points_text(&rows));
        // One point outside the range settles it, whatever the missing ones would say.
        if rows.iter().any(|row| !(from..=to).contains(&row.value)) {
            return (Verdict::DoesNotHold, measured);
        }
        if rows.is_empty() || !missing.is_empty() {
            return cannot(format!("{measured}; not measured at {}", missing.join(", ")));
        }
        (Verdict::Holds, measured)
    }

    fn ordered(&self, series: &[String]) -> Finding {
        let Some((first, others)) = series.split_first() else { return nothing() };
        let mut parts = Vec::new();
        let mut ordered = true;
        let mut whole = true;
        for row in self.series(first) {
            let mut values = vec![row.value];
            values.extend(others.iter().filter_map(|name| Some(self.at(name, &row.x)?.value)));
            whole &= values.len() == series.len();
            ordered &= values.is_sorted_by(|a, b| a < b);
            let values: Vec<String> = values.into_iter().map(short).collect();
            parts.push(format!("{}: {}", row.x, values.join(", ")));
        }
        let measured = format!("{} at {}", series.join(", "), parts.join("; "));
        match (parts.is_empty(), ordered, whole) {
            (true, ..) => cannot(format!("nothing was counted for {first}")),
            (_, false, _) => (Verdict::DoesNotHold, measured),
            (_, true, false) => cannot(format!("{measured}; not every series was counted")),
            (_, true, true) => (Verdict::Holds, measured),
        }
    }

    fn flat(&self, name: &str) -> Finding {
        let rows = self.series(name);
        let (Some(first), true) = (rows.first(), rows.len() >= 2) else { return too_short(name) };
        let values = || rows.iter().map(|row| row.value);
        let (least, most) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
        if least <= 0.0 {
            return cannot(format!("{name} is not above zero everywhere"));
        }
        let (low, high) = (short(least), with_unit(most, &first.unit));
        let measured = format!("{name}: {low} to {high}, max / min {}", short(most / least));
        (holds(most / least <= FLAT), measured)
    }

    /// A few trends in full; of many how far the ends are apart.
    fn trends(&self, series: &[String], rises: bool) -> Finding {
        let (verdict, text) = each(series, |series| self.trend(series, rises));
        if series.len() <= 3 || verdict == Verdict::CannotBeJudged {
            return (verdict, text);
        }
        let ends = series.iter().filter_map(|name| {
            let rows = self.series(name);
            Some(rows.last()?.value / rows.first()?.value)
        });
        let spread = spread(ends.collect());
        let follow =
            series.iter().filter(|name| self.trend(name, rises).0 == Verdict::Holds).count();
        let all = series.len();
        (verdict, format!("last value / first: {spread}, {all} series: {follow} follow the rule"))
    }

    fn trend(&self, name: &str, rises: bool) -> Finding {
        let rows = self.series(name);
        let (Some(first), Some(last), true) = (rows.first(), rows.last(), rows.len() >= 2) else {
            return too_short(name);
        };
        let mut measured = format!(
            "{name}: {} at {}, {} at {}",
            with_unit(first.value, &first.unit),
            first.x,
            with_unit(last.value, &last.unit),
            last.x
        );
        if let Some(row) = rows.iter().find(|row| !has_interval(row)) {
            return cannot(format!("{measured}; {}", too_few(row)));
        }
        let (small, large) = if rises { (first, last) } else { (last, first) };
        let far = large.value > small.value * ENDS;
        let reversal = rows.windows(2).find(|pair| {
            let (small, large) = if rises { (pair[0], pair[1]) } else { (pair[1], pair[0]) };
            large.hi < small.lo
        });
        if let Some([before, after]) = reversal {
            let (before, after) = (interval_text(before), interval_text(after));
            measured += &format!("; but from {before} to {after}");
        }
        (holds(far && reversal.is_none()), measured)
    }

    fn peak(&self, name: &str, x: &X) -> Finding {
        let rows = self.series(name);
        let named = rows.iter().position(|row| row.x == *x);
        let best = (0..rows.len()).max_by(|&a, &b| rows[a].value.total_cmp(&rows[b].value));
        let (Some(named), Some(best), true) = (named, best, rows.len() >= 3) else {
            return cannot(format!("{name} needs three points, one of them at {x}"));
        };
        let place =
            format!("{} at {}", with_unit(rows[best].value, &rows[best].unit), rows[best].x);
        (holds(best.abs_diff(named) <= 1), format!("{name} is largest with {place}"))
    }

    fn exact(&self, name: &str, values: &[(X, f64)]) -> Finding {
        let mut parts = Vec::new();
        let mut equal = true;
        for (x, expected) in values {
            let Some(row) = self.at(name, x) else {
                return cannot(format!("{name} was not counted at {x}"));
            };
            equal &= row.value == *expected;
            parts.push(format!("{x}: {}", with_unit(row.value, &row.unit)));
        }
        (holds(equal && !values.is_empty()), format!("{name} at {}", parts.join("; ")))
    }

    fn same(&self, series: &[String]) -> Finding {
        let mut places: Vec<&X> = Vec::new();
        for row in self.rows.iter().filter(|row| series.contains(&row.series)) {
            if !places.contains(&&row.x) {
                places.push(&row.x);
            }
        }
        let mut differences = Vec::new();
        let mut compared = 0;
        for x in &places {
            let rows: Vec<&Row> = series.iter().filter_map(|name| self.at(name, x)).collect();
            if rows.len() < 2 {
                return cannot(format!("only one of {} has a value at {x}", series.join(", ")));
            }
            compared += 1;
            if rows.windows(2).any(|pair| pair[0].value != pair[1].value) {
                let values: Vec<String> = rows
                    .iter()
                    .map(|row| format!("{} {}", row.series, with_unit(row.value, &row.unit)))
                    .collect();
                differences.push(format!("{x}: {}", values.join(", ")));
            }
        }
        match (compared, differences.is_empty()) {
            (0, _) => cannot(format!("nothing was counted for {}", series.join(", "))),
            (_, true) => (Verdict::Holds, self.equal(&series[0], &places)),
            (_, false) => (Verdict::DoesNotHold, differences.join("; ")),
        }
    }

    /// What all series have in common, places of one value together.
    fn equal(&self, name: &str, places: &[&X]) -> String {
        let rows: Vec<&Row> = places.iter().filter_map(|x| self.at(name, x)).collect();
        let groups = rows.chunk_by(|a, b| a.value == b.value);
        let texts: Vec<String> = groups
            .filter_map(|group| {
                let (first, last) = (group.first()?, group.last()?);
                let value = with_unit(first.value, &first.unit);
                Some(match group.len() {
                    1 => format!("{value} at {}", first.x),
                    _ => format!("{value} at {} to {}", first.x, last.x),
                })
            })
            .collect();
        let all = format!("equal at all {} points", rows.len());
        // Answers that are the same everywhere differ from place to place, and nobody reads them.
        if texts.len() > 4 { all } else { format!("{all}: {}", texts.join(", ")) }
    }

    fn reaches(&self, series: &[String], at: &[X], figure: f64, unit: &str) -> Finding {
        let mut values = Vec::new();
        for name in series {
            if at.is_empty() {
                values.extend(self.series(name));
            }
            for x in at {
                match self.at(name, x) {
                    Some(row) => values.push(row),
                    None => return cannot(format!("{name} was not measured at {x}")),
                }
            }
        }
        if values.is_empty() {
            return cannot(format!("nothing was measured for {}", series.join(", ")));
        }
        if let Some(row) = values.iter().find(|row| row.unit != unit) {
            return cannot(format!("{} is in {}, not in {unit}", row.series, row.unit));
        }
        let count = values.len();
        let points = if count == 1 { "point" } else { "points" };
        let mean = values.iter().map(|row| row.value).sum::<f64>() / count as f64;
        (holds(mean >= figure), format!("{} over {count} {points}", with_unit(mean, unit)))
    }
}

fn each(series: &[String], judge: impl Fn(&str) -> Finding) -> Finding {
    all(series.iter().map(|name| judge(name)))
}

/// One failure settles it; without one, a part that cannot be judged leaves the whole open.
fn all(findings: impl Iterator<Item = Finding>) -> Finding {
    let (verdicts, texts): (Vec<Verdict>, Vec<String>) = findings.unzip();
    let verdict = if verdicts.contains(&Verdict::DoesNotHold) {
        Verdict::DoesNotHold
    } else if verdicts.contains(&Verdict::CannotBeJudged) || verdicts.is_empty() {
        Verdict::CannotBeJudged
    } else {
        Verdict::Holds
    };
    (verdict, texts.join("; "))
}

fn holds(condition: bool) -> Verdict {
    if condition { Verdict::Holds } else { Verdict::DoesNotHold }
}

fn cannot(why: String) -> Finding {
    (Verdict::CannotBeJudged, why)
}

fn nothing() -> Finding {
    cannot("the rule names no series".to_owned())
}

fn too_short(name: &str) -> Finding {
    cannot(format!("{name} needs at least two points"))
}

fn number(row: &Row) -> f64 {
    row.x.number().unwrap_or(f64::NAN)
}

/// An exact count is its own interval; a median of too few runs has none.
fn has_interval(row: &Row) -> bool {
    row.n >= FEWEST || (row.n == 1 && row.lo == row.hi)
}

fn too_few(row: &Row) -> String {
    format!("{} runs at {} give no 95 % interval", row.n, row.x)
}

fn interval_text(row: &Row) -> String {
    format!("{} [{}, {}] at {}", short(row.value), short(row.lo), short(row.hi), row.x)
}

/// One ratio in full; of several the range, the median and on which side of 1 their intervals lie.
fn ratios_text(rows: &[&Row]) -> String {
    if let [row] = rows {
        let Row { x, value, lo, hi, .. } = row;
        let side = if !has_interval(row) {
            ""
        } else {
            match side(row) {
                Side::Below => ", below 1",
                Side::Open => ", no difference shown: the interval includes 1",
                Side::Above => ", above 1",
            }
        };
        return format!("{x} {value:.2} [{lo:.2}, {hi:.2}]{side}");
    }
    let spread = spread(rows.iter().map(|row| row.value).collect());
    let count = |wanted| rows.iter().filter(|row| side(row) == wanted).count();
    format!(
        "{spread}, {} points: {} below 1, {} with an interval that includes \
         1, {} above 1",
        rows.len(),
        count(Side::Below),
        count(Side::Open),
        count(Side::Above)
    )
}

/// "0.50 to 1.50, median 0.98".
fn spread(mut values: Vec<f64>) -> String {
    values.sort_by(f64::total_cmp);
    let (Some(least), Some(most)) = (values.first(), values.last()) else { return String::new() };
    let median = f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2]);
    format!("{least:.2} to {most:.2}, median {median:.2}")
}

/// On which side of 1 the interval of a ratio lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Below it.
    Below,
    /// 1 is in it or at its end.
    Open,
    /// Above it.
    Above,
}

/// On which side of 1 the interval of a ratio lies.
pub fn side(row: &Row) -> Side {
    match row {
        row if row.hi < 1.0 => Side::Below,
        row if row.lo > 1.0 => Side::Above,
        _ => Side::Open,
    }
}

/// What became of a claim that one paired ratio is below (or above) 1: more than its verdict says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// It is.
    AsClaimed,
    /// The interval includes 1.
    NoDifference,
    /// It is the other way round.
    Reverse,
}

/// The fate of a claim about the paired ratio at one x; nothing for claims of another form, or when
/// the ratio was not measured often enough.
pub fn point(id: &str, rule: &Rule, rows: &[Row]) -> Option<Point> {
    let Rule::At { x, rule } = rule else { return None };
    let (name, wanted) = match &**rule {
        Rule::Below { a, b } => (ratio(a, b), Side::Below),
        Rule::Above { a, b } => (ratio(a, b), Side::Above),
        _ => return None,
    };
    let row = rows.iter().find(|row| row.id == id && row.series == name && row.x == *x)?;
    has_interval(row).then(|| match side(row) {
        Side::Open => Point::NoDifference,
        side if side == wanted => Point::AsClaimed,
        _ => Point::Reverse,
    })
}

fn points_text(rows: &[&Row]) -> String {
    let texts: Vec<String> = rows
        .iter()
        .map(|row| format!("{} {} [{}, {}]", row.x, short(row.value), short(row.lo), short(row.hi)))
        .collect();
    texts.join("; ")
}
