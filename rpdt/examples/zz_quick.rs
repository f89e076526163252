use rpdt::*;
use std::ops::ControlFlow;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let pattern = Pattern::parse(&args[1]).unwrap();
    let doc = std::fs::read(&args[2]).unwrap();
    let mut cfg = Config::new();
    for a in &args[3..] {
        cfg = match a.as_str() {
            "nodes" => cfg.shape(Shape::Nodes),
            "tuples" => cfg.shape(Shape::Tuples),
            "instances" => cfg.shape(Shape::Instances),
            "live" => cfg.runs(Runs::Live),
            "nonoverlap" => cfg.runs(Runs::NonOverlap),
            "document" => cfg.order(Order::Document),
            _ => cfg,
        }
    }
    let plan = Plan::new(vec![pattern], cfg).unwrap();
    if args.contains(&"count".to_string()) {
        let o = plan.run_slice(&doc, Count::new()).unwrap();
        println!("{} {:?}", o.sink.total(), o.stats);
        return;
    }
    let o = plan
        .run_slice(
            &doc,
            Visit::new(Needs::description(), |_q, a: &Answer<'_>| {
                match a {
                    Answer::Node(n) => println!("{}@{} {}", n.label, n.start, n.path),
                    Answer::Tuple(f) | Answer::Instance(f) => {
                        for x in f {
                            match &x.value {
                                Value::Node(n) => print!("{}={} ", x.label, n.start),
                                Value::List(l) => print!(
                                    "{}={:?} ",
                                    x.label,
                                    l.iter().map(|n| n.start).collect::<Vec<_>>()
                                ),
                            }
                        }
                        println!()
                    }
                }
                ControlFlow::Continue(())
            }),
        )
        .unwrap();
    println!("{:?}", o.stats);
}
