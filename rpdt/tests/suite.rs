//! Replays `data/cases.txt`: hand-checked queries, documents and answers, each under every
//! configuration that must not matter, and each against the oracle too.
//!
//! The format of the file is described at its top.

#[allow(dead_code, reason = "each test program uses a part of it")]
#[path = "common/dom.rs"]
mod dom;
#[allow(dead_code, reason = "each test program uses a part of it")]
mod oracle;

use dom::Document;
use oracle::answers::Expected;
use oracle::observe::{Keep, Seen, feed, right_details};
use oracle::{Oracle, Prefixes};
use rpdt::input::Checks;
use rpdt::{
    Config, Count, Error, FrontEnd, Limits, Mechanisms, Namespaces, Needs, Order, Pattern, Plan,
    Runs, Shape, Threads,
};

#[derive(Debug, Default)]
struct Case {
    line: usize,
    title: String,
    query: String,
    document: String,
    shape: Option<Shape>,
    runs: Runs,
    namespaces: Vec<(String, String)>,
    answers: Vec<String>,
    /// Only the number of answers is given.
    count: Option<usize>,
    error: Option<String>,
}

fn cases() -> Vec<Case> {
    let text = include_str!("data/cases.txt");
    let mut cases: Vec<Case> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (key, value) = line.split_once(':').unwrap_or_else(|| panic!("line {}", number + 1));
        let value = value.trim();
        if key == "case" {
            cases.push(Case { line: number + 1, title: value.into(), ..Case::default() });
            continue;
        }
        let case = cases.last_mut().expect("a file starts with a case");
        match key {
            "query" => case.query = unescape(value),
            "document" => case.document = unescape(value),
            "shape" => {
                case.shape = Some(match value {
                    "nodes" => Shape::Nodes,
                    "tuples" => Shape::Tuples,
                    "instances" => Shape::Instances,
                    other => panic!("shape {other}"),
                });
            }
            "runs" => {
                case.runs = match value {
                    "live" => Runs::Live,
                    "peak" => Runs::Peak,
                    "nonoverlap" => Runs::NonOverlap,
                    other => panic!("runs {other}"),
                }
            }
            "namespace" => {
                let (prefix, uri) = value.split_once('=').expect("prefix=URI");
                case.namespaces.push((prefix.into(), uri.into()));
            }
            "answer" => case.answers.push(value.into()),
            "count" => case.count = Some(value.parse().expect("a number")),
            "error" => case.error = Some(value.into()),
            other => panic!("line {}: {other}", number + 1),
        }
    }
    cases
}

/// `\n`, `\r` and `\t` stand for the characters.
fn unescape(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t")
}

impl Case {
    fn config(&self) -> Config {
        let mut namespaces = Namespaces::new();
        for (prefix, uri) in &self.namespaces {
            namespaces = match prefix.as_str() {
                "" => namespaces.with_default(uri),
                prefix => namespaces.with(prefix, uri),
            };
        }
        let config = Config::new().runs(self.runs).namespaces(namespaces);
        self.shape.map_or(config.clone(), |shape| config.shape(shape))
    }

    fn plan(&self, config: Config) -> Result<Plan, Error> {
        Plan::new(vec![Pattern::parse(&self.query)?], config)
    }

    fn prefixes(&self) -> Prefixes {
        let mut prefixes = Prefixes::default();
        for (prefix, uri) in &self.namespaces {
            match prefix.as_str() {
                "" => prefixes.default = Some(uri.clone()),
                prefix => prefixes.declared.push((prefix.into(), uri.clone())),
            }
        }
        prefixes
    }

    fn name(&self) -> String {
        format!("line {}, {}: {} on {}", self.line, self.title, self.query, self.document)
    }
}

/// An element as the file names it: the value of its attribute `i`, or `@` and its offset.
fn id(doc: &Document, start: usize) -> String {
    let element = doc.elements.iter().find(|e| e.start == start).expect("an element starts there");
    let given = element.attributes.iter().find(|(key, _)| key == "i");
    given.map_or_else(|| format!("@{start}"), |(_, i)| i.clone())
}

/// An answer as the file writes it.
fn show_seen(doc: &Document, answer: &Seen) -> String {
    let mut fields: Vec<String> = Vec::new();
    for (label, is_list, nodes) in answer.fields.iter().filter(|(_, _, nodes)| !nodes.is_empty()) {
        let ids: Vec<_> = nodes.iter().map(|n| id(doc, n.start as usize)).collect();
        let ids = ids.join(" ");
        fields.push(if *is_list { format!("{label}=({ids})") } else { format!("{label}={ids}") });
    }
    join(fields)
}

fn show_expected(doc: &Document, shape: Shape, answer: &Expected) -> String {
    let field = |(label, elements): (&String, &Vec<usize>)| {
        let ids: Vec<_> = elements.iter().map(|&e| id(doc, doc.elements[e].start)).collect();
        let node =
            shape == Shape::Nodes || answer.single.contains(label) || answer.either.contains(label);
        let ids = ids.join(" ");
        if node { format!("{label}={ids}") } else { format!("{label}=({ids})") }
    };
    join(answer.fields.iter().map(field).collect())
}

fn join(mut fields: Vec<String>) -> String {
    fields.sort();
    if fields.is_empty() { "()".to_owned() } else { fields.join(" ") }
}

/// Every combination of mechanisms, and limits so small that tables overflow all the time.
fn configurations() -> Vec<(Mechanisms, Limits)> {
    let mut all = Vec::new();
    for bits in 0..8 {
        let mechanisms = Mechanisms {
            lazy_automaton: bits & 1 != 0,
            skipping: bits & 2 != 0,
            sharing: bits & 4 != 0,
        };
        all.push((mechanisms, Limits::default()));
    }
    let mut tiny = Limits::default();
    tiny.automaton_states = 2;
    tiny.names = 1;
    all.push((Mechanisms::default(), tiny));
    all
}

/// Every case that has answers, on the engine.
#[test]
fn cases_on_the_engine() {
    let needs = [
        Needs::default(),
        Needs::range(),
        Needs { xml: true, ..Needs::default() },
        Needs { text: true, xml: true, ..Needs::description() },
    ];
    for case in cases().iter().filter(|c| c.error.is_none()) {
        let doc = Document::parse(&case.document);
        let bytes = case.document.as_bytes();
        for (mechanisms, limits) in configurations() {
            for order in [Order::Document, Order::Certain] {
                let config = case.config().mechanisms(mechanisms).limits(limits.clone());
                let plan = case.plan(config.order(order));
                let plan = plan.unwrap_or_else(|e| panic!("{}: {e}", case.name()));
                for (sizes, needs) in [&[][..], &[1], &[2, 3, 5], &[7]].into_iter().zip(&needs) {
                    let what = || {
                        let name = case.name();
                        let states = limits.automaton_states;
                        format!("{name}\n{mechanisms:?} {states} {order:?} {sizes:?}")
                    };
                    let mut keep = Keep::new(*needs);
                    feed(&plan, bytes, sizes, &mut keep)
                        .unwrap_or_else(|e| panic!("{}: {e}", what()));
                    let mut got: Vec<_> = keep.seen.iter().map(|s| show_seen(&doc, s)).collect();
                    let mut wanted = case.answers.clone();
                    if let Some(count) = case.count {
                        assert_eq!(got.len(), count, "{}", what());
                        continue;
                    }
                    match order {
                        // Answers without any node have no place of their own in the document.
                        Order::Document => got.sort_by_key(|answer| answer != "()"),
                        Order::Certain => {
                            got.sort();
                            wanted.sort();
                        }
                    }
                    assert_eq!(got, wanted, "{}", what());
                    right_details(&doc, *needs, &keep.seen)
                        .unwrap_or_else(|e| panic!("{}\n{e}", what()));
                }
            }
        }
    }
}

/// Front ends, checks and threads, which must not matter either.
fn readers() -> Vec<(FrontEnd, Checks, Threads)> {
    let mut all = Vec::new();
    for front_end in [FrontEnd::Scanner, FrontEnd::PortableScanner, FrontEnd::QuickXml] {
        for checks in [Checks::Fast, Checks::Strict] {
            for (threads, segment) in [(1, 1 << 20), (2, 1), (2, 30), (3, 7), (4, 100)] {
                all.push((front_end, checks, Threads::new(threads).segment(segment)));
            }
        }
    }
    all
}

/// Every case on every reader: answers with all details, and their number where they are only counted.
/// Also with so much white space behind that the scanner's hot path goes to the end.
#[test]
fn cases_on_every_reader() {
    let needs = Needs { text: true, xml: true, ..Needs::description() };
    for case in cases().iter().filter(|c| c.error.is_none()) {
        let doc = Document::parse(&case.document);
        let padded = format!("{}{}", case.document, " ".repeat(100));
        let wanted = case.count.unwrap_or(case.answers.len());
        for (front_end, checks, threads) in readers() {
            let config = case.config().front_end(front_end).checks(checks);
            let plan = case.plan(config.order(Order::Document)).expect("the query is right");
            for document in [case.document.as_bytes(), padded.as_bytes()] {
                let what = || format!("{}\n{front_end:?} {checks:?} {threads:?}", case.name());
                let mut keep = Keep::new(needs);
                plan.run_slice_on(threads, document, &mut keep)
                    .unwrap_or_else(|e| panic!("{}: {e}", what()));
                let mut got: Vec<_> = keep.seen.iter().map(|s| show_seen(&doc, s)).collect();
                got.sort_by_key(|answer| answer != "()");
                assert_eq!(got.len(), wanted, "{}", what());
                if case.count.is_none() {
                    assert_eq!(got, case.answers, "{}", what());
                }
                right_details(&doc, needs, &keep.seen)
                    .unwrap_or_else(|e| panic!("{}\n{e}", what()));
                let counted = plan.run_slice_on(threads, document, Count::new());
                let counted = counted.unwrap_or_else(|e| panic!("{}: {e}", what()));
                assert_eq!(counted.sink.total(), wanted as u64, "counted: {}", what());
            }
        }
    }
}

/// The same cases on the oracle: neither may be wrong alone.
#[test]
fn cases_on_the_oracle() {
    let mut faults = Vec::new();
    for case in cases().iter().filter(|c| c.error.is_none()) {
        let doc = Document::parse(&case.document);
        let pattern =
            Pattern::parse(&case.query).unwrap_or_else(|e| panic!("{}: {e}", case.name()));
        let shape = case.shape.unwrap_or(match pattern.return_nodes().len() {
            1 => Shape::Nodes,
            _ => Shape::Tuples,
        });
        let prefixes = case.prefixes();
        let answers = Oracle::new(&doc, &pattern, &prefixes, case.runs).answers(shape, 1000);
        let answers = answers.expect("few answers");
        let got: Vec<_> = answers.iter().map(|a| show_expected(&doc, shape, a)).collect();
        if case.count.map_or(got != case.answers, |count| got.len() != count) {
            faults.push(format!("{}\nexpected {:?}\n     got {got:?}", case.name(), case.answers));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Every case that must fail: kind of the error, and where.
#[test]
fn cases_that_fail() {
    for case in cases().iter().filter(|c| c.error.is_some()) {
        let error = match case.plan(case.config()) {
            Err(e) => e,
            Ok(plan) => plan
                .run_slice(case.document.as_bytes(), Keep::new(Needs::default()))
                .err()
                .unwrap_or_else(|| panic!("{}: no error", case.name())),
        };
        let place = match (error.span(), error.position()) {
            (Some(span), _) => format!(" {}", span.start),
            (None, Some(position)) => format!(" {}", position.offset),
            (None, None) => String::new(),
        };
        let got = format!("{:?}{place}", error.kind());
        let wanted = case.error.as_deref().expect("filtered");
        let same = got == wanted || got.split(' ').next() == Some(wanted);
        assert!(same, "{}: {error} ({got} instead of {wanted})", case.name());
    }
}

/// The file is what it should be: enough cases, none twice, every shape and policy in it.
#[test]
fn cases_are_many_and_different() {
    let cases = cases();
    assert!(cases.len() >= 60, "{} cases", cases.len());
    for (index, case) in cases.iter().enumerate() {
        let twice = cases[..index].iter().any(|c| c.title == case.title);
        assert!(!twice && !case.query.is_empty() && !case.document.is_empty(), "{}", case.name());
    }
}
