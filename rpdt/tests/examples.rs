//! The examples do what they say: each asserts what it finds.

#[path = "../examples/built_query.rs"]
mod built_query;

#[test]
fn built_query() {
    built_query::main().unwrap();
}

#[path = "../examples/contains.rs"]
mod contains;

#[test]
fn contains() {
    contains::main().unwrap();
}

#[path = "../examples/encodings.rs"]
mod encodings;

#[test]
fn encodings() {
    encodings::main().unwrap();
}

#[path = "../examples/namespaces.rs"]
mod namespaces;

#[test]
fn namespaces() {
    namespaces::main().unwrap();
}

#[path = "../examples/several.rs"]
mod several;

#[test]
fn several() {
    several::main().unwrap();
}

#[path = "../examples/threads.rs"]
mod threads;

#[test]
fn threads() {
    threads::main().unwrap();
}

#[path = "../examples/titles.rs"]
mod titles;

#[test]
fn titles() {
    titles::main().unwrap();
}

#[path = "../examples/tsunami.rs"]
mod tsunami;

#[test]
fn tsunami() {
    tsunami::main().unwrap();
}

#[path = "../examples/untrusted.rs"]
mod untrusted;

#[test]
fn untrusted() {
    untrusted::main().unwrap();
}

#[allow(dead_code, reason = "its `main` reads what a test does not have")]
#[path = "../examples/from_stdin.rs"]
mod from_stdin;

/// Five megabytes that nobody holds: memory does not grow with the document.
#[test]
fn from_stdin() {
    let order = "<order><who>Ann</who><item/><item/></order>\n".repeat(1000);
    let orders = std::iter::repeat_n(order, 120).collect::<Vec<_>>();
    let mut document: Box<dyn std::io::Read> = Box::new(&b"<shop>"[..]);
    for part in &orders {
        document = Box::new(std::io::Read::chain(document, part.as_bytes()));
    }
    let document = std::io::Read::chain(document, &b"<order><rush/></order></shop>"[..]);
    let (first, stats) = from_stdin::search("/shop/order[rush]", document).unwrap();
    assert_eq!(first, ["/shop[1]/order[120001]"]);
    assert!(stats.bytes > 5_000_000 && stats.peak_buffered_bytes < 1_000);

    let runs = &b"<a><b>1</b><b>2</b><c/></a>"[..];
    let (paths, _) = from_stdin::search("/a/{b!, b!, c}", runs).unwrap();
    assert_eq!(paths, ["/a[1]/b[1]", "/a[1]/b[2]"]);
}
