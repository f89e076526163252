//! The worked examples of the sources as files, with the exact output of the program.
#![cfg(feature = "cli")]

mod cli_support;

use cli_support::found;

fn ids(arguments: &[&str]) -> String {
    found(&[arguments, &["--format", "ids"]].concat(), "")
}

/// 10, 20, 10 in a row.
#[test]
fn demand1() {
    let query = "PATTERN SEQ(V a -> V b -> V c) WHERE { a.x = 10 AND b.x = 20 AND c.x = 10 }";
    assert_eq!(
        ids(&[query, "demand1.csv", "--type", "V"]),
        "{\"ids\":{\"a\":[0],\"b\":[1],\"c\":[2]},\"start\":0,\"end\":2,\"key\":null}\n\
         {\"ids\":{\"a\":[2],\"b\":[3],\"c\":[4]},\"start\":2,\"end\":4,\"key\":null}\n"
    );
}

/// 10, then one or more of 10 to 50 until there is more than 50, then 0.
#[test]
fn demand2() {
    let query = "PATTERN SEQ(V a, V+ b[], V c) WHERE strict_contiguity { a.x = 10 AND \
                 b[1].x between 10 and 50 AND b[i].x between 10 and 50 AND c.x = 0 }";
    assert_eq!(
        ids(&[query, "demand2.csv", "--type", "V"]),
        "{\"ids\":{\"a\":[0],\"b\":[1,2],\"c\":[3]},\"start\":0,\"end\":3,\"key\":null}\n\
         {\"ids\":{\"a\":[1],\"b\":[2],\"c\":[3]},\"start\":1,\"end\":3,\"key\":null}\n\
         {\"ids\":{\"a\":[9],\"b\":[10],\"c\":[11]},\"start\":9,\"end\":11,\"key\":null}\n"
    );
}

/// Rising prices from 20 on.
fn rising(strategy: &str, flag: &str) -> String {
    let query = format!(
        "PATTERN SEQ(Stock+ a[]) WHERE {strategy} {{ a[1].price = 20 AND a[i].price > a[i-1].price }}"
    );
    let out =
        found(&[&query, "strategies.csv", "--type", "Stock", flag, "--end-of-input", "max"], "");
    let mut prices = String::new();
    for line in out.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        for event in line["matches"]["a"].as_array().expect("events") {
            prices.push_str(&format!("{} ", event["price"]));
        }
        prices.push('\n');
    }
    prices
}

#[test]
fn strategies() {
    assert_eq!(rising("skip_till_next_match", "--maximal"), "20 30 100 \n");
    let any = "20 \n20 30 \n20 30 100 \n20 100 \n20 30 40 \n20 40 \n20 30 40 50 \n20 30 50 \n\
               20 40 50 \n20 50 \n";
    assert_eq!(rising("skip_till_any_match", "--each"), any);
}

/// The stock query of the paper over its eight events, three matches.
#[test]
fn stock() {
    let flags = ["-f", "stock.sase", "stock.csv", "--time-unit", "s"];
    assert_eq!(
        ids(&flags),
        "{\"ids\":{\"a\":[0,1,2,3,4],\"b\":[5]},\"start\":1,\"end\":6,\"key\":{\"symbol\":\"IBM\"}}\n\
         {\"ids\":{\"a\":[2,3],\"b\":[5]},\"start\":3,\"end\":6,\"key\":{\"symbol\":\"IBM\"}}\n\
         {\"ids\":{\"a\":[0,1,2,3,4,5,6],\"b\":[7]},\"start\":1,\"end\":8,\"key\":{\"symbol\":\"IBM\"}}\n"
    );
    insta::assert_snapshot!("stock_csv", found(&[&flags[..], &["--format", "csv"]].concat(), ""));
    insta::assert_snapshot!("stock_json", found(&flags, ""));
    assert_eq!(found(&[&flags[..], &["--count"]].concat(), ""), "{\"count\":3}\n");
}

/// One or more views, then a purchase: 3, 3 and 7 by strategy.
#[test]
fn views_then_a_purchase() {
    for (strategy, count) in
        [("strict_contiguity", 3), ("skip_till_next_match", 3), ("skip_till_any_match", 7)]
    {
        let query = format!("PATTERN SEQ(View+ v[], Buy b) WHERE {strategy}");
        let out = found(&[&query, "views.csv", "--count"], "");
        assert_eq!(out, format!("{{\"count\":{count}}}\n"), "{strategy}");
    }
}

/// The automata of these queries.
#[test]
fn explanations() {
    let stock = found(&["explain", "-f", "stock.sase"], "");
    insta::assert_snapshot!("explain_stock", stock);
    let dot = found(&["explain", "-f", "stock.sase", "--dot"], "");
    assert!(dot.starts_with("digraph ") && dot.ends_with("}\n"), "{dot}");
    let query = "PATTERN SEQ(A a, ~B b, C c) WHERE skip_till_any_match { [x] } WITHIN 5 s";
    insta::assert_snapshot!("explain_negation", found(&["explain", query], ""));
    let seconds = found(&["explain", query, "--time-unit", "s"], "");
    assert_ne!(found(&["explain", query], ""), seconds);
}
