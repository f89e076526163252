//! What can be written on the command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use rpdt::input::{Checks, Encoding, EntityPolicy, EntityTable, SourceConfig};
use rpdt::{Config, FrontEnd, Namespaces, Order, Runs, Shape, Threads};

use super::help;
use super::limits::LimitFlags;

/// Finds regular tree patterns in XML files and streams, in one pass.
#[derive(Parser, Debug)]
#[command(
    name = "rpdt",
    version,
    long_about = help::ABOUT,
    after_help = help::EXAMPLES,
    after_long_help = help::DETAILS,
    override_usage = help::USAGE,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) search: Search,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Show the automaton of a query, in words or as a graph.
    Explain(Explain),
}

#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// The query.
    #[arg(required_unless_present = "queries", conflicts_with = "queries")]
    query: Option<String>,
    /// A query; may be given several times.
    #[arg(short = 'e', long = "query", value_name = "QUERY")]
    queries: Vec<String>,
    /// Write the automaton in the language of Graphviz.
    #[arg(long)]
    pub(crate) dot: bool,
    #[command(flatten)]
    pub(crate) names: Names,
}

impl Explain {
    pub(crate) fn queries(&self) -> Vec<String> {
        self.query.iter().chain(&self.queries).cloned().collect()
    }
}

#[derive(Args, Debug)]
pub(crate) struct Search {
    /// The query; with -e, this is the first file.
    #[arg(value_name = "QUERY")]
    query_or_file: Option<OsString>,
    /// The documents; the standard input if there is none, or for `-`.
    #[arg(value_name = "FILE")]
    files: Vec<OsString>,
    /// A query; may be given several times, for one pass with all of them.
    #[arg(short = 'e', long = "query", value_name = "QUERY")]
    queries: Vec<String>,

    #[command(flatten)]
    pub(crate) output: Output,
    #[command(flatten)]
    matching: Matching,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    limits: LimitFlags,
}

/// What is printed.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct Output {
    /// How answers are printed.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// Stop after the first answer.
    #[arg(long, conflicts_with = "limit")]
    first: bool,
    /// Stop after N answers of all queries together.
    #[arg(long, value_name = "N", value_parser = positive)]
    limit: Option<u64>,
    /// Print counts and the time taken on the standard error; `tags` are start and end tags, `<a/>`
    /// being two.
    #[arg(long)]
    pub(crate) stats: bool,
    /// Read each file once more, and tell on the standard error what it has of the query, and what
    /// nearly.
    #[arg(long)]
    pub(crate) why: bool,
}

impl Output {
    /// After how many answers to stop.
    pub(crate) fn limit(&self) -> Option<u64> {
        if self.first { Some(1) } else { self.limit }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A JSON object a line.
    #[default]
    Json,
    /// Only the number of answers, one line for each query.
    Count,
    /// Paths such as /a[1]/b[2].
    Path,
    /// Byte offsets: of the element's first byte, and one past its last.
    Range,
    /// String values, as they are.
    Text,
    /// Elements as they are written in the document.
    Xml,
}

/// What an answer is.
#[derive(Args, Debug)]
#[command(next_help_heading = "Matching")]
struct Matching {
    /// What one answer is; by default `nodes` for one returned step, `tuples` for more.
    #[arg(long, value_enum)]
    shape: Option<ShapeName>,
    /// Which runs of children count as found by a regular expression.
    #[arg(long, value_enum, default_value_t)]
    runs: RunsName,
    /// When answers are printed.
    #[arg(long, value_enum, default_value_t)]
    order: OrderName,
    #[command(flatten)]
    names: Names,
}

/// What names in the queries mean.
#[derive(Args, Debug)]
pub(crate) struct Names {
    /// Declare a prefix that the queries use; may be given several times.
    #[arg(long, value_name = "PREFIX=URI", value_parser = namespace)]
    ns: Vec<(String, String)>,
    /// The namespace of names without prefix in the queries.
    #[arg(long, value_name = "URI")]
    default_ns: Option<String>,
}

impl Names {
    pub(crate) fn namespaces(&self) -> Namespaces {
        let mut namespaces = Namespaces::new();
        for (prefix, uri) in &self.ns {
            namespaces = namespaces.with(prefix, uri);
        }
        match &self.default_ns {
            Some(uri) => namespaces.with_default(uri),
            None => namespaces,
        }
    }

    pub(crate) fn default_namespace(&self) -> Option<&str> {
        self.default_ns.as_deref()
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ShapeName {
    /// Each returned element, once.
    Nodes,
    /// Each combination of the returned elements; a run of children is one list.
    Tuples,
    /// One answer for each element that matches the first step, with all that is returned in it.
    Instances,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum RunsName {
    /// The longest run so far, after each child that prolongs it.
    Live,
    /// The longest run at the child where it ends; runs may overlap.
    #[default]
    Peak,
    /// Longest runs from the left that share no child, as `grep -o` finds them.
    Nonoverlap,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum OrderName {
    /// As soon as an answer is certain.
    #[default]
    Certain,
    /// In the order of the document; answers wait for those that may come before.
    Document,
}

/// How the document is read.
#[derive(Args, Debug)]
#[command(next_help_heading = "Reading")]
struct Reading {
    /// How much of the document is checked.
    #[arg(long, value_enum, default_value_t)]
    checks: ChecksName,
    /// Which parser reads the document.
    #[arg(long, value_enum, default_value_t)]
    front_end: FrontEndName,
    /// The encoding of the documents, whatever they declare.
    #[arg(long, value_name = "NAME", value_parser = encoding)]
    encoding: Option<Asked>,
    /// Threads for a large file, or for many; 0 for as many as the machine has.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// What happens to references such as &nbsp; whose text is not known.
    #[arg(long, value_enum, default_value_t)]
    entities: EntitiesName,
    /// The text of an entity; may be given several times.
    #[arg(long, value_name = "NAME=TEXT", value_parser = entity)]
    entity: Vec<(String, String)>,
}

/// An encoding that was asked for, by its name.
#[derive(Clone, Debug)]
struct Asked {
    name: String,
    encoding: Encoding,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum ChecksName {
    /// One root, balanced tags, syntax of attributes, and the values that the query looks at.
    #[default]
    Fast,
    /// All that XML demands, also where the query does not look.
    Strict,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum FrontEndName {
    /// The best for the input.
    #[default]
    Auto,
    /// The scanner of this program.
    Scanner,
    /// The scanner, without instructions that only some processors have.
    PortableScanner,
    /// The quick-xml parser.
    QuickXml,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum EntitiesName {
    /// An error, when the query or the output needs the value.
    #[default]
    Error,
    /// They stay as they are written.
    Keep,
}

impl Search {
    /// The queries and the files, `None` for the standard input; or what is wrong with them.
    pub(crate) fn queries_and_files(&self) -> Result<(Vec<String>, Vec<Option<PathBuf>>), String> {
        let (queries, first) = if self.queries.is_empty() {
            let Some(query) = &self.query_or_file else {
                return Err("a query is missing, as in `rpdt '//a/b' FILE`".to_owned());
            };
            let Some(query) = query.to_str() else {
                return Err("the query is not valid UTF-8".to_owned());
            };
            (vec![query.to_owned()], None)
        } else {
            (self.queries.clone(), self.query_or_file.as_ref())
        };
        let path = |file: &OsString| (file != "-").then(|| PathBuf::from(file));
        let mut files: Vec<_> = first.into_iter().chain(&self.files).map(path).collect();
        if files.iter().filter(|file| file.is_none()).count() > 1 {
            return Err("the standard input, `-`, can be read only once".to_owned());
        }
        if files.is_empty() {
            files.push(None);
        }
        Ok((queries, files))
    }

    /// What may have been meant when the query is at fault, or a file is not there.
    pub(crate) fn advice(&self) -> Option<&'static str> {
        let starts_with = |argument: Option<&OsString>, start: &str| {
            argument.and_then(|a| a.to_str()).is_some_and(|a| a.starts_with(start))
        };
        let (first, second) = (self.query_or_file.as_ref(), self.files.first());
        if !self.queries.is_empty() {
            return None;
        }
        if first.is_some_and(|first| first == "explain") {
            return Some("`explain` stands before everything else: `rpdt explain [--dot] QUERY`");
        }
        if first.is_some_and(|first| Path::new(first).is_file())
            || (starts_with(second, "/") && !starts_with(first, "/"))
        {
            return Some("the query comes first, then the files");
        }
        starts_with(second, "//").then_some("to run several queries give each of them with -e")
    }

    /// How many threads to use.
    pub(crate) fn threads(&self) -> Threads {
        match self.reading.threads {
            0 => Threads::available(),
            n => Threads::new(n),
        }
    }

    /// What names in the queries mean.
    pub(crate) fn names(&self) -> &Names {
        &self.matching.names
    }

    /// The encoding that was asked for.
    pub(crate) fn encoding(&self) -> Option<&str> {
        self.reading.encoding.as_ref().map(|asked| &*asked.name)
    }

    /// Which parser reads the documents.
    pub(crate) fn front_end(&self) -> &'static str {
        match self.reading.front_end {
            FrontEndName::Auto | FrontEndName::Scanner => "scanner",
            FrontEndName::PortableScanner => "portable-scanner",
            FrontEndName::QuickXml => "quick-xml",
        }
    }

    /// How a file is read a second time, for what was fine the first time.
    pub(crate) fn source(&self) -> SourceConfig {
        SourceConfig {
            checks: Checks::Fast,
            encoding: self.reading.encoding.as_ref().map(|asked| asked.encoding),
            entities: EntityPolicy::Keep,
            entity_table: self.entity_table(),
            limits: self.limits.limits(),
        }
    }

    fn entity_table(&self) -> EntityTable {
        let mut table = EntityTable::new();
        for (name, text) in &self.reading.entity {
            table = table.with(name, text);
        }
        table
    }

    /// The options of the library.
    pub(crate) fn config(&self) -> Config {
        let table = self.entity_table();
        let config = Config::new()
            .runs(match self.matching.runs {
                RunsName::Live => Runs::Live,
                RunsName::Peak => Runs::Peak,
                RunsName::Nonoverlap => Runs::NonOverlap,
            })
            .order(match self.matching.order {
                OrderName::Certain => Order::Certain,
                OrderName::Document => Order::Document,
            })
            .namespaces(self.names().namespaces())
            .front_end(match self.reading.front_end {
                FrontEndName::Auto => FrontEnd::Auto,
                FrontEndName::Scanner => FrontEnd::Scanner,
                FrontEndName::PortableScanner => FrontEnd::PortableScanner,
                FrontEndName::QuickXml => FrontEnd::QuickXml,
            })
            .checks(match self.reading.checks {
                ChecksName::Fast => Checks::Fast,
                ChecksName::Strict => Checks::Strict,
            })
            .entities(match self.reading.entities {
                EntitiesName::Error => EntityPolicy::Error,
                EntitiesName::Keep => EntityPolicy::Keep,
            })
            .entity_table(table)
            .limits(self.limits.limits());
        let config = match &self.reading.encoding {
            Some(asked) => config.encoding(asked.encoding),
            None => config,
        };
        match self.matching.shape {
            None => config,
            Some(ShapeName::Nodes) => config.shape(Shape::Nodes),
            Some(ShapeName::Tuples) => config.shape(Shape::Tuples),
            Some(ShapeName::Instances) => config.shape(Shape::Instances),
        }
    }
}

fn positive(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("expected a whole number of at least 1".to_owned()),
    }
}

fn namespace(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some(("", _)) => Err("for names without prefix use --default-ns URI".to_owned()),
        Some((_, "")) => Err("the URI is missing, expected PREFIX=URI".to_owned()),
        Some((prefix, uri)) => Ok((prefix.to_owned(), uri.to_owned())),
        None => Err("expected PREFIX=URI".to_owned()),
    }
}

fn entity(text: &str) -> Result<(String, String), String> {
    let Some((name, replacement)) = text.split_once('=') else {
        return Err("expected NAME=TEXT".to_owned());
    };
    let name = name.strip_prefix('&').unwrap_or(name);
    let name = name.strip_suffix(';').unwrap_or(name);
    if name.is_empty() {
        return Err("expected NAME=TEXT".to_owned());
    }
    Ok((name.to_owned(), replacement.to_owned()))
}

fn encoding(text: &str) -> Result<Asked, String> {
    let message =
        "not the name of an encoding, such as UTF-8, ISO-8859-1, windows-1252 or Shift_JIS";
    let encoding = Encoding::named(text).ok_or_else(|| message.to_owned())?;
    Ok(Asked { name: text.to_owned(), encoding })
}
