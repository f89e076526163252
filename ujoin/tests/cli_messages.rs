//! Messages of the program `ujoin`: complete, as a user sees them.
#![cfg(feature = "cli")]

mod cli_support;

use cli_support::{HALF_AN_HOUR, folder, transcript};

#[test]
fn bad_rows_of_a_table() {
    let folder = folder(&[("times.csv", HALF_AN_HOUR)]);
    let mut all = String::new();
    for input in [
        &b"stream,time,key,probability\nA,1,k,1\nC,2,k,1.2\n"[..],
        b"stream,time,key,probability\nA,1,k,0\n",
        b"stream,time,key,probability\nA,1,k,-0.5\n",
        b"stream,time,key,probability\nA,1,k,high\n",
        b"stream,time,key,probability\nA,1,k,NaN\n",
        b"stream,time,key,probability\nA,1,k,\n",
        b"stream,time,key,probability\nA,1,k,1.0000000001\n",
        b"stream,time,key,probability\nA,1,,1\n",
        b"stream,time,key,probability\nB,1,k,1\n",
        b"stream,time,key,probability\n,1,k,1\n",
        b"stream,time,key,probability\nA,,k,1\n",
        b"stream,time,key,probability\nA,noon,k,1\n",
        b"stream,time,key,probability\nA,1717243800000,k,1\n",
        b"stream,time,key,probability\nA,2024-02-30T12:00:00Z,k,1\n",
        b"stream,time,key,probability\nA,1,k\n",
        b"stream,time,key,probability\nA,1,k,1,2\n",
        b"stream,time,key,probability\nA,1,\"two\nlines\",1\nA,2,\"yes\" no,1\n",
        b"stream,time,key,probability\nA,1,\"open,1\nA,2,k,1\n",
        b"stream,time,key,probability\nA,1,caf\xe9,1\n",
    ] {
        transcript(&mut all, folder.path(), &["run", "--travel-times", "times.csv"], Some(input));
    }
    let plates = b"stream,time,key,probability\nA,1,\" - \",1\n";
    let flags = ["run", "--travel-times", "times.csv", "--normalize-plates"];
    transcript(&mut all, folder.path(), &flags, Some(plates));
    insta::assert_snapshot!("csv", all);
}

#[test]
fn bad_alternatives() {
    let folder = folder(&[("times.csv", HALF_AN_HOUR)]);
    let mut all = String::new();
    let header = "stream,time,key,probability,observation\n";
    for (flags, rows) in [
        (&[][..], "A,1,k,0.7,o\nA,1,j,0.4,o\nC,2,k,1,p\n"),
        (&[], "A,1,k,0.7,o\nC,1,k,1,p\nA,1,j,0.3,o\nA,1,i,0.1,o\n"),
        (&["--mode", "observation"], "A,1,k,0.7,o\nC,1,k,1,p\nA,1,j,0.4,o\n"),
        (&["--mode", "observation", "--lateness", "1s"], "A,1,k,0.7,o\nA,2,j,0.2,o\n"),
    ] {
        let arguments = [&["run", "--travel-times", "times.csv"], flags].concat();
        let input = format!("{header}{rows}");
        transcript(&mut all, folder.path(), &arguments, Some(input.as_bytes()));
    }
    insta::assert_snapshot!("alternatives", all);
}

#[test]
fn bad_headers() {
    let folder = folder(&[("times.csv", HALF_AN_HOUR)]);
    let mut all = String::new();
    for input in [
        &b"camera,time,key,probability\n"[..],
        b"stream;time;key;probability\nA;1;k;1\n",
        b"stream,time,key,probability,key\n",
        b"stream,\"time\n",
        b"stream,time,key,\xff\n",
    ] {
        transcript(&mut all, folder.path(), &["run", "--travel-times", "times.csv"], Some(input));
    }
    insta::assert_snapshot!("headers", all);
}

#[test]
fn bad_json_lines() {
    let folder = folder(&[("times.csv", HALF_AN_HOUR)]);
    let mut all = String::new();
    for input in [
        r#"{"stream":"A","time":1,"key":"k"}"#,
        r#"{"stream":"A","time":1,"key":null,"probability":1}"#,
        r#"{"stream":"A","time":1,"key":"","probability":1}"#,
        r#"{"stream":true,"time":1,"key":"k","probability":1}"#,
        r#"{"stream":"A","time":[1],"key":"k","probability":1}"#,
        r#"{"stream":"B","time":1,"key":"k","probability":1}"#,
        r#"{"stream":"A","time":1,"key":"k","probability":3}"#,
        r#"{"stream":"A","time":1,"time":2,"key":"k","probability":1}"#,
        r#"{"stream":"A","time":1,"key":"k","probability":0,9}"#,
        r#"  {"stream":"A","time":1,"#,
        r#"[{"stream":"A"}]"#,
        r#"{"pause":1}"#,
    ] {
        let input = Some(input.as_bytes());
        transcript(&mut all, folder.path(), &["run", "--travel-times", "times.csv"], input);
    }
    insta::assert_snapshot!("json", all);
}

#[test]
fn bad_travel_times() {
    let mut all = String::new();
    for times in [
        "",
        ",A,B\nA,0,5\n",
        ",A,B\nA,0,\nB,5,0\n",
        ",A,B\nA,0,0\nB,5,0\n",
        ",A,B\nA,0,-3\nB,5,0\n",
        ",A,B\nA,0,soon\nB,5,0\n",
        ",A,B\nA,0,9999999999\nB,5,0\n",
        ",A,B\nB,5,0\nA,0,5\n",
        ",A,B\nA,0,5\nB,5,0\nC,1,1\n",
        ",A,A\nA,0,5\nA,5,0\n",
        ",A,B\nA,0\nB,5,0\n",
        "from,to,seconds\nA,B,5\n",
        "from,to,seconds\nA,B,5\nA,B,6\n",
        "from,to,seconds\nA,,5\n",
        "from,to,seconds\nA,\"B,5\n",
    ] {
        for line in times.lines() {
            all.push_str(&format!("# {line}\n"));
        }
        let folder = folder(&[("times.csv", times)]);
        transcript(&mut all, folder.path(), &["run", "--travel-times", "times.csv"], None);
    }
    insta::assert_snapshot!("times", all);
}

#[test]
fn wrong_usage() {
    let folder = folder(&[
        ("times.csv", HALF_AN_HOUR),
        ("s.csv", "stream,time,key,probability\n"),
        ("other.csv", "stream,time,key,probability\n"),
    ]);
    let mut all = String::new();
    for arguments in [
        &[][..],
        &["run"],
        &["run", "s.csv"],
        &["run", "--travel-times", "no-such-file.csv", "s.csv"],
        &["run", "--travel-times", "times.csv", "no-such-file.csv"],
        &["run", "--travel-times", "times.csv", "."],
        &["run", "--travel-times", "times.csv", "s.csv", "other.csv"],
        &["run", "--travel-times", "times.csv", "s.csv", "--threshold", "much"],
        &["run", "--travel-times", "times.csv", "s.csv", "--threshold", "0.1234567891"],
        &["run", "--travel-times", "times.csv", "s.csv", "--mode", "pairs"],
        &["run", "--travel-times", "times.csv", "s.csv", "--slice", "1h"],
        &["run", "--travel-times", "times.csv", "s.csv", "--top-k", "0"],
        &["run", "--travel-times", "times.csv", "s.csv", "--lateness", "5"],
        &["run", "--travel-times", "times.csv", "s.csv", "--lateness=-5s"],
        &["run", "--travel-times", "times.csv", "s.csv", "--expiry", "batch"],
        &["run", "--travel-times", "times.csv", "s.csv", "--engine", "keyed", "--interval", "1h"],
        &["run", "--travel-times", "times.csv", "s.csv", "--engine", "paper", "--interval", "1h"],
        &["run", "--travel-times", "times.csv", "s.csv", "--threads", "0"],
        &["run", "--travel-times", "times.csv", "s.csv", "--memory", "lots"],
        &["run", "--travel-times", "times.csv", "s.csv", "--spill", "quantile"],
        &[
            "run",
            "--travel-times",
            "times.csv",
            "s.csv",
            "--memory",
            "1MiB",
            "--spill",
            "quantile",
            "--spill-m",
            "3",
        ],
        &[
            "run",
            "--travel-times",
            "times.csv",
            "s.csv",
            "--memory",
            "1MiB",
            "--spill",
            "less-than",
            "--spill-slots",
            "12",
        ],
        &["run", "--travel-times", "times.csv", "s.csv", "--resume"],
        &["run", "--travel-times", "times.csv", "s.csv", "-o", "s.csv"],
        &["run", "--travel-times", "times.csv", "s.csv", "-o", "out", "--late", "out"],
        &["run", "--travel-times", "times.csv", "s.csv", "-o", "no/such/folder"],
        &[
            "run",
            "--travel-times",
            "times.csv",
            "s.csv",
            "--keep-duplicates",
            "--mode",
            "observation",
        ],
    ] {
        transcript(&mut all, folder.path(), arguments, None);
    }
    insta::assert_snapshot!("usage", all);
}

#[test]
fn help() {
    let folder = folder(&[]);
    for (name, arguments) in
        [("help-h", &["-h"][..]), ("help-run-h", &["run", "-h"]), ("help-run", &["run", "--help"])]
    {
        let mut all = String::new();
        transcript(&mut all, folder.path(), arguments, None);
        assert!(all.ends_with("[0]\n\n"), "{all}");
        insta::assert_snapshot!(name, all);
    }
    let mut all = String::new();
    transcript(&mut all, folder.path(), &["--version"], None);
    assert!(all.contains(concat!("ujoin ", env!("CARGO_PKG_VERSION"), "\n[0]")), "{all}");
}
