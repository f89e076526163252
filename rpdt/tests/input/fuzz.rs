//! Documents that are damaged at random, for as long as one likes: the scanner against quick-xml, chunks
//! against the whole, with both sets of checks. What was found once is replayed with every run.
//!
//! ```text
//! FUZZ_SECONDS=1800 FUZZ_SEED=7 cargo test --release -p rpdt --test input -- --ignored fuzz
//! ```
//!
//! A fault is written, shortened, to `tests/data/fuzz`, and belongs there for good.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rpdt::Threads;

use super::alike::{alike, answers_alike, seen_alike, threads_alike, well_formed};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fuzz")
}

fn seeds() -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(directory())
        .expect("the seeds are there")
        .map(|entry| entry.expect("the directory can be read").path())
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a seed can be read")).collect()
}

fn check(bytes: &[u8], places: &[usize]) -> Result<(), String> {
    alike(bytes, places)?;
    let place = places.first().copied().unwrap_or(0);
    let (head, tail) = bytes.split_at(place % (bytes.len() + 1));
    seen_alike(bytes, &[vec![head, tail]])?;
    answers_alike(bytes)?;
    threads_alike(bytes, Threads::new(2 + place % 3).segment(1 + place % 97))
}

#[test]
fn seeds_are_seen_alike() {
    let seeds = seeds();
    assert!(seeds.len() > 5);
    for seed in &seeds {
        let wide = [&seed[..], &[b' '; 200]].concat();
        for bytes in [seed, &wide] {
            let result = check(bytes, &[bytes.len() / 3, bytes.len() / 2]);
            assert!(result.is_ok(), "{}: {}", bytes.escape_ascii(), result.unwrap_err());
        }
    }
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n.max(1)
    }
}

const TOKENS: [&[u8]; 24] = [
    b"<",
    b">",
    b"/>",
    b"</",
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"]]>",
    b"<?p",
    b"?>",
    b"<a>",
    b"</a>",
    b"<skip>",
    b"</skip>",
    b" x='/>'",
    b" q=\">\"",
    b"&amp;",
    b"&",
    b"\xC3\xA9",
    b"\xFF",
    b"\0",
    b"<qq>",
    b"</qq>",
    b"<s/>",
];

fn mutated(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(6) {
            0 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 => {
                let to = at + random.below((bytes.len() - at).min(80) + 1);
                let part = bytes[at..to].to_vec();
                let into = random.below(bytes.len() + 1);
                bytes.splice(into..into, part);
            }
            3 => {
                let to = at + random.below((bytes.len() - at).min(40) + 1);
                bytes.drain(at..to);
            }
            4 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len() + 1);
                let to = from + random.below((other.len() - from).min(200) + 1);
                bytes.splice(at..at, other[from..to].iter().copied());
            }
            _ => {
                let token = TOKENS[random.below(TOKENS.len())];
                bytes.splice(at..at, token.iter().copied());
            }
        }
    }
    bytes.truncate(3000);
    bytes
}

/// Leaves out what can be left out.
fn shortened(mut bytes: Vec<u8>, places: &[usize]) -> Vec<u8> {
    let mut size = bytes.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < bytes.len() {
            let mut fewer = bytes.clone();
            fewer.drain(at..(at + size).min(bytes.len()));
            if check(&fewer, places).is_err() {
                bytes = fewer;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    bytes
}

#[test]
#[ignore = "runs for FUZZ_SECONDS, a minute by default"]
#[allow(clippy::print_stdout, reason = "how to repeat it, and how much was done")]
fn damaged_seeds_are_seen_alike() {
    let number = |name: &str, default: u64| -> u64 {
        std::env::var(name).map_or(default, |text| text.parse().expect("it is a number"))
    };
    let (seed, seconds) = (number("FUZZ_SEED", 1), number("FUZZ_SECONDS", 60));
    println!("FUZZ_SEED={seed} FUZZ_SECONDS={seconds}");
    let seeds = seeds();
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut count = 0u64;
    while Instant::now() < end {
        let mut bytes = match random.below(4) {
            0 => {
                let numbers = (0..random.below(200)).map(|_| random.below(256) as u8);
                well_formed(&numbers.collect::<Vec<_>>())
            }
            _ => mutated(&mut random, &seeds),
        };
        if random.below(2) == 0 {
            bytes.extend([b' '; 100]);
        }
        let places = [random.below(4000), random.below(4000)];
        count += 1;
        if check(&bytes, &places).is_err() {
            let bytes = shortened(bytes, &places);
            let path = directory().join(format!("found-{seed}-{count}.xml"));
            fs::write(&path, &bytes).expect("the fault can be written");
            panic!("{}: {:?}", path.display(), check(&bytes, &places));
        }
    }
    println!("{count} documents");
}
