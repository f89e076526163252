//! The merged models of Figs. 6, 7 and 8.

use data_gen::stream::letters::LETTERS;
use multipattern::model::{Stream, interpret};
use multipattern::{Method, PatternId, PatternSet, Plan, Record, Semantics, TypeId};

use super::engines::{WINDOW, answer, detector, set};
use super::oracle;
use super::plots;
use crate::claim::{Claim, Rule};
use crate::error::Result;
use crate::experiment::{About, Artefact, Context, Experiment, Kind};

/// A worked example.
#[derive(Debug)]
pub struct Models {
    figure: u32,
    /// Which of [`ALL`].
    patterns: &'static [usize],
    /// States and edges as single patterns, merged, and decomposed and merged.
    counts: [(usize, usize); 3],
}

/// The paper's four patterns with its decompositions of them.
const ALL: [(&str, &str); 4] = [
    ("ABD", "SEQ1(A, B, D): SEQ(A, B) -> SEQ1({A,B}, D)"),
    ("GAB", "SEQ2(G, A, B): SEQ(A, B) -> SEQ2(G, {A,B})"),
    ("ABCD", "SEQ3(A, B, C, D): SEQ(B, C, D) -> SEQ3(A, {B,C,D})"),
    ("BCDE", "SEQ4(B, C, D, E): SEQ(B, C, D) -> SEQ4({B,C,D}, E)"),
];

/// Fig. 6.
pub const FIG6: Models = Models { figure: 6, patterns: &[0, 1], counts: [(8, 6), (6, 6), (5, 5)] };
/// Fig. 7.
pub const FIG7: Models = Models { figure: 7, patterns: &[2, 3], counts: [(10, 8), (8, 8), (6, 6)] };
/// Fig. 8.
pub const FIG8: Models =
    Models { figure: 8, patterns: &[0, 1, 2, 3], counts: [(18, 14), (10, 12), (8, 10)] };

/// Events in which all four patterns occur, also interleaved, with a pair that must not be taken for
/// part of SEQ2: in A G B the {A,B} begins before the G.
const EVENTS: &str = "AGBGABDACBCDEABCDBCDE";

const METHODS: [Method; 3] = [Method::Single, Method::Sharing, Method::Proposed];
const DECOMPOSED: &str = "the decompositions";
const FOUND: &str = "matches of the model, of all methods and by brute force";

fn counts_of(method: Method) -> String {
    format!("states and edges, {method}")
}

impl Models {
    fn set(&self) -> Result<PatternSet> {
        // The ids are the paper's.
        let named = self.patterns.iter().map(|&at| (at, ALL[at].0));
        let mut builder = PatternSet::builder();
        for (at, letters) in named {
            let operands: Vec<String> = letters.chars().map(String::from).collect();
            builder = builder.seq(&format!("SEQ{}", at + 1), operands);
        }
        builder.build().map_err(super::engines::fail)
    }

    /// "SEQ1 at 0 2 6; ..." in the engine's order.
    fn listed(&self, mut found: Vec<(PatternId, Vec<u64>)>) -> String {
        found.sort_by_key(|(id, events)| (events.last().copied(), *id, events.clone()));
        let one = |(id, events): &(PatternId, Vec<u64>)| {
            let events: Vec<String> = events.iter().map(u64::to_string).collect();
            format!("SEQ{} at {}", self.patterns[id.index()] + 1, events.join(" "))
        };
        found.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    fn letters(&self) -> Vec<Vec<u8>> {
        self.patterns.iter().map(|&at| numbers(ALL[at].0)).collect()
    }
}

/// Letters as their numbers.
fn numbers(text: &str) -> Vec<u8> {
    text.bytes().map(|letter| letter - b'A').collect()
}

/// The example's events for the reference interpreter.
struct Example<'a> {
    events: Vec<u8>,
    plan: &'a Plan,
}

impl Stream for Example<'_> {
    fn events(&self) -> usize {
        self.events.len()
    }

    fn fits(&self, symbol: u32, positions: &[usize]) -> bool {
        let letter = positions.last().map(|&at| LETTERS[usize::from(self.events[at])]);
        letter == Some(self.plan.sequences().name(symbol).as_str())
    }

    fn within(&self, _: u32, first: usize, last: usize) -> bool {
        last - first < WINDOW as usize
    }

    fn kind(&self, event: usize) -> u32 {
        u32::from(self.events[event])
    }

    fn kind_of(&self, symbol: u32) -> u32 {
        let name = self.plan.sequences().name(symbol);
        LETTERS.iter().position(|letter| *letter == name).map_or(u32::MAX, |at| at as u32)
    }

    fn expired(&self, first: usize, now: usize) -> bool {
        now - first >= WINDOW as usize
    }
}

impl Experiment for Models {
    fn about(&self) -> About {
        let figure = self.figure;
        let patterns: Vec<String> =
            self.patterns.iter().map(|&at| format!("SEQ{}", at + 1)).collect();
        let example = |text: String, check: String| Claim::example(text, check);
        let [single, _, proposed] = self.counts;
        About {
            id: format!("multi-fig{figure}"),
            kind: Kind::Example,
            title: format!("The merged model of {}", patterns.join(", ")),
            paper: "The paper decomposes SEQ1(A,B,D) and SEQ2(G,A,B) at SEQ(A,B), SEQ3(A,B,C,D) and \
                    SEQ4(B,C,D,E) at SEQ(B,C,D), and merges what results where prefixes, suffixes or \
                    sub-patterns are the same. The model has three functions: state transition, \
                    failure transition and conditional output."
                .to_owned(),
            method: format!(
                "The planner makes the models of the single patterns, of merging alone and of \
                 decomposition and merging; their states and edges are counted on the very objects \
                 that are drawn below. The decomposed and merged model is run as it is by a \
                 reference interpreter over the events {EVENTS}, windows of {WINDOW} events; its \
                 matches are compared with those of all four methods of detection and with brute \
                 force. In AGB the composite {{A,B}} is complete but begins before the G: SEQ2 must \
                 not match there."
            ),
            reconstruction: Some(
                "The drawings are lost. The text writes SEQ2(D,{A,B}) and SEQ4(A,{B,C,D}) for \
                 SEQ2(G,{A,B}) and SEQ4({B,C,D},E). Where the pictures' numbers of states and edges \
                 come from is the text's construction alone."
                    .to_owned(),
            ),
            claims: vec![
                example(
                    format!("{} states and {} edges unshared", single.0, single.1),
                    counts_of(Method::Single),
                )
                .our_reading(),
                example(
                    format!("{} states and {} edges merged", proposed.0, proposed.1),
                    counts_of(Method::Proposed),
                )
                .our_reading(),
                example(
                    "merging without decomposition lies between".to_owned(),
                    counts_of(Method::Sharing),
                )
                .our_reading(),
                example("the decompositions are the paper's".to_owned(), DECOMPOSED.to_owned()),
                example(
                    "the model finds exactly what brute force finds".to_owned(),
                    FOUND.to_owned(),
                )
                .our_check(),
                Claim::new(
                    "all methods of detection find the same in the same order",
                    "equal answers",
                    Rule::same(&plots::borrow(&Method::COMPARED.map(|m| m.to_string()))),
                )
                .our_check(),
            ],
            plots: vec![plots::table(
                "Matches",
                "events",
                &plots::borrow(&Method::COMPARED.map(|m| m.to_string())),
            )],
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let set_of_names = self.set()?;
        let text = |(states, edges): (usize, usize)| format!("{states} states, {edges} edges");
        for (method, expected) in METHODS.into_iter().zip(self.counts) {
            let plan = Plan::new(method, &set_of_names);
            let actual = text((plan.states(), plan.edges()));
            context.record.check(counts_of(method), text(expected), actual);
        }
        let plan = Plan::proposed(&set_of_names);
        let expected: Vec<&str> = self.patterns.iter().map(|&at| ALL[at].1).collect();
        let explained = (0..self.patterns.len() as u32)
            .filter_map(|at| plan.explain(PatternId(at)).map(|one| one.to_string()));
        let explained: Vec<String> = explained.collect();
        context.record.check(DECOMPOSED, expected.join("; "), explained.join("; "));

        let letters = numbers(EVENTS);
        let brute = oracle::any(&self.letters(), &letters, WINDOW);
        let example = Example { events: letters.clone(), plan: &plan };
        let found = interpret(plan.model(), Semantics::Any, &example).into_iter();
        let found = found.map(|one| {
            (PatternId(one.pattern), one.events.into_iter().map(|at| at as u64).collect())
        });
        context.record.check(FOUND, self.listed(brute), self.listed(found.collect()));

        let events: Vec<Record> = (0..)
            .zip(&letters)
            .map(|(time, &letter)| Record::new(TypeId(u32::from(letter)), time))
            .collect();
        let set = set(&self.letters(), Semantics::Any)?;
        let expected = oracle::answer(&self.letters(), &letters, WINDOW);
        for method in Method::COMPARED {
            let answer = answer(detector(&set, method)?, &events, |_| ())?;
            super::engines::agree(&[("brute force", expected), (method.name(), answer)])?;
            context.record.count(method.name(), EVENTS, answer.matches, "");
        }
        Ok(())
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let set = self.set()?;
        let captions = [
            "The single patterns: a chain each",
            "Merged without decomposition",
            "Decomposed and merged; an edge {..} waits for a whole composite",
        ];
        let mut all = Vec::new();
        for (method, caption) in METHODS.into_iter().zip(captions) {
            let text = labelled(&Plan::new(method, &set).to_dot());
            all.push(Artefact::Dot { caption: caption.to_owned(), text });
        }
        let plan = Plan::proposed(&set);
        let rows = (0..self.patterns.len() as u32).filter_map(|at| plan.explain(PatternId(at)));
        all.push(Artefact::Table {
            caption: "The decompositions".to_owned(),
            head: vec!["Pattern".to_owned()],
            rows: rows.map(|one| vec![one.to_string()]).collect(),
        });
        all.push(Artefact::Text {
            caption:
                "The three functions of the decomposed and merged model; a path is written as \
                      the labels that it has read"
                    .to_owned(),
            text: plan.functions(),
        });
        Ok(all)
    }
}

/// What a state completes as a further line of its label: the report's drawings have no text beside
/// states.
fn labelled(dot: &str) -> String {
    let one = |line: &str| {
        let parts = line.split_once(", xlabel=\"").and_then(|(before, beside)| {
            let (head, rest) = before.split_once("label=\"")?;
            let (label, shape) = rest.split_once('"')?;
            let beside = beside.split('"').next()?;
            Some(format!("{head}label=\"{label}\\n{beside}\"{shape}];"))
        });
        parts.unwrap_or_else(|| line.to_owned())
    };
    dot.lines().map(one).collect::<Vec<_>>().join("\n")
}
