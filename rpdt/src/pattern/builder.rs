//! Builds patterns without text.
