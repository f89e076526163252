//! The program's streams of events, as a shell sees them.

#![cfg(feature = "cli")]

use assert_cmd::Command;
use data_gen::format::Format;
use data_gen::patterns::{PatternOptions, Shape};
use data_gen::stream::{
    GaussianOptions, LetterOptions, RfidOptions, RouteOptions, SensorOptions, StockOptions,
    StreamKind, TrafficOptions, TruthFile, UniformOptions,
};
use data_gen::{DataSet, PatternManifest, StreamManifest, TravelManifest};
use std::process::Output;

fn data_gen(arguments: &[&str]) -> Output {
    Command::cargo_bin("data-gen").unwrap().args(arguments).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn the_program_writes_what_the_library_does() {
    let mut stock = StockOptions::new(100_000);
    (stock.symbols, stock.rise) = (3, 0.5);
    let mut letters = LetterOptions::uniform(50, 2, 7);
    letters.weights = vec![2.0, 0.5];
    let mut sensors = SensorOptions::new(200);
    (sensors.sensors, sensors.period, sensors.heartbeat_every) = (7, 50, 3);
    (sensors.outages, sensors.longest_outage) = (0.25, 2);
    (sensors.disorder, sensors.disordered, sensors.late) = (90, 0.5, 0.125);
    let mut rfid = RfidOptions::new(60);
    (rfid.types, rfid.tags, rfid.readers) = (3, 9, 2);
    let mut routes = RouteOptions::new(70);
    (routes.types, routes.routes, routes.stops, routes.pieces) = (5, 3, 4, 2);
    (routes.noise, routes.duplicates) = (0.5, 0.25);
    let mut uniform = UniformOptions::new(40);
    (uniform.streams, uniform.per_window_per_stream, uniform.window) = (9, 5, 100);
    (uniform.slots, uniform.mean, uniform.plates_per_slot) = (10, 20, 3);
    uniform.probability = (0.25, 0.75);
    let mut gaussian = GaussianOptions::new(40);
    (gaussian.sigma, gaussian.plates.slots, gaussian.plates.mean) = (2.5, 50, 25);
    for (arguments, kind, format) in [
        (
            [
                "uniform",
                "--events=40",
                "--streams=9",
                "--per-window-per-stream=5",
                "--window=100",
                "--slots=10",
                "--mean=20",
                "--plates-per-slot=3",
                "--least-probability=0.25",
                "--greatest-probability=0.75",
            ]
            .as_slice(),
            StreamKind::Uniform(uniform),
            Format::Csv,
        ),
        (
            &["gaussian", "--events=40", "--sigma=2.5", "--slots=50", "--format=jsonl"],
            StreamKind::Gaussian(gaussian),
            Format::Jsonl,
        ),
        (
            &["rfid", "--events=60", "--types=3", "--tags=9", "--readers=2"],
            StreamKind::Rfid(rfid),
            Format::Csv,
        ),
        (
            &[
                "routes",
                "--events=70",
                "--types=5",
                "--routes=3",
                "--stops=4",
                "--pieces=2",
                "--noise=0.5",
                "--duplicates=0.25",
            ],
            StreamKind::Routes(routes),
            Format::Csv,
        ),
        (&["stock", "--symbols", "3", "--rise", "0.5"], StreamKind::Stock(stock), Format::Csv),
        (
            &["letters", "--events", "50", "--weights", "2,0.5", "--domain=7", "--format=jsonl"],
            StreamKind::Letters(letters),
            Format::Jsonl,
        ),
        (
            &[
                "sensors",
                "--events=200",
                "--sensors=7",
                "--period=50",
                "--heartbeat-every=3",
                "--outages=0.25",
                "--longest-outage=2",
                "--disorder=90",
                "--disordered=0.5",
                "--late=0.125",
                "-o",
                "-",
            ],
            StreamKind::Sensors(sensors),
            Format::Csv,
        ),
    ] {
        let mut expected = Vec::new();
        kind.write(10, format, &mut expected).unwrap();
        let output = data_gen(&[arguments, &["--seed", "10"]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(output.stdout == expected, "{arguments:?}");
        assert_eq!(stderr(&output), format!("data-gen: {}, seed 10\n", kind.name()));
    }
}

#[test]
fn a_file_gets_a_manifest_with_what_is_known() {
    let directory = tempfile::tempdir().unwrap();
    for (arguments, known) in [
        (["stock"].as_slice(), [].as_slice()),
        (
            &[
                "clicks",
                "--users=9",
                "--items=3",
                "--rate=5",
                "--attackers=0.5",
                "--success=1",
                "--abandon=0.1",
            ],
            &["abandoned_carts", "attacks", "breaches", "carts", "sessions"],
        ),
        (&["sensors"], &["disordered", "gaps", "late", "missed_heartbeats"]),
        (&["letters", "--types", "3"], &[]),
        (&["keys", "--live", "5", "--keys", "50"], &["closed_keys", "keys", "open_keys"]),
        (&["rfid"], &[]),
        (&["routes"], &["completed", "duplicates", "noise", "pieces"]),
        (&["uniform"], &[]),
        (&["gaussian"], &[]),
    ] {
        for format in ["csv", "jsonl"] {
            let path = directory.path().join(format!("{}.{format}", arguments[0]));
            let path_text = path.to_str().unwrap();
            let rest = ["--events", "3000", "--format", format, "-o", path_text, "--seed", "9"];
            let output = data_gen(&[arguments, &rest].concat());
            let told = stderr(&output);
            assert!(output.status.success(), "{told}");
            assert!(output.stdout.is_empty());
            let manifest = StreamManifest::read(&path).unwrap();
            manifest.verify(&path).unwrap();
            assert_eq!((manifest.seed, manifest.facts.events), (9, 3000));
            assert!(manifest.facts.truth.keys().eq(known), "{:?}", manifest.facts);
            assert!(told.contains("3000 events") && told.contains(&manifest.sha256), "{told}");
        }
    }
}

#[test]
fn traffic_comes_with_its_times_and_its_truth() {
    let directory = tempfile::tempdir().unwrap();
    let [day, times, truth] = ["day", "times", "truth"].map(|name| directory.path().join(name));
    let mut options = TrafficOptions::new(20);
    (options.cameras, options.spacing, options.vehicles) = (9, 1.5, 300);
    (options.clones, options.trips, options.density) = (4, 6.0, 0.25);
    (options.speeders, options.detection, options.misread) = (0.5, (0.5, 0.75), 0.25);
    (options.skew, options.batches, options.longest_batch) = (7, 50.0, 90);
    (options.outages, options.longest_outage) = (20.0, 60);
    let arguments = [
        "traffic",
        "--hours=20",
        "--cameras=9",
        "--spacing=1.5",
        "--vehicles=300",
        "--clones=4",
        "--trips=6",
        "--density=0.25",
        "--speeders=0.5",
        "--least-detection=0.5",
        "--greatest-detection=0.75",
        "--misread=0.25",
        "--skew=7",
        "--batches=50",
        "--longest-batch=90",
        "--outages=20",
        "--longest-outage=60",
        "--seed=5",
    ];
    let mut output = Command::cargo_bin("data-gen").unwrap();
    output.args(arguments).arg("-o").arg(&day).arg("--times").arg(&times);
    let output = output.arg("--truth").arg(&truth).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));

    let kind = StreamKind::Traffic(options.clone());
    let mut expected = Vec::new();
    kind.write(5, Format::Csv, &mut expected).unwrap();
    assert!(std::fs::read(&day).unwrap() == expected);
    let manifest = StreamManifest::read(&day).unwrap();
    manifest.verify(&day).unwrap();
    assert!(manifest.facts.truth["delivered_late"] > 0);

    expected.clear();
    kind.times(5).unwrap().unwrap().generate(5, &mut expected).unwrap();
    assert!(std::fs::read(&times).unwrap() == expected);
    let manifest = TravelManifest::read(&times).unwrap();
    manifest.verify(&times).unwrap();
    assert_eq!((manifest.facts.streams, manifest.seed), (9, 5));

    expected.clear();
    let file = TruthFile::new(options, Format::Csv);
    file.generate(5, &mut expected).unwrap();
    assert!(std::fs::read(&truth).unwrap() == expected);
    assert!(StreamManifest::read(&truth).unwrap().describes(&file, 5));

    let missing = directory.path().join("no/such/place");
    let output = data_gen(&["uniform", "--events=5", "--times", missing.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no/such/place"), "{}", stderr(&output));
}

#[test]
fn wrong_usage_ends_with_2_and_says_what_is_wrong() {
    for (arguments, told) in [
        (["stock", "--symbols", "0"].as_slice(), "--symbols"),
        (&["stock", "--rise", "2"], "'--rise <P>': expected a number from 0 to 1"),
        (&["stock", "--events", "many"], "'--events <N>': expected a whole number"),
        (&["stock", "--events", "-5"], "'--events <N>': expected a whole number"),
        (&["stock", "--format", "xml"], "possible values: csv, jsonl"),
        (&["xmark", "--format", "csv"], "--format"),
        (&["clicks", "--rate", "0"], "greater than 0"),
        (&["clicks", "--rate", "1e9"], "the rate must be from"),
        (&["sensors", "--outages", "1"], "outages must be from 0 to 0.9"),
        (&["letters", "--types", "27"], "--types"),
        (&["letters", "--types", "2", "--weights", "1,2"], "cannot be used with"),
        (&["letters", "--weights=-1,1"], "weights must be"),
        (&["keys", "--events", "1000"], "need 202000 events at least"),
        (&["rfid", "--readers", "0"], "--readers"),
        (&["routes", "--stops", "1001"], "--stops"),
        (&["uniform", "--streams", "1"], "--streams"),
        (&["uniform", "--mean", "3"], "the mean must be at least half the slots"),
        (&["uniform", "--least-probability", "0"], "probabilities must be above 0"),
        (&["gaussian", "--sigma", "-1"], "--sigma"),
        (&["traffic", "--hours", "0"], "--hours"),
        (&["traffic", "--density", "0"], "the density must be from"),
        (&["traffic", "--clones", "30000"], "clones must be from 0 to 20000"),
        (&["traffic", "--events", "5"], "--events"),
        (&["patterns", "--shape", "tree"], "possible values: random, distinct, routes"),
        (&["patterns", "--shortest", "11"], "the shortest first: 11 to 10"),
    ] {
        let output = data_gen(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(told), "{arguments:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn help_has_examples_and_defaults() {
    for kind in [
        "stock", "clicks", "sensors", "letters", "keys", "rfid", "routes", "uniform", "gaussian",
        "traffic",
    ] {
        let output = data_gen(&[kind, "--help"]);
        assert!(output.status.success());
        let help = String::from_utf8(output.stdout).unwrap();
        let length = if kind == "traffic" { "--hours" } else { "--events" };
        for part in ["Examples:", "--seed", "--format", length, "[default: "] {
            assert!(help.contains(part), "{kind}: {help}");
        }
        assert!(help.contains(&format!("data-gen {kind} ")), "{help}");
    }
}

#[test]
fn patterns_have_their_options_and_a_manifest() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("patterns.txt");
    let mut options = PatternOptions::new(Shape::Routes, 7);
    (options.types, options.shortest, options.longest) = (6, 2, 4);
    (options.routes, options.stops, options.window) = (3, 5, 64);
    let arguments = [
        "patterns",
        "--shape=routes",
        "--patterns=7",
        "--types=6",
        "--shortest=2",
        "--longest=4",
        "--routes=3",
        "--stops=5",
        "--window=64",
        "--seed=3",
    ];
    let mut expected = Vec::new();
    options.generate(3, &mut expected).unwrap();
    let output = data_gen(&arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(output.stdout == expected);

    let output = data_gen(&[&arguments[..], &["-o", path.to_str().unwrap()]].concat());
    let manifest = PatternManifest::read(&path).unwrap();
    manifest.verify(&path).unwrap();
    assert!(manifest.describes(&options, 3));
    assert!(stderr(&output).contains("7 patterns, "), "{}", stderr(&output));
}
