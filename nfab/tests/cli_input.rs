//! Input of the program `nfab`: what is read, and what is wrong with what cannot be.
#![cfg(feature = "cli")]

mod cli_support;

use std::io::Write as _;

use cli_support::{found, nfab, nfab_in, transcript};

/// Shows what was read: every event is a match.
const ALL: &str = "PATTERN SEQ(A a)";

#[test]
fn bad_rows_of_a_table() {
    let mut all = String::new();
    for (query, input) in [
        (ALL, &b"type,time,x\nA,1,2\nA,2\n"[..]),
        (ALL, b"type,time,x\nA,1,2\nA,2,3,4\n"),
        (ALL, b"type,time,x\nA,1,2\nA,,3\n"),
        (ALL, b"type,time,x\nA,1,2\n,2,3\n"),
        (ALL, b"type,time,x\nA,1.5,2\n"),
        (ALL, b"type,time,x\nA,yesterday,2\n"),
        (ALL, b"type,time,x\nA,2024-02-30T12:00:00Z,2\n"),
        (ALL, b"type,time,x\nA,2024-13-01T12:00:00Z,2\n"),
        (ALL, b"type,time,x\nA,2024-02-01T12:00:00,2\n"),
        (ALL, b"type,time,x\nA,2024-02-01T12:00:00.5+2,2\n"),
        (ALL, b"type,time,x\nA,2024-02-01T24:00:00Z,2\n"),
        (ALL, b"type,time,x\nA,99999999999999999999,2\n"),
        (ALL, b"type,time,x\nA,1,\"two\nlines\"\nA,2,\"yes\" no\n"),
        (ALL, b"type,time,x\nA,1,2\nA,2,\"open\nA,3,4\n"),
        (ALL, b"type,time,x\nA,1,2\nA,2,caf\xe9\n"),
        ("PATTERN SEQ(A a) WHERE { a.x > 0 }", b"type,time,x\nA,1,99999999999999999999\n"),
        ("PATTERN SEQ(A a) WHERE { a.x > 0 }", b"type,time,x\nA,1,1e999\n"),
    ] {
        transcript(&mut all, &[query], Some(input));
    }
    insta::assert_snapshot!("csv", all);
}

#[test]
fn bad_headers() {
    let mut all = String::new();
    for (arguments, input) in [
        (&[ALL][..], &b"type,when,x\nA,1,2\n"[..]),
        (&[ALL], b"type;time;x\nA;1;2\n"),
        (&[ALL, "--time-column", "when"], b"type,time,x\nA,1,2\n"),
        (&[ALL, "--type-column", "kind"], b"type,time,x\nA,1,2\n"),
        (&["PATTERN SEQ(A a, B b)"], b"kind,time,x\nA,1,2\n"),
        (&[ALL], b"type,time,x,x\nA,1,2,3\n"),
        (&["PATTERN SEQ(A a)\nWHERE { a.prize > 0 }"], b"type,time,price\nA,1,2\n"),
        (&[ALL], b"type,\"time\nA,1,2\n"),
        (&[ALL], b"type,time,\xff\nA,1,2\n"),
        (&[ALL], b"\xff\xfet\0y\0p\0e\0\n\0"),
    ] {
        transcript(&mut all, arguments, Some(input));
    }
    insta::assert_snapshot!("headers", all);
}

#[test]
fn bad_json_lines() {
    let mut all = String::new();
    let known = r#"{"type":"A","time":1,"x":2}"#;
    for (query, line) in [
        (ALL, r#"{"type":"A","time":2,"x":[1]}"#),
        (ALL, r#"{"type":"A","time":2,"x":{"y":1}}"#),
        (ALL, r#"{"type":"A","time":2,"x":}"#),
        (ALL, r#"{"type":"A","time":2,"x":"open}"#),
        (ALL, r#"{"type":"A","time":2,"#),
        (ALL, r#"  ["A", 2]"#),
        (ALL, r#"{"type":"A","time":2} {"type":"A"}"#),
        (ALL, r#"{"type":"A","x":2}"#),
        (ALL, r#"{"time":2,"x":2}"#),
        (ALL, r#"{"type":null,"time":2}"#),
        (ALL, r#"{"type":"A","time":"soon"}"#),
        (ALL, r#"{"type":"A","time":true}"#),
        (ALL, r#"{"type":"A","time":2.5}"#),
        (ALL, r#"{"type":"A","time":2,"time":3}"#),
        (ALL, "A,2,3"),
        ("PATTERN SEQ(A a) WHERE { a.x > 0 }", r#"{"type":"A","time":2,"x":1e999}"#),
        ("PATTERN SEQ(A a) WHERE { a.x > 0 }", r#"{"type":"A","time":2,"x":18446744073709551615}"#),
        ("PATTERN SEQ(A a) WHERE { a.x > 0 }", r#"{"type":"A","time":2,"x":"\ud800"}"#),
    ] {
        transcript(&mut all, &[query], Some(format!("{known}\n{line}\n").as_bytes()));
    }
    let text = [known.as_bytes(), b"\n{\"type\":\"A\",\"time\":2,\"x\":\"\xff\"}\n"].concat();
    transcript(&mut all, &[ALL], Some(&text));
    insta::assert_snapshot!("json", all);
}

#[test]
fn cells_have_types() {
    let out = found(
        &["PATTERN SEQ(A a)"],
        "type,time,a,b,c,d,e,f\n\
         A,1,1,-2.50,true,,text,\"7\"\n\
         A, 2 , +3 ,.5,False,\"\",\"say \"\"no\"\"\",007\n\
         A,\"3\",1e3,5.,NaN,-inf,-,\"a\nb\"\n\
         A,4,-0,-,+,1-2,2024-05-01,12345678901234567890\n",
    );
    insta::assert_snapshot!("cells", out);
}

#[test]
fn json_values_stay_as_they_are() {
    let line =
        r#"{ "type" : "A", "time": 1.0, "n": 1.50, "big": 1e400, "t": "\u00e9\n", "z": null }"#;
    let out = found(&[ALL], line);
    assert!(out.starts_with(&format!(r#"{{"matches":{{"a":[{line}]}},"start":1,"#)), "{out}");
}

#[test]
fn times_are_numbers_or_dates() {
    let input = "type,time\n\
        A,0\n\
        A,1e3\n\
        A,1970-01-01T00:00:01.0019Z\n\
        A,2000-02-29T23:59:60+01:00\n\
        A,2024-05-01 12:30:00.25-00:30\n";
    let times = |unit: &str| -> Vec<i64> {
        let run = nfab(&[ALL, "--time-unit", unit, "--format", "ids", "--type", "A"], input);
        assert_eq!(run.err.contains("rounded down"), unit == "ms", "{}", run.err);
        let start = |line: &str| {
            let json: serde_json::Value = serde_json::from_str(line).expect("JSON");
            json["start"].as_i64().expect("a time")
        };
        run.out.lines().map(start).collect()
    };
    assert_eq!(times("ms"), [0, 1000, 1001, 951_865_200_000, 1_714_568_400_250]);
    assert_eq!(times("us")[2..], [1_001_900, 951_865_200_000_000, 1_714_568_400_250_000]);
    let days = nfab(&[ALL, "--time-unit", "d", "--format", "ids"], input);
    assert!(days.out.contains("\"start\":1000,"), "{}", days.out);
    let before = nfab(
        &[ALL, "--time-unit", "s", "--format", "ids"],
        "type,time\nA,1969-12-31T23:59:59.9Z\n",
    );
    assert!(before.out.contains("\"start\":-1,"), "{}", before.out);
}

#[test]
fn where_the_type_comes_from() {
    let count = |arguments: &[&str], input: &str| {
        let run = nfab(&[&["--count"][..], arguments].concat(), input);
        assert_eq!(run.err, "", "{arguments:?} {input}");
        run.out
    };
    // What nobody said is told.
    let taken = |arguments: &[&str], input: &str| {
        let run = nfab(&[&["--count"][..], arguments].concat(), input);
        let note = "`type`: all events are taken as `A` (";
        assert!(run.err.lines().count() == 1 && run.err.contains(note), "{}", run.err);
        run.out
    };
    let one = "{\"count\":1}\n";
    // A column, by default `type`.
    assert_eq!(count(&[ALL], "type,time\nA,1\nB,2\n"), one);
    assert_eq!(count(&[ALL, "--type-column", "kind"], "type,kind,time\nB,A,1\nA,B,2\n"), one);
    // The flag, the only type of the query, the stream.
    let two = "PATTERN SEQ(A a, B b)";
    assert_eq!(count(&[ALL, "--type", "A"], "type,time\nB,1\n"), one);
    assert_eq!(taken(&[ALL], "time\n1\n"), one);
    assert_eq!(taken(&["FROM s PATTERN SEQ(A a)"], "time\n1\n"), one);
    assert_eq!(count(&["FROM A PATTERN SEQ(A a, OR(B b, A c))"], "time\n1\n2\n"), one);
    assert_eq!(nfab(&[two], "time\n1\n").code, 2);
    // The same with JSON lines, where the first event decides.
    assert_eq!(taken(&[ALL], "{\"time\":1}\n"), one);
    assert_eq!(
        count(&[ALL, "--type", "A"], "{\"time\":1,\"type\":{}}\n".replace("{}", "7").as_str()),
        one
    );
    assert_eq!(nfab(&[ALL], "{\"time\":1,\"type\":\"A\"}\n{\"time\":1}\n").code, 2);
    assert_eq!(nfab(&[two], "{\"time\":1}\n").code, 2);
    assert_eq!(count(&["PATTERN SEQ(`7` a)"], "{\"time\":1,\"type\":7}\n"), one);
}

#[test]
fn where_the_time_comes_from() {
    let start = |arguments: &[&str], input: &str| {
        let out = found(&[&[ALL, "--type", "A", "--format", "ids"][..], arguments].concat(), input);
        out.split("\"start\":").nth(1).and_then(|rest| rest.split(',').next()).map(str::to_owned)
    };
    for input in ["timestamp,time,t\n3,5,7\n", "{\"timestamp\":3,\"time\":5,\"t\":7}\n"] {
        assert_eq!(start(&[], input).as_deref(), Some("5"));
        assert_eq!(start(&["--time-column", "timestamp"], input).as_deref(), Some("3"));
        assert_eq!(start(&["--time-column", "t"], input).as_deref(), Some("7"));
    }
    for input in ["t,timestamp\n5,3\n", "{\"t\":5,\"timestamp\":3}\n"] {
        assert_eq!(start(&[], input).as_deref(), Some("3"));
    }
}

#[test]
fn time_and_type_are_attributes_as_well() {
    let query = "PATTERN SEQ(A a) WHERE { a.time > 1 AND a.type = 'A' }";
    assert_eq!(found(&[query, "--count"], "type,time\nA,1\nA,2\n"), "{\"count\":1}\n");
    let lines = "{\"type\":\"A\",\"time\":1}\n{\"type\":\"A\",\"time\":2}\n";
    assert_eq!(found(&[query, "--count"], lines), "{\"count\":1}\n");
}

#[test]
fn formats_are_recognised() {
    let folder = tempfile::tempdir().expect("a folder");
    let csv = b"type,time\nA,1\n".as_slice();
    let json = b"{\"type\":\"A\",\"time\":1}\n".as_slice();
    let packed = |text: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
        encoder.write_all(text).expect("packed");
        encoder.finish().expect("packed")
    };
    for (name, text) in [
        ("a.csv", csv),
        ("a.jsonl", json),
        ("A.NDJSON", json),
        ("a.txt", csv),
        ("b.txt", json),
        ("a.csv.gz", &packed(csv)),
        ("a.jsonl.gz", &packed(json)),
        ("c", &[b"\xef\xbb\xbf", csv].concat()),
        ("d", &[b"\xef\xbb\xbf\n \r\n", json].concat()),
        ("e", &csv.to_vec().join_lines(b"\r\n")),
        ("f", &[b"\n\n", csv, b"\n\n"].concat()),
        ("g", csv.trim_ascii()),
        ("h", json.trim_ascii()),
    ] {
        std::fs::write(folder.path().join(name), text).expect("written");
        let here = folder.path().to_str().expect("UTF-8");
        let from_file = nfab_in(here, &[ALL, name, "--count"], b"");
        assert_eq!((from_file.code, &*from_file.err), (0, ""), "{name}");
        let piped = nfab_in(here, &[ALL, "-", "--count"], text);
        assert_eq!((piped.code, &*piped.err), (0, ""), "{name}");
    }
    // The name of a file decides, and the flag decides before it.
    let here = folder.path().to_str().expect("UTF-8");
    std::fs::write(folder.path().join("w.jsonl"), csv).expect("written");
    assert_eq!(nfab_in(here, &[ALL, "w.jsonl"], b"").code, 2);
    assert_eq!(nfab_in(here, &[ALL, "w.jsonl", "--input-format", "csv"], b"").code, 0);
    assert_eq!(nfab_in(here, &[ALL, "--input-format", "jsonl"], csv).code, 2);
}

trait JoinLines {
    fn join_lines(&self, end: &[u8]) -> Vec<u8>;
}

impl JoinLines for Vec<u8> {
    fn join_lines(&self, end: &[u8]) -> Vec<u8> {
        self.split(|&b| b == b'\n').collect::<Vec<_>>().join(end)
    }
}

/// As some programs write a table with row numbers.
#[test]
fn one_column_may_be_without_a_name() {
    let out = found(&[ALL], ",time,type\n0,5,A\n");
    assert!(out.contains("[{\"\":0,\"time\":5,\"type\":\"A\"}]"), "{out}");
}

#[test]
fn a_damaged_archive() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path().to_str().expect("UTF-8");
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    encoder.write_all(b"type,time\nA,1\nA,2\n").expect("packed");
    let packed = encoder.finish().expect("packed");
    std::fs::write(folder.path().join("a.csv.gz"), &packed[..packed.len() - 6]).expect("written");
    let run = nfab_in(here, &[ALL, "a.csv.gz", "--count"], b"");
    assert_eq!((run.code, &*run.out), (2, ""));
    assert!(run.err.starts_with("error: cannot read a.csv.gz: "), "{}", run.err);
}

#[test]
fn nothing_to_read() {
    for input in ["", "\n", "type,time\n", "type,time"] {
        let run = nfab(&[ALL], input);
        assert_eq!((run.code, &*run.out, &*run.err), (1, "", ""), "{input:?}");
        assert_eq!(nfab(&[ALL, "--count"], input).out, "{\"count\":0}\n");
    }
    assert_eq!(nfab(&[ALL, "--input-format", "jsonl"], "").code, 1);
}

#[test]
fn bad_rows_can_be_skipped() {
    let input = "type,time\nA,1\nA\nA,2\nA,\"x\" y\nA,3\nA,\"open\nA,4\n";
    let run = nfab(&[ALL, "--format", "ids", "--skip-bad-rows"], input);
    insta::assert_snapshot!("skip_csv", format!("{}{}[{}]", run.out, run.err, run.code));
    let input = "{\"type\":\"A\",\"time\":1}\nnothing\n\n{\"type\":\"A\",\"time\":2}\n";
    let run = nfab(&[ALL, "--format", "ids", "--skip-bad-rows"], input);
    insta::assert_snapshot!("skip_json", format!("{}{}[{}]", run.out, run.err, run.code));
    // All of them.
    let run = nfab(&[ALL, "--skip-bad-rows", "--input-format", "jsonl"], "x\ny\n");
    insta::assert_snapshot!("skip_all", format!("{}{}[{}]", run.out, run.err, run.code));
}

#[test]
fn rows_longer_than_what_is_read_at_once() {
    let long = "x".repeat(700_000);
    let lines = "a\n".repeat(300_000);
    let input = format!("type,time,x\nA,1,{long}\nB,2,\"{lines}\"\nA,3,\"{long}\"\"\"\nA,4\n");
    let run = nfab(&[ALL], &input);
    assert!(run.out.contains(&format!("\"x\":\"{long}\"}}")));
    assert!(run.out.contains(&format!("\"x\":\"{long}\\\"\"}}")));
    assert!(run.err.contains(" line 300005"), "{}", run.err);
    let input = format!("{{\"type\":\"A\",\"time\":1,\"x\":\"{long}\"}}\n").repeat(3);
    assert_eq!(found(&[ALL, "--count"], &input), "{\"count\":3}\n");
}

/// Numbers that repeat on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn text(&mut self, alphabet: &str) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..self.below(9)).map(|_| letters[self.below(letters.len() as u64) as usize]).collect()
    }
}

/// Whatever stands in quotes comes out as it went in, wherever reads happen to end.
#[test]
fn quoted_cells_come_out_as_they_went_in() {
    let mut random = Random(1);
    let mut input = "type,time,a,b\n".to_owned();
    let mut expected = vec![];
    for time in 0..30_000 {
        let cells = [random.text(" ,\"\n\r\té1-.\\"), random.text("\",\n")];
        let blanks = ["", " ", "\t"][random.below(3) as usize];
        let quoted =
            cells.each_ref().map(|cell| format!("{blanks}\"{}\"", cell.replace('"', "\"\"")));
        let end = ["\n", "\r\n", "\n\n", " \n"][random.below(4) as usize];
        input.push_str(&format!("A,{time},{},{}{end}", quoted[0], quoted[1]));
        expected.push(cells);
    }
    let out = found(&[ALL], &input);
    assert_eq!(out.lines().count(), expected.len());
    for (line, cells) in out.lines().zip(&expected) {
        let json: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let event = &json["matches"]["a"][0];
        assert_eq!(
            (&event["a"], &event["b"]),
            (&cells[0].as_str().into(), &cells[1].as_str().into())
        );
    }
    let back = found(&[ALL, "--format", "csv"], &input);
    let again = found(&["PATTERN SEQ(A a)", "--time-column", "event"], &back);
    assert_eq!(again.lines().count(), expected.len());
}

/// What looks like a number is one exactly if Rust and JSON say so, leading zeros aside.
#[test]
fn unquoted_numbers() {
    let mut random = Random(2);
    let mut input = "type,time,x\n".to_owned();
    let mut cells = vec![];
    for time in 0..20_000 {
        let cell = random.text("0123456789.-+e");
        input.push_str(&format!("A,{time},{cell}\n"));
        cells.push(cell);
    }
    for (line, cell) in found(&[ALL], &input).lines().zip(&cells) {
        let json: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let value = &json["matches"]["a"][0]["x"];
        let digits = cell.trim_start_matches(['-', '+']);
        let padded =
            digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
        match cell.parse::<f64>() {
            Ok(number) if !padded && number.is_finite() => {
                let start = line.find("\"x\":").expect("the cell") + 4;
                let printed = line[start..].split('}').next().and_then(|n| n.parse().ok());
                assert_eq!(printed, Some(number), "{cell}");
            }
            _ if cell.is_empty() => assert!(value.is_null()),
            _ => assert_eq!(value.as_str(), Some(cell.as_str())),
        }
    }
}
