//! Random and hostile trees: always well-formed, within their limits, and with all they promise.

mod common;

use common::{Measured, generate};
use data_gen::xml::{RandomTreeOptions, Shape, XmlKind};

fn random(change: impl FnOnce(&mut RandomTreeOptions)) -> XmlKind {
    let mut options = RandomTreeOptions::new(Shape::Random);
    change(&mut options);
    XmlKind::RandomTree(options)
}

fn shaped(shape: Shape, change: impl FnOnce(&mut RandomTreeOptions)) -> XmlKind {
    let mut options = RandomTreeOptions::new(shape);
    change(&mut options);
    XmlKind::RandomTree(options)
}

#[test]
fn every_seed_gives_a_well_formed_tree_within_its_limits() {
    for seed in 0..300 {
        let elements = 1 + seed % 97;
        let max_depth = 1 + seed % 9;
        let max_fanout = seed % 6;
        let (document, facts) = generate(
            &random(|options| {
                options.elements = elements;
                options.max_depth = max_depth;
                options.max_fanout = max_fanout;
                options.comments = 0.3;
                options.instructions = 0.3;
                options.cdata = 0.3;
            }),
            seed,
        );
        let ours = Measured::of(&document, &[]);
        ours.assert_matches(&facts);
        assert!(ours.elements <= elements && ours.max_depth() <= max_depth);
        let tree = common::Tree::of(&document);
        assert!(tree.nodes.iter().all(|node| node.children.len() as u64 <= max_fanout));
    }
}

#[test]
fn all_elements_are_used_when_there_is_room() {
    for seed in 0..20 {
        let (_, facts) = generate(&random(|options| options.max_depth = 10_000), seed);
        assert_eq!(facts.elements, 1000);
    }
}

#[test]
fn everything_that_may_stand_between_tags_does() {
    let (document, _) = generate(&random(|options| options.elements = 5000), 1);
    let text = String::from_utf8(document).unwrap();
    for part in [
        "<!-- <a> </b> -->",
        "<!-- it's & -->",
        "<?go x > y ? z ?>",
        "<![CDATA[</a><b>]]>",
        "=\"a > b\"",
        "='/>'",
        "=\"it's\"",
        " = 'say \"x\"'",
        "&lt;b&gt;",
        "&#x42;",
        " a > b ",
        "\u{1f332}",
        " />",
        " >",
        "></",
    ] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn probabilities_of_zero_and_one_are_kept() {
    let bare = random(|options| {
        options.text = 0.0;
        options.comments = 0.0;
        options.instructions = 0.0;
        options.cdata = 0.0;
        options.attributes = 0.0;
        options.recursion = 1.0;
    });
    let (document, facts) = generate(&bare, 9);
    let text = String::from_utf8(document.clone()).unwrap();
    assert_eq!(facts.attributes, 0);
    assert!(!text.contains("<!") && !text.contains("<?go"));
    assert_eq!(Measured::of(&document, &[]).names().len(), 1, "all take the root's name");
    let full = random(|options| {
        options.comments = 1.0;
        options.attributes = 1.0;
    });
    let (document, facts) = generate(&full, 9);
    let text = String::from_utf8(document).unwrap();
    assert!(facts.attributes >= facts.elements);
    assert!(text.matches("<!--").count() as u64 >= facts.elements);
}

#[test]
fn a_deep_tree_is_a_single_path() {
    let (document, facts) = generate(&shaped(Shape::Deep, |_| {}), 1);
    let ours = Measured::of(&document, &[]);
    ours.assert_matches(&facts);
    assert_eq!((facts.elements, facts.max_depth), (100_000, 100_000));
}

#[test]
fn a_wide_tree_is_a_row_of_siblings() {
    let (document, facts) = generate(&shaped(Shape::Wide, |o| o.elements = 20_000), 1);
    let ours = Measured::of(&document, &[]);
    ours.assert_matches(&facts);
    assert_eq!(ours.edge("rows", "row"), 20_000);
    let with_child = ours.edge("row", "x");
    assert!((9_600..10_400).contains(&with_child), "{with_child} rows have a child");
    // At its default size, 200 MB.
    let bytes = facts.bytes as f64 * 50.0;
    assert!((bytes - 200e6).abs() < 2e6, "{bytes}");
    assert_eq!(RandomTreeOptions::new(Shape::Wide).elements, 1_000_000);
}

#[test]
fn a_long_text_is_one_text_node() {
    let (document, facts) = generate(&shaped(Shape::LongText, |_| {}), 1);
    Measured::of(&document, &[]).assert_matches(&facts);
    let text = String::from_utf8(document).unwrap();
    let (_, rest) = text.split_once("<text>").unwrap();
    let (node, _) = rest.split_once('<').unwrap();
    assert_eq!(node.len(), 64 << 20);
    assert!(!node.contains('&'));
}

#[test]
fn many_attributes_have_different_names() {
    let kind = shaped(Shape::ManyAttributes, |options| {
        options.elements = 3;
        options.attributes_each = 500;
    });
    let (document, facts) = generate(&kind, 1);
    // Reading checks that no name occurs twice in a tag.
    Measured::of(&document, &[]).assert_matches(&facts);
    assert_eq!((facts.elements, facts.attributes), (4, 1500));
}

#[test]
fn options_out_of_range_are_refused() {
    type Change = fn(&mut RandomTreeOptions);
    let refused: [(&str, Change); 7] = [
        ("comments", |o| o.comments = 1.5),
        ("text", |o| o.text = f64::NAN),
        ("recursion", |o| o.recursion = -0.1),
        ("at least one element", |o| o.elements = 0),
        ("one level", |o| o.max_depth = 0),
        ("name", |o| o.names.clear()),
        ("\"1a\"", |o| o.names = vec!["a".to_owned(), "1a".to_owned()]),
    ];
    for (what, change) in refused {
        let error = random(change).generate(1, &mut std::io::sink()).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
        assert!(error.to_string().contains(what), "{error}");
    }
}
