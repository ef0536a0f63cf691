//! What searching costs, beside ripgrep and fd on the same files in the same run:
//!
//! ```text
//! cargo bench -- search
//! ```
//!
//! The tree is made first: 50,000 files, 400 MB, nested folders with `.gitignore` files. Ours is a call of the tool in this
//! process, the peer is a process of its own; what starting a process costs is measured too and taken off where
//! the row says so. The rounds are interleaved; medians.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a benchmark measures real time on real files"
)]

use crate::report::{self, Aim, row};
use pintle_base::ambient::Ambient;
use pintle_exec::Local;
use pintle_exec::local::Options;
use pintle_protocol::content::Content;
use pintle_tools::{Find, Folders, Grep, Profile, Tool, ToolContext};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

const FILES: usize = 50_000;
const BYTES: usize = 400_000_000;
const FILES_A_FOLDER: usize = 12;
const ROUNDS: usize = 15;
/// In three files.
const RARE: &str = "zanzibar_quorum";
/// In about every line.
const COMMON: &str = "return";

/// Words for lines; a plain generator picks them, so that every run has the same tree.
const WORDS: [&str; 16] = [
    "return", "value", "let", "index", "match", "node", "state", "self", "buffer", "length", "if",
    "else", "import", "config", "path", "error",
];

struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }
}

fn make(root: &Path) {
    let mut numbers = Numbers(7);
    let mut text = String::new();
    // One long text; each file is a piece of it.
    while text.len() < 2_000_000 {
        for _ in 0..numbers.next(9) + 2 {
            text.push_str(WORDS[numbers.next(WORDS.len())]);
            text.push([' ', '_', '.', '('][numbers.next(4)]);
        }
        text.push('\n');
    }
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::write(root.join(".gitignore"), "target/\n*.log\n").unwrap();
    let folders = FILES / FILES_A_FOLDER;
    for number in 0..=folders {
        let folder = root.join(format!(
            "pkg{:02}/mod{:02}/part{:02}",
            number % 16,
            number / 16 % 16,
            number / 256
        ));
        std::fs::create_dir_all(&folder).unwrap();
        if number % 40 == 0 {
            std::fs::write(folder.join(".gitignore"), "*.tmp\nbuild/\n!keep.tmp\n").unwrap();
            std::fs::create_dir_all(folder.join("target")).unwrap();
            std::fs::write(folder.join("target/out.rs"), &text[..4000]).unwrap();
        }
        for file in 0..FILES_A_FOLDER.min(FILES.saturating_sub(number * FILES_A_FOLDER)) {
            // Most files are small, some are not; 8,000 bytes on average.
            let size = match numbers.next(10) {
                0..=5 => 500 + numbers.next(4000),
                6..=8 => 4000 + numbers.next(9000),
                _ => 10_000 + numbers.next(67_000),
            };
            let from = numbers.next(text.len() - size);
            let mut body = text[from..from + size].to_owned();
            if number % (folders / 3) == 7 && file == 3 {
                body.push_str(RARE);
            }
            let ending = ["rs", "ts", "py", "md"][file % 4];
            std::fs::write(folder.join(format!("file{file:02}.{ending}")), body).unwrap();
        }
    }
}

/// Files and their bytes.
fn size_of(folder: &Path) -> (usize, usize) {
    let mut sum = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let facts = entry.metadata().unwrap();
        let (files, bytes) = if facts.is_dir() {
            size_of(&entry.path())
        } else {
            (1, usize::try_from(facts.len()).unwrap())
        };
        sum = (sum.0 + files, sum.1 + bytes);
    }
    sum
}

struct Bench {
    runtime: tokio::runtime::Runtime,
    ctx: ToolContext,
    folders: Folders,
    shell_start: Duration,
}

impl Bench {
    fn ours(&self, tool: &dyn Tool, arguments: &Value) -> (Duration, String) {
        let began = Instant::now();
        let call = tool.prepare(arguments.clone(), &self.folders).unwrap();
        let result = self.runtime.block_on(call.run(&self.ctx));
        let took = began.elapsed();
        let text = result.content.into_iter().map(|content| match content {
            Content::Text { text } | Content::Document { text, .. } => text,
            Content::Image { .. } => String::new(),
        });
        (took, text.collect())
    }

    fn peer(&self, command: &str) -> (Duration, String) {
        let began = Instant::now();
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(command).current_dir(&self.folders.cwd).stdin(Stdio::null());
        let output = shell.stderr(Stdio::null()).output().unwrap();
        (began.elapsed(), String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// What it costs to start a program that does nothing.
    fn start_of(&self, program: &str) -> Duration {
        median((0..ROUNDS).map(|_| self.peer(&format!("{program} --version")).0).collect())
    }

    /// Rows beside the peer and beside what it takes without its start, to which the aim belongs. `is_same` looks at both answers once.
    fn compare(
        &self,
        name: &str,
        (tool, arguments): (&dyn Tool, &Value),
        command: &str,
        aim: f64,
        is_same: impl Fn(&str, &str) -> bool,
    ) {
        let (mut ours, mut peers) = (Vec::new(), Vec::new());
        let mut is_checked = false;
        for round in 0..ROUNDS {
            let (our_time, our_text) = self.ours(tool, arguments);
            let (peer_time, peer_text) = self.peer(command);
            if !is_checked {
                assert!(
                    is_same(&our_text, &peer_text),
                    "{name}: {our_text:.300}\n--\n{peer_text:.300}"
                );
                is_checked = true;
            }
            // The first round warms up.
            if round > 0 {
                ours.push(our_time);
                peers.push(peer_time);
            }
        }
        let (ours, peer) = (median(ours), median(peers));
        let net = peer.saturating_sub(self.shell_start);
        let what = format!("{name}, median");
        let program = command.split(' ').next().unwrap();
        row(&what, "ms", ms(ours), Aim::None, Some((program, ms(peer))));
        let less = format!("{program} less its start");
        row(&what, "ms", ms(ours), Aim::Times(aim), Some((&less, ms(net))));
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok()
}

pub(crate) fn run() {
    let (has_rg, fd) = (is_there("rg"), ["fd", "fdfind"].into_iter().find(|name| is_there(name)));
    let temporary = tempfile::tempdir().unwrap();
    let cwd: PathBuf = std::fs::canonicalize(temporary.path()).unwrap();
    make(&cwd);
    let (files, bytes) = size_of(&cwd);
    report::head("search: in a tree of many files");
    let count = |of: usize| f64::from(u32::try_from(of).unwrap());
    row("the tree, files", "", count(files), Aim::None, Some(("wanted", count(FILES))));
    let (mb, wanted) = (bytes / 1_000_000, count(BYTES / 1_000_000));
    row("the tree, size", "MB", count(mb), Aim::None, Some(("wanted", wanted)));
    let mut bench = Bench {
        runtime: tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap(),
        ctx: ToolContext::new(
            Arc::new(Local::new(&Ambient::system(), Options::default())),
            cwd.clone(),
        ),
        folders: Folders { cwd, home: None, shell: pintle_exec::Dialect::Bourne },
        shell_start: Duration::ZERO,
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    if has_rg {
        bench.shell_start = bench.start_of("rg");
        rg(&bench, threads);
    } else {
        println!("no rg here: apt-get install ripgrep");
    }
    if let Some(name) = fd {
        bench.shell_start = bench.start_of(name);
        self::fd(&bench, name, threads);
    } else {
        println!("no fd here: apt-get install fd-find");
    }
}

fn rg(bench: &Bench, threads: usize) {
    let grep = Grep(Profile::Pi);
    let lines = |text: &str| text.lines().filter(|line| line.contains(':')).count();
    bench.compare(
        "grep, rare literal",
        (&grep, &json!({"pattern": RARE, "literal": true})),
        &format!("rg -j{threads} --hidden -n --no-heading -F {RARE}"),
        1.2,
        |ours, peer| lines(ours) == 3 && lines(peer) == 3,
    );
    bench.compare(
        "grep, rare regex, ignoring case",
        (&grep, &json!({"pattern": "zanzi\\w+_QUORUM", "ignoreCase": true})),
        &format!("rg -j{threads} --hidden -n --no-heading -i 'zanzi\\w+_QUORUM'"),
        1.2,
        |ours, peer| lines(ours) == 3 && lines(peer) == 3,
    );
    bench.compare(
        "grep, common word, limit 100",
        (&grep, &json!({"pattern": COMMON, "limit": 100})),
        &format!("rg -j{threads} --hidden -n --no-heading {COMMON} | head -100"),
        1.5,
        |ours, peer| lines(ours) >= 100 && lines(peer) == 100,
    );
}

fn fd(bench: &Bench, fd: &str, threads: usize) {
    let find = Find(Profile::Pi);
    bench.compare(
        "find, all files",
        (&find, &json!({"pattern": "*", "limit": 1_000_000})),
        &format!("{fd} -j{threads} --hidden --exclude .git ."),
        1.2,
        |ours, peer| ours.contains("50.0KB limit") && peer.lines().count() >= FILES,
    );
    bench.compare(
        "find, one name",
        (&find, &json!({"pattern": "file07.md", "limit": 1_000_000})),
        &format!("{fd} -j{threads} --hidden --exclude .git -g file07.md"),
        1.2,
        |ours, peer| ours.contains("50.0KB limit") && peer.lines().count() > 4000,
    );
}
