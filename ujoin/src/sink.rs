//! Where results go.

use crate::{Pair, Tuple};

/// Takes what a join gives out.
///
/// Results come in batches. Which pairs there are does not depend on their sizes, nor on the engine.
pub trait Sink {
    /// Takes results.
    ///
    /// # Errors
    /// The sink cannot take them, or wants no more. The engine then stops for good.
    fn pairs(&mut self, pairs: &[Pair]) -> Result<(), SinkError>;

    /// Takes a tuple that came too late to be joined. Does nothing if not overridden.
    ///
    /// # Errors
    /// As for [`pairs`](Sink::pairs).
    fn late(&mut self, tuple: &Tuple) -> Result<(), SinkError> {
        let _ = tuple;
        Ok(())
    }
}

/// Why a sink takes no more.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// It has what it wanted.
    #[error("the sink wants no more")]
    Stop,
    /// It failed.
    #[error(transparent)]
    Failed(Box<dyn std::error::Error + Send + Sync>),
}

impl From<std::io::Error> for SinkError {
    fn from(error: std::io::Error) -> SinkError {
        SinkError::Failed(Box::new(error))
    }
}

/// Keeps all results and all late tuples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collect {
    /// The results, in the order in which they came.
    pub pairs: Vec<Pair>,
    /// Tuples that came too late.
    pub late: Vec<Tuple>,
}

impl Sink for Collect {
    fn pairs(&mut self, pairs: &[Pair]) -> Result<(), SinkError> {
        self.pairs.extend_from_slice(pairs);
        Ok(())
    }

    fn late(&mut self, tuple: &Tuple) -> Result<(), SinkError> {
        self.late.push(*tuple);
        Ok(())
    }
}

/// Counts results and adds up their probabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// How many results there were.
    pub pairs: u64,
    /// The sum of their probabilities, in units of 1e-18.
    pub probability: u128,
    /// How many tuples came too late.
    pub late: u64,
}

impl Sink for Count {
    fn pairs(&mut self, pairs: &[Pair]) -> Result<(), SinkError> {
        self.pairs += pairs.len() as u64;
        let sum: u128 = pairs.iter().map(|pair| u128::from(pair.probability.units())).sum();
        self.probability += sum;
        Ok(())
    }

    fn late(&mut self, _: &Tuple) -> Result<(), SinkError> {
        self.late += 1;
        Ok(())
    }
}

/// Calls a closure with each result.
#[derive(Clone, Copy, Debug)]
pub struct Visit<F>(pub F);

impl<F: FnMut(&Pair) -> Result<(), SinkError>> Sink for Visit<F> {
    fn pairs(&mut self, pairs: &[Pair]) -> Result<(), SinkError> {
        pairs.iter().try_for_each(&mut self.0)
    }
}
