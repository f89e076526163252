//! The shared versioned match buffer on the article's eight events.

use std::ops::ControlFlow;

use nfab::language::Query;
use nfab::{
    Automaton, BufferView, CompileOptions, Config, Engine, Evaluation, HistoryKind, Match, Record,
    Visit,
};

use super::engines::{fail, schema};
use super::example;
use crate::claim::Claim;
use crate::error::{Error, Result};
use crate::experiment::{About, Artefact, Context, Experiment, Kind};

/// Query Q3 over e1 to e8.
#[derive(Debug)]
pub struct Buffer;

const TEXT: &str = "PATTERN SEQ(stock+ a[], stock b) WHERE skip_till_next_match { [symbol] AND \
                    a[1].volume > 1000 AND a[i].price > avg(a[..i-1].price) AND \
                    b.volume < 0.8 * a[a.LEN].volume } WITHIN 1 hour";

/// Prices and volumes of e1 to e8.
const EVENTS: [(i64, i64); 8] = [
    (100, 1010),
    (120, 990),
    (120, 1005),
    (121, 999),
    (120, 999),
    (125, 750),
    (120, 950),
    (120, 700),
];

/// The matches as the article names its runs.
const MATCHES: [(&str, &str); 3] =
    [("R1", "e1 e2 e3 e4 e5 e6"), ("R2", "e3 e4 e6"), ("R3", "e1 e2 e3 e4 e5 e6 e7 e8")];

/// Every edge of the buffer: the stack and event that it leaves, where it leads, its version.
const EDGES: [&str; 14] = [
    "a[1] e1 -> root 1",
    "a[1] e3 -> root 2",
    "a[i] e2 -> a[1] e1 1.0",
    "a[i] e3 -> a[i] e2 1.0",
    "a[i] e4 -> a[i] e3 1.0",
    "a[i] e4 -> a[1] e3 2.0",
    "a[i] e5 -> a[i] e4 1.0",
    "a[i] e6 -> a[i] e5 1.1",
    "a[i] e6 -> a[i] e4 2.1",
    "a[i] e7 -> a[i] e6 1.1",
    "a[i] e8 -> a[i] e7 1.2",
    "b e6 -> a[i] e5 1.0.0",
    "b e6 -> a[i] e4 2.0.0",
    "b e8 -> a[i] e7 1.1.0",
];

/// Those of which the article gives the version.
const IN_THE_TEXT: [&str; 6] = [
    "a[i] e5 -> a[i] e4 1.0",
    "a[i] e6 -> a[i] e5 1.1",
    "b e6 -> a[i] e5 1.0.0",
    "b e6 -> a[i] e4 2.0.0",
    "a[i] e4 -> a[1] e3 2.0",
    "a[i] e4 -> a[i] e3 1.0",
];

const RUNS: &str = "matches R1, R2 and R3";
const CHAIN: &str = "matches with the chain buffer";
const ALL_EDGES: &str = "all edges of the buffer";
const TEXT_EDGES: &str = "edges of the buffer in the text";
const EXTRACTED: &str = "sequences extracted from b e6";

impl Experiment for Buffer {
    fn about(&self) -> About {
        About {
            id: "nfab-buffer".to_owned(),
            kind: Kind::Example,
            title: "The shared versioned match buffer".to_owned(),
            paper: "The article, shared versioned match buffer: trading begins with a volume above \
                    1000, prices then stay above their average, at last the volume drops below 80 % \
                    of the one before. At e6 a run forks, since e6 fits both a[i] and b: R1 and R3 \
                    have the first five events in common. One buffer with versions on its edges \
                    holds R1, R2 and R3 without repeating them. Without versions e6, e4, e3, e2, e1 \
                    would be read back; with them the edge of e6 has 2.0.0, of the two edges of e4 \
                    only 2.0 is its prefix and not 1.0, and so e6, e4, e3 is read."
                .to_owned(),
            method: "The query over e1 to e8 with the versioned buffer. Afterwards every stack, \
                     entry, edge and version of the buffer is compared with what follows from the \
                     article's rules, and the matches with R1, R2 and R3. What can be extracted is \
                     read from the buffer's own edges, once more, by the article's rule for \
                     compatible versions. The default buffer (a chain of cells) must give the same \
                     matches."
                .to_owned(),
            reconstruction: Some(
                "The events' prices and volumes are those of the paper of 2008, which the article \
                 draws; the article's text names e3, e4, e5 and e6 with their edges. \
                 The edges that its text does not name follow from its rules: a new run has a \
                 number of its own, entering the next state appends 0, the clone that stays at a \
                 fork increments its last number."
                    .to_owned(),
            ),
            claims: vec![
                Claim::example("the matches are R1, R2 and R3", RUNS),
                Claim::example("the edges that the text names have its versions", TEXT_EDGES),
                Claim::example("e6-e4-e3 is extracted, e6-e4-e3-e2-e1 is not", EXTRACTED),
                Claim::example("every edge of the buffer with its version, and no other", ALL_EDGES)
                    .our_reading(),
                Claim::example("the chain buffer gives the same matches", CHAIN).our_check(),
            ],
            plots: Vec::new(),
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let (found, view) = run(HistoryKind::Versioned)?;
        let view = view.ok_or_else(|| Error::failed("the engine shows no versioned buffer"))?;
        let expected: Vec<&str> = MATCHES.iter().map(|(_, events)| *events).collect();
        context.record.check(RUNS, expected.join("; "), found.join("; "));
        let edges = edges(&view);
        let named = IN_THE_TEXT.iter().filter(|&&edge| edges.iter().any(|one| one.show() == edge));
        let named: Vec<&str> = named.copied().collect();
        context.record.check(TEXT_EDGES, IN_THE_TEXT.join("; "), named.join("; "));
        let all: Vec<String> = edges.iter().map(Edge::show).collect();
        context.record.check(ALL_EDGES, EDGES.join("; "), all.join("; "));
        let extracted = extracted(&edges, ("b", 6));
        context.record.check(EXTRACTED, "e6-e5-e4-e3-e2-e1; e6-e4-e3", extracted.join("; "));
        let (chain, _) = run(HistoryKind::Chain)?;
        context.record.check(CHAIN, expected.join("; "), chain.join("; "));
        Ok(())
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let (found, view) = run(HistoryKind::Versioned)?;
        let head = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let events = (1..).zip(EVENTS).map(|(number, (price, volume)): (u32, _)| {
            vec![format!("e{number}"), price.to_string(), volume.to_string()]
        });
        let names = MATCHES.map(|(name, _)| name);
        let matches =
            names.iter().zip(&found).map(|(name, one)| vec![(*name).to_owned(), one.clone()]);
        let mut artefacts = vec![
            example::queries(&[TEXT]),
            Artefact::Table {
                caption: "The events".to_owned(),
                head: head(&["Event", "Price", "Volume"]),
                rows: events.collect(),
            },
            Artefact::Table {
                caption: "The matches".to_owned(),
                head: head(&["Match", "Events"]),
                rows: matches.collect(),
            },
            example::drawing(
                "The automaton NFA^b; dashed edges do not keep the event",
                &automaton()?,
            ),
        ];
        if let Some(view) = view {
            artefacts.push(Artefact::Dot {
                caption: "The buffer after e8: a stack for each state, a version on each edge"
                    .to_owned(),
                text: from_one(&view.to_dot()),
            });
        }
        Ok(artefacts)
    }
}

/// The drawing with events that count from 1, as the article's do.
fn from_one(dot: &str) -> String {
    let relabel = |line: &str| -> Option<String> {
        let (node, rest) = line.split_once(" [label=\"")?;
        let number: u64 = rest.strip_suffix("\"];")?.parse().ok()?;
        (!node.contains("->")).then(|| format!("{node} [label=\"e{}\"];", number + 1))
    };
    dot.lines().map(|line| relabel(line).unwrap_or_else(|| line.to_owned()) + "\n").collect()
}

fn automaton() -> Result<Automaton> {
    let schema = schema(&["stock"], &["symbol", "price", "volume"]);
    let options = CompileOptions::new().evaluation(Evaluation::Runs);
    let query = Query::parse(TEXT).map_err(fail)?;
    Automaton::from_query(&query, &schema, options).map_err(fail)
}

/// The matches in their order of completion, then of their starts, and the buffer at the end.
fn run(history: HistoryKind) -> Result<(Vec<String>, Option<BufferView>)> {
    let mut engine = Engine::with_config(automaton()?, Config::new().history(history));
    let mut found = Vec::new();
    let mut sink = Visit(|one: &Match<'_, Record>| {
        let events: Vec<String> =
            one.events().numbers().map(|number| format!("e{}", number + 1)).collect();
        found.push(events.join(" "));
        ControlFlow::Continue(())
    });
    for event in example::records(EVENTS.map(|(price, volume)| vec![1, price, volume])) {
        engine.push(event, &mut sink).map_err(fail)?;
    }
    Ok((found, engine.buffer()))
}

/// An edge of the buffer; events count from 1.
struct Edge {
    from: (String, u64),
    to: Option<(String, u64)>,
    version: String,
}

impl Edge {
    fn show(&self) -> String {
        let Self { from: (stack, event), to, version } = self;
        let to = match to {
            Some((stack, event)) => format!("{stack} e{event}"),
            None => "root".to_owned(),
        };
        format!("{stack} e{event} -> {to} {version}")
    }
}

fn edges(view: &BufferView) -> Vec<Edge> {
    let stacks = view.stacks();
    let mut edges = Vec::new();
    for stack in stacks {
        for entry in stack.entries() {
            edges.extend(entry.edges().iter().map(|edge| Edge {
                from: (stack.name().to_owned(), entry.event() + 1),
                to: edge.to().map(|(at, event)| (stacks[at].name().to_owned(), event + 1)),
                version: edge.version().to_owned(),
            }));
        }
    }
    edges
}

/// Everything that is read back from an entry by the article's rule, whichever edge one takes first.
fn extracted(edges: &[Edge], from: (&str, u64)) -> Vec<String> {
    let mut all = Vec::new();
    // The edge to follow, and the events so far.
    let mut open: Vec<(&Edge, String)> =
        leaving(edges, from).map(|edge| (edge, format!("e{}", from.1))).collect();
    open.reverse();
    while let Some((edge, read)) = open.pop() {
        let Some((stack, event)) = &edge.to else {
            all.push(read);
            continue;
        };
        let read = format!("{read}-e{event}");
        let fitting =
            leaving(edges, (stack, *event)).filter(|one| compatible(&one.version, &edge.version));
        open.extend(fitting.map(|one| (one, read.clone())));
    }
    all
}

fn leaving<'e>(
    edges: &'e [Edge],
    (stack, event): (&'e str, u64),
) -> impl Iterator<Item = &'e Edge> {
    edges.iter().filter(move |edge| edge.from.0 == stack && edge.from.1 == event)
}

/// Whether a walk with the version `later` may go on by an edge of the version `earlier`: of equal length
/// they differ at most in the last number, which does not grow on the way back; a shorter one is a
/// prefix.
fn compatible(earlier: &str, later: &str) -> bool {
    let numbers = |text: &str| -> Vec<u64> { text.split('.').flat_map(str::parse).collect() };
    let (earlier, later) = (numbers(earlier), numbers(later));
    if earlier.len() != later.len() {
        return earlier.len() < later.len() && later.starts_with(&earlier);
    }
    match (earlier.split_last(), later.split_last()) {
        (Some((one, rest)), Some((other, others))) => rest == others && one <= other,
        _ => false,
    }
}
