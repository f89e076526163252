//! `nfab QUERY FILE`: matches a query against events.

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use nfab::language::{Projection, Query};
use nfab::{Automaton, Error, TypeId};

use super::arguments::{Format, QueryFrom, Search};
use super::checkpoint::{self, Checkpoints, Failed, Refused};
use super::input::{Fatal, Input, Next, Reader, Wanted, plain};
use super::lists;
use super::matcher::Matcher;
use super::names::Names;
use super::output::{Printed, Printer};
use super::progress::Progress;
use super::report::{self, Before};
use super::summary::{self, Summary};
use super::{NONE, Reported};

/// A query with its text and what messages call it.
pub(super) struct Source {
    pub(super) name: String,
    pub(super) text: String,
    help: Option<&'static str>,
}

impl Source {
    /// Takes the query from where it is.
    pub(super) fn read(from: &QueryFrom<'_>, help: Option<&'static str>) -> Result<Self, Reported> {
        match from {
            QueryFrom::Text(text) => {
                Ok(Source { name: "query".to_owned(), text: (*text).to_owned(), help })
            }
            QueryFrom::File(path) => {
                let name = path.display().to_string();
                match std::fs::read_to_string(path) {
                    Ok(text) => Ok(Source { name, text, help: None }),
                    Err(e) => {
                        report::plain(&format!("cannot read {name}: {}", plain(&e)), help);
                        Err(Reported)
                    }
                }
            }
        }
    }

    pub(super) fn parse(&self) -> Result<Query, Reported> {
        Query::parse(&self.text).map_err(|error| self.report(&error, self.help))
    }

    pub(super) fn compile(
        &self,
        query: &Query,
        names: &Names,
        options: nfab::CompileOptions,
    ) -> Result<Automaton, Reported> {
        Automaton::from_query(query, &names.schema, options)
            .map_err(|error| self.report(&error, None))
    }

    /// What the query says to return.
    fn results(&self, query: &Query, names: &Names) -> Result<Option<Projection>, Reported> {
        if query.returns.is_empty() {
            return Ok(None);
        }
        match Projection::new(query, &names.schema) {
            Ok(projection) => Ok(Some(projection)),
            Err(error) => Err(self.report(&error, None)),
        }
    }

    fn report(&self, error: &Error, help: Option<&str>) -> Reported {
        report::query(&self.name, &self.text, error, help);
        Reported
    }
}

pub(super) fn main(arguments: &Search) -> Result<ExitCode, Reported> {
    let start = Instant::now();
    let advice = arguments.advice();
    let (from, file) = arguments.query_and_file().map_err(|message| {
        let help = advice.or(Some("`nfab --help` shows how to call the program"));
        report::plain(&message, help);
        Reported
    })?;
    let format = arguments.output.format();
    if arguments.output.timeouts && format == Format::Csv {
        let help = "with `--timeouts` use `--format json` or `--format ids`";
        report::plain("a table has no place for timeouts", Some(help));
        return Err(Reported);
    }
    if arguments.checkpoint().is_some() && arguments.threads() > 1 {
        let help = "leave out `--threads` or `--checkpoint`";
        report::plain("there are no checkpoints of several threads", Some(help));
        return Err(Reported);
    }
    let source = Source::read(&from, advice)?;
    let query = source.parse()?;
    let names = Names::new(&query);
    let automaton = source.compile(&query, &names, arguments.options())?;
    let results = source.results(&query, &names)?;
    let wanted = wanted(arguments, &query, &names)?;
    let input = Input::open(file.as_deref()).map_err(|message| {
        report::plain(&message, advice);
        Reported
    })?;
    let name = input.name.clone();
    let mut reader = Reader::new(input, arguments.reading.format(), wanted)
        .map_err(|fatal| tell_fatal(&fatal, &name, &source, None))?;
    for alone in lists::alone(&query) {
        summary::without_first(&alone);
    }
    let output = &arguments.output;
    let limit = output.limit();
    keep_apart(file.as_deref(), &from, arguments)?;
    let (to, late) = (output.output.as_deref(), output.late.as_deref());
    let mut checkpoints = Checkpoints::new(arguments, &source.text);
    let begun = begin(arguments, &source, automaton, &mut reader, checkpoints.as_mut())?;
    let Begun { matcher, bad_rows, before } = begun;
    let printer = Printer::new(format, limit, &names, results, to, late, before)
        .map_err(|(path, e)| write_failed(&e, Some(&path)))?;
    if let (Some(checkpoints), Some(before)) = (&checkpoints, &before)
        && !printer.is_to_file()
    {
        checkpoints.tell(before, reader.rows());
    }
    let names = &names;
    let source = &source;
    Run { arguments, source, names, reader, printer, matcher, checkpoints, bad_rows, start }
        .finish()
}

/// Where a run begins: with the first row or behind a checkpoint.
struct Begun {
    matcher: Matcher,
    bad_rows: u64,
    before: Option<Printed>,
}

fn begin(
    arguments: &Search,
    source: &Source,
    automaton: Automaton,
    reader: &mut Reader,
    mut checkpoints: Option<&mut Checkpoints>,
) -> Result<Begun, Reported> {
    let refuse = |Refused { message, help }: Refused| {
        report::plain(&message, Some(&help));
        Reported
    };
    if let Some(checkpoints) = checkpoints.as_mut().filter(|_| arguments.resumes())
        && let Some(saved) = checkpoints.load().map_err(refuse)?
    {
        let name = checkpoints.name();
        let skipped = reader.skip(saved.rows());
        let bad_rows =
            skipped.map_err(|fatal| tell_fatal(&fatal, &reader.input().name, source, None))?;
        checkpoints.go_on(&saved, reader, bad_rows).map_err(refuse)?;
        let (snapshot, before) = saved.into_parts();
        let matcher =
            Matcher::restore(automaton, arguments.config(), snapshot).map_err(|error| {
                report::plain(&format!("{name}: {}", error.message()), error.hint());
                Reported
            })?;
        return Ok(Begun { matcher, bad_rows, before: Some(before) });
    }
    let mut matcher = Matcher::new(automaton, arguments.config(), arguments.threads())
        .map_err(|error| source.report(&error, None))?;
    if let Some(checkpoints) = checkpoints {
        // It takes the place of one of an earlier run, to which what is printed now does not fit.
        let saved = checkpoints.save(&mut matcher, reader, 0, Printed::default());
        saved.map_err(|failed| match failed {
            Failed::Engine(error) => source.report(&error, None),
            Failed::Io(error) => {
                let counted = arguments.output.format() == Format::Count;
                report::unsaved(&checkpoints.name(), &error, Before { matches: 0, counted });
                Reported
            }
        })?;
    }
    Ok(Begun { matcher, bad_rows: 0, before: None })
}

/// Refuses to write to a file that is read, or twice to one.
fn keep_apart(
    file: Option<&Path>,
    from: &QueryFrom<'_>,
    arguments: &Search,
) -> Result<(), Reported> {
    let output = &arguments.output;
    let query = match from {
        QueryFrom::File(path) => Some(*path),
        QueryFrom::Text(_) => None,
    };
    let target = output.output.as_deref();
    let late = output.late.as_deref();
    let kept = arguments.checkpoint().map(checkpoint::real);
    let beside = kept.as_deref().map(checkpoint::beside);
    let written = [target, late, kept.as_deref(), beside.as_deref()];
    for (at, one) in written.into_iter().enumerate() {
        let others = [file, query].into_iter().chain(written[..at].iter().copied());
        for other in others.flatten() {
            if let Some(one) = one
                && checkpoint::real(one) == checkpoint::real(other)
            {
                let name = one.display();
                report::plain(&format!("{name} is named twice, and would be overwritten"), None);
                return Err(Reported);
            }
        }
    }
    Ok(())
}

/// What to read of the events.
fn wanted(arguments: &Search, query: &Query, names: &Names) -> Result<Wanted, Reported> {
    let reading = &arguments.reading;
    let find = |name: &str| names.types.iter().find(|(known, _)| known == name).map(|(_, id)| *id);
    let given_type = match &reading.given_type {
        None => None,
        Some(name) => match find(name) {
            Some(id) => Some(id),
            None => {
                let types = super::input::listed(names.types.iter().map(|(name, _)| name.as_str()));
                report::plain(
                    &format!("the query does not ask for the type `{name}` of --type"),
                    Some(&format!("it asks for {types}")),
                );
                return Err(Reported);
            }
        },
    };
    let fallback_type: Option<TypeId> = match (&names.types[..], &query.from) {
        ([(_, only)], _) => Some(*only),
        (_, Some(from)) => find(&from.text),
        _ => None,
    };
    let said = |only: &str| query.from.as_ref().is_some_and(|from| *from.text == *only);
    let assumed = match &names.types[..] {
        [(only, _)] if reading.type_column.is_none() && !said(only) => Some(only.clone()),
        _ => None,
    };
    let shown = matches!(arguments.output.format(), Format::Json | Format::Csv);
    Ok(Wanted {
        attributes: names.attributes.clone(),
        types: names.types.clone(),
        other: names.other,
        given_type,
        fallback_type,
        assumed,
        key: names.key.iter().map(|(_, slot)| *slot).collect(),
        type_column: reading.type_column.clone(),
        time_column: reading.time_column.clone(),
        unit: reading.time_unit.unit(),
        keep: shown || arguments.output.late.is_some(),
    })
}

/// Why a run ended before its input.
enum Stop {
    /// Enough was found, or nothing can be written.
    Done,
    Engine(Error, u64),
    Fault(super::input::Fault),
    Fatal(Fatal),
    /// The checkpoint cannot be written.
    Unsaved(io::Error),
}

/// All that takes part in a run.
struct Run<'a> {
    arguments: &'a Search,
    source: &'a Source,
    names: &'a Names,
    reader: Reader,
    printer: Printer<'a>,
    matcher: Matcher,
    checkpoints: Option<Checkpoints>,
    bad_rows: u64,
    start: Instant,
}

impl Run<'_> {
    fn finish(mut self) -> Result<ExitCode, Reported> {
        self.printer.begin(self.reader.columns());
        let result = self.events();
        if !matches!(result, Ok(()) | Err(Stop::Done)) {
            // What went wrong first is told.
            let _ = self.matcher.flush(&mut self.printer);
            self.printer.flush();
        } else {
            self.printer.finish(self.arguments.output.timeouts);
        }
        let matches = self.printer.matches();
        let summary = Summary {
            stats: self.matcher.stats(),
            rows: self.reader.rows(),
            bad_rows: self.bad_rows,
            bytes: self.reader.input().bytes,
            matches,
            start: self.start,
        };
        if self.printer.error().is_none() {
            self.warn(&summary, &result);
        }
        if self.arguments.output.stats {
            summary.tell();
        }
        if let Some((error, path)) = self.printer.error() {
            if error.kind() == io::ErrorKind::BrokenPipe && path.is_none() {
                // Whoever read our output has seen enough.
                return Ok(ExitCode::SUCCESS);
            }
            return Err(write_failed(error, path));
        }
        let counted = self.arguments.output.format() == Format::Count;
        let before = Before { matches, counted };
        let name = &self.reader.input().name;
        match result {
            Ok(()) | Err(Stop::Done) if matches > 0 => Ok(ExitCode::SUCCESS),
            Ok(()) | Err(Stop::Done) => Ok(ExitCode::from(NONE)),
            Err(Stop::Engine(error, event)) => {
                let event = self.matcher.is_prompt().then_some(event);
                report::stopped(name, &error, event, before);
                Err(Reported)
            }
            Err(Stop::Fault(fault)) => {
                report::fault(name, &fault, before);
                Err(Reported)
            }
            Err(Stop::Fatal(fatal)) => Err(tell_fatal(&fatal, name, self.source, Some(before))),
            Err(Stop::Unsaved(error)) => {
                let name = self.checkpoints.as_ref().map(Checkpoints::name).unwrap_or_default();
                report::unsaved(&name, &error, before);
                Err(Reported)
            }
        }
    }

    /// Shows all events to the engine.
    fn events(&mut self) -> Result<(), Stop> {
        let skip = self.arguments.reading.skip_bad_rows;
        let live = self.reader.input().is_live();
        let to_file = self.arguments.output.output.is_some();
        let mut progress = Progress::new(self.reader.input().size, to_file);
        let result = loop {
            match self.reader.next() {
                Next::Row(row) => {
                    let number = row.number();
                    if let Err(error) = self.matcher.push(row, &mut self.printer) {
                        break Err(Stop::Engine(error, number));
                    }
                    if self.printer.is_done() {
                        break Err(Stop::Done);
                    }
                }
                Next::Bad(fault) if !skip => break Err(Stop::Fault(fault)),
                Next::Bad(_) => self.bad_rows += 1,
                Next::More => {
                    if let Err(stop) = self.more(live, &mut progress) {
                        break Err(stop);
                    }
                    continue;
                }
                Next::End => break Ok(()),
            }
            let rows = self.reader.rows();
            if self.checkpoints.as_ref().is_some_and(|checkpoints| checkpoints.is_due(rows))
                && let Err(stop) = self.save()
            {
                break Err(stop);
            }
        };
        progress.clear();
        result?;
        // Whoever finds that the input has grown goes on from here, as if it had not ended.
        self.save()?;
        let last = self.reader.rows().saturating_sub(1);
        self.matcher.finish(&mut self.printer).map_err(|error| Stop::Engine(error, last))
    }

    /// Reads more.
    fn more(&mut self, live: bool, progress: &mut Progress) -> Result<(), Stop> {
        if live {
            let last = self.reader.rows().saturating_sub(1);
            self.matcher.flush(&mut self.printer).map_err(|error| Stop::Engine(error, last))?;
            self.printer.flush();
        }
        if self.printer.is_done() {
            return Err(Stop::Done);
        }
        let (bytes, matches) = (self.reader.input().bytes, self.printer.matches());
        progress.update(bytes, self.reader.rows(), matches);
        self.reader.fill().map_err(Stop::Fatal)
    }

    /// Writes a checkpoint, if any are wanted.
    fn save(&mut self) -> Result<(), Stop> {
        let Some(checkpoints) = &mut self.checkpoints else { return Ok(()) };
        let printed = self.printer.deliver();
        if self.printer.is_done() {
            return Err(Stop::Done);
        }
        let saved = checkpoints.save(&mut self.matcher, &self.reader, self.bad_rows, printed);
        saved.map_err(|failed| match failed {
            Failed::Engine(error) => Stop::Engine(error, self.reader.rows().saturating_sub(1)),
            Failed::Io(error) => Stop::Unsaved(error),
        })
    }

    /// What did not fail and yet should be known.
    fn warn(&self, summary: &Summary, result: &Result<(), Stop>) {
        let saves_late = self.arguments.output.late.is_some();
        summary::input(&self.reader, &self.names.key, &self.arguments.unit_name());
        summary::warn(summary, self.reader.seen(), saves_late, &self.arguments.unit_name());
        if summary.matches > 0 || result.is_err() || summary.rows == summary.bad_rows {
            return;
        }
        // Nothing was found, and perhaps this is why.
        let seen = self.reader.seen_types();
        summary::unseen("type", &self.reader.unseen_types(), &seen);
        summary::unseen("attribute", &self.reader.unseen_attributes(), &[]);
        let stats = &summary.stats;
        let each = self.arguments.reports_each(self.names.each);
        let kept = stats.runs > 0 || stats.stored_events > 0;
        let waits = stats.held_back > 0 || (kept && self.names.open_end.is_open(each));
        if self.arguments.ends_silently() && waits {
            report::warning(
                "partial matches may still be open at the end of the input",
                Some("if nothing more will come, `--end-of-input max` lets their windows pass"),
            );
        }
    }
}

fn tell_fatal(fatal: &Fatal, name: &str, source: &Source, before: Option<Before>) -> Reported {
    match fatal {
        Fatal::Io(error) => report::unreadable(name, error, before),
        Fatal::Input(fault) => report::fatal(name, fault, before),
        Fatal::Query(error) => report::query(&source.name, &source.text, error, None),
    }
    Reported
}

fn write_failed(error: &io::Error, path: Option<&Path>) -> Reported {
    let name = path.map_or("the standard output".to_owned(), |path| path.display().to_string());
    report::plain(&format!("cannot write to {name}: {}", plain(error)), None);
    Reported
}
