//! All benchmarks in one program: `cargo bench -- NAME`, or `tests/bench/all.sh` for a table.
#![expect(
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a command line reads its environment and prints its usage"
)]

mod batch;
mod commands;
mod counted;
mod decode;
mod files;
mod floor;
mod frontends;
mod latency;
mod least;
mod lsp;
mod mcp;
mod opening;
mod permissions;
mod provider;
mod report;
mod review;
mod search;
mod store;
mod streams;

use std::process::ExitCode;

const BENCHMARKS: [(&str, fn()); 16] = [
    ("batch", batch::run),
    ("commands", commands::run),
    ("counted", counted::run),
    ("decode", decode::run),
    ("files", files::run),
    ("floor", floor::run),
    ("frontends", frontends::run),
    ("latency", latency::run),
    ("lsp", lsp::run),
    ("mcp", mcp::run),
    ("opening", opening::run),
    ("permissions", permissions::run),
    ("review", review::run),
    ("search", search::run),
    ("store", store::run),
    ("streams", streams::run),
];

/// The command-line arguments without the `--bench` flag that cargo adds.
fn words() -> impl Iterator<Item = String> {
    std::env::args().skip(1).filter(|word| !word.starts_with('-'))
}

fn main() -> ExitCode {
    // `mcp` runs this program again as its server.
    if std::env::var_os(mcp::SERVER).is_some() {
        mcp::serve();
        return ExitCode::SUCCESS;
    }
    // `floor` runs this program again as its baseline.
    let is_floor = std::env::var_os("FLOOR").is_some();
    let name = if is_floor { Some("floor".to_owned()) } else { words().next() };
    let found = BENCHMARKS.iter().find(|(known, _)| Some(*known) == name.as_deref());
    let Some((_, run)) = found else {
        let names: Vec<&str> = BENCHMARKS.iter().map(|(name, _)| *name).collect();
        eprintln!("usage: cargo bench -- BENCHMARK\nbenchmarks: {}", names.join(", "));
        return ExitCode::from(2);
    };
    run();
    ExitCode::SUCCESS
}
