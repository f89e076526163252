//! The machine and the build, in one line that goes into every row: the same numbers on another
//! machine, from another compiler or at another scale are other results.

use std::fs;

use crate::experiment::Scale;

/// The separator between the parts of the line.
const SEPARATOR: &str = "; ";
const SCALE: &str = "scale ";

/// Describes processor, cores, memory, kernel, compiler, build, its commit and scale.
pub fn describe(scale: Scale) -> String {
    let mut parts = vec![processor()];
    if let Ok(cores) = std::thread::available_parallelism() {
        parts.push(format!("{cores} cores"));
    }
    if let Some(bytes) = memory_bytes() {
        parts.push(format!("{:.0} GiB memory", bytes as f64 / f64::from(1 << 30)));
    }
    parts.push(kernel());
    parts.push(env!("HARNESS_RUSTC").to_owned());
    parts.push(format!("bench-harness {} ({})", env!("CARGO_PKG_VERSION"), profile()));
    parts.push(format!("commit {}", env!("HARNESS_COMMIT")));
    parts.push(format!("{SCALE}{scale}"));
    parts.join(SEPARATOR)
}

/// The scale that a described machine line ends with.
pub fn scale_of(machine: &str) -> Option<Scale> {
    machine.split(SEPARATOR).find_map(|part| part.strip_prefix(SCALE)?.parse().ok())
}

/// `release` or `debug`: the report warns when times do not come from a release build.
pub fn profile() -> &'static str {
    env!("HARNESS_PROFILE")
}

fn processor() -> String {
    let read = |path| fs::read_to_string(path).ok();
    let name = read("/proc/cpuinfo").and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        let (_, name) = line.split_once(':')?;
        Some(name.split_whitespace().collect::<Vec<_>>().join(" "))
    });
    // Separators inside a name would break the line apart.
    let name = name.unwrap_or_else(|| "unknown processor".to_owned()).replace(';', ",");
    format!("{name} ({})", std::env::consts::ARCH)
}

fn memory_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

fn kernel() -> String {
    match fs::read_to_string("/proc/sys/kernel/osrelease") {
        Ok(release) => format!("Linux {}", release.trim()),
        Err(_) => std::env::consts::OS.to_owned(),
    }
}
