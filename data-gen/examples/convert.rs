//! Events from CSV to JSON lines and back, row by row: types survive, what is missing stays missing, and
//! a row that is wrong is told with its line and column.
//!
//! ```text
//! cargo run -p data-gen --example convert
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use data_gen::format::{csv, jsonl};

const TABLE: &str = "type,time,user,code,amount
login,5,42,\"17\",
order,9,42,,12.5
\"log, out\",11,42,007,1e3
";

pub fn main() -> Result<(), Box<dyn Error>> {
    let mut reader = csv::Reader::new(TABLE.as_bytes())?;
    let columns: Vec<String> = reader.columns().to_vec();
    let columns: Vec<&str> = columns
        .iter()
        .map(String::as_str)
        .filter(|name| !["type", "time"].contains(name))
        .collect();

    let mut lines = Vec::new();
    let mut writer = jsonl::Writer::new(&mut lines, &columns)?;
    while let Some(row) = reader.next_row()? {
        writer.write(row)?;
    }
    writer.finish()?;
    print!("{}", std::str::from_utf8(&lines)?);

    let mut back = Vec::new();
    let mut reader = jsonl::Reader::new(&lines[..]);
    let mut writer = csv::Writer::new(&mut back, &columns)?;
    while let Some(row) = reader.next_row()? {
        writer.write(row)?;
    }
    writer.finish()?;
    let back = String::from_utf8(back)?;
    print!("{back}");
    // Text is quoted where it would be read as a number (007 is none); a float says that it is one.
    assert_eq!(
        back.lines().collect::<Vec<_>>(),
        [
            "type,time,user,code,amount",
            "login,5,42,\"17\",",
            "order,9,42,,12.5",
            "\"log, out\",11,42,007,1000.0",
        ]
    );

    let mut reader = csv::Reader::new("type,time\nlogin,5\nlogin,soon\n".as_bytes())?;
    reader.next_row()?;
    let error = reader.next_row().unwrap_err();
    println!("{error}");
    assert_eq!((error.line(), error.column()), (3, 7));
    Ok(())
}
