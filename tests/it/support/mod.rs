//! What tests share: a server that does as it is told, a stage for the engine, the program over pipes.

pub(crate) mod acp;
pub(crate) mod ahp;
pub(crate) mod chance;
pub(crate) mod frames;
pub(crate) mod launch;
pub(crate) mod lsp;
pub(crate) mod model;
pub(crate) mod person;
pub(crate) mod pi;
pub(crate) mod program;
pub(crate) mod props;
pub(crate) mod recorder;
pub(crate) mod render;
pub(crate) mod replies;
pub(crate) mod server;
pub(crate) mod shared;
pub(crate) mod stage;
pub(crate) mod steady;
pub(crate) mod tls;
pub(crate) mod waiting;
pub(crate) mod websocket;

pub(crate) use waiting::HANG;

/// Says that a part of a test could not run here, and adds it to the list that `tests/all.sh` shows at its end.
#[expect(clippy::print_stderr, reason = "a test that cannot be run says so")]
pub(crate) fn skipped(what: &str) {
    use std::io::Write;
    eprintln!("skipped: {what}");
    let Some(list) = std::env::var_os("PINTLE_SKIPS") else { return };
    let test = std::thread::current();
    let line = format!("{}: {}\n", test.name().unwrap_or_default(), what.replace('\n', " "));
    let list = std::fs::OpenOptions::new().append(true).create(true).open(list);
    list.and_then(|mut list| list.write_all(line.as_bytes())).unwrap();
}
