//! The auction sites against profiles of the benchmark's own generator at three factors.
//!
//! Both documents are random samples. Means of repeated children must lie within three standard
//! errors of the profile's mean, where the error is that of one sample; everything else that
//! varies, within three standard errors of a difference of two samples.

mod common;

use common::{Measured, generate};
use data_gen::xml::{XmarkOptions, XmlKind};
use serde_json::Value;

const REPEATED: [(&str, &str); 6] = [
    ("item", "incategory"),
    ("mailbox", "mail"),
    ("profile", "interest"),
    ("watches", "watch"),
    ("open_auction", "bidder"),
    ("parlist", "listitem"),
];

/// Elements whose number follows from the factor alone.
const FIXED: [&str; 25] = [
    "site",
    "regions",
    "africa",
    "asia",
    "australia",
    "europe",
    "namerica",
    "samerica",
    "categories",
    "catgraph",
    "people",
    "open_auctions",
    "closed_auctions",
    "item",
    "category",
    "edge",
    "person",
    "open_auction",
    "closed_auction",
    "name",
    "description",
    "annotation",
    "itemref",
    "seller",
    "quantity",
];

struct Comparison {
    profile: Value,
    ours: Measured,
    faults: Vec<String>,
}

impl Comparison {
    fn at(factor: f64, profile: &str) -> Self {
        let profile = serde_json::from_str(profile).expect("JSON");
        let (document, facts) = generate(&XmlKind::Xmark(XmarkOptions::new(factor)), 1);
        let ours = Measured::of(&document, &REPEATED);
        ours.assert_matches(&facts);
        Self { profile, ours, faults: Vec::new() }
    }

    fn number(&self, path: &str) -> f64 {
        let value = self.profile.pointer(path).and_then(Value::as_f64);
        value.unwrap_or_else(|| panic!("{path} is not in the profile"))
    }

    fn near(&mut self, what: &str, ours: f64, theirs: f64, tolerance: f64) {
        if (ours - theirs).abs() > tolerance {
            self.faults.push(format!("{what}: {ours}, the profile {theirs} +- {tolerance:.4}"));
        }
    }

    fn exact(&mut self) {
        for name in FIXED {
            let theirs = self.number(&format!("/tag_counts/{name}"));
            self.near(name, self.ours.tag(name) as f64, theirs, 0.0);
        }
        for region in ["africa", "asia", "australia", "europe", "namerica", "samerica"] {
            let theirs = self.number(&format!("/edge_counts/{region}~1item"));
            self.near(region, self.ours.edge(region, "item") as f64, theirs, 0.0);
        }
        self.near("max depth", self.ours.max_depth() as f64, self.number("/max_depth"), 0.0);
        let names = self.profile["tag_counts"].as_object().expect("an object").len();
        self.near("names", self.ours.names().len() as f64, names as f64, 0.0);
        for edge in self.profile["edge_counts"].as_object().expect("an object").keys() {
            let (parent, child) = edge.split_once('/').expect("parent/child");
            assert!(self.ours.edge(parent, child) > 0, "there is no {edge}");
        }
    }

    /// Every pair of parent and child of the profile's histograms.
    fn children(&mut self) {
        let pairs = self.profile["child_count_hist"].as_object().expect("an object").clone();
        assert!(pairs.len() > 50, "the profile has histograms of all pairs");
        for (edge, histogram) in &pairs {
            let (parent, child) = edge.split_once('/').expect("parent/child");
            let (mean, deviation) = mean_and_deviation(&histogram["hist"]);
            let parents = self.ours.tag(parent) as f64;
            let ours = self.ours.edge(parent, child) as f64 / parents;
            let mut tolerance = 3.0 * deviation / parents.sqrt();
            if !REPEATED.contains(&(parent, child)) {
                tolerance *= 2_f64.sqrt();
            }
            // A child that every parent has exactly once has no deviation.
            self.near(edge, ours, mean, tolerance + 1e-12);
        }
    }

    fn depths(&mut self) {
        let depths = self.profile["depth_hist"].as_object().expect("an object").clone();
        assert_eq!(self.ours.depths.len(), depths.len());
        for (depth, count) in &depths {
            let ours = self.ours.depths[&depth.parse().expect("a number")] as f64;
            let theirs = count.as_f64().expect("a number");
            // Elements of a depth come in bunches of about ten.
            let tolerance = if depth.len() == 1 && theirs < 10.0 {
                0.0
            } else {
                3.0 * (2.0 * 10.0 * theirs).sqrt()
            };
            self.near(&format!("depth {depth}"), ours, theirs, tolerance);
        }
    }

    fn text(&mut self) {
        for name in ["text", "keyword", "bold", "emph", "name", "payment", "shipping"] {
            let words = self.ours.words(name);
            let theirs = self.number(&format!("/text_words/{name}/mean"));
            let deviation = self.number(&format!("/text_words/{name}/sd"));
            let tolerance = 3.0 * deviation * (2.0 / words.len() as f64).sqrt();
            self.near(&format!("words of {name}"), mean(&words), theirs, tolerance);
        }
    }

    fn size(&mut self, newlines: f64) {
        let bytes = self.number("/bytes");
        self.near("bytes", self.ours.bytes as f64, bytes, 0.02 * bytes);
        self.near("newlines", self.ours.newlines as f64, newlines, 0.02 * newlines);
        // Depths bunch as above.
        let elements = self.number("/elements");
        let tolerance = 0.02 * (1_666_315.0 / elements).sqrt();
        self.near("average depth", self.ours.average_depth(), self.number("/avg_depth"), tolerance);
    }

    fn judge(self) -> Measured {
        assert!(self.faults.is_empty(), "{}", self.faults.join("\n"));
        self.ours
    }
}

fn mean(numbers: &[u32]) -> f64 {
    numbers.iter().map(|&n| f64::from(n)).sum::<f64>() / numbers.len() as f64
}

fn mean_and_deviation(histogram: &Value) -> (f64, f64) {
    let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for (value, count) in histogram.as_object().expect("an object") {
        let (value, count) = (value.parse::<f64>().unwrap(), count.as_f64().unwrap());
        n += count;
        sum += count * value;
        squares += count * value * value;
    }
    let mean = sum / n;
    (mean, (squares / n - mean * mean).max(0.0).sqrt())
}

fn compare(factor: f64, profile: &str, newlines: f64) -> Measured {
    let mut comparison = Comparison::at(factor, profile);
    comparison.exact();
    comparison.children();
    comparison.depths();
    comparison.text();
    comparison.size(newlines);
    comparison.judge()
}

#[test]
fn factor_a_hundredth() {
    compare(0.01, include_str!("data/xmark_profile_0.01.json"), 20_883.0);
}

#[test]
fn factor_a_tenth() {
    compare(0.1, include_str!("data/xmark_profile_0.1.json"), 205_306.0);
}

#[test]
fn factor_one() {
    let ours = compare(1.0, include_str!("data/xmark_profile_1.json"), 2_035_122.0);
    // The shape of the distributions, not only their means.
    let words = ours.words("text");
    for (share, theirs) in
        [(0.1, 8.0), (0.25, 23.0), (0.5, 55.0), (0.75, 111.0), (0.9, 187.0), (0.99, 374.0)]
    {
        let quantile = f64::from(words[(share * words.len() as f64) as usize]);
        assert!((quantile - theirs).abs() <= 1.0 + 0.03 * theirs, "{share} of texts: {quantile}");
    }
    let share = |pair: (&'static str, &'static str), count: u64| {
        let parents = ours.tag(pair.0) as f64;
        ours.fanouts[&pair].get(&count).copied().unwrap_or(0) as f64 / parents
    };
    assert!((share(("item", "incategory"), 10) - 0.058).abs() < 0.006, "categories at the cap");
    assert!((share(("mailbox", "mail"), 0) - 0.39).abs() < 0.01, "empty mailboxes");
    assert!((share(("open_auction", "bidder"), 0) - 0.0975).abs() < 0.009, "no bidders");
    assert!(ours.fanouts[&("parlist", "listitem")].keys().all(|n| (2..=5).contains(n)));
}

#[test]
fn newlines_follow_tags_but_not_markup_in_prose() {
    let (document, _) = generate(&XmlKind::Xmark(XmarkOptions::new(0.01)), 3);
    let ours = Measured::of(&document, &[]);
    let markup: u64 = ["bold", "emph", "keyword"].map(|name| ours.tag(name)).iter().sum();
    let text = String::from_utf8(document).expect("ASCII");
    assert!(text.is_ascii());
    assert!(!text.contains('&') && !text.contains("<!") && text.matches("<?").count() == 1);
    assert!(text.starts_with("<?xml version=\"1.0\" standalone=\"yes\"?>\n<site>\n<regions>\n"));
    assert!(text.ends_with("</closed_auctions>\n</site>\n"));
    // One after the declaration, after each end tag or empty tag, after each start tag of an
    // element that may hold elements, and before the end of a text.
    let holders = [
        "text",
        "listitem",
        "item",
        "mailbox",
        "mail",
        "person",
        "description",
        "parlist",
        "annotation",
        "profile",
        "address",
        "watches",
        "open_auction",
        "closed_auction",
        "interval",
        "bidder",
        "category",
    ];
    let holders: u64 = holders.map(|name| ours.tag(name)).iter().sum();
    let sections = 13;
    let expected = 1 + (ours.elements - markup) + holders + sections + ours.tag("text");
    assert_eq!(ours.newlines, expected);
}

#[test]
fn every_item_is_in_exactly_one_auction() {
    let (document, _) = generate(&XmlKind::Xmark(XmarkOptions::new(0.02)), 5);
    let text = String::from_utf8(document).expect("ASCII");
    let (open, closed) = text.split_once("<closed_auctions>").expect("the section");
    let items = |text: &str| -> Vec<u64> {
        let parts = text.split("<itemref item=\"item").skip(1);
        parts.map(|part| part[..part.find('"').unwrap()].parse().unwrap()).collect()
    };
    let (open, closed) = (items(open), items(closed));
    assert!(open.is_sorted() && closed.is_sorted());
    assert_eq!(open.len(), 240);
    // Not the first 240: dealt out at random.
    assert!(*open.last().unwrap() > 400);
    let mut all = [open, closed].concat();
    all.sort_unstable();
    assert_eq!(all, (0..435).collect::<Vec<_>>());
}

#[test]
fn emitted_words_are_of_the_right_length() {
    let (document, _) = generate(&XmlKind::Xmark(XmarkOptions::new(0.2)), 1);
    let text = String::from_utf8(document).expect("ASCII");
    let (mut letters, mut words) = (0, 0);
    for part in text.split("<text>\n").skip(1) {
        let part = &part[..part.find("\n</text>").unwrap()];
        for word in part.split_ascii_whitespace().filter(|word| !word.contains('>')) {
            letters += word.len();
            words += 1;
        }
    }
    let mean = letters as f64 / words as f64;
    assert!(words > 1_000_000 && (mean - 6.18).abs() < 0.02, "{words} words of {mean}");
}

#[test]
fn the_smallest_site_has_one_of_everything() {
    let (document, facts) = generate(&XmlKind::Xmark(XmarkOptions::new(1e-9)), 1);
    let ours = Measured::of(&document, &[]);
    ours.assert_matches(&facts);
    assert_eq!(ours.tag("item"), 6);
    assert_eq!(ours.tag("open_auction"), 1);
    assert_eq!(ours.tag("closed_auction"), 5);
    assert_eq!((ours.tag("person"), ours.tag("category"), ours.tag("edge")), (1, 1, 1));
}

#[test]
fn factors_out_of_range_are_refused() {
    for factor in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e5] {
        let error = data_gen::xml::xmark(factor, 1, &mut std::io::sink()).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
        assert!(error.to_string().contains("factor"), "{error}");
    }
}
