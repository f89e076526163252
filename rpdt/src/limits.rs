//! Bounds on everything that an input could make grow.

/// Bounds on memory that a document or a query can claim. Exceeding one is an error of kind
/// [`ErrorKind::Limit`](crate::ErrorKind::Limit) that names the limit, never a silent loss.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Longest text that is buffered for one value test or one text/XML output. Default 256 MiB.
    pub text_bytes: usize,
    /// Longest tag (name and attributes). Default 16 MiB. Tags that the scanner with fast checks passes
    /// over inside skipped elements are not held and may have any length.
    pub attribute_bytes: usize,
    /// Longest comment, processing instruction or DOCTYPE that straddles input chunks.
    /// Default 256 MiB.
    pub markup_bytes: usize,
    /// Deepest nesting of elements. Default: none, only memory bounds it.
    pub depth: usize,
    /// Bytes of undecided candidates and buffered results. Default: 4 GiB.
    pub buffered_bytes: usize,
    /// Bytes that the replacement of one entity reference may expand to. Default 1 MiB.
    pub entity_expansion_bytes: usize,
    /// States of the lazily determinised automaton that are kept. Default 10,000.
    pub automaton_states: usize,
    /// Distinct element names that are remembered; further ones are handled, only slower.
    /// Default 65,536.
    pub names: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            text_bytes: 256 << 20,
            attribute_bytes: 16 << 20,
            markup_bytes: 256 << 20,
            depth: usize::MAX,
            buffered_bytes: 4 << 30,
            entity_expansion_bytes: 1 << 20,
            automaton_states: 10_000,
            names: 1 << 16,
        }
    }
}
