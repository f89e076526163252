//! Faults that were found by trying to break the engine, one test each.

use std::ops::ControlFlow;

use rpdt::{
    Answer, Config, Count, ErrorKind, Limits, Namespaces, Needs, Order, Pattern, Plan, Runs, Shape,
    Value, Visit,
};

fn plan(query: &str, config: Config) -> Plan {
    Plan::new(vec![Pattern::parse(query).unwrap()], config).unwrap()
}

/// How many answers are there after each part of a document.
fn answers_after(query: &str, parts: &[&str]) -> Vec<usize> {
    let plan = plan(query, Config::new());
    let mut answers = 0;
    let mut seen = Vec::new();
    let mut matcher = plan.matcher(Visit::new(Needs::range(), |_, _: &Answer<'_>| {
        answers += 1;
        ControlFlow::Continue(())
    }));
    for part in parts {
        matcher.feed(part.as_bytes()).unwrap();
        seen.push(matcher.stats().answers as usize);
    }
    matcher.finish().unwrap();
    assert_eq!(seen.last(), Some(&answers));
    seen
}

#[test]
fn a_run_that_nothing_can_prolong_is_given_at_once() {
    let parts = ["<r><a/><b/>", "<a><x/>", "</a>", "</r>"];
    assert_eq!(answers_after("/r/{a!, b!}", &parts), [1, 1, 1, 1]);
}

#[test]
fn a_run_ends_at_the_start_tag_that_cannot_prolong_it() {
    // The second b would begin a run of its own, but it cannot prolong the first.
    let parts = ["<r><b/><c/>", "<b>", "<x/></b>", "</r>"];
    assert_eq!(answers_after("/r/{b!, c!*}", &parts), [0, 1, 1, 2]);
}

#[test]
fn growing_runs_are_read_once() {
    let document = format!("<r>{}</r>", "<a/><b/>".repeat(50_000));
    for (query, config) in [
        ("/r/{(a, b!)+}", Config::new()),
        ("/r/{(a!, b)+}", Config::new().shape(Shape::Instances)),
        ("/r/{(a!|b)+}", Config::new().runs(Runs::Live)),
    ] {
        let outcome = plan(query, config).run_slice(document.as_bytes(), Count::new()).unwrap();
        let expected = if query.contains("a!, b)") { 1 } else { 50_000 };
        assert_eq!(outcome.sink.total(), expected, "{query}");
    }
}

#[test]
fn bounded_repetition_of_many() {
    let document = format!("<r>{}</r>", "<a/>".repeat(4_000));
    let count = |query: &str, shape| {
        let plan = plan(query, Config::new().shape(shape));
        plan.run_slice(document.as_bytes(), Count::new()).unwrap().sink.total()
    };
    assert_eq!(count("/r/{a!{1,500}}", Shape::Nodes), 4_000);
    // One run ends at each child from the 500th on; shorter ones are prolonged.
    assert_eq!(count("/r/{a!{1,500}}", Shape::Tuples), 3_501);
}

#[test]
fn fields_depend_on_the_query_alone() {
    let fields = |query: &str, document: &str| {
        let mut seen = Vec::new();
        let visit = Visit::new(Needs::range(), |_, answer: &Answer<'_>| {
            if let Answer::Tuple(fields) = answer {
                let list = |v: &Value<'_>| matches!(v, Value::List(_));
                seen.extend(fields.iter().map(|f| (f.label.to_owned(), list(&f.value))));
            }
            ControlFlow::Continue(())
        });
        plan(query, Config::new()).run_slice(document.as_bytes(), visit).unwrap();
        seen
    };
    let list = [("b".to_owned(), true)];
    assert_eq!(fields("/r/b![{b!*}]", "<r><b/></r>"), list);
    assert_eq!(fields("/r/b![{b!*}]", "<r><b><b/></b></r>"), list);
    assert_eq!(fields("/r[*!]/*!", "<r><a/></r>"), [("a".to_owned(), true)]);
}

#[test]
fn document_order_under_one_root_is_bounded() {
    let document = format!("<r>{}</r>", "<a/><b/>".repeat(20_000));
    let plan = plan("/r/{a!, b!}", Config::new().order(Order::Document));
    let mut last = 0;
    let visit = Visit::new(Needs::range(), |_, answer: &Answer<'_>| {
        if let Answer::Tuple(fields) = answer
            && let Value::List(list) = &fields[0].value
        {
            assert!(list[0].start > last);
            last = list[0].start;
        }
        ControlFlow::Continue(())
    });
    let stats = plan.run_slice(document.as_bytes(), visit).unwrap().stats;
    assert_eq!(stats.answers, 20_000);
    assert!(stats.peak_buffered_bytes < 10_000, "{stats:?}");
}

#[test]
fn deep_elements_share_their_paths() {
    let document = format!("{}{}", "<a>".repeat(5_000), "</a>".repeat(5_000));
    let needs = Needs { path: true, end: true, ..Needs::default() };
    let mut longest = 0;
    let visit = Visit::new(needs, |_, answer: &Answer<'_>| {
        if let Answer::Node(node) = answer {
            longest = longest.max(node.path.len());
        }
        ControlFlow::Continue(())
    });
    let stats = plan("//a", Config::new()).run_slice(document.as_bytes(), visit).unwrap().stats;
    assert_eq!(longest, 5_000 * "/a[1]".len());
    assert!(stats.peak_buffered_bytes < 4 << 20, "{stats:?}");
}

#[test]
fn tuples_to_compare_count_against_the_limit() {
    let document = format!("<r>{}</r>", "<x/><y/>".repeat(1_000));
    let mut limits = Limits::default();
    limits.buffered_bytes = 1 << 20;
    let plan = plan("//*[.//x!]//y!", Config::new().limits(limits));
    let error = plan.run_slice(document.as_bytes(), Count::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert!(error.message().contains("(buffered_bytes)"), "{error}");
}

#[test]
fn no_namespace_as_the_default() {
    let config = || Config::new().namespaces(Namespaces::new().with_default(""));
    let count = |document: &str| {
        let outcome = plan("//a", config()).run_slice(document.as_bytes(), Count::new()).unwrap();
        outcome.sink.total()
    };
    assert_eq!(count("<a/>"), 1);
    assert_eq!(count("<a xmlns='u'><a xmlns=''/></a>"), 1);
    assert_eq!(count("<p:a xmlns:p='u'/>"), 0);
}

#[test]
fn many_sibling_names_have_indices_of_their_own() {
    let names: String = (0..50_000).map(|i| format!("<a{i}/>")).collect();
    let document = format!("<r>{names}<a7/></r>");
    let needs = Needs { path: true, end: true, ..Needs::default() };
    let mut last = String::new();
    let visit = Visit::new(needs, |_, answer: &Answer<'_>| {
        if let Answer::Node(node) = answer {
            last = node.path.to_owned();
        }
        ControlFlow::Continue(())
    });
    let stats = plan("/r/*", Config::new()).run_slice(document.as_bytes(), visit).unwrap().stats;
    assert_eq!((stats.answers, &*last), (50_001, "/r[1]/a7[2]"));
}

#[test]
fn instances_of_deep_elements_share_what_they_return() {
    let document = format!("{}<b/>{}", "<a>".repeat(20_000), "</a>".repeat(20_000));
    let mut lists = 0;
    let visit = Visit::new(Needs::range(), |_, answer: &Answer<'_>| {
        if let Answer::Instance(fields) = answer
            && let Value::List(list) = &fields[0].value
        {
            lists += list.len();
        }
        ControlFlow::Continue(())
    });
    let config = Config::new().shape(Shape::Instances);
    let stats = plan("//a//b!", config).run_slice(document.as_bytes(), visit).unwrap().stats;
    assert_eq!((stats.answers, lists), (20_000, 20_000));
}
