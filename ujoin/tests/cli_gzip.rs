//! Input that is compressed with gzip.
#![cfg(feature = "cli")]

mod cli_support;

use std::io::Write as _;

use cli_support::{THREE, folder, sightings, ujoin, ujoin_in};
use flate2::Compression;
use flate2::write::GzEncoder;

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).expect("compressed");
    encoder.finish().expect("compressed")
}

const RUN: [&str; 7] =
    ["run", "--travel-times", "times.csv", "--threshold", "0.05", "--order", "deterministic"];

#[test]
fn files_and_standard_input_are_decompressed() {
    let text = sightings(2000, 1);
    let expected = ujoin(THREE, &RUN[3..], &text);
    assert!(expected.out.lines().count() > 10);
    let folder = folder(&[("times.csv", THREE)]);
    // Two members, as `cat a.gz b.gz` has them.
    let (one, two) = text.split_at(text.len() / 3);
    let bytes = [packed(one), packed(two)].concat();
    for name in ["s.csv.gz", "s", "s.CSV.GZ"] {
        std::fs::write(folder.path().join(name), &bytes).expect("written");
        let run = ujoin_in(folder.path(), &[&RUN[..], &[name]].concat(), b"");
        assert!((run.code, &run.out, &run.err) == (0, &expected.out, &expected.err), "{name}");
    }
    let run = ujoin_in(folder.path(), &RUN, &bytes);
    assert!((run.code, &run.out, &run.err) == (0, &expected.out, &expected.err));
}

#[test]
fn the_format_is_that_of_the_name_without_the_ending() {
    let folder = folder(&[("times.csv", THREE)]);
    let text = r#"{"stream":"A","time":1,"key":"k","probability":1}
{"stream":"B","time":2,"key":"k","probability":1}
"#;
    std::fs::write(folder.path().join("s.jsonl.gz"), packed(text)).expect("written");
    let run = ujoin_in(folder.path(), &[&RUN[..], &["s.jsonl.gz"]].concat(), b"");
    assert_eq!((run.code, run.out.lines().count(), run.err.as_str()), (0, 1, ""));
    // What the name says counts, not what the first line looks like.
    std::fs::write(folder.path().join("s.csv.gz"), packed(text)).expect("written");
    let run = ujoin_in(folder.path(), &[&RUN[..], &["s.csv.gz"]].concat(), b"");
    assert_eq!(run.code, 2, "{}", run.out);
}

/// A checkpoint counts the bytes of the text.
#[test]
fn a_run_goes_on_in_a_compressed_file() {
    let text = sightings(2000, 2);
    let header = text.lines().next().expect("a header").len() + 1;
    let half = text[..text.len() / 2].rfind('\n').expect("lines") + 1;
    assert!(half > header);
    let expected = ujoin(THREE, &RUN[3..], &text);
    let folder = folder(&[("times.csv", THREE)]);
    let arguments =
        [&RUN[..], &["--checkpoint", "at", "--resume", "--output", "out", "s.csv.gz"]].concat();
    for text in [&text[..half], &text] {
        std::fs::write(folder.path().join("s.csv.gz"), packed(text)).expect("written");
        let run = ujoin_in(folder.path(), &arguments, b"");
        assert_eq!(run.code, 0, "{}", run.err);
    }
    let out = std::fs::read_to_string(folder.path().join("out")).expect("an output");
    assert!(out == expected.out, "{out}");
}

#[test]
fn what_is_cut_off_or_damaged_is_an_error() {
    let text = sightings(2000, 3);
    let folder = folder(&[("times.csv", THREE)]);
    let whole = packed(&text);
    let mut wrong = whole.clone();
    let checksum = whole.len() - 6;
    wrong[checksum] ^= 1;
    let cases = [&whole[..whole.len() / 2], &whole[..5], &wrong[..]];
    for bytes in cases {
        std::fs::write(folder.path().join("s.csv.gz"), bytes).expect("written");
        let run = ujoin_in(folder.path(), &[&RUN[..], &["s.csv.gz"]].concat(), b"");
        assert_eq!(run.code, 2, "{} bytes", bytes.len());
        assert!(run.err.starts_with("error: cannot read s.csv.gz: "), "{}", run.err);
    }
}
