//! The page: a front table of claims, then a section for each experiment.
//!
//! Everything on it comes from the [`Records`] or from the static texts and artefacts of the
//! experiments; there is no clock and no other input, so the same files give the same page.

use std::fmt::Write;

use super::html::Escaped;
use super::{section, theme};
use crate::claim::Origin;
use crate::error::Result;
use crate::experiment::{About, Registry};
use crate::measure::machine;
use crate::record::{Judgement, Records, Verdict, X};

/// Renders the page.
pub fn render(registry: &Registry, records: &Records) -> Result<String> {
    let mut page = String::new();
    let style = theme::STYLE;
    let _ = write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Reproduction report</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
    );
    front(&mut page, registry, records);
    for experiment in registry.iter() {
        section::render(&mut page, experiment, records)?;
    }
    page.push_str(
        "<footer><p>Built from <code>results.jsonl</code> and <code>claims.jsonl</code> alone; \
         <code>bench-harness report</code> builds it again.</p></footer>\n</body>\n</html>\n",
    );
    Ok(page)
}

/// The class and the words of a verdict.
pub(super) fn badge(verdict: Verdict) -> String {
    let class = match verdict {
        Verdict::Holds => "holds",
        Verdict::DoesNotHold => "fails",
        Verdict::CannotBeJudged => "open",
    };
    format!("<span class=\"verdict {class}\">{verdict}</span>")
}

/// The x of a judgement that is the part of another claim at one x, as the experiment's rules say.
pub(super) fn single_point<'a>(about: &'a About, judgement: &Judgement) -> Option<&'a X> {
    about.claims.iter().find(|claim| claim.text == judgement.claim)?.rule.single_point()
}

/// Whose claim a judgement is about, as the experiment says; a claim of another version is nobody's
/// but ours.
pub(super) fn origin(about: &About, judgement: &Judgement) -> Origin {
    let claim = about.claims.iter().find(|claim| claim.text == judgement.claim);
    claim.map_or(Origin::OurCheck, |claim| claim.origin)
}

/// The judgements of an experiment that are no such parts.
pub(super) fn whole<'a>(about: &About, records: &'a Records) -> Vec<&'a Judgement> {
    let own = records.judgements.iter().filter(|judgement| judgement.id == about.id);
    own.filter(|judgement| single_point(about, judgement).is_none()).collect()
}

/// Verdict by verdict the points that were judged alone.
fn single_points(about: &About, records: &Records) -> Vec<(Verdict, String)> {
    let of = |verdict| {
        let own = records.judgements.iter().filter(|one| one.id == about.id);
        let own = own.filter(|one| one.verdict == verdict);
        let places: Vec<String> =
            own.filter_map(|one| single_point(about, one)).map(X::to_string).collect();
        (verdict, places.join(", "))
    };
    let all = [Verdict::Holds, Verdict::DoesNotHold, Verdict::CannotBeJudged].map(of);
    all.into_iter().filter(|(_, places)| !places.is_empty()).collect()
}

fn front(page: &mut String, registry: &Registry, records: &Records) {
    page.push_str(
        "<header>\n<h1>Reproduction report</h1>\n<p class=\"lead\">What the papers claim, and what \
         came out here. Every verdict follows from a rule that was fixed before measuring.</p>\n",
    );
    if records.rows.iter().any(|row| row.machine.contains("(debug)")) {
        page.push_str(
            "<p class=\"warning\">These times do not come from a release build. Repeat the run \
             with <code>cargo run --release</code> before reading anything into them.</p>\n",
        );
    }
    page.push_str("<ul class=\"counts\">\n");
    let verdicts = [Verdict::Holds, Verdict::DoesNotHold, Verdict::CannotBeJudged];
    for (verdict, class) in verdicts.into_iter().zip(["holds", "fails", "open"]) {
        let judged = registry.iter().flat_map(|experiment| whole(&experiment.about(), records));
        let count = judged.filter(|one| one.verdict == verdict).count();
        let words = match (verdict, count) {
            (Verdict::Holds, 1) => "claim holds",
            (Verdict::Holds, _) => "claims hold",
            (Verdict::DoesNotHold, 1) => "does not hold here",
            (Verdict::DoesNotHold, _) => "do not hold here",
            (Verdict::CannotBeJudged, _) => "cannot be judged here",
        };
        let _ = writeln!(page, "<li class=\"{class}\"><b>{count}</b>{words}</li>");
    }
    page.push_str("</ul>\n");
    circumstances(page, records);
    page.push_str("</header>\n<main>\n<section id=\"claims\">\n<h2>Claims</h2>\n");
    claims(page, registry, records);
    page.push_str("</section>\n");
}

fn circumstances(page: &mut String, records: &Records) {
    page.push_str("<dl class=\"facts\">\n");
    let mut machines: Vec<&str> = Vec::new();
    let mut seeds: Vec<String> = Vec::new();
    for row in &records.rows {
        if !machines.contains(&row.machine.as_str()) {
            machines.push(&row.machine);
        }
        let seed = row.seed.to_string();
        if !seeds.contains(&seed) {
            seeds.push(seed);
        }
    }
    for machine in machines {
        let _ = writeln!(page, "<dt>Machine and build</dt><dd>{}</dd>", Escaped(machine));
    }
    if !seeds.is_empty() {
        let _ = writeln!(page, "<dt>Seed</dt><dd>{}</dd>", seeds.join(", "));
    }
    if let Some(command) = repeat(records, None) {
        let _ = writeln!(page, "<dt>To repeat</dt><dd><code>{}</code></dd>", Escaped(&command));
    }
    page.push_str("</dl>\n");
}

/// The command that repeats a run, or one experiment of it, with the same data and scale.
pub(super) fn repeat(records: &Records, id: Option<&str>) -> Option<String> {
    let row = records.rows.iter().find(|row| id.is_none_or(|id| row.id == id));
    // An example may have no rows; it then ran as the others did.
    let row = row.or(records.rows.first())?;
    let scale = machine::scale_of(&row.machine)?;
    let mut command = "cargo run --release -p bench-harness -- ".to_owned();
    let _ = match id {
        Some(id) => write!(command, "run {id}"),
        None => write!(command, "reproduce"),
    };
    let _ = write!(command, " --scale {scale} --seed {}", row.seed);
    Some(command)
}

fn claims(page: &mut String, registry: &Registry, records: &Records) {
    page.push_str(
        "<table class=\"claims\">\n<thead><tr><th>Experiment</th><th>Claim</th><th>Verdict</th></tr></thead>\n<tbody>\n",
    );
    for experiment in registry.iter() {
        let about = experiment.about();
        let id = Escaped(&about.id).to_string();
        for judgement in whole(&about, records) {
            let claim = Escaped(&judgement.claim);
            let verdict = badge(judgement.verdict);
            let _ = writeln!(
                page,
                "<tr><td><a href=\"#{id}\">{id}</a></td><td>{claim}</td><td>{verdict}</td></tr>"
            );
        }
        for (verdict, places) in single_points(&about, records) {
            let (places, verdict) = (Escaped(&places).to_string(), badge(verdict));
            let _ = writeln!(
                page,
                "<tr><td><a href=\"#{id}\">{id}</a></td><td>the same at {places} alone</td><td>{verdict}</td></tr>"
            );
        }
    }
    page.push_str("</tbody>\n</table>\n");
    let missing: Vec<String> = registry
        .ids()
        .into_iter()
        .filter(|id| {
            records.rows_of(id).next().is_none() && records.judgements_of(id).next().is_none()
        })
        .map(|id| format!("<a href=\"#{0}\">{0}</a>", Escaped(&id)))
        .collect();
    if !missing.is_empty() {
        let list = missing.join(", ");
        let _ = writeln!(page, "<p>Without a verdict, because not run or failed: {list}.</p>");
    }
}
