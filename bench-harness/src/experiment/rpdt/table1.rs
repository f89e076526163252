//! Table 1: the current longest match after each sibling.

use std::ops::ControlFlow;

use rpdt::pattern::NodeId;
use rpdt::{Answer, Config, Needs, Plan, Runs, Shape, Value, Visit};

use super::engines::{fail, pattern};
use super::oracle::Oracle;
use super::tree::Tree;
use crate::claim::Claim;
use crate::error::Result;
use crate::experiment::{About, Artefact, Context, Experiment, Kind};

/// Table 1.
#[derive(Debug)]
pub struct Table1;

/// The siblings of the paper's example.
const SEQUENCE: &str = "aedceddabd";

/// What follows from the definition after each of them; the paper's text has the third and fourth.
const EXPECTED: [&str; 10] = ["none", "e", "ed", "none", "e", "ed", "edd", "none", "none", "none"];

/// E:D* below one parent; both are returned so that the whole run shows.
const QUERY: &str = "/r/{e!, d!*}";

const TEXT: &str = "RPDT after a e d and after a e d c";
const ENGINE: &str = "RPDT after each sibling";
const BRUTE: &str = "brute force after each sibling";

impl Experiment for Table1 {
    fn about(&self) -> About {
        About {
            id: "rpdt-table1".to_owned(),
            kind: Kind::Example,
            title: "Current longest match of E:D*".to_owned(),
            paper: "Section 3.3, Table 1. The NFA of E:D* reads the siblings a e d c e d d a b d \
                    and reports after each of them the longest match that ends there. After a e d \
                    that is ed; after a e d c there is no new match."
                .to_owned(),
            method: format!(
                "The query {QUERY} with the run policy “live”. The siblings are fed to the engine \
                 one by one as empty elements; what it reports before the next one is read is the \
                 entry of the table. Brute force enumerates all runs in the whole list and \
                 takes, for each sibling, the longest one that ends there."
            ),
            reconstruction: Some(
                "Of the table we have only what the text repeats: the sequence and two entries. \
                 The other eight follow from the definition: none, e before, and after the c: e, \
                 ed, edd, none, none, none. After the last d nothing is reported, since no e \
                 stands before it."
                    .to_owned(),
            ),
            claims: vec![
                Claim::example("ed after a e d, nothing new after a e d c", TEXT),
                Claim::example("RPDT reports all ten entries as we read the table", ENGINE)
                    .our_reading(),
                Claim::example("brute force over all runs gives the same", BRUTE).our_check(),
            ],
            plots: Vec::new(),
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let expected = EXPECTED.join(", ");
        let live = live()?;
        context.record.check(TEXT, EXPECTED[2..4].join(", "), live[2..4].join(", "));
        context.record.check(ENGINE, &expected, live.join(", "));
        context.record.check(BRUTE, &expected, brute()?.join(", "));
        Ok(())
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let (live, brute) = (live()?, brute()?);
        let rows = SEQUENCE.char_indices().map(|(at, _)| {
            let read: Vec<String> = SEQUENCE[..=at].chars().map(String::from).collect();
            vec![read.join(" "), EXPECTED[at].to_owned(), live[at].clone(), brute[at].clone()]
        });
        let head =
            ["Siblings so far", "Expected", "RPDT", "Brute force"].map(str::to_owned).to_vec();
        let caption = "Current longest match".to_owned();
        Ok(vec![Artefact::Table { caption, head, rows: rows.collect() }])
    }
}

/// What the engine reports after each sibling, before it sees the next one.
fn live() -> Result<Vec<String>> {
    let config = Config::new().shape(Shape::Tuples).runs(Runs::Live);
    let plan = Plan::new(vec![pattern(QUERY)?], config).map_err(fail)?;
    let reported = std::cell::RefCell::new(Vec::new());
    let needs = Needs { name: true, ..Needs::default() };
    let sink = Visit::new(needs, |_, answer: &Answer<'_>| {
        reported.borrow_mut().push(run_text(answer));
        ControlFlow::Continue(())
    });
    let mut matcher = plan.matcher(sink);
    matcher.feed(b"<r>").map_err(fail)?;
    let mut after_each = Vec::new();
    for name in SEQUENCE.chars() {
        matcher.feed(format!("<{name}></{name}>").as_bytes()).map_err(fail)?;
        let new: Vec<String> = reported.borrow_mut().drain(..).collect();
        after_each.push(if new.is_empty() { "none".to_owned() } else { new.join(" and ") });
    }
    matcher.feed(b"</r>").map_err(fail)?;
    matcher.finish().map_err(fail)?;
    after_each.extend(reported.into_inner().into_iter().map(|run| format!("{run} at the end")));
    Ok(after_each)
}

/// The names of a run's elements in document order.
fn run_text(answer: &Answer<'_>) -> String {
    let (Answer::Tuple(fields) | Answer::Instance(fields)) = answer else { return String::new() };
    let mut nodes: Vec<(u64, &str)> = Vec::new();
    for field in fields {
        match &field.value {
            Value::Node(node) => nodes.push((node.start, node.name)),
            Value::List(list) => nodes.extend(list.iter().map(|node| (node.start, node.name))),
        }
    }
    nodes.sort_unstable();
    nodes.into_iter().map(|(_, name)| name).collect()
}

fn brute() -> Result<Vec<String>> {
    let siblings: String = SEQUENCE.chars().map(|name| format!("<{name}/>")).collect();
    let tree = Tree::parse(format!("<r>{siblings}</r>").as_bytes())?;
    let pattern = pattern(QUERY)?;
    let oracle = Oracle::new(&pattern, &tree)?;
    let current = oracle.current_longest(NodeId::ROOT, 0);
    let text = |run: Option<(usize, usize)>| run.map_or("none", |(from, to)| &SEQUENCE[from..to]);
    Ok(current.into_iter().map(|run| text(run).to_owned()).collect())
}
