//! Pieces that skip a station: each piece must be welded, painted and checked, in this order and with
//! no other station in between. Whatever goes another way is reported with the rows of its reads.
//!
//! ```text
//! cargo run -p multipattern --example skipped_station
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use multipattern::{Collect, Config, Detector, Error, Pattern, PatternSet, Record, Semantics};

/// Station, second, tag of the piece.
const READS: [(&str, i64, &str); 10] = [
    ("Weld", 0, "007"),
    ("Weld", 4, "008"),
    ("Paint", 9, "007"),
    ("Check", 12, "008"), // not painted
    ("Check", 15, "007"),
    ("Weld", 20, "009"),
    ("Paint", 24, "009"),
    ("Pack", 30, "009"), // not checked
    ("Pack", 31, "007"),
    ("Pack", 33, "008"),
];

pub fn main() -> Result<(), Error> {
    let mut set = PatternSet::parse(
        "good:      SEQ(Weld, Paint, Check, Pack)
         unpainted: SEQ(Weld, Check)
         unchecked: SEQ(Paint, Pack)",
    )?;
    // Under `strict` nothing lies between the events of a match. With a key, that is said of the
    // events of one piece: reads of others do not disturb it.
    set.set_semantics(Semantics::Strict);
    let mut detector = Detector::with_config(&set, Config::new().partition_by(["tag"]))?;
    let tag = detector.schema().slot("tag").expect("the key is in the schema");

    let mut found = Collect::default();
    for (station, second, piece) in READS {
        let station = detector.schema().type_id(station).expect("a type of the patterns");
        let read = Record::new(station, second).with(tag, piece);
        let _ = detector.push(&read, &mut found)?;
    }

    let mut lines = Vec::new();
    for (pattern, rows) in &found.0 {
        let id = detector.pattern(*pattern).map_or("?", Pattern::id);
        let piece = READS[rows[0] as usize].2;
        lines.push(format!("{piece} {id}: reads {rows:?}"));
    }
    println!("{}", lines.join("\n"));
    assert_eq!(
        lines,
        [
            "008 unpainted: reads [1, 3]",
            "009 unchecked: reads [6, 7]",
            "007 good: reads [0, 2, 4, 8]",
        ]
    );
    Ok(())
}
