//! The article's two demands on a stream of numbers.

use nfab::{Automaton, Expr, Pattern, Schema};

use super::engines::fail;
use super::example::{self, lists};
use crate::claim::Claim;
use crate::error::Result;
use crate::experiment::{About, Artefact, Context, Experiment, Kind};

/// One of the two demands.
#[derive(Debug)]
pub struct Demand {
    id: &'static str,
    title: &'static str,
    paper: &'static str,
    reading: &'static str,
    text: &'static str,
    pattern: fn() -> Result<Pattern>,
    values: &'static [i64],
    expected: &'static [&'static [u64]],
}

/// Consecutive values 10, 20, 10.
pub const DEMAND1: Demand = Demand {
    id: "nfab-demand1",
    title: "10, 20, 10 in a row",
    paper: "The article, first demand: extract from a sequence of events those whose consecutive \
            data are 10, 20, 10. Its program uses Flink CEP.",
    reading: "The article's program is in a picture that we did not have, and it gives no stream. \
              Ours has a match that begins with the end of another one, and 10, 20, 30, 10, \
              which is none.",
    text: "PATTERN SEQ(number a, number b, number c) WHERE strict_contiguity { a.value = 10 AND \
           b.value = 20 AND c.value = 10 }",
    pattern: demand1,
    values: &[10, 20, 10, 20, 10, 5, 10, 20, 30, 10],
    expected: &[&[0, 1, 2], &[2, 3, 4]],
};

/// 10, then one or more consecutive values from 10 to 50 until one over 50, then 0.
pub const DEMAND2: Demand = Demand {
    id: "nfab-demand2",
    title: "10, then values from 10 to 50, then 0",
    paper: "The article, second demand: 10 (10-50)+ 0. The first number is 10, one or more \
            consecutive numbers from 10 to 50 follow (they end when there is one over 50), \
            the last one is 0.",
    reading: "As for the first demand, program and stream are not in the text. The numbers from 10 \
              to 50 include both; 10 itself is one of them, so that 10 10 20 0 holds two matches. \
              In SASE+ text the end of the closure needs no condition: what is over 50 is neither \
              taken nor ignored under strict contiguity.",
    text: "PATTERN SEQ(number a, number+ b[], number c) WHERE strict_contiguity { a.value = 10 AND \
           b[1].value between 10 and 50 AND b[i].value between 10 and 50 AND c.value = 0 }",
    pattern: demand2,
    values: &[10, 10, 20, 0, 10, 60, 0, 10, 0, 10, 50, 0, 10, 20, 51, 0],
    expected: &[&[0, 1, 2, 3], &[1, 2, 3], &[9, 10, 11]],
};

const TEXT: &str = "SASE+ text";
const BUILDER: &str = "pattern in Flink's shape";

fn value() -> Expr {
    Expr::attribute("value")
}

fn demand1() -> Result<Pattern> {
    Pattern::begin("a")
        .where_(value().eq(10))
        .next("b")
        .where_(value().eq(20))
        .next("c")
        .where_(value().eq(10))
        .build()
        .map_err(fail)
}

fn demand2() -> Result<Pattern> {
    Pattern::begin("a")
        .where_(value().eq(10))
        .next("b")
        .where_(value().between(10, 50))
        .one_or_more()
        .consecutive()
        .until(value().gt(50))
        .next("c")
        .where_(value().eq(0))
        .build()
        .map_err(fail)
}

impl Demand {
    fn schema() -> Schema {
        super::engines::schema(&["number"], &["value"])
    }

    /// The automata of both front ends.
    fn automata(&self) -> Result<[(&'static str, Automaton); 2]> {
        let schema = Self::schema();
        let text = Automaton::from_text(self.text, &schema).map_err(fail)?;
        let built = Automaton::compile(&(self.pattern)()?, &schema).map_err(fail)?;
        Ok([(TEXT, text), (BUILDER, built)])
    }
}

impl Experiment for Demand {
    fn about(&self) -> About {
        About {
            id: self.id.to_owned(),
            kind: Kind::Example,
            title: self.title.to_owned(),
            paper: self.paper.to_owned(),
            method: format!(
                "The demand is stated twice, as SASE+ text and as a pattern in Flink's shape (begin, \
                 next, one or more), and run over {}. Matches are given by the numbers of their \
                 events, from 0.",
                example::numbers(self.values)
            ),
            reconstruction: Some(self.reading.to_owned()),
            claims: vec![
                Claim::example("exactly these matches, from SASE+ text", TEXT),
                Claim::example("exactly these matches, from a pattern in Flink's shape", BUILDER),
            ],
            plots: Vec::new(),
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        for (name, automaton) in self.automata()? {
            let events = example::records(self.values.iter().map(|&value| vec![value]));
            let found = example::matches(automaton, events)?;
            context.record.check(name, lists(self.expected), lists(&found));
        }
        Ok(())
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let [(_, text), _] = self.automata()?;
        Ok(vec![
            example::queries(&[self.text]),
            example::drawing("Its automaton; dashed edges do not keep the event", &text),
        ])
    }
}
