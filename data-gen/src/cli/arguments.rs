//! The arguments of `data-gen`.

use clap::{Args, Parser, Subcommand, ValueEnum};
use data_gen::xml::{
    DblpOptions, RandomTreeOptions, Shape, TreebankOptions, XmarkOptions, XmlKind,
};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  data-gen xmark --factor 0.1 -o auctions.xml     11.7 MB, with auctions.xml.manifest.json
  data-gen dblp --size 10MB --plain | gzip > dblp.xml.gz
  data-gen treebank --sentences 1000 --seed 7 -o trees.xml
  data-gen random-tree --shape deep -o deep.xml   100,000 nested levels

The same command and seed give the same bytes on every machine.
Exit status: 0 written, 2 wrong usage or a failed write.";

/// Writes benchmark data: the same seed gives the same bytes, everywhere.
#[derive(Debug, Parser)]
#[command(name = "data-gen", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Seed of all randomness.
    #[arg(long, global = true, default_value_t = 1)]
    pub(crate) seed: u64,
    /// File to write, with FILE.manifest.json beside it; '-' or nothing is the standard output.
    #[arg(short, long, global = true, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Auction sites as in the XMark benchmark.
    #[command(after_help = EXAMPLES)]
    Xmark {
        /// Scaling factor; 1 is 116.5 MB.
        #[arg(long, default_value_t = 1.0, value_parser = positive, allow_negative_numbers = true)]
        factor: f64,
    },
    /// A bibliography like DBLP's; 133.9 MB unless told otherwise.
    #[command(after_help = EXAMPLES)]
    Dblp {
        #[command(flatten)]
        size: Size,
        /// Number of records.
        #[arg(long, group = "amount", value_parser = clap::value_parser!(u64).range(1..))]
        records: Option<u64>,
        /// UTF-8 without document type and named entities, for readers that know no DTDs.
        #[arg(long, visible_alias = "utf8")]
        plain: bool,
    },
    /// Deeply nested parsed sentences like the Penn Treebank's; 86 MB unless told otherwise.
    #[command(after_help = EXAMPLES)]
    Treebank {
        #[command(flatten)]
        size: Size,
        /// Number of sentences.
        #[arg(long, group = "amount", value_parser = clap::value_parser!(u64).range(1..))]
        sentences: Option<u64>,
    },
    /// Random trees, and trees of hostile shapes.
    #[command(after_help = EXAMPLES)]
    RandomTree(Box<RandomTree>),
}

#[derive(Args, Debug)]
pub(crate) struct Size {
    /// Multiple of the default size.
    #[arg(long, group = "amount", value_name = "F", value_parser = positive, allow_negative_numbers = true)]
    scale: Option<f64>,
    /// Approximate bytes: a number, or one with kB, MB or GB.
    #[arg(long, group = "amount", value_name = "BYTES", value_parser = bytes)]
    size: Option<u64>,
}

impl Size {
    /// The multiple of the default size, which is so many bytes.
    fn factor(&self, default_bytes: f64) -> f64 {
        match (self.scale, self.size) {
            (Some(scale), _) => scale,
            (None, Some(bytes)) => bytes as f64 / default_bytes,
            (None, None) => 1.0,
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct RandomTree {
    /// Outline of the tree.
    #[arg(long, value_enum, default_value_t = ShapeName::Random)]
    shape: ShapeName,
    /// Elements at most (random), levels (deep), or rows (wide, many-attributes).
    #[arg(long)]
    elements: Option<u64>,
    /// Greatest depth (random).
    #[arg(long)]
    max_depth: Option<u64>,
    /// Most child elements of an element (random).
    #[arg(long)]
    max_fanout: Option<u64>,
    /// Element names, separated by commas (random, deep).
    #[arg(long, value_delimiter = ',')]
    names: Option<Vec<String>>,
    /// Probability of text before a tag (random).
    #[arg(long, allow_negative_numbers = true)]
    text: Option<f64>,
    /// Probability of a comment before a tag (random).
    #[arg(long, allow_negative_numbers = true)]
    comments: Option<f64>,
    /// Probability of a processing instruction before a tag (random).
    #[arg(long, allow_negative_numbers = true)]
    instructions: Option<f64>,
    /// Probability of a CDATA section before a tag (random).
    #[arg(long, allow_negative_numbers = true)]
    cdata: Option<f64>,
    /// Probability that an element has attributes (random).
    #[arg(long, allow_negative_numbers = true)]
    attributes: Option<f64>,
    /// Probability that an element takes its parent's name (random, deep).
    #[arg(long, allow_negative_numbers = true)]
    recursion: Option<f64>,
    /// Bytes of the text (long-text), or of each row's text (wide).
    #[arg(long, value_parser = bytes)]
    text_bytes: Option<u64>,
    /// Attributes of each element (many-attributes).
    #[arg(long)]
    attributes_each: Option<u64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ShapeName {
    /// Random depth and fan-out, with content of all kinds between the tags.
    Random,
    /// 100,000 nested levels.
    Deep,
    /// A million rows under one parent, 200 MB.
    Wide,
    /// One text node of 64 MiB.
    LongText,
    /// 1,000 elements with 1,000 attributes each.
    ManyAttributes,
}

impl RandomTree {
    fn options(&self) -> RandomTreeOptions {
        let mut options = RandomTreeOptions::new(match self.shape {
            ShapeName::Random => Shape::Random,
            ShapeName::Deep => Shape::Deep,
            ShapeName::Wide => Shape::Wide,
            ShapeName::LongText => Shape::LongText,
            ShapeName::ManyAttributes => Shape::ManyAttributes,
        });
        fn set<T: Clone>(option: &mut T, given: &Option<T>) {
            if let Some(given) = given {
                option.clone_from(given);
            }
        }
        set(&mut options.elements, &self.elements);
        set(&mut options.max_depth, &self.max_depth);
        set(&mut options.max_fanout, &self.max_fanout);
        set(&mut options.names, &self.names);
        set(&mut options.text, &self.text);
        set(&mut options.comments, &self.comments);
        set(&mut options.instructions, &self.instructions);
        set(&mut options.cdata, &self.cdata);
        set(&mut options.attributes, &self.attributes);
        set(&mut options.recursion, &self.recursion);
        set(&mut options.text_bytes, &self.text_bytes);
        set(&mut options.attributes_each, &self.attributes_each);
        options
    }
}

impl Command {
    /// The document that is asked for.
    pub(crate) fn kind(&self) -> XmlKind {
        match self {
            Self::Xmark { factor } => XmlKind::Xmark(XmarkOptions::new(*factor)),
            Self::Dblp { size, records, plain } => {
                let mut options = match records {
                    Some(records) => DblpOptions::new(*records),
                    None => DblpOptions::scaled(size.factor(133_862_735.0)),
                };
                options.entities = !plain;
                XmlKind::Dblp(options)
            }
            Self::Treebank { size, sentences } => XmlKind::Treebank(match sentences {
                Some(sentences) => TreebankOptions::new(*sentences),
                None => TreebankOptions::scaled(size.factor(86_082_517.0)),
            }),
            Self::RandomTree(tree) => XmlKind::RandomTree(tree.options()),
        }
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        Ok(_) => Err("must be greater than 0".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match &text[digits.len()..] {
        "" | "B" => 1,
        "k" | "kB" | "KB" => 1000,
        "M" | "MB" => 1_000_000,
        "G" | "GB" => 1_000_000_000,
        other => return Err(format!("unknown unit {other:?}; use kB, MB or GB")),
    };
    let number: u64 = digits.trim_end().parse().map_err(|error| format!("{error}"))?;
    number.checked_mul(unit).ok_or_else(|| "too large".to_owned())
}
