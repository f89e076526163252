//! The crate simdxml on one workload of `bench-harness compare rpdt`.
//!
//! Arguments: whole|lazy XPATH FILE. What is indexed is the whole document, or, with the crate's
//! `parse_for_xpath`, what the path needs. The file is read first; then a line {"events": N} with its length says that the
//! peer is ready. Each line on standard input asks for one round, which indexes the document anew, finds
//! all nodes and prints one JSON line. The end of the input ends the program.

use std::error::Error;
use std::io::{self, BufRead, Write};
use std::time::Instant;

use cpu_time::ThreadTime;
use simdxml::CompiledXPath;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, xpath, file] = arguments.as_slice() else {
        return Err("usage: simdxml-peer whole|lazy XPATH FILE".into());
    };
    let lazy = match mode.as_str() {
        "whole" => false,
        "lazy" => true,
        _ => return Err(format!("{mode:?} is neither whole nor lazy").into()),
    };
    let document = std::fs::read(file)?;
    let query = CompiledXPath::compile(xpath)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{{\"events\":{}}}", document.len())?;
    out.flush()?;
    for request in io::stdin().lock().lines() {
        request?;
        let (wall, cpu) = (Instant::now(), ThreadTime::now());
        let mut index = if lazy {
            simdxml::parse_for_xpath(&document, xpath)?
        } else {
            simdxml::parse(&document)?
        };
        index.ensure_indices();
        let matches = query.eval(&index)?.len();
        drop(index);
        let (wall, cpu) = (wall.elapsed().as_nanos(), cpu.elapsed().as_nanos());
        writeln!(
            out,
            "{{\"ns\":{wall},\"cpu_ns\":{cpu},\"matches\":{matches},\"timeouts\":0,\"digest\":\"0\"}}"
        )?;
        out.flush()?;
    }
    Ok(())
}
