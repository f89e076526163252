//! Streams and results as short text, for cases that are written by hand.

use nfab::language::Query;
use nfab::{Cause, CompileOptions, Config, EndOfInput, HoldBack, KleeneOutput, Value};

use super::engine::report;
use super::{Ev, Found, Kleene, Options, Outcome, Step, outcome};

fn value(text: &str) -> Value {
    match text {
        "-" => Value::Missing,
        "nan" => Value::Float(f64::NAN),
        _ => match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(i), _) => Value::Int(i),
            (_, Ok(x)) => Value::Float(x),
            _ => Value::Text(text.into()),
        },
    }
}

fn kind(text: &str) -> &'static str {
    let all = ["A", "B", "C", "D", "N", "V", "Stock"];
    all.into_iter().find(|k| *k == text).expect("a known type")
}

/// Events `Type:x:k@time` and watermarks `@time`, separated by blanks. Without a time an event has
/// that of the step before plus one; attributes that are not written are missing.
pub fn steps(text: &str) -> Vec<Step> {
    let mut now = -1;
    let step = |word: &str| {
        let (event, time) = word.split_once('@').unwrap_or((word, ""));
        now = time.parse().unwrap_or(now + 1);
        if event.is_empty() {
            return Step::Watermark(now);
        }
        let mut parts = event.split(':');
        let kind = kind(parts.next().expect("a type"));
        let attributes = ["x", "k"].into_iter().zip(parts.map(value)).collect();
        Step::Event(Ev { kind, time: now, attributes })
    };
    text.split_whitespace().map(step).collect()
}

/// `a0 b2 #2`: variables with numbers of events, then the cause: `#` an event, `@` a time.
pub fn show(found: &Found) -> String {
    let cause = match found.cause {
        Cause::Event(number) => format!("#{number}"),
        Cause::Time(time) => format!("@{time}"),
        Cause::End => "end".to_owned(),
    };
    let events = found.events.iter().map(|(number, variable)| format!("{variable}{number}"));
    events.chain([cause]).collect::<Vec<_>>().join(" ")
}

/// A query in short: the items of the pattern, and what comes behind the pattern.
pub fn query(items: &str, clauses: &str) -> Query {
    let text = format!("PATTERN SEQ({items}) {clauses}");
    Query::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The matches that the oracle finds, and the engine as well.
pub fn matches(query: &Query, stream: &str, kleene: Kleene, end: EndOfInput) -> Vec<String> {
    let options = Options { kleene, end, hold_back: HoldBack::Wait };
    both(query, &steps(stream), options).matches.iter().map(show).collect()
}

/// What the oracle reports; the engine has to agree.
pub fn both(query: &Query, steps: &[Step], options: Options) -> Outcome {
    let expected = outcome(query, steps, options).expect("few runs");
    let compile = CompileOptions::new().kleene_output(match options.kleene {
        Kleene::Each => KleeneOutput::Each,
        Kleene::Maximal => KleeneOutput::Maximal,
    });
    let config = Config::new().end_of_input(options.end).timeouts(true);
    match report(query, steps, compile, config) {
        Ok(found) => assert_eq!(found, expected, "{query}"),
        Err(error) => assert!(error.message().contains("later events"), "{query}: {error}"),
    }
    expected
}
