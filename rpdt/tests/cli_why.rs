//! `rpdt --why`: what a document has of a query that finds nothing.
#![cfg(feature = "cli")]

use std::fs;

use tempfile::TempDir;

const ORDERS: &str = "<orders>\n\
    <order id='1' status='open'><item>tea</item><item>milk</item><paid/></order>\n\
    <order id='2' status='cancelled'><item>salt</item><note/><paid/></order>\n\
    <items><item>nails</item></items></orders>";

const FEED: &str = "<exp:list xmlns:exp='urn:acme:order' xmlns='urn:d'>\
    <exp:export x:Id='4' xmlns:x='urn:x'/><order/></exp:list>";

/// The exit code, and the lines on the standard error.
fn run(arguments: &[&str], input: &str) -> (i32, Vec<String>) {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("orders.xml"), ORDERS).expect("written");
    fs::write(folder.path().join("feed.xml"), FEED).expect("written");
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_rpdt"))
        .args(arguments)
        .current_dir(folder.path())
        .write_stdin(input)
        .output()
        .expect("the program runs");
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    (output.status.code().expect("no signal"), err.lines().map(str::to_owned).collect())
}

/// What is told about the steps of a query that finds nothing.
fn why(query: &str, file: &str) -> String {
    let (code, lines) = run(&["--why", "-f", "count", query, file], "");
    assert_eq!(code, 1, "{query}: {lines:?}");
    assert!(lines[0].starts_with(&format!("why: elements of {file} with")), "{lines:?}");
    let steps: Vec<_> = lines[1..].iter().map(|line| line.trim_start()).collect();
    steps.join("\n")
}

#[test]
fn names() {
    assert_eq!(
        why("/orders/Order[paid]", "orders.xml"),
        "/orders: 1 in the document, 1 in place\n\
         /orders/Order: no element `Order`; there is `order` (2)\n\
         /orders/Order[paid]: 2 in the document, 0 in place; there is no `Order`"
    );
    assert_eq!(
        why("//order[paod][.//wholly]", "orders.xml"),
        "//order: 2 in the document, 2 in place\n\
         //order[paod]: no element `paod`; there is `paid` (2)\n\
         //order[.//wholly]: no element `wholly`, nor one whose name is similar"
    );
}

#[test]
fn places() {
    assert_eq!(
        why("/order", "orders.xml"),
        "/order: 2 in the document, 0 in place; the document element is `orders`"
    );
    assert_eq!(
        why("//note/item", "orders.xml"),
        "//note: 1 in the document, 1 in place\n\
         //note/item: 4 in the document, 0 in place; `item` is never a child of `note`; it is one of \
         `order`, `items`"
    );
    assert_eq!(
        why("//order//items", "orders.xml"),
        "//order: 2 in the document, 2 in place\n\
         //order//items: 1 in the document, 0 in place; `items` is never inside a `order` that is in \
         its place; it is a child of `orders`"
    );
    assert_eq!(
        why("//items/order/item", "orders.xml").lines().last(),
        Some("//items/order/item: 4 in the document, 0 in place; no `order` is in its place")
    );
}

#[test]
fn a_step_with_conditions_counts_by_its_name() {
    assert_eq!(
        why("//order/{note, item[.=\"salt\"]!}", "orders.xml"),
        "//order: 2 in the document, 2 in place\n\
         //order/{note}: 1 in the document, 1 in place\n\
         //order/{item}: 4 in the document, 3 in place\n\
         //order/{item[.=\"salt\"]}: 1 pass; values seen: \"tea\", \"milk\", \"salt\"\n\
         (each of these occurs, but not all together: in one element, or in the order that the braces \
         want)"
    );
}

#[test]
fn values() {
    assert_eq!(
        why("//order[@status=\"canceled\"]", "orders.xml").lines().last(),
        Some(
            "//order[@status=\"canceled\"]: 2 have `@status`, 0 pass; no `@status` is \"canceled\"; \
             values seen: \"open\", \"cancelled\""
        )
    );
    assert_eq!(
        why("//order[@Id>1][@x:y]", "orders.xml").lines().skip(1).collect::<Vec<_>>(),
        [
            "//order[@Id>1]: no `order` in place has `@Id`; there is `@id`",
            "//order[@x:y]: no `order` in place has `@x:y`; its attributes are `id`, `status`; a \
             prefix that is not declared with --ns is compared as it is written"
        ]
    );
    assert_eq!(
        why("//item[text()=\"coal\"]", "orders.xml").lines().last(),
        Some(
            "//item[text()=\"coal\"]: 4 have `text()`, 0 pass; no `text()` is \"coal\"; values seen: \
             \"tea\", \"milk\", \"salt\", \"nails\""
        )
    );
}

/// A part of a long text is not taken for the text.
#[test]
fn long_texts_are_not_compared() {
    let folder = TempDir::new().expect("a folder");
    let long = "x".repeat(5000);
    let document = format!("<r><a>q<![CDATA[{long}]]></a><a>{long}<b/>p</a><a>q<!-- -->r</a></r>");
    fs::write(folder.path().join("r.xml"), document).expect("written");
    for (query, expected) in [
        (
            "//a[text()=\"q\"][text()=\"none\"]",
            [
                "  //a[text()=\"q\"]: 3 have `text()`, 1 pass; values seen: \"p\", \"q\", \"r\"; 2 not \
                 compared: their text is long, or they are inside too many others",
                "  //a[text()=\"none\"]: 3 have `text()`, 0 pass; values seen: \"p\", \"q\", \"r\"; 2 \
                 not compared: their text is long, or they are inside too many others",
            ],
        ),
        (
            "//a[.=\"qr\"][.=\"q\"]",
            [
                "  //a[.=\"qr\"]: 1 pass; values seen: \"qr\"; 2 not compared: their text is long, or \
                 they are inside too many others",
                "  //a[.=\"q\"]: 0 pass; values seen: \"qr\"; 2 not compared: their text is long, or \
                 they are inside too many others",
            ],
        ),
    ] {
        let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_rpdt"))
            .args(["--why", "-f", "count", query, "r.xml"])
            .current_dir(folder.path())
            .output()
            .expect("the program runs");
        let err = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(err.lines().skip(2).collect::<Vec<_>>(), expected, "{query}");
    }
}

/// What the search passes over is read the second time.
#[test]
fn a_fault_that_only_the_second_look_meets() {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("r.xml"), "<r><s><x></y></s><t/></r>").expect("written");
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_rpdt"))
        .args(["--why", "-f", "count", "/q/u", "r.xml"])
        .current_dir(folder.path())
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    let last = err.lines().last().expect("a line");
    assert!(last.contains("did not come to the end: it ended at byte 9: end tag `</y>`"), "{err}");
}

#[test]
fn namespaces() {
    assert_eq!(
        why("//export", "feed.xml"),
        "//export: no element `export`; `export` occurs as `exp:export` (1), in the namespace \
         `urn:acme:order`: try `*:export` or --ns"
    );
    let (code, lines) = run(&["--why", "--ns", "o=urn:acme:orderz", "//o:export", "feed.xml"], "");
    assert_eq!(code, 1);
    assert_eq!(
        lines[1],
        "  //o:export: no element `o:export`; no element is in the namespace `urn:acme:orderz`; the \
         document declares `urn:acme:order`, `urn:d`, `urn:x`"
    );
    let declared = ["--why", "--ns", "o=urn:acme:order", "//o:List", "feed.xml"];
    assert_eq!(run(&declared, "").1[1], "  //o:List: no element `o:List`; there is `exp:list` (1)");
    let default = ["--why", "--default-ns", "urn:d", "//order/x", "feed.xml"];
    assert_eq!(run(&default, "").1[1], "  //order: 1 in the document, 1 in place");
}

/// The counts are those of the engine, for steps without conditions.
#[test]
fn counts_are_those_of_the_engine() {
    let mut document = String::from("<r>");
    let mut state = 7_u32;
    let mut open = Vec::new();
    for _ in 0..3000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if open.len() < 8 && state >> 31 == 0 {
            let name = ["a", "b", "c"][(state >> 16) as usize % 3];
            document += &format!("<{name}>");
            open.push(name);
        } else if let Some(name) = open.pop() {
            document += &format!("</{name}>");
        }
    }
    while let Some(name) = open.pop() {
        document += &format!("</{name}>");
    }
    document += "</r>";
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("r.xml"), &document).expect("written");
    for query in ["//a", "//a/b", "//a//b", "/r/a/b//c", "//a//a//a", "//*/b", "/r//a/*/c", "/r"] {
        let plan = rpdt::Plan::parse(query).expect("a query");
        let outcome = plan.run_slice(document.as_bytes(), rpdt::Count::new()).expect("a document");
        assert!(outcome.sink.total() > 0, "{query} finds something");
        let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_rpdt"))
            .args(["--why", "-f", "count", query, "r.xml"])
            .current_dir(folder.path())
            .output()
            .expect("the program runs");
        let err = String::from_utf8(output.stderr).expect("UTF-8");
        let expected = format!(" {} in place", outcome.sink.total());
        assert!(err.trim_end().ends_with(&expected), "{query}: {err}");
    }
}

#[test]
fn the_standard_input_is_refused() {
    for arguments in [&["--why", "//a"][..], &["--why", "//a", "orders.xml", "-"]] {
        let (code, lines) = run(arguments, "<a/>");
        assert_eq!(code, 2);
        assert_eq!(
            lines,
            [
                "error: --why reads a document twice, which only regular files allow",
                " = help: write the document to a file first"
            ]
        );
    }
}

#[test]
fn an_empty_result_points_to_it() {
    let hint = "note: nothing was found; --why tells what a file has of the query";
    assert_eq!(run(&["--stats", "//none"], "<a/>").1.last().map(String::as_str), Some(hint));
    assert!(!run(&["--stats", "//a"], "<a/>").1.iter().any(|line| line == hint));
    // Nobody looks.
    assert_eq!(run(&["//none"], "<a/>"), (1, Vec::new()));
}

#[test]
fn explanations_know_namespaces_and_several_queries() {
    let output = |arguments: &[&str]| {
        let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_rpdt"))
            .args(arguments)
            .output()
            .expect("the program runs");
        assert!(output.status.success(), "{arguments:?}");
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"))
    };
    let [out, err] = output(&["explain", "//p:a/b", "--ns", "p=urn:x", "--default-ns", "urn:y"]);
    assert!(out.contains("With --threads ") && err.is_empty(), "{out}{err}");
    let [out, err] = output(&["explain", "-e", "//a", "-e", "//p:b"]);
    assert!(out.starts_with("query[0]: //a\n") && out.contains("\nquery[1]: //p:b\n"), "{out}");
    assert!(err.starts_with("note: query[1] is explained, but cannot be run as it is\n"), "{err}");
    assert!(err.contains("prefix `p` is not declared"), "{err}");
}
