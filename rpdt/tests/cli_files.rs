//! The program `rpdt`: several files, several threads, encodings.
#![cfg(feature = "cli")]

use std::fs;
use std::path::Path;

use tempfile::TempDir;

/// What a run of the program gave.
struct Run {
    code: i32,
    out: String,
    err: String,
}

fn rpdt(folder: &Path, arguments: &[&str]) -> Run {
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_rpdt"))
        .args(arguments)
        .current_dir(folder)
        .write_stdin("<a><b/></a>")
        .output()
        .expect("the program runs");
    Run {
        code: output.status.code().expect("no signal"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for (name, content) in files {
        fs::write(folder.path().join(name), content).expect("written");
    }
    folder
}

/// The output of a run that finds something, the same for several numbers of threads.
fn found(folder: &TempDir, arguments: &[&str]) -> String {
    let one = rpdt(folder.path(), arguments);
    assert_eq!((one.code, one.err.as_str()), (0, ""), "{arguments:?}");
    for threads in ["2", "7", "0"] {
        let more = rpdt(folder.path(), &[arguments, &["--threads", threads]].concat());
        assert_eq!((more.code, more.err.as_str()), (0, ""), "{arguments:?}");
        assert_eq!(more.out, one.out, "{arguments:?} on {threads} threads");
    }
    one.out
}

#[test]
fn answers_say_which_file_they_are_from() {
    let files: [(&str, &[u8]); 3] = [
        ("one.xml", b"<a><b/><c/></a>"),
        ("two.xml", b"<a/>"),
        ("quoted \".xml", b"<a><c><b>x</b></c></a>"),
    ];
    let folder = folder(&files);
    let names = ["one.xml", "two.xml", "quoted \".xml"];
    let with = |arguments: &[&str]| found(&folder, &[arguments, &names].concat());
    assert_eq!(
        with(&["//b", "-f", "path"]),
        "one.xml\t/a[1]/b[1]\nquoted \".xml\t/a[1]/c[1]/b[1]\n"
    );
    assert_eq!(with(&["//b", "-f", "count"]), "one.xml\t1\ntwo.xml\t0\nquoted \".xml\t1\n");
    assert_eq!(
        with(&["-e", "//b", "-e", "//c", "-f", "range", "--order", "document"]),
        "one.xml\t0\t3-7\none.xml\t1\t7-11\nquoted \".xml\t1\t3-18\nquoted \".xml\t0\t6-14\n"
    );
    let json = with(&["//b"]);
    let files: Vec<String> = json
        .lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let object = value.as_object().expect("an object");
            assert_eq!(object.keys().collect::<Vec<_>>(), ["answer", "file"]);
            assert_eq!(object["answer"]["name"], "b");
            object["file"].as_str().expect("a name").to_owned()
        })
        .collect();
    assert_eq!(files, ["one.xml", "quoted \".xml"]);
    assert!(
        with(&["-e", "//b", "-e", "//c"])
            .starts_with("{\"file\":\"one.xml\",\"query\":0,\"answer\":{")
    );
    // One file, and the standard input beside files.
    assert_eq!(found(&folder, &["//b", "-f", "count", "one.xml"]), "1\n");
    let both = rpdt(folder.path(), &["//b", "-f", "count", "one.xml", "-"]);
    assert_eq!((both.code, both.out.as_str()), (0, "one.xml\t1\nstandard input\t1\n"));
    assert_eq!(rpdt(folder.path(), &["//b", "-", "-"]).code, 2);
}

#[test]
fn a_file_at_fault_does_not_stop_the_others() {
    let folder = folder(&[("a.xml", b"<a><b/>"), ("b.xml", b"<a><b/></a>"), ("c.xml", b"<a></b>")]);
    for threads in ["1", "2"] {
        let run = rpdt(
            folder.path(),
            &["//b", "-f", "path", "a.xml", "no.xml", "b.xml", "c.xml", "--threads", threads],
        );
        assert_eq!((run.code, run.out.as_str()), (2, "a.xml\t/a[1]/b[1]\nb.xml\t/a[1]/b[1]\n"));
        let faults: Vec<&str> = run.err.lines().filter(|l| l.starts_with("error: ")).collect();
        assert_eq!(faults.len(), 3, "{}", run.err);
        assert!(faults[0].contains("the document ends, but"), "{}", run.err);
        assert!(faults[1].contains("cannot open no.xml"), "{}", run.err);
        assert!(faults[2].contains("does not match"), "{}", run.err);
        assert!(run.err.contains("1 answer was printed before"), "{}", run.err);
    }
}

#[test]
fn limits_count_the_answers_of_all_files() {
    let folder = folder(&[("a.xml", b"<a><b/><b/></a>"), ("b.xml", b"<a><b/><b/></a>")]);
    for threads in ["1", "2"] {
        let some = |n: &str| {
            let arguments =
                ["//b", "-f", "range", "a.xml", "b.xml", "--limit", n, "--threads", threads];
            rpdt(folder.path(), &arguments).out.lines().count()
        };
        assert_eq!([some("1"), some("2"), some("3"), some("9")], [1, 2, 3, 4]);
    }
}

/// Of some megabytes, so that it is divided.
fn large(records: usize) -> String {
    let mut text = "<site><people>\n".to_owned();
    for i in 0..records {
        text +=
            &format!("<person id='p{i}'><name>Name {i}</name><!-- <person> --><b/><b/></person>\n");
    }
    text + "</people></site>"
}

#[test]
fn large_files_are_divided() {
    let text = large(80_000);
    let damaged = text.replacen("Name 70000</name>", "Name 70000</nam>", 1);
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let folder = folder(&[
        ("large.xml", text.as_bytes()),
        ("damaged.xml", damaged.as_bytes()),
        ("wide.xml", &wide),
        ("small.xml", b"<a><person/></a>"),
    ]);
    for arguments in [
        &["/site/people/person[b]/name", "large.xml"][..],
        &["//person/{b!, b!}", "large.xml", "-f", "path"],
        &["//person", "small.xml", "large.xml", "small.xml", "-f", "count"],
        &["-e", "//name", "-e", "//b", "large.xml", "-f", "text"],
    ] {
        assert!(!found(&folder, arguments).is_empty());
    }
    let query = ["//name", "-f", "range", "damaged.xml", "--stats"];
    let [one, two] =
        ["1", "2"].map(|n| rpdt(folder.path(), &[&query[..], &["--threads", n]].concat()));
    assert_eq!((one.code, two.code), (2, 2));
    assert!(one.out == two.out, "the answers before the fault");
    let fault = |run: &Run| run.err[run.err.find("error: ").expect("an error")..].to_owned();
    assert_eq!(fault(&one), fault(&two));
    assert!(fault(&one).contains("line 70002, column"), "{}", one.err);

    for (arguments, reason) in [
        (&["//name", "wide.xml"][..], "only UTF-8 can be divided; this is UTF-16BE"),
        (&["/site/people/{name!*, person!*}", "large.xml"], "no place"),
        (&["/site[people]!", "large.xml"], "what it remembers of the document element `site`"),
        (&["//name"], ""),
    ] {
        let run = rpdt(folder.path(), &[arguments, &["--threads", "2", "-f", "count"]].concat());
        if reason.is_empty() {
            let note =
                "note: standard input was read by one thread: only regular files can be divided\n";
            assert_eq!((run.code, run.err.as_str()), (1, note));
        } else {
            assert!(run.code == 0 && run.err.starts_with("note: "), "{arguments:?} {}", run.err);
            assert!(run.err.contains(reason), "{}", run.err);
        }
    }
}

#[test]
fn encodings_can_be_asked_for() {
    let folder =
        folder(&[("a.xml", b"<?xml version='1.0' encoding='UTF-8'?><a>\x93\xfa\x96\x7b</a>")]);
    let run = rpdt(folder.path(), &["/a", "a.xml", "-f", "text", "--encoding", "shift_jis"]);
    assert_eq!((run.code, run.out.as_str()), (0, "日本\n"));
    let run = rpdt(folder.path(), &["/a", "a.xml", "-f", "text"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("not valid UTF-8"), "{}", run.err);
    let wide = "<?xml version='1.0' encoding='UTF-8'?><a>x</a>".encode_utf16();
    let wide: Vec<u8> = [0xFF, 0xFE].into_iter().chain(wide.flat_map(u16::to_le_bytes)).collect();
    fs::write(folder.path().join("wide.xml"), &wide).expect("written");
    let run = rpdt(folder.path(), &["/a", "wide.xml"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("help: `--encoding UTF-16LE` reads it nevertheless"), "{}", run.err);
    let asked = ["/a", "wide.xml", "-f", "text", "--encoding", "UTF-16LE"];
    let run = rpdt(folder.path(), &asked);
    assert_eq!((run.code, run.out.as_str()), (0, "x\n"));
    let run = rpdt(folder.path(), &["/a", "a.xml", "--encoding", "ebcdic"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("not the name of an encoding"), "{}", run.err);
}
