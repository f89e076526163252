//! `nfab explain`: the automaton of a query.

use std::io::{self, Write};
use std::process::ExitCode;

use super::arguments::Explain;
use super::names::Names;
use super::search::Source;
use super::{Reported, report};

pub(super) fn main(arguments: &Explain) -> Result<ExitCode, Reported> {
    let source = Source::read(&arguments.query(), None)?;
    let query = source.parse()?;
    let names = Names::new(&query);
    let automaton = source.compile(&query, &names, arguments.options())?;
    let text = if arguments.dot { automaton.to_dot() } else { automaton.explain() };
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        // Whoever read our output has seen enough.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(e) => {
            report::unwritten(&e);
            Err(Reported)
        }
    }
}
