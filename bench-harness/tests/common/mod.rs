//! Experiments of the tests' own: the product has no stand-ins.

#![allow(dead_code, reason = "every test file uses a part of this")]

use bench_harness::claim::{Claim, Rule};
use bench_harness::experiment::{
    About, Artefact, Context, Experiment, Kind, Plot, Registry, Spacing, Style,
};
use bench_harness::measure::memory::Heap;
use bench_harness::measure::{Contender, Summary, interleave};
use bench_harness::record::{Row, X};
use bench_harness::{Error, Result};

/// A row of the experiment `test`.
pub fn row(series: &str, x: impl Into<X>, (lo, value, hi): (f64, f64, f64), n: u32) -> Row {
    Row {
        id: "test".to_owned(),
        series: series.to_owned(),
        x: x.into(),
        value,
        unit: "ms".to_owned(),
        n,
        lo,
        hi,
        seed: 1,
        data_sha256: None,
        own_file: None,
        machine: "a machine; scale tiny".to_owned(),
    }
}

/// A worked example; its answer is right unless told otherwise.
pub struct Example {
    pub id: &'static str,
    pub answer: &'static str,
}

impl Experiment for Example {
    fn about(&self) -> About {
        About {
            id: self.id.to_owned(),
            kind: Kind::Example,
            title: "The automaton of <a> & <b>".to_owned(),
            paper: "The paper gives 1, 2, 3.\n\nThen it gives no more.".to_owned(),
            method: "We count.".to_owned(),
            reconstruction: None,
            claims: vec![Claim::example("counts as the paper does", "counting")],
            plots: Vec::new(),
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        context.record.check("counting", "1, 2, 3", self.answer);
        Ok(())
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let head = vec!["Query".to_owned(), "Text".to_owned()];
        let rows = vec![vec!["R1".to_owned(), "//a[b]/{c!, d*} <&>".to_owned()]];
        Ok(vec![
            Artefact::Dot { caption: "The automaton".to_owned(), text: AUTOMATON.to_owned() },
            Artefact::Text { caption: "A document".to_owned(), text: "<a><b/></a>".to_owned() },
            Artefact::Table { caption: "Queries".to_owned(), head, rows },
        ])
    }
}

/// The shape that a regular tree pattern's automaton has: cycles, loops, labels, two clusters.
pub const AUTOMATON: &str = r#"
digraph "//a[b!]//c/{ e!, d[f][.//g]* }" {
  node [shape=circle];
  start [shape=point];
  subgraph cluster_0 { label="sub-PDTs"; 1; 2; 4 [label="4"]; }
  subgraph cluster_1 { label="sibling NFA of e:d*"; 5; 6; 7 [shape=doublecircle]; 8 [style=dashed]; }
  start -> 1;
  1 -> 2 [label="<a>"];
  2 -> 2 [label="<*>"];
  2 -> 2 [label="</*>"];
  2 -> 3 [label="<b> / add"];
  3 -> 2 [label="</b>"];
  2 -> 4 [label="<c>"];
  4 -> 5 [label="ε", style=dashed];
  5 -> 6 [label="<e> / add"];
  6 -> 7 [label="</e> / ε"];
  7 -> 9 [label="<d>"];
  9 -> 7 [label="</d> / check"];
  9 -> 10 [label="<f>"]; 10 -> 9 [label="</f>"];
  9 -> 11 [label="<g>"]; 11 -> 9 [label="</g>"];
  11 -> 11 [label="<*>"];
  7 -> 8 [label="ε", style=dashed];
  8 -> 4 [label="ε", style=dashed];
  4 -> 2 [label="</c> / upload"];
  2 -> 1 [label="</a> / check, upload"];
}
"#;

/// A bar chart whose numbers are made up, so that every run of it is the same.
pub struct Bars;

impl Experiment for Bars {
    fn about(&self) -> About {
        About {
            id: "made-up-bars".to_owned(),
            kind: Kind::Figure,
            title: "Query time of seven queries".to_owned(),
            paper: "The quick engine is faster on every query.".to_owned(),
            method:
                "Each round runs both engines once, in an order that changes from round to round; \
                     reading, tokenising and matching are inside the timed region."
                    .to_owned(),
            reconstruction: Some("The query list is lost; these stand in.".to_owned()),
            claims: vec![
                Claim::new(
                    "the quick engine is faster on every query",
                    "faster on every query",
                    Rule::below("Quick", "Slow engine"),
                ),
                Claim::new("equal answers", "", Rule::same(&["Quick answers", "Slow answers"])),
                Claim::new("faster still", "by the figure", Rule::below("Quick", "Absent")),
            ],
            plots: vec![
                Plot {
                    title: "Query time".to_owned(),
                    style: Style::Bars,
                    series: ["Quick", "Slow engine", "Oracle"].map(str::to_owned).to_vec(),
                    x_label: "query".to_owned(),
                    y_label: "time".to_owned(),
                    x_axis: Spacing::Linear,
                    y_axis: Spacing::Linear,
                    absent: Vec::new(),
                },
                Plot {
                    title: "Paired ratio of the times".to_owned(),
                    style: Style::Bars,
                    series: vec!["Quick / Slow engine".to_owned()],
                    x_label: "query".to_owned(),
                    y_label: "Quick / Slow engine".to_owned(),
                    x_axis: Spacing::Linear,
                    y_axis: Spacing::Linear,
                    absent: Vec::new(),
                },
            ],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        for query in 1..=7_u32 {
            let count = u64::from(query) * 411;
            for series in ["Quick answers", "Slow answers"] {
                context.record.count(series, format!("P{query}"), count, "answers");
            }
        }
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        for query in 1..=7_u32 {
            let x = format!("P{query}");
            let quick: Vec<f64> = (0..9).map(|run| 11.3 + f64::from(query + run) * 0.37).collect();
            let slow: Vec<f64> =
                quick.iter().map(|time| time * (1.4 + 0.21 * f64::from(query))).collect();
            for (series, runs) in [("Quick", &quick), ("Slow engine", &slow)] {
                let summary = Summary::of(runs).ok_or_else(|| Error::failed("no runs"))?;
                context.record.point(series, x.clone(), summary, "ms");
            }
            if let Some(summary) = Summary::of(&slow) {
                context.record.point("Oracle", x.clone(), summary.scale(1.31), "ms");
            }
            if let Some(ratio) = Summary::of_ratios(&quick, &slow) {
                context.record.point("Quick / Slow engine", x, ratio, "ratio");
            }
        }
        Ok(())
    }
}

/// Lines over sizes, with one curve a query.
pub struct Lines;

const QUERIES: [&str; 6] = ["P1", "P4", "P6", "R1", "R2", "R7, a long name"];

impl Experiment for Lines {
    fn about(&self) -> About {
        let plot = |title: &str, x_axis, y_axis| Plot {
            title: title.to_owned(),
            style: Style::Lines,
            series: QUERIES.map(str::to_owned).to_vec(),
            x_label: "size of the document, MB".to_owned(),
            y_label: "throughput".to_owned(),
            x_axis,
            y_axis,
            absent: Vec::new(),
        };
        About {
            id: "made-up-lines".to_owned(),
            kind: Kind::Figure,
            title: "Throughput against size".to_owned(),
            paper: "Throughput grows with size.".to_owned(),
            method: "As above.".to_owned(),
            reconstruction: None,
            claims: vec![
                Claim::new("grows with size", "grows", Rule::rises(&QUERIES)),
                Claim::new(
                    "1.61 GB/s at 2273 MB",
                    "1.61 GB/s",
                    Rule::Reaches {
                        series: vec!["R1".to_owned()],
                        at: vec![2273.0.into()],
                        value: 1.61,
                        unit: "GB/s".to_owned(),
                    },
                ),
            ],
            plots: vec![
                plot("Throughput, logarithmic sizes", Spacing::Log, Spacing::Linear),
                plot("Throughput, both logarithmic", Spacing::Log, Spacing::Log),
                plot("Throughput, linear sizes", Spacing::Linear, Spacing::Linear),
            ],
        }
    }

    fn check(&self, _: &mut Context<'_>) -> Result<()> {
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        for (number, query) in QUERIES.iter().enumerate() {
            for size in [11.0, 56.0, 115.0, 1136.0, 2273.0_f64] {
                let value = 0.9 + 0.06 * number as f64 + size.log10() * 0.17;
                let summary = Summary { median: value, lo: value * 0.97, hi: value * 1.021, n: 11 };
                context.record.point(query, size, summary, "GB/s");
            }
        }
        Ok(())
    }
}

/// Two contenders that really run.
pub struct Timed {
    pub agree: bool,
}

impl Experiment for Timed {
    fn about(&self) -> About {
        About {
            id: "timed".to_owned(),
            kind: Kind::Figure,
            title: "Sums".to_owned(),
            paper: "A short sum takes less time than a long one.".to_owned(),
            method: "Sums of squares.".to_owned(),
            reconstruction: None,
            claims: vec![Claim::new("short below long", "", Rule::below("short", "long"))],
            plots: Vec::new(),
        }
    }

    fn check(&self, _: &mut Context<'_>) -> Result<()> {
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let sum =
            |from: u64, to: u64| (from..to).fold(0, |sum, n| std::hint::black_box(sum + n * n));
        let other = u64::from(!self.agree);
        let mut contenders = [
            Contender::new("short", || Ok(std::hint::black_box(sum(0, 2_000)) > 0)),
            Contender::new("long", || Ok(std::hint::black_box(sum(0, 200_000)) > 0 && other == 0)),
        ];
        let plan = context.plan();
        let samples = interleave(&mut contenders, &plan, context.progress)?;
        context.record.times("sum", &samples);
        Ok(())
    }

    fn probe(&self, name: &str, _: &mut Context<'_>, heap: &dyn Heap) -> Result<u64> {
        match name {
            "vector" => Ok(heap.peak_during(|| vec![0_u8; 1 << 20].len()).1),
            _ => Err(Error::usage("no such probe")),
        }
    }
}

/// Everything that passes.
pub fn registry() -> Registry {
    Registry::default().with([
        Box::new(Example { id: "made-up-example", answer: "1, 2, 3" }) as Box<dyn Experiment>,
        Box::new(Bars),
        Box::new(Lines),
        Box::new(Timed { agree: true }),
    ])
}
