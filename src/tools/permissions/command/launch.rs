//! The programs that a program not known as a wrapper may start: any of its words may be a program name, and any text a command. Pure.
//!
//! This is for rules that restrict: they apply behind launchers that no table lists.

use super::words::Word;
use super::{Analysis, Program};

/// Programs that treat their words as files, names or texts, and start none of them.
const STARTING_NONE: &[&str] = &[
    "apt", "apt-get", "awk", "base64", "brew", "bzip2", "cargo", "chgrp", "chmod", "chown", "cp",
    "dirname", "dnf", "dpkg", "export", "gem", "git", "go", "gunzip", "gzip", "install", "jq",
    "kill", "ln", "local", "man", "mkdir", "mv", "npm", "pacman", "pip", "pip3", "pkill", "pnpm",
    "readonly", "rm", "rmdir", "rustup", "sed", "tee", "touch", "truncate", "unzip", "xz", "yarn",
    "zip", "zypper",
];

/// The exceptions: subcommands and flags that start other programs. A flag's value may be attached.
const STARTING: &[(&str, &[&str])] = &[
    ("apt", &["-o", "--option"]),
    ("apt-get", &["-o", "--option"]),
    ("cargo", &["run", "--config"]),
    ("dpkg", &["--pre-invoke", "--post-invoke"]),
    (
        "git",
        &[
            "submodule",
            "bisect",
            "rebase",
            "filter-branch",
            "difftool",
            "mergetool",
            "send-email",
            "for-each-repo",
            "config",
            "alias",
            "-O",
            "--open-files-in-pager",
            "-u",
            "--upload-pack",
            "--receive-pack",
            "--exec",
            "--config",
        ],
    ),
    ("go", &["run", "generate", "-exec", "-toolexec", "--exec", "--toolexec"]),
    ("install", &["--strip-program"]),
    ("man", &["-P", "--pager", "-H", "--html"]),
    ("npm", &["exec", "x", "config", "set", "--script-shell"]),
    ("pip", &["--python"]),
    ("pip3", &["--python"]),
    ("pnpm", &["exec", "dlx", "--script-shell"]),
    ("rustup", &["run"]),
    ("yarn", &["exec", "dlx", "--script-shell"]),
    ("zip", &["-TT", "--unzip-command"]),
];

/// The maximum total size of parsed texts, in bytes; anything beyond it is treated as words.
const MAX_TEXT: usize = 16 * 1024;

/// Returns the programs that may be started.
pub(super) fn candidates(program: &Program) -> Vec<Program> {
    let mut found = Found { programs: Vec::new(), room: MAX_TEXT };
    for assignment in &program.assignments {
        if let Some((_, value)) = assignment.text().and_then(|text| text.split_once('=')) {
            found.add_program(value, &[]);
            found.text(value);
        }
    }
    if program.is_transparent || program.is_known_safe() || takes_none(program) {
        return found.programs;
    }
    let words = program.arguments();
    for (at, word) in words.iter().enumerate() {
        let Some(text) = word.text() else { continue };
        let rest = words.get(at + 1..).unwrap_or_default();
        match text.strip_prefix('-') {
            None => {
                found.add_program(text, rest);
                found.text(text);
            }
            Some(flags) => {
                for value in values(flags) {
                    found.add_program(value, rest);
                    found.text(value);
                }
            }
        }
    }
    found.programs
}

/// Returns the values that may be attached to a word of flags, without its first dash: `-ctouch`, `-qctouch`, `--run=touch`.
fn values(flags: &str) -> impl Iterator<Item = &str> {
    /// The maximum number of letters before the value.
    const MAX: usize = 4;
    /// After several letters, a shorter value counts as further letters: `-arm`.
    const MIN: usize = 3;
    let behind_name = flags.split_once('=').map(|(_, value)| value);
    let is_short = !flags.starts_with('-');
    let ends = flags.char_indices().skip(1).take(MAX).enumerate();
    let behind_letters = ends.filter_map(move |(before, (at, _))| {
        let value = flags.get(at..)?;
        (is_short && (before == 0 || value.len() >= MIN)).then_some(value)
    });
    behind_name.into_iter().chain(behind_letters)
}

fn takes_none(program: &Program) -> bool {
    let Some(name) = program.name() else { return true };
    let starting = STARTING.iter().filter(|(known, _)| *known == name);
    let starting = starting.flat_map(|(_, words)| words.iter());
    let is_given = |starting: &str, given: &str| {
        given.strip_prefix(starting).is_some_and(|value| {
            let takes_value = starting.starts_with('-') && !starting.starts_with("--");
            value.is_empty() || value.starts_with('=') || takes_value
        })
    };
    let mut given = program.arguments().iter().filter_map(Word::text);
    STARTING_NONE.contains(&name)
        && !given.any(|given| starting.clone().any(|word| is_given(word, given)))
}

struct Found {
    programs: Vec<Program>,
    room: usize,
}

impl Found {
    /// Adds a word as a program name, with the words after it.
    fn add_program(&mut self, name: &str, rest: &[Word]) {
        if name.is_empty() || self.programs.len() > super::wrappers::MAX_PROGRAMS {
            return;
        }
        let words = [Word::Text(name.to_owned())].into_iter().chain(rest.iter().cloned());
        self.programs.push(Program { words: words.collect(), ..Program::default() });
    }

    /// A text as a command.
    fn text(&mut self, text: &str) {
        let is_command = text.contains([' ', '\t', '\n', ';', '|', '&', '(', '`']);
        if !is_command || text.len() > self.room {
            return;
        }
        self.room -= text.len();
        // `:!command` of an editor.
        let text = text.trim_start_matches([':', '!', '@', '+', ' ']);
        self.programs.extend(Analysis::parse(text).programs);
    }
}
