//! The section of one experiment.

use std::fmt::Write;

use super::html::{Escaped, paragraphs};
use super::page::{badge, repeat};
use super::tally::{Outcome, origin, single_point, whole};
use super::{dot_svg, svg};
use crate::error::Result;
use crate::experiment::{About, Artefact, Experiment, Plot, Style};
use crate::number::grouped;
use crate::own;
use crate::record::{Judgement, Records, Row, X};

/// Widths of the two drawings of each chart: the style sheet shows the one that fits the screen, so
/// that text is never scaled down.
pub(super) const WIDE: f64 = 896.0;
const NARROW: f64 = 336.0;

/// Appends the section of an experiment.
pub(super) fn render(
    page: &mut String,
    experiment: &dyn Experiment,
    records: &Records,
) -> Result<()> {
    let about = experiment.about();
    let rows: Vec<&Row> = records.rows_of(&about.id).collect();
    let judged = records.judgements_of(&about.id).next().is_some();
    let (id, title) = (Escaped(&about.id), Escaped(&about.title));
    let empty = rows.is_empty() && !judged;
    let _ = writeln!(page, "<section id=\"{id}\">");
    if empty {
        // Whoever asked for one experiment need not look for it among all the others.
        let _ = writeln!(page, "<details>\n<summary>{title} ({id}): no result here</summary>");
    }
    let _ = writeln!(page, "<h2>{title} <span class=\"kind\">{} {id}</span></h2>", about.kind);
    let _ = write!(page, "<h3>What the paper says</h3>\n{}", paragraphs(&about.paper));
    page.push_str("<h3>What we found</h3>\n");
    if empty {
        page.push_str(
            "<p>These files hold no result of this experiment: it was not run, or its run failed, and a \
             failed run has no verdict.</p>\n",
        );
    }
    for sentence in experiment.sentences(&rows) {
        let _ = writeln!(page, "<p>{}</p>", Escaped(&sentence));
    }
    claims(page, &about, records);
    for plot in &about.plots {
        if plot.style == Style::Table {
            table(page, plot, &rows);
            continue;
        }
        figure(page, plot, &rows);
    }
    for artefact in experiment.artefacts()? {
        render_artefact(page, &artefact)?;
    }
    let _ = write!(page, "<h3>How we measured</h3>\n{}", paragraphs(&about.method));
    for (file, sha256) in records.own_files_of(&about.id) {
        let reading = own::Kind::ALL.into_iter().find(|kind| kind.name() == file.kind);
        let text = format!(
            "Here the data are the user's own in part or in whole: {}, given as {}, {} bytes, SHA-256 {sha256}. {}",
            file.name,
            file.kind,
            grouped(file.bytes as f64),
            reading.map_or("", own::Kind::reading)
        );
        page.push_str(&paragraphs(&text).to_string());
    }
    if let Some(reconstruction) = &about.reconstruction {
        let _ = write!(page, "<h3>What we reconstructed</h3>\n{}", paragraphs(reconstruction));
    }
    raw(page, &rows);
    if let (Some(command), true) = (repeat(records, &about.id), !rows.is_empty() || judged) {
        let _ = writeln!(page, "<h3>To repeat</h3>\n<pre>{}</pre>", Escaped(&command));
    }
    page.push_str("<p><a href=\"#contents\">Back to the contents</a></p>\n");
    page.push_str(if empty { "</details>\n</section>\n" } else { "</section>\n" });
    Ok(())
}

/// Appends the drawings of a plot, if it has rows.
pub(super) fn figure(page: &mut String, plot: &Plot, rows: &[&Row]) {
    let drawings = [("wide", WIDE), ("narrow", NARROW)];
    let drawings = drawings.map(|(class, width)| Some((class, svg::chart(plot, rows, width)?)));
    if drawings.iter().all(Option::is_none) {
        return;
    }
    let _ = writeln!(page, "<figure>\n<figcaption>{}</figcaption>", Escaped(&plot.title));
    for (class, drawing) in drawings.into_iter().flatten() {
        let _ = writeln!(page, "<div class=\"{class}\">{drawing}</div>");
    }
    page.push_str("</figure>\n");
}

fn claims(page: &mut String, about: &About, records: &Records) {
    for judgement in whole(about, records) {
        let (claim, verdict) = (Escaped(&judgement.claim), badge(Outcome::of(judgement.verdict)));
        let origin_name = origin(about, judgement);
        let _ = write!(
            page,
            "<div class=\"claim\">\n<p>{verdict} {claim} <span class=\"kind\">({origin_name})</span></p>\n<dl>\n"
        );
        for (name, text) in [
            (origin(about, judgement).label(), &judgement.paper),
            ("Measured", &judgement.measured),
            ("Rule", &judgement.rule),
        ] {
            if name == "Measured" && !text.is_empty() && *text == judgement.paper {
                page.push_str("<dt>Measured</dt><dd>as expected</dd>\n");
            } else if !text.is_empty() {
                let _ = writeln!(page, "<dt>{name}</dt><dd>{}</dd>", Escaped(text));
            }
        }
        page.push_str("</dl>\n</div>\n");
    }
    let parts: Vec<_> = records
        .judgements_of(&about.id)
        .filter_map(|judgement| Some((single_point(about, judgement)?, judgement)))
        .collect();
    if parts.is_empty() {
        return;
    }
    page.push_str(
        "<details>\n<summary>Point by point</summary>\n<div class=\"scroll\"><table class=\"raw\">\n\
         <thead><tr><th>At</th><th>Verdict</th><th>Measured</th></tr></thead>\n<tbody>\n",
    );
    for (x, judgement) in parts {
        let Judgement { claim, measured, .. } = judgement;
        let outcome = Outcome::of_point(about, judgement, records);
        let (x, verdict) = (x.to_string(), badge(outcome));
        let (x, claim, measured) = (Escaped(&x), Escaped(claim), Escaped(numbers(measured)));
        let _ = writeln!(
            page,
            "<tr title=\"{claim}\"><td>{x}</td><td>{verdict}</td><td class=\"wrap\">{measured}</td></tr>"
        );
    }
    page.push_str("</tbody>\n</table></div>\n</details>\n");
}

/// The numbers of a point alone: the series is the same in every line.
fn numbers(measured: &str) -> &str {
    measured.split_once(": ").map_or(measured, |(_, numbers)| numbers)
}

/// A row for each x, a column for each series that has rows.
fn table(page: &mut String, plot: &Plot, rows: &[&Row]) {
    let at = |series: &str, x: &X| rows.iter().find(|row| row.series == series && row.x == *x);
    let present = |name: &&String| rows.iter().any(|row| row.series == **name);
    let series: Vec<&String> = plot.series.iter().filter(present).collect();
    let mut places: Vec<&X> = Vec::new();
    for row in rows.iter().filter(|row| series.contains(&&row.series)) {
        if !places.contains(&&row.x) {
            places.push(&row.x);
        }
    }
    if places.is_empty() {
        return;
    }
    let _ = write!(
        page,
        "<figure>\n<figcaption>{}</figcaption>\n<div class=\"scroll\"><table class=\"raw\">\n<thead><tr><th>{}</th>",
        Escaped(&plot.title),
        Escaped(&plot.x_label)
    );
    let shared = shared_end(&series);
    for name in &series {
        let name = name.strip_suffix(shared).unwrap_or(name);
        let _ = write!(page, "<th class=\"num\">{}</th>", Escaped(name));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for x in places {
        let _ = write!(page, "<tr><td>{}</td>", Escaped(&x.to_string()));
        for name in &series {
            let value = at(name, x).map_or("–".to_owned(), |row| grouped(row.value));
            let _ = write!(page, "<td class=\"num\">{value}</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table></div>\n</figure>\n");
}

/// What all names say behind their last comma: the caption says it too, and heads stay short.
fn shared_end<'a>(names: &[&'a String]) -> &'a str {
    let Some((first, others)) = names.split_first() else { return "" };
    let end = first.rfind(", ").map_or("", |at| &first[at..]);
    if others.iter().all(|name| name.ends_with(end)) { end } else { "" }
}

fn render_artefact(page: &mut String, artefact: &Artefact) -> Result<()> {
    let (Artefact::Dot { caption, .. }
    | Artefact::Text { caption, .. }
    | Artefact::Table { caption, .. }) = artefact;
    let _ = writeln!(page, "<figure>\n<figcaption>{}</figcaption>", Escaped(caption));
    match artefact {
        Artefact::Dot { text, .. } => {
            let drawing = dot_svg::render(text)?;
            let _ = writeln!(page, "<div class=\"scroll\">{drawing}</div>");
            let text = Escaped(text);
            let _ = writeln!(page, "<details><summary>As DOT</summary><pre>{text}</pre></details>");
        }
        Artefact::Text { text, .. } => {
            let _ = writeln!(page, "<pre>{}</pre>", Escaped(text));
        }
        Artefact::Table { head, rows, .. } => {
            page.push_str("<div class=\"scroll\"><table>\n<thead><tr>");
            for cell in head {
                let _ = write!(page, "<th>{}</th>", Escaped(cell));
            }
            page.push_str("</tr></thead>\n<tbody>\n");
            for row in rows {
                page.push_str("<tr>");
                for (cell, head) in row.iter().zip(head) {
                    // Queries and edges are code: they wrap anywhere.
                    let code = ["Pattern", "Edges", "Text"].contains(&head.as_str());
                    let class = if code { " class=\"mono\"" } else { "" };
                    let _ = write!(page, "<td{class}>{}</td>", Escaped(cell));
                }
                page.push_str("</tr>\n");
            }
            page.push_str("</tbody>\n</table></div>\n");
        }
    }
    page.push_str("</figure>\n");
    Ok(())
}

/// All rows, folded away: numbers first, then where they come from.
pub(super) fn raw(page: &mut String, rows: &[&Row]) {
    if rows.is_empty() {
        return;
    }
    let _ = write!(
        page,
        "<details>\n<summary>Raw numbers</summary>\n<div class=\"scroll\"><table class=\"raw\">\n<thead><tr><th>Series</th>\
         <th>x</th><th class=\"num\">Value</th><th>Unit</th><th class=\"num\">Low</th>\
         <th class=\"num\">High</th><th class=\"num\">Runs</th></tr></thead>\n<tbody>\n"
    );
    for row in rows {
        let Row { series, unit, n, .. } = row;
        let (series, x, unit) = (Escaped(series), row.x.to_string(), Escaped(unit));
        let (x, value, lo, hi) =
            (Escaped(&x), grouped(row.value), grouped(row.lo), grouped(row.hi));
        let _ = writeln!(
            page,
            "<tr><td>{series}</td><td>{x}</td><td class=\"num\">{value}</td><td>{unit}</td>\
             <td class=\"num\">{lo}</td><td class=\"num\">{hi}</td><td class=\"num\">{n}</td></tr>"
        );
    }
    page.push_str("</tbody>\n</table></div>\n");
    origins(page, rows);
    page.push_str("</details>\n");
}

/// Which data, seed and machine the rows come from; which x has which data when there are several.
fn origins(page: &mut String, rows: &[&Row]) {
    let mut machines: Vec<&str> = Vec::new();
    let mut data: Vec<(&str, Vec<String>)> = Vec::new();
    let mut seeds: Vec<String> = Vec::new();
    for row in rows {
        if !machines.contains(&row.machine.as_str()) {
            machines.push(&row.machine);
        }
        let (seed, x) = (row.seed.to_string(), row.x.to_string());
        if !seeds.contains(&seed) {
            seeds.push(seed);
        }
        let Some(hash) = &row.data_sha256 else { continue };
        match data.iter_mut().find(|(known, _)| known == hash) {
            Some((_, places)) if places.contains(&x) => {}
            Some((_, places)) => places.push(x),
            None => data.push((hash, vec![x])),
        }
    }
    page.push_str("<dl class=\"facts\">\n");
    for machine in machines {
        let _ = writeln!(page, "<dt>Machine and build</dt><dd>{}</dd>", Escaped(machine));
    }
    let _ = writeln!(page, "<dt>Seed</dt><dd>{}</dd>", seeds.join(", "));
    for (hash, places) in &data {
        let places = places.join(", ");
        let _ = writeln!(
            page,
            "<dt>Data, SHA-256</dt><dd><span class=\"hash\">{}</span> at {}</dd>",
            Escaped(hash),
            Escaped(&places)
        );
    }
    page.push_str("</dl>\n");
}
