//! Real documents: answer counts of an independent XPath engine, and the W3C conformance suite.
//!
//! The excerpts under `data/real` are always tested. With `RPDT_REAL_XML=DIR`, where
//! `tests/real/fetch.sh DIR` has put the whole files, those are tested as well; what is missing there,
//! or is another version than the one that the counts were recorded on, is named and left out.
//!
//! `data/real/conformance-exceptions.txt` lists the cases on which the strict checks do not yet say
//! what the suite says. A new deviation fails the test, and so does a listed one that has gone: run
//! with `RPDT_WRITE_EXCEPTIONS=1` (and with `RPDT_REAL_XML`) to write the list anew.

#![allow(clippy::print_stdout, reason = "what was left out has to be said")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use rpdt::input::Checks;
use rpdt::{Config, Count, Namespaces, Pattern, Plan, Shape};
use serde_json::Value;

fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/real").join(file)
}

fn fetched() -> Option<PathBuf> {
    std::env::var_os("RPDT_REAL_XML").map(PathBuf::from)
}

fn json(path: &Path) -> Value {
    let text = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("no {key} in {value}"))
}

/// The queries of one document with the prefixes that they use.
fn queries(document: &Value) -> (Vec<Pattern>, Namespaces) {
    let mut namespaces = Namespaces::new();
    let mut patterns = Vec::new();
    for query in document["queries"].as_array().expect("an array") {
        for (prefix, uri) in query["namespaces"].as_object().expect("an object") {
            namespaces = namespaces.with(prefix, uri.as_str().expect("a string"));
        }
        let text = text(query, "query");
        patterns.push(Pattern::parse(text).unwrap_or_else(|e| panic!("{text}: {e}")));
    }
    (patterns, namespaces)
}

fn config(namespaces: &Namespaces, checks: Checks) -> Config {
    Config::new().shape(Shape::Nodes).namespaces(namespaces.clone()).checks(checks)
}

/// Compares the counts of all queries of a document, `count` giving ours.
fn compare(document: &Value, how: &str, count: impl Fn(usize) -> u64) {
    let file = text(document, "file");
    let mut wrong = Vec::new();
    for (index, query) in document["queries"].as_array().expect("an array").iter().enumerate() {
        let (got, wanted) = (count(index), query["count"].as_u64().expect("a number"));
        if got != wanted {
            let query = text(query, "query");
            wrong.push(format!("{query}: {got} answers here, {wanted} by XPath"));
        }
    }
    assert!(wrong.is_empty(), "{file}, {how}:\n{}", wrong.join("\n"));
}

fn documents(kind: &str) -> Vec<Value> {
    let counts = json(&data("counts.json"));
    let all = counts["documents"].as_array().expect("an array");
    all.iter().filter(|document| text(document, "kind") == kind).cloned().collect()
}

#[test]
fn counts_on_the_excerpts_equal_those_of_xpath() {
    let mut compared = 0;
    for document in documents("excerpt") {
        let bytes = fs::read(data(text(&document, "file"))).expect("a committed file");
        assert_eq!(Some(bytes.len() as u64), document["bytes"].as_u64(), "recorded on other bytes");
        let (patterns, namespaces) = queries(&document);
        compared += patterns.len();
        for checks in [Checks::Fast, Checks::Strict] {
            // Each query on its own.
            compare(&document, &format!("alone, {checks:?}"), |index| {
                let config = config(&namespaces, checks);
                let plan = Plan::new(vec![patterns[index].clone()], config).expect("a plan");
                plan.run_slice(&bytes, Count::new()).expect("a document").sink.total()
            });
            // All in one pass, in chunks of several sizes.
            let plan = Plan::new(patterns.clone(), config(&namespaces, checks)).expect("a plan");
            for size in [bytes.len(), 4096, 61, 1] {
                let mut matcher = plan.matcher(Count::new());
                for chunk in bytes.chunks(size) {
                    matcher.feed(chunk).expect("a document");
                }
                let counts = matcher.finish().expect("a document").sink;
                compare(&document, &format!("{checks:?}, chunks of {size}"), |i| counts.of(i));
            }
        }
    }
    assert!(compared >= 50, "{compared} queries");
}

#[test]
fn counts_on_whole_files_equal_those_of_xpath() {
    let Some(directory) = fetched() else {
        println!("whole files are not tested: RPDT_REAL_XML is not set");
        return;
    };
    for document in documents("fetched") {
        let path = directory.join(text(&document, "file"));
        let size = fs::metadata(&path).ok().map(|metadata| metadata.len());
        if size != document["bytes"].as_u64() {
            let found = size.map_or("it is missing".into(), |s| format!("it has {s} bytes"));
            println!("{} is not tested: {found}", path.display());
            continue;
        }
        let (patterns, namespaces) = queries(&document);
        for checks in [Checks::Fast, Checks::Strict] {
            let plan = Plan::new(patterns.clone(), config(&namespaces, checks)).expect("a plan");
            let file = fs::File::open(&path).expect("it is there");
            let counts = plan
                .run_reader(file, Count::new())
                .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
                .sink;
            compare(&document, &format!("{checks:?}"), |index| counts.of(index));
        }
        println!("{}: {} queries", path.display(), patterns.len());
    }
}

/// Standard base64 with padding.
fn base64(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0u32, 0);
    for byte in text.bytes().filter(|&byte| byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}

/// Runs one case of the suite; `Some` says how the verdict deviates from the suite's.
fn deviation(case: &Value) -> Option<String> {
    let bytes = match case["base64"].as_str() {
        Some(encoded) => base64(encoded),
        None => text(case, "text").as_bytes().to_vec(),
    };
    let namespace_error = case["namespace_error"] == true;
    // A query with a namespace makes the rules of namespaces count.
    let query = if namespace_error { "//*[p:x]" } else { "//*" };
    let namespaces = Namespaces::new().with("p", "urn:example");
    let plan = |checks| {
        let pattern = Pattern::parse(query).expect("a query");
        Plan::new(vec![pattern], config(&namespaces, checks)).expect("a plan")
    };
    let failure = |checks| plan(checks).run_slice(&bytes, Count::new()).err().map(|e| e.kind());
    if case["wellformed"] != true {
        return failure(Checks::Strict).is_none().then(|| "accepted".to_owned());
    }
    let strict = failure(Checks::Strict).map(|kind| format!("refused: {kind:?}"));
    strict.or_else(|| failure(Checks::Fast).map(|kind| format!("refused by fast checks: {kind:?}")))
}

/// The deviations of a table of cases. Faults in other files cannot show: none is ever opened.
fn deviations(table: &Value) -> (BTreeSet<String>, BTreeMap<String, String>) {
    let (mut tested, mut found) = (BTreeSet::new(), BTreeMap::new());
    for case in table.as_array().expect("an array").iter().filter(|c| c["fault"] != "external") {
        let id = text(case, "id").to_owned();
        if let Some(deviation) = deviation(case) {
            found.insert(id.clone(), deviation);
        }
        tested.insert(id);
    }
    (tested, found)
}

#[test]
fn conformance_suite() {
    let mut tables = vec![("excerpt", data("conformance.json"))];
    match fetched().map(|directory| directory.join("xmlconf/conformance.json")) {
        Some(whole) if whole.is_file() => tables.push(("whole", whole)),
        _ => println!("only the excerpt of the suite is tested: RPDT_REAL_XML has no whole one"),
    }
    let list = data("conformance-exceptions.txt");
    let write = std::env::var_os("RPDT_WRITE_EXCEPTIONS").is_some();
    let listed = fs::read_to_string(&list).expect("the list of exceptions");
    let (comments, lines): (Vec<_>, Vec<_>) =
        listed.lines().filter(|l| !l.is_empty()).partition(|line| line.starts_with('#'));
    let known: BTreeMap<_, _> = lines.iter().filter_map(|line| line.split_once(' ')).collect();

    let (mut all, mut faults) = (BTreeMap::new(), Vec::new());
    for (name, path) in tables {
        let (tested, found) = deviations(&json(&path));
        println!("{name}: {} cases, {} deviations", tested.len(), found.len());
        for id in &tested {
            let (got, wanted) =
                (found.get(id).map(String::as_str), known.get(id.as_str()).copied());
            if got != wanted {
                let show =
                    |verdict: Option<&str>| verdict.unwrap_or("as the suite says").to_owned();
                faults.push(format!("{id}: {}, but listed: {}", show(got), show(wanted)));
            }
        }
        all.extend(tested.into_iter().map(|id| (id.clone(), found.get(&id).cloned())));
    }
    if write {
        for (id, deviation) in known {
            all.entry(id.to_owned()).or_insert_with(|| Some(deviation.to_owned()));
        }
        let mut text = comments.join("\n") + "\n";
        for (id, deviation) in &all {
            if let Some(deviation) = deviation {
                text += &format!("{id} {deviation}\n");
            }
        }
        fs::write(&list, text).expect("the list can be written");
    } else {
        assert!(faults.is_empty(), "{} verdicts changed:\n{}", faults.len(), faults.join("\n"));
    }
}
