//! Input that nobody means well: the program says what is wrong, and neither panics nor hangs.
#![cfg(feature = "cli")]

mod cli_support;

use cli_support::{HALF_AN_HOUR, Random, brief, folder, found, stats, ujoin, ujoin_in};

/// Times and limits at both ends of 64 bits do not wrap.
#[test]
fn the_ends_of_time() {
    let limit = "9223372036.854775807";
    let times = format!(",A,C\nA,0,{limit}\nC,{limit},0\n");
    let input = format!(
        "stream,time,key,probability\nA,-{limit},k,1\nC,-0.000000001,k,1\nC,0,k,1\nA,5,k,1\n\
         C,{limit},k,1\n"
    );
    for engine in ["log", "keyed", "paper", "paper-batched"] {
        for lateness in ["0", "100000d"] {
            let flags = ["--engine", engine, "--lateness", lateness, "--order", "deterministic"];
            let pairs = brief(&found(&times, &flags, &input));
            let dt: Vec<&str> = pairs.iter().filter_map(|pair| pair.split(' ').nth(4)).collect();
            // JSON numbers are floats to this test.
            assert_eq!(dt.len(), 4, "{engine} {pairs:?}");
            assert_eq!(dt[1..3], ["5.000000001", "5"], "{engine} {pairs:?}");
        }
    }
    let run = ujoin(&times, &["--mode", "expected", "--slice", "100000d"], &input);
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn noise() {
    let mut random = Random(99);
    let pieces: [&[u8]; 14] = [
        b"stream,time,key,probability,observation\n",
        b"{\"stream\":\"A\",",
        b"A,",
        b"1,",
        b"\"",
        b"\n",
        b",",
        b"}",
        b"[",
        b"\xff",
        b"\0",
        b"\r",
        b"9999999999999999999999",
        b"\xef\xbb\xbf",
    ];
    for round in 0..40 {
        let mut bytes = vec![];
        if round % 2 == 0 {
            bytes.extend_from_slice(pieces[0]);
        }
        for _ in 0..random.below(400) {
            bytes.extend_from_slice(pieces[random.below(pieces.len() as u64) as usize]);
        }
        let folder = folder(&[("times.csv", HALF_AN_HOUR)]);
        let path = folder.path();
        let format = ["csv", "jsonl"][round / 2 % 2];
        let start = ["run", "--travel-times", "times.csv", "--input-format", format];
        let run = ujoin_in(path, &start, &bytes);
        assert!(run.code <= 2, "{}", run.err);
        let run = ujoin_in(path, &[&start[..], &["--reject", "bad"]].concat(), &bytes);
        assert!(run.code <= 2, "{}", run.err);
        // As travel times, too.
        std::fs::write(path.join("times.csv"), &bytes).expect("a file");
        assert!(ujoin_in(path, &start, b"").code <= 2);
    }
}

#[test]
fn nesting_without_end() {
    let deep = format!(
        "{{\"stream\":\"A\",\"time\":1,\"key\":\"k\",\"probability\":1,\"x\":{}1{}}}\n{{\"x\":{}\n",
        "{\"a\":".repeat(50_000),
        "}".repeat(50_000),
        "[".repeat(50_000)
    );
    let folder = folder(&[("times.csv", HALF_AN_HOUR)]);
    let arguments = ["run", "--travel-times", "times.csv", "--reject", "bad", "--stats"];
    let run = ujoin_in(folder.path(), &arguments, deep.as_bytes());
    assert_eq!((run.code, &stats(&run)["survivors"]), (1, &1.into()), "{}", run.err);
}

/// Endless alternatives of one observation are refused, not kept.
#[test]
fn endless_alternatives() {
    let mut input = "stream,time,key,probability,observation\n".to_owned();
    for i in 0..5_000 {
        input.push_str(&format!("A,1,k{i},0.000001,o\n"));
    }
    for mode in ["tuple", "observation"] {
        let folder = folder(&[("times.csv", HALF_AN_HOUR), ("s.csv", &input)]);
        let arguments = ["run", "--travel-times", "times.csv", "--mode", mode, "s.csv"];
        let run = ujoin_in(folder.path(), &arguments, b"");
        assert_eq!(run.code, 2);
        assert!(run.err.contains("observation `o` has more than 1000 alternatives"), "{}", run.err);
        let arguments = [&arguments[..], &["--reject", "bad.csv", "--stats"]].concat();
        let run = ujoin_in(folder.path(), &arguments, b"");
        assert_eq!(stats(&run)["rejected"], 4_000, "{}", run.err);
    }
}
