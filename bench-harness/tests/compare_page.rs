//! The page of `compare`.

use std::fs;

use assert_cmd::cargo::cargo_bin_cmd;
use bench_harness::number::grouped;
use bench_harness::record::{Row, read_lines};

#[test]
fn a_comparison_is_written_as_a_page_beside_its_rows() {
    let directory = tempfile::tempdir().unwrap();
    let (data, report) = (directory.path().join("data"), directory.path().join("report"));
    let mut compare = cargo_bin_cmd!("bench-harness");
    compare.args(["compare", "multipattern", "--peers", "aho-corasick,single", "--rounds", "6"]);
    compare.args(["--only", "strict-40,next-40", "--events", "300", "--scale", "tiny", "--data"]);
    compare.arg(&data).arg("--report").arg(&report).assert().code(0);

    let page = fs::read_to_string(report.join("compare-multipattern.html")).unwrap();
    let rows: Vec<Row> = read_lines(&report.join("compare-multipattern.jsonl")).unwrap();
    assert!(rows.iter().any(|row| row.series == "aho-corasick / multipattern, CPU time"));
    for row in &rows {
        // The page has every number.
        let cells = format!("{}</td><td>{}</td>", grouped(row.value), row.unit);
        assert!(page.contains(&cells), "{row:?}");
    }
    for part in [
        "multipattern and its peers",
        "aho-corasick / multipattern, CPU time: above 1",
        "compare multipattern --peers aho-corasick,single --only strict-40,next-40 --events 300",
        "[95 %]",
        "<svg",
        "prefers-color-scheme",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Self-contained: nothing is fetched, and nothing runs.
    for part in ["<script", "src=", "@import", "url("] {
        assert!(!page.contains(part), "{part}");
    }
}
