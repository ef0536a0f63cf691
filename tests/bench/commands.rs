//! What running commands costs, measured in process, each beside the bare thing in the same run:
//!
//! ```text
//! cargo bench -- commands
//! ```
//!
//! - a flood: 20 MB of output through `bash`, beside a bare reader of the same command's pipe; the promise is 1.5 times
//! - memory: how much the process grows over such floods; the promise is 8 MB
//! - a tree: 50 processes that ignore SIGTERM, some in sessions of their own, some without a parent, none of which is left
//!   2.5 s after the time-out
//! - a start: `true` below the supervisor and confined, beside `true` as a child of this process; the promise is 2 ms over
//! - the kernel's reports: files written and programs started while names are kept and a program is denied
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark measures real time on real processes"
)]

use crate::report::{self, Aim, row};
use pintle_base::ambient::Ambient;
use pintle_exec::local::{Local, Options};
use pintle_exec::sandbox::{Confinement, Hosts, JudgeNames, Names, Network};
use pintle_exec::{Command, End, Environment};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

const ROUNDS: usize = 15;
const FLOOD: &str = "yes 'one line of forty characters, or so, or so' | head -c 20000000";
const TREE: usize = 50;

pub(crate) fn run() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let local = Local::new(&Ambient::system(), Options::default());
        report::head("commands: beside the bare thing");
        start(folder.path()).await;
        flood(&local, folder.path()).await;
        tree(&local, folder.path()).await;
    });
}

/// The commands that are timed, after as many that are not.
const STARTS: usize = 200;

async fn start(folder: &Path) {
    let local = |options: Options| Local::new(&Ambient::system(), options);
    let supervisor = Some(PathBuf::from(env!("CARGO_BIN_EXE_pintle")));
    let bare = local(Options::default());
    let guarded = local(Options { supervisor: supervisor.clone(), ..Options::default() });
    let denied = Options { supervisor, without_namespaces: true, ..Options::default() };
    let without_namespaces = local(denied);
    let home = Ambient::system().home().unwrap_or_default();
    let hidden = [".ssh", ".aws", ".gnupg", ".netrc", ".config/gh"].map(|name| home.join(name));
    let confinement = Arc::new(Confinement {
        writable: vec![folder.to_path_buf()],
        hidden: hidden.to_vec(),
        ..Confinement::default()
    });
    let hosts = Hosts { allowed: vec!["docs.rs".to_owned()], ..Hosts::default() };
    let with_host = Confinement { network: Network::Hosts(hosts), ..(*confinement).clone() };
    let [with_names, with_programs] = [false, true].map(|judges_programs| {
        let names = Names::new(Obeyed { judges_programs }, Vec::new(), Vec::new());
        Some(Arc::new(Confinement { names, ..(*confinement).clone() }))
    });
    let rows = [
        ("bare", &bare, None),
        ("guarded", &guarded, None),
        ("confined, with a host", &guarded, Some(Arc::new(with_host))),
        ("confined without namespaces", &without_namespaces, Some(confinement.clone())),
        ("confined", &guarded, Some(confinement.clone())),
        ("confined, names kept", &guarded, with_names.clone()),
        ("confined, names kept and a program denied", &guarded, with_programs.clone()),
    ];
    // In turns, so that what else the machine does touches all alike.
    let mut times = vec![Vec::new(); rows.len()];
    for round in 0..2 * STARTS {
        for ((_, local, confinement), times) in rows.iter().zip(&mut times) {
            let command = Command {
                confinement: confinement.clone(),
                ..Command::new("true", folder, "bench")
            };
            let began = Instant::now();
            let ran = local.exec(command, &CancellationToken::new(), &mut |_| {}).await.unwrap();
            let took = began.elapsed();
            assert_eq!(ran.end, End::Exited(0));
            if round >= STARTS {
                times.push(took);
            }
        }
    }
    let medians: Vec<f64> = times.into_iter().map(|times| ms(median(times))).collect();
    let bare = medians.first().copied().unwrap_or_default();
    for ((name, ..), median) in rows.iter().zip(&medians).skip(1) {
        let what = format!("running `true`, {name}, median");
        row(&what, "ms", *median, Aim::Added(2.0), Some(("bare", bare)));
    }
    if let [.., confined, names, programs] = medians.as_slice() {
        let what = "running `true`, a program denied, median";
        row(what, "ms", *programs, Aim::Added(1.0), Some(("names kept", *names)));
        row(
            "running `true`, names kept, median",
            "ms",
            *names,
            Aim::Added(1.0),
            Some(("confined", *confined)),
        );
    }
    watched(&guarded, folder, [Some(confinement), with_names, with_programs]).await;
}

/// What the kernel reports of confined commands costs: of files that are written, and of programs that are started.
async fn watched(local: &Local, folder: &Path, confinements: [Option<Arc<Confinement>>; 3]) {
    let lines = [
        ("1,000 files written", "mkdir -p many; for i in {1..1000}; do : > many/$i; done"),
        ("100 programs started", "for i in {1..100}; do /bin/true; done"),
    ];
    for (name, line) in lines {
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        for round in 0..=2 * ROUNDS {
            for (confinement, times) in confinements.iter().zip(&mut times) {
                let command = Command { confinement: confinement.clone(), ..command(line, folder) };
                let began = Instant::now();
                let ran =
                    local.exec(command, &CancellationToken::new(), &mut |_| {}).await.unwrap();
                assert_eq!(ran.end, End::Exited(0), "{}", ran.tail);
                if round > 0 {
                    times.push(began.elapsed());
                }
            }
        }
        let [confined, names, programs] = times.map(|times| ms(median(times)));
        let besides = Some(("confined", confined));
        row(&format!("{name}, names kept, median"), "ms", names, Aim::None, besides);
        let besides = Some(("names kept", names));
        row(&format!("{name}, a program denied, median"), "ms", programs, Aim::None, besides);
    }
}

/// Names as the engine keeps them, with a rule that denies a program or without one.
struct Obeyed {
    judges_programs: bool,
}

impl JudgeNames for Obeyed {
    fn is_secret(&self, _path: &Path) -> bool {
        false
    }

    fn is_obeyed(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| name == "package.json")
    }

    fn judges_programs(&self) -> bool {
        self.judges_programs
    }

    fn denies_program(&self, words: &[String]) -> bool {
        words.first().is_some_and(|program| program.ends_with("/rm"))
    }
}

fn command(line: &str, folder: &Path) -> Command {
    Command {
        spill_lines: 2000,
        spill_bytes: 51_200,
        artifacts: Some(folder.to_path_buf()),
        ..Command::new(line, folder, "bench")
    }
}

async fn flood(local: &Local, folder: &Path) {
    let (mut bare, mut ours) = (Vec::new(), Vec::new());
    let mut before = 0.0;
    let mut peak: f64 = 0.0;
    for round in 0..=ROUNDS {
        let began = Instant::now();
        read_bare(folder);
        let bare_time = began.elapsed();

        let began = Instant::now();
        let never = CancellationToken::new();
        let ran = local.exec(command(FLOOD, folder), &never, &mut |_| {}).await.unwrap();
        let our_time = began.elapsed();
        assert_eq!(ran.total_bytes, 20_000_000);
        let full = ran.full_output_path.unwrap();
        assert_eq!(std::fs::metadata(&full).unwrap().len(), 20_000_000);
        std::fs::remove_file(full).unwrap();
        // The first round warms both up.
        if round == 0 {
            before = resident_mib();
        } else {
            bare.push(bare_time);
            ours.push(our_time);
            peak = peak.max(resident_mib());
        }
    }
    let (bare, ours) = (ms(median(bare)), ms(median(ours)));
    row("20 MB of output, median", "ms", ours, Aim::Times(1.5), Some(("a bare reader", bare)));
    let what = format!("growth of memory over {ROUNDS} such outputs, at most");
    row(&what, "MiB", peak - before, Aim::Most(8.0), None);
}

/// Reads what the command prints and forgets it.
fn read_bare(folder: &Path) {
    let mut child = std::process::Command::new("/bin/bash")
        .args(["-c", FLOOD])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let (mut buffer, mut total) = (vec![0; 32 * 1024], 0);
    loop {
        match stdout.read(&mut buffer).unwrap() {
            0 => break,
            read => total += read,
        }
    }
    assert_eq!(total, 20_000_000);
    child.wait().unwrap();
}

/// Long enough for the whole tree to be there.
const TREE_TIMEOUT: Duration = Duration::from_secs(8);

async fn tree(local: &Local, folder: &Path) {
    let mark = format!("bench-tree-{}", std::process::id());
    // A third stays in the group, a third leaves the session, a third loses its parent too. None heeds a polite signal.
    let one = format!("bash -c 'trap \"\" TERM; exec -a {mark} sleep 1000'");
    let line = format!(
        "for i in $(seq {TREE}); do case $((i % 3)) in 0) {one} & ;; 1) setsid {one} & ;; 2) (setsid {one} &) ;; esac; done; \
         while [ $(grep -l -s -a -F {mark} /proc/[0-9]*/cmdline | wc -l) -lt {TREE} ]; do :; done; echo ready; wait"
    );
    let mut left = Vec::new();
    for _ in 0..3 {
        let ready = std::sync::Arc::new(std::sync::Mutex::new(None));
        let seen = ready.clone();
        let mut output = move |_: &str| *seen.lock().unwrap() = Some(Instant::now());
        let command = Command { timeout: Some(TREE_TIMEOUT), ..command(&line, folder) };
        let began = Instant::now();
        let ran = local.exec(command, &CancellationToken::new(), &mut output).await.unwrap();
        let ended = Instant::now();
        assert_eq!(ran.end, End::TimedOut);
        assert!(ready.lock().unwrap().is_some(), "all processes were there before the time-out");
        left.push(((ended - began).saturating_sub(TREE_TIMEOUT), count(&mark)));
    }
    left.sort();
    for (time, count) in &left {
        assert_eq!(*count, 0, "processes are left");
        assert!(*time < Duration::from_millis(2500), "it took {time:?}");
    }
    let slowest = left.last().map(|(time, _)| *time).unwrap_or_default();
    let what = format!("a tree of {TREE} processes that heed nothing, to its end, slowest");
    row(&what, "s", slowest.as_secs_f64(), Aim::Most(2.5), None);
}

/// How many processes bear this name.
fn count(mark: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            line.starts_with(mark.as_bytes())
        })
        .count()
}

fn resident_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
