//! The bibliographies: calibration, form, and enough answers for the usual queries.

mod common;

use common::{Measured, Tree, generate};
use data_gen::xml::dblp::DEFAULT_RECORDS;
use data_gen::xml::{DblpOptions, XmlKind};

/// Bytes, elements and attributes of the bibliography of 2002.
const ORIGINAL: [f64; 3] = [133_862_735.0, 3_332_130.0, 404_276.0];

fn within(what: &str, ours: f64, theirs: f64, share: f64) {
    assert!((ours - theirs).abs() <= share * theirs, "{what}: {ours}, not near {theirs}");
}

#[test]
fn the_default_has_the_size_of_the_original() {
    let kind = XmlKind::Dblp(DblpOptions::default());
    let facts = kind.generate(1, &mut std::io::sink()).unwrap();
    within("bytes", facts.bytes as f64, ORIGINAL[0], 0.02);
    within("elements", facts.elements as f64, ORIGINAL[1], 0.02);
    within("attributes", facts.attributes as f64, ORIGINAL[2], 0.02);
    within("average depth", facts.average_depth(), 2.90, 0.01);
    within("expected bytes", kind.expected_bytes() as f64, facts.bytes as f64, 0.01);
    assert_eq!(facts.max_depth, 6);
}

#[test]
fn a_part_has_the_proportions_of_the_whole() {
    let scale = 0.05;
    let (document, facts) = generate(&XmlKind::Dblp(DblpOptions::scaled(scale)), 2);
    let ours = Measured::of(&document, &[]);
    ours.assert_matches(&facts);
    let records = (DEFAULT_RECORDS as f64 * scale).floor();
    within("bytes", ours.bytes as f64, ORIGINAL[0] * scale, 0.03);
    within("elements", ours.elements as f64, ORIGINAL[1] * scale, 0.03);
    within("attributes", ours.attributes as f64, ORIGINAL[2] * scale, 0.03);
    assert_eq!(ours.max_depth(), 6);
    assert_eq!(ours.depths[&2] as f64, records);
    for name in ["title", "year", "url"] {
        assert_eq!(ours.tag(name) as f64, records, "{name}");
    }
    let share = |name: &str| ours.tag(name) as f64 / records;
    within("articles", share("article"), 0.34, 0.1);
    within("inproceedings", share("inproceedings"), 0.645, 0.1);
    within("authors", share("author"), 2.25, 0.05);
    within("ee", share("ee"), 0.25, 0.1);
    within("pages", share("pages"), 0.96, 0.02);
    within("numbers of articles", share("number") / share("article"), 0.91, 0.02);
    within("citations", share("cite"), 0.52, 0.2);
    for name in ["proceedings", "incollection", "book", "phdthesis", "mastersthesis", "www"] {
        assert!(share(name) < 0.02, "{name}");
    }
    for markup in ["i", "sub", "sup", "tt", "ref"] {
        assert!(ours.tag(markup) > 20 && share(markup) < 0.03, "{markup}");
    }
}

#[test]
fn entities_are_named_or_resolved() {
    let mut options = DblpOptions::new(2000);
    let (named, _) = generate(&XmlKind::Dblp(options.clone()), 4);
    options.entities = false;
    let (plain, _) = generate(&XmlKind::Dblp(options), 4);
    let named = String::from_utf8(named).expect("ASCII");
    let plain = String::from_utf8(plain).expect("UTF-8");
    assert!(named.is_ascii());
    let declaration = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n\
                       <!DOCTYPE dblp SYSTEM \"dblp.dtd\">\n";
    let utf_8 = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    assert!(named.starts_with(declaration) && plain.starts_with(utf_8));
    assert!(named.contains("&uuml;") && plain.contains('\u{fc}'));
    assert!(!plain.contains("&uuml;"));
    // The same records, but for the spelling of letters.
    let resolved = [
        ("uuml", "ü"),
        ("ouml", "ö"),
        ("auml", "ä"),
        ("eacute", "é"),
        ("egrave", "è"),
        ("ecirc", "ê"),
        ("euml", "ë"),
        ("aacute", "á"),
        ("agrave", "à"),
        ("atilde", "ã"),
        ("aring", "å"),
        ("iacute", "í"),
        ("oacute", "ó"),
        ("ocirc", "ô"),
        ("oslash", "ø"),
        ("uacute", "ú"),
        ("ntilde", "ñ"),
        ("ccedil", "ç"),
        ("szlig", "ß"),
        ("aelig", "æ"),
    ]
    .iter()
    .fold(named.replace(declaration, utf_8), |text, (name, letter)| {
        text.replace(&format!("&{name};"), letter)
    });
    assert!(resolved == plain, "the records differ");
}

#[test]
fn keys_are_unique() {
    let (document, _) = generate(&XmlKind::Dblp(DblpOptions::new(20_000)), 6);
    let text = String::from_utf8(document).unwrap();
    let mut keys: Vec<&str> =
        text.split(" key=\"").skip(1).map(|part| &part[..part.find('"').unwrap()]).collect();
    assert_eq!(keys.len(), 20_000);
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 20_000);
}

#[test]
fn the_usual_queries_have_answers() {
    let (document, _) = generate(&XmlKind::Dblp(DblpOptions::scaled(0.03)), 1);
    let tree = Tree::of(&document);
    let enough = |what: &str, answers: usize, least: usize| {
        assert!(answers >= least, "{what}: {answers} answers");
    };
    let with = |name: &'static str, child: &'static str| {
        tree.named(name).filter(|&node| tree.has_child(node, child)).count()
    };
    enough("inproceedings/title", tree.paths(&["title", "inproceedings", "dblp"]), 5000);
    let numbered = |node: &usize| tree.has_child(*node, "ee") && tree.has_child(*node, "number");
    enough("article[ee][number]", tree.named("article").filter(numbered).count(), 500);
    enough("inproceedings[cite]", with("inproceedings", "cite"), 50);
    enough("article[cite]", with("article", "cite"), 20);
    let raised = tree.named("sup").filter(|&node| {
        let mut node = node;
        while let Some(parent) = tree.nodes[node].parent {
            node = parent;
            if tree.name(node) == "title" {
                return true;
            }
        }
        false
    });
    enough("title//sup", raised.count(), 20);
    let run = |word: &'static [&'static str]| move |names: &[&str]| names.starts_with(word);
    enough("author+", tree.with_run("inproceedings", run(&["author", "author"])), 3000);
    enough("title run", tree.with_run("article", run(&["author", "title", "pages", "year"])), 2000);
    enough("volume run", tree.with_run("article", run(&["volume", "journal", "number"])), 2000);
    enough("cite run", tree.with_run("inproceedings", run(&["cite", "cite"])), 50);
    let records = &tree.nodes[0].children;
    let turns = records.windows(2).filter(|pair| {
        tree.name(pair[0]) == "article"
            && tree.name(pair[1]) == "inproceedings"
            && tree.has_child(pair[1], "ee")
    });
    enough("article, inproceedings[ee]", turns.count(), 30);
}

#[test]
fn no_records_are_refused() {
    let error = data_gen::xml::dblp(&DblpOptions::new(0), 1, &mut std::io::sink()).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
}
