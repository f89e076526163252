//! Running the program in tests.
#![allow(dead_code, reason = "no test file uses all of it")]

use std::fmt::Write as _;

/// What a run of the program gave.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// Runs the program in a folder, with some bytes on the standard input.
pub fn nfab_in(folder: &str, arguments: &[&str], input: &[u8]) -> Run {
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_nfab"))
        .args(arguments)
        .current_dir(folder)
        .write_stdin(input)
        .output()
        .expect("the program runs");
    assert!(!output.stderr.contains(&0x1b), "no colours when nobody looks");
    Run {
        code: output.status.code().expect("no signal"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Runs the program among the files of the tests.
pub fn nfab(arguments: &[&str], input: &str) -> Run {
    nfab_in(DATA, arguments, input.as_bytes())
}

/// The output of a run that finds something and has nothing to say about it.
pub fn found(arguments: &[&str], input: &str) -> String {
    let run = nfab(arguments, input);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}\n{}", run.out);
    run.out
}

/// Where the files of the tests are.
pub const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/cli");

/// A run as it would look on a terminal: input, command, output, messages, exit code.
pub fn transcript(all: &mut String, arguments: &[&str], input: Option<&[u8]>) {
    let run = nfab_in(DATA, arguments, input.unwrap_or_default());
    let quoted: Vec<String> = arguments.iter().map(|a| shell(a)).collect();
    for line in input.unwrap_or_default().split_inclusive(|&b| b == b'\n') {
        let text = line.escape_ascii().to_string().replace("\\'", "'").replace("\\\"", "\"");
        let _ = writeln!(all, "# {text}");
    }
    let _ = writeln!(all, "$ nfab {}", quoted.join(" "));
    all.push_str(&run.out);
    all.push_str(&run.err);
    let _ = writeln!(all, "[{}]\n", run.code);
}

fn shell(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', "'\\''"))
    }
}
