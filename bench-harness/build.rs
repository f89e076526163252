//! Records what the report must say about the build: the compiler, the profile and the commit.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = output(&rustc, &["--version"]).unwrap_or_else(|| "rustc (unknown)".to_owned());
    // "rustc 1.88.0 (6b00bc388 2025-06-23)": the number says enough.
    let short: Vec<&str> = version.split_whitespace().take(2).collect();
    println!("cargo::rustc-env=HARNESS_RUSTC={}", short.join(" "));
    let profile = std::env::var("PROFILE").unwrap_or_default();
    println!("cargo::rustc-env=HARNESS_PROFILE={profile}");
    let commit = output("git", &["rev-parse", "--short=12", "HEAD"]);
    println!("cargo::rustc-env=HARNESS_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
    // The log of HEAD grows with every commit. Outside of git there is none.
    let log = output("git", &["rev-parse", "--git-path", "logs/HEAD"]);
    if let Some(log) = log.filter(|log| std::path::Path::new(log).exists()) {
        println!("cargo::rerun-if-changed={log}");
    }
    // Without these lines cargo would run this script again whenever any file changes.
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC");
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    if !output.status.success() {
        return None;
    }
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
