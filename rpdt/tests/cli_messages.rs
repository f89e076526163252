//! Messages of the program `rpdt`: complete, as a user sees them.
#![cfg(feature = "cli")]

use std::fmt::Write as _;

use rpdt::paper::PaperAutomaton;
use rpdt::{Pattern, Plan};

/// A run as it would look on a terminal: command, output, messages, exit code.
fn transcript(all: &mut String, arguments: &[&str], document: Option<&[u8]>) {
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_rpdt"))
        .args(arguments)
        .write_stdin(document.unwrap_or_default())
        .output()
        .expect("the program runs");
    let quoted: Vec<String> = arguments.iter().map(|a| shell(a)).collect();
    if let Some(document) = document {
        let _ = writeln!(all, "# {}", document.escape_ascii().to_string().replace("\\'", "'"));
    }
    let _ = writeln!(all, "$ rpdt {}", quoted.join(" "));
    all.push_str(std::str::from_utf8(&output.stdout).expect("UTF-8"));
    all.push_str(std::str::from_utf8(&output.stderr).expect("UTF-8"));
    let _ = writeln!(all, "[{}]\n", output.status.code().expect("no signal"));
    assert!(!output.stderr.contains(&0x1b), "no colours when nobody looks");
}

fn shell(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', "'\\''"))
    }
}

#[test]
fn malformed_queries() {
    let mut all = String::new();
    for query in [
        "",
        "site//name",
        "//a[b",
        "//a[",
        "//a/",
        "//a[b and c]",
        "//a[1]",
        "//a/{b c}",
        "//a/{(b, c)!}",
        "//a/{b{3,2}}",
        "//a/{E:D*}",
        "//p:name[q]",
        "//quake[@mag>=strong]",
        "//a/following-sibling::b",
        "//a[contains(b, 'x')]",
        "//größe[größe]{b}",
        "//a\n  /{b,\n   c!*!}",
        "//a/{b{5000}}",
    ] {
        transcript(&mut all, &[query], None);
    }
    transcript(&mut all, &["-e", "//a", "-e", "//b]", "-e", "//c["], None);
    transcript(&mut all, &["-e", "//a", "-e", "//x:b"], None);
    transcript(&mut all, &["explain", "//a/{b"], None);
    insta::assert_snapshot!("queries", all);
}

#[test]
fn malformed_documents() {
    let mut all = String::new();
    for (arguments, document) in [
        (&["//b", "-f", "path"][..], &b"<a>\n  <b/>\n  <b/>\n  <c></b>\n</a>"[..]),
        (&["//b", "-f", "count"], b"<a><b/><b/><c>"),
        (&["//b", "-f", "path"], b"<a><b x='1"),
        (&["//b"], b""),
        (&["//b"], b"just text"),
        (&["//b"], b"\x1f\x8b\x08\0\0\0\0\0"),
        (&["//b"], b"BZh91AY&SY"),
        (&["//b"], b"\n {\"a\": 1}"),
        (&["//b", "-f", "path"], b"<a><b/></a>\n<a/>"),
        (&["//b"], b"<a/>\nmore"),
        (&["//b"], b"</a>"),
        (&["//b"], b"<a><b x='1' x='2'/></a>"),
        (&["//b"], b"<a><b x=1/></a>"),
        (&["//b"], b"<a>1 < 2</a>"),
        (&["//b"], b"<a><!-- no end </a>"),
        (&["//b", "-f", "text"], b"<a><b>&euro;</b></a>"),
        (&["//b", "-f", "text"], b"<!DOCTYPE a SYSTEM 'a.dtd'><a><b>&euro;</b></a>"),
        (&["//b[.='x']"], b"<a><b>fish & chips</b></a>"),
        (&["//b"], b"<?xml version='1.0' encoding='ISO-2022-JP'?><a/>"),
        (&["//b", "--checks", "strict"], b"<a>\n\xE9</a>"),
        (&["//b"], b"<!DOCTYPE a [<!ENTITY e '<b/>'>]><a>&e;</a>"),
        (&["//b", "--max-depth", "2"], b"<a><b/><c><d/></c></a>"),
        (&["//b", "-f", "text", "--max-text", "4"], b"<a><b>long text</b></a>"),
    ] {
        transcript(&mut all, arguments, Some(document));
    }
    insta::assert_snapshot!("documents", all);
}

#[test]
fn wrong_usage() {
    let mut all = String::new();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let folder = env!("CARGO_MANIFEST_DIR");
    for arguments in [
        &[][..],
        &["//a", "no-such-file.xml"],
        &["//a", folder],
        &[file, "//a"],
        &["a.xml", "//a"],
        &["//a", "//b"],
        &["//a", "a.xml", "b.xml"],
        &["//a", "//b", "c.xml"],
        &["-e", "//a", "a.xml", "b.xml"],
        &["//a", "--format", "jsonl"],
        &["//a", "--max-text", "1T"],
        &["//a", "--limit", "0"],
        &["//a", "--ns", "urn:x"],
        &["//p:a", "--ns", "p="],
        &["//a", "--entity", "nbsp"],
        &["--first", "explain", "//a"],
    ] {
        transcript(&mut all, arguments, None);
    }
    insta::assert_snapshot!("usage", all.replace(folder, "FOLDER"));
}

#[test]
fn help() {
    for flag in ["-h", "--help"] {
        let mut all = String::new();
        transcript(&mut all, &[flag], None);
        insta::assert_snapshot!(format!("help{flag}"), all);
        assert!(all.ends_with("[0]\n\n"), "{all}");
    }
    let mut all = String::new();
    transcript(&mut all, &["--version"], None);
    assert!(all.contains(concat!("rpdt ", env!("CARGO_PKG_VERSION"), "\n[0]")), "{all}");
}

#[test]
fn explanations() {
    let query = "//a[b!]//c/{ e! , d[f][.//g]* }";
    let automaton = PaperAutomaton::new(&Pattern::parse(query).expect("a query"));
    let plan = Plan::parse(query).expect("a plan");
    let threads = format!("\nWith --threads {}.\n", plan.threads_explained(0));
    for (arguments, expected) in [
        (&["explain", query][..], automaton.explain() + &threads),
        (&["explain", query, "--dot"], automaton.to_dot()),
        (&["explain", "--dot", query], automaton.to_dot()),
    ] {
        let mut all = String::new();
        transcript(&mut all, arguments, None);
        let (_, output) = all.split_once('\n').expect("a line for the command");
        assert_eq!(output, format!("{expected}[0]\n\n"));
    }
}

/// Whatever is typed as a query, the program answers with a message and not with a panic.
#[test]
fn strange_queries() {
    for query in [
        "//a[\u{0}",
        "//\u{1F600}",
        "//a\t[",
        "\r\n",
        "//a[@x='",
        "//a\u{301}]",
        "{",
        "//",
        "/",
        "\u{feff}//a",
        "//a[\u{202e}b",
        "//a/{b{999999999999999999999}}",
        "////",
        "!",
        "//!",
    ] {
        // A zero byte cannot be an argument.
        let query = query.replace('\0', "\u{1}");
        let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_rpdt"))
            .arg(&query)
            .output()
            .expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{query:?}");
        assert!(output.stderr.starts_with(b"error: "), "{query:?}");
    }
    let long = format!("//a{}", "[b".repeat(50_000));
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_rpdt"))
        .arg(&long)
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stderr.len() < 10_000, "{} bytes of message", output.stderr.len());
}
