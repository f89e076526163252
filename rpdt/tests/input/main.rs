//! The input front end against its public interface: what handlers see, byte offsets, errors,
//! limits, whatever the sizes of the chunks.

mod alike;
mod chunks;
mod encodings;
mod entities;
mod fuzz;
mod limits;
mod log;
mod malformed;
mod quiet;
