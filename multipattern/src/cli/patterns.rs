//! Reading the file of the patterns.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use multipattern::{ErrorKind, PatternSet, Window};

use super::{Reported, report};

/// Files of patterns may have so many bytes.
const MOST_BYTES: u64 = 1 << 30;

/// Whether a file is the standard input.
pub(super) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The patterns of a file, added to a set.
pub(super) fn read(path: &Path, set: &mut PatternSet) -> Result<(), Reported> {
    let name = if is_stdin(path) { "standard input".into() } else { path.display().to_string() };
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if is_stdin(path) {
            io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
        } else {
            fs::File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    };
    let fail = |title: &str, place: Option<&str>, help: Option<&str>| {
        report::message("error", title, place, help);
        Reported
    };
    let bytes = read().map_err(|error| {
        fail(&format!("cannot read {name}: {}", report::plain(&error)), None, None)
    })?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(fail("a file of patterns of more than 1 GiB", Some(&name), None));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|&&byte| byte == b'\n').count() + 1;
        fail("the patterns are not UTF-8", Some(&format!("{name}: line {line}")), None)
    })?;
    if let Err(error) = set.extend_from_text(&text) {
        report::patterns(&name, &text, &error);
        debug_assert_ne!(error.kind(), ErrorKind::Usage);
        return Err(Reported);
    }
    if set.is_empty() {
        let help = "a pattern is written as `id: SEQ(A, B)`";
        return Err(fail("there is no pattern", Some(&name), Some(help)));
    }
    for pattern in set.patterns() {
        if let Window::Events(events) = set.window_of(pattern)
            && events < pattern.operands().len() as u64
        {
            let title = format!(
                "pattern `{}` never matches: it has {} operands and a window of {events} event{}",
                report::shown(pattern.id()),
                pattern.operands().len(),
                if events == 1 { "" } else { "s" },
            );
            report::message("warning", &title, Some(&name), None);
        }
    }
    Ok(())
}
