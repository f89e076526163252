//! rpdt against its peers, without what has to be fetched.

use std::fs;
use std::process::ExitCode;

use bench_harness::cli;
use bench_harness::experiment::Registry;
use bench_harness::peer::xml::Peer;
use bench_harness::peer::xml::workload::{ELEMENTS, WORKLOADS};
use bench_harness::progress::Progress;
use bench_harness::record::Row;

fn call(arguments: &[&str]) -> (ExitCode, Vec<Row>) {
    let mut out = Vec::new();
    let arguments = ["bench-harness", "compare", "rpdt"].iter().chain(arguments).copied();
    let code = cli::run(&Registry::default(), arguments, &mut out, &Progress::silent());
    let text = String::from_utf8(out).unwrap();
    (code, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[test]
fn mistakes_in_the_call_and_its_input_exit_with_2() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("no.xml");
    for content in ["", "no document", "<a><b></a>"] {
        fs::write(&file, content).unwrap();
        let arguments = ["--input", file.to_str().unwrap(), "--rounds", "1"];
        assert_eq!(call(&arguments).0, ExitCode::from(2), "{content:?}");
    }
    for arguments in [
        &["--peers", "flink"][..],
        &["--only", "strict"],
        &["--input", "/no/such"],
        &["--events", "1"],
    ] {
        assert_eq!(call(arguments).0, ExitCode::from(2), "{arguments:?}");
    }
}

#[test]
fn rpdt_and_quick_xml_count_the_same_elements() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().to_str().unwrap();
    let common = ["--scale", "tiny", "--data", data, "--peers", "quick-xml", "--rounds", "1"];
    let (code, rows) = call(&[&common[..], &["--only", "elements,path"]].concat());
    assert_eq!(code, ExitCode::SUCCESS);
    let value = |rows: &[Row], workload: &str, series: &str| {
        let mut rows = rows.iter().filter(|row| row.x == workload.into() && row.series == series);
        rows.next().map(|row| row.value)
    };
    assert_eq!(value(&rows, "elements", "rpdt, matches"), Some(16_758.0));
    assert_eq!(value(&rows, "elements", "quick-xml, matches"), Some(16_758.0));
    assert!(value(&rows, "path", "rpdt, matches").unwrap() > 0.0);
    assert_eq!(value(&rows, "path", "quick-xml, matches"), None);

    let file = directory.path().join("own.xml");
    fs::write(&file, "<a><b/><b><c/></b></a>").unwrap();
    let (code, rows) = call(&[&common[..], &["--input", file.to_str().unwrap()]].concat());
    assert_eq!(code, ExitCode::SUCCESS);
    assert_eq!(value(&rows, "elements", "quick-xml, matches"), Some(4.0));
    assert!(rows.iter().all(|row| row.x == "elements".into()));
}

#[test]
fn every_question_has_a_peer_and_a_missing_one_says_how_to_get_it() {
    let directory = tempfile::tempdir().unwrap();
    for workload in &WORKLOADS {
        let peers: Vec<Peer> = Peer::ALL.into_iter().filter(|peer| peer.runs(workload)).collect();
        assert_eq!(peers.contains(&Peer::QuickXml), workload.xpath == ELEMENTS);
        assert!(peers.len() >= 2, "{}", workload.name);
        for peer in peers {
            let Some(command) = peer.command(directory.path(), workload, "a.xml".as_ref()) else {
                assert_eq!(peer, Peer::QuickXml);
                continue;
            };
            let message = command.unwrap_err();
            assert!(message.contains("is skipped: there is no "), "{message}");
            assert!(message.contains("fetch.sh"), "{message}");
        }
    }
}
