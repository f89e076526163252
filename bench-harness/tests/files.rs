//! The result files and the data cache: nothing half-written passes for whole.

mod common;

use std::fs;

use bench_harness::ErrorKind;
use bench_harness::data::{Cache, Origin};
use bench_harness::progress::Progress;
use bench_harness::record::{CLAIMS, Judgement, RESULTS, Records, Row, Verdict, Writer};
use common::row;
use data_gen::xml::{TreebankOptions, XmlKind};
use serde_json::{Value, json};

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

fn kind(sentences: u64) -> XmlKind {
    XmlKind::Treebank(TreebankOptions::new(sentences))
}

#[test]
fn a_document_is_generated_once_and_described() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path().join("cache"));
    let get = || cache.xml(&kind(5), 7, &Progress::silent()).unwrap();
    let first = get();
    let written = fs::metadata(&first.path).unwrap().modified().unwrap();
    let second = get();
    assert_eq!(fs::metadata(&second.path).unwrap().modified().unwrap(), written);
    assert_eq!((&first.path, &first.origin), (&second.path, &second.origin));
    let content = first.read().unwrap();
    assert_eq!(first.bytes(), content.len() as u64);
    assert!(matches!(&first.origin, Origin::Generated(manifest) if manifest.seed == 7));
    assert_eq!(fs::read_dir(cache.directory()).unwrap().count(), 2);

    // Whatever happened to the bytes since, they are made anew.
    let mut changed = content.clone();
    changed[10] ^= 1;
    for damage in [&changed[..], &content[..20]] {
        fs::write(&first.path, damage).unwrap();
        assert_eq!(get().read().unwrap(), content);
    }
}

#[test]
fn different_documents_have_different_files() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path());
    let mut names = Vec::new();
    for (sentences, seed) in [(5, 1), (5, 2), (6, 1)] {
        let file = cache.xml(&kind(sentences), seed, &Progress::silent()).unwrap();
        let name = file.path.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(name.starts_with("treebank-") && name.ends_with(&format!("-seed-{seed}.xml")));
        assert!(!names.contains(&name), "{name}");
        names.push(name);
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let occupied = directory.path().join("file");
    fs::write(&occupied, "x").unwrap();
    let error = Cache::new(&occupied).xml(&kind(5), 1, &Progress::silent()).unwrap_err();
    assert_eq!((error.kind(), error.exit_code()), (ErrorKind::Io, 1));
}

#[test]
fn rows_are_strict_about_unknown_keys() {
    let mut value = serde_json::to_value(row("s", "P1", (0.1, 0.2, 0.3), 9)).unwrap();
    value["more"] = json!(1);
    assert!(serde_json::from_value::<Row>(value).is_err());
}
