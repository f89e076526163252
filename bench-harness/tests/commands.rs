//! The command line on experiments of the tests' own: what is written, what is shown, what is refused.

mod common;

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use bench_harness::cli;
use bench_harness::experiment::{Experiment, Registry};
use bench_harness::number::{grouped, short};
use bench_harness::progress::Progress;
use bench_harness::record::{CLAIMS, Judgement, RESULTS, Records, Row};
use common::{Example, Timed, registry};

fn call(registry: &Registry, arguments: &[&str]) -> (ExitCode, String) {
    let mut out = Vec::new();
    let arguments = std::iter::once("bench-harness").chain(arguments.iter().copied());
    let code = cli::run(registry, arguments, &mut out, &Progress::silent());
    (code, String::from_utf8(out).unwrap())
}

fn reproduce(registry: &Registry, directory: &Path) -> ExitCode {
    let out = directory.to_str().unwrap();
    let data = directory.join("data");
    call(
        registry,
        &["reproduce", "--scale", "tiny", "--out", out, "--data", data.to_str().unwrap()],
    )
    .0
}

/// What stands between each pair of tags, with the markup inside taken out and entities resolved.
fn between<'a>(html: &'a str, open: &str, close: &str) -> Vec<String> {
    let text = |inner: &'a str| {
        let mut text = String::new();
        let mut inside = false;
        for character in inner.chars() {
            match character {
                '<' => inside = true,
                '>' => inside = false,
                _ if !inside => text.push(character),
                _ => {}
            }
        }
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
    };
    html.split(open)
        .skip(1)
        .map(|rest| text(rest.split(close).next().unwrap_or_default()))
        .collect()
}

#[test]
fn list_prints_ids_one_a_line() {
    let (code, out) = call(&registry(), &["list"]);
    assert_eq!(code, ExitCode::SUCCESS);
    assert_eq!(out, "made-up-example\nmade-up-bars\nmade-up-lines\ntimed\n");
}

#[test]
fn run_prints_rows_then_claims_as_json_lines() {
    let (code, out) = call(&registry(), &["run", "made-up-bars", "--scale", "tiny", "--seed", "9"]);
    assert_eq!(code, ExitCode::SUCCESS);
    let (rows, claims): (Vec<&str>, Vec<&str>) =
        out.lines().partition(|line| line.contains("\"series\""));
    let rows: Vec<Row> = rows.into_iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 14 + 28);
    assert!(rows.iter().all(|row| row.seed == 9 && row.machine.ends_with("scale tiny")));
    let claims: Vec<Judgement> =
        claims.into_iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verdicts: Vec<String> = claims.iter().map(|claim| claim.verdict.to_string()).collect();
    assert_eq!(verdicts, ["holds", "holds", "cannot be judged here"]);
}

#[test]
fn mistakes_in_the_call_exit_with_2() {
    for arguments in [
        &["run", "nonsense"][..],
        &["run"],
        &["frobnicate"],
        &["reproduce", "--scale", "huge"],
        &["reproduce", "--only", "nonsense"],
        &["verify", "--seed", "many"],
        &["report", "--from", "no-such-directory"],
        // A file where a directory is wanted.
        &["reproduce", "--out", "Cargo.toml"],
    ] {
        assert_eq!(call(&registry(), arguments).0, ExitCode::from(2), "{arguments:?}");
    }
}

#[test]
fn claims_that_fail_do_not_fail_the_run_but_examples_do() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(reproduce(&registry(), directory.path()), ExitCode::SUCCESS);
    let wrong = Registry::default()
        .with([Box::new(Example { id: "wrong", answer: "1, 2" }) as Box<dyn Experiment>]);
    assert_eq!(reproduce(&wrong, directory.path()), ExitCode::from(1));
    assert_eq!(call(&wrong, &["verify", "--scale", "tiny"]).0, ExitCode::from(1));
    assert_eq!(call(&wrong, &["run", "wrong"]).0, ExitCode::from(1));
    // The report is written all the same, and says so.
    let html = fs::read_to_string(directory.path().join("index.html")).unwrap();
    assert!(html.contains("does not hold here"));
}

#[test]
fn engines_that_disagree_have_no_verdict() {
    let directory = tempfile::tempdir().unwrap();
    let registry = Registry::default().with([
        Box::new(Timed { agree: false }) as Box<dyn Experiment>,
        Box::new(Example { id: "right", answer: "1, 2, 3" }),
    ]);
    assert_eq!(reproduce(&registry, directory.path()), ExitCode::from(1));
    let records = Records::read(directory.path()).unwrap();
    assert_eq!(records.rows_of("timed").count() + records.judgements_of("timed").count(), 0);
    assert_eq!(records.judgements_of("right").count(), 1);
    let html = fs::read_to_string(directory.path().join("index.html")).unwrap();
    assert!(html.contains("Without a verdict, because not run or failed: <a href=\"#timed\">"));
}

#[test]
fn verify_takes_no_times() {
    assert_eq!(call(&registry(), &["verify", "--scale", "tiny"]).0, ExitCode::SUCCESS);
    // The disagreement of these two shows only when they are timed.
    let registry =
        Registry::default().with([Box::new(Timed { agree: false }) as Box<dyn Experiment>]);
    assert_eq!(call(&registry, &["verify"]).0, ExitCode::SUCCESS);
}

#[test]
fn the_page_is_rebuilt_from_the_two_files_alone() {
    let first = tempfile::tempdir().unwrap();
    assert_eq!(reproduce(&registry(), first.path()), ExitCode::SUCCESS);
    let html = fs::read_to_string(first.path().join("index.html")).unwrap();

    let second = tempfile::tempdir().unwrap();
    for name in [RESULTS, CLAIMS] {
        fs::copy(first.path().join(name), second.path().join(name)).unwrap();
    }
    let from = second.path().join(RESULTS);
    let out = second.path().join("page");
    let arguments = ["report", "--from", from.to_str().unwrap(), "--out", out.to_str().unwrap()];
    assert_eq!(call(&registry(), &arguments).0, ExitCode::SUCCESS);
    assert_eq!(fs::read_to_string(out.join("index.html")).unwrap(), html);
}

#[test]
fn drawings_stand_alone() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(reproduce(&registry(), directory.path()), ExitCode::SUCCESS);
    let plots = directory.path().join("plots");
    let from = directory.path().to_str().unwrap();
    let arguments = ["report", "--from", from, "--plots", plots.to_str().unwrap()];
    assert_eq!(call(&registry(), &arguments).0, ExitCode::SUCCESS);
    let html = fs::read_to_string(directory.path().join("index.html")).unwrap();

    let files = fs::read_dir(&plots).unwrap().map(|file| file.unwrap().path());
    let drawings: Vec<String> = files.map(|path| fs::read_to_string(path).unwrap()).collect();
    assert!(plots.join("made-up-example-graph-1.svg").exists());
    // The page has each plot twice, for two widths, and each graph once.
    assert_eq!(drawings.len(), html.matches("<div class=\"wide\">").count() + 1);
    for drawing in &drawings {
        assert!(drawing.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox="));
        for name in between(drawing, "var(--", ")") {
            assert!(drawing.contains(&format!("--{name}: #")), "{name} has no colour");
        }
        let (_, body) = drawing.split_once("fill=\"var(--card)\"/>").expect("a background");
        assert!(html.contains(body.trim()), "the page has the same drawing");
    }
}

#[test]
fn every_number_of_the_page_stems_from_the_files() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(reproduce(&registry(), directory.path()), ExitCode::SUCCESS);
    let html = fs::read_to_string(directory.path().join("index.html")).unwrap();
    let records = Records::read(directory.path()).unwrap();

    let mut known: HashSet<String> = HashSet::new();
    for row in &records.rows {
        known.extend([row.value, row.lo, row.hi, f64::from(row.n)].map(grouped));
    }
    let cells = between(&html, "<td class=\"num\">", "</td>");
    assert_eq!(cells.len(), records.rows.len() * 4);
    for cell in &cells {
        assert!(known.contains(cell), "{cell} is not in the files");
    }

    // Each claim, its numbers and its verdict stand on the page as they do in the file.
    let texts: HashSet<String> = between(&html, "<dd>", "</dd>").into_iter().collect();
    for judgement in &records.judgements {
        // What came out as expected is not repeated.
        let same = judgement.measured == judgement.paper;
        let measured = if same { "as expected" } else { &judgement.measured };
        assert!(texts.contains(measured), "{measured}");
        assert!(texts.contains(&judgement.rule), "{}", judgement.rule);
    }
    // So do they in the table in front, as far as there is room.
    for (head, number) in [("Measured", 1), ("The paper", 0), ("Expected", 0)] {
        let cells = between(&html, &format!("<td class=\"said\" data-head=\"{head}\">"), "</td>");
        assert!(cells.len() > number * (records.judgements.len() - 1), "{head}");
        for cell in cells {
            let begin = cell.strip_suffix(" …").unwrap_or(&cell);
            let stands = records.judgements.iter().any(|one| {
                let text = if head == "Measured" { &one.measured } else { &one.paper };
                let same = begin == "as expected" && one.measured == one.paper;
                same || *text == cell || (begin.len() < cell.len() && text.starts_with(begin))
            });
            assert!(stands, "{head}: {cell}");
        }
    }
    let verdicts = html.matches("<span class=\"verdict").count();
    assert_eq!(verdicts, records.judgements.len() * 2);

    // Tooltips of the plots: value and interval of a row, and nothing else.
    let tooltips: HashSet<String> = records
        .rows
        .iter()
        .map(|row| {
            let value = format!("{}\u{a0}{}", short(row.value), row.unit);
            let (lo, hi) = (short(row.lo), short(row.hi));
            let place = format!("{} at {}: {value}", row.series, row.x);
            format!("{place}, 95 % interval {lo} to {hi}, {} runs", row.n)
        })
        .collect();
    let charts = html.split("<figure>").filter(|figure| figure.contains("class=\"wide\""));
    let mut seen = 0;
    for title in charts.flat_map(|figure| between(figure, "<title>", "</title>")) {
        assert!(tooltips.contains(&title), "{title}");
        seen += 1;
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn a_changed_number_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(reproduce(&registry(), directory.path()), ExitCode::SUCCESS);
    let path = directory.path().join(RESULTS);
    let text = fs::read_to_string(&path).unwrap();
    let ratio = text.lines().find(|line| line.contains("Quick / Slow engine")).unwrap();
    let mut changed: Row = serde_json::from_str(ratio).unwrap();
    (changed.value, changed.hi) = (1.5, 1.6);
    let changed = serde_json::to_string(&changed).unwrap();
    fs::write(&path, text.replacen(ratio, &changed, 1)).unwrap();
    let from = directory.path().to_str().unwrap();
    assert_eq!(call(&registry(), &["report", "--from", from]).0, ExitCode::from(2));
}

#[test]
fn results_of_unknown_experiments_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(reproduce(&registry(), directory.path()), ExitCode::SUCCESS);
    let from = directory.path().to_str().unwrap();
    assert_eq!(call(&Registry::default(), &["report", "--from", from]).0, ExitCode::from(2));
}

#[test]
fn the_page_is_self_contained_and_has_no_scripts() {
    // Kept where a person can open it: the tests' own directory below the build directory.
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sample-report");
    assert_eq!(reproduce(&registry(), &directory), ExitCode::SUCCESS);
    let html = fs::read_to_string(directory.join("index.html")).unwrap();
    for forbidden in ["<script", "http://", "https://", " src=", "@import", "url(", "onclick"] {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
    for id in registry().ids() {
        assert!(html.contains(&format!("<section id=\"{id}\">")), "{id}");
        assert!(html.contains(&format!("-- run {id} --scale tiny --seed 1")), "{id}");
    }
    assert!(html.contains("The automaton of &lt;a&gt; &amp; &lt;b&gt;"));
    assert!(html.contains("//a[b]/{c!, d*} &lt;&amp;&gt;"));
    assert!(html.contains("prefers-color-scheme: dark"));
}

#[test]
fn claims_of_the_paper_are_counted_apart() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(reproduce(&registry(), directory.path()), ExitCode::SUCCESS);
    let html = fs::read_to_string(directory.path().join("index.html")).unwrap();
    let text = "<h3>Claims of the paper</h3>\n<p>6 claims: ";
    assert!(html.contains(text));
    let text = "<h3>Worked examples and our own checks</h3>\n<p>1 claim: 1 holds, 0 do not hold \
                here, 0 cannot be judged here.</p>";
    assert!(html.contains(text));
}
