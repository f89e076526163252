//! A benchmark that is sure of its data: a file is written once, found again by what made it, and noticed
//! when somebody has touched it.
//!
//! ```text
//! cargo run -p data-gen --example manifest_check
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;
use std::fs;
use std::io::Write;

use data_gen::format::Format;
use data_gen::stream::{StockOptions, StreamFile, StreamKind};
use data_gen::{ManifestError, StreamManifest, file};

pub fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::temp_dir().join(format!("data-gen-example-{}", std::process::id()));
    fs::create_dir_all(&directory)?;
    let path = directory.join("stock.csv");
    let stock = StreamFile::new(StreamKind::Stock(StockOptions::new(5_000)), Format::Csv);

    // Bytes are reported as they are written, for a progress bar; the second time there are none.
    let mut bytes = 0;
    let first = file::ensure(&path, &stock, 10, &mut |more| bytes += more)?;
    println!("wrote {bytes} bytes: {}", first.sha256);
    assert_eq!(bytes, first.facts.bytes);
    let mut more = 0;
    let second = file::ensure(&path, &stock, 10, &mut |bytes| more += bytes)?;
    assert_eq!((second.sha256 == first.sha256, more), (true, 0));

    // A row that somebody has added.
    fs::OpenOptions::new().append(true).open(&path)?.write_all(b"stock,5000,1,1,1\n")?;
    let damage = StreamManifest::read(&path)?.verify(&path).unwrap_err();
    println!("found: {damage}");
    assert!(matches!(damage, ManifestError::Length { .. }));

    // Asked for once more, the file is made anew. Another seed is another file.
    let third = file::ensure(&path, &stock, 10, &mut |_| {})?;
    assert_eq!(third.sha256, first.sha256);
    let other = file::ensure(&path, &stock, 11, &mut |_| {})?;
    println!("seed 11: {}", other.sha256);
    assert_ne!(other.sha256, first.sha256);
    fs::remove_dir_all(&directory)?;
    Ok(())
}
