use quick_xml::{Reader, events::Event};
use std::hint::black_box;
use std::time::Instant;
fn bare(d: &[u8]) -> u64 {
    let mut r = Reader::from_reader(d);
    let mut n = 0;
    loop {
        match r.read_event().unwrap() {
            Event::Eof => return n,
            e => {
                black_box(&e);
                n += 1;
            }
        }
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let d = std::fs::read(&a[1]).unwrap();
    let plans: Vec<_> = a[2..].iter().map(|q| rpdt::Plan::parse(q).unwrap()).collect();
    let mut tb = vec![];
    let mut tp = vec![vec![]; plans.len()];
    for _ in 0..7 {
        let t = Instant::now();
        black_box(bare(&d));
        tb.push(t.elapsed().as_secs_f64());
        for (i, p) in plans.iter().enumerate() {
            let t = Instant::now();
            let o = p.run_slice(&d, rpdt::Count::new()).unwrap();
            black_box(o.sink.total());
            tp[i].push(t.elapsed().as_secs_f64());
        }
    }
    let med = |v: &mut Vec<f64>| {
        v.sort_by(|a, b| a.total_cmp(b));
        v[v.len() / 2]
    };
    let b = med(&mut tb);
    println!("bare {:.1} ms {:.2} GB/s", b * 1e3, d.len() as f64 / b / 1e9);
    for (i, v) in tp.iter_mut().enumerate() {
        let m = med(v);
        println!("{:.1} ms speed ratio {:.3}  {}", m * 1e3, b / m, a[2 + i]);
    }
}
