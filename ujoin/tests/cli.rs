//! The program `ujoin`: what it finds, prints and counts, with every flag.
#![cfg(feature = "cli")]

mod cli_support;

use cli_support::{HALF_AN_HOUR, THREE, brief, folder, found, sightings, stats, ujoin, ujoin_in};

/// The example of Fig. 1 of the paper.
const FIG1: &str = "stream,time,key,probability,observation\n\
                    A,60,12345,0.9,o1\nA,60,72345,0.1,o1\n\
                    C,420,12345,0.8,o2\nC,420,72345,0.2,o2\n";

const FIG1_PAIR: &str = concat!(
    r#"{"key":"12345","probability":0.72,"#,
    r#""first":{"stream":"A","time":60,"key":"12345","probability":0.9,"observation":"o1"},"#,
    r#""second":{"stream":"C","time":420,"key":"12345","probability":0.8,"observation":"o2"},"#,
    r#""dt":360,"limit":1800}"#,
    "\n"
);

const ENGINES: [&[&str]; 7] = [
    &[],
    &["--engine", "log", "--threads", "2"],
    &["--engine", "keyed", "--threads", "3"],
    &["--engine", "paper"],
    &["--engine", "paper", "--expiry", "batch", "--interval", "5m", "--threads", "2"],
    &["--engine", "paper-batched", "--expiry", "inline", "--slots", "7"],
    &["--engine", "paper-batched", "--expiry", "batch"],
];

#[test]
fn fig1() {
    for engine in ENGINES {
        assert_eq!(found(HALF_AN_HOUR, engine, FIG1), FIG1_PAIR, "{engine:?}");
    }
    assert_eq!(found(HALF_AN_HOUR, &["--threshold", "0.7", "-"], FIG1), FIG1_PAIR);
    assert_eq!(found(HALF_AN_HOUR, &["--threshold", "0.72"], FIG1), FIG1_PAIR);
    let none = ujoin(HALF_AN_HOUR, &["--threshold", "0.720000001"], FIG1);
    assert_eq!((none.code, none.out.as_str(), none.err.as_str()), (1, "", ""));
}

#[test]
fn json_lines_and_lists_of_times() {
    let times = "seconds,to,from\n1800,A,C\n1800,C,A\n";
    let input = r#"{"stream":"A","time":60,"key":12345,"probability":0.9,"lane":{"n":[1]},"id":7}

        {"key":"\u0031\u0032345","stream":"C","observation":"","time":"420","probability":"8e-1","ok":true}
"#;
    assert_eq!(
        found(times, &[], input),
        concat!(
            r#"{"key":"12345","probability":0.72,"first":{"stream":"A","time":60,"key":"12345","#,
            r#""probability":0.9,"lane":{"n":[1]},"id":"7"},"second":{"key":"\u0031\u0032345","#,
            r#""stream":"C","observation":"","time":420,"probability":0.8,"ok":true},"dt":360,"#,
            r#""limit":1800}"#,
            "\n"
        )
    );
}

#[test]
fn extra_columns_quotes_and_times() {
    let input = "\u{feff}note,probability,key,time,stream\r\n\r\n\
                 \"say \"\"hi\"\", then\nleave\",.9, K 1 ,1970-01-01T00:01:00Z,A\r\n\
                 ,\"0.80\",\"K 1\",60.5,\"C\"\r\n";
    assert_eq!(
        found(HALF_AN_HOUR, &[], input),
        concat!(
            r#"{"key":"K 1","probability":0.72,"first":{"note":"say \"hi\", then\nleave","#,
            r#""probability":0.9,"key":"K 1","time":60,"stream":"A"},"second":{"note":"","#,
            r#""probability":0.8,"key":"K 1","time":60.5,"stream":"C"},"dt":0.5,"limit":1800}"#,
            "\n"
        )
    );
}

#[test]
fn the_limit_is_exclusive_and_directed() {
    let times = ",A,C\nA,,100\nC,50.5,\n";
    let input = "stream,time,key,probability\nA,0,k,1\nC,99.999999999,k,1\nC,100,k,1\n\
                 A,150.499999999,k,1\nA,150.5,k,1\n";
    assert_eq!(
        brief(&found(times, &["--order", "deterministic"], input)),
        ["k 0 99.999999999 1 99.999999999 100", "k 100 150.499999999 1 50.499999999 50.5"]
    );
}

#[test]
fn equal_times_go_by_row_and_sums_are_exact() {
    let input = "stream,time,key,probability\nC,5,k,0.1\nA,5,k,0.1\n";
    let out = found(HALF_AN_HOUR, &["--threshold", "0.01"], input);
    assert!(out.contains(r#""probability":0.01,"first":{"stream":"C","#), "{out}");
    assert!(out.ends_with("\"dt\":0,\"limit\":1800}\n"), "{out}");
}

/// All engines, threads and orders print the same.
#[test]
fn engines_agree() {
    let input = sightings(400, 3);
    let flags = ["--threshold", "0.05", "--lateness", "20s", "--order", "deterministic"];
    let mut all = vec![];
    for mode in ["tuple", "observation"] {
        let mut outputs = vec![];
        for engine in ENGINES {
            let run = ujoin(THREE, &[&flags[..], engine, &["--mode", mode]].concat(), &input);
            assert_eq!(run.code, 0, "{}", run.err);
            let fast: Vec<&str> = flags[..4].iter().chain(engine).copied().collect();
            let fast = ujoin(THREE, &[&fast[..], &["--mode", mode]].concat(), &input);
            let sorted = |out: &str| {
                let mut lines: Vec<String> = out.lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            assert_eq!(sorted(&fast.out), sorted(&run.out), "{mode} {engine:?}");
            outputs.push(run.out);
        }
        assert!(outputs[0].lines().count() > 20, "{}", outputs[0]);
        assert!(outputs.iter().all(|out| *out == outputs[0]), "{mode}");
        all.push(outputs.swap_remove(0));
    }
    assert_ne!(all[0], all[1]);
}

#[test]
fn observations_that_share_keys() {
    let out = found(HALF_AN_HOUR, &["--mode", "observation"], FIG1);
    assert!(
        out.starts_with(
            r#"{"key":"12345","probability":0.74,"shared":[{"key":"12345","probability":0.72},{"key":"72345","probability":0.02}],"first":{"#
        ),
        "{out}"
    );
    assert_eq!(out.lines().count(), 1);
}

#[test]
fn expected_numbers_by_slice() {
    let input = "stream,time,key,probability\nA,0,k,0.9\nC,10,k,0.9\nA,20,k,0.5\nC,30,j,1\n\
                 A,61,j,0.5\n";
    let out = found(HALF_AN_HOUR, &["--mode", "expected", "--slice", "1m"], input);
    assert_eq!(out, "{\"slice\":0,\"key\":\"k\",\"expected\":1.26,\"pairs\":2}\n");
    let out =
        found(HALF_AN_HOUR, &["--mode", "expected", "--slice", "1m", "--threshold", "0.5"], input);
    assert!(out.ends_with("{\"slice\":60,\"key\":\"j\",\"expected\":0.5,\"pairs\":1}\n"), "{out}");
    let flags = ["--mode", "expected", "--top-k", "1", "--threshold", "0"];
    assert_eq!(
        found(HALF_AN_HOUR, &flags, input),
        "{\"slice\":0,\"rank\":1,\"key\":\"k\",\"expected\":1.26,\"pairs\":2}\n"
    );
}

#[test]
fn the_best_of_each_slice() {
    let mut input = "stream,time,key,probability\n".to_owned();
    for (i, p) in ["0.8", "0.95", "0.9", "1"].iter().enumerate() {
        input += &format!("A,{},k{i},1\nC,{},k{i},{p}\n", 20 * i, 20 * i + 10);
    }
    let flags = ["--top-k", "2", "--slice", "30s"];
    let out = found(HALF_AN_HOUR, &flags, &input);
    let brief: Vec<(String, String)> = out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .map(|v| (format!("{} {}", v["slice"], v["rank"]), v["key"].to_string()))
        .collect();
    let expected = [("0 1", "k0"), ("30 1", "k1"), ("30 2", "k2"), ("60 1", "k3")];
    let expected = expected.map(|(place, key)| (place.to_owned(), format!("\"{key}\"")));
    assert_eq!(brief, expected);
}

#[test]
fn plates_are_normalised_on_request() {
    let input = "stream,time,key,probability\nA,1,b-ab 123,1\nC,2,B AB123,1\n";
    assert_eq!(ujoin(HALF_AN_HOUR, &[], input).code, 1);
    let out = found(HALF_AN_HOUR, &["--normalize-plates"], input);
    assert!(out.starts_with(r#"{"key":"BAB123","#), "{out}");
    assert!(out.contains(r#""key":"b-ab 123""#), "{out}");
}

#[test]
fn more_digits_are_rounded_half_to_even_and_counted() {
    let input = "stream,time,key,probability\nA,1,k,0.1234567885\nC,2,k,1\n";
    let run = ujoin(HALF_AN_HOUR, &["--threshold", "0", "--stats"], input);
    assert!(run.out.contains("\"probability\":0.123456788,"), "{}", run.out);
    assert_eq!(stats(&run)["rounded"], 1);
    let run = ujoin(HALF_AN_HOUR, &["--exact"], input);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("line 2, column 4 (`probability`)"), "{}", run.err);
}

#[test]
fn redeliveries_count_once_unless_they_are_kept() {
    let input = "stream,time,key,probability,observation\nA,1,k,0.9,o\nA,1,k,0.9,o\nC,2,k,1,p\n";
    let run = ujoin(HALF_AN_HOUR, &["--stats"], input);
    assert_eq!((run.out.lines().count(), &stats(&run)["duplicates"]), (1, &1.into()));
    let run = ujoin(HALF_AN_HOUR, &["--stats", "--keep-duplicates"], input);
    assert_eq!((run.out.lines().count(), &stats(&run)["duplicates"]), (2, &0.into()));
}

/// Short names and long ones, of which only the texts tell that they are equal.
#[test]
fn observations_of_one_name_never_pair() {
    for name in ["o", "an observation with a long name"] {
        let input = format!(
            "stream,time,key,probability,observation\nA,1,k,1,{name}\nC,2,k,1,{name}\nC,3,k,1,\n"
        );
        assert_eq!(brief(&found(HALF_AN_HOUR, &[], &input)), ["k 1 3 1 2 1800"]);
    }
}

#[test]
fn late_rows_are_counted_and_kept_aside() {
    let input = "stream,time,key,probability\nA,100,k,1\nC,99,k,1\nC,94,k,1\nC,95,\"k\",1\n";
    let run = ujoin(HALF_AN_HOUR, &["--stats"], input);
    assert_eq!((run.code, &stats(&run)["late"]), (1, &3.into()));
    assert!(run.err.contains("3 sightings came too late and were left out"), "{}", run.err);
    let folder = folder(&[("times.csv", HALF_AN_HOUR), ("s.csv", input)]);
    let flags = ["--lateness", "5s", "--late", "late.csv", "s.csv"];
    let arguments = [&["run", "--travel-times", "times.csv"], &flags[..]].concat();
    let run = ujoin_in(folder.path(), &arguments, b"");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert_eq!(brief(&run.out), ["k 99 100 1 1 1800", "k 95 100 1 5 1800"]);
    let late = std::fs::read_to_string(folder.path().join("late.csv")).expect("a file");
    assert_eq!(late, "stream,time,key,probability\nC,94,k,1\n");
}

#[test]
fn refused_rows_are_set_aside() {
    let input = "stream,time,key,probability,observation\nA,1,k,1,\nB,2,k,1,\nC,3,k,2,\n\
                 C,4,k,0.9,o\nC,4,j,0.2,o\nC,5,k,1,\nC,x\n";
    let folder = folder(&[("times.csv", HALF_AN_HOUR), ("s.csv", input)]);
    let flags = ["--reject", "bad.csv", "-o", "out.jsonl", "--stats", "s.csv"];
    let arguments = [&["run", "--travel-times", "times.csv"], &flags[..]].concat();
    let run = ujoin_in(folder.path(), &arguments, b"");
    assert_eq!((run.code, run.out.as_str()), (0, ""), "{}", run.err);
    assert_eq!(stats(&run)["rejected"], 5);
    let read = |name| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    assert_eq!(brief(&read("out.jsonl")), ["k 1 5 1 4 1800"]);
    let header = "stream,time,key,probability,observation\n";
    let bad = "B,2,k,1,\nC,3,k,2,\nC,4,k,0.9,o\nC,4,j,0.2,o\nC,x\n";
    assert_eq!(read("bad.csv"), format!("{header}{bad}"));
}

#[test]
fn counters_have_fixed_names() {
    let run = ujoin(HALF_AN_HOUR, &["--stats", "--engine", "paper"], FIG1);
    let counters = stats(&run);
    let names: Vec<&str> = run.err.split('"').skip(1).step_by(2).collect();
    assert_eq!(
        names.join(" "),
        "input_tuples pruned survivors enqueues batches flushes spilled_entries spilled_bytes \
         owed_pairs drained_pairs late rounded duplicates rejected resident_max live_max results \
         collisions"
    );
    let is = |name: &str, n: u64| assert_eq!(counters[name], n, "{name}");
    is("input_tuples", 4);
    is("pruned", 2);
    is("survivors", 2);
    // One for each of both streams.
    is("enqueues", 4);
    is("results", 1);
    is("flushes", 0);
}

#[test]
fn pause_marks() {
    let input = r#"{"stream":"A","time":1,"key":"k","probability":1,"observation":"o"}
{"pause": true}
{"stream":"C","time":2,"key":"k","probability":1,"pause":false}
"#;
    assert_eq!(brief(&found(HALF_AN_HOUR, &[], input)), ["k 1 2 1 1 1800"]);
}

#[test]
fn formats_can_be_forced() {
    let json = r#"{"stream":"A","time":1,"key":"k","probability":1}"#;
    let run = ujoin(HALF_AN_HOUR, &["--input-format", "csv"], json);
    assert_eq!(run.code, 2);
    assert_eq!(ujoin(HALF_AN_HOUR, &["--input-format", "jsonl"], json).code, 1);
    assert_eq!(ujoin(HALF_AN_HOUR, &[], "").code, 1);
}

/// What cannot be printed was not said.
#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    let folder = folder(&[("times.csv", HALF_AN_HOUR), ("s.csv", FIG1)]);
    let run: &[&str] = &["run", "--travel-times", "times.csv", "s.csv"];
    for arguments in [run, &["--help"], &["--version"], &["run", "--help"], &["help"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_ujoin"))
            .args(arguments)
            .current_dir(folder.path())
            .stdout(full)
            .output()
            .expect("the program runs");
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(
            said, "error: cannot write to the standard output: No space left on device\n",
            "{arguments:?}"
        );
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn what_nobody_reads_to_the_end_is_no_error() {
    let folder = folder(&[("times.csv", HALF_AN_HOUR), ("s.csv", FIG1)]);
    let run: &[&str] = &["run", "--travel-times", "times.csv", "s.csv"];
    for arguments in [run, &["--help"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_ujoin"))
            .args(arguments)
            .current_dir(folder.path())
            .stdout(writer)
            .output()
            .expect("the program runs");
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    }
}

/// Results of a stream come while it is still being written.
#[cfg(unix)]
#[test]
fn results_come_at_once() {
    use std::io::{BufRead as _, Write as _};
    let folder = folder(&[("times.csv", HALF_AN_HOUR)]);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_ujoin"))
        .args(["run", "--travel-times", "times.csv", "--engine", "keyed", "--threads", "2"])
        .current_dir(folder.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = child.stdin.take().expect("a pipe");
    let mut out = std::io::BufReader::new(child.stdout.take().expect("a pipe"));
    input.write_all(b"stream,time,key,probability\nA,1,k,1\n").expect("written");
    for time in 2..5 {
        input.write_all(format!("C,{time},k,1\n").as_bytes()).expect("written");
        let mut line = String::new();
        out.read_line(&mut line).expect("a line");
        assert_eq!(brief(&line), [format!("k 1 {time} 1 {} 1800", time - 1)]);
    }
    drop(input);
    assert!(child.wait().expect("a child").success());
}

/// The example of Figs. 4 and 5 of the paper: plates 10012 and so on, whose list is the plate modulo
/// 100.
const FIG4: &str = "observation,stream,time,key,probability\n\
    A,1,1,10012,0.95\nB,1,2,10112,0.90\nC,1,3,10212,0.80\nD,1,4,10312,0.75\n\
    E,1,5,10056,0.95\nF,1,6,20056,0.90\nG,1,7,20056,0.85\nH,1,8,10156,0.80\n\
    I,1,9,10090,0.90\nJ,1,10,10190,0.80\nK,1,11,10290,0.75\nL,2,12,20056,0.90\n";

#[test]
fn figs_4_and_5() {
    let hour = ",1,2\n1,0,3600\n2,3600,0\n";
    let half = ["--spill", "window-half"];
    let less = [
        "--spill",
        "less-than",
        "--spill-probability",
        "0.08",
        "--spill-m",
        "3",
        "--spill-slots",
        "12=0.10,56=0.08,90=0.20",
    ];
    let same = ["--memory", "11entries", "--slots", "100", "--threshold", "0.7", "--stats"];
    // L meets F and G, at Fig. 4 F at once, since it is in memory; the others are of other plates.
    for policy in [&half[..], &less] {
        for engine in ["log", "keyed", "paper", "paper-batched"] {
            let flags = [&same[..], policy, &["--engine", engine]].concat();
            let run = ujoin(hour, &flags, FIG4);
            assert_eq!(run.code, 0, "{engine} {policy:?}\n{}", run.err);
            let expected = ["20056 6 12 0.81 6 3600", "20056 7 12 0.765 5 3600"];
            assert_eq!(brief(&run.out), expected, "{engine} {policy:?}");
            let counters = stats(&run);
            assert_eq!(
                (&counters["flushes"], &counters["spilled_entries"]),
                (&1.into(), &6.into())
            );
        }
    }
}

/// Whatever the budget, the policy and the engine, the results are those of unlimited memory.
#[test]
fn budgets_change_nothing() {
    let input = sightings(120, 11);
    let sorted = |out: &str| {
        let mut lines: Vec<String> = out.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    // Each flush waits for the disk, so these are few; the library's tests have many.
    for (mode, budget, policy, engine) in [
        (&["--mode", "tuple"][..], "1entries", "quantile", "log"),
        (&["--mode", "tuple"], "13entries", "window-half", "paper"),
        (&["--mode", "tuple"], "2kB", "less-than", "keyed"),
        (&["--mode", "observation"], "25entries", "quantile", "paper-batched"),
        (&["--top-k", "2"], "8KiB", "window-half", "log"),
        (&["--mode", "expected", "--slice", "50s"], "20entries", "less-than", "log"),
    ] {
        let flags = [&["--threshold", "0.05", "--lateness", "20s"][..], mode].concat();
        let expected = ujoin(THREE, &flags, &input);
        assert_eq!(expected.code, 0, "{}", expected.err);
        let directory = tempfile::tempdir().expect("a folder");
        let place = directory.path().to_str().expect("UTF-8");
        let memory = [
            "--memory",
            budget,
            "--spill",
            policy,
            "--engine",
            engine,
            "--stats",
            "--spill-dir",
            place,
        ];
        let run = ujoin(THREE, &[&flags[..], &memory].concat(), &input);
        assert_eq!(sorted(&run.out), sorted(&expected.out), "{mode:?} {memory:?}");
        let counters = stats(&run);
        assert!(counters["flushes"].as_u64() > Some(0), "{memory:?} {counters}");
        assert!(counters["spilled_entries"].as_u64() > Some(0), "{memory:?} {counters}");
    }
}
