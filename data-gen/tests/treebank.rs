//! The parsed sentences: calibration, form, and enough answers for the usual queries.

mod common;

use common::{Measured, Tree, generate};
use data_gen::xml::treebank::MAX_DEPTH;
use data_gen::xml::{TreebankOptions, XmlKind};

fn within(what: &str, ours: f64, theirs: f64, share: f64) {
    assert!((ours - theirs).abs() <= share * theirs, "{what}: {ours}, not near {theirs}");
}

#[test]
fn the_default_has_the_size_of_the_original() {
    let kind = XmlKind::Treebank(TreebankOptions::default());
    let (document, facts) = generate(&kind, 1);
    let ours = Measured::of(&document, &[]);
    ours.assert_matches(&facts);
    within("names", ours.names().len() as f64, 250.0, 0.05);
    within("bytes", facts.bytes as f64, 86_082_517.0, 0.02);
    within("elements", facts.elements as f64, 2_437_666.0, 0.02);
    within("average depth", facts.average_depth(), 7.87, 0.02);
    within("expected bytes", kind.expected_bytes() as f64, facts.bytes as f64, 0.01);
    assert_eq!(facts.attributes, 1);
    assert_eq!(facts.max_depth, MAX_DEPTH as u64);
}

#[test]
fn a_part_has_the_proportions_of_the_whole() {
    let (document, facts) = generate(&XmlKind::Treebank(TreebankOptions::scaled(0.2)), 2);
    let ours = Measured::of(&document, &[]);
    ours.assert_matches(&facts);
    within("bytes of an element", ours.bytes as f64 / ours.elements as f64, 35.3, 0.02);
    within("average depth", ours.average_depth(), 7.87, 0.03);
    within("elements", ours.elements as f64, 0.2 * 2_437_666.0, 0.03);
    assert_eq!(ours.max_depth(), 36);
    let names = ours.names();
    for name in [
        "FILE", "EMPTY", "S", "NP", "VP", "PP", "SBAR", "ADJP", "ADVP", "NN", "IN", "NNP", "DT",
        "JJ", "NNS", "VB", "VBD", "VBZ", "VBP", "VBG", "VBN", "CC", "RB", "PRP", "CD", "TO",
        "_COMMA_", "_PERIOD_", "_NONE_",
    ] {
        assert!(names.contains(name), "{name}");
    }
    // Recursion in the same name.
    assert!(ours.edge("NP", "NP") > 1000 && ours.edge("VP", "VP") > 1000);
    assert_eq!(ours.tag("FILE"), 1);
    assert_eq!(ours.edge("FILE", "EMPTY"), ours.tag("EMPTY"));
}

#[test]
fn one_sentence_reaches_the_greatest_depth() {
    for seed in 0..20 {
        let (document, facts) = generate(&XmlKind::Treebank(TreebankOptions::new(1)), seed);
        Measured::of(&document, &[]).assert_matches(&facts);
        assert_eq!(facts.max_depth, 36);
    }
}

#[test]
fn the_usual_queries_have_answers() {
    let (document, _) = generate(&XmlKind::Treebank(TreebankOptions::scaled(0.05)), 1);
    let tree = Tree::of(&document);
    let enough = |what: &str, answers: usize| {
        assert!(answers >= 100, "{what}: {answers} answers");
    };
    let ancestors =
        |node: usize| std::iter::successors(tree.nodes[node].parent, |&n| tree.nodes[n].parent);
    enough("S/VP/PP/NP", tree.paths(&["NP", "PP", "VP", "S"]));
    let nouns = tree.named("NN").filter(|&node| {
        tree.nodes[node].parent.is_some_and(|p| tree.name(p) == "NP")
            && ancestors(node).any(|a| tree.name(a) == "S" && tree.has_descendant(a, "SBAR"))
    });
    enough("S[.//SBAR]//NP/NN", nouns.count());
    let phrases = tree.named("PP").filter(|&node| {
        let parent = tree.nodes[node].parent.expect("a phrase is inside the root");
        tree.name(parent) == "NP" && tree.has_child(parent, "JJ") && tree.has_child(parent, "NN")
    });
    enough("NP[JJ][NN]/PP", phrases.count());
    let objects = tree
        .named("NP")
        .filter(|&node| ancestors(node).filter(|&a| tree.name(a) == "VP").count() > 1);
    enough("VP//VP//NP", objects.count());
    let determined = |s: usize| {
        let children = &tree.nodes[s].children;
        children.iter().any(|&c| tree.name(c) == "NP" && tree.has_child(c, "DT"))
    };
    let far = tree.named("NP").filter(|&node| {
        let parent = tree.nodes[node].parent.expect("a phrase is inside the root");
        tree.name(parent) == "PP"
            && tree.has_child(parent, "IN")
            && ancestors(parent).any(|vp| {
                let s = tree.nodes[vp].parent;
                tree.name(vp) == "VP" && s.is_some_and(|s| tree.name(s) == "S" && determined(s))
            })
    });
    enough("S[NP/DT]/VP//PP[IN]/NP", far.count());
    enough("S/{NP, VP}", tree.with_run("S", |names| names.starts_with(&["NP", "VP"])));
    let adjectives = |least: usize| {
        move |names: &[&str]| {
            let between = names.iter().skip(1).take_while(|name| **name == "JJ").count();
            names[0] == "DT" && between >= least && names.get(between + 1) == Some(&"NN")
        }
    };
    enough("NP/{DT, JJ*, NN}", tree.with_run("NP", adjectives(0)));
    enough("NP/{DT, JJ, JJ, NN}", tree.with_run("NP", adjectives(2)));
    enough(
        "VP/{VBD, NP?, PP*}",
        tree.with_run("VP", |names| names.starts_with(&["VBD", "NP", "PP"])),
    );
    enough("VP/{VBD, PP}", tree.with_run("VP", |names| names.starts_with(&["VBD", "PP"])));
    enough("NP/{NP, CC, NP}", tree.with_run("NP", |names| names.starts_with(&["NP", "CC", "NP"])));
    enough(
        "NP/{NP, _COMMA_, NP}",
        tree.with_run("NP", |names| names.starts_with(&["NP", "_COMMA_", "NP"])),
    );
    let pronouns = tree.named("S").filter(|&s| {
        tree.nodes[s].children.windows(2).any(|pair| {
            tree.name(pair[0]) == "NP"
                && tree.name(pair[1]) == "VP"
                && tree.has_descendant(pair[0], "PRP")
                && tree.has_descendant(pair[1], "PP")
        })
    });
    enough("S/{NP[.//PRP], VP[.//PP]}", pronouns.count());
}

#[test]
fn no_sentences_are_refused() {
    let options = TreebankOptions::new(0);
    let error = data_gen::xml::treebank(&options, 1, &mut std::io::sink()).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
}
