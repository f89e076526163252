//! Sightings: that they have the properties that are said of them.

use data_gen::DataSet;
use data_gen::format::Format;
use data_gen::stream::traffic::Passed;
use data_gen::stream::{
    GaussianOptions, PlateReading, Sighting, StreamKind, TrafficOptions, TravelFile, TruthFile,
    UniformOptions,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::ErrorKind;

/// Checks that a count whose expectation and variance are these is within 4.5 standard deviations.
fn likely(what: &str, count: f64, mean: f64, variance: f64) {
    let off = (count - mean).abs() / variance.sqrt().max(1e-9);
    assert!(off < 4.5, "{what}: {count}, expected {mean:.1} +- {:.1}", variance.sqrt());
}

/// The chi-squared test of a uniform distribution over `0..k`.
fn uniform(what: &str, values: impl Iterator<Item = i64>, k: usize) {
    let mut counts = vec![0_u64; k];
    values.for_each(|value| counts[value as usize] += 1);
    let mean = counts.iter().sum::<u64>() as f64 / k as f64;
    let chi: f64 = counts.iter().map(|&c| (c as f64 - mean).powi(2) / mean).sum();
    let free = k as f64 - 1.0;
    let off = (chi - free) / (2.0 * free).sqrt();
    assert!(off.abs() < 5.0, "{what}: chi-squared {chi:.0} at {free} degrees of freedom");
}

#[test]
fn uniform_keys_fill_all_slots_alike_at_the_rate_asked_for() {
    let mut options = UniformOptions::new(200_000);
    (options.streams, options.per_window_per_stream, options.window) = (30, 500, 1800);
    (options.slots, options.mean, options.plates_per_slot) = (1000, 1500, 7);
    let rows: Vec<Sighting> = options.stream(3).unwrap().collect();
    assert_eq!(rows.len(), 200_000);
    uniform("stream", rows.iter().map(|row| i64::from(row.stream)), 30);
    uniform("slot", rows.iter().map(|row| (row.key - 1000) % 1000), 1000);
    uniform("plate", rows.iter().map(|row| (row.key - 1000) / 1000), 7);
    let steps = 490_000;
    assert!(rows.iter().all(|row| (500_000_000..=990_000_000).contains(&row.nanos)));
    let above = |p: f64| rows.iter().filter(|row| f64::from(row.nanos) > p * 1e9).count() as f64;
    for p in [0.6_f64, 0.7, 0.9] {
        let share = ((0.99 - p) * 1e6).round() / f64::from(steps + 1);
        likely("probability", above(p), 2e5 * share, 2e5 * share * (1.0 - share));
    }
    // 15,000 rows a window, evenly.
    assert!(rows.is_sorted_by_key(|row| row.time));
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(row.time, i as i64 * 1800 / 15_000);
        assert_eq!(row.observation, i as i64);
        assert_eq!(row.name.as_str(), format!("s{}", row.stream));
    }
    let times = options.times().unwrap();
    assert_eq!((times.streams(), times.seconds(3, 29), times.seconds(4, 4)), (30, 1800, 0));
}

#[test]
fn the_papers_figure_15_is_one_plate_a_slot_from_1000_to_1999() {
    let mut options = UniformOptions::new(50_000);
    (options.slots, options.mean, options.plates_per_slot) = (1000, 1500, 1);
    uniform("key", options.stream(1).unwrap().map(|row| row.key - 1000), 1000);
}

#[test]
fn gaussian_slots_have_the_mean_and_the_variance() {
    for sigma in [50_f64.sqrt(), 50.0] {
        let mut options = GaussianOptions::new(200_000);
        options.sigma = sigma;
        options.plates.plates_per_slot = 11;
        let rows: Vec<Sighting> = options.stream(5).unwrap().collect();
        uniform("plate", rows.iter().map(|row| row.key / 10_000), 11);
        uniform("stream", rows.iter().map(|row| i64::from(row.stream)), 60);
        let slots: Vec<f64> = rows.iter().map(|row| (row.key % 10_000) as f64).collect();
        let n = slots.len() as f64;
        let mean = slots.iter().sum::<f64>() / n;
        likely("mean", mean, 5000.0, sigma * sigma / n);
        let variance = slots.iter().map(|slot| (slot - mean).powi(2)).sum::<f64>() / n;
        // Rounding to whole slots adds a twelfth.
        let expected = sigma * sigma + 1.0 / 12.0;
        likely("variance", variance, expected, 2.0 * expected * expected / n);
        let within = slots.iter().filter(|&&slot| (slot - 5000.0).abs() < sigma).count() as f64;
        let share = within / n;
        assert!((0.62..0.76).contains(&share), "{share} within one sigma");
    }
}

/// A town in which much happens.
fn busy() -> TrafficOptions {
    let mut options = TrafficOptions::default();
    (options.cameras, options.vehicles, options.clones) = (40, 5000, 60);
    (options.skew, options.outages, options.batches) = (3, 4.0, 10.0);
    options.longest_batch = 600;
    options
}

fn both(options: &TrafficOptions, seed: u64) -> (Vec<PlateReading>, Vec<Passed>) {
    let rows = options.stream(seed).unwrap().collect();
    let truth: Vec<Passed> = options.truth(seed).unwrap().collect();
    assert!(truth.iter().enumerate().all(|(i, passed)| passed.observation == i as i64));
    (rows, truth)
}

#[test]
fn readings_are_right_as_often_as_they_say() {
    let (rows, truth) = both(&busy(), 1);
    // By tenths of the probability: how many were right, and the sums of p and of p (1 - p).
    let mut tenths = BTreeMap::new();
    let (mut firsts, mut wrong) = (0_u64, 0_u64);
    let mut seen = HashSet::new();
    for row in &rows {
        let passed = &truth[row.observation as usize];
        let p = f64::from(row.nanos) / 1e9;
        let right = row.plate == passed.plate;
        let tenth = tenths.entry((p * 10.0) as u32).or_insert((0.0, 0.0, 0.0));
        *tenth = (tenth.0 + f64::from(u8::from(right)), tenth.1 + p, tenth.2 + p * (1.0 - p));
        if seen.insert(row.observation) {
            firsts += 1;
            wrong += u64::from(!right);
            assert!(p >= 0.5);
            if !right {
                let pairs = row.plate.as_str().bytes().zip(passed.plate.as_str().bytes());
                assert_eq!(pairs.filter(|(read, real)| read != real).count(), 1);
            }
        }
    }
    assert!(tenths.len() >= 9, "{tenths:?}");
    for (tenth, (right, mean, variance)) in tenths {
        likely(&format!("right at {tenth} tenths"), right, mean, variance);
    }
    assert_eq!(firsts, truth.len() as u64);
    let share = wrong as f64 / firsts as f64;
    assert!((0.075..0.085).contains(&share), "{share} of the first readings are wrong");
}

#[test]
fn alternatives_stand_together_and_exclude_each_other() {
    let rows: Vec<PlateReading> = busy().stream(2).unwrap().collect();
    let mut seconds = 0;
    for pair in rows.chunk_by(|a, b| a.observation == b.observation) {
        let sum: u64 = pair.iter().map(|row| u64::from(row.nanos)).sum();
        assert!(pair.len() <= 2 && sum <= 1_000_000_000);
        if let [first, second] = pair {
            seconds += 1;
            assert!(first.nanos >= second.nanos || first.nanos >= 500_000_000);
            assert!(first.plate != second.plate && second.nanos >= 10_000_000);
            assert_eq!((first.camera, first.time), (second.camera, second.time));
        }
    }
    assert!(seconds > 10_000);
    let observations: HashSet<i64> = rows.iter().map(|row| row.observation).collect();
    assert_eq!(rows.len(), observations.len() + seconds);
}

#[test]
fn trips_have_two_rush_peaks() {
    let (_, truth) = both(&TrafficOptions::new(48), 4);
    let mut hours = [0_u32; 24];
    truth.iter().for_each(|passed| hours[(passed.time / 3600 % 24) as usize] += 1);
    let peak = |from: usize, to: usize| {
        (from..to).max_by_key(|&hour| hours[hour]).map(|hour| (hour, hours[hour])).unwrap()
    };
    let (morning, evening, noon) = (peak(0, 12), peak(12, 24), hours[12]);
    assert!((7..=8).contains(&morning.0) && (17..=18).contains(&evening.0), "{hours:?}");
    assert!(morning.1 > 2 * noon && evening.1 > 2 * noon && hours[2] < noon * 2, "{hours:?}");
    assert!((hours[7] + hours[8] + hours[17] + hours[18]) * 100 > 40 * hours.iter().sum::<u32>());
    // The second day is like the first.
    let first = truth.iter().filter(|passed| passed.time < 86_400).count() as f64;
    assert!((0.45..0.55).contains(&(first / truth.len() as f64)));
}

/// Pairs of passings of one car, each with its next, in less than the fastest travel time.
fn too_fast(truth: &[Passed], times: &TravelFile) -> (usize, usize) {
    let mut last: HashMap<u32, &Passed> = HashMap::new();
    let (mut pairs, mut fast) = (0, 0);
    for passed in truth {
        if let Some(before) = last.insert(passed.vehicle, passed)
            && before.camera != passed.camera
        {
            let least = times.seconds(before.camera as usize, passed.camera as usize);
            pairs += 1;
            fast += usize::from(passed.time - before.time < i64::from(least));
        }
    }
    (pairs, fast)
}

#[test]
fn a_car_goes_on_from_where_it_is_and_only_speeders_beat_the_matrix() {
    let mut options = busy();
    options.speeders = 0.0;
    let (_, truth) = both(&options, 6);
    let (pairs, fast) = too_fast(&truth, &options.times(6).unwrap());
    assert!(pairs > 20_000);
    assert_eq!(fast, 0);
    options.speeders = 0.2;
    let (_, truth) = both(&options, 6);
    let (pairs, fast) = too_fast(&truth, &options.times(6).unwrap());
    let share = fast as f64 / pairs as f64;
    assert!((0.05..0.2).contains(&share), "{share}");
    let kind = StreamKind::Traffic(options);
    let counts = kind.write(6, Format::Csv, &mut std::io::sink()).unwrap();
    let (trips, fast) = (counts.truth["trips"] as f64, counts.truth["speeding_trips"] as f64);
    likely("speeders", fast, trips * 0.2, trips * 0.16);
    // 5060 cars, 3 trips a day, less the time that they are under way.
    assert!((0.8..1.02).contains(&(trips / 15_180.0)), "{trips}");
}

#[test]
fn the_matrix_is_one_of_shortest_ways() {
    let options = busy();
    let times = options.times(1).unwrap();
    let n = times.streams();
    assert_eq!(n, 40);
    let mut text = Vec::new();
    let counts = times.generate(1, &mut text).unwrap();
    assert_eq!((counts.streams, counts.bytes), (40, text.len() as u64));
    let lines: Vec<Vec<String>> = String::from_utf8(text)
        .unwrap()
        .lines()
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect();
    assert_eq!(lines.len(), 41);
    for a in 0..n {
        assert_eq!((&lines[0][a + 1], &lines[a + 1][0]), (&format!("c{a}"), &format!("c{a}")));
        for b in 0..n {
            assert_eq!(lines[a + 1][b + 1], times.seconds(a, b).to_string());
            assert_eq!(times.seconds(a, b), times.seconds(b, a));
            assert!(a == b || times.seconds(a, b) > 0);
            for c in 0..n {
                // Each is rounded down.
                assert!(times.seconds(a, c) <= times.seconds(a, b) + times.seconds(b, c) + 1);
            }
        }
    }
    let two = |seed| options.times(seed).unwrap();
    assert!(two(1) == two(1) && two(1) != two(2));
}

#[test]
fn plates_are_as_dense_as_asked_and_clones_carry_those_of_others() {
    for density in [0.01, 0.5] {
        let mut options = busy();
        (options.density, options.misread) = (density, 0.3);
        let (rows, truth) = both(&options, 8);
        let mut carriers: HashMap<&str, HashSet<(u32, bool)>> = HashMap::new();
        for passed in &truth {
            let carrier = (passed.vehicle, passed.clone);
            carriers.entry(passed.plate.as_str()).or_default().insert(carrier);
            assert_eq!(passed.clone, passed.vehicle >= 5000);
            // The number of the plate lies in the space.
            let number = u64::from_str_radix(&passed.plate.as_str()[1..], 36).unwrap();
            assert!(number < (5000.0 / density) as u64 && passed.plate.as_str().starts_with('B'));
        }
        assert!(carriers.values().all(|cars| cars.len() <= 2
            && cars.iter().filter(|car| car.1).count() <= 1
            && cars.iter().filter(|car| !car.1).count() <= 1));
        let doubles = carriers.values().filter(|cars| cars.len() == 2).count();
        assert!((40..=60).contains(&doubles), "{doubles} of 60 clones were seen with the original");
        // The denser, the more often a misread plate is somebody's.
        let wrong: Vec<&PlateReading> =
            rows.iter().filter(|row| row.plate != truth[row.observation as usize].plate).collect();
        let mistaken = wrong.iter().filter(|row| carriers.contains_key(row.plate.as_str())).count();
        let share = mistaken as f64 / wrong.len() as f64 / density;
        assert!((0.2..1.1).contains(&share), "{share} of the density {density}");
    }
}

#[test]
fn cameras_have_clocks_delays_and_outages_of_their_own() {
    let options = busy();
    let (rows, truth) = both(&options, 9);
    let mut clocks: HashMap<u32, HashSet<i64>> = HashMap::new();
    let (mut newest, mut latest) = (i64::MIN, 0);
    for row in &rows {
        let off = row.time - truth[row.observation as usize].time;
        clocks.entry(row.camera).or_default().insert(off);
        assert!(off.abs() <= 3);
        latest = latest.max(newest.saturating_sub(row.time));
        newest = newest.max(row.time);
    }
    assert!(clocks.len() == 40 && clocks.values().all(|offs| offs.len() == 1));
    assert_eq!(clocks.values().flatten().collect::<HashSet<_>>().len(), 7);
    let bound = i64::from(options.lateness());
    assert!(latest > 300 && latest <= bound, "{latest} of {bound}");

    let kind = StreamKind::Traffic(options.clone());
    let counts = kind.write(9, Format::Csv, &mut std::io::sink()).unwrap().truth;
    assert_eq!(counts["observations"], truth.len() as u64);
    assert!(counts["delivered_late"] > 500 && counts["lost_in_outages"] > 500);
    let watched = counts["passings"] - counts["lost_in_outages"];
    let detected = 1.0 - counts["undetected"] as f64 / watched as f64;
    assert!((0.78..0.88).contains(&detected), "{detected}");
    // 4 outages a day of 15 minutes on average.
    let lost = counts["lost_in_outages"] as f64 / counts["passings"] as f64;
    assert!((0.02..0.07).contains(&lost), "{lost}");
    let of_clones = truth.iter().filter(|passed| passed.clone).count() as u64;
    assert_eq!(counts["observations_of_clones"], of_clones);

    let mut calm = options;
    (calm.outages, calm.batches, calm.detection, calm.misread) = (0.0, 0.0, (1.0, 1.0), 0.0);
    let (rows, truth) = both(&calm, 9);
    assert_eq!(rows.len(), truth.len());
    assert!(rows.iter().all(|row| row.plate == truth[row.observation as usize].plate));
    let mut newest = i64::MIN;
    for row in &rows {
        assert!(newest.saturating_sub(row.time) <= 3 + 6);
        newest = newest.max(row.time);
    }
}

#[test]
fn the_truth_has_a_file_with_a_row_for_each_observation() {
    let mut options = busy();
    options.vehicles = 300;
    let truth: Vec<Passed> = options.truth(2).unwrap().collect();
    let mut text = Vec::new();
    let counts = TruthFile::new(options, Format::Csv).generate(2, &mut text).unwrap();
    assert_eq!((counts.events, counts.bytes), (truth.len() as u64, text.len() as u64));
    let text = String::from_utf8(text).unwrap();
    let first = &truth[0];
    let expected = format!(
        "stream,time,observation,vehicle,plate,clone\n{},{},0,{},{},{}\n",
        first.name, first.time, first.vehicle, first.plate, first.clone
    );
    assert!(text.starts_with(&expected), "{}", &text[..200]);
}

#[test]
fn bad_options_are_refused_with_a_reason() {
    let uniform = |change: fn(&mut UniformOptions)| {
        let mut options = UniformOptions::default();
        change(&mut options);
        StreamKind::Uniform(options)
    };
    let traffic = |change: fn(&mut TrafficOptions)| {
        let mut options = TrafficOptions::default();
        change(&mut options);
        StreamKind::Traffic(options)
    };
    let mut wide = GaussianOptions::default();
    wide.sigma = f64::NAN;
    for (kind, told) in [
        (uniform(|o| o.streams = 1), "streams must be from 2"),
        (uniform(|o| o.window = 0), "the window must be at least 1"),
        (uniform(|o| o.slots = 0), "slots must be at least 1"),
        (uniform(|o| o.mean = 10), "the mean must be at least half the slots, 5000: 10"),
        (uniform(|o| o.plates_per_slot = 0), "plates of a slot"),
        (uniform(|o| o.probability = (0.0, 1.0)), "probabilities must be above 0"),
        (uniform(|o| o.probability = (0.9, 0.5)), "the least first: 0.9 to 0.5"),
        (StreamKind::Gaussian(wide), "sigma must be above 0"),
        (traffic(|o| o.hours = 0), "hours must be from 1"),
        (traffic(|o| o.cameras = 1), "cameras must be from 2"),
        (traffic(|o| o.clones = 20_001), "clones must be from 0 to 20000"),
        (traffic(|o| o.density = 0.0), "the density must be from"),
        (traffic(|o| o.density = f64::NAN), "the density must be from"),
        (traffic(|o| o.detection = (0.9, 0.8)), "the least probability of detection"),
        (traffic(|o| o.detection = (0.9, 1.8)), "detection must be from 0 to 1"),
        (traffic(|o| o.misread = 0.6), "misread must be from"),
        (traffic(|o| o.speeders = -0.1), "speeders must be from 0 to 1"),
        (traffic(|o| (o.vehicles, o.density) = (10_000_000, 0.01)), "need more than"),
        (traffic(|o| o.longest_batch = 0), "the longest batch"),
    ] {
        let error = kind.write(1, Format::Csv, &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains(told), "{error}");
        assert_eq!(kind.times(1).is_ok(), matches!(kind, StreamKind::Gaussian(_)), "{told}");
    }
    let mut many = UniformOptions::default();
    many.streams = 10_001;
    assert!(many.times().is_err());
}
