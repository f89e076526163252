//! What is written reads back equal, whatever it is.

#[path = "common/reading.rs"]
mod reading;

use data_gen::format::{ReadOptions, csv, jsonl};
use data_gen::stream::{Field, Row};
use proptest::prelude::*;
use reading::{read_csv, read_jsonl};

/// A value that owns its text.
#[derive(Clone, Debug)]
enum Value {
    Missing,
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(String),
}

impl Value {
    fn field(&self) -> Field<'_> {
        match self {
            Self::Missing => Field::Missing,
            Self::Int(i) => Field::Int(*i),
            Self::Float(x) => Field::Float(*x),
            Self::Bool(b) => Field::Bool(*b),
            Self::Text(text) => Field::Text(text),
        }
    }
}

fn hostile() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "",
        " ",
        "\"",
        "\"\"",
        ",",
        "\n",
        "\r",
        "\r\n",
        "007",
        "+1",
        "-",
        "-0",
        "1e5",
        "1.",
        ".5",
        "nan",
        "NaN",
        "inf",
        "-Infinity",
        "true",
        "TRUE",
        "false",
        "null",
        "0x10",
        "1_000",
        "0",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775809",
        "1e999",
        "\u{feff}",
        "\u{feff}x",
        "ü",
        "日本",
        "🦀",
        "\0",
        "\u{1}",
        "\\",
        "\\n",
        "\u{2028}",
        "\t",
        "=1+1",
        " 7",
        "12345678901234567890",
        "type",
        "time",
        "a,b\"c\nd",
    ]);
    prop_oneof![
        known.prop_map(str::to_owned),
        any::<String>(),
        "[-0-9.eE+]{1,8}",
        "[a\",\r\n\\\\ ]{0,8}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Missing),
        any::<i64>().prop_map(Value::Int),
        any::<i32>().prop_map(|i| Value::Float(f64::from(i) / 100.0)),
        any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(Value::Float),
        Just(Value::Float(-0.0)),
        any::<bool>().prop_map(Value::Bool),
        hostile().prop_map(Value::Text),
    ]
}

/// Names of columns, and rows with these columns.
fn table() -> impl Strategy<Value = (Vec<String>, Vec<Row>)> {
    prop::collection::hash_set(hostile(), 0..5)
        .prop_map(|mut names| {
            names.remove("type");
            names.remove("time");
            let mut names: Vec<String> = names.into_iter().collect();
            names.sort();
            names
        })
        .prop_flat_map(|names| {
            let values = prop::collection::vec(value(), names.len());
            let rows = prop::collection::vec((hostile(), any::<i64>(), values), 0..6);
            (Just(names), rows)
        })
        .prop_map(|(names, rows)| {
            let rows = rows.into_iter().map(|(kind, time, values)| {
                let mut row = Row::new(&kind, time);
                names.iter().zip(&values).for_each(|(name, value)| row.push(name, value.field()));
                row
            });
            (names.clone(), rows.collect())
        })
}

fn write_csv(names: &[String], rows: &[Row]) -> Vec<u8> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut text = Vec::new();
    let mut writer = csv::Writer::new(&mut text, &names).unwrap();
    rows.iter().for_each(|row| writer.write(row).unwrap());
    assert_eq!(writer.finish().unwrap(), text.len() as u64);
    text
}

fn write_jsonl(names: &[String], rows: &[Row]) -> Vec<u8> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut text = Vec::new();
    let mut writer = jsonl::Writer::new(&mut text, &names).unwrap();
    rows.iter().for_each(|row| writer.write(row).unwrap());
    assert_eq!(writer.finish().unwrap(), text.len() as u64);
    text
}

/// Rows are equal, and the signs of zeros as well.
fn same(a: &[Row], b: &[Row]) -> bool {
    a == b && format!("{a:?}") == format!("{b:?}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn csv_round_trip((names, rows) in table()) {
        let text = write_csv(&names, &rows);
        let mut reader = csv::Reader::new(text.as_slice()).unwrap();
        prop_assert_eq!(reader.columns(), names.as_slice());
        let mut at = 0;
        while let Some(row) = reader.next_row().unwrap() {
            prop_assert!(same(std::slice::from_ref(row), &rows[at..=at]), "{:?}", row);
            at += 1;
        }
        prop_assert_eq!(at, rows.len());
        let mut marked = b"\xef\xbb\xbf".to_vec();
        marked.extend_from_slice(&text);
        prop_assert!(same(&read_csv(&marked).unwrap(), &rows));
        marked.pop();
        prop_assert!(same(&read_csv(&marked).unwrap(), &rows));
    }

    #[test]
    fn another_csv_reader_sees_the_same_text((names, rows) in table()) {
        let text = write_csv(&names, &rows);
        let mut reader = ::csv::Reader::from_reader(text.as_slice());
        let header: Vec<&str> = ["type", "time"].into_iter().chain(names.iter().map(String::as_str)).collect();
        prop_assert!(reader.headers().unwrap().iter().eq(header));
        let records: Vec<::csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(records.len(), rows.len());
        for (record, row) in records.iter().zip(&rows) {
            prop_assert_eq!(&record[0], row.kind());
            prop_assert_eq!(record[1].parse::<i64>().unwrap(), row.time());
            for (text, (_, field)) in record.iter().skip(2).zip(row.fields()) {
                match field {
                    Field::Missing => prop_assert_eq!(text, ""),
                    Field::Int(i) => prop_assert_eq!(text.parse::<i64>().unwrap(), i),
                    Field::Float(x) => prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), x.to_bits()),
                    Field::Bool(b) => prop_assert_eq!(text.parse::<bool>().unwrap(), b),
                    Field::Text(expected) => prop_assert_eq!(text, expected),
                }
            }
        }
    }

    #[test]
    fn jsonl_round_trip((names, rows) in table()) {
        let text = write_jsonl(&names, &rows);
        prop_assert!(same(&read_jsonl(&text).unwrap(), &rows));
        let mut marked = b"\xef\xbb\xbf".to_vec();
        for byte in text {
            marked.extend_from_slice(if byte == b'\n' { b"\r\n \r\n" } else { std::slice::from_ref(&byte) });
        }
        prop_assert!(same(&read_jsonl(&marked).unwrap(), &rows));
    }

    #[test]
    fn floats_are_written_as_the_standard_library_does(i in any::<i64>(), shift in 0_u32..64, bits in any::<u64>()) {
        for x in [(i >> shift) as f64 / 100.0, (i >> shift) as f64, f64::from_bits(bits)] {
            if x.is_finite() {
                let mut row = Row::new("t", 0);
                row.push("x", Field::Float(x));
                let text = write_csv(&["x".to_owned()], &[row]);
                prop_assert_eq!(String::from_utf8(text).unwrap(), format!("type,time,x\nt,0,{x:?}\n"));
            }
        }
    }

    #[test]
    fn no_input_makes_a_reader_panic_or_go_on_forever(text in prop::collection::vec(prop::sample::select(b"\",\r\n1a{}:[]\\\xc3\xbc".to_vec()), 0..60)) {
        let mut whole = b"type,time,x\n".to_vec();
        whole.extend_from_slice(&text);
        let mut options = ReadOptions::default();
        options.max_row = 40;
        for result in csv::Reader::with_options(whole.as_slice(), &options).unwrap().take(100) {
            if let Err(error) = result {
                prop_assert!(error.line() > 1 && error.column() > 0);
            }
        }
        prop_assert!(csv::Reader::with_options(whole.as_slice(), &options).unwrap().count() <= 60);
        prop_assert!(jsonl::Reader::with_options(text.as_slice(), &options).count() <= 60);
    }
}
