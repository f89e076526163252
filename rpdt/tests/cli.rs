//! The program `rpdt`: formats, exit codes, input and output.
#![cfg(feature = "cli")]

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// The document of Fig. 5, as the experiment `rpdt-fig5` fixes it.
const FIG5: &str = concat!(
    r#"<a id="a1"><b id="b1"/><x><c><e id="e1"/><d><f/><g/></d><d><f/><h><g/></h></d></c></x>"#,
    r#"<a id="a2"><c><e id="e2"/><d><f/></d><e id="e3"/></c><b id="b3"/></a>"#,
    r#"<a id="a3"><c><e id="e4"/><d><g/></d></c></a><b id="b2"/><c><d><f/><g/></d></c></a>"#
);
/// The pattern of Fig. 1.
const FIG1: &str = "//a[b!]//c/{ e! , d[f][.//g]* }";

/// What a run of the program gave.
struct Run {
    code: i32,
    out: String,
    err: String,
}

/// Runs the program with a document on the standard input.
fn rpdt_bytes(arguments: &[&str], document: &[u8]) -> Run {
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_rpdt"))
        .args(arguments)
        .write_stdin(document)
        .output()
        .expect("the program runs");
    Run {
        code: output.status.code().expect("no signal"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

fn rpdt(arguments: &[&str], document: &str) -> Run {
    rpdt_bytes(arguments, document.as_bytes())
}

/// The output of a run that finds something and has nothing to say about it.
fn found(arguments: &[&str], document: &str) -> String {
    let run = rpdt(arguments, document);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}");
    run.out
}

#[test]
fn fig5_in_every_shape_and_format() {
    let mut all = String::new();
    for shape in ["nodes", "tuples", "instances"] {
        for format in ["count", "path", "range", "xml", "json"] {
            let arguments = [FIG1, "--shape", shape, "--format", format, "--order", "document"];
            let _ = writeln!(all, "--shape {shape} --format {format}");
            let _ = writeln!(all, "{}", found(&arguments, FIG5));
        }
    }
    insta::assert_snapshot!("fig5", all);
}

#[test]
fn fig5_counts() {
    let count = |query, shape| found(&[query, "-", "-f", "count", "--shape", shape], FIG5);
    assert_eq!(count(FIG1, "nodes"), "7\n");
    assert_eq!(count(FIG1, "tuples"), "10\n");
    assert_eq!(count(FIG1, "instances"), "2\n");
    let child = FIG1.replacen("//", "/", 1);
    assert_eq!(count(&child, "tuples"), "8\n");
    assert_eq!(count(&child, "instances"), "1\n");
}

#[test]
fn a_node_has_exactly_the_documented_keys_in_their_order() {
    let out = found(&["//b"], "<?xml version='1.0'?>\n<a><b  y='&lt;2' x='\"1\"'>t</b></a>");
    assert_eq!(
        out,
        "{\"label\":\"b\",\"name\":\"b\",\"path\":\"/a[1]/b[1]\",\"start\":25,\"end\":52,\
         \"depth\":2,\"attributes\":{\"y\":\"<2\",\"x\":\"\\\"1\\\"\"}}\n"
    );
}

#[test]
fn every_line_of_json_can_be_parsed() {
    let document = "<a><b q='\\ \" &#9;&#10; \u{1F600} \u{e9}'/><été é='1'/></a>";
    for line in found(&["//*"], document).lines() {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(value.as_object().map(serde_json::Map::len), Some(7));
    }
    let run = found(&["//b"], document);
    let value: serde_json::Value = serde_json::from_str(&run).expect("JSON");
    assert_eq!(value["attributes"]["q"], "\\ \" \t\n \u{1F600} \u{e9}");
}

#[test]
fn labels_name_the_fields() {
    let out = found(&["//a/{b!first, c!rest*}", "-f", "path"], "<a><b/><c/><c/></a>");
    assert_eq!(out, "first=/a[1]/b[1]\trest=/a[1]/c[1],/a[1]/c[2]\n");
    // A run without a child at a label is an empty list.
    let out = found(&["//a/{b!first, c!rest*}", "-f", "path"], "<a><b/></a>");
    assert_eq!(out, "first=/a[1]/b[1]\trest=\n");
}

#[test]
fn text_and_xml_are_raw() {
    let document = "<a><b>one &amp;\n<i>two</i></b><b><![CDATA[<3]]></b></a>";
    assert_eq!(found(&["//b", "-f", "text"], document), "one &\ntwo\n<3\n");
    assert_eq!(
        found(&["//b", "-f", "xml"], document),
        "<b>one &amp;\n<i>two</i></b>\n<b><![CDATA[<3]]></b>\n"
    );
    let long = format!("<a><b>{}</b><b>end</b></a>", "x".repeat(300_000));
    assert_eq!(found(&["//b", "-f", "text"], &long).len(), 300_001 + 4);
}

#[test]
fn exit_codes() {
    assert_eq!(rpdt(&["//a"], "<a/>").code, 0);
    let none = rpdt(&["//b"], "<a/>");
    assert_eq!((none.code, none.out.as_str(), none.err.as_str()), (1, "", ""));
    assert_eq!(rpdt(&["//b", "--format", "count"], "<a/>").code, 1);
    for wrong in [&["//a["][..], &["//a", "--no-such-flag"], &[], &["//a", "x", "y"]] {
        let run = rpdt(wrong, "<a/>");
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{wrong:?}");
        assert!(!run.err.is_empty());
    }
    assert_eq!(rpdt(&["//a"], "<a>").code, 2);
}

#[test]
fn count_prints_every_query_also_with_zero() {
    let run = rpdt(&["-f", "count", "-e", "//b", "-e", "//z", "-e", "/a"], "<a><b/><b/></a>");
    assert_eq!((run.code, run.out.as_str()), (0, "2\n0\n1\n"));
    let run = rpdt(&["-f", "count", "-e", "//y", "-e", "//z"], "<a/>");
    assert_eq!((run.code, run.out.as_str()), (1, "0\n0\n"));
}

#[test]
fn answers_of_several_queries_say_which() {
    let queries = ["-e", "//c", "-e", "//b"];
    let with =
        |format: &str| found(&[&queries[..], &["-f", format]].concat(), "<a><b>t</b><c/></a>");
    assert_eq!(with("path"), "1\t/a[1]/b[1]\n0\t/a[1]/c[1]\n");
    assert_eq!(with("range"), "1\t3-11\n0\t11-15\n");
    assert_eq!(with("text"), "1\tt\n0\t\n");
    let json = with("json");
    let first = json.lines().next().expect("two lines");
    assert!(first.starts_with("{\"query\":1,\"answer\":{\"label\":\"b\","), "{first}");
    assert!(first.ends_with("}}}"), "{first}");
    // A single -e is like a query without it.
    assert_eq!(found(&["-e", "//b", "-f", "path"], "<a><b/></a>"), "/a[1]/b[1]\n");
}

#[test]
fn files_are_read_like_the_standard_input() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), FIG5).expect("written");
    let path = file.path().to_str().expect("UTF-8");
    let expected = found(&[FIG1, "-"], FIG5);
    assert_eq!(found(&[FIG1, path], ""), expected);
    assert_eq!(found(&["-e", FIG1, path], ""), expected);
    assert_eq!(found(&["-e", FIG1, "-"], FIG5), expected);
    assert_eq!(found(&[FIG1], FIG5), expected);
}

#[test]
fn early_stop_does_not_look_further() {
    let broken = "<a><b/><b/><b/></broken>";
    assert_eq!(found(&["//b", "--first", "-f", "path"], broken), "/a[1]/b[1]\n");
    assert_eq!(found(&["//b", "--limit", "2", "-f", "range"], broken), "3-7\n7-11\n");
    assert_eq!(found(&["//b", "--limit", "2", "-f", "count"], broken), "2\n");
    assert_eq!(rpdt(&["//b", "--limit", "4", "-f", "count"], broken).code, 2);
    assert_eq!(rpdt(&["//b", "--limit", "0"], broken).code, 2);
    assert_eq!(rpdt(&["//b", "--limit", "2", "--first"], broken).code, 2);
}

#[test]
fn runs_and_orders() {
    let runs = |policy| {
        found(&["/r/{a!, b!, a!}", "-f", "range", "--runs", policy], "<r><a/><b/><a/><b/><a/></r>")
    };
    assert_eq!(runs("peak"), "a=3-7,11-15\tb=7-11\na=11-15,19-23\tb=15-19\n");
    assert_eq!(runs("nonoverlap"), "a=3-7,11-15\tb=7-11\n");
    let live = |policy| {
        found(
            &["/r/{a!+}", "-f", "range", "--shape", "tuples", "--runs", policy],
            "<r><a/><a/></r>",
        )
    };
    assert_eq!(live("live"), "a=3-7\na=3-7,7-11\n");
    assert_eq!(live("peak"), "a=3-7,7-11\n");
    let nested = "<a><a><b/></a><b/></a>";
    assert_eq!(found(&["//a[b]", "-f", "range"], nested), "3-14\n0-22\n");
    assert_eq!(found(&["//a[b]", "-f", "range", "--order", "document"], nested), "0-22\n3-14\n");
}

#[test]
fn namespaces() {
    let feed = "<feed xmlns='urn:f' xmlns:q='urn:g'><e/><q:e/><e xmlns=''/></feed>";
    let count = |arguments: &[&str]| rpdt(&[arguments, &["-f", "path"]].concat(), feed).out;
    assert_eq!(count(&["//e"]), "/feed[1]/e[1]\n/feed[1]/e[2]\n");
    assert_eq!(count(&["--ns", "x=urn:g", "//x:e"]), "/feed[1]/q:e[1]\n");
    assert_eq!(
        count(&["--ns", "x=urn:f", "--ns", "y=urn:g", "/x:feed[y:e]/x:e"]),
        "/feed[1]/e[1]\n"
    );
    assert_eq!(count(&["--default-ns", "urn:f", "//e"]), "/feed[1]/e[1]\n");
    assert_eq!(count(&["//*:e"]).lines().count(), 3);
    assert!(rpdt(&["--ns", "urn:f", "//e"], feed).err.contains("expected PREFIX=URI"));
    assert!(rpdt(&["--ns", "=urn:f", "//e"], feed).err.contains("--default-ns"));
}

#[test]
fn offsets_count_the_original_bytes() {
    let range = |document: &[u8]| {
        let run = rpdt_bytes(&["//b", "-f", "range"], document);
        assert_eq!((run.code, run.err.as_str()), (0, ""));
        run.out
    };
    assert_eq!(range(b"\xEF\xBB\xBF<a><b/></a>"), "6-10\n");
    assert_eq!(range(b"\xEF\xBB\xBF<?xml version='1.0'?><a><b>\xC3\xA9</b></a>"), "27-36\n");
    let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE9<b>\xE9</b></a>";
    assert_eq!(range(latin), "47-55\n");
    for (mark, big) in [([0xFF, 0xFE], false), ([0xFE, 0xFF], true)] {
        let mut wide = mark.to_vec();
        for unit in "<a>\u{1F600}<b>é</b></a>".encode_utf16() {
            wide.extend(if big { unit.to_be_bytes() } else { unit.to_le_bytes() });
        }
        assert_eq!(range(&wide), "12-28\n");
    }
}

#[test]
fn entities() {
    let document = "<!DOCTYPE a SYSTEM 'a.dtd'><a><b>1&nbsp;2</b><c/></a>";
    assert_eq!(found(&["//c", "-f", "count"], document), "1\n");
    let run = rpdt(&["//b", "-f", "text"], document);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("nbsp") && run.err.contains("--entity nbsp=TEXT"), "{}", run.err);
    let keep = found(&["//b", "-f", "text", "--entities", "keep"], document);
    assert_eq!(keep, "1&nbsp;2\n");
    for name in ["nbsp", "&nbsp;"] {
        let flag = format!("{name}=-");
        let given = found(&["//b", "-f", "text", "--entity", &flag], document);
        assert_eq!(given, "1-2\n");
    }
    let run = rpdt(&["//b", "--entity", "nbsp"], document);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("NAME=TEXT"), "{}", run.err);
}

#[test]
fn strict_checks() {
    let document = "<a><b>]]></b><c/></a>";
    assert_eq!(found(&["//c", "-f", "count"], document), "1\n");
    assert_eq!(rpdt(&["//c", "-f", "count", "--checks", "strict"], document).code, 2);
    let fine = "<a><b>fine</b><c/></a>";
    let arguments = ["//c", "-f", "count", "--checks", "strict", "--front-end", "quick-xml"];
    assert_eq!(found(&arguments, fine), "1\n");
}

#[test]
fn every_limit_has_a_flag_and_an_error_that_names_it() {
    let laughs = format!(
        "<!DOCTYPE a [<!ENTITY x '{}'><!ENTITY y '&x;&x;&x;&x;'>]><a>&y;</a>",
        "h".repeat(1000)
    );
    let long = format!("<a b='{0}'><b>{0}</b></a>", "x".repeat(5000));
    let many = format!("<a>{}<c/></a>", "<b/>".repeat(2000));
    let comment = format!("<a><?pi {}?></a>", "x".repeat(500_000));
    let cases: [(&str, &str, &[&str], &str); 6] = [
        ("--max-depth", "2", &["//b"], "<a><a><a/></a></a>"),
        ("--max-attributes", "4k", &["//b"], &long),
        ("--max-text", "4k", &["//b", "-f", "text"], &long),
        ("--max-markup", "100k", &["//b"], &comment),
        ("--max-buffered", "4K", &["//a[c]/b"], &many),
        ("--max-entity-expansion", "2k", &["//a", "-f", "text"], &laughs),
    ];
    for (flag, low, arguments, document) in cases {
        let run = rpdt(&[arguments, &[flag, low]].concat(), document);
        assert_eq!(run.code, 2, "{flag}");
        assert!(run.err.contains(&format!("`{flag}`")), "{flag}: {}", run.err);
        let run = rpdt(&[arguments, &[flag, "1000000"]].concat(), document);
        assert!(run.code < 2, "{flag}: {}", run.err);
    }
    // These bound what is remembered; answers do not depend on them.
    let few = ["//a[b]//c", "--max-states", "1", "--max-names", "1", "-f", "count"];
    assert_eq!(found(&few, "<a><b/><x><c/></x></a>"), "1\n");
    for wrong in ["", "k", "1T", "-1", "1.5k", "99999999999G"] {
        assert_eq!(rpdt(&["//b", &format!("--max-text={wrong}")], "<a/>").code, 2, "{wrong}");
    }
}

#[test]
fn stats_go_to_the_standard_error() {
    let run = rpdt(&["//b", "--stats", "-f", "count"], "<a><b/><b>x</b></a>");
    assert_eq!((run.code, run.out.as_str()), (0, "2\n"));
    let lines: Vec<(&str, &str)> = run.err.lines().filter_map(|l| l.split_once(": ")).collect();
    let value = |name| lines.iter().find(|(n, _)| *n == name).map(|(_, value)| *value);
    assert_eq!(value("bytes"), Some("19"));
    assert_eq!(value("tags"), Some("6"));
    assert_eq!(value("answers"), Some("2"));
    assert_eq!(value("max depth"), Some("2"));
    assert!(value("peak buffered bytes").is_some_and(|v| v.parse::<u64>().is_ok()));
    assert!(value("seconds").is_some_and(|v| v.parse::<f64>().is_ok()));
}

#[test]
fn stats_of_several_queries() {
    let document = "<?xml version='1.0' encoding='ISO-8859-1'?><a><b/><b/><c/></a>";
    let arguments =
        ["-e", "//b", "-e", "//c", "--stats", "-f", "count", "--front-end", "quick-xml"];
    let run = rpdt(&arguments, document);
    assert_eq!((run.code, run.out.as_str()), (0, "2\n1\n"));
    for line in [
        "answers: 3",
        "answers of query 0: 2",
        "answers of query 1: 1",
        "threads: 1",
        "encoding: ISO-8859-1",
        "front end: quick-xml",
    ] {
        assert!(run.err.lines().any(|l| l == line), "{line}: {}", run.err);
    }
}

#[test]
fn comparisons_that_never_hold_are_warned_of() {
    let run = rpdt(&["//a[@total>\"abc\"]", "-f", "count"], "<a total='5'/>");
    assert_eq!((run.code, run.out.as_str()), (1, "0\n"));
    let warning = "warning: query: `@total>\"abc\"` never holds: order is that of numbers, and the \
                   literal is not one\n";
    assert_eq!(run.err, warning);
    for fine in ["//a[@total>\"4\"]", "//a[@total!=\"abc\"]", "//a[@total=\"5\"]"] {
        let run = rpdt(&[fine, "-f", "count"], "<a total='5'/>");
        assert_eq!((run.out.as_str(), run.err.as_str()), ("1\n", ""), "{fine}");
    }
}

#[test]
fn a_hundred_thousand_levels() {
    let depth = 100_000;
    let document = format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
    assert_eq!(found(&["//a", "-f", "count"], &document), "100000\n");
    assert_eq!(found(&["//a//a", "-f", "range"], &document).lines().count(), depth - 1);
    // No element has a child b, which is known only at the end tags.
    assert_eq!(rpdt(&["//a[.//b]//a", "-f", "count"], &document).out, "0\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for arguments in [&["//a"][..], &["//a", "-f", "count"], &["explain", "//a"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
        let mut child = Command::new(env!("CARGO_BIN_EXE_rpdt"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(full)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        // Dropping the pipe closes it.
        let _ = child.stdin.take().expect("a pipe").write_all(b"<a/>");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.starts_with("error: cannot write to the standard output: "), "{message}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rpdt"))
        .arg("//a")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("a pipe");
    let _ = stdin.write_all(b"<r>");
    // Fails as soon as the program has noticed and gone.
    while stdin.write_all(&b"<a/>".repeat(10_000)).is_ok() {}
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn answers_are_printed_while_the_document_is_being_written() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rpdt"))
        .args(["//a[b]/c", "-f", "path"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    for i in 1..=3 {
        let piece = if i == 1 { "<a><b/><c>" } else { "</c><c>" };
        stdin.write_all(piece.as_bytes()).and_then(|()| stdin.flush()).expect("it reads");
        // Would wait for ever if the answer came only with more input.
        let line = lines.next().expect("an answer").expect("UTF-8");
        assert_eq!(line, format!("/a[1]/c[{i}]"));
    }
    drop(stdin);
    assert_eq!(child.wait().expect("it ends").code(), Some(2));
}
