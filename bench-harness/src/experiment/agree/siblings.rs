//! Expressions over flat siblings: a regular branch of rpdt, and nfab under strict contiguity.

use std::ops::ControlFlow;
use std::sync::Arc;

use data_gen::stream::LetterOptions;
use nfab::language::Query;
use nfab::{Automaton, CompileOptions, Config, EndOfInput, Engine, KleeneOutput, Schema};
use rpdt::input::{EndTag, Interest, Markup, QuickXmlSource, SourceConfig};
use rpdt::input::{StartTag, Symbol, TagHandler, TagSource, Text};
use rpdt::{Answer, FrontEnd, Needs, Pattern, Plan, Runs, Shape, Value};

use super::{Found, Match, NO_PAPER, Tally};
use crate::error::{Error, Result};
use crate::experiment::common::{fail, generating};
use crate::experiment::{About, Artefact, Context, Experiment, Kind, Scale};
use crate::measure::{Contender, interleave};
use crate::record::Row;
use crate::sha256;

const NFAB: &str = "nfab";
const RPDT: &str = "rpdt";
const BOTH: [&str; 2] = [NFAB, RPDT];

/// The check.
#[derive(Debug)]
pub struct Siblings;

/// An expression in both languages. Runs of each begin at one kind of element that occurs nowhere else
/// in it, so that of those that end at an element one is the longest.
#[derive(Debug)]
struct Question {
    name: &'static str,
    rpdt: &'static str,
    nfab: &'static str,
    report: Report,
}

/// Which runs are wanted.
#[derive(Clone, Copy, Debug)]
enum Report {
    /// After every sibling the one that ends there.
    Each,
    /// Those that the next sibling does not prolong.
    Longest,
}

const QUESTIONS: [Question; 5] = [
    Question {
        name: "E:D*, each run",
        rpdt: "/r/{e!, d!*}",
        nfab: "PATTERN SEQ(e e1, d* d1[]) WHERE strict_contiguity",
        report: Report::Each,
    },
    Question {
        name: "E:D*, longest runs",
        rpdt: "/r/{e!, d!*}",
        nfab: "PATTERN SEQ(e e1, d* d1[]) WHERE strict_contiguity",
        report: Report::Longest,
    },
    Question {
        name: "E:D+:F",
        rpdt: "/r/{e!, d!+, f!}",
        nfab: "PATTERN SEQ(e e1, d+ d1[], f f1) WHERE strict_contiguity",
        report: Report::Longest,
    },
    Question {
        name: "E:F?:D",
        rpdt: "/r/{e!, f!?, d!}",
        nfab: "PATTERN SEQ(e e1, f? f1, d d1) WHERE strict_contiguity",
        report: Report::Longest,
    },
    Question {
        name: "E:(D|F)+, each run",
        rpdt: "/r/{e!, (d!|f!)+}",
        nfab: "PATTERN SEQ(e e1, SEQ(OR(d d1, f f1))+) WHERE strict_contiguity",
        report: Report::Each,
    },
];

/// The names of the siblings, one letter each, and how frequent they are.
const NAMES: [(&str, f64); 4] = [("c", 1.0), ("d", 3.0), ("e", 2.0), ("f", 1.0)];
/// `<r>` stands before the first sibling, and each is `<x/>`: offsets tell their numbers.
const HEAD: u64 = 3;
const WIDTH: u64 = 4;

/// Of so many siblings all runs are compared one by one.
const SHORT: u64 = 2000;

fn siblings(scale: Scale) -> u64 {
    match scale {
        Scale::Tiny => 3000,
        Scale::Quick => 100_000,
        Scale::Paper => 1_000_000,
        Scale::Full => 5_000_000,
    }
}

/// One element with so many others in it.
fn document(siblings: u64, seed: u64) -> Result<String> {
    let mut options = LetterOptions::uniform(siblings, NAMES.len(), 1);
    options.weights = NAMES.map(|(_, weight)| weight).to_vec();
    let letters = options.stream(seed).map_err(|error| generating(&error))?;
    let mut text = "<r>".to_owned();
    for letter in letters {
        text.extend(["<", NAMES[usize::from(letter.letter)].0, "/>"]);
    }
    Ok(text + "</r>")
}

/// A sibling as nfab sees it: its name's symbol is its type, its number its time.
#[derive(Clone, Copy, Debug)]
struct Sibling {
    symbol: Symbol,
    number: i64,
}

impl nfab::Event for Sibling {
    #[inline]
    fn event_type(&self) -> nfab::TypeId {
        nfab::TypeId(self.symbol.0)
    }

    #[inline]
    fn time(&self) -> i64 {
        self.number
    }

    fn attribute(&self, _: nfab::Slot) -> nfab::ValueRef<'_> {
        nfab::ValueRef::Missing
    }
}

/// An expression compiled by both.
struct Asked {
    automaton: Arc<Automaton>,
    plan: Plan,
}

impl Question {
    fn ask(&self) -> Result<Asked> {
        let mut schema = Schema::new();
        for (name, _) in NAMES {
            schema.add_type(name);
        }
        let (runs, output) = match self.report {
            Report::Each => (Runs::Live, KleeneOutput::Each),
            Report::Longest => (Runs::Peak, KleeneOutput::Maximal),
        };
        let options = CompileOptions::new().kleene_output(output);
        let query = Query::parse(self.nfab).map_err(fail(NFAB))?;
        let automaton = Automaton::from_query(&query, &schema, options).map_err(fail(NFAB))?;
        let pattern = Pattern::parse(self.rpdt).map_err(fail(RPDT))?;
        // The reader that nfab is given its events by, too.
        let config = rpdt::Config::new().shape(Shape::Tuples).runs(runs);
        let plan = Plan::new(vec![pattern], config.front_end(FrontEnd::QuickXml));
        Ok(Asked { automaton: Arc::new(automaton), plan: plan.map_err(fail(RPDT))? })
    }
}

impl Asked {
    /// The numbers of the siblings of every run, in rpdt's order of runs.
    fn rpdt(&self, document: &str, mut each: impl FnMut(&[u64])) -> Result<()> {
        let mut numbers = Vec::new();
        let sink = rpdt::Visit::new(Needs::default(), |_, answer: &Answer<'_>| {
            if let Answer::Tuple(fields) = answer {
                let number = |start: u64| (start - HEAD) / WIDTH;
                numbers.clear();
                for field in fields {
                    match &field.value {
                        Value::Node(node) => numbers.push(number(node.start)),
                        Value::List(list) => {
                            numbers.extend(list.iter().map(|node| number(node.start)));
                        }
                    }
                }
                numbers.sort_unstable();
                each(&numbers);
            }
            ControlFlow::Continue(())
        });
        self.plan.run_slice(document.as_bytes(), sink).map_err(fail(RPDT))?;
        Ok(())
    }

    /// The same, in nfab's order.
    fn nfab(&self, document: &str, each: impl FnMut(&nfab::Match<'_, Sibling>)) -> Result<()> {
        let config = Config::new().end_of_input(EndOfInput::Max);
        let engine = Engine::with_config(Arc::clone(&self.automaton), config);
        let mut feed = Feed { engine, each, number: 0, failed: None };
        let mut source = QuickXmlSource::new(SourceConfig::default());
        source.feed(document.as_bytes(), &mut feed).map_err(fail(RPDT))?;
        source.finish(&mut feed).map_err(fail(RPDT))?;
        feed.end()
    }

    fn answers(&self, document: &str) -> [(&'static str, Result<Found>); 2] {
        [(NFAB, self.nfab_found(document)), (RPDT, self.rpdt_found(document))]
    }

    fn nfab_found(&self, document: &str) -> Result<Found> {
        let mut found = Found::default();
        self.nfab(document, |one| found.add(0, one.events().numbers()))?;
        Ok(found)
    }

    fn rpdt_found(&self, document: &str) -> Result<Found> {
        let mut found = Found::default();
        self.rpdt(document, |numbers| found.add(0, numbers.iter().copied()))?;
        Ok(found)
    }
}

/// Makes events of the children of the root.
struct Feed<F> {
    engine: Engine<Sibling>,
    each: F,
    number: i64,
    failed: Option<nfab::Error>,
}

impl<F: FnMut(&nfab::Match<'_, Sibling>)> Feed<F> {
    fn end(mut self) -> Result<()> {
        let Self { engine, each, failed, .. } = &mut self;
        let mut sink = nfab::Visit(|found: &nfab::Match<'_, Sibling>| {
            each(found);
            ControlFlow::Continue(())
        });
        let ended = failed.take().map_or_else(|| engine.finish(&mut sink), Err);
        ended.map_err(fail(NFAB))
    }
}

impl<F: FnMut(&nfab::Match<'_, Sibling>)> TagHandler for Feed<F> {
    fn symbol(&mut self, name: &[u8]) -> Symbol {
        let known = NAMES.iter().position(|(known, _)| known.as_bytes() == name);
        Symbol(known.unwrap_or(NAMES.len()) as u32)
    }

    fn start_tag(&mut self, tag: &StartTag<'_>) -> Result<Interest, rpdt::Error> {
        if tag.depth != 2 {
            return Ok(Interest::TAGS);
        }
        let event = Sibling { symbol: tag.symbol, number: self.number };
        self.number += 1;
        let each = &mut self.each;
        let mut sink = nfab::Visit(|found: &nfab::Match<'_, Sibling>| {
            each(found);
            ControlFlow::Continue(())
        });
        match self.engine.push(event, &mut sink) {
            Ok(()) => Ok(Interest::TAGS),
            Err(error) => {
                self.failed = Some(error);
                Ok(Interest::STOP)
            }
        }
    }

    fn end_tag(&mut self, _: &EndTag<'_>) -> Result<Interest, rpdt::Error> {
        Ok(Interest::TAGS)
    }

    fn text(&mut self, _: &Text<'_>) -> Result<(), rpdt::Error> {
        Ok(())
    }

    fn markup(&mut self, _: &Markup<'_>) -> Result<(), rpdt::Error> {
        Ok(())
    }
}

impl Experiment for Siblings {
    fn about(&self) -> About {
        About {
            id: "agree-rpdt-strict".to_owned(),
            kind: Kind::Check,
            title: "The same expressions over siblings in rpdt and nfab".to_owned(),
            paper: NO_PAPER.to_owned(),
            method: format!(
                "A document is one element with empty elements c, d, e and f in it. rpdt is asked \
                 for a regular branch over them, such as the paper's E:D*; nfab has an event for \
                 each element, in the order of their tags, and is asked for the same sequence \
                 under strict contiguity. “Each run” is rpdt's policy “live” and nfab's output of \
                 every prefix that is a match; otherwise rpdt's “peak” and nfab's “maximal”: runs \
                 that the next sibling does not prolong. No expression has two runs that end at one \
                 element and begin at different ones, of which rpdt would keep the longer. Both engines get their \
                 tags from one reader, quick-xml behind rpdt's checks, which is in the time of both, \
                 and both give the numbers of all siblings of every run. Of {SHORT} siblings all runs \
                 are compared one by one, of the whole document their number and the sum of a hash \
                 of each, in every run. No claim is made on the ratio. rpdt is the slower \
                 one: it keeps a record of every sibling that a run returns until all patterns that \
                 may want it have decided, sees to it that no tuple is given twice, and builds a \
                 tuple of nodes for each run, where nfab lends the events of its own buffer."
            ),
            reconstruction: None,
            claims: super::claims(BOTH),
            plots: super::plots_of(BOTH, "expression"),
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let short = document(SHORT, context.seed)?;
        let whole = document(siblings(context.scale), context.seed)?;
        context.record.data_sha256(Some(sha256::of(whole.as_bytes())));
        let mut tally = Tally::default();
        for question in &QUESTIONS {
            let asked = question.ask()?;
            let (mut nfab, mut rpdt): (Vec<Match>, Vec<Match>) = (Vec::new(), Vec::new());
            asked.nfab(&short, |one| nfab.push((0, one.events().numbers().collect())))?;
            asked.rpdt(&short, |numbers| rpdt.push((0, numbers.to_vec())))?;
            tally.compare(question.name, BOTH, [nfab, rpdt])?;
            let [(a, one), (b, other)] = asked.answers(&whole);
            super::count(context, question.name, [(a, one?), (b, other?)])?;
        }
        tally.record(context);
        Ok(())
    }

    fn measure(&self, context: &mut Context<'_>) -> Result<()> {
        let document = document(siblings(context.scale), context.seed)?;
        context.record.data_sha256(Some(sha256::of(document.as_bytes())));
        for question in &QUESTIONS {
            let asked = question.ask()?;
            let mut contenders = [
                Contender::new(NFAB, || asked.nfab_found(&document)),
                Contender::new(RPDT, || asked.rpdt_found(&document)),
            ];
            let samples = interleave(&mut contenders, &context.plan(), context.progress)
                .map_err(|error: Error| error.within(question.name))?;
            context.record.times(question.name, &samples);
        }
        Ok(())
    }

    fn sentences(&self, rows: &[&Row]) -> Vec<String> {
        super::sentences(rows, BOTH)
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let rows = QUESTIONS.iter().map(|question| {
            let Question { name, rpdt, nfab, .. } = question;
            [name, rpdt, nfab].map(|text| (*text).to_owned()).to_vec()
        });
        let head = ["Expression", "rpdt", "nfab"].map(str::to_owned).to_vec();
        let caption = "The questions".to_owned();
        Ok(vec![Artefact::Table { caption, head, rows: rows.collect() }])
    }
}
