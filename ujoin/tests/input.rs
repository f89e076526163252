//! Reading sightings: whatever the sizes of reads, whatever is in the bytes, and which rows are
//! admitted, against a slow and obvious judge.
#![cfg(feature = "cli")]

use std::collections::{HashMap, HashSet};
use std::io::{self, Read};

use proptest::prelude::*;
use ujoin::input::{
    Admission, Admitted, Decimal, Fields, Format, Next, Problem, Reader, Seconds, Sighting,
    Streams, Unit, pack, time,
};

/// Gives so many bytes at a time.
struct Pieces<'b>(&'b [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.1.min(buffer.len()).min(self.0.len());
        let (now, rest) = self.0.split_at(n);
        buffer[..n].copy_from_slice(now);
        self.0 = rest;
        Ok(n)
    }
}

fn streams() -> Streams {
    let mut streams = Streams::default();
    for name in ["A", "B", "a stream of a long name"] {
        streams.add(name);
    }
    streams
}

/// All that a reader says, in words.
fn read(bytes: &[u8], piece: usize, format: Option<Format>) -> Vec<String> {
    let mut said = vec![];
    let mut reader = match Reader::new(Pieces(bytes, piece), format, streams(), Fields::default()) {
        Ok(reader) => reader,
        Err(e) => return vec![e.to_string()],
    };
    let mut writer = reader.row_writer();
    let mut again = reader.row_reader();
    loop {
        match reader.next() {
            Next::Sighting => {
                let s = reader.sighting();
                let mut object = vec![];
                writer.write(&mut object, s.row, s.time, s.probability);
                let value: serde_json::Value = serde_json::from_slice(&object).expect("JSON");
                let kept = again.read(s.row).expect("read once more");
                let short = |s: Sighting<'_>| {
                    let Sighting { stream, time, probability, key, observation, .. } = s;
                    format!("{stream} {time} {probability} {key:?} {observation:?}")
                };
                assert_eq!(short(kept), short(s));
                said.push(format!("{} {} {value} {:?}", s.line, short(s), reader.position()));
            }
            Next::Bad(fault) => {
                let row = reader.bad_row().escape_ascii();
                said.push(format!("{fault} {row} {:?}", reader.position()));
            }
            Next::Pause => said.push("pause".to_owned()),
            Next::More => reader.fill().expect("it is read"),
            Next::End => return said,
        }
    }
}

/// Pieces of rows, good and bad.
fn soup(pieces: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        20 => proptest::sample::select(pieces).prop_map(|s| s.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..4),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn sizes_of_reads_do_not_matter(
        rows in soup(&["A", "B", ",", ",", ",", ",", "1", "0.5", "\n", "\n", "\r\n", "\"", "\"\"",
            "key", " ", "A,1,k,1,\n", "A,2,\"k\"\"\",.5,o\n", "B,1.5,\"a\nb\",1e-1,\"o\"\n", "é"]),
        piece in 1..40_usize,
    ) {
        let bytes = [b"stream,time,key,probability,observation\n", &rows[..]].concat();
        prop_assert_eq!(read(&bytes, piece, None), read(&bytes, bytes.len(), None));
    }

    #[test]
    fn nor_in_json_lines(
        rows in soup(&["{", "}", "[", "]", ":", ",", "\"stream\"", "\"A\"", "\"time\"", "1", "null",
            "\n", "\n", " ", "{\"stream\":\"A\",\"time\":1,\"key\":\"k\",\"probability\":1}\n",
            "{\"stream\":\"B\",\"time\":\"2\",\"key\":7,\"probability\":0.5,\"x\":[1,{}]}\n",
            "{\"pause\":true}\n"]),
        piece in 1..40_usize,
    ) {
        let format = Some(Format::JsonLines);
        prop_assert_eq!(read(&rows, piece, format), read(&rows, rows.len().max(1), format));
    }

    /// What is shown of a number is that number.
    #[test]
    fn decimals_and_times_are_exact(nanos in any::<i64>()) {
        let shown = Seconds(nanos).to_string();
        if nanos > i64::MIN {
            prop_assert_eq!(Decimal::parse(&shown).map(|d| d.nanos), Ok(nanos));
            prop_assert_eq!(time(&shown), Ok((nanos, false)));
        }
    }

    /// Against arithmetic in 128 bits.
    #[test]
    fn rounding_is_half_to_even(whole in 0..9_i64, fraction in "[0-9]{1,18}") {
        let scale = 10_i128.pow(fraction.len() as u32);
        let exact = i128::from(whole) * scale + fraction.parse::<i128>().expect("digits");
        let (floor, rest) =
            ((exact * 1_000_000_000).div_euclid(scale), (exact * 1_000_000_000).rem_euclid(scale));
        let up = 2 * rest > scale || (2 * rest == scale && floor % 2 == 1);
        let decimal = Decimal::parse(&format!("{whole}.{fraction}")).expect("a number");
        prop_assert_eq!(i128::from(decimal.nanos), floor + i128::from(up));
        prop_assert_eq!(decimal.is_rounded(), rest > 0);
    }

    #[test]
    fn short_texts_have_numbers_of_their_own(a in "[0-9A-C\0é]{1,7}", b in "[0-9A-C\0é]{1,7}") {
        if a.len() < 8 && b.len() < 8 {
            prop_assert_eq!(pack(&a) == pack(&b), a == b);
        }
    }

    /// Numbers of up to 16 digits are their own, so they stay in the lists that the paper's index
    /// has for them.
    #[test]
    fn numbers_stay_numbers(n in 0..10_000_000_000_000_000_u64) {
        prop_assert_eq!(pack(&n.to_string()), n);
        prop_assert_ne!(pack(&format!("0{n}")), n);
    }
}

/// One row of the judge's test.
#[derive(Clone, Debug)]
struct Row {
    time: i64,
    stream: u32,
    observation: usize,
    key: usize,
    tenths: u32,
}

const NAMES: [&str; 4] = ["o", "p", "an observation of a long name", "another one of a long name"];
const KEYS: [&str; 3] = ["k", "AB-12345-X", "AB-12345-Y"];

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (0..12_i64, 0..2_u32, 0..NAMES.len(), 0..KEYS.len(), 1..7_u32);
    proptest::collection::vec(row, 1..60).prop_map(|rows| {
        let rows = rows.into_iter().enumerate();
        rows.map(|(i, (back, stream, observation, key, tenths))| {
            let time = 3 * (i as i64) / 4 - back / 3;
            Row { time, stream, observation, key, tenths }
        })
        .collect()
    })
}

/// An observation is known until all its rows are late.
fn judge(rows: &[Row], lateness: i64) -> Vec<&'static str> {
    let mut said = vec![];
    let mut newest = i64::MIN / 2;
    let mut admitted: HashMap<(u32, usize), Vec<Row>> = HashMap::new();
    let mut at = 0;
    while at < rows.len() {
        let of = |row: &Row| (row.stream, row.observation);
        let length = rows[at..].iter().take_while(|row| of(row) == of(&rows[at])).count();
        let unit = &rows[at..at + length];
        // An observation is forgotten as a whole, when all its rows are late.
        let known = admitted.entry(of(&rows[at])).or_default();
        if known.iter().all(|row| row.time < newest - lateness) {
            known.clear();
        }
        let id = |row: &Row| (row.time, row.key);
        let mut ids: HashSet<_> = known.iter().map(id).collect();
        let mut sum: u32 = known.iter().map(|row| row.tenths).sum();
        let (mut now, mut fresh) = (newest, vec![]);
        let mut fates = vec![];
        for row in unit {
            if row.time < now - lateness {
                fates.push("late");
            } else if !ids.insert(id(row)) {
                fates.push("again");
            } else {
                now = now.max(row.time);
                sum += row.tenths;
                fresh.push(row.clone());
                fates.push("yes");
            }
        }
        if sum > 10 && !fresh.is_empty() {
            fates.iter_mut().filter(|fate| **fate == "yes").for_each(|fate| *fate = "bad");
        } else {
            newest = now;
            known.extend(fresh);
        }
        said.extend(fates);
        at += length;
    }
    said
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn admission_agrees_with_a_judge_of_few_words(rows in rows(), lateness in 0..5_i64) {
        let mut admission = Admission::new(lateness);
        let streams = streams();
        let mut said = vec![];
        let mut unit = Unit::default();
        let mut settle = |unit: &mut Unit, said: &mut Vec<&str>| {
            admission.settle(unit, &streams);
            said.extend(unit.iter().map(|(_, admitted)| match admitted {
                Admitted::Yes => "yes",
                Admitted::Late => "late",
                Admitted::Duplicate => "again",
                Admitted::Bad(_) => "bad",
            }));
            unit.clear();
        };
        for row in &rows {
            let probability = Decimal::parse(&format!("0.{}", row.tenths)).expect("a number");
            let sighting = Sighting {
                stream: row.stream,
                time: row.time,
                probability: probability.probability().expect("a probability"),
                key: KEYS[row.key],
                observation: Some(NAMES[row.observation]),
                rounded: 0,
                line: 1,
                row: "",
            };
            if !unit.fits(&sighting) {
                settle(&mut unit, &mut said);
            }
            unit.push(&sighting);
        }
        settle(&mut unit, &mut said);
        prop_assert_eq!(said, judge(&rows, lateness));
    }
}

/// A stream of observations that never ends takes no more memory than those within the lateness.
#[test]
fn admission_forgets_with_the_watermark() {
    let mut admission = Admission::new(50);
    let streams = streams();
    let mut unit = Unit::default();
    let mut most = 0;
    for time in 0..20_000 {
        let observation = format!("observation number {time}");
        unit.push(&Sighting {
            stream: 0,
            time,
            probability: ujoin::Probability::ONE,
            key: "k",
            observation: Some(&observation),
            rounded: 0,
            line: 1,
            row: "",
        });
        admission.settle(&mut unit, &streams);
        assert!(unit.iter().all(|(_, admitted)| *admitted == Admitted::Yes));
        unit.clear();
        most = most.max(admission.remembered());
    }
    assert!(most <= 128, "{most} observations were remembered");
}

#[test]
fn rounding_alone_makes_no_sum_too_large() {
    let mut reader = Reader::new(
        &b"stream,time,key,probability,observation\n\
           A,1,k,0.33333333349,o\nA,1,j,0.33333333349,o\nA,1,i,0.33333333349,o\n"[..],
        None,
        streams(),
        Fields::default(),
    )
    .expect("a header");
    let mut unit = Unit::default();
    loop {
        match reader.next() {
            Next::Sighting => unit.push(&reader.sighting()),
            Next::More => reader.fill().expect("it is read"),
            Next::End => break,
            other => panic!("{other:?}"),
        }
    }
    Admission::new(0).settle(&mut unit, &streams());
    assert!(unit.iter().all(|(_, admitted)| *admitted == Admitted::Yes));
}

#[test]
fn an_observation_has_a_bounded_number_of_alternatives() {
    let mut admission = Admission::new(0);
    let mut bad = 0;
    let streams = streams();
    let mut unit = Unit::default();
    for i in 0..3_000 {
        let key = i.to_string();
        let sighting = Sighting {
            stream: 0,
            time: 1,
            probability: ujoin::Probability::from_nanos(1).expect("a probability"),
            key: &key,
            observation: Some("o"),
            rounded: 0,
            line: 1,
            row: "",
        };
        if !unit.fits(&sighting) {
            admission.settle(&mut unit, &streams);
            bad += unit.iter().filter(|(_, admitted)| is_bad(admitted)).count();
            unit.clear();
        }
        unit.push(&sighting);
        assert!(unit.len() <= 1_000);
    }
    admission.settle(&mut unit, &streams);
    bad += unit.iter().filter(|(_, admitted)| is_bad(admitted)).count();
    assert_eq!(bad, 2_000);
}

fn is_bad(admitted: &Admitted) -> bool {
    matches!(admitted, Admitted::Bad(Problem::Alternatives { most: 1_000, .. }))
}

#[test]
fn a_row_without_end_is_an_error() {
    #[derive(Debug)]
    struct Endless;
    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            buffer.fill(b'x');
            Ok(buffer.len())
        }
    }
    let error = Reader::new(Endless, None, streams(), Fields::default()).expect_err("too long");
    assert_eq!(error.to_string(), "line 1: a row of more than 16 megabytes");
}

/// A matrix of 10,000 streams takes as long as its 100 million cells, so 500 have to do.
#[test]
fn many_streams() {
    let mut square = String::new();
    for stream in 0..500 {
        square.push_str(&format!(",camera {stream}"));
    }
    for from in 0..500 {
        square.push_str(&format!("\ncamera {from}"));
        for to in 0..500 {
            square.push_str(&format!(",{}", 1 + from + 500 * to));
        }
    }
    let (streams, times) = ujoin::input::read_travel_times(square.as_bytes()).expect("times");
    for (from, to) in [(0, 499), (499, 0), (17, 18)] {
        let id = |n: i64| streams.find(&format!("camera {n}")).expect("a stream");
        assert_eq!(times.between(id(from), id(to)), (1 + from + 500 * to) * 1_000_000_000);
    }
}
