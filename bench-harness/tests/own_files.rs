//! Files of the user's own in place of generated data.

mod paper;

use std::fs;
use std::path::{Path, PathBuf};

use bench_harness::own::{Kind, Own, Paths};
use bench_harness::record::{OwnFile, Records};
use bench_harness::sha256;
use data_gen::format::Format;
use data_gen::stream::{StockOptions, StreamKind};
use data_gen::xml::{DblpOptions, TreebankOptions, XmarkOptions, XmlKind};
use paper::{at_tiny_scale, harness};

/// A file of a kind, as the user has it.
fn write(directory: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, content).unwrap();
    path
}

fn document(kind: &XmlKind) -> Vec<u8> {
    let mut bytes = Vec::new();
    kind.generate(5, &mut bytes).unwrap();
    bytes
}

fn given(kind: Kind, path: PathBuf) -> Paths {
    let (mut paths, path) = (Paths::default(), Some(path));
    match kind {
        Kind::Dblp => paths.dblp = path,
        Kind::Treebank => paths.treebank = path,
        Kind::Xmark => paths.xmark = path,
        Kind::Stock => paths.stock = path,
        Kind::Sightings => paths.sightings = path,
        Kind::Cldr => paths.cldr = path,
        Kind::Scap => paths.scap = path,
    }
    paths
}

/// Runs at tiny scale over a file; gives what was recorded and the page.
fn reproduce(directory: &Path, ids: &[&str], kind: Kind, path: &Path) -> (Records, String) {
    let out = directory.join("report");
    let mut command = at_tiny_scale("reproduce", directory, ids);
    command.arg("--out").arg(&out).arg(format!("--{}", kind.name())).arg(path);
    command.assert().code(0);
    let page = fs::read_to_string(out.join("index.html")).unwrap();
    harness().args(["report", "--from"]).arg(&out).assert().code(0);
    assert_eq!(fs::read_to_string(out.join("index.html")).unwrap(), page);
    (Records::read(&out).unwrap(), page)
}

#[test]
fn documents_are_queried_and_named_in_rows_claims_and_page() {
    let directory = tempfile::tempdir().unwrap();
    let content = document(&XmlKind::Xmark(XmarkOptions::new(0.004)));
    let path = write(directory.path(), "my auctions.xml", &content);
    let ids = ["rpdt-fig6", "rpdt-fig8"];
    let (records, page) = reproduce(directory.path(), &ids, Kind::Xmark, &path);
    let hash = sha256::of(&content);
    let file = OwnFile {
        kind: "xmark".to_owned(),
        name: "my auctions.xml".to_owned(),
        bytes: content.len() as u64,
    };
    for id in ids {
        assert_eq!(records.own_files_of(id), [(&file, &*hash)], "{id}");
        let times = |series: &str| records.rows_of(id).filter(|row| row.series == series).count();
        assert_eq!(
            times(if id == "rpdt-fig6" { "RPDT" } else { "P1" }),
            if id == "rpdt-fig6" { 17 } else { 1 }
        );
    }
    // The other documents of the figure are still generated, and say so by saying nothing.
    let others = records.rows_of("rpdt-fig6").filter(|row| row.own_file.is_none()).count();
    assert!(others > 0);
    let measured = records.judgements_of("rpdt-fig6").map(|one| &one.measured);
    assert!(measured.into_iter().all(|text| text.contains("my auctions.xml")));
    for part in [&*hash, "--xmark &#39;my auctions.xml&#39;", "given as xmark"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn the_other_documents_are_accepted_too() {
    let directory = tempfile::tempdir().unwrap();
    let kinds = [
        (Kind::Dblp, XmlKind::Dblp(DblpOptions::scaled(0.0005))),
        (Kind::Treebank, XmlKind::Treebank(TreebankOptions::new(20))),
    ];
    for (kind, generator) in kinds {
        let path = write(directory.path(), kind.name(), document(&generator));
        let own = Own::new(given(kind, path.clone()));
        let file = own.document(kind).unwrap().unwrap();
        assert_eq!(file.bytes(), fs::metadata(&path).unwrap().len());
        assert!(own.document(Kind::Xmark).unwrap().is_none());
        // A bibliography is no auction site, and so on.
        let other = Own::new(given(Kind::Xmark, path));
        let error = other.check().unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains("root element"), "{error}");
    }
}

/// Documents that nothing generated stands for are measured beside the others.
#[test]
fn real_documents_are_measured_where_they_are_given() {
    let directory = tempfile::tempdir().unwrap();
    let excerpts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rpdt/tests/data/real");
    for (kind, file, name) in
        [(Kind::Cldr, "cldr-de-excerpt.xml", "CLDR"), (Kind::Scap, "scap-excerpt.xml", "SCAP")]
    {
        let path = excerpts.join(file);
        let (records, page) = reproduce(directory.path(), &["rpdt-scanner"], kind, &path);
        let bytes = fs::metadata(&path).unwrap().len();
        let own: Vec<_> = records.rows.iter().filter(|row| row.own_file.is_some()).collect();
        assert!(own.iter().any(|row| row.x.to_string() == format!("{name} tokenise")));
        assert!(own.iter().all(|row| row.own_file.as_ref().unwrap().bytes == bytes));
        assert!(records.rows.iter().any(|row| row.x.to_string() == "XMark R2"));
        assert!(page.contains(file));
    }
}

#[test]
fn stocks_stand_in_for_the_stream() {
    let directory = tempfile::tempdir().unwrap();
    let mut content = Vec::new();
    let kind = StreamKind::Stock(StockOptions::new(3000));
    kind.write(5, Format::Csv, &mut content).unwrap();
    let path = write(directory.path(), "trades.csv", &content);
    let ids = ["nfab-sigmod-selectivity", "nfab-sigmod-buffer"];
    let (records, _) = reproduce(directory.path(), &ids, Kind::Stock, &path);
    for id in ids {
        let own = records.rows_of(id).all(|row| row.own_file.is_some());
        assert!(own && records.rows_of(id).next().is_some(), "{id}");
    }
    // How often prices rise is not ours to choose.
    assert!(!records.rows.iter().any(|row| row.series.contains("rising")));
}

#[test]
fn sightings_stand_in_for_traffic() {
    let directory = tempfile::tempdir().unwrap();
    let mut content = "stream,time,key,probability,observation\n".to_owned();
    for at in 0..2000 {
        let (camera, plate) = (at % 64, at * 7 % 90);
        content += &format!("cam{camera},{},P{plate},0.9,{at}\n", at * 20);
    }
    let path = write(directory.path(), "cameras.csv", &content);
    let ids = ["ujoin-fig8", "ujoin-fig9", "ujoin-fig14"];
    let (records, _) = reproduce(directory.path(), &ids, Kind::Sightings, &path);
    let own = |id: &str| records.own_files_of(id).len();
    assert_eq!(ids.map(own), [1, 0, 1]);
    // There are points for 30 and 60 checkpoints, and none for more than the file has.
    let most = records.rows_of("ujoin-fig8").filter_map(|row| row.x.number()).fold(0.0, f64::max);
    assert_eq!(most, 60.0);
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let stock = "type,time,symbol,price,volume\n";
    let sightings = "stream,time,key,probability,observation\n";
    for (kind, content, told) in [
        (Kind::Xmark, "<site><item></site>".to_owned(), "line 1, column 13"),
        (Kind::Xmark, "<site><x/></site>".to_owned(), "it has no element of the name item"),
        (Kind::Xmark, "<shop/>".to_owned(), "at byte 0: the root element is shop"),
        (Kind::Treebank, String::new(), "--treebank"),
        (Kind::Cldr, "<a/>".to_owned(), "it has no element of the name ldml"),
        (Kind::Scap, "<a/>".to_owned(), "it has no element of the name ds:data-stream"),
        (Kind::Stock, "type,price\n".to_owned(), "time"),
        (Kind::Stock, stock.to_owned(), "there are no rows"),
        (Kind::Stock, format!("{stock}s,1,A,5,1\ns,2,A,5.5,1\n"), "row 2: price must be a whole"),
        (Kind::Stock, format!("{stock}s,2,A,5,1\ns,1,A,5,1\n"), "row 2: the time 1 is before"),
        (Kind::Stock, format!("{stock}s,1,,5,1\n"), "row 1: symbol"),
        (Kind::Sightings, format!("{sightings}a,1,k,1.5,0\n"), "row 1: probability"),
        (Kind::Sightings, format!("{sightings}a,1,k,0,0\n"), "row 1: probability"),
        (Kind::Sightings, format!("{sightings}a,1,k,0.5,-1\n"), "row 1: observation"),
        (Kind::Sightings, format!("{sightings}a,1,k,0.5,0\n"), "one checkpoint alone"),
        (Kind::Sightings, "stream,time\na,x\n".to_owned(), "x"),
    ] {
        let path = write(directory.path(), "file", &content);
        let error = Own::new(given(kind, path)).check().unwrap_err();
        let text = error.to_string();
        assert_eq!(error.exit_code(), 2, "{text}");
        assert!(text.starts_with(&format!("--{}: ", kind.name())) && text.contains(told), "{text}");
    }
}

#[test]
fn mistakes_end_before_anything_is_measured() {
    let directory = tempfile::tempdir().unwrap();
    for (command, ids) in [("reproduce", ["nfab-demand1"]), ("verify", ["nfab-demand1"])] {
        let mut command = at_tiny_scale(command, directory.path(), &ids);
        command.arg("--stock").arg(directory.path().join("none.csv")).assert().code(2);
    }
    let mut compare = harness();
    compare.args(["compare", "nfab", "--stock", "trades.csv"]).assert().code(2);
}

/// An outcome over another file is another outcome.
#[test]
fn outcomes_are_kept_by_file() {
    let directory = tempfile::tempdir().unwrap();
    let run = |sentences: u64| {
        let kind = XmlKind::Treebank(TreebankOptions::new(sentences));
        let path = write(directory.path(), "bank.xml", document(&kind));
        reproduce(directory.path(), &["rpdt-fig6"], Kind::Treebank, &path).0
    };
    let (first, again, other) = (run(20), run(20), run(30));
    assert_eq!(first, again);
    let hashes = [&first, &other].map(|one| one.own_files_of("rpdt-fig6")[0].1.to_owned());
    assert_ne!(hashes[0], hashes[1]);
}
