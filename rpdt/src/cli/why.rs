//! `--why`: what of each step of a query occurs in a document, and what nearly does.

use std::cmp::Reverse;
use std::fmt::Write as _;

use rpdt::input::{Flow, ScannerSource, TagSource};
use rpdt::pattern::{Axis, Literal, NameTest, NodeId, Op, Operand, ValueTest};
use rpdt::{Error, ErrorKind, Pattern, Plan};

use super::arguments::Search;
use super::census::{Census, Few, Step, Tested, Wanted, split};
use super::input::{self, Input};
use super::report;

/// Names that are offered in place of one that does not occur.
const OFFERED: usize = 3;

/// Reads the document once more, and tells what it has of the queries.
pub(super) fn tell(arguments: &Search, plan: &Plan, input: &mut Input, found: u64) {
    let names = arguments.names();
    let mut census = Census::new(plan.patterns(), &names.namespaces(), names.default_namespace());
    let read = read(ScannerSource::new(arguments.source()), input, &mut census);
    let mut text = format!(
        "why: elements of {} with the name of each step, and in the place where its axis wants them",
        input.name
    );
    for step in &census.steps {
        let pattern = &plan.patterns()[step.query];
        if plan.patterns().len() > 1 && step.id == NodeId::ROOT {
            let _ = write!(text, "\nquery {}:", step.query);
        }
        let (path, closing) = path(pattern, step.id);
        let _ = write!(text, "\n  {path}{closing}: {}", place(&census, step, pattern));
        for tested in &step.tests {
            let test = shown_test(tested.test);
            let _ = write!(text, "\n  {path}[{test}]{closing}: {}", value(step, tested, pattern));
        }
    }
    let occurs =
        |step: &Step<'_>| step.placed > 0 && step.tests.iter().all(|tested| tested.passed > 0);
    if found == 0 && read.is_ok() && census.steps.iter().all(occurs) {
        text.push_str(
            "\n  (each of these occurs, but not all together: in one element, or in the order that \
             the braces want)",
        );
    }
    if census.forgot {
        text.push_str(
            "\n  (the document has more names than are remembered: others may be nearer)",
        );
    }
    if let Err(error) = read {
        let place = error.position().map(|at| format!("it ended at byte {}: ", at.offset));
        let place = place.unwrap_or_default();
        let _ = write!(
            text,
            "\n  (the second look, which reads all elements, did not come to the end: {place}{})",
            error.message()
        );
    }
    report::tell(text);
}

fn read(
    mut source: ScannerSource,
    input: &mut Input,
    census: &mut Census<'_>,
) -> Result<(), Error> {
    let failed = |e: std::io::Error| Error::new(ErrorKind::Io, input::plain(&e));
    input.rewind().map_err(failed)?;
    let mut buffer = vec![0; 256 << 10];
    loop {
        let n = input.read(&mut buffer).map_err(failed)?;
        if n == 0 {
            return source.finish(census);
        }
        if source.feed(&buffer[..n], census)? == Flow::Stopped {
            return Ok(());
        }
    }
}

/// A step with all above it, as the query might write it, and the brackets that are open then.
fn path(pattern: &Pattern, id: NodeId) -> (String, String) {
    let parents = pattern.parents();
    let symbols = pattern.symbols();
    let mut ids: Vec<_> = std::iter::successors(Some(id), |id| parents[id.index()]).collect();
    ids.reverse();
    let (mut path, mut closing) = (String::new(), String::new());
    for id in ids {
        let node = pattern.node(id);
        let descendant = node.axis == Axis::Descendant;
        let (opens, closes) = if pattern.trunk().contains(&id) {
            (if descendant { "//" } else { "/" }, "")
        } else if !symbols[id.index()] {
            (if descendant { "[.//" } else { "[" }, "]")
        } else if parents[id.index()] == pattern.trunk().last().copied() {
            ("/{", "}")
        } else {
            ("[{", "}]")
        };
        path.push_str(opens);
        path.push_str(&shown_name(&node.test));
        closing.insert_str(0, closes);
    }
    (path, closing)
}

fn shown_name(test: &NameTest) -> String {
    match test {
        NameTest::Any => "*".to_owned(),
        NameTest::Name(name) => name.to_string(),
        NameTest::Prefixed { prefix, local } => format!("{prefix}:{local}"),
        NameTest::AnyNamespace(local) => format!("*:{local}"),
    }
}

fn shown_operand(operand: &Operand) -> String {
    match operand {
        Operand::Attribute(name) => format!("@{name}"),
        Operand::Text => "text()".to_owned(),
        Operand::StringValue => ".".to_owned(),
    }
}

fn shown_literal(literal: &Literal) -> String {
    match literal {
        Literal::Number(number) => number.to_string(),
        Literal::String(string) if string.contains('"') => format!("'{string}'"),
        Literal::String(string) => format!("\"{string}\""),
    }
}

pub(super) fn shown_test(test: &ValueTest) -> String {
    let operand = shown_operand(&test.operand);
    match &test.comparison {
        None => operand,
        Some((op, literal)) => format!("{operand}{}{}", op.sign(), shown_literal(literal)),
    }
}

fn listed(few: &Few, mark: &str) -> String {
    let texts: Vec<_> = few.texts.iter().map(|text| format!("{mark}{text}{mark}")).collect();
    format!("{}{}", texts.join(", "), if few.more { ", ..." } else { "" })
}

fn place(census: &Census<'_>, step: &Step<'_>, pattern: &Pattern) -> String {
    let name = shown_name(&pattern.node(step.id).test);
    if step.named == 0 {
        return missing(census, step, &name);
    }
    let counts = format!("{} in the document, {} in place", step.named, step.placed);
    if step.placed > 0 {
        return counts;
    }
    let Some(parent) = step.parent else {
        return format!("{counts}; the document element is `{}`", census.root);
    };
    let parent = &census.steps[parent];
    let above = shown_name(&pattern.node(parent.id).test);
    let of = if step.parents.texts.is_empty() {
        "it is the document element".to_owned()
    } else {
        format!("it is one of {}", listed(&step.parents, "`"))
    };
    match step.axis {
        _ if parent.named == 0 => format!("{counts}; there is no `{above}`"),
        Axis::Child if step.under == 0 => {
            format!("{counts}; `{name}` is never a child of `{above}`; {of}")
        }
        _ if parent.placed == 0 => format!("{counts}; no `{above}` is in its place"),
        Axis::Child => {
            format!("{counts}; `{name}` is no child of a `{above}` that is in its place")
        }
        Axis::Descendant => {
            let of = of.replacen("it is one of", "it is a child of", 1);
            format!("{counts}; `{name}` is never inside a `{above}` that is in its place; {of}")
        }
    }
}

/// The name does not occur: what does.
fn missing(census: &Census<'_>, step: &Step<'_>, name: &str) -> String {
    let (uri, local) = match &step.wanted {
        // Every document has elements; this one was not read so far.
        Wanted::Any => return "no element".to_owned(),
        Wanted::Written(local) | Wanted::Local(local) => (None, local),
        Wanted::Expanded { uri, local } => (Some(uri), local),
    };
    let mut same: Vec<_> = census.names().filter(|n| split(n.1).1 == local.as_bytes()).collect();
    same.sort_by_key(|&(uri, name, count)| (Reverse(count), name, uri));
    if let Some(uri) = uri
        && !census.names().any(|name| name.0 == uri)
    {
        let declared = if census.declared.texts.is_empty() {
            "the document declares none".to_owned()
        } else {
            format!("the document declares {}", listed(&census.declared, "`"))
        };
        return format!("no element `{name}`; no element is in the namespace `{uri}`; {declared}");
    }
    if let Some((other, written, count)) = same.first() {
        let written = String::from_utf8_lossy(written);
        let namespace = match *other {
            "" => "in no namespace".to_owned(),
            uri => format!("in the namespace `{uri}`"),
        };
        return format!(
            "no element `{name}`; `{local}` occurs as `{written}` ({count}), {namespace}: try \
             `*:{local}` or --ns"
        );
    }
    let candidates = census.names().filter(|n| uri.is_none_or(|uri| n.0 == uri));
    let mut near: Vec<_> = candidates
        .filter_map(|(_, written, count)| {
            let written = std::str::from_utf8(written).ok()?;
            let (_, other) = split(written.as_bytes());
            let far = distance(local, std::str::from_utf8(other).ok()?)?;
            Some((far, Reverse(count), written))
        })
        .collect();
    near.sort_unstable();
    near.dedup_by_key(|near| near.2);
    if near.first().is_some_and(|near| near.0 == 0) {
        near.retain(|near| near.0 == 0);
    }
    let near: Vec<_> = near
        .iter()
        .take(OFFERED)
        .map(|(_, count, written)| format!("`{written}` ({})", count.0))
        .collect();
    match near.len() {
        0 => format!("no element `{name}`, nor one whose name is similar"),
        1 => format!("no element `{name}`; there is {}", near[0]),
        _ => format!("no element `{name}`; there are {}", near.join(", ")),
    }
}

/// How far a name is from another: 0 if they differ in case only, else the edit distance, up to 2 and
/// less than the length of the name.
fn distance(wanted: &str, other: &str) -> Option<usize> {
    let wanted: Vec<char> = wanted.chars().flat_map(char::to_lowercase).collect();
    let other: Vec<char> = other.chars().flat_map(char::to_lowercase).collect();
    let most = 2.min(wanted.len().saturating_sub(1));
    if wanted.len().abs_diff(other.len()) > most {
        return None;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in wanted.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    let distance = row[other.len()];
    (distance <= most).then_some(distance)
}

fn value(step: &Step<'_>, tested: &Tested<'_>, pattern: &Pattern) -> String {
    let operand = shown_operand(&tested.test.operand);
    let name = shown_name(&pattern.node(step.id).test);
    if step.placed == 0 {
        return format!("no `{name}` is in place");
    }
    if tested.present == 0 && tested.unknown == 0 {
        return match &tested.test.operand {
            Operand::Attribute(wanted) => no_attribute(step, wanted, &name),
            _ => format!("no `{name}` in place has a text of its own"),
        };
    }
    let mut text = match &tested.test.operand {
        Operand::StringValue => String::new(),
        _ => format!("{} have `{operand}`", tested.present),
    };
    if let Some((op, literal)) = &tested.test.comparison {
        let separator = if text.is_empty() { "" } else { ", " };
        let _ = write!(text, "{separator}{} pass", tested.passed);
        if tested.passed == 0 && tested.unknown == 0 {
            let literal = shown_literal(literal);
            let is = if *op == Op::Eq { String::new() } else { format!("{} ", op.sign()) };
            let _ = write!(text, "; no `{operand}` is {is}{literal}");
        }
        if !tested.values.texts.is_empty() {
            let _ = write!(text, "; values seen: {}", listed(&tested.values, "\""));
        }
    }
    if tested.unknown > 0 {
        let _ = write!(
            text,
            "; {} not compared: their text is long, or they are inside too many others",
            tested.unknown
        );
    }
    text
}

fn no_attribute(step: &Step<'_>, wanted: &str, name: &str) -> String {
    let (_, local) = split(wanted.as_bytes());
    let local = String::from_utf8_lossy(local);
    let mut near: Vec<_> = step
        .attributes
        .texts
        .iter()
        .filter_map(|other| {
            let (_, other_local) = split(other.as_bytes());
            Some((distance(&local, &String::from_utf8_lossy(other_local))?, other))
        })
        .collect();
    near.sort_unstable();
    let near: Vec<_> = near.iter().take(OFFERED).map(|near| format!("`@{}`", near.1)).collect();
    let mut text = format!("no `{name}` in place has `@{wanted}`");
    if !near.is_empty() {
        let _ = write!(text, "; there is {}", near.join(", "));
    } else if step.attributes.texts.is_empty() {
        text.push_str("; it has no attributes");
    } else {
        let all = Few {
            texts: step.attributes.texts[..step.attributes.texts.len().min(5)].to_vec(),
            more: step.attributes.texts.len() > 5,
        };
        let _ = write!(text, "; its attributes are {}", listed(&all, "`"));
    }
    if wanted.contains(':') {
        text.push_str("; a prefix that is not declared with --ns is compared as it is written");
    }
    text
}
