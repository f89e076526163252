//! Random cases for several threads, and a document of records that can be divided anywhere.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use rpdt::input::Checks;
use rpdt::{Config, FrontEnd, Limits, Needs, Order, Runs, Shape, Threads};

use crate::case_gen::{Case, case, pattern, siblings};
use crate::doc_gen;
use crate::dom::Document;

/// Numbers of threads, and sizes of segments from one byte to more than the whole document.
pub fn threads() -> impl Strategy<Value = Threads> {
    let bytes = prop_oneof![1..4usize, 4..40usize, 40..400usize, Just(4096), Just(1 << 20)];
    (1..9usize, bytes).prop_map(|(count, bytes)| Threads::new(count).segment(bytes))
}

/// How to match: everything that threads may meet.
pub fn config() -> impl Strategy<Value = Config> {
    let shape = select(&[Shape::Nodes, Shape::Tuples, Shape::Instances][..]);
    let runs = select(&[Runs::Live, Runs::Peak, Runs::NonOverlap][..]);
    let order = select(&[Order::Certain, Order::Document][..]);
    let front_end = select(&[FrontEnd::Scanner, FrontEnd::PortableScanner, FrontEnd::QuickXml][..]);
    let checks = select(&[Checks::Fast, Checks::Strict][..]);
    (proptest::option::of(shape), runs, order, front_end, checks, 0..5u8).prop_map(
        |(shape, runs, order, front_end, checks, tiny)| {
            let mut limits = Limits::default();
            if tiny == 0 {
                limits.automaton_states = 2;
                limits.names = 2;
            }
            let config = Config::new()
                .runs(runs)
                .order(order)
                .front_end(front_end)
                .checks(checks)
                .limits(limits);
            shape.map_or(config.clone(), |shape| config.shape(shape))
        },
    )
}

/// What a sink wants to know.
pub fn needs() -> impl Strategy<Value = Needs> {
    let all = any::<[bool; 6]>().prop_map(|[end, name, path, attributes, text, xml]| Needs {
        count_only: false,
        end,
        name,
        path,
        attributes,
        text,
        xml,
    });
    prop_oneof![4 => all, 1 => Just(Needs::count())]
}

/// Many small documents inside others, as records are: whole elements with what confuses whoever
/// looks for their tags between them.
fn records() -> impl Strategy<Value = Document> {
    let record = doc_gen::document(12).prop_map(|doc| {
        let root = &doc.elements[0];
        doc.text[root.start..root.end].to_owned()
    });
    let between = select(
        &[
            "",
            "\n",
            "text",
            "<!-- <a><b> ' -->",
            "<![CDATA[<a>]]>",
            "<?p <a ?>",
            "<d x='<a>'/>",
            "<d x=\"a > b\"/>",
            "<!-- </b></c> -->",
            "<![CDATA[</b>]]>",
            "\r\n",
            "]",
            "\r",
        ][..],
    );
    let records = vec((record, between), 4..20);
    let wrap = vec(select(&["a", "b", "c", "list"][..]), 0..4);
    vec((wrap, records), 1..5).prop_map(|parts| {
        let mut text = "<?xml version='1.0'?>\n<top>".to_owned();
        for (wrap, records) in parts {
            wrap.iter().for_each(|name| text += &format!("<{name} x='1'>\n"));
            records.iter().for_each(|(record, between)| text.extend([record, *between]));
            wrap.iter().rev().for_each(|name| text += &format!("</{name}>"));
        }
        // In attribute values this is no markup that XML allows.
        text = text.replace("'<a>'", "'&lt;a>'");
        Document::parse(&(text + "</top>\n"))
    })
}

/// A case with one document in some form.
pub fn any_case() -> impl Strategy<Value = Case> {
    let records = (pattern(), records()).prop_map(|(pattern, doc)| Case { pattern, doc });
    prop_oneof![3 => records, 1 => case(), 1 => siblings()]
}

/// A document of many records in sections, and what is inside and between them.
pub fn sections(records: usize) -> String {
    let mut text = "<?xml version='1.0'?>\n<!DOCTYPE site [<!ENTITY e 'text'>\
                    <!ATTLIST item kind CDATA 'plain'>]>\n<site>"
        .to_owned();
    for (s, section) in ["items", "people", "items"].into_iter().enumerate() {
        text += &format!("\n<{section} n=\"{s}\">");
        for i in 0..records {
            text += &match i % 40 {
                7 => "<!-- <item> </items> ' -->".to_owned(),
                14 => "<item><b><item><b/></item></b></item><![CDATA[<item id='no'>]]>".to_owned(),
                21 => "<?p <item> ?><other><b/></other>".to_owned(),
                28 => "<item a='&lt;item>&lt;/items>'/>".to_owned(),
                _ if i % 3 == 0 => format!("<item id='{i}' kind='x > y'><b/><c/><b/><b/></item>"),
                _ => format!("<item id='{i}'><name>n{i} &e;</name><b/><b/><c/></item>\n"),
            };
        }
        text += &format!("</{section}>");
    }
    text + "\n</site>\n"
}
