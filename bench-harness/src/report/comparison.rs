//! The page of `compare`: the table of the terminal, its ratios drawn, and all rows.

use std::fmt::Write;

use super::html::Escaped;
use super::page::{badge, head};
use super::section::{figure, raw};
use super::tally::Outcome;
use crate::experiment::{Plot, Spacing, Style};
use crate::peer::table::{Cells, LEFT};
use crate::record::{Judgement, Records, Row};

/// What a page is made of besides its rows.
#[derive(Debug)]
pub struct Comparison<'a> {
    /// Our engine.
    pub engine: &'a str,
    /// The workloads that ran: name and what it is.
    pub workloads: &'a [(String, String)],
    /// The table.
    pub cells: &'a Cells,
    /// What was said meanwhile: what each peer is, and which were skipped.
    pub said: &'a [String],
    /// The command that repeats it.
    pub command: &'a str,
}

/// Renders the page.
pub fn render(comparison: &Comparison<'_>, records: &Records) -> String {
    let Comparison { engine, workloads, cells, said, command } = comparison;
    let engine = Escaped(engine);
    let mut page = head(&format!("{engine} and its peers"));
    let _ = write!(
        page,
        "<header>\n<h1>{engine} and its peers</h1>\n<p class=\"lead\">The same events, the same \
         question: answers are compared before any time counts.</p>\n<dl class=\"facts\">\n"
    );
    if let Some(Row { machine, seed, .. }) = records.rows.first() {
        let machine = Escaped(machine);
        let _ = writeln!(page, "<dt>Machine and build</dt><dd>{machine}</dd>");
        let _ = writeln!(page, "<dt>Seed</dt><dd>{seed}</dd>");
    }
    let command = Escaped(command);
    let _ = writeln!(page, "<dt>To repeat</dt><dd><code>{command}</code></dd>\n</dl>");
    page.push_str("</header>\n<main>\n<section>\n<h2>Times and ratios</h2>\n");
    page.push_str(METHOD);
    table(&mut page, cells);
    for note in &cells.notes {
        let _ = writeln!(page, "<p>{}</p>", Escaped(note));
    }
    for judgement in &records.judgements {
        let Judgement { claim, verdict, measured, rule, .. } = judgement;
        let (verdict, claim) = (badge(Outcome::of(*verdict)), Escaped(claim));
        let _ = writeln!(
            page,
            "<div class=\"claim\">\n<p>{verdict} {claim}</p>\n<dl>\n<dt>Measured</dt><dd>{}</dd>\n\
             <dt>Rule</dt><dd>{}</dd>\n</dl>\n</div>",
            Escaped(measured),
            Escaped(rule)
        );
    }
    ratios(&mut page, &records.rows);
    page.push_str("</section>\n<section>\n<h2>Workloads and peers</h2>\n<dl class=\"facts\">\n");
    for (name, title) in *workloads {
        let _ = writeln!(page, "<dt>{}</dt><dd>{}</dd>", Escaped(name), Escaped(title));
    }
    page.push_str("</dl>\n<ul>\n");
    for text in *said {
        let _ = writeln!(page, "<li>{}</li>", Escaped(text));
    }
    page.push_str("</ul>\n");
    raw(&mut page, &records.rows.iter().collect::<Vec<_>>());
    page.push_str("</section>\n</main>\n</body>\n</html>\n");
    page
}

const METHOD: &str = "<p>All take turns, one round after the other, in an order that is turned round \
    each time. A peer whose answer is another one is named and has no time. A ratio is the peer's time \
    in units of ours: the median of the rounds' own ratios with its 95&#160;% interval, of CPU time and by the \
    clock. Times for an event are CPU times.</p>\n";

fn table(page: &mut String, cells: &Cells) {
    let class = |column: usize| if LEFT.contains(&column) { "" } else { " class=\"num\"" };
    page.push_str("<div class=\"scroll\"><table class=\"raw\">\n");
    for (at, line) in cells.lines.iter().enumerate() {
        page.push_str(if at == 0 { "<thead><tr>" } else { "<tr>" });
        let cell = if at == 0 { "th" } else { "td" };
        for (column, text) in line.iter().enumerate() {
            let _ = write!(page, "<{cell}{}>{}</{cell}>", class(column), Escaped(text));
        }
        page.push_str(if at == 0 { "</tr></thead>\n<tbody>\n" } else { "</tr>\n" });
    }
    page.push_str("</tbody>\n</table></div>\n");
}

/// A drawing for each peer that has ratios of CPU times.
fn ratios(page: &mut String, rows: &[Row]) {
    let mut series: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| row.unit == "ratio" && row.series.ends_with(", CPU time")) {
        if !series.contains(&&*row.series) {
            series.push(&row.series);
        }
    }
    let rows: Vec<&Row> = rows.iter().collect();
    for one in series {
        let plot = Plot {
            title: format!("{one}: above 1, the peer takes longer"),
            style: Style::Ratios,
            series: vec![one.to_owned()],
            x_label: "workload".to_owned(),
            y_label: "ratio of CPU times".to_owned(),
            x_axis: Spacing::Linear,
            y_axis: Spacing::Log,
            absent: Vec::new(),
        };
        figure(page, &plot, &rows);
    }
}
