//! The flags for bounds on memory.

use clap::Args;
use rpdt::Limits;

/// Bounds on memory.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits (BYTES may end in k, M or G: 1024, 1024², 1024³)")]
pub(super) struct LimitFlags {
    /// Longest text that is kept for one test or one answer [default: 256M].
    #[arg(long, value_name = "BYTES", value_parser = size)]
    max_text: Option<usize>,
    /// Deepest nesting of elements [default: no limit].
    #[arg(long, value_name = "N")]
    max_depth: Option<usize>,
    /// Longest tag, with its attributes [default: 16M].
    #[arg(long, value_name = "BYTES", value_parser = size)]
    max_attributes: Option<usize>,
    /// Longest comment, processing instruction or DOCTYPE that is kept [default: 256M].
    #[arg(long, value_name = "BYTES", value_parser = size)]
    max_markup: Option<usize>,
    /// Most bytes of answers that are not certain yet [default: 4G].
    #[arg(long, value_name = "BYTES", value_parser = size)]
    max_buffered: Option<usize>,
    /// Most bytes that one reference may expand to [default: 1M].
    #[arg(long, value_name = "BYTES", value_parser = size)]
    max_entity_expansion: Option<usize>,
    /// States of the automaton that are remembered, for speed only [default: 10000].
    #[arg(long, value_name = "N")]
    max_states: Option<usize>,
    /// Element names that are remembered, for speed only [default: 65536].
    #[arg(long, value_name = "N")]
    max_names: Option<usize>,
}

impl LimitFlags {
    /// Those of the library.
    pub(super) fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        let flags = [
            (&mut limits.text_bytes, self.max_text),
            (&mut limits.depth, self.max_depth),
            (&mut limits.attribute_bytes, self.max_attributes),
            (&mut limits.markup_bytes, self.max_markup),
            (&mut limits.buffered_bytes, self.max_buffered),
            (&mut limits.entity_expansion_bytes, self.max_entity_expansion),
            (&mut limits.automaton_states, self.max_states),
            (&mut limits.names, self.max_names),
        ];
        for (limit, flag) in flags {
            if let Some(value) = flag {
                *limit = value;
            }
        }
        limits
    }
}

/// The flag for a limit that a message of the library names.
pub(super) fn flag_of_limit(message: &str) -> Option<&'static str> {
    let flags = [
        ("text_bytes", "--max-text"),
        ("(depth)", "--max-depth"),
        ("attribute_bytes", "--max-attributes"),
        ("markup_bytes", "--max-markup"),
        ("buffered_bytes", "--max-buffered"),
        ("entity_expansion_bytes", "--max-entity-expansion"),
    ];
    flags.into_iter().find(|(name, _)| message.contains(name)).map(|(_, flag)| flag)
}

fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1 << 10),
        Some((at, 'm' | 'M')) => (&text[..at], 1 << 20),
        Some((at, 'g' | 'G')) => (&text[..at], 1 << 30),
        _ => (text, 1),
    };
    let number: usize = digits
        .parse()
        .map_err(|_| "expected a whole number, as in 4096, 64k, 256M or 2G".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "too large".to_owned())
}
