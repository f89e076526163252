//! Random sets of patterns and streams, and running detectors over them.
#![allow(dead_code, reason = "no test file uses all of it")]

use std::ops::ControlFlow;

use multipattern::{
    Block, Collect, Condition, Config, Count, Detector, Level, Method, Operand, Pattern, PatternId,
    PatternSet, Record, Relation, Ring, Semantics, Sink, Term, TimeUnit, Value, Window,
};
use proptest::prelude::*;

/// The methods that detect.
pub const METHODS: [Method; 4] = Method::COMPARED;

/// All methods, each with every answer to which methods keep the stream as a ring.
pub fn ways() -> impl Iterator<Item = (Method, Ring)> {
    let rings = [Ring::ByMethod, Ring::Never, Ring::Always];
    METHODS.into_iter().flat_map(move |method| rings.map(|ring| (method, ring)))
}
pub const SEMANTICS: [Semantics; 3] = [Semantics::Any, Semantics::Next, Semantics::Strict];

/// What a random set is made of.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub types: usize,
    pub patterns: usize,
    pub length: usize,
    /// Whether operands have conditions.
    pub conditions: bool,
    /// The most events.
    pub events: usize,
    /// A window of so many events is one of those that are chosen from.
    pub window: u64,
}

const NAMES: [&str; 6] = ["A", "B", "C", "D", "E", "F"];
/// One more type than patterns use.
pub const UNUSED: &str = "Unused";

fn condition(at: usize) -> impl Strategy<Value = Condition> {
    let attribute = || prop::sample::select(vec!["v", "w"]).prop_map(Term::own);
    let relation = prop::sample::select(vec![
        Relation::Equal,
        Relation::NotEqual,
        Relation::Less,
        Relation::GreaterOrEqual,
    ]);
    let other = (0..3_u8, any::<prop::sample::Index>(), attribute(), 0..3_i64, any::<bool>());
    (attribute(), relation, other).prop_map(
        move |(own, relation, (kind, earlier, other, number, swap))| {
            let other = match (kind, other) {
                (0, other) => other,
                (1, Term::Own(name)) if at > 0 => Term::of(earlier.index(at), &name),
                _ => Term::value(number),
            };
            let (left, right) = if swap { (other, own) } else { (own, other) };
            Condition::new(left, relation, right)
        },
    )
}

fn operand(shape: Shape, at: usize) -> impl Strategy<Value = Operand> {
    let types = prop::sample::select(NAMES[..shape.types].to_vec());
    let most = if shape.conditions { 2 } else { 1 };
    (types, prop::collection::vec(condition(at), 0..most)).prop_map(move |(name, conditions)| {
        let conditions = if shape.conditions { conditions } else { Vec::new() };
        conditions.into_iter().fold(Operand::new(name), Operand::with)
    })
}

fn window(shape: Shape) -> impl Strategy<Value = Option<Window>> {
    prop_oneof![
        2 => Just(None),
        2 => (1..8_u64).prop_map(|events| Some(Window::Events(events))),
        1 => Just(Some(Window::Events(shape.window))),
        1 => (0..20_u64).prop_map(|time| Some(Window::Time(time, TimeUnit::Millisecond))),
        1 => (0..4_u64).prop_map(|time| Some(Window::Time(time * 4500, TimeUnit::Microsecond))),
    ]
}

pub fn pattern(shape: Shape, number: usize) -> impl Strategy<Value = Pattern> {
    (1..=shape.length)
        .prop_flat_map(move |length| {
            (0..length).map(|at| operand(shape, at).boxed()).collect::<Vec<_>>()
        })
        .prop_flat_map(move |operands| (Just(operands), window(shape)))
        .prop_map(move |(operands, window)| {
            let pattern = Pattern::new(&format!("p{number}"), operands).expect("a pattern");
            match window {
                Some(window) => pattern.within(window).expect("a window"),
                None => pattern,
            }
        })
}

pub fn set(shape: Shape, semantics: Semantics) -> impl Strategy<Value = PatternSet> {
    (1..=shape.patterns)
        .prop_flat_map(move |number| {
            (0..number).map(|at| pattern(shape, at).boxed()).collect::<Vec<_>>()
        })
        .prop_map(move |patterns| set_of(&patterns, semantics, shape.window))
}

/// A set of patterns that knows all names.
pub fn set_of(patterns: &[Pattern], semantics: Semantics, window: u64) -> PatternSet {
    let mut set = PatternSet::new();
    for name in NAMES.iter().chain([&UNUSED]) {
        set.schema_mut().add_type(name);
    }
    for name in ["v", "w", "k"] {
        set.schema_mut().add_attribute(name);
    }
    set.set_semantics(semantics);
    set.set_window(Window::Events(window)).expect("a window");
    for pattern in patterns {
        set.push(pattern.clone()).expect("a new id");
    }
    set
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (0..3_i64).prop_map(Value::Int),
        1 => Just(Value::Float(1.0)),
        1 => Just(Value::Float(f64::NAN)),
        1 => Just(Value::Missing),
        1 => Just(Value::from("x")),
    ]
}

/// Events of the types of a set that knows all names, and of one that no pattern uses.
pub fn events(shape: Shape) -> impl Strategy<Value = Vec<Record>> {
    let one = (0..=shape.types, 0..4_i64, value(), value(), value());
    prop::collection::vec(one, 0..=shape.events).prop_map(move |all| {
        let all_names = set_of(&[], Semantics::Any, 1);
        let schema = all_names.schema();
        let slots = ["v", "w", "k"].map(|name| schema.slot(name).expect("an attribute"));
        let mut time = 0;
        all.into_iter()
            .map(|(name, step, v, w, k)| {
                // Half of the steps are none.
                time += (step - 1).max(0);
                let name = if name == shape.types { UNUSED } else { NAMES[name] };
                Record::new(schema.type_id(name).expect("a type"), time)
                    .with(slots[0], v)
                    .with(slots[1], w)
                    .with(slots[2], k)
            })
            .collect()
    })
}

pub fn detector(set: &PatternSet, config: Config) -> Detector {
    Detector::with_config(set, config).expect("a detector")
}

/// What a detector gives for events, in its order.
pub fn collect(detector: &mut Detector, events: &[Record]) -> Vec<(u32, Vec<u64>)> {
    let mut found = Collect::default();
    for event in events {
        assert!(detector.push(event, &mut found).expect("an event").is_continue());
    }
    found.0.into_iter().map(|(PatternId(number), events)| (number, events)).collect()
}

/// What a detector counts for events.
pub fn count(detector: &mut Detector, events: &[Record]) -> Vec<u64> {
    let mut counts = Count::default();
    detector.push_all(events, &mut counts).expect("events");
    assert_eq!(detector.stats().events, events.len() as u64);
    assert_eq!(counts.by_pattern.iter().sum::<u64>(), counts.total);
    counts.by_pattern
}

/// Expands blocks.
#[derive(Default)]
pub struct Expand {
    pub found: Vec<(u32, Vec<u64>)>,
    pub blocks: usize,
}

impl Sink for Expand {
    fn level(&self) -> Level {
        Level::Blocks
    }

    fn block(&mut self, block: Block<'_>) -> ControlFlow<()> {
        let before = self.found.len();
        block.expand(|events| self.found.push((block.pattern.0, events.to_vec())));
        assert_eq!(self.found.len() - before, block.matches());
        assert!(block.matches() > 0);
        self.blocks += 1;
        ControlFlow::Continue(())
    }
}
