//! What several experiments of one call have in common.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};

/// A place of a value; locked while it is made.
type Place = Mutex<Option<Arc<dyn Any + Send + Sync>>>;
type Places = HashMap<(TypeId, &'static str), Arc<Place>>;

/// Values that are made once in a call: runs from which two figures are drawn, and the like. All
/// experiments of a call have the same scale, seed and rounds, so a name suffices.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    values: Arc<Mutex<Places>>,
}

impl Shared {
    /// The value of this name and type. The first who asks makes it, others wait; an error is not kept.
    pub fn once<T: Send + Sync + 'static>(
        &self,
        name: &'static str,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        let place = {
            let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(values.entry((TypeId::of::<T>(), name)).or_default())
        };
        let mut made = place.lock().unwrap_or_else(PoisonError::into_inner);
        let value = match &*made {
            Some(value) => Arc::clone(value),
            None => {
                let value: Arc<dyn Any + Send + Sync> = Arc::new(make()?);
                *made = Some(Arc::clone(&value));
                value
            }
        };
        value.downcast().map_err(|_| Error::failed(format!("{name} is of another type")))
    }
}
