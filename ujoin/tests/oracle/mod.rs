//! Nested loops over everything, the definition of the result set word for word.

pub mod cases;

use ujoin::{Pair, Product, TravelTimes, Tuple};

/// All results in canonical order, and the tuples that were late.
pub fn join(
    tuples: &[Tuple],
    travel: &TravelTimes,
    threshold: Product,
    lateness: i64,
) -> (Vec<Pair>, Vec<Tuple>) {
    let mut accepted: Vec<Tuple> = Vec::new();
    let mut late = Vec::new();
    let mut pairs = Vec::new();
    let mut newest: Option<i64> = None;
    for &b in tuples {
        if let Some(newest) = newest
            && i128::from(b.time) < i128::from(newest) - i128::from(lateness)
        {
            late.push(b);
            continue;
        }
        newest = newest.max(Some(b.time));
        for &a in &accepted {
            let (first, second) = if (a.time, a.seq) < (b.time, b.seq) { (a, b) } else { (b, a) };
            let distance = i128::from(second.time) - i128::from(first.time);
            let product = u128::from(a.probability.nanos()) * u128::from(b.probability.nanos());
            if a.key == b.key
                && a.stream != b.stream
                && a.observation != b.observation
                && product >= u128::from(threshold.units())
                && distance < i128::from(travel.between(first.stream, second.stream))
            {
                let probability = Product::from_units(product as u64);
                let limit = travel.between(first.stream, second.stream);
                pairs.push(Pair { first, second, probability, limit });
            }
        }
        accepted.push(b);
    }
    sort(&mut pairs);
    (pairs, late)
}

/// By the arrival of the second to arrive, then of the first.
pub fn sort(pairs: &mut [Pair]) {
    pairs.sort_by_key(|pair| {
        let (a, b) = (pair.first.seq, pair.second.seq);
        (a.max(b), a.min(b))
    });
}
