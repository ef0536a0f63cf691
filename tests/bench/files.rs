//! What reading and changing large files costs, beside doing the same by hand:
//!
//! ```text
//! cargo bench -- files
//! ```
//!
//! - an edit of one place, of ten places, and a patch of ten hunks in a file of 10 MB, beside a bare read, splice and write
//! - 200 lines at line 5,000,000 of a file of 1 GB: time beside `sed`, growth of memory
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a benchmark measures real time on real files"
)]

use crate::report::{self, Aim, row};
use pintle_base::ambient::Ambient;
use pintle_exec::Local;
use pintle_exec::local::Options;
use pintle_tools::{Folders, Profile, Tool, ToolContext};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROUNDS: usize = 41;
const FILE_BYTES: usize = 10 * 1024 * 1024;

pub(crate) fn run() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let bench = Bench { cwd: folder.path().canonicalize().unwrap() };
    report::head("files: large files");
    for places in [1, 10] {
        bench.edits(&runtime, places);
    }
    bench.page(&runtime);
}

struct Bench {
    cwd: PathBuf,
}

impl Bench {
    fn call(
        &self,
        runtime: &tokio::runtime::Runtime,
        tool: &dyn Tool,
        arguments: Value,
    ) -> Duration {
        let ctx = ToolContext::new(
            Arc::new(Local::new(&Ambient::system(), Options::default())),
            self.cwd.clone(),
        );
        let folders =
            Folders { cwd: self.cwd.clone(), home: None, shell: pintle_exec::Dialect::Bourne };
        let began = Instant::now();
        let call = tool.prepare(arguments, &folders).unwrap();
        let result = runtime.block_on(call.run(&ctx));
        let took = began.elapsed();
        assert!(!result.is_error, "{:?}", result.content);
        took
    }

    fn edits(&self, runtime: &tokio::runtime::Runtime, places: usize) {
        let path = self.cwd.join("large.rs");
        let (edit, patch) = (tool(Profile::Pi, "edit"), tool(Profile::OpenAi, "apply_patch"));
        let (mut bare, mut edited, mut patched) = (vec![], vec![], vec![]);
        let content = source(places);
        for _ in 0..ROUNDS {
            for (how, times) in [&mut bare, &mut edited, &mut patched].into_iter().enumerate() {
                std::fs::write(&path, &content).unwrap();
                times.push(match how {
                    0 => by_hand(&path, places),
                    1 => self.call(runtime, edit.as_ref(), edit_arguments(places)),
                    _ => self.call(runtime, patch.as_ref(), patch_arguments(places)),
                });
                let now = std::fs::read_to_string(&path).unwrap();
                assert_eq!(now.matches("changed_").count(), places);
            }
        }
        let (bare, edited, patched) = (median(bare), median(edited), median(patched));
        let (at, aim) = if places == 1 { ("one place", 1.5) } else { ("ten places", 2.0) };
        let by_hand = Some(("by hand", bare));
        let what = format!("a file of 10 MB, `edit` in {at}, median");
        row(&what, "ms", edited, Aim::Times(aim), by_hand);
        let what = format!("a file of 10 MB, `apply_patch` in {at}, median");
        row(&what, "ms", patched, Aim::None, by_hand);
    }

    fn page(&self, runtime: &tokio::runtime::Runtime) {
        let path = self.cwd.join("huge.log");
        let mut file = BufWriter::new(std::fs::File::create(&path).unwrap());
        let mut bytes = 0_usize;
        for number in 0.. {
            let line = format!("{number:010} {}\n", "a line of a long log ".repeat(6));
            file.write_all(line.as_bytes()).unwrap();
            bytes += line.len();
            if bytes >= 1024 * 1024 * 1024 {
                break;
            }
        }
        file.flush().unwrap();
        drop(file);
        let read = tool(Profile::Pi, "read");
        let arguments = json!({"path": "huge.log", "offset": 5_000_000, "limit": 200});
        let (mut ours, mut sed) = (vec![], vec![]);
        std::fs::write("/proc/self/clear_refs", "5").unwrap();
        let before = resident_kib("VmRSS:");
        self.call(runtime, read.as_ref(), arguments.clone());
        let grown = resident_kib("VmHWM:").saturating_sub(before);
        for _ in 0..7 {
            ours.push(self.call(runtime, read.as_ref(), arguments.clone()));
            let began = Instant::now();
            let out =
                Command::new("sed").args(["-n", "5000000,5000199p;5000199q"]).arg(&path).output();
            assert!(!out.unwrap().stdout.is_empty());
            sed.push(began.elapsed());
        }
        let (ours, sed) = (median(ours), median(sed));
        let what = "a file of 1 GB, `read` of 200 lines at 5,000,000, median";
        row(what, "ms", ours, Aim::None, Some(("sed", sed)));
        let what = "a file of 1 GB, the same `read`, growth of memory";
        row(what, "MiB", to_mib(grown), Aim::Most(8.0), None);
    }
}

fn tool(profile: Profile, name: &str) -> Arc<dyn Tool> {
    profile.tools().into_iter().find(|tool| tool.name() == name).unwrap()
}

/// Source-like text with so many places to change, evenly spread.
fn source(places: usize) -> String {
    let mut text = String::with_capacity(FILE_BYTES + 100);
    let mut place = 0;
    for number in 0.. {
        if text.len() >= FILE_BYTES {
            return text;
        }
        if place < places && text.len() >= FILE_BYTES / places * place + FILE_BYTES / places / 2 {
            let _ = writeln!(text, "    let value_{place} = unchanged({place});");
            place += 1;
        }
        let _ = writeln!(text, "    let line_{number} = compute(\"{number}\", &mut state);");
    }
    text
}

fn by_hand(path: &Path, places: usize) -> Duration {
    let began = Instant::now();
    let mut content = std::fs::read(path).unwrap();
    for place in 0..places {
        let old = format!("value_{place} = unchanged");
        let at = memchr::memmem::find(&content, old.as_bytes()).unwrap();
        content.splice(at..at + old.len(), format!("value_{place} = changed_").into_bytes());
    }
    std::fs::write(path, &content).unwrap();
    began.elapsed()
}

fn edit_arguments(places: usize) -> Value {
    let edits: Vec<Value> = (0..places)
        .map(|place| {
            let old = format!("    let value_{place} = unchanged({place});");
            json!({"oldText": old, "newText": old.replace("unchanged", "changed_")})
        })
        .collect();
    json!({"path": "large.rs", "edits": edits})
}

fn patch_arguments(places: usize) -> Value {
    let mut hunks = String::new();
    for place in 0..places {
        let old = format!("    let value_{place} = unchanged({place});");
        let _ = writeln!(hunks, "@@\n-{old}\n+{}", old.replace("unchanged", "changed_"));
    }
    json!({"patch": format!("*** Begin Patch\n*** Update File: large.rs\n{hunks}*** End Patch")})
}

/// In milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

fn resident_kib(field: &str) -> u32 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn to_mib(kib: u32) -> f64 {
    f64::from(kib) / 1024.0
}
