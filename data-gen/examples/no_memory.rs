//! A document of a million nested elements that nobody holds: it flows through a pipe into the program
//! under test, which may stop when it has seen enough.
//!
//! ```text
//! cargo run --release -p data-gen --example no_memory
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::io::{self, Read, Write};

use data_gen::xml::{self, RandomTreeOptions, Shape};

/// Counts bytes and the open elements; takes no more than it was told.
struct Consumer {
    bytes: u64,
    most: u64,
    tags: u64,
}

impl Write for Consumer {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        if self.bytes >= self.most {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.bytes += part.len() as u64;
        self.tags += part.iter().filter(|&&byte| byte == b'<').count() as u64;
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub fn main() -> io::Result<()> {
    let mut options = RandomTreeOptions::new(Shape::Deep);
    (options.elements, options.max_depth) = (1_000_000, 1_000_000);

    let mut all = Consumer { bytes: 0, most: u64::MAX, tags: 0 };
    let facts = xml::random_tree(&options, 1, &mut all)?;
    println!("{} bytes, {} levels, {} tags", all.bytes, facts.max_depth, all.tags);
    assert_eq!((facts.bytes, facts.elements), (all.bytes, options.elements));

    // A consumer that stops is an error that it recognises as its own.
    let mut some = Consumer { bytes: 0, most: 100_000, tags: 0 };
    let stopped = xml::random_tree(&options, 1, &mut some).unwrap_err();
    assert_eq!(stopped.kind(), io::ErrorKind::BrokenPipe);
    println!("stopped after {} bytes", some.bytes);

    // A reader on the other side of a pipe, in a thread of its own.
    let (mut reader, mut writer) = io::pipe()?;
    let written = std::thread::spawn(move || xml::random_tree(&options, 1, &mut writer));
    let (mut read, mut buffer) = (0, vec![0; 64 << 10]);
    loop {
        match reader.read(&mut buffer)? {
            0 => break,
            bytes => read += bytes as u64,
        }
    }
    let written = written.join().expect("the generator does not panic")?;
    println!("{read} bytes through a pipe");
    assert_eq!((read, written), (all.bytes, facts));
    Ok(())
}
