//! Streams of events: their distributions, and what manifests say about them.

use data_gen::format::Format;
use data_gen::stream::{
    ClickOptions, Counts, Event, Field, KeyOptions, LetterOptions, Row, SensorOptions, Stock,
    StockOptions, StreamKind, clicks, keys,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::ErrorKind;

/// The rows of a stream as a reader of its file sees them, with the counts.
fn rows(kind: &StreamKind, seed: u64) -> (Vec<Row>, Counts) {
    let mut text = Vec::new();
    let counts = kind.write(seed, Format::Csv, &mut text).unwrap();
    assert_eq!(counts.bytes, text.len() as u64);
    let rows: Vec<Row> = data_gen::format::csv::Reader::new(text.as_slice())
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(counts.events, rows.len() as u64);
    let mut types = BTreeMap::new();
    for row in &rows {
        *types.entry(row.kind().to_owned()).or_insert(0) += 1;
    }
    assert_eq!(counts.types, types);
    let times = rows.iter().map(Row::time);
    assert_eq!(counts.times, times.clone().min().zip(times.max()));
    (rows, counts)
}

fn int(row: &Row, column: &str) -> i64 {
    match row.get(column) {
        Field::Int(i) => i,
        other => panic!("{column} of {row:?} is {other:?}"),
    }
}

/// Checks that a count of `n` trials of probability `p` is within 4.5 standard deviations.
fn likely(what: &str, count: u64, n: u64, p: f64) {
    let (mean, deviation) = (n as f64 * p, (n as f64 * p * (1.0 - p)).sqrt());
    let off = (count as f64 - mean).abs() / deviation.max(1e-9);
    assert!(off < 4.5, "{what}: {count} of {n}, expected {mean:.0} +- {deviation:.0}");
}

/// Checks that values are uniform: each value's count, and in all by the chi-squared statistic.
fn uniform(what: &str, values: impl Iterator<Item = i64>, low: i64, high: i64) {
    let mut counts = vec![0_u64; (high - low + 1) as usize];
    values.for_each(|value| counts[(value - low) as usize] += 1);
    let (n, k) = (counts.iter().sum::<u64>(), counts.len() as f64);
    let mean = n as f64 / k;
    let chi: f64 = counts.iter().map(|&c| (c as f64 - mean).powi(2) / mean).sum();
    let free = k - 1.0;
    let off = (chi - free) / (2.0 * free).sqrt();
    assert!(off.abs() < 5.0, "{what}: chi-squared {chi:.0} at {free} degrees of freedom");
}

#[test]
fn stocks_are_the_papers() {
    for (symbols, rise) in [(2, 0.7), (5, 0.25), (1, 1.0)] {
        let mut options = StockOptions::default();
        assert_eq!((options.events, options.symbols, options.rise), (100_000, 2, 0.7));
        options.symbols = symbols;
        options.rise = rise;
        let events: Vec<Stock> = options.stream(10).unwrap().collect();
        assert_eq!(events.len(), 100_000);
        assert!(events.iter().enumerate().all(|(i, event)| event.id == i as i64));
        assert!(events.iter().all(|event| event.time() == event.id && event.kind() == "stock"));
        uniform("volume", events.iter().map(|event| event.volume), 1, 1000);
        if symbols > 1 {
            uniform("symbol", events.iter().map(|event| event.symbol), 1, i64::from(symbols));
        }
        let mut last: HashMap<i64, i64> = HashMap::new();
        let mut moves = BTreeMap::new();
        for event in &events {
            match last.insert(event.symbol, event.price) {
                Some(before) => *moves.entry(event.price - before).or_insert(0) += 1,
                None => assert!((0..=999).contains(&event.price)),
            }
        }
        let n: u64 = moves.values().sum();
        assert_eq!(n, 100_000 - u64::from(symbols));
        assert!(moves.keys().all(|step| (-3..=3).contains(step)));
        for step in 1..=3 {
            likely("rise", *moves.get(&step).unwrap_or(&0), n, rise / 3.0);
            likely("fall", *moves.get(&-step).unwrap_or(&0), n, (1.0 - rise) / 6.0);
        }
        likely("rest", *moves.get(&0).unwrap_or(&0), n, (1.0 - rise) / 2.0);
    }
    let mut options = StockOptions::new(100_000);
    options.symbols = 50_000;
    let mut seen = HashSet::new();
    let first = options.stream(1).unwrap().filter(|event| seen.insert(event.symbol));
    uniform("first price", first.map(|event| event.price), 0, 999);
}

#[test]
fn letters_have_their_weights_and_domain() {
    let options = LetterOptions::uniform(200_000, 20, 1000);
    let events: Vec<_> = options.stream(1).unwrap().collect();
    uniform("letter", events.iter().map(|event| i64::from(event.letter)), 0, 19);
    uniform("id", events.iter().map(|event| event.id), 0, 999);
    assert!(events.iter().enumerate().all(|(i, event)| event.time == i as i64));

    let mut options = LetterOptions::default();
    options.weights = vec![5.0, 0.0, 1.0, 2.5];
    let (rows, counts) = rows(&StreamKind::Letters(options), 3);
    for (kind, weight) in [("A", 5.0), ("C", 1.0), ("D", 2.5)] {
        likely(kind, counts.types[kind], rows.len() as u64, weight / 8.5);
    }
    assert!(!counts.types.contains_key("B"));
}

#[test]
fn keys_come_and_go_as_promised() {
    for (events, live, all) in
        [(20_000, 50, 3000), (20_000, 50, 50), (18, 3, 6), (1000, 1, 400), (9999, 97, 101)]
    {
        let options = KeyOptions::new(events, live, all);
        let longest = options.longest_life();
        let (rows, counts) = rows(&StreamKind::Keys(options), 5);
        let mut lives: BTreeMap<i64, Vec<(i64, String)>> = BTreeMap::new();
        for row in &rows {
            let key = int(row, "key");
            assert!((0..1000).contains(&int(row, "value")));
            lives.entry(key).or_default().push((row.time(), row.kind().to_owned()));
        }
        assert!(lives.keys().copied().eq(0..all as i64), "{events} {live} {all}");
        let mut closed = 0;
        for life in lives.values() {
            assert!(life.len() >= 2);
            for (i, (time, kind)) in life.iter().enumerate() {
                match kind.as_str() {
                    "open" => assert_eq!(i, 0),
                    "close" => assert_eq!(i + 1, life.len()),
                    _ => assert!(i > 0),
                }
                let apart = if i > 0 { time - life[i - 1].0 } else { live as i64 };
                assert_eq!(apart, live as i64);
            }
            closed += u64::from(life[life.len() - 1].1 == "close");
            assert!(life[life.len() - 1].0 - life[0].0 <= longest as i64);
        }
        assert_eq!(counts.truth["keys"], all);
        assert_eq!(counts.truth["closed_keys"], closed);
        assert_eq!((closed, counts.truth["open_keys"]), (all - live, live));
    }
}

#[test]
fn a_stream_of_keys_may_be_of_any_length() {
    let options = KeyOptions::new(i64::MAX as u64, 1 << 20, 1 << 60);
    let mut keys = options.stream(1).unwrap();
    let last = keys.by_ref().take(5_000_000).last().unwrap();
    assert_eq!(last.time, 4_999_999);
    assert!(keys.opened() > 1 << 20 && keys.closed() > 0);
    assert_eq!(keys::KINDS.len(), 3);
}

#[test]
fn clicks_have_the_breaches_and_carts_that_the_manifest_counts() {
    let mut options = ClickOptions::new(200_000);
    options.attackers = 0.1;
    let (rows, counts) = rows(&StreamKind::Clicks(options.clone()), 7);
    assert!(rows.is_sorted_by_key(Row::time));
    let mut visits: BTreeMap<i64, Vec<&Row>> = BTreeMap::new();
    rows.iter().for_each(|row| visits.entry(int(row, "session")).or_default().push(row));
    let (mut breaches, mut attacks, mut carts, mut abandoned) = (0, 0, 0, 0);
    for visit in visits.values() {
        let of = |kind: &str| visit.iter().filter(|row| row.kind() == kind).count();
        let duration = visit[visit.len() - 1].time() - visit[0].time();
        assert!(duration <= clicks::LONGEST_VISIT);
        assert!(visit.iter().all(|row| int(row, "user") == int(visit[0], "user")));
        attacks += u64::from(of("login_failed") >= 3);
        breaches += u64::from(of("login_failed") >= 3 && of("login_ok") == 1);
        carts += u64::from(of("add_to_cart") > 0);
        abandoned += u64::from(of("add_to_cart") > 0 && of("checkout") == 0);
        let mut cart = 0.0;
        for row in visit {
            match (row.kind(), row.get("item"), row.get("amount")) {
                ("login_failed" | "login_ok", Field::Missing, Field::Missing) => {}
                ("view", Field::Int(1..=500), Field::Missing) => {}
                ("add_to_cart", Field::Int(1..=500), Field::Float(price)) => cart += price,
                ("checkout", Field::Missing, Field::Float(sum)) => {
                    assert!((sum - cart).abs() < 1e-6);
                }
                _ => panic!("{row:?}"),
            }
        }
    }
    let truth = &counts.truth;
    assert_eq!(truth["sessions"], visits.len() as u64);
    assert_eq!(truth["breaches"], breaches);
    assert_eq!(truth["carts"], carts);
    assert_eq!(truth["abandoned_carts"], abandoned);
    // The end of the stream cuts some attacks short.
    assert!((attacks..attacks + 20).contains(&truth["attacks"]), "{attacks}");
    likely("attacks", truth["attacks"], truth["sessions"], options.attackers);
    likely("breaches", breaches, truth["attacks"], options.success);
    let seconds = rows[rows.len() - 1].time() as f64 / 1000.0;
    let visits = truth["sessions"] as f64;
    assert!((visits / seconds - options.rate).abs() < 5.0 * visits.sqrt() / seconds);
    let mut many = ClickOptions::new(200_000);
    many.abandon = 1.0;
    assert!(
        !StreamKind::Clicks(many)
            .write(1, Format::Csv, &mut Vec::new())
            .unwrap()
            .types
            .contains_key("checkout")
    );
}

#[test]
fn sensors_have_the_gaps_and_late_events_that_the_manifest_counts() {
    let defaults = SensorOptions::default();
    let mut one = SensorOptions::new(3000);
    (one.sensors, one.heartbeat_every, one.outages) = (1, 1, 0.5);
    let mut slow = SensorOptions::new(50_000);
    (slow.sensors, slow.period, slow.disorder) = (5000, 10, 3);
    for (options, seed) in [(defaults, 1), (one, 2), (slow, 3)] {
        let (rows, counts) = rows(&StreamKind::Sensors(options.clone()), seed);
        let n = rows.len() as u64;
        assert_eq!(n, options.events);
        assert!(rows.is_sorted_by_key(|row| int(row, "arrival")));
        let (mut newest, mut late, mut disordered, mut beyond, mut delayed) =
            (i64::MIN, 0, 0, 0, 0);
        let disorder = i64::from(options.disorder);
        for row in &rows {
            let delay = int(row, "arrival") - row.time();
            assert!((0..=2 * disorder + 3 * i64::from(options.period)).contains(&delay));
            beyond += u64::from(delay > disorder);
            delayed += u64::from(delay > 0 && delay <= disorder);
            let is_late = row.time() < newest.saturating_sub(disorder);
            assert!(!is_late || delay > disorder);
            late += u64::from(is_late);
            disordered += u64::from(row.time() < newest);
            newest = newest.max(row.time());
            match (row.kind(), row.get("value")) {
                ("heartbeat", Field::Missing) => {}
                ("reading", Field::Float(value)) => assert!((0.0..=100.0).contains(&value)),
                _ => panic!("{row:?}"),
            }
        }
        likely("beyond the bound", beyond, n, options.late);
        likely("within the bound", delayed, n, options.disordered);
        // A sensor all alone may be silent just when a late event needs a newer one before it.
        let least = if options.sensors == 1 { 0.3 } else { 0.9 };
        assert!(late as f64 >= least * beyond as f64, "{late} of {beyond} are late");

        let mut beats: HashMap<i64, Vec<i64>> = HashMap::new();
        for row in rows.iter().filter(|row| row.kind() == "heartbeat") {
            beats.entry(int(row, "sensor")).or_default().push(row.time());
        }
        let interval = f64::from(options.heartbeat_every) * f64::from(options.period);
        let (mut gaps, mut missed) = (0, 0);
        for times in beats.values_mut() {
            times.sort_unstable();
            for pair in times.windows(2) {
                let apart = (pair[1] - pair[0]) as f64 / interval;
                gaps += u64::from(apart > 1.5);
                missed += apart.round() as u64 - 1;
            }
        }
        assert_eq!(counts.truth["gaps"], gaps);
        assert_eq!(counts.truth["missed_heartbeats"], missed);
        assert_eq!(counts.truth["late"], late);
        assert_eq!(counts.truth["disordered"], disordered);
        assert!(options.sensors == 5000 || gaps > 10, "{gaps}");
    }
    let mut punctual = SensorOptions::new(20_000);
    (punctual.late, punctual.disordered, punctual.outages) = (0.0, 0.0, 0.0);
    let (rows, counts) = rows(&StreamKind::Sensors(punctual), 1);
    assert!(rows.is_sorted_by_key(Row::time));
    assert!(counts.truth.values().all(|&count| count == 0));
}

#[test]
fn long_outages_take_no_time_and_time_has_an_end() {
    let mut options = SensorOptions::new(10_000);
    (options.sensors, options.outages) = (3, 0.9);
    (options.period, options.heartbeat_every, options.longest_outage) = (1 << 24, 1 << 10, 1 << 24);
    let mut readings = options.stream(1).unwrap();
    let count = readings.by_ref().count();
    assert!(count > 100 && count <= 10_000, "{count}");
    assert_eq!(readings.size_hint(), (0, Some(0)));
}

#[test]
fn bad_options_are_refused_with_a_reason() {
    let stock = |change: fn(&mut StockOptions)| {
        let mut options = StockOptions::default();
        change(&mut options);
        StreamKind::Stock(options)
    };
    let clicks = |change: fn(&mut ClickOptions)| {
        let mut options = ClickOptions::default();
        change(&mut options);
        StreamKind::Clicks(options)
    };
    let sensors = |change: fn(&mut SensorOptions)| {
        let mut options = SensorOptions::default();
        change(&mut options);
        StreamKind::Sensors(options)
    };
    let letters = |change: fn(&mut LetterOptions)| {
        let mut options = LetterOptions::default();
        change(&mut options);
        StreamKind::Letters(options)
    };
    for (kind, told) in [
        (stock(|o| o.symbols = 0), "symbols must be from 1"),
        (stock(|o| o.rise = 1.5), "rise must be from 0 to 1: 1.5"),
        (stock(|o| o.rise = f64::NAN), "rise must be"),
        (stock(|o| o.events = u64::MAX), "at most"),
        (clicks(|o| o.rate = 0.0), "the rate must be"),
        (clicks(|o| o.rate = f64::INFINITY), "the rate must be"),
        (clicks(|o| o.users = 0), "users must be at least 1"),
        (clicks(|o| o.items = 0), "items must be at least 1"),
        (clicks(|o| o.abandon = -0.1), "abandon must be"),
        (sensors(|o| o.sensors = 0), "sensors must be"),
        (sensors(|o| o.period = 0), "the period must be"),
        (sensors(|o| o.heartbeat_every = 0), "readings to a heartbeat"),
        (sensors(|o| o.longest_outage = u32::MAX), "the longest outage"),
        (sensors(|o| o.outages = 0.95), "outages must be from 0 to 0.9"),
        (sensors(|o| (o.late, o.disordered) = (0.6, 0.6)), "not be more than 1"),
        (letters(|o| o.weights = vec![]), "types must be from 1 to 26: 0"),
        (letters(|o| o.weights = vec![1.0; 27]), "types must be from 1 to 26: 27"),
        (letters(|o| o.weights = vec![1.0, -1.0]), "weights must be"),
        (letters(|o| o.weights = vec![0.0, 0.0]), "weights must be"),
        (letters(|o| o.weights = vec![f64::NAN]), "weights must be"),
        (letters(|o| o.domain = 0), "the domain must be"),
        (StreamKind::Keys(KeyOptions::new(100, 0, 5)), "live keys must be"),
        (StreamKind::Keys(KeyOptions::new(100, 6, 5)), "keys must be from the live ones"),
        (StreamKind::Keys(KeyOptions::new(17, 3, 6)), "need 18 events at least"),
        (StreamKind::Keys(KeyOptions::new(100, 1, u64::MAX)), "keys must be"),
    ] {
        let error = kind.write(1, Format::Csv, &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains(told), "{kind:?}: {error}");
    }
}

#[test]
fn streams_without_events_are_headers() {
    let mut text = Vec::new();
    let kind = StreamKind::Stock(StockOptions::new(0));
    let counts = kind.write(1, Format::Csv, &mut text).unwrap();
    assert_eq!(text, b"type,time,id,symbol,price,volume\n");
    assert_eq!((counts.events, counts.times, counts.bytes), (0, None, 33));
    assert_eq!(kind.columns(), ["id", "symbol", "price", "volume"]);
}
