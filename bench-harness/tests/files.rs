//! The result files and the data cache: nothing half-written passes for whole.

mod common;

use std::cell::Cell;
use std::fs;

use bench_harness::data::{Cache, Recipe};
use bench_harness::progress::Progress;
use bench_harness::record::{CLAIMS, Judgement, RESULTS, Records, Row, Verdict, Writer};
use bench_harness::{Error, ErrorKind};
use common::row;
use serde_json::{Map, Value, json};

fn records() -> Records {
    let judgement = Judgement {
        id: "test".to_owned(),
        claim: "a < b".to_owned(),
        verdict: Verdict::DoesNotHold,
        paper: "smaller".to_owned(),
        measured: "larger".to_owned(),
        rule: "a / b".to_owned(),
    };
    let rows = vec![
        row("s", "P1", (0.1, 0.2, 1.0 / 3.0), 9),
        row("s", 2273.0, (1e-9, 123_456.789, 1e12), 1),
    ];
    Records { rows, judgements: vec![judgement] }
}

#[test]
fn records_read_back_as_written() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = Writer::create(directory.path()).unwrap();
    writer.add(&records()).unwrap();
    writer.finish().unwrap();
    assert_eq!(Records::read(directory.path()).unwrap(), records());
    assert_eq!(Records::read(&directory.path().join(RESULTS)).unwrap(), records());
}

#[test]
fn lines_have_exactly_the_documented_keys() {
    let records = records();
    let keys = |value: Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut row = keys(serde_json::to_value(&records.rows[0]).unwrap());
    let mut expected =
        ["id", "series", "x", "value", "unit", "n", "lo", "hi", "seed", "data_sha256", "machine"];
    row.sort();
    expected.sort_unstable();
    assert_eq!(row, expected);
    let mut claim = keys(serde_json::to_value(&records.judgements[0]).unwrap());
    claim.sort();
    assert_eq!(claim, ["claim", "id", "measured", "paper", "rule", "verdict"]);
    let verdicts = [Verdict::Holds, Verdict::DoesNotHold, Verdict::CannotBeJudged];
    let words = ["holds", "does not hold here", "cannot be judged here"];
    for (verdict, words) in verdicts.into_iter().zip(words) {
        assert_eq!(serde_json::to_value(verdict).unwrap(), json!(words));
        assert_eq!(verdict.to_string(), words);
    }
}

#[test]
fn an_unfinished_run_leaves_no_results() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = Writer::create(directory.path()).unwrap();
    writer.add(&records()).unwrap();
    drop(writer);
    let error = Records::read(directory.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input);
}

#[test]
fn results_without_claims_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = Writer::create(directory.path()).unwrap();
    writer.add(&records()).unwrap();
    writer.finish().unwrap();
    fs::remove_file(directory.path().join(CLAIMS)).unwrap();
    assert_eq!(Records::read(directory.path()).unwrap_err().exit_code(), 2);
}

#[test]
fn a_cut_file_is_refused_at_every_byte_but_the_line_ends() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = Writer::create(directory.path()).unwrap();
    writer.add(&records()).unwrap();
    writer.finish().unwrap();
    let path = directory.path().join(RESULTS);
    let whole = fs::read(&path).unwrap();
    for end in 1..whole.len() {
        if whole[end - 1] != b'\n' {
            fs::write(&path, &whole[..end]).unwrap();
            assert!(Records::read(&path).is_err(), "cut at {end}");
        }
    }
}

#[test]
fn a_malformed_line_is_named() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join(RESULTS), "{\"id\": 3}\n").unwrap();
    fs::write(directory.path().join(CLAIMS), "").unwrap();
    let error = Records::read(directory.path()).unwrap_err();
    assert!(error.to_string().contains("results.jsonl, line 1"), "{error}");
}

fn recipe() -> Recipe {
    Recipe::new("letters", 1, "txt").with("count", 3).expecting(3)
}

fn facts() -> Map<String, Value> {
    Map::from_iter([("elements".to_owned(), json!(3))])
}

#[test]
fn a_file_is_generated_once_and_described() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path().join("cache"));
    let calls = Cell::new(0);
    let get = || {
        cache
            .get(&recipe(), &Progress::silent(), |out| {
                calls.set(calls.get() + 1);
                out.write_all(b"abc").map_err(|error| Error::io("x", &error))?;
                Ok(facts())
            })
            .unwrap()
    };
    let (first, second) = (get(), get());
    assert_eq!(calls.get(), 1);
    assert_eq!(first.path, second.path);
    assert_eq!(first.bytes, 3);
    assert_eq!(first.read().unwrap(), b"abc");
    // The published test vector of SHA-256.
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!((first.sha256.as_str(), second.sha256.as_str()), (expected, expected));
    assert_eq!(second.facts["elements"], json!(3));
    assert_eq!(second.facts["parameters"]["count"], json!("3"));
    let names: Vec<_> = fs::read_dir(cache.directory()).unwrap().collect();
    assert_eq!(names.len(), 2, "{names:?}");

    // Whatever happened to the bytes since, they are made anew.
    fs::write(&first.path, b"abd").unwrap();
    assert_eq!(get().read().unwrap(), b"abc");
    fs::write(&first.path, b"ab").unwrap();
    assert_eq!(get().read().unwrap(), b"abc");
    assert_eq!(calls.get(), 3);
}

#[test]
fn a_generator_that_fails_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path());
    let error = cache
        .get(&recipe(), &Progress::silent(), |out| {
            out.write_all(b"ab").map_err(|error| Error::io("x", &error))?;
            Err(Error::failed("stopped"))
        })
        .unwrap_err();
    assert!(error.to_string().contains("letters-count-3-seed-1.txt: stopped"), "{error}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn different_recipes_have_different_names() {
    let base = recipe();
    let names = [
        base.file_name(),
        base.clone().with("more", 1).file_name(),
        Recipe { seed: 2, ..base.clone() }.file_name(),
        Recipe::new("letters", 1, "txt").with("count", "3/..").file_name(),
        Recipe::new("letters", 1, "txt").with("count", "3_..").file_name(),
    ];
    for (index, name) in names.iter().enumerate() {
        assert!(!name.contains('/'), "{name}");
        assert!(!names[..index].contains(name), "{name}");
    }
}

#[test]
fn rows_are_strict_about_unknown_keys() {
    let mut value = serde_json::to_value(row("s", "P1", (0.1, 0.2, 0.3), 9)).unwrap();
    value["more"] = json!(1);
    assert!(serde_json::from_value::<Row>(value).is_err());
}
