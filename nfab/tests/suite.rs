//! Replays the conformance cases with the program, and checks that replaying can fail.
#![cfg(feature = "cli")]

use std::fs;

use serde_json::{Value, json};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/flink_dev.jsonl");
const REJECTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/flink_rejects.jsonl");

fn replay(cases: &str) -> (i32, String) {
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_nfab"))
        .args(["replay", "-"])
        .write_stdin(cases)
        .output()
        .expect("the program runs");
    let out = String::from_utf8(output.stdout).expect("UTF-8");
    (output.status.code().expect("no signal"), out)
}

fn cases(path: &str) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("the cases are there");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn lines(cases: &[Value]) -> String {
    cases.iter().map(|case| format!("{case}\n")).collect()
}

#[test]
fn all_cases_pass() {
    let (code, out) = replay(&fs::read_to_string(CASES).expect("the cases are there"));
    assert_eq!((code, out.as_str()), (0, "384 passed, 0 failed\n"));
}

/// Changes what a case expects, in a way that depends on the number.
fn mutate(case: &mut Value, way: usize) {
    let matches = case["matches"].as_array_mut().expect("a list");
    match way % 5 {
        0 => drop(matches.pop()),
        1 => {
            let mut more = matches[0].clone();
            let stages = more["stages"].as_object_mut().expect("stages");
            let ids = stages.values_mut().next().expect("a stage").as_array_mut().expect("ids");
            ids.push(json!(9_999));
            matches.push(more);
        }
        2 => {
            let one = matches[0].as_object_mut().expect("a match");
            for cause in ["event", "time", "end"] {
                one.remove(cause);
            }
            one.insert("time".to_owned(), json!(-77));
        }
        3 => {
            let stages = matches[0]["stages"].as_object_mut().expect("stages");
            let name = stages.keys().next().expect("a stage").clone();
            let ids = stages.remove(&name).expect("it is there");
            stages.insert(format!("{name}x"), ids);
        }
        _ => {
            case["timed_out"]
                .as_array_mut()
                .expect("a list")
                .push(json!({"time": -5, "deadline": -5, "stages": {"a": [0]}}));
        }
    }
}

#[test]
fn twenty_mutated_cases_fail() {
    let mut chosen: Vec<Value> = (cases(CASES).into_iter())
        .filter(|case| !case["matches"].as_array().expect("a list").is_empty())
        .step_by(15)
        .take(20)
        .collect();
    let (code, out) = replay(&lines(&chosen));
    assert_eq!((code, out.as_str()), (0, "20 passed, 0 failed\n"));
    for (way, case) in chosen.iter_mut().enumerate() {
        mutate(case, way);
    }
    let (code, out) = replay(&lines(&chosen));
    assert_eq!(code, 1);
    assert_eq!(out.lines().last(), Some("0 passed, 20 failed"));
    for case in &chosen {
        let id = case["id"].as_str().expect("an id");
        assert!(out.contains(&format!("FAILED {id}\n")), "{id} is not named");
    }
    assert!(out.contains("matches, expected:") && out.contains("matches, got:"));
}

#[test]
fn the_order_of_causes_counts() {
    let mut chosen: Vec<Value> = (cases(CASES).into_iter())
        .filter(|case| {
            let matches = case["matches"].as_array().expect("a list");
            matches.len() > 1 && matches[0]["event"] != matches[matches.len() - 1]["event"]
        })
        .take(10)
        .collect();
    assert_eq!(chosen.len(), 10);
    for case in &mut chosen {
        case["matches"].as_array_mut().expect("a list").reverse();
    }
    let (_, out) = replay(&lines(&chosen));
    assert_eq!(out.lines().last(), Some("0 passed, 10 failed"));
}

#[test]
fn an_unknown_field_anywhere_fails() {
    let good = cases(CASES).swap_remove(0);
    let paths: [&[&str]; 4] = [&[], &["pattern"], &["stream", "0"], &["matches", "0"]];
    for path in paths {
        let mut case = good.clone();
        let place = path.iter().fold(&mut case, |at, key| match key.parse::<usize>() {
            Ok(index) => &mut at[index],
            Err(_) => &mut at[*key],
        });
        place["surprise"] = json!(1);
        let (code, out) = replay(&format!("{case}\n"));
        assert_eq!(code, 1, "{path:?}");
        assert!(out.contains("surprise"), "{out}");
        assert_eq!(out.lines().last(), Some("0 passed, 1 failed"));
    }
}

/// What Flink refuses to compile is refused with a message of our own; what it throws at run time
/// is an error about the skip target.
#[test]
fn rejected_patterns_are_errors() {
    for mut case in cases(REJECTS) {
        let stage = case["stage"].as_str().expect("a stage").to_owned();
        let error = case["error"].as_str().expect("an error").to_owned();
        if stage == "hang" {
            continue; // `replay` accepts these; see the tests of the builder.
        }
        let fields = case.as_object_mut().expect("an object");
        fields.remove("stage");
        fields.remove("error");
        fields.insert("features".to_owned(), json!([]));
        fields.insert("matches".to_owned(), json!([]));
        fields.insert("timed_out".to_owned(), json!([]));
        let (code, out) = replay(&format!("{case}\n"));
        assert_eq!(code, 1, "{}", case["id"]);
        let expected: &[&str] = match stage.as_str() {
            "run" => &["skip to"],
            _ if error.contains("Optional already applied") => &["optional already"],
            _ if error.contains("preceded by greedy") => &["follows a greedy one"],
            _ if error.contains("can not be found") => &["is not in the pattern"],
            _ => &["negat", "without a window", "greedy", "until", "two stages are called"],
        };
        assert!(out.contains("  error: "), "{out}");
        assert!(expected.iter().any(|words| out.contains(words)), "{error}: {out}");
    }
}
