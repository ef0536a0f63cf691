//! What a decision about a command costs: parsing it, and deciding each of its parts.
//!
//! ```text
//! cargo bench -- permissions
//! ```
//!
//! CPU time of this process, medians of some rounds. The aim is 50 µs for a usual command.
#![expect(clippy::unwrap_used, reason = "a benchmark measures real time")]

use crate::report::{self, Aim, row};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use pintle_protocol::approval::PermissionMode;
use pintle_tools::permissions::{
    Action, Analysis, Call, Context, Decision, Origin, Places, Rule, Sandbox, decide,
};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::PathBuf;

const ROUNDS: usize = 9;
const CALLS: u32 = 500;

/// Commands of the length that agents run.
const COMMANDS: [(&str, &str); 5] = [
    ("one program", "git status --short"),
    ("a test run", "cargo test --lib permissions 2>&1 | tail -20"),
    ("a list", "cd src && rg -n 'fn main' --type rust | head -5; ls -la ../tests"),
    ("a commit", "git add -A && git commit -m \"area: what changes for whom\""),
    ("a loop", "for f in a b c; do if [ -f \"$f\" ]; then wc -l \"$f\"; fi; done"),
];

fn cpu_us() -> i64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).unwrap();
    (usage.user_time() + usage.system_time()).num_microseconds()
}

pub(crate) fn run() {
    let places = Places {
        roots: vec![PathBuf::from("/w")],
        home: Some(PathBuf::from("/home/u")),
        private: vec![PathBuf::from("/home/u/.config/pintle")],
        copies: Vec::new(),
        readable: Vec::new(),
        opens_variables: false,
        ignores_case: false,
    };
    let rules: Vec<_> = ["cargo test **", "git commit **", "git push **", "npm run **", "make"]
        .iter()
        .map(|words| {
            let words = words.split(' ').map(str::to_owned).collect();
            let rule = Rule::for_words(Decision::Allow, words);
            rule.compile(Origin::User, &places.roots, places.home.as_deref()).unwrap()
        })
        .collect();
    let ctx = Context {
        mode: PermissionMode::Ask,
        is_trusted: true,
        sandbox: Sandbox::Full,
        places: &places,
        rules: &rules,
    };
    report::head("permissions: a decision about a command, CPU");
    for (name, line) in COMMANDS {
        let mut rounds: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let before = cpu_us();
                for _ in 0..CALLS {
                    let action = Action::Execute {
                        analysis: Analysis::parse(black_box(line)),
                        cwd: PathBuf::from("/w"),
                        resolved: BTreeMap::new(),
                        leaves_sandbox: false,
                    };
                    let call = Call { tool: "bash".to_owned(), action };
                    black_box(decide(&call, &ctx));
                }
                #[expect(clippy::cast_precision_loss, reason = "microseconds of a benchmark")]
                let spent = (cpu_us() - before) as f64;
                spent / f64::from(CALLS)
            })
            .collect();
        rounds.sort_by(f64::total_cmp);
        let median = rounds.get(ROUNDS / 2).copied().unwrap_or_default();
        row(&format!("deciding about {name}, CPU, median"), "µs", median, Aim::Most(50.0), None);
    }
}
