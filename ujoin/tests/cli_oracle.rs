//! What the program prints, against nested loops over the rows; keys whose numbers are equal; what is
//! owed to sightings on disk.
#![cfg(feature = "cli")]

mod cli_support;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use cli_support::{HALF_AN_HOUR, Random, THREE, brief, folder, sightings, stats, ujoin};
use ujoin::input::pack;

/// A row of the oracle: probability in thousandths, times in seconds.
#[derive(Clone, Debug)]
struct Row {
    time: i64,
    stream: String,
    key: String,
    thousandths: u64,
    observation: String,
}

/// The rows that are joined: neither late nor delivered again.
fn accepted(input: &str, lateness: i64) -> Vec<Row> {
    let mut newest = i64::MIN / 2;
    let mut known = HashSet::new();
    let mut rows = vec![];
    for line in input.lines().skip(1) {
        let cells: Vec<&str> = line.splitn(6, ',').collect();
        let row = Row {
            time: cells[0].parse().expect("seconds"),
            stream: cells[1].to_owned(),
            key: cells[2].to_owned(),
            thousandths: cells[3][2..].parse().expect("thousandths"),
            observation: cells[4].to_owned(),
        };
        if row.time < newest - lateness {
            continue;
        }
        newest = newest.max(row.time);
        let id = [cells[0], cells[1], cells[2], cells[4]].map(str::to_owned);
        if row.observation.is_empty() || known.insert(id) {
            rows.push(row);
        }
    }
    rows
}

/// Travel times in thousandths of a second.
fn times() -> HashMap<(String, String), i64> {
    let lines = THREE.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    let millis = |seconds: &str| (1000.0 * seconds.parse::<f64>().expect("a number")) as i64;
    lines.map(|c| ((c[0].to_owned(), c[1].to_owned()), millis(c[2]))).collect()
}

/// All pairs too close in time, the earlier first.
fn close_pairs(rows: &[Row]) -> Vec<(&Row, &Row)> {
    let times = times();
    let mut pairs = vec![];
    for (i, b) in rows.iter().enumerate() {
        for a in &rows[..i] {
            let (first, second) = if a.time <= b.time { (a, b) } else { (b, a) };
            let Some(limit) = times.get(&(first.stream.clone(), second.stream.clone())) else {
                continue;
            };
            let same = !a.observation.is_empty() && a.observation == b.observation;
            if a.key == b.key && !same && 1000 * (second.time - first.time) < *limit {
                pairs.push((first, second));
            }
        }
    }
    pairs
}

/// Millionths as a decimal number.
fn decimal(millionths: u64) -> String {
    let text = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

#[test]
fn pairs_of_rows() {
    for seed in 0..6 {
        let input = sightings(200, 20 + seed);
        let flags = ["--threshold", "0.06", "--lateness", "10s", "--engine", "paper-batched"];
        let flags = if seed % 2 == 0 { &flags[..4] } else { &flags };
        let run = ujoin(THREE, flags, &input);
        let rows = accepted(&input, 10);
        let pairs = close_pairs(&rows).into_iter().filter_map(|(a, b)| {
            let product = a.thousandths * b.thousandths;
            let times = format!("{} {} {}", a.key, a.time, b.time);
            (product >= 60_000).then(|| format!("{times} {}", decimal(product)))
        });
        let found = brief(&run.out).into_iter().map(|line| {
            let words: Vec<&str> = line.split(' ').take(4).collect();
            words.join(" ")
        });
        let expected = sorted(pairs.collect());
        assert!(expected.len() > 20, "{}", expected.len());
        assert_eq!(sorted(found.collect()), expected, "seed {seed}");
    }
}

#[test]
fn pairs_of_observations() {
    let mut shared = 0;
    for seed in 0..6 {
        let input = sightings(200, 50 + seed);
        let flags = ["--threshold", "0.08", "--lateness", "10s", "--mode", "observation"];
        let run = ujoin(THREE, &flags, &input);
        // Without a name each row is an observation of its own.
        let mut observations: BTreeMap<(String, String, usize), Vec<Row>> = BTreeMap::new();
        for (i, row) in accepted(&input, 10).into_iter().enumerate() {
            let own = if row.observation.is_empty() { i } else { 0 };
            let name = (row.observation.clone(), row.stream.clone(), own);
            observations.entry(name).or_default().push(row);
        }
        // By pair of observations: the sum, the largest product and its key.
        let names: Vec<_> = observations.keys().collect();
        let mut expected = vec![];
        for (i, a) in names.iter().enumerate() {
            for b in &names[..i] {
                let rows = [&observations[*a][..], &observations[*b][..]].concat();
                let mut pairs = close_pairs(&rows);
                pairs.retain(|(x, y)| x.stream != y.stream);
                let sum: u64 = pairs.iter().map(|(x, y)| x.thousandths * y.thousandths).sum();
                pairs.sort_by_key(|(x, y)| (u64::MAX - x.thousandths * y.thousandths, &x.key));
                if let Some((x, y)) = pairs.first().filter(|_| sum >= 80_000) {
                    let (key, from, to) = (&x.key, x.time, y.time);
                    expected.push(format!("{key} {from} {to} {}", decimal(sum)));
                    shared += usize::from(pairs.len() > 1);
                }
            }
        }
        let found = brief(&run.out).into_iter().map(|line| {
            let words: Vec<&str> = line.split(' ').take(4).collect();
            words.join(" ")
        });
        assert_eq!(sorted(found.collect()), sorted(expected), "seed {seed}\n{}", run.err);
    }
    assert!(shared > 20, "{shared}");
}

#[test]
fn expected_numbers_and_the_best() {
    let input = sightings(200, 33);
    let rows = accepted(&input, 25);
    let mut sums: BTreeMap<(i64, &str), (u64, u64)> = BTreeMap::new();
    let mut slices: BTreeMap<i64, Vec<u64>> = BTreeMap::new();
    for (a, b) in close_pairs(&rows) {
        let slice = b.time / 90 * 90;
        let sum = sums.entry((slice, &a.key)).or_default();
        *sum = (sum.0 + a.thousandths * b.thousandths, sum.1 + 1);
        slices.entry(slice).or_default().push(a.thousandths * b.thousandths);
    }
    let flags = ["--lateness", "25s", "--threshold", "0", "--slice", "90s"];
    let run = ujoin(THREE, &[&flags[..], &["--mode", "expected"]].concat(), &input);
    let expected = sums.iter().map(|((slice, key), (sum, pairs))| {
        let sum = decimal(*sum);
        format!("{{\"slice\":{slice},\"key\":\"{key}\",\"expected\":{sum},\"pairs\":{pairs}}}")
    });
    let found = run.out.lines().map(str::to_owned);
    assert_eq!(sorted(found.collect()), sorted(expected.collect()));

    let run = ujoin(THREE, &[&flags[..], &["--top-k", "3"]].concat(), &input);
    let mut expected = vec![];
    for (slice, mut products) in slices {
        products.sort_by(|a, b| b.cmp(a));
        let best = products.iter().take(3).enumerate();
        expected.extend(best.map(|(i, p)| format!("{slice} {} {}", i + 1, decimal(*p))));
    }
    let found = run.out.lines().map(|line| {
        let v: serde_json::Value = serde_json::from_str(line).expect("JSON");
        format!("{} {} {}", v["slice"], v["rank"], v["probability"])
    });
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

/// Two texts of 16 letters and digits with one number: the first word of each is chosen, the second
/// undoes the difference.
fn colliding_keys() -> (String, String) {
    let step = |hash: u64, word: u64| {
        let hash = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^ hash >> 32
    };
    let word = |text: &[u8; 8]| u64::from_le_bytes(*text);
    let start = b"AB-12345";
    let one = step(16, word(start));
    let end = word(b"67890-XY");
    let mut random = Random(1);
    loop {
        let other: [u8; 8] = std::array::from_fn(|_| b'A' + random.below(26) as u8);
        let undo = (end ^ one ^ step(16, word(&other))).to_le_bytes();
        if undo.iter().all(u8::is_ascii_alphanumeric) {
            let text = |a: &[u8], b: &[u8]| String::from_utf8([a, b].concat()).expect("ASCII");
            return (text(start, b"67890-XY"), text(&other, &undo));
        }
    }
}

/// A collision is never a result, and hides none.
#[test]
fn keys_of_one_number() {
    let (a, b) = colliding_keys();
    assert_ne!(a, b);
    assert_eq!(pack(&a), pack(&b));
    let input = format!("stream,time,key,probability\nA,1,{a},1\nC,2,{b},1\nC,3,{a},1\n");
    let run = ujoin(HALF_AN_HOUR, &["--stats"], &input);
    assert_eq!(brief(&run.out), [format!("{a} 1 3 1 2 1800")]);
    assert_eq!(stats(&run)["collisions"], 1);
    let run = ujoin(HALF_AN_HOUR, &["--mode", "expected"], &input);
    assert_eq!(run.out, format!("{{\"slice\":0,\"key\":\"{a}\",\"expected\":1,\"pairs\":1}}\n"));

    let input = format!(
        "stream,time,key,probability,observation\nA,1,{a},0.5,o\nA,1,{b},0.5,o\nC,2,{a},0.4,p\n\
         C,2,{b},0.6,p\n"
    );
    let run = ujoin(HALF_AN_HOUR, &["--mode", "observation", "--threshold", "0.5"], &input);
    assert_eq!(brief(&run.out), [format!("{b} 1 2 0.5 1 1800")], "{}", run.err);
}

/// The sightings of Fig. 4 as JSON lines, one a line.
fn fig4() -> Vec<String> {
    let rows = [
        "1 10012 .95",
        "1 10112 .9",
        "1 10212 .8",
        "1 10312 .75",
        "1 10056 .95",
        "1 20056 .9",
        "1 20056 .85",
        "1 10156 .8",
        "1 10090 .9",
        "1 10190 .8",
        "1 10290 .75",
        "2 20056 .9",
    ];
    let rows = rows.iter().enumerate().map(|(i, row)| {
        let words: Vec<&str> = row.split(' ').collect();
        let (stream, key, p) = (words[0], words[1], words[2]);
        let time = i + 1;
        format!("{{\"stream\":{stream},\"time\":{time},\"key\":{key},\"probability\":\"{p}\"}}\n")
    });
    rows.collect()
}

const FIG4_TIMES: &str = ",1,2\n1,0,3600\n2,3600,0\n";
const FIG4_FLAGS: [&str; 6] = ["--memory", "11entries", "--spill", "window-half", "--slots", "100"];

/// At a pause mark what is owed is paid, before what comes after it.
#[test]
fn a_pause_mark_drains() {
    let rows = fig4().concat();
    let after = "{\"stream\":2,\"time\":13,\"key\":10012,\"probability\":1}\n";
    let found =
        |mark: &str| brief(&ujoin(FIG4_TIMES, &FIG4_FLAGS, &(rows.clone() + mark + after)).out);
    let owed = "20056 7 12 0.765 5 3600";
    assert_eq!(found("{\"pause\": true}\n")[..2], ["20056 6 12 0.81 6 3600", owed]);
    let mut without = found("");
    assert_eq!(without.len(), 3);
    assert_eq!(without.pop().as_deref(), Some(owed));
}

/// While nothing comes what is owed is paid, too.
#[cfg(unix)]
#[test]
fn a_silent_pipe_drains() {
    let folder = folder(&[("times.csv", FIG4_TIMES)]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_ujoin"))
        .args(["run", "--travel-times", "times.csv"])
        .args(FIG4_FLAGS)
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(fig4().concat().as_bytes()).expect("written");
    let out = BufReader::new(child.stdout.take().expect("a pipe"));
    // The input stays open meanwhile.
    let lines: Vec<String> = out.lines().take(2).map(|line| line.expect("a line")).collect();
    assert_eq!(brief(&lines.join("\n")), ["20056 6 12 0.81 6 3600", "20056 7 12 0.765 5 3600"]);
    drop(input);
    assert!(child.wait().expect("a child").success());
}
