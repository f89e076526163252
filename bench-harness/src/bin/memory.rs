//! The experiments' memory probes under a counting allocator: see `bench_harness::measure::memory`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use bench_harness::measure::memory::Heap;
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

struct Counting;

impl Heap for Counting {
    fn current(&self) -> u64 {
        ALLOCATOR.current_usage() as u64
    }

    fn peak(&self) -> u64 {
        ALLOCATOR.peak_usage() as u64
    }

    fn reset(&self) {
        ALLOCATOR.reset_peak_usage();
    }
}

fn main() -> ExitCode {
    bench_harness::cli::memory_main(&bench_harness::experiment::registry(), &Counting)
}
