//! Files of others are understood, and bad ones are refused where they are bad.

#[path = "common/reading.rs"]
mod reading;

use data_gen::format::{ReadError, ReadErrorKind, ReadOptions, csv, jsonl};
use data_gen::stream::{Field, Row};
use reading::{read_csv, read_jsonl};
use std::io::{self, ErrorKind, Read};

#[test]
fn csv_of_others_is_understood() {
    let text = "\u{feff}price,time,\"the \"\"type\"\"\",type\r\n1.50,3,,buy\r\n\r\n-2,4,\"x\r\ny\",\"sell, all\"\r\n007,5,true,\"\"";
    let rows = read_csv(text.as_bytes()).unwrap();
    assert_eq!(rows.len(), 3);
    assert_eq!(
        (rows[0].kind(), rows[0].time(), rows[0].get("price")),
        ("buy", 3, Field::Float(1.5))
    );
    assert_eq!(rows[0].get("the \"type\""), Field::Missing);
    assert_eq!((rows[1].kind(), rows[1].get("price")), ("sell, all", Field::Int(-2)));
    assert_eq!(rows[1].get("the \"type\""), Field::Text("x\r\ny"));
    assert_eq!((rows[2].kind(), rows[2].get("price")), ("", Field::Text("007")));
    assert_eq!(rows[2].get("the \"type\""), Field::Bool(true));
    let mut options = ReadOptions::default();
    (options.type_column, options.time_column) = ("event".to_owned(), "ts".to_owned());
    let mut reader =
        csv::Reader::with_options("ts,event,type\n1,a,b\n".as_bytes(), &options).unwrap();
    let row = reader.next_row().unwrap().unwrap();
    assert_eq!((row.kind(), row.time(), row.get("type")), ("a", 1, Field::Text("b")));
}

#[test]
fn fields_are_inferred_as_documented() {
    for (text, field) in [
        ("", Field::Missing),
        ("7", Field::Int(7)),
        ("-40", Field::Int(-40)),
        ("0", Field::Int(0)),
        ("-9223372036854775808", Field::Int(i64::MIN)),
        ("7.0", Field::Float(7.0)),
        ("-1e-9", Field::Float(-1e-9)),
        ("1E+3", Field::Float(1000.0)),
        ("0.5", Field::Float(0.5)),
        ("true", Field::Bool(true)),
        ("false", Field::Bool(false)),
    ] {
        assert_eq!(csv::infer(text), field);
    }
    assert!(matches!(csv::infer("-0"), Field::Float(x) if x == 0.0 && x.is_sign_negative()));
    for text in [
        "007",
        "-007",
        "00.5",
        "+1",
        ".5",
        "5.",
        "1.e5",
        "1e",
        "1e+",
        "-",
        "--1",
        "nan",
        "inf",
        "1e999",
        "99999999999999999999",
        " 7",
        "7 ",
        "True",
        "0x1F",
        "1_000",
        "1,5",
        "٣",
        "1a",
    ] {
        assert_eq!(csv::infer(text), Field::Text(text));
    }
}

fn refused(result: Result<Vec<Row>, ReadError>, kind: ReadErrorKind, told: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.to_string(), told);
    assert_eq!(error.kind(), kind);
}

#[test]
fn bad_csv_is_refused_with_line_and_column() {
    use ReadErrorKind::{Columns, Encoding, Syntax, Time, Type, Width};
    let head = "type,time,x\na,1,\"2\n\n\"\n";
    for (rest, kind, told) in [
        ("b,2", Width, "line 5, column 4: the row ends after 2 fields; the header has 3"),
        ("b,2,3,4", Width, "line 5, column 7: field 4 of a row; the header has 3"),
        (",2,3", Type, "line 5, column 1: the type (\"type\") is missing"),
        (
            "ü,2.5,3",
            Time,
            "line 5, column 3: the time (\"time\") must be a whole number within 64 bits: \"2.5\"",
        ),
        (
            "b,\"2\",3",
            Time,
            "line 5, column 3: the time (\"time\") must be a whole number within 64 bits: \"2\"",
        ),
        (
            "b,,3",
            Time,
            "line 5, column 3: the time (\"time\") must be a whole number within 64 bits: \"\"",
        ),
        (
            "b,9223372036854775808,3",
            Time,
            "line 5, column 3: the time (\"time\") must be a whole number within 64 bits: \"9223372036854775808\"",
        ),
        (
            "b,2,3\"4",
            Syntax,
            "line 5, column 6: a quote inside a field that does not begin with one",
        ),
        (
            "b,2,\"3\"4",
            Syntax,
            "line 5, column 8: after a closing quote there must be a comma or the row's end",
        ),
        (
            "\"\n\",2,\"3\nb,3,4\n",
            Syntax,
            "line 6, column 5: the quote that opens here is never closed",
        ),
        (
            "b,2,3\r4",
            Syntax,
            "line 5, column 6: a carriage return outside quotes, not at a row's end",
        ),
    ] {
        refused(read_csv(format!("{head}{rest}").as_bytes()), kind, told);
    }
    refused(
        read_csv(b"type,time\n\"\xc3\xbc\xc3\xbc\",1\n\xc3\xbc\xff,2\n"),
        Encoding,
        "line 3, column 2: bytes are not UTF-8",
    );
    for (header, told) in [
        ("", "line 1, column 1: there is no header, the input is empty"),
        ("\n\n", "line 3, column 1: there is no header, the input is empty"),
        ("type,x\n", "line 1, column 1: the header has no column \"time\" for the time"),
        ("time,x\n", "line 1, column 1: the header has no column \"type\" for the type"),
        ("type,time,x,y,x\n", "line 1, column 15: columns 3 and 5 are both called \"x\""),
    ] {
        refused(read_csv(header.as_bytes()), Columns, told);
    }
    let mut options = ReadOptions::default();
    options.type_column = "time".to_owned();
    let error = csv::Reader::with_options("type,time".as_bytes(), &options).unwrap_err();
    assert!(error.to_string().contains("cannot be both"), "{error}");
}

#[test]
fn bad_json_lines_are_refused_with_line_and_column() {
    use ReadErrorKind::{Columns, Encoding, Syntax, Time, Type};
    let head = "{\"type\":\"a\",\"time\":1}\r\n\r\n";
    for (rest, kind, told) in [
        ("{\"type\":\"a\",\"time\":}", Syntax, "line 3, column 20: expected value"),
        ("{\"type\":\"a\"", Syntax, "line 3, column 11: EOF while parsing an object"),
        ("[1]", Syntax, "line 3, column 1: invalid type: sequence, expected an event as an object"),
        ("{\"type\":\"a\",\"time\":2} x", Syntax, "line 3, column 23: trailing characters"),
        (
            "{\"type\":\"a\",\"x\":[1]}",
            Syntax,
            "line 3, column 17: invalid type: sequence, expected a number, text, true, false or null",
        ),
        ("{\"time\":2}", Type, "line 3, column 1: the type (\"type\") must be text: there is none"),
        ("{\"type\":5,\"time\":2}", Type, "line 3, column 1: the type (\"type\") must be text: 5"),
        (
            "{\"type\":\"a\"}",
            Time,
            "line 3, column 1: the time (\"time\") must be a whole number within 64 bits: there is none",
        ),
        (
            "{\"type\":\"a\",\"time\":\"2\"}",
            Time,
            "line 3, column 1: the time (\"time\") must be a whole number within 64 bits: \"2\"",
        ),
        (
            "{\"type\":\"a\",\"time\":2.0}",
            Time,
            "line 3, column 1: the time (\"time\") must be a whole number within 64 bits: 2.0",
        ),
        (
            "{\"type\":\"a\",\"time\":9223372036854775808}",
            Time,
            "line 3, column 1: the time (\"time\") must be a whole number within 64 bits: 9.223372036854776e18",
        ),
        (
            "{\"type\":\"a\",\"time\":1,\"time\":2}",
            Columns,
            "line 3, column 1: two fields are called \"time\"",
        ),
    ] {
        refused(read_jsonl(format!("{head}{rest}").as_bytes()), kind, told);
    }
    refused(read_jsonl(b"\n{\"\xff\":1}"), Encoding, "line 2, column 3: bytes are not UTF-8");
    let many: Vec<String> = (0..50_000).chain([7]).map(|i| format!("\"f{i}\":{i}")).collect();
    let line = format!("{{\"type\":\"a\",\"time\":1,{}}}", many.join(","));
    refused(read_jsonl(line.as_bytes()), Columns, "line 1, column 1: two fields are called \"f7\"");
}

#[test]
fn json_lines_of_others_are_understood() {
    let text = "{\"x\":null,\"time\":-5,\"\\u0079\":1e2,\"type\":\"\\ud83e\\udd80\"}\n{\"time\":6,\"type\":\"\",\"z\":-0}\n";
    let rows = read_jsonl(text.as_bytes()).unwrap();
    assert_eq!((rows[0].kind(), rows[0].time()), ("🦀", -5));
    assert!(rows[0].fields().eq([("x", Field::Missing), ("y", Field::Float(100.0))]));
    assert!(rows[1].fields().eq([("z", Field::Float(-0.0))]));
}

#[test]
fn rows_after_a_bad_one_can_be_read() {
    let text = "type,time\na,1\nb\nc,3\n";
    let results: Vec<_> = csv::Reader::new(text.as_bytes()).unwrap().collect();
    assert!(results[0].is_ok() && results[1].is_err() && results[2].as_ref().unwrap().time() == 3);
    let text = "{\"type\":\"a\",\"time\":1}\n{\n{\"type\":\"c\",\"time\":3}\n";
    let results: Vec<_> = jsonl::Reader::new(text.as_bytes()).collect();
    assert!(results[0].is_ok() && results[1].is_err() && results[2].as_ref().unwrap().time() == 3);
}

/// Endless input, whose length is watched.
#[derive(Debug)]
struct Endless<'a>(&'a [u8], u64);

impl Read for Endless<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            buffer.fill(b'x');
            self.1 += buffer.len() as u64;
            assert!(self.1 < 10_000_000, "the reader wants too much");
            return Ok(buffer.len());
        }
        let n = self.0.len().min(buffer.len());
        buffer[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

#[test]
fn the_length_of_rows_is_bounded() {
    for (text, told) in [
        (
            "type,time\na,1\nb,",
            "line 3, column 1: the row is longer than 1048576 bytes; does a quote lack its end?",
        ),
        (
            "type,time\na,1\n\"b",
            "line 3, column 1: the row is longer than 1048576 bytes; does a quote lack its end?",
        ),
        (
            "type,time\na,1\nb\",2\n\n",
            "line 3, column 2: a quote inside a field that does not begin with one",
        ),
    ] {
        let mut reader = csv::Reader::new(Endless(text.as_bytes(), 0)).unwrap();
        assert!(reader.next_row().unwrap().is_some());
        assert_eq!(reader.next_row().unwrap_err().to_string(), told);
        assert!(reader.next_row().unwrap().is_none());
    }
    let error = csv::Reader::new(Endless(b"", 0)).unwrap_err();
    assert_eq!(error.kind(), ReadErrorKind::TooLong);
    let error = jsonl::Reader::new(Endless(b"", 0)).next_row().unwrap_err();
    assert_eq!(error.to_string(), "line 1, column 1: the row is longer than 1048576 bytes");

    // The limit itself is not too long, whatever ends the row.
    let mut options = ReadOptions::default();
    options.max_row = 21;
    for end in ["", "\n", "\r\n"] {
        let text = format!("type,time,x\na,1,\"45678901234567\n\"{end}");
        let rows: Vec<_> = csv::Reader::with_options(text.as_bytes(), &options).unwrap().collect();
        assert!(rows.len() == 1 && rows[0].is_ok(), "{rows:?}");
        let text = text.replace("4567", "45678");
        let rows: Vec<_> = csv::Reader::with_options(text.as_bytes(), &options).unwrap().collect();
        assert!(rows.len() == 1 && rows[0].is_err(), "{rows:?}");
    }
}

struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("unplugged"))
    }
}

#[test]
fn failing_input_is_reported_once() {
    let text = "type,time\na,1\n".as_bytes();
    let mut reader = csv::Reader::new(text.chain(Broken)).unwrap();
    assert!(reader.next_row().unwrap().is_some());
    let error = reader.next_row().unwrap_err();
    assert_eq!(error.kind(), ReadErrorKind::Io);
    assert_eq!(error.to_string(), "line 3, column 1: cannot read: unplugged");
    assert!(std::error::Error::source(&error).is_some());
    assert!(reader.next_row().unwrap().is_none());
}

#[test]
fn writers_refuse_what_cannot_be_read_back() {
    let mut text = Vec::new();
    let mut writer = csv::Writer::new(&mut text, &["x", "y"]).unwrap();
    let row = |fields: &[(&str, Field<'_>)]| {
        let mut row = Row::new("a", 1);
        fields.iter().for_each(|&(name, field)| row.push(name, field));
        row
    };
    let good = row(&[("x", Field::Int(1)), ("y", Field::Missing)]);
    for (bad, told) in [
        (row(&[("x", Field::Float(f64::NAN)), ("y", Field::Missing)]), "NaN cannot be written"),
        (row(&[("x", Field::Float(f64::INFINITY)), ("y", Field::Missing)]), "inf cannot"),
        (row(&[("x", Field::Int(1))]), "lacks column \"y\""),
        (row(&[("y", Field::Int(1))]), "column \"y\" where \"x\" belongs"),
        (
            row(&[("x", Field::Int(1)), ("y", Field::Int(1)), ("z", Field::Int(1))]),
            "\"z\" too many",
        ),
    ] {
        let error = writer.write(&bad).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains(told), "{error}");
        let mut json = jsonl::Writer::new(io::sink(), &["x", "y"]).unwrap();
        assert!(json.write(&bad).unwrap_err().to_string().contains(told));
        assert_eq!(json.finish().unwrap(), 0);
        writer.write(&good).unwrap();
    }
    writer.finish().unwrap();
    assert_eq!(read_csv(&text).unwrap(), vec![good; 5]);
    for names in [["x", "x"], ["type", "x"], ["x", "time"]] {
        assert!(csv::Writer::new(io::sink(), &names).is_err());
        assert!(jsonl::Writer::new(io::sink(), &names).is_err());
    }
}

#[test]
fn text_longer_than_any_buffer_comes_back() {
    let mut options = ReadOptions::default();
    options.max_row = 16 << 20;
    let rows: Vec<Row> = [3_000_000, 5, 300_000, 262_144, 70_000, 17]
        .iter()
        .map(|&length| {
            let mut row = Row::new("long", 1);
            row.push("text", Field::Text(&"a\"ü".repeat(length / 4)));
            row
        })
        .collect();
    let mut text = Vec::new();
    let mut writer = csv::Writer::new(&mut text, &["text"]).unwrap();
    rows.iter().for_each(|row| writer.write(row).unwrap());
    assert_eq!(writer.finish().unwrap(), text.len() as u64);
    let reader = csv::Reader::with_options(text.as_slice(), &options).unwrap();
    assert!(reader.map(Result::unwrap).eq(rows.iter().cloned()));

    let mut text = Vec::new();
    let mut writer = jsonl::Writer::new(&mut text, &["text"]).unwrap();
    rows.iter().for_each(|row| writer.write(row).unwrap());
    writer.finish().unwrap();
    let reader = jsonl::Reader::with_options(text.as_slice(), &options);
    assert!(reader.map(Result::unwrap).eq(rows));
}
