//! Random documents for the property tests: few names, so that the same tag nests in itself and
//! sibling runs are long; comments, processing instructions and CDATA between siblings; attribute
//! values with `>` in them; numbers in every spelling; both spellings of an empty element.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::dom::{Document, Tree};

/// The URIs that namespace documents bind their prefixes to.
pub const URIS: [&str; 2] = ["urn:1", "urn:2"];

/// Documents without namespaces, of up to about `size` elements.
pub fn document(size: u32) -> impl Strategy<Value = Document> {
    let root = element(name(), attributes(), size);
    (select(PROLOGS.as_slice()), root, vec(outside(), 0..3))
        .prop_map(|(prolog, root, epilog)| Document::write(prolog, &root, &epilog))
}

/// Documents with prefixed names and namespace declarations. The root declares every prefix.
pub fn namespace_document(size: u32) -> impl Strategy<Value = Document> {
    (element(qualified_name(), declarations(), size), bindings()).prop_map(|(mut root, bound)| {
        if let Tree::Element { attributes, .. } = &mut root {
            *attributes = bound;
        }
        Document::write("", &root, &[])
    })
}

/// Where to cut a document into chunks: sizes that are used round and round.
pub fn chunk_sizes() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        Just(vec![1]),
        Just(vec![usize::MAX]),
        vec(1..9usize, 1..6),
        vec(prop_oneof![Just(0usize), 1..40usize], 1..6).prop_map(|mut sizes| {
            sizes.push(7);
            sizes
        }),
    ]
}

const PROLOGS: [&str; 5] = [
    "",
    "",
    "\u{feff}",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
    "<?xml version='1.0'?><!-- <a> --><?p <b/>?>\n<!DOCTYPE a>\n",
];

fn name() -> impl Strategy<Value = String> + Clone {
    select(["a", "a", "a", "b", "b", "b", "c", "c", "d", "e"].as_slice()).prop_map(str::to_owned)
}

fn qualified_name() -> impl Strategy<Value = String> + Clone {
    select(["a", "a", "b", "b", "p:a", "p:b", "q:a", "q:b", "q:c"].as_slice())
        .prop_map(str::to_owned)
}

/// Values of attributes and texts; most are numbers in some spelling, or nearly.
const VALUES: [&str; 14] =
    ["1", "1", "2", "2", "3", " 2 ", "02.50", "-1", ".5", "1e0", "+1", "", "x", "a > b \"q\" 'é'"];

fn attributes() -> impl Strategy<Value = Vec<(String, String)>> + Clone {
    let one = |key: &'static str| {
        proptest::option::weighted(0.3, select(VALUES.as_slice()))
            .prop_map(move |v| v.map(|v| (key.to_owned(), v.to_owned())))
    };
    (one("x"), one("y"), one("id"), any::<bool>()).prop_map(|(x, y, id, swap)| {
        let mut all: Vec<_> = [x, y, id].into_iter().flatten().collect();
        if swap {
            all.reverse();
        }
        all
    })
}

fn declaration(key: &'static str, weight: f64) -> impl Strategy<Value = Option<(String, String)>> {
    proptest::option::weighted(weight, select(URIS.as_slice()))
        .prop_map(move |uri| uri.map(|u| (key.to_owned(), u.to_owned())))
}

fn declarations() -> impl Strategy<Value = Vec<(String, String)>> + Clone {
    let default = proptest::option::weighted(0.2, select(["", URIS[0], URIS[1]].as_slice()))
        .prop_map(|uri| uri.map(|u| ("xmlns".to_owned(), u.to_owned())));
    // One attribute x at most: two prefixes may mean the same namespace.
    let x = (select(["x", "p:x", "q:x"].as_slice()), select(["1", "2", "x"].as_slice()));
    let x = proptest::option::weighted(0.3, x.prop_map(|(k, v)| (k.to_owned(), v.to_owned())));
    (x, default, declaration("xmlns:p", 0.2), declaration("xmlns:q", 0.1))
        .prop_map(|(x, d, p, q)| [x, d, p, q].into_iter().flatten().collect::<Vec<_>>())
        .boxed()
}

/// Both prefixes bound, the default namespace perhaps.
pub fn bindings() -> impl Strategy<Value = Vec<(String, String)>> {
    let uri = || select(URIS.as_slice());
    (declaration("xmlns", 0.4), uri(), uri()).prop_map(|(default, p, q)| {
        let bound = [("xmlns:p".to_owned(), p.to_owned()), ("xmlns:q".to_owned(), q.to_owned())];
        default.into_iter().chain(bound).collect()
    })
}

fn element<N, A>(name: N, attributes: A, size: u32) -> impl Strategy<Value = Tree>
where
    N: Strategy<Value = String> + Clone + 'static,
    A: Strategy<Value = Vec<(String, String)>> + Clone + 'static,
{
    let build =
        |name, attributes, children, short| Tree::Element { name, attributes, children, short };
    let leaf = (name.clone(), attributes.clone(), any::<bool>())
        .prop_map(move |(n, a, short)| build(n, a, Vec::new(), short));
    let (inner_name, inner_attributes) = (name.clone(), attributes.clone());
    let child = leaf.prop_recursive(6, size, 5, move |child| {
        let content = vec(prop_oneof![4 => child, 1 => filler()], 0..8);
        (inner_name.clone(), inner_attributes.clone(), content)
            .prop_map(move |(n, a, children)| build(n, a, children, true))
    });
    // The root is no leaf, or a third of all documents would be a single element.
    (name, attributes, vec(prop_oneof![5 => child, 1 => filler()], 0..6))
        .prop_map(move |(n, a, children)| build(n, a, children, false))
}

/// Content that is not an element.
fn filler() -> impl Strategy<Value = Tree> {
    let text = |written: &str, value: &str| Tree::Text(written.to_owned(), value.to_owned());
    prop_oneof![
        4 => select(VALUES.as_slice()).prop_filter("no empty text", |v| !v.is_empty())
            .prop_map(move |v| text(v, v)),
        1 => Just(text("\n  ", "\n  ")),
        1 => Just(text("&#50;", "2")),
        1 => Just(text("x&lt;&amp;y]", "x<&y]")),
        1 => select(["1", "x", "", "<a>&amp;", "]]"].as_slice())
            .prop_map(|v| Tree::CData(v.to_owned())),
        2 => outside(),
    ]
}

/// Markup that may also stand outside the root.
fn outside() -> impl Strategy<Value = Tree> {
    prop_oneof![
        Just(Tree::Comment(" <a> > ' ".to_owned())),
        Just(Tree::Comment(String::new())),
        Just(Tree::Pi("p <b/> ?".to_owned())),
        Just(Tree::Pi("q".to_owned())),
    ]
}
