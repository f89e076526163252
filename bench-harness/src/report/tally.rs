//! The claims in two groups, counted in one way for the page and for the terminal.

use crate::claim::{self, Origin, Point};
use crate::experiment::{About, Kind, Registry};
use crate::record::{Judgement, Records, Verdict, X};

/// The verdicts in the order in which they are counted.
pub(crate) const VERDICTS: [Verdict; 3] =
    [Verdict::Holds, Verdict::DoesNotHold, Verdict::CannotBeJudged];

/// Claims that are counted together.
pub(crate) struct Group<'a> {
    pub title: &'static str,
    /// Whose numbers stand beside ours.
    pub expectation: &'static str,
    pub claims: Vec<&'a Judgement>,
    /// Parts of claims at one x alone; they are shown and not counted.
    pub points: Vec<Points>,
}

/// The points of one experiment with the same outcome.
pub(crate) struct Points {
    pub id: String,
    pub outcome: Outcome,
    pub places: String,
}

/// What became of a claim, in words and as a class of the style sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub words: &'static str,
    pub class: &'static str,
}

impl Outcome {
    const NO_DIFFERENCE: Self = Self { words: "no difference shown", class: "open" };
    const REVERSE: Self = Self { words: "the reverse", class: "fails" };

    pub fn of(verdict: Verdict) -> Self {
        let (words, class) = match verdict {
            Verdict::Holds => ("holds", "holds"),
            Verdict::DoesNotHold => ("does not hold here", "fails"),
            Verdict::CannotBeJudged => ("cannot be judged here", "open"),
        };
        Self { words, class }
    }

    /// The outcome of a part at one x: a claim that does not hold there is reversed, or no
    /// difference was shown.
    pub fn of_point(about: &About, judgement: &Judgement, records: &Records) -> Self {
        let rule = about.claims.iter().find(|claim| claim.text == judgement.claim);
        match rule.and_then(|one| claim::point(&about.id, &one.rule, &records.rows)) {
            Some(Point::NoDifference) => Self::NO_DIFFERENCE,
            Some(Point::Reverse) => Self::REVERSE,
            Some(Point::AsClaimed) | None => Self::of(judgement.verdict),
        }
    }
}

impl Group<'_> {
    /// How many claims have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.claims.iter().filter(|one| one.verdict == verdict).count()
    }

    /// "8 claims: 5 hold, 2 do not hold here, 1 cannot be judged here".
    pub fn text(&self) -> String {
        let [holds, fails, open] = VERDICTS.map(|verdict| self.count(verdict));
        let all = self.claims.len();
        let (claims, hold) = (if all == 1 { "claim" } else { "claims" }, plural(holds, "hold"));
        let fail = if fails == 1 { "does not hold here" } else { "do not hold here" };
        format!("{all} {claims}: {holds} {hold}, {fails} {fail}, {open} cannot be judged here")
    }
}

fn plural(count: usize, verb: &str) -> String {
    if count == 1 { format!("{verb}s") } else { verb.to_owned() }
}

/// The x of a judgement that is the part of another claim at one x, as the experiment's rules say.
pub(crate) fn single_point<'a>(about: &'a About, judgement: &Judgement) -> Option<&'a X> {
    about.claims.iter().find(|claim| claim.text == judgement.claim)?.rule.single_point()
}

/// Whose claim a judgement is about, as the experiment says; a claim of another version is nobody's
/// but ours.
pub(crate) fn origin(about: &About, judgement: &Judgement) -> Origin {
    let claim = about.claims.iter().find(|claim| claim.text == judgement.claim);
    claim.map_or(Origin::OurCheck, |claim| claim.origin)
}

/// The judgements of an experiment that are no such parts.
pub(crate) fn whole<'a>(about: &About, records: &'a Records) -> Vec<&'a Judgement> {
    let own = records.judgements.iter().filter(|judgement| judgement.id == about.id);
    own.filter(|judgement| single_point(about, judgement).is_none()).collect()
}

/// What the paper claims of its figures, and everything else.
pub(crate) fn groups<'a>(registry: &Registry, records: &'a Records) -> [Group<'a>; 2] {
    let group =
        |title, expectation| Group { title, expectation, claims: Vec::new(), points: Vec::new() };
    let title = match registry.papers().len() {
        0 | 1 => "Claims of the paper",
        _ => "Claims of the papers",
    };
    let mut groups =
        [group(title, "The paper"), group("Worked examples and our own checks", "Expected")];
    for experiment in registry.iter() {
        let about = experiment.about();
        for judgement in whole(&about, records) {
            let paper = about.kind == Kind::Figure && origin(&about, judgement) == Origin::Paper;
            groups[usize::from(!paper)].claims.push(judgement);
        }
        groups[0].points.extend(points(&about, records));
    }
    groups
}

/// Outcome by outcome the points that were judged alone.
fn points(about: &About, records: &Records) -> Vec<Points> {
    let mut all: Vec<Points> = Vec::new();
    for judgement in records.judgements_of(&about.id) {
        let Some(x) = single_point(about, judgement) else { continue };
        let outcome = Outcome::of_point(about, judgement, records);
        match all.iter_mut().find(|points| points.outcome == outcome) {
            Some(points) => points.places += &format!(", {x}"),
            None => all.push(Points { id: about.id.clone(), outcome, places: x.to_string() }),
        }
    }
    all
}

/// The first sentence of every experiment that has one.
pub(crate) fn sentences(registry: &Registry, records: &Records) -> Vec<(String, String)> {
    let first = registry.iter().filter_map(|experiment| {
        let id = experiment.about().id;
        let rows: Vec<_> = records.rows_of(&id).collect();
        let sentence = experiment.sentences(&rows).into_iter().next()?;
        Some((id, sentence))
    });
    first.collect()
}
