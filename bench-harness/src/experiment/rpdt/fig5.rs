//! Fig. 5: a document and the instance trees in it.

use std::collections::HashMap;
use std::fmt::Write;

use rpdt::{Config, Shape};

use super::FIG1;
use super::engines::{Rpdt, pattern};
use super::oracle::{Bindings, Oracle};
use super::tree::Tree;
use crate::claim::Claim;
use crate::error::Result;
use crate::experiment::{About, Artefact, Context, Experiment, Kind};

/// Fig. 5.
#[derive(Debug)]
pub struct Fig5;

const DOCUMENT: &str = concat!(
    r#"<a id="a1"><b id="b1"/><x><c><e id="e1"/><d><f/><g/></d><d><f/><h><g/></h></d></c></x>"#,
    r#"<a id="a2"><c><e id="e2"/><d><f/></d><e id="e3"/></c><b id="b3"/></a>"#,
    r#"<a id="a3"><c><e id="e4"/><d><g/></d></c></a><b id="b2"/><c><d><f/><g/></d></c></a>"#,
);

/// The same pattern, with the elements A returned as well to name the instances.
const WITH_ROOT: &str = "//a![b!]//c/{ e! , d[f][.//g]* }";
/// The pattern from the document element.
const FROM_ROOT: &str = "/a[b!]//c/{ e! , d[f][.//g]* }";
/// The runs themselves: D is returned too.
const RUNS: &str = "//c/{e!, d[f][.//g]!*}";

/// What must come out. Elements without an id are named by their byte offset.
const INSTANCES: &str = "a: a1 b: b1 b2 e: e1 e2 e3 e4; a: a2 b: b3 e: e2 e3";
const NODES: &str = "b@11; e@29; e@100; e@123; b@139; e@169; b@200";
const PEAKS: &str = "d: @41 @56 e: e1; e: e2; e: e3; e: e4";
const TUPLES: &str = "b: b1 e: e1; b: b1 e: e2; b: b1 e: e3; b: b1 e: e4; b: b3 e: e2; \
                      b: b3 e: e3; b: b2 e: e1; b: b2 e: e2; b: b2 e: e3; b: b2 e: e4";
const ROOT_INSTANCES: &str = "b: b1 b2 e: e1 e2 e3 e4";
const ROOT_TUPLES: &str = "b: b1 e: e1; b: b1 e: e2; b: b1 e: e3; b: b1 e: e4; \
                           b: b2 e: e1; b: b2 e: e2; b: b2 e: e3; b: b2 e: e4";

/// The check of brute force, and what it says of a comparison that comes out as expected.
const BRUTE: &str = "brute force";
const EQUAL: &str = "equal";

/// One comparison: its name, the query, the shape, what must come out.
const CHECKS: [(&str, &str, Shape, &str); 6] = [
    ("instance trees", WITH_ROOT, Shape::Instances, INSTANCES),
    ("returned nodes with their offsets", FIG1, Shape::Nodes, NODES),
    ("tuples", FIG1, Shape::Tuples, TUPLES),
    ("longest runs", RUNS, Shape::Tuples, PEAKS),
    ("instance trees from the document element", FROM_ROOT, Shape::Instances, ROOT_INSTANCES),
    ("tuples from the document element", FROM_ROOT, Shape::Tuples, ROOT_TUPLES),
];

impl Experiment for Fig5 {
    fn about(&self) -> About {
        let mut claims = vec![
            Claim::example("exactly two instance trees: for a1 and a2, none for a3", CHECKS[0].0),
            Claim::example("seven returned nodes", CHECKS[1].0),
            Claim::example("ten tuples", CHECKS[2].0),
            Claim::example("the runs E D D, E, E and E", CHECKS[3].0),
            Claim::example("with /a in place of //a: one instance tree", CHECKS[4].0),
            Claim::example("with /a in place of //a: eight tuples", CHECKS[5].0),
        ];
        claims.push(Claim::example("brute force gives the same in all of these", BRUTE));
        // Document and answers are ours; of the paper only the number of instance trees is known.
        let claims = claims.into_iter().map(Claim::our_check).collect();
        About {
            id: "rpdt-fig5".to_owned(),
            kind: Kind::Example,
            title: "In place of Fig. 5: a document and its instance trees".to_owned(),
            paper: "Section 3.4, Fig. 5. The pattern of Fig. 1 is run over a document tree (1); two \
                    instance trees (2) and (3) come out."
                .to_owned(),
            method: format!(
                "The query {FIG1} over the document shown here. Brute force reads the document into \
                 memory and enumerates all embeddings, straight from the definitions. It must \
                 give the same instance trees, nodes, runs and tuples. Answers are compared as \
                 sets, elements by their id or, without one, by their byte offset."
            ),
            reconstruction: Some(
                "The paper's document is in its drawing only, so everything here is ours. This document was made to have what the pattern tells apart: \
                 B before C and after it, a run E D D, runs of E alone, a D that lacks F or G, \
                 and A inside A. It has two instance trees, as the paper's has. a3 has no b; the \
                 second c of a1 holds no e."
                    .to_owned(),
            ),
            claims,
            plots: Vec::new(),
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let tree = Tree::parse(DOCUMENT.as_bytes())?;
        let mut same = Vec::new();
        for (name, query, shape, expected) in CHECKS {
            let engine = Rpdt::compile(query, Config::new().shape(shape))?;
            let engine = engine.answers(DOCUMENT.as_bytes())?;
            context.record.check(name, expected, show(shape, &engine));
            let pattern = pattern(query)?;
            let oracle = Oracle::new(&pattern, &tree)?;
            let brute = match shape {
                Shape::Nodes => oracle.nodes(),
                Shape::Tuples => oracle.tuples(),
                Shape::Instances => oracle.instances(),
            };
            let brute = show(shape, &brute);
            same.push(format!("{name}: {}", if brute == expected { EQUAL } else { &brute }));
        }
        let expected = CHECKS.map(|(name, ..)| format!("{name}: {EQUAL}"));
        context.record.check(BRUTE, expected.join("; "), same.join("; "));
        Ok(())
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let engine = Rpdt::compile(WITH_ROOT, Config::new().shape(Shape::Instances))?;
        let mut instances = engine.answers(DOCUMENT.as_bytes())?;
        sort(&mut instances);
        let mut artefacts = vec![
            Artefact::Text {
                caption: "The document. Line breaks are added here; the offsets count without them"
                    .to_owned(),
                text: wrapped(),
            },
            Artefact::Dot {
                caption: "In place of Fig. 5 (1): the document as a tree; without an id an element shows its \
                          name"
                    .to_owned(),
                text: document_dot()?,
            },
        ];
        for (number, instance) in instances.iter().enumerate() {
            artefacts.push(Artefact::Dot {
                caption: format!(
                    "In place of Fig. 5 ({}): an instance tree, as the engine gives it",
                    number + 2
                ),
                text: instance_dot(instance),
            });
        }
        Ok(artefacts)
    }
}

/// The ids of elements by byte offset.
fn ids() -> HashMap<u64, &'static str> {
    let mut ids = HashMap::new();
    for (start, _) in DOCUMENT.match_indices('<') {
        let tag = DOCUMENT[start..].split_once('>').map_or("", |(tag, _)| tag);
        if let Some((_, rest)) = tag.split_once("id=\"") {
            ids.insert(start as u64, rest.split('"').next().unwrap_or(rest));
        }
    }
    ids
}

/// Document order: by the list of all offsets, label by label.
fn sort(answers: &mut [Bindings]) {
    answers.sort_by(|a, b| a.iter().cmp(b.iter()));
}

fn show(shape: Shape, answers: &[Bindings]) -> String {
    let mut answers = answers.to_vec();
    sort(&mut answers);
    let ids = ids();
    if shape == Shape::Nodes {
        answers.sort_by_key(|one| one.values().flatten().copied().min());
    }
    let show = |answer: &Bindings| {
        let field = |(label, starts): (&String, &Vec<u64>)| {
            let name =
                |start: &u64| ids.get(start).map_or(format!("@{start}"), |id| (*id).to_owned());
            match shape {
                Shape::Nodes => starts.iter().map(|start| format!("{label}@{start}")).collect(),
                _ => format!("{label}: {}", starts.iter().map(name).collect::<Vec<_>>().join(" ")),
            }
        };
        answer.iter().map(field).collect::<Vec<_>>().join(" ")
    };
    answers.iter().map(show).collect::<Vec<_>>().join("; ")
}

/// The document with line breaks before the parts that the text speaks of, for reading only.
fn wrapped() -> String {
    DOCUMENT
        .replace("<x>", "\n  <x>")
        .replace("</x>", "</x>\n  ")
        .replace("</a><a", "</a>\n  <a")
        .replace("</a><b", "</a>\n  <b")
}

fn document_dot() -> Result<String> {
    let (tree, ids) = (Tree::parse(DOCUMENT.as_bytes())?, ids());
    let mut out = String::from("digraph document {\n");
    for element in 0..tree.len() {
        let name = ids.get(&tree.start[element]).copied().unwrap_or(tree.name(element));
        let _ = writeln!(out, "  n{element} [label=\"{name}\"];");
    }
    for element in 0..tree.len() {
        for child in &tree.children[element] {
            let _ = writeln!(out, "  n{element} -> n{child};");
        }
    }
    out.push_str("}\n");
    Ok(out)
}

/// The instance tree: the element A, a list of B and a list of E below it.
fn instance_dot(instance: &Bindings) -> String {
    let ids = ids();
    let name = |start: &u64| ids.get(start).copied().unwrap_or("?");
    let mut out = String::from("digraph instance {\n");
    for root in instance.get("a").into_iter().flatten() {
        for start in ["b", "e"].iter().filter_map(|label| instance.get(*label)).flatten() {
            let _ = writeln!(out, "  \"{}\" -> \"{}\";", name(root), name(start));
        }
    }
    out.push_str("}\n");
    out
}
