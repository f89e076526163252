//! Each drawing of the report as a file of its own, for other pages and slides.

use super::section::WIDE;
use super::{dot_svg, svg, theme};
use crate::error::Result;
use crate::experiment::{Artefact, Experiment};
use crate::record::{Records, Row};

/// The drawings of an experiment that was run, as (name, SVG): `ID-1` and so on for its plots,
/// `ID-graph-1` and so on for its graphs.
pub fn plots(experiment: &dyn Experiment, records: &Records) -> Result<Vec<(String, String)>> {
    let about = experiment.about();
    let rows: Vec<&Row> = records.rows_of(&about.id).collect();
    let mut all = Vec::new();
    if rows.is_empty() && records.judgements_of(&about.id).next().is_none() {
        return Ok(all);
    }
    for (number, plot) in about.plots.iter().enumerate() {
        let drawing = svg::chart(plot, &rows, WIDE);
        all.extend(
            drawing.map(|drawing| (format!("{}-{}", about.id, number + 1), alone(&drawing))),
        );
    }
    let mut graphs = 0;
    for artefact in experiment.artefacts()? {
        if let Artefact::Dot { text, .. } = artefact {
            graphs += 1;
            let drawing = dot_svg::render(&text)?;
            all.push((format!("{}-graph-{graphs}", about.id), alone(&drawing)));
        }
    }
    Ok(all)
}

/// A drawing with what it otherwise takes from the page: colours of both schemes, font and background.
fn alone(drawing: &str) -> String {
    let (tag, rest) = drawing.split_once('>').unwrap_or((drawing, ""));
    let tag = tag.strip_prefix("<svg").unwrap_or(tag);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\"{tag}>\n<style>\n{}{}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"var(--card)\"/>\n{rest}\n",
        theme::COLOURS,
        theme::DRAWINGS,
    )
}
