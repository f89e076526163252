//! One way to run the engine, the events that it is given, and what becomes of times.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use data_gen::stream::{StockOptions, StreamKind};
use nfab::language::Query;
use nfab::{
    Automaton, CompileOptions, Config, Count, Engine, Evaluation, Event, HistoryKind, Match,
    Schema, Slot, Stats, TypeId, ValueRef, ValueType, Visit,
};

use crate::baseline::stock::{Answer, Outcome, Stock};
use crate::error::{Error, Result};
use crate::experiment::Context;

pub use crate::experiment::common::{agree, generating, hash};

/// What goes wrong in the engine.
pub fn fail(error: nfab::Error) -> Error {
    Error::failed(format!("nfab: {error}"))
}

impl Event for Stock {
    fn event_type(&self) -> TypeId {
        TypeId(0)
    }

    fn time(&self) -> i64 {
        self.id
    }

    #[inline]
    fn attribute(&self, slot: Slot) -> ValueRef<'_> {
        match slot.0 {
            0 => ValueRef::Int(self.id),
            1 => ValueRef::Int(i64::from(self.symbol)),
            2 => ValueRef::Int(self.price),
            3 => ValueRef::Int(self.volume),
            _ => ValueRef::Missing,
        }
    }
}

/// A schema of types and integer attributes, numbered in the order given.
pub fn schema(types: &[&str], attributes: &[&str]) -> Schema {
    let mut schema = Schema::new();
    for name in types {
        schema.add_type(name);
    }
    for name in attributes {
        schema.add_attribute(name, Some(ValueType::Int));
    }
    schema
}

/// The names that queries over [`Stock`] use.
pub fn stock_schema() -> Schema {
    schema(&["stock"], &["id", "symbol", "price", "volume"])
}

/// How to evaluate.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// As the engine chooses.
    Chosen,
    /// One run for each partial match, with this buffer.
    Runs(HistoryKind),
    /// Runs in one state that remember the same values are one group.
    Grouped,
    /// The structure for conditions on single events.
    Compact,
}

/// The most that buffers held at once, garbage included.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held {
    /// Entries.
    pub entries: u64,
    /// References from an entry to the one before it.
    pub edges: u64,
    /// Bytes of both.
    pub bytes: u64,
    /// Partial matches.
    pub runs: u64,
}

impl Held {
    /// What private buffers hold: lists of references.
    pub fn privately(outcome: &Outcome) -> Self {
        let entries = outcome.peak_entries as u64;
        let bytes = entries * size_of::<u64>() as u64;
        Self { entries, edges: 0, bytes, runs: outcome.peak_runs as u64 }
    }
}

/// The engine on one query.
#[derive(Clone, Debug)]
pub struct Nfab {
    automaton: Arc<Automaton>,
    config: Config,
}

impl Nfab {
    /// Compiles a query.
    pub fn new(text: &str, schema: &Schema, way: Way) -> Result<Self> {
        Self::compile(text, schema, way).map_err(fail)
    }

    /// Compiles a query; nothing if it does not allow this way.
    pub fn allowed(text: &str, schema: &Schema, way: Way) -> Result<Option<Self>> {
        // What is wrong with the query itself shows when the engine may choose.
        Self::new(text, schema, Way::Chosen)?;
        Ok(Self::compile(text, schema, way).ok())
    }

    fn compile(text: &str, schema: &Schema, way: Way) -> Result<Self, nfab::Error> {
        let options = CompileOptions::new();
        let (options, history) = match way {
            Way::Chosen => (options, HistoryKind::default()),
            Way::Runs(history) => (options.evaluation(Evaluation::Runs), history),
            Way::Grouped => (options.evaluation(Evaluation::Grouped), HistoryKind::default()),
            Way::Compact => (options.evaluation(Evaluation::Compact), HistoryKind::default()),
        };
        let automaton = Automaton::from_query(&Query::parse(text)?, schema, options)?;
        Ok(Self { automaton: Arc::new(automaton), config: Config::new().history(history) })
    }

    /// An engine for one stream.
    pub fn engine<E: Event>(&self) -> Engine<E> {
        Engine::with_config(Arc::clone(&self.automaton), self.config)
    }

    /// Reads every event of every match.
    pub fn answer<E: Event + Copy>(&self, events: &[E]) -> Result<Answer> {
        self.watch(events, |_| ())
    }

    /// Reads every event of every match, and looks after each event at what is held.
    pub fn held<E: Event + Copy>(&self, events: &[E]) -> Result<(Answer, Held)> {
        let mut held = Held::default();
        let answer = self.watch(events, |engine| {
            let Stats { entries, cells, cell_bytes, runs, .. } = engine.stats();
            held.entries = held.entries.max(entries as u64);
            held.edges = held.edges.max(cells as u64);
            held.bytes = held.bytes.max(cell_bytes as u64);
            held.runs = held.runs.max(runs as u64);
        })?;
        Ok((answer, held))
    }

    fn watch<E: Event + Copy>(
        &self,
        events: &[E],
        mut look: impl FnMut(&Engine<E>),
    ) -> Result<Answer> {
        let mut answer = Answer::default();
        let mut sink = Visit(|found: &Match<'_, E>| {
            answer.add(found.events().numbers());
            ControlFlow::Continue(())
        });
        let mut engine = self.engine();
        for event in events {
            engine.push(*event, &mut sink).map_err(fail)?;
            look(&engine);
        }
        Ok(answer)
    }

    /// Counts the matches without looking at them.
    pub fn count<E: Event + Copy>(&self, events: &[E]) -> Result<u64> {
        let mut sink = Count::default();
        let mut engine = self.engine();
        for event in events {
            engine.push(*event, &mut sink).map_err(fail)?;
        }
        Ok(sink.matches)
    }
}

/// The stream of these options, or as many of the first events that the user gave in its place.
pub fn stocks_or_own(context: &Context<'_>, options: &StockOptions) -> Result<Stream<Stock>> {
    let Some((events, sha256)) = context.data.own().stock()? else {
        return stocks(options, context.seed);
    };
    let length =
        usize::try_from(options.events).map_or(events.len(), |most| most.min(events.len()));
    Ok(Stream { events: events[..length].into(), sha256: sha256.to_owned() })
}

/// Events in memory.
#[derive(Clone, Debug)]
pub struct Stream<E> {
    /// The events.
    pub events: Rc<[E]>,
    /// The SHA-256 of the file that data-gen would write.
    pub sha256: String,
}

/// A stock stream.
pub fn stocks(options: &StockOptions, seed: u64) -> Result<Stream<Stock>> {
    let stream = options.stream(seed).map_err(|error| generating(&error))?;
    let events = stream.map(|one| Stock {
        id: one.id,
        symbol: u32::try_from(one.symbol).unwrap_or(u32::MAX),
        price: one.price,
        volume: one.volume,
    });
    let sha256 = hash(&StreamKind::Stock(options.clone()), seed)?;
    Ok(Stream { events: events.collect(), sha256 })
}
