//! What the engine executes: patterns flattened to numbered nodes ([`compile`]) with their roles
//! ([`roles`]), one Glushkov automaton a regular branch ([`sibling_nfa`]), classes of element names
//! ([`symbols`]), the determinised runs where they are counted ([`run_dfa`]) and the lazily determinised top-down table ([`lazy`]). The automaton as the paper draws it is
//! [`crate::paper`].

pub(crate) mod compile;
pub(crate) mod lazy;
pub(crate) mod readings;
mod roles;
pub(crate) mod run_dfa;
pub(crate) mod sibling_nfa;
pub(crate) mod symbols;
