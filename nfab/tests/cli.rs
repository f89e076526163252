//! The program `nfab`: input, output and exit codes.
#![cfg(feature = "cli")]

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

const GOOD: &str = r#"{"id":"one","features":[],"pattern":{"elems":[{"name":"a","connect":"begin","where":{"op":"type","eq":"A"}}]},"stream":[{"id":7,"type":"A","val":0,"ts":3}],"matches":[{"event":7,"stages":{"a":[7]}}],"timed_out":[]}"#;

struct Run {
    code: i32,
    out: String,
    err: String,
}

fn nfab(arguments: &[&str], input: &[u8]) -> Run {
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_nfab"))
        .args(arguments)
        .write_stdin(input)
        .output()
        .expect("the program runs");
    Run {
        code: output.status.code().expect("no signal"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

#[test]
fn files_gzip_and_standard_input() {
    let dir = tempfile::tempdir().expect("a directory");
    let plain = dir.path().join("cases.jsonl");
    std::fs::write(&plain, format!("{GOOD}\n\n")).expect("written");
    let packed = dir.path().join("cases.jsonl.gz");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(GOOD.as_bytes()).expect("packed");
    std::fs::write(&packed, encoder.finish().expect("packed")).expect("written");
    for path in [plain.to_str().expect("UTF-8"), packed.to_str().expect("UTF-8"), "-"] {
        let run = nfab(&["replay", path], GOOD.as_bytes());
        assert_eq!((run.code, run.out.as_str()), (0, "1 passed, 0 failed\n"), "{path}");
    }
}

#[test]
fn a_failing_case_is_shown() {
    let bad = GOOD.replace(r#""matches":[{"event":7"#, r#""matches":[{"event":8"#);
    let run = nfab(&["replay", "-"], format!("{GOOD}\n{bad}").as_bytes());
    assert_eq!(run.code, 1);
    insta::assert_snapshot!(run.out, @r"
    FAILED one
      matches, expected:
        event 8: a[7]
      matches, got:
        event 7: a[7]
    1 passed, 1 failed
    ");
}

#[test]
fn a_case_that_is_none_fails() {
    let cases = [
        GOOD.replace("\"id\":\"one\"", "\"id\":1"),
        GOOD.replace(r#","timed_out":[]"#, ""),
        GOOD.replace(r#""event":7"#, r#""event":7,"end":true"#),
        GOOD.replace(r#""connect":"begin""#, r#""connect":"start""#),
        GOOD.replace(r#""timed_out":[]"#, r#""timed_out":[{"end":true,"stages":{}}]"#),
        GOOD.replace(r#""elems":["#, r#""within":0,"elems":["#),
        "{}".to_owned(),
        "[1]".to_owned(),
    ];
    for case in cases {
        let run = nfab(&["replay", "-"], case.as_bytes());
        assert_eq!(run.code, 1, "{case}");
        assert!(run.out.ends_with("0 passed, 1 failed\n"), "{}", run.out);
    }
}

#[test]
fn what_cannot_be_read_is_2() {
    assert_eq!(nfab(&["replay", "/no/such/file"], b"").code, 2);
    let run = nfab(&["replay", "-"], format!("{GOOD}\nnot json\n").as_bytes());
    assert_eq!(run.code, 2);
    assert!(run.err.contains("line 2"), "{}", run.err);
    assert_eq!(nfab(&["replay", "-"], &[0xff, 0xfe, b'\n']).code, 2);
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("broken.gz");
    std::fs::write(&path, b"no gzip").expect("written");
    assert_eq!(nfab(&["replay", path.to_str().expect("UTF-8")], b"").code, 2);
    assert_eq!(nfab(&[], b"").code, 2);
    assert_eq!(nfab(&["replay"], b"").code, 2);
}

#[test]
fn no_cases_pass() {
    let run = nfab(&["replay", "-"], b"");
    assert_eq!((run.code, run.out.as_str()), (0, "0 passed, 0 failed\n"));
}
