//! The arguments of `data-gen`.

use super::patterns::Patterns;
use super::sightings::Companion;
use super::streams::Stream;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use data_gen::patterns::PatternOptions;
use data_gen::stream::StreamFile;
use data_gen::xml::{
    DblpOptions, RandomTreeOptions, Shape, TreebankOptions, XmarkOptions, XmlKind,
};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  data-gen xmark --factor 0.1 -o auctions.xml     11.7 MB, with auctions.xml.manifest.json
  data-gen dblp --size 10MB --plain | gzip > dblp.xml.gz
  data-gen treebank --sentences 1000 --seed 7 -o trees.xml
  data-gen random-tree --shape deep -o deep.xml   100,000 nested levels
  data-gen stock --seed 10 -o stock.csv           100,000 events of two stocks
  data-gen clicks --events 5000 --format jsonl    logins and carts, as JSON lines

The same command and seed give the same bytes on every machine.
Exit status: 0 written, 2 wrong usage or a failed write.";

/// Writes benchmark data: the same seed gives the same bytes, everywhere.
#[derive(Debug, Parser)]
#[command(name = "data-gen", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Seed of all randomness.
    #[arg(long, value_name = "N", global = true, default_value_t = 1, value_parser = whole, allow_negative_numbers = true)]
    #[arg(display_order = 100)]
    pub(crate) seed: u64,
    /// File to write, with FILE.manifest.json beside it; '-' or nothing is the standard output.
    #[arg(short, long, global = true, value_name = "FILE", display_order = 101)]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Auction sites as in the XMark benchmark.
    #[command(after_help = EXAMPLES)]
    Xmark {
        /// Scaling factor; 1 is 116.64 MB.
        #[arg(long, value_name = "F", default_value_t = 1.0, value_parser = positive, allow_negative_numbers = true)]
        factor: f64,
    },
    /// A bibliography like DBLP's; 133.72 MB unless told otherwise.
    #[command(after_help = EXAMPLES)]
    Dblp {
        #[command(flatten)]
        size: Size,
        /// Number of records.
        #[arg(long, group = "amount", value_name = "N", value_parser = count, allow_negative_numbers = true)]
        records: Option<u64>,
        /// UTF-8 without document type and named entities, for readers that know no DTDs.
        #[arg(long, visible_alias = "utf8")]
        plain: bool,
    },
    /// Deeply nested parsed sentences like the Penn Treebank's; 86.29 MB unless told otherwise.
    #[command(after_help = EXAMPLES)]
    Treebank {
        #[command(flatten)]
        size: Size,
        /// Number of sentences.
        #[arg(long, group = "amount", value_name = "N", value_parser = count, allow_negative_numbers = true)]
        sentences: Option<u64>,
    },
    /// Random trees, and trees of hostile shapes.
    #[command(after_help = EXAMPLES)]
    RandomTree(Box<RandomTree>),
    #[command(flatten)]
    Stream(Stream),
    /// Patterns of event sequences, one a line.
    #[command(after_help = super::patterns::EXAMPLES)]
    Patterns(Patterns),
}

/// The data that is asked for.
pub(crate) enum Data {
    Xml(XmlKind),
    Stream(StreamFile),
    Patterns(PatternOptions),
}

#[derive(Args, Debug)]
pub(crate) struct Size {
    /// Multiple of the default size.
    #[arg(long, group = "amount", value_name = "F", value_parser = positive, allow_negative_numbers = true)]
    scale: Option<f64>,
    /// Approximate bytes: a number, or one with kB, MB or GB.
    #[arg(long, group = "amount", value_name = "BYTES", value_parser = bytes, allow_negative_numbers = true)]
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
    /// Elements at most (random) [default: 1000], levels (deep) [default: 100000], or rows (wide,
    /// many-attributes) [default: 1000000, 1000].
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    elements: Option<u64>,
    /// Greatest depth (random) [default: 12].
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    max_depth: Option<u64>,
    /// Most child elements of an element (random) [default: 8].
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    max_fanout: Option<u64>,
    /// Element names, separated by commas (random, deep) [default: a,b,c,d,e,f].
    #[arg(long, value_delimiter = ',')]
    names: Option<Vec<String>>,
    /// Probability that an element takes its parent's name (random, deep) [default: 0.25].
    #[arg(long, value_name = "P", value_parser = probability, allow_negative_numbers = true)]
    recursion: Option<f64>,
    /// Probability that an element has attributes (random) [default: 0.3].
    #[arg(long, value_name = "P", value_parser = probability, allow_negative_numbers = true)]
    attributes: Option<f64>,
    /// Probability of text before a tag (random) [default: 0.4].
    #[arg(long, value_name = "P", value_parser = probability, allow_negative_numbers = true)]
    text: Option<f64>,
    /// Probability of a comment before a tag (random) [default: 0.1].
    #[arg(long, value_name = "P", value_parser = probability, allow_negative_numbers = true)]
    comments: Option<f64>,
    /// Probability of a processing instruction before a tag (random) [default: 0.05].
    #[arg(long, value_name = "P", value_parser = probability, allow_negative_numbers = true)]
    instructions: Option<f64>,
    /// Probability of a CDATA section before a tag (random) [default: 0.05].
    #[arg(long, value_name = "P", value_parser = probability, allow_negative_numbers = true)]
    cdata: Option<f64>,
    /// Bytes of the text (long-text) [default: 67108864], or of each row's text (wide)
    /// [default: 186].
    #[arg(long, value_name = "BYTES", value_parser = bytes, allow_negative_numbers = true)]
    text_bytes: Option<u64>,
    /// Attributes of each element (many-attributes) [default: 1000].
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    attributes_each: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
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
    /// The first flag that is given but says nothing about the shape, with the shapes it is for.
    fn stray(&self) -> Option<(&'static str, &'static [ShapeName])> {
        use ShapeName::{Deep, LongText, ManyAttributes, Random, Wide};
        let flags: [(&str, bool, &[ShapeName]); 12] = [
            ("--elements", self.elements.is_some(), &[Random, Deep, Wide, ManyAttributes]),
            ("--max-depth", self.max_depth.is_some(), &[Random]),
            ("--max-fanout", self.max_fanout.is_some(), &[Random]),
            ("--names", self.names.is_some(), &[Random, Deep]),
            ("--recursion", self.recursion.is_some(), &[Random, Deep]),
            ("--attributes", self.attributes.is_some(), &[Random]),
            ("--text", self.text.is_some(), &[Random]),
            ("--comments", self.comments.is_some(), &[Random]),
            ("--instructions", self.instructions.is_some(), &[Random]),
            ("--cdata", self.cdata.is_some(), &[Random]),
            ("--text-bytes", self.text_bytes.is_some(), &[LongText, Wide]),
            ("--attributes-each", self.attributes_each.is_some(), &[ManyAttributes]),
        ];
        let stray =
            flags.into_iter().find(|(_, given, shapes)| *given && !shapes.contains(&self.shape));
        stray.map(|(flag, _, shapes)| (flag, shapes))
    }

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

impl Arguments {
    /// The arguments of this process; ends it when they are wrong, or when only help is wanted.
    pub(crate) fn read() -> Self {
        let arguments = Self::parse();
        if let Command::RandomTree(tree) = &arguments.command
            && let Some((flag, shapes)) = tree.stray()
        {
            let name = |shape: &ShapeName| {
                shape.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned())
            };
            let shapes: Vec<_> = shapes.iter().map(name).collect();
            let message = format!(
                "{flag} says nothing about --shape {}; it is for {}",
                name(&tree.shape),
                shapes.join(", ")
            );
            let mut command = Self::command();
            command.build();
            if let Some(tree) = command.find_subcommand_mut("random-tree") {
                tree.error(ErrorKind::ArgumentConflict, message).exit();
            }
            command.error(ErrorKind::ArgumentConflict, message).exit();
        }
        arguments
    }
}

impl Command {
    /// Files that belong to the data: where, and which.
    pub(crate) fn companions(&self) -> Vec<(&Path, Companion)> {
        match self {
            Self::Stream(stream) => stream.companions(),
            _ => Vec::new(),
        }
    }

    /// The data that is asked for.
    pub(crate) fn data(&self) -> Data {
        Data::Xml(match self {
            Self::Stream(stream) => return Data::Stream(stream.file()),
            Self::Patterns(patterns) => return Data::Patterns(patterns.options()),
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
        })
    }
}

pub(crate) fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("expected a number greater than 0, as in 2 or 0.1".to_owned()),
    }
}

pub(crate) fn probability(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("expected a number from 0 to 1, as in 0.25".to_owned()),
    }
}

pub(crate) fn whole(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

pub(crate) fn count(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("expected a whole number of at least 1".to_owned()),
    }
}

fn bytes(text: &str) -> Result<u64, String> {
    let expected = || "expected a number of bytes, as in 5000, 64kB, 10MB or 2GB".to_owned();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match &text[digits.len()..] {
        "" | "B" => 1,
        "k" | "kB" | "KB" => 1000,
        "M" | "MB" => 1_000_000,
        "G" | "GB" => 1_000_000_000,
        other if !digits.is_empty() => {
            return Err(format!("unknown unit {other:?}; use kB, MB or GB"));
        }
        _ => return Err(expected()),
    };
    let number: u64 = digits.trim_end().parse().map_err(|_| expected())?;
    number.checked_mul(unit).ok_or_else(|| "too large".to_owned())
}
