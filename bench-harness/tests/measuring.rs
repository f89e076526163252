//! Medians, intervals, interleaving, the machine's description.

mod common;

use std::cell::{Cell, RefCell};
use std::time::Duration;

use bench_harness::ErrorKind;
use bench_harness::experiment::Scale;
use bench_harness::measure::memory::{Heap, peak_resident};
use bench_harness::measure::{Contender, Plan, Summary, interleave, machine};
use bench_harness::progress::Progress;

fn up_to(n: u32) -> Vec<f64> {
    (1..=n).rev().map(f64::from).collect()
}

#[test]
fn medians_of_odd_and_even_numbers_of_runs() {
    assert_eq!(Summary::of(&[3.0, 1.0, 2.0]).unwrap().median, 2.0);
    assert_eq!(Summary::of(&[4.0, 1.0, 2.0, 3.0]).unwrap().median, 2.5);
    assert!(Summary::of(&[]).is_none());
}

/// The ranks of the tables of binomial confidence limits for the median.
#[test]
fn intervals_are_those_of_the_order_statistics() {
    for (n, lo, hi) in [
        (6, 1.0, 6.0),
        (8, 1.0, 8.0),
        (9, 2.0, 8.0),
        (11, 2.0, 10.0),
        (12, 3.0, 10.0),
        (15, 4.0, 12.0),
        (20, 6.0, 15.0),
        (25, 8.0, 18.0),
        (100, 40.0, 61.0),
    ] {
        let summary = Summary::of(&up_to(n)).unwrap();
        assert_eq!((summary.lo, summary.hi, summary.n), (lo, hi, n), "n = {n}");
    }
    let many = Summary::of(&up_to(5000)).unwrap();
    assert!(many.lo > 2400.0 && many.hi < 2600.0, "{many:?}");
}

#[test]
fn ratios_are_paired_by_round() {
    // The machine slows down by a factor of ten; the ratio stays.
    let b: Vec<f64> = (1..=10).map(f64::from).collect();
    let a: Vec<f64> = b.iter().map(|time| time * 0.5).collect();
    let ratio = Summary::of_ratios(&a, &b).unwrap();
    assert_eq!((ratio.lo, ratio.median, ratio.hi, ratio.n), (0.5, 0.5, 0.5, 10));
}

#[test]
fn a_rate_turns_the_interval_round() {
    let time = Summary { median: 2.0, lo: 1.0, hi: 4.0, n: 9 };
    let rate = time.rate(8.0);
    assert_eq!((rate.lo, rate.median, rate.hi), (2.0, 4.0, 8.0));
}

#[test]
fn rounds_alternate_and_warm_up_is_not_timed() {
    let log = RefCell::new(String::new());
    let contender = |name: &'static str| {
        let log = &log;
        Contender::new(name, move || {
            log.borrow_mut().push_str(name);
            Ok(7)
        })
    };
    let mut contenders = [contender("a"), contender("b"), contender("c")];
    let plan = Plan { warm_up: 2, rounds: 5, shortest: Duration::ZERO };
    let samples = interleave(&mut contenders, &plan, &Progress::silent()).unwrap();
    for one in &samples {
        assert_eq!((one.wall.len(), one.cpu.len(), one.answer), (5, 5, 7));
    }
    let log = log.borrow();
    let rounds: Vec<&str> = (0..7).map(|round| &log[round * 3..round * 3 + 3]).collect();
    for round in &rounds {
        assert!(round.contains('a') && round.contains('b') && round.contains('c'), "{rounds:?}");
    }
    let firsts: Vec<&str> = rounds.iter().map(|round| &round[..1]).collect();
    for name in ["a", "b", "c"] {
        assert!(firsts.contains(&name), "{firsts:?}");
    }
}

#[test]
fn short_runs_are_repeated_within_a_round() {
    let calls = RefCell::new(0_u64);
    let mut contenders = [Contender::new("short", || {
        *calls.borrow_mut() += 1;
        Ok(())
    })];
    let plan = Plan { warm_up: 2, rounds: 6, shortest: Duration::from_millis(1) };
    interleave(&mut contenders, &plan, &Progress::silent()).unwrap();
    assert!(*calls.borrow() > 100);
}

#[test]
fn different_answers_end_the_run() {
    let mut contenders = [Contender::new("one", || Ok(1)), Contender::new("two", || Ok(2))];
    let plan = Plan { warm_up: 1, rounds: 6, shortest: Duration::ZERO };
    let error = interleave(&mut contenders, &plan, &Progress::silent()).unwrap_err();
    assert_eq!((error.kind(), error.exit_code()), (ErrorKind::Disagreement, 1));
    assert_eq!(error.to_string(), "one answers 1, but two answers 2");
}

#[test]
fn an_answer_that_changes_between_rounds_ends_the_run() {
    let calls = RefCell::new(0);
    let mut contenders = [Contender::new("fickle", || {
        *calls.borrow_mut() += 1;
        Ok(*calls.borrow() / 4)
    })];
    let plan = Plan { warm_up: 1, rounds: 6, shortest: Duration::ZERO };
    let error = interleave(&mut contenders, &plan, &Progress::silent()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Disagreement);
}

#[test]
fn cpu_time_is_that_of_the_work() {
    let work = || Ok((0..400_000_u64).fold(0, |sum, n| std::hint::black_box(sum ^ (n * n))));
    let sleep = || {
        std::thread::sleep(Duration::from_millis(30));
        work()
    };
    let mut contenders = [Contender::new("work", work), Contender::new("sleep", sleep)];
    let plan = Plan { warm_up: 1, rounds: 6, shortest: Duration::ZERO };
    let samples = interleave(&mut contenders, &plan, &Progress::silent()).unwrap();
    let [work, sleep] = &samples[..] else { unreachable!() };
    assert!(sleep.wall_summary().unwrap().median > 0.03);
    assert!(sleep.cpu_summary().unwrap().median < 0.03);
    assert!(work.cpu_summary().unwrap().median > 0.0);
}

#[test]
fn the_machine_line_tells_the_scale() {
    for scale in Scale::ALL {
        let line = machine::describe(scale);
        assert_eq!(machine::scale_of(&line), Some(scale), "{line}");
        assert!(line.contains("rustc ") && line.contains("cores"), "{line}");
    }
    assert_eq!(machine::scale_of("a machine"), None);
}

/// A heap that does what the test says.
#[derive(Default)]
struct Told {
    current: Cell<u64>,
    peak: Cell<u64>,
}

impl Told {
    fn set(&self, current: u64) {
        self.current.set(current);
        self.peak.set(self.peak.get().max(current));
    }
}

impl Heap for Told {
    fn current(&self) -> u64 {
        self.current.get()
    }

    fn peak(&self) -> u64 {
        self.peak.get()
    }

    fn reset(&self) {
        self.peak.set(self.current.get());
    }
}

#[test]
fn a_probe_counts_what_is_allocated_meanwhile() {
    let told = Told::default();
    told.set(900);
    told.set(100);
    let heap: &dyn Heap = &told;
    let (value, peak) = heap.peak_during(|| {
        told.set(350);
        told.set(120);
        "done"
    });
    assert_eq!((value, peak), ("done", 250));
}

#[cfg(target_os = "linux")]
#[test]
fn the_kernel_tells_the_peak_of_the_resident_set() {
    assert!(peak_resident().unwrap() > 100_000);
}
