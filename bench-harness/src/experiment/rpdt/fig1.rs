//! Figs. 1 to 4: the pattern and its automata.

use std::fmt::Write;

use rpdt::Pattern;
use rpdt::paper::{PaperAutomaton, StateKind};
use rpdt::pattern::{Axis, Branch, NodeId, Regex};

use super::FIG1;
use super::engines::pattern;
use crate::claim::Claim;
use crate::error::Result;
use crate::experiment::{About, Artefact, Context, Experiment, Kind};

/// Figs. 1 to 4.
#[derive(Debug)]
pub struct Fig1;

/// Fig. 2: the nodes A, B and C alone.
const FIG2: &str = "//a[b!]//c";
/// Fig. 3: the expression alone, below one element.
const FIG3: &str = "/c/{e!, d*}";

/// What the paper's text says about Fig. 2, by states and inscriptions; actions are not in it.
const FIG2_TEXT: [&str; 4] = ["1 -<a>-> 2", "2 -<*>-> 2", "2 -<b>-> 3", "2 -<c>-> 4"];
/// What it says about Fig. 4: the splice of 3.4. The number 5 follows from its 4 and 6.
const FIG4_TEXT: [&str; 4] = ["4 -ε-> 5", "8 -ε-> 4", "7 -<d>-> 9", "9 -</d>-> 7"];

/// Every edge of Fig. 2 as we read it.
const FIG2_EDGES: [&str; 8] = [
    "1 -<*>-> 1",
    "1 -<a>-> 2",
    "2 -<*>-> 2",
    "2 -<b> / add-> 3",
    "3 -</b> / upload-> 2",
    "2 -<c>-> 4",
    "4 -</c>-> 2",
    "2 -</a> / check, upload-> 1",
];

/// Every edge of Fig. 3: E D* with the state numbers that the NFA has in Fig. 4.
const FIG3_EDGES: [&str; 4] = ["5 -<e>-> 6", "6 -ε-> 7", "7 -<d>-> 7", "7 -ε-> 8"];

/// Every edge of Fig. 4 as we read it.
const FIG4_EDGES: [&str; 20] = [
    "1 -<*>-> 1",
    "1 -<a>-> 2",
    "2 -<*>-> 2",
    "2 -<b> / add-> 3",
    "3 -</b> / upload-> 2",
    "2 -<c>-> 4",
    "4 -ε-> 5",
    "5 -<e> / add-> 6",
    "6 -ε-> 7",
    "7 -<d>-> 9",
    "9 -<*>-> 9",
    "9 -<f>-> 10",
    "10 -</f>-> 9",
    "9 -<g>-> 11",
    "11 -</g>-> 9",
    "9 -</d> / check-> 7",
    "7 -ε-> 8",
    "8 -ε / check, upload-> 4",
    "4 -</c> / check, upload-> 2",
    "2 -</a> / check, upload-> 1",
];

/// The states of the transducer of D, F and G.
const CONDITION: [&str; 3] = ["9", "10", "11"];

const PDT_TEXT: &str = "edges of Fig. 2 in the text";
const RPDT_TEXT: &str = "edges of Fig. 4 in the text";
const NO_BUFFERS: &str = "buffers of D, F and G";
const PDT: &str = "all edges of Fig. 2";
const NFA: &str = "all edges of Fig. 3";
const RPDT: &str = "all edges of Fig. 4";
const DOT: &str = "edges in the DOT text of Fig. 4";

impl Experiment for Fig1 {
    fn about(&self) -> About {
        About {
            id: "rpdt-fig1".to_owned(),
            kind: Kind::Example,
            title: "A regular tree pattern and its automaton".to_owned(),
            paper: "Figs. 1 to 4, sections 3.1 to 3.4. A has the child B, which is returned, and \
                    the descendant C. Below C stands the sibling expression E:D*, E is returned, \
                    and every D has F and G below it. Each node becomes a two-state automaton; \
                    those of A, B and C joined are the pushdown transducer of Fig. 2. The \
                    expression becomes the NFA of Fig. 3. Fig. 4 splices the NFA into state 4 \
                    with ε moves, and the transducer of D, F and G into its D transition. Since \
                    D, F and G lead to no return node, their edges only check; they have no \
                    buffers."
                .to_owned(),
            method: format!(
                "The query {FIG1} is compiled, and the automaton is built by the program as \
                 sections 3.2 to 3.4 say; nothing below is drawn by hand. The edges that the \
                 paper's \
                 text names are looked up in it, with its state numbers: 1 to 4 in Fig. 2, \
                 6 to 8 for the NFA, 9 as the head state of D. Then its whole set of edges is \
                 compared with the set that we expect: one edge too many fails as one too few \
                 does. The engine runs a determinised \
                 equivalent; a property test of the engine's crate interprets this very automaton \
                 and finds the engine's answers."
            ),
            reconstruction: Some(
                "Without the drawings: the axis between A and C is in the text (ancestor and \
                 descendant), as are the return nodes B and E, the expression and most state \
                 numbers; what the text says of edges is in the first table below. The other axes are our reading: B is a child of A, F a child of D, G a \
                 descendant of D. Fig. 2 says that <*> is any tag but <c>; here it is any tag, \
                 since a c may also contain a c. All further edges, and on which of them add, \
                 upload and check stand, are ours and follow from its rules: q0 waits for a at \
                 any depth, and state 9 for g."
                    .to_owned(),
            ),
            claims: vec![
                Claim::example(
                    "Fig. 2 joins the two-state automata 1-2, 2-3 and 2-4, with <*> at state 2",
                    PDT_TEXT,
                ),
                Claim::example(
                    "Fig. 4 splices the NFA into state 4, and D's transducer between 7 and 9",
                    RPDT_TEXT,
                ),
                Claim::example("no edge of D, F or G works on a buffer", NO_BUFFERS),
                Claim::example("Fig. 2 has exactly the edges that we read into it", PDT)
                    .our_reading(),
                Claim::example("Fig. 3 has exactly the edges that we read into it", NFA)
                    .our_reading(),
                Claim::example("Fig. 4 has exactly the edges that we read into it", RPDT)
                    .our_reading(),
                Claim::example("the DOT text of Fig. 4 has exactly its edges", DOT).our_check(),
            ],
            plots: Vec::new(),
        }
    }

    fn check(&self, context: &mut Context<'_>) -> Result<()> {
        let (fig2, fig4) = (edges(&automaton(FIG2)?), automaton(FIG1)?);
        let dot = dot_edges(&fig4.to_dot());
        let fig4 = edges(&fig4);
        let mut named = |name, text: &[&str], edges: &[String]| {
            let edges: Vec<String> = edges.iter().map(|edge| bare(edge)).collect();
            let found = text.iter().filter(|&&one| edges.iter().any(|edge| edge == one));
            let found: Vec<&str> = found.copied().collect();
            context.record.check(name, text.join("; "), found.join("; "));
        };
        named(PDT_TEXT, &FIG2_TEXT, &fig2);
        named(RPDT_TEXT, &FIG4_TEXT, &fig4);
        let buffered = fig4.iter().filter(|edge| {
            let ends = ends(edge);
            (CONDITION.contains(&ends.0) || CONDITION.contains(&ends.1))
                && (edge.contains("add") || edge.contains("upload"))
        });
        let buffered: Vec<&str> = buffered.map(String::as_str).collect();
        let buffered = if buffered.is_empty() { "none".to_owned() } else { buffered.join("; ") };
        context.record.check(NO_BUFFERS, "none", buffered);
        let mut whole = |name, expected: &[&str], edges: &[String]| {
            let expected: Vec<String> = expected.iter().map(|&edge| edge.to_owned()).collect();
            context.record.check(name, sorted(&expected), sorted(edges));
        };
        whole(PDT, &FIG2_EDGES, &fig2);
        whole(NFA, &FIG3_EDGES, &nfa_edges()?.iter().map(show).collect::<Vec<_>>());
        whole(RPDT, &FIG4_EDGES, &fig4);
        whole(DOT, &FIG4_EDGES, &dot);
        Ok(())
    }

    fn artefacts(&self) -> Result<Vec<Artefact>> {
        let fig4 = automaton(FIG1)?;
        let dot = |caption: &str, text: String| Artefact::Dot { caption: caption.to_owned(), text };
        Ok(vec![
            origins(),
            dot(
                "Fig. 1: the pattern. Double circles are returned; / is the child axis, // the \
                 descendant axis",
                pattern_dot(&pattern(FIG1)?),
            ),
            dot("Fig. 2: the pushdown transducer of A, B and C", automaton(FIG2)?.to_dot()),
            dot("Fig. 3: the NFA of E:D*, before D is spliced in", nfa_dot()?),
            dot("Fig. 4: the RPDT of the whole pattern", fig4.to_dot()),
            Artefact::Text {
                caption: "The same in words, as rpdt explain prints it".to_owned(),
                text: fig4.explain(),
            },
        ])
    }
}

/// Which edges of Figs. 2 and 4 are in the paper's text, and which are ours.
fn origins() -> Artefact {
    let mut rows = Vec::new();
    for (figure, edges, text) in
        [("Fig. 2", &FIG2_EDGES[..], &FIG2_TEXT), ("Fig. 4", &FIG4_EDGES[..], &FIG4_TEXT)]
    {
        let (named, ours): (Vec<&str>, Vec<&str>) =
            edges.iter().partition(|edge| text.contains(&bare(edge).as_str()));
        for (origin, edges) in [("the text", named), ("ours", ours)] {
            rows.push([figure, origin, &edges.join("; ")].map(str::to_owned).to_vec());
        }
    }
    Artefact::Table {
        caption: "Edges that the text names, actions apart, and further edges".to_owned(),
        head: ["Figure", "From", "Edges"].map(str::to_owned).to_vec(),
        rows,
    }
}

/// An edge without its actions.
fn bare(edge: &str) -> String {
    let ((from, to), input) = (ends(edge), edge.split_once(" -").map_or("", |(_, rest)| rest));
    let input = input.rsplit_once("-> ").map_or(input, |(input, _)| input);
    let input = input.split_once(" / ").map_or(input, |(input, _)| input);
    format!("{from} -{input}-> {to}")
}

/// The states that an edge leads from and to.
fn ends(edge: &str) -> (&str, &str) {
    let from = edge.split_once(" -").map_or(edge, |(from, _)| from);
    let to = edge.rsplit_once("-> ").map_or(edge, |(_, to)| to);
    (from, to)
}

/// A set of edges as one text, whatever their order.
fn sorted(edges: &[String]) -> String {
    let mut edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    edges.sort_by_key(|edge| {
        let number = |state: &str| state.parse().unwrap_or(u32::MAX);
        (number(ends(edge).0), number(ends(edge).1), *edge)
    });
    edges.join("; ")
}

fn automaton(query: &str) -> Result<PaperAutomaton> {
    Ok(PaperAutomaton::new(&pattern(query)?))
}

fn edges(automaton: &PaperAutomaton) -> Vec<String> {
    automaton.edges().iter().map(ToString::to_string).collect()
}

/// The edges of a DOT text, written as the automaton writes its own.
fn dot_edges(dot: &str) -> Vec<String> {
    let parse = |line: &str| {
        let (from, rest) = line.trim().split_once(" -> ")?;
        let (to, label) = rest.split_once(" [label=\"")?;
        let label = label.strip_suffix("\"];")?;
        Some(format!("{} -{label}-> {}", from.trim_matches('"'), to.trim_matches('"')))
    };
    dot.lines().filter_map(parse).collect()
}

/// An edge of the NFA with the numbers that its states have in Fig. 4: from, inscription, to.
type NfaEdge = (u32, String, u32);

/// The states between children and the edges among them: the NFA before it is spliced.
fn nfa_edges() -> Result<Vec<NfaEdge>> {
    let automaton = automaton(FIG3)?;
    let inner: Vec<_> = automaton
        .states()
        .iter()
        .filter(|state| matches!(state.kind, StateKind::Sequence { .. }))
        .map(|state| state.id)
        .collect();
    let number = |id| inner.iter().position(|one| *one == id).map(|at| at as u32 + 5);
    let edges = automaton
        .edges()
        .iter()
        .filter_map(|edge| Some((number(edge.from)?, edge.input.to_string(), number(edge.to)?)));
    Ok(edges.collect())
}

fn show((from, input, to): &NfaEdge) -> String {
    format!("{from} -{input}-> {to}")
}

fn nfa_dot() -> Result<String> {
    let edges = nfa_edges()?;
    let last = edges.iter().map(|edge| edge.2).max().unwrap_or(0);
    let mut out = format!("digraph nfa {{\n  rankdir=LR;\n  \"{last}\" [shape=doublecircle];\n");
    for (from, input, to) in edges {
        let _ = writeln!(out, "  \"{from}\" -> \"{to}\" [label=\"{input}\"];");
    }
    out.push_str("}\n");
    Ok(out)
}

/// The pattern as a tree: a box for each sibling expression, as the paper draws a triangle.
pub(super) fn pattern_dot(pattern: &Pattern) -> String {
    let mut out = String::from("digraph pattern {\n");
    for (index, node) in pattern.nodes().iter().enumerate() {
        let returned = pattern.return_mark(NodeId(index as u32)).is_some();
        let shape = if returned { "doublecircle" } else { "circle" };
        let _ = writeln!(out, "  n{index} [label=\"{}\", shape={shape}];", node.test);
    }
    for (index, node) in pattern.nodes().iter().enumerate() {
        for (position, branch) in node.branches.iter().enumerate() {
            match branch {
                Branch::Node(id) => {
                    let axis = match pattern.node(*id).axis {
                        Axis::Child => "/",
                        Axis::Descendant => "//",
                    };
                    let _ = writeln!(out, "  n{index} -> n{} [label=\"{axis}\"];", id.0);
                }
                Branch::Regular(regex) => {
                    let expression = format!("x{index}_{position}");
                    let text = regex_text(pattern, regex);
                    let _ = writeln!(out, "  {expression} [label=\"{text}\", shape=box];");
                    let _ = writeln!(out, "  n{index} -> {expression} [label=\"/\"];");
                    regex.for_each_symbol(&mut |id| {
                        let _ = writeln!(out, "  {expression} -> n{} [style=dashed];", id.0);
                    });
                }
            }
        }
    }
    out.push_str("}\n");
    out
}

/// An expression in the paper's notation.
fn regex_text(pattern: &Pattern, regex: &Regex) -> String {
    let join = |parts: &[Regex], with: &str| {
        parts.iter().map(|part| regex_text(pattern, part)).collect::<Vec<_>>().join(with)
    };
    match regex {
        Regex::Symbol(id) => pattern.node(*id).test.to_string(),
        Regex::Concat(parts) => join(parts, " : "),
        Regex::Alt(parts) => format!("({})", join(parts, " | ")),
        Regex::Repeat { inner, min, max } => {
            let text = regex_text(pattern, inner);
            let text = if matches!(**inner, Regex::Concat(_)) { format!("({text})") } else { text };
            match (min, max) {
                (0, None) => format!("{text}*"),
                (1, None) => format!("{text}+"),
                (0, Some(1)) => format!("{text}?"),
                (min, None) => format!("{text}{{{min},}}"),
                (min, Some(max)) => format!("{text}{{{min},{max}}}"),
            }
        }
    }
}
