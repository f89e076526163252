//! What the program makes of its input: values, columns that are missing, rows without end.
#![cfg(feature = "cli")]

use std::io::Write as _;
use std::path::Path;

use tempfile::{NamedTempFile, TempDir};

struct Run {
    code: i32,
    out: String,
    err: String,
}

fn detect(patterns: &str, more: &[&str], input: &str) -> Run {
    let mut file = NamedTempFile::new().expect("a file");
    file.write_all(patterns.as_bytes()).expect("written");
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_multipattern"))
        .arg("detect")
        .arg("-p")
        .arg(file.path())
        .args(more)
        .write_stdin(input)
        .output()
        .expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let err = text(output.stderr).replace(&file.path().display().to_string(), "PATTERNS");
    Run { code: output.status.code().expect("no signal"), out: text(output.stdout), err }
}

/// The matches and what was said, of a run that went well.
fn found(run: &Run) -> (Vec<String>, &str) {
    assert!(run.code < 2, "{}", run.err);
    (run.out.lines().map(str::to_owned).collect(), &run.err)
}

fn pair(first: u64, second: u64) -> String {
    format!("{{\"pattern\":\"ab\",\"events\":[{first},{second}]}}")
}

#[test]
fn codes_beyond_64_bits_are_text() {
    // Each with one that rounds to the same float.
    let codes = [
        ("303425780194400000001234", "303425780194400000001235"),
        ("-303425780194400000001234", "-303425780194400000001235"),
        ("9223372036854775808", "9223372036854775809"),
        ("30342578019440000000123E4", "30342578019440000000124E4"),
    ];
    for (code, other) in codes {
        let csv = format!("type,tag\nA,{code}\nB,{other}\nB,{code}\n");
        let json = format!(
            "{{\"type\":\"A\",\"tag\":{code}}}\n{{\"type\":\"B\",\"tag\":{other}}}\n\
             {{\"type\":\"B\",\"tag\":{code}}}\n"
        );
        for input in [csv, json] {
            let expected = (vec![pair(0, 2)], "");
            assert_eq!(found(&detect("ab: SEQ(A, B[tag = A.tag])", &[], &input)), expected);
            let by_key = detect("ab: SEQ(A, B)", &["--partition-by", "tag"], &input);
            assert_eq!(found(&by_key), expected);
            let constant = format!("ab: SEQ(A[tag = '{code}'], B[tag = '{code}'])");
            assert_eq!(found(&detect(&constant, &[], &input)), expected, "{constant}");
        }
    }
    // Beyond the floats; a hexadecimal code.
    let csv = "type,tag\nA,30342578E0194400000001234\nB,30342578E0194400000001235\n\
               B,30342578E0194400000001234\n";
    let run = detect("ab: SEQ(A, B)", &["--partition-by", "tag"], csv);
    assert_eq!(found(&run), (vec![pair(0, 2)], ""));
}

#[test]
fn what_fits_a_number_is_one() {
    let numbers = ["9223372036854775807", "-9223372036854775808", "5e3", "0.25", "-0.0"];
    for number in numbers {
        for input in [
            format!("type,v\nA,{number}\nB,{number}\n"),
            format!("{{\"type\":\"A\",\"v\":{number}}}\n{{\"type\":\"B\",\"v\":{number}}}\n"),
        ] {
            let run = detect(&format!("ab: SEQ(A[v = {number}], B[v <= {number}])"), &[], &input);
            assert_eq!(found(&run), (vec![pair(0, 1)], ""), "{number}");
        }
    }
    let time = "type,time\nA,9223372036854775808\n";
    let run = detect("ab: SEQ(A, B) WITHIN 1 s", &[], time);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("`9223372036854775808` is not a time\n --> standard input: line 2"));
}

/// A file that begins with a text and is then as long as is said, all zeros.
fn sparse(directory: &TempDir, begin: &str, length: u64) -> std::path::PathBuf {
    let path = directory.path().join("long.csv");
    let mut file = std::fs::File::create(&path).expect("a file");
    file.write_all(begin.as_bytes()).expect("written");
    file.set_len(length).expect("set");
    path
}

#[test]
fn a_row_without_end_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let named = |path: &Path| path.display().to_string();
    for (begin, line) in [("type,v\nA,1\nA,\"", 3), ("type,\"", 1)] {
        let path = sparse(&directory, begin, 70 << 20);
        let run = detect("ab: SEQ(A, B)", &[&named(&path)], "");
        let expected = format!(
            "error: a row of more than 64 megabytes\n --> {}: line {line}\n = help: perhaps a \
             quote is not closed\n",
            named(&path)
        );
        assert_eq!((run.code, run.err), (2, expected));
    }
}

#[test]
fn a_wide_header_is_read_at_once() {
    // With a comparison of all pairs this would be 2e10 of them.
    let columns: Vec<String> = (0..200_000).map(|column| format!("c{column}")).collect();
    let header = columns.join(",");
    let cells = vec!["1"; columns.len()].join(",");
    let csv = format!("type,{header}\nA,{cells}\nB,{cells}\n");
    let run = detect("ab: SEQ(A[c7 = 1], B[c199999 = A.c0])", &[], &csv);
    assert_eq!(found(&run), (vec![pair(0, 1)], ""));
    let run = detect("ab: SEQ(A, B)", &[], &csv.replacen("type,", "c5,", 1));
    assert_eq!((run.code, run.err.len() < 1000), (2, true), "{}", run.err);
    let run = detect("ab: SEQ(A, B)", &["--type-column", "kind"], &csv);
    assert!(run.err.contains("`c18`, and 199981 more; `--type-column` names another\n"));
    assert!(!run.err.contains("`c19`"), "20 columns are listed");
}

#[test]
fn a_column_that_is_missing_is_told() {
    let csv = "type,tag\nA,1\nB,1\n";
    let run = detect("ab: SEQ(A, B)", &["--partition-by", "tag,nocol"], csv);
    let expected = "error: there is no column `nocol`\n --> standard input: line 1\n = help: the \
                    columns are `type`, `tag`; `--partition-by` names another\n";
    assert_eq!((run.code, &run.out[..], &run.err[..]), (2, "", expected));

    let patterns = "ab: SEQ(A, B)\nx: SEQ(A, B[colr = A.tag AND colr > 1])\ny: SEQ(A[colr = 2], B)\n\
                    z: SEQ(A, B[tag = A.size])";
    let run = detect(patterns, &[], csv);
    let expected = "warning: there is no column `colr`; pattern `x` and another one have conditions \
                    on it, which never hold\n --> standard input: line 1\n = help: the columns are \
                    `type`, `tag`\n\
                    warning: there is no column `size`; pattern `z` has a condition on it, which \
                    never holds\n --> standard input: line 1\n";
    assert_eq!(found(&run), (vec![pair(0, 1)], expected));

    let json = "{\"type\":\"A\",\"tag\":1}\n{\"type\":\"B\",\"tag\":1,\"size\":null}\n";
    let run = detect(patterns, &[], json);
    let expected = "note: no event has a value of `colr`; pattern `x` and another one have \
                    conditions on it, which never hold\n\
                    note: no event has a value of `size`; pattern `z` has a condition on it, which \
                    never holds\n";
    assert_eq!(found(&run), (vec![pair(0, 1)], expected));
    let run = detect("ab: SEQ(A, B)", &["--partition-by", "nokey"], json);
    let expected = "note: no event has a value of `nokey`; it is of the key, and events without \
                    key are passed over\n";
    assert_eq!((run.code, found(&run)), (1, (vec![], expected)));
}

#[test]
fn many_missing_columns_are_told_in_few_lines() {
    let patterns: String =
        (0..500).map(|number| format!("p{number}: SEQ(A, B[a{number} = A.b{number}])\n")).collect();
    let run = detect(&patterns, &[], "type\nA\nB\n");
    assert_eq!(run.code, 1);
    assert_eq!(run.err.matches("warning: there is no column").count(), 20);
    assert!(run.err.contains("warning: 980 more columns of conditions are missing\n"));
    let run = detect(&patterns, &[], "{\"type\":\"A\"}\n");
    assert_eq!(run.err.matches("note: no event has a value of").count(), 20);
    assert!(run.err.contains("note: nor of 980 more attributes\n"), "{}", run.err);
}

#[test]
fn an_empty_input_has_no_events() {
    let said = "note: the input is empty\n --> standard input\n";
    for input in ["", "\n\n", "\u{feff}"] {
        for more in [&[][..], &["--input-format", "csv"], &["--input-format", "jsonl"]] {
            let run = detect("ab: SEQ(A, B)", more, input);
            assert_eq!((run.code, found(&run)), (1, (vec![], said)), "{input:?} {more:?}");
        }
    }
    let count = detect("ab: SEQ(A, B)", &["--count", "--partition-by", "x"], "");
    let expected = (vec!["{\"pattern\":\"ab\",\"count\":0}".to_owned()], said);
    assert_eq!((count.code, found(&count)), (1, expected));
    let directory = tempfile::tempdir().expect("a directory");
    for name in ["empty.csv", "empty.jsonl"] {
        let path = directory.path().join(name).display().to_string();
        std::fs::write(&path, "").expect("written");
        let run = detect("ab: SEQ(A, B)", &[&path], "");
        let said = format!("note: the input is empty\n --> {path}\n");
        assert_eq!((run.code, found(&run)), (1, (vec![], &said[..])));
    }
}

#[test]
fn messages_are_bounded_and_show_no_control_characters() {
    let long = "x".repeat(100_000);
    let evil = "\x1b]0;owned\x07\x1b[2J\u{9b}31m\u{202e}";
    let said = |run: Run| {
        assert_eq!(run.code, 2, "{}", run.err);
        run.err
    };
    let mut all = Vec::new();
    for text in [&long[..], evil] {
        let timed = "ab: SEQ(A, B) WITHIN 1 s";
        all.push(said(detect(timed, &[], &format!("type,time\nA,{text}\n"))));
        let json = serde_json::json!({"type": "A", "time": text});
        all.push(said(detect(timed, &[], &json.to_string())));
        all.push(said(detect(timed, &["--input-format", "jsonl"], &format!("\"{text}\""))));
        all.push(said(detect(timed, &[], &format!("{text},b\n1,2\n"))));
        all.push(said(detect(timed, &[], &format!("type,{text},{text}\n"))));
        all.push(said(detect(&format!("`{text}`: SEQ(A, B) WITHIN"), &[], "")));
        all.push(said(detect(&format!("ab: SEQ(A, B `{text}` {text})"), &[], "")));
        all.push(said(detect(&format!("`{text}`: SEQ(A)\n`{text}`: SEQ(B)"), &[], "")));
        let warned = detect(&format!("`{text}`: SEQ(A, B) WITHIN 1 EVENTS"), &[], "type\nA\n");
        all.push(warned.err);
        let warned = detect(&format!("`{text}`: SEQ(A, B[`{text}` = 1])"), &[], "type\nA\n");
        all.push(warned.err);
        let json = "{\"type\":\"A\"}";
        all.push(detect(&format!("`{text}`: SEQ(A, B[`{text}` = 1])"), &[], json).err);
    }
    for err in all {
        assert!(err.len() < 2000, "{} bytes: {}", err.len(), &err[..1000]);
        assert!(err.contains("error: ") || err.contains("warning: ") || err.contains("note: "));
        let obeyed = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!err.contains(obeyed), "{err:?}");
    }
    let run = detect("ab: SEQ(A, B) WITHIN 1 s", &[], &format!("type,time\nA,{evil}\n"));
    let shown = r"error: `\x1b]0;owned\x07\x1b[2J\x9b31m\u{202e}` is not a time";
    assert_eq!(run.err.lines().next(), Some(shown));
    let run = detect("ab: SEQ(A, B) WITHIN 1 s", &[], &format!("type,time\nA,{long}\n"));
    let shown = format!("error: `{}...` is not a time", &long[..100]);
    assert_eq!(run.err.lines().next(), Some(&shown[..]));
}

#[test]
fn what_separates_cells_is_told() {
    for (mark, shown) in [(";", "`;`"), ("\t", "tabs"), ("|", "`|`")] {
        let run = detect("ab: SEQ(A, B)", &[], &format!("type{mark}v\nA{mark}1\n"));
        let told = format!("help: cells are separated by commas, not by {shown}; the columns are ");
        assert_eq!((run.code, run.err.contains(&told)), (2, true), "{}", run.err);
    }
    let run = detect("ab: SEQ(A, B)", &[], "type,v\nA\n");
    assert_eq!(run.err.lines().next(), Some("error: a row of 1 cell, the header has 2"));
}

#[test]
fn partitions_have_a_limit() {
    let csv = "type,tag\nA,1\nA,2\nA,3\nB,1\nB,3\n";
    let run =
        |limit| detect("ab: SEQ(A, B)", &["--partition-by", "tag", "--max-partitions", limit], csv);
    assert_eq!(found(&run("3")), (vec![pair(0, 3), pair(2, 4)], ""));
    let error = "error: more than 2 partitions\n --> standard input: line 4\n = help: use windows \
                 of time, or --max-partitions\n";
    for limit in ["2", "2:error"] {
        let run = run(limit);
        assert_eq!((run.code, &run.err[..]), (2, error));
    }
    // That of 1 is forgotten for that of 3, and that of 2 for the second one of 1.
    let said = "warning: 2 partitions were dropped by --max-partitions: matches may be missing\n";
    assert_eq!(found(&run("2:drop-oldest")), (vec![pair(2, 4)], said));
    let said = "warning: 2 events of new partitions were dropped by --max-partitions: matches may be \
         missing\n";
    assert_eq!(found(&run("2:drop-newest")), (vec![pair(0, 3)], said));
    // Those whose windows are over do not count, whatever the policy.
    let csv = "type,time,tag\nA,0,1\nA,0,2\nA,5000,3\nB,5500,3\nA,9000,4\nB,9000,4\n";
    for limit in ["2", "2:drop-oldest", "2:drop-newest"] {
        let more = ["--partition-by", "tag", "--max-partitions", limit];
        let run = detect("ab: SEQ(A, B) WITHIN 1 s", &more, csv);
        assert_eq!(found(&run), (vec![pair(2, 3), pair(4, 5)], ""), "{limit}");
    }
    for wrong in ["0", "-1", "2:drop", "many"] {
        assert_eq!(run(wrong).code, 2, "{wrong}");
    }
    let without_key = detect("ab: SEQ(A, B)", &["--max-partitions", "3"], csv);
    assert!(without_key.code == 2 && without_key.err.contains("--partition-by"));
}
