use quick_xml::{Reader, events::Event};
use std::hint::black_box;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let d = std::fs::read(&a[1]).unwrap();
    if a.len() == 2 {
        let mut r = Reader::from_reader(&d[..]);
        loop {
            match r.read_event().unwrap() {
                Event::Eof => return,
                e => {
                    black_box(&e);
                }
            }
        }
    }
    let p = rpdt::Plan::parse(&a[2]).unwrap();
    println!("{}", p.run_slice(&d, rpdt::Count::new()).unwrap().sink.total());
}
