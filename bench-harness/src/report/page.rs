//! The page: a front table of claims, then a section for each experiment.
//!
//! Everything on it comes from the [`Records`] or from the static texts and artefacts of the
//! experiments; there is no clock and no other input, so the same files give the same page.

use std::fmt::Write;

use super::html::Escaped;
use super::tally::{self, Group, Outcome, VERDICTS};
use super::{glossary, section, theme};
use crate::error::Result;
use crate::experiment::{Paper, Registry};
use crate::measure::machine;
use crate::number::grouped;
use crate::record::{Judgement, OwnFile, Records, Row, Verdict, own_files};

/// Renders the page.
pub fn render(registry: &Registry, records: &Records) -> Result<String> {
    let mut page = head("Reproduction report");
    front(&mut page, registry, records);
    for experiment in registry.iter() {
        section::render(&mut page, experiment, records)?;
    }
    glossary::render(&mut page);
    page.push_str(
        "<footer><p>Built from <code>results.jsonl</code> and <code>claims.jsonl</code> alone; \
         <code>bench-harness report</code> builds it again.</p></footer>\n</body>\n</html>\n",
    );
    Ok(page)
}

/// The beginning of a page with this title, which is markup.
pub(super) fn head(title: &str) -> String {
    let style = [theme::COLOURS, theme::PAGE, theme::DRAWINGS].concat();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
    )
}

/// A verdict with its colour.
pub(super) fn badge(outcome: Outcome) -> String {
    let Outcome { words, class } = outcome;
    format!("<span class=\"verdict {class}\">{words}</span>")
}

fn front(page: &mut String, registry: &Registry, records: &Records) {
    let who = if registry.papers().len() == 1 { "paper claims" } else { "papers claim" };
    let _ = writeln!(
        page,
        "<header>\n<h1>Reproduction report</h1>\n<p class=\"lead\">What the {who}, and what \
         came out here. Every verdict follows from a rule that was fixed before measuring.</p>"
    );
    if records.rows.iter().any(|row| row.machine.contains("(debug)")) {
        page.push_str(
            "<p class=\"warning\">These times do not come from a release build. Repeat the run \
             with <code>cargo run --release</code> before reading anything into them.</p>\n",
        );
    }
    let groups = tally::groups(registry, records);
    for group in &groups {
        let _ = writeln!(page, "<h3>{}</h3>\n<ul class=\"counts\">", group.title);
        for verdict in VERDICTS {
            let (count, class) = (group.count(verdict), Outcome::of(verdict).class);
            let words = match (verdict, count) {
                (Verdict::Holds, 1) => "holds",
                (Verdict::Holds, _) => "hold",
                (Verdict::DoesNotHold, 1) => "does not hold here",
                (Verdict::DoesNotHold, _) => "do not hold here",
                (Verdict::CannotBeJudged, _) => "cannot be judged here",
            };
            let _ = writeln!(page, "<li class=\"{class}\"><b>{count}</b>{words}</li>");
        }
        page.push_str("</ul>\n");
    }
    page.push_str(
        "<p><a href=\"#short\">In short</a> · <a href=\"#contents\">Contents</a> · \
         <a href=\"#papers\">The papers</a> · <a href=\"#circumstances\">Circumstances</a> · \
         <a href=\"#glossary\">Terms</a></p>\n</header>\n<main>\n<section id=\"claims\">\n\
         <h2>Claims</h2>\n",
    );
    for group in &groups {
        claims(page, registry, group);
    }
    missing(page, registry, records);
    page.push_str("</section>\n");
    in_short(page, registry, records);
    contents(page, registry);
    papers(page, registry);
    circumstances(page, registry, records);
}

/// The most important sentence of each experiment.
fn in_short(page: &mut String, registry: &Registry, records: &Records) {
    page.push_str("<section id=\"short\">\n<h2>In short</h2>\n<ul>\n");
    for (id, sentence) in tally::sentences(registry, records) {
        let (id, sentence) = (Escaped(&id).to_string(), Escaped(&sentence));
        let _ = writeln!(page, "<li>{sentence} <a href=\"#{id}\">{id}</a></li>");
    }
    page.push_str("</ul>\n</section>\n");
}

fn papers(page: &mut String, registry: &Registry) {
    page.push_str("<section id=\"papers\">\n<h2>The papers</h2>\n");
    for paper in registry.papers() {
        let Paper { short, title, authors, original, subject, source } = paper;
        let (short, title) = (Escaped(short), Escaped(title));
        let _ = write!(page, "<h3>{short}</h3>\n<p><cite>{title}</cite>. {}", Escaped(authors));
        if !original.is_empty() {
            let _ = write!(page, " (in Chinese: <span lang=\"zh\">{}</span>)", Escaped(original));
        }
        let _ = writeln!(page, ".</p>\n<p>{}</p>\n<p>{}</p>", Escaped(subject), Escaped(source));
    }
    page.push_str("</section>\n");
}

fn contents(page: &mut String, registry: &Registry) {
    page.push_str(
        "<nav id=\"contents\">\n<h2>Contents</h2>\n<ul>\n<li><a href=\"#claims\">Claims</a></li>\n",
    );
    for experiment in registry.iter() {
        let about = experiment.about();
        let (id, title) = (Escaped(&about.id).to_string(), Escaped(&about.title));
        let _ = writeln!(page, "<li><a href=\"#{id}\">{id}</a>: {title}</li>");
    }
    page.push_str("<li><a href=\"#glossary\">Terms</a></li>\n</ul>\n</nav>\n");
}

fn circumstances(page: &mut String, registry: &Registry, records: &Records) {
    page.push_str("<section id=\"circumstances\">\n<h2>Circumstances</h2>\n<dl class=\"facts\">\n");
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
    for (file, sha256) in own_files(records.rows.iter()) {
        let OwnFile { kind, name, bytes } = file;
        let _ = writeln!(
            page,
            "<dt>Data of one's own</dt><dd>{} given as {}: {} bytes, SHA-256 {sha256}</dd>",
            Escaped(name),
            Escaped(kind),
            grouped(*bytes as f64)
        );
    }
    if let Some(command) = repeat_all(registry, records) {
        let _ = writeln!(page, "<dt>To repeat</dt><dd><code>{}</code></dd>", Escaped(&command));
    }
    page.push_str("</dl>\n</section>\n");
}

/// The command that repeats one experiment of a run with the same data and scale.
pub(super) fn repeat(records: &Records, id: &str) -> Option<String> {
    // An example may have no rows; it then ran as the others did.
    let row = records.rows_of(id).next().or(records.rows.first())?;
    Some(command(&format!("run {id}"), row)? + &options(&records.own_files_of(id)))
}

/// The command that repeats the whole run: of all experiments, or only of those that ran.
fn repeat_all(registry: &Registry, records: &Records) -> Option<String> {
    let row = records.rows.first()?;
    let files = options(&own_files(records.rows.iter()));
    let all = registry.ids();
    let has_run = |id: &&String| {
        records.rows_of(id).next().is_some() || records.judgements_of(id).next().is_some()
    };
    let ran: Vec<&str> = all.iter().filter(has_run).map(String::as_str).collect();
    if ran.len() == all.len() {
        return Some(command("reproduce", row)? + &files);
    }
    Some(command(&format!("reproduce --only {}", ran.join(",")), row)? + &files)
}

/// The options that give these files.
fn options(files: &[(&OwnFile, &str)]) -> String {
    let plain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
    let option = |(OwnFile { kind, name, .. }, _): &(&OwnFile, &str)| match plain(name) {
        true => format!(" --{kind} {name}"),
        false => format!(" --{kind} '{}'", name.replace('\'', "'\\''")),
    };
    files.iter().map(option).collect()
}

fn command(what: &str, row: &Row) -> Option<String> {
    let (scale, seed) = (machine::scale_of(&row.machine)?, row.seed);
    Some(format!("cargo run --release -p bench-harness -- {what} --scale {scale} --seed {seed}"))
}

fn claims(page: &mut String, registry: &Registry, group: &Group<'_>) {
    if group.claims.is_empty() && group.points.is_empty() {
        return;
    }
    let _ = write!(
        page,
        "<h3>{}</h3>\n<p>{}.</p>\n<table class=\"claims\">\n<thead><tr><th>Paper</th>\
         <th>Experiment</th><th>Claim</th><th>Verdict</th><th>Measured</th><th>{}</th></tr>\
         </thead>\n<tbody>\n",
        group.title,
        group.text(),
        group.expectation
    );
    let mut row = |id: &str, claim: &str, outcome: Outcome, measured: &str, paper: &str| {
        let short = registry.paper_of(id).map_or("", |paper| paper.short);
        let (id, claim, verdict) = (Escaped(id).to_string(), Escaped(claim), badge(outcome));
        let measured = if measured == paper && !paper.is_empty() {
            "as expected".to_owned()
        } else {
            brief(measured)
        };
        let (short, measured, paper) = (Escaped(short), Escaped(&measured), brief(paper));
        let _ = writeln!(
            page,
            "<tr><td>{short}</td><td><a href=\"#{id}\">{id}</a></td><td>{claim}</td>\
             <td>{verdict}</td><td class=\"said\" data-head=\"Measured\">{measured}</td>\
             <td class=\"said\" data-head=\"{}\">{}</td></tr>",
            group.expectation,
            Escaped(&paper)
        );
    };
    for Judgement { id, claim, verdict, paper, measured, .. } in &group.claims {
        row(id, claim, Outcome::of(*verdict), measured, paper);
    }
    for points in &group.points {
        let claim = format!("query by query, not counted: {}", points.places);
        row(&points.id, &claim, points.outcome, "", "");
    }
    page.push_str("</tbody>\n</table>\n");
}

/// As much of a text as a table has room for, cut between two of its parts; the experiment's section has
/// all of it.
fn brief(text: &str) -> String {
    const ROOM: usize = 150;
    let Some((end, _)) = text.char_indices().nth(ROOM) else { return text.to_owned() };
    let kept = &text[..end];
    let cut = kept.rfind("; ").or_else(|| kept.rfind(", ")).or_else(|| kept.rfind(' '));
    format!("{} …", &kept[..cut.unwrap_or(end)])
}

fn missing(page: &mut String, registry: &Registry, records: &Records) {
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
