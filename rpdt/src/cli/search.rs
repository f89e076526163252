//! Running queries over files.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use rpdt::input::Flow;
use rpdt::{Error, ErrorKind, Matcher, Plan, Stats, Threads};

use super::arguments::{Format, Search};
use super::input::{self, Input};
use super::output::Printer;
use super::progress::Progress;
use super::{Reported, compile, report, why, write_failed};

/// Nothing was found.
const NONE: u8 = 1;

/// Size of the buffer through which documents are read; see the library's.
const READ_BUFFER: usize = 256 << 10;

/// Files of at least so many bytes are divided between threads, smaller ones are dealt out as they
/// are.
const LARGE: u64 = 4 << 20;
/// Small files a thread that are dealt out at a time; their answers wait for each other.
const BATCH: usize = 16;

/// What became of a file.
struct Done {
    input: Input,
    stats: Stats,
    result: Result<(), Error>,
    time: Duration,
}

/// A search over some files.
struct Run<'a> {
    arguments: &'a Search,
    plan: Plan,
    threads: Threads,
    /// Answers say which file they are from.
    several: bool,
}

pub(super) fn search(arguments: &Search) -> Result<ExitCode, Reported> {
    let advice = arguments.advice();
    let (queries, files) = arguments.queries_and_files().map_err(|message| {
        report::plain(&message, advice.or(Some("`rpdt --help` shows how to call the program")));
        Reported
    })?;
    let regular =
        |file: &Option<PathBuf>| file.as_ref().is_some_and(|f| !f.exists() || f.is_file());
    if arguments.output.why && !files.iter().all(regular) {
        let message = "--why reads a document twice, which only regular files allow";
        report::plain(message, Some("write the document to a file first"));
        return Err(Reported);
    }
    let plan = compile(&queries, arguments.config(), advice)?;
    let threads = arguments.threads();
    let run = Run { arguments, plan, threads, several: files.len() > 1 };
    let mut printer = run.printer(io::stdout());
    let mut failed = false;
    let mut rest = &files[..];
    while let [first, others @ ..] = rest
        && !printer.is_done()
    {
        let small = run.small(rest);
        if small > 1 {
            failed |= run.batch(&rest[..small], &mut printer)?;
            rest = &rest[small..];
        } else {
            failed |= run.one(first, &mut printer);
            rest = others;
        }
    }
    if let Some(error) = printer.error() {
        return write_failed(error);
    }
    if failed {
        return Err(Reported);
    }
    if printer.total() == 0
        && !arguments.output.why
        && (arguments.output.stats || io::stderr().is_terminal())
    {
        report::tell("note: nothing was found; --why tells what a file has of the query");
    }
    Ok(if printer.total() > 0 { ExitCode::SUCCESS } else { ExitCode::from(NONE) })
}

impl Run<'_> {
    fn printer<W: Write>(&self, out: W) -> Printer<W> {
        let output = &self.arguments.output;
        Printer::new(out, output.format, self.plan.patterns().len(), output.limit())
    }

    /// How many of the next files are small enough to be dealt out to threads. With a limit of
    /// answers, one after another is read.
    fn small(&self, files: &[Option<PathBuf>]) -> usize {
        if self.threads.count() == 1 || self.arguments.output.limit().is_some() {
            return 0;
        }
        let is_small = |file: &&Option<PathBuf>| {
            let metadata = file.as_ref().and_then(|path| path.metadata().ok());
            metadata.is_some_and(|m| m.is_file() && m.len() < LARGE)
        };
        files.iter().take(BATCH * self.threads.count()).take_while(is_small).count()
    }

    /// One file, its answers printed as they come. Returns whether it failed.
    fn one<W: Write + Send>(&self, file: &Option<PathBuf>, printer: &mut Printer<W>) -> bool {
        match self.open(file) {
            Ok(input) => {
                let mut done = self.match_one(input, printer);
                self.tell(&mut done, printer.counts(), printer.error().is_some())
            }
            Err(Reported) => true,
        }
    }

    /// Small files, each by one thread, printed in their order. Returns whether any failed.
    fn batch<W: Write>(
        &self,
        files: &[Option<PathBuf>],
        printer: &mut Printer<W>,
    ) -> Result<bool, Reported> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.count()).build();
        let pool = pool.map_err(|e| {
            report::plain(&format!("cannot start threads: {e}"), None);
            Reported
        })?;
        let alone = Run { plan: self.plan.clone(), threads: Threads::new(1), ..*self };
        let each = |file: &Option<PathBuf>| {
            let mut printer = self.printer(Vec::new());
            let done = Input::open(file.as_deref()).map(|i| alone.match_one(i, &mut printer));
            (done, printer)
        };
        let all: Vec<_> = pool.install(|| files.par_iter().map(each).collect());
        let mut failed = false;
        for (done, printed) in all {
            match done {
                Ok(mut done) => {
                    printer.append(&printed);
                    printer.flush();
                    failed |= self.tell(&mut done, printed.counts(), printer.error().is_some());
                }
                Err(message) => {
                    report::plain(&message, self.arguments.advice());
                    failed = true;
                }
            }
        }
        Ok(failed)
    }

    fn open(&self, file: &Option<PathBuf>) -> Result<Input, Reported> {
        Input::open(file.as_deref()).map_err(|message| {
            report::plain(&message, self.arguments.advice());
            Reported
        })
    }

    fn match_one<W: Write + Send>(&self, mut input: Input, printer: &mut Printer<W>) -> Done {
        let start = Instant::now();
        printer.begin(self.several.then_some(&*input.name));
        let divides = self.threads.count() > 1 && input.file().is_some();
        let (stats, result) = match input.file().filter(|_| divides) {
            Some(file) => match self.plan.run_file_on(self.threads, file, &mut *printer) {
                Ok(outcome) => (outcome.stats, Ok(())),
                Err(error) => (Stats::default(), Err(error)),
            },
            None => self.match_stream(&mut input, printer),
        };
        if divides {
            input.look();
        }
        if result.is_ok() {
            printer.finish();
        } else {
            printer.flush();
        }
        Done { input, stats, result, time: start.elapsed() }
    }

    /// On one thread. Returns what was done, also when that was not all.
    fn match_stream<W: Write>(
        &self,
        input: &mut Input,
        printer: &mut Printer<W>,
    ) -> (Stats, Result<(), Error>) {
        let mut progress = Progress::new(input.size);
        let mut matcher = self.plan.matcher(printer);
        let fed = feed(&mut matcher, input, &mut progress);
        let stats = matcher.stats();
        let result = fed.and_then(|()| matcher.finish().map(|outcome| outcome.stats));
        progress.clear();
        match result {
            Ok(stats) => (stats, Ok(())),
            Err(error) => (stats, Err(error)),
        }
    }

    /// Messages about a file. Returns whether it failed.
    fn tell(&self, done: &mut Done, counts: &[u64], unwritable: bool) -> bool {
        let Done { input, stats, result, time } = done;
        let output = &self.arguments.output;
        let found = counts.iter().sum();
        if output.stats {
            if self.several {
                report::tell(format_args!("file: {}", input.name));
            }
            // Of segments that did not come to their end nothing is known.
            if result.is_ok() || stats.bytes > 0 {
                tell_stats(stats, counts, *time);
                self.tell_reading(input, stats);
            }
        }
        let Err(error) = result else {
            self.tell_undivided(input, stats);
            if output.why {
                why::tell(self.arguments, &self.plan, input, found);
            }
            return false;
        };
        if !unwritable {
            let counted = output.format == Format::Count;
            report::document(&input.name, error, found, counted, input.advice());
        }
        true
    }

    /// The encoding of a document: the one that was asked for, else what it shows.
    fn encoding(&self, input: &Input) -> String {
        self.arguments.encoding().map_or_else(|| input.encoding(), str::to_owned)
    }

    /// How a document was read.
    fn tell_reading(&self, input: &Input, stats: &Stats) {
        let threads = if stats.segments > 0 { self.threads.count() } else { 1 };
        report::tell(format_args!(
            "threads: {threads}\nencoding: {}\nfront end: {}",
            self.encoding(input),
            self.arguments.front_end()
        ));
    }

    /// Several threads were asked for, and only one had anything to do.
    fn tell_undivided(&self, input: &Input, stats: &Stats) {
        let small = input.size.is_some_and(|size| size < LARGE);
        if self.threads.count() == 1 || stats.segments > 0 || small {
            return;
        }
        let encoding = self.encoding(input);
        let utf8 = rpdt::input::Encoding::named("UTF-8");
        let narrow = [utf8, rpdt::input::Encoding::named("US-ASCII")];
        let narrow = narrow.contains(&rpdt::input::Encoding::named(&encoding));
        let queries = 0..self.plan.patterns().len();
        let explained = queries.map(|query| self.plan.threads_explained(query));
        let reason = match (input.size, explained.into_iter().find(|e| e.starts_with("one "))) {
            (None, _) => "only regular files can be divided".to_owned(),
            _ if !narrow => format!("only UTF-8 can be divided; this is {encoding}"),
            (_, Some(explained)) => explained,
            _ => "no place was found at which it can be divided".to_owned(),
        };
        report::tell(format_args!("note: {} was read by one thread: {reason}", input.name));
    }
}

fn feed<W: Write>(
    matcher: &mut Matcher<'_, &mut Printer<W>>,
    input: &mut Input,
    progress: &mut Progress,
) -> Result<(), Error> {
    let live = input.is_live();
    let mut buffer = vec![0; READ_BUFFER];
    loop {
        let n = match input.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(n) => n,
            Err(e) => return Err(Error::new(ErrorKind::Io, input::plain(&e))),
        };
        if matcher.feed(&buffer[..n])? == Flow::Stopped {
            return Ok(());
        }
        let printer = matcher.sink_mut();
        if live {
            printer.flush();
        }
        if printer.error().is_some() {
            return Ok(());
        }
        let answers = printer.total();
        progress.update(matcher.stats().bytes, answers);
    }
}

fn tell_stats(stats: &Stats, counts: &[u64], time: Duration) {
    let answers: u64 = counts.iter().sum();
    let mut text = format!("bytes: {}\ntags: {}\nanswers: {answers}", stats.bytes, stats.tags);
    for (query, count) in counts.iter().enumerate().filter(|_| counts.len() > 1) {
        text.push_str(&format!("\nanswers of query {query}: {count}"));
    }
    report::tell(format_args!(
        "{text}\npeak buffered bytes: {}\nmax depth: {}\nseconds: {:.3}",
        stats.peak_buffered_bytes,
        stats.max_depth,
        time.as_secs_f64(),
    ));
}
